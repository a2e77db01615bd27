"""Command-line switches by the rules of Ordo and Ordoprep.

`argparse` and Ordo's own option reader disagree in ways that scripts rely on:

- short switches bundle (``-qWD``) and take their argument attached or apart
  (``-s1000``, ``-s 1000``); whatever follows is the argument, dash or not;
- long switches must be spelled out; their argument stands after ``=`` or apart;
- switches end at the first argument that is none, or after ``--``;
- numbers are read as C's ``sscanf`` does: the longest leading part that is a
  number counts, the rest is ignored.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from yardstone.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "COMMON",
    "FILE",
    "NUMBER",
    "Switch",
    "SwitchReader",
    "help_lines",
    "scan_float",
    "scan_integer",
    "scan_integers",
]


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch.

    Attributes
    ----------
    letter : str
        Short form without dash; empty if there is none.
    name : str
        Long form without dashes.
    argument : str
        What its argument is called in the help; empty if it takes none.
    help : str
        What it does.
    """

    letter: str
    name: str
    argument: str
    help: str


#: What the argument of a switch is called in the help.
FILE, NUMBER = "FILE", "NUM"
#: Switches that stand first in the help of both commands.
COMMON = (
    Switch("h", "help", "", "print this help and exit"),
    Switch("H", "show-switches", "", "print only this table and exit"),
    Switch("v", "version", "", "print the version and exit"),
    Switch("L", "license", "", "print version and licence and exit"),
    Switch("q", "quiet", "", "print results only, no progress"),
    Switch("", "silent", "", "the same as --quiet"),
)


class SwitchReader:
    """Reads arguments one switch at a time, in order.

    Iterating yields ``(name, argument)`` with the long name of each switch and
    its argument, or None if it takes none. Afterwards `rest` holds what
    follows the switches.

    Raises
    ------
    UsageError
        While iterating: an unknown switch, or one without its argument.
    """

    def __init__(self, switches: Sequence[Switch], arguments: Sequence[str]) -> None:
        self._by_letter = {switch.letter: switch for switch in switches if switch.letter}
        self._by_name = {switch.name: switch for switch in switches}
        self._arguments = list(arguments)
        self._position = 0

    @property
    def rest(self) -> list[str]:
        """The arguments that follow the switches."""
        return self._arguments[self._position :]

    def __iter__(self) -> Iterator[tuple[str, str | None]]:
        while self._position < len(self._arguments):
            word = self._arguments[self._position]
            if not word.startswith("-"):
                return
            self._position += 1
            if word == "--":
                return
            if word == "-":
                raise UsageError("a dash alone is not a switch")
            if word.startswith("--"):
                yield self._long(word[2:])
            else:
                yield from self._bundle(word[1:])

    def _long(self, word: str) -> tuple[str, str | None]:
        name, _, value = word.partition("=")
        switch = self._by_name.get(name)
        if switch is None:
            raise UsageError(f"there is no switch --{name}")
        if not switch.argument:
            return name, None
        return name, value or self._next_word(f"--{name}")

    def _bundle(self, letters: str) -> Iterator[tuple[str, str | None]]:
        for place, letter in enumerate(letters, start=1):
            switch = self._by_letter.get(letter)
            if switch is None:
                raise UsageError(f"there is no switch -{letter}")
            if switch.argument:
                yield switch.name, letters[place:] or self._next_word(f"-{letter}")
                return
            yield switch.name, None

    def _next_word(self, switch: str) -> str:
        if self._position >= len(self._arguments):
            raise UsageError(f"{switch} needs an argument")
        self._position += 1
        return self._arguments[self._position - 1]


_FLOAT = re.compile(
    r"[ \t\n\v\f\r]*([+-]?(?:inf(?:inity)?|nan|(?!0x)(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))",
    re.IGNORECASE,
)
_HEXADECIMAL = re.compile(
    r"[ \t\n\v\f\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)", re.IGNORECASE
)
_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?\d+)")
_MOST_DIGITS = 4000


def scan_float(text: str) -> float | None:
    """The number `text` begins with, as ``sscanf("%lf")`` reads it; None if there is none."""
    match = _HEXADECIMAL.match(text)
    if match:
        try:
            return float.fromhex(match[1])
        except OverflowError:
            return inf
    match = _FLOAT.match(text)
    return float(match[1]) if match else None


def scan_integer(text: str) -> int | None:
    """The whole number `text` begins with, as ``sscanf("%d")`` reads it; None if there is none."""
    match = _INTEGER.match(text)
    return int(match[1]) if match and len(match[1]) <= _MOST_DIGITS else None


def scan_integers(text: str, limit: int) -> list[int] | None:
    """Whole numbers between commas; None if one is missing or there are more than `limit`."""
    numbers = [scan_integer(part) for part in text.split(",")]
    if len(numbers) > limit:
        return None
    valid = [number for number in numbers if number is not None]
    return valid if len(valid) == len(numbers) else None


def help_lines(switches: Sequence[Switch], *, width: int = 80) -> list[str]:
    """The table of switches: short and long form, then what each does."""
    heads = []
    for switch in switches:
        short = f"-{switch.letter}, " if switch.letter else "    "
        argument = f"={switch.argument}" if switch.argument else ""
        heads.append(f" {short}--{switch.name}{argument}")
    column = max(map(len, heads)) + 1
    lines = []
    for head, switch in zip(heads, switches, strict=True):
        described = textwrap.wrap(switch.help, width - column) or [""]
        lines.append(f"{head:<{column}}{described[0]}")
        lines.extend(" " * column + more for more in described[1:])
    return lines
