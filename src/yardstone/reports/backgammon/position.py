"""One position: its board, its IDs, and what GNU Backgammon says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from yardstone.backgammon.matches import play_class
from yardstone.backgammon.positions import move_steps
from yardstone.reports.backgammon.boards import board_words, signed
from yardstone.reports.backgammon.text_board import text_board
from yardstone.reports.charts.backgammon_board import BackgammonDiagram
from yardstone.reports.document import (
    Block,
    Column,
    Document,
    Facts,
    Lines,
    Picture,
    Section,
    Table,
)
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from yardstone.backgammon.file_analysis import EvaluatedMove, PositionEvaluation
    from yardstone.backgammon.positions import Position

__all__ = ["position_document"]

_CHANCES = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
_HEADINGS = ("Win %", "Gammon %", "Backgammon %", "Lose gammon %", "Lose backgammon %")


def position_document(
    position: Position, evaluation: PositionEvaluation | None = None, *, note: str = ""
) -> Document:
    """The report of a position; `note` says why there is no evaluation, or what was assumed."""
    best = evaluation.moves[0].move if evaluation is not None and evaluation.moves else ""
    words = board_words(position)
    board = Picture(
        lambda: BackgammonDiagram(
            words, position, steps=move_steps(best) if best else (), best=True
        ),
        f"GNU Backgammon’s choice: {best}." if best else "",
        instead=Lines(text_board(position), exact=True),
    )
    sections = [
        Section(blocks=[board]),
        Section(blocks=[Facts(_facts(position))], name="ids"),
    ]
    if evaluation is not None:
        sections.append(Section(_heading(evaluation), _answer(position, evaluation)))
    if note:
        sections.append(Section(blocks=[Lines([note])]))
    return Document(
        "Position of backgammon",
        [_lead(position)],
        sections,
        records=_records(position, evaluation),
        plain=lambda: _plain(position, evaluation),
        drawing=lambda: BackgammonDiagram(words, position),
    )


def _lead(position: Position) -> str:
    """Who has to decide what."""
    colour = ("Black", "White")[position.to_decide]
    if position.doubled:
        return f"{colour} is doubled to {2 * position.cube}: take or pass?"
    if position.dice:
        return f"{colour} to play {position.dice[0]}{position.dice[1]}"
    return f"{colour} on roll"


def _facts(position: Position) -> list[tuple[str, str]]:
    colours = ("Black", "White")
    decider = position.to_decide
    pips = dict(zip((position.on_roll, 1 - position.on_roll), position.pips, strict=True))
    owner = "in the middle" if position.owner is None else f"{colours[position.owner]}’s"
    if position.length:
        score = (
            f"{colours[decider]} {position.score[decider]}, {colours[1 - decider]} "
            f"{position.score[1 - decider]} in a match to {position.length}"
        )
        cube = "none: the Crawford game" if position.crawford else f"{position.cube}, {owner}"
    else:
        rules = [
            word
            for word, used in (("Jacoby’s rule", position.jacoby), ("beavers", position.beavers))
            if used
        ]
        score = "money game" + (f", {' and '.join(rules)}" if rules else "")
        cube = f"{position.cube}, {owner}"
    turn = position.to_decide != position.on_roll
    own, other = (position.other, position.own) if turn else (position.own, position.other)
    return [
        ("Score", score),
        ("Cube", cube),
        ("Pips", f"{colours[decider]} {pips[decider]}, {colours[1 - decider]} {pips[1 - decider]}"),
        ("Class of play", play_class(own, other)),
        ("Position ID", position.position_id),
        ("Match ID", position.match_id),
        ("XGID", position.xgid),
    ]


def _heading(evaluation: PositionEvaluation) -> str:
    cube = evaluation.cube_plies
    return (
        f"GNU Backgammon {evaluation.gnubg} at {plural(evaluation.plies, 'ply', 'plies')}"
        + (f" ({cube} for the cube)" if cube != evaluation.plies else "")
        + f", position class {evaluation.position_class}"
    )


def _answer(position: Position, evaluation: PositionEvaluation) -> list[Block]:
    if position.dice:
        if not evaluation.moves:
            return [Lines(["No move is legal."])]
        return [_moves(evaluation.moves)]
    return [Facts(_cube(position, evaluation))]


def _moves(moves: Sequence[EvaluatedMove]) -> Table:
    best = moves[0].equity
    columns = [
        Column("", lambda each: each.move, "Move", strong=True),
        Column("", lambda each: signed(each.equity), "Equity", left=False),
        Column(
            "",
            lambda each: "" if each.equity == best else signed(each.equity - best),
            "Behind",
            left=False,
        ),
        *(
            Column("", _chance(place), heading, "number", gives_way=5 - place if place else 0)
            for place, heading in enumerate(_HEADINGS)
        ),
    ]
    return Table(columns, moves, noun="move")


def _chance(place: int) -> Any:
    return lambda each: 100.0 * each.chances[place]


def _cube(position: Position, evaluation: PositionEvaluation) -> list[tuple[str, str]]:
    """Equities of the decision, and the verdict."""
    no_double, take = evaluation.no_double, evaluation.take
    assert no_double is not None
    win, gammon, backgammon, lost_gammon, lost_backgammon = evaluation.chances
    facts = []
    if take is None:
        facts.append(("Verdict", "the player on roll may not double"))
        facts.append(("Equity", signed(no_double)))
    else:
        verdict = evaluation.verdict
        if position.doubled:
            verdict = ("take" if take <= 1.0 else "pass") + f" (GNU Backgammon: {verdict})"
        facts += [
            ("Verdict", verdict),
            ("No double", signed(no_double)),
            ("Double, take", signed(take)),
            ("Double, pass", signed(1.0)),
        ]
    return [
        *facts,
        ("Wins", _shares(win, gammon, backgammon)),
        ("Loses", _shares(1.0 - win, lost_gammon, lost_backgammon)),
    ]


def _shares(every: float, gammon: float, backgammon: float) -> str:
    return (
        f"{100 * every:.1f} %, gammons {100 * gammon:.1f} %, backgammons {100 * backgammon:.1f} %"
    )


def _ids(position: Position) -> dict[str, Any]:
    return {
        "position_id": position.position_id,
        "match_id": position.match_id,
        "xgid": position.xgid,
    }


def _plain(position: Position, evaluation: PositionEvaluation | None) -> dict[str, Any]:
    """The position as plain values."""
    plain: dict[str, Any] = {
        **_ids(position),
        "own": list(position.own),
        "other": list(position.other),
        "on_roll": position.on_roll,
        "to_decide": position.to_decide,
        "dice": list(position.dice),
        "doubled": position.doubled,
        "cube": position.cube,
        "owner": position.owner,
        "length": position.length,
        "score": list(position.score),
        "crawford": position.crawford,
        "jacoby": position.jacoby,
        "beavers": position.beavers,
        "pips": list(position.pips),
        "evaluation": None,
    }
    if evaluation is not None:
        plain["evaluation"] = {
            "gnubg": evaluation.gnubg,
            "plies": evaluation.plies,
            "cube_plies": evaluation.cube_plies,
            "class": evaluation.position_class,
            "moves": [_move_plain(each) for each in evaluation.moves],
            "no_double": evaluation.no_double,
            "take": evaluation.take,
            "verdict": evaluation.verdict,
            **dict(zip(_CHANCES, evaluation.chances or [None] * 5, strict=True)),
        }
    return plain


def _move_plain(each: EvaluatedMove) -> dict[str, Any]:
    return {
        "move": each.move,
        "equity": each.equity,
        **dict(zip(_CHANCES, each.chances, strict=True)),
    }


def _records(position: Position, evaluation: PositionEvaluation | None) -> Table:
    """A row a move; a single one where there is none."""
    rows: list[dict[str, Any]] = [_ids(position)]
    if evaluation is not None and evaluation.moves:
        rows = [{**_ids(position), **_move_plain(each)} for each in evaluation.moves]
    elif evaluation is not None and evaluation.no_double is not None:
        cube = {"no_double": evaluation.no_double, "take": evaluation.take}
        chances = dict(zip(_CHANCES, evaluation.chances, strict=True))
        rows = [{**_ids(position), **cube, "verdict": evaluation.verdict, **chances}]
    texts = {"position_id", "match_id", "xgid", "move", "verdict"}

    def column(name: str) -> Column:
        return Column(name, lambda row: row[name], kind="text" if name in texts else "number")

    return Table([column(name) for name in rows[0]], rows, noun="move")
