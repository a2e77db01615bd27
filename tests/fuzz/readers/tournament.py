"""Files of tournaments, written again in every format, and collections of problems."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.fuzz.targets import FUZZ, Target, Wrong
from yardstone.errors import YardstoneError
from yardstone.pool import SkipReport
from yardstone.strength.trickplay.problems import read_problems
from yardstone.tournament.formats import FORMATS
from yardstone.tournament.model import Tournament

__all__ = ["TARGETS"]

_EXAMPLES = FUZZ.parent.parent / "src/yardstone/examples"
_DATA = FUZZ.parent / "tournament/data"


def _tournament(name: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        """Read it; what is written of it, in any format, can be read and says the same."""
        tournament = FORMATS[name].read(path.read_bytes(), path.name, skipped=SkipReport())
        for other, format in FORMATS.items():
            fresh = replace(tournament, document=None)
            try:
                written = format.write(fresh)
            except YardstoneError:
                continue  # said: the format has no place for it
            try:
                again = format.read(written, path.name)
            except YardstoneError as error:
                raise Wrong(f"{name} as {other} cannot be read: {error}") from error
            short = "h9" in (name, other)  # it cuts names at 30 letters
            if _played(again, short) != _played(tournament, short):
                raise Wrong(f"{name} as {other}: games {_first(again, tournament)}")

    return read


def _played(tournament: Tournament, nameless: bool = False) -> list[tuple[object, ...]]:
    """Who played whom, and how it ended; files may put players in another order."""
    names = ["" if nameless else _letters(player.full_name) for player in tournament.players]
    return sorted(
        (
            game.round,
            *sorted((names[side], game.points(side)) for side in (game.first, game.second)),
        )
        for game in tournament.games
        if game.played
    )


def _first(again: Tournament, before: Tournament) -> str:
    lost = set(_played(before)) - set(_played(again))
    more = set(_played(again)) - set(_played(before))
    return f"{sorted(lost)[:2]} become {sorted(more)[:2]}"


def _letters(name: str) -> str:
    """What every format keeps of a name; OpenGotha's numbers a second one of the same."""
    name = re.sub(r"( \(\d+\))+$", "", name)
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _files(*paths: Path) -> Callable[[], dict[str, bytes]]:
    return lambda: {path.name: path.read_bytes() for path in paths}


_BY_ENDING = {
    ending: sorted(path for path in _DATA.iterdir() if path.suffix == ending)
    for ending in (".xml", ".h9", ".trf")
}

TARGETS = (
    Target(
        "tournament-opengotha",
        _tournament("opengotha"),
        ".xml",
        made=_files(_EXAMPLES / "open.xml", _EXAMPLES / "teams.xml", *_BY_ENDING[".xml"]),
        seconds=4.0,
    ),
    Target(
        "tournament-h9",
        _tournament("h9"),
        ".h9",
        made=_files(*_BY_ENDING[".h9"]),
        seconds=4.0,
    ),
    Target(
        "tournament-trf",
        _tournament("trf"),
        ".trf",
        made=_files(_EXAMPLES / "swiss.trf", *_BY_ENDING[".trf"]),
        seconds=4.0,
    ),
    Target("problems-text", read_problems, ".txt", made=_files(_EXAMPLES / "trickplay.txt")),
    Target("problems-sgf", read_problems, ".sgf"),
)
