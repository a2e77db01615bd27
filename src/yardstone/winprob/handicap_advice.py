"""The handicap for two players, by Goldis' rule, with what other rules give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from yardstone.errors import UsageError
from yardstone.scales import convert
from yardstone.winprob.goldis import (
    KOMI,
    STONE,
    GoldisHandicap,
    handicap,
    rank_rating,
    uniform_rank_rating,
)
from yardstone.winprob.grades import parse_grade
from yardstone.winprob.handicap_rules import EUROPEAN, FITTED, StoneRule

__all__ = ["HandicapAdvice", "PlayerScale", "advise_handicap"]

PlayerScale = Literal["goldis", "uniform", "egf", "ogs", "grade", "rank"]


@dataclass(frozen=True, slots=True)
class HandicapAdvice:
    """A handicap for two players.

    Attributes
    ----------
    handicap : GoldisHandicap
        By Goldis' rule.
    white, black : str
        The stronger and the weaker player, in the words they came in.
    ratings : (float, float)
        Goldis' log ratings of both, in their order.
    even_komi : float
        Komi of an even game between equals.
    """

    handicap: GoldisHandicap
    white: str
    black: str
    ratings: tuple[float, float]
    even_komi: float

    @property
    def difference(self) -> float:
        """Rating points between them, a hundred a grade."""
        return abs(self.ratings[0] - self.ratings[1])

    @property
    def others(self) -> tuple[StoneRule, ...]:
        """Other rules, by a grade for each hundred points."""
        return EUROPEAN, FITTED


def advise_handicap(
    players: Sequence[str],
    *,
    scale: PlayerScale | None = None,
    komi: float = KOMI,
    base: float = STONE,
    stones: int | None = None,
) -> HandicapAdvice:
    """The handicap for two players.

    Parameters
    ----------
    players : sequence of str
        Two log ratings, ranks of Goldis' table, grades, or ratings on a scale.
    scale : str, optional
        What they are; without it numbers are log ratings, and names ranks.
    komi, base, stones
        As for `yardstone.winprob.goldis.handicap`.

    Raises
    ------
    UsageError
        There are not two, or they do not fit the scale or each other.
    InputError
        A word is no rank or grade.
    """
    if len(players) != 2:
        raise UsageError("give two ratings or two ranks")
    if scale is None and len({_is_number(word) for word in players}) == 2:
        raise UsageError(
            f"{players[0]} and {players[1]}: one is a name and the other a number, so they are on "
            "different scales (give two grades, or two ratings with --scale)"
        )
    one, two = (_rating(word, scale) for word in players)
    strong = 0 if one >= two else 1
    return HandicapAdvice(
        handicap(one, two, komi=komi, base=base, stones=stones),
        players[strong],
        players[1 - strong],
        (one, two),
        komi,
    )


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _rating(word: str, scale: PlayerScale | None) -> float:
    """Goldis log rating of a word on a scale; names are known without naming the scale."""
    if not _is_number(word):
        if scale in (None, "rank"):
            return rank_rating(word)
        if scale == "uniform":
            return uniform_rank_rating(word)
        if scale in ("grade", "egf", "ogs"):
            return float(convert(parse_grade(word), "grade", "goldis"))
        raise UsageError(f"{word!r} is not a rating on the scale {scale}")
    if scale in (None, "goldis", "uniform"):
        return float(word)
    if scale in ("grade", "rank"):
        raise UsageError(f"{word!r} is not a name such as 4k or 2d")
    return float(convert(float(word), scale, "goldis"))
