"""What is to come: chances, what a player needs, prizes."""

from __future__ import annotations

import threading
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from markupsafe import Markup

from yardstone.errors import YardstoneError
from yardstone.reports.tournament.last_round import last_round_document
from yardstone.reports.tournament.prizes import prizes_document
from yardstone.tournament.event.prizes import prize_list
from yardstone.tournament.last_round import last_round_needs
from yardstone.web.desk.pages import desk_of, desk_page
from yardstone.web.pages.render import content
from yardstone.web.problems import RequestProblem, missing
from yardstone.winprob.grades import parse_grade

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

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
