"""`yardstone winprob stats, fit`: from games to the model."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.options import Confidence
from yardstone.cli.output import Output
from yardstone.errors import UsageError

__all__ = ["fit", "stats"]

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES",
        help="Games with grades (CSV, SGF, files of tournaments), or tables of winning "
        "statistics: as the European Go Database publishes them, or CSV with "
        "grade,difference,wins,games.",
    ),
]
Begin = Annotated[
    str | None, typer.Option("--from", metavar="DATE", help="Use games from this day on.")
]
End = Annotated[str | None, typer.Option("--to", metavar="DATE", help="Use games up to this day.")]


class ModelFitMethod(StrEnum):
    """How coefficients are fitted."""

    likelihood = "likelihood"
    newton = "newton"
    conjugate = "conjugate"


class LinkFunction(StrEnum):
    """From strengths to a probability."""

    erf = "erf"
    logistic = "logistic"


def stats(
    files: Files,
    *,
    begin: Begin = None,
    end: End = None,
    differences: Annotated[
        int, typer.Option(min=1, max=40, help="Largest difference of grades to use.")
    ] = 4,
    output: Output,
) -> None:
    """Tabulate how often the weaker player wins, by grade.

    The text is in the layout of the European Go Database.

    Examples
    --------
    yardstone winprob stats graded_games_simulated.csv --from 2016-01-01 --plot figure.svg
    """
    from yardstone.reports.winprob.statistics import statistics_document
    from yardstone.winprob.statistics_files import statistics_of_files

    output.check()
    statistics = statistics_of_files(files, begin=begin, end=end, differences=differences)
    output.emit(statistics_document(statistics))


def fit(
    files: Files,
    *,
    method: Annotated[
        ModelFitMethod,
        typer.Option(
            help="Binomial likelihood, or the published least squares by Newton steps or "
            "conjugate gradients."
        ),
    ] = ModelFitMethod.likelihood,
    free: Annotated[
        str, typer.Option(metavar="NAMES", help="Coefficients to fit, such as u0,v0,u1,u3,K.")
    ] = "u0,v0,u1,u3,K",
    all_games: Annotated[
        bool,
        typer.Option(
            "--all-games",
            help="Likelihood: use every difference of grades, colours, komi and handicap games, "
            "with intervals over events or players; allows black, komi, stone, low and lapse in "
            "--free, and those not named are zero (a stone is a grade).",
        ),
    ] = False,
    begin: Begin = None,
    end: End = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="SAMPLES",
            help="Least squares: intervals from this many tables simulated from the fit, 39 or "
            "more.",
        ),
    ] = 0,
    probability: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GRADES",
            help="Likelihood: show the probability between two grades such as 2d,4d, with its "
            "interval. Repeatable.",
        ),
    ] = None,
    link: Annotated[
        LinkFunction,
        typer.Option(help="All games: from strengths to a probability, erf as published."),
    ] = LinkFunction.erf,
    event_games: Annotated[
        float | None,
        typer.Option(
            metavar="GAMES",
            help="All games: an event counts as so many independent games at most; the model "
            "that ships has 100.",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save the fit as a model of winning, for --win FILE."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    confidence: Confidence = "95",
    output: Output,
) -> None:
    """Fit the model to games or winning statistics, with intervals.

    Examples
    --------
    yardstone winprob fit graded_games_simulated.csv --method newton --bootstrap 100 --plot fit.svg
    yardstone winprob fit graded_games_simulated.csv --all-games --free u1,K --save mine.json
    """
    from yardstone.cli import values
    from yardstone.reports.winprob.fit import fit_document
    from yardstone.winprob.model_file import write_model
    from yardstone.winprob.model_fit import fit_all_games, fit_statistics
    from yardstone.winprob.statistics_files import read_all_games, statistics_of_files

    output.check()
    level = values.confidence(confidence)
    pairs = [_two_grades(text) for text in probability or []]
    likelihood = method is ModelFitMethod.likelihood
    if pairs and not likelihood:
        raise UsageError("--probability is for --method likelihood")
    if bootstrap and method is not ModelFitMethod.newton:
        raise UsageError("--bootstrap is for least squares by Newton's method: --method newton")
    names = [name.strip() for name in free.split(",") if name.strip()]
    if all_games:
        if not likelihood or output.plot is not None:
            raise UsageError("--all-games goes with likelihood, and has no --plot")
        result = fit_all_games(
            read_all_games(files, begin=begin, end=end),
            free=names,
            link="erf" if link is LinkFunction.erf else "logistic",
            event_games=event_games,
            pairs=pairs,
            level=level,
        )
    elif event_games is not None or link is not LinkFunction.erf:
        raise UsageError("--link and --event-games go with --all-games")
    else:
        result = fit_statistics(
            statistics_of_files(files, begin=begin, end=end),
            method=method.value,
            free=names,
            pairs=pairs,
            simulated=bootstrap,
            level=level,
            seed=seed,
        )
    if save is not None:
        write_model(save, replace(result.winning, name=save.stem))
    output.emit(fit_document(result))


def _two_grades(text: str) -> tuple[float, float]:
    from yardstone.winprob.grades import parse_grade

    words = text.split(",")
    if len(words) != 2:
        raise UsageError(f"--probability {text}: write two grades like 2d,4d")
    return parse_grade(words[0]), parse_grade(words[1])
