"""Players: entered one by one, from a table or a federation's list, and changed later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

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
from yardstone.tournament.event.rounds import give_bye, rejoin, take_bye_back, withdraw
from yardstone.web.desk.pages import (
    Form,
    SentForm,
    desk_of,
    desk_page,
    helpers_only,
    input_problem,
    take,
)
from yardstone.web.desk.views import PLAYER_FIELDS, changed_fields, field_values, rows_by_name, seat
from yardstone.web.problems import RequestProblem

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


def _enter_page(request: Request, **shown: Any) -> Response:
    desk = desk_of(request)
    snapshot, register = desk.snapshot(), desk.register
    usual = {"lines": (), "left_out": (), "problem": "", "values": {}, "table": "", "search": ""}
    shown = usual | shown
    return desk_page(
        request,
        "enter",
        snapshot,
        status=422 if shown["problem"] or shown["left_out"] else 200,
        fields=PLAYER_FIELDS,
        first_round=min(snapshot.tournament.next_round, snapshot.tournament.rounds),
        register="" if register is None else register.players.federation,
        found=register.beginning(shown["search"], _OFFERED) if register and shown["search"] else [],
        **shown,
    )


@router.post("/enter")
def enter_one(request: Request, form: SentForm) -> Response:
    """Enter one player."""
    values = {field.name: form.text(field.name) for field in PLAYER_FIELDS}
    try:
        change = _enter(request, form, [_entry(request, form, values)])
    except InputError as error:
        return _enter_page(request, problem=input_problem(error), values=values)
    if change.skipped.details:
        reason = change.skipped.details[0].reason
        return _enter_page(request, problem=f"{reason}.", values=values)
    return _enter_page(request, lines=change.lines, search=form.text("search"))


def _enter(request: Request, form: Form, entries: Sequence[EventEntry]) -> EventChange:
    return desk_of(request).change(
        lambda tournament: enter_players(
            tournament, entries, first_round=form.number("first_round")
        ),
        form.helper,
    )


def _entry(request: Request, form: Form, values: dict[str, str]) -> EventEntry:
    register = desk_of(request).register
    if form.text("listed") and register is not None:
        return register.players.find(form.text("listed"))
    given = field_values(PLAYER_FIELDS, values)
    return EventEntry(**{name: value for name, value in given.items() if value is not None})


@router.post("/enter/table")
def enter_table(request: Request, form: SentForm) -> Response:
    """Enter the players of a table."""
    text = form.fields.get("table", [""])[0]
    data = form.files.get("file") or text.encode()
    if not data.strip():
        return _enter_page(request, problem="No table was sent.")
    register = desk_of(request).register
    try:
        with scratch_folder() as folder:
            file = folder / "players.csv"
            file.write_bytes(data)
            read = read_player_table(file)
        entries = list(read.entries)
        if register is not None:
            entries = [register.players.completed(entry) or entry for entry in entries]
        change = _enter(request, form, entries)
    except InputError as error:
        return _enter_page(request, problem=input_problem(error), table=text)
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
    )


@router.get("/here/{number}")
def call(request: Request, number: int) -> Response:
    """Who plays in a round: a tap each."""
    helpers_only(request)
    snapshot = desk_of(request).snapshot()
    snapshot.check_round(number)
    tournament = snapshot.tournament
    paired = {row for at, row in (*tournament.game_of, *tournament.bye_of) if at == number}
    players = [
        (seat(tournament, row), tournament.players[row].takes_part(number), row in paired)
        for row in rows_by_name(tournament)
    ]
    return desk_page(request, "here", snapshot, number=number, players=players)


@router.post("/here/{number}")
def set_here(request: Request, number: int, form: SentForm) -> Response:
    """Say whether a player plays in a round."""
    act = rejoin if form.text("there") == "1" else withdraw
    step = _with_player(form, lambda t, row: act(t, row, number, only=True))
    return take(request, form, step, f"/here/{number}#{form.text('anchor')}")


@router.post("/player/{number}/change")
def change(request: Request, number: int, form: SentForm) -> Response:
    """Change what is said of a player, field by field."""
    step = _with_player(
        form, lambda t, row: change_player(t, row, **changed_fields(form, t.players[row]))
    )
    return take(request, form, step, f"/player/{number}")


#: What a helper may do with a player, from the round of the form on.
_ACTS: dict[str, Callable[[Tournament, int, int], EventChange]] = {
    "absent": partial(withdraw, only=True),
    "withdraw": withdraw,
    "play": partial(rejoin, only=True),
    "rejoin": rejoin,
    "bye": give_bye,
    "no-bye": take_bye_back,
    "remove": lambda tournament, row, _: remove_player(tournament, row),
}


@router.post("/player/{number}/rounds")
def rounds(request: Request, number: int, form: SentForm) -> Response:
    """Withdraw a player, take one back, give or take a bye, or take an entry out."""
    act, at = form.text("act"), form.number("round")
    if act not in _ACTS:
        raise RequestProblem(422, "bad_form", "The form is not known.", "Load the page again.")
    step = _with_player(form, lambda tournament, row: _ACTS[act](tournament, row, at))
    return take(request, form, step, "/players" if act == "remove" else f"/player/{number}")


def _with_player(
    form: Form, step: Callable[[Tournament, int], EventChange]
) -> Callable[[Tournament], EventChange]:
    """A step with the player whom the form names: by the whole name, as numbers may change."""

    def with_player(tournament: Tournament) -> EventChange:
        for row, player in enumerate(tournament.players):
            if player.full_name == form.text("who"):
                return step(tournament, row)
        raise RequestProblem(
            409,
            "gone",
            f"Nobody is called {form.text('who')!r} any more.",
            "Somebody has changed the name.",
        )

    return with_player
