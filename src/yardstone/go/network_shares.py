"""Games that a network is asked about: here, or some at a time by the machines of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from yardstone import parallel
from yardstone.pool import SkipReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yardstone.go.nets.network import Network

__all__ = ["NetworkWork", "over_games"]

#: Items that are handed out, and whose answers are held, together.
_WINDOW = 1 << 14

Item = TypeVar("Item")
Given = TypeVar("Given", contravariant=True)
Answer = TypeVar("Answer", covariant=True)


class NetworkWork(Protocol[Given, Answer]):
    """Asks a network about items, one after another.

    What it answers must depend on the item alone, not on those before it.
    """

    def __call__(
        self,
        items: Iterable[Given],
        network: Network,
        /,
        *,
        skipped: SkipReport,
        progress: Callable[[int], object] | None = None,
    ) -> Iterator[Answer]:
        """The answers; `progress` is called with the positions that are done."""
        ...


class _Source(NamedTuple):
    """Where a network is, and how it is computed."""

    file: str
    engine: str
    precision: str
    device: str
    symmetries: int


@dataclass(frozen=True, slots=True)
class _Share(Generic[Item]):
    """Items that are worked on together."""

    first: int
    items: tuple[Item, ...]

    def __repr__(self) -> str:
        """Which; errors name them so."""
        return f"<games {self.first + 1} to {self.first + len(self.items)}>"


def over_games(
    work: NetworkWork[Item, Answer],
    items: Iterable[Item],
    network: Network,
    *,
    together: int,
    positions: Callable[[Item], int],
    skipped: SkipReport,
    progress: Callable[[int], object] | None = None,
) -> Iterator[Answer]:
    """What a network says of items: here, or where an engine is chosen on its machines.

    There each process loads the network once, and keeps no answers between runs.

    Parameters
    ----------
    work : NetworkWork
        A function at the top level of a module, or a `functools.partial` of one.
    items : iterable
        Read as they are needed.
    network : Network
    together : int
        Items that go to a machine together.
    positions : callable
        Of an item the number of its positions, for the progress.
    skipped : SkipReport
        Takes what cannot be asked about, in the order of the items.
    progress : callable, optional
        Called with the number of positions that are done.
    """
    if not parallel.elsewhere():
        yield from work(items, network, skipped=skipped, progress=progress)
        return
    how = (network.engine, network.precision, network.device, network.symmetries)
    source = _Source(network.file, *how)
    done = 0

    def receive(share: _Share[Item], answers: Any) -> Any:
        nonlocal done
        done += sum(map(positions, share.items))
        if progress is not None:
            progress(done)
        return answers

    taken = 0
    remaining = iter(items)
    while window := list(islice(remaining, _WINDOW)):
        starts = range(0, len(window), together)
        shares = [_Share(taken + k, tuple(window[k : k + together])) for k in starts]
        taken += len(window)
        for answers, report in parallel.map(
            partial(_ask_share, work, source), shares, receive=receive, files=[Path(source.file)]
        ):
            skipped.merge(report)
            yield from answers


def _ask_share(
    work: NetworkWork[Item, Answer], source: _Source, share: _Share[Item]
) -> tuple[Sequence[Answer], SkipReport]:
    """The answers to a share, and what could not be asked about; done in a worker."""
    report = SkipReport()
    return list(work(share.items, _loaded(source), skipped=report)), report


@lru_cache(maxsize=1)
def _loaded(source: _Source) -> Network:
    """The network, once a process."""
    from yardstone.go.nets.network import load_network

    file = parallel.local_path(source.file)
    return load_network(
        file,
        source.engine,
        source.precision,
        1,
        device=source.device,
        symmetries=source.symmetries,
    )
