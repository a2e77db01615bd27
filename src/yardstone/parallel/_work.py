"""Chunks of work, their results and errors, and what a process knows of its place."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from yardstone.errors import UsageError, WorkerError


class StopEvent(threading.Event):
    """Tells threads of this process to stop; what goes to another process is never set there.

    Workers in other processes are stopped by whoever runs them.
    """

    def __reduce__(self) -> tuple[type[StopEvent], tuple[()]]:
        """What is sent: a new one."""
        return StopEvent, ()


class Chunk(NamedTuple):
    """Items that are handed out together."""

    first: int  # number of the first item, from 0
    items: list[Any]
    total: int  # items of the whole work

    def name(self, place: int | None = None) -> str:
        """How messages call one item of it, or all if no place is given; items count from 1."""
        if place is None and len(self.items) > 1:
            last = self.first + len(self.items)
            return f"one of the items {self.first + 1} to {last} of {self.total}"
        number = place or 0
        shown = repr(self.items[number])
        if len(shown) > 80:
            shown = shown[:77] + "..."
        return f"item {self.first + number + 1} of {self.total}: {shown}"


class Todo:
    """The items, taken chunk by chunk; with a total they are read no sooner than that."""

    def __init__(self, items: Iterable[Any], chunk: int, total: int | None = None) -> None:
        if total is None:
            items = list(items)
            total = len(items)
        self.total = total
        self.chunks = -(-total // chunk)
        self._items = iter(items)
        self._size = chunk
        self._taken = 0

    def take(self) -> Chunk | None:
        """The next chunk; None if there is none."""
        items = list(islice(self._items, self._size))
        if not items:
            return None
        chunk = Chunk(self._taken, items, self.total)
        self._taken += len(items)
        return chunk


class Tally:
    """The results so far, and who is told of them."""

    def __init__(
        self,
        total: int,
        tell: Callable[[int], object] | None,
        receive: Callable[[Any, Any], Any] | None,
    ) -> None:
        self.results: list[Any] = [None] * total
        self._done = 0
        self._tell = tell
        self._receive = receive

    def put(self, chunk: Chunk, results: Sequence[Any]) -> None:
        """Take the results of a chunk."""
        if self._receive is not None:
            results = [
                self._receive(item, result)
                for item, result in zip(chunk.items, results, strict=True)
            ]
        self.results[chunk.first : chunk.first + len(results)] = results
        self._done += len(results)
        if self._tell is not None:
            self._tell(self._done)


def run_chunk(function: Callable[[Any], Any], chunk: Chunk) -> list[Any]:
    """Results of some items; an exception gets a note that names the item."""
    results = []
    for place, item in enumerate(chunk.items):
        try:
            results.append(function(item))
        except Exception as error:
            error.add_note(f"while working on {chunk.name(place)}")
            raise
    return results


#: Makes bytes of anything that can be sent.
_Dumps = Callable[[Any, int], bytes]


class Failure(NamedTuple):
    """What a worker sends when the function raised."""

    place: int | None  # in the chunk; None before its first item
    error: Exception | None  # None if it cannot be sent
    text: str  # the traceback, as text


def packed(thing: Any, name: str, dumps: _Dumps = pickle.dumps) -> bytes:
    """The thing as bytes; where it cannot be sent, an error that says so by this name."""
    try:
        return dumps(thing, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise UsageError(
            f"{name} cannot go to another process ({error}): "
            "use threads=True, workers=1, or what is defined at the top level of a module"
        ) from error


def work_on(function: Callable[[Any], Any], data: bytes, dumps: _Dumps = pickle.dumps) -> bytes:
    """Results of the items in a parcel, or what went wrong, as a parcel."""
    place = None
    try:
        results = []
        for place, item in enumerate(pickle.loads(data)):  # noqa: B007
            results.append(function(item))
        return packed(results, "a result", dumps)
    except Exception as error:
        return failure_parcel(place, error)


def failure_parcel(place: int | None, error: Exception) -> bytes:
    """What is sent when the function raised, or could not be taken."""
    text = "".join(traceback.format_exception(error))
    try:
        data = pickle.dumps(Failure(place, error, text))
        pickle.loads(data)  # some errors go in but do not come out
    except Exception:
        return pickle.dumps(Failure(place, None, text))
    return data


def checked(answer: Any, chunk: Chunk | None) -> Any:
    """What a worker has sent; its error is raised here."""
    if not isinstance(answer, Failure):
        return answer
    if chunk is None or answer.place is None:
        where = "while starting"
    else:
        where = f"while working on {chunk.name(answer.place)}"
    if answer.error is None:
        raise WorkerError(f"a worker failed {where}\n{answer.text}")
    answer.error.add_note(f"{where}, in a worker:\n{answer.text}")
    raise answer.error


_far = False
_copies: Mapping[str, Path] = {}


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def enter(copies: Mapping[str, Path]) -> None:
    """Be a worker of Ray from now on; `copies` are files of the machine that asked."""
    global _far, _copies
    _far, _copies = True, copies


def inside() -> bool:
    """Whether this process is a worker, which may not have workers of its own."""
    # Another thread may be in the middle of importing it: then this is no worker of it.
    module = sys.modules.get("multiprocessing.process")
    current = getattr(module, "current_process", None)
    return _far or (current is not None and bool(current().daemon))


def local_path(path: str | os.PathLike[str]) -> Path:
    """Where a file that was given as one of the `files` of `map` lies on this machine.

    Anywhere but in a worker on another machine that is the path itself.
    """
    return _copies.get(os.fspath(path), Path(path))
