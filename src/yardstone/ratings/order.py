"""Games of which nobody knows who moved first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.ratings.pair_tally import CountedGames

__all__ = ["NO_ORDER", "check_order", "without_first_move"]

System = TypeVar("System", bound=Any)

#: What a reader must know of such games.
NO_ORDER = "Who moved first is not known, so the first-move advantage is taken as 0."


def without_first_move(system: System) -> System:
    """The system with a first-move advantage of 0 where it would estimate one.

    Raises
    ------
    UsageError
        If the system has an advantage given.
    """
    if system.first_advantage in ("auto", 0.0):
        changed: System = replace(system, first_advantage=0.0)
        return changed
    raise UsageError("the games do not say who moved first: leave out the first-move advantage")


def check_order(system: object, pool: Pool | CountedGames) -> None:
    """Refuse an advantage of moving first for games of which nobody knows who did.

    Raises
    ------
    UsageError
        If the system has one, or would estimate it.
    """
    advantage = getattr(system, "first_advantage", 0.0)
    if not pool.ordered and advantage != 0.0:
        raise UsageError("the games do not say who moved first: take a first-move advantage of 0")
