"""A tournament's file changed safely, and changes taken back.

A step takes the lock of the file, reads it, changes the tournament, and replaces the file as a
whole; two processes never lose each other's changes, and one that dies leaves the old file or the
new one. If a program without the lock, such as OpenGotha, writes in between, the step is taken
anew.
"""

from __future__ import annotations

import base64
import json
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from yardstone.errors import InputError, MissingFileError
from yardstone.files import changing, followed, read_bytes, write_bytes, write_text
from yardstone.tournament.event.settings import EventChange, done
from yardstone.tournament.files import MAX_BYTES, format_of_bytes, to_bytes
from yardstone.tournament.formats import TournamentFormat
from yardstone.tournament.formats.opengotha import key
from yardstone.tournament.model import Tournament
from yardstone.tournament.rules import Team

#: How often a step begins anew if another program writes in between.
_ATTEMPTS = 5


def create_file(path: str | os.PathLike[str], tournament: Tournament) -> EventChange:
    """Write the file of a new tournament.

    Raises:
        InputError: The file is there already.
    """
    target = followed(path)
    with changing(target):
        if target.exists():
            raise InputError("is there already", file=str(path), hint="name another file")
        write_bytes(target, to_bytes(tournament, target))
    return done(replace(tournament, file=str(path)))


Change = TypeVar("Change", bound=EventChange)


def change_file(path: str | os.PathLike[str], step: Callable[[Tournament], Change]) -> Change:
    """Take a step in a tournament's file.

    Args:
        path: The file, of a format that can be written, not compressed.
        step: From the tournament to the change, without effects of its own: it is called again if
            another program wrote the file meanwhile.

    Returns:
        With the tournament as the file has it now.

    Raises:
        InputError: The file cannot be read or written, cannot hold the change, or the step is
            refused.
    """
    target = followed(path)
    read = partial(read_bytes, target, MAX_BYTES, "a tournament", name=str(path))
    with changing(target):
        for _ in range(_ATTEMPTS):
            data = read()
            form = format_of_bytes(data, str(path))
            change = step(form.read(data, str(path)))
            if not change.made:
                return change
            new, written = _written(form, change.tournament, str(path))
            if read() != data:
                continue
            add_step(target, what=" ".join(change.lines[:1]), before=data, after=new)
            write_bytes(target, new)
            return replace(change, tournament=written)
    raise InputError("another program keeps changing it", file=str(path), hint="close that one")


def undo_step(path: str | os.PathLike[str], *, number: int | None = None) -> EventChange:
    """Take the last step back.

    If another program wrote the file since, only what the step did is taken back, record by record.

    Args:
        number: Of the step that must be the last one, as
            `yardstone.tournament.event.file.read_journal` has it.

    Raises:
        InputError: There is no step to take back, it is another one, or what it did was changed
            again.
    """
    target = followed(path)
    read = partial(read_bytes, target, MAX_BYTES, "a tournament", name=str(path))
    with changing(target):
        data = read()
        form = format_of_bytes(data, str(path))
        steps = read_journal(target)
        while steps and steps[-1].before == data:  # it was never written, or taken back
            steps.pop()
        if not steps:
            raise InputError("there is nothing to take back", file=str(path))
        last = steps.pop()
        if number is not None and last.number != number:
            raise InputError(f"the last step is another one: {last.what}", file=str(path))
        lines = [f"Taken back: {last.what}"]
        if last.after == data:
            new, tournament = last.before, form.read(last.before, str(path))
        else:
            states = (form.read(each, str(path)) for each in (last.before, last.after, data))
            new, tournament = _written(form, taken_back(*states), str(path))
            lines.append("What another program changed since is kept.")
        if read() != data:
            raise InputError("another program has just changed it", file=str(path), hint="again")
        write_bytes(target, new)
        write_journal(target, steps)
    return done(tournament, *lines)


def _written(form: TournamentFormat, tournament: Tournament, file: str) -> tuple[bytes, Tournament]:
    """The new file, and what is read from it, which must be the same; TRF numbers tables anew."""
    data = form.write(tournament)
    read = form.read(data, file)
    numbered = form.name != "trf" or tournament.discipline == "go"
    for name in ("players", "games", "byes", "rounds", "scoring"):
        one, two = (_plain(getattr(t, name), t, tables=numbered) for t in (read, tournament))
        if one != two:
            raise InputError(f"a file of {form.name} cannot hold this: {name}", file=file)
    return data, read


def _plain(values: object, tournament: Tournament, *, tables: bool) -> object:
    """Values without the lines at which a file has them, in no order, players by name."""
    if not isinstance(values, tuple):
        return values
    names = [player.full_name for player in tournament.players]
    left_out = {"line", "extras"} | (set() if tables else {"table"})
    parts = []
    for each in values:
        text = {at: getattr(each, at) for at in each.__slots__ if at not in left_out}
        text |= {at: names[text[at]] for at in ("first", "second", "player") if at in text}
        if "absent" in text:
            text["absent"] = sorted(r for r in text["absent"] if r <= tournament.rounds)
        if "ids" in text:
            text["ids"] = sorted(text["ids"].items())
        parts.append(sorted((at, repr(value)) for at, value in text.items()))
    return sorted(parts)


#: So many steps are kept.
MOST_STEPS = 100
_MAX_BYTES, _MOST_UNPACKED = 256 << 20, 64 << 20


@dataclass(frozen=True, slots=True)
class JournalStep:
    """One step."""

    number: int  #: From 1 on, for the life of the journal
    time: str  #: When, in UTC
    what: str  #: What was done, in a sentence
    packed_before: str  #: The whole file, compressed
    packed_after: str

    @property
    def before(self) -> bytes:
        """The file before the step."""
        return _unpacked(self.packed_before)

    @property
    def after(self) -> bytes:
        """The file after it."""
        return _unpacked(self.packed_after)

    def line(self) -> str:
        """The step as a line of the journal."""
        return json.dumps(dict(zip(_KEYS, astuple(self), strict=True)), ensure_ascii=False) + "\n"


#: What a line of the journal calls the fields of a step.
_KEYS = ("number", "time", "what", "before", "after")


def journal_of(path: Path) -> Path:
    """The journal of a tournament's file."""
    return path.with_name(path.name + ".undo")


def read_journal(path: Path) -> list[JournalStep]:
    """The steps of a tournament's file, the oldest first; none without a journal."""
    journal = journal_of(path)
    try:
        lines = read_bytes(journal, _MAX_BYTES, "a journal").splitlines(keepends=True)
    except MissingFileError:
        return []
    steps = []
    for number, line in enumerate(lines, 1):
        try:
            values = json.loads(line)
            step, *texts = (values[key] for key in _KEYS)
            steps.append(JournalStep(int(step), *map(str, texts)))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise InputError(
                "this is not a journal of a tournament",
                file=str(journal),
                line=number,
                hint="remove it",
            ) from None
    return steps


def add_step(path: Path, *, what: str, before: bytes, after: bytes) -> JournalStep:
    """Write a step behind the others, of which only the last are kept."""
    steps = read_journal(path)
    number = steps[-1].number + 1 if steps else 1
    now = datetime.now(UTC).isoformat(timespec="seconds")
    step = JournalStep(number, now, what, _packed(before), _packed(after))
    write_journal(path, [*steps, step])
    return step


def write_journal(path: Path, steps: Sequence[JournalStep]) -> None:
    """Write the last steps anew; without any the journal goes."""
    journal = journal_of(path)
    if not steps:
        journal.unlink()
        return
    write_text(journal, "".join(step.line() for step in steps[-MOST_STEPS:]))


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def _unpacked(text: str) -> bytes:
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(text, validate=True), _MOST_UNPACKED)
    except (ValueError, zlib.error):
        raise InputError("a step of the journal cannot be unpacked") from None
    if not unpacking.eof:
        raise InputError("a step of the journal is cut short, or too large")
    return data


#: Records of a tournament, and what one is called by what names it.
_RECORDS = {
    "players": "the entry of {0}",
    "games": "the game {1} of round {0}",
    "byes": "the bye of {1} in round {0}",
    "teams": "the team {1}",
    "settings": "the setting {0}",
}
_NO_SETTINGS = {*_RECORDS, "document", "file", "adjustments"}
_MISSING = object()


def _records(tournament: Tournament) -> dict[str, dict[Any, Any]]:
    """Players, games, byes, teams and settings by what names them in every state of the file."""
    names = [key(player) for player in tournament.players]
    sides = [(names[game.first], names[game.second]) for game in tournament.games]
    plain = [replace(game, first=0, second=1, line=0) for game in tournament.games]
    return {
        "players": {n: replace(p, line=0) for n, p in zip(names, tournament.players, strict=True)},
        "games": {
            (game.round, frozenset(pair)): (*pair, game)
            for pair, game in zip(sides, plain, strict=True)
        },
        "byes": {(b.round, names[b.player]): replace(b, player=0) for b in tournament.byes},
        "teams": {(team.number, team.name): _by_names(team, names) for team in tournament.teams},
        "settings": {
            part.name: getattr(tournament, part.name)
            for part in fields(Tournament)
            if part.name not in _NO_SETTINGS
        },
    }


def _by_names(team: Team, names: Sequence[str]) -> tuple[Team, Sequence[str]]:
    """A team whose players are numbered by their place in a list of names."""
    everybody = team.everybody()
    listed = [names[row] for row in everybody]
    return team.renumbered({row: at for at, row in enumerate(everybody)}), listed


def taken_back(before: Tournament, after: Tournament, now: Tournament) -> Tournament:
    """The tournament `now` without what led from `before` to `after`, if that still stands."""
    states = [_records(each) for each in (before, after, now)]
    players, games, byes, teams, settings = (
        _merged(now, what, *(each[kind] for each in states)) for kind, what in _RECORDS.items()
    )
    rows = {name: row for row, name in enumerate(players)}
    for names in [*(names for _, names in games), *({name} for _, name in byes)]:
        for name in names:
            if name not in rows:
                who = states[2]["players"][name].full_name
                raise now.error(f"{who} has been paired since", hint="withdraw the player")
    return replace(
        now,
        players=tuple(players.values()),
        games=tuple(
            replace(game, first=rows[one], second=rows[two]) for one, two, game in games.values()
        ),
        byes=tuple(replace(bye, player=rows[name]) for (_, name), bye in byes.items()),
        teams=tuple(
            team.renumbered({at: rows[name] for at, name in enumerate(names) if name in rows})
            for team, names in teams.values()
        ),
        adjustments=(),
        **settings,
    )


def _merged(
    now: Tournament,
    what: str,
    before: Mapping[Any, Any],
    after: Mapping[Any, Any],
    current: Mapping[Any, Any],
) -> dict[Any, Any]:
    """The current records, those that the step touched as they were before it."""
    merged = dict(current)
    for name in [*before, *(each for each in after if each not in before)]:
        old, new, is_now = (each.get(name, _MISSING) for each in (before, after, current))
        if old == new or is_now == old:
            continue
        if is_now != new:
            parts = name if isinstance(name, tuple) else (name,)
            texts = (" - ".join(sorted(p)) if isinstance(p, frozenset) else p for p in parts)
            raise now.error(
                f"{what.format(*texts)} was changed again by another program since, and cannot be "
                "taken back",
                hint="change it by hand",
            )
        if old is _MISSING:
            del merged[name]
        else:
            merged[name] = old
    return merged
