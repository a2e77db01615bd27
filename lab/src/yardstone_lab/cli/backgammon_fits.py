"""`yardstone backgammon study table, fit, compare`: what needs no GNU Backgammon."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from yardstone.cli.declare import ADVANCED, Confidence, advanced, argument, option
from yardstone.cli.output import TableOutput, check_folder
from yardstone.errors import NoGamesError, UsageError
from yardstone_lab.cli.backgammon_options import FigureFolder, Rule, Seed
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, FitMethod, LeftOut, StudyModel

if TYPE_CHECKING:
    from yardstone_lab.vandendoel.table import StudyTable

__all__ = ["compare", "fit", "table"]

#: A table is packed so that equal matches make equal files.
_ENDING = ".gz"


Table = Annotated[
    Path | None,
    argument(
        "A table of matches, or results of `play` and `study`. [default: the project's own]",
        metavar="TABLE",
    ),
]


def table(
    results: list[Path] = argument(
        "Results of `play` and `study`, or tables of them to be joined.", metavar="RESULTS"
    ),
    output: Path | None = option("Write here; packed if it ends in .gz.", "--output", "-o"),
) -> None:
    """Make a table of matches from results files, for fits.

    Other tables can be joined.

    Examples
    --------
    yardstone backgammon study table results.jsonl -o matches.csv.gz
    yardstone backgammon study table matches.csv.gz more.jsonl -o all.csv.gz
    """
    from yardstone.files import replaced, write_text
    from yardstone_lab.vandendoel.table import joined, table_text

    check_folder(output)
    text = table_text(joined([_matches(path) for path in results]))
    if output is None:
        print(text, end="")
    elif output.suffix.lower() != _ENDING:
        write_text(output, text)
    else:
        with replaced(output) as temporary:
            temporary.write_bytes(gzip.compress(text.encode(), mtime=0))


def fit(
    matches: Table = None,
    *,
    model: Literal["decision", "bilinear", "both"] = option(
        "a(N) DEPD from Part I, a2(N) DEPM + b(N) DEPC from Part II, or both.", default="both"
    ),
    method: FitMethod = option(
        "As published, weighted, or on the mean results (chance).", default=FitMethod.chance
    ),
    rule: Rule = CloseRule.new,
    averaging: Averaging = advanced(
        "Error rates: mean over the matches, or over all decisions.", default=Averaging.matches
    ),
    draws: int = advanced(
        "Draw the matches anew so often for errors.", default=200, min=0, max=100_000
    ),
    seed: Seed = 1,
    confidence: Annotated[Confidence, ADVANCED] = "90",
    output: TableOutput,
    figures: FigureFolder,
) -> None:
    """Fit the formulas to a table of matches; needs no GNU Backgammon.

    Examples
    --------
    yardstone backgammon study fit
    yardstone backgammon study fit matches.csv.gz --rule 2003 --method published
    """
    from yardstone.cli.declare import confidence as parsed
    from yardstone_lab.reports.backgammon_study import fits_document
    from yardstone_lab.vandendoel.study import fit_models

    level = parsed(confidence)
    output.check()
    figures.check()
    if output.format in ("csv", "parquet") and model == "both":
        raise UsageError(
            f"{output.format} is for one model: add --model decision or --model bilinear"
        )
    models = tuple(StudyModel) if model == "both" else (StudyModel(model),)
    fits = fit_models(_matches(matches), models, method, rule, averaging, draws=draws, seed=seed)
    if not fits:
        part = {"decision": "Part I", "bilinear": "Part II"}
        raise NoGamesError(f"the table has no matches of {part.get(model, 'Part I or Part II')}")
    figures.save(fits, level)
    output.emit(fits_document(fits, level))


def compare(
    matches: Table = None,
    *,
    left_out: LeftOut = advanced(
        "A part of the matches of each setting, or a length.",
        "--leave-out",
        default=LeftOut.matches,
    ),
    parts: int = option("Deal the matches into so many parts.", default=10, min=2, max=1000),
    rule: Rule = CloseRule.new,
    seed: Seed = 1,
    output: TableOutput,
) -> None:
    """Score old and refitted formulas on matches held out.

    Examples
    --------
    yardstone backgammon study compare
    yardstone backgammon study compare matches.csv.gz --leave-out lengths
    """
    from yardstone_lab.reports.backgammon_comparison import comparison_document
    from yardstone_lab.vandendoel.comparison import compare_formulas

    output.check()
    comparison = compare_formulas(_matches(matches), rule, left_out, folds=parts, seed=seed)
    output.emit(comparison_document(comparison))


def _matches(path: Path | None) -> StudyTable:
    from yardstone_lab.vandendoel.table import from_results, own_table, read_table

    if path is None:
        return own_table()
    return from_results([path]) if path.suffix.lower() == ".jsonl" else read_table(path)
