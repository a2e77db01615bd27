"""What players of each rank score, and how far they lie about it, from players with ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.strength.evidence import PHASES
from yardstone.strength.model_scale import ScoreSpread
from yardstone_lab.neubauer.rank.spread import covariances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.rank.pool import RankPool
    from yardstone_lab.neubauer.rank.rated import RatedSettings

    Array = NDArray[np.float64]

__all__ = ["rated_spread"]

#: Games of one player that the spread is measured on: who has many must not decide.
_MOST_GAMES = 6
#: People that a knot without any counts for.
_FEW = 1e-3
#: The scatter is measured in so many classes of players, and kept between these: where it is
#: wide, whoever plays like nobody would else be put.
_CLASSES = 6
_SCATTER = (0.7, 1.6)
#: What phases differ by is drawn so strongly to be the same at all ranks.
_BY_PHASE = 30.0


def _hat(rank: Array, knots: Array) -> Array:
    """Shares of the knots at each rank: float64 [s, n]."""
    at = np.clip(rank, knots[0], knots[-1])
    right = np.clip(np.searchsorted(knots, at), 1, len(knots) - 1)
    share = (at - knots[right - 1]) / (knots[right] - knots[right - 1])
    hat = np.zeros((len(rank), len(knots)))
    hat[np.arange(len(rank)), right - 1] = 1.0 - share
    hat[np.arange(len(rank)), right] = share
    return hat


def _usual(mean: Array, hat: Array, weight: Array, pull: Array) -> Array:
    """Mean scores at the knots [n, k]: weighted least squares with a pull on the differences.

    Parameters
    ----------
    mean : float64 [s, k]
    hat : float64 [s, n]
    weight : float64 [s]
    pull : float64 [d, n]
        What is drawn to 0.
    """
    products = hat.T @ (hat * weight[:, None]) + pull.T @ pull
    return np.asarray(np.linalg.solve(products, hat.T @ (weight[:, None] * mean)))


def _slopes(knots: Array) -> Array:
    """Takes values at the knots to the slopes between them: float64 [n - 1, n]."""
    return np.diff(np.eye(len(knots)), axis=0) / np.diff(knots)[:, None]


def rated_spread(
    scores: Array, pool: RankPool, rank: Array, weight: Array, settings: RatedSettings
) -> ScoreSpread:
    """What players of each rank score, and how far they lie about it."""
    from scipy.optimize import isotonic_regression

    knots = np.asarray(settings.knots)
    counts = pool.counts.astype(np.float64)
    moves = counts.sum(axis=1)
    hat = _hat(rank, knots)
    mean = scores.sum(axis=1) / np.maximum(moves, 1.0)[:, None]
    slopes = np.diff(knots).mean() * _slopes(knots)
    straight = np.sqrt(settings.smooth) * np.diff(slopes, axis=0)
    whole = _usual(mean, hat, weight * (moves > 0), straight)
    people = (hat * weight[:, None]).sum(axis=0) + _FEW
    for column in (0, -1):  # the scores that grow with the rank
        whole[:, column] = isotonic_regression(whole[:, column], weights=people).x
    # As if one player at each knot had said that phases do not differ.
    alike = np.concatenate([_BY_PHASE * slopes, np.eye(len(knots))])
    usual = np.empty((len(knots), PHASES, scores.shape[2]))
    for phase in range(PHASES):
        own = counts[:, phase]
        mean = scores[:, phase] / np.maximum(own, 1.0)[:, None]
        # A phase of few moves is as the whole game is.
        share = weight * own / np.maximum(own, 1.0).mean()
        usual[:, phase] = whole + _usual(mean - hat @ whole, hat, share, alike)
    return _scattered(scores, pool, rank, usual, settings)


def _scattered(
    scores: Array, pool: RankPool, rank: Array, usual: Array, settings: RatedSettings
) -> ScoreSpread:
    knots = np.asarray(settings.knots)
    counts = pool.counts.astype(np.float64)
    moves = counts.sum(axis=1)
    random = np.random.default_rng(settings.seed)
    order = random.permutation(len(pool))
    chosen = np.array(
        [
            row
            for name in np.unique(pool.player)
            for row in order[pool.player[order] == name][:_MOST_GAMES]
        ]
    )
    chosen = chosen[moves[chosen] > 0]
    hat = _hat(rank, knots)
    away = scores - np.einsum("sn,npk,sp->spk", hat, usual, counts)
    mean = away[..., -1].sum(axis=1) / (moves + settings.prior_moves)
    _, person = np.unique(pool.player[chosen], return_inverse=True)
    number = np.bincount(person)
    square = np.bincount(person, mean[chosen] ** 2) / number
    at = np.bincount(person, rank[chosen]) / number
    classes = np.array_split(np.argsort(at, kind="stable"), _CLASSES)
    middle = np.array([at[each].mean() for each in classes])
    factor = np.array([square[each].mean() for each in classes]) / square.mean()
    scatter = np.clip(np.interp(knots, middle, factor), *_SCATTER)
    by_rank = np.sqrt(hat @ scatter)
    even = away / by_rank[:, None, None]
    parts = covariances(even[chosen], counts[chosen], pool.player[chosen])
    return ScoreSpread(
        columns=np.arange(scores.shape[2], dtype=np.float64),
        knots=knots,
        usual=usual,
        scatter=scatter,
        **parts,
        prior_moves=np.array(settings.prior_moves),
    )
