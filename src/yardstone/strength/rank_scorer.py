"""The linear rank model: scores of a player's moves from their lifted values.

A linear model of the values sees no interplay between them. So the values are lifted:
the trunk at the move times how likely the move and the best move were, squares, and
rectified random projections (Rahimi and Recht 2008, Weighted sums of random kitchen
sinks) of all values, of the trunk at the move, and of what that gains over the moves
that the network would have played. Last come what moves of one player have to do with
each other: products of the scalars with those of the next move and of the one after it,
and spells, that is how far the scalars of eight moves in a row lie from the usual,
whichever way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from yardstone.strength.evidence import PHASES, Evidence, phases_of
from yardstone.strength.rank_features import (
    FURTHEST,
    SCALARS,
    SPELL,
    MoveFacts,
    column,
    goes_on,
    move_values,
    standardised,
    values_wide,
)
from yardstone.strength.scorers import Scorer

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Floats32

_PRODUCTS = 5
#: The scalars of a move are multiplied with those of the player's moves so much later.
LATER = (1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Lift:
    """Weights that standardise and lift v = 4 channels + scalars values of a move."""

    #: [v]: of the values in training.
    mean: Floats32
    deviation: Floats32
    pick_weights: Floats32  #: [channels, a]: random projections of the trunk at a point.
    pick_bias: Floats32  #: [a]
    weights: Floats32  #: [v, b]: random projections of all values.
    bias: Floats32  #: [b]
    #: [2, scalars]: usual product of the standardised scalars with those of the next move, and of
    #: the one after it.
    pairs: Floats32
    #: [scalars]: how far the standardised scalars of eight moves in a row usually lie from 0.
    spell: Floats32

    @property
    def channels(self) -> int:
        """Width of the trunk."""
        return len(self.pick_weights)

    @property
    def values(self) -> int:
        """Number of values of a move."""
        return len(self.mean)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Widths of the kinds of lifted values."""
        projections = (*[len(self.pick_bias)] * 2, len(self.bias))
        scalars = [len(self.spell)] * (len(LATER) + 1)
        return (*[self.channels] * _PRODUCTS, *projections, *scalars)

    @property
    def lifted(self) -> int:
        """Number of lifted values of a move."""
        return sum(self.blocks)

    def arrays(self) -> dict[str, Floats32]:
        """The weights by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __call__(self, evidence: Evidence) -> tuple[Floats32, Floats32]:
        """Values and lifted values of each move.

        Returns [n, v]: standardised, none of them further out than `CLIP`; 0 where nothing is
        known; [n, lifted].
        """
        facts = MoveFacts(evidence)
        x = standardised(move_values(evidence, facts), self.mean, self.deviation)
        pick, expected, log_policy, log_best, scalars = (
            x[:, column(name, self.channels)]
            for name in ("pick", "expected", "log_policy", "log_best", "scalars")
        )
        gain = pick - expected
        at_pick = np.maximum(pick @ self.pick_weights + self.pick_bias, 0.0)
        everything = [
            pick * log_policy,
            pick * log_best,
            gain * log_policy,
            gain**2,
            pick**2,
            at_pick,
            at_pick - self._expected(facts, at_pick),
            np.maximum(x @ self.weights + self.bias, 0.0),
            *pairs_of(scalars, evidence, self.pairs),
            spells_of(scalars, evidence, self.spell),
        ]
        return x, np.concatenate(everything, axis=1)

    def _expected(self, facts: MoveFacts, at_pick: Floats32) -> Floats32:
        """Mean of the projections at the candidates and the move, weighted with the policy."""
        shape = facts.evidence.candidates.shape
        pick = column("pick", self.channels)
        candidates = facts.evidence.candidates.reshape(-1, self.channels).astype(np.float32)
        candidates = standardised(candidates, self.mean[pick], self.deviation[pick])
        projected = np.maximum(candidates @ self.pick_weights + self.pick_bias, 0.0)
        own, others = facts.shares
        mean = np.matmul(others[:, None], projected.reshape(*shape[:2], -1))[:, 0]
        return np.asarray(mean + own[:, None] * at_pick)


def pairs_of(scalars: Floats32, evidence: Evidence, usual: Floats32) -> list[Floats32]:
    """How much more than usual the scalars agree with those of the player's later moves.

    0 where the game does not go on so far.
    """
    agreement = [np.zeros_like(scalars) for _ in LATER]
    for products, steps, mean in zip(agreement, LATER, usual, strict=True):
        rows = np.flatnonzero(goes_on(evidence, steps))
        products[rows] = scalars[rows] * scalars[rows + steps] - mean
    return agreement


def spells_of(scalars: Floats32, evidence: Evidence, usual: Floats32) -> Floats32:
    """How much further than usual the means of so many moves in a row lie from 0.

    0 where the game does not go on for so many.
    """
    distance = np.zeros_like(scalars)
    if len(scalars) >= SPELL:
        summed = np.cumsum(scalars, axis=0, dtype=np.float64)
        summed[SPELL:] -= summed[:-SPELL].copy()
        there = goes_on(evidence, SPELL - 1)
        means = summed[SPELL - 1 :] / SPELL
        distance[there] = np.abs(means[there[: len(means)]]) - usual
    return distance


#: Moves looked at together.
_CHUNK = 2048
_LIFT = tuple(field.name for field in fields(Lift))
_OWN = ("linear", "lifted", "centre")


@dataclass(frozen=True, slots=True, eq=False)
class MoveScorer(Scorer):
    """Weights that turn the values of moves into k scores."""

    kind: ClassVar[str] = "rank"

    lift: Lift  #: Makes v values and e lifted values of each move.
    linear: Floats32  #: [phases, v, k]: weights of the values, by phase.
    lifted: Floats32  #: [e, k]: weights of the lifted values.
    centre: Floats32  #: [2, phases, k]: mean score of Black's and White's moves of each phase.

    @property
    def width(self) -> int:
        """Number of scores of a move."""
        return int(self.centre.shape[2])

    @property
    def channels(self) -> int:
        """Width of the trunk that the scorer was made for."""
        return self.lift.channels

    def arrays(self) -> dict[str, Floats32]:
        """The weights by name."""
        return self.lift.arrays() | {name: getattr(self, name) for name in _OWN}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> MoveScorer:
        """The scorer with these weights, whose shapes must agree.

        Raises `ValueError` if they do not.
        """
        weights = {name: np.asarray(arrays[name], np.float32) for name in (*_LIFT, *_OWN)}
        if any(array.ndim == 0 for array in weights.values()):
            raise ValueError("a number in place of an array")
        lift = Lift(**{name: weights[name] for name in _LIFT})
        channels, values, width = lift.channels, lift.values, weights["centre"].shape[-1]
        shapes = {
            "mean": (values_wide(channels),),
            "deviation": (values,),
            "pairs": (len(LATER), len(SCALARS)),
            "spell": (len(SCALARS),),
            "pick_bias": (len(lift.pick_bias),),
            "bias": (len(lift.bias),),
            "pick_weights": (channels, len(lift.pick_bias)),
            "weights": (values, len(lift.bias)),
            "linear": (PHASES, values, width),
            "lifted": (lift.lifted, width),
            "centre": (2, PHASES, width),
        }
        for name, shape in shapes.items():
            if weights[name].shape != shape:
                raise ValueError(f"{name} is of shape {weights[name].shape}, not {shape}")
        if channels < 1 or width < 1 or not (lift.deviation > 0).all():
            raise ValueError("a width or a deviation is not above 0")
        return cls(lift, *(weights[name] for name in _OWN))

    def move_shares(self, evidence: Evidence) -> Floats:
        """Scores of each move: [n, k]."""
        scores = np.empty((len(evidence), self.width))
        for rows, part, own in in_chunks(evidence):
            x, lifted = self.lift(part)
            phase = phases_of(part.number)
            part_scores = lifted @ self.lifted - self.centre[part.colour - 1, phase]
            for number in range(PHASES):
                those = phase == number
                part_scores[those] += x[those] @ self.linear[number]
            scores[rows] = part_scores[own]
        return scores


def in_chunks(evidence: Evidence) -> Iterator[tuple[slice, Evidence, slice]]:
    """Pieces of evidence: their rows, the moves with some around them, and which are theirs.

    What is said of a move may depend upon the player's move before, and on those after.
    """
    for start in range(0, len(evidence), _CHUNK):
        end = min(start + _CHUNK, len(evidence))
        first, last = max(start - 1, 0), min(end + FURTHEST, len(evidence))
        part = evidence.select(np.arange(first, last))
        yield slice(start, end), part, slice(start - first, end - first)
