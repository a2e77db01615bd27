"""`yardstone convert`: results from one format to another."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.choices import check_choice
from yardstone.cli.games import GameOptions
from yardstone.cli.output import check_folder
from yardstone.cli.progress import progress_bar
from yardstone.cli.reading import report_skipped
from yardstone.errors import UsageError
from yardstone.files import open_text, replaced
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

__all__ = ["game_files"]

_ENDINGS = {ending: writer for writer in WRITERS.values() for ending in writer.endings}


def game_files(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS",
            help="Files of games (SGF, PGN, CSV, Parquet, JSON; also compressed, or in zip and "
            "tar archives), folders, or - for standard input.",
            show_default=False,
        ),
    ] = None,
    *,
    games: GameOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file; its ending gives the format, and a further .gz, .zst, .bz2 "
            "or .xz compresses it.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FORMAT", help="Format of the input. [default: by the files' endings]"
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar=f"<{'|'.join(WRITERS)}>",
            help="Format to write. [default: by the file's ending]",
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Show no progress, and do not report what was written."),
    ] = False,
) -> None:
    """Convert games between SGF, PGN, CSV, JSON and Parquet.

    SGF records to SGF keep their moves, written anew with everything put right; all
    else is results: players, result, time, and further columns as far as the format
    has a place for them. What it has no place for is said.

    Examples
    --------
    yardstone convert professional.sgf -o results.csv
    yardstone convert league.csv -o games.pgn.gz
    yardstone convert professional.sgf -o repaired.sgf
    yardstone convert league.csv --columns first=white,second=black -o league.parquet
    """
    writer = _writer(target, output)
    if writer.binary and output is None:
        raise UsageError("Parquet is not text: name a file with -o")
    check_folder(output)
    formats = [] if games.query is not None else _formats(paths or [], source)
    only = formats[0] if len(formats) == 1 else None
    if (
        writer.game and only and only.games and not games.columns
        and writer in only.writers and "-" not in (paths or []) and source is None
    ):  # fmt: skip
        _rewrite(only, writer, paths or [], output, strict=games.strict, quiet=quiet)
        return
    pool = games.read(paths, format=source, every=True, quiet=quiet)
    _write(writer.pieces(pool), output, binary=writer.binary)
    if not quiet:
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


def _rewrite(
    format: FileFormat, writer: Writer, paths: list[str], output: Path | None, *, strict: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """Write games with the moves of their main lines, one at a time."""
    text_of = writer.game
    assert format.games is not None
    assert text_of is not None
    sources = find_sources(paths, format.endings)
    reader = format.games(sources, strict=strict, progress=progress_bar("reading", quiet=quiet))
    written = 0

    def pieces() -> Iterable[str]:
        nonlocal written
        for game in reader:
            written += 1
            yield text_of(game)

    _write(pieces(), output)
    report_skipped(reader.skipped)
    if not quiet:
        _report(written, reader.skipped, ["only main lines are kept, without comments"])


def _write(pieces: Iterable[str | bytes], output: Path | None, *, binary: bool = False) -> None:
    if output is None:
        for piece in pieces:
            sys.stdout.write(str(piece))
        return
    with (
        replaced(output) as temporary,
        temporary.open("wb") if binary else open_text(temporary) as file,
    ):
        for piece in pieces:
            file.write(piece)  # type: ignore[arg-type]


def _losses(pool: Pool, writer: Writer, formats: Collection[FileFormat]) -> list[str]:
    """What the format has no place for."""
    losses = [f"column {name!r} has no place in {writer.name}" for name in writer.left_out(pool)]
    if any(format.moves for format in formats):
        losses.append("moves and comments are not kept, only results")
    turned = [each for each in formats if {each.side, writer.side} == {"white", "black"}]
    return losses + [
        f"{each.side.capitalize()}, who moves first in {each.name.upper()}, stands as "
        f"{writer.side.capitalize()}, who moves first in {writer.name.upper()}"
        for each in turned
    ]


def _report(written: int, skipped: SkipReport, losses: list[str]) -> None:
    """Say on standard error what was written, put right, and has no place."""
    lines = [f"{written:,} game{'' if written == 1 else 's'} written"]
    lines += [f"repaired {count:,} times: {kind}" for kind, count in skipped.repaired.most_common()]
    for line in [*lines, *losses]:
        print(f"yardstone: {line}", file=sys.stderr)
