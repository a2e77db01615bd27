"""`yardstone winprob`: the probability of win between Go grades, and its fits."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.cli.output import check_report
from yardstone.cli.winprob.output import Output, Plot, TableFormat, as_text, write
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.winprob.kaniuk import Kaniuk

__all__ = []


class Picture(StrEnum):
    """Figures of the model."""

    curves = "curves"
    lam = "lambda"
    contour = "contour"


def between(
    grades: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GRADES",
            help="Player and opponent, such as 2d 4d; with --scale, numbers on that scale.",
        ),
    ] = None,
    win: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Give one grade: whom does it beat with this probability (0 to 1)?",
        ),
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="All grades against opponents 1 to 9 grades stronger.")
    ] = False,
    plot: Plot = None,
    figure: Annotated[
        Picture, typer.Option(help="What --plot draws: curves, lambda or contour.")
    ] = Picture.curves,
    scale: Annotated[
        str, typer.Option(help="Scale of the two players: grade, egf, ogs, goldis.")
    ] = "grade",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Another coefficient, such as K=0.2. Repeatable."
        ),
    ] = None,
    form: Annotated[
        TableFormat, typer.Option("--format", help="Text, CSV (--table) or JSON.")
    ] = TableFormat.text,
    output: Output = None,
) -> None:
    """Probability that a player of one grade beats one of another in an even game.

    Examples
    --------
    yardstone winprob 2d 4d
    yardstone winprob 4k --win 0.35
    yardstone winprob 2215 2390 --scale egf
    yardstone winprob --table --plot curves.svg
    """
    check_report(output, form)
    model = _model(set_ or [])
    if plot is not None:
        from yardstone.reports.charts.winprob import model_chart

        model_chart(figure.value, model).save(plot)
    given = grades or []
    if table:
        if given:
            raise UsageError("--table stands without grades")
        write(_table(model, form), output)
        return
    if not given and plot is not None:
        return
    if form is TableFormat.csv:
        raise UsageError("CSV is for --table")
    if win is not None:
        if len(given) != 1:
            raise UsageError("--win needs one grade")
        values = _opponent(model, given[0], win, scale)
    elif len(given) == 2:
        values = _pair(model, given, scale)
    else:
        raise UsageError("give two grades, such as 2d 4d")
    if form is TableFormat.json:
        write(as_text(values), output)
        return
    share = 100.0 * values["probability"]
    shown = f"{share:.2f}" if 0.01 <= share <= 99.99 else f"{share:.6g}"
    write(f"{values['first']} beats {values['second']} in {shown} % of even games.\n", output)


def _model(settings: list[str]) -> Kaniuk:
    from yardstone.winprob.kaniuk import PUBLISHED, Kaniuk

    values = dict(PUBLISHED.parameters)
    for word in settings:
        name, _, number = word.partition("=")
        try:
            values[name.strip()] = float(number)
        except ValueError:
            raise UsageError(f"--set {word}: write it like K=0.2") from None
    return Kaniuk.from_parameters(values)


def _grade(word: str, scale: str) -> float:
    from math import isnan

    from yardstone.scales import convert
    from yardstone.winprob.grades import parse_grade, parse_grades

    try:
        value = float(word)
    except ValueError:
        grade = float(parse_grades([word])[0])
        if scale != "grade" and isnan(grade):
            raise UsageError(f"{word!r} is neither a rating nor a grade") from None
        return parse_grade(word)  # a grade is one on any scale
    if scale == "grade":
        raise UsageError(
            f"{word} is a rating, and grades were expected such as 4k or 2d: say on which scale "
            "ratings are with --scale egf, ogs or goldis"
        )
    return float(convert(value, scale, "grade"))


def _pair(model: Kaniuk, words: list[str], scale: str) -> dict[str, Any]:
    one, two = (_grade(word, scale) for word in words)
    return {
        "first": words[0],
        "second": words[1],
        "probability": float(model.probability(one, two)),
        "log_probability": float(model.log_probability(one, two)),
        "strength_gap": float(model.strength_gap(one, two)),
        "first_grade": one,
        "second_grade": two,
    }


def _opponent(model: Kaniuk, word: str, win: float, scale: str) -> dict[str, Any]:
    from yardstone.scales import convert
    from yardstone.winprob.grades import format_grade

    one = _grade(word, scale)
    two = float(model.opponent(one, win))
    name = format_grade(round(two, 2))
    if scale != "grade":
        name = f"{float(convert(two, 'grade', scale, extrapolate=True)):.0f}"
    return {
        "first": word,
        "second": name,
        "probability": win,
        "first_grade": one,
        "second_grade": two,
    }


def _table(model: Kaniuk, form: TableFormat) -> str:
    from yardstone.reports.winprob.text import probability_csv, probability_table

    if form is TableFormat.text:
        return probability_table(model)
    text = probability_csv(model)
    if form is TableFormat.csv:
        return text
    rows = [line.split(",") for line in text.splitlines()[1:]]
    names = ("first", "second", "difference", "probability")
    return as_text(
        [
            dict(zip(names, (first, second, int(d), float(p)), strict=True))
            for first, second, d, p in rows
        ]
    )
