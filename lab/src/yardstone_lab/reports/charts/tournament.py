"""Studies of tournaments as charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.chart import Axis, Chart, Guide, Panel, Points, Stroke
from yardstone.reports.panels import series_style

if TYPE_CHECKING:
    from yardstone_lab.tournaments.circuits import CircuitQuality
    from yardstone_lab.tournaments.pairing_quality import Quality
    from yardstone_lab.tournaments.single_events import EventQuality
    from yardstone_lab.tournaments.tiebreaks import TiebreakComparison
    from yardstone_lab.tournaments.weight_search import WeightSearch

__all__ = ["circuit_chart", "event_chart", "search_chart", "ties_chart"]

#: Standard errors to either side of an interval of 95 %.
_NORMAL_95 = 1.959963984540054


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
