"""The signals that end a process, held back where one would leave something half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

__all__ = ["ENDING", "Deferred", "held"]

#: Ctrl-C, ``kill``, and a terminal that closes.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class _State:
    """Of the main thread, where Python handles signals whichever thread they came to."""

    holding: int = 0
    number: int = 0


_STATE = _State()


def held(number: int) -> bool:
    """Whether signals are held back now; this one is then sent again later."""
    if _STATE.holding:
        _STATE.number = number
    return bool(_STATE.holding)


def _send_held() -> None:
    number, _STATE.number = _STATE.number, 0
    if number:
        signal.raise_signal(number)


class Deferred:
    """Holds back the signals that end a command, so that none comes between a file and its end.

    While what was made is used they are let through, and end that.
    """

    def __enter__(self) -> Self:
        self._main = threading.current_thread() is threading.main_thread()
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        _STATE.holding += self._main
        return self

    def __exit__(self, *_: object) -> None:
        _STATE.holding -= self._main
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
        if self._main and not _STATE.holding:
            _send_held()

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Let signals through for the time of the block."""
        holding = _STATE.holding
        try:
            if self._main:
                _STATE.holding = 0
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
            if self._main:
                _send_held()
            yield
        finally:
            if self._main:
                _STATE.holding = holding
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
