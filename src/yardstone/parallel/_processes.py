"""Worker processes behind `yardstone.parallel.map`.

Each worker has a pipe of its own and at most one chunk of items, so that it is always known who
works on what: when a worker dies its end of the pipe closes, and the chunk it had can be named.
(The executors of the standard library know only that some worker died.)
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from yardstone.errors import WorkerError
from yardstone.parallel._work import Chunk, Tally, Todo, checked, failure_parcel, packed, work_on
from yardstone.signals import block_signals, restore_signals

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

#: Seconds a worker is given to end by itself before it is killed.
PATIENCE = 1.0


class _Worker(NamedTuple):
    process: SpawnProcess
    pipe: Connection


def run(function: Callable[[Any], Any], todo: Todo, tally: Tally, number: int) -> None:
    """Do all that is to be done with so many processes."""
    job = packed(function, "the function")
    workers: list[_Worker] = []
    try:
        before = block_signals({signal.SIGINT})  # workers inherit that, and take it off again
        try:
            workers.extend(_start_worker() for _ in range(number))
        finally:
            restore_signals(before)
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


def _hand_out(workers: list[_Worker], job: bytes, todo: Todo, tally: Tally) -> None:
    by_pipe = {worker.pipe: worker for worker in workers}
    busy: dict[Connection, Chunk | None] = dict.fromkeys(by_pipe)  # None: starting
    for worker in workers:
        _send(worker, job, None)
    while busy:
        for ready in wait(list(busy)):
            pipe = cast("Connection", ready)
            chunk = busy.pop(pipe)
            answer = checked(_receive(by_pipe[pipe], chunk), chunk)
            if (following := todo.take()) is not None:
                busy[pipe] = following
                parcel = packed(following.items, following.name())
                _send(by_pipe[pipe], parcel, following)
            if chunk is not None:
                tally.put(chunk, answer)


def _send(worker: _Worker, data: bytes, chunk: Chunk | None) -> None:
    try:
        worker.pipe.send_bytes(data)
    except OSError:
        raise _died(worker, chunk) from None


def _receive(worker: _Worker, chunk: Chunk | None) -> Any:
    try:
        data = worker.pipe.recv_bytes()
    except (EOFError, OSError):
        raise _died(worker, chunk) from None
    return pickle.loads(data)


def _died(worker: _Worker, chunk: Chunk | None) -> WorkerError:
    worker.process.join(PATIENCE)
    status = worker.process.exitcode
    if status is not None and status < 0:
        how = f"was killed by {signal.Signals(-status).name}"
        if how.endswith("SIGKILL"):  # Windows has no such name
            how += " (out of memory?)"
    else:
        how = f"ended with exit status {status}"
    if chunk is None:
        guard = 'is the script\'s own work under `if __name__ == "__main__":`?'
        return WorkerError(f"a worker {how} while it started: {guard}")
    return WorkerError(f"a worker {how} while working on {chunk.name()}")


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
        function, answer = _load_function(pipe.recv_bytes())
        while True:
            pipe.send_bytes(answer)
            answer = work_on(function, pipe.recv_bytes())
    except (EOFError, OSError):
        return  # all is done, or the parent is gone


def _load_function(data: bytes) -> tuple[Any, bytes]:
    """The function, if it can be had, and what is answered."""
    try:
        return pickle.loads(data), pickle.dumps(None)
    except Exception as error:
        return None, failure_parcel(None, error)
