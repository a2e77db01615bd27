"""Options that several commands share, each worded once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.output import Format

__all__ = [
    "Columns",
    "Confidence",
    "DateOrder",
    "Dates",
    "First",
    "Form",
    "Page",
    "Parameters",
    "Query",
    "RatedPaths",
    "Results",
    "Side",
    "SkipUnread",
    "Strict",
    "System",
]


class Side(StrEnum):
    """A colour."""

    white = "white"
    black = "black"


class DateOrder(StrEnum):
    """What comes first in a date."""

    dmy = "dmy"
    mdy = "mdy"
    ymd = "ymd"


RatedPaths = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files of results, or - for standard input; with --state those of new games.",
        show_default=False,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MAP",
        help="Columns of a table: first=NAME,second=NAME,score=NAME,time=NAME; or "
        "first_score=NAME,second_score=NAME, or margin=NAME, in place of score.",
    ),
]
First = Annotated[
    Side | None,
    typer.Option(
        "--first",
        help="Colour that moves first in a table of games, and whose points 1-0 tells, if columns "
        "and results do not say; in PGN always White.",
        show_default=False,
    ),
]
Results = Annotated[
    str | None,
    typer.Option(
        "--results",
        metavar="MAP",
        help="What values of the result mean for the first player: 'H=win,D=draw,A=loss,P=skip'.",
    ),
]
Dates = Annotated[
    DateOrder | None,
    typer.Option(
        "--dates",
        help="Order of day, month and year in dates such as 5/6/2024.",
        show_default=False,
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        metavar="SQL",
        help="Take the games from this SQL query; PATHS is then a database, if any.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first record that cannot be used.")
]
SkipUnread = Annotated[
    bool,
    typer.Option(
        "--skip-unread",
        help="Go on if a value of the result is not understood, or more than 5 % of the records.",
    ),
]
System = Annotated[
    str | None, typer.Option(metavar="NAME", help="Rate by this system. [default: glicko2]")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of the system. Repeatable."),
]
Confidence = Annotated[
    str, typer.Option(metavar="LEVEL", help="Level of all intervals, in per cent.")
]
Form = Annotated[
    Format | None, typer.Option("--format", help="By default that of the file's ending.")
]
Page = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a web page that needs no other file.")
]
