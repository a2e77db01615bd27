"""`yardstone tournament publish`: pages for walls and phones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.tournament.file import TournamentFile
from yardstone.errors import InputError

__all__ = ["publish"]


def publish(
    file: TournamentFile,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PAGE|FOLDER",
            help="One page if it ends in .html, else a folder of pages. "
            "[default: a page beside the file]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Publish boards, standings, results and players as pages.

    The pages need nothing but themselves: put them on any web server, or print them.
    Publish again after each round; pages of the same names are replaced.

    Examples
    --------
    yardstone tournament publish open.xml
    yardstone tournament publish open.xml -o pages
    """
    import yardstone
    from yardstone.cli.output import check_folder
    from yardstone.files import write_text
    from yardstone.reports.faces.page import document_page
    from yardstone.reports.tournament.publication import publication, publication_page

    tournament = file.read()
    beside = Path("tournament.html" if file.file == "-" else file.file).with_suffix(".html")
    target = output or beside
    if target.suffix.lower() in (".html", ".htm"):
        check_folder(target)
        page = document_page(publication_page(tournament), version=yardstone.__version__)
        write_text(target, page)
        print(f"{target}: boards, standings, results and players on one page.")
        return
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(target)) from error
    pages = publication(tournament)
    for name, document in pages.items():
        write_text(target / name, document_page(document, version=yardstone.__version__))
    print(f"{target}: {len(pages)} pages; begin with {target / 'index.html'}.")
