"""What Ordo's users give: files of games, of names, and what is known beforehand."""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yardstone.cli import be_quiet, talks
from yardstone.cli.ordo_switches import OrdoOptions, Refused, scan_float
from yardstone.errors import InputError, NoGamesError
from yardstone.files import replaced
from yardstone.pool import PairCounts, Pool, SkipReport
from yardstone.ratings.joint import Prior, Relation
from yardstone.records.decoding import decode
from yardstone.records.options import Options
from yardstone.records.pgn import read_pgn
from yardstone.records.sources import Source
from yardstone.reports.ordo import Groups, as_in_tag, groups_text

_BLANKS = " \t\n\v\f\r"


#: A field, quoted or not, with the comma behind it; of a row of blanks only the first begins one.
_FIELD = re.compile(
    rf"""(?: \A | (?<=[^{_BLANKS}]) | (?=[^{_BLANKS}])) [{_BLANKS}]*+ (?=.) (?:
        "((?: [^"] | (?<=\\)" (?=[^"]*") (?! [{_BLANKS}]*,) )*) (?: " [{_BLANKS}]*+ ,? | \Z )
        | ([^,]*) ,?
    )""",
    re.DOTALL | re.VERBOSE,
)


def csv_fields(line: str) -> list[str]:
    r"""Fields of a line of comma separated values, by Ordo's rules.

    A quoted field ends at the next quote; an unquoted one loses the blanks around
    it. As in a PGN tag, ``\"`` inside quotes stands for itself, unless a comma or
    the end of the line follows.
    """
    return [
        quoted if bare is None else bare.rstrip(_BLANKS)
        for quoted, bare in (match.groups() for match in _FIELD.finditer(line))
    ]


def _text_lines(path: str) -> list[str]:
    """Lines of a text file with their ends; refused with Ordo's message if it cannot be read."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        raise Refused(f'Errors in file "{path}"') from None
    lines = decode(content.removeprefix(b"\xef\xbb\xbf")).split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def csv_lines(path: str) -> Iterator[list[str]]:
    """Fields of each line of a file that is not blank."""
    for line in _text_lines(path):
        if line.strip(_BLANKS):
            yield csv_fields(line)


def file_names(path: str) -> list[str]:
    """Names in a file that holds one a line."""
    trouble = Refused(f'Errors in file "{path}", or lack of memory')
    try:
        rows = list(csv_lines(path))
    except Refused:
        raise trouble from None
    if any(len(row) != 1 for row in rows):
        raise trouble
    return [row[0] for row in rows]


def _scan_single(text: str) -> float | None:
    """The finite number `text` begins with, in single precision as Ordo keeps it; None without."""
    value = scan_float(text)
    if value is None:
        return None
    with np.errstate(over="ignore"):
        single = float(np.float32(value))
    return single if isfinite(single) else None


class OutputFile:
    """A file that is either written whole or not touched.

    Raises:
        Refused: With Ordo's message, if it cannot be written: from the constructor, where that
            is known beforehand.
    """

    def __init__(self, path: str, message: str = "Errors with file: {}") -> None:
        self.path = Path(path)
        self._trouble = message.format(path)
        try:
            if self.path.exists() and not os.access(path, os.W_OK):
                raise PermissionError(path)
            with suppress(Refused), replaced(self.path):
                raise Refused  # for now it stays as it is
        except (OSError, InputError):
            raise Refused(self._trouble) from None

    def write(self, text: str) -> None:
        """Write all of it."""
        try:
            with replaced(self.path) as temporary:
                temporary.write_bytes(text.encode("utf-8", "surrogateescape"))
        except (OSError, InputError):
            raise Refused(self._trouble) from None


def opened(path: str | None, message: str = "Errors with file: {}") -> OutputFile | None:
    """A file that is to be written, if there is one."""
    return None if path is None else OutputFile(path, message)


def warn(message: str) -> None:
    """One line of warning on standard error."""
    sys.stderr.write(f"yardstone: {message}\n")


def say(text: str) -> None:
    """Print it at once, unless the command is quiet."""
    if talks():
        print(text, end="", flush=True)


#: A deviation below this fixes the value.
SMALLEST_DEVIATION = 1e-7


class Known:
    """Fixed ratings, priors of ratings and of differences, by names of players.

    They are read from the files of switches -y, -m and -r, in this order.

    Raises:
        Refused: As Ordo would fail, after its messages.
    """

    def __init__(self, options: OrdoOptions, players: Players) -> None:
        self.anchors: dict[str, float] = {}
        self.loose: dict[str, Prior] = {}
        self.relations: list[Relation] = []
        self._all = players
        self._names = players.names
        self._read(options.loose_anchors, self._loose_anchor)
        self._read(options.multi_anchors, self._anchor, stop_at_stranger=True)
        self._read(options.relations, self._relation, complaint="Problems with input in -r file\n")
        self._show()

    @property
    def players(self) -> set[str]:
        """Everybody about whom something is known."""
        ends = {name for relation in self.relations for name in (relation.player, relation.other)}
        return ends | self.anchors.keys() | self.loose.keys()

    def _read(
        self,
        path: str | None,
        take: Callable[[list[str]], bool | None],
        *,
        stop_at_stranger: bool = False,
        complaint: str = "",
    ) -> None:
        """Hand lines to `take`; a bad one is fatal, and an unknown name in the last, as in Ordo."""
        matches: bool | None = True
        for row in csv_lines(path) if path is not None else ():
            matches = take(row)
            if matches is None:
                sys.stdout.write(complaint)
                raise Refused("" if complaint else f'Errors in file "{path}"')
            if stop_at_stranger and not matches:
                break
        if not matches:
            raise Refused(f'Errors in file "{path}" (not matching names)')

    def _name(self, text: str) -> str | None:
        number = self._all.find(text)
        return None if number is None else self._names[number]

    def _anchor(self, row: list[str], *, kind: str = "Anchoring") -> bool | None:
        """A line of -m: player, rating."""
        value = _scan_single(row[1]) if len(row) >= 2 else None
        if value is None:
            return None
        name = self._name(row[0])
        if name is None:
            return _failed(f"{kind}, {row[0]}", _STRANGER)
        self.anchors[name] = value
        say(f"Anchoring, {row[0]} --> {value:.1f}\n")
        return True

    def _loose_anchor(self, row: list[str]) -> bool | None:
        """A line of -y: player, rating and one deviation or more, added as squares."""
        numbers = [_scan_single(text) for text in row[1:]]
        values = [number for number in numbers if number is not None]
        if len(values) < 2 or len(values) < len(numbers):
            return None
        deviation = values[1]
        if len(values) > 2:
            deviation = sqrt(sum(value * value for value in values[1:]))
        if deviation < 0.0:
            return _failed(f"Prior, {row[0]}", _NEGATIVE)
        if deviation < SMALLEST_DEVIATION:
            return self._anchor(row, kind="Prior")
        name = self._name(row[0])
        if name is None:
            return _failed(f"Prior, {row[0]}", _STRANGER)
        self.loose[name] = Prior(values[0], deviation)
        return True

    def _relation(self, row: list[str]) -> bool | None:
        """A line of -r: two players, their difference and its deviation."""
        difference, deviation = map(_scan_single, row[2:]) if len(row) == 4 else (None, None)
        if difference is None or deviation is None:
            return None
        if deviation < 0.0:
            return _failed(f"Relative Prior, {row[0]} {row[1]}", _NEGATIVE)
        if deviation < SMALLEST_DEVIATION:
            raise Refused("sigma too small")
        player, other = self._name(row[0]), self._name(row[1])
        if player is None or other is None:
            return _failed(
                f"Relative Prior, {row[0]}, {row[1]}", "name/s not found in input file\n"
            )
        self.relations.append(Relation(player, other, difference, deviation))
        say(f"Relative Prior, {row[0]}, {row[1]} --> {difference:.1f}, {deviation:.1f}\n")
        return True

    def _show(self) -> None:
        """Print what is known, the loose anchors in order of the players."""
        loose = [
            f"  [{as_in_tag(name)}] = {prior.mean:.6f} +/- {prior.deviation:.6f}"
            for name in self._names
            if (prior := self.loose.get(name)) is not None
        ]
        relations = [
            f"[{as_in_tag(r.player)}] [{as_in_tag(r.other)}] = "
            f"{r.difference:.6f} +/- {r.deviation:.6f}"
            for r in self.relations
        ]
        lines = ["Loose Anchors {", *loose, "}"] if loose else ["Loose Anchors = none"]
        if relations:
            lines += ["Relative Anchors = {", *relations, "}"]
        else:
            lines.append("Relative Anchors = none")
        say("\n".join(lines) + "\n\n")


_STRANGER = "name not found in input file\n"
_NEGATIVE = "error/uncertainty cannot be negative"


def _failed(line: str, why: str) -> bool:
    sys.stderr.write(f"{line} --> FAILED, {why}")
    return False


#: The kind under which the reader reports games without a result.
UNFINISHED = "unfinished (result *)"

_GAMES_PER_DOT = 2000
_GAMES_PER_LINE = 100_000
_SHOWN_PROBLEMS = 10


class Players:
    """Names of players in order of appearance, those of the synonyms first.

    A synonym keeps a number of its own, without games, as it does in Ordo; its games go to its main
    name. Names are looked up as they are, or else as they stand in a PGN tag.
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._main: dict[int, int] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return tuple(self._number)

    def number(self, name: str) -> int:
        """Number under which games of `name` count; new names get one."""
        first = number = self._number.setdefault(name, len(self._number))
        while number in self._main:
            number = self._main[number]
        if number != first:
            self._main[first] = number  # the way is short from now on
        return number

    def find(self, name: str) -> int | None:
        """Number under which games of `name` count, or None if nobody has the name."""
        name = name if name in self._number else _as_read(name)
        return self.number(name) if name in self._number else None

    def add_synonym(self, main: str, synonym: str) -> bool:
        """Let games of `synonym` count for `main`; false if it already has another main name."""
        target = self.number(main)
        known = synonym in self._number
        number = self._number.setdefault(synonym, len(self._number))
        if known and self.number(synonym) == target:
            return True
        if number in self._main:
            return False
        self._main[number] = target
        return True


@dataclass
class Input:
    """The games of all files.

    `first` and `second` are the numbers of the players of each finished game, in order of the
    files, `score` the points of `first`; `used` marks the games that count, and `unfinished` is
    how many have no result.
    """

    players: Players
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]
    used: NDArray[np.bool_]
    unfinished: int

    @property
    def total(self) -> int:
        """Number of games, with or without a result, used or not."""
        return len(self.score) + self.unfinished

    @property
    def discarded(self) -> int:
        """Number of games that do not count."""
        return self.total - int(self.used.sum())

    def results(self) -> tuple[int, int, int]:
        """Wins of the side moving first, draws and losses, of the games that count."""
        counted = np.bincount((self.score[self.used] * 2).astype(np.int64), minlength=3)
        return int(counted[2]), int(counted[1]), int(counted[0])

    def pair_counts(self) -> PairCounts:
        """The games that count, added up by pair."""
        used = self.used
        return Pool(
            self.players.names, self.first[used], self.second[used], self.score[used]
        ).pair_counts()

    def leave_out(self, keep: NDArray[np.bool_]) -> None:
        """Let only games count where both players are kept."""
        self.used &= keep[self.first] & keep[self.second]


#: Among the names of files: read standard input, and announce no file.
STANDARD_INPUT = "\0stdin"


def _read_file(file: str, trouble: str) -> Pool:
    empty = Pool((), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    if file in ("-", STANDARD_INPUT):
        source = Source("<stdin>", None)
    elif Path(file).is_dir():
        return empty
    else:
        source = Source(file, Path(file))
    try:
        return read_pgn([source], Options(), once=False)
    except NoGamesError:
        return empty
    except InputError:
        raise Refused(trouble) from None


def _dots(games: int) -> str:
    """A dot for every 2000 games, a count for every 100,000."""
    line = "." * (_GAMES_PER_LINE // _GAMES_PER_DOT)
    full, rest = divmod(games, _GAMES_PER_LINE)
    marks = [f"{line}|  {100 * number:4}k\n" for number in range(1, full + 1)]
    return "".join(marks) + "." * (rest // _GAMES_PER_DOT) + "|\n\n"


def _load_synonyms(players: Players, path: str) -> list[str]:
    """Note all synonyms of a file; they are returned."""
    merged = []
    for row in csv_lines(path):
        for synonym in row[1:]:
            main, other = _as_read(row[0]), _as_read(synonym)
            if players.add_synonym(main, other):
                merged.append(other)
            else:
                warn(f'{path}: "{synonym}" has another main name already, not "{row[0]}"')
    say("Synonyms uploaded succesfully\n")
    return merged


def _as_read(name: str) -> str:
    """A name of a file of names as the reader of games gives it."""
    return name.replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\").strip()


def _report_skipped(skipped: SkipReport) -> None:
    """Say on standard error which records were left out: the first ones, and how many."""
    problems = Counter(skipped.reasons)
    del problems[UNFINISHED]
    total = sum(problems.values())
    if not total:
        return
    details = [record for record in skipped.details if record.reason != UNFINISHED]
    for record in details[:_SHOWN_PROBLEMS]:
        warn(str(record))
    kinds = ", ".join(f"{number} x {kind}" for kind, number in problems.most_common())
    warn(f"{total} record{'s' if total > 1 else ''} skipped: {kinds}")


def _ticked_players(path: str, games: Input, *, warnings: bool) -> NDArray[np.bool_]:
    """Players named in a file, one a line (switches -i and -x)."""
    ticked = np.zeros(len(games.players.names), np.bool_)
    for number, line in enumerate(_text_lines(path), start=1):
        fields = csv_fields(line)
        if not fields:
            continue
        player = games.players.find(fields[0]) if len(fields) == 1 else None
        if player is not None:
            ticked[player] = True
        elif warnings:
            sys.stderr.write(
                f'WARNING (not matching name): file "{path}", line {number} = {line}\n'
            )
    say("Names uploaded succesfully\n")
    return ticked


class Session:
    """What both commands do between the switches and the exit status."""

    games: Input
    #: What is said of a file that cannot be opened.
    trouble = "Problems reading results"

    def __init__(self, options: OrdoOptions) -> None:
        self.options = options
        be_quiet(options.quiet)
        self._started = time.process_time()

    def files(self) -> list[str]:
        """The files of games, in order."""
        options = self.options
        files = [options.pgn] if options.pgn is not None else []
        if options.pgn_list is not None:
            files += file_names(options.pgn_list)
        return [*files, *options.files]

    def load(self, files: Sequence[str]) -> Input:
        """Read the games, and leave out those of players who are not wanted."""
        options = self.options
        games = self._read(files)
        if not games.total:
            raise Refused("ERROR: Input file contains no games")
        for path, wanted in ((options.include, True), (options.exclude, False)):
            if path is not None:
                ticked = _ticked_players(path, games, warnings=options.warnings)
                games.leave_out(ticked == wanted)
        return games

    def _read(self, files: Sequence[str]) -> Input:
        """Read all files, saying what Ordo says."""
        players, synonyms = Players(), self.options.synonyms
        merged = [] if synonyms is None else _load_synonyms(players, synonyms)
        first, second, score = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], [np.zeros(0)]
        unfinished = 0
        skipped = SkipReport()
        met: set[str] = set()
        for file in files:
            if file != STANDARD_INPUT:
                say(f"\nFile: {file}\n")
            if file not in ("-", STANDARD_INPUT) and not os.access(file, os.R_OK):
                raise Refused(self.trouble)
            say(f"Loading data ({_GAMES_PER_DOT} games x dot): \n\n")
            pool = _read_file(file, self.trouble)
            open_games = pool.skipped.reasons[UNFINISHED]
            say(_dots(len(pool) + open_games))
            number = np.array([players.number(name) for name in pool.players], np.int32)
            met.update(pool.players)
            first.append(number[pool.first])
            second.append(number[pool.second])
            score.append(pool.score)
            unfinished += open_games
            skipped.merge(pool.skipped)
        if self.options.warnings:
            for name in merged:
                if name not in met:
                    warn(f'{synonyms}: the synonym "{as_in_tag(name)}" is in no game')
        _report_skipped(skipped)
        ends, scores = (np.concatenate(first), np.concatenate(second)), np.concatenate(score)
        return Input(players, *ends, scores, np.ones(len(scores), np.bool_), unfinished)

    @cached_property
    def tag_names(self) -> tuple[str, ...]:
        """Names of all players as they stand in a PGN tag."""
        return tuple(map(as_in_tag, self.games.players.names))

    def log(self, step: str) -> None:
        """Print the processor time used before a step, if that is wanted."""
        if self.options.timelog:
            sys.stdout.write(f"{time.process_time() - self._started:8.2f} | {step}\n")

    def write_groups(self, output: OutputFile, groups: Groups) -> None:
        """Write which players the games connect, and say how many groups they make."""
        output.write(groups_text(self.tag_names, groups))
        say(
            f"\nGroups={len(groups)}\n"
            f"Encounters: Total={groups.within + groups.between}, "
            f"within groups={groups.within}, @ interface between groups={groups.between}\n"
        )
