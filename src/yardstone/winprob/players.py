"""The probability between two players, and the opponent for a probability, by Kaniuk's model."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from yardstone.errors import UsageError
from yardstone.scales import convert
from yardstone.winprob.grades import format_grade, parse_grade, parse_grades
from yardstone.winprob.kaniuk import PUBLISHED, Kaniuk

__all__ = ["PairProbability", "opponent_for", "probability_between"]


@dataclass(frozen=True, slots=True)
class PairProbability:
    """How often one player beats another in an even game.

    Attributes
    ----------
    first, second : str
        Grades, or ratings on a scale.
    probability : float
    first_grade, second_grade : float
        In zero-shodan units.
    log_probability, strength_gap : float, optional
        Natural logarithm of the probability, and Lambda; None where the opponent was looked
        for.
    """

    first: str
    second: str
    probability: float
    first_grade: float
    second_grade: float
    log_probability: float | None = None
    strength_gap: float | None = None


def probability_between(
    first: str, second: str, *, model: Kaniuk = PUBLISHED, scale: str = "grade"
) -> PairProbability:
    """Probability that `first` beats `second`: grades, or ratings on a scale.

    Raises
    ------
    InputError
        A word is no grade.
    UsageError
        There is no such scale, or a rating needs one.
    """
    one, two = _grade(first, scale), _grade(second, scale)
    return PairProbability(
        first,
        second,
        float(model.probability(one, two)),
        one,
        two,
        float(model.log_probability(one, two)),
        float(model.strength_gap(one, two)),
    )


def opponent_for(
    first: str, probability: float, *, model: Kaniuk = PUBLISHED, scale: str = "grade"
) -> PairProbability:
    """Whom `first` beats with this probability; errors as in `probability_between`."""
    one = _grade(first, scale)
    two = float(model.opponent(one, probability))
    name = format_grade(round(two, 2))
    if scale != "grade":
        name = f"{float(convert(two, 'grade', scale, extrapolate=True)):.0f}"
    return PairProbability(first, name, probability, one, two)


def _grade(word: str, scale: str) -> float:
    """The grade of a word: a grade is one on any scale."""
    try:
        value = float(word)
    except ValueError:
        if scale != "grade" and isnan(parse_grades([word])[0]):
            raise UsageError(f"{word!r} is neither a rating nor a grade") from None
        return parse_grade(word)
    if scale == "grade":
        raise UsageError(
            f"{word} is a rating, and grades were expected such as 4k or 2d: say on which scale "
            "ratings are with --scale egf, ogs or goldis"
        )
    return float(convert(value, scale, "grade"))
