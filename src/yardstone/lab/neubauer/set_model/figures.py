"""How well a model of sets tells ranks: of groups of Fox, and of people of OGS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import NoGamesError
from yardstone.lab.neubauer.rank.protocol import Accuracy, accuracy, draw_games, judged_by_fold
from yardstone.lab.neubauer.set_model.model import fox_pool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.lab.neubauer.set_model.model import TrainedSets
    from yardstone.lab.neubauer.set_model.sides import SetSides

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["RankErrors", "fox_accuracy", "ogs_errors"]

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
    trained: TrainedSets, sides: SetSides, games: int, *, draws: int = 500, seed: int = 0
) -> Accuracy:
    """How often the group of some Fox games is named, by networks that saw none of them.

    Parameters
    ----------
    trained : TrainedSets
    sides : SetSides
        What it was trained on.
    games : int
        Both sides of so many games are drawn from one group.
    draws : int
        For each group, over all folds.
    seed : int
    """
    pool, found = fox_pool(sides), trained.fox
    random = np.random.default_rng(seed)
    statistics = found.statistics()

    def drawn(rows: Ints) -> tuple[Array, Ints]:
        return draw_games(
            statistics[rows],
            pool.group[rows],
            pool.game[rows],
            games=games,
            draws=draws // len(found.models),
            random=random,
        )

    def judge(number: int, sums: Array) -> Array:
        return found.models[number].scale().knot_probabilities(sums)

    return accuracy(*judged_by_fold(drawn, judge, found.fold))


def ogs_errors(
    trained: TrainedSets,
    sides: SetSides,
    games: int,
    *,
    among: NDArray[np.bool_] | None = None,
    draws: int = 20,
    repeats: int = 1000,
    seed: int = 0,
) -> RankErrors:
    """How well the OGS rank of people is told from so many of their games each.

    The rank is a function of the mean score and its square that is fitted on the people of
    the other folds.

    Parameters
    ----------
    trained : TrainedSets
    sides : SetSides
        What it was trained on.
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
    moves = sides.counts.sum(axis=1)
    ogs = np.flatnonzero(~sides.fox)
    some = moves[ogs] > 0
    rows = ogs[some]
    score = trained.ogs.sum(axis=1)[some] / moves[rows]
    rank, fold = sides.rank[rows], trained.fold[rows]
    random = np.random.default_rng(seed)
    wanted = np.ones(len(rows), bool) if among is None else among[rows]
    weights = {
        int(number): np.linalg.lstsq(_design(score[fold != number]), rank[fold != number])[0]
        for number in np.unique(fold)
    }
    truth, told = [], []
    for name in np.unique(sides.player[rows[wanted]]):
        own = np.flatnonzero((sides.player[rows] == name) & wanted)
        if len(own) < games:
            continue
        chosen = np.stack([random.choice(own, games, replace=False) for _ in range(draws)])
        told.append(_design(score[chosen].mean(axis=1)) @ weights[int(fold[own[0]])])
        truth.append(rank[chosen].mean(axis=1))
    if not told:
        raise NoGamesError(f"nobody has {games} games")
    estimate, known = np.stack(told), np.stack(truth)
    again = random.integers(len(known), size=(repeats, len(known)))
    spread = np.array([_errors(estimate[few], known[few]) for few in again])
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


def _design(score: Array) -> Array:
    return np.column_stack([np.ones(len(score)), score, score**2])
