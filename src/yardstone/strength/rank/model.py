"""`RankModel`: the rank of a player of Go from the moves of a few games.

Each move has some scores (`MoveScorer`). Their mean over the moves of any number of
games is taken for a draw from a normal distribution whose mean is what players of a rank
score, in the phases that the moves lie in, and whose covariance has three parts: one
falls with the number of moves, one with the number of games, and one is the player's own
and never falls. From that follows, with every rank group equally likely beforehand, the
probability of each strength.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import UsageError
from yardstone.strength.rank.file import read_arrays, write_arrays
from yardstone.strength.rank.scorer import PHASES, MoveScorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Array = NDArray[np.float64]

__all__ = ["EDGES", "RANKS", "RankModel", "RankScore", "RankSpread"]

#: The rank groups of the Fox games, the weakest first.
RANKS = ("3-5k", "1-2k", *(f"{dan}d" for dan in range(1, 10)))
#: Where they begin and end on the Fox scale: n dan is n to n + 1, 1 kyu 0 to 1.
EDGES = np.array([-4.0, -1.0, *range(1, 11)])
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


@dataclass(frozen=True, slots=True, eq=False)
class RankSpread:
    """How mean scores of k numbers lie about what is usual.

    Attributes
    ----------
    usual : float64 [11, phases, k]
        Mean score of the moves of players of each rank group, by phase.
    move : float64 [k, k]
        Covariance that is divided by the number of moves.
    game : float64 [k, k]
        The part that is divided by the number of games.
    player : float64 [k, k]
        The part that is the player's own.
    prior_moves : float64
        So many moves without a say are added: few moves count for less.
    """

    usual: Array
    move: Array
    game: Array
    player: Array
    prior_moves: Array

    def arrays(self) -> dict[str, Array]:
        """The numbers by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class RankModel:
    """The rank of a player from the moves of some games.

    `RankModel.load` gives the one that comes with Yardstone; `yardstone.strength.
    rank_training.train_rank_model` makes one from other games.

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
        arrays, card = read_arrays(file, _checked)
        scorer, spread = _parts(arrays)
        return cls(scorer, spread, card)

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
        from yardstone.strength.rank.values import phases_of

        rows = np.flatnonzero(part >= 0)
        place = (part[rows], evidence.game[rows])
        found = np.zeros((parts, evidence.games, PHASES + 1 + self.scorer.width))
        np.add.at(found, (*place, phases_of(evidence.number)[rows]), 1.0)
        found[..., PHASES] = found[..., :PHASES].sum(axis=-1) ** 2
        if len(rows):
            np.add.at(found[..., PHASES + 1 :], place, self.scorer.scores(evidence)[rows])
        return found

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
        found = np.asarray(statistics, np.float64)
        rows = found.reshape(-1, found.shape[-1])
        parts = [
            self._normal(rows[start : start + _TOGETHER], self._usual_strengths, prior=self._prior)
            for start in range(0, max(len(rows), 1), _TOGETHER)
        ]
        return np.concatenate(parts).reshape(*found.shape[:-1], len(self._strengths))

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
        return self._normal(statistics, self.spread.usual, one_player=one_player)

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
        found = np.asarray(statistics, np.float64)
        rows = found.reshape(-1, found.shape[-1])
        parts = [
            self._distances(rows[start : start + _TOGETHER], self._usual_strengths).min(axis=-1)
            for start in range(0, max(len(rows), 1), _TOGETHER)
        ]
        return np.concatenate(parts).reshape(found.shape[:-1])

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
        from yardstone.strength.rank.values import phases_of

        phase = phases_of(evidence.number)
        counts, width = whole[:PHASES], self.scorer.width
        base = self._usual_of(np.array([self._medium]))[0]
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

    def usual(self, strengths: Array) -> Array:
        """Mean scores of a move by phase of players of some strengths: [n, phases, k]."""
        return self._usual_of(np.asarray(strengths, np.float64))

    def covariance(self, statistics: Array) -> Array:
        """Covariance of the summed scores of one player's games about what is usual.

        Parameters
        ----------
        statistics : float64 [..., phases + 1 + k]

        Returns
        -------
        float64 [..., k, k]
        """
        found = np.asarray(statistics, np.float64)
        moves, squares = found[..., :PHASES].sum(axis=-1), found[..., PHASES]
        return np.asarray(
            moves[..., None, None] * self.spread.move
            + squares[..., None, None] * self.spread.game
            + (moves**2)[..., None, None] * self.spread.player
        )

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

    def _usual_of(self, strengths: Array) -> Array:
        """Mean scores by phase of players of these strengths: [n, phases, k]."""
        middle = 0.5 * (EDGES[:-1] + EDGES[1:])
        right = np.clip(np.searchsorted(middle, strengths), 1, len(middle) - 1)
        share = (strengths - middle[right - 1]) / (middle[right] - middle[right - 1])
        # The outer groups have no neighbour beyond: half the slope to their middle.
        share = np.where(share < 0.0, 0.5 * share, share)
        share = np.where(share > 1.0, 1.0 + 0.5 * (share - 1.0), share)[:, None, None]
        usual = self.spread.usual
        return np.asarray(usual[right - 1] + share * (usual[right] - usual[right - 1]))

    @cached_property
    def _usual_strengths(self) -> Array:
        return self._usual_of(self._strengths)

    def _normal(
        self,
        statistics: Array,
        usual: Array,
        *,
        prior: Array | None = None,
        one_player: bool = True,
    ) -> Array:
        """Probability of each of some kinds of player, who usually score `usual`."""
        distance = self._distances(statistics, usual, one_player=one_player)
        logit = -0.5 * (distance - distance.min(axis=-1, keepdims=True))
        density = np.exp(logit) * (1.0 if prior is None else prior)
        return np.asarray(density / density.sum(axis=-1, keepdims=True))

    def _distances(self, statistics: Array, usual: Array, *, one_player: bool = True) -> Array:
        """Squared Mahalanobis distances from kinds of player, who usually score `usual`."""
        found = np.asarray(statistics, np.float64)
        counts, squares = found[..., :PHASES], found[..., PHASES]
        moves = counts.sum(axis=-1)
        whole = moves + self.spread.prior_moves
        mean = found[..., PHASES + 1 :] / whole[..., None]
        expected = np.einsum("...p,rpk->...rk", counts, usual) / whole[..., None, None]
        share = (moves / whole) ** 2
        player = self.spread.player * share[..., None, None]
        per_game = (squares / whole**2)[..., None, None]
        covariance = (moves / whole**2)[..., None, None] * self.spread.move
        covariance = covariance + per_game * self.spread.game
        covariance = covariance + (player if one_player else per_game * self.spread.player)
        some = moves > 0
        covariance = np.where(some[..., None, None], covariance, np.eye(self.scorer.width))
        away = mean[..., None, :] - expected
        weighted = np.swapaxes(np.linalg.solve(covariance, np.swapaxes(away, -1, -2)), -1, -2)
        return np.asarray((away * weighted).sum(axis=-1))


def _parts(arrays: Mapping[str, NDArray[Any]]) -> tuple[MoveScorer, RankSpread]:
    scorer = MoveScorer.from_arrays(
        {k.removeprefix("scorer_"): v for k, v in arrays.items() if k.startswith("scorer_")}
    )
    found = {
        field.name: np.asarray(arrays[f"spread_{field.name}"], np.float64)
        for field in fields(RankSpread)
    }
    spread = RankSpread(**found)
    square = (scorer.width, scorer.width)
    wanted = {
        "usual": (len(RANKS), PHASES, scorer.width),
        "move": square,
        "game": square,
        "player": square,
        "prior_moves": (),
    }
    for name, shape in wanted.items():
        if found[name].shape != shape:
            raise ValueError(f"{name} is of shape {found[name].shape}, not {shape}")
    for part in (spread.move, spread.game, spread.player):
        least = np.linalg.eigvalsh(part)[0]
        if not np.allclose(part, part.T) or least < -1e-9 * np.trace(part):
            raise ValueError("a covariance is none")
    if np.linalg.eigvalsh(spread.move)[0] <= 0.0 or spread.prior_moves < 0.0:
        raise ValueError("the spread of moves is none")
    return scorer, spread


def _checked(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ValueError, KeyError or TypeError if the arrays make no model."""
    _parts(arrays)
