"""The pages of a desk: what all share; what readers see; settings, what was changed."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from operator import attrgetter
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from yardstone.choices import words
from yardstone.errors import InputError, UsageError, YardstoneError
from yardstone.grades import format_grade, parse_grade
from yardstone.reports.document import Document
from yardstone.reports.pairing import side_names
from yardstone.reports.simulation import last_round_document
from yardstone.reports.standings import player_card_document, prizes_document, standings_document
from yardstone.reports.words import picked
from yardstone.tournament.event.prizes import prize_list
from yardstone.tournament.event.rounds import game_score
from yardstone.tournament.event.settings import SETTINGS, EventChange, change_settings
from yardstone.tournament.last_round import last_round_needs
from yardstone.tournament.model import Player, Result, System, Tournament
from yardstone.tournament.standings_table import standings
from yardstone.web.desk.service import Desk, RoundCount, Snapshot
from yardstone.web.desk.sessions import COOKIE, LASTING, Helper
from yardstone.web.middleware import Health
from yardstone.web.pages.render import READ, asset, content, error_lines, page, root_of, sentence
from yardstone.web.problems import RequestProblem, refusal
from yardstone.web.store import remember_key


class Seat(NamedTuple):
    """A player at a board: number from 1, name, and grade or rating."""

    number: int
    name: str
    grade: str


class BoardRow(NamedTuple):
    """A board; `first` moves first, `winner` is 1 or 2, and 0 for none or both."""

    table: int
    first: Seat
    second: Seat
    handicap: int
    score: str
    winner: int

    @property
    def mark(self) -> str:
        """Anchor on the page."""
        return f"b{self.first.number}-{self.second.number}"

    @property
    def open(self) -> bool:
        """Whether the result is missing."""
        return self.score == "?"

    @property
    def shown(self) -> str:
        """The score for people: with a real dash, nothing while it is open."""
        return "" if self.open else self.score.replace("-", "–")


class NameRow(NamedTuple):
    """A player of a round in the list by names: the table is 0 for the bye, without opponent."""

    player: Seat
    table: int
    colour: str
    opponent: Seat | None


def letters(tournament: Tournament) -> tuple[str, str]:
    """What stands for a win of each side in a line that is typed."""
    one, two = side_names(tournament)
    return one[0].casefold(), two[0].casefold()


def seat(tournament: Tournament, row: int) -> Seat:
    """A player by number from 0."""
    player = tournament.players[row]
    rating = "" if player.rating is None else f"{player.rating:.0f}"
    grade = rating if player.rank is None else format_grade(player.rank)
    return Seat(row + 1, player.full_name, grade)


def rows_by_name(tournament: Tournament) -> list[int]:
    """The numbers from 0 of all players, by names."""
    names = [(each.name.casefold(), each.first_name.casefold()) for each in tournament.players]
    return sorted(range(len(names)), key=names.__getitem__)


def round_boards(tournament: Tournament, number: int) -> list[BoardRow]:
    """The boards of a round, by tables."""
    winners = {Result.first_wins: 1, Result.second_wins: 2}
    boards = []
    for game in tournament.round_games(number):
        first, second = seat(tournament, game.first), seat(tournament, game.second)
        score, winner = game_score(game), winners.get(game.result, 0)
        boards.append(BoardRow(game.table, first, second, game.handicap, score, winner))
    return boards


def round_byes(tournament: Tournament, number: int) -> list[Seat]:
    """Who has the bye in a round."""
    return [seat(tournament, bye.player) for bye in tournament.byes if bye.round == number]


def seats_by_name(tournament: Tournament, number: int) -> list[NameRow]:
    """Everybody who is paired in a round, by names."""
    lines = []
    for game in tournament.round_games(number):
        one, two = side_names(tournament) if game.known_colour else ("", "")
        first, second = seat(tournament, game.first), seat(tournament, game.second)
        lines.append(NameRow(first, game.table, one, second))
        lines.append(NameRow(second, game.table, two, first))
    lines += [NameRow(player, 0, "", None) for player in round_byes(tournament, number)]
    return sorted(lines, key=lambda line: line.player.name.casefold())


def free_players(tournament: Tournament, number: int) -> dict[str, list[Seat]]:
    """Everybody without a board in a round: with the bye, absent, and left to be paired."""
    free: dict[str, list[Seat]] = {"byes": [], "absent": [], "unpaired": []}
    for row, player in enumerate(tournament.players):
        if (number, row) in tournament.bye_of:
            free["byes"].append(seat(tournament, row))
        elif player.registered and (number, row) not in tournament.game_of:
            kind = "unpaired" if player.takes_part(number) else "absent"
            free[kind].append(seat(tournament, row))
    return free


#: What templates ask of the tournament that they show, by the names they have there.
VIEW: dict[str, Callable[..., Any]] = {
    "boards_of": round_boards,
    "by_name": seats_by_name,
    "free_in": free_players,
    "sides_of": side_names,
    "letters_of": letters,
    "seat_of": seat,
    "rows_by_name": rows_by_name,
}


class DeskField(NamedTuple):
    """A field: what it shows of a player or a tournament, and what a text in it means."""

    name: str
    label: str
    hint: str = ""
    parse: Callable[[str], Any] = str
    show: Callable[[Any], object] = lambda value: value
    place: str = ""  #: The attribute that it shows, if not that of its name


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))


def _grade(text: str) -> int:
    return int(parse_grade(text))


PLAYER_FIELDS = (
    DeskField("name", "Family name"),
    DeskField("first_name", "Given name"),
    DeskField("grade", "Grade", "3d, 12k or 1p; from the rating if empty"),
    DeskField(
        "rating",
        "Rating",
        "EGF's scale; from the grade if empty",
        lambda text: _decimal(text) if text else None,
    ),
    DeskField("club", "Club"),
    DeskField("country", "Country", "two letters"),
    DeskField(
        "correction",
        "McMahon correction",
        "points added at the start, from -1 to 2",
        lambda text: int(text.replace(",", ".")) if text else None,
        place="smms_correction",
    ),
)


EVENT_FIELDS = tuple(
    field._replace(place=SETTINGS[field.name])
    for field in (
        DeskField("name", "Name"),
        DeskField("place", "Place"),
        DeskField("director", "Director"),
        DeskField("begin", "First day", parse=date.fromisoformat),
        DeskField("end", "Last day", parse=date.fromisoformat),
        DeskField("rounds", "Rounds", parse=int),
        DeskField("bar", "McMahon bar", "3d: all from here on start equal", _grade, format_grade),
        DeskField(
            "floor", "McMahon floor", "20k: all down to here start equal", _grade, format_grade
        ),
        DeskField("handicap", "Most handicap stones", "0 for even games", int),
        DeskField("correction", "Stones less than the difference", "1 is usual", int),
        DeskField("komi", "Komi", parse=_decimal),
        DeskField(
            "criteria",
            "Tie-breaks",
            "in order, such as mms,sos,sosos",
            show=lambda names: ",".join(names).lower(),
        ),
    )
)


def shown_values(fields: Sequence[DeskField], what: Any) -> dict[str, str]:
    """The texts that fields show of a player or a tournament."""
    texts = {}
    for field in fields:
        value = field.show(attrgetter(field.place or field.name)(what))
        text = f"{value:g}" if isinstance(value, float) else str(value)
        texts[field.name] = "" if value is None else text
    return texts


def field_values(fields: Sequence[DeskField], texts: dict[str, str]) -> dict[str, Any]:
    """What texts of fields mean; RequestProblem for one that means nothing."""
    values: dict[str, Any] = {}
    for field in fields:
        if (text := texts.get(field.name)) is not None:
            try:
                values[field.name] = field.parse(text)
            except ValueError:
                raise refusal("bad_number", field=field.label, text=text) from None
    return values


def changed_values(
    form: Form, fields: Sequence[DeskField], what: Player | Tournament
) -> dict[str, Any]:
    """What a helper has changed, as far as nobody else has changed the same.

    The form says what it showed (``was_grade``) and what stands in it now (``grade``); what
    the helper has left alone stays as it is by now.
    """
    now, texts = shown_values(fields, what), {}
    whose = f" of {what.full_name}" if isinstance(what, Player) else ""
    for field in fields:
        text, was, stands = form.text(field.name), form.text(f"was_{field.name}"), now[field.name]
        if text in (was, stands):
            continue
        if stands != was:
            what_was, is_now, sent = was or "empty", stands or "empty", text or "nothing"
            place = field.label + whose
            raise refusal("changed_meanwhile", what=place, was=what_was, now=is_now, sent=sent)
        texts[field.name] = text
    values = field_values(fields, texts)
    if values.get("rating", 0) is None:
        raise refusal("bad_number/rating")
    return values


#: Fields of a form, and bytes of one; the whole has its own limit.
_FIELDS, _LARGEST = 4000, 4 << 20
#: Pages of one state that are kept: a card of every player, and more.
_MOST = 500


@dataclass(frozen=True, slots=True)
class Form:
    """What a helper sent."""

    helper: Helper
    sent: FormData
    files: dict[str, bytes]

    def text(self, name: str) -> str:
        """A field without blanks around it; '' if it was not sent."""
        return next(iter(self.every(name)), "").strip()

    def number(self, name: str) -> int:
        """A whole number; raises RequestProblem if it is none."""
        text = self.text(name)
        if not text.isdecimal() or len(text) > 6:
            raise refusal("bad_form/number", field=name, text=text)
        return int(text)

    def every(self, name: str) -> list[str]:
        """All values of a field."""
        return [value for value in self.sent.getlist(name) if isinstance(value, str)]


def desk_of(request: Request) -> Desk:
    """The desk that a request is for."""
    desk: Desk = request.app.state.service
    return desk


def _result_helper(request: Request) -> Helper | None:
    """Who asks; a RequestProblem where only helpers may, and it is none."""
    sessions = desk_of(request).sessions
    helper = sessions.helper(request)
    if helper is None and sessions.guarded:
        raise refusal("not_signed_in")
    return helper


def _full_helper(request: Request) -> Helper | None:
    """The same; a RequestProblem also for who may only enter results."""
    helper = _result_helper(request)
    if helper is not None and not helper.full:
        raise refusal("not_full")
    return helper


#: Of routes that are for helpers only, and of those for who may only enter results as well.
HELPERS, RESULT_HELPERS = [Depends(_full_helper)], [Depends(_result_helper)]


async def _read_full_form(request: Request) -> Form:
    return await _read_form(request, _full_helper(request))


async def _read_result_form(request: Request) -> Form:
    return await _read_form(request, _result_helper(request))


async def _read_form(request: Request, helper: Helper | None) -> Form:
    """The form of a helper; raises RequestProblem if it does not come from a helper's page."""
    sessions = desk_of(request).sessions
    if helper is None:
        raise refusal("old_page")
    async with request.form(max_files=1, max_fields=_FIELDS, max_part_size=_LARGEST) as sent:
        uploads = [(name, each) for name, each in sent.multi_items() if not isinstance(each, str)]
        form = Form(helper, sent, {name: await each.read() for name, each in uploads})
    sessions.check_form(request, helper, next(iter(form.every("key")), ""))
    return form


#: The form of a helper, read before the function that takes it begins in a thread of its own; and
#: one that who may only enter results can send as well.
SentForm = Annotated[Form, Depends(_read_full_form)]
ResultForm = Annotated[Form, Depends(_read_result_form)]


def desk_page(
    request: Request, template: str, snapshot: Snapshot, *, status: int = 200, **values: Any
) -> Response:
    """A page that shows the tournament as it is in `snapshot`, and what else its template asks."""
    sessions = desk_of(request).sessions
    helper = known = sessions.helper(request)
    if known is None and not sessions.guarded:
        helper = sessions.new_helper()
    shown: dict[str, Any] = {
        "event": snapshot.tournament,
        **{name: partial(view, snapshot.tournament) for name, view in VIEW.items()},
        **picked(snapshot, "rounds", "mark", "trouble"),
        "helper": helper,
        "full": helper is not None and helper.full,
        "key": "" if helper is None else sessions.form_key(helper),
        "guarded": sessions.guarded,
        "place": "",
        "here": quote(request.url.path.removeprefix(root_of(request)), safe="/"),
        "refresh": 0 if helper is not None else 30,
    }
    answer = page(request, f"desk/{template}", status=status, **(shown | values))
    if helper is not None and helper is not known:
        remember(request, answer, helper)
    return answer


def remember(request: Request, answer: Response, helper: Helper) -> None:
    """Leave a helper's cookie with the browser."""
    remember_key(request, answer, helper.token, root_of(request) or "/", LASTING, COOKIE)


def reader_page(
    request: Request,
    template: str,
    snapshot: Snapshot,
    make: Callable[[], dict[str, Any]] = dict,
) -> Response:
    """The same for everybody, with what `make` gives: the same bytes for all who are no helpers."""
    sessions = desk_of(request).sessions
    if not sessions.guarded or sessions.helper(request) is not None:
        return desk_page(request, template, snapshot, **make())
    address = f"{request.url.path}?{request.url.query}"
    kept = snapshot.pages.get(address)
    if kept is None:
        kept = bytes(desk_page(request, template, snapshot, **make()).body)
        if len(snapshot.pages) < _MOST:
            snapshot.pages[address] = kept
    return HTMLResponse(kept)


def problem_page(request: Request, problem: RequestProblem) -> Response:
    """A refusal as a page; who is not signed in and wants to read is asked to."""
    if problem.code == "not_signed_in" and request.method == "GET":
        path = request.url.path.removeprefix(root_of(request))
        return RedirectResponse(f"{root_of(request)}/sign-in?next={quote(path)}", 303)
    return desk_page(
        request,
        "message",
        desk_of(request).snapshot(),
        status=problem.status,
        refusal=problem.status,
        lines=error_lines(problem.as_dict()),
        sign_in=problem.code == "not_signed_in",
    )


def input_problem(error: InputError) -> str:
    """An error of the library as a sentence, without the place of a file on this machine."""
    place = "" if error.line is None else f"line {error.line}: "
    return sentence(place + error.advice)


def wants_json(request: Request) -> bool:
    """Whether the script of a page asks."""
    return "application/json" in request.headers.get("accept", "")


def back(request: Request, path: str, **more: Any) -> Response:
    """The answer to a form that was taken: the page to see next."""
    address = root_of(request) + path
    if wants_json(request):
        return JSONResponse({"page": address, **more})
    return RedirectResponse(address, 303)


def take(
    request: Request, form: Form, step: Callable[[Tournament], EventChange], path: str
) -> Response:
    """Take a step in the file, and say at `path` what was changed."""
    return back(request, path, said=" ".join(take_step(request, form, step).lines))


def take_step(
    request: Request, form: Form, step: Callable[[Tournament], EventChange]
) -> EventChange:
    """Take a step in the file, and write it into the log."""
    change = desk_of(request).file.change(step, by=form.helper.name)
    if change.made:
        log_step(request, form, change.lines[0])
    return change


def log_step(request: Request, form: Form, what: str) -> None:
    """Write a step of a helper into the log, called as its address is."""
    step = re.sub(r"/\{\w+\}", "", request.scope["route"].path).strip("/")
    sessions = desk_of(request).sessions
    sessions.log.note(sessions.entry(form.helper, step, what))


router = APIRouter(include_in_schema=False)


router.api_route("/static/{name}", methods=READ)(asset)


@router.api_route("/", methods=READ)
def home(request: Request) -> Response:
    """Where the tournament stands, and for helpers what comes next."""
    return reader_page(request, "home", desk_of(request).snapshot())


@router.api_route("/round/{number}", methods=READ)
def boards(request: Request, number: int, by: Literal["table", "name"] = "table") -> Response:
    """The boards of a round, by tables or by names: also for the wall."""
    snapshot = desk_of(request).snapshot(number)
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
        raise refusal("not_found")

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
    snapshot = desk_of(request).snapshot(player=number)
    tournament, row = snapshot.tournament, number - 1

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
async def health(request: Request) -> Response:
    """Whether the desk works."""
    health: Health = request.app.state.health
    return await health.answer(request)


def _add_current(path: str, number: Callable[[RoundCount], int]) -> None:
    """Lead from an address that stays to that of a round."""

    @router.api_route(path, methods=READ)
    def current(request: Request) -> Response:
        now = number(desk_of(request).snapshot().rounds)
        return RedirectResponse(f"{root_of(request)}{path}/{now}", 303)


_add_current("/round", lambda rounds: max(rounds.paired, 1))
_add_current("/results", lambda rounds: max(rounds.paired, 1))
_add_current("/pair", lambda rounds: rounds.next or rounds.planned)


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
    snapshot = desk_of(request).snapshot(player=number)
    tournament = snapshot.tournament

    def document() -> Document:
        result = last_round_needs(tournament, number - 1, place=to_reach, limit=_COMBINATIONS)
        return last_round_document(tournament, result)

    with _ONE_AT_A_TIME:
        shown = _report(document)
    return desk_page(
        request,
        "report",
        snapshot,
        title=f"What {tournament.name_of(number - 1)} needs",
        place="players",
        working=False,
        to_reach=min(to_reach, len(tournament.players)),
        **shown,
    )


def _report(document: Callable[[], Document]) -> dict[str, Any]:
    """A report as part of a page, or why there is none."""
    try:
        return {"content": content(document()), "problem": ""}
    except YardstoneError as error:
        return {"content": Markup(), "problem": str(error)}


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

    def document() -> Document:
        try:
            amounts = [float(part) for part in words(money)]
        except ValueError:
            raise UsageError(f"{money!r}: amounts are written 300,200,100.") from None
        grades = [int(parse_grade(part)) for part in words(groups)]
        return prizes_document(
            prize_list(
                snapshot.tournament,
                places=places,
                wins=wins or None,
                money=amounts,
                groups=grades or None,
            )
        )

    asked: dict[str, Any] = {"places": places, "wins": wins, "money": money, "groups": groups}
    return desk_page(request, "prizes", snapshot, **_report(document), **asked)


#: Steps that the page lists.
_LISTED = 60


@router.get("/more", dependencies=RESULT_HELPERS)
def more(request: Request) -> Response:
    """The last steps, and what else there is for helpers."""
    desk = desk_of(request)
    return desk_page(
        request,
        "more",
        desk.snapshot(),
        steps=desk.file.steps()[:_LISTED],
        file=desk.settings.file.name,
    )


@router.post("/undo")
def undo(request: Request, form: SentForm) -> Response:
    """Take the last step back, if it still is the last one."""
    change = desk_of(request).file.undo(form.number("step"))
    log_step(request, form, change.lines[0])
    return back(request, "/more", said=" ".join(change.lines))


@router.get("/file", dependencies=HELPERS)
def file(request: Request) -> Response:
    """The file of the tournament, as it is now."""
    path = desk_of(request).settings.file
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", path.name)
    return Response(
        path.read_bytes(),
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{plain}"'},
    )


@router.get("/settings", dependencies=HELPERS)
def settings_page(request: Request) -> Response:
    """The settings as they are."""
    return _settings_page(request)


@router.post("/settings")
def change(request: Request, form: SentForm) -> Response:
    """Change some, as far as nobody else has changed them meanwhile."""

    def step(tournament: Tournament) -> EventChange:
        return change_settings(tournament, **changed_values(form, EVENT_FIELDS, tournament))

    try:
        return take(request, form, step, "/settings")
    except YardstoneError as error:
        return _settings_page(request, sentence(str(error)), form)


def _settings_page(request: Request, problem: str = "", form: Form | None = None) -> Response:
    snapshot = desk_of(request).snapshot()
    mcmahon = snapshot.tournament.system is System.mcmahon
    fields = [each for each in EVENT_FIELDS if mcmahon or each.name not in ("bar", "floor")]
    now = shown_values(EVENT_FIELDS, snapshot.tournament)
    return desk_page(
        request,
        "settings",
        snapshot,
        status=422 if problem else 200,
        fields=fields,
        now=now,
        values=now if form is None else {name: form.text(name) for name in now},
        problem=problem,
    )


#: Seconds between two looks at the file, and between two signs of life.
_LOOK, _LIFE = 0.5, 20.0
#: Seconds after which a browser opens the stream anew.
_LONGEST = 900.0


async def watch(desk: Desk) -> None:
    """Look at the file again and again, and wake whoever waits for a change."""
    while True:
        await run_in_threadpool(desk.snapshot)
        await asyncio.sleep(_LOOK)


@router.get("/state")
def state(request: Request) -> Response:
    """What the pages show now, for browsers without a stream."""
    return JSONResponse({"mark": desk_of(request).snapshot().mark})


@router.get("/events")
async def events(request: Request) -> Response:
    """A line for each change of the tournament."""
    desk = desk_of(request)
    full, limits = refusal("streams/pages"), desk.settings.limits
    return desk.streams.stream(desk.client(request), limits, _lines(desk), full)


async def _lines(desk: Desk) -> AsyncIterator[str]:
    known, spoke, end = "", time.monotonic(), time.monotonic() + _LONGEST
    yield "retry: 2000\n\n"
    while time.monotonic() < end and not desk.is_closing():
        mark = desk.file.last.mark
        if mark != known:
            known, spoke = mark, time.monotonic()
            yield f"event: change\ndata: {json.dumps({'mark': mark})}\n\n"
        elif time.monotonic() - spoke > _LIFE:
            spoke = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(_LOOK)
