"""The signals that end a process, held back where one would leave something half done."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

__all__ = ["ENDING", "Deferred"]

#: Ctrl-C, ``kill``, and a terminal that closes.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Deferred:
    """Holds back the signals that end a command, so that none comes between a file and its end.

    While what was made is used they are let through, and end that.
    """

    def __enter__(self) -> Self:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        return self

    def __exit__(self, *_: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Let signals through for the time of the block."""
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
