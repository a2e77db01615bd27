"""`yardstone trickplay find`: games in which the positions of problems stand."""

from __future__ import annotations

from yardstone.cli.output import TableOutput
from yardstone.cli.progress import stage_bars
from yardstone.cli.trickplay.options import Boards, ProblemOptions, finish

__all__ = ["find"]


def find(problems: ProblemOptions, output: TableOutput, boards: Boards = 1) -> None:
    """Find the positions of problems in games, in any orientation.

    All eight symmetries, and the colours as they are and exchanged. No network is
    needed.

    Examples
    --------
    yardstone trickplay find trickplay.txt --games professional.sgf
    yardstone trickplay find trickplay.txt --games professional.sgf --sgf found.sgf
    """
    output.check(problems.sgf)
    from yardstone.reports.trickplay.problems import found_document
    from yardstone.strength.trickplay.problem_files import find_problem_files

    result = find_problem_files(problems.sought(boards), progress=stage_bars(quiet=output.quiet))
    output.emit(found_document(result))
    finish(problems, result, quiet=output.quiet)
