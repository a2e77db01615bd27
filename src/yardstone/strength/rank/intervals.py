"""Intervals of a rank model, calibrated on players that models like it have not seen.

The players of each fold are judged by the model that was trained on the other folds: from
one phase of a game, from a game, and from several games where a player has them. What
such estimates are worth is what the intervals of the whole model are fitted to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.strength.estimate.intervals import fit_intervals
from yardstone.strength.rank.model import RankModel
from yardstone.strength.rank.protocol import draw_players
from yardstone.strength.rank.scorer import PHASES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.rank.pool import RankPool
    from yardstone.strength.rank.training import OutOfFold, TrainedRank

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["calibrated", "drawn_players", "unseen_players", "with_intervals"]

#: Games of one player that are put together.
_GAMES = (1, 2, 3, 4, 5)


def unseen_players(
    trained: TrainedRank, pool: RankPool, random: np.random.Generator
) -> tuple[Array, Ints, Ints, Ints]:
    """Distributions of the strength of unseen players: from a phase, a game, several games.

    Parameters
    ----------
    trained : TrainedRank
    pool : RankPool
        What it was trained on.
    random : numpy.random.Generator

    Returns
    -------
    densities : float64 [n, m]
        `RankModel.density` of each.
    groups, moves, folds : int64 [n]
        The player's group, the moves that the estimate rests upon, the player's fold.
    """
    return drawn_players(trained.out_of_fold, pool.group, pool.player, random)


def drawn_players(
    found: OutOfFold, side_group: Ints, player: NDArray[np.str_], random: np.random.Generator
) -> tuple[Array, Ints, Ints, Ints]:
    """The same, from what was kept of a training.

    Parameters
    ----------
    found : OutOfFold
    side_group : int64 [s]
        Rank group of each side.
    player : str [s]
    random : numpy.random.Generator
    """
    sums, truth, folds = [], [], []
    evidence = [([phase], 1) for phase in range(PHASES)]
    evidence += [(list(range(PHASES)), games) for games in _GAMES]
    for phases, games in evidence:
        statistics = found.statistics(phases)
        for number in range(len(found.models)):
            rows = (found.fold == number) & (statistics[:, :PHASES].sum(axis=1) > 0)
            drawn, group, _ = draw_players(
                statistics[rows],
                side_group[rows],
                player[rows],
                games=games,
                draws=1,
                random=random,
            )
            sums.append(drawn)
            truth.append(group)
            folds.append(np.full(len(group), number))
    whole, fold = np.concatenate(sums), np.concatenate(folds)
    moves = whole[:, :PHASES].sum(axis=1).astype(np.int64)
    return found.densities(whole, fold), np.concatenate(truth), moves, fold


def with_intervals(trained: TrainedRank, pool: RankPool, seed: int) -> RankModel:
    """The trained model with calibrated intervals on its card, as ``intervals``.

    Parameters
    ----------
    trained : TrainedRank
    pool : RankPool
        What it was trained on.
    seed : int
        Of the games that are drawn.
    """
    density, group, moves, _ = unseen_players(trained, pool, np.random.default_rng(seed))
    return calibrated(trained.model, density, group, moves)


def calibrated(model: RankModel, density: Array, groups: Ints, moves: Ints) -> RankModel:
    """The model with intervals fitted to such estimates (`fit_intervals`) on its card."""
    intervals = fit_intervals(density, groups, moves).as_dict()
    return RankModel(model.scorer, model.spread, {**model.card, "intervals": intervals})
