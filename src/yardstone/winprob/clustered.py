"""Means over games that belong together, with intervals over the clusters."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["FEWEST", "clustered_interval", "clustered_mean"]

#: Clusters of equal size that an interval needs.
FEWEST = 4.0


def clustered_mean(values: ArrayLike, cluster: NDArray[Any]) -> tuple[float, float, float]:
    """Mean over all games, its standard error, and the clusters' worth.

    The error is the jackknife's, which leaves out a cluster at a time. Unequal clusters
    are worth as many equal ones as 1/sum of their squared shares. A single one has no
    error (NaN).
    """
    x = np.asarray(values, np.float64)
    number = np.unique(cluster, return_inverse=True)[1].ravel()
    share = np.bincount(number) / len(x)
    mean = float(x.mean())
    if len(share) < 2:
        return mean, float("nan"), 1.0
    off = np.bincount(number, x - mean) / len(x) / (1.0 - share)
    return mean, sqrt(float(off @ off)), 1.0 / float(share @ share)


def clustered_interval(
    values: ArrayLike, cluster: NDArray[Any], level: float = 0.95, *, widening: float = 1.0
) -> tuple[float, float] | None:
    """Interval of the mean by Student's t; None where the clusters are worth too few.

    `widening` multiplies the standard error.
    """
    from scipy.special import stdtrit

    mean, error, worth = clustered_mean(values, cluster)
    if worth < FEWEST:
        return None
    reach = float(stdtrit(worth - 1.0, 0.5 + 0.5 * level)) * error * widening
    return mean - reach, mean + reach
