"""What the rank model looks at in each move: a row of numbers a move.

The row holds the trunk at the move, before it and after, the trunk's mean over the
board, the trunk that a player who follows the network's policy would have met on
average, and scalars: how likely the move was and how it ranks among the candidates,
what it cost (cut off at several heights, so that one blunder is not the whole game),
whether the game was close, where on the board it lies, and how the game went on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.evaluator import CANDIDATES
from yardstone.strength.rank.course import COURSE, course, goes_on, lead_before, winrate_before

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = ["PHASE_ENDS", "SCALARS", "move_policy", "move_values", "phases_of", "scalars"]

#: Last move of each phase; the phase after the last of these has no end.
PHASE_ENDS = (20, 50, 90, 140)
_LEAST = 1e-4
_POINTS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_WINS = (0.02, 0.05, 0.1, 0.2, 0.4)
_STEPS = (1.5, 2.5, 4.5, 7.5, 11.5)
_LINES = 6
_SIZE = 19

#: Names of the scalars, in their order.
SCALARS = (
    "winrate",
    "lead",
    "policy",
    "best_policy",
    "log_policy",
    "log_best",
    "log_ratio",
    *(f"place_{place}" for place in range(1, CANDIDATES + 1)),
    "others",
    "entropy",
    "gain",
    *(f"loss_{points:g}" for points in _POINTS),
    "win_gain",
    *(f"win_loss_{share:g}" for share in _WINS),
    "close",
    "ahead",
    "far",
    "close_log_policy",
    "ahead_log_policy",
    "close_loss",
    "ahead_loss",
    "close_win_loss",
    "clear_log_policy",
    *(f"line_{line}" for line in range(1, _LINES + 1)),
    "follows",
    *(f"within_{steps:g}" for steps in _STEPS),
    *COURSE,
)


def phases_of(number: NDArray[np.int16]) -> NDArray[np.int64]:
    """Phase of each move by its number in the game, from 0 to ``len(PHASE_ENDS)``."""
    return np.searchsorted(PHASE_ENDS, number, side="left").astype(np.int64)


def move_values(evidence: Evidence) -> Floats:
    """What the rank model looks at.

    Returns
    -------
    float32 [n, 4 channels + scalars]
        ``pick``, ``after``, ``mean``, the candidates' mean weighted with the policy
        (the move that was played among them), and `SCALARS`; NaN is what cannot be
        known because the game does not go on.
    """
    policy = move_policy(evidence)
    chances = evidence.chances.astype(np.float32)
    total = np.maximum(chances.sum(axis=1) + policy, _LEAST)
    pick = evidence.pick.astype(np.float32)
    expected = np.matmul(
        (chances / total[:, None])[:, None, :], evidence.candidates.astype(np.float32)
    )[:, 0]
    expected += (policy / total)[:, None] * pick
    return np.concatenate(
        [
            pick,
            evidence.after.astype(np.float32),
            evidence.mean.astype(np.float32),
            expected,
            scalars(evidence),
        ],
        axis=1,
    )


def move_policy(evidence: Evidence) -> Floats:
    """Policy of the move; 0 where the rules forbid it."""
    policy = np.nan_to_num(evidence.head[:, 2] + 0.5, nan=0.0)
    return np.asarray(np.clip(policy, 0.0, 1.0))


def scalars(evidence: Evidence) -> Floats:
    """The scalars of each move: float32 [n, len(SCALARS)]."""
    head = np.nan_to_num(evidence.head)
    policy, best = move_policy(evidence), np.clip(head[:, 3] + 0.5, _LEAST, 1.0)
    chances = evidence.chances.astype(np.float32)
    log_policy = np.log(np.maximum(policy, _LEAST))
    place = (chances > policy[:, None]).sum(axis=1)
    all_chances = np.column_stack([policy, chances])
    entropy = -(all_chances * np.log(np.maximum(all_chances, _LEAST))).sum(axis=1)
    loss, win_loss = 10.0 * head[:, 5], head[:, 4]
    lost, lost_win = np.maximum(loss, 0.0), np.maximum(win_loss, 0.0)
    before, lead = winrate_before(evidence), lead_before(evidence)
    close, ahead = 4.0 * before * (1.0 - before), 2.0 * before - 1.0
    some = np.minimum(lost, 8.0)
    columns = [
        head[:, 0],
        np.tanh(lead / 20.0),
        policy,
        best,
        log_policy,
        np.log(best),
        log_policy - np.log(best),
        *(place == number for number in range(CANDIDATES)),
        1.0 - np.minimum(all_chances.sum(axis=1), 1.0),
        entropy,
        np.minimum(np.maximum(-loss, 0.0), 8.0),
        *(np.minimum(lost, points) for points in _POINTS),
        np.maximum(-win_loss, 0.0),
        *(np.minimum(lost_win, share) for share in _WINS),
        close,
        ahead,
        np.tanh(np.abs(lead) / 20.0),
        close * log_policy,
        ahead * log_policy,
        close * some,
        ahead * some,
        close * np.minimum(lost_win, 0.4),
        best * log_policy,
        *_place_columns(evidence),
    ]
    known = [np.asarray(column, np.float32) for column in columns]
    return np.column_stack([*known, course(evidence)])


def _place_columns(evidence: Evidence) -> list[NDArray[np.bool_]]:
    """Line of the point, and how near it is to the player's move before."""
    row, column = np.divmod(evidence.point.astype(np.int64), _SIZE)
    line = np.minimum(np.minimum(row, _SIZE - 1 - row), np.minimum(column, _SIZE - 1 - column))
    follows = np.zeros(len(line), bool)
    follows[1:] = goes_on(evidence, 1)[:-1]
    steps = np.zeros(len(line))
    steps[1:] = np.hypot(np.diff(row), np.diff(column))
    return [
        *(line == number for number in range(_LINES - 1)),
        line >= _LINES - 1,
        follows,
        *(follows & (steps < most) for most in _STEPS),
    ]
