"""Whether a rating difference depends on the levels of error, and not on their difference alone.

Five pairings of Part I have a player free of noise, the sixth has none. Van den Doel found
that it fits the others at every length but one point, where it makes a bump in the curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, hypot
from typing import TYPE_CHECKING

import numpy as np

from yardstone_lab.vandendoel.fit import fit_chance, has_spread

if TYPE_CHECKING:
    from yardstone_lab.vandendoel.cells import Cells

__all__ = ["Bump", "chance_of_largest", "find_bumps"]


@dataclass(frozen=True, slots=True)
class Bump:
    """R/DEPD at one length, of two kinds of pairings.

    Attributes
    ----------
    length : int
    free, free_error : float
        Where one player is free of noise, with the standard error.
    noisy, noisy_error : float
        Where both have noise.
    """

    length: int
    free: float
    free_error: float
    noisy: float
    noisy_error: float

    @property
    def deviations(self) -> float:
        """Standard errors by which the pairings with noise lie above the others."""
        return (self.noisy - self.free) / hypot(self.free_error, self.noisy_error)

    def ratio_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval of `noisy` over `free`: how large a bump these matches leave possible."""
        from scipy.special import ndtri

        error = hypot(self.free_error / self.free, self.noisy_error / self.noisy)
        reach = float(ndtri(0.5 + 0.5 * level)) * error
        ratio = self.noisy / self.free
        return ratio * exp(-reach), ratio * exp(reach)


def chance_of_largest(bumps: Sequence[Bump]) -> float:
    """How often chance alone makes the largest of so many deviations as large."""
    from scipy.special import ndtr

    largest = max(abs(bump.deviations) for bump in bumps)
    return float(1.0 - (1.0 - 2.0 * ndtr(-largest)) ** len(bumps))


def find_bumps(cells: Cells) -> list[Bump]:
    """Compare both kinds of pairings of Part I, at each length that has both.

    The errors are those of the mean results; those of the error rates, some tenth as
    large, stay out.
    """
    free = np.array([setting.first.chequer_noise == 0.0 for setting in cells.settings])
    bumps = []
    for length in np.unique(cells.length):
        here = (cells.length == length) & has_spread(cells)
        if not (here & free).any() or not (here & ~free).any():
            continue
        numbers = []
        for rows in (here & free, here & ~free):
            some = cells.select(rows)
            value, error = fit_chance(some, np.diff(some.decision_error, axis=1))
            numbers += [float(value[0]), float(error[0])]
        bumps.append(Bump(int(length), *numbers))
    return bumps
