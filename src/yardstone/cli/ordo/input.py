"""Reads games as Ordo does: file after file, synonyms first, then who is left out."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yardstone.cli.ordo.files import csv_fields, csv_lines, text_lines, warn
from yardstone.cli.ordo.options import Refused
from yardstone.errors import InputError, NoGamesError
from yardstone.pool import PairCounts, Pool, SkipReport
from yardstone.records.pgn import read_pgn
from yardstone.records.sources import Source
from yardstone.reports.ordo.text import as_in_tag

__all__ = ["Input", "Players", "read_input"]

#: The kind under which the reader reports games without a result.
UNFINISHED = "unfinished (result *)"

_GAMES_PER_DOT = 2000
_GAMES_PER_LINE = 100_000
_SHOWN_PROBLEMS = 10


class Players:
    """Names of players in order of appearance, those of the synonyms first.

    A synonym keeps a number of its own, without games, as it does in Ordo; its
    games go to its main name. Names are looked up as they are, or else as they
    stand in a PGN tag.
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
        if name not in self._number:
            name = name.replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\").strip()
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

    Attributes
    ----------
    players : Players
        Everybody named in the games or as a synonym.
    first, second : int32 arrays
        Numbers of the players of each finished game, in order of the files.
    score : float64 array
        Points of `first`.
    used : bool array
        Games that count; the others are left out.
    unfinished : int
        Games without a result.
    skipped : SkipReport
        Records that could not be read.
    """

    players: Players
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    score: NDArray[np.float64]
    used: NDArray[np.bool_]
    unfinished: int = 0
    skipped: SkipReport = field(default_factory=SkipReport)

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


def read_input(
    files: Sequence[str],
    synonyms: str | None,
    *,
    quiet: bool,
    warnings: bool = True,
    trouble: str = "Problems reading results",
) -> Input:
    """Read all files, saying what Ordo says unless `quiet`.

    Raises Refused with the text `trouble` if a file cannot be opened.
    """
    players = Players()
    merged = _load_synonyms(players, synonyms, quiet=quiet) if synonyms is not None else []
    first, second, score = [], [], []
    unfinished = 0
    skipped = SkipReport()
    met: set[str] = set()
    for file in files:
        if not quiet and file != STANDARD_INPUT:
            sys.stdout.write(f"\nFile: {file}\n")
        if file not in ("-", STANDARD_INPUT) and not os.access(file, os.R_OK):
            raise Refused(trouble)
        if not quiet:
            sys.stdout.write(f"Loading data ({_GAMES_PER_DOT} games x dot): \n\n")
            sys.stdout.flush()
        pool = _read_file(file, trouble)
        open_games = pool.skipped.reasons[UNFINISHED]
        if not quiet:
            sys.stdout.write(_dots(len(pool) + open_games))
        number = np.array([players.number(name) for name in pool.players], np.int32)
        met.update(pool.players)
        first.append(number[pool.first])
        second.append(number[pool.second])
        score.append(pool.score)
        unfinished += open_games
        skipped.merge(pool.skipped)
    if warnings:
        for name in merged:
            if name not in met:
                warn(f'{synonyms}: the synonym "{as_in_tag(name)}" is in no game')
    _report_skipped(skipped)
    empty = np.zeros(0)
    scores = np.concatenate([empty, *score])
    return Input(
        players,
        np.concatenate([empty, *first]).astype(np.int32),
        np.concatenate([empty, *second]).astype(np.int32),
        scores,
        np.ones(len(scores), np.bool_),
        unfinished,
        skipped,
    )


#: Among the names of files: read standard input, and announce no file.
STANDARD_INPUT = "\0stdin"


def _read_file(file: str, trouble: str) -> Pool:
    nothing = np.zeros(0)
    empty = Pool((), nothing.astype(np.int32), nothing.astype(np.int32), nothing)
    if file in ("-", STANDARD_INPUT):
        source = Source("<stdin>", None)
    elif Path(file).is_dir():
        return empty
    else:
        source = Source(file, Path(file))
    try:
        return read_pgn([source])
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


def _load_synonyms(players: Players, path: str, *, quiet: bool) -> list[str]:
    """Note all synonyms of a file; they are returned."""
    merged = []
    for row in csv_lines(path):
        for synonym in row[1:]:
            main, other = _as_read(row[0]), _as_read(synonym)
            if players.add_synonym(main, other):
                merged.append(other)
            else:
                warn(f'{path}: "{synonym}" has another main name already, not "{row[0]}"')
    if not quiet:
        sys.stdout.write("Synonyms uploaded succesfully\n")
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


def ticked_players(path: str, games: Input, *, quiet: bool, warnings: bool) -> NDArray[np.bool_]:
    """Players named in a file, one a line (switches -i and -x)."""
    ticked = np.zeros(len(games.players.names), np.bool_)
    for number, line in enumerate(text_lines(path), start=1):
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
    if not quiet:
        sys.stdout.write("Names uploaded succesfully\n")
    return ticked
