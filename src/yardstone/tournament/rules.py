"""What a tournament counts and how it pairs: scoring, handicap and weights."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from yardstone.errors import InputError
from yardstone.files import read_bytes

#: McMahon scores count from here unless the rules say otherwise: 30 kyu.
LOWEST_RANK = -30


class SeedSystem(StrEnum):
    """Who meets whom within a group of equal scores, by the order in the group."""

    fold = "fold"  # of 2n players, 1 meets 2n, 2 meets 2n-1
    slide = "slide"  # 1 meets n+1, 2 meets n+2
    adjacent = "adjacent"  # 1 meets 2, 3 meets 4
    random = "random"  # upper half meets lower half, drawn by lot


class FloatMode(StrEnum):
    """Who of a group is drawn to another one."""

    top = "top"
    middle = "middle"
    bottom = "bottom"


class TimeSystem(StrEnum):
    """What happens when the basic time is used up."""

    sudden_death = "sudden death"
    byo_yomi = "byo-yomi"
    canadian = "Canadian byo-yomi"
    fischer = "Fischer"
    unknown = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """How long a game may take."""

    system: TimeSystem = TimeSystem.unknown  #: What follows the basic time
    basic: int = 0  #: Basic time in seconds
    period: int = 0  #: Seconds of a byo-yomi period
    moves: int = 1  #: Moves in a period of Canadian byo-yomi
    increment: int = 0  #: Seconds added for each move (Fischer)
    internet: bool = False  #: Whether it is played on a server


@dataclass(frozen=True, slots=True, kw_only=True)
class HandicapRules:
    """Handicap of a pairing.

    Stones = difference of McMahon scores (or of ranks) less `correction`, at most `ceiling`, none
    if a player of the game has `threshold` or a stronger rank.
    """

    by_score: bool = True
    threshold: int = 0
    correction: int = 1
    ceiling: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """What counts, and how."""

    #: Criteria of the standings in their order, by their names in
    #: `yardstone.tournament.standings_table`
    criteria: tuple[str, ...] = ()
    #: `bar`, `floor`, `zero`: ranks (1 dan = 0): all from the bar on start with the same McMahon
    #: score, as do all up to the floor; `zero` is the rank whose initial score would be 0.
    bar: int = 8
    floor: int = LOWEST_RANK
    zero: int = LOWEST_RANK
    #: `wins_absent`, `wins_bye`, `score_absent`, `score_bye`: points of a round without a game, in
    #: wins and in McMahon score.
    wins_absent: float = 0.0
    wins_bye: float = 1.0
    score_absent: float = 0.5
    score_bye: float = 1.0
    round_down: bool = True  #: Whether halves are dropped from the total of wins and McMahon score
    #: Whether a round without a game counts half a point in what opponents get from a player
    unplayed_as_half: bool = False
    #: Lowest ranks of all categories but the last; empty if there is one
    categories: tuple[int, ...] = ()
    win: float = 1.0  #: `win`, `draw`, `loss`: points of a game in a Swiss by FIDE's rules.
    draw: float = 0.5
    loss: float = 0.0
    #: `bye`, `absence`, `open_game`: there, points of the bye that pairing gives (None: as a win),
    #: of an absence or a game lost by forfeit, and of a game without a result (None: as a draw).
    bye: float | None = None
    absence: float = 0.0
    open_game: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingSettings:
    """Weights and choices of pairing, as OpenGotha's file has them."""

    #: `avoid_rematch`, `randomness`, `balance_colours`: basic weights; `deterministic` means the
    #: lot is the same for the same pair.
    avoid_rematch: int = 500_000_000_000_000
    randomness: int = 0
    deterministic: bool = True
    balance_colours: int = 1_000_000
    #: `avoid_mixing_categories`, `minimise_score_difference`: main weights.
    avoid_mixing_categories: int = 20_000_000_000_000
    minimise_score_difference: int = 100_000_000_000
    #: Weight of the choice of floaters within their group; `compensate_floats`: a player drawn up
    #: before is drawn down rather than up again; `float_upper`, `float_lower`: who of the upper and
    #: of the lower group
    float_weight: int = 100_000_000
    compensate_floats: bool = True
    float_upper: FloatMode = FloatMode.middle
    float_lower: FloatMode = FloatMode.middle
    #: Weight of the seeding within a group; by `seed_system_1` with the further criterion
    #: `seed_criterion_1` up to the round `seed_last_round_1`, by `seed_system_2` with
    #: `seed_criterion_2` later
    maximise_seeding: int = 5_000_000
    seed_last_round_1: int = 1
    seed_system_1: SeedSystem = SeedSystem.random
    seed_system_2: SeedSystem = SeedSystem.fold
    seed_criterion_1: str = "RATING"
    seed_criterion_2: str = "NULL"
    #: `bar_threshold`, `wins_threshold`: whether the secondary criteria are off for players above
    #: the bar, or who have won half their games; `rank_threshold`: off from this rank on.
    bar_threshold: bool = True
    rank_threshold: int = 0
    wins_threshold: bool = True
    secondary: int = 100_000_000_000  #: Weight of all secondary criteria together
    minimise_handicap: int = 0  #: `minimise_handicap`, `avoid_same_geography`: secondary weights.
    avoid_same_geography: int = 100_000_000_000
    #: `country_difference`, `club_group_difference`, `club_difference`: so many points of score
    #: difference are better than players of one country, of one group of clubs, of one club.
    country_difference: int = 1
    club_group_difference: int = 2
    club_difference: int = 3
    nx1_factor: float = 0.5  #: How much one large difference is better than many of one (0 to 1)


@dataclass(frozen=True, slots=True)
class Acceleration:
    """Virtual points with which a player is paired in some rounds."""

    players: frozenset[int]  #: By their numbers
    first: int  #: `first`, `last`: rounds before which they count.
    last: int
    points: float


@dataclass(frozen=True, slots=True)
class Separation:
    """Players of whom no two meet in some rounds."""

    players: frozenset[int]
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissSettings:
    """What a Swiss by FIDE's rules needs beside the results."""

    #: {"white", "black", ""}: the colour drawn by lot for the first of the list; empty if it is
    #: unknown
    initial_colour: str = ""
    accelerations: tuple[Acceleration, ...] = ()
    separations: tuple[Separation, ...] = ()

    def virtual_points(self, player: int, round_number: int) -> float:
        """Virtual points of a player before a round."""
        return sum(
            each.points
            for each in self.accelerations
            if player in each.players and each.first <= round_number <= each.last
        )

    def forbidden_in(self, round_number: int) -> list[frozenset[int]]:
        """Groups of players of whom no two may meet in a round."""
        return [
            each.players for each in self.separations if each.first <= round_number <= each.last
        ]

    def renumbered(self, rows: Mapping[int, int]) -> SwissSettings:
        """The settings after players have other numbers; who has none is in no group."""

        def moved(players: frozenset[int]) -> frozenset[int]:
            return frozenset(rows[player] for player in players if player in rows)

        return replace(
            self,
            accelerations=tuple(replace(a, players=moved(a.players)) for a in self.accelerations),
            separations=tuple(replace(s, players=moved(s.players)) for s in self.separations),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """A team."""

    name: str
    number: int = 0  #: By which its file calls it
    #: For each round from the first on, the players by boards, -1 where nobody plays; the last
    #: holds for all later rounds. There may be more players than boards.
    lineups: tuple[tuple[int, ...], ...] = ()

    def lineup(self, round_number: int) -> tuple[int, ...]:
        """The players of a round by boards."""
        return self.lineups[min(round_number, len(self.lineups)) - 1] if self.lineups else ()

    def everybody(self) -> tuple[int, ...]:
        """All players of all rounds, in the order of boards."""
        listed = dict.fromkeys(p for line in self.lineups for p in line if p >= 0)
        return tuple(listed)

    def renumbered(self, rows: Mapping[int, int]) -> Team:
        """The team after players have other numbers; nobody plays for those without one."""
        lineups = tuple(tuple(rows.get(p, -1) for p in line) for line in self.lineups)
        return replace(self, lineups=lineups)


def shortened(lineups: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Line-ups by rounds, of which the last holds for all later ones."""
    last = len(lineups)
    while last > 1 and lineups[last - 1] == lineups[last - 2]:
        last -= 1
    return tuple(lineups[:last])


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRules:
    """How matches of teams are played and counted."""

    size: int = 4  #: Boards of a match
    criteria: tuple[str, ...] = ()  #: Of the standings of teams; empty for the usual ones


_MAX_BYTES = 1 << 20


def read_rules(path: Path) -> dict[str, Any]:
    """Names and values for `PairingRules.changed` from a file of JSON."""
    data = read_bytes(path, _MAX_BYTES, "a file of rules")
    try:
        rules = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(f"no JSON: {error}", file=str(path), line=line) from error
    if not isinstance(rules, dict):
        raise InputError("rules are an object of names and values", file=str(path))
    return rules
