"""Go games from SGF files: headers, main lines, variations where asked.

`read_games` gives games one after another, whatever program, server or century they
come from; `read_sgf` gives their results as a pool, in which Black is ``first``.

Source of the format: the SGF specification FF[4] by Arno Hollosi, and FF[1] to FF[3].
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.kernels import Loops, in_steps
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records.dates import Times, date_span
from yardstone.records.go_game import BLACK, UNKNOWN, WHITE, GoGame
from yardstone.records.joining import without_empty_columns
from yardstone.records.results import left_out_reason
from yardstone.records.sgf_games import GameBuilder, Unusable
from yardstone.records.sgf_records import RecordReader, SgfLimits, SgfRecord
from yardstone.records.sgf_tree import SgfTree
from yardstone.records.sgf_write import write_sgf
from yardstone.records.shares import read_shares
from yardstone.records.sources import Source, find_sources
from yardstone.records.strength_columns import HANDICAP_GAME, SGF_LEVELS
from yardstone.records.tags import SGF, further_columns, require_columns
from yardstone.records.unplayed import CONTENT, IDENTITY, without_repeats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.options import Options

__all__ = [
    "GoGame",
    "SgfLimits",
    "SgfReader",
    "SgfTree",
    "read_games",
    "read_sgf",
    "read_trees",
    "write_sgf",
]

StrPath = str | os.PathLike[str]
Progress = Callable[[int, int], object]
ENDINGS = (".sgf",)
#: Where a server tells which of its games it is.
_GAME_LINK = re.compile(r"://\S+\d{3}")
#: Columns that hold the first and the last moment of a date until all games are there.
_SPAN = ("first moment", "last moment")
#: The lines of play of a record may have so many nodes, and so many times as many as the record,
#: so that the work grows with the file.
_FEW_NODES, _TIMES_NODES = 100_000, 100


class SgfReader:
    """Reads games from SGF files and keeps count of what it skipped and repaired.

    Iterating gives the games one after another; memory is bounded by the longest
    record, not by the number of files.

    Parameters
    ----------
    *paths : str, path or Source
        Files, folders, patterns, zip and tar archives, or ``"-"``; compressed or not.
    variations : bool
        Give a game for every line of play, the main line first, in place of the main
        line only.
    strict : bool
        Raise at the first record that cannot be used.
    limits : SgfLimits, optional
        How long records may be.
    progress : callable, optional
        Called with the bytes read so far and all bytes (0 if unknown).

    Attributes
    ----------
    skipped : SkipReport
        Records that were left out, and in `skipped.repaired` how often what was put
        right in the others.
    """

    def __init__(
        self,
        *paths: StrPath | Source,
        variations: bool = False,
        strict: bool = False,
        limits: SgfLimits | None = None,
        progress: Progress | None = None,
    ) -> None:
        if not paths:
            raise UsageError("no files given")
        self.skipped = SkipReport()
        self._strict = strict
        self._limits = limits or SgfLimits()
        self._variations = variations
        self._progress = progress
        self._builder = GameBuilder()
        beside = SkipReport()
        self._sources = find_sources(paths, ENDINGS, beside)
        for record in beside.details:
            self._skip(record.file, record.line, record.reason)

    def __iter__(self) -> Iterator[GoGame]:
        return in_steps(Loops.SGF, self._size, self._games())

    def _games(self) -> Iterator[GoGame]:
        builder = self._builder
        for record in self._records(main_only=not self._variations):
            try:
                if self._variations:
                    yield from self._lines(record)
                else:
                    yield builder.game(record)
            except Unusable as trouble:
                self._skip(record.file, record.line, trouble.reason, trouble.kind)
        self.skipped.repaired = Counter({k: n for k, n in builder.repaired.items() if n})

    def trees(self) -> Iterator[SgfTree]:
        """The records with all their variations, of any kind of game."""
        return in_steps(Loops.SGF, self._size, self._trees())

    def _trees(self) -> Iterator[SgfTree]:
        for record in self._records(main_only=False):
            if record.rows.nodes:
                yield SgfTree(record)
            else:
                self._skip(record.file, record.line, "the record is empty")

    @property
    def _size(self) -> int:
        """Bytes of all files, some of them perhaps packed."""
        return sum(source.size for source in self._sources)

    def _lines(self, record: SgfRecord) -> Iterator[GoGame]:
        if record.rows.nodes == 0:
            raise Unusable("the record is empty")
        tree = SgfTree(record)
        properties = tree.properties(0)
        left = min(self._limits.nodes, _FEW_NODES + _TIMES_NODES * len(tree))
        for count, leaf in enumerate(tree.leaves()):
            path = tree.path(leaf)
            left -= len(path)
            if count == self._limits.lines or left < 0:
                reason = f"more lines of play than the limits allow: {count} were read"
                self._skip(record.file, record.line, reason, "too many lines of play")
                return
            yield self._builder.line(record, properties, tree.line_rows(path))

    def _records(self, *, main_only: bool) -> Iterator[SgfRecord]:
        progress = self._progress
        total = sum(source.size for source in self._sources) if progress is not None else 0
        done = 0
        reader = RecordReader(self._limits, main_only=main_only, skip=self._skip)
        for source in self._sources:
            tick = None if progress is None else (lambda at, d=done: progress(d + at, total))
            try:
                with source.open() as stream:
                    yield from reader.records(stream, tick)
            except StrictError:
                raise
            except InputError as error:
                self._skip(source.name, 0, error.message)
            if progress is not None:
                done += source.size
                progress(done, total)

    def _skip(
        self, file: str, line: int, reason: str, kind: str | None = None, *, known: bool = False
    ) -> None:
        if self._strict:
            raise StrictError(reason, file=file, line=line or None)
        self.skipped.add(Skipped(file, line, reason), kind=kind, known=known)


def games_reader(sources: Sequence[Source], **options: Any) -> SgfReader:
    """A reader of sources, with the options of `SgfReader`."""
    return SgfReader(*sources, **options)


def read_games(
    *paths: StrPath,
    variations: bool = False,
    strict: bool = False,
    limits: SgfLimits | None = None,
    progress: Progress | None = None,
) -> Iterator[GoGame]:
    """The games in SGF files, one after another; see `SgfReader` for the parameters.

    What cannot be read is left out silently: an `SgfReader` also tells what that was.

    Raises
    ------
    InputError
        If a file or folder does not exist.
    StrictError
        With `strict`, at the first record that cannot be used.
    """
    return iter(
        SgfReader(*paths, variations=variations, strict=strict, limits=limits, progress=progress)
    )


def read_trees(
    *paths: StrPath, strict: bool = False, limits: SgfLimits | None = None
) -> Iterator[SgfTree]:
    """The records in SGF files with all their variations, one after another."""
    return SgfReader(*paths, strict=strict, limits=limits).trees()


#: Columns of a pool that come from attributes of `GoGame`; other names are properties.
ATTRIBUTES = (
    "file", "line", "number", "size", "komi", "handicap", "rules", "black_rank", "white_rank",
    "black_team", "white_team", "result", "event", "place", "moves",
)  # fmt: skip

#: Those taken where all are wanted.
ALL_COLUMNS = {
    **{
        name: name
        for name in (
            "size", "komi", "handicap", "rules", "black_rank", "white_rank", "black_team",
            "white_team",
        )
    },
    "written_result": "result",
    **{name: name for name in ("event", "place", "moves")},
}  # fmt: skip


def read_sgf(sources: Sequence[Source], options: Options) -> Pool:
    """The results of the games in SGF files as a pool; Black is ``first``.

    Games without a result that counts are skipped. `options.columns` names further
    columns: attributes of `GoGame` (``moves`` is their number) or properties.

    Raises
    ------
    NoGamesError
        If no file holds an SGF record.
    StrictError
        With `options.strict`, at the first record that cannot be used.
    """
    further = further_columns(options, SGF)
    levels = SGF_LEVELS if options.levels else {}
    columns: Mapping[str, str] = ALL_COLUMNS if options.everything else {**levels, **further}
    asked = options.asked()
    columns = {**columns, **asked}
    read = partial(_results, columns, alone=len(sources) == 1)
    pool = without_repeats(_timed(read_shares(read, sources, options, loops=Loops.SGF)))
    require_columns(pool, further, sources, SGF, others=ATTRIBUTES)
    if options.where is not None:
        require_columns(pool, asked, sources, SGF, others=ATTRIBUTES)
        pool = options.where.select(pool)
    if options.everything:
        return without_empty_columns(pool)
    return without_empty_columns(pool, levels)


def _results(
    columns: Mapping[str, str], sources: Sequence[Source], options: Options, *, alone: bool
) -> Pool:
    """The results in some files, or in the one file that is `alone`; times as `_SPAN` has them."""
    reader = SgfReader(*sources, strict=options.strict, progress=options.progress)
    values: dict[str, list[Any]] = {name: [] for name in columns}
    number: dict[str, int] = {}
    pairs: list[int] = []
    scores: list[float] = []
    times: list[tuple[np.datetime64, np.datetime64]] = []
    games = 0
    even = "handicap" not in {source.lower() for source in columns.values()}
    marks: list[tuple[int, int]] = []
    for game in reader:
        games += 1
        reason = unrated(game)
        if reason is None and game.handicap and even:
            reason = (HANDICAP_GAME,) * 2
        if reason is not None:
            named = bool(game.black and game.white)
            known = named and (
                left_out_reason(game.result) is not None or reason[1] == HANDICAP_GAME
            )
            if named and not known:
                reader.skipped.values[game.result] += 1
            reader._skip(game.file, game.line, *reason, known=known)
            continue
        pairs += (number.setdefault(name, len(number)) for name in (game.black, game.white))
        scores.append(1.0 if game.winner == BLACK else 0.0 if game.winner == WHITE else 0.5)
        span = (game.date, game.date)
        if np.isnat(game.date):
            span = date_span("".join(game.properties.get("DT", ())), options.dates)
        times.append(span)
        for name, source in columns.items():
            values[name].append(_value(game, source))
        marks.append(_marks(game))
    if not games and alone:
        raise NoGamesError(
            "it contains no games of Go" if not reader.skipped.details
            else reader.skipped.details[0].reason,
            file=sources[0].name,
            hint="an SGF file begins with (;",
        )  # fmt: skip
    sides = np.array(pairs, np.int32).reshape(-1, 2)
    spans = np.array(times, "datetime64[s]").reshape(-1, 2).view(np.int64)
    return Pool(
        tuple(number),
        sides[:, 0],
        sides[:, 1],
        np.array(scores, np.float64),
        None,
        {name: _column(column) for name, column in values.items()}
        | dict(zip(_SPAN, spans.T, strict=True))
        | dict(zip((CONTENT, IDENTITY), np.array(marks, np.uint64).reshape(-1, 2).T, strict=True)),
        reader.skipped,
    )


def _marks(game: GoGame) -> tuple[int, int]:
    """What a record says as a number, and the game that it names: by a link, or date and round."""
    said = game.properties
    place, day, number = (", ".join(said.get(name, ())) for name in ("PC", "DT", "RO"))
    identity = place if _GAME_LINK.search(place) else f"{day} {number}" if day and number else ""
    content = repr(sorted(said.items())).encode() + game.moves.tobytes()
    return _number(content), _number(identity.encode()) if identity else 0


def _number(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def _timed(pool: Pool) -> Pool:
    """The games with their times in place of the moments between which they lie."""
    columns = dict(pool.columns)
    spans = np.column_stack([columns.pop(name) for name in _SPAN]).view("datetime64[s]")
    moments = Times.of_spans(spans)
    moments.report(pool.skipped)
    return replace(pool, time=moments.time, columns=columns)


def unrated(game: GoGame) -> tuple[str, str] | None:
    """Why a game does not count for ratings, and the kind of reason; None if it does."""
    if not game.black:
        return ("Black has no name",) * 2
    if not game.white:
        return ("White has no name",) * 2
    if game.winner == UNKNOWN:
        if not game.result:
            return ("no result",) * 2
        return f"result {game.result[:64]!r} names no winner", "result without a winner"
    return None


def _value(game: GoGame, source: str) -> Any:
    name = source.lower()
    if name == "moves":
        return len(game.moves)
    if name in ATTRIBUTES:
        return getattr(game, name)
    return ", ".join(game.properties.get(source.upper(), ()))


def _column(values: list[Any]) -> NDArray[Any]:
    """Whole numbers, numbers (NaN where there is none) or texts."""
    if any(isinstance(value, str) for value in values):
        return np.array(values, np.dtypes.StringDType())
    if any(value is None or isinstance(value, float) for value in values):
        return np.array([np.nan if value is None else value for value in values], np.float64)
    return np.array(values, np.int64)
