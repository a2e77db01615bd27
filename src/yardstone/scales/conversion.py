"""One rating, as people write it, on other scales.

A grade such as ``4k`` or ``2 dan`` is a grade on every scale. A number has a meaning only
on a scale that is named. A professional rank such as ``3p`` has a rating where a
federation gives it one: the EGF and Goldis do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite
from types import MappingProxyType

from yardstone.choices import no_such
from yardstone.errors import InputError, UsageError
from yardstone.scales.relations import SCALES, convert, egf_of_pro
from yardstone.winprob.goldis import rank_rating
from yardstone.winprob.grades import (
    format_grade,
    nearest_grade,
    parse_grade,
    parse_professional,
    split_grade,
)

__all__ = ["ConvertedRating", "convert_rating"]

#: Ratings of professional ranks.
_PROFESSIONAL: Mapping[str, Callable[[int], float]] = MappingProxyType(
    {"egf": lambda dan: float(egf_of_pro(dan)), "goldis": lambda dan: rank_rating(f"{dan}p")}
)


@dataclass(frozen=True, slots=True)
class ConvertedRating:
    """A rating on other scales.

    Attributes
    ----------
    text : str
        As it was given.
    source : str
        Its scale; ``"grade"`` where it is a grade, ``"pro"`` where it is a professional rank.
    rank : str
        The grade in whose stretch it lies, or the professional rank.
    strength : float or None
        Its place on the number line of grades (1 dan = 0); None for professional ranks.
    values : mapping of str to float or None
        By scale; None where the scale does not reach so far.
    stretches : mapping of str to (float, float) or None
        By scale: where the stretch of `rank` begins and ends; None for professional ranks.
    """

    text: str
    source: str
    rank: str
    strength: float | None
    values: Mapping[str, float | None]
    stretches: Mapping[str, tuple[float, float] | None]


def convert_rating(
    text: str, *, source: str | None = None, targets: Sequence[str] = ()
) -> ConvertedRating:
    """Convert a grade, a professional rank or a rating to other scales.

    Parameters
    ----------
    text : str
        ``2d``, ``12 kyu``, ``3p``, or a number on the scale `source`.
    source : str, optional
        The scale of a number, from `yardstone.scales.SCALES`.
    targets : sequence of str
        Scales to convert to; none means all, of which those that do not reach so far are
        left empty.

    Raises
    ------
    InputError
        It is neither a grade nor a number.
    UsageError
        A number without a scale; no scale of such a name; a value outside the range of a
        scale that was asked for.

    Examples
    --------
    >>> convert_rating("2d", targets=["egf"]).values["egf"]
    2200.0
    >>> converted = convert_rating("1850", source="ogs", targets=["egf"])
    >>> converted.rank, round(converted.values["egf"])
    ('1k', 1966)
    """
    for name in (*([] if source is None else [source]), *targets):
        if name not in SCALES:
            raise UsageError(no_such("scale", name, SCALES))
    dan = parse_professional(text)
    if dan is not None:
        return _professional(text.strip(), dan, targets)
    scale, value = _place(text, source)
    strength = float(convert(value, scale, "grade", extrapolate=True))
    if not isfinite(strength):
        raise UsageError(f"{text} is not a rating on the scale {scale}")
    _check_range(text, scale, strength)
    values: dict[str, float | None] = {}
    stretches: dict[str, tuple[float, float] | None] = {}
    middle = floor(strength + 0.5)
    for name in targets or [each for each in SCALES if each != "grade"]:
        reaches = SCALES[name].lowest - 0.5 <= strength <= SCALES[name].highest + 0.5
        if not reaches and targets:
            _check_range(text, name, strength)
        values[name] = (
            float(convert(strength, "grade", name, extrapolate=True)) if reaches else None
        )
        low, high = convert([middle - 0.5, middle + 0.5], "grade", name, extrapolate=True).tolist()
        stretches[name] = (low, high) if reaches else None
    return ConvertedRating(
        text.strip(),
        scale,
        nearest_grade(strength),
        strength,
        MappingProxyType(values),
        MappingProxyType(stretches),
    )


def _place(text: str, source: str | None) -> tuple[str, float]:
    """The scale and the value of a grade or a number."""
    if split_grade(text) is not None:
        value = parse_grade(text)
        if source == "ogs" and value != floor(value):
            raise UsageError(
                f"{text}: decimals of OGS count from the end of a rank (its 5.2k is a 6k): give "
                "the rating, or a whole grade"
            )
        return "grade", value
    try:
        value = float(text)
    except ValueError:
        raise InputError(
            f"{text!r} is neither a grade nor a number", hint="write a grade like 4k or 2d"
        ) from None
    if source is None:
        raise UsageError(f"{text} is a number: say on which scale with --from (in Python source=)")
    return source, value


def _check_range(text: str, name: str, strength: float) -> None:
    """Refuse a strength that a scale does not reach."""
    scale = SCALES[name]
    if scale.lowest - 0.5 <= strength <= scale.highest + 0.5:
        return
    ends = f"{format_grade(scale.lowest)} to {format_grade(scale.highest)}"
    if name != "grade":
        low, high = convert([scale.lowest, scale.highest], "grade", name, extrapolate=True)
        ends += f" ({low:.0f} to {high:.0f})"
    raise UsageError(f"{text} is outside the scale {name}, which reaches from {ends}")


def _professional(text: str, dan: int, targets: Sequence[str]) -> ConvertedRating:
    for name in targets:
        if name not in _PROFESSIONAL:
            raise UsageError(
                f"{text}: professional ranks have ratings on {' and '.join(_PROFESSIONAL)}, "
                f"and none on {name}"
            )
    chosen = targets or [each for each in SCALES if each != "grade"]
    values = {name: _PROFESSIONAL[name](dan) if name in _PROFESSIONAL else None for name in chosen}
    nothing = dict.fromkeys(chosen)
    return ConvertedRating(
        text, "pro", f"{dan}p", None, MappingProxyType(values), MappingProxyType(nothing)
    )
