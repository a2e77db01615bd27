"""Lines of a tournament report file about the whole: name, rounds, points, dates, teams, Go."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass, replace
from datetime import date
from enum import Enum
from functools import cache
from itertools import groupby
from math import isfinite
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from yardstone.errors import InputError
from yardstone.records.decoding import clean, finite_number, whole_number
from yardstone.tournament.formats.text_files import parse_date
from yardstone.tournament.model import MAX_SIZE, System, Tournament
from yardstone.tournament.rules import (
    Acceleration,
    Scoring,
    Separation,
    SwissSettings,
    Team,
    TimeControl,
    TimeSystem,
)

MAX_ROUNDS = 200
#: The results of round r stand from this column (from 0) + WIDTH (r - 1).
FIRST_ROUND = 91
WIDTH = 10
#: More criteria than this are no list of criteria.
_MAX_CRITERIA = 100
#: Points of a game, of a decision and of an acceleration are below this: they have four columns.
MAX_POINTS = 99.95


#: Which points each symbol means: in the line of TRF26, of JaVaFo, and in those called BB and it.
RESULT_POINTS = {
    "162": {"W": "win", "D": "draw", "L": "loss", "A": "absence", "P": "bye", "X": "open_game",
            "Z": "absence"},
    "XXS": {"WW": "win", "BW": "win", "W": "win", "WD": "draw", "BD": "draw", "D": "draw",
            "WL": "loss", "BL": "loss", "ZPB": "absence", "PAB": "bye"},
    "BB": {"W": "win", "D": "draw", "L": "loss", "Z": "absence", "U": "bye"},
}  # fmt: skip


class TrfHead:
    """The lines that are not about a player, by their kinds."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: dict[str, list[tuple[int, str]]] = {}

    def add(self, line: str, number: int) -> None:
        """Take a line."""
        self.found.setdefault(line[:3], []).append((number, line[4:].rstrip()))

    def lines(self, kind: str) -> Iterator[tuple[int, str]]:
        """Number and content of each line of a kind."""
        yield from self.found.get(kind, [])

    def single(self) -> dict[str, str]:
        """The content of each kind that stands once."""
        return {kind: lines[0][1] for kind, lines in self.found.items() if len(lines) == 1}

    def error(self, message: str, line: int, hint: str | None = None) -> InputError:
        """What is wrong in a line."""
        return InputError(message, file=self.file, line=line or None, hint=hint)

    def text(self, kind: str) -> str:
        """The first line of a kind, or an empty text."""
        return clean(self.found[kind][0][1]) if kind in self.found else ""

    def rounds(self) -> int:
        """Number of rounds planned; 0 if it is not said."""
        lines = [each for kind in ("142", "XXR") for each in self.lines(kind) if each[1].strip()]
        for line, text in lines[:1]:
            rounds = whole_number(text)
            if rounds is None or rounds > MAX_ROUNDS:
                raise self.error(f"{text.strip()!r} is not a number of rounds", line)
            return rounds
        return 0

    @property
    def system(self) -> System:
        """How the rounds are paired."""
        word = (self.text("192") or self.text("092")).lower()
        if "robin" in word or "berger" in word or word.startswith("rr"):
            return System.round_robin
        if "knock" in word or "cup" in word:
            return System.cup
        return System.swiss if "swiss" in word or "fide" in word or not word else System.other

    @property
    def time(self) -> TimeControl:
        """How long a game may take, from the encoded line only (TRF26, 222).

        Of a text such as ``5400+30`` the first period counts.
        """
        text = self.text("222").strip()
        match = re.fullmatch(r"(?:\d+/)?(\d{1,6})(?:\+(\d{1,6}))?(?::.*)?", text)
        if match is None:
            return TimeControl()
        increment = int(match[2] or 0)
        kind = TimeSystem.fischer if increment else TimeSystem.sudden_death
        return TimeControl(system=kind, basic=int(match[1]), increment=increment)

    def scoring(self) -> Scoring:
        """Points for each kind of result, and the tie-breaks."""
        values: dict[str, Any] = {}
        for line, text in self.lines("162"):
            for symbol, points in re.findall(r"([A-Z])\s*(-?\d+(?:\.\d+)?)", text.upper()):
                if symbol not in RESULT_POINTS["162"]:
                    raise self.error(f"{symbol!r} is not a kind of result", line)
                values[RESULT_POINTS["162"][symbol]] = self._points(points, line)
        for line, text in self.lines("XXS"):
            for symbol, points in re.findall(r"([A-Z]+)\s*=\s*(\d+(?:\.\d+)?)", text.upper()):
                if symbol in RESULT_POINTS["XXS"]:
                    values[RESULT_POINTS["XXS"][symbol]] = self._points(points, line)
        for symbol, name in RESULT_POINTS["BB"].items():
            for line, text in self.lines(f"BB{symbol}"):
                values[name] = self._points(text, line)
        kind = "212" if self.text("212") else "202"
        listed = re.split(r"[,;\s]+", self.text(kind))
        criteria = [name.upper().replace("/", "-") for name in listed if name]
        if len(criteria) > _MAX_CRITERIA:
            raise self.error(f"more than {_MAX_CRITERIA} criteria", self.found[kind][0][0])
        if criteria and "PTS" not in criteria:
            criteria.insert(0, "PTS")
        values |= {"wins_absent": 0.0, "score_absent": 0.0, "round_down": False}
        return Scoring(criteria=tuple(criteria), **values)

    def _points(self, text: str, line: int) -> float:
        """The points of a kind of result."""
        points = finite_number(text, below=MAX_POINTS)
        if points is None:
            raise self.error(f"{text.strip()!r} is not a number of points", line)
        return points

    def round_dates(self, rounds: int) -> tuple[date | None, ...]:
        """Day of each round."""
        for _, text in self.lines("132"):
            line = "132 " + text
            begins = range(FIRST_ROUND, FIRST_ROUND + WIDTH * rounds, WIDTH)
            dates = [parse_date(line[begin : begin + WIDTH]) for begin in begins]
            if any(dates):
                return tuple(dates)
        return ()

    def usual(self, kind: str) -> float:
        """Points that a kind of result brings where nothing else is decided."""
        rules = self.scoring()
        return {
            "W": rules.win, "F": rules.win, "+": rules.win, "D": rules.draw, "H": rules.draw,
            "L": rules.loss,
        }.get(kind, rules.absence)  # fmt: skip


_EVER = 999


def read_swiss(
    head: TrfHead, place: Mapping[int, int], skip: Callable[[InputError], None]
) -> SwissSettings:
    """The settings of a file; `place` is that of each player by the starting number.

    `skip` takes lines that cannot be used.
    """
    made: list[Acceleration | Separation] = []
    for kind, parse in _SWISS.items():
        for line, text in head.lines(kind):
            try:
                made += parse(text, place)
            except (ValueError, KeyError, IndexError):
                skip(head.error(f"{kind}: a line that cannot be read: {text.strip()!r}", line))
    return SwissSettings(
        initial_colour=_initial_colour(head, skip),
        accelerations=tuple(each for each in made if isinstance(each, Acceleration)),
        separations=tuple(each for each in made if isinstance(each, Separation)),
    )


def _initial_colour(head: TrfHead, skip: Callable[[InputError], None]) -> str:
    for line, text in head.lines("152"):
        word = text.strip().upper()
        if word in ("W", "B"):
            return "white" if word == "W" else "black"
        skip(head.error(f"152: {word!r} is no colour: W or B", line))
    words = [word for _, text in head.lines("XXC") for word in text.lower().split()]
    return next((word[:5] for word in words if word in ("white1", "black1")), "")


def _accelerated(text: str, place: Mapping[int, int]) -> list[Acceleration]:
    """``250 MMMM GGGG RRR RRR PPPP PPPP``: points, rounds and players from and to."""
    whole = ("250 " + text).ljust(32)
    points = _points(whole[9:13].strip() or "0")
    first, last = int(whole[14:17]), int(whole[18:21])
    one, two = int(whole[22:26]), int(whole[27:31])
    who = frozenset(row for number, row in place.items() if one <= number <= two)
    return [Acceleration(who, first, last, points)]


def _points_by_round(text: str, place: Mapping[int, int]) -> list[Acceleration]:
    """``XXA NNNN pp.p pp.p``: a player, and virtual points before each round."""
    whole = "XXA " + text
    who = frozenset((place[int(whole[4:8])],))
    cells = [whole[begin : begin + 4].strip() for begin in range(9, len(whole), 5)]
    points = [_points(cell or "0") for cell in cells]
    return [Acceleration(who, at, at, each) for at, each in enumerate(points, 1) if each]


def _points(text: str) -> float:
    """Virtual points; ValueError if they have no room in their four columns."""
    points = finite_number(text, below=MAX_POINTS)
    if points is None:
        raise ValueError(text)
    return points


def _separated(text: str, place: Mapping[int, int]) -> list[Separation]:
    """``260 RRR RRR NNNN NNNN``: rounds from and to, and players."""
    first, last, *words = text.split()
    return [Separation(frozenset(place[int(word)] for word in words), int(first), int(last))]


def _kept_apart(text: str, place: Mapping[int, int]) -> list[Separation]:
    """``XXP NNNN NNNN``: players who never meet."""
    return [Separation(frozenset(place[int(word)] for word in text.split()), 1, _EVER)]


#: What each kind of line says about pairing.
_SWISS: Mapping[
    str, Callable[[str, Mapping[int, int]], Sequence[Acceleration] | Sequence[Separation]]
] = {"250": _accelerated, "XXA": _points_by_round, "260": _separated, "XXP": _kept_apart}


def swiss_lines(tournament: Tournament, numbers: Mapping[int, int]) -> list[str]:
    """The lines of TRF26 for these settings."""
    swiss = tournament.swiss
    lines = [f"152 {swiss.initial_colour[0].upper()}"] if swiss.initial_colour else []
    for each in swiss.accelerations:
        for one, two in _runs(sorted(numbers[player] for player in each.players)):
            lines.append(
                f"250      {each.points:4.1f} {each.first:3d} {each.last:3d} {one:4d} {two:4d}"
            )
    for group in swiss.separations:
        who = " ".join(f"{number:4d}" for number in sorted(numbers[p] for p in group.players))
        lines.append(f"260 {group.first:3d} {min(group.last, tournament.rounds):3d} {who}")
    return lines


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """First and last of each run of successive numbers."""
    groups = groupby(enumerate(numbers), lambda item: item[1] - item[0])
    runs = ([number for _, number in group] for _, group in groups)
    return [(run[0], run[-1]) for run in runs]


#: The name ends, and the numbers begin, at this column (from 0).
_NAME, _NUMBERS, _WIDTH = 4, 36, 5


def read_teams(
    head: TrfHead, place: Mapping[int, int], skip: Callable[[InputError], None]
) -> tuple[Team, ...]:
    """The teams of a file; `place` has the place of each player by the starting number."""
    teams: list[Team] = []
    for line, text in head.lines("013"):
        whole = " " * _NAME + text
        name, words = clean(whole[_NAME:_NUMBERS]), whole[_NUMBERS:].split()
        unknown = [word for word in words if whole_number(word) not in place]
        if not name or unknown:
            problem = f"no player has the number {unknown[0]!r}" if unknown else "no name"
            skip(head.error(f"013: {problem}", line))
            continue
        members = tuple(place[int(word)] for word in words)
        teams.append(Team(name=name, number=len(teams) + 1, lineups=(members,)))
    return tuple(teams)


def team_lines(tournament: Tournament, numbers: Mapping[int, int]) -> list[str]:
    """The lines of the teams, with everybody who is in a line-up."""
    width = _NUMBERS - _NAME
    lines = []
    for team in tournament.teams:
        who = " ".join(f"{numbers[player]:4d}" for player in team.everybody())
        lines.append(f"013 {team.name[:width]:{width}}{who}".rstrip())
    return lines


#: A line of these, and what it is about.
GO_LINE = re.compile(r"### go (note|tournament|player|game)\b(.*)")
_NOTE = (
    "### go note Lines that begin with ### go keep grades, handicap and McMahon scores; "
    "programs for chess pass over them."
)
_WHOLE = {"players", "games", "byes", "adjustments", "document", "file"}
_PLAYER, _GAME = {"line"}, {"round", "first", "second", "line"}
#: Numbers outside of these are mistakes.
_LIMITS = {
    "rank": (-50, 20),
    "rounds": (0, MAX_ROUNDS),
    "size": (2, MAX_SIZE),
    "table": (0, 100_000),
}


def go_lines(tournament: Tournament, plain: Tournament, numbers: Mapping[int, int]) -> list[str]:
    """What must be said of a tournament beyond what is read from the other lines; none in chess.

    `numbers` are the starting numbers of the players.
    """
    if tournament.discipline != "go":
        return []
    plain = _without_extras(plain)
    lines = [_NOTE]
    whole = difference(tournament, plain, _WHOLE)
    lines.append(f"### go tournament {_json(whole)}")
    for row, (player, other) in enumerate(zip(tournament.players, plain.players, strict=True)):
        if differing := difference(player, other, _PLAYER):
            lines.append(f"### go player {numbers[row]} {_json(differing)}")
    for game in sorted(tournament.games, key=lambda game: (game.round, game.table, game.first)):
        same = plain.game_of[game.round, game.first]
        differing = difference(game, same, _GAME)
        if differing or same.first != game.first:
            pair = f"{numbers[game.first]} {numbers[game.second]}"
            lines.append(f"### go game {game.round} {pair} {_json(differing)}")
    return lines


def same_go(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether such lines say the same, however they are spelt."""

    def records(lines: Iterable[str]) -> list[Any]:
        parts = [line.partition("{") for line in lines if not line.startswith("### go note")]
        return sorted(([*head.split(), json.loads("{" + rest)] for head, _, rest in parts), key=str)

    return records(one) == records(other)


def with_go(
    plain: Tournament,
    lines: Sequence[tuple[int, str]],
    place: Mapping[int, int],
    error: Callable[[str, int], InputError],
) -> Tournament:
    """A tournament read from the other lines with what these lines, and their numbers, say of it.

    `place` is that of each starting number; `error` makes one of a message and a line's number.
    """
    about = [(number, match) for number, line in lines if (match := GO_LINE.fullmatch(line))]
    if not about:
        return plain
    plain = _without_extras(plain)
    players, games = list(plain.players), list(plain.games)
    at = {(g.round, frozenset(g.players)): n for n, g in enumerate(games)}
    whole: dict[str, Any] = {"discipline": "go"}
    for number, match in about:
        head, brace, rest = match[2].partition("{")
        if match[1] == "note":
            continue
        try:
            record = json.loads(brace + rest)
            keys = [int(word) for word in head.split()]
            if match[1] == "tournament":
                () = keys
                whole |= _typed_fields(plain, record, _WHOLE)
                for team in whole.get("teams", ()):
                    if any(not 0 <= row < len(players) for row in team.everybody()):
                        missing = "has a player who is not in the file"
                        raise ValueError(f"the team {team.name!r} {missing}")
            elif match[1] == "player":
                (row,) = (place[start] for start in keys)
                changed = _typed_fields(players[row], record, _PLAYER)
                players[row] = replace(players[row], **changed)
            else:
                round_number, first, second = keys
                sides: dict[str, Any] = {"first": place[first], "second": place[second]}
                which = at[round_number, frozenset(sides.values())]
                changed = _typed_fields(games[which], record, _GAME)
                games[which] = replace(games[which], **sides, **changed)
        except KeyError:
            raise error("there is no such player or game", number) from None
        except (ValueError, RecursionError) as problem:
            raise error(f"what a line says of Go cannot be read: {problem}", number) from None
    return replace(plain, **whole, players=tuple(players), games=tuple(games))


def _without_extras(plain: Tournament) -> Tournament:
    """What the other lines say, without what only repeats them."""
    players = tuple(replace(player, extras={}) for player in plain.players)
    return replace(plain, players=players, extras={})


def difference(one: Any, other: Any, left_out: AbstractSet[str] = frozenset()) -> dict[str, Any]:
    """Fields of one record that differ from another's."""
    differing: dict[str, Any] = {}
    for part in fields(one):
        value, usual = getattr(one, part.name), getattr(other, part.name)
        if part.name not in left_out and value != usual:
            nested = is_dataclass(value)
            differing[part.name] = difference(value, usual) if nested else value
    return differing


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, default=_plain, ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> Any:
    """A value that JSON lacks as JSON has it."""
    if is_dataclass(value):
        return {part.name: getattr(value, part.name) for part in fields(value)}
    if isinstance(value, date):
        return value.isoformat()
    return dict(value) if isinstance(value, Mapping) else sorted(value)


def _typed_fields(owner: Any, record: Any, left_out: AbstractSet[str]) -> dict[str, Any]:
    """Fields of an object out of JSON; ValueError if one is not what it must be."""
    if not isinstance(record, dict):
        raise ValueError("not a list of fields")
    kind: Any = type(owner)
    kinds = _types_of(kind)
    values: dict[str, Any] = {}
    for name, value in record.items():
        if name not in kinds or name in left_out:
            raise ValueError(f"there is no field {name!r}")
        if is_dataclass(kinds[name]):
            nested = getattr(owner, name)
            values[name] = replace(nested, **_typed_fields(nested, value, set()))
            continue
        low, high = _LIMITS.get(name, (0, 0))
        try:
            values[name] = typed(kinds[name], value)
            if name in _LIMITS and not low <= (values[name] or low) <= high:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{name} cannot be {value!r:.40}") from None
    return values


@cache
def _types_of(kind: Any) -> Mapping[str, Any]:
    """The type of each field of a class: looked up once."""
    return get_type_hints(kind)


def typed(kind: Any, value: Any) -> Any:
    """A value out of JSON as its annotation has it; ValueError or TypeError if it is not."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal and value in inner:
        return value
    if NoneType in inner:
        return None if value is None else typed(inner[0], value)
    if origin in (tuple, frozenset) and isinstance(value, list):
        return origin(typed(inner[0], each) for each in value)
    if origin is Mapping and isinstance(value, dict):
        return {name: typed(str, text) for name, text in value.items()}
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        kinds = _types_of(kind)
        if unknown := set(value) - set(kinds):
            raise ValueError(f"there is no field {min(unknown)!r}")
        return kind(**{name: typed(kinds[name], each) for name, each in value.items()})
    if not isinstance(kind, type):
        raise TypeError(kind)
    if issubclass(kind, Enum):
        return kind(value)
    if kind is date:
        return date.fromisoformat(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind or (kind is float and not isfinite(value)):
        raise TypeError(kind)
    return value
