"""Kaniuk's win probability between any two Go grades (April 2011).

Between grades r and s (zero-shodan units, s - r = d) the weaker player's chance
falls with d, and faster for stronger players. The model is

    p(r, s) = (1 - erf(Lambda(r, s))) / 2                                   (2)
    Lambda(r, s) = sum over n of h_n(s - r) exp(n K min(r, s))              (5)
    h_n(x) = u_n x + v_n x^3,  n = 0 .. 3                                   (6)

with positive u_n, v_n and K. The numbers in brackets are the paper's equations.
Probabilities come from the exact error function and keep their relative
precision in both tails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import UsageError
from yardstone.winprob.logistic import logistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["INITIAL", "PARAMETERS", "PUBLISHED", "TABLE_1", "Kaniuk", "basis", "gap_of_probability"]

#: Names of all parameters, in the order of a parameter vector.
PARAMETERS = ("u0", "v0", "u1", "v1", "u2", "v2", "u3", "v3", "K")
#: The five parameters of table 1.
TABLE_1 = ("u0", "v0", "u1", "u3", "K")


def basis(first: Array, second: Array, k: float) -> tuple[Array, Array, Array]:
    """Difference, weaker grade and the eight terms of Lambda.

    Returns
    -------
    difference, weaker : arrays
        ``second - first`` and ``min(first, second)``.
    terms : array (8, ...)
        What u0, v0, u1, ... v3 are multiplied by (equations 5 and 6).
    """
    difference = second - first
    weaker = np.minimum(first, second)
    growth = np.exp(np.multiply.outer(np.arange(4.0) * k, weaker))
    cubes = np.stack([difference, difference**3])
    terms = growth[:, None] * cubes[None]
    return difference, weaker, terms.reshape(8, *difference.shape)


@dataclass(frozen=True, slots=True)
class Kaniuk:
    """The model with one set of coefficients; frozen.

    Attributes
    ----------
    u, v : tuples of four floats
        Coefficients of the difference and of its cube, for n = 0 .. 3.
    k : float
        Growth of the exponentials per grade (the paper's K).

    Examples
    --------
    >>> from yardstone.winprob.kaniuk import PUBLISHED
    >>> round(float(PUBLISHED.probability(1, 3)), 4)  # 2 dan against 4 dan
    0.2216
    """

    u: tuple[float, float, float, float]
    v: tuple[float, float, float, float]
    k: float

    @classmethod
    def from_parameters(cls, values: Mapping[str, float]) -> Kaniuk:
        """Model from named coefficients; those not named are zero."""
        unknown = set(values) - set(PARAMETERS)
        if unknown:
            raise UsageError(no_such("coefficient", min(unknown), PARAMETERS))
        full = [float(values.get(name, 0.0)) for name in PARAMETERS]
        u0, v0, u1, v1, u2, v2, u3, v3, k = full
        return cls((u0, u1, u2, u3), (v0, v1, v2, v3), k)

    @property
    def parameters(self) -> Mapping[str, float]:
        """All nine coefficients by name."""
        pairs = [x for both in zip(self.u, self.v, strict=True) for x in both]
        return MappingProxyType(dict(zip(PARAMETERS, [*pairs, self.k], strict=True)))

    @property
    def linear(self) -> Array:
        """The eight coefficients of `basis`: u0, v0, u1, v1, ... v3."""
        return np.array([x for both in zip(self.u, self.v, strict=True) for x in both])

    def h(self, n: int, x: ArrayLike) -> Array:
        """The cubic h_n (equation 6), an odd function."""
        value = np.asarray(x, np.float64)
        return self.u[n] * value + self.v[n] * value**3

    def strength_gap(self, first: ArrayLike, second: ArrayLike) -> Array:
        """Lambda(r, s): positive where `second` is the stronger (equation 5).

        Antisymmetric and zero at equal grades. Shapes broadcast.
        """
        r, s = np.broadcast_arrays(np.asarray(first, np.float64), np.asarray(second, np.float64))
        terms = basis(r, s, self.k)[2]
        gap: Array = np.tensordot(self.linear, terms, 1)
        return gap

    def canonical(self, average: ArrayLike, difference: ArrayLike) -> Array:
        """Lambda in canonical coordinates g = (r + s)/2 and d = s - r (equation 9)."""
        g, d = np.broadcast_arrays(
            np.asarray(average, np.float64), np.asarray(difference, np.float64)
        )
        weaker = g - 0.5 * np.abs(d)
        total = np.zeros(d.shape)
        for n in range(4):
            total += self.h(n, d) * np.exp(n * self.k * weaker)
        return total

    def probability(self, first: ArrayLike, second: ArrayLike) -> Array:
        """Probability that `first` beats `second` in an even game (equation 2)."""
        from scipy.special import erfc

        return np.asarray(0.5 * erfc(self.strength_gap(first, second)))

    def log_probability(self, first: ArrayLike, second: ArrayLike) -> Array:
        """Natural logarithm of `probability`, finite where that underflows."""
        from scipy.special import log_ndtr

        return np.asarray(log_ndtr(-sqrt(2.0) * self.strength_gap(first, second)))

    def approximate_probability(
        self, first: ArrayLike, second: ArrayLike, *, tails: bool = False
    ) -> Array:
        """`probability` with Fairclough's error function (equation 10); see there."""
        from yardstone.winprob.fairclough import A, B, erf_approximation

        gap = self.strength_gap(first, second)
        erf_approximation(gap, tails=tails)  # refuses the tails
        # (1 - tanh y)/2 = 1/(1 + exp(2 y)), without the cancellation.
        return logistic(-2.0 * (A * gap + B * gap**3))

    def opponent(self, first: ArrayLike, probability: ArrayLike) -> Array:
        """Grade of the opponent whom `first` beats with the given probability.

        The inverse of `probability` in its second argument, by bisection to the
        last digits; the coefficients must not be negative.
        """
        r, p = np.broadcast_arrays(
            np.asarray(first, np.float64), np.asarray(probability, np.float64)
        )
        if np.any(~((p > 0.0) & (p < 1.0))):
            raise UsageError("a probability to be inverted lies strictly between 0 and 1")
        if min(*self.u, *self.v, self.k) < 0.0 or not max(*self.u, *self.v) > 0.0:
            raise UsageError("only a model whose probability falls steadily can be inverted")
        target = gap_of_probability(p)
        low, high = r - 1.0, r + 1.0
        for _ in range(60):
            too_high = self.strength_gap(r, low) > target
            too_low = self.strength_gap(r, high) < target
            if not np.any(too_high | too_low):
                break
            low = np.where(too_high, r + 2.0 * (low - r), low)
            high = np.where(too_low, r + 2.0 * (high - r), high)
        else:
            raise UsageError("no opponent, however weak, is beaten that surely under this model")
        while np.any(high - low > 1e-14 * (1.0 + np.abs(r))):
            middle = 0.5 * (low + high)
            above = self.strength_gap(r, middle) > target
            if np.all((middle == low) | (middle == high)):
                break
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.asarray(0.5 * (low + high))


def gap_of_probability(probability: ArrayLike) -> NDArray[np.float64]:
    """Lambda at which the model gives this probability (equation 4)."""
    from scipy.special import erfcinv

    return np.asarray(erfcinv(2.0 * np.asarray(probability, np.float64)))


#: Table 1, "solution": games of January 2001 to December 2010.
PUBLISHED = Kaniuk.from_parameters(
    {"u0": 0.0351224, "v0": 0.00445376, "u1": 0.156777, "u3": 0.0164481, "K": 0.18818}
)
#: Table 1, "initial": where the published fit starts.
INITIAL = Kaniuk.from_parameters({"u0": 0.04, "v0": 0.004, "u1": 0.1, "u3": 0.02, "K": 0.2})
