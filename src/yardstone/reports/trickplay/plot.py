"""The ratings of trick plays as a picture and a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.plot import font_families
from yardstone.reports.trickplay.text import (
    conclusion,
    found_conclusion,
    found_table,
    problem_table,
    surprises,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from yardstone.reports.trickplay.report import TrickplayReport
    from yardstone.strength.trickplay.completion import Completion

__all__ = ["html_found", "html_trickplay", "trickplay_plot"]

_FAILURE, _REFUTATION, _GREY = "#1f6fb4", "#e07b00", "#6b7280"
#: Up to so many problems are named beside their line.
_NAMED = 100
_RANKS = (-3.0, -1.0, *range(1, 10))


def trickplay_plot(report: TrickplayReport) -> Figure:
    """Draw both ratings of each problem on a line, the lowest failure at the bottom.

    The dashed line is the mean rating of the refutations. Neubauer 2024, figure 7.5.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rate = report.scale.rating
    pairs = sorted(
        (rate(problem.failure.rating), rate(problem.refutation.rating), problem.problem.name)
        for problem in report.compared
        if problem.failure is not None and problem.refutation is not None
    )
    height = 1.7 + 0.17 * max(len(pairs), 6)
    figure = Figure(figsize=(7.2, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    failure = np.array([pair[0] for pair in pairs])
    refutation = np.array([pair[1] for pair in pairs])
    y = np.arange(len(pairs))
    surprising = refutation <= failure
    for wrong, style in ((False, "-"), (True, ":")):
        rows = surprising == wrong
        axes.hlines(
            y[rows], failure[rows], refutation[rows], color=_GREY, linewidth=0.9, linestyle=style,
            zorder=1,
        )  # fmt: skip
    axes.scatter(failure, y, s=22, color=_FAILURE, label="Failure", zorder=3)
    axes.scatter(refutation, y, s=22, color=_REFUTATION, marker="D", label="Refutation", zorder=3)
    if len(pairs):
        axes.axvline(
            refutation.mean(), color=_REFUTATION, linestyle="--", linewidth=1.1, zorder=2,
            label="Mean of the refutations",
        )  # fmt: skip
    axes.set_ylim(-0.8, max(len(pairs), 1) - 0.2)
    named = [pair[2] if len(pair[2]) <= 24 else pair[2][:23] + "…" for pair in pairs]
    if len(pairs) <= _NAMED:
        axes.set_yticks(y, named, fontsize=7, parse_math=False, fontfamily=font_families())
    else:
        axes.set_yticks([])
    axes.grid(axis="x", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel(f"Rating ({report.scale.title})", fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, loc="lower right", framealpha=0.9)
    _rank_axis(axes, report)
    return figure


def _rank_axis(axes: Axes, report: TrickplayReport) -> None:
    """Ranks along the top, where they begin; none if the scale has no ranks."""
    if report.scale.rank(1.0) is None:
        return
    low, high = axes.get_xlim()
    places = [(report.scale.rating(rank), report.scale.rank(rank + 0.01)) for rank in _RANKS]
    inside = [(place, str(name).split()[0]) for place, name in places if low <= place <= high]
    top = axes.twiny()
    top.set_xlim(low, high)
    top.set_xticks([place for place, _ in inside], [name for _, name in inside], fontsize=8)
    top.set_xlabel("Rank", fontsize=9)
    top.spines[["right"]].set_visible(False)


def html_trickplay(report: TrickplayReport, *, version: str) -> str:
    """The table, the picture and the surprising cases as a page that needs no other file."""
    from yardstone.reports.evaluation.html import Section, html_page, picture

    lead, *facts = conclusion(report)
    shown = "Ratings of the failure and the refutation of each problem"
    sections = [
        Section(paragraphs=facts, pictures=[(picture(trickplay_plot(report)), shown)]),
        Section("Problems", table=problem_table(report)),
    ]
    if cases := surprises(report):
        sections.append(Section("Surprising cases", cases))
    return html_page("Trick plays", [lead], sections, version=version)


def html_found(
    completions: Sequence[Completion], games: int, positions: int, *, version: str
) -> str:
    """Where problems were found, as a page."""
    from yardstone.reports.evaluation.html import Section, html_page

    section = Section(table=found_table(completions))
    lead = found_conclusion(completions, games, positions)
    return html_page("Problems found in games", lead, [section], version=version)
