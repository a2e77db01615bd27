"""The rounds as helpers have them: pairing, with what a helper demands of it, and results."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from yardstone.errors import InputError, UsageError
from yardstone.reports.pairing import sentences
from yardstone.tournament.event.rounds import (
    GameResult,
    PairedRound,
    pair_event,
    parse_score,
    score_of,
    set_first_mover,
    set_result,
    unpair_round,
    usual_system,
)
from yardstone.tournament.event.settings import Wish
from yardstone.tournament.explanation import Proposal
from yardstone.tournament.model import Game, Result
from yardstone.tournament.pairing import Constraints
from yardstone.web.desk.pages import (
    Form,
    SentForm,
    back,
    desk_of,
    desk_page,
    helpers_only,
    input_problem,
    take,
    wants_json,
)
from yardstone.web.desk.views import letters, round_boards, round_byes
from yardstone.web.pages.render import root_of
from yardstone.web.problems import RequestProblem

if TYPE_CHECKING:
    from yardstone.tournament.event.settings import EventChange, EventWishes
    from yardstone.tournament.model import Tournament
    from yardstone.web.desk.service import Desk, Snapshot


__all__ = [
    "router",
]


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
        pairs: dict[str, list[tuple[int, int]]] = {"fix": [], "forbid": []}
        bye = None
        for kind, a, b in self.lines:
            if kind == "bye":
                bye = tournament.find(a or b)
            else:
                pair = tournament.find(a), tournament.find(b)
                pairs["fix" if kind == "fix" else "forbid"].append(pair)
        return Constraints(
            fixed=tuple(pairs["fix"]),
            forbidden=tuple(pairs["forbid"]),
            bye=bye,
            rematch=self.rematch,
            open_results=self.open_results,
        )


router = APIRouter(include_in_schema=False)

#: Boards are paired again one by one, to say what each is worth, up to so many players.
_COSTS_UP_TO = 100


@router.get("/pair")
def current(request: Request) -> Response:
    """The round to pair, or the last one."""
    rounds = desk_of(request).snapshot().rounds
    return RedirectResponse(f"{root_of(request)}/pair/{rounds.next or rounds.planned}", 303)


@router.get("/pair/{number}")
def pair_page(request: Request, number: int) -> Response:
    """Who is to be paired, and the wishes."""
    helpers_only(request)
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
        return made.change

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
            raise RequestProblem(
                409, "later_round", f"Round {tournament.last_round} is paired already.",
                "Only the last round can be taken back.",
            )  # fmt: skip
        return unpair_round(tournament, number)

    return take(request, form, step, f"/pair/{number}")


@router.post("/wishes")
def wishes(request: Request, form: SentForm) -> Response:
    """Keep a wish for all rounds to come, or take one back."""
    desk, kind = desk_of(request), form.text("kind")
    tournament = desk.snapshot().tournament
    removed = form.text("remove")
    added: tuple[Wish, ...] = ()
    if not removed:
        names: tuple[str, ...] = ()
        if kind == "never":
            rows = [tournament.find(form.text(side)) for side in ("a", "b")]
            if rows[0] == rows[1]:
                raise RequestProblem(422, "bad_wish", "These are the same player.")
            names = tuple(tournament.players[row].full_name for row in rows)
        added = (Wish(kind=kind, players=names, country=form.text("country").upper()),)

    def changed(kept: EventWishes) -> EventWishes:
        left = tuple(wish for wish in kept.wishes if wish.sentence() != removed)
        return replace(kept, wishes=tuple(dict.fromkeys((*left, *added))))

    desk.change_wishes(changed)
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
) -> PairedRound:
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
    demands: _Demands,
    *,
    made: PairedRound | None = None,
    problem: str = "",
) -> Response:
    desk = desk_of(request)
    snapshot = desk.snapshot()
    snapshot.check_round(number)
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
        lasting=[wish.sentence() for wish in desk.wishes().wishes],
        **(_NOTHING if made is None else _proposal(tournament, made)),
    )


#: What the page shows where nothing is proposed.
_NOTHING: dict[str, Any] = {"boards": (), "byes": (), "bye_reason": "", "notes": (), "shown": ""}


def _proposal(tournament: Tournament, made: PairedRound) -> dict[str, Any]:
    """The new boards, each with its reasons, and what else there is to say of them."""
    reasons: dict[frozenset[int], list[str]] = {}
    if isinstance(made.proposal, Proposal):
        for why in made.proposal.explanations:
            reasons[why.board.players] = sentences(made.proposal.pairing, why)
    there = {frozenset((g.first, g.second)) for g in tournament.round_games(made.number)}
    new = made.change.tournament
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
    """Two results for one game, that of ``first`` before that of ``second`` as sent."""

    def __init__(self, **clash: Any) -> None:
        super().__init__()
        self.clash = clash


@router.get("/results")
def current_results(request: Request) -> Response:
    """The round whose results come in."""
    number = max(desk_of(request).snapshot().rounds.paired, 1)
    return RedirectResponse(f"{root_of(request)}/results/{number}", 303)


@router.get("/results/{number}")
def sheet(request: Request, number: int) -> Response:
    """All boards of a round, each with a tap for a result."""
    helpers_only(request)
    return _sheet(request, desk_of(request).snapshot(), number)


@router.post("/results/{number}")
def enter(request: Request, number: int, form: SentForm) -> Response:
    """Take the result of one game."""
    sent = form.text("first"), form.text("second"), form.text("result")
    return _answer(request, form, number, lambda tournament: sent)


@router.post("/results/{number}/quick")
def enter_quick(request: Request, number: int, form: SentForm) -> Response:
    """Take the result of a table, typed in one line."""
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


@router.post("/results/{number}/colours")
def exchange_colours(request: Request, number: int, form: SentForm) -> Response:
    """Say that the second-named player has moved first."""

    def step(tournament: Tournament) -> EventChange:
        first, second = _rows(tournament, number, form.text("first"), form.text("second"))
        return set_first_mover(tournament, number, second, first)

    return take(request, form, step, f"/results/{number}")


def _sheet(
    request: Request, snapshot: Snapshot, number: int, clash: dict[str, Any] | None = None
) -> Response:
    snapshot.check_round(number)
    status = 200 if clash is None else 409
    return desk_page(request, "results", snapshot, status=status, number=number, clash=clash)


def _answer(
    request: Request, form: Form, number: int, wanted: Callable[[Tournament], tuple[str, str, str]]
) -> Response:
    """Enter a result, or show what stands against it; `wanted` gives both players and the text."""
    desk = desk_of(request)

    def step(tournament: Tournament) -> EventChange:
        first, second, text = wanted(tournament)
        return _set(tournament, number, first, second, text, replacing=form.text("stands"))

    anchor = f"#{form.text('anchor')}" if form.text("anchor") else ""
    try:
        return take(request, form, step, f"/results/{number}{anchor}")
    except _ClashError as error:
        answer = _sheet(request, desk.snapshot(), number, _signed(desk, number, error.clash))
        if wants_json(request):
            return JSONResponse({"page": bytes(answer.body).decode()}, 409)
        return answer


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
        clash = {"table": game.table, "first": first, "second": second}
        raise _ClashError(**clash, stands=stands, sent=sent)
    return set_result(tournament, wanted, replace_other=stands == replacing)


def _rows(tournament: Tournament, number: int, first: str, second: str) -> tuple[int, int]:
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


def _signed(desk: Desk, number: int, clash: dict[str, Any]) -> dict[str, Any]:
    """The same with who entered the result that stands, if the journal still knows."""
    names = f"ound {number}, table {clash['table']}, ", clash["first"], clash["second"]
    for step in desk.file.steps():
        if all(name in step.what for name in names):
            by = step.what.partition(": Round ")[0]
            return {**clash, "by": "" if by == step.what else by, "time": step.time}
    return {**clash, "by": "", "time": ""}


def _seen_by(game: Game, player: int) -> str:
    """The result with this player's points first."""
    turned = player != game.first and game.result is not Result.unknown
    return score_of(game.result.reversed if turned else game.result, forfeit=game.forfeit)
