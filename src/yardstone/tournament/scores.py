"""Scores of a tournament after every round: wins, McMahon score and what opponents have.

As OpenGotha counts: in half points, so that whole numbers are compared. Column r of a
table of scores holds the state after r rounds, column 0 that before the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from yardstone.tournament.model import ByeKind, Player, Tournament
from yardstone.tournament.rules import Scoring

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = ["Scores", "category", "initial_score", "taking_part"]

#: Points of byes that bring the same whatever the tournament's rules say.
_FIXED_BYES = {ByeKind.full: 2, ByeKind.half: 1, ByeKind.zero: 0}


def initial_score(player: Player, scoring: Scoring) -> int:
    """McMahon score before the first round: the rank between floor and bar, and a correction.

    Examples
    --------
    >>> initial_score(Player(name="Ann", rank=5), Scoring(bar=3, floor=-20))
    33
    """
    rank = scoring.zero if player.rank is None else player.rank
    return min(max(rank, scoring.floor), scoring.bar) - scoring.zero + player.smms_correction


def category(player: Player, scoring: Scoring) -> int:
    """Number of the category by rank, 0 being the strongest."""
    rank = scoring.zero if player.rank is None else player.rank
    for number, limit in enumerate(scoring.categories):
        if rank >= limit:
            return number
    return len(scoring.categories)


def taking_part(tournament: Tournament) -> NDArray[np.bool_]:
    """Which players have a game or a bye in any round, or are expected in one to come."""
    n = len(tournament.players)
    there = np.zeros(n, bool)
    for game in tournament.games:
        there[[game.first, game.second]] = True
    for bye in tournament.byes:
        there[bye.player] = True
    if not tournament.games:
        for row, player in enumerate(tournament.players):
            there[row] = player.registered
    return there


@dataclass(frozen=True, eq=False)
class Scores:
    """Everything that criteria are computed from; see the module for rounds and units.

    Attributes
    ----------
    tournament : Tournament
        What was scored.
    opponent : int array, shape (players, rounds)
        Number of the opponent, -1 without a game.
    points2 : int array
        Half points from games.
    handicap : int array
        Stones that the player gave; negative those received.
    first : int8 array
        1 where the player moved first, 0 where second, -1 where unknown or no game.
    played : bool array
        Games with a result that is no forfeit.
    wins2, mms2 : int arrays, shape (players, rounds + 1)
        Wins and McMahon scores in half points.
    """

    tournament: Tournament
    opponent: Whole
    points2: Whole
    handicap: Whole
    first: NDArray[np.int8]
    played: NDArray[np.bool_]
    wins2: Whole
    mms2: Whole

    @classmethod
    def of(cls, tournament: Tournament) -> Scores:
        """Score all rounds of a tournament."""
        n, rounds = len(tournament.players), max(tournament.rounds, tournament.last_round)
        shape = (n, rounds)
        opponent = np.full(shape, -1, np.int64)
        points2, handicap = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        first, played = np.full(shape, -1, np.int8), np.zeros(shape, bool)
        for game in tournament.games:
            column = game.round - 1
            one, two = game.first, game.second
            opponent[one, column], opponent[two, column] = two, one
            a, b = game.result.points
            points2[one, column], points2[two, column] = round(2 * a), round(2 * b)
            handicap[one, column], handicap[two, column] = -game.handicap, game.handicap
            if game.known_colour:
                first[one, column], first[two, column] = 1, 0
            played[[one, two], column] = game.played
        free_wins, free_score = _without_game(tournament, opponent)
        start = 2 * np.array(
            [initial_score(p, tournament.scoring) for p in tournament.players], np.int64
        ).reshape(n, 1)
        won = np.cumsum(points2, axis=1)
        zero = np.zeros((n, 1), np.int64)
        wins2 = np.hstack([zero, won + free_wins])
        mms2 = np.hstack([start, start + won + free_score])
        return cls(tournament, opponent, points2, handicap, first, played, wins2, mms2)

    @property
    def initial2(self) -> Whole:
        """McMahon scores before the first round, in half points."""
        return self.mms2[:, 0]

    @cached_property
    def _virtual(self) -> Whole:
        """Half points from played games, each other round counting half a point."""
        earned = np.where(self.played, self.points2, 1)
        zero = np.zeros((len(earned), 1), np.int64)
        return np.hstack([zero, np.cumsum(earned, axis=1)])

    def for_opponents(self, score2: Whole, round_number: int) -> Whole:
        """What each player's score counts in sums over opponents, after a round."""
        if not self.tournament.scoring.unplayed_as_half:
            return score2[:, round_number]
        return score2[:, 0] + self._virtual[:, round_number]

    def of_opponents(self, values: Whole, round_number: int, missing: Whole) -> Whole:
        """Each opponent's value up to a round; `missing` of the player without one."""
        against = self.opponent[:, :round_number]
        return np.where(against >= 0, values[against], missing[:, None])

    @cached_property
    def floats(self) -> tuple[Whole, Whole]:
        """How often each player was drawn up and down, after each round."""
        score = (self.mms2 if self.tournament.system == "mcmahon" else self.wins2) // 2
        up, down = (np.zeros_like(self.wins2) for _ in range(2))
        for column in range(self.opponent.shape[1]):
            against = self.opponent[:, column]
            met = against >= 0
            own, other = score[:, column], score[against, column]
            up[:, column + 1] = up[:, column] + (met & (own < other))
            down[:, column + 1] = down[:, column] + (met & (own > other))
        return up, down


def _without_game(tournament: Tournament, opponent: Whole) -> tuple[Whole, Whole]:
    """Half points of all rounds so far without a game: wins, McMahon score."""
    scoring = tournament.scoring
    wins, score = np.zeros(opponent.shape, np.int64), np.zeros(opponent.shape, np.int64)
    absent2 = round(2 * scoring.wins_absent), round(2 * scoring.score_absent)
    bye2 = round(2 * scoring.wins_bye), round(2 * scoring.score_bye)
    free = opponent < 0
    for row, player in enumerate(tournament.players):
        for number in player.absent:
            if number <= opponent.shape[1] and free[row, number - 1]:
                wins[row, number - 1], score[row, number - 1] = absent2
    for bye in tournament.byes:
        place = bye.player, bye.round - 1
        fixed = _FIXED_BYES.get(bye.kind)
        wins[place], score[place] = bye2 if fixed is None else (fixed, fixed)
    wins, score = np.cumsum(wins, axis=1), np.cumsum(score, axis=1)
    if scoring.round_down:
        wins, score = wins // 2 * 2, score // 2 * 2
    return wins, score
