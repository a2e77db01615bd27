"""Options that several commands share, each worded once; bundles have the others."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["Confidence", "DateOrder", "Side"]


class Side(StrEnum):
    """A colour."""

    white = "white"
    black = "black"


class DateOrder(StrEnum):
    """What comes first in a date."""

    dmy = "dmy"
    mdy = "mdy"
    ymd = "ymd"


Confidence = Annotated[
    str, typer.Option(metavar="LEVEL", help="Level of all intervals, in per cent.")
]
