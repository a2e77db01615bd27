"""`yardstone tournament wish`: wishes for the pairings, kept beside the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.tournament.steps import EventFile
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.tournament.event.wishes import EventWishes, Wish

__all__ = ["wish"]


def wish(
    file: EventFile,
    *,
    never: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="These players never meet. Repeatable."),
    ] = None,
    not_in_club: Annotated[
        bool, typer.Option("--not-in-club", help="No game within a club.")
    ] = False,
    not_in_country: Annotated[
        bool, typer.Option("--not-in-country", help="No game within a country.")
    ] = False,
    local: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Players of this country meet the others, as far as numbers allow.",
            show_default=False,
        ),
    ] = None,
    rounds: Annotated[
        str | None,
        typer.Option(
            metavar="FROM[-TO]",
            help="Rounds for which the new wishes hold. [default: all]",
            show_default=False,
        ),
    ] = None,
    drop: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="NUMBER", help="Drop the wish of this number.", show_default=False
        ),
    ] = None,
) -> None:
    """Keep a wish for the pairings of several rounds.

    Without options the wishes are listed. `pair` keeps them: they are demands, and a round
    that cannot be paired with them is refused. They stand in a file beside the
    tournament's, such as open.xml.wishes, as OpenGotha has no place for them.

    Examples
    --------
    yardstone tournament wish open.xml --never 'Adler Ruth,Fischer Jan'
    yardstone tournament wish open.xml --not-in-club --rounds 1-3
    yardstone tournament wish open.xml
    """
    from dataclasses import replace

    from yardstone.tournament.event.wishes import change_wishes, read_wishes
    from yardstone.tournament.files import read_tournament

    tournament = read_tournament(file)
    first, last = _rounds(rounds)
    new: list[Wish] = []
    if never or not_in_club or not_in_country or local:
        from yardstone.cli.tournament.pair import two_players
        from yardstone.tournament.event.wishes import Wish

        for text in never or []:
            pair = two_players(tournament, text, "--never")
            names = tuple(tournament.players[row].full_name for row in pair)
            new.append(Wish(kind="never", players=names, first=first, last=last))
        if not_in_club:
            new.append(Wish(kind="club", first=first, last=last))
        if not_in_country:
            new.append(Wish(kind="country", first=first, last=last))
        if local is not None:
            code = local.strip().upper()
            if len(code) != 2 or not code.isalpha():
                raise UsageError(f"--local {local!r}: two letters, such as DE")
            new.append(Wish(kind="local", country=code, first=first, last=last))
    elif rounds is not None:
        raise UsageError("--rounds goes with a new wish")
    if drop is not None and new:
        raise UsageError("--drop goes alone")

    def changed(kept: EventWishes) -> EventWishes:
        if drop is not None and drop > len(kept.wishes):
            raise UsageError(f"there is no wish {drop}, but {len(kept.wishes)}")
        wishes = [each for number, each in enumerate(kept.wishes, 1) if number != drop]
        wishes += [each for each in new if each not in wishes]
        return replace(kept, wishes=tuple(wishes))

    only_listed = not new and drop is None
    print("\n".join(_listed(read_wishes(file) if only_listed else change_wishes(file, changed))))


def _rounds(text: str | None) -> tuple[int, int]:
    """The first and the last round, 0 for all further ones."""
    if text is None:
        return 1, 0
    first, dash, last = (part.strip() for part in text.partition("-"))
    if not first.isdecimal() or not (last.isdecimal() if dash and last else True):
        raise UsageError(f"--rounds {text!r}: write it as 1-3, or 2")
    bounds = int(first), int(last) if last else 0 if dash else int(first)
    if bounds[0] < 1 or 0 < bounds[1] < bounds[0]:
        raise UsageError(f"--rounds {text!r}: the first round comes first")
    return bounds


def _listed(wishes: EventWishes) -> list[str]:
    lines = [f"{number}  {each.sentence()}" for number, each in enumerate(wishes.wishes, 1)]
    if wishes.system is not None:
        lines.append(f"Paired as a {str(wishes.system).replace('-', ' ')}.")
    return lines or ["No wishes."]
