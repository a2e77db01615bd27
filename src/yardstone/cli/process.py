"""What a command shares with its process: signals, standard output and standard error.

Ctrl-C, ``kill`` and a terminal that closes end a command in the same way: by an exception, so
that all that cleans up does so. The exit status is 128 and the number of the signal, as
shells have it: 130 after Ctrl-C, 143 after ``kill``, 129 after the terminal has gone.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

from yardstone.signals import ENDING, held

__all__ = ["STANDARD_OUTPUT", "Stopping", "open_streams", "silence", "stopping"]

#: What an error calls it.
STANDARD_OUTPUT = "standard output"
#: Seconds after a signal in which others change nothing: all is being put away.
_PAUSE = 2.0
#: Seconds until a signal that came where no exception can be raised is sent again.
_AGAIN = 0.01


class Stopping:
    """Which signal has come."""

    def __init__(self) -> None:
        self.number = 0
        self._since = 0.0

    @property
    def status(self) -> int:
        """The exit status; 0 if no signal has come."""
        return 128 + self.number if self.number else 0

    def came(self, number: int, _: FrameType | None) -> None:
        """Stop what is being done."""
        if held(number):
            return
        if self.number and time.monotonic() - self._since < _PAUSE:
            return
        self.number, self._since = number, time.monotonic()
        raise KeyboardInterrupt

    def unraisable(self, about: sys.UnraisableHookArgs) -> None:
        """Send the signal again if it came where an exception leads nowhere."""
        if not self.number or not isinstance(about.exc_value, KeyboardInterrupt):
            sys.__unraisablehook__(about)
            return
        number, self.number = self.number, 0
        main = threading.main_thread().ident
        if main is not None:
            send = getattr(signal, "pthread_kill", lambda _, it: signal.raise_signal(it))
            again = threading.Timer(_AGAIN, send, (main, number))
            again.daemon = True
            again.start()


@contextmanager
def stopping(*, last: bool) -> Iterator[Stopping]:
    """Let signals stop the command, unless it was started to ignore them, as by ``nohup``.

    After it, if it is the `last` thing that the process does, Ctrl-C stops nothing any more.
    """
    state = Stopping()
    if threading.current_thread() is not threading.main_thread():
        yield state
        return
    before = {}
    for number in ENDING:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            before[number] = signal.signal(number, state.came)
    hook, sys.unraisablehook = sys.unraisablehook, state.unraisable
    try:
        yield state
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if last else handler)


class _Messages(io.TextIOWrapper):
    """Standard error: what cannot be written there is lost, and stops nothing."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


class _Report(io.TextIOWrapper):
    """Standard output: an error of it says so."""

    def write(self, text: str, /) -> int:
        with _named_error():
            return super().write(text)

    def flush(self) -> None:
        with _named_error():
            super().flush()


@contextmanager
def _named_error() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = error.filename or STANDARD_OUTPUT
        raise


def open_streams() -> None:
    """Give a process what it was started without, so that no file takes its place.

    What is written to a standard output that was closed fails; messages to a standard error
    that was closed, or that is full, are lost.
    """
    for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError as error:
            if error.errno == errno.EBADF:  # the lowest number that is free is this one
                os.open(os.devnull, flags)
                os.set_inheritable(number, True)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = _Report(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8")
    elif sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout = _Report(
            sys.stdout.buffer,
            sys.stdout.encoding,
            sys.stdout.errors,
            line_buffering=sys.stdout.line_buffering,
            write_through=sys.stdout.write_through,
        )
    if sys.stderr is None:
        sys.stderr = _Messages(io.BufferedWriter(io.FileIO(2, "w", closefd=False)), "utf-8")
    elif sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr = _Messages(
            sys.stderr.buffer, sys.stderr.encoding, sys.stderr.errors, line_buffering=True
        )


def silence(stream: TextIO) -> None:
    """Let what is still to be written go nowhere: Python would complain at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
