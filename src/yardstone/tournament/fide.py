"""Tie-breaks as FIDE defines them (Handbook C.07), with its rules for unplayed rounds.

The rules of 2009 know a virtual opponent, those of 2023 and 2024 a dummy with the player's own
score, those of March 2026 limit what the dummy has.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from itertools import accumulate
from math import floor, nan
from typing import NamedTuple

from yardstone.tournament.model import ByeKind, Result, System, Tournament


class Unplayed(StrEnum):
    """How rounds without a game count in tie-breaks."""

    y2026 = "2026"
    y2024 = "2024"
    y2009 = "2009"
    none = "none"


#: From when on which rules hold.
_SINCE = (
    (date(2026, 3, 1), Unplayed.y2026),
    (date(2023, 9, 1), Unplayed.y2024),
    (date(2009, 7, 1), Unplayed.y2009),
)


def rules_for(day: date | None) -> Unplayed:
    """The rules in force when a tournament began; the latest if that is unknown."""
    if day is None:
        return Unplayed.y2026
    return next((rules for since, rules in _SINCE if day >= since), Unplayed.none)


@dataclass(slots=True)
class Round:
    """One round of one player."""

    number: int  #: Of the round
    opponent: int  #: The one who was, or should have been, met; -1 for none
    points: float  #: What the player got
    played: bool  #: Whether there was a game
    #: A round that the player chose not to play: a requested bye, an absence or a game lost by
    #: forfeit (article 16.1)
    voluntary: bool
    first: bool | None = None  #: Whether the player moved first in a game that was played
    rated_points: float = 0.0  #: 1, 0.5 or 0 for a game that was played
    full: bool = False  #: Whether the points are those of a win, with or without a game


class _Contribution(NamedTuple):
    """What one round brings to a sum over opponents: their score, and the value."""

    score: float
    value: float
    voluntary: bool


@dataclass(eq=False)
class FideScores:
    """The rounds of every player up to one, and every tie-break from them."""

    tournament: Tournament  #: The results
    round_number: int  #: Only rounds up to this one count
    unplayed: Unplayed  #: The rules for rounds without a game
    rounds: list[list[Round]] = field(init=False)
    points: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.rounds = [
            [self._round(player, number) for number in range(1, self.round_number + 1)]
            for player in range(len(self.tournament.players))
        ]
        self.points = [sum(r.points for r in rounds) for rounds in self.rounds]
        for change in self.tournament.adjustments:
            if change.round <= self.round_number:
                self.points[change.player] += change.points
        everyone = range(len(self.points))
        #: What each player counts for opponents, really and as if the last game were drawn.
        self._counted = [[self._for_opponents(p, fore=fore) for p in everyone] for fore in (0, 1)]

    @property
    def robin(self) -> bool:
        """Whether all meet all: then forfeited games count as if played (article 15)."""
        return self.tournament.system is System.round_robin

    def _round(self, player: int, number: int) -> Round:
        rules = self.tournament.scoring
        game = self.tournament.game_of.get((number, player))
        if game is None:
            bye = self.tournament.bye_of.get((number, player))
            kind = ByeKind.zero if bye is None else bye.kind
            points = {
                ByeKind.paired: rules.win if rules.bye is None else rules.bye,
                ByeKind.full: rules.win,
                ByeKind.half: rules.draw,
                ByeKind.zero: rules.absence,
            }[kind]
            chosen = kind in (ByeKind.half, ByeKind.zero)
            return Round(number, -1, points, False, chosen, full=points == rules.win)
        own, opponent = game.points(player), game.opponent(player)
        if game.result is Result.unknown:
            points = rules.draw if rules.open_game is None else rules.open_game
            return Round(number, opponent, points, False, False)
        nothing = rules.absence if game.forfeit else rules.loss
        points = rules.win if own == 1 else rules.draw if own else nothing
        if game.forfeit:
            return Round(number, opponent, points, False, own < 1, full=points == rules.win)
        first = (player == game.first) if game.known_colour else None
        return Round(number, opponent, points, True, False, first, own, own == 1)

    def _for_opponents(self, player: int, *, fore: int) -> float:
        """What opponents' sums count (16.3); with `fore` the last game is a draw (8.3)."""
        draw = self.tournament.scoring.draw
        total = self.points[player] + (self._fore_change(player) if fore else 0.0)
        rounds = self.rounds[player]
        if fore and rounds and rounds[-1].opponent >= 0:
            rounds = [
                *rounds[:-1],
                Round(self.round_number, rounds[-1].opponent, draw, True, False),
            ]
        if self.robin or self.unplayed is Unplayed.none:
            return total
        if self.unplayed is Unplayed.y2009:
            return total + sum(draw - r.points for r in rounds if not r.played)
        last = max((r.number for r in rounds if not r.voluntary), default=0)
        gone = [r for r in rounds if r.number > last and r.opponent < 0]
        return total + sum(draw - r.points for r in gone)

    def contributions(
        self, player: int, *, weighted: bool = False, fore: bool = False
    ) -> list[_Contribution]:
        """What each round adds to Buchholz, or to Sonneborn-Berger if `weighted`."""
        contributions = []
        for r in self.rounds[player]:
            last = fore and r.number == self.round_number
            met = r.opponent >= 0 and (r.played or last or self.robin)
            if met or (self.unplayed is Unplayed.none and r.opponent >= 0):
                score = self._counted[fore][r.opponent]
            elif self.robin or self.unplayed is Unplayed.none:
                continue
            else:
                score = self._dummy(player, r, fore=fore)
            value = score * r.points if weighted else score
            contributions.append(_Contribution(score, value, r.voluntary and not met))
        return contributions

    def _fore_change(self, player: int) -> float:
        """What a draw in the last round would change, if the player is paired in it."""
        if not self.round_number:
            return 0.0
        last = self.rounds[player][-1]
        return self.tournament.scoring.draw - last.points if last.opponent >= 0 else 0.0

    def _dummy(self, player: int, r: Round, *, fore: bool) -> float:
        draw, win = self.tournament.scoring.draw, self.tournament.scoring.win
        if self.unplayed is Unplayed.y2009:
            before = sum(x.points for x in self.rounds[player][: r.number - 1])
            return before + win - r.points + draw * (self.round_number - r.number)
        own = self.points[player] + (self._fore_change(player) if fore else 0.0)
        if self.unplayed is Unplayed.y2026:
            met = r.opponent >= 0
            limit = self._counted[fore][r.opponent] if met else draw * self.round_number
            return min(own, limit)
        return own

    def summed(
        self,
        player: int,
        *,
        low: int = 0,
        high: int = 0,
        weighted: bool = False,
        fore: bool = False,
    ) -> float:
        """Buchholz and its kin, without the `low` least and `high` greatest contributions.

        A round that the player chose not to play is cut before a lower one unless it brings less
        (16.5).
        """
        left = self.contributions(player, weighted=weighted, fore=fore)
        dated = self.unplayed in (Unplayed.y2024, Unplayed.y2026)
        left.sort(key=lambda c: (c.score, c.value))
        for _ in range(min(low, len(left))):
            chosen = next((n for n, c in enumerate(left) if dated and c.voluntary), 0)
            del left[chosen if left[chosen].value >= left[0].value else 0]
        return sum(c.value for c in left[: max(len(left) - high, 0)])

    def average_buchholz(self, player: int) -> float:
        """Average of the opponents' Buchholz, to two decimals (8.2)."""
        met = [r.opponent for r in self.rounds[player] if r.played]
        if not met:
            return nan
        return _half_up(sum(self.summed(other) for other in met) / len(met), 2)

    def progressive(self, player: int, *, low: int = 0) -> float:
        """Sum of the scores after every round but the first `low` (7.5)."""
        total = running = 0.0
        for r in self.rounds[player]:
            running += r.points
            total += running if r.number > low else 0.0
        return total

    def koya(self, player: int) -> float:
        """Points against those who have at least half of all points (9.2)."""
        games = self.round_number
        if self.robin:  # in a round robin of an odd number one sits out
            met = [sum(r.opponent >= 0 for r in rounds) for rounds in self.rounds]
            games = max(met, default=0)
        enough = self.tournament.scoring.win * games / 2
        return sum(
            r.points
            for r in self.rounds[player]
            if r.opponent >= 0 and self.points[r.opponent] >= enough
        )

    def rated(
        self,
        player: int,
        *,
        of: Callable[[float, list[float]], float],
        low: int = 0,
        high: int = 0,
    ) -> float:
        """A function of the points against rated opponents and of these ratings (10.1 to 10.3)."""
        games = sorted(
            (rating, r.number, r.rated_points)
            for r in self.rounds[player]
            if r.played and (rating := self.tournament.players[r.opponent].rating)
        )
        kept = games[low : len(games) - high if high else None]
        return of(sum(game[2] for game in kept), [game[0] for game in kept]) if kept else nan

    def average_performance(
        self, player: int, *, of: Callable[[float, list[float]], float]
    ) -> float:
        """Average performance of the opponents met (10.4, 10.5)."""
        values = [self.rated(r.opponent, of=of) for r in self.rounds[player] if r.played]
        known = [value for value in values if value == value]
        return _half_up(sum(known) / len(known), 0) if known else nan

    def direct_encounter(self, group: list[int]) -> list[int]:
        """Place of each player of a tied group by their own games, from 0 (6).

        If not all have met, a place counts only where no missing game could change it.
        """
        place = [0] * len(group)
        waiting = [list(range(len(group)))]
        while waiting:
            parts = self._encounters(group, waiting.pop())
            start = min((place[m] for part in parts for m in part), default=0)
            for part in parts:
                for m in part:
                    place[m] = start
                start += len(part)
            if len(parts) > 1:
                waiting += [part for part in parts if len(part) > 1]
        return place

    def _encounters(self, group: list[int], members: list[int]) -> list[list[int]]:
        """Members of a tied group in parts, those of the first part being the best."""
        own, most, complete = {}, {}, True
        inside = {group[m]: m for m in members}
        for m in members:
            met: dict[int, list[float]] = {}
            for r in self.rounds[group[m]]:
                if r.opponent in inside and r.opponent != group[m] and (r.played or self.robin):
                    met.setdefault(r.opponent, []).append(r.points)
            own[m] = sum(sum(points) / len(points) for points in met.values())
            missing = 0 if self.robin else len(members) - 1 - len(met)
            most[m] = own[m] + missing * self.tournament.scoring.win
            complete = complete and not missing
        order = sorted(members, key=lambda m: (-own[m], -most[m]))
        reach = list(accumulate((most[m] for m in reversed(order)), max))[::-1]
        parts = [order[:1]]
        for n, m in enumerate(order[1:], 1):
            above = own[order[n - 1]]
            clear = above != own[m] if complete else above > reach[n] and n == len(parts)
            if clear:
                parts.append([m])
            else:
                parts[-1].append(m)
        return parts


def _half_up(value: float, digits: int) -> float:
    scale = 10.0**digits
    return float(floor(value * scale + 0.5 + 1e-9) / scale)


#: Rating differences from which the stronger player is expected to score 51 %, 52 %, ...
_STEPS = (
    4, 11, 18, 26, 33, 40, 47, 54, 62, 69, 77, 84, 92, 99, 107, 114, 122, 130, 138, 146, 154,
    163, 171, 180, 189, 198, 207, 216, 226, 236, 246, 257, 268, 279, 291, 303, 316, 329, 345,
    358, 375, 392, 412, 433, 457, 485, 518, 560, 620, 736,
)  # fmt: skip
#: Rating differences of scores of 50 %, 51 %, ... 100 %.
_DIFFERENCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149,
    158, 166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336,
    351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
)  # fmt: skip


def table_score(rating: float, opponent: float) -> float:
    """Expected score in hundredths, table 8.1b.

    Examples:
        >>> table_score(2400, 2300), table_score(2300, 2400), table_score(2800, 1000)
        (0.64, 0.36, 1.0)
    """
    difference = round(abs(rating - opponent))
    stronger = 50 + bisect_right(_STEPS, difference)
    return (stronger if rating >= opponent else 100 - stronger) / 100


def average_rating(ratings: Sequence[float]) -> float:
    """Average of the opponents' ratings, rounded to the nearest whole number, 0.5 up."""
    return floor(sum(ratings) / len(ratings) + 0.5)


def performance(score: float, ratings: Sequence[float]) -> float:
    """Performance rating: the opponents' average and the difference of table 8.1a.

    Examples:
        >>> performance(3, [2400, 2410, 2420, 2430])
        2608
    """
    share = floor(100 * score / len(ratings) + 0.5)
    share = min(max(share, 0), 100)
    difference = _DIFFERENCES[share - 50] if share >= 50 else -_DIFFERENCES[50 - share]
    return average_rating(ratings) + difference


def perfect_performance(score: float, ratings: Sequence[float]) -> float:
    """The lowest rating whose expected score against these opponents is no less than `score`.

    800 below the weakest opponent for no point, 800 above the strongest for all.
    """
    if score <= 0:
        return min(ratings) - 800
    low, high = floor(min(ratings)) - 801, floor(max(ratings)) + 800
    while high - low > 1:
        middle = (low + high) // 2
        total = sum(round(100 * table_score(middle, other)) for other in ratings)
        if total >= round(100 * score):
            high = middle
        else:
            low = middle
    return high
