"""`Scorer`: what makes scores of a player's moves, whatever kind of model it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

__all__ = ["Scorer", "summed_parts"]


class Scorer(Protocol):
    """Makes k scores of moves.

    Attributes
    ----------
    kind : str
        What it is, in model files: ``rank``, ``set`` or ``stochastic``.
    """

    kind: ClassVar[str]

    @property
    def width(self) -> int:
        """Number of scores, k."""

    @property
    def channels(self) -> int:
        """Width of the trunk that it reads; 0 if it reads none."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its weights by name."""

    def part_scores(
        self, evidence: Evidence, part: NDArray[np.integer[Any]], parts: int
    ) -> NDArray[np.float64]:
        """Scores of some parts of each game, times their number of moves.

        Parameters
        ----------
        evidence : Evidence
            Whole sides of games.
        part : int array [n]
            The part that each move belongs to, from 0; none of the parts if below 0.
        parts : int

        Returns
        -------
        float64 [parts, games, k]
        """

    def move_shares(self, evidence: Evidence) -> NDArray[np.float64]:
        """What each move has of the scores of its whole game: [n, k]; a game's add up."""


def summed_parts(
    shares: NDArray[Any], evidence: Evidence, part: NDArray[np.integer[Any]], parts: int
) -> NDArray[np.float64]:
    """What the moves of some parts of each game have of its scores: [parts, games, k].

    `shares` are those of each move [n, k]; the other parameters are those of `Scorer.part_scores`.
    """
    sums = np.zeros((parts, evidence.games, shares.shape[1]))
    rows = np.flatnonzero(part >= 0)
    np.add.at(sums, (part[rows], evidence.game[rows]), shares[rows])
    return sums
