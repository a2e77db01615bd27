"""One `map` for all long work: the results in the order of the items.

Every long computation is a function of one item, so that it can run on the cores of one machine or
on a cluster without a change to what calls it. `context` says where, with how many workers and who
is told of the progress, once for all that is called then, so that no function has arguments for it.
Randomness goes with the item, not with the worker (`spawn_generators`): equal seeds give equal
results on any number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, TypeVar, cast

from yardstone.errors import UsageError
from yardstone.parallel._work import (
    Chunk,
    StopEvent,
    Tally,
    Todo,
    available_cores,
    inside,
    local_path,
    run_chunk,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

    from numpy.random import Generator

__all__ = [
    "Progress",
    "StopEvent",
    "Track",
    "available_cores",
    "context",
    "current",
    "elsewhere",
    "inside",
    "local_path",
    "map",
    "spawn_generators",
]

#: Called with what is being done, how much of it is done and how much there is (0 if unknown).
Progress: TypeAlias = Callable[[str, int, int], object]
_LOCAL = "local"
#: Chunks that threads have before them, for each thread.
_AHEAD = 2

Item = TypeVar("Item")
Result = TypeVar("Result")


class Context(NamedTuple):
    """What all work within a block of `context` shares."""

    engine: str = _LOCAL
    workers: int | None = None
    progress: Progress | None = None


_DEFAULT = Context()
_AMBIENT: ContextVar[Context] = ContextVar("yardstone_context", default=_DEFAULT)


def current() -> Context:
    """Return what holds here; `context` sets it."""
    return _AMBIENT.get()


def elsewhere() -> bool:
    """Whether the work of `map` may go to other machines, which need not have our files."""
    return current().engine != _LOCAL and not inside()


class Track:
    """How much of something is done, told to whoever watches (`context`).

    Within ``with``, what is called tells nothing of its own.

    Args:
        what: What is being done, such as ``reading``.
        total: How much there is; 0 if unknown.

    Examples:
        >>> with context(progress=print), Track("reading", 2) as track:
        ...     track(1)
        reading 1 2
    """

    def __init__(self, what: str, total: int = 0) -> None:
        self._what = what
        self._total = total
        self._tell = current().progress

    def __call__(self, done: int, total: int | None = None) -> None:
        """Say how much is done, of another total if one is given."""
        if self._tell is not None:
            self._tell(self._what, done, self._total if total is None else total)

    def __enter__(self) -> Self:
        self._token = _AMBIENT.set(current()._replace(progress=None))
        return self

    def __exit__(self, *_: object) -> None:
        _AMBIENT.reset(self._token)

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """Give items one after another, and count those that are done."""
        for done, item in enumerate(items, 1):
            yield item
            self(done)


def __getattr__(name: str) -> Any:
    if name == "engine":
        raise AttributeError("engine(NAME) is now context(engine=NAME)")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _engine_for(name: str | None) -> str:
    """The engine of this name, or the one that holds here."""
    if name is None:
        return current().engine
    if name in (_LOCAL, "ray") or (
        name.startswith("ray:") and name.removeprefix("ray:").strip("/")
    ):
        return name
    raise UsageError(
        f"there is no engine {name!r}: local, ray, ray:auto, ray:HOST:PORT or ray://HOST:PORT"
    )


def _workers_for(number: int | None) -> int | None:
    """So many workers, or as many as hold here."""
    if number is not None and number < 1:
        raise UsageError(f"workers is {number}; it must be at least 1")
    return current().workers if number is None else number


@contextmanager
def context(
    *, engine: str | None = None, workers: int | None = None, progress: Progress | None = None
) -> Iterator[None]:
    """Have all work within this block done so; what is None stays as it was.

    Args:
        engine: Where the work of `map` is done. ``local``, the default: processes of this machine.
            ``ray``: the Ray that runs on this machine or that ``RAY_ADDRESS`` names, or else one
            that is started for the block. ``ray:auto``: as ``ray``, but none is started.
            ``ray:HOST:PORT``: the cluster with this address, to which this machine belongs.
            ``ray://HOST:PORT``: a cluster to which it does not belong, through Ray's client.
        workers: How many work at the same time; by default one a core, of a cluster all its cores.
            With 1 all is done in this process.
        progress: Called in this process with what is being done, how much of it is done and how
            much there is (0 if unknown).

    Raises:
        UsageError: There is no such engine, or no worker.

    Examples:
        >>> with context(engine="local", workers=2):
        ...     map(abs, [3, -2, 1])
        [3, 2, 1]
    """
    before = current()
    told = before.progress if progress is None else progress
    now = Context(_engine_for(engine), _workers_for(workers), told)
    token = _AMBIENT.set(now)
    try:
        if now.engine == before.engine or now.engine == _LOCAL:
            yield
        else:
            from yardstone.parallel._ray import connection

            with connection():
                yield
    finally:
        _AMBIENT.reset(token)


def spawn_generators(seed: int | Generator | None, number: int) -> list[Generator]:
    """Independent random generators, one an item.

    They depend on the seed and on nothing else: not on the number of workers,
    nor on who works on which item.

    Examples:
        >>> first, second = spawn_generators(7, 2)
        >>> again, _ = spawn_generators(7, 2)
        >>> first.random() == again.random()
        True
    """
    import numpy as np

    return np.random.default_rng(seed).spawn(number)


def map(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    what: str | None = None,
    workers: int | None = None,
    threads: bool = False,
    chunk: int = 1,
    engine: str | None = None,
    total: int | None = None,
    receive: Callable[[Item, Result], Any] | None = None,
    cores: float = 1.0,
    resource: str | None = None,
    files: Sequence[Path] = (),
    shared: Sequence[Path] = (),
) -> list[Result]:
    """Apply a function to every item; the results are in the order of the items.

    The work goes to processes of this machine, or to a Ray (`context`). A script that calls
    this must keep its own work under ``if __name__ == "__main__":``, since each worker
    imports the script.

    Args:
        function: Takes one item. For processes it must be importable: defined at the top level of a
            module (`functools.partial` of such a function is as good).
        items: What to work on; read to its end before the work begins, unless `total` is given.
        what: What is being done, for whoever is told of progress; by default the items tell.
        workers: How many work at the same time, as `context` has it. With 1 all is done in this
            process, and so it is inside a worker of another `map`.
        threads: On this machine use threads of this process: for functions that spend their time in
            loops, which release the GIL, or wait for another program. Nothing is copied between
            processes.
        chunk: Hand out so many items at once: for many items of little work each.
        engine: Where the work is done, as `context` has it.
        total: Number of the items, which are then read as they are needed.
        receive: Called in this process as ``receive(item, result)`` when the result has come, in
            any order; what it gives takes the result's place. This is where files are written,
            since other machines need not have the folder.
        cores: How much of a core an item keeps busy; below 1 more of them work at a time.
        resource: What a machine of a cluster must have, such as a program. If machines were started
            with it (``ray start --resources='{"gnubg": 1}'``), only they are asked; otherwise all
            are taken to have it.
        files: Files that the function reads. Other machines get a copy of each, which the function
            finds by `local_path`.
        shared: Folders that the function works in. On a cluster all machines must share them.

    Raises:
        Exception: Whatever the function raises, with a note that names the item. Other processes
            are stopped at once; a thread first ends the chunk it has.
        WorkerError: If a worker dies (killed, or out of memory); it names the item. On a cluster
            the work is first done again elsewhere, a few times.
        UsageError: If the function, an item or a result cannot go to another process.
        InputError: If the cluster does not answer, or does not share a folder.
        MissingExtraError: Ray is asked for and not installed.

    Examples:
        >>> map(abs, [3, -2, 1], workers=1)
        [3, 2, 1]
    """
    if chunk < 1:
        raise UsageError(f"chunk is {chunk}; it must be at least 1")
    where, workers = _engine_for(engine), _workers_for(workers)
    todo = Todo(items, chunk, total)
    number = min(workers or max(1, round(available_cores() / cores)), todo.chunks)
    with nullcontext() if what is None else Track(what, todo.total) as tell:
        tally = Tally(todo.total, tell, receive)
        if where != _LOCAL and workers != 1 and todo.chunks and not inside():
            from yardstone.parallel import _ray

            needs = _ray.Needs(cores, resource, files, shared)
            _ray.run(where, function, todo, tally, workers, needs)
        elif number <= 1 or (inside() and not threads):
            while (piece := todo.take()) is not None:
                tally.put(piece, run_chunk(function, piece))
        elif threads:
            _run_threads(function, todo, tally, number)
        else:
            from yardstone.parallel import _processes  # multiprocessing takes a while to import

            _processes.run(function, todo, tally, number)
    return cast("list[Result]", tally.results)


def _run_threads(function: Callable[[Any], Any], todo: Todo, tally: Tally, number: int) -> None:
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
    from contextvars import copy_context

    executor = ThreadPoolExecutor(number, "yardstone")
    pending: dict[Future[list[Any]], Chunk] = {}
    try:
        while True:
            while len(pending) < _AHEAD * number and (chunk := todo.take()) is not None:
                future = executor.submit(copy_context().run, run_chunk, function, chunk)
                pending[future] = chunk
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                tally.put(pending.pop(future), future.result())
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
