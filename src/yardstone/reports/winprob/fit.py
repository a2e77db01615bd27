"""A fit of the model to games."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from yardstone.grades import format_grade
from yardstone.reports.charts.winprob import curves_chart
from yardstone.reports.document import Block, Column, Document, Lines, Picture, Section, Table
from yardstone.reports.words import known, known_values, per_cent
from yardstone.winprob.least_squares import LeastSquaresFit

if TYPE_CHECKING:
    from yardstone.reports.document import Drawing
    from yardstone.winprob.fit import FitInterval, FittedProbability, ModelFit

__all__ = ["fit_document"]


def fit_document(result: ModelFit) -> Document:
    """Coefficients with intervals, what they say of pairs, and how far they miss ratios."""
    blocks: list[Block] = [_parameter_table(result), Lines([*_about(result), *_pairs(result)])]
    sections = [Section(blocks=blocks)]
    if result.errors:
        sections.append(Section("Probability, 12 kyu to 7 dan:", [_error_table(result)]))
    draw = _drawing(result)
    if draw is not None:
        sections.append(Section(blocks=[Picture(draw)]))
    return Document(
        "Fit to games",
        sections=sections,
        records=_parameter_table(result),
        plain=lambda: _plain(result),
        drawing=draw,
    )


def _drawing(result: ModelFit) -> Callable[[], Drawing] | None:
    statistics = result.statistics
    if statistics is None:
        return None
    title = "Games and the model fitted to them"
    return lambda: curves_chart(statistics, result.model, title=title)


def _parameter_table(result: ModelFit) -> Table:
    interval = result.parameters[0].interval
    columns = [
        Column("name", lambda row: row.name, " "),
        Column("value", lambda row: row.value, "value", "number", ".6g"),
    ]
    if interval is not None:
        heading = f"{per_cent(interval.level)} ({interval.method})"
        columns += [
            Column("", lambda row: _ends(row.interval), heading, left=False),
            Column("low", lambda row: row.interval.low, kind="number"),
            Column("high", lambda row: row.interval.high, kind="number"),
        ]

    def published(row: Any) -> str:
        return "" if row.published is None else f"{row.published:.6g}"

    columns.append(
        Column("published", lambda row: row.published, "published", "number", show=published)
    )
    return Table(columns, result.parameters, noun="coefficient")


def _ends(interval: FitInterval) -> str:
    return " to ".join(
        "no end" if known(end) is None else f"{end:.4g}" for end in (interval.low, interval.high)
    )


def _about(result: ModelFit) -> list[str]:
    fit = result.fit
    steps = f"{fit.minimum.steps} Newton steps"
    if not isinstance(fit, LeastSquaresFit):
        if result.statistics is None:
            return [f"{result.winning.about}; log-likelihood {fit.log_likelihood:.2f}; {steps}."]
        return [
            f"{fit.games.games.sum():.0f} games; log-likelihood {fit.log_likelihood:.2f}, "
            f"AIC {fit.aic:.2f}; {steps}."
        ]
    if fit.method == "conjugate":
        steps = f"{fit.minimum.steps} line searches of conjugate gradient ({fit.cycles} cycles)"
    left_out = f" ({fit.left_out} with a ratio of 0 or 1 left out)" if fit.left_out else ""
    lines = [
        f"{fit.games:.0f} games in {fit.cells} cells{left_out}; {steps}, "
        f"gradient {fit.gradient_size:.1e}."
    ]
    if result.parameters[0].interval is None:
        lines.append(
            "Least squares has no intervals of its own: --bootstrap 200 (with newton) simulates "
            "them, --method likelihood has some."
        )
    if any(row.value < 0.0 for row in result.parameters):
        lines.append(
            "Conjugate gradient has no bounds: the paper allows no negative coefficient; newton "
            "keeps them."
        )
    return lines


def _pairs(result: ModelFit) -> list[str]:
    def line(row: FittedProbability) -> str:
        low, high = 100.0 * row.interval.low, 100.0 * row.interval.high
        of_event = " for one event" if result.winning.of_events else ""
        return (
            f"{format_grade(row.first)} beats {format_grade(row.second)} in "
            f"{100.0 * row.probability:.2f} % of even games "
            f"({per_cent(row.interval.level)}{of_event}: {low:.2f} to {high:.2f})."
        )

    return [line(row) for row in result.probabilities]


def _error_table(result: ModelFit) -> Table:
    def column(name: str, heading: str) -> Column:
        def show(row: Any) -> str:
            value = known(getattr(row, name))
            return "-" if value is None else f"{value:.4f}"

        return Column("", lambda row: getattr(row, name), heading, "number", show=show)

    columns = [
        Column("", lambda row: str(row.difference), "d"),
        column("rms", "RMS error"),
        column("by_chance", "by chance alone"),
        column("published_model", "published model"),
    ]
    return Table(columns, result.errors, noun="difference")


def _plain(result: ModelFit) -> dict[str, Any]:
    fit = result.fit
    parameters = [
        {
            "name": row.name,
            "value": row.value,
            "published": row.published,
            **({} if row.interval is None else {"interval": known_values(row.interval)}),
        }
        for row in result.parameters
    ]
    plain: dict[str, Any] = {"parameters": parameters}
    if isinstance(fit, LeastSquaresFit):
        plain |= {
            "method": fit.method,
            "steps": fit.minimum.steps,
            "cycles": fit.cycles if fit.method == "conjugate" else None,
            "gradient": fit.gradient_size,
            "sum_of_squares": fit.minimum.value,
            "cells": fit.cells,
            "cells_left_out": fit.left_out,
            "games": fit.games,
        }
    else:
        plain |= {
            "method": "likelihood",
            "steps": fit.minimum.steps,
            "log_likelihood": fit.log_likelihood,
            "aic": fit.aic,
            "games": float(fit.games.games.sum()),
            "probabilities": [
                {
                    "first": format_grade(row.first),
                    "second": format_grade(row.second),
                    "probability": row.probability,
                    "interval": known_values(row.interval),
                }
                for row in result.probabilities
            ],
        }
    if result.errors:
        plain["rms"] = [known_values(row) for row in result.errors]
    return plain
