"""An estimate of strength from moves as charts; all take its JSON value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, nan
from typing import Any

import numpy as np

from yardstone.reports.charts.chart import (
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
from yardstone.reports.strength.rank_axis import RANK_AXES, RankAxis
from yardstone.reports.strength.words import headline, interval_words, rating_words

__all__ = ["estimate_chart", "game_chart", "rank_chart", "scale_chart"]

#: A dot stands at each of so many estimates.
_DOTTED = 60

Plain = Mapping[str, Any]


def _ends(parts: Sequence[Plain]) -> tuple[list[float], list[float]]:
    """Ends of intervals; one without an end goes to the edge of the picture."""
    low = [-inf if part["low"] is None else part["low"] for part in parts]
    return low, [inf if part["high"] is None else part["high"] for part in parts]


def _reach(parts: Sequence[Plain], axis: RankAxis | None) -> tuple[float, float]:
    """Ends of an axis for all these estimates: whole ranks, where the scale has some."""
    values = [
        part[name] for part in parts for name in ("rating", "low", "high") if part[name] is not None
    ]
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
    number = np.arange(1, len(games) + 1)
    alone, together = ([part["rating"] for part in parts] for parts in (games, running))
    name = "all games so far, with interval"
    marks: list[Mark] = [
        Band(number, *_ends(running), "c1", name, 0.22),
        Points(
            number, alone, "c7", "that game alone, with interval", "diamond", 3.0,
            opacity=0.8, along=_ends(games),
        ),
        Stroke(number, together, "c1", name, 2.0),
    ]  # fmt: skip
    if len(games) <= _DOTTED:
        marks.append(Points(number, together, "c1", name, size=3.0))
    x = Axis("game, in the order of the dates", 0.5, len(games) + 0.5, whole=True)
    y = Axis(f"rating ({estimate['scale']})", low, high, ticks=ticks, grid=True)
    title = " – ".join(headline(estimate)[:1])
    return Chart([Panel(x, y, marks)], title, words=_words(estimate), height=300.0)


def _words(estimate: Plain) -> str:
    """The course of the estimate for those who cannot see it."""
    running = [game["running"] for game in estimate["by_game"]]

    def written(value: float) -> str:
        return rating_words(estimate["scale"], value)

    words = [f"The estimate after each of {len(running)} games"]
    for part, when in ((running[0], "first"), (running[-1], "last")):
        interval = interval_words(part["low"], part["high"], written)
        words.append(f"{written(part['rating'])} after the {when}, interval {interval}")
    return "; ".join(words) + "."


def scale_chart(estimate: Plain, words: str) -> Chart:
    """The estimate with its interval among the ranks; `words` say it."""
    ranks = RANK_AXES[estimate["scale"]]
    low, high = _reach([estimate], ranks)
    (left,), (right,) = _ends([estimate])
    rating = estimate["rating"]
    share = (rating - low) / (high - low)
    anchor = "start" if share < 0.06 else "end" if share > 0.94 else "middle"
    marks: list[Mark] = [
        Bars(max(left, low), min(right, high), -0.22, 0.22, opacity=0.25),
        Points(rating, 0.0, size=7.0),
        Label(
            rating,
            0.0,
            rating_words(estimate["scale"], rating),
            anchor,
            size=14.0,
            bold=True,
            up=16.0,
        ),
    ]
    x = Axis(low=low, high=high, ticks=ranks.ticks(low, high), between=True)
    return Chart([Panel(x, Axis(low=-1.0, high=1.0, hidden=True), marks)], words=words, height=70.0)


def rank_chart(estimate: Plain, words: str) -> Chart:
    """The probability of each rank, in per cent."""
    ranks = [(each["rank"], 100.0 * each["probability"]) for each in estimate["probabilities"]]
    share = np.array([value for _, value in ranks])
    place = np.arange(len(ranks))
    texts = [f"{value:.0f}" if value >= 0.5 else "" for value in share]
    titles = [f"{name}: {value:.1f} %" for name, value in ranks]
    bars = Bars(place - 0.4, place + 0.4, 0.0, share, texts=texts, titles=titles)
    x = Axis(scale="category", names=[name for name, _ in ranks])
    y = Axis(low=0.0, high=1.18 * max(float(share.max(initial=0.0)), 1e-9), hidden=True)
    return Chart([Panel(x, y, [bars])], words=words, height=110.0)


def game_chart(game: Plain, words: str, *, marked: Sequence[int] = ()) -> Chart:
    """The player's winrate over a game, and below it what each of his moves lost.

    Parameters
    ----------
    game : mapping
        One of the estimate's ``by_game``.
    words : str
        What the picture shows.
    marked : sequence of int
        Numbers of moves that stand out.
    """
    winrate = np.array([nan if value is None else value for value in game["winrate"]])
    x = Axis("move", low=0.0, high=float(max(len(winrate) - 1, 1)), whole=True)
    panels = []
    if np.isfinite(winrate).any():
        panels.append(Panel(x, _WINRATE, _winrate(winrate, marked), height=150.0))
    loss = np.array([nan if value is None else value for value in game.get("loss") or ()])
    if np.isfinite(loss).any():
        panels.append(_losses(x, np.array(game["numbers"]), loss, marked))
    return Chart(panels, words=words)


_WINRATE = Axis(
    "winrate", low=0.0, high=1.0, grid=True, ticks=[(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")]
)


def _winrate(winrate: np.ndarray, marked: Sequence[int]) -> list[Mark]:
    moves = np.arange(len(winrate))
    here = [move for move in marked if 0 <= move < len(winrate)]
    titles = [f"move {move}" for move in here]
    return [
        Band(moves, np.minimum(winrate, 0.5), np.maximum(winrate, 0.5)),
        Stroke(moves, winrate),
        Points(here, winrate[here], "c2", size=4.5, titles=titles),
    ]


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
