"""Results of matches as lines of JSON, appended as they come, and taken up again.

A line is a match as `yardstone_lab.vandendoel.play.play_match` gives it, or the same
setting with ``failed``: why there is no match. What was torn off by a kill is
dropped when the file is opened again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Self

from yardstone.errors import InputError, UsageError
from yardstone.files import changing, unwritable
from yardstone_lab.vandendoel.play import MatchJob, MatchSetting

__all__ = ["ResultsFile", "read_results"]

#: A line of results is some kilobytes; with a whole match exported some dozens.
_LONGEST_LINE = 4 * 2**20


class ResultsFile:
    """A file of results open for more; only one run at a time may have it.

    Attributes
    ----------
    done : set of MatchJob
        The matches that the file already has, without those that failed.

    Raises
    ------
    InputError
        The file cannot be written, another run writes to it, or a line of it is no result.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: set[MatchJob] = set()
        self._lock = threading.Lock()
        self._claim = ExitStack()
        try:
            self._file: IO[bytes] = path.open("a+b")
        except OSError as error:
            raise unwritable(error, path) from error
        try:
            self._claim.enter_context(changing(path, wait=0.0))
            self._drop_torn_line()
            self.done = {_job(record) for _, record in read_results(path) if "failed" not in record}
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._claim:
            self._file.close()

    def append(self, record: dict[str, Any]) -> None:
        """Add a line, whole, and hand it to the disk; any thread may call this."""
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            try:
                self._file.write(line)
                self._file.flush()
            except OSError as error:
                raise unwritable(error, self.path) from error

    def _drop_torn_line(self) -> None:
        end = self._file.seek(0, 2)
        start = max(0, end - _LONGEST_LINE)
        self._file.seek(start)
        tail = self._file.read()
        whole = tail.rfind(b"\n") + 1
        if whole < len(tail):
            self._file.truncate(start + whole)
        self._file.seek(0, 2)


def read_results(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a results file with their numbers, failed matches too.

    A last line without an end is left out: a run was killed while it wrote.

    Raises
    ------
    InputError
        The file cannot be read, or a line of it is no result.
    """
    with _opened(path) as file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), start=1):
            if not line.endswith(b"\n"):
                if len(line) < _LONGEST_LINE:
                    return
                raise _no_result(path, number, "it is too long")
            try:
                record = json.loads(line)
                _job(record)
            except (
                ArithmeticError,
                ValueError,
                KeyError,
                TypeError,
                UsageError,
                RecursionError,
            ) as error:
                raise _no_result(path, number, str(error)) from None
            yield number, record


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    with file:
        yield file


def _no_result(path: Path, line: int, why: str) -> InputError:
    return InputError(
        f"this line is no result of a match: {why[:80]}",
        file=str(path),
        line=line,
        hint="name a file that `yardstone backgammon play` or `study` wrote",
    )


def _job(record: Any) -> MatchJob:
    if not isinstance(record, dict):
        raise TypeError("it is not a JSON object")
    return MatchJob(MatchSetting.from_record(record), int(record["number"]), int(record["seed"]))
