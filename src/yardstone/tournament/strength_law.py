"""From chances between grades to chances between true strengths.

A model of winning is fitted to games of players whose grades are known and whose strengths
are not, so the scatter of strengths about grades is in it already. Who draws strengths
about grades and then lets them play by the same model counts that scatter twice, and
makes the games tell less than they do. `between_strengths` takes it out to the first order:
if strengths scatter as is said, games between grades are won as often as the model has it,
to within half a per cent by the fitted model and the EGF's. Kaniuk's chances bend too much
for that where players are weak and far apart: what is off there, up to four per cent, is not
mended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from yardstone.tournament.population import GRADE_SPREAD, LOWEST_GRADE
from yardstone.tournament.true_strength import ENTRY_FACTOR, entry_spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.tournament.winning_laws import ModelLaw, WinningLaw

    Values = NDArray[np.float64]

__all__ = ["MOST_STRETCH", "StrengthLaw", "between_strengths", "entrants_law"]

#: A law is not made steeper than by this: where it would be, players of one grade who
#: scatter so much could not have the model's chances at all (Kaniuk's above 6 dan).
MOST_STRETCH = 1.6
#: Half of the difference of strength from which the slope of a law is taken, in grades.
_STEP = 0.05
#: Where the quantile of a probability is finite.
_LEAST = 1e-12


@dataclass(frozen=True, eq=False)
class StrengthLaw:
    """A law between true strengths in Go; frozen. It is a `WinningLaw` itself.

    Attributes
    ----------
    chance : WinningLaw
        Between grades.
    grades : float array (n,)
        Increasing.
    stretch : float array (n,)
        By how much the quantile (probit) of a chance is larger between strengths that are
        on average of these grades.
    """

    chance: WinningLaw
    grades: Values
    stretch: Values

    def __call__(self, first: Values, second: Values, stones: Values) -> tuple[Values, Values]:
        """Chance that the first wins, and that nobody does, which is 0."""
        win, _ = self.chance(first, second, stones)
        factor = np.interp(0.5 * (first + second), self.grades, self.stretch)
        quantile = ndtri(np.clip(win, _LEAST, 1.0 - _LEAST))
        return np.asarray(ndtr(factor * quantile)), np.zeros(np.shape(win))


def between_strengths(
    chance: WinningLaw, spread: float = 1.0, *, deviation: float | None = None
) -> WinningLaw:
    """The law between true strengths of which `chance` is the one between grades.

    Near even chances a law is a normal one, Phi(b d) for a difference d. If both strengths
    scatter with the standard deviation s about the grades, it comes from
    Phi(b d / sqrt(1 - 2 b^2 s^2)) between strengths.

    Parameters
    ----------
    chance : WinningLaw
        On grades, without draws.
    spread : float
        Factor on `GRADE_SPREAD`, with which strengths scatter; 0: grades are strengths.
    deviation : float, optional
        In place of it, one standard deviation for all grades.
    """
    sigma = spread * GRADE_SPREAD if deviation is None else np.full(len(GRADE_SPREAD), deviation)
    if not sigma.any():
        return chance
    grades = np.arange(LOWEST_GRADE, LOWEST_GRADE + len(GRADE_SPREAD), dtype=np.float64)
    even = np.zeros(len(grades))
    high, low = (ndtri(chance(grades + step, grades - step, even)[0]) for step in (_STEP, -_STEP))
    slope = (high - low) / (4.0 * _STEP)
    left = 1.0 - 2.0 * (slope * sigma) ** 2
    return StrengthLaw(chance, grades, 1.0 / np.sqrt(np.maximum(left, MOST_STRETCH**-2.0)))


def entrants_law(law: ModelLaw, strength: Values) -> tuple[WinningLaw, Values]:
    """The law between the true strengths of entrants, and how far these lie from the list.

    Parameters
    ----------
    law : ModelLaw
        Of a model of winning, which is between grades (or rating points).
    strength : float array (players,)
        By the entry list, in grades or points.

    Returns
    -------
    WinningLaw
        Between true strengths, the scatter counted once.
    float array (players,)
        Standard deviation of true strengths: the model's own where it was fitted, or else
        that of real tournaments (`yardstone.tournament.true_strength`).
    """
    if law.model.scale == "points":
        return law, entry_spread(strength, points=True)
    own = law.model.spread
    if own is not None:
        return between_strengths(law, deviation=own), np.full(len(strength), own)
    return between_strengths(law, ENTRY_FACTOR), entry_spread(strength)
