"""Tournament files of any known format: read, and made into bytes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import no_such
from yardstone.errors import InputError, StrictError, UsageError
from yardstone.grades import format_grade
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records import formats
from yardstone.records.decoding import clean
from yardstone.records.joining import join_pools, read_shares
from yardstone.records.options import TOURNAMENT, Options, further_columns
from yardstone.records.sources import Source, find_sources
from yardstone.tournament.formats import FORMATS, TournamentFormat
from yardstone.tournament.model import Game, Result, Tournament, egf_class

MAX_BYTES = 64 << 20


def read_tournament(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    skipped: SkipReport | None = None,
) -> Tournament:
    """Read one tournament from a file.

    Args:
        path: The file, compressed or not; ``-`` is standard input.
        format: ``opengotha``, ``h9`` or ``trf``; by default the content tells, or the ending.
        skipped: Takes games that cannot be used; without it the first one is an error.

    Raises:
        InputError: The file cannot be read, is of no known format, or something in it is wrong.
        UsageError: There is no such format.
    """
    sources = find_sources([path], [end for known in FORMATS.values() for end in known.endings])
    if len(sources) != 1:
        raise InputError(f"{len(sources)} files are meant", file=str(path), hint="name one")
    return read_source(sources[0], format=format, skipped=skipped)


def read_source(
    source: Source, *, format: str | None = None, skipped: SkipReport | None = None
) -> Tournament:
    """The same from an opened place."""
    data = source.content(MAX_BYTES)
    if format is not None:
        known = format_named(format)
    else:
        known = format_of_bytes(data, source.name, ending=source.ending)
    return known.read(data, source.name, skipped=skipped)


def format_named(name: str) -> TournamentFormat:
    """The format of that name, or UsageError."""
    if name not in FORMATS:
        raise UsageError(no_such("format", name, FORMATS))
    return FORMATS[name]


def format_of_bytes(data: bytes, file: str, *, ending: str | None = None) -> TournamentFormat:
    """The format of a file by its content, or else by its ending."""
    name = getattr(formats.of_content(data[: formats.HEAD], file), "name", None)
    if name is None:
        last = Path(file).suffix.lower() if ending is None else ending
        name = next((n for n, known in FORMATS.items() if last in known.endings), None)
    if name is None or name not in FORMATS:
        held = "no tournament" if name is None else f"no tournament but {name}"
        raise InputError(
            f"it holds {held}",
            file=file,
            hint="name a file of OpenGotha (.xml), H9 (.h9) or TRF (.trf)",
        )
    return FORMATS[name]


def to_bytes(
    tournament: Tournament, path: Path | None = None, *, format: str | None = None
) -> bytes:
    """The tournament in the format named, or else that of the ending of `path`.

    Raises:
        UsageError: Neither tells.
    """
    return format_to_write(path, format).write(tournament)


def format_to_write(path: Path | None = None, format: str | None = None) -> TournamentFormat:
    """The format named, or else that of the ending of `path`."""
    if format is not None:
        return format_named(format)
    ending = "" if path is None else path.suffix.lower()
    for known in FORMATS.values():
        if ending in known.endings:
            return known
    endings = " ".join(end for known in FORMATS.values() for end in known.endings)
    raise UsageError(f"which format? Use one of the endings {endings}, or name it")


def read_tournaments(format: str, sources: Sequence[Source], options: Options) -> Pool:
    """The games in files of a format of tournaments, for `yardstone.read`."""
    pool = read_shares(partial(_games_of_files, format), sources, options)
    known = {name.casefold(): column for name, column in pool.columns.items()}
    wanted = [] if options.where is None else list(options.where.names)
    names = further_columns(options, TOURNAMENT)
    missing = [name for name in wanted if name.casefold() not in known]
    missing += [old for old in names.values() if old not in pool.columns]
    if missing:
        raise InputError(f"a pool of tournaments: {no_such('column', missing[0], pool.columns)}")
    if options.where is not None:
        pool = options.where.select(pool, **known)
    if not names:
        return pool
    extra = {new: pool.columns[old] for new, old in names.items()}
    return Pool(
        pool.players, pool.first, pool.second, pool.score, pool.time,
        {**pool.columns, **extra}, pool.skipped, pool.ordered,
    )  # fmt: skip


def _games_of_files(format: str, sources: Sequence[Source], options: Options) -> Pool:
    pools = []
    for source in sources:
        skipped = None if options.strict else SkipReport()
        tournament = read_source(source, format=format, skipped=skipped)
        pools.append(tournament_pool(tournament, skipped=skipped, strict=options.strict))
    return join_pools(pools)


def tournament_pool(
    tournament: Tournament, *, skipped: SkipReport | None = None, strict: bool = False
) -> Pool:
    """All games that were played, in the order of the rounds.

    Left out and reported: games without a result or decided by forfeit, and results that are no
    win, draw or loss.

    The columns are ``event``, ``round``, ``first_grade`` and ``second_grade`` (Go),
    ``first_rating`` and ``second_rating``, ``handicap``, ``komi`` (NaN in handicap games) and
    ``class`` (weight of the tournament by its time limits, 1 if unknown).
    """
    report = SkipReport() if skipped is None else skipped
    games = []
    for game in sorted(tournament.games, key=lambda game: game.round):
        reason = _unfit(game)
        if reason is None:
            games.append(game)
            continue
        record = Skipped(tournament.file, game.line, f"round {game.round}: {reason}")
        if strict and reason != "decided by forfeit":
            raise StrictError(record.reason, file=record.file or None, line=record.line or None)
        report.add(record, kind=reason, known=True)
    names = _names(tournament)
    players = dict.fromkeys(names[p] for game in games for p in game.players)
    known = dict(enumerate(tournament.round_dates, 1))
    days = [known.get(game.round) or tournament.begin for game in games]
    times = np.array([np.datetime64("NaT" if day is None else day, "s") for day in days])
    place = {name: row for row, name in enumerate(players)}
    return Pool(
        tuple(players),
        np.array([place[names[game.first]] for game in games], np.int32),
        np.array([place[names[game.second]] for game in games], np.int32),
        np.array([game.result.score for game in games], np.float64),
        times if any(days) else None,
        _columns(tournament, games),
        report,
    )


def _unfit(game: Game) -> str | None:
    if game.result is Result.unknown:
        return "no result"
    if game.forfeit:
        return "decided by forfeit"
    if game.result.score is None:
        return f"result {str(game.result)!r} is not a win, draw or loss"
    return None


def _names(tournament: Tournament) -> list[str]:
    """A name for each player; those with equal names get their numbers."""
    names = [clean(player.full_name) for player in tournament.players]
    often = Counter(names)
    return [name if often[name] == 1 else f"{name} ({row + 1})" for row, name in enumerate(names)]


def _columns(tournament: Tournament, games: Sequence[Game]) -> dict[str, NDArray[Any]]:
    text: Any = np.dtypes.StringDType()
    columns: dict[str, NDArray[Any]] = {
        "event": np.full(len(games), tournament.name or tournament.file, dtype=text),
        "round": np.array([game.round for game in games], np.int64),
    }
    sides = {side: [getattr(g, side) for g in games] for side in ("first", "second")}
    players = tournament.players
    if tournament.discipline == "go":
        for side, rows in sides.items():
            grades = ["" if (r := players[p].rank) is None else format_grade(r) for p in rows]
            columns[f"{side}_grade"] = np.array(grades, dtype=text)
    for side, rows in sides.items():
        ratings = [np.nan if (r := players[p].rating) is None else r for p in rows]
        columns[f"{side}_rating"] = np.array(ratings, np.float64)
    if tournament.discipline == "go":
        komi = np.nan if tournament.komi is None else tournament.komi
        columns["handicap"] = np.array([game.handicap for game in games], np.int64)
        columns["komi"] = np.array(
            [
                game.komi if game.komi is not None else np.nan if game.handicap else komi
                for game in games
            ],
            np.float64,
        )
        from yardstone.ratings.egf import CLASS_WEIGHTS

        named = tournament.extras.get("CL", "") or egf_class(tournament.time)
        weight = CLASS_WEIGHTS.get(named.strip().upper(), 1.0)
        columns["class"] = np.full(len(games), weight)
    return columns
