"""One `map` for all long work: the results in the order of the items.

Every long computation is a function of one item, so that it can run on the
cores of one machine now and on a cluster without a change to what calls it.
Randomness goes with the item, not with the worker (`spawn_generators`): equal
seeds give equal results on any number of workers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from yardstone.errors import UsageError
from yardstone.parallel._work import Progress, Tally, Todo, run_chunk

if TYPE_CHECKING:
    from concurrent.futures import Future

    from numpy.random import Generator

__all__ = ["Progress", "available_cores", "map", "spawn_generators"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spawn_generators(seed: int | Generator | None, number: int) -> list[Generator]:
    """Independent random generators, one an item.

    They depend on the seed and on nothing else: not on the number of workers,
    nor on who works on which item.

    Examples
    --------
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
    workers: int | None = None,
    threads: bool = False,
    progress: Progress | None = None,
    chunk: int = 1,
) -> list[Result]:
    """Apply a function to every item; the results are in the order of the items.

    The work goes to processes of this machine. A script that calls this must
    keep its own work under ``if __name__ == "__main__":``, since each worker
    imports the script. The same call will serve a cluster.

    Parameters
    ----------
    function : callable
        Takes one item. For processes it must be importable: defined at the top
        level of a module (`functools.partial` of such a function is as good).
    items : iterable
        What to work on; read to its end before the work begins.
    workers : int, optional
        How many work at the same time; the default is one a core. With 1 all is
        done in this process, and so it is inside a worker of another `map`.
    threads : bool
        Use threads of this process: for functions that spend their time in
        kernels, which release the GIL. Nothing is copied between processes.
    progress : callable, optional
        Called as ``progress(done, total)`` in this process, each time that
        results have come.
    chunk : int
        Hand out so many items at once: for many items of little work each.

    Raises
    ------
    Exception
        Whatever the function raises, with a note that names the item. Other
        processes are stopped at once; a thread first ends the chunk it has.
    WorkerError
        If a worker dies (killed, or out of memory); it names the item.
    UsageError
        If the function, an item or a result cannot go to another process.

    Examples
    --------
    >>> map(abs, [3, -2, 1], workers=1)
    [3, 2, 1]
    """
    if chunk < 1:
        raise UsageError(f"chunk is {chunk}; it must be at least 1")
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}; it must be at least 1")
    todo = Todo(list(items), chunk)
    number = min(workers or available_cores(), len(todo.chunks))
    tally = Tally(len(todo.items), progress)
    if number <= 1:
        _run_here(function, todo, tally)
    elif threads:
        _run_threads(function, todo, tally, number)
    else:
        from yardstone.parallel import _processes  # multiprocessing takes a while to import

        if _processes.inside():
            _run_here(function, todo, tally)
        else:
            _processes.run(function, todo, tally, number)
    return cast("list[Result]", tally.results)


def _run_here(function: Callable[[Any], Any], todo: Todo, tally: Tally) -> None:
    for numbers in todo.chunks:
        tally.put(numbers, run_chunk(function, todo, numbers))


def _run_threads(function: Callable[[Any], Any], todo: Todo, tally: Tally, number: int) -> None:
    from concurrent.futures import ThreadPoolExecutor, as_completed
    from contextvars import copy_context

    executor = ThreadPoolExecutor(number, "yardstone")
    try:
        futures: dict[Future[list[Any]], range] = {
            executor.submit(copy_context().run, run_chunk, function, todo, numbers): numbers
            for numbers in todo.chunks
        }
        for future in as_completed(futures):
            tally.put(futures[future], future.result())
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
