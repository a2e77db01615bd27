"""Simulated tournaments, and the studies made of them, as charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.charts.chart import Axis, Bars, Chart, Guide, Panel, Points, Stroke
from yardstone.reports.charts.colours import series_style

if TYPE_CHECKING:
    from yardstone.lab.tournaments.circuits import CircuitQuality
    from yardstone.lab.tournaments.pairing_quality import Quality
    from yardstone.lab.tournaments.single_events import EventQuality
    from yardstone.lab.tournaments.tiebreaks import TiebreakComparison
    from yardstone.lab.tournaments.weight_search import WeightSearch
    from yardstone.tournament.forecast import TournamentForecast

__all__ = [
    "circuit_chart",
    "event_chart",
    "forecast_chart",
    "search_chart",
    "ties_chart",
    "variants_chart",
]

#: Standard errors to either side of an interval of 95 %.
_NORMAL_95 = 1.959963984540054


def forecast_chart(forecast: TournamentForecast, *, top: int = 32) -> Chart:
    """Chance of each place, as a map: the likeliest winners on top."""
    order = np.lexsort([forecast.mean_place, -forecast.first])[: top or None]
    last = int(np.flatnonzero(forecast.places[order].sum(axis=0) > 0.0).max()) + 1
    last = min(last, max(2 * len(order), 12))
    share = forecast.places[order, :last]
    row, place = (index.ravel() for index in np.indices(share.shape))
    highest = max(float(share.max()), 1e-12)
    names = [forecast.names[k] for k in order]
    titles = [
        f"{names[k]}, place {p + 1}: {100 * chance:.1f} %"
        for k, p, chance in zip(row, place, share.ravel(), strict=True)
    ]
    cells = Bars(
        place + 0.5, place + 1.5, row - 0.5, row + 0.5,
        opacity=(share / highest).ravel(), gap=1.0, titles=titles if len(titles) <= 1024 else (),
    )  # fmt: skip
    means = Points(forecast.mean_place[order], np.arange(len(order)), "c2", "mean place")
    panel = Panel(
        Axis("place", low=0.5, high=last + 0.5, whole=True),
        Axis(scale="category", names=names),
        [cells, means],
    )
    return Chart(
        [panel],
        words="Probability of each place for each player",
        height=20.0 * max(len(order), 3),
        shading=("c1", "share of tournaments: 0", f"{100 * highest:.0f} %"),
    )


def variants_chart(forecasts: Sequence[tuple[str, TournamentForecast]], *, name: str) -> Chart:
    """Two measures by variant: how often the strongest wins, and the order."""
    panels = []
    for measure, scale, label in (
        ("strongest wins", 100.0, "strongest player wins, per cent"),
        ("order", 1.0, "rank correlation with true strength"),
    ):
        values = np.array([forecast.measure(measure) for _, forecast in forecasts]) * scale
        reach = _NORMAL_95 * values[:, 1]
        interval = values[:, 0] - reach, values[:, 0] + reach
        points = Points(np.arange(len(forecasts)), values[:, 0], along=interval)
        x = Axis(name, scale="category", names=[label for label, _ in forecasts])
        panels.append(Panel(x, Axis(label, grid=True), [points]))
    words = f"How often the strongest wins, and the order, by {name}"
    return Chart(panels, words=words, columns=2, height=220.0)


def ties_chart(comparison: TiebreakComparison) -> Chart:
    """Share of right answers of each tie-break, with intervals of 95 %."""
    scores = comparison.scores
    share = 100.0 * np.array([score.value for score in scores])
    reach = 100.0 * _NORMAL_95 * np.array([score.error for score in scores])
    points = Points(share, np.arange(len(scores)), across=(share - reach, share + reach))
    panel = Panel(
        Axis("tied pairs in the true order, per cent (95 %)", grid=True),
        Axis(scale="category", names=[score.name for score in scores]),
        [Guide(x=50.0, text="by lot"), points],
    )
    words = "Share of right answers of each tie-break"
    return Chart([panel], words=words, height=22.0 * max(len(scores), 3))


def event_chart(qualities: Sequence[EventQuality]) -> Chart:
    """What each way to pair adds to what the first one tells, with intervals of 95 %."""
    names = [each.name for each in qualities]
    reach = qualities[0].reach
    panels = []
    for label, pairs, scale in (
        ("RMS error, grades", [(q.ahead, q.ahead_error) for q in qualities], 1.0),
        ("true order, per cent", [(q.order_ahead, q.order_ahead_error) for q in qualities], 100.0),
    ):
        value, error = scale * np.array(pairs).T
        interval = value - reach * error, value + reach * error
        points = Points(value, np.arange(len(names)), across=interval)
        x = Axis(f"{label}, less {names[0]}", grid=True)
        panels.append(Panel(x, Axis(scale="category", names=names), [Guide(x=0.0), points]))
    words = "Error of strengths after the event, and true order in the standings"
    return Chart(panels, words=words, columns=1, height=22.0 * max(len(names), 3))


def circuit_chart(qualities: Sequence[CircuitQuality]) -> Chart:
    """The RMS error of ratings over successive tournaments."""
    lines = []
    for place, each in enumerate(qualities):
        colour, dash = series_style(place)
        name = f"{each.name} ({each.rms:.1f} ± {each.reach * each.error:.1f})"
        number = np.arange(1, len(each.course) + 1)
        lines.append(Stroke(number, each.course, colour, name, 1.5, dash))
    panel = Panel(
        Axis("tournaments", whole=True),
        Axis("RMS error of the ratings, points", low=0.0, grid=True),
        lines,
    )
    note = "In brackets: the RMS error of the second half (95 %)."
    words = "The RMS error of ratings over successive tournaments"
    return Chart([panel], words=words, note=note, height=300.0)


def search_chart(search: WeightSearch[Quality], *, unit: str) -> Chart:
    """The RMS error of every trial, and the lowest so far."""
    number = [trial.number for trial in search.trials]
    rms = np.array([trial.rms for trial in search.trials])
    lowest = Stroke(number, np.minimum.accumulate(rms), "c2", "lowest so far", step=True)
    panel = Panel(
        Axis("trial (0: the usual rules)", whole=True),
        Axis(f"RMS error, {unit}", grid=True),
        [lowest, Points(number, rms, "c1", "trial")],
    )
    return Chart([panel], words="The RMS error of every trial", height=260.0)
