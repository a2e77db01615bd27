"""An estimate of strength in words: ranks, ratings, and intervals that may lack an end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import floor
from typing import Any

from yardstone.reports.document import UNKNOWN
from yardstone.reports.words import per_cent, plural
from yardstone.strength.estimate.site_scales import SITE_SCALES

__all__ = [
    "BASIS_NAMES",
    "elsewhere_words",
    "ends_words",
    "headline",
    "interval_words",
    "level_words",
    "rank_and_rating",
    "rank_words",
    "rating_words",
    "scale_name",
    "switch_words",
]

Plain = Mapping[str, Any]

#: What people call the scales of a model.
BASIS_NAMES = {"fox": "Fox", "ogs": "OGS"}


def interval_words(low: float | None, high: float | None, written: Callable[[float], str]) -> str:
    """Two ends, or a bound.

    Parameters
    ----------
    low, high : float or None
        None where the interval has no end.
    written : callable
        How a number is written.

    Examples
    --------
    >>> [interval_words(*ends, str) for ends in ((1, 2), (None, 2), (1, None), (None, None))]
    ['1 to 2', 'below 2', 'above 1', 'none']
    """
    if low is None:
        return "none" if high is None else f"below {written(high)}"
    return f"above {written(low)}" if high is None else f"{written(low)} to {written(high)}"


def rank_words(low: str | None, high: str | None) -> str:
    """The ranks of the ends of an interval, of which at least one is there.

    Examples
    --------
    >>> [rank_words(*ends) for ends in (("1k", "2d"), (None, "5k"), ("9d", None), ("3d", "3d"))]
    ['1k to 2d', '5k or weaker', '9d or stronger', '3d']
    """
    if low is None:
        return f"{high} or weaker"
    if high is None:
        return f"{low} or stronger"
    return low if low == high else f"{low} to {high}"


def rating_words(scale: str, value: float | None) -> str:
    """A rating as it is written on a scale; a dash where there is none.

    Fox has one digit, and it is cut, not rounded: 8.97 is 8 dan, and no 9.0.
    """
    if value is None:
        return UNKNOWN
    return f"{floor(10.0 * value) / 10.0:.1f}" if scale == "fox" else f"{value:.0f}"


def scale_name(plain: Plain) -> str:
    """What people call the scale of an estimate."""
    scale = SITE_SCALES.get(plain["scale"])
    return str(plain["scale"]) if scale is None else scale.title


def rank_and_rating(scale: str, part: Plain) -> str:
    """A rank with its rating in parentheses, or the rating alone where there are no ranks."""
    rank, rating = part["rank"], rating_words(scale, part["rating"])
    return f"{rank} ({rating})" if rank else rating


def headline(plain: Plain) -> list[str]:
    """Who, how strong, how sure, from what, and on other scales."""
    strength = f"{rank_and_rating(plain['scale'], plain)} on the scale of {scale_name(plain)}"
    if contradicts := plain.get("contradictory", False):
        strength = "no rank, for the scales contradict each other"
    basis = f"from {plural(plain['moves'], 'move')} in {plural(plain['games'], 'game')}"
    lines = [
        f"{plain['player']}: {strength}{switch_words(plain)}",
        f"{level_words(plain)}; {basis}",
    ]
    others = [
        f"{part['title']} {elsewhere_words(name, part)}"
        for name, part in (plain.get("scales") or {}).items()
        if (contradicts or name != plain["scale"]) and not part.get("unlikely")
    ]
    if contradicts:
        return [lines[0], basis.capitalize(), f"By itself each would say: {', '.join(others)}"]
    return [*lines, f"On other scales: {', '.join(others)}"] if others else lines


def switch_words(plain: Plain) -> str:
    """Why the strength is told on the scale of OGS and not on that of Fox, where it is."""
    scales = plain.get("scales") or {}
    if plain.get("basis") != "ogs" or plain.get("contradictory") or "fox" not in scales:
        return ""
    if scales["fox"].get("unlikely"):
        return ", for nobody at Fox plays such moves"
    return ", being weaker than all whom the model knows at Fox"


def elsewhere_words(scale: str, part: Plain, *, rated: bool = False) -> str:
    """The strength on another scale: a rank, or only a bound where nothing else is known.

    `rated` puts the rating behind the rank.
    """
    rank: str | None = part["rank"]
    ends = part["low_rank"], part["high_rank"]
    if rank and ends.count(None) == 1 and " or " not in rank:
        return rank_words(*ends)
    return rank_and_rating(scale, part) if rated or not rank else rank


def level_words(plain: Plain) -> str:
    """The interval of the whole estimate with its level."""
    level = per_cent(plain["level"])
    if plain["low"] is None and plain["high"] is None:
        return f"No interval of {level} can be given"
    kind = "interval" if None not in (plain["low"], plain["high"]) else "bound"
    ranks = plain["low_rank"], plain["high_rank"]
    span = "" if ranks == (None, None) else f": {rank_words(*ranks)}"
    return f"{level} {kind} {ends_words(plain['scale'], plain)}{span}"


def ends_words(scale: str, part: Plain) -> str:
    """The interval of a part of the estimate."""
    return interval_words(part["low"], part["high"], lambda value: rating_words(scale, value))
