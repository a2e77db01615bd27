"""Names of players that a command keeps or replaces, and what was left out."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from yardstone.pool import SkipReport

__all__ = ["Names", "report_skipped"]

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
