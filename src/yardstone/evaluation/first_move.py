"""The advantage of moving first: whether a system predicts better with it, and what games show.

The former is asked of the earlier games alone: the first half of them is learned from, the
later half judges. An advantage is taken only if the gain in likelihood is one that chance alone
brings in no more than one case of twenty (Wilks 1938). A forecast of one game counts what the games
show of the advantage, and how sure that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.disk import pieces, taken
from yardstone.evaluation.draws import groups_of_outcomes
from yardstone.evaluation.metrics import log_likelihoods
from yardstone.ratings.result import Estimate
from yardstone.winprob.logistic import ELO_POINTS_PER_LOGIT, logistic, logit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.systems import SystemEntry

    Array = NDArray[np.float64]

__all__ = ["helpful_advantage", "shown_advantage", "takes_advantage"]

#: So much of the earlier games only serves to learn ratings from.
_LEARNING_SHARE = 0.5
#: Half the 95 % quantile of chi squared with one degree of freedom.
_GAIN = 1.92
#: Steps of the search, and points within which a further one is not worth a replay.
_STEPS, _CLOSE = 3, 2.0
#: Log odds beyond these tell nothing more.
_EDGE = 12.0
#: A prediction of 0 or 1 that fails must not decide by itself.
_LEAST_LOG = -50.0
#: Standard deviation of advantages of moving first from game to game, in log odds: 50 points
#: of Elo. Chess has 35, Go with komi none.
_USUAL = 50.0 / ELO_POINTS_PER_LOGIT
#: How much results scatter is taken from the games and from ten even ones without draws.
_LEARNED = 2.5


def takes_advantage(entry: SystemEntry) -> bool:
    """Whether a system has an advantage of moving first that nobody has fixed."""
    knobs = {knob.name for knob in entry.knobs}
    return "first_advantage" in knobs and "first_advantage" not in entry.fixed


def helpful_advantage(entry: SystemEntry, earlier: Pool) -> float:
    """The advantage of moving first with which a system predicts better; 0 if none helps.

    Parameters
    ----------
    entry : SystemEntry
        One that `takes_advantage`.
    earlier : Pool
        Games in order of time: all that is ever looked at.

    Returns
    -------
    float
        In the system's rating points.
    """
    judged = slice(round(_LEARNING_SHARE * len(earlier)), None)
    score = earlier.score[judged]
    if not len(score) or not earlier.ordered:
        return 0.0
    knob = next(knob for knob in entry.knobs if knob.name == "first_advantage")
    expected = entry.make().replay(earlier).expected[judged]
    without, best, chosen, advantage = _total(score, expected), -np.inf, 0.0, 0.0
    for _ in range(_STEPS):
        step = ELO_POINTS_PER_LOGIT * _shift(score, expected)
        if abs(step) < _CLOSE:
            break
        advantage = float(np.clip(advantage + step, knob.low, knob.high))
        system = entry.make(first_advantage=advantage)
        expected = system.replay(earlier).expected[judged]
        if (total := _total(score, expected)) > best:
            best, chosen = total, advantage
    return chosen if best - without > _GAIN else 0.0


def shown_advantage(outcomes: Array) -> Estimate:
    """What games show of the advantage of moving first, in log odds, with its deviation.

    Nothing is known of it before but that it is small (a normal prior of 50 points), so that
    few games say little and do no harm.

    Parameters
    ----------
    outcomes : float64 array
        Results by what was expected of them without an advantage, as
        `yardstone.evaluation.draws.outcome_table` counts them.
    """
    expected, counts = groups_of_outcomes(outcomes)
    games = sum(counts.values(), np.zeros(len(expected)))
    points = sum((value * number for value, number in counts.items()), np.zeros(len(expected)))
    odds = np.clip(logit(expected), -_EDGE, _EDGE)
    value = 0.0
    for _ in range(25):
        p = logistic(odds + value)
        spread = float((games * p * (1.0 - p)).sum())
        off = sum(float((n * (score - p) ** 2).sum()) for score, n in counts.items())
        # Where many games are drawn, results scatter less than wins and losses would.
        scatter = (off + _LEARNED) / (spread + _LEARNED)
        information = spread / scatter + _USUAL**-2
        step = (float((points - games * p).sum()) / scatter - value * _USUAL**-2) / information
        value += float(np.clip(step, -1.0, 1.0))
        if abs(step) < 1e-6:
            break
    return Estimate(value, information**-0.5)


def _total(score: Array, expected: Array) -> float:
    total = 0.0
    for at in pieces(len(score)):
        logs = log_likelihoods(taken(score, at), taken(expected, at))
        total += float(np.maximum(logs, _LEAST_LOG).sum())
    return total


def _shift(score: Array, expected: Array) -> float:
    """What added to the log odds of all games makes their expected points those scored."""
    shift = 0.0
    for _ in range(25):
        slope = gain = 0.0
        for at in pieces(len(score)):
            sure = np.clip(taken(expected, at), 1e-12, 1.0 - 1e-12)
            p = logistic(np.clip(logit(sure), -_EDGE, _EDGE) + shift)
            slope += float((p * (1.0 - p)).sum())
            gain += float((taken(score, at) - p).sum())
        step = gain / max(slope, 1e-9)
        shift += float(np.clip(step, -1.0, 1.0))
        if abs(step) < 1e-6:
            break
    return shift
