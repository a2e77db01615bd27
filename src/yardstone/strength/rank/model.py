"""`RankModel`: the rank of a player of Go from the moves of a few games.

Each move has some scores (`MoveScorer`), and their mean over the moves of any number of
games lies about what is usual at a rank (`RankSpread`). From that follows, with every rank
group equally likely beforehand, the probability of each strength.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import UsageError
from yardstone.strength.rank.file import read_arrays, write_arrays
from yardstone.strength.rank.ranks import EDGES, RANKS
from yardstone.strength.rank.scorer import PHASES, MoveScorer
from yardstone.strength.rank.spread import RankSpread
from yardstone.strength.rank.values import phases_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Array = NDArray[np.float64]

__all__ = ["RankModel", "RankScore"]

_SHIPPED = Path(__file__).parent / "data" / "rank_model.npz"
_STEP = 0.05
#: Sums judged together.
_TOGETHER = 512
#: Steps of the path along which the effects of moves are added up.
_PATH = 24


@dataclass(frozen=True, slots=True, eq=False)
class RankScore:
    """How strong a player is, on the Fox scale: n dan is n to n + 1, 1 kyu 0 to 1.

    Attributes
    ----------
    mean, deviation : float
        Of the distribution of the strength.
    probabilities : float64 [11]
        Of the groups `RANKS`.
    by_game : float64 [games]
        The mean from each game alone; a game without moves gives the prior's.
    """

    mean: float
    deviation: float
    probabilities: Array
    by_game: Array


class RankModel:
    """The rank of a player from the moves of some games.

    `RankModel.load` gives the one that comes with Yardstone; `train_rank_model` of
    `yardstone.lab.neubauer.rank.training` makes one from other games.

    Attributes
    ----------
    card : dict
        What it is: ``name``, ``network`` and ``sha256`` of the network whose features
        it reads, data, settings and figures.
    scorer : MoveScorer
    spread : RankSpread
    """

    def __init__(self, scorer: MoveScorer, spread: RankSpread, card: Mapping[str, Any]) -> None:
        self.scorer = scorer
        self.spread = spread
        self.card = dict(card)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> RankModel:
        """Load a model; without a path the one that comes with Yardstone.

        Raises
        ------
        InputError
            The file is not there, or is no model.
        """
        file = _SHIPPED if path is None else Path(path)
        return read_arrays(file, lambda arrays, card: cls(*_parts(arrays), card))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model with its weights as float16, whole or not at all."""
        small = {f"scorer_{k}": v for k, v in self.scorer.arrays().items()}
        exact = {f"spread_{k}": v for k, v in self.spread.arrays().items()}
        write_arrays(Path(path), small, exact, self.card)

    def game_statistics(self, evidence: Evidence) -> Array:
        """What is kept of each game; that of several games is the rows' sum.

        Returns
        -------
        float64 [games, phases + 1 + k]
            Number of moves of each phase, that number squared over all phases (for
            the part of the covariance that games have in common), and the summed
            scores of the moves.

        Raises
        ------
        UsageError
            The evidence comes from a network with another width.
        """
        return np.asarray(self.part_statistics(evidence, np.zeros(len(evidence), np.int64), 1)[0])

    def part_statistics(
        self, evidence: Evidence, part: NDArray[np.integer[Any]], parts: int
    ) -> Array:
        """The same of some parts of each game, whose moves are scored within the whole game.

        What is said of a move depends on how its game goes on, so that parts must not be
        cut out before they are scored.

        Parameters
        ----------
        evidence : Evidence
            Whole sides of games.
        part : int array [n]
            The part that each move belongs to, from 0; none of the parts if below 0.
        parts : int

        Returns
        -------
        float64 [parts, games, phases + 1 + k]
        """
        if len(evidence) and evidence.channels != self.scorer.channels:
            raise UsageError(
                f"the features have {evidence.channels} channels, and the model reads "
                f"{self.scorer.channels}: use the network {self.card.get('network')}"
            )
        rows = np.flatnonzero(part >= 0)
        place = (part[rows], evidence.game[rows])
        sums = np.zeros((parts, evidence.games, PHASES + 1 + self.scorer.width))
        np.add.at(sums, (*place, phases_of(evidence.number)[rows]), 1.0)
        sums[..., PHASES] = sums[..., :PHASES].sum(axis=-1) ** 2
        if len(rows):
            np.add.at(sums[..., PHASES + 1 :], place, self.scorer.scores(evidence)[rows])
        return sums

    def score(self, evidence: Evidence) -> RankScore:
        """How strong the player is; without any move, what is known beforehand."""
        each = self.game_statistics(evidence)
        means, _, _ = self.posterior(each)
        mean, deviation, probabilities = self.posterior(each.sum(axis=0))
        return RankScore(float(mean), float(deviation), probabilities, means)

    def posterior(self, statistics: Array) -> tuple[Array, Array, Array]:
        """Strength from statistics of one player's games.

        Parameters
        ----------
        statistics : float64 [..., phases + 1 + k]
            Sums of rows that `game_statistics` gave.

        Returns
        -------
        mean, deviation : float64 [...]
            On the Fox scale.
        probabilities : float64 [..., 11]
            Of the groups.
        """
        density = self.density(statistics)
        strengths = self._strengths
        mean = density @ strengths
        second = density @ strengths**2
        deviation = np.sqrt(np.maximum(second - mean**2, 0.0))
        probabilities = np.stack(
            [density[..., self._group == group].sum(axis=-1) for group in range(len(RANKS))],
            axis=-1,
        )
        return mean, deviation, probabilities

    def density(self, statistics: Array) -> Array:
        """The whole distribution of which `posterior` gives mean, deviation and groups.

        Parameters
        ----------
        statistics : float64 [..., phases + 1 + k]

        Returns
        -------
        float64 [..., m]
            Probability of each of m equal steps of the Fox scale, from the first of
            `EDGES` to the last.
        """
        return _in_batches(
            statistics,
            lambda rows: self.spread.probabilities(rows, self._usual_strengths, prior=self._prior),
        )

    def group_probabilities(self, statistics: Array, *, one_player: bool = False) -> Array:
        """Probability of each rank group for games of many of its players.

        Unlike in `posterior` the moves are taken for those of average players of a
        group: a player in the middle between two groups does not exist.

        Parameters
        ----------
        statistics : float64 [..., phases + 1 + k]
        one_player : bool
            The games are of one player, whose own part of the covariance stays whole.
        """
        return self.spread.probabilities(statistics, self.spread.usual, one_player=one_player)

    def distance(self, statistics: Array) -> Array:
        """How far games of one player lie from those of the nearest strength.

        Parameters
        ----------
        statistics : float64 [..., phases + 1 + k]
            Sums of rows that `game_statistics` gave.

        Returns
        -------
        float64 [...]
            Squared Mahalanobis distance, least over all strengths; 0 without a move.
        """
        return _in_batches(
            statistics,
            lambda rows: self.spread.distances(rows, self._usual_strengths).min(axis=-1),
        )

    def move_scores(self, evidence: Evidence) -> Array:
        """How far each move speaks for a stronger (+) or a weaker (-) player, in ranks.

        The effects add up to the estimate less what it would be if the moves were
        those of a player of medium strength, but for rounding: they are summed along
        the straight way from there (integrated gradients, Sundararajan, Taly and Yan
        2017).
        """
        whole = self.game_statistics(evidence).sum(axis=0)
        if not len(evidence):
            return np.empty(0)
        phase = phases_of(evidence.number)
        counts, width = whole[:PHASES], self.scorer.width
        base = self.spread.usual_of(np.array([self._medium]))[0]
        start = whole.copy()
        start[PHASES + 1 :] = counts @ base
        gradient = np.zeros(width)
        size = 1e-3 * np.maximum(np.abs(whole[PHASES + 1 :] - start[PHASES + 1 :]).max(), 1e-6)
        for step in range(_PATH):
            here = start + (whole - start) * ((step + 0.5) / _PATH)
            moved = np.repeat(here[None], 2 * width, axis=0)
            moved[:width, PHASES + 1 :] += size * np.eye(width)
            moved[width:, PHASES + 1 :] -= size * np.eye(width)
            means, _, _ = self.posterior(moved)
            gradient += (means[:width] - means[width:]) / (2.0 * size * _PATH)
        return np.asarray((self.scorer.scores(evidence) - base[phase]) @ gradient)

    @property
    def prior(self) -> tuple[float, float]:
        """Mean and deviation of the strength without any evidence."""
        empty = np.zeros(PHASES + 1 + self.scorer.width)
        mean, deviation, _ = self.posterior(empty)
        return float(mean), float(deviation)

    @cached_property
    def _strengths(self) -> Array:
        """Strengths that are told apart."""
        number = round((EDGES[-1] - EDGES[0]) / _STEP)
        return np.asarray(EDGES[0] + _STEP * (np.arange(number) + 0.5))

    @cached_property
    def _group(self) -> NDArray[np.int64]:
        """The group of each of those strengths."""
        return np.searchsorted(EDGES, self._strengths, side="right") - 1

    @cached_property
    def _medium(self) -> float:
        return float(self._prior @ self._strengths)

    @cached_property
    def _prior(self) -> Array:
        """Every group equally likely, and within it every strength."""
        size = np.bincount(self._group)
        return np.asarray(1.0 / (len(RANKS) * size[self._group]))

    @cached_property
    def _usual_strengths(self) -> Array:
        return self.spread.usual_of(self._strengths)


def _in_batches(statistics: Array, judge: Callable[[Array], Array]) -> Array:
    """What is to be judged of sums, few of them at a time."""
    sums = np.asarray(statistics, np.float64)
    rows = sums.reshape(-1, sums.shape[-1])
    starts = range(0, max(len(rows), 1), _TOGETHER)
    judged = np.concatenate([judge(rows[start : start + _TOGETHER]) for start in starts])
    return judged.reshape((*sums.shape[:-1], *judged.shape[1:]))


def _parts(arrays: Mapping[str, NDArray[Any]]) -> tuple[MoveScorer, RankSpread]:
    """Scorer and spread; ValueError, KeyError or TypeError if the arrays make no model."""
    named = {
        part: {k.removeprefix(part): v for k, v in arrays.items() if k.startswith(part)}
        for part in ("scorer_", "spread_")
    }
    scorer = MoveScorer.from_arrays(named["scorer_"])
    return scorer, RankSpread.from_arrays(named["spread_"], scorer.width)
