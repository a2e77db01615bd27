"""The studies of error rates and ratings, as text, CSV and plain values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.backgammon.formulas import PUBLISHED
from yardstone.lab.vandendoel.bump import chance_of_largest, find_bumps
from yardstone.lab.vandendoel.cells import LEVEL, Cells
from yardstone.lab.vandendoel.comparison import LeftOut
from yardstone.lab.vandendoel.fit import Method, Model
from yardstone.lab.vandendoel.table import CloseRule
from yardstone.reports.aligned import aligned_text
from yardstone.winprob import fibs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.lab.vandendoel.comparison import Comparison
    from yardstone.lab.vandendoel.fit import Coefficient, StudyFit
    from yardstone.lab.vandendoel.play import Player

    Array = NDArray[np.float64]

__all__ = [
    "cells_csv",
    "cells_text",
    "comparison_text",
    "fit_text",
    "formula_rating",
    "plain_cells",
    "plain_comparison",
    "plain_fit",
    "published_weight",
]

_RULES = {
    CloseRule.old: "close cube decisions counted as in 2003",
    CloseRule.new: "close cube decisions counted as GNU Backgammon does since 2006",
}
_METHODS = {
    Method.published: "least squares on rating points, unweighted (as published)",
    Method.weighted: "least squares on rating points, weighted",
    Method.chance: "weighted least squares on mean results",
}


def published_weight(name: str, length: Array | float) -> Array:
    """The published a(N), a2(N) or b(N)."""
    weight = {"a": PUBLISHED.decision, "a2": PUBLISHED.move, "b": PUBLISHED.cube}[name]
    return weight(length)


def formula_rating(cells: Cells, model: Model) -> Array:
    """Rating difference of each cell by the published formula of this model."""
    terms = model.terms(cells)
    weights = [published_weight(name, cells.length) for name in model.names]
    return np.asarray(np.sum(np.column_stack(weights) * terms, axis=1), np.float64)


def _off(cells: Cells, rating: Array) -> Array:
    """Standard errors that the mean result lies above what this rating difference gives."""
    expected = fibs.probability(rating, 0.0, cells.length)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((cells.chance - expected) / cells.chance_error, np.float64)


def plain_cells(cells: Cells, level: float = LEVEL) -> list[dict[str, Any]]:
    """A dictionary a cell; numbers that a cell does not determine are None."""
    low, high = cells.rating_interval(level)
    columns: dict[str, Array] = {
        "matches": cells.matches,
        "chance": cells.chance,
        "chance_error": cells.chance_error,
        "rating": cells.rating,
        "rating_low": low,
        "rating_high": high,
        "depd": np.diff(cells.decision_error, axis=1)[:, 0],
        "first_epm": cells.move_error[:, 0],
        "second_epm": cells.move_error[:, 1],
        "first_epc": cells.cube_error[:, 0],
        "second_epc": cells.cube_error[:, 1],
        "first_epd": cells.decision_error[:, 0],
        "second_epd": cells.decision_error[:, 1],
    }
    for name, model in (("part1", Model.decision), ("part2", Model.bilinear)):
        formula = formula_rating(cells, model)
        columns[f"{name}_formula"] = formula
        columns[f"{name}_off"] = _off(cells, formula)
    found = []
    for row, setting in enumerate(cells.settings):
        numbers = {name: _known(values[row]) for name, values in columns.items()}
        numbers["matches"] = int(cells.matches[row])
        found.append({**setting.as_record(), **numbers})
    return found


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def cells_csv(cells: Cells, level: float = LEVEL) -> str:
    """The cells as CSV, in full; what a cell does not determine is left empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rows = []
    for record in plain_cells(cells, level):
        row: dict[str, Any] = {}
        for name, value in record.items():
            if isinstance(value, dict):
                row |= {f"{name}_{part}": number for part, number in value.items()}
            elif isinstance(value, list):
                row[name] = " ".join(map(str, value))
            else:
                row[name] = "" if value is None else value
        rows.append(row)
    writer.writerow(rows[0] if rows else [])
    writer.writerows(row.values() for row in rows)
    return out.getvalue()


def cells_text(cells: Cells, level: float = LEVEL) -> str:
    """Each cell with its interval beside the two published formulas."""
    low, high = cells.rating_interval(level)
    depd = np.diff(cells.decision_error, axis=1)[:, 0]
    formulas = [formula_rating(cells, model) for model in Model]
    depth = ["analysed"] if any(setting.analyses[0] for setting in cells.settings) else []
    rows = [
        [
            *("N", "first", "second", *depth, "matches", "DEPD", "R", f"{100 * level:g} %"),
            *("a DEPD", "off", "a2 DEPM + b DEPC", "off"),
        ]
    ]
    for row, setting in enumerate(cells.settings):
        cell = [
            str(setting.length),
            _player(setting.first),
            _player(setting.second),
            *(f"{setting.analyses[0]}-ply" for _ in depth),
            f"{cells.matches[row]:.0f}",
            f"{depd[row]:.4f}",
            _points(cells.rating[row]),
            f"{_points(low[row])} to {_points(high[row])}",
        ]
        for formula in formulas:
            cell += [_points(formula[row]), _signed(_off(cells, formula)[row])]
        rows.append(cell)
    return aligned_text(rows, left={1, 2}) + (
        "\nPlayers: noise of moves, of cube decisions if another, and plies if any.\n"
        "R: points that the first player is ahead. off: standard errors that the mean result\n"
        "lies above the formula's.\n"
    )


def _player(player: Player) -> str:
    text = f"{player.chequer_noise:g}"
    if player.cube_noise != player.chequer_noise:
        text += f"/{player.cube_noise:g}"
    if player.plies or player.cube_plies:
        text += f" {player.plies}-ply"
    if player.cube_plies != player.plies:
        text += f", cube {player.cube_plies}-ply"
    return text


def _points(value: float) -> str:
    if np.isfinite(value):
        return f"{value:.0f}"
    return "?" if np.isnan(value) else "∞" if value > 0 else "−∞"


def _signed(value: float) -> str:
    return f"{value:+.1f}" if np.isfinite(value) else "?"


def plain_fit(fit: StudyFit) -> dict[str, Any]:
    """A fit as dictionaries, lists and numbers."""
    formula = formula_rating(fit.cells, fit.model)
    ratings = {"each_length": fit.fitted, "function_of_length": fit.smooth, "published": formula}
    chi = {name: fit.chi_square(rating) for name, rating in ratings.items()}
    return {
        "model": fit.model.value,
        "method": fit.method.value,
        "close_rule": fit.rule.value,
        "averaging": fit.averaging.value,
        "matches": int(fit.cells.matches.sum()),
        "cells": len(fit.cells),
        "cells_left_out": int((~fit.used).sum()),
        "coefficients": [_plain_coefficient(each) for each in fit.coefficients],
        "chi_square": {name: _known(value) for name, (value, _) in chi.items()},
        "chi_square_cells": chi["published"][1],
        "bumps": [
            {
                **asdict(bump),
                "deviations": _known(bump.deviations),
                "ratio_interval": [_known(end) for end in bump.ratio_interval()],
            }
            for bump in (find_bumps(fit.cells) if fit.model is Model.decision else ())
        ],
    }


def _plain_coefficient(found: Coefficient) -> dict[str, Any]:
    published = published_weight(found.name, np.array(found.lengths, np.float64))
    pairs = zip(found.lengths, found.values, found.errors, published, strict=True)
    return {
        "name": found.name,
        "lengths": [
            {
                "length": length,
                "value": _known(value),
                "error": _known(error),
                "published": float(formula),
            }
            for length, value, error, formula in pairs
        ],
        "constant": _known(found.weight.constant),
        "constant_error": _known(found.constant_error),
        "inverse": _known(found.weight.inverse),
        "inverse_error": _known(found.inverse_error),
        "correlation": _known(found.correlation),
    }


def fit_text(fit: StudyFit) -> str:
    """A fit in words and a table."""
    lines = [
        f"R = {' + '.join(f'{c.name}(N) {term}' for c, term in _terms(fit))}",
        f"{_METHODS[fit.method]}; {_RULES[fit.rule]}",
        f"{len(fit.cells)} cells of {fit.cells.matches.sum():,.0f} matches"
        + (
            f", without {(~fit.used).sum()} whose mean result allows no rating"
            if not fit.used.all()
            else ""
        ),
        "",
    ]
    head = ["N"]
    for c in fit.coefficients:
        head += [f"{c.name}(N)", "±", "published"]
    rows = [head]
    for k, length in enumerate(fit.coefficients[0].lengths):
        row = [str(length)]
        for c in fit.coefficients:
            published = float(published_weight(c.name, float(length)))
            row += [_points(c.values[k]), _points(c.errors[k]), _points(published)]
        rows.append(row)
    lines.append(aligned_text(rows, left=set()))
    lines += [
        f"{c.name}(N) = {_with_error(c.weight.constant, c.constant_error)} + "
        f"{_with_error(c.weight.inverse, c.inverse_error)}/N"
        f"    published: {_function(c.name)}"
        for c in fit.coefficients
    ]
    plain = plain_fit(fit)
    chi, number = plain["chi_square"], plain["chi_square_cells"]
    lines.append(
        f"Squared deviations of {number} mean results, in standard errors: "
        f"{_points_of(chi['each_length'])} with a\ncoefficient for each length, "
        f"{_points_of(chi['function_of_length'])} with the functions of N, "
        f"{_points_of(chi['published'])} with the published ones."
    )
    lines.append("± is one standard error, from drawing the matches anew.")
    if fit.model is Model.decision and (bumps := find_bumps(fit.cells)):
        lines += ["", "R/DEPD where one player is free of noise, and where both have it:"]
        rows = [["N", "one free", "±", "both noisy", "±", "off", "ratio, 95 %"]]
        rows += [
            [
                str(bump.length),
                *map(_points, (bump.free, bump.free_error, bump.noisy, bump.noisy_error)),
                _signed(bump.deviations),
                "{:.2f} to {:.2f}".format(*bump.ratio_interval()),
            ]
            for bump in bumps
        ]
        lines.append(aligned_text(rows, left=set()).rstrip())
        lines.append(
            f"Chance alone makes the largest of {len(bumps)} as large in "
            f"{100 * chance_of_largest(bumps):.0f} % of such studies."
        )
    return "\n".join(lines) + "\n"


def _terms(fit: StudyFit) -> Iterable[tuple[Coefficient, str]]:
    terms = ("DEPD",) if fit.model is Model.decision else ("DEPM", "DEPC")
    return zip(fit.coefficients, terms, strict=True)


def _with_error(value: float, error: float) -> str:
    return f"({_points(value)} ± {_points(error)})"


def _points_of(value: float | None) -> str:
    return "?" if value is None else f"{value:.1f}"


def _function(name: str) -> str:
    weight = {"a": PUBLISHED.decision, "a2": PUBLISHED.move, "b": PUBLISHED.cube}[name]
    sign = "+" if weight.inverse >= 0 else "−"
    return f"{weight.constant:.0f} {sign} {abs(weight.inverse):.0f}/N"


def plain_comparison(comparison: Comparison) -> dict[str, Any]:
    """A comparison as dictionaries, lists and numbers."""
    return {
        "matches": comparison.matches,
        "close_rule": comparison.rule.value,
        "left_out": comparison.left_out.value,
        "parts": comparison.parts,
        "scores": [
            {
                "formula": score.name,
                "log_score": score.log_score,
                "outcome_score": score.outcome_score,
                "difference": score.difference,
                "difference_error": _known(score.difference_error),
            }
            for score in comparison.scores
        ],
    }


def comparison_text(comparison: Comparison) -> str:
    """Scores of the formulas as a table."""
    what = {
        LeftOut.matches: f"one in {comparison.parts} left out at a time",
        LeftOut.lengths: "one match length left out at a time",
    }[comparison.left_out]
    rows = [["formula", "log score", "of outcomes", "against the first", "±"]]
    rows += [
        [
            score.name,
            f"{score.log_score:.5f}",
            f"{score.outcome_score:.5f}",
            f"{score.difference:+.5f}",
            f"{score.difference_error:.5f}",
        ]
        for score in comparison.scores
    ]
    return (
        f"{comparison.matches:,} matches, {what}\n{_RULES[comparison.rule]}\n\n"
        + aligned_text(rows, left={0})
        + "\nThe log score is taken of luck-adjusted results; less is better. ± is one standard "
        "error\nof the difference.\n"
    )
