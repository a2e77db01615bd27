"""`yardstone tournament enter` and `change`: players, one or a table of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from yardstone.cli.tournament.steps import EventFile, finish, step
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.pool import SkipReport
    from yardstone.tournament.event.entries import EventEntry
    from yardstone.tournament.event.rating_lists import RatingRegister

__all__ = ["change", "enter"]


@dataclass(frozen=True)
class PlayerOptions:
    """What is said of a player."""

    PANEL: ClassVar[str] = "Player"

    grade: Annotated[
        str | None,
        typer.Option(metavar="GRADE", help="Grade, such as 3d or 12k.", show_default=False),
    ] = None
    rating: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Rating, 1 dan being 2100.", show_default=False),
    ] = None
    club: Annotated[str | None, typer.Option(metavar="TEXT", help="Club.", show_default=False)] = (
        None
    )
    country: Annotated[
        str | None, typer.Option(metavar="CODE", help="Country: two letters.", show_default=False)
    ] = None
    correction: Annotated[
        int | None,
        typer.Option(
            metavar="POINTS",
            help="Added to the initial McMahon score: 1 for a group above the bar.",
            show_default=False,
        ),
    ] = None


def enter(
    file: EventFile,
    player: PlayerOptions,
    *,
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE]",
            help="CSV file of players: columns name, grade or rating, club, country.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="One player: family name first, or with a comma after it.",
            show_default=False,
        ),
    ] = None,
    register: Annotated[
        Path | None,
        typer.Option(
            "--list",
            metavar="FILE",
            help="Take grade, rating, club and country from this list of the EGF, FFG or AGA.",
            show_default=False,
        ),
    ] = None,
    first_round: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=1,
            metavar="NUMBER",
            help="First round in which they play. [default: the first without boards]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Enter players: one by name, or all of a table, at any round.

    Whoever is in the file already in the same way stays; another grade, rating, club or
    country is refused (see `change`). Rows that cannot be used are left out and listed with
    their lines. A late entry is absent in the rounds before, and scores for them what the
    tournament gives for absence.

    Examples
    --------
    yardstone tournament enter open.xml players.csv --round 5
    yardstone tournament enter open.xml --name 'Novak, Jana' --grade 3k --club Brno --round 5
    """
    from yardstone.pool import SkipReport
    from yardstone.tournament.event.entries import EventEntry, enter_players
    from yardstone.tournament.event.file import change_file
    from yardstone.tournament.event.player_table import read_player_table
    from yardstone.tournament.event.rating_lists import read_register

    if (table is None) == (name is None):
        raise UsageError("name a file of players, or one player with --name")
    known = None if register is None else read_register(register)
    notes: list[str] = []
    skipped = SkipReport()
    if table is not None:
        if player != PlayerOptions():
            raise UsageError("--grade, --rating, --club, --country: for one player with --name")
        read = read_player_table(table)
        entries, skipped = list(read.entries), read.skipped
        if read.unused:
            notes.append(f"Columns not used: {', '.join(read.unused)}.")
    else:
        entries = [
            EventEntry(
                name=name or "",
                grade=player.grade or "",
                rating=player.rating,
                club=player.club or "",
                country=player.country or "",
                correction=player.correction or 0,
            )
        ]
    if known is not None:
        entries = [
            made
            for each in entries
            if (made := _completed(each, known, table or register, skipped, notes)) is not None
        ]
    source = "" if table is None else str(table)
    done = change_file(
        file, lambda t: enter_players(t, entries, first_round=first_round, source=source)
    )
    if name is not None and len(done.skipped):
        raise InputError(done.skipped.details[0].reason, file=str(file))
    finish(file, replace(done, lines=(*done.lines, *notes)), skipped)


def _completed(
    entry: EventEntry,
    known: RatingRegister,
    file: Path | None,
    skipped: SkipReport,
    notes: list[str],
) -> EventEntry | None:
    """The entry with what the list knows; None if it cannot be told who is meant."""
    from yardstone.pool import Skipped

    try:
        made = known.completed(entry)
    except InputError as error:
        reason = f"{error.message} ({error.hint})" if error.hint else error.message
        if not entry.line:
            raise
        skipped.add(Skipped(str(file), entry.line, reason), kind="ambiguous")
        return None
    if made is None:
        if not entry.grade and entry.rating is None:
            known.find(entry.name) if not entry.line else None
            reason = f"{entry.name}: not in the list of the {known.federation}, and no grade"
            skipped.add(Skipped(str(file), entry.line, reason), kind="not in the list")
            return None
        notes.append(f"Not in the list of the {known.federation}: {entry.name}.")
        return entry
    return made


def change(
    file: EventFile,
    options: PlayerOptions,
    *,
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER", help="Player's name, its beginning, or number.", show_default=False
        ),
    ],
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="New name.", show_default=False)
    ] = None,
) -> None:
    """Change what is said of a player: name, grade, rating, club, country.

    Examples
    --------
    yardstone tournament change open.xml Moreau --grade 7k --club Nice
    """
    from yardstone.tournament.event.entries import change_player

    values: dict[str, Any] = {
        "name": name,
        "grade": options.grade,
        "rating": options.rating,
        "club": options.club,
        "country": options.country,
        "correction": options.correction,
    }
    if all(value is None for value in values.values()):
        raise UsageError("say what to change: --name, --grade, --rating, --club or --country")
    step(file, lambda t: change_player(t, t.find(player), **values))
