"""What is to be done, what is done, and the doing of one chunk of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Chunk", "Progress", "StopEvent", "Tally", "Todo", "run_chunk"]

#: Called with the number of items done and the number of all items.
Progress: TypeAlias = Callable[[int, int], None]


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
        progress: Progress | None,
        receive: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self.results: list[Any] = [None] * total
        self._done = 0
        self._progress = progress
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
        if self._progress is not None:
            self._progress(self._done, len(self.results))


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
