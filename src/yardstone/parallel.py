"""One `map` for all long work: the results in the order of the items.

Every long computation is a function of one item, so that it can run on the
cores of one machine now and on a cluster without a change to what calls it.
Randomness goes with the item, not with the worker (`spawn_generators`): equal
seeds give equal results on any number of workers.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

from yardstone.errors import UsageError, WorkerError

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

    from numpy.random import Generator

__all__ = ["available_cores", "map", "spawn_generators"]

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Called with the number of items done and the number of all items.
Progress: TypeAlias = Callable[[int, int], None]

#: Seconds a worker is given to end by itself before it is killed.
PATIENCE = 1.0


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
        Whatever the function raises, with a note that names the item. The other
        workers are stopped first.
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
    todo = _Todo(list(items), chunk)
    number = min(workers or available_cores(), len(todo.chunks))
    tally = _Tally(len(todo.items), progress)
    if number <= 1 or multiprocessing.current_process().daemon:
        _run_here(function, todo, tally)
    elif threads:
        _run_threads(function, todo, tally, number)
    else:
        _run_processes(function, todo, tally, number)
    return cast("list[Result]", tally.results)


class _Todo:
    """The items, cut into chunks (ranges of their numbers)."""

    def __init__(self, items: list[Any], chunk: int) -> None:
        self.items = items
        self.chunks = [
            range(start, min(start + chunk, len(items))) for start in range(0, len(items), chunk)
        ]

    def name(self, numbers: Sequence[int]) -> str:
        """How messages call one item, or a chunk of them; items count from 1."""
        total = len(self.items)
        if len(numbers) > 1:
            return f"one of the items {numbers[0] + 1} to {numbers[-1] + 1} of {total}"
        shown = repr(self.items[numbers[0]])
        if len(shown) > 80:
            shown = shown[:77] + "..."
        return f"item {numbers[0] + 1} of {total}: {shown}"


class _Tally:
    """The results so far, and who is told of them."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.results: list[Any] = [None] * total
        self.done = 0
        self.progress = progress

    def put(self, numbers: Sequence[int], results: Sequence[Any]) -> None:
        self.results[numbers[0] : numbers[-1] + 1] = results
        self.done += len(numbers)
        if self.progress is not None:
            self.progress(self.done, len(self.results))


class _Failure(NamedTuple):
    """What a worker sends when the function raised."""

    place: int  # in the chunk
    error: Exception | None  # None if it cannot be sent
    text: str  # the traceback, as text


def _noted(error: Exception, note: str) -> Exception:
    error.add_note(note)
    return error


def _run_chunk(function: Callable[[Any], Any], todo: _Todo, numbers: Sequence[int]) -> list[Any]:
    results = []
    for number in numbers:
        try:
            results.append(function(todo.items[number]))
        except Exception as error:
            raise _noted(error, f"while working on {todo.name([number])}")  # noqa: B904
    return results


def _run_here(function: Callable[[Any], Any], todo: _Todo, tally: _Tally) -> None:
    for numbers in todo.chunks:
        tally.put(numbers, _run_chunk(function, todo, numbers))


def _run_threads(function: Callable[[Any], Any], todo: _Todo, tally: _Tally, number: int) -> None:
    executor = ThreadPoolExecutor(number, "yardstone")
    try:
        futures: dict[Future[list[Any]], range] = {
            executor.submit(_run_chunk, function, todo, numbers): numbers for numbers in todo.chunks
        }
        for future in as_completed(futures):
            tally.put(futures[future], future.result())
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


# Processes. Each worker has a pipe of its own and at most one chunk, so that it
# is always known who worked on what: when a worker dies its end of the pipe
# closes, and the chunk it had can be named. (The executors of the standard
# library only know that some worker died.)


class _Worker(NamedTuple):
    process: SpawnProcess
    pipe: Connection


def _run_processes(function: Callable[[Any], Any], todo: _Todo, tally: _Tally, number: int) -> None:
    job = _pickled(function, "the function")
    workers: list[_Worker] = []
    try:
        with _interrupts_held():
            workers.extend(_start_worker() for _ in range(number))
        _hand_out(workers, job, todo, tally)
    except BaseException:
        for worker in workers:
            worker.process.kill()
        raise
    finally:
        for worker in workers:
            worker.pipe.close()  # a worker ends when its pipe does
        for worker in workers:
            worker.process.join(PATIENCE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.process.close()


def _hand_out(workers: list[_Worker], job: bytes, todo: _Todo, tally: _Tally) -> None:
    waiting = deque(todo.chunks)
    by_pipe = {worker.pipe: worker for worker in workers}
    busy: dict[Connection, range | None] = dict.fromkeys(by_pipe)  # None: starting
    for worker in workers:
        _send(worker, job, None, todo)
    while busy:
        for ready in wait(list(busy)):
            pipe = cast("Connection", ready)
            numbers = busy.pop(pipe)
            answer = _receive(by_pipe[pipe], numbers, todo)
            if isinstance(answer, _Failure):
                raise _failed(answer, numbers, todo)
            if numbers is not None:
                tally.put(numbers, answer)
            if waiting:
                numbers = waiting.popleft()
                busy[pipe] = numbers
                items = _pickled([todo.items[number] for number in numbers], todo.name(numbers))
                _send(by_pipe[pipe], items, numbers, todo)


def _pickled(thing: Any, name: str) -> bytes:
    try:
        return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise UsageError(
            f"{name} cannot go to another process ({error}): "
            "use threads=True, workers=1, or what is defined at the top level of a module"
        ) from error


def _send(worker: _Worker, data: bytes, numbers: range | None, todo: _Todo) -> None:
    try:
        worker.pipe.send_bytes(data)
    except OSError:
        raise _died(worker, numbers, todo) from None


def _receive(worker: _Worker, numbers: range | None, todo: _Todo) -> Any:
    try:
        data = worker.pipe.recv_bytes()
    except (EOFError, OSError):
        raise _died(worker, numbers, todo) from None
    return pickle.loads(data)


def _died(worker: _Worker, numbers: range | None, todo: _Todo) -> WorkerError:
    worker.process.join(PATIENCE)
    status = worker.process.exitcode
    if status is not None and status < 0:
        how = f"was killed by {signal.Signals(-status).name}"
        if -status == signal.SIGKILL:
            how += " (out of memory?)"
    else:
        how = f"ended with exit status {status}"
    if numbers is None:
        guard = 'is the script\'s own work under `if __name__ == "__main__":`?'
        return WorkerError(f"a worker {how} while it started: {guard}")
    return WorkerError(f"a worker {how} while working on {todo.name(numbers)}")


def _failed(failure: _Failure, numbers: range | None, todo: _Todo) -> Exception:
    where = (
        "while starting"
        if numbers is None
        else (f"while working on {todo.name([numbers[failure.place]])}")
    )
    if failure.error is None:
        return WorkerError(f"a worker failed {where}\n{failure.text}")
    return _noted(failure.error, f"{where}, in a worker:\n{failure.text}")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while workers start, so that none dies half way with a traceback.

    A child inherits the mask of signals; `_work` takes it off again.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker() -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs,), daemon=True)
    try:
        process.start()
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return _Worker(process, ours)


def _work(pipe: Connection) -> None:
    """What a worker does: take the function, then chunks, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when all stop
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        function: Callable[[Any], Any] | None = None
        while True:
            data = pipe.recv_bytes()
            if function is None:
                function, answer = _load_function(data)
            else:
                answer = _work_on(function, data)
            pipe.send_bytes(answer)
    except (EOFError, OSError):
        return  # all is done, or the parent is gone


def _load_function(data: bytes) -> tuple[Callable[[Any], Any] | None, bytes]:
    try:
        return pickle.loads(data), pickle.dumps(None)
    except Exception as error:
        return None, _pickled_failure(0, error)


def _work_on(function: Callable[[Any], Any], data: bytes) -> bytes:
    place = 0
    try:
        results = []
        for place, item in enumerate(pickle.loads(data)):  # noqa: B007
            results.append(function(item))
        return _pickled(results, "a result")
    except Exception as error:
        return _pickled_failure(place, error)


def _pickled_failure(place: int, error: Exception) -> bytes:
    text = "".join(traceback.format_exception(error))
    try:
        data = pickle.dumps(_Failure(place, error, text))
        pickle.loads(data)  # some errors go in but do not come out
    except Exception:
        return pickle.dumps(_Failure(place, None, text))
    return data
