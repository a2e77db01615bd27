"""Distributions on a scale of ranks: cumulated, and made less sure."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["TRACE", "blurred", "blurring", "cumulated"]

#: Probability that is added to every step, so that each has a quantile.
TRACE = 1e-12


def cumulated(density: ArrayLike, begin: float, end: float) -> tuple[Array, Array]:
    """Where the steps begin and end, and the distribution functions there."""
    p = np.asarray(density, np.float64) + TRACE
    cdf = np.concatenate([np.zeros((*p.shape[:-1], 1)), np.cumsum(p, axis=-1)], axis=-1)
    return np.linspace(begin, end, p.shape[-1] + 1), np.asarray(cdf / cdf[..., -1:])


@lru_cache(maxsize=64)
def blurring(steps: int, blur: float) -> Array:
    """What each of so many steps becomes, blurred by so many steps; a row a step.

    What goes beyond the ends of the scale stays at them.
    """
    from scipy.special import ndtr

    edges = np.arange(steps + 1.0)
    middle = 0.5 * (edges[:-1] + edges[1:])
    below = ndtr((edges[None, 1:-1] - middle[:, None]) / blur)
    whole = np.concatenate([np.zeros((steps, 1)), below, np.ones((steps, 1))], axis=1)
    return np.diff(whole, axis=1)


def blurred(density: ArrayLike, blur: float, begin: float, end: float) -> Array:
    """Densities from one strength to another, less sure by an error of so many ranks."""
    p = np.asarray(density, np.float64)
    steps = p.shape[-1]
    width = round(round(blur, 2) * steps / (end - begin), 4)
    return np.asarray(p @ blurring(steps, width)) if width > 0.0 else p
