"""The way in which loops run here, once it is chosen."""

from __future__ import annotations

from contextvars import ContextVar
from enum import Enum
from typing import NamedTuple

from yardstone.kernels.loops import Loops

__all__ = ["CHOSEN", "ChosenWay", "Way"]


class Way(Enum):
    """How loops run."""

    PLAIN = "as plain Python"
    MACHINE = "as machine code"


class ChosenWay(NamedTuple):
    """A way, and the loops it was chosen for."""

    way: Way
    loops: Loops


#: None where nobody has chosen: loops then run as machine code.
CHOSEN: ContextVar[ChosenWay | None] = ContextVar("chosen", default=None)
