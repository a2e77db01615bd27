"""The reports and charts of van den Doel's study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.reports.chart import Axis, Chart, Mark, Panel, Points, Stroke
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table
from yardstone.reports.words import known, known_values, per_cent
from yardstone_lab.vandendoel.choices import CloseRule, FitMethod, LeftOut, StudyModel
from yardstone_lab.vandendoel.fit import Bump, StudyFit, chance_of_largest, find_bumps
from yardstone_lab.vandendoel.tables import LEVEL, Cells, published_weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.reports.document import Kind
    from yardstone.reports.drawing import Drawn
    from yardstone_lab.vandendoel.comparison import Comparison
    from yardstone_lab.vandendoel.fit import Coefficient, StudyResult

    Array = NDArray[np.float64]

__all__ = [
    "coefficient_chart",
    "part_one_chart",
    "part_two_chart",
    "RULES",
    "cells_sections",
    "fit_sections",
    "fits_document",
    "study_document",
    "study_drawings",
    "comparison_document",
]

_DASH = (5.0, 3.0)


def _measured(
    fit: StudyFit, rows: NDArray[np.bool_], level: float, style: tuple[str, str, str]
) -> Points:
    """Rating differences of cells with their intervals."""
    low, high = (end[rows] for end in fit.cells.rating_interval(level))
    rating = fit.cells.rating[rows]
    low, high = (np.where(np.isnan(end), rating, end) for end in (low, high))
    return Points(fit.cells.depd[rows], rating, *style, 3.2, along=(low, high))


def _panel(length: float, marks: list[Mark]) -> Panel:
    title = f"{length:.0f} point{'s' if length > 1 else ''}"
    x = Axis("DEPD", grid=True)
    return Panel(x, Axis("R", grid=True), marks, title)


def part_one_chart(fit: StudyFit, *, level: float = LEVEL) -> Chart:
    """Rating difference against the difference of error rates, a panel for each length.

    Dots with intervals are the cells; pairings of which neither player is free of noise
    are squares. Lines: the fit at this length, and the published formula.
    """
    cells = fit.cells
    noisy = np.array([setting.first.chequer_noise > 0.0 for setting in cells.settings])
    panels = []
    for place, length in enumerate(np.unique(cells.length)):
        here = cells.length == length
        end = np.array([0.0, 1.05 * fit.cells.depd[here].max()])
        by_formula = published_weight("a")(length) * end
        by_fit = fit.coefficients[0].values[place] * end
        marks: list[Mark] = [
            Stroke(end, by_formula, "soft", "11971 + 23681/N", 1.3, _DASH),
            Stroke(end, by_fit, "c2", "fit", 1.5),
            _measured(fit, here & ~noisy, level, ("c1", "one player free of noise", "circle")),
            _measured(fit, here & noisy, level, ("c3", "both with noise", "square")),
        ]
        panels.append(_panel(float(length), marks))
    title = f"Rating difference and error rate, {100 * level:g} % intervals"
    return Chart(panels, title, columns=3, height=200.0)


def part_two_chart(fit: StudyFit, *, level: float = LEVEL) -> Chart:
    """Measured rating differences with what both published formulas and the fit say."""
    by_part_one = fit.cells.published_rating(StudyModel.decision)
    by_part_two = fit.cells.published_rating(StudyModel.bilinear)
    panels = []
    for length in np.unique(fit.cells.length):
        here = fit.cells.length == length
        x = fit.cells.depd[here]
        marks: list[Mark] = [
            _measured(fit, here, level, ("c3", "measured", "circle")),
            Points(x, by_part_one[here], "c2", "a(N) DEPD, published", shape="cross"),
            Points(x, by_part_two[here], "c1", "a2(N) DEPM + b(N) DEPC, published", shape="plus"),
            Points(x, fit.fitted[here], "ink", "fit", shape="dash"),
        ]
        panels.append(_panel(float(length), marks))
    title = f"Rating difference with separate cube errors, {100 * level:g} % intervals"
    return Chart(panels, title, columns=3, height=200.0)


def coefficient_chart(fit: StudyFit) -> Chart:
    """N a(N), or N a2(N) and N b(N), against the length, with the straight lines through them."""
    panels = []
    for coefficient in fit.coefficients:
        lengths = np.array(coefficient.lengths, np.float64)
        values = lengths * coefficient.values
        reach = np.nan_to_num(lengths * coefficient.errors)
        ends = np.linspace(0.0, 1.05 * lengths.max(), 2)
        ours, theirs = coefficient.weight, published_weight(coefficient.name)
        marks: list[Mark] = [
            Stroke(ends, theirs.constant * ends + theirs.inverse, "soft", "published", 1.3, _DASH),
            Stroke(ends, ours.constant * ends + ours.inverse, "c2", "fit", 1.5),
            Points(
                lengths,
                values,
                "c1",
                "± one standard error",
                along=(values - reach, values + reach),
            ),
        ]
        x = Axis("match length N", grid=True)
        panels.append(Panel(x, Axis(grid=True), marks, f"N {coefficient.name}(N)"))
    words = "Coefficients of the formula times the match length, against it"
    return Chart(panels, words=words, columns=2, height=240.0)


Row = Mapping[str, Any]

#: What a rule is called in reports.
RULES = {
    CloseRule.old: "close cube decisions counted as in 2003",
    CloseRule.new: "close cube decisions counted as GNU Backgammon does since 2006",
}
_METHODS = {
    FitMethod.published: "least squares on rating points, unweighted (as published)",
    FitMethod.weighted: "least squares on rating points, weighted",
    FitMethod.chance: "weighted least squares on mean results",
}
_PLAYER: dict[str, Kind] = {
    "chequer_noise": "number",
    "cube_noise": "number",
    "plies": "integer",
    "cube_plies": "integer",
}


def study_document(result: StudyResult, level: float = LEVEL) -> Document:
    """What played matches show, with the fits if there are any."""
    assert result.cells is not None
    cells = result.cells
    sections = [section for fit in result.fits for section in fit_sections(fit, level)]

    def plain() -> dict[str, Any]:
        return {
            "confidence": level,
            "close_rule": result.rule.value,
            "cells": _plain_cells(cells, level),
            "fits": [_plain_fit(fit) for fit in result.fits],
        }

    return Document(
        "Matches of GNU Backgammon",
        sections=[*sections, *cells_sections(cells, level)],
        records=_cell_table(cells, level),
        plain=plain,
    )


def fits_document(fits: Sequence[StudyFit], level: float = LEVEL) -> Document:
    """Fits, each with its cells; of a single one the cells are the records."""

    def plain() -> dict[str, Any]:
        values = [{**_plain_fit(fit), "cells": _plain_cells(fit.cells, level)} for fit in fits]
        return {"confidence": level, "fits": values}

    return Document(
        "Van den Doel's formulas",
        sections=[
            section
            for fit in fits
            for section in (*fit_sections(fit, level), *cells_sections(fit.cells, level))
        ],
        records=_cell_table(fits[0].cells, level) if len(fits) == 1 else None,
        plain=plain,
    )


def study_drawings(fit: StudyFit, level: float = LEVEL) -> dict[str, Callable[[], Drawn]]:
    """Makers of van den Doel's figures of a fit, by the names of their files."""
    if fit.model is StudyModel.decision:
        return {
            "part1": lambda: part_one_chart(fit, level=level),
            "part1-coefficient": lambda: coefficient_chart(fit),
        }
    return {
        "part2": lambda: part_two_chart(fit, level=level),
        "part2-coefficients": lambda: coefficient_chart(fit),
    }


def _cell_rows(cells: Cells, level: float) -> list[dict[str, Any]]:
    """A row a cell, with numbers that are infinite or not known where it does not tell them."""
    low, high = cells.rating_interval(level)
    columns = {
        "chance": cells.chance,
        "chance_error": cells.chance_error,
        "rating": cells.rating,
        "rating_low": low,
        "rating_high": high,
        "depd": cells.depd,
        "first_epm": cells.move_error[:, 0],
        "second_epm": cells.move_error[:, 1],
        "first_epc": cells.cube_error[:, 0],
        "second_epc": cells.cube_error[:, 1],
        "first_epd": cells.decision_error[:, 0],
        "second_epd": cells.decision_error[:, 1],
    }
    for name, model in (("part1", StudyModel.decision), ("part2", StudyModel.bilinear)):
        formula = cells.published_rating(model)
        columns |= {f"{name}_formula": formula, f"{name}_off": cells.deviations(formula)}
    for name in ("depd", *(f"part{part}_{what}" for part in (1, 2) for what in ("formula", "off"))):
        columns[name] = np.where(cells.judged, columns[name], np.nan)
    return [
        {
            **setting.as_record(),
            "matches": int(cells.matches[row]),
            **{name: float(values[row]) for name, values in columns.items()},
        }
        for row, setting in enumerate(cells.settings)
    ]


def _plain_cells(cells: Cells, level: float) -> list[dict[str, Any]]:
    return [
        {name: known(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in _cell_rows(cells, level)
    ]


def _cell_table(cells: Cells, level: float) -> Table:
    """Each cell with its interval beside the two published formulas."""

    def number(name: str, heading: str = "", form: Any = None) -> Column:
        show = None if form is None else lambda row: form(row[name])
        return Column(name, lambda row: row[name], heading, "number", show=show)

    def player(side: str) -> list[Column]:
        def part(name: str, kind: Kind) -> Column:
            return Column(f"{side}_{name}", lambda row: row[side][name], kind=kind)

        columns = [part(name, kind) for name, kind in _PLAYER.items()]
        return [Column("", lambda row: _player(row[side]), side), *columns]

    deep = any(setting.analyses[0] for setting in cells.settings)
    columns = [
        Column("length", lambda row: row["length"], "N", "integer"),
        *player("first"),
        *player("second"),
        Column("analyses", lambda row: " ".join(map(str, row["analyses"]))),
        Column("noise", lambda row: row["noise"]),
        Column("", lambda row: f"{row['analyses'][0]}-ply", "analysed" if deep else "", left=False),
        Column("matches", lambda row: row["matches"], "matches", "integer", "d"),
        number("chance"),
        number("chance_error"),
        Column("", lambda row: _rate(row["depd"]), "DEPD", left=False),
        number("rating", "R", _points),
        Column(
            "",
            lambda row: f"{_points(row['rating_low'])} to {_points(row['rating_high'])}",
            per_cent(level),
            left=False,
        ),
        *map(number, ("rating_low", "rating_high", "depd")),
        *(number(f"{side}_{rate}") for rate in ("epm", "epc", "epd") for side in _SIDES),
        number("part1_formula", "a DEPD", _points),
        number("part1_off", "off", _signed),
        number("part2_formula", "a2 DEPM + b DEPC", _points),
        number("part2_off", "off", _signed),
    ]
    return Table(columns, _cell_rows(cells, level), noun="cell")


_SIDES = ("first", "second")


def cells_sections(cells: Cells, level: float = LEVEL) -> list[Section]:
    """The cells, and what their columns mean."""
    lines = [
        "Players: noise of moves, of cube decisions if another, and plies if any.",
        "R: points that the first player is ahead. off: standard errors that the mean result "
        "lies above the formula's.",
    ]
    if not cells.judged.all():
        lines.append(
            "–: a player thinks more deeply than the analysis, which sees errors where it errs "
            "itself. R does not depend on it: luck is fair however it is measured."
        )
    return [Section(blocks=[_cell_table(cells, level)]), Section(blocks=[Lines(lines)])]


def _player(player: Row) -> str:
    text = f"{player['chequer_noise']:g}"
    if player["cube_noise"] != player["chequer_noise"]:
        text += f"/{player['cube_noise']:g}"
    if player["plies"] or player["cube_plies"]:
        text += f" {player['plies']}-ply"
    if player["cube_plies"] != player["plies"]:
        text += f", cube {player['cube_plies']}-ply"
    return text


def _points(value: float) -> str:
    if isfinite(value):
        return f"{value:.0f}"
    return "–" if isnan(value) else "∞" if value > 0 else "−∞"


def _rate(value: float) -> str:
    return "–" if isnan(value) else f"{value:.4f}"


def _signed(value: float) -> str:
    return f"{value:+.1f}" if isfinite(value) else "–"


def _bumps(fit: StudyFit) -> list[Bump]:
    return find_bumps(fit.cells) if fit.model is StudyModel.decision else []


def _plain_fit(fit: StudyFit) -> dict[str, Any]:
    ratings = {
        "each_length": fit.fitted,
        "function_of_length": fit.smooth,
        "published": fit.cells.published_rating(fit.model),
    }
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
        "chi_square": {name: known(value) for name, (value, _) in chi.items()},
        "chi_square_cells": chi["published"][1],
        "bumps": [
            {
                **known_values(bump),
                "deviations": known(bump.deviations),
                "ratio_interval": [known(end) for end in bump.ratio_interval()],
            }
            for bump in _bumps(fit)
        ],
    }


def _plain_coefficient(coefficient: Coefficient) -> dict[str, Any]:
    lengths = coefficient.lengths
    published = published_weight(coefficient.name)(np.array(lengths, np.float64))
    rows = zip(lengths, coefficient.values, coefficient.errors, published, strict=True)
    return {
        "name": coefficient.name,
        "lengths": [
            {
                "length": length,
                "value": known(value),
                "error": known(error),
                "published": float(formula),
            }
            for length, value, error, formula in rows
        ],
        "constant": known(coefficient.weight.constant),
        "constant_error": known(coefficient.constant_error),
        "inverse": known(coefficient.weight.inverse),
        "inverse_error": known(coefficient.inverse_error),
        "correlation": known(coefficient.correlation),
    }


def fit_sections(fit: StudyFit, level: float = LEVEL) -> list[Section]:
    """A fit in words and tables, with its figures."""
    plain, unused = _plain_fit(fit), int((~fit.used).sum())
    terms = ("DEPD",) if fit.model is StudyModel.decision else ("DEPM", "DEPC")
    names = [coefficient.name for coefficient in fit.coefficients]
    formula = " + ".join(f"{name}(N) {term}" for name, term in zip(names, terms, strict=True))
    about = [
        f"{_METHODS[fit.method]}; {RULES[fit.rule]}",
        f"{len(fit.cells)} cells of {fit.cells.matches.sum():,.0f} matches"
        + (f", without {unused} whose mean result allows no rating" if unused else ""),
    ]
    chi = {name: "?" if v is None else f"{v:.1f}" for name, v in plain["chi_square"].items()}
    functions = [
        f"{c.name}(N) = {_with_error(c.weight.constant, c.constant_error)} + "
        f"{_with_error(c.weight.inverse, c.inverse_error)}/N"
        f"    published: {_function(c.name)}"
        for c in fit.coefficients
    ]
    sections = [
        Section(f"R = {formula}", [Lines(about)]),
        Section(blocks=[_coefficient_table(fit)]),
        Section(
            blocks=[
                Lines(functions),
                Lines(
                    [
                        f"Squared deviations of {plain['chi_square_cells']} mean results, in "
                        f"standard errors: {chi['each_length']} with a coefficient for each "
                        f"length, {chi['function_of_length']} with the functions of N, "
                        f"{chi['published']} with the published ones.",
                        "± is one standard error, by resampling the matches.",
                    ]
                ),
                *map(Picture, study_drawings(fit, level).values()),
            ]
        ),
    ]
    if bumps := _bumps(fit):
        chance = 100 * chance_of_largest(bumps)
        words = (
            f"Chance alone makes the largest of {len(bumps)} as large in {chance:.0f} % of such "
            "studies."
        )
        title = "R/DEPD where one player is free of noise, and where both have it:"
        sections.append(Section(title, [_bump_table(bumps), Lines([words])]))
    return sections


def _coefficient_table(fit: StudyFit) -> Table:
    cells = []
    for k, length in enumerate(fit.coefficients[0].lengths):
        row = [str(length)]
        for c in fit.coefficients:
            published = float(published_weight(c.name)(length))
            row += [_points(c.values[k]), _points(c.errors[k]), _points(published)]
        cells.append(row)
    heads = [head for c in fit.coefficients for head in (f"{c.name}(N)", "±", "published")]
    return Table.of_cells(["N", *heads], cells, left=0)


def _bump_table(bumps: Sequence[Bump]) -> Table:
    cells = [
        [
            str(bump.length),
            *map(_points, (bump.free, bump.free_error, bump.noisy, bump.noisy_error)),
            _signed(bump.deviations),
            "{:.2f} to {:.2f}".format(*bump.ratio_interval()),
        ]
        for bump in bumps
    ]
    heads = ["N", "one free", "±", "both noisy", "±", "off", "ratio, 95 %"]
    return Table.of_cells(heads, cells, left=0)


def _with_error(value: float, error: float) -> str:
    return f"({_points(value)} ± {_points(error)})"


def _function(name: str) -> str:
    weight = published_weight(name)
    sign = "+" if weight.inverse >= 0 else "−"
    return f"{weight.constant:.0f} {sign} {abs(weight.inverse):.0f}/N"


def comparison_document(comparison: Comparison) -> Document:
    """Scores of the formulas on matches left out."""
    part = {
        LeftOut.matches: f"one in {comparison.parts} left out at a time",
        LeftOut.lengths: "one match length left out at a time",
    }[comparison.left_out]

    def number(name: str, heading: str, form: str = ".5f") -> Column:
        return Column(name, lambda score: getattr(score, name), heading, "number", form)

    columns = [
        Column("formula", lambda score: score.name, "formula"),
        number("log_score", "log score"),
        number("outcome_score", "of outcomes"),
        number("difference", "against the first", "+.5f"),
        number("difference_error", "±"),
    ]
    table = Table(columns, comparison.scores, noun="formula")
    notes = [
        "The log score is taken of luck-adjusted results; less is better. ± is one standard "
        "error of the difference."
    ]

    def plain() -> dict[str, Any]:
        return {
            "matches": comparison.matches,
            "close_rule": comparison.rule.value,
            "left_out": comparison.left_out.value,
            "parts": comparison.parts,
            "scores": [
                {"formula": values.pop("name"), **values}
                for values in map(known_values, comparison.scores)
            ],
        }

    return Document(
        "Formulas compared",
        [f"{comparison.matches:,} matches, {part}", RULES[comparison.rule]],
        [Section(blocks=[table]), Section(blocks=[Lines(notes)])],
        records=table,
        plain=plain,
    )
