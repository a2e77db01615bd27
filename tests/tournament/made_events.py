"""Events played by lot, where the files of real ones are missing: the same systems and sizes."""

from __future__ import annotations

from dataclasses import replace

from tests.tournament.pairing_fields import made, played
from yardstone.tournament.formats.opengotha import write_opengotha
from yardstone.tournament.model import System

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
