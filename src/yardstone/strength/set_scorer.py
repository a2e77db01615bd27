"""`SetScorer`: scores of the moves of each side of a game, looked at as a set.

A Set Transformer (Neubauer 2024, section 4.4) looks at all moves of one side of a game
and gives k numbers. The scores of the side are these times its number of moves, so that
those of several games are added up like scores that each move has by itself.

What each move has of them is read off the network's last attention, which takes a
weighted mean of what it knows of each move. On the straight way from the mean that is
usual to that of the set, the outputs change by the sum over the moves of weight times
distance from the usual times the slope along the way (integrated gradients, Sundararajan,
Taly and Yan 2017): each move's term is its share, besides the same part of what is usual
for all. So a share says what a move changes as it lies among the others, and shares add
up to the scores; those of a part of a game are what its moves have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from yardstone.go.points import BLACK
from yardstone.strength.evidence import PHASES, Evidence, phases_of
from yardstone.strength.rank_features import (
    SCALARS,
    TRUNK,
    MoveFacts,
    move_values,
    scalars,
    standardised,
)
from yardstone.strength.scorers import Scorer
from yardstone.strength.set_transformer import (
    NetworkSize,
    PackedMoves,
    alike,
    attended_sets,
    outputs_of,
    parameter_shapes,
    slopes_of,
)

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Floats32

#: Places for moves that are computed at once.
_MOVES = 4096
#: Steps of the way along which the shares of moves are added up.
_PATH = 24
_MEAN, _DEVIATION, _USUAL = "input.mean", "input.deviation", "pool.usual"
_OWN = (_MEAN, _DEVIATION, _USUAL)


@dataclass(frozen=True, slots=True, eq=False)
class SetScorer(Scorer):
    """A Set Transformer that gives the moves of one side of a game k scores; frozen."""

    kind: ClassVar[str] = "set"

    network: Mapping[str, Floats32]  #: Its parameters (`parameter_shapes`).
    #: [inputs]: what its inputs are standardised by.
    mean: Floats32
    deviation: Floats32
    usual: Floats32  #: [d]: what its last attention gathers of sets on average.

    @property
    def width(self) -> int:
        """Number of scores."""
        return int(self.network["rate.weight"].shape[0])

    @property
    def inputs(self) -> MoveInputs:
        """What it sees of each move."""
        return _inputs(len(self.mean))[0]

    @property
    def channels(self) -> int:
        """Width of the trunk that it reads; 0 if it reads none."""
        return _inputs(len(self.mean))[1]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its weights by name."""
        own = dict(zip(_OWN, (self.mean, self.deviation, self.usual), strict=True))
        return {**self.network, **own}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> SetScorer:
        """The scorer with these weights, whose shapes must agree.

        Raises `ValueError` if they do not.
        """
        weights = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        mean, deviation, usual = (weights.pop(name) for name in _OWN)
        size = NetworkSize.of(weights)
        shapes = parameter_shapes(size, len(mean), len(weights["rate.weight"]))
        if {name: array.shape for name, array in weights.items()} != shapes:
            raise ValueError("the arrays are not those of a network")
        if deviation.shape != mean.shape or usual.shape != (size.width,):
            raise ValueError("moments of another network")
        if mean.ndim != 1 or not (deviation > 0).all():
            raise ValueError("a deviation is not above 0")
        _inputs(len(mean))
        return cls(weights, mean, deviation, usual)

    def move_shares(self, evidence: Evidence) -> Floats:
        """What each move has of the scores of its whole game: [n, k]; a game's add up."""
        if not len(evidence):
            return np.zeros((0, self.width))
        rows = standardised(self.inputs(evidence), self.mean, self.deviation)
        lengths = np.bincount(evidence.game, minlength=evidence.games)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        order = np.argsort(evidence.game, kind="stable")
        return shares_of_moves(self.network, self.usual, PackedMoves(rows, order, starts))


def shares_of_moves(network: Mapping[str, Floats32], usual: Floats32, sets: PackedMoves) -> Floats:
    """What each move has of the scores of its set.

    `network`: parameters by name. `usual` [d]: what its last attention gathers of sets on average.
    `sets`: with standardised inputs; each move is in one set at most. Returns [moves, k]: those of
    a set add up to what the network says of it, times its moves.
    """
    exact = {name: array.astype(np.float64) for name, array in network.items()}
    begin = usual.astype(np.float64)
    steps = ((np.arange(_PATH) + 0.5) / _PATH)[:, None]
    shares = np.zeros((len(sets.features), len(network["rate.weight"])))
    some = np.flatnonzero(sets.lengths())
    for group in alike(sets.lengths()[some], _MOVES):
        rows, there = sets.indices(some[group])
        x = np.asarray(sets.features[rows], np.float32)
        attended = attended_sets(network, x, there)
        for row, number in enumerate(some[group]):
            moves = sets.rows[sets.starts[number] : sets.starts[number + 1]]
            values, weights = (each[row, : len(moves)].astype(np.float64) for each in attended)
            end = weights @ values
            slope = slopes_of(exact, begin + steps * (end - begin)).mean(axis=0)
            own = weights[:, None] * ((values - begin) @ slope.T)
            before, after = outputs_of(exact, np.stack([begin, end]))
            # What steps of finite length leave over goes to the moves by their weights.
            own += weights[:, None] * (after - before - own.sum(axis=0))
            shares[moves] = before + len(values) * own
    return shares


def _inputs(number: int) -> tuple[MoveInputs, int]:
    """What is seen of moves by a network of so many inputs, and the width of the trunk."""
    for each in INPUTS.values():
        rest = number - each.channels(0)
        trunk, over = divmod(rest, each.trunks) if each.trunks else (0, rest)
        if over == 0 and (trunk > 0) == (each.trunks > 0):
            return each, trunk
    raise ValueError(f"nothing gives {number} inputs")


#: In which phase a move is played, and by whom.
WHEN = PHASES + 1


@dataclass(frozen=True, slots=True)
class MoveInputs:
    """A way to see moves."""

    name: str
    values: Callable[[Evidence], Floats32]  #: Numbers of the moves of some evidence: [n, m].
    #: m is so many times the width of the network's trunk, and so many more.
    trunks: int
    others: int

    def __call__(self, evidence: Evidence) -> Floats32:
        """The row of each move: the numbers, and in which phase and by whom it was played.

        What is not known is not a number.
        """
        phase = np.eye(PHASES, dtype=np.float32)[phases_of(evidence.number)]
        black = (evidence.colour == BLACK).astype(np.float32)[:, None]
        return np.concatenate([self.values(evidence), phase, black], axis=1)

    def channels(self, trunk: int) -> int:
        """Length of a row, for a network whose trunk is so wide."""
        return self.trunks * trunk + self.others + WHEN


#: The ways by name (Neubauer 2024, section 4.2): what the network's outputs say, in the
#: numbers that the rank model looks at; and with them the trunk at the moves and about them.
INPUTS: Mapping[str, MoveInputs] = {
    each.name: each
    for each in (
        MoveInputs("basic", lambda evidence: scalars(MoveFacts(evidence)), 0, len(SCALARS)),
        MoveInputs("full", move_values, len(TRUNK), len(SCALARS)),
    )
}
