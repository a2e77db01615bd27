"""How the games of a match ended: losses on time, illegal moves, adjudications."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

__all__ = ["TIME", "Ending", "endings"]

#: What a loss on time is called, however the file calls it.
TIME = "time forfeit"
#: What files call it: cutechess-cli, fastchess and lichess the first, others in sentences.
_ON_TIME = re.compile(
    r"\btime[ _-]?forfeit|\bon time\b|\btime[ _-]?out\b|\bflag fall", re.IGNORECASE
)
_USUAL = ("", "normal", "?", "-")


@dataclass(frozen=True, slots=True)
class Ending:
    """Games that ended in one way, other than by the rules of the game.

    Attributes
    ----------
    name : str
        As the file calls it, in small letters; ``time forfeit`` for losses on time.
    lost : (int, int)
        Games that the first and the second player lost so.
    drawn : int
        Games that ended so and were drawn.
    """

    name: str
    lost: tuple[int, int]
    drawn: int

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.lost) + self.drawn


def endings(pool: Pool, first: str, second: str) -> tuple[Ending, ...] | None:
    """How the games of two players ended, by the column ``termination``.

    Parameters
    ----------
    pool : Pool
    first, second : str
        The players.

    Returns
    -------
    tuple of Ending or None
        Losses on time first, then the commonest; without games that ended as usual. None
        where the pool says nothing of it.
    """
    column = next((c for name, c in pool.columns.items() if name.casefold() == "termination"), None)
    if column is None:
        return None
    a, b = pool.players.index(first), pool.players.index(second)
    met = ((pool.first == a) & (pool.second == b)) | ((pool.first == b) & (pool.second == a))
    score = np.where(pool.first[met] == a, pool.score[met], 1.0 - pool.score[met])
    names = [_name(str(text)) for text in column[met].tolist()]
    return tuple(
        sorted(
            (_ending(name, names, score) for name in dict.fromkeys(names) if name),
            key=lambda ending: (ending.name != TIME, -ending.games, ending.name),
        )
    )


def _name(text: str) -> str:
    plain = text.strip().casefold()
    return "" if plain in _USUAL else TIME if _ON_TIME.search(plain) else plain


def _ending(name: str, names: Sequence[str], score: NDArray[Any]) -> Ending:
    points = score[[each == name for each in names]]
    counts = [int((points == value).sum()) for value in (0.0, 1.0, 0.5)]
    return Ending(name, (counts[0], counts[1]), counts[2])
