"""The settings of the tournament: name, rounds, bar, handicap, tie-breaks."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from yardstone.errors import YardstoneError
from yardstone.tournament.event.creation import change_settings
from yardstone.tournament.model import System
from yardstone.web.desk.pages import Form, back, desk_of, desk_page, helpers_only, read_form
from yardstone.web.problems import RequestProblem
from yardstone.winprob.grades import format_grade, parse_grade

if TYPE_CHECKING:
    from yardstone.tournament.event.changes import EventChange
    from yardstone.tournament.model import Tournament

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

#: Name of a setting, its label, and a hint.
_FIELDS = (
    ("name", "Name", ""),
    ("place", "Place", ""),
    ("director", "Director", ""),
    ("begin", "First day", ""),
    ("end", "Last day", ""),
    ("rounds", "Rounds", ""),
    ("bar", "McMahon bar", "3d: all from here on start equal"),
    ("floor", "McMahon floor", "20k: all down to here start equal"),
    ("handicap", "Most handicap stones", "0 for even games"),
    ("correction", "Stones less than the difference", "1 is usual"),
    ("komi", "Komi", ""),
    ("criteria", "Tie-breaks", "in order, such as mms,sos,sosos"),
)
_MCMAHON = ("bar", "floor")


@router.get("/settings")
def settings_page(request: Request) -> Response:
    """The settings as they are."""
    helpers_only(request)
    return _page(request)


@router.post("/settings")
async def change(request: Request) -> Response:
    """Change some, as far as nobody else has changed them meanwhile."""
    form = await read_form(request)

    def step(tournament: Tournament) -> EventChange:
        return change_settings(tournament, **_changed(form, tournament))

    try:
        made = await run_in_threadpool(desk_of(request).change, step, form.helper)
    except YardstoneError as error:
        return await run_in_threadpool(_page, request, f"{error}.", form)
    return back(request, "/settings", said=" ".join(made.lines))


def _page(request: Request, problem: str = "", form: Form | None = None) -> Response:
    snapshot = desk_of(request).snapshot()
    now = _shown(snapshot.tournament)
    mcmahon = snapshot.tournament.system is System.mcmahon
    return desk_page(
        request,
        "settings",
        snapshot,
        title="Settings",
        place="more",
        status=422 if problem else 200,
        fields=[each for each in _FIELDS if mcmahon or each[0] not in _MCMAHON],
        now=now,
        values=now if form is None else {name: form.text(name) for name in now},
        problem=problem,
    )


def _shown(tournament: Tournament) -> dict[str, str]:
    scoring, stones = tournament.scoring, tournament.handicap
    return {
        "name": tournament.name,
        "place": tournament.place,
        "director": tournament.director,
        "begin": "" if tournament.begin is None else tournament.begin.isoformat(),
        "end": "" if tournament.end is None else tournament.end.isoformat(),
        "rounds": str(tournament.rounds),
        "bar": format_grade(scoring.bar),
        "floor": format_grade(scoring.floor),
        "handicap": str(stones.ceiling),
        "correction": str(stones.correction),
        "komi": "" if tournament.komi is None else f"{tournament.komi:g}",
        "criteria": ",".join(scoring.criteria).lower(),
    }


def _changed(form: Form, tournament: Tournament) -> dict[str, Any]:
    """What the helper has changed of what the form showed."""
    now, changes = _shown(tournament), {}
    for name, label, _ in _FIELDS:
        text, was = form.text(name), form.text(f"was_{name}")
        if name not in form.fields or text in (was, now[name]):
            continue
        if now[name] != was:
            raise RequestProblem(
                409,
                "changed_meanwhile",
                f"{label}: somebody has changed it to {now[name] or 'nothing'} meanwhile",
            )
        changes[name] = _value(name, label, text)
    return changes


def _value(name: str, label: str, text: str) -> Any:
    try:
        if name in _MCMAHON:
            return int(parse_grade(text))
        if name in ("begin", "end"):
            return date.fromisoformat(text)
        if name in ("rounds", "handicap", "correction"):
            return int(text)
        return float(text.replace(",", ".")) if name == "komi" else text
    except ValueError:
        raise RequestProblem(422, "bad_value", f"{label}: {text!r} is not understood") from None
