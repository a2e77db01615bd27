"""A file that results are appended to as they come, so that work can go on after it was killed.

One JSON object a line, with its key. A line that was cut off when the work was killed
is passed over, and the next one begins on a line of its own.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from yardstone.errors import InputError
from yardstone.files import unwritable

__all__ = ["AnalysisFile"]

#: Longer lines are not ours.
_LONGEST_LINE = 16 << 20
_KEYS = {"file", "status", "reason", "found"}


class AnalysisFile:
    """Analyses by key, kept in a file of JSON lines; the last one of a key counts.

    Safe to use from several threads.

    Parameters
    ----------
    path : Path
        The file; made with the first result if it does not exist.

    Raises
    ------
    InputError
        The file cannot be read, or is another kind of file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        #: Lines that were cut off.
        self.damaged = 0
        self._places: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._ends_in_line = False
        if path.exists():
            self._scan()

    def __len__(self) -> int:
        return len(self._places)

    def _scan(self) -> None:
        start = 0
        try:
            with self.path.open("rb") as file:
                for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
                    key = self._key(line)
                    if key is not None:
                        self._places[key] = (start, len(line))
                    elif line.strip():
                        self.damaged += 1
                        if number == 1 and line.endswith(b"\n"):
                            raise InputError(
                                "this is not a file of analyses",
                                file=str(self.path),
                                line=1,
                                hint="name another file: a new one will be created",
                            )
                    start += len(line)
                    self._ends_in_line = not line.endswith(b"\n")
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=str(self.path)) from None

    @staticmethod
    def _key(line: bytes) -> str | None:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(value, dict) or not value.keys() >= _KEYS:
            return None
        key = value.get("key")
        return key if isinstance(key, str) else None

    def get(self, key: str) -> dict[str, Any] | None:
        """What was kept under a key; None if nothing."""
        place = self._places.get(key)
        if place is None:
            return None
        with self._lock, self.path.open("rb") as file:
            file.seek(place[0])
            value: dict[str, Any] = json.loads(file.read(place[1]))
        return value

    def put(self, key: str, value: dict[str, Any]) -> None:
        """Append a result, on the disk before this returns.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        text = json.dumps({"key": key, **value}, ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8", "replace") + b"\n"
        with self._lock:
            try:
                with self.path.open("ab") as file:
                    if self._ends_in_line:
                        file.write(b"\n")
                        self._ends_in_line = False
                    start = file.tell()
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise unwritable(error, self.path) from error
            self._places[key] = (start, len(data))
