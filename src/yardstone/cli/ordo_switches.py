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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from types import SimpleNamespace
from typing import Any

from yardstone.errors import UsageError, YardstoneError
from yardstone.reports.ordo import COLUMNS, DEFAULT_COLUMNS


class Refused(YardstoneError):
    """The command ends with exit status 1 and this text, if any, on standard error."""


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch, as it is typed and what it does; `read` makes a value of its argument."""

    typed: str
    help: str
    read: Callable[[str], Any] = str

    @property
    def letter(self) -> str:
        """The short form without dash; empty if there is none."""
        return self.typed[1].replace("-", "")

    @property
    def name(self) -> str:
        """The long form without dashes."""
        return self.typed.partition("--")[2].partition("=")[0]

    @property
    def argument(self) -> str:
        """What the argument is called in the help; empty if it takes none."""
        return self.typed.partition("=")[2]

    @property
    def writes(self) -> bool:
        """Whether the argument is a file to write."""
        return self.help.startswith("write ") and self.argument == "FILE"

    @property
    def field(self) -> str:
        """The name of the option that it sets."""
        return _FIELDS.get(self.name, self.name).replace("-", "_")

    def given(self, argument: str | None) -> Mapping[str, Any]:
        """The fields of the options that it sets, with their values."""
        value = True if argument is None else self.read(argument)
        fields: Mapping[str, Any] = _SETS.get(self.name, {self.field: value})
        return fields


#: Switches that ask for something else than the work; the first of them that is given holds.
_ACTIONS = ("license", "version", "help", "show-switches", "table")
#: Fields of the options that switches of another name set.
_FIELDS = {
    "ML": "likelihood",
    "aliases": "synonyms",
    "columns": "wanted_columns",
    "decimals": "wanted_decimals",
    "min-perf": "min_percent",
    "silent": "quiet",
}
#: What other switches set than the field of their name.
_SETS = {
    "quiet": {"quiet": True, "show_simulation": False},
    "terse": {"quiet": True, "show_simulation": True},
    "no-warnings": {"warnings": False},
}
#: Switches that stand first in the help of both commands.
_COMMON = """\
-h, --help  print this help and exit
-H, --show-switches  print only this table and exit
-v, --version  print the version and exit
-L, --license  print version and licence and exit
-q, --quiet  print results only, no progress
--silent  the same as --quiet
--untrusted  read files of strangers in a cell: no other file, no network, limited memory
"""


def switches(table: str, **read: Callable[[str], Any]) -> tuple[Switch, ...]:
    """The switches of both commands and of a table; arguments are texts, unless `read` is given."""
    rows = (line.split("  ", 1) for line in (_COMMON + table).splitlines())
    made = (Switch(typed, about) for typed, about in rows)
    return tuple(replace(each, read=read.get(each.name.replace("-", "_"), str)) for each in made)


def taken_switches(
    switches: Sequence[Switch], words: list[str]
) -> Iterator[tuple[Switch, str | None]]:
    """Take switches from the front of `words`, each with its argument; raises UsageError."""
    known = {f"-{each.letter}": each for each in switches if each.letter}
    known |= {f"--{each.name}": each for each in switches}

    def found(name: str) -> Switch:
        if name not in known:
            raise UsageError(f"there is no switch {name}")
        return known[name]

    def argument(name: str, attached: str) -> str:
        if not attached and not words:
            raise UsageError(f"{name} needs an argument")
        return attached or words.pop(0)

    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--":
            return
        if word == "-":
            raise UsageError("a dash alone is not a switch")
        if word.startswith("--"):
            name, _, value = word.partition("=")
            switch = found(name)
            yield switch, argument(name, value) if switch.argument else None
            continue
        for place, letter in enumerate(word[1:], start=2):
            switch = found(f"-{letter}")
            if switch.argument:
                yield switch, argument(f"-{letter}", word[place:])
                break
            yield switch, None


class OrdoOptions(SimpleNamespace):
    """What was asked for, by the long names of the switches; None or false where nothing was.

    `files` are the files of games without a switch, `action` is what is to be done in place of
    the work.
    """

    @property
    def has_files(self) -> bool:
        """Whether files of games are named."""
        return self.pgn is not None or self.pgn_list is not None or bool(self.files)

    def any_given(self, *names: str) -> bool:
        """Whether one of these switches has an argument."""
        return any(getattr(self, name) is not None for name in names)

    def check_names(self) -> None:
        """Refuse two lists of names that exclude each other."""
        if self.include is not None and self.exclude is not None:
            raise Refused("Switches -x and -i cannot be used at the same time\n")


def given_options(
    switches: Sequence[Switch], arguments: Sequence[str], **defaults: object
) -> OrdoOptions:
    """Read all switches into options; one that asks for an action gives them its name."""
    words = list(arguments)
    unset = {each.field: None if each.argument else False for each in switches}
    made = OrdoOptions(**unset | {"warnings": True, "show_simulation": False} | defaults)
    actions = set()
    for switch, argument in taken_switches(switches, words):
        if switch.name in _ACTIONS:
            actions.add(switch.name)
        else:
            vars(made).update(switch.given(argument))
    made.files = words
    made.action = next((name for name in _ACTIONS if name in actions), "")
    return made


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
    parts = text.split(",")
    numbers = [number for part in parts if (number := scan_integer(part)) is not None]
    return numbers if len(numbers) == len(parts) <= limit else None


def help_lines(switches: Sequence[Switch], *, width: int = 80) -> list[str]:
    """The table of switches: short and long form, then what each does."""
    heads = [f" {'' if each.letter else '    '}{each.typed}" for each in switches]
    column = max(map(len, heads)) + 1
    lines = []
    for head, switch in zip(heads, switches, strict=True):
        described = textwrap.wrap(switch.help, width - column) or [""]
        lines.append(f"{head:<{column}}{described[0]}")
        lines.extend(" " * column + more for more in described[1:])
    return lines


def number(
    message: str,
    low: float = -inf,
    high: float = inf,
    *,
    outside: str = "",
    scan: Callable[[str], float | None] = scan_float,
) -> Callable[[str], Any]:
    """Read a number, or refuse it with the message; with `outside` if it is out of range."""

    def read(text: str) -> float:
        value = scan(text)
        if value is None or not -inf < value < inf:
            raise Refused(message)
        if not low <= value <= high:
            raise Refused(outside or message)
        return value

    return read


def integer(message: str, low: float = -inf) -> Callable[[str], Any]:
    """Read a whole number, or refuse it with the message."""
    return number(message, low, scan=scan_integer)


def _simulations(text: str) -> int:
    replays: int = integer("wrong simulation parameter", 0)(text)
    if replays == 1:
        raise Refused("wrong simulation parameter: one simulation gives no error, take 2 or more")
    return replays


def _scale(text: str) -> float:
    scale = scan_float(text)
    if scale is None or not 0.0 < scale < inf:
        raise Refused("wrong scaling parameter: the scale must be a positive number of points")
    return scale


SWITCHES = switches(
    """\
-Q, --terse  quiet, but show how far the simulation is
--timelog  print the processor time used before each step
-a, --average=NUM  average rating of the pool (2300)
-A, --anchor=<player>  this player gets the rating of -a, not the pool
-V, --pool-relative  errors relative to the average although there is an anchor
-m, --multi-anchors=FILE  several fixed ratings: lines of "player",rating
-y, --loose-anchors=FILE  ratings known beforehand: "player",rating,deviation
-r, --relations=FILE  differences known beforehand: "A","B",A minus B,deviation
-R, --remove-older  do not list the B of relations
-w, --white=NUM  rating points that moving first is worth (0)
-u, --white-error=NUM  deviation of -w: it is estimated with this prior
-W, --white-auto  estimate what moving first is worth
-d, --draw=NUM  draw rate of equal opponents in per cent (50)
-k, --draw-error=NUM  deviation of -d: it is estimated with this prior
-D, --draw-auto  estimate the draw rate of equal opponents
-z, --scale=NUM  rating difference for an expected score of 76 % (202)
-T, --table  print expected scores and rating differences and exit
-p, --pgn=FILE  games to read, in PGN; - is standard input
-P, --pgn-list=FILE  a file with one name of a PGN file a line
-o, --output=FILE  write the list here, not to the screen
-c, --csv=FILE  write the list as comma separated values
-E, --elostat  write rating.dat, programs.dat and general.dat as EloStat does
-j, --head2head=FILE  write every player's results against every opponent
-g, --groups=FILE  write which players the games connect; no list unless -o or -c ask for it
-G, --force  rate unconnected groups too, each on its own
-s, --simulations=NUM  estimate errors from so many simulated replays (2 or more)
-e, --error-matrix=FILE  write the error of each difference as comma separated values
-C, --cfs-matrix=FILE  write the confidence for superiority of each two players
-J, --cfs-show  list the confidence for superiority over the next player
-F, --confidence=NUM  confidence of error margins in per cent (95)
-X, --ignore-draws  leave draws out
-t, --threshold=NUM  list only players with so many games
-N, --decimals=<a,b>  decimals of ratings (1) and, if given, of percentages (0)
-M, --ML  estimate by maximum likelihood
-n, --cpus=NUM  processors used for simulations (1)
-U, --columns=<a,..,z>  columns of the list ("0,1,2,3,4,5")
-Y, --synonyms=FILE  other names of players: lines of main name,synonym,synonym
--aliases=FILE  the same as --synonyms
-i, --include=FILE  rate only games between players named in this file
-x, --exclude=FILE  leave out games of players named in this file
--no-warnings  do not warn of names in lists that are in no game
-b, --column-format=FILE  widths and headers: lines of column,width,"header"
""",
    average=number("wrong average parameter"),
    white=number("wrong white advantage parameter"),
    white_error=number("wrong white advantage uncertainty parameter"),
    draw=number(
        "wrong white drawrate parameter", 0.0, 100.0, outside="drawrate parameter is out of range"
    ),
    draw_error=number("wrong draw rate uncertainty parameter"),
    scale=_scale,
    simulations=_simulations,
    confidence=number("wrong confidence parameter", 50.001, 99.999),
    threshold=integer("wrong threshold parameter", 0),
    cpus=integer("wrong nuber of processors selected", 1),
)

_COLUMNS_LIMIT = 256


def read_options(arguments: Sequence[str]) -> OrdoOptions:
    """Read all switches, complain in Ordo's order and words.

    Raises:
        UsageError: A switch that does not exist, or one without its argument.
        Refused: A value that cannot be used, or switches that exclude each other.
    """
    options = given_options(
        SWITCHES, arguments, scale=202.0, simulations=0, confidence=95.0, cpus=1, decimals=1,
        score_decimals=0, columns=DEFAULT_COLUMNS,
    )  # fmt: skip
    if options.action:
        return options
    if not options.has_files:
        raise Refused("Need file name to proceed\n")
    if options.wanted_columns is not None:
        options.columns = _columns(options.wanted_columns)
    if options.wanted_decimals is not None:
        decimals = scan_integers(options.wanted_decimals, 2)
        if decimals is None:
            raise Refused("Decimals number provided are wrong or exceeded limit (2)\n")
        if min(decimals) < 0:
            raise Refused("Decimals cannot be negative or exceeded limit\n")
        options.decimals, options.score_decimals = (*decimals, 1)[:2]
    priors = options.any_given("white_error", "draw_error", "relations", "loose_anchors")
    options.likelihood_needed = options.likelihood or priors
    return options


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


def check_combinations(options: OrdoOptions) -> None:
    """Refuse switches that exclude each other."""
    together = "are incompatible and will not work simultaneously\n"
    average, multi = options.average is not None, options.multi_anchors is not None
    for clash, message in (
        (
            multi and options.any_given("average", "anchor"),
            "Setting a general average (-a) or a single anchor (-A) is incompatible "
            "with multiple anchors (-m)\n",
        ),
        (
            options.white_auto and options.any_given("white", "white_error"),
            f"Switches -w/-u and -W {together}",
        ),
        (
            options.draw_auto and options.any_given("draw", "draw_error"),
            f"Switches -d/-k and -D {together}",
        ),
        (
            average and options.loose_anchors is not None,
            "Setting a general average (-a) is incompatible with having a file "
            "with rating seeds (-y)\n",
        ),
        (
            options.force and options.groups is not None,
            "Switches -g and -G cannot be used at the same time\n",
        ),
    ):
        if clash:
            raise Refused(message)
    options.check_names()
