"""How a network that imitates players is built and trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from yardstone.choices import with_values
from yardstone.errors import UsageError
from yardstone.strength.site_scales import GROUP_EDGES

__all__ = ["BANDS", "UNKNOWN_BAND", "ImitationSettings", "band_of", "band_of_rank"]

#: Whose choices are distinguished: players of an unknown rank, then the groups of each scale.
BANDS: tuple[tuple[str, int], ...] = (
    ("", 0),
    *((scale, group) for scale, edges in GROUP_EDGES.items() for group in range(len(edges) - 1)),
)
UNKNOWN_BAND = 0
_WEIGHTS = ("policy", "value", "lead", "strength", "trunk")


def band_of(scale: str, group: int) -> int:
    """The band of a group of ranks; ValueError if there is none."""
    return BANDS.index((scale, group))


def band_of_rank(scale: str, rank: float) -> int:
    """The band of a rank: the weakest or strongest of the scale beyond its ends.

    n dan is n to n + 1, 1 kyu 0 to 1.
    """
    edges = GROUP_EDGES[scale]
    group = int(np.clip(np.searchsorted(edges, rank, side="right") - 1, 0, len(edges) - 2))
    return band_of(scale, group)


@dataclass(frozen=True, slots=True)
class ImitationSettings:
    """How the network is built and trained; frozen.

    Attributes
    ----------
    channels, blocks : int
        Of the trunk. Every third block pools over the board.
    tastes : int
        In so many ways choices of the bands may differ.
    sides, moves : int
        A step sees so many moves of each of so many sides of games.
    steps : int
        Of the training.
    learning_rate : float
        Of AdamW once it is warm; the last fifth of the steps brings it down to 0.
    decay : float
        Of the weights.
    policy, value, lead, strength, trunk : float
        Weights of the other targets beside the choices of the bands: those of all players, or
        of a teacher; who wins, by how much, how strong the player is, and the teacher's last layer.
    bfloat16 : bool
        Products with the precision of bfloat16: faster where the processor computes in it.
    seed : int

    Raises
    ------
    UsageError
        A setting is out of range.
    """

    channels: int = 64
    blocks: int = 6
    tastes: int = 16
    sides: int = 16
    moves: int = 8
    steps: int = 60_000
    learning_rate: float = 2e-3
    decay: float = 1e-4
    policy: float = 1.0
    value: float = 0.6
    lead: float = 0.3
    strength: float = 0.3
    trunk: float = 3.0
    bfloat16: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse settings that cannot be."""
        for name in ("channels", "blocks", "tastes", "sides", "moves", "steps"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1")
        if not (0 < self.learning_rate < math.inf and 0 <= self.decay < math.inf):
            raise UsageError("learning_rate must be above 0, and decay not below")
        if not all(0 <= getattr(self, name) < math.inf for name in _WEIGHTS):
            raise UsageError("the weights of the targets must not be below 0")
        if self.seed < 0:
            raise UsageError("seed must not be below 0")

    def changed(self, values: Mapping[str, str]) -> ImitationSettings:
        """The same with other values, which are texts such as ``"1e-3"``.

        Raises
        ------
        UsageError
            There is no such setting, or its value is of no use.
        """
        return with_values(self, values)

    def as_dict(self) -> dict[str, Any]:
        """All settings by name."""
        return asdict(self)
