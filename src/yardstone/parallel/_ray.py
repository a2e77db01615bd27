"""Tasks of Ray behind `yardstone.parallel.map`.

Ray decides what runs where, and does the work of a machine that is lost again on
another. A task is one chunk of items. Processes of Ray serve one task after the
other, and keep what a function keeps in its process: a network is loaded once in each.
Only so many tasks are handed to Ray as keep it busy, so millions of items need no
memory here.
"""

from __future__ import annotations

import pickle
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from yardstone.errors import WorkerError
from yardstone.kernels.settings import Setting
from yardstone.parallel import _place
from yardstone.parallel._carried import CarriedFile, carried, check_shared, kept_copy, marked
from yardstone.parallel._cluster import connected
from yardstone.parallel._parcels import Failure, failed, failure_parcel, packed, work_on
from yardstone.parallel._versions import check_versions, versions

if TYPE_CHECKING:
    from yardstone.parallel._work import Chunk, Tally, Todo

__all__ = ["Needs", "run"]

#: Tasks in Ray's hands for each that can run, so that none waits for this process.
AHEAD = 3
#: Seconds between two looks at how many cores there are.
LOOK = 2.0
#: How often a task is done again because its process or machine was lost.
RETRIES = 5
#: A task asks for so little of what its machine must have that any number can run there.
_TRACE = 0.0001


class Needs(NamedTuple):
    """What an item needs where it is worked on."""

    cores: float = 1.0
    resource: str | None = None
    files: Sequence[Path] = ()
    shared: Sequence[Path] = ()


class _Order(NamedTuple):
    """What is the same for all chunks; sent once to each process."""

    mark: str
    versions: dict[str, str]
    files: tuple[CarriedFile, ...]
    shared: tuple[Path, ...]
    places: tuple[str, ...]  # where modules are looked for, as processes of one machine do
    function: bytes  # with the setting; read only where the versions agree


def run(
    engine: str,
    function: Callable[[Any], Any],
    todo: Todo,
    tally: Tally,
    workers: int | None,
    needs: Needs,
) -> None:
    """Do all that is to be done with the Ray of this name, so many tasks at a time."""
    ray = connected(engine)
    job = packed((function, Setting.here(talks=False)), "the function", ray.cloudpickle.dumps)
    mark = f"yardstone-{uuid.uuid4().hex}"
    with marked(needs.shared, mark):
        files = carried(ray, needs.files)
        order = ray.put(_Order(mark, versions(), files, tuple(needs.shared), tuple(sys.path), job))
        task = ray.remote(_do).options(
            num_cpus=needs.cores, max_retries=RETRIES, resources=_resources(ray, needs.resource)
        )
        submit = partial(task.remote, [order], mark)
        _hand_out(ray, submit, todo, tally, _Room(ray, workers, needs.cores))


def _resources(ray: Any, name: str | None) -> dict[str, float]:
    """Ask for what some machines say they have; where none says so, all are taken to have it."""
    return {name: _TRACE} if name is not None and name in ray.cluster_resources() else {}


def _hand_out(
    ray: Any,
    submit: Callable[[bytes], Any],
    todo: Todo,
    tally: Tally,
    room: _Room,
) -> None:
    """Hand chunks out until all are done.

    After an error what is under way is left to end by itself, or with the connection: Ray (2.60)
    aborts a process that cancels a task at the moment at which it ends.
    """
    pending: dict[Any, Chunk] = {}
    while True:
        most = room.now()
        while len(pending) < most and (chunk := todo.take()) is not None:
            pending[submit(packed(chunk.items, chunk.name(), ray.cloudpickle.dumps))] = chunk
        if not pending:
            return
        refs = list(pending)
        ray.wait(refs, num_returns=1)
        for ref in ray.wait(refs, num_returns=len(refs), timeout=0)[0]:
            chunk = pending.pop(ref)
            tally.put(chunk, _received(ray, ref, chunk))


class _Room:
    """How many tasks to have in Ray's hands; machines may come and go."""

    def __init__(self, ray: Any, workers: int | None, cores: float) -> None:
        self._ray = ray
        self._workers = workers
        self._cores = cores
        self._room = 0
        self._until = 0.0

    def now(self) -> int:
        """The number, looked up every few seconds; beyond what can run, tasks are kept ready."""
        if time.monotonic() > self._until:
            cores = self._ray.cluster_resources().get("CPU", 1.0)
            slots = max(1, round(cores / self._cores))
            workers = slots if self._workers is None else self._workers
            self._room = workers if workers < slots else AHEAD * slots
            self._until = time.monotonic() + LOOK
        return self._room


def _received(ray: Any, ref: Any, chunk: Chunk) -> list[Any]:
    """The results of a chunk, or the error that its function raised."""
    try:
        answer = pickle.loads(ray.get(ref))
    except ray.exceptions.WorkerCrashedError:
        raise WorkerError(
            f"workers died {RETRIES + 1} times while working on {chunk.name()}"
        ) from None
    except ray.exceptions.RayError as error:
        raise WorkerError(
            f"Ray gave up working on {chunk.name()}: {str(error).strip()} "
            "(is Yardstone installed on all machines of the cluster?)"
        ) from None
    if isinstance(answer, Failure):
        raise failed(answer, chunk)
    results: list[Any] = answer
    return results


def _do(order: list[Any], mark: str, parcel: bytes) -> bytes:
    """What a process of Ray does: take the function, unless it has it, and do a chunk."""
    import ray

    try:
        function, setting, copies = _taken(mark, order[0])
        _place.enter(copies)
        setting.take()
    except Exception as error:
        return failure_parcel(None, error)
    return work_on(function, parcel, ray.cloudpickle.dumps)


#: The order that this process works on: its mark, and what was taken from it.
_current: tuple[str, Any] = ("", None)


def _taken(mark: str, ref: Any) -> tuple[Callable[[Any], Any], Setting, dict[str, Path]]:
    """The function of an order with its setting and its files; taken once."""
    global _current
    if _current[0] != mark:
        import ray

        order: _Order = ray.get(ref)
        check_versions(order.versions)
        check_shared(order.shared, order.mark)
        sys.path += [place for place in order.places if place not in sys.path]
        copies = {file.path: kept_copy(ray, file) for file in order.files}
        _current = (mark, (*pickle.loads(order.function), copies))
    function, setting, copies = _current[1]
    return function, setting, copies
