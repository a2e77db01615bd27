"""`yardstone handicap`: the handicap for two players by any model of winning."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from yardstone.cli import values
from yardstone.cli.options import Confidence
from yardstone.cli.output import TableOutput

__all__ = ["handicap"]


class RatingScale(StrEnum):
    """What the two players are given in."""

    goldis = "goldis"
    uniform = "uniform"
    egf = "egf"
    ogs = "ogs"
    grade = "grade"
    rank = "rank"


def handicap(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="RATINGS",
            help="Two log ratings in thousandths such as 2673 2235; ranks of Goldis' table such as "
            "7aml 3p; or Go grades such as 2d 4k.",
        ),
    ],
    *,
    scale: Annotated[
        RatingScale | None,
        typer.Option(
            help="What the two are: goldis (numbers, the default), rank (names), grade, egf or ogs "
            "ratings, or uniform (Pratesi's modified scale).",
            show_default=False,
        ),
    ] = None,
    win: Annotated[
        str | None,
        typer.Option(
            "--win",
            metavar="NAME|FILE",
            help="Model of winning: fitted, egf, goldis, kaniuk, or a file of winprob fit --save. "
            "[default: goldis, egf and fitted side by side]",
            show_default=False,
        ),
    ] = None,
    komi: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS", help="Goldis: komi of an even game between equals. [default: 8]"
        ),
    ] = None,
    base: Annotated[
        float | None,
        typer.Option(
            metavar="RATIO",
            help="Goldis: ratio of strengths between ranks; 3.1623 is Elo's root of ten. "
            "[default: 1.2589, the tenth root of ten]",
        ),
    ] = None,
    stones: Annotated[
        int | None,
        typer.Option(min=1, metavar="STONES", help="Fix the stones; komi makes up the rest."),
    ] = None,
    confidence: Confidence = "95",
    output: TableOutput,
) -> None:
    """Set the handicap for two Go players: stones, komi, ties.

    By a stone a grade (EGF), by Goldis' ratio of strengths and by the model fitted to
    real tournaments, with Black's chance by each and by the fitted one.

    Examples
    --------
    yardstone handicap 2d 4k
    yardstone handicap 6d 2k --win fitted
    yardstone handicap 2673 2235 --win goldis --komi 6.5
    yardstone handicap 2315 1987 --scale egf --format json
    """
    from yardstone.reports.winprob.handicap import handicap_document
    from yardstone.winprob.handicap_advice import advise_handicap

    output.check()
    advice = advise_handicap(
        players,
        scale=None if scale is None else scale.value,
        komi=komi,
        base=base,
        stones=stones,
        win=win,
        level=values.confidence(confidence),
    )
    output.emit(handicap_document(advice))
