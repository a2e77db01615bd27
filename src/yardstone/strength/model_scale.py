"""`ModelScale`: a scale on which a model gives the density of a player's strength.

Strengths are numbers such that n dan is n to n + 1, 1 kyu 0 to 1, 2 kyu -1 to 0, in the ranks
of the server whose players the model has learnt the scale from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.spread import ScoreSpread

    Array = NDArray[np.float64]

__all__ = ["ModelScale"]

_STEP = 0.05
#: No rank is further from 0.
_FARTHEST = 100.0
#: Sums judged together.
_TOGETHER = 512


@dataclass(frozen=True, eq=False)
class ModelScale:
    """A scale, and what is usual on it.

    Attributes
    ----------
    name : str
        ``fox`` or ``ogs``, or another server's.
    edges : float64 [g + 1]
        Where each of g groups of ranks begins, and where the last one ends. The first has all
        who are weaker as well, the last all who are stronger.
    prior : float64 [g]
        Probability of each group without any evidence; within a group every strength is as
        likely.
    spread : ScoreSpread
    further : tuple of ScoreSpread
        Of other scores: what each of them says by itself is averaged (a linear pool of
        opinions, Stone 1961), so that none of them need know how they hang together.
    """

    name: str
    edges: Array
    prior: Array
    spread: ScoreSpread
    further: tuple[ScoreSpread, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no scale: ValueError."""
        edges, prior = self.edges, self.prior
        if edges.ndim != 1 or len(edges) < 3 or not (np.diff(edges) > _STEP).all():
            raise ValueError("the edges of the groups do not grow")
        if np.abs(edges).max() > _FARTHEST:
            raise ValueError("the edges of the groups are no ranks")
        if prior.shape != (len(edges) - 1,) or not (prior > 0.0).all():
            raise ValueError("a group without a probability")

    @property
    def spreads(self) -> tuple[ScoreSpread, ...]:
        """All of them."""
        return (self.spread, *self.further)

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """The scores that the scale reads, growing."""
        return np.unique(np.concatenate([each.columns for each in self.spreads])).astype(np.int64)

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.prior)

    def density(self, statistics: Array) -> Array:
        """The distribution of the strength of the player of some games.

        Parameters
        ----------
        statistics : float64 [..., phases + 1 + scores]
            Sums of rows that a model's `game_statistics` gave.

        Returns
        -------
        float64 [..., m]
            Probability of each of m equal steps from the first edge to the last.
        """
        return _in_batches(
            statistics,
            lambda rows: _mean(
                [
                    each.probabilities(rows, usual, scatter=scatter, prior=self._prior)
                    for each, usual, scatter in self._expected
                ]
            ),
        )

    def moments(self, density: Array) -> tuple[Array, Array]:
        """Mean and standard deviation of densities: [...] each."""
        mean = density @ self.strengths
        second = density @ self.strengths**2
        return mean, np.sqrt(np.maximum(second - mean**2, 0.0))

    def shares(self, density: Array) -> Array:
        """What densities give to each group: [..., g]."""
        return np.stack(
            [density[..., self.group == group].sum(axis=-1) for group in range(self.groups)],
            axis=-1,
        )

    def distance(self, statistics: Array) -> Array:
        """How far games of one player lie from those of the nearest strength.

        Returns
        -------
        float64 [...]
            Squared Mahalanobis distance, least over all strengths; 0 without a move. With
            several spreads their mean.
        """
        return _in_batches(
            statistics,
            lambda rows: _mean(
                [
                    (each.distances(rows, usual) / scatter).min(axis=-1)
                    for each, usual, scatter in self._expected
                ]
            ),
        )

    def knot_probabilities(self, statistics: Array, *, one_player: bool = False) -> Array:
        """Probability of each knot of the spread for games of many of its players.

        Unlike in `density` the moves are taken for those of average players there: nobody
        lies between two knots.

        Parameters
        ----------
        statistics : float64 [..., phases + 1 + scores]
        one_player : bool
            The games are of one player, whose own part of the covariance stays whole.
        """
        return _mean(
            [
                each.probabilities(statistics, each.usual, one_player=one_player)
                for each in self.spreads
            ]
        )

    @cached_property
    def strengths(self) -> Array:
        """The middle of each step: [m]."""
        number = round((self.edges[-1] - self.edges[0]) / _STEP)
        return np.asarray(self.edges[0] + _STEP * (np.arange(number) + 0.5))

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """The group of each step."""
        return np.searchsorted(self.edges, self.strengths, side="right") - 1

    @cached_property
    def medium(self) -> float:
        """Mean strength without any evidence."""
        return float(self._prior @ self.strengths)

    @cached_property
    def _prior(self) -> Array:
        size = np.bincount(self.group)
        share = self.prior[self.group] / size[self.group]
        return np.asarray(share / share.sum())

    @cached_property
    def _expected(self) -> list[tuple[ScoreSpread, Array, Array]]:
        """Each spread with what is usual, and the scatter, at the strengths."""
        return [
            (each, each.usual_of(self.strengths), each.scatter_of(self.strengths))
            for each in self.spreads
        ]


def _mean(each: list[Array]) -> Array:
    return each[0] if len(each) == 1 else np.asarray(np.mean(each, axis=0))


def _in_batches(statistics: Array, judge: Callable[[Array], Array]) -> Array:
    """What is to be judged of sums, few of them at a time."""
    sums = np.asarray(statistics, np.float64)
    rows = sums.reshape(-1, sums.shape[-1])
    starts = range(0, max(len(rows), 1), _TOGETHER)
    judged = np.concatenate([judge(rows[start : start + _TOGETHER]) for start in starts])
    return judged.reshape((*sums.shape[:-1], *judged.shape[1:]))
