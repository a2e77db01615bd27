"""`yardstone winprob` and `handicap`: the probability of win between Go grades, and its uses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from yardstone.choices import words
from yardstone.cli.declare import (
    Confidence,
    Win,
    advanced,
    argument,
    flag,
    named_values,
    option,
)
from yardstone.cli.output import Document, Output, TableOutput
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.winprob.model import WinningModel


def between(
    grades: list[str] | None = argument(
        "Player and opponent, such as 2d 4d; with --scale, numbers on that scale.",
        default=None,
        metavar="GRADES",
    ),
    *,
    win: Win = "fitted",
    handicap: int = option(
        "Stones of the weaker player.", default=0, min=0, max=36, metavar="STONES"
    ),
    komi: float | None = option(
        "Komi that Black gives, the first player in an even game: 7, or none with stones, unless "
        "said otherwise.",
        metavar="POINTS",
    ),
    chance: float | None = option(
        "Find whom one grade beats with this probability (0 to 1).", metavar="SHARE"
    ),
    table: bool = flag("Show all grades against opponents 1 to 9 grades stronger."),
    figure: Literal["curves", "lambda", "contour"] = advanced(
        "What the chart shows: curves, lambda or contour.", default="curves"
    ),
    scale: str = option("Scale of the two players: grade, egf, ogs, goldis.", default="grade"),
    set_: list[str] | None = advanced(
        "Change a coefficient of the model, such as K=0.2. Repeatable.",
        "--set",
        metavar="NAME=VALUE",
    ),
    confidence: Confidence = 95,
    output: Output,
) -> Document | None:
    """Give the probability that one grade beats another.

    The interval is that of the model, where its errors are known.

    Examples:
        yardstone winprob 2d 4d
        yardstone winprob 5k 1d --handicap 4
        yardstone winprob 2d 4d --win kaniuk
        yardstone winprob 4k --chance 0.35
        yardstone winprob 2215 2390 --scale egf
        yardstone winprob --table -o curves.svg
    """
    from yardstone.reports import winprob
    from yardstone.winprob.model import winning_model
    from yardstone.winprob.players import opponent_for, probability_between

    model, words = _changed(winning_model(win), set_ or []), grades or []
    if model.scale == "points" and (table or not words):
        raise UsageError(f"--win {model.name} goes by points, not by grades: give two ratings")
    if table and words:
        raise UsageError("--table stands without grades")
    if chance is not None and len(words) != 1:
        raise UsageError("--chance needs one grade")
    case: dict[str, Any] = {"handicap": handicap, "komi": komi, "level": confidence}
    if table:
        return winprob.grades_document(model, figure, **case)
    if chance is not None:
        pair = opponent_for(words[0], chance, model=model, scale=scale, **case)
        return winprob.pair_document(pair, figure)
    if len(words) == 2:
        pair = probability_between(words[0], words[1], model=model, scale=scale, **case)
        return winprob.pair_document(pair, figure)
    if words or not output.draws:
        raise UsageError("give two grades, such as 2d 4d")
    replace(output, quiet=True).emit(winprob.figure_document(model, figure, confidence))
    return None


def _changed(model: WinningModel, settings: list[str]) -> WinningModel:
    """The model with coefficients set by hand."""
    from yardstone.winprob.model import with_coefficients

    texts = named_values(settings)
    try:
        values = {name: float(text) for name, text in texts.items()}
    except ValueError:
        raise UsageError("--set: write numbers, as in K=0.2") from None
    return with_coefficients(model, values) if values else model


Files = Annotated[
    list[Path],
    argument(
        "Games with grades (CSV, SGF, files of tournaments), or tables of winning "
        "statistics: as the European Go Database publishes them, or CSV with "
        "grade,difference,wins,games.",
        metavar="FILES",
    ),
]
Begin = Annotated[str | None, option("Use games from this day on.", "--from", metavar="DATE")]
End = Annotated[str | None, option("Use games up to this day.", "--to", metavar="DATE")]
Free = Annotated[str, option("Coefficients to fit, such as u0,v0,u1,u3,K.", metavar="NAMES")]
Save = Annotated[Path | None, option("Save the fit as a model of winning, for --win FILE.")]


def stats(
    files: Files,
    *,
    begin: Begin = None,
    end: End = None,
    differences: int = option("Largest difference of grades to use.", default=4, min=1, max=40),
    output: Output,
) -> Document:
    """Tabulate how often the weaker player wins, by grade.

    The text is in the layout of the European Go Database.

    Examples:
        yardstone winprob stats graded_games_simulated.csv --from 2016-01-01 -o figure.svg
    """
    from yardstone.reports.winprob import statistics_document
    from yardstone.winprob.statistics import statistics_of_files

    statistics = statistics_of_files(files, begin=begin, end=end, differences=differences)
    return statistics_document(statistics)


def _two_grades(text: str, option: str) -> tuple[float, float]:
    from yardstone.grades import parse_grade

    grades = text.split(",")
    if len(grades) != 2:
        raise UsageError(f"{option} {text}: write two grades like 2d,4d")
    return parse_grade(grades[0]), parse_grade(grades[1])


def fit(
    files: Files,
    *,
    free: Free = "u0,v0,u1,u3,K",
    all_games: bool = flag(
        "Use every difference of grades, colours, komi and handicap games, with "
        "intervals over events or players; allows black, komi, stone, low and lapse in --free, "
        "and those not named are zero (a stone is a grade)."
    ),
    begin: Begin = None,
    end: End = None,
    probability: list[Any] | None = advanced(
        "Show the probability between two grades such as 2d,4d, with its interval. Repeatable.",
        read=_two_grades,
        metavar="GRADES",
    ),
    link: Literal["erf", "logistic"] = advanced(
        "All games: from strengths to a probability, erf as published.", default="erf"
    ),
    event_games: float | None = advanced(
        "All games: an event counts as so many independent games at most; the model that ships "
        "has 100.",
        metavar="GAMES",
    ),
    save: Save = None,
    confidence: Confidence = 95,
    output: Output,
) -> Document:
    """Fit the model to games or winning statistics, with intervals.

    Examples:
        yardstone winprob fit graded_games_simulated.csv --probability 4k,2k -o a.svg
        yardstone winprob fit graded_games_simulated.csv --all-games --free u1,K --save mine.json
    """
    from yardstone.reports.winprob import fit_document
    from yardstone.winprob.fit import fit_all_games, fit_statistics
    from yardstone.winprob.model import write_model
    from yardstone.winprob.statistics import read_all_games, statistics_of_files

    pairs = probability or []
    names = words(free)
    if all_games:
        if output.draws:
            raise UsageError("--all-games has no chart")
        result = fit_all_games(
            read_all_games(files, begin=begin, end=end),
            free=names,
            link=link,
            event_games=event_games,
            pairs=pairs,
            level=confidence,
        )
    elif event_games is not None or link != "erf":
        raise UsageError("--link and --event-games go with --all-games")
    else:
        result = fit_statistics(
            statistics_of_files(files, begin=begin, end=end),
            free=names,
            pairs=pairs,
            level=confidence,
        )
    if save is not None:
        write_model(save, replace(result.winning, name=save.stem))
    return fit_document(result)


def handicap(
    players: list[str] = argument(
        "Two log ratings in thousandths such as 2673 2235; ranks of Goldis' table such as "
        "7aml 3p; or Go grades such as 2d 4k.",
        metavar="RATINGS",
    ),
    *,
    scale: Literal["goldis", "uniform", "egf", "ogs", "grade", "rank"] | None = option(
        "What the two are: goldis (numbers, the default), rank (names), grade, egf or ogs "
        "ratings, or uniform (Pratesi's modified scale)."
    ),
    win: str | None = option(
        "Model of winning: fitted, egf, goldis, kaniuk, or a file of winprob fit --save. "
        "[default: goldis, egf and fitted side by side]",
        metavar="NAME|FILE",
    ),
    komi: float | None = option(
        "Goldis: komi of an even game between equals. [default: 8]", metavar="POINTS"
    ),
    base: float | None = option(
        "Goldis: ratio of strengths between ranks; 3.1623 is Elo's root of ten. [default: 1.2589, "
        "the tenth root of ten]",
        metavar="RATIO",
    ),
    stones: int | None = option("Fix the stones; komi makes up the rest.", min=1, metavar="STONES"),
    confidence: Confidence = 95,
    output: TableOutput,
) -> Document:
    """Set the handicap for two Go players: stones, komi, ties.

    By a stone a grade (EGF), by Goldis' ratio of strengths and by the model fitted to
    real tournaments, with Black's chance by each and by the fitted one.

    Examples:
        yardstone handicap 2d 4k
        yardstone handicap 6d 2k --win fitted
        yardstone handicap 2673 2235 --win goldis --komi 6.5
        yardstone handicap 2315 1987 --scale egf --format json
    """
    from yardstone.reports.winprob import handicap_document
    from yardstone.winprob.players import advise_handicap

    advice = advise_handicap(
        players,
        scale=None if scale is None else scale,
        komi=komi,
        base=base,
        stones=stones,
        win=win,
        level=confidence,
    )
    return handicap_document(advice)
