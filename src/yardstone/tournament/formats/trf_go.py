"""What Go needs and FIDE's report files have no column for, in comments of such a file.

A report file has no place for grades, clubs, handicap, komi, tables or McMahon scores. They
stand at its end in comments (``###``), which programs for chess pass over::

    ### go tournament {"handicap": {"ceiling": 9}, "komi": 6.5, "scoring": {"bar": 2}, …}
    ### go player 3 {"club": "Oslo", "grade": "3D", "rank": 2}
    ### go game 2 7 3 {"handicap": 2, "table": 4}

A player goes by his starting number; a game by its round and its two players, the one
who moves first (Black) before the other. What follows is JSON: the fields of `Tournament`,
`Player` and `Game` by their names, and only those that the file does not say otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass, replace
from datetime import date
from enum import Enum
from functools import cache
from math import isfinite
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from yardstone.errors import InputError
from yardstone.tournament.formats.trf_head import MAX_ROUNDS
from yardstone.tournament.model import MAX_SIZE, Tournament
from yardstone.tournament.rules import Team

__all__ = ["GO_LINE", "go_lines", "same_go", "with_go"]

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
    """What must be said of a tournament beyond what the other lines say; none in chess.

    Parameters
    ----------
    tournament : Tournament
    plain : Tournament
        What is read from the other lines.
    numbers : mapping of int to int
        Starting number of each player.
    """
    if tournament.discipline != "go":
        return []
    plain = _without_extras(plain)
    lines = [_NOTE]
    whole = _difference(tournament, plain, _WHOLE)
    lines.append(f"### go tournament {_json(whole)}")
    for row, (player, other) in enumerate(zip(tournament.players, plain.players, strict=True)):
        if differing := _difference(player, other, _PLAYER):
            lines.append(f"### go player {numbers[row]} {_json(differing)}")
    for game in sorted(tournament.games, key=lambda game: (game.round, game.table, game.first)):
        same = plain.game_of[game.round, game.first]
        differing = _difference(game, same, _GAME)
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
    """A tournament with what these lines say of it.

    Parameters
    ----------
    plain : Tournament
        What is read from the other lines.
    lines : sequence of (int, str)
        Number and content of each line; without one the tournament stays as it is.
    place : mapping of int to int
        Place of each starting number.
    error : callable
        Makes an error of a message and the number of a line.

    Raises
    ------
    InputError
        A line cannot be used.
    """
    about = [(number, match) for number, line in lines if (match := GO_LINE.fullmatch(line))]
    if not about:
        return plain
    plain = _without_extras(plain)
    players, games = list(plain.players), list(plain.games)
    at = {(g.round, frozenset((g.first, g.second))): n for n, g in enumerate(games)}
    whole: dict[str, Any] = {"discipline": "go"}
    for number, match in about:
        kind, text = match[1], match[2]
        if kind == "note":
            continue
        head, brace, rest = text.partition("{")
        words = head.split()
        try:
            record = json.loads(brace + rest)
            keys = [int(word) for word in words]
            if kind == "tournament":
                () = keys
                whole |= _typed_fields(plain, record, _WHOLE)
                _check_teams(whole.get("teams", ()), len(players))
            elif kind == "player":
                (start,) = keys
                changed = _typed_fields(players[place[start]], record, _PLAYER)
                players[place[start]] = replace(players[place[start]], **changed)
            else:
                round_number, first, second = keys
                sides = place[first], place[second]
                which = at[round_number, frozenset(sides)]
                changed = _typed_fields(games[which], record, _GAME)
                games[which] = replace(games[which], first=sides[0], second=sides[1], **changed)
        except KeyError:
            raise error("there is no such player or game", number) from None
        except (ValueError, RecursionError) as problem:
            raise error(f"what a line says of Go cannot be read: {problem}", number) from None
    return replace(plain, **whole, players=tuple(players), games=tuple(games))


def _check_teams(teams: Sequence[Team], players: int) -> None:
    """Refuse line-ups of players whom the file does not have."""
    for team in teams:
        if any(not 0 <= row < players for row in team.everybody()):
            raise ValueError(f"the team {team.name!r} has a player who is not in the file")


def _without_extras(plain: Tournament) -> Tournament:
    """What the other lines say, without what only repeats them."""
    players = tuple(replace(player, extras={}) for player in plain.players)
    return replace(plain, players=players, extras={})


def _difference(one: Any, other: Any, left_out: AbstractSet[str]) -> dict[str, Any]:
    """Fields of one record that differ from another's."""
    differing: dict[str, Any] = {}
    for part in fields(one):
        value, usual = getattr(one, part.name), getattr(other, part.name)
        if part.name not in left_out and value != usual:
            nested = is_dataclass(value)
            differing[part.name] = _difference(value, usual, set()) if nested else _plain(value)
    return differing


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if is_dataclass(value):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(each) for each in value)
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    return value


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True)


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
        try:
            values[name] = _typed(kinds[name], value)
        except (TypeError, ValueError):
            raise ValueError(f"{name} cannot be {value!r}") from None
        low, high = _LIMITS.get(name, (0, 0))
        if name in _LIMITS and not low <= (values[name] or low) <= high:
            raise ValueError(f"{name} cannot be {value!r}")
    return values


@cache
def _types_of(kind: Any) -> Mapping[str, Any]:
    """The type of each field of a class: looked up once."""
    return get_type_hints(kind)


def _typed(kind: Any, value: Any) -> Any:
    """A value out of JSON as its annotation has it; ValueError or TypeError if it is not."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal and value in inner:
        return value
    if NoneType in inner:
        return None if value is None else _typed(inner[0], value)
    if origin in (tuple, frozenset) and isinstance(value, list):
        return origin(_typed(inner[0], each) for each in value)
    if origin is Mapping and isinstance(value, dict):
        return {name: _typed(str, text) for name, text in value.items()}
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        kinds = _types_of(kind)
        if unknown := set(value) - set(kinds):
            raise ValueError(f"there is no field {min(unknown)!r}")
        return kind(**{name: _typed(kinds[name], each) for name, each in value.items()})
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
