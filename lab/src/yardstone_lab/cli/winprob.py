"""`yardstone winprob trace, compare`: Kaniuk's fit through the years, and beside other forms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from yardstone.cli.declare import Confidence, Seed, option
from yardstone.cli.output import Output, TableOutput
from yardstone.errors import UsageError

__all__ = ["compare", "trace"]


def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Dated games with grades.")],
    *,
    years: int = option(5, "Years in a window.", min=1),
    follow: str = option("10k,2d", "Grades whose probabilities to follow.", metavar="GRADES"),
    figure: Literal["measured", "coefficients", "model"] = option(
        "coefficients", "What --plot draws: measured ratios, coefficients, model."
    ),
    output: Output,
) -> None:
    """Follow ratios and coefficients through a moving window of years.

    Examples
    --------
    yardstone winprob trace graded_games_simulated.csv --years 5 --plot trace.svg
    """
    from yardstone.grades import parse_grade
    from yardstone.winprob.statistics import read_graded_games
    from yardstone_lab.kaniuk.trace import trace as follow_windows
    from yardstone_lab.reports.winprob_trace import trace_document

    output.check()
    grades = [int(parse_grade(word)) for word in follow.split(",") if word.strip()]
    if not grades or min(grades) < -20 or max(grades) > 6:
        raise UsageError("--follow takes grades from 20k to 7d")
    result = follow_windows(read_graded_games(file), years=years, grades=grades)
    output.emit(trace_document(result, figure))


def compare(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Games with grades.")],
    *,
    folds: int = option(10, "Parts of the cross-validation.", min=2),
    by_event: bool = option(False, "Leave out whole events, not single games.", "--by-event"),
    seed: Seed = 0,
    confidence: Confidence = "95",
    output: TableOutput,
) -> None:
    """Cross-validate the published form against others.

    Examples
    --------
    yardstone winprob compare graded_games_simulated.csv --by-event
    """
    from yardstone.cli import declare
    from yardstone.winprob.games import GameColumns
    from yardstone.winprob.statistics import read_graded_games
    from yardstone_lab.kaniuk.cross_validation import cross_validate
    from yardstone_lab.reports.winprob_comparison import comparison_document

    output.check()
    level = declare.confidence(confidence)
    games = GameColumns.from_pool(read_graded_games(file), group="event" if by_event else None)
    comparison = cross_validate(games, folds=folds, seed=seed)
    output.emit(comparison_document(comparison, level=level))
