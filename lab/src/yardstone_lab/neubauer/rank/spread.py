"""How the scores of players of each rank group lie: what `StrengthModel` judges them by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.strength.evidence import PHASES
from yardstone.strength.model_scale import ScoreSpread
from yardstone.strength.site_scales import EDGES, RANKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.rank.pool import RankPool

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["as_statistics", "covariances", "discriminant_directions", "fit_spread"]

#: Covariances are shrunk so far to their diagonal.
_SHRINK = 0.05
_RIDGE, _TINY = 1e-6, 1e-12
#: Where few players have several games, the player's part of the covariance is drawn to
#: this share of what the moves of a game have in common, as if so many pairs said so.
_SHARE, _PAIRS = 0.25, 300.0
#: A typical score of a move is so large: what the file keeps as float16 is in its middle.
_SIZE = 10.0


def as_statistics(counts: NDArray[np.int64], scores: Array) -> Array:
    """Rows as `StrengthModel.game_statistics` gives them.

    Parameters
    ----------
    counts : int64 [s, phases]
    scores : float64 [s, phases, k]
        Summed over the moves of each phase.
    """
    moves = counts.sum(axis=1, keepdims=True).astype(np.float64)
    return np.concatenate([counts, moves**2, scores.sum(axis=1)], axis=1)


def discriminant_directions(mean: Array, group: Ints, width: int) -> Array:
    """Directions in which groups lie apart most, for the scatter within them.

    Parameters
    ----------
    mean : float64 [s, m]
    group : int64 [s]
    width : int
        How many.

    Returns
    -------
    float64 [m, width]
        The best first; the scatter within the groups is the same in each.
    """
    centre = np.array([mean[group == k].mean(axis=0) for k in range(len(RANKS))])
    inside = mean - centre[group]
    scatter = inside.T @ inside / len(inside)
    scatter = (1.0 - _SHRINK) * scatter + _SHRINK * np.diag(np.diag(scatter))
    scatter += _RIDGE * np.trace(scatter) / len(scatter) * np.eye(len(scatter))
    values, vectors = np.linalg.eigh(scatter)
    white = vectors / np.sqrt(values)
    _, _, right = np.linalg.svd((centre - centre.mean(axis=0)) @ white)
    directions = white @ right[:width].T
    # The first direction grows with the rank; the others have a sign of their own.
    along = (centre @ directions).T @ (np.arange(len(RANKS)) - (len(RANKS) - 1) / 2.0)
    return np.asarray(_SIZE * directions * np.where(along < 0.0, -1.0, 1.0))


def fit_spread(
    scores: Array, pool: RankPool, prior_moves: float, width: int
) -> tuple[Array, ScoreSpread]:
    """What is usual in each group, from scores of players whom their model has not seen.

    Parameters
    ----------
    scores : float64 [s, phases, m]
        Summed scores of each side.
    pool : RankPool
        The sides.
    prior_moves : float
    width : int
        Directions that are kept.

    Returns
    -------
    directions : float64 [m, width]
    spread : ScoreSpread
        In those directions.
    """
    counts = pool.counts.astype(np.float64)
    moves = counts.sum(axis=1)
    mean = scores.sum(axis=1) / (moves + prior_moves)[:, None]
    directions = discriminant_directions(mean, pool.group, width)
    projected = scores @ directions
    usual = np.zeros((len(RANKS), PHASES, width))
    for group in range(len(RANKS)):
        rows = pool.group == group
        usual[group] = (
            projected[rows].sum(axis=0) / np.maximum(counts[rows].sum(axis=0), 1.0)[:, None]
        )
    some = moves > 0
    away = (projected - counts[:, :, None] * usual[pool.group])[some]
    players = np.char.add(np.char.add(pool.group.astype(str), " "), pool.player)
    players = np.where(pool.player == "", "", players)[some]
    spread = ScoreSpread(
        columns=np.arange(width, dtype=np.float64),
        knots=0.5 * (EDGES[:-1] + EDGES[1:]),
        usual=usual,
        scatter=np.ones(len(RANKS)),
        **covariances(away, counts[some], players),
        prior_moves=np.array(float(prior_moves)),
    )
    return directions, spread


def covariances(away: Array, counts: Array, players: NDArray[np.str_]) -> dict[str, Array]:
    """The three parts of the covariance of scores about what is usual: see `ScoreSpread`.

    Parameters
    ----------
    away : float64 [s, phases, k]
        Summed scores of each side less the usual ones.
    counts : float64 [s, phases]
        Moves; none of the sides is without any.
    players : str array [s]
        Whose side each is; an empty name is nobody's.
    """
    move, game = _by_moves(away, counts)
    mean_away = away.sum(axis=1) / counts.sum(axis=1)[:, None]
    found_player, pairs = _by_player(mean_away, players)
    player = (pairs * found_player + _PAIRS * _SHARE * game) / (pairs + _PAIRS)
    return {"move": move, "game": _positive(game - player), "player": player}


def _positive(matrix: Array, least: float = 0.0) -> Array:
    """The nearest symmetric matrix whose eigenvalues are at least so large."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)


def _by_moves(away: Array, counts: Array) -> tuple[Array, Array]:
    """Parts of the covariance of sums that grow with the moves, and with their square.

    Moves of different phases of a game have in common what the game has; what is left
    of a whole game's variance is due to its moves.
    """
    width = away.shape[2]
    whole, moves = away.sum(axis=1), counts.sum(axis=1)
    products = whole.T @ whole
    between = products - np.einsum("spk,spl->kl", away, away)
    pairs = float((moves**2 - (counts**2).sum(axis=1)).sum())
    game = _positive(between / max(pairs, 1.0))
    move = (products - float((moves**2).sum()) * game) / float(moves.sum())
    least = 0.01 * float(np.trace(products)) / (width * float(moves.sum()))
    return _positive(move, max(least, _TINY)), game


def _by_player(away: Array, players: NDArray[np.str_]) -> tuple[Array, float]:
    """Covariance between different games of one player, and from how many pairs it is."""
    width = away.shape[1]
    named = players != ""
    away = away[named]
    _, number = np.unique(players[named], return_inverse=True)
    size = np.bincount(number)
    several = size > 1
    # A player with n games has n (n - 1) / 2 pairs, but hardly more than n - 1 facts.
    facts = float((size[several] - 1).sum())
    if facts == 0.0:
        return np.zeros((width, width)), 0.0
    total = np.zeros((len(size), width))
    np.add.at(total, number, away)
    own = np.zeros((len(size), width, width))
    np.add.at(own, number, away[:, :, None] * away[:, None, :])
    pairs = total[several, :, None] * total[several, None, :] - own[several]
    return _positive((pairs / size[several, None, None]).sum(axis=0) / facts), facts
