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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isinf
from typing import TYPE_CHECKING, Literal

from yardstone.errors import UsageError, YardstoneError
from yardstone.reports.ordo import COLUMNS, DEFAULT_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    "SWITCHES",
    "OrdoOptions",
    "Refused",
    "read_options",
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


SWITCHES = (
    *COMMON,
    Switch("Q", "terse", "", "quiet, but show how far the simulation is"),
    Switch("", "timelog", "", "print the processor time used before each step"),
    Switch("a", "average", NUMBER, "average rating of the pool (2300)"),
    Switch("A", "anchor", "<player>", "this player gets the rating of -a, not the pool"),
    Switch("V", "pool-relative", "", "errors relative to the average although there is an anchor"),
    Switch("m", "multi-anchors", FILE, 'several fixed ratings: lines of "player",rating'),
    Switch("y", "loose-anchors", FILE, 'ratings known beforehand: "player",rating,deviation'),
    Switch("r", "relations", FILE, 'differences known beforehand: "A","B",A minus B,deviation'),
    Switch("R", "remove-older", "", "do not list the B of relations"),
    Switch("w", "white", NUMBER, "rating points that moving first is worth (0)"),
    Switch("u", "white-error", NUMBER, "deviation of -w: it is estimated with this prior"),
    Switch("W", "white-auto", "", "estimate what moving first is worth"),
    Switch("d", "draw", NUMBER, "draw rate of equal opponents in per cent (50)"),
    Switch("k", "draw-error", NUMBER, "deviation of -d: it is estimated with this prior"),
    Switch("D", "draw-auto", "", "estimate the draw rate of equal opponents"),
    Switch("z", "scale", NUMBER, "rating difference for an expected score of 76 % (202)"),
    Switch("T", "table", "", "print expected scores and rating differences and exit"),
    Switch("p", "pgn", FILE, "games to read, in PGN; - is standard input"),
    Switch("P", "pgn-list", FILE, "a file with one name of a PGN file a line"),
    Switch("o", "output", FILE, "write the list here, not to the screen"),
    Switch("c", "csv", FILE, "write the list as comma separated values"),
    Switch("E", "elostat", "", "write rating.dat, programs.dat and general.dat as EloStat does"),
    Switch("j", "head2head", FILE, "write every player's results against every opponent"),
    Switch(
        "g",
        "groups",
        FILE,
        "write which players the games connect; no list unless -o or -c ask for it",
    ),
    Switch("G", "force", "", "rate unconnected groups too, each on its own"),
    Switch(
        "s", "simulations", NUMBER, "estimate errors from so many simulated replays (2 or more)"
    ),
    Switch(
        "e", "error-matrix", FILE, "write the error of each difference as comma separated values"
    ),
    Switch("C", "cfs-matrix", FILE, "write the confidence for superiority of each two players"),
    Switch("J", "cfs-show", "", "list the confidence for superiority over the next player"),
    Switch("F", "confidence", NUMBER, "confidence of error margins in per cent (95)"),
    Switch("X", "ignore-draws", "", "leave draws out"),
    Switch("t", "threshold", NUMBER, "list only players with so many games"),
    Switch("N", "decimals", "<a,b>", "decimals of ratings (1) and, if given, of percentages (0)"),
    Switch("M", "ML", "", "estimate by maximum likelihood"),
    Switch("n", "cpus", NUMBER, "processors used for simulations (1)"),
    Switch("U", "columns", "<a,..,z>", 'columns of the list ("0,1,2,3,4,5")'),
    Switch("Y", "synonyms", FILE, "other names of players: lines of main name,synonym,synonym"),
    Switch("", "aliases", FILE, "the same as --synonyms"),
    Switch("i", "include", FILE, "rate only games between players named in this file"),
    Switch("x", "exclude", FILE, "leave out games of players named in this file"),
    Switch("", "no-warnings", "", "do not warn of names in lists that are in no game"),
    Switch("b", "column-format", FILE, 'widths and headers: lines of column,width,"header"'),
)

_COLUMNS_LIMIT = 256


class Refused(YardstoneError):
    """The command ends with exit status 1 and this text, if any, on standard error."""


@dataclass
class OrdoOptions:
    """What was asked for. Names are the long names of the switches."""

    action: Literal["rate", "help", "switches", "version", "license", "table"] = "rate"
    quiet: bool = False
    show_simulation: bool = False
    timelog: bool = False
    average: float | None = None
    anchor: str | None = None
    pool_relative: bool = False
    multi_anchors: str | None = None
    loose_anchors: str | None = None
    relations: str | None = None
    remove_older: bool = False
    white: float | None = None
    white_error: float | None = None
    white_auto: bool = False
    draw: float | None = None
    draw_error: float | None = None
    draw_auto: bool = False
    scale: float = 202.0
    pgn: str | None = None
    pgn_list: str | None = None
    files: Sequence[str] = ()
    output: str | None = None
    csv: str | None = None
    elostat: bool = False
    head2head: str | None = None
    groups: str | None = None
    force: bool = False
    simulations: int = 0
    error_matrix: str | None = None
    cfs_matrix: str | None = None
    cfs_show: bool = False
    confidence: float = 95.0
    ignore_draws: bool = False
    threshold: int | None = None
    decimals: int = 1
    score_decimals: int = 0
    likelihood: bool = False
    cpus: int = 1
    columns: tuple[int, ...] = DEFAULT_COLUMNS
    synonyms: str | None = None
    include: str | None = None
    exclude: str | None = None
    warnings: bool = True
    column_format: str | None = None

    @property
    def likelihood_needed(self) -> bool:
        """Whether maximum likelihood is asked for, or forced by a prior."""
        return (
            self.likelihood
            or self.white_error is not None
            or self.draw_error is not None
            or self.relations is not None
            or self.loose_anchors is not None
        )


def _number(
    text: str, message: str, low: float = float("-inf"), high: float = float("inf")
) -> float:
    value = scan_float(text)
    if value is None or isinf(value) or not low <= value <= high:
        raise Refused(message)
    return value


def _integer(text: str, message: str, low: int) -> int:
    value = scan_integer(text)
    if value is None or value < low:
        raise Refused(message)
    return value


def _simulations(text: str) -> int:
    number = _integer(text, "wrong simulation parameter", 0)
    if number == 1:
        raise Refused("wrong simulation parameter: one simulation gives no error, take 2 or more")
    return number


def _draw_rate(text: str) -> float:
    rate = _number(text, "wrong white drawrate parameter")
    if not 0.0 <= rate <= 100.0:
        raise Refused("drawrate parameter is out of range")
    return rate


def _scale(text: str) -> float:
    message = "wrong scaling parameter: the scale must be a positive number of points"
    scale = _number(text, message)
    if scale <= 0.0:
        raise Refused(message)
    return scale


#: Switches that take a number: field and reader.
_NUMBERS: dict[str, tuple[str, Callable[[str], float | int]]] = {
    "average": ("average", lambda text: _number(text, "wrong average parameter")),
    "confidence": (
        "confidence",
        lambda text: _number(text, "wrong confidence parameter", 50.001, 99.999),
    ),
    "simulations": ("simulations", _simulations),
    "white": ("white", lambda text: _number(text, "wrong white advantage parameter")),
    "white-error": (
        "white_error",
        lambda text: _number(text, "wrong white advantage uncertainty parameter"),
    ),
    "draw": ("draw", _draw_rate),
    "draw-error": (
        "draw_error",
        lambda text: _number(text, "wrong draw rate uncertainty parameter"),
    ),
    "scale": ("scale", _scale),
    "threshold": ("threshold", lambda text: _integer(text, "wrong threshold parameter", 0)),
    "cpus": ("cpus", lambda text: _integer(text, "wrong nuber of processors selected", 1)),
}

#: Switches that take a text: field.
_TEXTS = {
    "anchor": "anchor",
    "multi-anchors": "multi_anchors",
    "loose-anchors": "loose_anchors",
    "relations": "relations",
    "pgn": "pgn",
    "pgn-list": "pgn_list",
    "output": "output",
    "csv": "csv",
    "head2head": "head2head",
    "groups": "groups",
    "error-matrix": "error_matrix",
    "cfs-matrix": "cfs_matrix",
    "synonyms": "synonyms",
    "aliases": "synonyms",
    "include": "include",
    "exclude": "exclude",
    "column-format": "column_format",
}

#: Switches without argument: field and value.
_FLAGS: dict[str, dict[str, bool]] = {
    "quiet": {"quiet": True, "show_simulation": False},
    "silent": {"quiet": True},
    "terse": {"quiet": True, "show_simulation": True},
    "timelog": {"timelog": True},
    "pool-relative": {"pool_relative": True},
    "remove-older": {"remove_older": True},
    "white-auto": {"white_auto": True},
    "draw-auto": {"draw_auto": True},
    "elostat": {"elostat": True},
    "force": {"force": True},
    "cfs-show": {"cfs_show": True},
    "ignore-draws": {"ignore_draws": True},
    "ML": {"likelihood": True},
    "no-warnings": {"warnings": False},
}


def read_options(arguments: Sequence[str]) -> OrdoOptions:
    """Read all switches, complain in Ordo's order and words.

    Raises
    ------
    UsageError
        A switch that does not exist, or one without its argument.
    Refused
        A value that cannot be used, or switches that exclude each other.
    """
    options = OrdoOptions()
    reader = SwitchReader(SWITCHES, arguments)
    actions: set[str] = set()
    columns, decimals = None, None
    for name, argument in reader:
        if name in _FLAGS:
            for flag, value in _FLAGS[name].items():
                setattr(options, flag, value)
        elif argument is None:
            actions.add(name)
        elif name in _NUMBERS:
            number_field, scan = _NUMBERS[name]
            setattr(options, number_field, scan(argument))
        elif name == "columns":
            columns = argument
        elif name == "decimals":
            decimals = argument
        else:
            setattr(options, _TEXTS[name], argument)
    options.files = reader.rest
    _choose_action(options, actions)
    if options.action != "rate":
        return options
    if options.pgn is None and options.pgn_list is None and not options.files:
        raise Refused("Need file name to proceed\n")
    if columns is not None:
        options.columns = _columns(columns)
    if decimals is not None:
        _set_decimals(options, decimals)
    return options


def _choose_action(options: OrdoOptions, actions: set[str]) -> None:
    if "license" in actions:
        options.action = "license"
    elif "version" in actions:
        options.action = "version"
    elif "help" in actions:
        options.action = "help"
    elif "show-switches" in actions:
        options.action = "switches"
    elif "table" in actions:
        options.action = "table"


def _columns(text: str) -> tuple[int, ...]:
    numbers = scan_integers(text, _COLUMNS_LIMIT)
    if numbers is None:
        raise Refused(f"Columns number provided are wrong or exceeded limit ({_COLUMNS_LIMIT})\n")
    if -1 in numbers:  # ends the list
        numbers = numbers[: numbers.index(-1)]
    unknown = [number for number in numbers if not 0 <= number < len(COLUMNS)]
    if unknown:
        raise Refused(
            f"Columns number provided are wrong: there is no column {unknown[0]}, "
            f"they go from 0 to {len(COLUMNS) - 1}\n"
        )
    return tuple(numbers)


def _set_decimals(options: OrdoOptions, text: str) -> None:
    numbers = scan_integers(text, 2)
    if numbers is None:
        raise Refused("Decimals number provided are wrong or exceeded limit (2)\n")
    if min(numbers) < 0:
        raise Refused("Decimals cannot be negative or exceeded limit\n")
    options.decimals = numbers[0]
    options.score_decimals = numbers[1] if len(numbers) > 1 else 1


def check_combinations(options: OrdoOptions) -> None:
    """Refuse switches that exclude each other."""
    together = "are incompatible and will not work simultaneously\n"
    white = options.white is not None or options.white_error is not None
    draw = options.draw is not None or options.draw_error is not None
    average = options.average is not None
    if options.multi_anchors is not None and (average or options.anchor is not None):
        raise Refused(
            "Setting a general average (-a) or a single anchor (-A) is incompatible "
            "with multiple anchors (-m)\n"
        )
    if white and options.white_auto:
        raise Refused(f"Switches -w/-u and -W {together}")
    if draw and options.draw_auto:
        raise Refused(f"Switches -d/-k and -D {together}")
    if options.loose_anchors is not None and average:
        raise Refused(
            "Setting a general average (-a) is incompatible with having a file "
            "with rating seeds (-y)\n"
        )
    if options.groups is not None and options.force:
        raise Refused("Switches -g and -G cannot be used at the same time\n")
    if options.include is not None and options.exclude is not None:
        raise Refused("Switches -x and -i cannot be used at the same time\n")
