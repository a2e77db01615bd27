"""A fit that goes on where the games alone do not bound its parameters.

A few games can be explained best by an infinite advantage of moving first, or by draws
without end. What was to be estimated then gets a wide prior, and the reader is told.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from yardstone.errors import ModelError, NotConnectedError
from yardstone.ratings.order import NO_ORDER, without_first_move
from yardstone.ratings.priors import Prior

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.ratings.bradley_terry import BradleyTerry
    from yardstone.ratings.result import JointRatings

__all__ = ["WIDE_ADVANTAGE", "WIDE_DRAW_RATE", "fit_widely"]

#: Mean and deviation of what the games alone cannot bound.
WIDE_ADVANTAGE = (0.0, 100.0)
WIDE_DRAW_RATE = (0.5, 0.25)


def fit_widely(
    system: BradleyTerry, pool: Pool
) -> tuple[BradleyTerry, JointRatings, tuple[str, ...]]:
    """The system used, its result, and what the reader must know of the choice.

    Raises
    ------
    ModelError
        The games do not determine the ratings even so.
    """
    remarks: list[str] = []
    if not pool.ordered:
        system = without_first_move(system)
        remarks.append(NO_ORDER)
    try:
        return system, system.fit(pool), tuple(remarks)
    except NotConnectedError:
        raise
    except ModelError as error:
        failure = error
    if system.first_advantage == "free":
        prior = Prior(*WIDE_ADVANTAGE)
        system = replace(system, first_advantage=prior)
        remarks.append(_widened("advantage of moving first", prior))
        with suppress(ModelError):
            return system, system.fit(pool), tuple(remarks)
    if system.draw_rate == "free":
        prior = Prior(*WIDE_DRAW_RATE)
        system = replace(system, draw_rate=prior)
        remarks.append(_widened("frequency of draws", prior))
        with suppress(ModelError):
            return system, system.fit(pool), tuple(remarks)
    raise failure


def _widened(what: str, prior: Prior) -> str:
    return (
        f"The games do not bound the {what}: it was taken to lie around {prior.mean:g} "
        f"with a standard deviation of {prior.deviation:g}."
    )
