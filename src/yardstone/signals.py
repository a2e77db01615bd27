"""The signals that end a process, held back where one would leave something half done."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import subprocess

#: Ctrl-C, ``kill``, and a terminal that closes.
ENDING = tuple(
    signal.Signals[name]
    for name in ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
    if hasattr(signal, name)
)


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


def block_signals(numbers: Iterable[int] = ENDING) -> set[int]:
    """Block signals in this thread; return the mask before, for `restore_signals`."""
    if not hasattr(signal, "pthread_sigmask"):
        return set()
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, numbers))


def restore_signals(mask: set[int]) -> None:
    """Block what was blocked before, and nothing else."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


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
        self._before = block_signals()
        _STATE.holding += self._main
        return self

    def __exit__(self, *_: object) -> None:
        _STATE.holding -= self._main
        restore_signals(self._before)
        if self._main and not _STATE.holding:
            _send_held()

    @contextmanager
    def let_through(self) -> Iterator[None]:
        """Let signals through for the time of the block."""
        holding = _STATE.holding
        try:
            if self._main:
                _STATE.holding = 0
            restore_signals(self._before)
            if self._main:
                _send_held()
            yield
        finally:
            if self._main:
                _STATE.holding = holding
            block_signals()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that was started with a session of its own, with all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
            return
        import psutil

        with suppress(psutil.Error):
            started = psutil.Process(process.pid).children(recursive=True)
            process.kill()  # first, so that it does not go on when what it started has ended
            for each in started:
                each.kill()
