"""The pages that readers see: rounds, standings, players, prizes, the outlook."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from yardstone.errors import YardstoneError
from yardstone.grades import parse_grade
from yardstone.reports.pairing import side_names
from yardstone.reports.simulation import last_round_document
from yardstone.reports.standings import player_card_document, prizes_document, standings_document
from yardstone.tournament.event.prizes import prize_list
from yardstone.tournament.last_round import last_round_needs
from yardstone.tournament.model import Result
from yardstone.tournament.standings_table import standings
from yardstone.web.desk.pages import desk_of, desk_page
from yardstone.web.desk.views import (
    PLAYER_FIELDS,
    free_players,
    round_boards,
    seat,
    seats_by_name,
    shown_values,
)
from yardstone.web.pages.render import ASSETS, asset_bytes, asset_mark, content, root_of
from yardstone.web.problems import RequestProblem, missing

if TYPE_CHECKING:
    from yardstone.tournament.standings_table import Standings
    from yardstone.web.desk.service import Snapshot


__all__ = ["router"]


def _for_reader(request: Request, make: Callable[[Snapshot], Response]) -> Response:
    """A page of the tournament as it is now; the same bytes for all who are no helpers."""
    desk = desk_of(request)
    snapshot = desk.snapshot()
    if not desk.sessions.guarded or desk.sessions.helper(request) is not None:
        return make(snapshot)
    address = f"{request.url.path}?{request.url.query}"
    page = desk.pages.get(snapshot.mark, address)
    if page is None:
        made = make(snapshot)
        page = bytes(made.body)
        if made.status_code == 200:
            desk.pages.keep(snapshot.mark, address, page)
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})


router = APIRouter(include_in_schema=False)

_READ = ["GET", "HEAD"]
_YEAR = 31_536_000


@router.api_route("/", methods=_READ)
def home(request: Request) -> Response:
    """Where the tournament stands, and for helpers what comes next."""

    def shown(snapshot: Snapshot) -> Response:
        tournament = snapshot.tournament
        return desk_page(
            request,
            "home",
            snapshot,
            title=tournament.name or "Tournament",
            boards=round_boards(tournament, desk_of(request).rounds(snapshot).paired),
            lines=seats_by_name(tournament, desk_of(request).rounds(snapshot).paired),
        )

    return _for_reader(request, shown)


@router.api_route("/round/{number}", methods=_READ)
def boards(request: Request, number: int, by: Literal["table", "name"] = "table") -> Response:
    """The boards of a round, by tables or by names: also for the wall."""

    def shown(snapshot: Snapshot) -> Response:
        tournament = snapshot.tournament
        if not 1 <= number <= tournament.rounds:
            raise missing()
        return desk_page(
            request,
            "boards",
            snapshot,
            title=f"Round {number}",
            place="boards",
            number=number,
            by=by,
            boards=round_boards(tournament, number),
            lines=seats_by_name(tournament, number),
            free=free_players(tournament, number),
            sides=side_names(tournament),
        )

    return _for_reader(request, shown)


@router.api_route("/standings", methods=_READ)
def table(request: Request, after: int | None = None) -> Response:
    """The standings after a round; by default after the last one with results."""

    def shown(snapshot: Snapshot) -> Response:
        made = _standings(snapshot, after)
        root = root_of(request)
        return desk_page(
            request,
            "standings",
            snapshot,
            title="Standings",
            place="standings",
            after=made.round,
            complete=made.round <= snapshot.tournament.complete_rounds,
            open=sum(board.open for board in round_boards(snapshot.tournament, made.round)),
            last=max(_last_with_results(snapshot), 0),
            content=content(
                standings_document(
                    made, link=lambda row: f"{root}/player/{row + 1}", search=True, alone=True
                )
            ),
        )

    return _for_reader(request, shown)


@router.api_route("/players", methods=_READ)
def players(request: Request) -> Response:
    """Everybody who has entered."""

    def shown(snapshot: Snapshot) -> Response:
        tournament = snapshot.tournament
        rows = sorted(range(len(tournament.players)), key=lambda row: _by_name(snapshot, row))
        return desk_page(
            request,
            "players",
            snapshot,
            title="Players",
            place="players",
            players=[(seat(tournament, row), tournament.players[row]) for row in rows],
        )

    return _for_reader(request, shown)


@router.api_route("/player/{number}", methods=_READ)
def card(request: Request, number: int) -> Response:
    """One player: games, score, the next board."""

    def shown(snapshot: Snapshot) -> Response:
        tournament = snapshot.tournament
        if not 1 <= number <= len(tournament.players):
            raise missing()
        root = root_of(request)
        made = player_card_document(
            tournament, number - 1, link=lambda row: f"{root}/player/{row + 1}"
        )
        player = tournament.players[number - 1]
        return desk_page(
            request,
            "player",
            snapshot,
            title=player.full_name,
            place="players",
            player=player,
            seat=seat(tournament, number - 1),
            content=content(made),
            games={at for at, row in tournament.game_of if row == number - 1},
            byes={at for at, row in tournament.bye_of if row == number - 1},
            fields=PLAYER_FIELDS,
            values=shown_values(player),
            needs=_last_round_open(snapshot),
        )

    return _for_reader(request, shown)


@router.api_route("/static/{name}", methods=_READ)
def static(name: str, v: str = "") -> Response:
    """Style sheet, script and icon."""
    if name not in ASSETS:
        raise missing()
    lasting = f"public, max-age={_YEAR}, immutable" if v == asset_mark(name) else "no-cache"
    return Response(asset_bytes(name), media_type=ASSETS[name], headers={"Cache-Control": lasting})


@router.api_route("/health", methods=_READ)
def health() -> Response:
    """Whether the desk answers."""
    return Response("ok\n", media_type="text/plain")


@router.api_route("/round", methods=_READ)
def current(request: Request) -> Response:
    """The boards of the last round that is paired: an address that stays."""
    paired = desk_of(request).rounds(desk_of(request).snapshot()).paired
    return RedirectResponse(f"{root_of(request)}/round/{max(paired, 1)}", 303)


def _last_with_results(snapshot: Snapshot) -> int:
    return max(
        (g.round for g in snapshot.tournament.games if g.result is not Result.unknown), default=0
    )


def _standings(snapshot: Snapshot, after: int | None) -> Standings:
    last = _last_with_results(snapshot)
    number = last if after is None else after
    if not 0 <= number <= last:
        raise missing()
    return standings(snapshot.tournament, round_number=number)


def _by_name(snapshot: Snapshot, row: int) -> tuple[str, str]:
    player = snapshot.tournament.players[row]
    return player.name.casefold(), player.first_name.casefold()


def _last_round_open(snapshot: Snapshot) -> bool:
    """Whether all but the last round is over."""
    tournament = snapshot.tournament
    return tournament.rounds > 1 and tournament.complete_rounds == tournament.rounds - 1


#: Combinations of results that are tried one by one; beyond, bounds are given.
_COMBINATIONS = 512
_ONE_AT_A_TIME = threading.Semaphore(1)


@router.get("/chances")
def chances(request: Request) -> Response:
    """Who will finish where."""
    desk = desk_of(request)
    snapshot = desk.snapshot()
    made, problem, working = desk.chances.ask(snapshot)
    return desk_page(
        request,
        "report",
        snapshot,
        title="Chances",
        place="more",
        content=Markup(made),
        problem=problem,
        working=working,
    )


@router.get("/player/{number}/needs")
def needs(
    request: Request, number: int, to_reach: Annotated[int, Query(alias="place", ge=1)] = 1
) -> Response:
    """Which results of the last round bring a player to a place."""
    snapshot = desk_of(request).snapshot()
    tournament = snapshot.tournament
    if not 1 <= number <= len(tournament.players):
        raise missing()
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
        made = content(
            prizes_document(
                prize_list(
                    snapshot.tournament,
                    places=places,
                    wins=wins or None,
                    money=_amounts(money),
                    groups=_grades(groups),
                )
            )
        )
    except YardstoneError as error:
        problem = str(error)
    return desk_page(
        request,
        "prizes",
        snapshot,
        title="Prizes",
        place="more",
        content=made,
        problem=problem,
        places=places,
        wins=wins,
        money=money,
        groups=groups,
    )


def _amounts(text: str) -> list[float]:
    try:
        return [float(part) for part in text.replace(";", ",").split(",") if part.strip()]
    except ValueError:
        raise RequestProblem(
            422, "bad_number", f"{text!r}: amounts are written 300,200,100."
        ) from None


def _grades(text: str) -> list[int] | None:
    parts = [part.strip() for part in text.replace(";", ",").split(",") if part.strip()]
    return [int(parse_grade(part)) for part in parts] if parts else None
