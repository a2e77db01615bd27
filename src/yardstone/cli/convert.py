"""`yardstone convert`: results from one format to another."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.options import Columns, First, Query, Results, SkipUnread, Strict
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.pool import Pool, SkipReport

__all__ = ["convert"]


class Target(StrEnum):
    """A format that can be written."""

    csv = "csv"
    tsv = "tsv"
    json = "json"
    jsonl = "jsonl"
    parquet = "parquet"
    pgn = "pgn"
    sgf = "sgf"


_ENDINGS = {
    ".tab": Target.tsv,
    ".ndjson": Target.jsonl,
    ".pq": Target.parquet,
    **{f".{target.value}": target for target in Target},
}
_COMPRESSED = (".gz", ".zst", ".bz2", ".xz")


def convert(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS",
            help="Files of games (SGF, PGN, CSV, Parquet, JSON …, also compressed or in zip and "
            "tar archives), folders, or - for standard input.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file; its ending tells the format, and .gz, .zst, .bz2 or .xz "
            "behind that compresses it.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="Format of the input, if endings do not."),
    ] = None,
    target: Annotated[
        Target | None, typer.Option("--to", help="Format to write, if the ending does not tell.")
    ] = None,
    columns: Columns = None,
    first: First = None,
    results: Results = None,
    query: Query = None,
    strict: Strict = False,
    skip_unread: SkipUnread = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress, and no word of what was written.")
    ] = False,
) -> None:
    """Convert results of games between SGF, PGN, CSV, JSON and Parquet.

    SGF records to SGF keep their moves, written anew with everything put right; all
    else is results: players, result, time, and further columns as far as the format
    has a place for them. What it has no place for is said.

    Examples
    --------
    yardstone convert games/*.sgf -o results.csv
    yardstone convert archive.zip -o games.pgn.gz
    yardstone convert old.sgf -o mended.sgf
    yardstone convert league.csv --columns first=Home,second=Guest -o league.parquet
    """
    from yardstone.cli import startup, values
    from yardstone.cli.output import check_folder
    from yardstone.cli.reading import Source, read_games

    form = _target(target, output)
    if form is Target.parquet and output is None:
        raise UsageError("Parquet is not text: name a file with -o")
    check_folder(output)
    startup.load_numba()
    kinds = _formats(paths or [], source) if query is None else set()
    if form is Target.sgf and kinds == {"sgf"} and not columns:
        _rewrite(paths or [], output, strict=strict, quiet=quiet)
        return
    wanted = values.columns(columns or []) or "all"
    asked = Source(paths or [], query, wanted, first, results, strict, skip_unread, source)
    pool = read_games(asked, quiet=quiet)
    _write(pool, form, output)
    if not quiet:
        _report(len(pool), pool.skipped, _lost(pool, form, kinds))


def _target(asked: Target | None, output: Path | None) -> Target:
    if asked is not None:
        return asked
    if output is None:
        return Target.csv
    suffixes = [suffix.lower() for suffix in output.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    found = _ENDINGS.get(suffixes[-1]) if suffixes else None
    if found is None:
        known = " ".join(sorted(_ENDINGS))
        raise UsageError(f"{output}: which format? End it in {known}, or say it with --to")
    return found


def _formats(paths: list[str], source: str | None) -> set[str]:
    """The formats of the inputs; standard input is not looked at."""
    from yardstone.records.formats import FORMATS, format_of
    from yardstone.records.sources import find_sources

    files = [path for path in paths if path != "-"]
    if source is not None or len(files) < len(paths):
        return {source or "standard input"}
    endings = [ending for known in FORMATS.values() for ending in known.endings]
    return {format_of(found).name for found in find_sources(files, endings)}


def _rewrite(paths: list[str], output: Path | None, *, strict: bool, quiet: bool) -> None:
    """Write SGF games with their main lines, one at a time."""
    from yardstone.cli.progress import progress_bar
    from yardstone.cli.reading import report_skipped
    from yardstone.records.sgf import SgfReader, write_sgf

    reader = SgfReader(*paths, strict=strict, progress=progress_bar("reading", quiet=quiet))
    written = 0

    def pieces() -> Iterable[str]:
        nonlocal written
        for game in reader:
            written += 1
            yield write_sgf(game)

    _write_text(pieces(), output)
    report_skipped(reader.skipped)
    if not quiet:
        _report(written, reader.skipped, ["only main lines are kept, without comments"])


def _write(pool: Pool, form: Target, output: Path | None) -> None:
    from yardstone.reports.games_out import WRITERS, column_types

    if form is not Target.parquet or output is None:
        _write_text(WRITERS[form.value](pool), output)
        return
    import tempfile

    from yardstone.files import replaced
    from yardstone.reports.parquet import parquet_of_csv

    with replaced(output) as temporary, tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "games.csv"
        with table.open("w", encoding="utf-8", newline="") as file:
            file.writelines(WRITERS["csv"](pool))
        parquet_of_csv(temporary, table, column_types(pool))


def _write_text(pieces: Iterable[str], output: Path | None) -> None:
    from yardstone.files import open_text, replaced

    if output is None:
        for piece in pieces:
            sys.stdout.write(piece)
        return
    with replaced(output) as temporary, open_text(temporary) as file:
        for piece in pieces:
            file.write(piece)


def _lost(pool: Pool, form: Target, kinds: set[str]) -> list[str]:
    """What the format has no place for."""
    from yardstone.reports.games_out import left_out

    lost = [f"column {name!r} has no place in {form.value}" for name in left_out(pool, form.value)]
    if kinds & {"pgn", "sgf", "mat"}:
        lost.append("moves and comments are not kept, only results")
    if form is Target.pgn and "sgf" in kinds:
        lost.append("Black, who moves first in Go, stands as White, who moves first in PGN")
    if form is Target.sgf and "pgn" in kinds:
        lost.append("White, who moves first in PGN, stands as Black, who moves first in SGF")
    return lost


def _report(written: int, skipped: SkipReport, lost: list[str]) -> None:
    """Say on standard error what was written, put right, and has no place."""
    lines = [f"{written:,} game{'' if written == 1 else 's'} written"]
    lines += [f"mended {count:,} times: {kind}" for kind, count in skipped.mended.most_common()]
    for line in [*lines, *lost]:
        print(f"yardstone: {line}", file=sys.stderr)
