"""`SetScorer`: scores of the moves of each side of a game, looked at as a set.

A Set Transformer (Neubauer 2024, section 4.4) looks at all moves of one side of a game
and gives k numbers. The scores of the side are these times its number of moves, so that
those of several games are added up like scores that each move has by itself.

What each move has to do with them is read off the network's last attention, which takes
a weighted mean of what it knows of each move. On the straight way from the mean that is
usual to that of the set, the outputs change by the sum over the moves of weight times
distance from the usual times the slope along the way (integrated gradients, Sundararajan,
Taly and Yan 2017): each move's term is its share, besides the same part of what is usual
for all. So a share says what a move changes as it lies among the others, and shares add
up to the scores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import check_choice
from yardstone.errors import InputError, UsageError
from yardstone.strength.set_model.file import INPUT, USUAL, read_network, write_network
from yardstone.strength.set_model.inputs import INPUTS
from yardstone.strength.set_model.packed_moves import PackedMoves, alike
from yardstone.strength.set_model.set_transformer import (
    attended_sets,
    outputs_of,
    parameter_shapes,
    set_outputs,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence
    from yardstone.strength.set_model.hyperparameters import Hyperparameters

    Array = NDArray[np.float64]
    Floats = NDArray[np.float32]

__all__ = ["CLIP", "SHIPPED", "SetScorer", "standardised"]

#: Models that come with Yardstone.
SHIPPED = ("full", "basic")
_DATA = Path(__file__).parent / "data"
#: Inputs further from the mean than this many deviations count as that far.
CLIP = 8.0
#: Places for moves that are computed at once.
_MOVES = 4096
#: Steps of the way along which the shares of moves are added up.
_PATH = 24
_STEP = 1e-4


def standardised(rows: Floats, mean: Floats, deviation: Floats) -> Floats:
    """Rows of `MoveInputs` as a network takes them; 0 where nothing is known."""
    with np.errstate(over="ignore"):  # it is cut off
        away = np.nan_to_num((rows - mean) / deviation)
    return np.asarray(np.clip(away, -CLIP, CLIP), np.float32)


@dataclass(frozen=True, eq=False)
class SetScorer:
    """A Set Transformer that gives the moves of one side of a game k scores; frozen.

    Attributes
    ----------
    inputs : str
        What it sees of each move: a name of `INPUTS`.
    settings : Hyperparameters
    arrays : mapping of names to float32 arrays
        Its parameters, the moments of its inputs, and what its last attention usually
        gathers.
    card : mapping
        What else is to be known: ``network`` and ``sha256`` of the network whose features
        it reads, data, folds, figures.
    """

    inputs: str
    settings: Hyperparameters
    arrays: Mapping[str, Floats]
    card: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SetScorer:
        """Load one that comes with Yardstone, by its name, or from a file.

        Parameters
        ----------
        path : path, or a name of `SHIPPED`

        Raises
        ------
        InputError
            There is no such file, or it is none of a `SetScorer`.
        """
        file = _DATA / f"{path}.npz" if str(path) in SHIPPED else Path(path)
        settings, arrays, about = read_network(file, parameter_shapes)
        inputs = str(about.get("inputs"))
        if inputs not in INPUTS or not {*INPUT, USUAL} <= set(arrays):
            raise InputError(
                "it rates the latest moves of two players, and scores no games",
                file=str(file),
                hint=f"take {' or '.join(SHIPPED)}, or a file that a training of them made",
            )
        if not (arrays["input.deviation"] > 0).all():
            raise InputError("damaged: a deviation is not above 0", file=str(file))
        return cls(inputs, settings, arrays, about["card"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save it with its weights as float16, whole or not at all."""
        about = {
            "channels": self.channels,
            "outputs": self.width,
            "mean": 0.0,
            "deviation": 1.0,
            "inputs": self.inputs,
            "card": dict(self.card),
        }
        write_network(Path(path), self.settings, self.arrays, about)

    def __post_init__(self) -> None:
        """Refuse what is no way to see moves."""
        check_choice("what is seen of a move", self.inputs, INPUTS)

    @property
    def width(self) -> int:
        """Number of scores."""
        return int(self.arrays["rate.weight"].shape[0])

    @property
    def channels(self) -> int:
        """Numbers of a move that it expects."""
        return int(self.arrays["encode.weight"].shape[1])

    def scores(self, evidence: Evidence, part: NDArray[np.integer[Any]], parts: int) -> Array:
        """Scores of the moves of each game, in some parts.

        Parameters
        ----------
        evidence : Evidence
            Whole sides of games: what is said of a move depends on how its game goes on.
        part : int array [n]
            The part that each move belongs to, from 0; none of the parts if below 0. The
            moves of one part of one game are a set.
        parts : int

        Returns
        -------
        float64 [parts, games, k]
            What the network says of each set, times its number of moves. Those of parts
            do not add up to those of the whole, as each is looked at by itself.

        Raises
        ------
        UsageError
            The evidence comes from a network with another width.
        """
        sums = np.zeros((parts * evidence.games, self.width))
        packed = self._packed(evidence, np.asarray(part, np.int64), parts)
        for sets, x, there in self._groups(packed):
            lengths = packed.lengths()[sets, None]
            sums[sets] = lengths * set_outputs(self._network, self.settings, x, there)
        return sums.reshape(parts, evidence.games, self.width)

    def move_shares(self, evidence: Evidence) -> Array:
        """What each move contributes to the scores of its game.

        Returns
        -------
        float64 [n, k]
            Those of a game add up to its `scores`.
        """
        shares = np.zeros((len(evidence), self.width))
        packed = self._packed(evidence, np.zeros(len(evidence), np.int64), 1)
        exact = {name: array.astype(np.float64) for name, array in self._network.items()}
        for sets, x, there in self._groups(packed):
            values, weights = attended_sets(self._network, self.settings, x, there)
            for row, number in enumerate(sets):
                moves = packed.rows[packed.starts[number] : packed.starts[number + 1]]
                own = slice(0, len(moves))
                shares[moves] = _shares(
                    exact,
                    self.arrays[USUAL].astype(np.float64),
                    values[row, own].astype(np.float64),
                    weights[row, own].astype(np.float64),
                )
        return shares

    @property
    def _network(self) -> dict[str, Floats]:
        """The parameters alone: inputs are standardised, and cut off, before."""
        return {k: v for k, v in self.arrays.items() if k not in (*INPUT, USUAL)}

    def _packed(self, evidence: Evidence, part: NDArray[np.int64], parts: int) -> PackedMoves:
        """The moves as the network sees them, and the set of each part of each game."""
        see = INPUTS[self.inputs]
        if len(evidence) and see.channels(evidence.channels) != self.channels:
            raise UsageError(
                f"the features have {evidence.channels} channels, and the model reads others: "
                f"use the network {self.card.get('network')}"
            )
        rows = np.empty((0, self.channels), np.float32)
        if len(evidence):
            rows = standardised(see(evidence), *(self.arrays[name] for name in INPUT))
        usable = np.flatnonzero(part >= 0)
        key = part[usable] * evidence.games + evidence.game[usable]
        starts = np.concatenate(
            [[0], np.cumsum(np.bincount(key, minlength=parts * evidence.games))]
        )
        return PackedMoves(rows, usable[np.argsort(key, kind="stable")], starts.astype(np.int64))

    def _groups(
        self, packed: PackedMoves
    ) -> Iterator[tuple[NDArray[np.int64], Floats, NDArray[np.bool_] | None]]:
        """Sets of like size, side by side; those without a move are left out."""
        some = np.flatnonzero(packed.lengths())
        for group in alike(packed.lengths()[some], _MOVES):
            sets = some[group]
            rows, there = packed.indices(sets)
            yield sets, np.asarray(packed.features[rows], np.float32), there


def _shares(arrays: Mapping[str, Array], usual: Array, values: Array, weights: Array) -> Array:
    """The shares of the moves of one set, from what the last attention makes of each."""
    whole = weights @ values
    steps = (np.arange(_PATH) + 0.5) / _PATH
    here = usual + steps[:, None] * (whole - usual)
    nudges = _STEP * np.concatenate([np.eye(len(usual)), -np.eye(len(usual))])
    nudged = outputs_of(arrays, here[:, None, :] + nudges)
    up, down = np.split(nudged, 2, axis=1)
    slope = (up - down).mean(axis=0) / (2.0 * _STEP)
    shares = weights[:, None] * ((values - usual) @ slope)
    before, after = outputs_of(arrays, np.stack([usual, whole]))
    # What steps of finite length leave over goes to the moves by their weights.
    shares += weights[:, None] * (after - before - shares.sum(axis=0))
    return np.asarray(before + len(values) * shares)
