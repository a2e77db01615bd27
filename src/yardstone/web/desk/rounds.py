"""What helpers do: players entered and changed, rounds paired, results taken."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from yardstone.errors import InputError
from yardstone.files import scratch_folder
from yardstone.reports.pairing import sentences
from yardstone.tournament.event import rounds as steps
from yardstone.tournament.event.entries import (
    EventEntry,
    change_player,
    enter_players,
    read_player_table,
)
from yardstone.tournament.event.settings import (
    EventChange,
    EventWishes,
    Wish,
    change_wishes,
    read_wishes,
)
from yardstone.tournament.explanation import Proposal
from yardstone.tournament.model import Result, Tournament
from yardstone.tournament.notation import score_of
from yardstone.tournament.pairing import Constraints
from yardstone.web.desk.pages import (
    HELPERS,
    PLAYER_FIELDS,
    RESULT_HELPERS,
    Form,
    ResultForm,
    SentForm,
    back,
    changed_values,
    desk_of,
    desk_page,
    field_values,
    input_problem,
    letters,
    log_step,
    round_boards,
    round_byes,
    rows_by_name,
    seat,
    take,
    take_step,
    wants_json,
)
from yardstone.web.desk.service import Desk
from yardstone.web.problems import refusal

router = APIRouter(include_in_schema=False)

#: Rows left out that are listed, and players of a list that are offered.
_LISTED, _OFFERED = 50, 20


@router.get("/enter", dependencies=HELPERS)
def enter_page(request: Request, search: str = "") -> Response:
    """The forms for new players."""
    return _enter_page(request, search=search)


def _enter_page(request: Request, **shown: Any) -> Response:
    desk = desk_of(request)
    snapshot, register = desk.snapshot(), desk.register()
    usual = {"lines": (), "left_out": (), "problem": "", "values": {}, "table": "", "search": ""}
    shown = usual | shown
    return desk_page(
        request,
        "enter",
        snapshot,
        status=422 if shown["problem"] or shown["left_out"] else 200,
        fields=PLAYER_FIELDS,
        first_round=min(snapshot.tournament.next_round, snapshot.tournament.rounds),
        register="" if register is None else register.federation,
        found=[] if register is None else register.beginning(shown["search"], _OFFERED),
        **shown,
    )


@router.post("/enter")
def enter_one(request: Request, form: SentForm) -> Response:
    """Enter one player."""
    values = {field.name: form.text(field.name) for field in PLAYER_FIELDS}
    try:
        if form.text("listed") and (register := desk_of(request).register()) is not None:
            entry = register.find(form.text("listed"))
        else:
            given = field_values(PLAYER_FIELDS, values)
            known = {name: value for name, value in given.items() if value is not None}
            entry = EventEntry(**known)
        change = _enter(request, form, [entry])
    except InputError as error:
        return _enter_page(request, problem=input_problem(error), values=values)
    if change.skipped.details:
        reason = change.skipped.details[0].reason
        return _enter_page(request, problem=f"{reason}.", values=values)
    return _enter_page(request, lines=change.lines, search=form.text("search"))


def _enter(request: Request, form: Form, entries: Sequence[EventEntry]) -> EventChange:
    step = partial(enter_players, entries=entries, first_round=form.number("first_round"))
    return take_step(request, form, step)


@router.post("/enter/table")
def enter_table(request: Request, form: SentForm) -> Response:
    """Enter the players of a table."""
    text = next(iter(form.every("table")), "")
    data = form.files.get("file") or text.encode()
    if not data.strip():
        return _enter_page(request, problem="No table was sent.")
    try:
        register = desk_of(request).register()
        with scratch_folder() as folder:
            file = folder / "players.csv"
            file.write_bytes(data)
            read = read_player_table(file)
        entries = list(read.entries)
        if register is not None:
            entries = [register.completed(entry) or entry for entry in entries]
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


@router.get("/here/{number}", dependencies=HELPERS)
def call(request: Request, number: int) -> Response:
    """Who plays in a round: a tap each."""
    snapshot = desk_of(request).snapshot(number)
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
    act = steps.rejoin if form.text("there") == "1" else steps.withdraw
    path = f"/here/{number}#{form.text('anchor')}"
    return _take(request, form, lambda t, row: act(t, row, number, only=True), path)


@router.post("/player/{number}/change")
def change(request: Request, number: int, form: SentForm) -> Response:
    """Change what is said of a player, field by field."""

    def step(tournament: Tournament, row: int) -> EventChange:
        changed = changed_values(form, PLAYER_FIELDS, tournament.players[row])
        return change_player(tournament, row, **changed)

    return _take(request, form, step, f"/player/{number}")


@router.post("/player/{number}/rounds")
def rounds(request: Request, number: int, form: SentForm) -> Response:
    """Withdraw a player, take one back, give or take a bye, or take an entry out."""
    act, at = form.text("act"), form.number("round")
    if act not in steps.PLAYER_STEPS:
        raise refusal("bad_form/desk")
    path = "/players" if act == "remove" else f"/player/{number}"
    return _take(request, form, lambda t, row: steps.PLAYER_STEPS[act](t, row, at), path)


def _take(
    request: Request, form: Form, step: Callable[[Tournament, int], EventChange], path: str
) -> Response:
    """Take a step with the player whom the form names: by the whole name, as numbers may change."""

    def with_player(tournament: Tournament) -> EventChange:
        row = _row(tournament, form.text("who"))
        if row < 0:
            raise refusal("gone", player=form.text("who"))
        return step(tournament, row)

    return take(request, form, with_player, path)


def _row(tournament: Tournament, name: str) -> int:
    """The player of a whole name, by number from 0; -1 if there is none."""
    names = [player.full_name for player in tournament.players]
    return names.index(name) if name in names else -1


#: Kinds of a demand, and how a form calls them.
_KINDS = (("fix", "must meet"), ("forbid", "must not meet"), ("bye", "has the bye"))
_MOST = 200


@dataclass(frozen=True, slots=True)
class _Demands:
    """Demands on a round: each line has a kind, and the names of one or two players."""

    lines: tuple[tuple[str, str, str], ...] = ()
    rematch: bool = False
    open_results: bool = False

    @classmethod
    def of(cls, form: Form) -> _Demands:
        """Those of a form; a button may add one (``add``) or take one out (``without``)."""
        kinds, first, second = (form.every(name) for name in ("kind", "a", "b"))
        lines = [
            (kind, a.strip(), b.strip())
            for kind, a, b in zip(kinds, first, second, strict=False)
            if a.strip() or b.strip()
        ]
        added = form.text("add").split("\t")
        if len(added) == 3:
            lines.append((added[0], added[1], added[2]))
        if form.text("without").isdecimal():
            place = int(form.text("without"))
            lines = lines[:place] + lines[place + 1 :]
        return cls(tuple(lines[:_MOST]), bool(form.text("rematch")), bool(form.text("open")))

    def constraints(self, tournament: Tournament) -> Constraints:
        """The same by the numbers of the players; raises InputError for a name of nobody."""
        find, bye = tournament.find, None
        pairs: dict[str, list[tuple[int, int]]] = {"fix": [], "forbid": []}
        for kind, a, b in self.lines:
            if kind == "bye":
                bye = find(a or b)
            else:
                pairs["fix" if kind == "fix" else "forbid"].append((find(a), find(b)))
        return Constraints(
            fixed=tuple(pairs["fix"]),
            forbidden=tuple(pairs["forbid"]),
            bye=bye,
            rematch=self.rematch,
            open_results=self.open_results,
        )


#: Boards are paired again one by one, to say what each is worth, up to so many players.
_COSTS_UP_TO = 100


@router.get("/pair/{number}", dependencies=HELPERS)
def pair_page(request: Request, number: int) -> Response:
    """Who is to be paired, and the wishes."""
    return _page(request, number, _Demands())


@router.post("/pair/{number}")
def propose(request: Request, number: int, form: SentForm) -> Response:
    """Propose boards; nothing is written."""
    return _propose(request, number, _Demands.of(form))


def _propose(request: Request, number: int, demands: _Demands, problem: str = "") -> Response:
    tournament = desk_of(request).snapshot().tournament
    try:
        made = _paired(request, tournament, number, demands)
    except InputError as error:
        return _page(request, number, demands, problem=f"{problem} {input_problem(error)}".strip())
    return _page(request, number, demands, made=made, problem=problem)


@router.post("/pair/{number}/accept")
def accept(request: Request, number: int, form: SentForm) -> Response:
    """Write the boards that were proposed, if they still are what would be proposed."""
    demands, shown = _Demands.of(form), form.text("shown")

    def step(tournament: Tournament) -> EventChange:
        made = _paired(request, tournament, number, demands, reasons=False)
        if _digest(made) != shown:
            raise _OtherBoardsError
        return made

    try:
        return take(request, form, step, f"/round/{number}")
    except _OtherBoardsError:
        problem = (
            "Something has changed since these boards were proposed: nothing was written. "
            "Here is the proposal as it would be now."
        )
        return _propose(request, number, demands, problem)
    except InputError as error:
        return _page(request, number, demands, problem=input_problem(error))


@router.post("/pair/{number}/drop")
def drop(request: Request, number: int, form: SentForm) -> Response:
    """Take the boards of the last round back, while they have no results."""

    def step(tournament: Tournament) -> EventChange:
        if number != tournament.last_round:
            raise refusal("later_round", last=tournament.last_round)
        return steps.unpair_round(tournament, number)

    return take(request, form, step, f"/pair/{number}")


@router.post("/wishes")
def wishes(request: Request, form: SentForm) -> Response:
    """Keep a wish for all rounds to come, or take one back."""
    desk, kind = desk_of(request), form.text("kind")
    tournament = desk.snapshot().tournament
    removed = form.text("remove")
    names: tuple[str, ...] = ()
    if kind == "never" and not removed:
        one, two = (tournament.find(form.text(side)) for side in ("a", "b"))
        if one == two:
            raise refusal("bad_wish")
        names = tournament.name_of(one), tournament.name_of(two)

    wish = None if removed else Wish(kind=kind, players=names, country=form.text("country").upper())

    def changed(kept: EventWishes) -> EventWishes:
        wishes = [each for each in kept.wishes if each.sentence() != removed]
        wishes += [] if wish is None else [wish]
        return replace(kept, wishes=tuple(dict.fromkeys(wishes)))

    change_wishes(desk.settings.file, changed)
    what = f"taken back: {removed}" if wish is None else f"for all rounds: {wish.sentence()}"
    log_step(request, form, f"Wish {what}.")
    return back(request, f"/pair/{form.number('round')}#lasting")


class _OtherBoardsError(Exception):
    pass


def _paired(
    request: Request,
    tournament: Tournament,
    number: int,
    demands: _Demands,
    *,
    reasons: bool = True,
) -> steps.PairedRound:
    lasting = read_wishes(desk_of(request).settings.file)
    demanded = demands.constraints(tournament)
    options: dict[str, Any] = {}
    if steps.usual_system(tournament, lasting) != "round-robin":
        options = {"costs": reasons and len(tournament.players) <= _COSTS_UP_TO}
    return steps.pair_event(tournament, number, wishes=lasting, constraints=demanded, **options)


def _digest(made: steps.PairedRound) -> str:
    """What differs if any board does."""
    tournament = made.tournament
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
    demands: _Demands,
    *,
    made: steps.PairedRound | None = None,
    problem: str = "",
) -> Response:
    desk = desk_of(request)
    snapshot = desk.snapshot(number)
    tournament = snapshot.tournament
    earlier = [
        (g.round, g.table)
        for g in tournament.games
        if g.round < number and g.result is Result.unknown
    ]
    return desk_page(
        request,
        "pair",
        snapshot,
        status=422 if problem and made is None else 409 if problem else 200,
        number=number,
        problem=problem,
        demands=demands,
        earlier=earlier,
        kinds=_KINDS,
        lasting=[wish.sentence() for wish in read_wishes(desk.settings.file).wishes],
        **(_NOTHING if made is None else _proposal(tournament, made)),
    )


#: What the page shows where nothing is proposed.
_NOTHING: dict[str, Any] = {"boards": (), "byes": (), "bye_reason": "", "notes": (), "shown": ""}


def _proposal(tournament: Tournament, made: steps.PairedRound) -> dict[str, Any]:
    """The new boards, each with its reasons, and what else there is to say of them."""
    reasons: dict[frozenset[int], list[str]] = {}
    if isinstance(made.proposal, Proposal):
        for why in made.proposal.explanations:
            reasons[why.board.players] = sentences(made.proposal.pairing, why)
    there = {frozenset((g.first, g.second)) for g in tournament.round_games(made.number)}
    new = made.tournament
    boards = []
    for board in round_boards(new, made.number):
        pair = frozenset((board.first.number - 1, board.second.number - 1))
        if pair not in there:
            boards.append((board, reasons.get(pair, [])))
    of_bye = [lines for players, lines in reasons.items() if len(players) == 1]
    return {
        "boards": boards,
        "byes": round_byes(new, made.number),
        "bye_reason": " ".join(of_bye[0]) if of_bye else "",
        "notes": made.notes,
        "shown": _digest(made),
    }


#: ``12 1-0``, ``12 b``, ``12 =``: a table, and what happened there.
_QUICK = re.compile(r"\s*+(\d{1,4})\s*+[:,.]?\s*+(\S.*?)\s*")


class _ClashError(Exception):
    """Two results for one game, described in its only argument, a dictionary."""


@router.get("/results/{number}", dependencies=RESULT_HELPERS)
def sheet(request: Request, number: int) -> Response:
    """All boards of a round, each with a tap for a result."""
    return _sheet(request, number)


@router.post("/results/{number}")
def enter(request: Request, number: int, form: ResultForm) -> Response:
    """Take the result of one game."""
    sent = form.text("first"), form.text("second"), form.text("result")
    return _answer(request, form, number, lambda tournament: sent)


@router.post("/results/{number}/quick")
def enter_quick(request: Request, number: int, form: ResultForm) -> Response:
    """Take the result of a table, typed in one line."""
    typed = _QUICK.fullmatch(form.text("line"))
    if typed is None:
        raise refusal("bad_line", line=form.text("line"))
    table, text = int(typed[1]), typed[2]

    def of_table(tournament: Tournament) -> tuple[str, str, str]:
        game = steps.find_game(tournament, number, table=table)
        names = [tournament.name_of(row) for row in game.players]
        one, two = letters(tournament)
        short = {one: "1-0", two: "0-1", "1": "1-0", "2": "0-1", "-": "?"}
        return names[0], names[1], short.get(text.casefold(), text)

    return _answer(request, form, number, of_table)


@router.post("/results/{number}/colours")
def exchange_colours(request: Request, number: int, form: ResultForm) -> Response:
    """Say that the second-named player has moved first."""

    def step(tournament: Tournament) -> EventChange:
        first, second = _rows(tournament, number, form.text("first"), form.text("second"))
        return steps.set_first_mover(tournament, number, second, first)

    return take(request, form, step, f"/results/{number}")


def _sheet(request: Request, number: int, clash: dict[str, Any] | None = None) -> Response:
    status, snapshot = 200 if clash is None else 409, desk_of(request).snapshot(number)
    return desk_page(request, "results", snapshot, status=status, number=number, clash=clash)


def _answer(
    request: Request, form: Form, number: int, wanted: Callable[[Tournament], tuple[str, str, str]]
) -> Response:
    """Enter a result, which replaces only one that the sender has seen; else show the other one."""
    replacing = form.text("stands")

    def step(tournament: Tournament) -> EventChange:
        first, second, text = wanted(tournament)
        result, forfeit = steps.parse_score(text)
        pair = _rows(tournament, number, first, second)
        game = tournament.game_of[number, pair[0]]
        seen = game.result if pair[0] == game.first else game.result.reversed
        stands = score_of(seen, forfeit=game.forfeit)
        sent = score_of(result, forfeit=forfeit)
        if stands not in ("?", sent, replacing):
            clash = {"table": game.table, "first": first, "second": second}
            raise _ClashError({**clash, "stands": stands, "sent": sent})
        given = steps.GameResult(result=result, forfeit=forfeit, round=number, players=pair)
        return steps.set_result(tournament, given, replace_other=stands == replacing)

    anchor = f"#{form.text('anchor')}" if form.text("anchor") else ""
    try:
        return take(request, form, step, f"/results/{number}{anchor}")
    except _ClashError as error:
        answer = _sheet(request, number, _signed(desk_of(request), number, *error.args))
        if wants_json(request):
            return JSONResponse({"page": bytes(answer.body).decode()}, 409)
        return answer


def _rows(tournament: Tournament, number: int, first: str, second: str) -> tuple[int, int]:
    pair = _row(tournament, first), _row(tournament, second)
    game = tournament.game_of.get((number, pair[0]))
    if game is None or game.opponent(pair[0]) != pair[1]:
        raise refusal("other_boards", first=first, second=second, number=number)
    return pair


def _signed(desk: Desk, number: int, clash: dict[str, Any]) -> dict[str, Any]:
    """The same with who entered the result that stands, if the journal still knows."""
    names = f"ound {number}, table {clash['table']}, ", clash["first"], clash["second"]
    signed = {**clash, "by": "", "time": ""}
    for step in desk.file.steps():
        if all(name in step.what for name in names):
            by, sign, _ = step.what.partition(": Round ")
            return {**signed, "by": by if sign else "", "time": step.time}
    return signed
