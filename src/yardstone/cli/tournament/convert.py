"""`yardstone tournament convert`: from one format of tournament files to another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.output import check_folder
from yardstone.cli.tournament.file import TournamentFile
from yardstone.errors import UsageError
from yardstone.tournament.formats import FORMATS

__all__ = ["convert"]


def convert(
    file: TournamentFile,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(FORMATS),
            help="Format to write. [default: by the ending of the file]",
        ),
    ] = None,
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="Encoding of an H9 file, such as iso-8859-15.")
    ] = "utf-8",
    forfeits: Annotated[
        bool,
        typer.Option(help="Write games decided without play into an H9 file, or half a point."),
    ] = True,
) -> None:
    """Convert a tournament between OpenGotha, H9 and TRF.

    A file in the same format keeps all that Yardstone does not use.

    Examples
    --------
    yardstone tournament convert open.xml -o open.h9
    """
    from yardstone.files import replaced
    from yardstone.tournament.files import format_to_write

    check_folder(output)
    tournament = file.read()
    form = format_to_write(output, to)
    options = {} if encoding == "utf-8" else {"encoding": _codec(encoding)}
    if form.name != "h9" and (options or not forfeits):
        raise UsageError("--encoding and --no-forfeits are for H9 files")
    data = form.write(tournament, **options, **({} if forfeits else {"keep_forfeits": False}))
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    with replaced(output) as temporary:
        temporary.write_bytes(data)


def _codec(name: str) -> str:
    import codecs

    try:
        codec = codecs.lookup(name)
        "a".encode(codec.name)
    except LookupError:
        raise UsageError(f"no encoding of text is called {name!r}") from None
    return codec.name
