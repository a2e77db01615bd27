"""Probabilities of win, winning statistics and their fits, as text and plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.lab.kaniuk.least_squares import LeastSquaresFit, rms_by_difference
from yardstone.reports.aligned import aligned_text
from yardstone.winprob.grades import format_grade
from yardstone.winprob.kaniuk import PUBLISHED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.lab.kaniuk.cross_validation import CrossValidation
    from yardstone.lab.kaniuk.trace import Trace
    from yardstone.winprob.kaniuk import Kaniuk
    from yardstone.winprob.likelihood import LikelihoodFit
    from yardstone.winprob.statistics import WinningStatistics

    Array = NDArray[np.float64]

__all__ = [
    "comparison_text",
    "fit_text",
    "plain_comparison",
    "plain_fit",
    "plain_trace",
    "probability_csv",
    "probability_table",
    "trace_text",
]


def probability_table(
    model: Kaniuk, *, lowest: int = -20, highest: int = 6, differences: int = 9
) -> str:
    """Per cent that each grade wins against opponents 1, 2, ... grades stronger."""
    head = ["grade", *(f"+{d}" for d in range(1, differences + 1))]
    rows = [head]
    for grade in range(lowest, highest + 1):
        p = model.probability(grade, grade + np.arange(1.0, differences + 1))
        rows.append([format_grade(grade), *(_per_cent(value) for value in p)])
    return "Per cent won against an opponent so many grades stronger\n\n" + aligned_text(
        rows, left={0}
    )


def probability_csv(
    model: Kaniuk, *, lowest: int = -20, highest: int = 6, differences: int = 9
) -> str:
    """The table of `probability_table` as CSV, one row a pair, in full."""
    lines = ["first,second,difference,probability"]
    for grade in range(lowest, highest + 1):
        for d in range(1, differences + 1):
            p = float(model.probability(grade, grade + d))
            lines.append(f"{format_grade(grade)},{format_grade(grade + d)},{d},{p!r}")
    return "\n".join(lines) + "\n"


def _per_cent(share: float) -> str:
    value = 100.0 * float(share)
    return f"{value:.1f}" if value >= 0.1 else f"{value:.0e}"


def plain_fit(
    fit: LeastSquaresFit | LikelihoodFit,
    statistics: WinningStatistics | None,
    *,
    intervals: Sequence[tuple[float, float]] | None = None,
    pairs: Sequence[tuple[float, float]] = (),
    level: float = 0.95,
) -> dict[str, Any]:
    """A fit as dictionaries, lists, numbers and strings.

    Parameters
    ----------
    fit
        Its intervals are those of the profile likelihood; a fit by least squares has
        none of its own.
    statistics : WinningStatistics, optional
        The counts it was fitted to, for the errors of the probabilities.
    intervals : sequence of (low, high), optional
        Of a least squares fit, from simulated tables.
    pairs : sequence of (grade, grade)
        Likelihood: probabilities to show, with intervals.
    level : float
        Of the intervals, 0 to 1.
    """
    published = PUBLISHED.parameters
    squares = isinstance(fit, LeastSquaresFit)
    method = "simulated tables" if squares else "profile likelihood"
    parameters = []
    for k, name in enumerate(fit.names):
        row: dict[str, Any] = {
            "name": name,
            "value": float(fit.values[k]),
            "published": published.get(name),
        }
        if not isinstance(fit, LeastSquaresFit):
            row["interval"] = _interval(fit.interval(name, level), level, method)
        elif intervals is not None:
            row["interval"] = _interval(intervals[k], level, method)
        parameters.append(row)
    found: dict[str, Any] = {"parameters": parameters}
    if isinstance(fit, LeastSquaresFit):
        found |= {
            "method": fit.method,
            "steps": fit.minimum.steps,
            "cycles": fit.cycles if fit.method == "conjugate" else None,
            "gradient": fit.gradient_size,
            "sum_of_squares": fit.minimum.value,
            "cells": fit.cells,
            "cells_left_out": fit.left_out,
            "games": fit.games,
        }
        model = fit.model
    else:
        found |= {
            "method": "likelihood",
            "steps": fit.minimum.steps,
            "log_likelihood": fit.log_likelihood,
            "aic": fit.aic,
            "games": float(fit.games.games.sum()),
        }
        model = fit.model.core
        found["probabilities"] = [
            {
                "first": format_grade(one),
                "second": format_grade(two),
                "probability": float(fit.model.probability(one, two)),
                "interval": _interval(fit.probability_interval(one, two, level), level, method),
            }
            for one, two in pairs
        ]
    if statistics is not None:
        rms, expected = rms_by_difference(statistics, model)
        of_published, _ = rms_by_difference(statistics, PUBLISHED)
        found["rms"] = [
            {
                "difference": int(d),
                "rms": _known(rms[k]),
                "by_chance": _known(expected[k]),
                "published_model": _known(of_published[k]),
            }
            for k, d in enumerate(statistics.differences)
        ]
    return found


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _interval(ends: tuple[float, float], level: float, method: str) -> dict[str, Any]:
    low, high = (float(end) if np.isfinite(end) else None for end in ends)
    return {"low": low, "high": high, "level": level, "method": method}


def _ends(interval: dict[str, Any], digits: int = 4) -> str:
    low, high = interval["low"], interval["high"]
    below = "no end" if low is None else f"{low:.{digits}g}"
    return f"{below} to {'no end' if high is None else f'{high:.{digits}g}'}"


def fit_text(found: dict[str, Any]) -> str:
    """The result of `plain_fit` as text."""
    rows = [["", "value", "published"]]
    first = found["parameters"][0].get("interval")
    if first is not None:
        rows[0].insert(2, f"{100 * first['level']:g} % ({first['method']})")
    for p in found["parameters"]:
        published = "" if p["published"] is None else f"{p['published']:.6g}"
        row = [p["name"], f"{p['value']:.6g}", published]
        if first is not None:
            row.insert(2, _ends(p["interval"]))
        rows.append(row)
    lines = [aligned_text(rows, left={0})]
    if found["method"] == "likelihood":
        lines.append(
            f"{found['games']:.0f} games; log-likelihood {found['log_likelihood']:.2f}, "
            f"AIC {found['aic']:.2f}; {found['steps']} Newton steps.\n"
        )
    else:
        how = (
            f"{found['steps']} line searches of conjugate gradient ({found['cycles']} cycles)"
            if found["method"] == "conjugate"
            else f"{found['steps']} Newton steps"
        )
        left_out = found["cells_left_out"]
        none = f" ({left_out} with a ratio of 0 or 1 left out)" if left_out else ""
        lines.append(
            f"{found['games']:.0f} games in {found['cells']} cells{none}; {how}, "
            f"gradient {found['gradient']:.1e}.\n"
        )
        if first is None:
            lines.append(
                "Least squares has no intervals of its own: --bootstrap 200 (with newton) "
                "simulates them,\n--method likelihood has some.\n"
            )
        if any(p["value"] < 0.0 for p in found["parameters"]):
            lines.append(
                "Conjugate gradient has no bounds: the paper allows no negative coefficient; "
                "newton keeps them.\n"
            )
    for pair in found.get("probabilities", ()):
        interval = pair["interval"]
        ends = [100.0 * interval[end] for end in ("low", "high")]
        lines.append(
            f"{pair['first']} beats {pair['second']} in {100 * pair['probability']:.2f} % of even "
            f"games ({100 * interval['level']:g} %: {ends[0]:.2f} to {ends[1]:.2f}).\n"
        )
    if "rms" in found:
        table = [["d", "rms error", "by chance alone", "published model"]]
        for row in found["rms"]:
            shown = [row["rms"], row["by_chance"], row["published_model"]]
            table.append(
                [str(row["difference"]), *("-" if x is None else f"{x:.4f}" for x in shown)]
            )
        lines.append("\nProbability, 12 kyu to 7 dan:\n" + aligned_text(table, left={0}))
    return "".join(lines)


def plain_trace(found: Trace) -> list[dict[str, Any]]:
    """A trace as one dictionary a window."""
    rows = []
    for k, year in enumerate(found.years):
        row: dict[str, Any] = {"year": int(year), "games": float(found.games[k])}
        row["coefficients"] = {
            name: {"value": _known(found.coefficients[k, j])} for j, name in enumerate(found.names)
        }
        for name, table in (("measured", found.measured), ("model", found.modelled)):
            row[name] = {
                format_grade(grade): {
                    str(int(d)): _known(table[k, g, j]) for j, d in enumerate(found.differences)
                }
                for g, grade in enumerate(found.grades)
            }
        rows.append(row)
    return rows


def trace_text(found: Trace) -> str:
    """Coefficients of each window."""
    rows = [["year", "games", *found.names]]
    for k, year in enumerate(found.years):
        cells = ["-" if np.isnan(value) else f"{value:.4f}" for value in found.coefficients[k]]
        rows.append([str(year), f"{found.games[k]:.0f}", *cells])
    return (
        aligned_text(rows, left={0})
        + "By least squares, as published, which has no intervals of its own: `winprob fit --from "
        "--to` has\nthose of a window.\n"
    )


def plain_comparison(found: CrossValidation, *, level: float = 0.95) -> dict[str, Any]:
    """Scores of every form on games left out; gains on even and on handicap games apart."""
    baseline = found.names[0]
    means = found.mean()
    even = found.games.handicap == 0
    parts = {"all": np.ones(len(even), np.bool_), "even": even, "handicap": ~even}
    parts = {part: where for part, where in parts.items() if where.any()}
    candidates = []
    for name in found.names:
        row: dict[str, Any] = {
            "name": name,
            "log_loss": means[name][0],
            "brier": means[name][1],
            "gain": {},
        }
        for part, where in parts.items():
            ends = found.gain_interval(name, baseline, where, level=level)
            row["gain"][part] = {
                "value": found.gain(name, baseline, where)[0],
                "low": None if ends is None else ends[0],
                "high": None if ends is None else ends[1],
            }
        candidates.append(row)
    return {
        "games": {part: int(where.sum()) for part, where in parts.items()},
        "groups": len(np.unique(found.games.group)),
        "chosen": found.chosen,
        "level": level,
        "candidates": candidates,
    }


def comparison_text(values: dict[str, Any]) -> str:
    """The result of `plain_comparison` as text."""
    games = values["games"]
    parts = [part for part in games if part != "all" or len(games) < 3]
    parts = ["even", "handicap"] if len(games) == 3 else parts[:1]
    rows = [["form", "log loss", "Brier", *(f"gain, {games[p]:,} {p} games" for p in parts)]]
    rows += [
        [
            ("* " if row["name"] == values["chosen"] else "  ") + row["name"],
            f"{row['log_loss']:.4f}",
            f"{row['brier']:.4f}",
            *(_gain(row["gain"][part]) for part in parts),
        ]
        for row in values["candidates"]
    ]
    unit = "events" if values["groups"] < games["all"] else "games"
    return (
        f"{games['all']:,} games, each predicted by a fit that has not seen it\n\n"
        + aligned_text(rows, left={0})
        + f"\nGain: less log loss a game than the first row, with a {100 * values['level']:g} % "
        f"interval over {values['groups']:,} {unit}.\n* the simplest form within one standard "
        "error of the best. A handicap stone counts as a grade\nwhere it is not fitted: the "
        "published coefficients are for even games.\n"
    )


def _gain(gain: dict[str, Any]) -> str:
    if gain["low"] is None:
        return f"{gain['value']:+.4f} (too few groups)"
    return f"{gain['value']:+.4f} ({gain['low']:+.4f} to {gain['high']:+.4f})"
