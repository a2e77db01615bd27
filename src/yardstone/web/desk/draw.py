"""Pairing a round: wishes, a proposal with its reasons, and the boards that were seen accepted."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from yardstone.errors import InputError
from yardstone.reports.tournament.words import sentences, side_names
from yardstone.tournament.event.pairing import (
    PairedRound,
    pair_event,
    unpair_round,
    usual_system,
)
from yardstone.tournament.event.wishes import Wish
from yardstone.tournament.explanation import Proposal
from yardstone.web.desk.boards import BoardRow, free_players, round_boards, seat
from yardstone.web.desk.demands import KINDS, Demands
from yardstone.web.desk.pages import (
    Form,
    back,
    desk_of,
    desk_page,
    helpers_only,
    input_problem,
    read_form,
)
from yardstone.web.pages.render import root_of
from yardstone.web.problems import RequestProblem, missing

if TYPE_CHECKING:
    from yardstone.tournament.event.changes import EventChange
    from yardstone.tournament.model import Tournament

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

#: Boards are paired again one by one, to say what each is worth, up to so many players.
_COSTS_UP_TO = 100


@router.get("/pair")
def current(request: Request) -> Response:
    """The round to pair, or the last one."""
    rounds = desk_of(request).rounds(desk_of(request).snapshot())
    return RedirectResponse(f"{root_of(request)}/pair/{rounds.next or rounds.planned}", 303)


@router.get("/pair/{number}")
def pair_page(request: Request, number: int) -> Response:
    """Who is to be paired, and the wishes."""
    helpers_only(request)
    return _page(request, number, Demands())


@router.post("/pair/{number}")
async def propose(request: Request, number: int) -> Response:
    """Propose boards; nothing is written."""
    form = await read_form(request)
    return await run_in_threadpool(_propose, request, form, number)


@router.post("/pair/{number}/accept")
async def accept(request: Request, number: int) -> Response:
    """Write the boards that were proposed, if they still are what would be proposed."""
    form = await read_form(request)
    return await run_in_threadpool(_accept, request, form, number)


@router.post("/pair/{number}/drop")
async def drop(request: Request, number: int) -> Response:
    """Take the boards of the last round back, while they have no results."""
    form = await read_form(request)

    def step(tournament: Tournament) -> EventChange:
        if number != tournament.last_round:
            raise RequestProblem(
                409, "later_round", f"Round {tournament.last_round} is paired already.",
                "Only the last round can be taken back.",
            )  # fmt: skip
        return unpair_round(tournament, number)

    made = await run_in_threadpool(desk_of(request).change, step, form.helper)
    return back(request, f"/pair/{number}", said=" ".join(made.lines))


@router.post("/wishes")
async def wishes(request: Request) -> Response:
    """Keep a wish for all rounds to come, or take one back."""
    form = await read_form(request)
    return await run_in_threadpool(_wishes, request, form)


def _propose(request: Request, form: Form, number: int) -> Response:
    demands = Demands.of(form)
    try:
        made = _paired(request, desk_of(request).snapshot().tournament, number, demands)
    except InputError as error:
        return _page(request, number, demands, problem=input_problem(error))
    return _page(request, number, demands, made=made)


def _accept(request: Request, form: Form, number: int) -> Response:
    demands, shown = Demands.of(form), form.text("shown")

    def step(tournament: Tournament) -> EventChange:
        made = _paired(request, tournament, number, demands, reasons=False)
        if _digest(made) != shown:
            raise _OtherBoardsError
        return made.change

    try:
        made = desk_of(request).change(step, form.helper)
    except _OtherBoardsError:
        problem = (
            "Something has changed since these boards were proposed: nothing was written. "
            "Here is the proposal as it would be now."
        )
        return _proposed_anew(request, number, demands, problem)
    except InputError as error:
        return _page(request, number, demands, problem=input_problem(error))
    return back(request, f"/round/{number}", said=" ".join(made.lines))


class _OtherBoardsError(Exception):
    pass


def _proposed_anew(request: Request, number: int, demands: Demands, problem: str) -> Response:
    tournament = desk_of(request).snapshot().tournament
    try:
        made = _paired(request, tournament, number, demands)
    except InputError as error:
        return _page(request, number, demands, problem=f"{problem} {input_problem(error)}")
    return _page(request, number, demands, made=made, problem=problem)


def _paired(
    request: Request,
    tournament: Tournament,
    number: int,
    demands: Demands,
    *,
    reasons: bool = True,
) -> PairedRound:
    """The round as it would be paired."""
    lasting = desk_of(request).wishes()
    options: dict[str, Any] = {}
    if usual_system(tournament, lasting) != "round-robin":
        options = {"costs": reasons and len(tournament.players) <= _COSTS_UP_TO}
    return pair_event(
        tournament,
        number,
        wishes=lasting,
        constraints=demands.constraints(tournament),
        **options,
    )


def _digest(made: PairedRound) -> str:
    """What differs if any board does."""
    tournament = made.change.tournament
    names = [player.full_name for player in tournament.players]
    games = [
        (game.table, names[game.first], names[game.second], game.handicap)
        for game in tournament.round_games(made.number)
    ]
    byes = sorted(names[bye.player] for bye in tournament.byes if bye.round == made.number)
    return hashlib.sha256(repr((made.number, games, byes)).encode()).hexdigest()


def _page(
    request: Request,
    number: int,
    demands: Demands,
    *,
    made: PairedRound | None = None,
    problem: str = "",
) -> Response:
    desk = desk_of(request)
    snapshot = desk.snapshot()
    tournament = snapshot.tournament
    if not 1 <= number <= tournament.rounds:
        raise missing()
    rounds = desk.rounds(snapshot)
    earlier = [
        (g.round, g.table)
        for g in tournament.games
        if g.round < number and g.result.value == "unknown"
    ]
    return desk_page(
        request,
        "pair",
        snapshot,
        title=f"Pair round {number}",
        place="pair",
        status=422 if problem and made is None else 409 if problem else 200,
        number=number,
        problem=problem,
        demands=demands,
        names=[player.full_name for player in tournament.players],
        free=free_players(tournament, number),
        standing=round_boards(tournament, number),
        droppable=number == rounds.paired
        and all(board.open for board in round_boards(tournament, number)),
        earlier=earlier,
        kinds=KINDS,
        lasting=[wish.sentence() for wish in desk.wishes().wishes],
        sides=side_names(tournament),
        boards=[] if made is None else _proposed(tournament, made),
        byes=[]
        if made is None
        else [seat(tournament, b.player) for b in made.change.tournament.byes if b.round == number],
        bye_reason="" if made is None else _bye_reason(made),
        notes=() if made is None else made.notes,
        shown="" if made is None else _digest(made),
    )


def _proposed(tournament: Tournament, made: PairedRound) -> list[tuple[BoardRow, list[str]]]:
    """The new boards, each with its reasons."""
    there = {frozenset((g.first, g.second)) for g in tournament.round_games(made.number)}
    reasons = _reasons(made)
    rows = []
    for board in round_boards(made.change.tournament, made.number):
        pair = frozenset((board.first.number - 1, board.second.number - 1))
        if pair not in there:
            rows.append((board, reasons.get(pair, [])))
    return rows


def _reasons(made: PairedRound) -> dict[frozenset[int], list[str]]:
    """What is to be said of each board, and of the bye, by the players."""
    proposal = made.proposal
    if isinstance(proposal, Proposal):
        return {
            why.board.players: sentences(proposal.pairing, why) for why in proposal.explanations
        }
    return {}


def _bye_reason(made: PairedRound) -> str:
    texts = [lines for players, lines in _reasons(made).items() if len(players) == 1]
    return " ".join(texts[0]) if texts else ""


def _wishes(request: Request, form: Form) -> Response:
    desk, kind = desk_of(request), form.text("kind")
    tournament = desk.snapshot().tournament
    if form.text("remove"):
        desk.change_wishes(
            lambda kept: replace(
                kept,
                wishes=tuple(w for w in kept.wishes if w.sentence() != form.text("remove")),
            )
        )
    else:
        names: tuple[str, ...] = ()
        if kind == "never":
            rows = [tournament.find(form.text(side)) for side in ("a", "b")]
            if rows[0] == rows[1]:
                raise RequestProblem(422, "bad_wish", "These are the same player.")
            names = tuple(tournament.players[row].full_name for row in rows)
        wish = Wish(kind=kind, players=names, country=form.text("country").upper())
        desk.change_wishes(
            lambda kept: kept if wish in kept.wishes else replace(kept, wishes=(*kept.wishes, wish))
        )
    return back(request, f"/pair/{form.number('round')}#lasting")
