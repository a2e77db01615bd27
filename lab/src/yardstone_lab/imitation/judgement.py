"""How well a network foretells what players chose, and how likely the moves are for each rank."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import torch

from yardstone_lab.imitation.batches import make_batch
from yardstone_lab.imitation.settings import BANDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.imitation.batches import TrainingBatch
    from yardstone_lab.imitation.games import ImitationGames
    from yardstone_lab.imitation.network import ImitationNetwork

    Floats = NDArray[np.float64]

__all__ = ["Judged", "JudgedMoves", "judge_moves", "judge_network"]

#: Sides that are looked at together.
_TOGETHER = 8
_SHUT = -1e4


@dataclass(frozen=True, slots=True, eq=False)
class JudgedMoves:
    """What a network says of n moves; frozen.

    Attributes
    ----------
    likelihood : float32 [n, bands]
        Logarithm of the probability of the move by the choices of each band.
    everybody : float32 [n]
        The same by the policy of all players.
    top : bool [n]
        Whether the policy of the player's own band likes the move best.
    top_everybody : bool [n]
        Whether that of all players does.
    signs : float32 [n, SIGNS]
        What the strength of the player is told from.
    """

    likelihood: NDArray[np.float32]
    everybody: NDArray[np.float32]
    top: NDArray[np.bool_]
    top_everybody: NDArray[np.bool_]
    signs: NDArray[np.float32]


@torch.no_grad()
def judge_moves(
    network: ImitationNetwork, batch: TrainingBatch, *, bfloat16: bool = True
) -> JudgedMoves:
    """What a network, in the state to be used, says of the moves of a batch."""
    point = torch.from_numpy(batch.point)
    rows = torch.arange(len(point))
    shut = ~torch.from_numpy(batch.legal)
    shut[rows, point] = False
    spatial = torch.from_numpy(batch.spatial).float()
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        outputs = network(spatial, torch.from_numpy(batch.numbers))
    policy = outputs.policy.float().masked_fill(shut, _SHUT)
    likelihood = np.empty((len(point), len(BANDS)), np.float32)
    best = np.empty((len(point), len(BANDS)), np.int64)
    for band in torch.arange(len(BANDS)):
        logits = network.choices(outputs, band.expand(len(point))).masked_fill(shut, _SHUT)
        likelihood[:, int(band)] = torch.log_softmax(logits, 1)[rows, point].numpy()
        best[:, int(band)] = logits.argmax(1).numpy()
    return JudgedMoves(
        likelihood,
        torch.log_softmax(policy, 1)[rows, point].numpy(),
        best[rows.numpy(), batch.band] == batch.point,
        policy.argmax(1).numpy() == batch.point,
        network.signs(outputs, point).numpy(),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a network says of as many moves of each of s sides; frozen.

    Attributes
    ----------
    band : int64 [s]
        Of the player.
    moves : int
        Of each side.
    all : JudgedMoves
        One side after the other.
    """

    band: NDArray[np.int64]
    moves: int
    all: JudgedMoves

    @property
    def own(self) -> Floats:
        """Logarithm of the probability of each move by the choices of its player's band: [n]."""
        band = np.repeat(self.band, self.moves)
        return self.all.likelihood[np.arange(len(band)), band].astype(np.float64)

    def by_side(self) -> Floats:
        """Mean log-likelihood of the moves of each side under each band: [s, bands]."""
        shape = (len(self.band), self.moves, len(BANDS))
        return np.asarray(self.all.likelihood.reshape(shape).mean(axis=1, dtype=np.float64))


def judge_network(
    network: ImitationNetwork,
    games: ImitationGames,
    *,
    moves: int = 24,
    bfloat16: bool = True,
) -> Judged:
    """What a network says of the moves of sides, spread evenly over their games.

    Parameters
    ----------
    network : ImitationNetwork
        In the state to be used.
    games : ImitationGames
    moves : int
        Of each side.
    bfloat16 : bool
        Compute as in training.
    """
    sides = np.arange(len(games))
    parts = []
    for start in range(0, len(sides), _TOGETHER):
        batch = make_batch(games, sides[start : start + _TOGETHER], moves)
        parts.append(judge_moves(network, batch, bfloat16=bfloat16))
    joined = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(JudgedMoves)
    }
    return Judged(games.band, moves, JudgedMoves(**joined))
