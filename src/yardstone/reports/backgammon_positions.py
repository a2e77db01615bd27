"""Positions of backgammon: text boards, diagrams, and what GNU Backgammon says of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from yardstone.backgammon.matches import play_class
from yardstone.backgammon.positions import CHEQUERS, Position, move_steps
from yardstone.errors import InputError
from yardstone.reports.boards import BackgammonDiagram
from yardstone.reports.document import (
    Block,
    Column,
    Document,
    Facts,
    Lines,
    Picture,
    Section,
    Step,
    Table,
)
from yardstone.reports.words import plural

if TYPE_CHECKING:
    from yardstone.backgammon.file_analysis import EvaluatedMove, PositionEvaluation


__all__ = ["position_document", "blunder_steps", "board_words", "signed", "text_board"]


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


Plain = Mapping[str, Any]


def signed(equity: float) -> str:
    """An equity with its sign: +0.123."""
    return f"{equity:+.3f}".replace("-", "\N{MINUS SIGN}")


def blunder_steps(blunders: Sequence[Plain]) -> list[Step]:
    """A title, boards and sentences for each blunder, the worst first."""
    return [_step(place, blunder) for place, blunder in enumerate(blunders, 1)]


def _step(place: int, blunder: Plain) -> Step:
    position = Position.from_gnu_id(blunder["position"], blunder["match"])
    names = _names(blunder, position)
    dice = "".join(map(str, blunder["dice"]))
    file = blunder["file"].rpartition("/")[2]
    title = f"{place}. {blunder['player']} lost {blunder['error']:.3f}: " + (
        f"{dice}, {blunder['played']}" if dice else _kind(blunder)
    )
    lines = [
        f"Game {blunder['game']} of {file}, against {blunder['opponent']}. {_score(position)}",
        f"Played: {blunder['played']}{_equity(blunder, 'played')}. "
        f"Best: {blunder['best']}{_equity(blunder, 'best')}.",
        f"Position ID `{blunder['position']}`, match ID `{blunder['match']}`",
        f"`{position.xgid}`",
    ]
    return Step(title, _pictures(blunder, position, names), lines)


def _kind(blunder: Plain) -> str:
    remark = blunder.get("remark")
    return f"{blunder['kind']} ({remark})" if remark else str(blunder["kind"])


def _equity(blunder: Plain, which: str) -> str:
    """The equity in brackets, where it is known."""
    equity = blunder.get(f"{which}_equity")
    return "" if equity is None else f" ({signed(equity)})"


def _names(blunder: Plain, position: Position) -> tuple[str, str]:
    """Names of player 0 and player 1: who blundered had to decide."""
    both = (blunder["player"], blunder["opponent"])
    return both if position.to_decide == 0 else (both[1], both[0])


def _score(position: Position) -> str:
    """Score and cube in words."""
    if not position.length:
        return f"A money game, cube at {position.cube}."
    own, other = position.score[position.to_decide], position.score[1 - position.to_decide]
    cube = "Crawford game" if position.crawford else f"cube at {position.cube}"
    return f"Score {own}\N{EN DASH}{other} in a match to {position.length}, {cube}."


def _pictures(blunder: Plain, position: Position, names: tuple[str, str]) -> list[Picture]:
    """The move on the board, and the better one; for the cube one board."""
    words = board_words(position, names)
    try:
        played, best = move_steps(blunder["played"]), move_steps(blunder["best"])
    except InputError:  # a decision about the cube
        return [Picture(lambda: BackgammonDiagram(words, position, names))]

    def picture(steps: list[tuple[int, int]], *, better: bool) -> Picture:
        which = "best" if better else "played"
        verb = "Better" if better else "Played"
        caption = f"{verb}: {blunder[which]}{_equity(blunder, which)}"
        label = f"{words} {caption}."
        return Picture(
            lambda: BackgammonDiagram(label, position, names, steps, better), f"{caption}."
        )

    return [picture(played, better=False), picture(best, better=True)]


def board_words(position: Position, names: tuple[str, str] = ("", "")) -> str:
    """The position in words: where the chequers of both sides are, cube and dice."""
    sides = {position.on_roll: position.own, 1 - position.on_roll: position.other}
    parts = []
    for player in (position.to_decide, 1 - position.to_decide):
        name = names[player] or ("Black", "White")[player]
        places = ", ".join(
            f"{number} on {'the bar' if place == 25 else place}"
            for place, number in enumerate(sides[player], 1)
            if number
        )
        parts.append(f"{name} ({('black', 'white')[player]}) has {places}")
    dice = f" Dice {position.dice[0]} and {position.dice[1]}." if position.dice else ""
    doubled = " The cube is offered." if position.doubled else ""
    return f"{'; '.join(parts)}, by each side’s own points.{dice}{doubled}"


#: Rows of chequers above and below the middle; a number stands where there are more.
_ROWS = 5
_BAR = 25
_SIGNS = ("X", "O")


def text_board(position: Position) -> list[str]:
    """The lines of the board, from the side of the player who decides.

    Examples
    --------
    >>> for line in text_board(Position(dice=(5, 2))):
    ...     print(line)
      13 14 15 16 17 18     19 20 21 22 23 24
     +------------------+--+------------------+  O  Black, pips 167
     | X           O    |  | O              X |
     | X           O    |  | O              X |
     | X           O    |  | O                |
     | X                |  | O                |
     | X                |  | O                |
     |                  |  |                  |  X plays 52, cube 1 in the middle
     | O                |  | X                |
     | O                |  | X                |
     | O           X    |  | X                |
     | O           X    |  | X              O |
     | O           X    |  | X              O |
     +------------------+--+------------------+  X  White, pips 167
      12 11 10  9  8  7      6  5  4  3  2  1
    """
    top, bottom = range(13, 25), range(12, 0, -1)
    lines = [_numbers(top), f" {_rim()}  {_side(position, 1)}"]
    lines += [_row(position, top, height) for height in range(_ROWS)]
    middle = " |" + 18 * " " + "|  |" + 18 * " " + f"|  {_turn(position)}"
    lines.append(middle)
    lines += [_row(position, bottom, height) for height in reversed(range(_ROWS))]
    lines += [f" {_rim()}  {_side(position, 0)}", _numbers(bottom)]
    return [line.rstrip() for line in lines]


def _numbers(places: range) -> str:
    cells = [f"{place:>3}" for place in places]
    return " " + "".join(cells[:6]) + "    " + "".join(cells[6:])


def _rim() -> str:
    return f"+{'-' * 18}+--+{'-' * 18}+"


def _chequers(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Those of the player who decides, and those of the other."""
    sides = (position.own, position.other)
    return sides if position.to_decide == position.on_roll else (sides[1], sides[0])


def _row(position: Position, places: range, height: int) -> str:
    """One line of chequers; `height` counts from the rim."""
    own, other = _chequers(position)
    cells = []
    for place in places:
        mine, theirs = own[place - 1], other[24 - place]
        cells.append(_cell(mine or theirs, "X" if mine else "O", height))
    upper = places[0] > 12  # chequers on the bar stand in the half in which they come in
    on_bar = (own if upper else other)[_BAR - 1]
    bar = _cell(on_bar, "X" if upper else "O", _ROWS - 1 - height).strip() or " "
    return " |" + "".join(cells[:6]) + f"|{bar:>2}|" + "".join(cells[6:]) + "|"


def _cell(number: int, sign: str, height: int) -> str:
    if height == 0 and number > _ROWS:
        return f"{number:>2} "
    return f" {sign} " if height < number else "   "


def _side(position: Position, place: int) -> str:
    """Sign, points, pips and what was borne off of the upper (1) or lower player."""
    player = position.to_decide if place == 0 else 1 - position.to_decide
    side = _chequers(position)[place]
    pips = position.pips[0 if player == position.on_roll else 1]
    points = f"{position.score[player]} of {position.length} points, " if position.length else ""
    off = CHEQUERS - sum(side)
    colour = ("Black", "White")[player]
    return f"{_SIGNS[place]}  {colour}, {points}pips {pips}" + (f", {off} off" if off else "")


def _turn(position: Position) -> str:
    """Dice and cube."""
    if position.doubled:
        return f"X is doubled to {2 * position.cube}"
    turn = "X plays " + "".join(map(str, position.dice)) if position.dice else "X is on roll"
    if position.crawford:
        return f"{turn}, Crawford game"
    owner = "in the middle"
    if position.owner is not None:
        owner = f"of {_SIGNS[int(position.owner != position.to_decide)]}"
    return f"{turn}, cube {position.cube} {owner}"
