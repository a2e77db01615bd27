"""Positions of backgammon: text boards, diagrams, and what GNU Backgammon says of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from yardstone.backgammon.matches import play_class
from yardstone.backgammon.positions import BAR, CHEQUERS, Position, move_steps
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
    reader,
)
from yardstone.reports.words import picked, plural

if TYPE_CHECKING:
    from yardstone.backgammon.file_analysis import EvaluatedMove, PositionEvaluation

_CHANCES = {
    "win": "Win %",
    "win_gammon": "Gammon %",
    "win_backgammon": "Backgammon %",
    "lose_gammon": "Lose gammon %",
    "lose_backgammon": "Lose backgammon %",
}
_COLOURS = ("Black", "White")


def position_document(
    position: Position, evaluation: PositionEvaluation | None = None, *, note: str = ""
) -> Document:
    """The report of a position; `note` says why there is no evaluation, or what was assumed."""
    best = evaluation.moves[0].move if evaluation is not None and evaluation.moves else ""
    words, steps = board_words(position), move_steps(best) if best else ()
    board = Picture(
        lambda: BackgammonDiagram(words, position, steps=steps, best=True),
        f"GNU Backgammon’s choice: {best}." if best else "",
        instead=Lines(text_board(position), exact=True),
    )
    sections = [Section(blocks=[board]), Section(blocks=[Facts(_facts(position))], name="ids")]
    if evaluation is not None:
        by = picked(evaluation, "gnubg", "plies", "cube_plies")
        answer: Block = Lines(["No move is legal."])
        if not position.dice:
            answer = Facts(list(_cube(position, evaluation)))
        elif evaluation.moves:
            answer = _moves(evaluation.moves)
        heading = f"{analyser(by)}, position class {evaluation.position_class}"
        sections.append(Section(heading, [answer]))
    if note:
        sections.append(Section(blocks=[Lines([note])]))
    records, plain = _records(position, evaluation), partial(_plain, position, evaluation)
    draw, lead = partial(BackgammonDiagram, words, position), [_lead(position)]
    return Document("Position of backgammon", lead, sections, records, plain, draw)


def analyser(plain: Plain) -> str:
    """Say which program looked, and how deep."""
    plies, cube = plain["plies"], plain["cube_plies"]
    words = f"GNU Backgammon {plain['gnubg']} at {plural(plies, 'ply', 'plies')}"
    return words if cube == plies else f"{words} ({cube} for the cube)"


def _lead(position: Position) -> str:
    """Who has to decide what."""
    colour = _COLOURS[position.to_decide]
    if position.doubled:
        return f"{colour} is doubled to {2 * position.cube}: take or pass?"
    if position.dice:
        return f"{colour} to play {position.dice[0]}{position.dice[1]}"
    return f"{colour} on roll"


def _facts(position: Position) -> list[tuple[str, str]]:
    decider = position.to_decide
    one, two = _COLOURS[decider], _COLOURS[1 - decider]
    pips = position.pips if decider == position.on_roll else position.pips[::-1]
    owner = "in the middle" if position.owner is None else f"{_COLOURS[position.owner]}’s"
    cube = f"{position.cube}, {owner}"
    if position.length:
        own, other = position.score[decider], position.score[1 - decider]
        score = f"{one} {own}, {two} {other} in a match to {position.length}"
        if position.crawford:
            cube = "none: the Crawford game"
    else:
        used = {"Jacoby’s rule": position.jacoby, "beavers": position.beavers}
        rules = " and ".join(word for word, here in used.items() if here)
        score = f"money game, {rules}" if rules else "money game"
    return [
        ("Score", score),
        ("Cube", cube),
        ("Pips", f"{one} {pips[0]}, {two} {pips[1]}"),
        ("Class of play", play_class(*_chequers(position))),
        ("Position ID", position.position_id),
        ("Match ID", position.match_id),
        ("XGID", position.xgid),
    ]


def _moves(moves: Sequence[EvaluatedMove]) -> Table:
    best = moves[0].equity

    def behind(move: EvaluatedMove) -> str:
        return "" if move.equity == best else signed(move.equity - best)

    def chance(place: int, heading: str) -> Column:
        way = 5 - place if place else 0
        share = reader(f"chances.{place}")
        return Column("", lambda each: 100.0 * share(each), heading, "number", gives_way=way)

    columns = [
        Column("", "move", "Move", strong=True),
        Column("", lambda each: signed(each.equity), "Equity", left=False),
        Column("", behind, "Behind", left=False),
        *(chance(place, heading) for place, heading in enumerate(_CHANCES.values())),
    ]
    return Table(columns, moves, noun="move")


def _cube(position: Position, evaluation: PositionEvaluation) -> Iterator[tuple[str, str]]:
    """Equities of the decision, and the verdict."""
    no_double, take, verdict = evaluation.no_double, evaluation.take, evaluation.verdict
    assert no_double is not None
    if take is None:
        yield "Verdict", "the player on roll may not double"
        yield "Equity", signed(no_double)
    else:
        if position.doubled:
            verdict = ("take" if take <= 1.0 else "pass") + f" (GNU Backgammon: {verdict})"
        yield "Verdict", verdict
        yield "No double", signed(no_double)
        yield "Double, take", signed(take)
        yield "Double, pass", signed(1.0)
    win, *gammons = evaluation.chances
    for label, every, (gammon, backgammon) in (
        ("Wins", win, gammons[:2]),
        ("Loses", 1.0 - win, gammons[2:]),
    ):
        shares = f"gammons {100 * gammon:.1f} %, backgammons {100 * backgammon:.1f} %"
        yield label, f"{100 * every:.1f} %, {shares}"


_IDS = ("position_id", "match_id", "xgid")


def _plain(position: Position, evaluation: PositionEvaluation | None) -> dict[str, Any]:
    sides = ("own", "other", "on_roll", "to_decide", "dice", "doubled", "cube", "owner", "length")
    rules = ("score", "crawford", "jacoby", "beavers", "pips")
    plain = picked(position, *_IDS, *sides, *rules)
    if evaluation is None:
        return plain | {"evaluation": None}
    said = picked(evaluation, "gnubg", "plies", "cube_plies", "class=position_class")
    said |= {"moves": list(map(_move_plain, evaluation.moves))}
    said |= picked(evaluation, "no_double", "take", "verdict")
    chances = evaluation.chances or [None] * len(_CHANCES)
    return plain | {"evaluation": said | dict(zip(_CHANCES, chances, strict=True))}


def _move_plain(each: EvaluatedMove) -> dict[str, Any]:
    return picked(each, "move", "equity") | dict(zip(_CHANCES, each.chances, strict=True))


def _records(position: Position, evaluation: PositionEvaluation | None) -> Table:
    """A row a move; a single one where there is none."""
    ids = picked(position, *_IDS)
    rows: list[dict[str, Any]] = [ids]
    if evaluation is not None and evaluation.moves:
        rows = [ids | _move_plain(each) for each in evaluation.moves]
    elif evaluation is not None and evaluation.no_double is not None:
        cube = picked(evaluation, "no_double", "take", "verdict")
        rows = [ids | cube | dict(zip(_CHANCES, evaluation.chances, strict=True))]
    texts = {*_IDS, "move", "verdict"}
    columns = [Column(name, kind="text" if name in texts else "number") for name in rows[0]]
    return Table(columns, rows, noun="move")


Plain = Mapping[str, Any]


def signed(equity: float) -> str:
    """An equity with its sign: +0.123."""
    return f"{equity:+.3f}".replace("-", "\N{MINUS SIGN}")


def blunder_steps(blunders: Sequence[Plain]) -> list[Step]:
    """A title, boards and sentences for each blunder, the worst first."""
    return [_step(place, blunder) for place, blunder in enumerate(blunders, 1)]


def _step(place: int, blunder: Plain) -> Step:
    position = Position.from_gnu_id(blunder["position"], blunder["match"])
    dice = "".join(map(str, blunder["dice"]))
    what = f"{dice}, {blunder['played']}" if dice else str(blunder["kind"])
    if not dice and blunder.get("remark"):
        what += f" ({blunder['remark']})"
    file = blunder["file"].rpartition("/")[2]
    lines = [
        f"Game {blunder['game']} of {file}, against {blunder['opponent']}. {_score(position)}",
        f"Played: {_choice(blunder, 'played')}. Best: {_choice(blunder, 'best')}.",
        f"Position ID `{blunder['position']}`, match ID `{blunder['match']}`",
        f"`{position.xgid}`",
    ]
    title = f"{place}. {blunder['player']} lost {blunder['error']:.3f}: {what}"
    return Step(title, _pictures(blunder, position), lines)


def _choice(blunder: Plain, which: str) -> str:
    """What was played or best, with its equity in brackets where that is known."""
    equity = blunder.get(f"{which}_equity")
    return f"{blunder[which]}" if equity is None else f"{blunder[which]} ({signed(equity)})"


def _score(position: Position) -> str:
    if not position.length:
        return f"A money game, cube at {position.cube}."
    own, other = position.score[position.to_decide], position.score[1 - position.to_decide]
    cube = "Crawford game" if position.crawford else f"cube at {position.cube}"
    return f"Score {own}\N{EN DASH}{other} in a match to {position.length}, {cube}."


def _pictures(blunder: Plain, position: Position) -> list[Picture]:
    """The move on the board, and the better one; for the cube one board."""
    names = (blunder["player"], blunder["opponent"])  # who blundered had to decide
    if position.to_decide:
        names = names[::-1]
    words = board_words(position, names)
    try:
        steps = {which: move_steps(blunder[which]) for which in ("played", "best")}
    except InputError:  # a decision about the cube
        return [Picture(lambda: BackgammonDiagram(words, position, names))]

    def picture(which: str, verb: str) -> Picture:
        caption = f"{verb}: {_choice(blunder, which)}."
        label = f"{words} {caption}"
        return Picture(
            lambda: BackgammonDiagram(label, position, names, steps[which], which == "best"),
            caption,
        )

    return [picture("played", "Played"), picture("best", "Better")]


def board_words(position: Position, names: tuple[str, str] = ("", "")) -> str:
    """The position in words: where the chequers of both sides are, cube and dice."""
    sides = {position.on_roll: position.own, 1 - position.on_roll: position.other}
    parts = []
    for player in (position.to_decide, 1 - position.to_decide):
        name = names[player] or _COLOURS[player]
        places = ", ".join(
            f"{number} on {'the bar' if place == BAR else place}"
            for place, number in enumerate(sides[player], 1)
            if number
        )
        parts.append(f"{name} ({_COLOURS[player].lower()}) has {places}")
    dice = f" Dice {position.dice[0]} and {position.dice[1]}." if position.dice else ""
    doubled = " The cube is offered." if position.doubled else ""
    return f"{'; '.join(parts)}, by each side’s own points.{dice}{doubled}"


#: Rows of chequers above and below the middle; a number stands where there are more.
_ROWS = 5
_SIGNS = ("X", "O")


def text_board(position: Position) -> list[str]:
    """The lines of the board, from the side of the player who decides.

    Examples:
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
    lines = [
        _line([f"{place:>3}" for place in top], edge="", bar="    "),
        f"{_line(['---'] * 12, edge='+', bar='--')}  {_side(position, 1)}",
        *(_row(position, top, height) for height in range(_ROWS)),
        f"{_line(['   '] * 12)}  {_turn(position)}",
        *(_row(position, bottom, height) for height in reversed(range(_ROWS))),
        f"{_line(['---'] * 12, edge='+', bar='--')}  {_side(position, 0)}",
        _line([f"{place:>3}" for place in bottom], edge="", bar="    "),
    ]
    return [line.rstrip() for line in lines]


def _line(cells: Sequence[str], *, edge: str = "|", bar: str = "  ") -> str:
    """Two halves of six points, and the bar between them."""
    left, right = "".join(cells[:6]), "".join(cells[6:])
    return f" {edge}{left}{edge}{bar}{edge}{right}{edge}"


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
    on_bar = (own if upper else other)[BAR - 1]
    bar = _cell(on_bar, "X" if upper else "O", _ROWS - 1 - height).strip() or " "
    return _line(cells, bar=f"{bar:>2}")


def _cell(number: int, sign: str, height: int) -> str:
    if height == 0 and number > _ROWS:
        return f"{number:>2} "
    return f" {sign} " if height < number else "   "


def _side(position: Position, place: int) -> str:
    """Sign, points, pips and what was borne off of the upper (1) or lower player."""
    player = position.to_decide if place == 0 else 1 - position.to_decide
    pips = position.pips[0 if player == position.on_roll else 1]
    points = f"{position.score[player]} of {position.length} points, " if position.length else ""
    gone = CHEQUERS - sum(_chequers(position)[place])
    off = f", {gone} off" if gone else ""
    return f"{_SIGNS[place]}  {_COLOURS[player]}, {points}pips {pips}{off}"


def _turn(position: Position) -> str:
    if position.doubled:
        return f"X is doubled to {2 * position.cube}"
    turn = "X plays " + "".join(map(str, position.dice)) if position.dice else "X is on roll"
    if position.crawford:
        return f"{turn}, Crawford game"
    owner = "in the middle"
    if position.owner is not None:
        owner = f"of {_SIGNS[int(position.owner != position.to_decide)]}"
    return f"{turn}, cube {position.cube} {owner}"
