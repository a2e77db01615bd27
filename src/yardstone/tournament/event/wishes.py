"""Wishes about pairings that hold for several rounds, and the file that keeps them.

OpenGotha's files have no place for them, and OpenGotha drops what it does not know; so
they stand in a file beside: ``open.xml`` has ``open.xml.wishes``. It also keeps the system
of a round robin, which OpenGotha's files cannot tell from a Swiss.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from yardstone.errors import InputError
from yardstone.files import changing, followed, write_text
from yardstone.tournament.model import System, Tournament
from yardstone.tournament.pairing import Constraints, to_be_paired

__all__ = [
    "EventWishes",
    "Wish",
    "change_wishes",
    "read_wishes",
    "wishes_of",
    "with_wishes",
    "write_wishes",
]

_MAX_BYTES = 1 << 20
_KINDS = ("never", "club", "country", "local")
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A demand on the boards of some rounds.

    Attributes
    ----------
    kind : {"never", "club", "country", "local"}
        ``never``: no two of the `players` meet. ``club``, ``country``: no two of one club
        or country. ``local``: players of the `country` meet the others, as far as the
        numbers allow.
    players : tuple of str
        Full names.
    country : str
        Two letters.
    first, last : int
        The rounds it holds for; 0 for the last means all rounds.
    """

    kind: str
    players: tuple[str, ...] = ()
    country: str = ""
    first: int = 1
    last: int = 0

    def holds(self, round_number: int) -> bool:
        """Whether it is about a round."""
        return self.first <= round_number <= (self.last or round_number)

    def sentence(self) -> str:
        """The wish in words."""
        text = {
            "never": f"never {' - '.join(self.players)}",
            "club": "no game within a club",
            "country": "no game within a country",
            "local": f"{self.country} against the others",
        }[self.kind]
        if self.first == 1 and not self.last:
            return text
        if not self.last:
            return f"{text} (from round {self.first} on)"
        if self.first == self.last:
            return f"{text} (round {self.first})"
        return f"{text} (rounds {self.first} to {self.last})"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWishes:
    """What is kept beside a tournament's file.

    Attributes
    ----------
    wishes : tuple of Wish
    system : System or None
        That of the pairings, where the file cannot tell it.
    """

    wishes: tuple[Wish, ...] = ()
    system: System | None = None


def wishes_of(path: str | os.PathLike[str]) -> Path:
    """The file of wishes that belongs to a tournament's file."""
    place = followed(path)
    return place.with_name(place.name + ".wishes")


def read_wishes(path: str | os.PathLike[str]) -> EventWishes:
    """The wishes for a tournament's file; none where there is no such file.

    Raises
    ------
    InputError
        It cannot be read, or says something else.
    """
    place = wishes_of(path)
    try:
        with place.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return EventWishes()
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(place)) from error
    try:
        values = json.loads(data.decode("utf-8"))
        if len(data) > _MAX_BYTES or values["version"] != _VERSION:
            raise ValueError
        system = values.get("system")
        return EventWishes(
            wishes=tuple(_wish(each) for each in values["wishes"]),
            system=None if system is None else System(system),
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InputError(
            "this is not a file of wishes", file=str(place), hint="correct or remove it"
        ) from None


def _wish(values: dict[str, Any]) -> Wish:
    wish = Wish(
        kind=values["kind"],
        players=tuple(str(name) for name in values.get("players", ())),
        country=str(values.get("country", "")),
        first=int(values.get("first", 1)),
        last=int(values.get("last", 0)),
    )
    if wish.kind not in _KINDS:
        raise ValueError(wish.kind)
    return wish


def write_wishes(path: str | os.PathLike[str], wishes: EventWishes) -> None:
    """Keep the wishes for a tournament's file; without any the file of wishes goes."""
    with changing(path):
        _write(wishes_of(path), wishes)


def change_wishes(
    path: str | os.PathLike[str], change: Callable[[EventWishes], EventWishes]
) -> EventWishes:
    """Change the wishes for a tournament's file, and lose none that another process enters.

    Raises
    ------
    InputError
        Those that there are cannot be read, or the new ones not be written.
    """
    with changing(path):
        kept = read_wishes(path)
        made = change(kept)
        if made != kept:
            _write(wishes_of(path), made)
    return made


def _write(place: Path, wishes: EventWishes) -> None:
    if wishes == EventWishes():
        place.unlink(missing_ok=True)
        return
    values: dict[str, Any] = {"version": _VERSION}
    if wishes.system is not None:
        values["system"] = str(wishes.system)
    values["wishes"] = [_values(wish) for wish in wishes.wishes]
    write_text(place, json.dumps(values, ensure_ascii=False, indent=2) + "\n")


def _values(wish: Wish) -> dict[str, Any]:
    empty = Wish(kind=wish.kind)
    values = {name: getattr(wish, name) for name in Wish.__slots__}
    kept = {name: text for name, text in values.items() if text != getattr(empty, name)}
    return {"kind": wish.kind, **kept}


def with_wishes(
    constraints: Constraints, tournament: Tournament, wishes: Sequence[Wish], number: int
) -> tuple[Constraints, list[str]]:
    """The demands on a round with those of the wishes, and what is to be said of them.

    Boards that are fixed by hand come before wishes. A wish that names somebody who is
    not in the file any more is left out, and said.

    Parameters
    ----------
    constraints : Constraints
    tournament : Tournament
    wishes : sequence of Wish
    number : int
        The round.
    """
    now = [wish for wish in wishes if wish.holds(number)]
    if not now:
        return constraints, []
    rows = {player.full_name.casefold(): row for row, player in enumerate(tournament.players)}
    field = to_be_paired(tournament, number, constraints)
    forbidden: set[frozenset[int]] = set()
    lines = []
    for wish in now:
        missing = [name for name in wish.players if name.casefold() not in rows]
        if missing:
            lines.append(f"Not kept: {wish.sentence()}; {missing[0]} is not entered.")
            continue
        named = [rows[name.casefold()] for name in wish.players]
        forbidden |= _apart(tournament, wish, named, field)
        lines.append(f"Kept: {wish.sentence()}.")
    pairs = forbidden - {frozenset(pair) for pair in constraints.fixed}
    added = tuple((min(pair), max(pair)) for pair in sorted(pairs, key=sorted))
    return replace(constraints, forbidden=(*constraints.forbidden, *added)), lines


def _apart(
    tournament: Tournament, wish: Wish, named: Collection[int], field: Sequence[int]
) -> set[frozenset[int]]:
    """The boards that a wish rules out."""
    if wish.kind == "never":
        return {frozenset(pair) for pair in combinations(sorted(named), 2)}
    if wish.kind == "local":
        code = wish.country.casefold()
        local = [row for row in field if tournament.players[row].country.casefold() == code]
        others = [row for row in field if row not in local]
        smaller = local if len(local) < len(others) else others
        return {frozenset(pair) for pair in combinations(smaller, 2)}
    groups: dict[str, list[int]] = {}
    for row in field:
        player = tournament.players[row]
        text = (player.club if wish.kind == "club" else player.country).strip().casefold()
        if text:
            groups.setdefault(text, []).append(row)
    return {frozenset(pair) for group in groups.values() for pair in combinations(group, 2)}
