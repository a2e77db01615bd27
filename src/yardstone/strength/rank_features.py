"""What the rank model looks at in each move: a row of numbers a move.

The row holds the trunk at the move, before it and after, the trunk's mean over the
board, the trunk that a player who follows the network's policy would have met on
average, and scalars: how likely the move was and how it ranks among the candidates,
what it cost (cut off at several heights, so that one blunder is not the whole game),
whether the game was close, where on the board it lies, and how the game went on.

What a single move costs is mostly noise of the network. What the lead does until the
player's second, fourth or eighth move after it is not, and tells of both players: the
strong win and lose games by less at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.go.evaluator import CANDIDATES

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats32
    from yardstone.strength.evidence import Evidence


#: No probability counts as less than this.
LEAST = 1e-4
_SIZE = 19
#: Points beyond this say nothing more of a close game.
_SOME = 8.0


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number that the rank model looks at in each move."""

    name: str
    source: str  #: What it comes from: ``head``, ``candidates``, ``point`` or ``course``.
    compute: Callable[[MoveFacts], NDArray[Any]]  #: Takes `MoveFacts` of n moves, gives n values.


class MoveFacts:
    """What the scalars of n moves are computed from."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        known = np.nan_to_num
        #: Policy of the move, 0 where the rules forbid it, and the greatest policy of any move.
        self.policy: Floats32 = np.clip(known(evidence.policy, nan=0.0), 0.0, 1.0)
        self.best: Floats32 = np.clip(known(evidence.best_policy), LEAST, 1.0)
        self.log_policy: Floats32 = np.log(np.maximum(self.policy, LEAST))
        #: [n, 5], [n, 6]: policy of the candidates; of the move and of them.
        self.chances: Floats32 = evidence.chances.astype(np.float32)
        self.all_chances: Floats32 = np.column_stack([self.policy, self.chances])
        #: How many of the candidates have more policy than the move.
        self.place: NDArray[np.intp] = (self.chances > self.policy[:, None]).sum(axis=1)
        #: Points that the move cost, negative for gains; 0 or more; and cut off.
        self.loss: Floats32 = known(evidence.points_lost)
        self.lost: Floats32 = np.maximum(self.loss, 0.0)
        self.some: Floats32 = np.minimum(self.lost, _SOME)
        #: Winrate that the move cost, negative for gains; 0 or more.
        self.win_loss: Floats32 = known(evidence.winrate_lost)
        self.lost_win: Floats32 = np.maximum(self.win_loss, 0.0)
        #: Points that the player is ahead by before the move, and the winrate there.
        self.lead: Floats32 = known(evidence.lead_before)
        self.winrate: Floats32 = known(evidence.winrate_before)
        #: 1 in an even game, 0 in a decided one; 1 where the player is sure to win, -1 to lose.
        self.close: Floats32 = 4.0 * self.winrate * (1.0 - self.winrate)
        self.ahead: Floats32 = 2.0 * self.winrate - 1.0
        #: Lines between the point and the nearest edge.
        row, column = np.divmod(evidence.point.astype(np.int64), _SIZE)
        self.line = np.minimum.reduce([row, _SIZE - 1 - row, column, _SIZE - 1 - column])
        #: Whether the row before it is the player's move before, and how far away that is.
        self.follows = np.zeros(len(evidence), bool)
        self.follows[1:] = goes_on(evidence, 1)[:-1]
        self.steps = np.zeros(len(evidence))
        self.steps[1:] = np.hypot(np.diff(row), np.diff(column))
        self._course: dict[tuple[str, int], NDArray[Any]] = {}

    @cached_property
    def shares(self) -> tuple[Floats32, Floats32]:
        """The move's and the candidates' shares of their policy: [n], [n, 5]."""
        total = np.maximum(self.chances.sum(axis=1) + self.policy, LEAST)
        return self.policy / total, self.chances / total[:, None]

    def fall(self, what: str, steps: int) -> NDArray[Any]:
        """How far the ``lead`` or the ``winrate`` falls until so many own moves later.

        NaN where the evidence does not go on so far.
        """
        if (what, steps) not in self._course:
            values = getattr(self, what)
            falls = values - np.roll(values, -steps)
            self._course[what, steps] = np.where(goes_on(self.evidence, steps), falls, np.nan)
        return self._course[what, steps]


def goes_on(evidence: Evidence, steps: int) -> Flags:
    """Whether the row so many further on is the player's move so many later: bool [n]."""
    there = np.zeros(len(evidence), bool)
    number = evidence.number.astype(np.int64)
    same_game = evidence.game[steps:] == evidence.game[:-steps]
    there[:-steps] = same_game & (number[steps:] == number[:-steps] + 2 * steps)
    return there


#: So many of the player's moves later the lead is looked at again.
_MOVES_LATER = (2, 4, 8)
#: Changes are cut off at several heights: one turn is not the whole game.
_POINTS_CHANGED = (1.0, 3.0, 10.0)
_WINS_CHANGED = (0.05, 0.15, 0.4)
#: Moves of a player in a row that are looked at together.
SPELL = 8
#: Whatever is said of a move looks no further than so many of the player's moves ahead.
FURTHEST = max(_MOVES_LATER) + SPELL - 1


def _fallen(sign: float, what: str, steps: int, most: float, facts: MoveFacts) -> NDArray[Any]:
    """What is lost (1) or gained (-1) until a later move; NaN where nothing follows."""
    return np.asarray(np.clip(sign * facts.fall(what, steps), 0.0, most))


#: What a player loses and gains until later moves of the same game.
COURSE = tuple(
    Scalar(
        f"{kind}_{name}_{most:g}_in_{steps}", "course", partial(_fallen, sign, what, steps, most)
    )
    for steps in _MOVES_LATER
    for name, what, heights in (
        ("points", "lead", _POINTS_CHANGED),
        ("win", "winrate", _WINS_CHANGED),
    )
    for most in heights
    for kind, sign in (("lost", 1.0), ("gained", -1.0))
)


_POINTS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_WINS = (0.02, 0.05, 0.1, 0.2, 0.4)
_STEPS = (1.5, 2.5, 4.5, 7.5, 11.5)
_LINES = 6

#: The trunk in the values: at the move before and after it, its mean over the board, and
#: what a player who follows the policy would have met.
TRUNK = ("pick", "after", "mean", "expected")


def _each(
    name: str,
    source: str,
    values: Iterable[float],
    compute: Callable[[Any, MoveFacts], NDArray[Any]],
) -> list[Scalar]:
    """A scalar for each of some values, of which its name and its function take one."""
    return [Scalar(name.format(value), source, partial(compute, value)) for value in values]


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
    *_each("place_{}", "candidates", range(1, CANDIDATES + 1), lambda k, m: m.place == k - 1),
    Scalar("others", "candidates", lambda m: 1.0 - np.minimum(m.all_chances.sum(axis=1), 1.0)),
    Scalar(
        "entropy",
        "candidates",
        lambda m: -(m.all_chances * np.log(np.maximum(m.all_chances, LEAST))).sum(axis=1),
    ),
    Scalar("gain", "head", lambda m: np.minimum(np.maximum(-m.loss, 0.0), 8.0)),
    *_each("loss_{:g}", "head", _POINTS, lambda most, m: np.minimum(m.lost, most)),
    Scalar("win_gain", "head", lambda m: np.maximum(-m.win_loss, 0.0)),
    *_each("win_loss_{:g}", "head", _WINS, lambda most, m: np.minimum(m.lost_win, most)),
    Scalar("close", "head", lambda m: m.close),
    Scalar("ahead", "head", lambda m: m.ahead),
    Scalar("far", "head", lambda m: np.tanh(np.abs(m.lead) / 20.0)),
    Scalar("close_log_policy", "head", lambda m: m.close * m.log_policy),
    Scalar("ahead_log_policy", "head", lambda m: m.ahead * m.log_policy),
    Scalar("close_loss", "head", lambda m: m.close * m.some),
    Scalar("ahead_loss", "head", lambda m: m.ahead * m.some),
    Scalar("close_win_loss", "head", lambda m: m.close * np.minimum(m.lost_win, 0.4)),
    Scalar("clear_log_policy", "head", lambda m: m.best * m.log_policy),
    *_each("line_{}", "point", range(1, _LINES), lambda line, m: m.line == line - 1),
    Scalar(f"line_{_LINES}", "point", lambda m: m.line >= _LINES - 1),
    Scalar("follows", "point", lambda m: m.follows),
    *_each("within_{:g}", "point", _STEPS, lambda most, m: m.follows & (m.steps < most)),
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


def move_values(evidence: Evidence, facts: MoveFacts | None = None) -> Floats32:
    """What the rank model looks at.

    `facts`: of the same moves. Returns [n, 4 channels + scalars]: ``pick``, ``after``, ``mean``,
    the candidates' mean weighted with the policy (the move that was played among them), and
    `SCALARS`; NaN is what cannot be known because the game does not go on.
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


def scalars(facts: MoveFacts) -> Floats32:
    """The scalars of each move: float32 [n, len(SCALARS)]."""
    columns = (scalar.compute(facts) for scalar in _SCALARS)
    return np.column_stack([np.asarray(column, np.float32) for column in columns])


#: Values further from the mean than this many deviations count as that far: what the
#: model has never met must not carry it away.
CLIP = 8.0


def standardised(values: Floats32, mean: Floats32, deviation: Floats32) -> Floats32:
    """Values of moves as a model takes them, none further out than `CLIP`; 0 if not known."""
    with np.errstate(over="ignore"):  # it is cut off
        away = np.nan_to_num((values - mean) / deviation)
    return np.asarray(np.clip(away, -CLIP, CLIP), np.float32)
