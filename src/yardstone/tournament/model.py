"""A tournament as every file format, pairing and table of standings sees it.

Players are numbered by their place in `Tournament.players`, from 0; rounds and
tables are numbered from 1, as people do. `Game.first` is the player who moves
first: White in chess, Black in Go.
"""

from __future__ import annotations

import copyreg
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from yardstone.errors import InputError
from yardstone.records.decoding import whole_number
from yardstone.tournament.results import ByeKind, Result, System
from yardstone.tournament.rules import (
    HandicapRules,
    PairingSettings,
    Scoring,
    SwissSettings,
    Team,
    TeamRules,
    TimeControl,
)

__all__ = [
    "NO_GIVEN_NAME",
    "Adjustment",
    "Bye",
    "ByeKind",
    "Game",
    "Player",
    "Result",
    "System",
    "Tournament",
]

# Tournaments go to other processes, and frozen mappings cannot be pickled on their own.
copyreg.pickle(MappingProxyType, lambda mapping: (_frozen, (dict(mapping),)))

#: Stands for a given name that nobody has told: OpenGotha opens no file without one.
NO_GIVEN_NAME = "-"
#: Lines of the largest board.
MAX_SIZE = 50

Discipline = Literal["go", "chess", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """An entry of a tournament.

    Attributes
    ----------
    name, first_name : str
        Family name and given name.
    country, club : str
        Codes, as the file has them.
    rank : int or None
        Grade with which the player takes part, 1 dan = 0, 1 kyu = -1; from it follows
        the initial McMahon score. None in chess.
    grade : str
        Official grade or title as text ("3D", "1P"), which may differ from `rank`.
    rating : float or None
        Rating at the start of the tournament.
    rating_origin : str
        Whose rating that is ("EGF", "FFG : 302", "FIDE").
    ids : mapping of str to str
        Numbers in the registers of federations, by "egf", "ffg", "aga", "fide".
    smms_correction : int
        Added to the initial McMahon score.
    absent : frozenset of int
        Rounds in which the player does not take part.
    registered : bool
        False for a preliminary registration.
    sex, title, birth : str
        As a file of FIDE has them.
    extras : mapping of str to str
        Everything else that the file says about the player.
    line : int
        Where the file says it; 0 if unknown.
    """

    name: str
    first_name: str = ""
    country: str = ""
    club: str = ""
    rank: int | None = None
    grade: str = ""
    rating: float | None = None
    rating_origin: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)
    smms_correction: int = 0
    absent: frozenset[int] = frozenset()
    registered: bool = True
    sex: str = ""
    title: str = ""
    birth: str = ""
    extras: Mapping[str, str] = field(default_factory=dict)
    line: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", MappingProxyType(dict(self.ids)))
        object.__setattr__(self, "extras", MappingProxyType(dict(self.extras)))

    @property
    def full_name(self) -> str:
        """Family name, then given name, if it is known."""
        given = "" if self.first_name == NO_GIVEN_NAME else self.first_name
        return f"{self.name} {given}".strip()

    def takes_part(self, round_number: int) -> bool:
        """Whether the player is there in a round."""
        return self.registered and round_number not in self.absent


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game that is paired, and perhaps played.

    Attributes
    ----------
    round, table : int
        From 1; table 0 if none is known.
    first, second : int
        Numbers of the players; `first` moves first.
    result : Result
        Who won.
    forfeit : bool
        Decided without play, as when a player does not come.
    handicap : int
        Stones given to `first`.
    komi : float or None
        Points given to `second`, where they differ from the tournament's.
    known_colour : bool
        False if it is not known who moved first; the order then means nothing.
    rated : bool
        False if the game does not count for ratings.
    line : int
        Where the file says it; 0 if unknown.
    """

    round: int
    first: int
    second: int
    table: int = 0
    result: Result = Result.unknown
    forfeit: bool = False
    handicap: int = 0
    komi: float | None = None
    known_colour: bool = True
    rated: bool = True
    line: int = 0

    @property
    def played(self) -> bool:
        """Whether there was a game: it has a result, and not by forfeit."""
        return self.result is not Result.unknown and not self.forfeit

    def points(self, player: int) -> float:
        """Points of one of the two players."""
        return self.result.points[0 if player == self.first else 1]

    def opponent(self, player: int) -> int:
        """The other player."""
        return self.second if player == self.first else self.first


@dataclass(frozen=True, slots=True)
class Bye:
    """A round in which a player has points without an opponent."""

    round: int
    player: int
    kind: ByeKind = ByeKind.paired


@dataclass(frozen=True, slots=True)
class Adjustment:
    """Points added to a player's score by decision; round 0 means after the last one."""

    player: int
    points: float
    round: int = 0


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """A tournament; frozen. `replace` makes a changed one.

    Attributes
    ----------
    name, short_name, place, director : str
        What it is called, where it is, and whose it is.
    begin, end : date or None
        First and last day.
    discipline : {"go", "chess", ""}
        The game.
    size : int
        Size of the board.
    komi : float or None
        Points for the player who moves second.
    rounds : int
        Number of rounds that are planned.
    system : System
        How they are paired.
    players, games, byes : tuples
        Entries; pairings of all rounds so far; rounds without an opponent.
    teams : tuple of Team
        Where players play in teams.
    scoring, handicap, pairing, swiss, team_rules
        The rules.
    time : TimeControl
        How long a game may take.
    round_dates : tuple of date or None
        When the rounds are played, from the first on; may be shorter than `rounds`.
    club_groups : tuple of frozenset of str
        Clubs that pairing treats as neighbours.
    adjustments : tuple of Adjustment
        Points given or taken by decision.
    extras : mapping of str to str
        Everything else the file says about the whole.
    document : object
        What the writer of the same format needs to write back all that is not used.
    file : str
        Where it was read from.
    """

    name: str = ""
    short_name: str = ""
    place: str = ""
    director: str = ""
    begin: date | None = None
    end: date | None = None
    discipline: Discipline = ""
    size: int = 19
    komi: float | None = None
    rounds: int = 0
    system: System = System.other
    players: tuple[Player, ...] = ()
    games: tuple[Game, ...] = ()
    byes: tuple[Bye, ...] = ()
    scoring: Scoring = field(default_factory=Scoring)
    handicap: HandicapRules = field(default_factory=HandicapRules)
    pairing: PairingSettings = field(default_factory=PairingSettings)
    swiss: SwissSettings = field(default_factory=SwissSettings)
    teams: tuple[Team, ...] = ()
    team_rules: TeamRules = field(default_factory=TeamRules)
    time: TimeControl = field(default_factory=TimeControl)
    round_dates: tuple[date | None, ...] = ()
    club_groups: tuple[frozenset[str], ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    extras: Mapping[str, str] = field(default_factory=dict)
    document: Any = field(default=None, repr=False, compare=False)
    file: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "extras", MappingProxyType(dict(self.extras)))
        self._check()

    def _check(self) -> None:
        if self.size and not 2 <= self.size <= MAX_SIZE:
            raise InputError(
                f"a board of {self.size} lines, at most {MAX_SIZE} are known",
                file=self.file or None,
            )
        number = len(self.players)
        taken: dict[tuple[int, int], int] = {}
        places: list[tuple[int, int, int]] = [(b.round, b.player, 0) for b in self.byes]
        for game in self.games:
            if game.first == game.second:
                raise InputError(
                    f"round {game.round}: a player meets himself",
                    file=self.file or None,
                    line=game.line or None,
                )
            places += [(game.round, p, game.line) for p in (game.first, game.second)]
        for round_number, player, line in places:
            if not 0 <= player < number:
                raise InputError(
                    f"there is no player {player + 1}", file=self.file or None, line=line or None
                )
            if not 1 <= round_number <= max(self.rounds, 1):
                raise InputError(
                    f"round {round_number} of a tournament of {self.rounds} rounds",
                    file=self.file or None,
                    line=line or None,
                )
            if (round_number, player) in taken:
                raise InputError(
                    f"{self.players[player].full_name} is paired twice in round {round_number}",
                    hint=f"also on line {taken[round_number, player]}"
                    if taken[round_number, player]
                    else None,
                    file=self.file or None,
                    line=line or None,
                )
            taken[round_number, player] = line

    def can_be_drawn(self, game: Game | None = None) -> bool:
        """Whether a game (or games in general) can be a draw: not at a komi with a half.

        What the komi of a handicap game is, the tournament's does not tell.
        """
        komi = self.komi if game is None or not game.handicap else None
        komi = komi if game is None or game.komi is None else game.komi
        return self.discipline == "chess" or komi is None or not komi % 1

    @cached_property
    def last_round(self) -> int:
        """The last round in which anybody is paired; 0 before the first."""
        rounds = [game.round for game in self.games] + [bye.round for bye in self.byes]
        return max(rounds, default=0)

    @cached_property
    def complete_rounds(self) -> int:
        """Rounds from the first on that are paired and have no open result."""
        still_open = {game.round for game in self.games if game.result is Result.unknown}
        paired = {game.round for game in self.games}
        done = 0
        while done + 1 in paired and done + 1 not in still_open:
            done += 1
        return done

    @cached_property
    def game_of(self) -> Mapping[tuple[int, int], Game]:
        """The game of (round, player)."""
        return MappingProxyType({(g.round, p): g for g in self.games for p in (g.first, g.second)})

    @cached_property
    def bye_of(self) -> Mapping[tuple[int, int], Bye]:
        """The bye of (round, player)."""
        return MappingProxyType({(b.round, b.player): b for b in self.byes})

    def round_games(self, round_number: int) -> tuple[Game, ...]:
        """The games of a round, by tables."""
        games = [game for game in self.games if game.round == round_number]
        return tuple(sorted(games, key=lambda game: (game.table, game.first)))

    def before(self, round_number: int) -> Tournament:
        """The state before a round was paired: later games and byes left out."""
        return replace(
            self,
            games=tuple(g for g in self.games if g.round < round_number),
            byes=tuple(b for b in self.byes if b.round < round_number),
        )

    def with_round(self, games: Iterable[Game], byes: Iterable[Bye] = ()) -> Tournament:
        """The same with further games and byes."""
        return replace(self, games=(*self.games, *games), byes=(*self.byes, *byes))

    def with_absent(self, players: Collection[int], round_number: int) -> Tournament:
        """The same in which some players are absent from a round, in chess by byes of no points."""
        if self.discipline == "chess":
            rows = [row for row in sorted(players) if (round_number, row) not in self.bye_of]
            byes = tuple(Bye(round_number, row, ByeKind.zero) for row in rows)
            return replace(self, byes=(*self.byes, *byes))
        entries = (
            replace(player, absent=player.absent | {round_number}) if row in players else player
            for row, player in enumerate(self.players)
        )
        return replace(self, players=tuple(entries))

    def find(self, text: str) -> int:
        """Number of the player whose name, or the only one whose beginning, is `text`.

        A number from 1 on means a place in the list of players. Capitals, spaces and
        the order of family and given name do not matter.

        Raises
        ------
        InputError
            Nobody is meant, or several are.
        """
        plain = _plain(text)
        number = whole_number(text)
        if number is not None and 1 <= number <= len(self.players):
            return number - 1
        names = [
            (_plain(p.name + p.first_name), _plain(p.first_name + p.name)) for p in self.players
        ]
        rows = [row for row, both in enumerate(names) if plain in both]
        if not rows and plain:
            rows = [row for row, both in enumerate(names) if any(n.startswith(plain) for n in both)]
        if len(rows) == 1:
            return rows[0]
        if not rows:
            raise InputError(f"no player is called {text!r}", file=self.file or None)
        meant = ", ".join(self.players[row].full_name for row in rows[:4])
        raise InputError(
            f"{text!r} may mean {meant}",
            file=self.file or None,
            hint="write more of the name, or the player's number",
        )


def _frozen(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _plain(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())
