"""A tournament's file changed safely, and changes taken back.

A step takes the lock of the file, reads it, changes the tournament, and replaces the file
as a whole; two processes never lose each other's changes, and a process that dies leaves
the old file or the new one. A program without the lock, such as OpenGotha, may write in
between: then the step is taken anew on what that program wrote.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from yardstone.errors import InputError, MissingFileError
from yardstone.files import changing, followed, replaced
from yardstone.tournament.event.changes import EventChange
from yardstone.tournament.event.journal import add_step, read_journal, write_journal
from yardstone.tournament.event.taking_back import taken_back
from yardstone.tournament.files import MAX_BYTES, format_of_bytes
from yardstone.tournament.formats import TournamentFormat
from yardstone.tournament.model import Tournament

__all__ = ["change_file", "create_file", "undo_step"]

#: Seconds to wait for another process, and how often to begin anew.
_WAIT, _ATTEMPTS = 10.0, 5


def create_file(path: str | os.PathLike[str], tournament: Tournament) -> EventChange:
    """Write the file of a new tournament.

    Raises
    ------
    InputError
        The file is there already.
    """
    from yardstone.tournament.files import to_bytes

    target = followed(path)
    with changing(target, wait=_WAIT):
        if target.exists():
            raise InputError("is there already", file=str(path), hint="name another file")
        _write(target, to_bytes(tournament, target))
    return EventChange(tournament=replace(tournament, file=str(path)), lines=())


def change_file(
    path: str | os.PathLike[str], step: Callable[[Tournament], EventChange]
) -> EventChange:
    """Take a step in a tournament's file.

    Parameters
    ----------
    path : path
        The file, of a format that can be written, not compressed.
    step : callable
        From the tournament to the change, without effects of its own: it is called again
        if another program wrote the file meanwhile.

    Returns
    -------
    EventChange
        With the tournament as the file has it now.

    Raises
    ------
    InputError
        The file cannot be read or written, cannot hold the change, or the step is refused.
    """
    target = followed(path)
    with changing(target, wait=_WAIT):
        for _ in range(_ATTEMPTS):
            data = _read(target, str(path))
            form = format_of_bytes(data, str(path))
            change = step(form.read(data, str(path)))
            if not change.made:
                return change
            new, written = _written(form, change.tournament, str(path))
            if _read(target, str(path)) != data:
                continue
            add_step(target, what=" ".join(change.lines[:1]), before=data, after=new)
            _write(target, new)
            return replace(change, tournament=written)
    raise InputError("another program keeps changing it", file=str(path), hint="close that one")


def undo_step(path: str | os.PathLike[str], *, number: int | None = None) -> EventChange:
    """Take the last step back.

    If another program wrote the file since, only what the step did is taken back, record
    by record.

    Parameters
    ----------
    path : path
    number : int, optional
        Number of the step that must be the last one, such as
        `yardstone.tournament.event.journal.read_journal` tells it.

    Raises
    ------
    InputError
        There is no step to take back, it is another one, or what it did was changed again.
    """
    target = followed(path)
    with changing(target, wait=_WAIT):
        data = _read(target, str(path))
        form = format_of_bytes(data, str(path))
        steps = read_journal(target)
        while steps and steps[-1].before == data:  # it was never written, or taken back
            steps.pop()
        if not steps:
            raise InputError("there is nothing to take back", file=str(path))
        last = steps.pop()
        if number is not None and last.number != number:
            raise InputError(f"the last step is another one: {last.what}", file=str(path))
        if last.after == data:
            new, tournament = last.before, form.read(last.before, str(path))
            lines = [f"Taken back: {last.what}"]
        else:
            before, after, now = (
                form.read(each, str(path)) for each in (last.before, last.after, data)
            )
            new, tournament = _written(form, taken_back(before, after, now), str(path))
            lines = [
                f"Taken back: {last.what}",
                "What another program changed since is kept.",
            ]
        if _read(target, str(path)) != data:
            raise InputError("another program has just changed it", file=str(path), hint="again")
        _write(target, new)
        write_journal(target, steps)
    return EventChange(tournament=tournament, lines=tuple(lines))


def _read(target: Path, file: str) -> bytes:
    try:
        with target.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise MissingFileError("there is no such file", file=file) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), file=file) from error
    if len(data) > MAX_BYTES:
        raise InputError("too large for a tournament", file=file)
    return data


def _write(target: Path, data: bytes) -> None:
    with replaced(target) as temporary:
        temporary.write_bytes(data)


def _written(form: TournamentFormat, tournament: Tournament, file: str) -> tuple[bytes, Tournament]:
    """The new file, and what is read from it, which must be the same.

    Report files have no tables: those are numbered anew when it is read.
    """
    data = form.write(tournament)
    read = form.read(data, file)
    numbered = form.name != "trf" or tournament.discipline == "go"
    for name in ("players", "games", "byes", "rounds", "scoring"):
        one, two = (
            each
            if numbered
            else replace(each, games=tuple(replace(game, table=0) for game in each.games))
            for each in (read, tournament)
        )
        if _plain(getattr(one, name), read) != _plain(getattr(two, name), tournament):
            raise InputError(f"a file of {form.name} cannot hold this: {name}", file=file)
    return data, read


def _plain(values: object, tournament: Tournament) -> object:
    """Values without the lines at which a file has them, in no order, players by name."""
    if not isinstance(values, tuple):
        return values
    names = [player.full_name for player in tournament.players]
    parts = []
    for each in values:
        text = {at: getattr(each, at) for at in each.__slots__ if at not in ("line", "extras")}
        for at in ("first", "second", "player"):
            if at in text:
                text[at] = names[text[at]]
        if "absent" in text:
            text["absent"] = sorted(r for r in text["absent"] if r <= tournament.rounds)
        if "ids" in text:
            text["ids"] = sorted(text["ids"].items())
        parts.append(sorted((at, repr(value)) for at, value in text.items()))
    return sorted(parts)
