"""The pages that readers see: rounds, standings, players, prizes, the outlook."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from yardstone.errors import YardstoneError
from yardstone.grades import parse_grade
from yardstone.reports.simulation import last_round_document
from yardstone.reports.standings import player_card_document, prizes_document, standings_document
from yardstone.tournament.event.prizes import prize_list
from yardstone.tournament.last_round import last_round_needs
from yardstone.tournament.model import Result
from yardstone.tournament.standings_table import standings
from yardstone.web.desk.pages import desk_of, desk_page, reader_page
from yardstone.web.desk.views import PLAYER_FIELDS, round_boards, seat, shown_values
from yardstone.web.pages.render import READ, asset, content, root_of
from yardstone.web.problems import RequestProblem, missing

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
router.api_route("/static/{name}", methods=READ)(asset)


@router.api_route("/", methods=READ)
def home(request: Request) -> Response:
    """Where the tournament stands, and for helpers what comes next."""
    return reader_page(request, "home", desk_of(request).snapshot())


@router.api_route("/round/{number}", methods=READ)
def boards(request: Request, number: int, by: Literal["table", "name"] = "table") -> Response:
    """The boards of a round, by tables or by names: also for the wall."""
    snapshot = desk_of(request).snapshot()
    snapshot.check_round(number)
    return reader_page(request, "boards", snapshot, lambda: {"number": number, "by": by})


@router.api_route("/standings", methods=READ)
def table(request: Request, after: int | None = None) -> Response:
    """The standings after a round; by default after the last one with results."""
    snapshot = desk_of(request).snapshot()
    tournament = snapshot.tournament
    played = (g.round for g in tournament.games if g.result is not Result.unknown)
    last = max(played, default=0)
    number = last if after is None else after
    if not 0 <= number <= last:
        raise missing()

    def shown() -> dict[str, Any]:
        made = standings(tournament, round_number=number)
        document = standings_document(made, link=_player_link(request), search=True, alone=True)
        return {
            "after": number,
            "complete": number <= tournament.complete_rounds,
            "open": sum(board.open for board in round_boards(tournament, number)),
            "last": last,
            "content": content(document),
        }

    return reader_page(request, "standings", snapshot, shown)


@router.api_route("/players", methods=READ)
def players(request: Request) -> Response:
    """Everybody who has entered."""
    return reader_page(request, "players", desk_of(request).snapshot())


@router.api_route("/player/{number}", methods=READ)
def card(request: Request, number: int) -> Response:
    """One player: games, score, the next board."""
    snapshot = desk_of(request).snapshot()
    tournament, row = snapshot.tournament, number - 1
    snapshot.check_player(number)

    def shown() -> dict[str, Any]:
        player = tournament.players[row]
        return {
            "player": player,
            "seat": seat(tournament, row),
            "content": content(player_card_document(tournament, row, link=_player_link(request))),
            "games": {at for at, each in tournament.game_of if each == row},
            "byes": {at for at, each in tournament.bye_of if each == row},
            "fields": PLAYER_FIELDS,
            "values": shown_values(PLAYER_FIELDS, player),
            "needs": tournament.rounds > 1 and tournament.complete_rounds == tournament.rounds - 1,
        }

    return reader_page(request, "player", snapshot, shown)


def _player_link(request: Request) -> Callable[[int], str]:
    root = root_of(request)
    return lambda row: f"{root}/player/{row + 1}"


@router.api_route("/health", methods=READ)
def health() -> Response:
    """Whether the desk answers."""
    return Response("ok\n", media_type="text/plain")


@router.api_route("/round", methods=READ)
def current(request: Request) -> Response:
    """The boards of the last round that is paired: an address that stays."""
    paired = desk_of(request).snapshot().rounds.paired
    return RedirectResponse(f"{root_of(request)}/round/{max(paired, 1)}", 303)


#: Combinations of results that are tried one by one; beyond, bounds are given.
_COMBINATIONS = 512
_ONE_AT_A_TIME = threading.Semaphore(1)


@router.get("/chances")
def chances(request: Request) -> Response:
    """Who will finish where."""
    desk = desk_of(request)
    snapshot = desk.snapshot()
    made, problem, working = desk.chances.ask(snapshot)
    shown: dict[str, Any] = {"content": Markup(made), "problem": problem, "working": working}
    return desk_page(request, "report", snapshot, title="Chances", place="more", **shown)


@router.get("/player/{number}/needs")
def needs(
    request: Request, number: int, to_reach: Annotated[int, Query(alias="place", ge=1)] = 1
) -> Response:
    """Which results of the last round bring a player to a place."""
    snapshot = desk_of(request).snapshot()
    tournament = snapshot.tournament
    snapshot.check_player(number)
    made, problem = Markup(), ""
    with _ONE_AT_A_TIME:
        try:
            result = last_round_needs(tournament, number - 1, place=to_reach, limit=_COMBINATIONS)
            made = content(last_round_document(tournament, result))
        except YardstoneError as error:
            problem = str(error)
    return desk_page(
        request,
        "report",
        snapshot,
        title=f"What {tournament.players[number - 1].full_name} needs",
        place="players",
        content=made,
        problem=problem,
        working=False,
        to_reach=min(to_reach, len(tournament.players)),
    )


@router.get("/prizes")
def prizes(
    request: Request,
    places: Annotated[int, Query(ge=0, le=200)] = 3,
    wins: Annotated[int, Query(ge=0, le=100)] = 0,
    money: Annotated[str, Query(max_length=300)] = "",
    groups: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """The prize list as it would be now."""
    snapshot = desk_of(request).snapshot()
    made, problem = Markup(), ""
    try:
        prizes = prize_list(
            snapshot.tournament,
            places=places,
            wins=wins or None,
            money=_amounts(money),
            groups=[int(parse_grade(part)) for part in _parts(groups)] or None,
        )
        made = content(prizes_document(prizes))
    except YardstoneError as error:
        problem = str(error)
    asked: dict[str, Any] = {"places": places, "wins": wins, "money": money, "groups": groups}
    return desk_page(request, "prizes", snapshot, content=made, problem=problem, **asked)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]


def _amounts(text: str) -> list[float]:
    try:
        return [float(part) for part in _parts(text)]
    except ValueError:
        raise RequestProblem(
            422, "bad_number", f"{text!r}: amounts are written 300,200,100."
        ) from None
