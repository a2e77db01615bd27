"""`yardstone go evaluate`: positions as JSON lines, evaluated by a network."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from yardstone.cli.go.options import (
    Engine,
    EngineName,
    Net,
    Output,
    Precision,
    PrecisionName,
    Quiet,
    Strict,
    Threads,
    network,
)
from yardstone.cli.reading import report_skipped

__all__ = ["evaluate"]


def evaluate(
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Positions as JSON lines, also compressed; - for standard input."
        ),
    ] = "-",
    net: Net = None,
    engine: Engine = EngineName.auto,
    precision: Precision = PrecisionName.fp32,
    threads: Threads = None,
    strict: Strict = False,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate positions, given as JSON lines, without searching.

    Each line is an object with the moves of a game: {"moves": [["b", "Q16"]],
    "to_play": "w", "rules": "japanese", "komi": 6.5}. It comes back with White's
    chances and lead, and the policy; a line that cannot be used with an error.

    Examples
    --------
    yardstone go evaluate positions.jsonl -o evaluated.jsonl.gz
    """
    from yardstone.cli.output import check_folder
    from yardstone.cli.progress import progress_bar
    from yardstone.cli.startup import load_numba
    from yardstone.errors import NoGamesError, StrictError, UsageError
    from yardstone.pool import SkipReport
    from yardstone.records.sources import find_sources

    check_folder(output)
    sources = find_sources([path], (".jsonl", ".json"))
    if len(sources) != 1:
        raise UsageError(f"{path} means {len(sources)} files: name one")
    (source,) = sources
    loaded = network(net, engine, precision, threads)
    load_numba()
    from yardstone.go.position_lines import evaluate_lines, read_lines

    skipped = SkipReport()
    number = 0
    with source.open() as stream, _opened(output) as out:
        lines = read_lines(stream, progress_bar("evaluating", quiet=quiet))
        for found in evaluate_lines(lines, loaded, file=source.name, skipped=skipped):
            if strict and len(skipped):
                first = skipped.details[0]
                raise StrictError(first.reason, file=first.file, line=first.line)
            out.write(json.dumps(found, ensure_ascii=False) + "\n")
            number += 1
        if number == len(skipped):
            report_skipped(skipped, quiet=quiet)
            raise NoGamesError("no line holds a position", file=source.name)
    report_skipped(skipped, quiet=quiet)


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    """Where the lines go; a file takes its name when it is complete."""
    if output is None:
        yield sys.stdout
        return
    import gzip

    from yardstone.files import replaced

    with replaced(output) as temporary:
        if output.suffix.lower() == ".gz":
            with (
                temporary.open("wb") as raw,
                gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
                io.TextIOWrapper(packed, "utf-8", newline="\n") as file,
            ):
                yield file
        else:
            with temporary.open("w", encoding="utf-8", newline="\n") as file:
                yield file
