"""A tournament as every file format, pairing and table of standings sees it.

Players are numbered by their place in `Tournament.players`, from 0; rounds and tables are numbered
from 1, as people do. `Game.first` is the player who moves first: White in chess, Black in Go.
"""

from __future__ import annotations

import copyreg
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date
from enum import StrEnum
from functools import cached_property
from itertools import count
from types import MappingProxyType
from typing import Any, Literal

from yardstone.choices import check_fields, with_values
from yardstone.errors import InputError, UsageError
from yardstone.records.decoding import whole_number
from yardstone.tournament.rules import (
    FloatMode,
    HandicapRules,
    PairingSettings,
    Scoring,
    SeedSystem,
    SwissSettings,
    Team,
    TeamRules,
    TimeControl,
    TimeSystem,
)


class System(StrEnum):
    """How the rounds are paired."""

    mcmahon = "mcmahon"
    swiss = "swiss"
    round_robin = "round-robin"
    cup = "cup"
    other = "other"


class Result(StrEnum):
    """How a game ended."""

    unknown = "unknown"
    first_wins = "first wins"
    second_wins = "second wins"
    draw = "draw"
    both_win = "both win"
    both_lose = "both lose"
    first_half = "first half"  # half a point against nothing, by decision of the arbiter
    second_half = "second half"

    @property
    def points(self) -> tuple[float, float]:
        """Points of the first and of the second player; 0 while unknown."""
        return _POINTS[self]

    @classmethod
    def of(cls, points: tuple[float, float]) -> Result | None:
        """The result that brings such points, if there is one."""
        return _RESULTS.get(points)

    @property
    def score(self) -> float | None:
        """Points of the first player where the game was won, drawn or lost by one; else None."""
        return self.points[0] if sum(self.points) == 1 else None

    @property
    def reversed(self) -> Result:
        """The same result with the sides exchanged."""
        return self if self is Result.unknown else _RESULTS[self.points[::-1]]


_POINTS = {
    Result.unknown: (0.0, 0.0),
    Result.first_wins: (1.0, 0.0),
    Result.second_wins: (0.0, 1.0),
    Result.draw: (0.5, 0.5),
    Result.both_win: (1.0, 1.0),
    Result.both_lose: (0.0, 0.0),
    Result.first_half: (0.5, 0.0),
    Result.second_half: (0.0, 0.5),
}
_RESULTS = {points: result for result, points in _POINTS.items() if result is not Result.unknown}


class ByeKind(StrEnum):
    """Why a player has no opponent in a round although it is over."""

    paired = "bye"  # nobody was left over to play: the bye that pairing gives
    full = "full-point bye"
    half = "half-point bye"
    zero = "zero-point bye"  # absence announced before the round


# Tournaments go to other processes, and frozen mappings cannot be pickled on their own.
copyreg.pickle(MappingProxyType, lambda mapping: (_frozen, (dict(mapping),)))

#: Stands for a given name that nobody has told: OpenGotha opens no file without one.
NO_GIVEN_NAME = "-"
#: Lines of the largest board.
MAX_SIZE = 50

Discipline = Literal["go", "chess", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """An entry of a tournament."""

    name: str  #: `name`, `first_name`: family name and given name.
    first_name: str = ""
    country: str = ""  #: `country`, `club`: codes, as the file has them.
    club: str = ""
    #: Grade with which the player takes part, 1 dan = 0, 1 kyu = -1; from it follows the initial
    #: McMahon score. None in chess.
    rank: int | None = None
    grade: str = ""  #: Official grade or title as text ("3D", "1P"), which may differ from `rank`
    rating: float | None = None  #: Rating at the start of the tournament
    rating_origin: str = ""  #: Whose rating that is ("EGF", "FFG : 302", "FIDE")
    #: Numbers in the registers of federations, by "egf", "ffg", "aga", "fide"
    ids: Mapping[str, str] = field(default_factory=dict)
    smms_correction: int = 0  #: Added to the initial McMahon score
    absent: frozenset[int] = frozenset()  #: Rounds in which the player does not take part
    registered: bool = True  #: False for a preliminary registration
    sex: str = ""  #: `sex`, `title`, `birth`: as a file of FIDE has them.
    title: str = ""
    birth: str = ""
    #: Everything else that the file says about the player
    extras: Mapping[str, str] = field(default_factory=dict)
    line: int = 0  #: Where the file says it; 0 if unknown

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
    """A game that is paired, and perhaps played."""

    round: int  #: `round`, `table`: from 1; table 0 if none is known.
    first: int  #: `first`, `second`: numbers of the players; `first` moves first.
    second: int
    table: int = 0
    result: Result = Result.unknown  #: Who won
    forfeit: bool = False  #: Decided without play, as when a player does not come
    handicap: int = 0  #: Stones given to `first`
    komi: float | None = None  #: Points given to `second`, where they differ from the tournament's
    #: False if it is not known who moved first; the order then means nothing
    known_colour: bool = True
    rated: bool = True  #: False if the game does not count for ratings
    line: int = 0  #: Where the file says it; 0 if unknown

    @property
    def players(self) -> tuple[int, int]:
        """Numbers of both players, who moves first before the other."""
        return self.first, self.second

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
    """A tournament; frozen. `replace` makes a changed one."""

    #: `name`, `short_name`, `place`, `director`: what it is called, where it is, and whose it is.
    name: str = ""
    short_name: str = ""
    place: str = ""
    director: str = ""
    begin: date | None = None  #: `begin`, `end`: first and last day.
    end: date | None = None
    discipline: Discipline = ""  #: {"go", "chess", ""}: the game
    size: int = 19  #: Size of the board
    komi: float | None = None  #: Points for the player who moves second
    rounds: int = 0  #: Number of rounds that are planned
    system: System = System.other  #: How they are paired
    #: `players`, `games`, `byes`: entries; pairings of all rounds so far; rounds without an
    #: opponent.
    players: tuple[Player, ...] = ()
    games: tuple[Game, ...] = ()
    byes: tuple[Bye, ...] = ()
    #: `scoring`, `handicap`, `pairing`, `swiss`, `team_rules`: the rules.
    scoring: Scoring = field(default_factory=Scoring)
    handicap: HandicapRules = field(default_factory=HandicapRules)
    pairing: PairingSettings = field(default_factory=PairingSettings)
    swiss: SwissSettings = field(default_factory=SwissSettings)
    teams: tuple[Team, ...] = ()  #: Where players play in teams
    team_rules: TeamRules = field(default_factory=TeamRules)
    time: TimeControl = field(default_factory=TimeControl)  #: How long a game may take
    #: When the rounds are played, from the first on; may be shorter than `rounds`
    round_dates: tuple[date | None, ...] = ()
    club_groups: tuple[frozenset[str], ...] = ()  #: Clubs that pairing treats as neighbours
    adjustments: tuple[Adjustment, ...] = ()  #: Points given or taken by decision
    #: Everything else the file says about the whole
    extras: Mapping[str, str] = field(default_factory=dict)
    #: What the writer of the same format needs to write back all that is not used
    document: Any = field(default=None, repr=False, compare=False)
    file: str = ""  #: Where it was read from

    def __post_init__(self) -> None:
        object.__setattr__(self, "extras", MappingProxyType(dict(self.extras)))
        if self.size and not 2 <= self.size <= MAX_SIZE:
            raise self.error(f"a board of {self.size} lines, at most {MAX_SIZE} are known")
        taken: dict[tuple[int, int], int] = {}
        places: list[tuple[int, int, int]] = [(b.round, b.player, 0) for b in self.byes]
        for game in self.games:
            if game.first == game.second:
                raise self.error(f"round {game.round}: a player meets himself", line=game.line)
            places += [(game.round, p, game.line) for p in game.players]
        for number, player, line in places:
            if not 0 <= player < len(self.players):
                raise self.error(f"there is no player {player + 1}", line=line)
            if not 1 <= number <= max(self.rounds, 1):
                raise self.error(
                    f"round {number} of a tournament of {self.rounds} rounds", line=line
                )
            if (number, player) in taken:
                raise self.error(
                    f"{self.players[player].full_name} is paired twice in round {number}",
                    line=line,
                    hint=f"also on line {other}" if (other := taken[number, player]) else None,
                )
            taken[number, player] = line

    def can_be_drawn(self, game: Game | None = None) -> bool:
        """Whether a game (or games in general) can be a draw: not at a komi with a half.

        A handicap game's komi is not the tournament's.
        """
        komi = self.komi if game is None or not game.handicap else None
        komi = komi if game is None or game.komi is None else game.komi
        return self.discipline == "chess" or komi is None or not komi % 1

    def error(self, message: str, *, line: int = 0, hint: str | None = None) -> InputError:
        """An error about this tournament, with its file."""
        return InputError(message, file=self.file or None, line=line or None, hint=hint)

    @cached_property
    def last_round(self) -> int:
        """The last round in which anybody is paired; 0 before the first."""
        rounds = [game.round for game in self.games] + [bye.round for bye in self.byes]
        return max(rounds, default=0)

    @cached_property
    def complete_rounds(self) -> int:
        """Rounds from the first on that are paired and have no open result."""
        still_open = [game.round for game in self.games if game.result is Result.unknown]
        return min([self.next_round, *still_open]) - 1

    @cached_property
    def next_round(self) -> int:
        """The first round without boards; one more than there are rounds if all have some."""
        paired = {game.round for game in self.games}
        return next(number for number in count(1) if number not in paired)

    @cached_property
    def game_of(self) -> Mapping[tuple[int, int], Game]:
        """The game of (round, player)."""
        return MappingProxyType({(g.round, p): g for g in self.games for p in g.players})

    @cached_property
    def bye_of(self) -> Mapping[tuple[int, int], Bye]:
        """The bye of (round, player)."""
        return MappingProxyType({(b.round, b.player): b for b in self.byes})

    def round_games(self, round_number: int) -> tuple[Game, ...]:
        """The games of a round, by tables."""
        games = [game for game in self.games if game.round == round_number]
        return tuple(sorted(games, key=lambda game: (game.table, game.first)))

    def round_byes(self, round_number: int) -> list[int]:
        """The players to whom pairing gave the bye of a round."""
        return [b.player for b in self.byes if (b.round, b.kind) == (round_number, ByeKind.paired)]

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

    def with_game(self, game: Game, other: Game) -> Tournament:
        """The same with another game in place of one of its own."""
        return replace(self, games=tuple(other if g is game else g for g in self.games))

    def with_player(self, row: int, player: Player) -> Tournament:
        """The same with another entry of a player, by number."""
        return replace(self, players=(*self.players[:row], player, *self.players[row + 1 :]))

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

    def name_of(self, row: int) -> str:
        """Full name of a player, by number."""
        return self.players[row].full_name

    def find(self, text: str) -> int:
        """Number of the player whose name, or the only one whose beginning, is `text`.

        A number from 1 on means a place in the list of players. Capitals, spaces and the order of
        family and given name do not matter.
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
            raise self.error(f"no player is called {text!r}")
        meant = ", ".join(self.players[row].full_name for row in rows[:4])
        hint = "write more of the name, or the player's number"
        raise self.error(f"{text!r} may mean {meant}", hint=hint)


def _frozen(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _plain(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


_BYO_YOMI_MOVES, _CANADIAN_MOVES, _FISCHER_MOVES = 45, 60, 120
#: Class, least basic time without and with increments, least adjusted time; in minutes.
_CLASSES = (("A", 60, 45, 75), ("B", 40, 30, 50), ("C", 25, 20, 30))


def adjusted_time(time: TimeControl) -> int:
    """Basic time and overtime of a game, in seconds.

    Examples:
        >>> adjusted_time(TimeControl(system=TimeSystem.byo_yomi, basic=3600, period=30)) / 60
        82.5
    """
    further = {
        TimeSystem.byo_yomi: _BYO_YOMI_MOVES * time.period,
        TimeSystem.canadian: _CANADIAN_MOVES * time.period // max(time.moves, 1),
        TimeSystem.fischer: _FISCHER_MOVES * time.increment,
    }
    return time.basic + further.get(time.system, 0)


def egf_class(time: TimeControl) -> str:
    """Class A, B or C of a tournament, D on the Internet; "" if the time is too short for any.

    Examples:
        >>> egf_class(TimeControl(system=TimeSystem.byo_yomi, basic=3600, period=30))
        'A'
    """
    minutes, adjusted = time.basic / 60, adjusted_time(time) / 60
    fischer = time.system is TimeSystem.fischer
    for name, plain, with_increments, whole in _CLASSES:
        if minutes >= (with_increments if fischer else plain) and adjusted >= whole:
            if not time.internet:
                return name
            return "" if name == "C" else "D"
    return ""


#: No weight may be larger, so that sums of any field stay exact integers.
LARGEST_WEIGHT = 10**15
#: Initial McMahon scores may be corrected so far, in points.
CORRECTION_DOWN, CORRECTION_UP = 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingRules(PairingSettings):
    """Everything that decides a pairing; the settings of a file, and what files lack."""

    rounds: int = 5  #: Number of rounds of the tournament
    #: Whether the McMahon score is the main score; otherwise the number of wins
    by_mcmahon: bool = True
    #: `bar`, `floor`, `zero`: ranks of the bar and the floor, and the rank whose initial score is
    #: 0.
    bar: int = 8
    floor: int = -30
    zero: int = -30
    category_count: int = 1  #: Number of categories that are to be kept apart
    half_points: bool = False  #: Whether half a point parts score groups (draws, as in chess)
    handicap: HandicapRules = field(default_factory=HandicapRules)  #: How many stones a game gets
    #: `repeated_bye`, `choose_bye`: weight against a second bye of the same player; weight of
    #: giving the bye to the last of the order.
    repeated_bye: int = 100_000_000_000_000
    choose_bye: int = 10_000_000_000_000
    #: `absolute_colour`, `colour_preference`: weights against boards on which both players must
    #: have the same colour (two games more with the other one, or the other one twice running), and
    #: on which both would rather have it. Zero, as in Go, leaves only `balance_colours`.
    absolute_colour: int = 0
    colour_preference: int = 0
    seed: int = 0  #: Of the lots, from 0 to 2**31 - 1

    def __post_init__(self) -> None:
        check_fields(self)
        for name in WEIGHTS:
            value = getattr(self, name)
            if not 0 <= value <= LARGEST_WEIGHT:
                raise UsageError(f"weight {name} = {value}: weights lie from 0 to 10^15")
        if not 0.0 <= self.nx1_factor <= 1.0:
            raise UsageError(f"nx1_factor = {self.nx1_factor}: it lies from 0 to 1")
        if not 0 <= self.seed < 2**31:
            raise UsageError(f"seed {self.seed}: seeds of lots lie from 0 to 2147483647")
        if self.bar < self.floor:
            raise UsageError(f"the bar ({self.bar}) lies below the floor ({self.floor})")
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, int) and abs(value) > LARGEST_WEIGHT:
                raise UsageError(f"{part.name} = {value}: rules lie from -10^15 to 10^15")

    @classmethod
    def of(cls, tournament: Tournament) -> PairingRules:
        """The rules of a tournament's own settings; in chess there are none but ``chess``."""
        scoring = tournament.scoring
        if tournament.discipline == "chess":
            return cls.preset("chess", rounds=max(tournament.rounds, 1))
        settings = {f.name: getattr(tournament.pairing, f.name) for f in fields(PairingSettings)}
        return cls(
            **settings,
            rounds=max(tournament.rounds, 1),
            by_mcmahon=tournament.system is System.mcmahon,
            bar=max(scoring.bar, scoring.floor),
            floor=scoring.floor,
            zero=scoring.zero,
            category_count=len(scoring.categories) + 1,
            half_points=not scoring.round_down,
            handicap=tournament.handicap,
        )

    @classmethod
    def preset(cls, system: System | str, **changes: Any) -> PairingRules:
        """Weights that suit a system, changed by what is given.

        ``mcmahon`` keeps clubs and countries apart while that costs few points of score; ``swiss``
        does not, and pairs by wins; ``chess`` comes near the Dutch system: the upper half of a
        score group against the lower one in the same order, the lowest floats down, and colours
        before all but rematches and scores.
        """
        if system not in _PRESETS:
            raise UsageError(f"no rules for {system!r}: {', '.join(_PRESETS)}")
        return cls(**{**_PRESETS[system], **changes})

    def with_system(self, system: str) -> PairingRules:
        """The same tournament paired by the weights of a system (`preset`)."""
        preset = PairingRules.preset(system)
        kept = ("rounds", "bar", "floor", "zero", "category_count", "handicap", "seed")
        own = {name: getattr(self, name) for name in kept}
        if system == "chess":
            del own["handicap"]
        return replace(preset, **own)

    def changed(self, values: Mapping[str, Any]) -> PairingRules:
        """The same with some fields changed, by name; text is read as the field's type."""
        return with_values(self, {n.replace("-", "_").strip(): v for n, v in values.items()})

    def numbers(self, round_number: int) -> dict[str, float]:
        """Return what the loops of `_pairing` read of the rules of one round (`Rules`)."""
        early = round_number <= self.seed_last_round_1
        seeding = self.seed_system_1 if early else self.seed_system_2
        steps = 2 if self.half_points else 1
        if self.by_mcmahon:
            bottom = self.floor - CORRECTION_DOWN - self.zero
            top = self.bar + CORRECTION_UP + round_number - 1 - self.zero
        else:
            bottom, top = 0, round_number - 1
        span = (top - bottom + 1) * steps + 1
        spread = self.bar - self.floor + CORRECTION_UP + CORRECTION_DOWN
        never = 10**9
        return {
            **{name: getattr(self, name) for name in (*WEIGHTS, *_OTHERS)},
            "span": span,
            "top": top * steps + steps - 1,
            "categories": max(self.category_count, 1),
            "float_upper": list(FloatMode).index(self.float_upper),
            "float_lower": list(FloatMode).index(self.float_lower),
            "seed_system": list(SeedSystem).index(seeding),
            "bar_off": self.bar - self.zero if self.bar_threshold else never,
            "rank_off": self.rank_threshold,
            "wins_off": self.rounds if self.wins_threshold else never,
            "secondary_span": span if self.by_mcmahon else spread + round_number,
            **asdict(self.handicap),
            "seed": self.seed if self.deterministic else self.seed + 7919 * round_number,
        }


WEIGHTS = (
    "avoid_rematch",
    "choose_bye",
    "absolute_colour",
    "avoid_mixing_categories",
    "minimise_score_difference",
    "float_weight",
    "maximise_seeding",
    "balance_colours",
    "colour_preference",
    "minimise_handicap",
    "avoid_same_geography",
    "randomness",
    "repeated_bye",
)
#: Other fields that loops read as they are.
_OTHERS = (
    "half_points", "nx1_factor", "compensate_floats", "country_difference", "club_difference",
    "zero",
)  # fmt: skip

_PRESETS: dict[str, dict[str, Any]] = {
    "mcmahon": {},
    "swiss": {
        "by_mcmahon": False,
        "avoid_same_geography": 0,
        "seed_system_1": SeedSystem.slide,
        "seed_system_2": SeedSystem.fold,
    },
    "chess": {
        "by_mcmahon": False,
        "half_points": True,
        "avoid_same_geography": 0,
        "seed_system_1": SeedSystem.slide,
        "seed_system_2": SeedSystem.slide,
        "float_upper": FloatMode.bottom,
        "float_lower": FloatMode.top,
        "balance_colours": 0,
        "absolute_colour": 50_000_000_000_000,
        "colour_preference": 20_000_000,
        "handicap": HandicapRules(ceiling=0),
    },
}
