"""An estimate of strength in words, and its charts; its intervals may lack an end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, inf, nan
from typing import Any

import numpy as np

from yardstone.reports.chart import (
    Axis,
    Band,
    Bars,
    Chart,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
)
from yardstone.reports.document import UNKNOWN
from yardstone.reports.words import per_cent, plural
from yardstone.strength.site_scales import SITE_SCALES, fox_rank
from yardstone.winprob.scales import convert, grade_of_fox

Plain = Mapping[str, Any]

#: What people call the scales of a model.
BASIS_NAMES = {"fox": "Fox", "ogs": "OGS"}


def interval_words(low: float | None, high: float | None, written: Callable[[float], str]) -> str:
    """Two ends, or a bound.

    Args:
        low, high: None where the interval has no end.
        written: How a number is written.

    Examples:
        >>> [interval_words(*ends, str) for ends in ((1, 2), (None, 2), (1, None), (None, None))]
        ['1 to 2', 'below 2', 'above 1', 'none']
    """
    if low is None:
        return "none" if high is None else f"below {written(high)}"
    return f"above {written(low)}" if high is None else f"{written(low)} to {written(high)}"


def rank_words(low: str | None, high: str | None) -> str:
    """The ranks of the ends of an interval, of which at least one is there.

    Examples:
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


#: Ranks that the axis knows: 30 kyu to 9 dan, as numbers in which 1 dan is 1 and 1 kyu 0.
_LOWEST, _HIGHEST = -29, 9


@dataclass(frozen=True, slots=True)
class RankAxis:
    """A scale of ratings with the ranks on it."""

    name: str  #: As the reader knows it.
    borders: tuple[float, ...]  #: Rating at which each rank begins, from 30 kyu to 9 dan.
    words: str  #: How to read a rating, in one sentence.

    def rank(self, value: float) -> str:
        """The rank whose stretch of the scale holds a rating."""
        place = bisect_right(self.borders, value) - 1
        return fox_rank(_LOWEST + min(max(place, 0), _HIGHEST - _LOWEST))

    def ends(self, low: float, high: float) -> tuple[float, float]:
        """Ends of an axis that shows these ratings and whole ranks around them."""
        first = max(bisect_right(self.borders, low) - 2, 0)
        last = min(bisect_right(self.borders, high) + 1, len(self.borders) - 1)
        reach = self.borders[last - 1], self.borders[last]
        end = reach[1] if last < len(self.borders) - 1 else 2 * reach[1] - reach[0]
        return min(self.borders[first], low), max(end, high)

    def ticks(self, low: float, high: float) -> list[tuple[float, str]]:
        """The ranks that begin between two ratings."""
        ranks = ((border, fox_rank(_LOWEST + k)) for k, border in enumerate(self.borders))
        return [(border, rank) for border, rank in ranks if low <= border <= high]


def _axis(scale: str, words: str) -> RankAxis:
    borders = [float(k) for k in range(_LOWEST, _HIGHEST + 1)]
    if scale != "fox":
        borders = convert(grade_of_fox(borders), "grade", scale, extrapolate=True).tolist()
    return RankAxis(SITE_SCALES[scale].title, tuple(borders), words)


_AXIS_WORDS = {
    "fox": "On the Fox scale 3.0 is the weakest 3 dan and 3.9 almost a 4 dan; 1 kyu lies from 0 to "
    "1, and the kyu ranks below it are negative.",
    "ogs": "OGS ratings are points of Glicko-2; by the server’s own formula 1 dan begins at 1918.",
    "ogs-2020": "OGS ratings are points of Glicko-2; by the server’s formula of 2020 1 dan begins "
    "at 2220.",
    "egf": "EGF ratings are those of the European Go Federation: 2100 is 1 dan, and a rank is 100 "
    "points.",
}
#: The scales by name.
RANK_AXES: Mapping[str, RankAxis] = {
    name: _axis(name, words) for name, words in _AXIS_WORDS.items()
}


#: A dot stands at each of so many estimates.
_DOTTED = 60


def _ends(parts: Sequence[Plain]) -> tuple[list[float], list[float]]:
    """Ends of intervals; one without an end goes to the edge of the picture."""
    low = [-inf if part["low"] is None else part["low"] for part in parts]
    return low, [inf if part["high"] is None else part["high"] for part in parts]


def _reach(parts: Sequence[Plain], axis: RankAxis | None) -> tuple[float, float]:
    """Ends of an axis for all these estimates: whole ranks, where the scale has some."""
    known = [part[name] for part in parts for name in ("rating", "low", "high")]
    values = [value for value in known if value is not None]
    if axis is not None:
        return axis.ends(min(values), max(values))
    room = 0.1 * (max(values) - min(values)) or 1.0
    return min(values) - room, max(values) + room


def estimate_chart(estimate: Plain) -> Chart:
    """How the estimate moved with each game, and what each game says alone."""
    games = estimate["by_game"]
    running = [game["running"] for game in games]
    ranks = RANK_AXES.get(estimate["scale"])
    low, high = _reach([*games, *running], ranks)
    ticks = None
    if ranks is not None:
        borders = ranks.ticks(low, high)
        ticks = [(at, f"{name} ({rating_words(estimate['scale'], at)})") for at, name in borders]
        ticks = ticks[:: -(-len(ticks) // 10)]
    number, alone = _rated(games)
    so_far, together = _rated(running)
    name = "all games so far, with interval"
    label, ends = "that game alone, with interval", _ends([games[k - 1] for k in number])
    marks: list[Mark] = [
        Band(so_far, *_ends([running[k - 1] for k in so_far]), "c1", name, 0.22),
        Points(number, alone, "c7", label, "diamond", 3.0, opacity=0.8, along=ends),
        Stroke(so_far, together, "c1", name, 2.0),
    ]
    if len(games) <= _DOTTED:
        marks.append(Points(so_far, together, "c1", name, size=3.0))
    x = Axis("game, in the order of the dates", 0.5, len(games) + 0.5, whole=True)
    y = Axis(f"rating ({estimate['scale']})", low, high, ticks=ticks, grid=True)
    title = " – ".join(headline(estimate)[:1])
    return Chart([Panel(x, y, marks)], title, words=_words(estimate), height=300.0)


def _rated(parts: Sequence[Plain]) -> tuple[list[int], list[float]]:
    """Numbers from 1, and ratings, of those with enough moves for one."""
    rated = [(k, part["rating"]) for k, part in enumerate(parts, 1) if part["rating"] is not None]
    return [k for k, _ in rated], [rating for _, rating in rated]


def _words(estimate: Plain) -> str:
    """The course of the estimate for those who cannot see it."""
    running = [game["running"] for game in estimate["by_game"]]
    words = [f"The estimate after each of {len(running)} games"]
    running = [part for part in running if part["rating"] is not None]
    for part, when in ((running[0], "first"), (running[-1], "last")):
        rating = rating_words(estimate["scale"], part["rating"])
        interval = ends_words(estimate["scale"], part)
        words.append(f"{rating} after the {when}, interval {interval}")
    return "; ".join(words) + "."


def scale_chart(estimate: Plain, words: str) -> Chart:
    """The estimate with its interval among the ranks; `words` say it."""
    ranks = RANK_AXES[estimate["scale"]]
    low, high = _reach([estimate], ranks)
    (left,), (right,) = _ends([estimate])
    rating = estimate["rating"]
    share = (rating - low) / (high - low)
    anchor = "start" if share < 0.06 else "end" if share > 0.94 else "middle"
    text = rating_words(estimate["scale"], rating)
    marks: list[Mark] = [
        Bars(max(left, low), min(right, high), -0.22, 0.22, opacity=0.25),
        Points(rating, 0.0, size=7.0),
        Label(rating, 0.0, text, anchor, size=14.0, bold=True, up=16.0),
    ]
    x = Axis(low=low, high=high, ticks=ranks.ticks(low, high), between=True)
    return Chart([Panel(x, Axis(low=-1.0, high=1.0, hidden=True), marks)], words=words, height=70.0)


def rank_chart(estimate: Plain, words: str) -> Chart:
    """The probability of each rank, in per cent."""
    names = [each["rank"] for each in estimate["probabilities"]]
    share = np.array([100.0 * each["probability"] for each in estimate["probabilities"]])
    place = np.arange(len(names))
    texts = [f"{value:.0f}" if value >= 0.5 else "" for value in share]
    titles = [f"{name}: {value:.1f} %" for name, value in zip(names, share, strict=True)]
    bars = Bars(place - 0.4, place + 0.4, 0.0, share, texts=texts, titles=titles)
    x = Axis(scale="category", names=names)
    y = Axis(low=0.0, high=1.18 * max(float(share.max(initial=0.0)), 1e-9), hidden=True)
    return Chart([Panel(x, y, [bars])], words=words, height=110.0)


def game_chart(game: Plain, words: str, *, marked: Sequence[int] = ()) -> Chart:
    """The player's winrate over a game, and below it what each of his moves lost.

    Args:
        game: One of the estimate's ``by_game``.
        words: What the picture shows.
        marked: Numbers of moves that stand out.
    """
    winrate = np.array([nan if value is None else value for value in game["winrate"]])
    x = Axis("move", low=0.0, high=float(max(len(winrate) - 1, 1)), whole=True)
    panels = []
    if np.isfinite(winrate).any():
        moves, here = np.arange(len(winrate)), [k for k in marked if 0 <= k < len(winrate)]
        dots = Points(here, winrate[here], "c2", size=4.5, titles=[f"move {k}" for k in here])
        area = Band(moves, np.minimum(winrate, 0.5), np.maximum(winrate, 0.5))
        panels.append(Panel(x, _WINRATE, [area, Stroke(moves, winrate), dots], height=150.0))
    loss = np.array([nan if value is None else value for value in game.get("loss") or ()])
    if np.isfinite(loss).any():
        panels.append(_losses(x, np.array(game["numbers"]), loss, marked))
    return Chart(panels, words=words)


_WINRATE = Axis(
    "winrate", low=0.0, high=1.0, grid=True, ticks=[(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")]
)


def _losses(x: Axis, moves: np.ndarray, loss: np.ndarray, marked: Sequence[int]) -> Panel:
    """A bar for each move: points lost upwards, gained downwards."""
    high = max(1.0, float(np.nanmax(loss)))
    low = max(min(0.0, float(np.nanmin(loss))), -high)
    chosen = np.isin(moves, marked)
    marks: list[Mark] = []
    for here, colour, opacity in (
        (~chosen & (loss >= 0.0), "c1", 0.7),
        (~chosen & (loss < 0.0), "c7", 0.6),
        (chosen, "c2", 1.0),
    ):
        left, right = moves[here] - 0.8, moves[here] + 0.8
        marks.append(Bars(left, right, 0.0, loss[here], colour, opacity=opacity, gap=0.5))
    marks.append(Guide(y=0.0, colour="line", dash=()))
    return Panel(x, Axis("points lost", low, high, grid=True), marks, height=85.0)
