"""`yardstone tournament pair`: proposes a round, and says why each board is as it is."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.output import check_folder
from yardstone.cli.progress import progress_bar
from yardstone.cli.tournament.demands import (
    demands_given,
    rules_given,
    two_players,
    undone,
    without_players,
)
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.tournament.demands import Demands
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.pairing_rules import PairingRules

__all__ = ["pair"]

#: Boards are paired again one by one, to see what each is worth, up to so many players.
COSTS_UP_TO = 200


class PairingFormat(StrEnum):
    """How the boards are written."""

    text = "text"
    csv = "csv"
    json = "json"
    html = "html"


class PairingSystem(StrEnum):
    """How a round is paired."""

    mcmahon = "mcmahon"
    swiss = "swiss"
    fide = "fide"
    round_robin = "round-robin"


class Numbering(StrEnum):
    """Where the numbers of a round robin come from."""

    list = "list"
    rating = "rating"
    rank = "rank"
    name = "name"
    lot = "lot"


def pair(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Tournament: OpenGotha XML or FIDE's TRF.")
    ],
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=1,
            metavar="NUMBER",
            help="Round to pair. [default: the first without boards]",
        ),
    ] = None,
    system: Annotated[
        PairingSystem | None,
        typer.Option(help="Pair by this system's weights. [default: as the file says]"),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON file of rules: names and values."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set one rule. Repeatable."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**31 - 1, metavar="NUMBER", help="Seed of the lots.")
    ] = 0,
    fix: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="A board that must be. Repeatable."),
    ] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="A board that must not be. Repeatable."),
    ] = None,
    absent: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A player who does not take part. Repeatable."),
    ] = None,
    bye: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who stays without an opponent.")
    ] = None,
    no_bye: Annotated[
        bool, typer.Option("--no-bye", help="Refuse an odd number of players.")
    ] = False,
    allow_rematch: Annotated[
        bool, typer.Option("--allow-rematch", help="Let players meet again where it must be.")
    ] = False,
    allow_open: Annotated[
        bool,
        typer.Option("--allow-open", help="Count games without a result as nothing yet."),
    ] = False,
    numbering: Annotated[
        Numbering | None,
        typer.Option(help="Numbers in a round robin. [default: as earlier rounds have them]"),
    ] = None,
    double: Annotated[
        bool | None,
        typer.Option(
            "--double/--single",
            help="A round robin twice or once. [default: by the number of rounds]",
            show_default=False,
        ),
    ] = None,
    ask: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Say what this board would cost. Repeatable."),
    ] = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Drop the boards of the round, and later ones, and pair it anew."
        ),
    ] = False,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Pair a recorded round again and show what differs."),
    ] = False,
    costs: Annotated[
        bool | None,
        typer.Option(
            "--costs/--no-costs",
            help="What is lost without each board. [default: up to 200 players]",
            show_default=False,
        ),
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="Boards without reasons.")] = False,
    form: Annotated[
        PairingFormat, typer.Option("--format", help="How boards are written.")
    ] = PairingFormat.text,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page to print, too.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the tournament with this round into a file; it may be the same one.",
        ),
    ] = None,
) -> None:
    """Propose the next round's boards, each with its reasons.

    Examples
    --------
    yardstone tournament pair open.xml
    yardstone tournament pair open.xml -o open.xml --page boards.html
    yardstone tournament pair open.xml --fix "Ann Lee,Bo Ray" --absent "Cy Fox"
    yardstone tournament pair open.xml --round 5 --again --ask "Ann Lee,Di Kim"
    yardstone tournament pair open.xml --round 3 --compare
    """
    from yardstone.tournament.files import read_tournament
    from yardstone.tournament.model import System

    check_folder(output)
    check_folder(page)
    tournament = read_tournament(file)
    if again:
        tournament, round_number = undone(tournament, round_number, output is not None)
    robin = system is PairingSystem.round_robin or (
        system is None and tournament.system is System.round_robin
    )
    if robin:
        if ask or compare or rules or settings:
            raise UsageError("a round robin has no weights: --ask, --compare, --rules and --set")
    elif numbering is not None or double is not None:
        raise UsageError("--numbering and --double are for a round robin")
    if compare:
        if output is not None or page is not None or ask or again:
            raise UsageError(
                "--compare shows a recorded round; it goes without -o, --page, --ask and --again"
            )
        if fix or forbid or absent or bye is not None:
            raise UsageError("--compare pairs the players of the recorded round as they are")
        chosen = rules_given(tournament, system, rules, settings or [], seed)
        _compare(tournament, round_number, chosen, form)
        return
    demands = demands_given(
        tournament,
        fix,
        forbid,
        absent,
        bye,
        no_bye=no_bye,
        rematch=allow_rematch,
        open_results=allow_open,
    )
    if robin:
        made, text, html = _round_robin(
            tournament, round_number, numbering, seed, double, demands, form
        )
    else:
        chosen = rules_given(tournament, system, rules, settings or [], seed)
        asked = [two_players(tournament, text, "--ask") for text in ask or []]
        made, text, html = _weighted(
            tournament, round_number, chosen, demands, asked, costs, brief, form
        )
    _write(made, output, page, html)
    sys.stdout.write(text)


def _weighted(
    tournament: Tournament,
    round_number: int | None,
    rules: PairingRules,
    demands: Demands,
    asked: list[tuple[int, int]],
    costs: bool | None,
    brief: bool,
    form: PairingFormat,
) -> tuple[Tournament, str, str]:
    import yardstone
    from yardstone.reports.tournament import pairing as reports
    from yardstone.tournament.explain import change_for, explain
    from yardstone.tournament.pairing import pair_round

    pairing = pair_round(tournament, round_number, rules=rules, demands=demands)
    for players in asked:
        for player in players:
            if player not in pairing.row_of:
                raise InputError(f"{tournament.players[player].full_name} is not to be paired")
    wanted = len(pairing.entrants) <= COSTS_UP_TO if costs is None else costs
    progress = progress_bar("boards", quiet=False)
    explained = explain(pairing, costs=wanted and not brief, progress=progress)
    html = reports.html_pairing(pairing, explained, version=yardstone.__version__)
    if form is PairingFormat.csv:
        text = reports.csv_pairing(pairing, explained)
    elif form is PairingFormat.json:
        changes = [(players, change_for(pairing, instead=players)) for players in asked]
        text = reports.plain_pairing(pairing, explained, changes)
    elif form is PairingFormat.html:
        text = html
    else:
        text = reports.text_pairing(pairing, explained, brief=brief)
        for players in asked:
            change = change_for(pairing, instead=players)
            text += "\n" + reports.change_text(pairing, players, change)
    made = pairing.added_to(without_players(tournament, demands.absent, pairing.round))
    return made, text, html


def _round_robin(
    tournament: Tournament,
    round_number: int | None,
    numbering: Numbering | None,
    seed: int,
    double: bool | None,
    demands: Demands,
    form: PairingFormat,
) -> tuple[Tournament, str, str]:
    import yardstone
    from yardstone.reports.json_out import as_json
    from yardstone.reports.tournament import round_robin as reports
    from yardstone.tournament.pairing import round_to_pair
    from yardstone.tournament.round_robin import pair_round_robin

    found = pair_round_robin(
        tournament,
        round_to_pair(tournament) if round_number is None else round_number,
        numbering=numbering,
        seed=seed,
        double=double,
        demands=demands,
    )
    html = reports.html_round_robin(found, version=yardstone.__version__)
    if form is PairingFormat.text:
        text = reports.text_round_robin(found)
    elif form is PairingFormat.csv:
        text = reports.csv_round_robin(found)
    elif form is PairingFormat.json:
        text = as_json(reports.plain_round_robin(found))
    else:
        text = html
    made = found.added_to(without_players(tournament, demands.absent, found.round))
    return made, text, html


def _compare(
    tournament: Tournament, round_number: int | None, rules: PairingRules, form: PairingFormat
) -> None:
    from yardstone.reports.json_out import as_json
    from yardstone.reports.tournament import comparison as reports
    from yardstone.tournament.comparison import differences, recorded_round

    if form not in (PairingFormat.text, PairingFormat.json):
        raise UsageError("--compare writes text or JSON")
    rounds = sorted({game.round for game in tournament.games})
    if round_number is not None:
        rounds = [round_number]
    if not rounds:
        raise InputError("no round is recorded yet", file=tournament.file)
    found = []
    for number in rounds:
        recorded, ours = recorded_round(tournament, number, rules=rules)
        found.append((recorded, ours, differences(recorded, ours)))
    if form is PairingFormat.json:
        sys.stdout.write(as_json([reports.plain_comparison(*one) for one in found]))
        return
    sys.stdout.write("\n".join(reports.comparison_text(*one) for one in found))


def _write(made: Tournament, output: Path | None, page: Path | None, html: str) -> None:
    from yardstone.files import replaced, write_text
    from yardstone.tournament.files import to_bytes

    if output is not None:
        data = to_bytes(made, output)
        with replaced(output) as temporary:
            temporary.write_bytes(data)
    if page is not None:
        write_text(page, html)
