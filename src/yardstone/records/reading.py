"""`read`: from paths to one pool."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from yardstone.choices import check_choice, checked_arguments
from yardstone.errors import StrictError, UsageError
from yardstone.pool import Pool, SkipReport
from yardstone.records.dates import ORDERS, DateOrder
from yardstone.records.formats import Options, endings_of, format_named, of_source, read_format
from yardstone.records.joining import join_pools
from yardstone.records.names import apply_name_files, drop_rare_players
from yardstone.records.results import Side
from yardstone.records.skipped_records import warn_skipped
from yardstone.records.sources import Source, find_sources
from yardstone.records.where import Where, require_wanted

__all__ = ["read", "sources_by_format"]

StrPath = str | os.PathLike[str]


@checked_arguments()
def read(
    *paths: StrPath | Source,
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
    progress: Callable[[int, int], object] | None = None,
) -> Pool:
    """Read games from files into one pool.

    Parameters
    ----------
    *paths : str or path
        Files, folders (all files below them with a known ending), patterns such as
        ``"games/*.pgn.gz"``, or ``"-"`` for standard input. Files may be
        compressed with gzip, Zstandard, bzip2 or xz, or lie in zip and tar archives.
    format : str, optional
        ``pgn``, ``sgf``, ``csv``, ``parquet``, ``json``, ``arrow``, ``database``, or a
        format of tournaments (``opengotha``, ``h9``, ``trf``), for all files; by default
        endings tell, or the first bytes.
    columns : mapping or sequence of str, optional
        For tables, which columns hold what: ``{"first": ..., "second": ...,
        "score": ..., "time": ...}``; by default names of columns tell. Where points
        stand in two columns, ``first_score`` and ``second_score`` name them (one alone
        names a result that is told from that player's side), and ``margin`` a column
        with their difference. Further keys become further columns of the pool. For PGN,
        names of columns to make and the tags they come from: ``{"event": "Event"}``; for
        SGF the properties (``{"event": "EV"}``) or attributes of `GoGame` (``komi``, ``handicap``,
        ``black_rank`` ...). A sequence of names means columns or tags that keep
        their names, and ``"all"`` all that are known.
    first : {"white", "black"}, optional
        For tables, the side that moves first, which is also the side whose points a
        score such as ``1-0`` or ``0.5`` tells; by default names of columns and the
        results tell, and where they do not it is asked. In PGN files it is always
        White, in SGF Black.
    times : bool
        Read from PGN files also when games were played. Tables and SGF files
        always tell; with `times`, a table whose dates cannot be read is an error.
        A date known in part (``1995.??.??``) is the earliest day it can be, in the
        order of the file where all other dates are in order.
    dates : {"dmy", "mdy", "ymd"}, optional
        The order of day, month and year in dates such as ``5/6/2024``; only needed
        where no date of the column gives it away.
    levels : bool
        Read also what is said of the players' strength and of handicaps: the columns
        ``first_grade`` and ``second_grade``, ``first_rating`` and ``second_rating``,
        ``handicap``. In tables names of columns tell (``w_rank``, ``BlackElo``).
    synonyms, include, exclude : path, optional
        Files with names of players: other names of a player in a line; players
        whose games are wanted, or not.
    threshold : int, optional
        Leave out games of players who have fewer games than this.
    results : mapping or str, optional
        For tables, what values of the result mean for the first player:
        ``{"H": 1, "D": 0.5, "A": 0, "P": None}``, or words: ``"H=win,D=draw,A=loss,P=skip"``.
    strict : bool
        Raise at the first record that cannot be used, in place of reporting it in
        ``pool.skipped``.
    skip_unread : bool
        Go on where a value of the result is not understood, or more than 5 % of the
        records cannot be read; otherwise that is an error.
    where : str, optional
        Take only the games of which this holds, in SQL's words for comparisons of tags (PGN,
        SGF) or columns (tables): ``"Termination <> 'time forfeit' AND WhiteElo >= 2400"``.
        `yardstone.records.where` says what it means; ``pool.skipped.unwanted`` counts the
        games it left out.
    progress : callable, optional
        Called with the bytes read so far and all bytes (0 if unknown).

    Returns
    -------
    Pool
        Players are numbered in order of first appearance, the one moving first
        before the other; names in a synonym file come before all others.

    Raises
    ------
    InputError
        If a file is missing or is nothing that can be read.
    NoGamesError
        If no file holds a record of any kind, or `where` leaves no game.
    StrictError
        With `strict`, at the first record that cannot be used.

    Warns
    -----
    SkippedWarning
        If records were left out.
    """
    if first not in (None, "white", "black"):
        raise UsageError(f"first is {first!r}, it must be 'white' or 'black'")
    if dates is not None:
        check_choice("dates", dates, ORDERS)
    groups, beside = sources_by_format(paths, format, strict=strict)
    wanted = None if where is None else Where(where)
    options = Options(
        columns=columns,
        first=first,
        times=times,
        dates=dates,
        levels=levels,
        strict=strict,
        skip_unread=skip_unread,
        results=results,
        progress=progress,
        where=wanted,
        once=True,
    )
    pool = join_pools([read_format(name, group, options) for name, group in groups])
    pool.skipped.merge(beside)
    require_wanted(pool.skipped, len(pool))
    pool = apply_name_files(pool, synonyms, include, exclude)
    warn_skipped(pool.skipped)
    return pool if threshold is None else drop_rare_players(pool, threshold)


def sources_by_format(
    paths: Sequence[StrPath | Source], format: str | None = None, *, strict: bool = False
) -> tuple[list[tuple[str, list[Source]]], SkipReport]:
    """The files meant by paths, in runs of one format, and a report on what cannot be opened.

    Raises
    ------
    UsageError
        No path is given, or there is no such `format`.
    StrictError
        With `strict`, where something cannot be opened.
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
