"""The command `yardstone`: finds the subcommand, and turns errors into one line.

Exit status 0: all was done; 1: an error in the input, or a place that cannot be written
to; 2: wrong usage; 130: interrupted, 143: ended by `kill`; a reader who closes our output
early is no error worth a word (status 1). `ordo` and `prep` read their own switches and
start faster, so they are called before anything else is imported.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from yardstone.cli.process import STANDARD_OUTPUT, open_streams, silence, stopping
from yardstone.cli.table import OWN_SWITCHES
from yardstone.kernels.settings import in_command

__all__ = ["main"]

INTERRUPTED = 130
BROKEN_PIPE = 1
_COMPLETION = "_YARDSTONE_COMPLETE"
FAILED = 1
#: Garbage is looked for when so many objects are new: imports make many, and no garbage.
_NEW_OBJECTS = 100_000
#: What silences a command, whichever it is.
_QUIET = frozenset({"-q", "--quiet", "--silent"})
_FIRST_HELP = """\
Yardstone measures playing strength: ratings, with their uncertainty, from results of games.

  yardstone demo               See it at work on real games.
  yardstone rate games.pgn     Rate the players of your own games (PGN, CSV, SGF ...).
  yardstone --help             List all commands."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    in_command(quiet=not _QUIET.isdisjoint(given))
    gc.set_threshold(_NEW_OBJECTS)
    if arguments is None:
        open_streams()
    with stopping(last=arguments is None) as signals:
        try:
            status = _finished(given)
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
        print(
            f"yardstone: error: {package} is not installed: pip install {package}, or make install",
            file=sys.stderr,
        )
        return FAILED
    except BrokenPipeError:
        silence(sys.stdout)  # whoever read our output has closed it
        return BROKEN_PIPE
    except OSError as error:
        print(f"yardstone: error: {_system_error(error)}", file=sys.stderr)
        return FAILED


def _system_error(error: OSError) -> object:
    """What the system refused, in a line."""
    from yardstone.files import unwritable

    if error.filename == STANDARD_OUTPUT:
        silence(sys.stdout)
        return unwritable(error, STANDARD_OUTPUT)
    return f"{error.filename}: {error.strerror}" if error.filename else error


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

    from yardstone.cli.commands import application
    from yardstone.errors import MissingFileError, UsageError, YardstoneError, YardstoneWarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, YardstoneWarning):
            print(f"yardstone: warning: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        try:
            return _status(application()(args=given, prog_name="yardstone", standalone_mode=False))
        except Exit as leave:
            return int(leave.exit_code)
        except YardstoneError as error:
            print(f"yardstone: error: {error}", file=sys.stderr)
            if isinstance(error, MissingFileError):
                _suggest_files(error.file)
            return 2 if isinstance(error, UsageError) else 1
        except Exception as error:
            return _usage(error)


def _suggest_files(name: str | None) -> None:
    from yardstone.cli.suggestions import file_hint

    if hint := file_hint(name):
        print(hint, file=sys.stderr)


def _status(value: object) -> int:
    return value if isinstance(value, int) else 0


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
    from yardstone.cli.suggestions import option_hint

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
