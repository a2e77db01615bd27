"""The command `yardstone`: finds the subcommand, and turns errors into one line.

Exit status 0: all was done; 1: an error in the input, or a place that cannot be written
to; 2: wrong usage; 130: interrupted, 143: ended by `kill`; a reader who closes our output
early is no error worth a word (status 1). `ordo` and `prep` read their own switches and
start faster, so they are called before anything else is imported.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any, TextIO

from yardstone.cli.table import OWN_SWITCHES, UNTRUSTED
from yardstone.signals import ENDING, held

INTERRUPTED = 130
_BROKEN_PIPE = 1
_COMPLETION = "_YARDSTONE_COMPLETE"
_FAILED = 1
#: Garbage is looked for when so many objects are new: imports make many, and no garbage.
_NEW_OBJECTS = 100_000
_FIRST_HELP = """\
Yardstone measures playing strength: ratings, with their uncertainty, from results of games.

  yardstone demo               See it at work on real games.
  yardstone rate games.pgn     Rate the players of your own games (PGN, CSV, SGF ...).
  yardstone --help             List all commands."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    gc.set_threshold(_NEW_OBJECTS)
    if arguments is None:
        # Threads of numpy's linear algebra wait asleep for work: else each start, and each
        # piece of work, costs some 50 ms of a processor that only waits.
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
        open_streams()
    with stopping(last=arguments is None) as signals:
        try:
            status = (_confined if UNTRUSTED in given else _finished)(given)
            return signals.status if status == INTERRUPTED and signals.status else status
        except KeyboardInterrupt:
            return signals.status or INTERRUPTED
        except Exception:
            if signals.status:  # some libraries make another exception of it
                return signals.status
            raise


def _finished(given: list[str]) -> int:
    """The exit status, with all that was printed on its way."""
    try:
        status = _dispatch(given)
        sys.stdout.flush()
        return status
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "yardstone"):
            raise
        message: object = f"{package} is not installed: pip install {package}, or make install"
    except BrokenPipeError:
        silence(sys.stdout)  # whoever read our output has closed it
        return _BROKEN_PIPE
    except OSError as error:
        from yardstone.files import unwritable

        message = f"{error.filename}: {error.strerror}" if error.filename else error
        if error.filename == STANDARD_OUTPUT:
            silence(sys.stdout)
            message = unwritable(error, STANDARD_OUTPUT)
    print(f"yardstone: error: {message}", file=sys.stderr)
    return _FAILED


def _confined(given: list[str]) -> int:
    """Do it in a cell, as far as this system has one."""
    from yardstone.cell import lacking, run
    from yardstone.errors import InputError

    if words := lacking():
        print(f"yardstone: {UNTRUSTED} does not hold here: {', '.join(words)}", file=sys.stderr)
    try:
        return run(partial(_finished, given))
    except InputError as error:
        print(f"yardstone: error: {error}", file=sys.stderr)
        return _FAILED


def _dispatch(given: list[str]) -> int:
    if given and given[0] in OWN_SWITCHES:
        module, _, function = OWN_SWITCHES[given[0]].place.partition(":")
        return int(getattr(import_module(f"yardstone.cli.{module}"), function)(given[1:]))
    # Wrong usage, but whoever calls it so wants to know the right one; completion asks so too.
    if not given and _COMPLETION not in os.environ:
        print(_FIRST_HELP)
        return 2
    if given == ["--version"]:
        from importlib.metadata import version

        print(f"yardstone {version('yardstone')}")
        return 0
    return _run(given)


def _run(given: list[str]) -> int:
    import warnings

    from typer import Exit

    from yardstone.cli.commands import application, file_hint
    from yardstone.errors import MissingFileError, UsageError, YardstoneError, YardstoneWarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, YardstoneWarning):
            print(f"yardstone: warning: {message}", file=sys.stderr)

    with warnings.catch_warnings(), _watched():
        warnings.showwarning = show
        try:
            value = application()(args=given, prog_name="yardstone", standalone_mode=False)
            return value if isinstance(value, int) else 0
        except Exit as leave:
            return int(leave.exit_code)
        except YardstoneError as error:
            print(f"yardstone: error: {error}", file=sys.stderr)
            if isinstance(error, MissingFileError) and (hint := file_hint(error.file)):
                print(hint, file=sys.stderr)
            return 2 if isinstance(error, UsageError) else 1
        except Exception as error:
            return _usage(error)


def _watched() -> AbstractContextManager[None]:
    """Show progress on standard error, if somebody looks at it."""
    if not sys.stderr.isatty():
        return nullcontext()
    from yardstone.cli.output import progress_bars
    from yardstone.parallel import context

    return context(progress=progress_bars())


def _usage(error: Exception) -> int:
    """Report what the parser of options raised; anything else goes on."""
    message = getattr(error, "format_message", None)
    if message is None:
        if type(error).__name__ == "Abort":
            raise KeyboardInterrupt from error
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":
        print(message())
        return 2
    from yardstone.cli.commands import option_hint

    context = getattr(error, "ctx", None)
    text, hint = " ".join(message().split()), ""
    if type(error).__name__ == "NoSuchOption":
        word = str(error.option_name)  # type: ignore[attr-defined]
        text, hint = f"no such option: {word}", option_hint(word, context)
    print(f"yardstone: error: {text}", file=sys.stderr)
    if hint:
        print(hint, file=sys.stderr)
    elif "Did you mean" not in text:
        path = context.command_path if context is not None else "yardstone"
        print(f"Try '{path} --help'.", file=sys.stderr)
    return 2


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


@contextmanager
def _named_error() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = error.filename or STANDARD_OUTPUT
        raise


class _Report(io.TextIOWrapper):
    """Standard output: an error of it says so."""

    guard: Callable[[], Any] = staticmethod(_named_error)

    def write(self, text: str, /) -> int:
        written = len(text)
        with self.guard():
            written = super().write(text)
        return written

    def flush(self) -> None:
        with self.guard():
            super().flush()


class _Messages(_Report):
    """Standard error: what cannot be written there is lost, and stops nothing."""

    guard = staticmethod(partial(suppress, OSError))


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
    for name, kind, number in (("stdout", _Report, 1), ("stderr", _Messages, 2)):
        stream = getattr(sys, name)
        if stream is None:
            raw = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
            setattr(sys, name, kind(raw, "utf-8"))
        elif stream is getattr(sys, f"__{name}__") and isinstance(stream, io.TextIOWrapper):
            how = (stream.encoding, stream.errors, None, stream.line_buffering)
            setattr(sys, name, kind(stream.buffer, *how, stream.write_through))


def silence(stream: TextIO) -> None:
    """Let what is still to be written go nowhere: Python would complain at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
