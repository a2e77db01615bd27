"""What the subcommands of `winprob` share: options, and where results go."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["Output", "Plot", "TableFormat", "TextOrJson", "as_text", "write"]

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Draw a picture too: .svg, .png or .pdf."),
]


class TextOrJson(StrEnum):
    """How the findings are written."""

    text = "text"
    json = "json"


class TableFormat(StrEnum):
    """How a table is written."""

    text = "text"
    csv = "csv"
    json = "json"


def as_text(values: Any) -> str:
    """Plain values as JSON."""
    from yardstone.reports.json_out import as_json

    return as_json(values)


def write(text: str, output: Path | None) -> None:
    """Write to a file, or to standard output if there is none."""
    if output is None:
        sys.stdout.write(text)
        return
    from yardstone.files import write_text

    write_text(output, text)
