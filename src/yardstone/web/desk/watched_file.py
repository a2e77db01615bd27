"""The file of a tournament as the desk sees it: the file on the disk is the truth.

It is read again whenever it has changed, by whatever program. While it cannot be read, as
when another program is writing it, the last state that could be is shown, with a warning,
and nothing is changed.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.tournament.event.file import change_file, undo_step
from yardstone.tournament.event.journal import Step, journal_of, read_journal
from yardstone.tournament.files import MAX_BYTES, format_of_bytes

if TYPE_CHECKING:
    from yardstone.tournament.event.changes import Change
    from yardstone.tournament.model import Tournament

__all__ = ["Snapshot", "WatchedFile"]

#: The format of the file: the only one that holds tables, byes and absences.
_FORMAT = "opengotha"
#: Seconds between two looks at a file that is asked for again and again.
_FRESH = 0.2


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """The tournament at a moment.

    Attributes
    ----------
    tournament : Tournament
    mark : str
        Differs whenever the file, or whether it can be read, differs.
    trouble : str
        Why the file cannot be read now; the tournament is then an older one.
    """

    tournament: Tournament
    mark: str
    trouble: str = ""


class WatchedFile:
    """A tournament's file, for many threads.

    Parameters
    ----------
    path : Path

    Raises
    ------
    InputError
        It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._looked = -1.0
        self._state: object = None
        self._steps: tuple[object, Sequence[Step]] = (None, ())
        self.last = self._read()

    def snapshot(self, *, fresh: bool = False) -> Snapshot:
        """The tournament as it is now; `fresh` if no moment may have passed since the look."""
        with self._lock:
            now = time.monotonic()
            if not fresh and now - self._looked < _FRESH:
                return self.last
            self._looked = now
            state = _state(self.path)
            if state != self._state or self.last.trouble:
                try:
                    self.last = self._read()
                    self._state = state
                except InputError as error:
                    trouble = error.message
                    mark = hashlib.sha256(f"{self.last.mark}{trouble}".encode()).hexdigest()[:16]
                    if trouble != self.last.trouble:
                        self.last = replace(self.last, mark=mark, trouble=trouble)
            return self.last

    def change(self, step: Callable[[Tournament], Change], *, by: str = "") -> Change:
        """Take a step in the file, and say in the journal who took it.

        Raises
        ------
        YardstoneError
            The step is refused, or the file cannot be read or written.
        """

        def signed(tournament: Tournament) -> Change:
            change = step(tournament)
            if not by or not change.lines:
                return change
            return replace(change, lines=(f"{by}: {change.lines[0]}", *change.lines[1:]))

        change = change_file(self.path, signed)
        self.snapshot(fresh=True)
        if not by or not change.lines:
            return change
        return replace(change, lines=(change.lines[0].removeprefix(f"{by}: "), *change.lines[1:]))

    def undo(self, number: int) -> Change:
        """Take back the last step, if it is this one.

        Raises
        ------
        InputError
            It is another one by now, or cannot be taken back.
        """
        change = undo_step(self.path, number=number)
        self.snapshot(fresh=True)
        return change

    def steps(self) -> Sequence[Step]:
        """What was changed, the last step first.

        Raises
        ------
        InputError
            The journal cannot be read.
        """
        state = _state(journal_of(self.path))
        with self._lock:
            if self._steps[0] != state or state is None:
                self._steps = (state, tuple(reversed(read_journal(self.path))))
            return self._steps[1]

    def _read(self) -> Snapshot:
        name = str(self.path)
        try:
            with self.path.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=name) from None
        form = format_of_bytes(data, name)
        if form.name != _FORMAT:
            raise InputError(
                f"the desk keeps its tournament in OpenGotha's XML, and this is {form.about}",
                file=name,
                hint="tournament convert makes one of it",
            )
        tournament = form.read(data, name)
        return Snapshot(tournament, hashlib.sha256(data).hexdigest()[:16])


def _state(path: Path) -> object:
    """What differs when a file does."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
