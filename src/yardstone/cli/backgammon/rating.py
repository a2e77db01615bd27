"""`yardstone backgammon`: ratings from error rates, and analysis of match files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from yardstone.backgammon.error_rates import Unit
from yardstone.cli.backgammon.options import (
    Choice,
    Offset,
    Weights,
    chosen_formula,
    chosen_offset,
)
from yardstone.cli.output import TableOutput

__all__ = ["rating"]


@dataclass(frozen=True)
class KnownRates:
    """What is known of a player."""

    PANEL: ClassVar[str] = "Error rates"

    length: Annotated[int, typer.Option(metavar="POINTS", help="Length of the match.")]
    epm: Annotated[
        float | None,
        typer.Option(help="Error per unforced chequer move: 0.0085 in equity, or 8.5 thousandths."),
    ] = None
    epc: Annotated[
        float | None,
        typer.Option(help="Error per close or actual cube decision, in the same unit."),
    ] = None
    epd: Annotated[
        float | None,
        typer.Option(help="Error per decision, chequers and cube together, in either unit."),
    ] = None
    depd: Annotated[
        float | None,
        typer.Option(
            help="The opponent's error per decision less the player's: gives points between, and "
            "with --against a rating."
        ),
    ] = None
    memg: Annotated[
        float | None, typer.Option(help="GNU Backgammon's error rate: 1000 times --epd.")
    ] = None
    pr: Annotated[
        float | None, typer.Option(help="eXtreme Gammon's performance rating: 500 times --epd.")
    ] = None
    snowie: Annotated[
        float | None, typer.Option(help="Snowie's error rate: per move of both players.")
    ] = None
    moves_per_decision: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="For Snowie's rate: moves of both players by decisions of one.",
        ),
    ] = None
    from_rating: Annotated[
        float | None,
        typer.Option(metavar="RATING", help="Show the error rates of this rating."),
    ] = None
    win: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Result, 0 to 1, luck-adjusted or not: gives the rating difference.",
        ),
    ] = None
    against: Annotated[
        float | None,
        typer.Option(metavar="RATING", help="Also show the chance of winning against this rating."),
    ] = None
    unit: Annotated[
        Unit | None,
        typer.Option(
            help="Unit of --epm, --epc, --epd and --depd, where the numbers leave it open.",
            show_default=False,
        ),
    ] = None


def rating(
    known: KnownRates,
    *,
    offset: Offset = "fibs",
    formula: Choice = Weights.published,
    output: TableOutput,
) -> None:
    """Compute a rating from error rates, or the other way round.

    Give --epm (with --epc, or without where no cube was close), or one rate for all
    decisions: --epd, --memg, --pr or --snowie.

    Examples
    --------
    yardstone backgammon rating --epm 0.0085 --epc 0.021 --length 7
    yardstone backgammon rating --depd 0.0075 --length 5 --against 1800
    yardstone backgammon rating --pr 5.2 --length 7 --offset gamesgrid --format json
    """
    from yardstone.backgammon.error_rates import MOVES_PER_DECISION
    from yardstone.backgammon.rating import RatingQuestion, rating_answer
    from yardstone.reports.backgammon.rating import rating_document

    output.check()
    moves = known.moves_per_decision or MOVES_PER_DECISION
    question = RatingQuestion(**{**vars(known), "moves_per_decision": moves})
    output.emit(
        rating_document(rating_answer(question, chosen_formula(formula), chosen_offset(offset)))
    )
