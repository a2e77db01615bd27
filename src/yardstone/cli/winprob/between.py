"""`yardstone winprob`: the probability of win between Go grades, and its fits."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.output import Output
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.winprob.kaniuk import Kaniuk

__all__ = ["between"]


class ModelFigure(StrEnum):
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
    *,
    win: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Find whom one grade beats with this probability (0 to 1).",
        ),
    ] = None,
    table: Annotated[
        bool,
        typer.Option("--table", help="Show all grades against opponents 1 to 9 grades stronger."),
    ] = False,
    figure: Annotated[
        ModelFigure, typer.Option(help="What --plot draws: curves, lambda or contour.")
    ] = ModelFigure.curves,
    scale: Annotated[
        str, typer.Option(help="Scale of the two players: grade, egf, ogs, goldis.")
    ] = "grade",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Change a coefficient, such as K=0.2. Repeatable."
        ),
    ] = None,
    output: Output,
) -> None:
    """Give the probability that one grade beats another.

    Examples
    --------
    yardstone winprob 2d 4d
    yardstone winprob 4k --win 0.35
    yardstone winprob 2215 2390 --scale egf
    yardstone winprob --table --plot curves.svg
    """
    from yardstone.reports.winprob import players
    from yardstone.winprob.players import opponent_for, probability_between

    output.check()
    model, words = _model(set_ or []), grades or []
    if table and words:
        raise UsageError("--table stands without grades")
    if win is not None and len(words) != 1:
        raise UsageError("--win needs one grade")
    if table:
        document = players.grades_document(model, figure)
    elif win is not None:
        pair = opponent_for(words[0], win, model=model, scale=scale)
        document = players.pair_document(pair, model, figure)
    elif len(words) == 2:
        pair = probability_between(words[0], words[1], model=model, scale=scale)
        document = players.pair_document(pair, model, figure)
    elif not words and output.plot is not None:
        document = players.figure_document(model, figure)
        output = replace(output, quiet=True)
    else:
        raise UsageError("give two grades, such as 2d 4d")
    output.emit(document)


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
