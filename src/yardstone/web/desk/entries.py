"""Players: entered one by one, from a table or a federation's list, and changed later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response

from yardstone.errors import InputError
from yardstone.files import scratch_folder
from yardstone.tournament.event.entries import (
    EventEntry,
    change_player,
    enter_players,
    read_player_table,
    remove_player,
)
from yardstone.tournament.event.rounds import (
    give_bye,
    rejoin,
    take_bye_back,
    withdraw,
)
from yardstone.web.desk.pages import (
    Form,
    SentForm,
    desk_of,
    desk_page,
    helpers_only,
    input_problem,
    take,
)
from yardstone.web.desk.views import PLAYER_FIELDS, changed_fields, field_values, seat
from yardstone.web.problems import RequestProblem, missing

if TYPE_CHECKING:
    from yardstone.tournament.event.settings import EventChange
    from yardstone.tournament.model import Tournament

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

#: Rows left out that are listed, and players of a list that are offered.
_LISTED, _OFFERED = 50, 20


@router.get("/enter")
def enter_page(request: Request, search: str = "") -> Response:
    """The forms for new players."""
    helpers_only(request)
    return _enter_page(request, search=search)


@router.post("/enter")
def enter_one(request: Request, form: SentForm) -> Response:
    """Enter one player."""
    values = {name: form.text(name) for name, *_ in PLAYER_FIELDS}
    try:
        entry = _entry(request, form, values)
        change = desk_of(request).change(
            lambda tournament: enter_players(
                tournament, [entry], first_round=form.number("first_round")
            ),
            form.helper,
        )
    except InputError as error:
        return _enter_page(request, problem=input_problem(error), values=values, status=422)
    if change.skipped.details:
        reason = change.skipped.details[0].reason
        return _enter_page(request, problem=f"{reason}.", values=values, status=422)
    return _enter_page(request, lines=change.lines, search=form.text("search"))


@router.post("/enter/table")
def enter_table(request: Request, form: SentForm) -> Response:
    """Enter the players of a table."""
    text = form.fields.get("table", [""])[0]
    data = form.files.get("file") or text.encode()
    if not data.strip():
        return _enter_page(request, problem="No table was sent.", status=422)
    with scratch_folder() as folder:
        file = folder / "players.csv"
        file.write_bytes(data)
        try:
            read = read_player_table(file)
        except InputError as error:
            return _enter_page(request, problem=input_problem(error), table=text, status=422)
    register = desk_of(request).register
    entries = list(read.entries)
    if register is not None:
        entries = [register.players.completed(entry) or entry for entry in entries]
    try:
        change = desk_of(request).change(
            lambda tournament: enter_players(
                tournament, entries, first_round=form.number("first_round")
            ),
            form.helper,
        )
    except InputError as error:
        return _enter_page(request, problem=input_problem(error), table=text, status=422)
    left_out = [
        f"line {each.line}: {each.reason}"
        for report in (read.skipped, change.skipped)
        for each in report.details
    ]
    lines = list(change.lines)
    if read.unused:
        lines.append(f"Columns that were not used: {', '.join(read.unused)}.")
    return _enter_page(
        request,
        lines=lines or ["Nobody was entered."],
        left_out=left_out[:_LISTED],
        table=text if left_out else "",
        status=200 if not left_out else 422,
    )


@router.get("/here/{number}")
def call(request: Request, number: int) -> Response:
    """Who plays in a round: a tap each."""
    helpers_only(request)
    snapshot = desk_of(request).snapshot()
    tournament = snapshot.tournament
    if not 1 <= number <= tournament.rounds:
        raise missing()
    rows = sorted(range(len(tournament.players)), key=lambda row: _name(tournament, row))
    busy = {p for g in tournament.round_games(number) for p in (g.first, g.second)}
    busy |= {bye.player for bye in tournament.byes if bye.round == number}
    return desk_page(
        request,
        "here",
        snapshot,
        title=f"Who plays in round {number}",
        place="pair",
        number=number,
        players=[
            (seat(tournament, row), tournament.players[row].takes_part(number), row in busy)
            for row in rows
        ],
    )


@router.post("/here/{number}")
def set_here(request: Request, number: int, form: SentForm) -> Response:
    """Say whether a player plays in a round."""
    there = form.text("there") == "1"

    def step(tournament: Tournament) -> EventChange:
        row = _row(tournament, form.text("who"))
        act = rejoin if there else withdraw
        return act(tournament, row, number, only=True)

    return take(request, form, step, f"/here/{number}#{form.text('anchor')}")


@router.post("/player/{number}/change")
def change(request: Request, number: int, form: SentForm) -> Response:
    """Change what is said of a player, field by field."""

    def step(tournament: Tournament) -> EventChange:
        row = _row(tournament, form.text("who"))
        return change_player(tournament, row, **changed_fields(form, tournament.players[row]))

    return take(request, form, step, f"/player/{number}")


@router.post("/player/{number}/rounds")
def rounds(request: Request, number: int, form: SentForm) -> Response:
    """Withdraw a player, take one back, give or take a bye, or take an entry out."""
    act, at = form.text("act"), form.number("round")
    acts: dict[str, Callable[[Tournament, int], EventChange]] = {
        "absent": lambda t, row: withdraw(t, row, at, only=True),
        "withdraw": lambda t, row: withdraw(t, row, at),
        "play": lambda t, row: rejoin(t, row, at, only=True),
        "rejoin": lambda t, row: rejoin(t, row, at),
        "bye": lambda t, row: give_bye(t, row, at),
        "no-bye": lambda t, row: take_bye_back(t, row, at),
        "remove": remove_player,
    }
    if act not in acts:
        raise RequestProblem(422, "bad_form", "The form is not known.", "Load the page again.")
    return take(
        request,
        form,
        lambda tournament: acts[act](tournament, _row(tournament, form.text("who"))),
        "/players" if act == "remove" else f"/player/{number}",
    )


def _row(tournament: Tournament, who: str) -> int:
    """A player by the whole name, which stays when numbers change."""
    for row, player in enumerate(tournament.players):
        if player.full_name == who:
            return row
    raise RequestProblem(
        409, "gone", f"Nobody is called {who!r} any more.", "Somebody has changed the name."
    )


def _name(tournament: Tournament, row: int) -> str:
    return tournament.players[row].full_name.casefold()


# New players


def _enter_page(
    request: Request,
    *,
    lines: Sequence[str] = (),
    left_out: Sequence[str] = (),
    problem: str = "",
    values: dict[str, str] | None = None,
    table: str = "",
    search: str = "",
    status: int = 200,
) -> Response:
    desk = desk_of(request)
    snapshot = desk.snapshot()
    register = desk.register
    return desk_page(
        request,
        "enter",
        snapshot,
        title="Enter players",
        place="enter",
        status=status,
        lines=lines,
        left_out=left_out,
        problem=problem,
        values=values or {},
        table=table,
        fields=PLAYER_FIELDS,
        first_round=min(snapshot.tournament.next_round, snapshot.tournament.rounds),
        register="" if register is None else register.players.federation,
        search=search,
        found=[] if register is None or not search else register.beginning(search, _OFFERED),
    )


def _entry(request: Request, form: Form, values: dict[str, str]) -> EventEntry:
    """A player as the form has it, or as the federation's list does."""
    register = desk_of(request).register
    if form.text("listed") and register is not None:
        return register.players.find(form.text("listed"))
    plain = field_values(values)
    return EventEntry(**{name: value for name, value in plain.items() if value is not None})
