"""How commands read games, and say what was left out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.cli.options import DateOrder, Side
from yardstone.errors import SkippedWarning, UsageError

if TYPE_CHECKING:
    from yardstone.pool import Pool, SkipReport

__all__ = ["Names", "Source", "read_games", "report_skipped"]

#: So many records that were left out are shown with their places.
_PLACES = 5


@dataclass(frozen=True)
class Names:
    """Files of players' names."""

    include: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Use only games of the players in this file."),
    ] = None
    exclude: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Leave out games of the players in this file."),
    ] = None
    synonyms: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of one player: lines of NAME,OTHER,OTHER …"),
    ] = None


@dataclass(frozen=True)
class Source:
    """What a command is told of the games it reads.

    Attributes
    ----------
    paths : sequence of str
    query : str, optional
        SQL; `paths` is then a database, if any.
    columns : mapping of str to str or "all", optional
    first : Side, optional
    results : str, optional
    strict, skip_unread : bool
    format : str, optional
    names : Names
    dates : DateOrder, optional
    levels : bool
        Whether grades, ratings and handicaps are wanted.
    """

    paths: Sequence[str]
    query: str | None = None
    columns: Any = None
    first: Side | None = None
    results: str | None = None
    strict: bool = False
    skip_unread: bool = False
    format: str | None = None
    names: Names = Names()
    dates: DateOrder | None = None
    levels: bool = False


def read_games(source: Source, *, times: bool = True, quiet: bool = False) -> Pool:
    """Games from files or a query; what was left out is said on standard error."""
    from yardstone import records
    from yardstone.cli.progress import progress_bar

    names = source.names
    options: dict[str, Any] = {
        "columns": source.columns,
        "first": None if source.first is None else source.first.value,
        "times": times,
        "dates": None if source.dates is None else source.dates.value,
        "levels": source.levels,
        "results": source.results,
        "strict": source.strict,
        "skip_unread": source.skip_unread,
        "synonyms": names.synonyms,
        "include": names.include,
        "exclude": names.exclude,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)  # said below, with places
        if source.query is not None:
            if len(source.paths) > 1:
                raise UsageError("--query takes one database at most")
            pool = records.query(source.query, *source.paths, **options)
        elif source.paths:
            progress = progress_bar("reading", quiet=quiet)
            pool = records.read(*source.paths, format=source.format, progress=progress, **options)
        else:
            raise UsageError("name a file of results, or - for standard input")
    report_skipped(pool.skipped)
    return pool


def report_skipped(skipped: SkipReport, *, quiet: bool = False) -> None:
    """Say on standard error what was left out, and where the first of it stands."""
    if quiet or not len(skipped):
        return
    from yardstone.records.skipped_records import skipped_line

    lines = [f"yardstone: {skipped_line(skipped)}"]
    lines += [f"  {record}" for record in skipped.details[:_PLACES]]
    if len(skipped) > _PLACES:
        rest = len(skipped) - _PLACES
        lines.append(f"  … and {rest:,} other{'' if rest == 1 else 's'}")
    print("\n".join(lines), file=sys.stderr)
