"""Events for tests, entered as organisers do or played by lot in place of real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.tournament.pairing_fields import made, played
from yardstone.tournament import System, Tournament, pair_round
from yardstone.tournament.event import EventEntry, enter_players, new_tournament
from yardstone.tournament.formats.opengotha import write_opengotha

#: Players, rounds and system of each; an odd number of players has a bye in each round.
EVENTS = {
    "egc2011": (120, 10, System.mcmahon),
    "notsimplemm": (9, 5, System.mcmahon),
    "notsosimpleswiss": (35, 10, System.swiss),
    "simplemm": (16, 5, System.mcmahon),
    "simpleswiss": (32, 7, System.swiss),
}


def event_file(name: str) -> bytes:
    """The file of an event after its last round."""
    players, rounds, system = EVENTS[name]
    ranks = (-10, 5) if system is System.mcmahon else (-3, 3)
    field = made(players, rounds=rounds, system=system, ranks=ranks)
    return write_opengotha(replace(played(field, rounds), name=name))


def entry(name: str = "Late L", grade: str = "2k", **more: object) -> EventEntry:
    """An entry by family and given name."""
    family, _, given = name.partition(" ")
    return EventEntry(name=family, first_name=given, grade=grade, **more)  # type: ignore[arg-type]


def entered(
    grades: Sequence[str], clubs: Sequence[str] = (), countries: Sequence[str] = (), **rules: object
) -> Tournament:
    """An event of which players called F0 G, F1 G and so on are entered."""
    entries = [
        entry(f"F{n} G", grade, club=clubs[n] if clubs else "",
              country=countries[n] if countries else "")
        for n, grade in enumerate(grades)
    ]  # fmt: skip
    return enter_players(new_tournament("Open", **rules), entries).tournament  # type: ignore[arg-type]


def paired(tournament: Tournament, number: int | None = None) -> Tournament:
    """The same with a round paired, by default the next one."""
    return pair_round(tournament, number).added_to(tournament)
