"""`GameIndex`: the moves of many games in one file, for searches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.go.patterns.index_file import map_arrays
from yardstone.go.points import MAX_SIZE, MIN_SIZE, PASS
from yardstone.records.go_game import GoGame

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FORMAT", "TABLE", "TEXTS", "GameIndex", "SizeGroup", "combined_text"]

#: Raised when what a file holds changes its meaning.
FORMAT = 1
#: Columns of the table of games, with their types.
TABLE = {
    "line": "int32",
    "number": "int32",
    "date": "int64",
    "komi": "float32",
    "handicap": "int16",
    "to_play": "int8",
    "winner": "int8",
}
#: What is kept as text of each game, in this order.
TEXTS = ("file", "black", "white", "black_rank", "white_rank", "rules", "result")
_BETWEEN = "\0"
_BEGINS, _CODE = 1 << 15, (1 << 15) - 1


@dataclass(frozen=True, slots=True, eq=False)
class SizeGroup:
    """The games on boards of one size, which follow each other in the table.

    Attributes
    ----------
    size : int
        Lines.
    first : int
        The number of its first game in the index.
    events : uint16 [n]
        What changes: the stones set up, then for each move a stone (with the bit 15)
        and captures. A number is colour * size² + point, or 3 * size² for a pass of
        Black, one more for one of White.
    starts : int64 [games + 1]
        Where the events of each game begin.
    bits : uint64 [words, 2 * size²]
        Of 64 games each, whether such a stone ever stood there: Black's, then White's.
    longest : int
        The most events of one game.
    """

    size: int
    first: int
    events: NDArray[np.uint16]
    starts: NDArray[np.int64]
    bits: NDArray[np.uint64]
    longest: int

    def __len__(self) -> int:
        """Number of games."""
        return len(self.starts) - 1


class GameIndex:
    """The moves of many games, ready to be searched.

    The file is mapped into memory: opening it costs nothing however large it is, and
    processes share it. `build_index` makes it.

    Parameters
    ----------
    path : path

    Attributes
    ----------
    path : Path
    facts : dict
        What the file says of itself: games, moves, duplicates left out, sources.

    Raises
    ------
    InputError
        It cannot be read, is no such file, or is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.facts, self._arrays = map_arrays(self.path)
        try:
            if self.facts["format"] != FORMAT:
                raise InputError(
                    "this index was made by another version of Yardstone",
                    file=str(self.path),
                    hint="make it again",
                )
            self._groups = {group.size: group for group in self._checked()}
        except InputError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                "this index of games is damaged", file=str(self.path), hint="make it again"
            ) from error

    def _checked(self) -> Iterable[SizeGroup]:
        """The groups of games, if all arrays fit together."""
        first = 0
        counts = (self.facts["moves"], self.facts["duplicates"])
        if not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError("not a number of moves")
        known: set[int] = set()
        for size, games in self.facts["sizes"]:
            if not MIN_SIZE <= size <= MAX_SIZE or games < 1 or size in known:
                raise ValueError("not a size")
            known.add(size)
            events, starts, bits = (
                self._arrays[f"{size}/{name}"] for name in ("events", "starts", "bits")
            )
            kinds = (events.dtype, starts.dtype, bits.dtype)
            if kinds != (np.dtype("uint16"), np.dtype("int64"), np.dtype("uint64")):
                raise ValueError("not the types")
            lengths = np.diff(starts)
            fits = len(starts) == games + 1 and starts[0] == 0 and starts[-1] == len(events)
            if not fits or (lengths < 0).any():
                raise ValueError("not the starts of games")
            if bits.shape != (-(-games // 64), 2 * size**2):
                raise ValueError("not the bits of games")
            yield SizeGroup(size, first, events, starts, bits, int(lengths.max()))
            first += games
        for name, kind in TABLE.items():
            column = self._arrays[name]
            if column.shape != (first,) or column.dtype != kind:
                raise ValueError("not the table of games")
        starts = self._arrays["text_starts"]
        fits = starts.shape == (first + 1,) and starts.dtype == np.dtype("int64")
        if not fits or starts[0] != 0 or starts[-1] != len(self._arrays["text"]):
            raise ValueError("not the names of games")
        if (np.diff(starts) < 0).any() or self._arrays["text"].dtype != np.dtype("uint8"):
            raise ValueError("not the names of games")
        self._games = first

    def __len__(self) -> int:
        """Number of games."""
        return self._games

    def __repr__(self) -> str:
        return f"<GameIndex {str(self.path)!r}: {len(self)} games>"

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of board that occur."""
        return tuple(self._groups)

    @property
    def positions(self) -> int:
        """Number of positions of all games, those before the first move included."""
        return int(self.facts["moves"]) + len(self)

    def group(self, size: int) -> SizeGroup | None:
        """The games on boards of this size, if there are any."""
        return self._groups.get(size)

    def place(self, number: int) -> tuple[str, int, int]:
        """File, line and number within the file of a game."""
        texts = self._texts(number)
        return texts[0], int(self._arrays["line"][number]), int(self._arrays["number"][number])

    def game(self, number: int) -> GoGame:
        """A game, with its moves, names and date.

        Raises
        ------
        UsageError
            There is no such game.
        InputError
            The index is damaged.
        """
        if not 0 <= number < len(self):
            raise UsageError(f"there is no game {number}, only 0 to {len(self) - 1}")
        group = next(g for g in self._groups.values() if g.first <= number < g.first + len(g))
        row = number - group.first
        events = np.asarray(group.events[group.starts[row] : group.starts[row + 1]])
        setup, moves, colours = _split(events, group.size**2)
        facts: dict[str, Any] = dict(zip(TEXTS, self._texts(number), strict=True))
        for name in TABLE:
            facts[name] = self._arrays[name][number].item()
        komi = facts.pop("komi")
        date = np.datetime64(facts.pop("date"), "s")
        if moves is None or facts["to_play"] not in (1, 2):
            raise InputError(
                "this index of games is damaged", file=str(self.path), hint="make it again"
            )
        return GoGame(
            **facts,
            komi=None if np.isnan(komi) else komi,
            date=date,
            size=group.size,
            setup_black=setup[0],
            setup_white=setup[1],
            moves=moves,
            colours=colours,
        )

    def _texts(self, number: int) -> list[str]:
        first, last = self._arrays["text_starts"][number : number + 2]
        text = self._arrays["text"][first:last].tobytes().decode("utf-8", "replace")
        parts = text.split(_BETWEEN, len(TEXTS) - 1)
        return parts + [""] * (len(TEXTS) - len(parts))


def combined_text(game: GoGame) -> bytes:
    """The texts of a game as they are kept."""
    texts = (str(getattr(game, name)).replace(_BETWEEN, "") for name in TEXTS)
    return _BETWEEN.join(texts).encode("utf-8", "replace")


def _split(
    events: NDArray[np.uint16], area: int
) -> tuple[list[NDArray[np.int16]], NDArray[np.int16] | None, NDArray[np.int8]]:
    """Stones set up of both colours, points and colours of the moves; None if damaged."""
    begins = (events & _BEGINS) > 0
    codes = (events & _CODE).astype(np.int32)
    setup_end = int(np.argmax(begins)) if begins.any() else len(events)
    stones = codes[:setup_end]
    setup = [
        (stones[stones // area == colour] - colour * area).astype(np.int16) for colour in (1, 2)
    ]
    played = codes[begins]
    passes = played >= 3 * area
    colours = np.where(passes, played - 3 * area + 1, played // area).astype(np.int8)
    moves = np.where(passes, PASS, played % area).astype(np.int16)
    if not np.isin(colours, (1, 2)).all():
        return setup, None, colours
    return setup, moves, colours
