"""`yardstone winprob stats, fit, trace, compare`: from games to the model."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.cli.output import check_report
from yardstone.cli.winprob.output import (
    Output,
    Plot,
    TableFormat,
    TextOrJson,
    as_text,
    write,
)
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.winprob.statistics import WinningStatistics

__all__ = ["compare", "fit", "stats", "trace"]

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES",
        help="Games with grades as CSV, or tables of winning statistics: as the European Go "
        "Database publishes them, or CSV with grade,difference,wins,games.",
    ),
]
Begin = Annotated[str | None, typer.Option("--from", metavar="DATE", help="First day counted.")]
End = Annotated[str | None, typer.Option("--to", metavar="DATE", help="Last day counted.")]


class Method(StrEnum):
    """How coefficients are fitted."""

    likelihood = "likelihood"
    newton = "newton"
    conjugate = "conjugate"


class TracePicture(StrEnum):
    """Figures of a trace."""

    measured = "measured"
    coefficients = "coefficients"
    model = "model"


def stats(
    files: Files,
    begin: Begin = None,
    end: End = None,
    differences: Annotated[
        int, typer.Option(min=1, max=40, help="Largest difference of grades counted.")
    ] = 4,
    form: Annotated[TableFormat, typer.Option("--format", help="Text, CSV or JSON.")] = (
        TableFormat.text
    ),
    plot: Plot = None,
    output: Output = None,
) -> None:
    """Winning statistics: how often the weaker player wins, by grade and difference.

    The text is in the layout of the European Go Database.

    Examples
    --------
    yardstone winprob stats games.csv --from 2006-01-01 --to 2010-12-31 --plot figure.svg
    """
    check_report(output, form)
    from yardstone.winprob.layout import as_csv, as_published

    found = _statistics(files, begin, end, differences)
    if plot is not None:
        from yardstone.reports.charts.winprob import curves_chart

        curves_chart(found, None, title="Measured probability of win").save(plot)
    if form is TableFormat.text:
        write(as_published(found), output)
    elif form is TableFormat.csv:
        write(as_csv(found), output)
    else:
        rows = [line.split(",") for line in as_csv(found).splitlines()[1:]]
        write(
            as_text(
                [
                    {
                        "grade": grade,
                        "difference": int(d),
                        "wins": int(float(wins)),
                        "games": int(float(games)),
                        "ratio": int(float(wins)) / int(float(games)),
                    }
                    for grade, d, wins, games, _ in rows
                ]
            ),
            output,
        )


def fit(
    files: Files,
    method: Annotated[
        Method,
        typer.Option(
            help="Binomial likelihood; or least squares on ratios as published, by Newton steps "
            "or by conjugate gradient."
        ),
    ] = Method.likelihood,
    free: Annotated[
        str, typer.Option(metavar="NAMES", help="Coefficients to fit, such as u0,v0,u1,u3,K.")
    ] = "u0,v0,u1,u3,K",
    all_games: Annotated[
        bool,
        typer.Option(
            "--all-games",
            help="Likelihood: use every difference of grades, colours, komi and handicap games; "
            "allows black, komi, stone, low and lapse in --free.",
        ),
    ] = False,
    begin: Begin = None,
    end: End = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="SAMPLES",
            help="Least squares: intervals from so many tables simulated from the fit, 39 or more.",
        ),
    ] = 0,
    probability: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GRADES",
            help="Likelihood: the probability between two grades such as 2d,4d by this fit, with "
            "its interval. Repeatable.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="For the bootstrap.")] = 0,
    form: Annotated[TextOrJson, typer.Option("--format", help="Text or JSON.")] = TextOrJson.text,
    plot: Plot = None,
    output: Output = None,
) -> None:
    """Fit the model to games or to winning statistics, with intervals.

    Examples
    --------
    yardstone winprob fit games.csv --method newton --bootstrap 200 --plot fit.svg
    """
    check_report(output, form)
    from yardstone.lab.kaniuk import least_squares
    from yardstone.lab.kaniuk.least_squares_intervals import simulated_intervals
    from yardstone.reports.winprob.text import fit_text, plain_fit
    from yardstone.winprob import likelihood

    pairs = [_two_grades(text) for text in probability or []]
    if pairs and method is not Method.likelihood:
        raise UsageError("--probability is for --method likelihood")
    if bootstrap and method is not Method.newton:
        raise UsageError("--bootstrap is for least squares by Newton's method: --method newton")
    names = [name.strip() for name in free.split(",") if name.strip()]
    if all_games:
        if method is not Method.likelihood or begin or end or len(files) != 1:
            raise UsageError("--all-games takes one file of games, all its years, and likelihood")
        values = _fit_all_games(files[0], names, pairs)
        write(as_text(values) if form is TextOrJson.json else fit_text(values), output)
        return
    found = _statistics(files, begin, end, 4)
    intervals = None
    fitted: least_squares.LeastSquaresFit | likelihood.LikelihoodFit
    if method is Method.likelihood:
        fitted = likelihood.fit_likelihood(
            likelihood.GradedGames.from_statistics(found), free=names
        )
        core = fitted.model.core
    else:
        fitted = least_squares.fit_least_squares(
            found, free=names, method="newton" if method is Method.newton else "conjugate"
        )
        core = fitted.model
        if bootstrap:
            intervals = simulated_intervals(fitted, found, samples=bootstrap, seed=seed)
    if plot is not None:
        from yardstone.reports.charts.winprob import curves_chart

        curves_chart(found, core, title="Games and the model fitted to them").save(plot)
    values = plain_fit(fitted, found, intervals=intervals, pairs=pairs)
    write(as_text(values) if form is TextOrJson.json else fit_text(values), output)


def _two_grades(text: str) -> tuple[float, float]:
    from yardstone.winprob.grades import parse_grade

    words = text.split(",")
    if len(words) != 2:
        raise UsageError(f"--probability {text}: write two grades like 2d,4d")
    return parse_grade(words[0]), parse_grade(words[1])


def _fit_all_games(
    file: Path, names: list[str], pairs: list[tuple[float, float]]
) -> dict[str, Any]:
    """Fit to all decided games of a file, as they are."""
    from yardstone.lab.kaniuk.cross_validation import GameColumns
    from yardstone.reports.winprob.text import plain_fit
    from yardstone.winprob.grade_model import GradeModel
    from yardstone.winprob.kaniuk import INITIAL
    from yardstone.winprob.likelihood import fit_likelihood

    games = GameColumns.from_pool(_games(file)).graded()
    start = GradeModel(INITIAL, {"stone": 1.0} if "stone" in names else {})
    return plain_fit(fit_likelihood(games, free=names, start=start), None, pairs=pairs)


def trace(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Dated games with grades, as CSV.")],
    years: Annotated[int, typer.Option(min=1, help="Years in a window.")] = 5,
    follow: Annotated[
        str, typer.Option(metavar="GRADES", help="Grades whose probabilities are followed.")
    ] = "10k,2d",
    form: Annotated[TextOrJson, typer.Option("--format", help="Text or JSON.")] = TextOrJson.text,
    plot: Plot = None,
    figure: Annotated[
        TracePicture, typer.Option(help="What --plot draws: measured ratios, coefficients, model.")
    ] = TracePicture.coefficients,
    output: Output = None,
) -> None:
    """Follow ratios and coefficients through a moving window of years.

    Examples
    --------
    yardstone winprob trace games.csv --years 5 --plot trace.svg
    """
    check_report(output, form)
    from yardstone.lab.kaniuk.trace import trace as traced
    from yardstone.reports.winprob.text import plain_trace, trace_text
    from yardstone.winprob.grades import parse_grade

    grades = [int(parse_grade(word)) for word in follow.split(",") if word.strip()]
    if not grades or min(grades) < -20 or max(grades) > 6:
        raise UsageError("--follow takes grades from 20k to 7d")
    found = traced(_games(file), years=years, grades=grades)
    if plot is not None:
        from yardstone.reports.charts.winprob import (
            coefficient_trace_chart,
            probability_trace_chart,
        )

        if figure is TracePicture.coefficients:
            coefficient_trace_chart(found).save(plot)
        else:
            probability_trace_chart(found, modelled=figure is TracePicture.model).save(plot)
    write(
        as_text(plain_trace(found)) if form is TextOrJson.json else trace_text(found),
        output,
    )


def compare(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Games with grades, as CSV.")],
    folds: Annotated[int, typer.Option(min=2, help="Parts the games are dealt to.")] = 10,
    by_event: Annotated[
        bool, typer.Option("--by-event", help="Leave out whole events, not single games.")
    ] = False,
    seed: Annotated[int, typer.Option(help="For dealing the games out.")] = 0,
    form: Annotated[TextOrJson, typer.Option("--format", help="Text or JSON.")] = TextOrJson.text,
    output: Output = None,
) -> None:
    """Cross-validate the published form, a plain logistic and richer forms.

    Examples
    --------
    yardstone winprob compare games.csv --by-event
    """
    check_report(output, form)
    from yardstone.lab.kaniuk.cross_validation import GameColumns, cross_validate
    from yardstone.reports.winprob.text import comparison_text, plain_comparison

    games = GameColumns.from_pool(_games(file), group="event" if by_event else None)
    values = plain_comparison(cross_validate(games, folds=folds, seed=seed))
    write(as_text(values) if form is TextOrJson.json else comparison_text(values), output)


def _games(file: Path) -> Pool:
    from yardstone.errors import InputError, SkippedWarning
    from yardstone.winprob.games_csv import read_games_csv

    if not file.is_file():
        raise InputError("there is no such file", file=str(file))
    pool = read_games_csv(file)
    if len(pool.skipped):
        import warnings

        reasons = ", ".join(f"{n} {reason}" for reason, n in pool.skipped.reasons.most_common())
        warnings.warn(SkippedWarning(f"games left out: {reasons}"), stacklevel=2)
    return pool


def _statistics(
    files: list[Path], begin: str | None, end: str | None, differences: int
) -> WinningStatistics:
    """Statistics of files of games or of counts."""
    from yardstone.errors import InputError
    from yardstone.winprob.layout import TITLE, read_statistics
    from yardstone.winprob.statistics import WinningStatistics

    counted = []
    for file in files:
        if not file.is_file():
            raise InputError("there is no such file", file=str(file))
        with file.open("rb") as stream:
            head = stream.read(1 << 16).decode("utf-8", "replace")
        counted.append(TITLE.lower() in head.lower() or head.startswith("grade,"))
    if all(counted):
        if begin or end:
            raise UsageError("--from and --to need games, not counts")
        return read_statistics(*files)
    if any(counted):
        raise UsageError("give games or counts, not both")
    total: WinningStatistics | None = None
    for file in files:
        part = WinningStatistics.from_pool(
            _games(file),
            begin=_date(begin),
            end=_date(end),
            differences=differences,
            label=" to ".join(filter(None, (begin, end))) or file.name,
        )
        total = part if total is None else total + part
    if total is None or not total.games.sum():
        from yardstone.errors import NoGamesError

        raise NoGamesError("there is no even, decided game between players of known grades")
    return total


def _date(word: str | None) -> str | None:
    import numpy as np

    if word is not None:
        try:
            np.datetime64(word, "D")
        except ValueError:
            raise UsageError(f"{word!r} is not a date: write it like 2001-01-31") from None
    return word
