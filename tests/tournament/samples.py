"""Sample tournaments of the tests, and a straightforward count of their scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from yardstone.tournament import Tournament, read_tournament

DATA = Path(__file__).parent / "data"
ALL = sorted(path.name for path in DATA.iterdir() if path.suffix in (".xml", ".h9", ".trf"))


def sample(name: str) -> Tournament:
    """One of the files beside this one."""
    return read_tournament(DATA / name)


def content(tournament: Tournament) -> Tournament:
    """The same without what a fresh file cannot know: lines, the old document, extras."""
    return replace(
        tournament,
        document=None,
        extras={},
        file="",
        players=tuple(replace(p, line=0, extras={}) for p in tournament.players),
        games=tuple(replace(g, line=0) for g in tournament.games),
    )
