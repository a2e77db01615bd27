"""`yardstone trickplay index`: games in the form that searches take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.go.options import Quiet
from yardstone.cli.options import WorkOptions
from yardstone.cli.reading import report_skipped

__all__ = ["index"]


def index(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="SGF files or lists of moves, folders, patterns or archives of them.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Index to write.")],
    *,
    work: WorkOptions,
    quiet: Quiet = False,
) -> None:
    """Build an index of games that makes searches fast.

    A game that occurs twice is taken once. The same command goes on where it was
    stopped; what has been read so far is kept beside the index until it is complete.

    Examples
    --------
    yardstone trickplay index professional.sgf -o games.idx
    """
    from yardstone.cli.progress import progress_bar
    from yardstone.go.patterns import build_index
    from yardstone.reports.words import plural

    games, skipped = build_index(
        paths, output, workers=work.workers, progress=progress_bar("reading games", quiet=quiet)
    )
    report_skipped(skipped, quiet=quiet)
    if not quiet:
        again = games.facts["duplicates"]
        note = f"; {plural(again, 'game')} occurred again" if again else ""
        print(f"{plural(len(games), 'game')}, {games.positions:,} positions in {output}{note}")
