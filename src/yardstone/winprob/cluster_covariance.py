"""Covariance of fitted coefficients that counts clusters of games, not games.

Games of one event belong together (its field, its time limits, how grades are declared
there), and where there are no events, games of one player do. The errors of the
coefficients are the jackknife's over events, each left out by one Newton step (CR3; Bell
and McCaffrey 2002), or those of dyadic clusters of players (Fafchamps and Gubert 2007),
and in no direction smaller than those of independent games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.clusters import (
    LEAST_EFFECTIVE_CLUSTERS,
    LEAST_EFFECTIVE_PLAYERS,
    cluster_sums,
    effective_number,
    effective_players,
    numbered,
)
from yardstone.winprob.coefficient_region import CoefficientRegion
from yardstone.winprob.grade_model import ALL_PARAMETERS, GradeModel, log_gradients

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from yardstone.winprob.game_columns import GameColumns

    Array = NDArray[np.float64]
    Players = NDArray[np.int32]

__all__ = ["region_by_event", "region_by_player", "spread_between"]

#: Events whose log odds differ by more, as a share of the average, are not looked for.
_MOST_SPREAD = 3.0
#: Where likelihoods of an event are integrated: log odds that are so many times the average.
_STEP = 0.02
_TIMES = np.arange(0.5 * _STEP, 8.0, _STEP)


@dataclass(frozen=True, eq=False)
class _Scores:
    """Derivatives of the log-likelihood of single games at a fit; frozen.

    Attributes
    ----------
    score : array (free, games)
        Weights counted.
    information : array (free, free)
        Fisher information of all games, weights counted.
    weighted : arrays (2, free, games)
        Square roots of what each game adds to it.
    independent : array (free, free)
        Variance of the summed score if the games were independent.
    """

    score: Array
    information: Array
    weighted: Array
    independent: Array

    @classmethod
    def of(
        cls, model: GradeModel, free: Sequence[str], games: GameColumns, weight: Array | None
    ) -> _Scores:
        index = [ALL_PARAMETERS.index(name) for name in free]
        log_win, log_loss, win, loss = log_gradients(
            model.vector, model.link, games.first, games.second, games.handicap, games.komi
        )
        win, loss = win[index], loss[index]
        count = np.ones(len(games)) if weight is None else weight
        root = np.sqrt(count)
        weighted = np.stack(
            [np.exp(0.5 * log_p) * root * by for log_p, by in ((log_win, win), (log_loss, loss))]
        )
        information = np.einsum("sin,sjn->ij", weighted, weighted)
        independent = np.einsum("sin,sjn,n->ij", weighted, weighted, count)
        score = count * np.where(games.first_won, win, loss)
        return cls(score, information, weighted, independent)


def region_by_event(
    model: GradeModel,
    free: Sequence[str],
    games: GameColumns,
    *,
    weight: Array | None = None,
    noun: str = "events",
) -> CoefficientRegion | None:
    """The region of a fit, by the jackknife over groups of games.

    None where the groups are worth fewer than four of equal size.

    Parameters
    ----------
    model : GradeModel
        The fit.
    free : sequence of str
        Names of the coefficients that were fitted.
    games : GameColumns
        What it was fitted to; `group` numbers the events.
    weight : float64 array, optional
        Of each game in the fit.
    noun : str
        What the groups are.
    """
    worth = effective_number(games.group, weight)
    if worth < LEAST_EFFECTIVE_CLUSTERS:
        return None
    scores = _Scores.of(model, free, games, weight)
    peak = _peak(model, free, scores)
    labels, number = np.unique(games.group, return_inverse=True)
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(len(labels)))
    total = scores.score.sum(axis=1)
    off = []
    for games_of in np.split(order, starts[1:]):
        part = scores.weighted[:, :, games_of]
        rest = scores.information - np.einsum("sin,sjn->ij", part, part)
        moved = np.linalg.pinv(rest, hermitian=True) @ (
            total - scores.score[:, games_of].sum(axis=1)
        )
        off.append(model_values(model, free) + moved - peak)
    jackknife = np.array(off)
    covariance = _at_least_independent(jackknife.T @ jackknife, scores)
    return CoefficientRegion(
        model,
        tuple(free),
        peak,
        covariance,
        worth - 1.0,
        f"{len(labels)} {noun}",
        spread_between(model, games),
    )


def spread_between(model: GradeModel, games: GameColumns) -> float:
    """Fit by how much events differ: the likeliest deviation of an event's log odds.

    The log odds of each event are those of the model times max(0, s), with s normal about 1.

    Parameters
    ----------
    model : GradeModel
    games : GameColumns
        `group` numbers the events.

    Returns
    -------
    float
        Standard deviation of s.
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import log_expit, log_ndtr, logsumexp

    log_win, log_loss, _, _ = log_gradients(
        model.vector, model.link, games.first, games.second, games.handicap, games.komi
    )
    odds = np.where(games.first_won, log_win - log_loss, log_loss - log_win)
    number = np.unique(games.group, return_inverse=True)[1]
    times = np.concatenate([[0.0], _TIMES])
    of_event = np.array([np.bincount(number, log_expit(each * odds)) for each in times])

    def unlikely(spread: float) -> float:
        off = (_TIMES - 1.0) / spread
        density = -0.5 * off**2 - np.log(spread * np.sqrt(2.0 * np.pi)) + np.log(_STEP)
        weight = np.concatenate([[log_ndtr(-1.0 / spread)], density])
        return -float(logsumexp(of_event + weight[:, None], axis=0).sum())

    least = 2.0 * _STEP
    best = float(minimize_scalar(unlikely, bounds=(least, _MOST_SPREAD), method="bounded").x)
    return best if unlikely(best) < unlikely(least) else 0.0


def region_by_player(
    model: GradeModel, free: Sequence[str], games: GameColumns, first: Players, second: Players
) -> CoefficientRegion | None:
    """The region of a fit to games without events: games of a player belong together.

    None where the players are worth fewer than three and a half.

    Parameters
    ----------
    first, second : int32 arrays (games,)
        Players of each game by number.
    """
    worth = effective_players(first, second) if len(first) else 0.0
    if worth < LEAST_EFFECTIVE_PLAYERS:
        return None
    scores = _Scores.of(model, free, games, None)
    a, b, pair, players = numbered(first, second)
    by_player = cluster_sums(scores.score, np.concatenate([a, b]), players)
    by_pair = cluster_sums(scores.score, pair)
    meat = by_player.T @ by_player - by_pair.T @ by_pair
    bread = np.linalg.pinv(scores.information, hermitian=True)
    covariance = _at_least_independent(bread @ meat @ bread, scores)
    freedom = max(worth - 2.0, 1.0)
    return CoefficientRegion(
        model, tuple(free), _peak(model, free, scores), covariance, freedom, f"{players} players"
    )


def model_values(model: GradeModel, free: Sequence[str]) -> Array:
    """Its free coefficients."""
    return model.vector[[ALL_PARAMETERS.index(name) for name in free]]


def _peak(model: GradeModel, free: Sequence[str], scores: _Scores) -> Array:
    """Where one Newton step without bounds leads; the fit itself if no bound holds."""
    step = np.linalg.pinv(scores.information, hermitian=True) @ scores.score.sum(axis=1)
    return np.asarray(model_values(model, free) + step)


def _at_least_independent(covariance: Array, scores: _Scores) -> Array:
    """The covariance, in no direction smaller than that of independent games."""
    bread = np.linalg.pinv(scores.information, hermitian=True)
    least = bread @ scores.independent @ bread
    value, vector = np.linalg.eigh(least)
    some = value > 1e-12 * max(float(value.max()), 1e-300)
    root = vector[:, some] * np.sqrt(value[some])
    back = vector[:, some] / np.sqrt(value[some])
    times, turned = np.linalg.eigh(back.T @ covariance @ back)
    scaled = (turned * np.maximum(times, 1.0)) @ turned.T
    return np.asarray(root @ scaled @ root.T)
