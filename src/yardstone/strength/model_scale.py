"""`ModelScale`: a scale on which a model gives the density of a player's strength.

Strengths are numbers such that n dan is n to n + 1, 1 kyu 0 to 1, 2 kyu -1 to 0, in the ranks
of the server whose players the model has learnt the scale from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Floats, Longs
from yardstone.strength.evidence import PHASES

_STEP = 0.05
#: No rank is further from 0.
_FARTHEST = 100.0
#: Sums judged together.
_TOGETHER = 512


@dataclass(frozen=True, eq=False)
class ModelScale:
    """A scale, and what is usual on it."""

    name: str  #: ``fox`` or ``ogs``, or another server's.
    #: [g + 1]: where each of g groups of ranks begins, and where the last one ends. The first has
    #: all who are weaker as well, the last all who are stronger.
    edges: Floats
    #: [g]: probability of each group without any evidence; within a group every strength is as
    #: likely.
    prior: Floats
    spread: ScoreSpread
    #: Of other scores: what each of them says by itself is averaged (a linear pool of opinions,
    #: Stone 1961), so that none of them need know how they hang together.
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
    def columns(self) -> Longs:
        """The scores that the scale reads, growing."""
        read = {int(column) for each in self.spreads for column in each.columns}
        return np.array(sorted(read), np.int64)

    def density(self, statistics: Floats) -> Floats:
        """The distribution of the strength of the player of some games.

        `statistics` [..., phases + 1 + scores]: sums of rows that a model's `game_statistics` gave.
        Returns [..., m]: probability of each of m equal steps from the first edge to the last.
        """
        return _in_batches(
            statistics,
            lambda rows: _mean(
                [
                    each.probabilities(rows, usual, scatter, self._prior)
                    for each, usual, scatter in self._expected
                ]
            ),
        )

    def moments(self, density: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of densities: [...] each."""
        mean = density @ self.strengths
        second = density @ self.strengths**2
        return mean, np.sqrt(np.maximum(second - mean**2, 0.0))

    def shares(self, density: Floats) -> Floats:
        """What densities give to each group: [..., g]."""
        return np.stack(
            [density[..., self.group == group].sum(axis=-1) for group in range(len(self.prior))],
            axis=-1,
        )

    def distance(self, statistics: Floats) -> Floats:
        """How far games of one player lie from those of the nearest strength.

        Returns [...]: squared Mahalanobis distance, least over all strengths; 0 without a move.
        With several spreads their mean.
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

    @cached_property
    def strengths(self) -> Floats:
        """The middle of each step: [m]."""
        number = round((self.edges[-1] - self.edges[0]) / _STEP)
        return np.asarray(self.edges[0] + _STEP * (np.arange(number) + 0.5))

    @cached_property
    def group(self) -> Longs:
        """The group of each step."""
        return np.searchsorted(self.edges, self.strengths, side="right") - 1

    @cached_property
    def medium(self) -> float:
        """Mean strength without any evidence."""
        return float(self._prior @ self.strengths)

    @cached_property
    def _prior(self) -> Floats:
        size = np.bincount(self.group)
        share = self.prior[self.group] / size[self.group]
        return np.asarray(share / share.sum())

    @cached_property
    def _expected(self) -> list[tuple[ScoreSpread, Floats, Floats]]:
        """Each spread with what is usual, and the scatter, at the strengths."""
        return [
            (
                each,
                each.usual_of(self.strengths),
                np.interp(self.strengths, each.knots, each.scatter),
            )
            for each in self.spreads
        ]


def _mean(each: list[Floats]) -> Floats:
    return each[0] if len(each) == 1 else np.asarray(np.mean(each, axis=0))


def _in_batches(statistics: Floats, judge: Callable[[Floats], Floats]) -> Floats:
    """What is to be judged of sums, few of them at a time."""
    sums = np.asarray(statistics, np.float64)
    rows = sums.reshape(-1, sums.shape[-1])
    starts = range(0, max(len(rows), 1), _TOGETHER)
    judged = np.concatenate([judge(rows[start : start + _TOGETHER]) for start in starts])
    return judged.reshape((*sums.shape[:-1], *judged.shape[1:]))


#: Knots lie at least so far apart, and no further from 0.
_CLOSEST = 0.05
#: Of a scatter.
_SCATTER = (1e-3, 1e3)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSpread:
    """How mean scores lie about what is usual on one scale."""

    columns: Floats  #: [k]: which of a model's scores it reads, from 0.
    knots: Floats  #: [n]: strengths, growing.
    #: [n, phases, k]: mean score of the moves of players of these strengths, by phase; between two
    #: knots it lies on the straight line.
    usual: Floats
    scatter: Floats  #: [n]: what the covariance is multiplied by at each knot.
    move: Floats  #: [k, k]: covariance that is divided by the number of moves.
    game: Floats  #: [k, k]: the part that is divided by the number of games.
    player: Floats  #: [k, k]: the part that is the player's own.
    prior_moves: Floats  #: So many moves without a say are added: few moves count for less.

    def arrays(self) -> dict[str, Floats]:
        """The numbers by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def width(self) -> int:
        """Number of scores that it reads."""
        return int(self.usual.shape[2])

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], scores: int) -> ScoreSpread:
        """The spread with these numbers, for a model with so many scores.

        Raises `ValueError` if their shapes do not agree, or a covariance is none.
        """
        spread = cls(
            **{each.name: np.asarray(arrays[each.name], np.float64) for each in fields(cls)}
        )
        columns, knots = spread.columns, spread.knots
        if columns.ndim != 1 or not len(columns) or knots.ndim != 1 or len(knots) < 2:
            raise ValueError("no scores, or fewer than two knots")
        square = (len(columns), len(columns))
        shapes = {
            "usual": (len(knots), PHASES, len(columns)),
            "scatter": (len(knots),),
            "move": square,
            "game": square,
            "player": square,
            "prior_moves": (),
        }
        for name, shape in shapes.items():
            if getattr(spread, name).shape != shape:
                raise ValueError(f"{name} is of shape {getattr(spread, name).shape}, not {shape}")
        if len(set(columns.tolist()) & set(range(scores))) < len(columns):
            raise ValueError("a score that the model has not")
        if not (np.diff(knots) >= _CLOSEST).all() or np.abs(knots).max() > _FARTHEST:
            raise ValueError("knots that do not grow, or of no rank")
        if not ((spread.scatter >= _SCATTER[0]) & (spread.scatter <= _SCATTER[1])).all():
            raise ValueError("a scatter that is none")
        for part in (spread.move, spread.game, spread.player):
            least = np.linalg.eigvalsh(part)[0]
            if not np.allclose(part, part.T) or least < -1e-9 * np.trace(part):
                raise ValueError("a covariance is none")
        if np.linalg.eigvalsh(spread.move)[0] <= 0.0 or spread.prior_moves < 0.0:
            raise ValueError("the spread of moves is none")
        return spread

    def usual_of(self, strengths: Floats) -> Floats:
        """Mean scores by phase of players of these strengths: [n, phases, k]."""
        # The knot above each strength, and how far on the way to it from the one below.
        knots = self.knots
        right = np.clip(np.searchsorted(knots, strengths), 1, len(knots) - 1)
        share = (strengths - knots[right - 1]) / (knots[right] - knots[right - 1])
        # The outer knots have no neighbour beyond: half the slope to them.
        share = np.where(share < 0.0, 0.5 * share, share)
        share = np.where(share > 1.0, 1.0 + 0.5 * (share - 1.0), share)[:, None, None]
        usual = self.usual
        return np.asarray(usual[right - 1] + share * (usual[right] - usual[right - 1]))

    def covariance(self, statistics: Floats) -> Floats:
        """Covariance of the summed scores of one player's games, where the scatter is 1.

        `statistics`: [..., phases + 1 + scores]. Returns [..., k, k].
        """
        sums = np.asarray(statistics, np.float64)
        moves, squares = sums[..., :PHASES].sum(axis=-1), sums[..., PHASES]
        return np.asarray(
            moves[..., None, None] * self.move
            + squares[..., None, None] * self.game
            + (moves**2)[..., None, None] * self.player
        )

    def probabilities(
        self,
        statistics: Floats,
        usual: Floats,
        scatter: Floats,
        prior: Floats,
    ) -> Floats:
        """Probability of each of some kinds of player, who usually score `usual`."""
        some = np.asarray(statistics)[..., :PHASES].any(axis=-1, keepdims=True)
        distance = self.distances(statistics, usual) / scatter
        distance += np.where(some, self.width * np.log(scatter), 0.0)
        density = np.exp(-0.5 * (distance - distance.min(axis=-1, keepdims=True))) * prior
        return np.asarray(density / density.sum(axis=-1, keepdims=True))

    def distances(self, statistics: Floats, usual: Floats, *, one_player: bool = True) -> Floats:
        """Squared Mahalanobis distances from kinds of player, who usually score `usual`."""
        sums = np.asarray(statistics, np.float64)
        counts, squares = sums[..., :PHASES], sums[..., PHASES]
        moves = counts.sum(axis=-1)
        whole = moves + self.prior_moves
        mean = sums[..., PHASES + 1 + self.columns.astype(np.int64)] / whole[..., None]
        expected = np.einsum("...p,rpk->...rk", counts, usual) / whole[..., None, None]
        share = (moves / whole) ** 2
        player = self.player * share[..., None, None]
        per_game = (squares / whole**2)[..., None, None]
        covariance = (moves / whole**2)[..., None, None] * self.move
        covariance = covariance + per_game * self.game
        covariance = covariance + (player if one_player else per_game * self.player)
        some = moves > 0
        covariance = np.where(some[..., None, None], covariance, np.eye(self.width))
        away = mean[..., None, :] - expected
        weighted = np.swapaxes(np.linalg.solve(covariance, np.swapaxes(away, -1, -2)), -1, -2)
        return np.asarray((away * weighted).sum(axis=-1))
