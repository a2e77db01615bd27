"""`yardstone go fetch`: games of a user of a server."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["fetch"]


def fetch(
    server: Annotated[str, typer.Argument(metavar="SERVER", help="Where the user plays: ogs.")],
    user: Annotated[str, typer.Argument(metavar="NAME", help="The user's name there.")],
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where to put the games.")
    ] = Path("games"),
    games: Annotated[
        int, typer.Option(metavar="NUMBER", help="How many of the latest games.")
    ] = 20,
    all_kinds: Annotated[
        bool, typer.Option("--all-kinds", help="Handicap games and other boards as well.")
    ] = False,
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where OGS is. [default: https://online-go.com]"),
    ] = None,
) -> None:
    """Fetch the latest public games of a user of OGS as SGF files.

    Finished even games on 19x19, as `strength estimate` takes them. Two requests a
    second at most are made, and no account is needed.

    Examples
    --------
    yardstone go fetch ogs NAME
    yardstone go fetch ogs NAME --games 50 -o games
    """
    from yardstone.records.game_servers import check_importers
    from yardstone.records.ogs import OGS, GameSelection, fetch_ogs_games
    from yardstone.reports.words import plural

    check_importers([server.lower()])
    selection = GameSelection(
        games=games,
        size=None if all_kinds else 19,
        even=not all_kinds,
        seconds=60.0 + 5.0 * games,
    )
    fetched = fetch_ogs_games(user, folder, selection=selection, url=url or OGS)
    for words in fetched.left_out:
        print(f"Left out: {words}", file=sys.stderr)
    print(f"{plural(len(fetched.files), 'game')} of {fetched.user} in {folder}")
