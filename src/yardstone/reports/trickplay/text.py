"""Rated trick plays as text: what was found, the table, and the surprising cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.aligned import aligned
from yardstone.reports.statements import plural
from yardstone.reports.trickplay.report import found_row, shown_difference, trickplay_rows

if TYPE_CHECKING:
    from yardstone.reports.trickplay.report import TrickplayReport
    from yardstone.strength.trickplay.completion import Completion
    from yardstone.strength.trickplay.rating import Moves

__all__ = [
    "conclusion",
    "found_conclusion",
    "found_table",
    "problem_table",
    "surprises",
    "text_found",
    "text_trickplay",
]


def conclusion(report: TrickplayReport) -> list[str]:
    """How often the refutation is rated above the failure, and what was rated."""
    compared = report.compared
    above = sum(not problem.surprising for problem in compared)
    boards = sum(len(problem.completion.boards) for problem in report.problems)
    lines = [
        f"{plural(len(report.problems), 'problem')} on {plural(boards, 'board')} "
        f"from {plural(report.games, 'game')}; "
        f"ratings on the {report.scale.title} scale, by {report.model} with {report.network}",
        f"Rated: {_rated_moves(report.moves)}",
    ]
    if compared:
        means = (
            np.mean([rated.rating for rated in pair])
            for pair in zip(*((p.failure, p.refutation) for p in compared), strict=True)
            if all(rated is not None for rated in pair)
        )
        failure, refutation = (report.scale.value(float(mean)) for mean in means)
        lines += [
            f"The refutation is rated above the failure in {above} of "
            f"{plural(len(compared), 'problem')}",
            f"Mean rating of the failures: {_number(report, failure)}, "
            f"of the refutations: {_number(report, refutation)}",
        ]
    lines += list(_unfound([problem.completion for problem in report.problems]))
    return lines


def _rated_moves(moves: Moves) -> str:
    if moves == "all":
        return "all moves of the side to answer"
    if moves == "equal":
        return "of each variation as many moves of the side to answer as the shortest one has"
    return f"the first {plural(int(moves), 'move')} of the side to answer"


def _unfound(completions: Sequence[Completion]) -> Iterator[str]:
    """Which problems do not occur as they are, and which not at all."""
    reduced = [each.problem.name for each in completions if each.put_back]
    if reduced:
        yield f"Found only without the last stones, which were put back: {', '.join(reduced)}"
    passed = [
        each.problem.name
        for each in completions
        if not each.put_back and any(c.kind == "pass" for b in each.boards for c in b.changes)
    ]
    if passed:
        yield f"Found only with the turn of the other side, which passes: {', '.join(passed)}"
    missing = [each.problem.name for each in completions if not each.boards]
    if missing:
        yield f"Not found: {', '.join(missing)}"


def _number(report: TrickplayReport, value: float) -> str:
    return f"{value:.{report.scale.digits}f}"


def problem_table(report: TrickplayReport) -> list[list[str]]:
    """Headings and cells: failure, refutation and their difference of each problem."""
    rows = [["Problem", "Failure", "Refutation", "Difference", ""]]
    for row in trickplay_rows(report):
        cells = [row["problem"]]
        for kind in ("failure", "refutation"):
            rating, rank = row[f"{kind}_rating"], row[f"{kind}_rank"]
            if rating is None:
                cells.append("")
            else:
                cells.append(_number(report, rating) + (f" ({rank})" if rank else ""))
        difference = row["difference"]
        cells.append("" if difference is None else f"{difference:+.{report.scale.digits}f}")
        rows.append([*cells, "*" if row["surprising"] else ""])
    return rows


def surprises(report: TrickplayReport) -> list[str]:
    """The problems whose failure is rated as high as the refutation, by how much."""
    cases = [problem for problem in report.compared if problem.surprising]
    cases.sort(key=lambda problem: problem.difference or 0.0)
    return [
        f"{problem.problem.name}: {shown_difference(report, problem):+.{report.scale.digits}f}"
        for problem in cases
    ]


def text_trickplay(report: TrickplayReport) -> str:
    """The table, what it says, and the surprising cases; ends with a newline."""
    lines = [*conclusion(report), ""]
    lines += aligned(problem_table(report), left={0, 4})
    if cases := surprises(report):
        lines += ["", "* rated as high as the refutation, or higher:"]
        lines += [f"  {case}" for case in cases]
    return "\n".join(lines) + "\n"


def found_conclusion(completions: Sequence[Completion], games: int, positions: int) -> list[str]:
    """How many problems occur, and which do not."""
    there = sum(bool(each.found) for each in completions)
    return [
        f"{plural(len(completions), 'problem')} in {plural(games, 'game')} "
        f"({positions:,} positions): {there} found as they are",
        *_unfound(completions),
    ]


def found_table(completions: Sequence[Completion]) -> list[list[str]]:
    """Headings and cells: where each problem was found first."""
    rows = [["Problem", "Bounds", "Found", "Move", "Game", "Changes"]]
    for each in completions:
        row = found_row(each)
        several = f":{row['game_line']}" if row["game_line"] and row["game_line"] > 1 else ""
        rows.append(
            [
                row["problem"],
                row["bounds"],
                f"{row['found']:,}",
                "" if row["moves"] is None else str(row["moves"]),
                row["game"] + several,
                row["changes"],
            ]
        )
    return rows


def text_found(completions: Sequence[Completion], games: int, positions: int) -> str:
    """Where each problem was found; ends with a newline."""
    lines = found_conclusion(completions, games, positions)
    table = aligned(found_table(completions), left={0, 1, 4, 5})
    return "\n".join([*lines, "", *table]) + "\n"
