"""What the rank model looks at in each move: a row of numbers a move.

The row holds the trunk at the move, before it and after, the trunk's mean over the
board, the trunk that a player who follows the network's policy would have met on
average, and scalars: how likely the move was and how it ranks among the candidates,
what it cost (cut off at several heights, so that one blunder is not the whole game),
whether the game was close, where on the board it lies, and how the game went on.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.evaluator import CANDIDATES
from yardstone.strength.rank.course import COURSE
from yardstone.strength.rank.scalar import LEAST, MoveFacts, Scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = [
    "SCALARS",
    "TRUNK",
    "column",
    "move_values",
    "scalars",
    "values_wide",
]

_POINTS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_WINS = (0.02, 0.05, 0.1, 0.2, 0.4)
_STEPS = (1.5, 2.5, 4.5, 7.5, 11.5)
_LINES = 6

#: The trunk in the values: at the move before and after it, its mean over the board, and
#: what a player who follows the policy would have met.
TRUNK = ("pick", "after", "mean", "expected")


def _entropy(facts: MoveFacts) -> Floats:
    chances = facts.all_chances
    return np.asarray(-(chances * np.log(np.maximum(chances, LEAST))).sum(axis=1))


def _others(facts: MoveFacts) -> Floats:
    return np.asarray(1.0 - np.minimum(facts.all_chances.sum(axis=1), 1.0))


def _placed(place: int, facts: MoveFacts) -> NDArray[Any]:
    return np.asarray(facts.place == place)


def _loss(most: float, facts: MoveFacts) -> NDArray[Any]:
    return np.minimum(facts.lost, most)


def _winrate_loss(most: float, facts: MoveFacts) -> NDArray[Any]:
    return np.minimum(facts.lost_win, most)


def _on_line(line: int, facts: MoveFacts) -> NDArray[Any]:
    return np.asarray(facts.line == line)


def _within(most: float, facts: MoveFacts) -> NDArray[Any]:
    return np.asarray(facts.follows & (facts.steps < most))


#: The scalars, in their order. A new one is a line here: a name, what it comes from, and
#: its function; a model that is to know it must be trained again.
_SCALARS = (
    Scalar("winrate", "head", lambda m: np.nan_to_num(m.evidence.named("winrate"))),
    Scalar("lead", "head", lambda m: np.tanh(m.lead / 20.0)),
    Scalar("policy", "head", lambda m: m.policy),
    Scalar("best_policy", "head", lambda m: m.best),
    Scalar("log_policy", "head", lambda m: m.log_policy),
    Scalar("log_best", "head", lambda m: np.log(m.best)),
    Scalar("log_ratio", "head", lambda m: m.log_policy - np.log(m.best)),
    *(
        Scalar(f"place_{place + 1}", "candidates", partial(_placed, place))
        for place in range(CANDIDATES)
    ),
    Scalar("others", "candidates", _others),
    Scalar("entropy", "candidates", _entropy),
    Scalar("gain", "head", lambda m: np.minimum(np.maximum(-m.loss, 0.0), 8.0)),
    *(Scalar(f"loss_{most:g}", "head", partial(_loss, most)) for most in _POINTS),
    Scalar("win_gain", "head", lambda m: np.maximum(-m.win_loss, 0.0)),
    *(Scalar(f"win_loss_{most:g}", "head", partial(_winrate_loss, most)) for most in _WINS),
    Scalar("close", "head", lambda m: m.close),
    Scalar("ahead", "head", lambda m: m.ahead),
    Scalar("far", "head", lambda m: np.tanh(np.abs(m.lead) / 20.0)),
    Scalar("close_log_policy", "head", lambda m: m.close * m.log_policy),
    Scalar("ahead_log_policy", "head", lambda m: m.ahead * m.log_policy),
    Scalar("close_loss", "head", lambda m: m.close * m.some),
    Scalar("ahead_loss", "head", lambda m: m.ahead * m.some),
    Scalar("close_win_loss", "head", lambda m: m.close * np.minimum(m.lost_win, 0.4)),
    Scalar("clear_log_policy", "head", lambda m: m.best * m.log_policy),
    *(Scalar(f"line_{line + 1}", "point", partial(_on_line, line)) for line in range(_LINES - 1)),
    Scalar(f"line_{_LINES}", "point", lambda m: m.line >= _LINES - 1),
    Scalar("follows", "point", lambda m: m.follows),
    *(Scalar(f"within_{most:g}", "point", partial(_within, most)) for most in _STEPS),
    *COURSE,
)
#: Their names.
SCALARS = tuple(scalar.name for scalar in _SCALARS)


def values_wide(channels: int) -> int:
    """Number of values of a move with so many channels."""
    return len(TRUNK) * channels + len(SCALARS)


def column(name: str, channels: int) -> slice:
    """Where a part of the trunk, a scalar, or ``scalars``, all of them, stand in the values."""
    begin = len(TRUNK) * channels
    if name == "scalars":
        return slice(begin, values_wide(channels))
    if name in TRUNK:
        place = TRUNK.index(name) * channels
        return slice(place, place + channels)
    place = begin + SCALARS.index(name)
    return slice(place, place + 1)


def move_values(evidence: Evidence, facts: MoveFacts | None = None) -> Floats:
    """What the rank model looks at.

    Parameters
    ----------
    evidence : Evidence
    facts : MoveFacts, optional
        Of the same moves.

    Returns
    -------
    float32 [n, 4 channels + scalars]
        ``pick``, ``after``, ``mean``, the candidates' mean weighted with the policy
        (the move that was played among them), and `SCALARS`; NaN is what cannot be
        known because the game does not go on.
    """
    facts = MoveFacts(evidence) if facts is None else facts
    own, others = facts.shares
    pick = evidence.pick.astype(np.float32)
    expected = np.matmul(others[:, None, :], evidence.candidates.astype(np.float32))[:, 0]
    expected += own[:, None] * pick
    return np.concatenate(
        [
            pick,
            evidence.after.astype(np.float32),
            evidence.mean.astype(np.float32),
            expected,
            scalars(facts),
        ],
        axis=1,
    )


def scalars(facts: MoveFacts) -> Floats:
    """The scalars of each move: float32 [n, len(SCALARS)]."""
    columns = (scalar.compute(facts) for scalar in _SCALARS)
    return np.column_stack([np.asarray(column, np.float32) for column in columns])
