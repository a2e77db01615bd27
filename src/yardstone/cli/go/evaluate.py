"""`yardstone go evaluate`: positions as JSON lines, evaluated by a network."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from yardstone.cli.go.options import NetworkOptions, OutputFile, Quiet, Strict
from yardstone.cli.reading import report_skipped

__all__ = ["evaluate"]


def evaluate(
    network: NetworkOptions,
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Positions as JSON lines, also compressed; - for standard input."
        ),
    ] = "-",
    strict: Strict = False,
    output: OutputFile = None,
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
    from yardstone.errors import NoGamesError
    from yardstone.pool import SkipReport

    check_folder(output)
    loaded = network.load()
    from yardstone.go.positions import evaluate_file

    skipped = SkipReport()
    bar = progress_bar("evaluating", quiet=quiet)
    rows = evaluate_file(path, loaded, skipped=skipped, strict=strict, progress=bar)
    try:
        with _opened(output) as out:
            for row in rows:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    except NoGamesError:
        report_skipped(skipped, quiet=quiet)
        raise
    report_skipped(skipped, quiet=quiet)


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[str]]:
    """Where the lines go; a file takes its name when it is complete."""
    if output is None:
        yield sys.stdout
        return
    from yardstone.files import open_text, replaced

    with replaced(output) as temporary, open_text(temporary) as file:
        yield file
