"""What moves say of the players of a rating list, as priors of their ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings.joint import Prior
from yardstone.strength.fusion.system import moves_by_player
from yardstone.winprob.laws import ELO_POINTS_PER_LOGIT

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.strength.fusion.system import Fusion

__all__ = ["moves_priors"]


def moves_priors(
    pool: Pool,
    system: Fusion,
    *,
    average: float = 2300.0,
    join: float | None = None,
    points_per_logit: float = ELO_POINTS_PER_LOGIT,
) -> dict[str, Prior]:
    """Priors for `loose_anchors` of `BradleyTerry`, of the players whose moves are known.

    A list tells no future, so all moves count. It has no newcomers either, whose prior moves
    could replace: what is left when a newcomer's prior is divided out stands alone.

    Parameters
    ----------
    pool : Pool
        With the columns `yardstone.strength.fusion.system.MOVE_COLUMNS`.
    system : Fusion
        How moves are believed; its `level` (or `initial`) becomes the average.
    average : float
        Rating of the average player whose moves are known.
    join : float, optional
        That of the list: the deviation of its players around the average, which players with a
        prior of their own would not have.
    points_per_logit : float
        Of the list's scale.
    """
    number, strength = moves_by_player(pool)
    prior = system.moves_prior
    mean, deviation = prior.prior(strength, number)
    precision = 1.0 / np.square(deviation) - 1.0 / prior.base.deviation**2
    says = (number > 0.0) & (precision > 0.0)
    weighted = mean / np.square(deviation) - prior.base.mean / prior.base.deviation**2
    unit = points_per_logit / ELO_POINTS_PER_LOGIT
    with np.errstate(divide="ignore", invalid="ignore"):
        above, width = unit * (weighted / precision - prior.level), unit / np.sqrt(precision)
    priors = {}
    for row in np.flatnonzero(says).tolist():
        one, known = 1.0 / width[row] ** 2, 0.0 if join is None else 1.0 / join**2
        share = one / (one + known)
        priors[pool.players[row]] = Prior(
            average + share * float(above[row]), float((one + known) ** -0.5)
        )
    return priors
