"""What a process wants of the compiler, and hands on to its workers."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Self

from yardstone.kernels.choice import CHOSEN, ChosenWay

__all__ = ["Setting", "in_command", "spares_packages", "tell"]

_talks = True
_spares = False


def in_command(*, quiet: bool) -> None:
    """Tell that this process is a command of ours: nobody else's kernels run in it."""
    global _talks, _spares
    _talks, _spares = not quiet, True


def spares_packages() -> bool:
    """Whether numba may be imported without packages that only others' kernels need."""
    return _spares


def tell(text: str) -> None:
    """Say on standard error why nothing seems to happen, unless nobody wants to know."""
    if _talks:
        print(f"yardstone: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Setting:
    """The settings of this process, and the way that was chosen for its loops.

    Attributes
    ----------
    talks, spares : bool
        Whether it says that it compiles, and imports numba without further packages.
    chosen : ChosenWay, optional
    """

    talks: bool
    spares: bool
    chosen: ChosenWay | None

    @classmethod
    def here(cls, *, talks: bool) -> Self:
        """What holds here, for a worker; one of them talks, lest all say the same."""
        return cls(talks and _talks, _spares, CHOSEN.get())

    def take(self) -> None:
        """Let it hold in this process from now on."""
        global _talks, _spares
        _talks, _spares = self.talks, self.spares
        CHOSEN.set(self.chosen)
