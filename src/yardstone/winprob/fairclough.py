"""Fairclough's approximation to the error function, as Kaniuk 2011 gives it.

``erf(x)`` is close to ``tanh(a x + b x^3)`` (equation 10), which can be inverted
in closed form (equation 11). The absolute error stays below 3.3e-4 (the paper
says 6e-4). But a small probability is a difference from 1, and there the
*relative* error has no bound: a probability of 1.1e-5 comes out as half of that,
one of 8e-9 as a twentieth. So both functions refuse arguments beyond `LIMIT`,
a probability of 0.36 %, where the tail is wrong by 5 %. The exact functions
(`scipy.special`) have no such limit and are what `yardstone.winprob.kaniuk` uses.
"""

from __future__ import annotations

from math import sqrt, tanh
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["A", "B", "C", "D", "LIMIT", "erf_approximation", "erfinv_approximation"]

#: Fairclough's two constants.
A = 1.129324
B = 0.100303
#: The paper prints 3.875 and 0.6856; these are what its formulas give.
D = sqrt(4.0 * A / (3.0 * B))
C = 3.0 / (A * D)
#: Largest argument of `erf_approximation` that is accepted.
LIMIT = 1.9


def erf_approximation(x: ArrayLike, *, tails: bool = False) -> NDArray[np.float64]:
    """Approximate error function (equation 10).

    Parameters
    ----------
    x : array_like
        Arguments between -`LIMIT` and `LIMIT`.
    tails : bool
        Accept any argument, for showing what the approximation does there.

    Raises
    ------
    UsageError
        For an argument in the tails, unless `tails` is set.
    """
    value = np.asarray(x, np.float64)
    if not tails and np.any(np.abs(value) > LIMIT):
        raise UsageError(
            f"Fairclough's approximation of erf is refused beyond {LIMIT}: a tail probability "
            "would be wrong by more than 5 %; use the exact function"
        )
    return np.tanh(A * value + B * value**3)


def erfinv_approximation(y: ArrayLike, *, tails: bool = False) -> NDArray[np.float64]:
    """Approximate inverse (equation 11): the exact inverse of `erf_approximation`.

    Arguments as there; `y` may go up to ``erf_approximation(LIMIT)``.
    """
    value = np.asarray(y, np.float64)
    if not tails and np.any(np.abs(value) > tanh(A * LIMIT + B * LIMIT**3) + 1e-15):
        raise UsageError("Fairclough's approximation of the inverse is refused in the tails")
    with np.errstate(divide="ignore"):
        return D * np.sinh(np.arcsinh(C * np.arctanh(value)) / 3.0)
