"""Van den Doel's studies on simulated matches: ``python -m lab.studies.backgammon_simulated``.

Fits the project's own table of matches, which GNU Backgammon played, and writes
``docs/studies/backgammon-simulated.md`` with its figures, and the weights of ``--formula
refit``. The matches themselves are made by ``yardstone backgammon study part1`` and so on
(hours), and packed into the table by ``yardstone backgammon study table``.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

import yardstone
from lab.studies.backgammon.formula_fit import formula_of_fits
from yardstone.files import write_text
from yardstone.reports.document import Document, Section
from yardstone.reports.text import document_text
from yardstone_lab.reports.backgammon import (
    cells_sections,
    coefficient_chart,
    comparison_document,
    fit_sections,
    part_one_chart,
    part_two_chart,
)
from yardstone_lab.vandendoel.choices import CloseRule, FitMethod, LeftOut, StudyModel
from yardstone_lab.vandendoel.comparison import compare_formulas
from yardstone_lab.vandendoel.fit import StudyFit, fit_study
from yardstone_lab.vandendoel.play import (
    PUBLISHED_MEASUREMENTS,
    MatchSetting,
    depth_check,
    measurements,
    strong_check,
)
from yardstone_lab.vandendoel.tables import (
    Cells,
    StudyTable,
    is_part_one,
    is_part_two,
    make_cells,
    own_table,
)

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "studies"
#: The weights of ``--formula refit``.
REFIT = Path(__file__).resolve().parents[2] / "src/yardstone/backgammon/data/refit.json"
SEED = 1
#: Draws for the errors of each fit.
DRAWS = 1000
GNUBG = "GNU Backgammon 1.07.001 (Debian), on an AMD EPYC"
#: Coefficients in the summary: name, function and what it is.
PUBLISHED = {"a": (11971, 23681), "a2": (8798, 25526), "b": (863, -519)}


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    table = own_table()
    fits = {
        (model, method, rule): fit_study(table, model, method, rule, draws=DRAWS, seed=SEED)
        for model in StudyModel
        for method in FitMethod
        for rule in CloseRule
    }
    one = fits[StudyModel.decision, FitMethod.chance, CloseRule.old]
    two = fits[StudyModel.bilinear, FitMethod.chance, CloseRule.old]
    part_one_chart(one).save(FOLDER / "backgammon_part1.svg")
    coefficient_chart(one).save(FOLDER / "backgammon_part1_coefficient.svg")
    part_two_chart(two).save(FOLDER / "backgammon_part2.svg")
    coefficient_chart(two).save(FOLDER / "backgammon_part2_coefficients.svg")
    parts = [
        head(table),
        "## The functions of the length\n",
        "Published, and fitted in three ways with close cube decisions counted in two "
        "([](../how-to/backgammon-study.md) explains both); ± is one standard error.\n",
        summary(fits),
        "## Part I\n",
        block([*fit_sections(one), *cells_sections(one.cells)]),
        "![Rating difference and error rate](backgammon_part1.svg)\n",
        "![N a(N)](backgammon_part1_coefficient.svg)\n",
        "## Part II\n",
        block([*fit_sections(two), *cells_sections(two.cells)]),
        "![Separate cube errors](backgammon_part2.svg)\n",
        "![N a2(N) and N b(N)](backgammon_part2_coefficients.svg)\n",
        "## Old and new formulas on matches left out\n",
        *(
            block(comparison_document(compare_formulas(table, rule, left_out, seed=SEED)))
            for rule in CloseRule
            for left_out in LeftOut
        ),
        *others(table),
    ]
    write_text(FOLDER / "backgammon-simulated.md", "\n".join(parts))
    one, two = (fits[model, FitMethod.chance, CloseRule.new] for model in StudyModel)
    formula = formula_of_fits(one, two, "refit")
    write_text(REFIT, json.dumps(rounded(formula.as_record())) + "\n")


def rounded(value: Any) -> Any:
    """Numbers to seven digits, in whatever holds them."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value


def head(table: StudyTable) -> str:
    parts = [[is_part(s) for s in table.settings] for is_part in (is_part_one, is_part_two)]
    counts = [int(np.array(part)[table.setting].sum()) for part in parts]
    return f"""# Simulated backgammon matches

`python -m lab.studies.backgammon_simulated`, Yardstone {yardstone.__version__}, \
{datetime.now(UTC):%d %B %Y}, seed {SEED}. {GNUBG}, played \
{len(table):,} matches: {counts[0]:,} of Part I, {counts[1]:,} of Part II (with the rows \
of Appendix II that are of its kind), the others for the checks below. \
All were analysed at 0 plies unless it is said otherwise.
"""


def summary(fits: dict[tuple[StudyModel, FitMethod, CloseRule], StudyFit]) -> str:
    lines = ["| fit | close | a(N) | a2(N) | b(N) |", "|---|---|---|---|---|"]
    published = " | ".join(f"{c} {d:+}/N" for c, d in PUBLISHED.values())
    lines.append(f"| van den Doel | 2003 | {published} |")
    for method in FitMethod:
        for rule in CloseRule:
            cells = [
                f"{c.weight.constant:.0f} ± {c.constant_error:.0f} "
                f"{c.weight.inverse:+.0f}/N ± {c.inverse_error:.0f}"
                for model in StudyModel
                for c in fits[model, method, rule].coefficients
            ]
            lines.append(f"| {method.value} | {rule.value} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def others(table: StudyTable) -> list[str]:
    """The checks beside the two parts, as far as the table has them."""
    deep = [replace(s, analyses=(p,)) for s in depth_check() for p in s.analyses]
    twice = table.number[_rows(table, deep[1:])]  # those analysed at both depths
    checks = {
        "Deterministic noise, which is biased": _rows(
            table, [s for s in table.settings if s.deterministic]
        ),
        "The same matches analysed at 0 and at 2 plies": _rows(table, deep)
        & np.isin(table.number, twice),
        "World class against expert": _rows(table, strong_check()),
        "Appendix II": _rows(table, list(measurements().values())),
    }
    result = []
    for title, rows in checks.items():
        if rows.any():
            cells = make_cells(table.take(rows), CloseRule.old)
            result += [f"## {title}\n", block(cells_sections(cells)), rates(cells)]
    return [*result, against_appendix(table)]


def against_appendix(table: StudyTable) -> str:
    """Each row of Appendix II beside ours, with the difference in standard errors."""
    lines = [
        "| Appendix II | published R | 90 % | matches | R | 90 % | off |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, setting in measurements().items():
        rows = _rows(table, [setting])
        if not rows.any():
            continue
        cells = make_cells(table.take(rows), CloseRule.old)
        value, low, high = PUBLISHED_MEASUREMENTS[name]
        error = (high - low) / 2.0 / float(ndtri(0.95))
        own, own_error = float(cells.rating[0]), float(cells.rating_error[0])
        ends = [float(end[0]) for end in cells.rating_interval()]
        lines.append(
            f"| {name} | {value:.0f} | {low:.0f} to {high:.0f} | {cells.matches[0]:.0f} "
            f"| {own:.0f} | {ends[0]:.0f} to {ends[1]:.0f} "
            f"| {(own - value) / np.hypot(error, own_error):+.1f} |"
        )
    words = (
        "*expInt* plays chequers like an expert and handles the cube like an intermediate player; "
        "*off*: standard errors, of both measurements, by which ours lies above the published one."
    )
    return "\n".join(lines) + f"\n\n{words}\n"


def _rows(table: StudyTable, settings: list[MatchSetting]) -> NDArray[np.bool_]:
    chosen = np.array([s in settings for s in table.settings], bool)
    return np.asarray(chosen[table.setting], np.bool_)


def rates(cells: Cells) -> str:
    """Error rates of both players, as Appendix II gives them."""
    lines = [
        "| N | analysed | first | second | EPM | | EPC | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for k, s in enumerate(cells.settings):
        if not cells.judged[k]:
            continue
        numbers = [*cells.move_error[k], *cells.cube_error[k]]
        lines.append(
            f"| {s.length} | {s.analyses[0]}-ply | {s.first} | {s.second} | "
            + " | ".join(f"{number:.4f}" for number in numbers)
            + " |"
        )
    return "\n".join(lines) + "\n"


def block(report: Document | list[Section]) -> str:
    document = report if isinstance(report, Document) else Document("", sections=report)
    return f"```text\n{document_text(document).rstrip()}\n```\n"


if __name__ == "__main__":
    main()
