"""Files of tournaments, written again in every format."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tests.fuzz.targets import EXAMPLES, FUZZ, Target, Wrong
from yardstone.errors import YardstoneError
from yardstone.pool import SkipReport
from yardstone.tournament.formats import FORMATS
from yardstone.tournament.model import Tournament


def _tournament(name: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        """Read it; what is written of it, in any format, can be read and says the same."""
        tournament = FORMATS[name].read(path.read_bytes(), path.name, skipped=SkipReport())
        for other, format in FORMATS.items():
            try:
                written = format.write(replace(tournament, document=None))
            except YardstoneError:
                continue  # said: the format has no place for it
            try:
                again = format.read(written, path.name)
            except YardstoneError as error:
                raise Wrong(f"{name} as {other} cannot be read: {error}") from error
            short = "h9" in (name, other)  # it cuts names at 30 letters
            games, before = _played(again, short), _played(tournament, short)
            if games != before:
                lost, more = sorted(set(before) - set(games)), sorted(set(games) - set(before))
                raise Wrong(f"{name} as {other}: games {lost[:2]} become {more[:2]}")

    return read


def _played(tournament: Tournament, nameless: bool) -> list[tuple[object, ...]]:
    names = ["" if nameless else _letters(player.full_name) for player in tournament.players]
    return sorted(
        (
            game.round,
            *sorted((names[side], game.points(side)) for side in (game.first, game.second)),
        )
        for game in tournament.games
        if game.played
    )


def _letters(name: str) -> str:
    """What every format keeps of a name; OpenGotha's numbers a second one of the same."""
    name = re.sub(r"( \(\d+\))+$", "", name)
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _target(name: str, suffix: str, examples: Sequence[str]) -> Target:
    def made() -> dict[str, bytes]:
        data = (FUZZ.parent / "tournament/data").glob(f"*{suffix}")
        paths = [*sorted(data), *(EXAMPLES / example for example in examples)]
        return {path.name: path.read_bytes() for path in paths}

    return Target(f"tournament-{name}", _tournament(name), suffix, made=made, seconds=4.0)


TARGETS = (
    _target("opengotha", ".xml", ["open.xml", "teams.xml"]),
    _target("h9", ".h9", []),
    _target("trf", ".trf", ["swiss.trf"]),
)
