"""The probability between two players, and the opponent for a probability, by a model."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from yardstone.choices import check_number
from yardstone.errors import UsageError
from yardstone.scales import SCALES, convert
from yardstone.winprob.grades import format_grade, parse_grade, parse_grades
from yardstone.winprob.models import WinningModel, winning_model

if TYPE_CHECKING:
    import os

    Model = WinningModel | str | os.PathLike[str]

__all__ = ["PairProbability", "opponent_for", "probability_between"]

#: Grades of players: 30 kyu to 9 dan.
_LOWEST, _HIGHEST = SCALES["grade"].lowest, SCALES["grade"].highest


@dataclass(frozen=True, slots=True)
class PairProbability:
    """How often one player beats another.

    Attributes
    ----------
    first, second : str
        Grades, or ratings on a scale.
    probability : float
        That the first wins.
    low, high : float, optional
        Its interval at `level` in one event; None where nothing is known of the errors of the
        model.
    average : pair of float, optional
        The narrower interval of the average over events, where the model has events.
    level : float
    first_grade, second_grade : float
        In zero-shodan units; points with a model of points.
    handicap : float
        Stones of Black.
    komi : float, optional
        Points that Black gives; None is the usual komi.
    first_is_black : bool
        Whether the first player is Black: always in even games.
    model : WinningModel
    extrapolated : bool
        Whether the players lie outside what the model was made for.
    """

    first: str
    second: str
    probability: float
    low: float | None
    high: float | None
    average: tuple[float, float] | None
    level: float
    first_grade: float
    second_grade: float
    handicap: float
    komi: float | None
    first_is_black: bool
    model: WinningModel
    extrapolated: bool


def probability_between(
    first: str,
    second: str,
    *,
    model: Model = "fitted",
    scale: str = "grade",
    handicap: float = 0.0,
    komi: float | None = None,
    level: float = 0.95,
) -> PairProbability:
    """Probability that `first` beats `second`: grades, or ratings on a scale.

    Parameters
    ----------
    first, second : str
        Players.
    model : WinningModel, str or path
        A model, its name or its file: see `yardstone.winprob.models`.
    scale : str
        What numbers are: one of `yardstone.scales.SCALES`. With a model of points they are
        its points.
    handicap : float
        Stones of the weaker player; between equals of the first.
    komi : float, optional
        Points that Black gives; what is usual by default.
    level : float
        Of the interval, 0 to 1.

    Raises
    ------
    InputError
        A word is no grade.
    UsageError
        There is no such scale or model, a rating needs a scale, or a grade lies beyond 30 kyu
        or 9 dan.

    Examples
    --------
    >>> pair = probability_between("2d", "4d")
    >>> pair.low < pair.probability < pair.high
    True
    """
    by = model if isinstance(model, WinningModel) else winning_model(model)
    one, two = _strength(first, scale, by), _strength(second, scale, by)
    black = handicap == 0 or one <= two
    return _pair((first, second), (one, two), by, (handicap, komi, level), first_is_black=black)


def opponent_for(
    first: str,
    probability: float,
    *,
    model: Model = "fitted",
    scale: str = "grade",
    handicap: float = 0.0,
    komi: float | None = None,
    level: float = 0.95,
) -> PairProbability:
    """Whom `first` beats with this probability; all else as in `probability_between`.

    `first` is Black, and has the stones if there are any. The opponent may lie beyond 30 kyu or
    9 dan; that is an extrapolation.

    Raises
    ------
    UsageError
        The probability does not lie between 0 and 1, or nobody is beaten so often.
    """
    from scipy.optimize import brentq

    check_number("the probability", probability, above=0.0, below=1.0)
    by = model if isinstance(model, WinningModel) else winning_model(model)
    one = _strength(first, scale, by)

    def excess(two: float) -> float:
        return float(by.probability(one, two, handicap=handicap, komi=komi)) - probability

    step = 100.0 if by.scale == "points" else 1.0
    low, high = one - step, one + step
    for _ in range(7):
        if excess(low) >= 0.0 >= excess(high):
            break
        low, high = one + 2.0 * (low - one), one + 2.0 * (high - one)
    else:
        raise UsageError(f"nobody is beaten by {first} with probability {probability:g}")
    two = float(brentq(excess, low, high, xtol=1e-9))
    name = format_grade(round(two, 2))
    if by.scale == "points":
        name = f"{two:.0f}"
    elif scale != "grade":
        name = f"{float(convert(two, 'grade', scale, extrapolate=True)):.0f}"
    return _pair((first, name), (one, two), by, (handicap, komi, level), first_is_black=True)


def _pair(
    names: tuple[str, str],
    strengths: tuple[float, float],
    by: WinningModel,
    conditions: tuple[float, float | None, float],
    *,
    first_is_black: bool,
) -> PairProbability:
    handicap, komi, level = conditions
    black, white = strengths if first_is_black else strengths[::-1]
    probability = float(by.probability(black, white, handicap=handicap, komi=komi))

    def interval(*, average: bool) -> tuple[float, float] | None:
        ends = by.interval(black, white, handicap=handicap, komi=komi, level=level, average=average)
        if ends is None:
            return None
        low, high = float(ends[0]), float(ends[1])
        return (low, high) if first_is_black else (1.0 - high, 1.0 - low)

    if not first_is_black:
        probability = 1.0 - probability
    low, high = interval(average=False) or (None, None)
    return PairProbability(
        *names,
        probability,
        low,
        high,
        interval(average=True) if by.of_events else None,
        level,
        *strengths,
        handicap,
        komi,
        first_is_black,
        by,
        bool(by.extrapolates(*strengths)),
    )


def _strength(word: str, scale: str, model: WinningModel) -> float:
    """The grade of a word, or the points where the model is one of points."""
    try:
        value = float(word)
    except ValueError:
        if model.scale == "points":
            raise UsageError(
                f"{word!r} is not a rating: the model {model.name} goes by points"
            ) from None
        if scale != "grade" and isnan(parse_grades([word])[0]):
            raise UsageError(f"{word!r} is neither a rating nor a grade") from None
        grade = parse_grade(word)
        if not _LOWEST <= grade <= _HIGHEST:
            raise UsageError(
                f"{word}: grades lie from {format_grade(_LOWEST)} to {format_grade(_HIGHEST)}"
            ) from None
        return grade
    if model.scale == "points":
        return value
    if scale == "grade":
        raise UsageError(
            f"{word} is a rating, and grades were expected such as 4k or 2d: say on which scale "
            "ratings are with --scale egf, ogs or goldis"
        )
    return float(convert(value, scale, "grade"))
