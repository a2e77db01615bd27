"""What the text of a result says: who won."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

__all__ = ["Side", "score_of_first"]

Side = Literal["white", "black"]

_SCORES = {
    **dict.fromkeys(("1-0", "1:0", "1 - 0", "1", "1.0", "1-0f", "win", "won", "first"), 1.0),
    **dict.fromkeys(("0-1", "0:1", "0 - 1", "0", "0.0", "-1", "loss", "lost", "lose", "l"), 0.0),
    "second": 0.0,
    **dict.fromkeys(
        (
            "1/2-1/2", "½-½", "0.5-0.5", ".5-.5", "=-=", "1/2", "½", "0.5", ".5", "=",
            "1/2 - 1/2", "1/2:1/2", "½:½", "0.5:0.5", "d", "draw", "drawn", "tie", "tied",
            "remis", "jigo", "result_equal", "result_equal_bydef",
        ),
        0.5,
    ),
}  # fmt: skip
_WINNER = re.compile(
    r"(?:result_)?(w|b|white|black)(?:\+.*|[ _]?(?:wins?|won)(?:_bydef)?)?", re.DOTALL
)


def score_of_first(text: str, first: Side, among: Collection[str] = ()) -> float | None:
    """Points of the side that moves first, or None if the text is no result.

    Parameters
    ----------
    text : str
        The result.
    first : {"white", "black"}
        The side that moves first; ``1-0``, ``1`` and the like are its points.
    among : collection of str
        All results of the table in lower case: if one of them is ``l`` or
        ``loss``, then ``w`` means a win, not White.

    Examples
    --------
    >>> score_of_first("1/2-1/2", "white"), score_of_first("B+3.5", "black")
    (0.5, 1.0)
    >>> score_of_first("B+Resign", "white"), score_of_first("*", "white")
    (0.0, None)
    """
    key = text.strip().lower().replace(",", ".").replace("\N{EN DASH}", "-")
    if key == "w" and not {"l", "loss", "lost"}.isdisjoint(among):
        return 1.0
    if (score := _SCORES.get(key)) is not None:
        return score
    if (match := _WINNER.fullmatch(key)) is not None:
        return float(match[1][0] == first[0])
    try:
        number = float(key)
    except ValueError:
        return None
    return number if number in (0.0, 0.5, 1.0) else None
