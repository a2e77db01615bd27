"""Several pools to one, and many files shared out to the machines of a cluster.

What a share of the files gives is a pool, and the pools joined are what one machine makes of
all files: so whatever needs all games at once is done after this, by the reader of the format.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone import parallel
from yardstone.errors import InputError, YardstoneError
from yardstone.pool import Pool, SkipReport

if TYPE_CHECKING:
    from yardstone.records.options import Options, Reader
    from yardstone.records.sources import Source


def join_pools(pools: Sequence[Pool]) -> Pool:
    """All games of several pools, in their order; equal names are one player.

    Examples:
        >>> one = Pool.from_names(["Ann"], ["Bob"], [1])
        >>> join_pools([one, Pool.from_names(["Bob"], ["Eve"], [0.5])])
        <Pool: 2 games of 3 players>
    """
    if len(pools) == 1:
        return pools[0]
    number: dict[str, int] = {}
    skipped = SkipReport()
    sides: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
    for pool in pools:
        place = np.array(
            [number.setdefault(name, len(number)) for name in pool.players], dtype=np.int32
        )
        sides.append((place[pool.first], place[pool.second]))
        skipped.merge(pool.skipped)
    time = None
    if any(pool.time is not None for pool in pools):
        unknown = np.datetime64("NaT", "s")
        time = np.concatenate(
            [np.full(len(p), unknown) if p.time is None else p.time for p in pools]
        )
    names = dict.fromkeys(name for pool in pools for name in pool.columns)
    return Pool(
        tuple(number),
        np.concatenate([first for first, _ in sides]),
        np.concatenate([second for _, second in sides]),
        np.concatenate([pool.score for pool in pools]),
        time,
        {name: _column(name, pools) for name in names},
        skipped,
        all(pool.ordered for pool in pools),
    )


def without_empty_columns(pool: Pool, among: Collection[str] | None = None) -> Pool:
    """The pool without further columns (or those `among` them) that say nothing of any game."""
    return replace(
        pool,
        columns={
            name: column
            for name, column in pool.columns.items()
            if (among is not None and name not in among) or not _is_empty(column)
        },
    )


def _is_empty(column: NDArray[Any]) -> bool:
    if column.dtype.kind in "f":
        return bool(np.isnan(column).all())
    return column.dtype.kind not in "iub" and bool((column == "").all())


def _column(name: str, pools: Sequence[Pool]) -> NDArray[Any]:
    known = [pool.columns[name] for pool in pools if name in pool.columns]
    texts = any(column.dtype.kind not in "iufb" for column in known)
    if len(known) == len(pools) and not texts:
        return np.concatenate(known)
    kind: Any = np.dtypes.StringDType() if texts else np.float64
    return np.concatenate(
        [
            pool.columns[name].astype(kind)
            if name in pool.columns
            else np.full(len(pool), "" if texts else np.nan, dtype=kind)
            for pool in pools
        ]
    )


#: Bytes of files that are sent together, and most files.
_BYTES, _FILES = 4 << 20, 256
#: Larger files are read where they lie.
LARGEST = 256 << 20
#: Bytes that are on their way at a time, about.
_SENT = 1 << 30


@dataclass(frozen=True, slots=True)
class _Share:
    """Files that are read together."""

    number: int
    sources: tuple[Source, ...]
    size: int

    def __repr__(self) -> str:
        """Which files; errors name them so."""
        first, last = self.sources[0].name, self.sources[-1].name
        return f"<{first}>" if first == last else f"<files {first} to {last}>"


def read_shares(read: Reader, sources: Sequence[Source], options: Options) -> Pool:
    """The games of some files: read here, or share by share where an engine is chosen.

    `read` goes from sources and options to a pool: pools of files one after another, joined, must
    be the pool of all of them. Raises what `read` raises; where several files are at fault, the
    first of them is named.
    """
    if len(sources) < 2 or not parallel.elsewhere():
        return read(sources, options)
    shares = _shares(sources)
    outcomes: list[Pool | YardstoneError | None] = [None] * len(shares)
    pools: list[Pool] = []
    total, done = sum(share.size for share in shares), 0
    track = parallel.Track("reading", total)

    def receive(share: _Share, outcome: Pool | YardstoneError) -> None:
        nonlocal done
        outcomes[share.number] = outcome
        while len(pools) < len(shares) and (known := outcomes[len(pools)]) is not None:
            if isinstance(known, YardstoneError):
                raise known
            pools.append(known)
        done += share.size
        track(done)

    read_share = partial(_read_share, read, options)
    sent = [share for share in shares if _can_be_sent(share.sources)]
    at_a_time = max(2, _SENT // max(1, _BYTES, *(share.size for share in sent)))
    with track:
        parallel.map(read_share, _loaded(sent), workers=at_a_time, total=len(sent), receive=receive)
        for share in shares:
            if outcomes[share.number] is None:
                receive(share, read_share(share))
    return join_pools(pools)


def _shares(sources: Sequence[Source]) -> list[_Share]:
    """All files in their order; one that is read here is a share of its own."""
    shares: list[list[Source]] = []
    size, full = 0, True
    for source in sources:
        alone = not _can_be_sent([source])
        if full or alone or size + source.size > _BYTES or len(shares[-1]) == _FILES:
            shares.append([])
            size = 0
        shares[-1].append(source)
        size, full = size + source.size, alone
    return [
        _Share(number, tuple(share), sum(source.size for source in share))
        for number, share in enumerate(shares)
    ]


def _loaded(shares: Iterable[_Share]) -> Iterator[_Share]:
    """Shares with the bytes of their files; one whose bytes cannot be read is left out."""
    for share in shares:
        with suppress(InputError):
            yield replace(share, sources=tuple(source.loaded() for source in share.sources))


def _can_be_sent(sources: Sequence[Source]) -> bool:
    """Whether their bytes go to other machines; what cannot be read is named here."""
    return all(
        source.size <= LARGEST
        and (
            source.member is not None
            or (source.path is not None and os.access(source.path, os.R_OK))
        )
        for source in sources
    )


def _read_share(read: Reader, options: Options, share: _Share) -> Pool | YardstoneError:
    """What a share gives; an error is told as one, for whoever reads in order."""
    try:
        return read(share.sources, options)
    except YardstoneError as error:
        return error
