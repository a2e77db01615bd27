"""What is to be done, what is done, and the doing of one chunk of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

__all__ = ["Progress", "Tally", "Todo", "run_chunk"]

#: Called with the number of items done and the number of all items.
Progress: TypeAlias = Callable[[int, int], None]


class Todo:
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


class Tally:
    """The results so far, and who is told of them."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.results: list[Any] = [None] * total
        self.done = 0
        self.progress = progress

    def put(self, numbers: Sequence[int], results: Sequence[Any]) -> None:
        """Take the results of a chunk."""
        self.results[numbers[0] : numbers[-1] + 1] = results
        self.done += len(numbers)
        if self.progress is not None:
            self.progress(self.done, len(self.results))


def run_chunk(function: Callable[[Any], Any], todo: Todo, numbers: Sequence[int]) -> list[Any]:
    """Results of some items; an exception gets a note that names the item."""
    results = []
    for number in numbers:
        try:
            results.append(function(todo.items[number]))
        except Exception as error:
            error.add_note(f"while working on {todo.name([number])}")
            raise
    return results
