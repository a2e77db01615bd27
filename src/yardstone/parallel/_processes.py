"""Worker processes behind `yardstone.parallel.map`.

Each worker has a pipe of its own and at most one chunk of items, so that it is
always known who works on what: when a worker dies its end of the pipe closes,
and the chunk it had can be named. (The executors of the standard library know
only that some worker died.)
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from yardstone.errors import UsageError, WorkerError
from yardstone.kernels.settings import Setting

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

    from yardstone.parallel._work import Tally, Todo

__all__ = ["inside", "run"]

#: Seconds a worker is given to end by itself before it is killed.
PATIENCE = 1.0


class _Worker(NamedTuple):
    process: SpawnProcess
    pipe: Connection


class _Failure(NamedTuple):
    """What a worker sends when the function raised."""

    place: int  # in the chunk
    error: Exception | None  # None if it cannot be sent
    text: str  # the traceback, as text


def inside() -> bool:
    """Whether this process is a worker, which may not have workers of its own."""
    return multiprocessing.current_process().daemon


def run(function: Callable[[Any], Any], todo: Todo, tally: Tally, number: int) -> None:
    """Do all that is to be done with so many processes."""
    jobs = [_pickled((function, Setting.here(talks=n == 0)), "the function") for n in range(number)]
    workers: list[_Worker] = []
    try:
        with _interrupts_held():
            workers.extend(_start_worker() for _ in range(number))
        _hand_out(workers, jobs, todo, tally)
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


def _hand_out(workers: list[_Worker], jobs: list[bytes], todo: Todo, tally: Tally) -> None:
    waiting = deque(todo.chunks)
    by_pipe = {worker.pipe: worker for worker in workers}
    busy: dict[Connection, range | None] = dict.fromkeys(by_pipe)  # None: starting
    for worker, job in zip(workers, jobs, strict=True):
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


def _send(worker: _Worker, data: bytes, numbers: range | None, todo: Todo) -> None:
    try:
        worker.pipe.send_bytes(data)
    except OSError:
        raise _died(worker, numbers, todo) from None


def _receive(worker: _Worker, numbers: range | None, todo: Todo) -> Any:
    try:
        data = worker.pipe.recv_bytes()
    except (EOFError, OSError):
        raise _died(worker, numbers, todo) from None
    return pickle.loads(data)


def _died(worker: _Worker, numbers: range | None, todo: Todo) -> WorkerError:
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


def _failed(failure: _Failure, numbers: range | None, todo: Todo) -> Exception:
    where = (
        "while starting"
        if numbers is None
        else (f"while working on {todo.name([numbers[failure.place]])}")
    )
    if failure.error is None:
        return WorkerError(f"a worker failed {where}\n{failure.text}")
    failure.error.add_note(f"{where}, in a worker:\n{failure.text}")
    return failure.error


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
        function, setting = pickle.loads(data)
        setting.take()
        return function, pickle.dumps(None)
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
