"""Files of tournaments, written again in every format, and beside them; what a server reads."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tests.fuzz.cases import EXAMPLES, FUZZ, Target, Wrong, copied
from yardstone.errors import YardstoneError
from yardstone.pool import SkipReport
from yardstone.tournament.event.entries import read_player_table, read_register
from yardstone.tournament.event.file import add_step, read_journal
from yardstone.tournament.event.rounds import read_result_sheet
from yardstone.tournament.event.settings import read_wishes
from yardstone.tournament.files import read_tournament
from yardstone.tournament.formats import FORMATS
from yardstone.tournament.model import PairingRules, Tournament
from yardstone.tournament.rules import read_rules
from yardstone.web.kinds import KINDS
from yardstone.web.sent_files import look, unpack
from yardstone.web.settings import ENVIRONMENT, Settings, load_settings

_EVENT = read_tournament(EXAMPLES / "open.xml")
_SETTINGS = ("port", "host", "data", "footer", "database", "calibration", "limits", "keep_days")


def _tournament(name: str, suffix: str, *examples: str) -> Target:
    own = name.partition("-")[2]

    def read(path: Path) -> None:
        """Read it; what is written of it, in any format, can be read and says the same."""
        tournament = FORMATS[own].read(path.read_bytes(), path.name, skipped=SkipReport())
        for other, format in FORMATS.items():
            try:
                written = format.write(replace(tournament, document=None))
            except YardstoneError:
                continue  # said: the format has no place for it
            try:
                again = format.read(written, path.name)
            except YardstoneError as error:
                raise Wrong(f"{name} as {other} cannot be read: {error}") from error
            short = "h9" in (own, other)  # it cuts names at 30 letters
            games, before = _played(again, short), _played(tournament, short)
            if games != before:
                lost, more = sorted(set(before) - set(games)), sorted(set(games) - set(before))
                raise Wrong(f"{name} as {other}: games {lost[:2]} become {more[:2]}")

    def made() -> dict[str, bytes]:
        data = sorted((FUZZ.parent / "tournament/data").glob(f"*{suffix}"))
        paths = [*data, *(EXAMPLES / example for example in examples)]
        return {path.name: path.read_bytes() for path in paths}

    return Target(name, read, suffix, made=made, seconds=4.0)


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


def read_steps(path: Path) -> None:
    for step in read_journal(copied(path, "open.xml.undo").with_name("open.xml")):
        _ = step.before, step.after, step.line()


def save_journal(path: Path) -> None:
    for number in (1, 2):
        add_step(path.with_suffix(""), what="A step.", before=b"before", after=b"after" * number)


def read_event_wishes(path: Path) -> None:
    for wish in read_wishes(copied(path, "open.xml.wishes").with_name("open.xml")).wishes:
        wish.sentence()


def read_settings(path: Path) -> None:
    _same(load_settings(path, environment={}))


def read_environment(path: Path) -> None:
    lines = path.read_bytes().decode("utf-8", "surrogateescape").replace("\0", "").split("\n")
    pairs = (line.partition("=") for line in lines)
    _same(load_settings(environment={ENVIRONMENT + name: value for name, _, value in pairs}))


def _same(settings: Settings) -> None:
    """What another process is handed are the same settings."""
    if Settings.of_plain(settings.as_plain()) != settings:
        raise Wrong("settings do not come back")


def read_upload(path: Path) -> None:
    limits = Settings().limits
    place, label = copied(path, "upload", "0000"), "games.txt"
    place.with_suffix(".zip").unlink(missing_ok=True)
    format, _ = look(place, label, limits)
    formats = list(dict.fromkeys(name for kind in KINDS.values() for name in kind.formats))
    folder = path.with_name("unpacked")
    folder.mkdir(exist_ok=True)
    sent = [{"name": label, "format": format}]
    for file in unpack(place.parent, sent, formats, folder, limits, SkipReport()):
        if file.path is None or file.path.parent != folder:
            raise Wrong("a file lies elsewhere")


TARGETS = (
    _tournament("tournament-opengotha", ".xml", "open.xml", "teams.xml"),
    _tournament("tournament-h9", ".h9"),
    _tournament("tournament-trf", ".trf", "swiss.trf"),
    Target("event-entries", read_player_table, ".csv"),
    Target("event-journal", read_steps, ".undo", save=save_journal),
    Target("event-player-list", read_register, ".txt"),
    Target("event-results", lambda path: read_result_sheet(path, _EVENT, round_number=1), ".csv"),
    Target(
        "event-rules", lambda path: PairingRules().changed(read_rules(path)).numbers(1), ".json"
    ),
    Target("event-wishes", read_event_wishes, ".json"),
    Target("web-environment", read_environment, ".txt", words=_SETTINGS),
    Target("web-settings", read_settings, ".toml", words=(*_SETTINGS, "[limits]", '"""', "=")),
    Target("web-upload", read_upload),
)
