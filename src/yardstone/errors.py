"""Every exception and warning that Yardstone raises on purpose, and how messages show input.

::

    YardstoneError
    ├── InputError (ValueError)     a file, record or value from outside that cannot be used
    │   ├── MissingFileError (FileNotFoundError)    a file that is not there
    │   ├── UnknownPlayerError (KeyError)   a player whom nobody knows
    │   ├── NoGamesError        nothing was left to work on
    │   ├── IllegalMove         a move that cannot be played, or that the rules forbid
    │   └── StrictError         a record was skipped although every one was asked for
    ├── UsageError (ValueError)     options or arguments that do not go together
    │   └── WrongTypeError (TypeError)  an argument of a kind that is not understood
    ├── ModelError          the data do not determine what was asked
    │   ├── NotConnectedError   groups of players without a common scale
    │   └── ConvergenceError    a solver stopped before its tolerance
    ├── WorkerError         a worker process died, or could not start
    └── MissingExtraError (ImportError)     an optional dependency is not installed

    YardstoneWarning
    ├── SkippedWarning      records were left out
    ├── ConnectionWarning   players that cannot be compared, or only just
    ├── PerfectScoreWarning players who won or lost everything
    └── IgnoredWarning      an option, a line of a file or a column that has no effect

In brackets is the error of Python's own that it is as well, so that whoever catches that
one catches ours. The command turns an `InputError` or a `ModelError` into one line on standard
error and exit status 1, a `UsageError` into exit status 2.

Messages name what stands in files of anybody: `shown` makes all of them
short and harmless to a terminal.
"""

from __future__ import annotations

__all__ = [
    "ConnectionWarning",
    "ConvergenceError",
    "IgnoredWarning",
    "IllegalMove",
    "InputError",
    "MissingExtraError",
    "MissingFileError",
    "ModelError",
    "NoGamesError",
    "NotConnectedError",
    "PerfectScoreWarning",
    "SkippedWarning",
    "StrictError",
    "UnknownPlayerError",
    "UsageError",
    "WorkerError",
    "WrongTypeError",
    "YardstoneError",
    "YardstoneWarning",
]


#: Of a message with its place and hint.
_LONGEST = 800


class YardstoneError(Exception):
    """Base of all errors raised on purpose."""

    def __str__(self) -> str:
        # A KeyError would show quotes around it, an OSError a number before it.
        return shown(str(self.args[0]), _LONGEST) if self.args else ""


class InputError(YardstoneError, ValueError):
    """A file, record or value from outside that cannot be used.

    Args:
        message: What is wrong, in a few words.
        file: The file it stands in.
        line: The line of that file, counted from 1.
        hint: What the user can do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = shown(message)
        self.file = file
        self.line = line
        self.hint = None if hint is None else shown(hint)
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        super().__init__(place + self.advice)

    @property
    def advice(self) -> str:
        """The message with the hint behind it, without the place."""
        return self.message if self.hint is None else f"{self.message} ({self.hint})"


class MissingFileError(InputError, FileNotFoundError):
    """A file that is not there."""


class UnknownPlayerError(InputError, KeyError):
    """A player whom the games do not know."""


class NoGamesError(InputError):
    """Nothing was left to work on: no game, or none that counts."""


class IllegalMove(InputError):
    """A move of Go that cannot be played, or that the rules forbid."""


class StrictError(InputError):
    """A record was skipped although every record was asked for (``strict``)."""


class UsageError(YardstoneError, ValueError):
    """Options or arguments that do not go together, or are out of range."""


class WrongTypeError(UsageError, TypeError):
    """An argument of a kind that is not understood."""


class ModelError(YardstoneError):
    """The data do not determine what was asked."""


class NotConnectedError(ModelError):
    """Groups of players share no scale: no results, or only wins, join them."""


class ConvergenceError(ModelError):
    """A solver stopped before it reached its tolerance."""


class WorkerError(YardstoneError):
    """A worker process died, or could not start, so results are missing."""


class MissingExtraError(YardstoneError, ImportError):
    """An optional dependency is missing.

    Args:
        package: The package that could not be imported.
        extra: The extra of Yardstone that installs it; without one it is installed by itself.
    """

    def __init__(self, package: str, extra: str | None = None) -> None:
        install = package.split()[0] if extra is None else f"'yardstone[{extra}]'"
        super().__init__(f"{package} is not installed: pip install {install}")


class YardstoneWarning(UserWarning):
    """Base of all warnings."""

    def __str__(self) -> str:
        return shown(str(self.args[0]), _LONGEST) if self.args else ""


class SkippedWarning(YardstoneWarning):
    """Records were left out of a pool."""


class ConnectionWarning(YardstoneWarning):
    """Some players cannot be compared, or only through very few results."""


class PerfectScoreWarning(YardstoneWarning):
    """Players who won or lost everything have a bound in place of a rating."""


class IgnoredWarning(YardstoneWarning):
    """An option, a line of an option's file, or a column has no effect."""


_LONGEST_SHOWN = 400
#: So much stays of the end of what is cut: there a sentence says what it is about.
_END = 150
#: Characters of these kinds steer a terminal, turn the direction of writing or are not seen.
_HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")


def shown(text: str, longest: int = _LONGEST_SHOWN) -> str:
    r"""Text as a message shows it: cut in the middle if it is long, and without control characters.

    Lines stay lines.

    Examples:
        >>> print(shown("no player \x1b[2J"))
        no player \x1b[2J
    """
    if text.isprintable() and len(text) <= longest:
        return text
    if len(text) > longest:  # twice: what is escaped is longer
        text = _cut(text, longest)
    return _cut("".join(_readable(letter) for letter in text), longest)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[: longest - _END - 3]} … {text[-_END:]}"


def _readable(letter: str) -> str:
    from unicodedata import category

    if letter == "\n" or category(letter) not in _HARMFUL:
        return letter
    return ascii(letter)[1:-1]
