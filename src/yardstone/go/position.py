"""What a network's output means for a position: White's chances, and the policy.

A network sees every position from the side to move, and gives a value to every
point, legal or not. Here its output is turned to White's view, and the policy to
probabilities of legal moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.points import WHITE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.rules import Rules

    Floats = NDArray[np.float32]

__all__ = ["Assessment", "assess", "can_end_without_result"]


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """How n positions stand, as a network sees them without searching.

    Attributes
    ----------
    white_win, white_loss, no_result : float32 [n]
        Probabilities, which add up to 1.
    white_lead : float32 [n]
        Points that Black would have to get to make the position even; negative if
        Black is ahead. Komi is counted in.
    white_score : float32 [n]
        Final score to be expected if strong programs went on playing.
    policy : float32 [n, size² + 1]
        Probability that each point, in the order of points, or in the last place the
        pass, is the best move for the side to move; NaN where the move is illegal.
    to_play : int8 [n]
        The side to move: 1 Black, 2 White.
    """

    white_win: Floats
    white_loss: Floats
    no_result: Floats
    white_lead: Floats
    white_score: Floats
    policy: Floats
    to_play: NDArray[np.int8]

    def __len__(self) -> int:
        """Number of positions."""
        return len(self.white_win)

    @property
    def white_expected(self) -> Floats:
        """White's expected score, 0 to 1: a game without result counts a half."""
        return self.white_win + np.float32(0.5) * self.no_result


def can_end_without_result(rules: Rules) -> bool:
    """Whether a repeated position ends the game without a result under these rules."""
    return rules.ko == "simple" or rules.scoring == "territory"


def assess(
    policy_logits: Floats,
    value_logits: Floats,
    score: Floats,
    to_play: NDArray[np.int8],
    legal: NDArray[np.uint8],
    *,
    without_result: bool,
) -> Assessment:
    """Turn the output of a network to White's view.

    Parameters
    ----------
    policy_logits : float32 [n, size² + 1]
        Of every point and of passing, legal or not.
    value_logits : float32 [n, 3]
        Of win, loss and no result, for the side to move.
    score : float32 [n, 2]
        Lead and expected final score for the side to move, if there is a result.
    to_play : int8 [n]
        The side to move: 1 Black, 2 White.
    legal : uint8 [n, size² + 1]
        1 where a move is legal; the last place is the pass.
    without_result : bool
        Whether the rules know games without a result (`can_end_without_result`);
        if not, the network's opinion of it is left out.
    """
    values = value_logits.astype(np.float64)
    if not without_result:
        values[:, 2] = -np.inf
    chances = _softmax(values)
    white = to_play == WHITE
    mine, theirs, none = chances.T
    counted = np.where(white, 1.0, -1.0) * (1.0 - none)
    logits = np.where(legal > 0, policy_logits.astype(np.float64), -np.inf)
    policy = np.where(legal > 0, _softmax(logits), np.nan)
    return Assessment(
        white_win=np.where(white, mine, theirs).astype(np.float32),
        white_loss=np.where(white, theirs, mine).astype(np.float32),
        no_result=none.astype(np.float32),
        white_lead=(counted * score[:, 0]).astype(np.float32),
        white_score=(counted * score[:, 1]).astype(np.float32),
        policy=policy.astype(np.float32),
        to_play=np.asarray(to_play, np.int8),
    )


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each row; a row always has a finite value, since passing is legal."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)
