"""What was changed in a tournament's file, step by step: a file beside it, one line a step.

``open.xml`` has ``open.xml.undo``. Each line is JSON: when, what was done, and the file
before and after, compressed. Without it nothing is lost but the way back.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from yardstone.errors import InputError
from yardstone.files import replaced

__all__ = ["MOST_STEPS", "JournalStep", "add_step", "journal_of", "read_journal", "write_journal"]

#: So many steps are kept.
MOST_STEPS = 100
_MAX_BYTES, _MOST_UNPACKED = 256 << 20, 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalStep:
    """One step.

    Attributes
    ----------
    number : int
        From 1 on, for the life of the journal.
    time : str
        When, in UTC.
    what : str
        What was done, in a sentence.
    packed_before, packed_after : str
        The whole file, compressed.
    """

    number: int
    time: str
    what: str
    packed_before: str
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
        values = {
            "number": self.number,
            "time": self.time,
            "what": self.what,
            "before": self.packed_before,
            "after": self.packed_after,
        }
        return json.dumps(values, ensure_ascii=False) + "\n"


def journal_of(path: Path) -> Path:
    """The journal of a tournament's file."""
    return path.with_name(path.name + ".undo")


def read_journal(path: Path) -> list[JournalStep]:
    """The steps of a tournament's file, the oldest first; none without a journal.

    Raises
    ------
    InputError
        It is no journal.
    """
    journal = journal_of(path)
    try:
        if journal.stat().st_size > _MAX_BYTES:
            raise InputError("too large", file=str(journal), hint="remove it")
        lines = journal.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(journal)) from error
    steps = []
    for number, line in enumerate(lines, 1):
        try:
            values = json.loads(line)
            steps.append(
                JournalStep(
                    number=int(values["number"]),
                    time=str(values["time"]),
                    what=str(values["what"]),
                    packed_before=str(values["before"]),
                    packed_after=str(values["after"]),
                )
            )
        except (ValueError, KeyError, TypeError):
            raise _broken(journal, number) from None
    return steps


def add_step(path: Path, *, what: str, before: bytes, after: bytes) -> JournalStep:
    """Write a step behind the others, of which only the last are kept.

    Raises
    ------
    InputError
        The journal cannot be written.
    """
    steps = read_journal(path)
    step = JournalStep(
        number=steps[-1].number + 1 if steps else 1,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        what=what,
        packed_before=_packed(before),
        packed_after=_packed(after),
    )
    write_journal(path, [*steps, step])
    return step


def write_journal(path: Path, steps: Sequence[JournalStep]) -> None:
    """Write the last steps anew; without any the journal goes."""
    journal = journal_of(path)
    if not steps:
        journal.unlink(missing_ok=True)
        return
    text = "".join(step.line() for step in steps[-MOST_STEPS:])
    with replaced(journal) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _broken(journal: Path, line: int | None = None) -> InputError:
    return InputError(
        "this is not a journal of a tournament", file=str(journal), line=line, hint="remove it"
    )


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
