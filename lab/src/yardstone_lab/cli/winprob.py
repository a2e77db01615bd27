"""`yardstone winprob trace, compare`: Kaniuk's fit through the years, and beside other forms."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from yardstone.cli.declare import Confidence, Seed, argument, flag, option
from yardstone.cli.output import Output, TableOutput
from yardstone.errors import UsageError

__all__ = ["compare", "trace"]


def trace(
    file: Path = argument("Dated games with grades.", metavar="FILE"),
    *,
    years: int = option("Years in a window.", default=5, min=1),
    follow: str = option(
        "Grades whose probabilities to follow.", default="10k,2d", metavar="GRADES"
    ),
    figure: Literal["measured", "coefficients", "model"] = option(
        "What --plot draws: measured ratios, coefficients, model.", default="coefficients"
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
    file: Path = argument("Games with grades.", metavar="FILE"),
    *,
    folds: int = option("Parts of the cross-validation.", default=10, min=2),
    by_event: bool = flag("Leave out whole events, not single games."),
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
