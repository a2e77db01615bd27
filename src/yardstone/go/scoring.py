"""The score of a finished game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.go.points import BLACK, EMPTY, WHITE, neighbours, opponent, point_array
from yardstone.go.rules import Rules

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["BoardScore", "handicap_bonus", "score_position"]


@dataclass(frozen=True, slots=True, eq=False)
class BoardScore:
    """What both players have.

    Attributes
    ----------
    black, white : float
        Their points; White's contain the komi and what handicap stones give.
    owner : ndarray of int8, shape [size * size]
        Who counts each point (0: nobody). With territory scoring these are the
        points of territory, without the stones around them.
    """

    black: float
    white: float
    owner: NDArray[np.int8]

    @property
    def lead(self) -> float:
        """Points by which White leads, negative if Black does."""
        return self.white - self.black

    @property
    def winner(self) -> int:
        """1 if Black wins, 2 if White wins, 0 for a draw."""
        return WHITE if self.lead > 0 else BLACK if self.lead < 0 else EMPTY

    def __str__(self) -> str:
        """Return the result as records write it, such as ``W+3.5``."""
        return f"{'0BW'[self.winner]}" + (f"+{abs(self.lead):g}" if self.winner else "")


def handicap_bonus(rules: Rules, stones: int) -> int:
    """Points that White gets for so many handicap stones; one stone is no handicap."""
    if stones < 2 or rules.white_handicap_bonus == "0":
        return 0
    return stones if rules.white_handicap_bonus == "n" else stones - 1


def score_position(
    board: NDArray[np.int32],
    rules: Rules,
    *,
    komi: float,
    dead: ArrayLike = (),
    pass_dead: bool = True,
    handicap: int = 0,
    button: int = EMPTY,
) -> BoardScore:
    """Score a board; `yardstone.go.board.Board.score` explains the arguments.

    Parameters
    ----------
    board : ndarray
        The board as compiled loops have it; it is left as it is.
    button : int
        Who has taken the button: 1 Black, 2 White, 0 nobody.
    """
    from yardstone.go import _benson, _board

    area = board.shape[1] - 1
    near = neighbours(round(area**0.5))
    board = board.copy()
    prisoners = board[_board.META, :3].copy()
    for point in point_array(dead).tolist():
        if not 0 <= point < area:
            raise InputError(f"a dead stone is outside the board: point {point}")
        colour = int(board[_board.COLOUR, point])
        if colour != EMPTY:
            head = int(board[_board.HEAD, point])
            prisoners[colour] += board[_board.SIZE, head]
            _board.lift(board, near, head)
    work = np.zeros((_benson.WORK_ROWS, area + 2), dtype=np.int32)
    basic = np.zeros(area + 1, dtype=np.int32)
    owner = basic.copy()
    if pass_dead:
        _benson.find_area(board, near, rules.suicide, basic, work)
    else:
        _benson.find_plain_area(board, near, basic, work)
    territory = rules.scoring == "territory"
    groups = _benson.area_without_seki(
        board, near, basic, not territory, rules.tax == "none", owner, work
    )
    stones = board[_board.COLOUR, :area]
    counted = owner[:area].copy()
    points = {}
    for colour, living in zip((BLACK, WHITE), groups, strict=True):
        if territory:
            counted[(counted == colour) & (stones == colour)] = EMPTY
        points[colour] = float(np.count_nonzero(counted == colour))
        if territory:
            enemy = opponent(colour)
            lost = (stones == enemy) & (counted == colour)
            points[colour] += float(prisoners[enemy] + np.count_nonzero(lost))
        if rules.tax == "all":
            points[colour] -= 2 * living
    if button != EMPTY:
        points[button] += 0.5
    white = points[WHITE] + komi + handicap_bonus(rules, handicap)
    return BoardScore(points[BLACK], white, counted.astype(np.int8))
