"""How well a model of sets tells ranks: of groups of Fox, and of people of OGS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import NoGamesError
from yardstone.lab.neubauer.rank.pool import RankPool
from yardstone.lab.neubauer.rank.protocol import Accuracy, accuracy, draw_games, judged_by_fold
from yardstone.lab.neubauer.rank.spread import as_statistics, fit_spread
from yardstone.strength.rank.scorer import PHASES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.lab.neubauer.set_model.model import OutOfFoldSets
    from yardstone.lab.neubauer.set_model.sides import SetSides
    from yardstone.strength.rank.spread import RankSpread

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["RankErrors", "fox_accuracy", "ogs_errors"]

_PRIOR_MOVES = 30.0
_LEVEL = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class RankErrors:
    """How far estimates of OGS ranks lie from what the server says.

    Attributes
    ----------
    people : int
    correlation, median, rms : float
        Of the estimates with the ranks; of the distances, in ranks. Everybody counts the
        same.
    intervals : tuple of (float, float)
        95 % intervals of these three, by drawing people anew.
    """

    people: int
    correlation: float
    median: float
    rms: float
    intervals: tuple[tuple[float, float], ...]


def fox_accuracy(
    found: OutOfFoldSets,
    sides: SetSides,
    games: int,
    *,
    draws: int = 500,
    seed: int = 0,
) -> Accuracy:
    """How often the group of some Fox games is named, by scores of networks that saw none.

    What is usual in each group is measured on the other folds.

    Parameters
    ----------
    found : OutOfFoldSets
    sides : SetSides
    games : int
        Both sides of so many games are drawn from one group.
    draws : int
        For each group, over all folds.
    seed : int
    """
    rows = np.flatnonzero(sides.fox & (sides.counts.sum(axis=1) > 0))
    pool, fold = _pool(sides, rows), found.fold[rows]
    scores = found.scores[rows, None, :] * sides.counts[rows, :, None]
    spreads: dict[int, tuple[Array, RankSpread]] = {}
    for number in np.unique(fold):
        others = fold != number
        spreads[int(number)] = fit_spread(
            scores[others], pool.select(others), _PRIOR_MOVES, found.scores.shape[1]
        )
    random = np.random.default_rng(seed)
    statistics = as_statistics(pool.counts, scores)

    def drawn(own: Ints) -> tuple[Array, Ints]:
        return draw_games(
            statistics[own],
            pool.group[own],
            pool.game[own],
            games=games,
            draws=draws // len(spreads),
            random=random,
        )

    def judge(number: int, sums: Array) -> Array:
        directions, spread = spreads[number]
        turned = np.concatenate([sums[:, : PHASES + 1], sums[:, PHASES + 1 :] @ directions], axis=1)
        return spread.probabilities(turned, spread.usual, one_player=False)

    return accuracy(*judged_by_fold(drawn, judge, fold))


def ogs_errors(
    found: OutOfFoldSets,
    sides: SetSides,
    games: int,
    *,
    among: NDArray[np.bool_] | None = None,
    draws: int = 20,
    repeats: int = 1000,
    seed: int = 0,
) -> RankErrors:
    """How well the OGS rank of people is told from so many of their games each.

    The rank is a linear function of the scores and their squares that is fitted on the
    people of the other folds.

    Parameters
    ----------
    found : OutOfFoldSets
    sides : SetSides
    games : int
        Of each person; people with fewer are left out.
    among : bool [s], optional
        The sides that are judged; all of OGS by default.
    draws : int
        Of games of each person.
    repeats : int
        Of drawing people.
    seed : int

    Raises
    ------
    NoGamesError
        Nobody has so many games.
    """
    rows = np.flatnonzero(~sides.fox & (sides.counts.sum(axis=1) > 0))
    design = _design(found.scores[rows])
    rank, fold = sides.rank[rows], found.fold[rows]
    random = np.random.default_rng(seed)
    wanted = np.ones(len(rows), bool) if among is None else among[rows]
    weights = {
        int(number): np.linalg.lstsq(design[fold != number], rank[fold != number], rcond=None)[0]
        for number in np.unique(fold)
    }
    truth, told = [], []
    for name in np.unique(sides.player[rows[wanted]]):
        own = np.flatnonzero((sides.player[rows] == name) & wanted)
        if len(own) < games:
            continue
        chosen = [random.choice(own, games, replace=False) for _ in range(draws)]
        mean = np.stack([found.scores[rows[some]].mean(axis=0) for some in chosen])
        told.append(_design(mean) @ weights[int(fold[own[0]])])
        truth.append([rank[some].mean() for some in chosen])
    if not told:
        raise NoGamesError(f"nobody has {games} games")
    estimate, known = np.stack(told), np.array(truth)
    again = random.integers(len(known), size=(repeats, len(known)))
    spread = np.array([_errors(estimate[some], known[some]) for some in again])
    low, high = np.nanquantile(spread, _LEVEL, axis=0)
    return RankErrors(
        len(known),
        *_errors(estimate, known),
        tuple((float(a), float(b)) for a, b in zip(low, high, strict=True)),
    )


def _errors(estimate: Array, known: Array) -> tuple[float, float, float]:
    away = np.abs(estimate - known)
    few = len(np.unique(known)) < 2
    correlation = np.nan if few else np.corrcoef(estimate.ravel(), known.ravel())[0, 1]
    return float(correlation), float(np.median(away)), float(np.sqrt(np.square(away).mean()))


def _design(scores: Array) -> Array:
    return np.concatenate([np.ones((len(scores), 1)), scores, scores**2], axis=1)


def _pool(sides: SetSides, rows: Ints) -> RankPool:
    """The sides without what a rank model sees of their moves."""
    nothing = np.zeros((len(rows), PHASES, 0), np.float32)
    return RankPool(
        values=nothing,
        lifted=nothing,
        counts=sides.counts[rows],
        group=sides.group[rows],
        game=sides.game[rows],
        colour=sides.colour[rows],
        player=sides.player[rows],
        opponent=sides.opponent[rows],
        year=np.zeros(len(rows), np.int64),
    )
