"""Several comparisons at once: how small a probability must be to be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["holm", "two_sided"]


def holm(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Probabilities adjusted for their number (Holm 1979).

    Those below a level are all rightly believed but in that share of cases, however the
    comparisons depend on each other. NaN stays NaN, and counts as a comparison.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(probabilities, np.float64)
    order = np.argsort(p, kind="stable")
    left = len(p) - np.arange(len(p))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(left * p[order]), 1.0)
    return adjusted


def two_sided(value: ArrayLike, error: ArrayLike, freedom: float) -> NDArray[np.float64]:
    """Probability of a value so far from 0 by chance, by Student's t; 1 for 0 ± 0."""
    from scipy.special import stdtr

    v, e = np.abs(np.asarray(value, np.float64)), np.asarray(error, np.float64)
    t = np.divide(v, e, out=np.where(v > 0.0, np.inf, 0.0), where=e > 0.0)
    return np.asarray(2.0 * stdtr(freedom, -t), np.float64)
