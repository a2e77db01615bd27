"""`yardstone convert`: games in other formats, grades and ratings on other scales."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from yardstone.choices import check_choice, plural
from yardstone.cli import talks
from yardstone.cli.declare import argument, flag, option, target
from yardstone.cli.games import GameOptions
from yardstone.cli.output import Document, TableOutput, report_skipped, write_pieces
from yardstone.errors import UsageError
from yardstone.records.formats import (
    FORMATS,
    WRITERS,
    FileFormat,
    Writer,
    endings_of,
    format_named,
    of_source,
)
from yardstone.records.sources import find_sources, plain_ending

if TYPE_CHECKING:
    from yardstone.pool import Pool, SkipReport


_ENDINGS = {ending: writer for writer in WRITERS.values() for ending in writer.endings}


def game_files(
    paths: list[str] | None = argument(
        "Files of games (SGF, PGN, CSV, Parquet, JSON; also compressed, or in zip and tar "
        "archives), folders, or - for standard input.",
        default=None,
        metavar="PATHS",
    ),
    *,
    games: GameOptions,
    output: Path | None = target(
        "Write to this file; its ending gives the format, and a further .gz, .zst, .bz2 or .xz "
        "compresses it.",
        "--output",
        "-o",
    ),
    source: str | None = option(
        "Format of the input. [default: by the files' endings]", "--from", metavar="FORMAT"
    ),
    target: str | None = option(
        "Format to write. [default: by the file's ending]", "--to", metavar=f"<{'|'.join(WRITERS)}>"
    ),
    quiet: bool = flag(
        "Show no progress, and do not report what was written.", "-q", advanced=True
    ),
) -> None:
    """Convert games between SGF, PGN, CSV, JSON and Parquet.

    SGF records to SGF keep their moves, written anew with everything put right; all
    else is results: players, result, time, and further columns as far as the format
    has a place for them. What it has no place for is said.

    Examples:
        yardstone convert professional.sgf -o results.csv
        yardstone convert league.csv -o games.pgn.gz
        yardstone convert professional.sgf -o repaired.sgf
        yardstone convert league.csv --columns first=white,second=black -o league.parquet
    """
    writer = _writer(target, output)
    if writer.binary and output is None:
        raise UsageError("Parquet is not text: name a file with -o")
    formats = [] if games.query is not None else _formats(paths or [], source)
    sgf = formats == [FORMATS["sgf"]] and writer in formats[0].writers
    if sgf and not games.columns and "-" not in (paths or []) and source is None:
        _rewrite(paths or [], output, games)
        return
    pool = games.read(paths, format=source, every=True)
    write_pieces(writer.pieces(pool), output, binary=writer.binary)
    if talks():
        _report(len(pool), pool.skipped, _losses(pool, writer, formats))


def _writer(name: str | None, output: Path | None) -> Writer:
    if name is not None or output is None:
        name = name or "csv"
        check_choice("--to", name, WRITERS)
        return WRITERS[name]
    writer = _ENDINGS.get(plain_ending(output.name))
    if writer is None:
        known = " ".join(sorted(_ENDINGS))
        raise UsageError(f"{output}: which format? End it in {known}, or say it with --to")
    return writer


def _formats(paths: list[str], source: str | None) -> list[FileFormat]:
    """The formats of the inputs; standard input is not looked at."""
    if source is not None:
        return [format_named(source)]
    if "-" in paths:
        return []
    names = {of_source(each).name for each in find_sources(paths, endings_of())}
    return [FORMATS[name] for name in sorted(names)]


def _rewrite(paths: list[str], output: Path | None, games: GameOptions) -> None:
    """Write games of Go with the moves of their main lines, one at a time."""
    from yardstone.records.sgf import SgfReader, write_sgf

    reader = SgfReader(*paths, strict=games.strict)
    written = 0

    def pieces() -> Iterable[str]:
        nonlocal written
        for game in reader:
            written += 1
            yield write_sgf(game)

    write_pieces(pieces(), output)
    report_skipped(reader.skipped, always=True)
    if talks():
        _report(written, reader.skipped, ["only main lines are kept, without comments"])


def _losses(pool: Pool, writer: Writer, formats: Collection[FileFormat]) -> list[str]:
    """What the format has no place for."""
    losses = [f"column {name!r} has no place in {writer.name}" for name in writer.left_out(pool)]
    if any(format.moves for format in formats):
        losses.append("moves and comments are not kept, only results")
    side = next(each.side for each in FORMATS.values() if writer in each.writers)
    turned = [each for each in formats if {each.side, side} == {"white", "black"}]
    return losses + [
        f"{each.side.capitalize()}, who moves first in {each.name.upper()}, stands as "
        f"{side.capitalize()}, who moves first in {writer.name.upper()}"
        for each in turned
    ]


def _report(written: int, skipped: SkipReport, losses: list[str]) -> None:
    """Say on standard error what was written, put right, and has no place."""
    lines = [f"{plural(written, 'game')} written"]
    lines += [f"repaired {count:,} times: {kind}" for kind, count in skipped.repaired.most_common()]
    for line in [*lines, *losses]:
        print(f"yardstone: {line}", file=sys.stderr)


def rating(
    ratings: list[str] | None = argument(
        "Grades such as 2d or 12k, professional ranks such as 3p, or with --from ratings; with "
        "--column a CSV table, or - for standard input. Ratings below 0 stand last, after --.",
        default=None,
        metavar="RATINGS",
    ),
    *,
    source: str | None = option(
        "Scale of numbers: egf, ogs, goldis, elo ... (--list).", "--from", metavar="SCALE"
    ),
    targets: list[str] | None = option(
        "Scale to convert to. Repeatable. [default: all]", "--to", metavar="SCALE"
    ),
    column: str | None = option(
        "Convert this column of the table, and keep all its others.", metavar="NAME"
    ),
    strict: bool = flag("Stop at a cell of the table that cannot be converted.", advanced=True),
    list_: bool = flag("List the scales, and how far each reaches.", "--list"),
    output: TableOutput,
) -> Document:
    """Convert grades and ratings of Go to other scales.

    A grade stands for the middle of its stretch: 2d is 2150 to 2250 on the EGF's scale.
    How players of one site compare with those of another is a measurement, not a
    conversion: see `yardstone strength`.

    Examples:
        yardstone convert rating 2d --to egf
        yardstone convert rating 1850 1700 --from egf --to ogs
        yardstone convert rating 4k 3p
        yardstone convert rating --list
    """
    from yardstone.reports import scales as reports
    from yardstone.winprob.scales import convert_column, convert_rating

    words, to = ratings or [], [name for each in targets or [] for name in each.split(",")]
    if list_:
        if words or source or to or column:
            raise UsageError("--list stands alone")
        return reports.scales_document()
    if column is not None:
        if len(words) != 1:
            raise UsageError("--column takes one table")
        table = convert_column(words[0], column, source=source, targets=to, strict=strict)
        report_skipped(table.skipped, always=True)
        return reports.converted_column_document(table)
    if not words:
        raise UsageError("give a grade such as 2d, or a rating and its scale: 1850 --from egf")
    converted = [convert_rating(word, source=source, targets=to) for word in words]
    return reports.converted_document(converted)
