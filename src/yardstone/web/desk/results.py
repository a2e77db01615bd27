"""Entering results: one tap each, and never over somebody else's in silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from yardstone.errors import UsageError
from yardstone.reports.tournament.words import side_names
from yardstone.tournament.event.colours import set_first_mover
from yardstone.tournament.event.results import GameResult, parse_score, score_of, set_result
from yardstone.tournament.model import Game, Result
from yardstone.web.desk.boards import choices, letters, round_boards
from yardstone.web.desk.pages import (
    Form,
    back,
    desk_of,
    desk_page,
    helpers_only,
    read_form,
    wants_json,
)
from yardstone.web.pages.render import root_of
from yardstone.web.problems import RequestProblem, missing

if TYPE_CHECKING:
    from yardstone.tournament.event.changes import EventChange
    from yardstone.tournament.model import Tournament
    from yardstone.web.desk.service import Desk
    from yardstone.web.desk.watched_file import Snapshot

__all__ = ["Clash", "router"]

#: Who meets whom, and the result, as the sender means them.
_Wanted = Callable[["Tournament"], tuple[str, str, str]]

router = APIRouter(include_in_schema=False)

#: ``12 1-0``, ``12 b``, ``12 =``: a table, and what happened there.
_QUICK = re.compile(r"\s*+(\d{1,4})\s*+[:,.]?\s*+(\S.*?)\s*")


@dataclass(frozen=True, slots=True)
class Clash:
    """Two results for one game: the one that stands, and the one that was sent.

    Attributes
    ----------
    table : int
    first, second : str
        The players as the sender named them.
    stands, sent : str
        The results, that of `first` before that of `second`.
    by, time : str
        Who entered the one that stands, and when, as far as the journal tells.
    """

    table: int
    first: str
    second: str
    stands: str
    sent: str
    by: str = ""
    time: str = ""


class _ClashError(Exception):
    def __init__(self, clash: Clash) -> None:
        super().__init__()
        self.clash = clash


@router.get("/results")
def current(request: Request) -> Response:
    """The round whose results come in."""
    number = max(desk_of(request).rounds(desk_of(request).snapshot()).paired, 1)
    return RedirectResponse(f"{root_of(request)}/results/{number}", 303)


@router.get("/results/{number}")
def sheet(request: Request, number: int) -> Response:
    """All boards of a round, each with a tap for a result."""
    helpers_only(request)
    return _sheet(request, desk_of(request).snapshot(), number)


@router.post("/results/{number}")
async def enter(request: Request, number: int) -> Response:
    """Take the result of one game."""
    form = await read_form(request)
    return await run_in_threadpool(_enter, request, form, number)


@router.post("/results/{number}/quick")
async def enter_quick(request: Request, number: int) -> Response:
    """Take the result of a table, typed in one line."""
    form = await read_form(request)
    return await run_in_threadpool(_enter_quick, request, form, number)


@router.post("/results/{number}/colours")
async def exchange_colours(request: Request, number: int) -> Response:
    """Say that the second-named player has moved first."""
    form = await read_form(request)

    def step(tournament: Tournament) -> EventChange:
        first, second = _rows(tournament, number, form.text("first"), form.text("second"))
        return set_first_mover(tournament, number, second, first)

    made = await run_in_threadpool(desk_of(request).change, step, form.helper)
    return back(request, f"/results/{number}", said=" ".join(made.lines))


def _draws(tournament: Tournament) -> bool:
    """Whether games are drawn often enough for a button of its own."""
    return tournament.can_be_drawn()


def _sheet(
    request: Request, snapshot: Snapshot, number: int, clash: Clash | None = None
) -> Response:
    tournament = snapshot.tournament
    if not 1 <= number <= tournament.rounds:
        raise missing()
    boards = round_boards(tournament, number)
    return desk_page(
        request,
        "results",
        snapshot,
        title=f"Results of round {number}",
        place="results",
        status=200 if clash is None else 409,
        number=number,
        boards=boards,
        open=sum(board.open for board in boards),
        choices=choices(tournament),
        sides=side_names(tournament),
        letters=letters(tournament),
        draws=_draws(tournament),
        clash=clash,
    )


def _enter(request: Request, form: Form, number: int) -> Response:
    return _answer(
        request,
        form,
        number,
        lambda tournament: (form.text("first"), form.text("second"), form.text("result")),
    )


def _enter_quick(request: Request, form: Form, number: int) -> Response:
    typed = _QUICK.fullmatch(form.text("line"))
    if typed is None:
        raise RequestProblem(
            422,
            "bad_line",
            f"{form.text('line')!r} is not a result.",
            "Write a table and a result: 12 1-0, or 12 b if Black has won there, 12 w for White.",
        )
    table, text = int(typed[1]), typed[2]

    def of_table(tournament: Tournament) -> tuple[str, str, str]:
        games = [g for g in tournament.round_games(number) if g.table == table]
        if len(games) != 1:
            raise RequestProblem(
                422, "no_table", f"Round {number} has no table {table}.", "Look at the number."
            )
        names = [tournament.players[row].full_name for row in (games[0].first, games[0].second)]
        one, two = letters(tournament)
        short = {one: "1-0", two: "0-1", "1": "1-0", "2": "0-1", "-": "?"}
        return names[0], names[1], short.get(text.casefold(), text)

    return _answer(request, form, number, of_table)


def _answer(request: Request, form: Form, number: int, wanted: _Wanted) -> Response:
    """Enter a result, or show what stands against it."""
    desk = desk_of(request)

    def step(tournament: Tournament) -> EventChange:
        first, second, text = wanted(tournament)
        return _set(tournament, number, first, second, text, replacing=form.text("stands"))

    try:
        change = desk.change(step, form.helper)
    except _ClashError as error:
        answer = _sheet(request, desk.snapshot(), number, _signed(desk, number, error.clash))
        if wants_json(request):
            return JSONResponse({"page": bytes(answer.body).decode()}, 409)
        return answer
    anchor = f"#{form.text('anchor')}" if form.text("anchor") else ""
    return back(request, f"/results/{number}{anchor}", said=" ".join(change.lines))


def _set(
    tournament: Tournament, number: int, first: str, second: str, text: str, *, replacing: str
) -> EventChange:
    """Set a result; another one is only replaced if it is the one that the sender has seen."""
    try:
        result, forfeit = parse_score(text)
    except UsageError as error:
        raise RequestProblem(422, "bad_result", f"{error}.") from None
    pair = _rows(tournament, number, first, second)
    game = tournament.game_of[number, pair[0]]
    stands = _seen_by(game, pair[0])
    wanted = GameResult(result=result, forfeit=forfeit, round=number, players=pair)
    sent = score_of(result, forfeit=forfeit)
    if stands not in ("?", sent, replacing):
        raise _ClashError(Clash(game.table, first, second, stands, sent))
    return set_result(tournament, wanted, replace_other=stands == replacing)


def _rows(tournament: Tournament, number: int, first: str, second: str) -> tuple[int, int]:
    """Two players by their whole names, who must meet in the round."""
    rows = {player.full_name: row for row, player in enumerate(tournament.players)}
    pair = rows.get(first, -1), rows.get(second, -1)
    game = tournament.game_of.get((number, pair[0]))
    if game is None or game.opponent(pair[0]) != pair[1]:
        raise RequestProblem(
            409,
            "other_boards",
            f"{first} and {second} do not meet in round {number} any more: it was paired again.",
            "Nothing was changed. Look at the boards as they are now.",
        )
    return pair


def _signed(desk: Desk, number: int, clash: Clash) -> Clash:
    """The same with who entered the result that stands, if the journal still knows."""
    place = f"ound {number}, table {clash.table}, "
    for step in desk.file.steps():
        if place in step.what and clash.first in step.what and clash.second in step.what:
            by = step.what.partition(": Round ")[0]
            return replace(clash, by="" if by == step.what else by, time=step.time)
    return clash


def _seen_by(game: Game, player: int) -> str:
    """The result with this player's points first."""
    turned = player != game.first and game.result is not Result.unknown
    return score_of(game.result.reversed if turned else game.result, forfeit=game.forfeit)
