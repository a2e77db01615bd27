"""`MoveScorer`: what each move says of its player's rank, as a short row of numbers.

A score is linear in the values of the move, with weights of their own for each phase of
the game, and in the lifted values. What moves of that colour and phase say on average
is taken off, so that neither the number of a player's moves nor the phases that they lie
in say anything by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from yardstone.strength.move_phases import PHASES, phases_of
from yardstone.strength.rank.course import FURTHEST
from yardstone.strength.rank.lift import LATER, Lift
from yardstone.strength.rank.values import SCALARS, values_wide
from yardstone.strength.scorer import summed_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = ["MoveScorer", "in_chunks"]

#: Moves looked at together.
_CHUNK = 2048
_LIFT = tuple(field.name for field in fields(Lift))
_OWN = ("linear", "lifted", "centre")


@dataclass(frozen=True, slots=True, eq=False)
class MoveScorer:
    """Weights that turn the values of moves into k scores.

    Attributes
    ----------
    lift : Lift
        Makes v values and e lifted values of each move.
    linear : float32 [phases, v, k]
        Weights of the values, by phase.
    lifted : float32 [e, k]
        Weights of the lifted values.
    centre : float32 [2, phases, k]
        Mean score of Black's and White's moves of each phase.
    """

    kind: ClassVar[str] = "rank"

    lift: Lift
    linear: Floats
    lifted: Floats
    centre: Floats

    @property
    def width(self) -> int:
        """Number of scores of a move."""
        return int(self.centre.shape[2])

    @property
    def channels(self) -> int:
        """Width of the trunk that the scorer was made for."""
        return self.lift.channels

    def arrays(self) -> dict[str, Floats]:
        """The weights by name."""
        return self.lift.arrays() | {name: getattr(self, name) for name in _OWN}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> MoveScorer:
        """The scorer with these weights, whose shapes must agree.

        Raises
        ------
        ValueError
            They do not.
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

    def scores(self, evidence: Evidence) -> Floats:
        """Scores of each move: float32 [n, k]."""
        scores = np.empty((len(evidence), self.width), np.float32)
        for rows, part, own in in_chunks(evidence):
            x, lifted = self.lift(part)
            phase = phases_of(part.number)
            part_scores = lifted @ self.lifted - self.centre[part.colour - 1, phase]
            for number in range(PHASES):
                those = phase == number
                part_scores[those] += x[those] @ self.linear[number]
            scores[rows] = part_scores[own]
        return scores

    def part_scores(
        self, evidence: Evidence, part: NDArray[np.integer[Any]], parts: int
    ) -> NDArray[np.float64]:
        """Summed scores of some parts of each game: [parts, games, k]; see `Scorer`."""
        return summed_parts(self.scores(evidence), evidence, part, parts)

    def move_shares(self, evidence: Evidence) -> NDArray[np.float64]:
        """Scores of each move: [n, k]."""
        return self.scores(evidence).astype(np.float64)


def in_chunks(evidence: Evidence) -> Iterator[tuple[slice, Evidence, slice]]:
    """Pieces of evidence: their rows, the moves with some around them, and which are theirs.

    What is said of a move may depend upon the player's move before, and on those after.
    """
    for start in range(0, len(evidence), _CHUNK):
        end = min(start + _CHUNK, len(evidence))
        first, last = max(start - 1, 0), min(end + FURTHEST, len(evidence))
        part = evidence.select(np.arange(first, last))
        yield slice(start, end), part, slice(start - first, end - first)
