"""Predictions of many games, those of a pair of players together: sums instead of resampling.

A bootstrap of a million players over thirty million games takes hours, and what it gives is
in that limit the normal distribution whose covariance are the exact sums over players and
pairs. So these are added up, and the replicates drawn from it; intervals come from the same
exact standard errors as those of few games. Games of a pair stand together on disk, in parts
that fit in memory, so that memory is needed for the players and one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.clusters import (
    LEAST_EFFECTIVE_PLAYERS,
    effective_size,
    t_quantile,
)
from yardstone.disk import PIECE, let_go, pieces, taken
from yardstone.evaluation.bootstrap import Bootstrap
from yardstone.evaluation.calibration import CalibrationCurve, CalibrationGroups, recalibration
from yardstone.evaluation.metrics import metric_values
from yardstone.records.order_on_disk import distributed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.evaluation.metrics import Measures
    from yardstone.evaluation.result import Prediction
    from yardstone.evaluation.splits import Subset

    Array = NDArray[np.float64]
    Numbers = NDArray[np.int32]

__all__ = ["GamesByPair"]

#: Groups of a calibration, and cells by which they are cut.
_GROUPS, _CELLS = 10, 1 << 16
_MIX = np.uint64(0x9E3779B97F4A7C15)
#: Players whose sums are made one triangle together.
_BLOCK = 1 << 16


@dataclass(frozen=True)
class _Part:
    """Games of some pairs: all games of each, one pair after another."""

    at: slice
    first: Numbers
    second: Numbers
    pair: NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class GamesByPair:
    """Predictions and results by pairs of players; frozen.

    Attributes
    ----------
    columns : mapping of str to arrays
        Players, scores, predictions and subsets of the games.
    ends : int64 array
        Where each part ends.
    players : int
        One more than the largest number of a player.
    """

    columns: Mapping[str, Any]
    ends: NDArray[np.int64]
    players: int

    @classmethod
    def of(
        cls,
        predictions: Sequence[Prediction],
        score: Array,
        ends: tuple[Numbers, Numbers],
        parts: Sequence[Subset],
    ) -> GamesByPair:
        """Put the games in order of pairs."""
        first, second = ends
        columns: dict[str, Any] = {"first": first, "second": second, "score": score}
        for prediction in predictions:
            columns[f"expected {prediction.name}"] = prediction.expected
            if prediction.draw is not None:
                columns[f"draw {prediction.name}"] = prediction.draw
        columns |= {f"part {part.name}": part.games for part in parts}
        players = 1 + max(int(taken(side, at).max()) for side in ends for at in pieces(len(score)))
        number = -(-len(score) // PIECE)

        def part_of(at: slice) -> NDArray[np.integer]:
            key = _key(taken(first, at), taken(second, at), players).astype(np.uint64)
            mixed = (key * _MIX) >> np.uint64(33)
            return (mixed % np.uint64(number)).astype(np.int32)

        result, last = distributed(columns, part_of, number)
        for begin, end in zip(np.append(0, last[:-1]).tolist(), last.tolist(), strict=True):
            at = slice(begin, end)
            key = _key(taken(result["first"], at), taken(result["second"], at), players)
            order = np.argsort(key, kind="stable")
            for column in result.values():
                column[at] = taken(column, at)[order]
                let_go(column)
        return cls(result, last, players)

    def _parts(self, name: str | None = None) -> Iterator[tuple[_Part, Any]]:
        """The parts, and which of their games belong to a subset (all without one)."""
        begin = 0
        for end in self.ends.tolist():
            at = slice(begin, end)
            begin = end
            chosen: Any = slice(None)
            if name is not None:
                chosen = np.flatnonzero(taken(self.columns[f"part {name}"], at))
            first = taken(self.columns["first"], at)[chosen]
            if not len(first):
                continue
            second = taken(self.columns["second"], at)[chosen]
            key = _key(first, second, self.players)
            pair = np.cumsum(np.append(False, key[1:] != key[:-1]))
            yield _Part(at, first, second, pair), chosen

    def _column(self, name: str, part: _Part, chosen: Any) -> Any:
        return taken(self.columns[name], part.at)[chosen]

    def bootstraps(
        self,
        means: Mapping[str, Measures],
        part: Subset,
        metrics: Sequence[str],
        replicates: int,
        seed: int,
    ) -> dict[tuple[str, str], tuple[tuple[str, ...], Bootstrap]]:
        """For each metric the systems with finite values, and how their means vary together."""
        result = {}
        for metric in metrics:
            known = {name: getattr(each, metric) for name, each in means.items()}
            mean = {name: each for name, each in known.items() if each is not None}
            mean = {name: each for name, each in mean.items() if np.isfinite(each)}
            if mean:
                bootstrap = self._bootstrap(metric, mean, part, replicates, seed)
                result[part.name, metric] = (tuple(mean), bootstrap)
        return result

    def _bootstrap(
        self, metric: str, means: Mapping[str, float], part: Subset, replicates: int, seed: int
    ) -> Bootstrap:
        games, rows = part.number, len(means)
        mean = np.array(list(means.values()))
        sums, size = np.zeros((rows, self.players)), np.zeros(self.players, np.int64)
        gram, by_pair = np.zeros((rows, rows)), np.zeros((0, rows))
        for some, chosen in self._parts(part.name):
            residual = self._values(metric, tuple(means), some, chosen) - mean[:, None]
            gram += residual @ residual.T
            for side in (some.first, some.second):
                np.add.at(size, side, 1)
                for row in range(rows):
                    np.add.at(sums[row], side, residual[row])
            length = np.bincount(some.pair)
            starts = np.cumsum(length) - length
            pairs = np.add.reduceat(residual, starts, axis=1) / _rest(length, games)
            by_pair = _triangle(np.vstack([by_pair, pairs.T]))
        sums /= _rest(size, games)
        by_player = np.zeros((0, rows))
        for at in pieces(self.players, _BLOCK):
            by_player = _triangle(np.vstack([by_player, sums[:, at].T]))
        spread = np.vstack([by_player, by_pair])
        normal = np.random.default_rng(seed).standard_normal((replicates, len(spread)))
        freedom = max(effective_size(size) - 2.0, 1.0)
        drawn = mean + normal @ spread / games
        return Bootstrap("player", games, mean, drawn, gram, by_player, by_pair, freedom)

    def _values(self, metric: str, names: Sequence[str], part: _Part, chosen: Any) -> Array:
        """The metric of each system and game; shape (systems, games)."""
        score = self._column("score", part, chosen)
        rows = []
        for name in names:
            draw = None
            if metric == "three_way":
                draw = self._column(f"draw {name}", part, chosen)
            expected = self._column(f"expected {name}", part, chosen)
            rows.append(metric_values(metric, score, expected, draw))
        return np.array(rows)

    def calibration(
        self, prediction: Prediction, score: Array, confidence: float
    ) -> CalibrationCurve:
        """As `yardstone.evaluation.calibration.calibrate`; groups are cut by fine cells."""
        edges = _edges(prediction.expected)
        number = len(edges) + 1
        games, draws = np.zeros((2, number), np.int64)
        points, expected = np.zeros((2, number))
        low, high = np.full(number, np.inf), np.full(number, -np.inf)
        for at in pieces(len(score)):
            p, s = taken(prediction.expected, at), np.asarray(taken(score, at), np.float64)
            group = np.searchsorted(edges, p, side="right")
            games += np.bincount(group, minlength=number)
            draws += np.bincount(group[s == 0.5], minlength=number)
            points += np.bincount(group, s, number)
            expected += np.bincount(group, p, number)
            np.minimum.at(low, group, p)
            np.maximum.at(high, group, p)
        there = games > 0
        observed = points / np.maximum(games, 1)
        error, alone, freedom = self._errors(prediction.name, edges, observed, games)
        certain = (error > 0.0) & (alone > 0.0)
        worth = np.divide(alone, error, out=np.ones(number), where=certain) ** 2
        quantile = [t_quantile(0.5 + confidence / 2.0, each) for each in freedom]
        reach = np.where(np.isnan(error), np.inf, quantile)
        groups = CalibrationGroups(
            low[there],
            high[there],
            (expected / np.maximum(games, 1))[there],
            observed[there],
            (draws / np.maximum(games, 1))[there],
            games[there],
            worth[there],
            reach[there],
        )
        return groups.curve(confidence, recalibration(score, prediction.expected))

    def _errors(
        self, name: str, edges: Array, mean: Array, games: NDArray[np.int64]
    ) -> tuple[Array, Array, Array]:
        """Of each group the error of its mean score, that of independent games, and freedom.

        The error is NaN where there are too few players.
        """
        number = len(mean)
        sums = np.zeros(self.players * number)
        size = np.zeros(self.players * number, np.int32)
        alone, by_pair = np.zeros((2, number))
        for some, chosen in self._parts():
            score = np.asarray(self._column("score", some, chosen), np.float64)
            expected = self._column(f"expected {name}", some, chosen)
            group = np.searchsorted(edges, expected, side="right")
            residual = score - mean[group]
            alone += np.bincount(group, residual**2, number)
            for side in (some.first, some.second):
                place = side.astype(np.int64) * number + group
                np.add.at(sums, place, residual)
                np.add.at(size, place, 1)
            place = some.pair * number + group
            length = np.bincount(place, minlength=number * (int(some.pair[-1]) + 1))
            total = np.bincount(place, residual, len(length)).astype(np.float64)
            by_pair += _squares(total.reshape(-1, number), length.reshape(-1, number), games)
        sizes = size.reshape(-1, number)
        by_player = _squares(sums.reshape(-1, number), sizes, games)
        players = np.array(
            [effective_size(sizes[:, column].astype(np.int64)) for column in range(number)]
        )
        wide = np.maximum(np.maximum(by_player - by_pair, by_pair), alone)
        count = np.maximum(games, 1)
        error = np.where(players >= LEAST_EFFECTIVE_PLAYERS, np.sqrt(wide) / count, np.nan)
        return error, np.sqrt(alone) / count, np.maximum(players - 2.0, 1.0)


def _squares(sums: Array, size: NDArray[np.integer], games: NDArray[np.int64]) -> Array:
    """Of each group the sum of the clusters' squared sums; shapes (clusters, groups)."""
    total = np.zeros(len(games))
    for column, number in enumerate(games.tolist()):
        if number:
            off = sums[:, column] / _rest(size[:, column], number)
            total[column] = float(off @ off)
    return total


def _key(first: Numbers, second: Numbers, players: int) -> NDArray[np.int64]:
    """The number of each game's pair."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    return low.astype(np.int64) * players + high


def _rest(size: NDArray[np.integer], games: int) -> Array:
    """One minus the share of all games that a cluster has (the jackknife)."""
    return np.asarray(np.maximum(1.0 - size / games, 0.5 / games), np.float64)


def _triangle(rows: Array) -> Array:
    """The triangle whose rows have the same products as these: it stands for all of them."""
    triangle = np.linalg.qr(rows, mode="r")
    sign = np.where(np.diagonal(triangle) < 0.0, -1.0, 1.0)
    return np.asarray(triangle * sign[:, None], np.float64)


def _edges(expected: Array) -> Array:
    """Predictions that cut about equal numbers of games, on a fine grid."""
    counts = np.zeros(_CELLS, np.int64)
    for at in pieces(len(expected)):
        cell = np.minimum((taken(expected, at) * _CELLS).astype(np.int64), _CELLS - 1)
        counts += np.bincount(cell, minlength=_CELLS)
    wanted = np.arange(1, _GROUPS) / _GROUPS * len(expected)
    cells = np.searchsorted(np.cumsum(counts), wanted)
    return np.unique((cells + 1) / _CELLS)
