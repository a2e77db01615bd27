"""`read`: from paths to one pool; `games_of`: from whatever a caller has.

`estimated_games` says about how many games there are before they are read, and
`growing_sources` reads files that another program is writing, as far as their games are whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from yardstone.choices import check_choice, checked_arguments
from yardstone.errors import InputError, StrictError, UsageError, WrongTypeError
from yardstone.pool import Pool, SkipReport
from yardstone.records.dates import ORDERS, DateOrder
from yardstone.records.formats import endings_of, format_named, of_source, read_format
from yardstone.records.joining import join_pools
from yardstone.records.names import apply_names, drop_rare_players, read_names
from yardstone.records.options import ColumnNames, Options, require_wanted, warn_skipped
from yardstone.records.results import Side
from yardstone.records.sources import (
    COMPRESSED,
    LONGEST_MAGIC,
    Source,
    StrPath,
    compression_of,
    find_sources,
)


@checked_arguments()
def read(
    *paths: Any,
    format: str | None = None,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    first: Side | None = None,
    times: bool = False,
    dates: DateOrder | None = None,
    levels: bool = False,
    synonyms: StrPath | None = None,
    include: StrPath | None = None,
    exclude: StrPath | None = None,
    threshold: int | None = None,
    results: Mapping[str, object] | str | None = None,
    strict: bool = False,
    skip_unread: bool = False,
    where: str | None = None,
) -> Pool:
    """Read games from files, or from a frame, into one pool.

    Args:
        *paths: Files, folders (all files below them with a known ending), patterns such as
            ``"games/*.pgn.gz"``, or ``"-"`` for standard input. Files may be compressed with gzip,
            Zstandard, bzip2 or xz, or lie in zip and tar archives. By itself a frame of pandas or
            polars, an Arrow table, or whatever speaks Arrow: a row a game.
        format: ``pgn``, ``sgf``, ``csv``, ``parquet``, ``json``, ``arrow``, ``database``, or a
            format of tournaments (``opengotha``, ``h9``, ``trf``), for all files; by default
            endings tell, or the first bytes.
        columns: For tables, which columns hold what: ``{"first": ..., "second": ..., "score": ...,
            "time": ...}``; by default names of columns tell. Where points stand in two columns,
            ``first_score`` and ``second_score`` name them (one alone names a result that is told
            from that player's side), and ``margin`` a column with their difference. Further keys
            become further columns of the pool. For PGN, names of columns to make and the tags they
            come from: ``{"event": "Event"}``; for SGF the properties (``{"event": "EV"}``) or
            attributes of `GoGame` (``komi``, ``handicap``, ``black_rank`` ...). A sequence of names
            means columns or tags that keep their names, and ``"all"`` all that are known.
        first ({"white", "black"}): For tables, the side that moves first, which is also the side
            whose points a score such as ``1-0`` or ``0.5`` tells; by default names of columns and
            the results tell, and where they do not it is asked. In PGN files it is always White, in
            SGF Black.
        times: Read from PGN files also when games were played. Tables and SGF files always tell;
            with `times`, a table whose dates cannot be read is an error. A date known in part
            (``1995.??.??``) is the earliest day it can be, in the order of the file where all other
            dates are in order.
        dates ({"dmy", "mdy", "ymd"}): The order of day, month and year in dates such as
            ``5/6/2024``; only needed where no date of the column gives it away.
        levels: Read also what is said of the players' strength and of handicaps: the columns
            ``first_grade`` and ``second_grade``, ``first_rating`` and ``second_rating``,
            ``handicap``. In tables names of columns tell (``w_rank``, ``BlackElo``).
        synonyms, include, exclude: Files with names of players: other names of a player in a line;
            players whose games are wanted, or not.
        threshold: Leave out games of players who have fewer games than this.
        results: For tables, what values of the result mean for the first player: ``{"H": 1, "D":
            0.5, "A": 0, "P": None}``, or words: ``"H=win,D=draw,A=loss,P=skip"``.
        strict: Raise at the first record that cannot be used, in place of reporting it in
            ``pool.skipped``.
        skip_unread: Go on where a value of the result is not understood, or more than 5 % of the
            records cannot be read; otherwise that is an error.
        where: Take only the games of which this holds, in SQL's words for comparisons of tags (PGN,
            SGF) or columns (tables): ``"Termination <> 'time forfeit' AND WhiteElo >= 2400"``.
            `yardstone.records.where` says what it means; ``pool.skipped.unwanted`` counts the games
            it left out.

    Returns:
        Players are numbered in order of first appearance, the one moving first before the other;
            names in a synonym file come before all others.

    Raises:
        InputError: If a file is missing or is nothing that can be read.
        NoGamesError: If no file holds a record of any kind, or `where` leaves no game.
        StrictError: With `strict`, at the first record that cannot be used.

    Warns:
        SkippedWarning: If records were left out.

    Examples:
        >>> import pandas
        >>> table = {"white": ["Ann", "Bob"], "black": ["Bob", "Ann"], "result": [1, 0.5]}
        >>> read(pandas.DataFrame(table))
        <Pool: 2 games of 2 players>
    """
    if first not in (None, "white", "black"):
        raise UsageError(f"first is {first!r}, it must be 'white' or 'black'")
    if dates is not None:
        check_choice("dates", dates, ORDERS)
    wanted = None
    if where is not None:
        from yardstone.records.where import Where

        wanted = Where(where)
    asked = (columns, first, times, dates, levels, strict, skip_unread, results)
    options = Options(*asked, where=wanted)
    frames = [each for each in paths if not isinstance(each, str | os.PathLike | Source)]
    if frames:
        frame = frames[0]
        tabular = hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "columns")
        if len(paths) > 1 or not tabular or isinstance(frame, Pool):
            raise WrongTypeError(
                f"a {type(frame).__name__} cannot be read here: give paths, or a frame of pandas, "
                "polars or Arrow by itself"
            )
        from yardstone.records.databases import pool_of_frame

        pool = pool_of_frame(frame, options)
    else:
        groups, beside = sources_by_format(paths, format, strict=strict)
        pool = join_pools([read_format(name, group, options) for name, group in groups])
        pool.skipped.merge(beside)
    require_wanted(pool.skipped, len(pool))
    pool = apply_names(pool, *read_names(synonyms, include, exclude))
    warn_skipped(pool.skipped)
    return pool if threshold is None else drop_rare_players(pool, threshold)


def sources_by_format(
    paths: Sequence[StrPath | Source], format: str | None = None, *, strict: bool = False
) -> tuple[list[tuple[str, list[Source]]], SkipReport]:
    """The files meant by paths, in runs of one format, and a report on what cannot be opened.

    Raises UsageError for no path or no such `format`; StrictError, with `strict`, where something
    cannot be opened.
    """
    if not paths:
        raise UsageError("no files given")
    known = None if format is None else format_named(format)
    beside = SkipReport()
    sources = find_sources(paths, endings_of(None if known is None else [known]), beside)
    if strict and beside.details:
        raise StrictError(beside.details[0].reason, file=beside.details[0].file)
    groups = groupby(sources, key=lambda source: (known or of_source(source)).name)
    return [(name, list(group)) for name, group in groups], beside


_ROLES = ("first", "second", "score", "time")


def games_of(
    games: Any, names: ColumnNames | None = None, *, everything: bool = False, **more: Any
) -> Pool:
    """The pool of games that were given in any form; all but a pool is read by `yardstone.read`.

    Without `names` of columns, names and values tell, and where they do not it is asked.
    `everything` keeps all columns and tags, where none are named; `more` are further keywords of
    `yardstone.read`. Raises what that raises, and WrongTypeError for what holds no games.

    Examples:
        >>> import pandas
        >>> table = {"home": ["Ann", "Bob"], "away": ["Bob", "Ann"], "FTR": ["H", "D"]}
        >>> games_of(pandas.DataFrame(table), {"first": "home", "second": "away", "score": "FTR"})
        <Pool: 2 games of 2 players>
    """
    given: dict[str, Any] = {key: each for key, each in (names or {}).items() if each is not None}
    if isinstance(games, Pool):
        if given:
            raise UsageError(f"a pool has been read already: leave out {', '.join(sorted(given))}")
        return games
    roles = {role: given.pop(role) for role in _ROLES if role in given}
    columns = {**given.pop("columns", {}), **roles} or ("all" if everything else None)
    side = given.pop("side", None)
    options = {**given, **more, "first": side, "columns": columns}
    if isinstance(games, str | os.PathLike):
        games = [games]
    if isinstance(games, list | tuple):
        if not all(isinstance(path, str | os.PathLike) for path in games):
            raise WrongTypeError("a list of games must be one of paths: give a frame, or files")
        return read(*games, **options)
    return read(games, **options)


#: Bytes of a short game in a file, by format; Parquet says itself how many it holds.
_BYTES = {"csv": 30, "json": 60, "arrow": 30, "database": 25, "pgn": 150, "sgf": 300, "mat": 300}
_OTHERS = 200
#: What is compressed is so many times larger.
_PACKED = 4


def estimated_games(paths: Sequence[str | Source]) -> int:
    """About how many games some files hold: rather too many than too few.

    Standard input counts as none.
    """
    total = 0
    for source in find_sources(paths, endings_of()):
        if source.path is None and source.member is None:
            continue
        name = of_source(source).name
        if name == "parquet" and source.path is not None:
            from yardstone.records.table_files import connection_for
            from yardstone.records.table_results import sql_text

            with connection_for(source.name) as connection:
                row = connection.execute(
                    f"SELECT sum(num_rows) FROM parquet_file_metadata({sql_text(source.path)})"
                ).fetchone()
            total += int((row or (0,))[0] or 0)
            continue
        larger = _PACKED if Path(source.name).suffix.lower() in COMPRESSED else 1
        total += larger * source.size // _BYTES.get(name, _OTHERS)
    return total


#: At first so much of a file's end is looked at, and more if no game ends there.
_TAIL = 1 << 16
_RESULT = re.compile(rb"(?:^|(?<=[ \t}\n]))(?:1-0|0-1|1/2-1/2|\*)[ \t]*\r?\n")


def growing_sources(paths: Sequence[str | os.PathLike[str]]) -> list[Source]:
    """The files of some paths, each PGN file as far as its games are written whole.

    Files that do not exist yet are left out.
    """
    sources = []
    for path in paths:
        try:
            there = find_sources([path], endings_of())
        except InputError:
            if Path(path).exists():
                raise
            continue
        for source in there:
            if source.path is not None and of_source(source).name == "pgn":
                source.limit = whole_games(source.path)
            sources.append(source)
    return sources


def whole_games(path: Path) -> int | None:
    """How many bytes of a PGN file to read so that its last game is whole.

    A game is whole when a result stands at the end of its moves, on a line that has ended.
    None if the file is compressed, which a program that writes game by game does not do.
    """
    with path.open("rb") as file:
        if compression_of(file.read(LONGEST_MAGIC)) is not None:
            return None
        size = file.seek(0, 2)
        length = _TAIL
        while True:
            start = max(size - length, 0)
            file.seek(start)
            tail = file.read(size - start)
            ends = [result.end() for result in _RESULT.finditer(tail)]
            if ends:
                return start + ends[-1]
            if not start:
                return 0
            length *= 8
