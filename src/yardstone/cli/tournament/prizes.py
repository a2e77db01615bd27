"""`yardstone tournament prizes`."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.output import TableOutput
from yardstone.cli.tournament.file import Criteria, TournamentFile, grade
from yardstone.errors import UsageError

__all__ = ["prizes"]


def prizes(
    file: TournamentFile,
    output: TableOutput,
    *,
    places: Annotated[int, typer.Option(min=0, metavar="NUMBER", help="Places with a prize.")] = 3,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="GRADES",
            help="Lowest grades of groups with prizes of their own, such as 1d,5k. "
            "[default: the file's categories]",
            show_default=False,
        ),
    ] = None,
    group_places: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Places with a prize in a group.")
    ] = 1,
    wins: Annotated[
        int | None,
        typer.Option(min=1, metavar="NUMBER", help="A prize for so many wins.", show_default=False),
    ] = None,
    money: Annotated[
        str | None,
        typer.Option(
            metavar="AMOUNTS",
            help="Money of the first places, such as 300,200,100.",
            show_default=False,
        ),
    ] = None,
    once: Annotated[
        bool,
        typer.Option("--once", help="No prize in a group for who has one for the place."),
    ] = False,
    criteria: Criteria = None,
) -> None:
    """List the prizes: by place, by group of grades, by wins.

    Players with equal scores in all criteria share a place, and in equal parts the money
    of the places that they take up.

    Examples
    --------
    yardstone tournament prizes open.xml --groups 1d,5k --wins 4
    yardstone tournament prizes open.xml --money 300,200,100 --format csv
    """
    from yardstone.reports.tournament.prizes import prizes_document
    from yardstone.tournament.event.prizes import prize_list

    output.check()
    made = prize_list(
        file.read(),
        places=places,
        groups=None
        if groups is None
        else [grade(text.strip(), "--groups") for text in groups.split(",")],
        group_places=group_places,
        wins=wins,
        money=_amounts(money),
        once=once,
        criteria=criteria,
    )
    output.emit(prizes_document(made))


def _amounts(text: str | None) -> list[float]:
    if text is None:
        return []
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--money {text!r}: amounts such as 300,200,100") from None
