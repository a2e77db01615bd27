"""`RankSpread`: how the scores of a player's moves lie about what is usual at a rank.

The mean of the scores is taken for a draw from a normal distribution whose mean is what
players of a rank score, in the phases that the moves lie in, and whose covariance has
three parts: one falls with the number of moves, one with the number of games, and one is
the player's own and never falls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.strength.rank.ranks import EDGES, RANKS
from yardstone.strength.rank.scorer import PHASES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["RankSpread"]


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

    @property
    def width(self) -> int:
        """Number of scores of a move."""
        return int(self.usual.shape[2])

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], width: int) -> RankSpread:
        """The spread with these numbers, of so many scores a move.

        Raises
        ------
        ValueError
            Their shapes do not agree, or a covariance is none.
        """
        numbers = {field.name: np.asarray(arrays[field.name], np.float64) for field in fields(cls)}
        square = (width, width)
        shapes = {
            "usual": (len(RANKS), PHASES, width),
            "move": square,
            "game": square,
            "player": square,
            "prior_moves": (),
        }
        for name, shape in shapes.items():
            if numbers[name].shape != shape:
                raise ValueError(f"{name} is of shape {numbers[name].shape}, not {shape}")
        spread = cls(**numbers)
        for part in (spread.move, spread.game, spread.player):
            least = np.linalg.eigvalsh(part)[0]
            if not np.allclose(part, part.T) or least < -1e-9 * np.trace(part):
                raise ValueError("a covariance is none")
        if np.linalg.eigvalsh(spread.move)[0] <= 0.0 or spread.prior_moves < 0.0:
            raise ValueError("the spread of moves is none")
        return spread

    def usual_of(self, strengths: Array) -> Array:
        """Mean scores by phase of players of these strengths: [n, phases, k]."""
        middle = 0.5 * (EDGES[:-1] + EDGES[1:])
        right = np.clip(np.searchsorted(middle, strengths), 1, len(middle) - 1)
        share = (strengths - middle[right - 1]) / (middle[right] - middle[right - 1])
        # The outer groups have no neighbour beyond: half the slope to their middle.
        share = np.where(share < 0.0, 0.5 * share, share)
        share = np.where(share > 1.0, 1.0 + 0.5 * (share - 1.0), share)[:, None, None]
        usual = self.usual
        return np.asarray(usual[right - 1] + share * (usual[right] - usual[right - 1]))

    def covariance(self, statistics: Array) -> Array:
        """Covariance of the summed scores of one player's games about what is usual.

        Parameters
        ----------
        statistics : float64 [..., phases + 1 + k]

        Returns
        -------
        float64 [..., k, k]
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
        statistics: Array,
        usual: Array,
        *,
        prior: Array | None = None,
        one_player: bool = True,
    ) -> Array:
        """Probability of each of some kinds of player, who usually score `usual`."""
        distance = self.distances(statistics, usual, one_player=one_player)
        logit = -0.5 * (distance - distance.min(axis=-1, keepdims=True))
        density = np.exp(logit) * (1.0 if prior is None else prior)
        return np.asarray(density / density.sum(axis=-1, keepdims=True))

    def distances(self, statistics: Array, usual: Array, *, one_player: bool = True) -> Array:
        """Squared Mahalanobis distances from kinds of player, who usually score `usual`."""
        sums = np.asarray(statistics, np.float64)
        counts, squares = sums[..., :PHASES], sums[..., PHASES]
        moves = counts.sum(axis=-1)
        whole = moves + self.prior_moves
        mean = sums[..., PHASES + 1 :] / whole[..., None]
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
