"""`yardstone handicap`: the handicap for two ratings, by Goldis' SKT-LR and by other rules."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

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
    komi: Annotated[
        float, typer.Option(metavar="POINTS", help="Komi of an even game between equals.")
    ] = 8.0,
    base: Annotated[
        float,
        typer.Option(
            metavar="RATIO",
            help="Ratio of strengths between ranks: 1.2589 (the tenth root of ten); 3.1623 is "
            "Elo's root of ten.",
        ),
    ] = 10.0**0.1,
    stones: Annotated[
        int | None,
        typer.Option(min=1, metavar="STONES", help="Fix the stones; komi makes up the rest."),
    ] = None,
    output: TableOutput,
) -> None:
    """Set the handicap for two Go players: stones, komi, ties.

    Beside it stands what European usage and a fit to real handicap games give, which
    predict such games better.

    Examples
    --------
    yardstone handicap 2673 2235
    yardstone handicap 6d 2k --komi 6.5
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
    )
    output.emit(handicap_document(advice))
