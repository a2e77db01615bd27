"""Positions as JSON lines, and what a network says of them.

A line is an object with ``moves``, and where they matter ``to_play``, ``rules``,
``komi``, ``size`` and stones set up; the names that KataGo's analysis engine uses for
them are read as well. Whatever else it holds goes through unchanged.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.go.evaluator import (
    Evaluator,
    NetworkAnswer,
    NetworkQuestion,
    illegal_move,
    over_games,
)
from yardstone.go.inputs import encode_game
from yardstone.go.nets.network import Network
from yardstone.go.points import (
    BLACK,
    MAX_SIZE,
    WHITE,
    opponent,
    parse_colour,
    point_name,
    point_number,
)
from yardstone.go.rules import TROMP_TAYLOR, Conditions, Rules, parse_rules_and_komi
from yardstone.parallel import Track
from yardstone.pool import Skipped, SkipReport
from yardstone.records.sources import ByteStream, find_sources

#: No longer lines, and no longer games, are read.
_LONGEST_LINE = 4 << 20
MOST_MOVES = 10_000
_DEFAULT_SIZE = 19
_HIGHEST_KOMI = 1000.0
_SIZES = ("size", "boardXSize", "boardYSize", "board_size")
_WORDS = re.compile(r"[\s,]+")
#: Digits after the point, as in the reference evaluations.
_CHANCE_DIGITS, _SCORE_DIGITS = 6, 3
#: Lines that go to another machine together.
_TOGETHER = 64


@dataclass(frozen=True, slots=True)
class PositionRequest:
    """A position that is to be evaluated, and the object as it was read, `given`.

    `stones` are colours of the points set up before the first move; `moves` are points (-1 a pass),
    `colours` who played there.
    """

    size: int
    stones: Mapping[int, int]
    moves: list[int]
    colours: list[int]
    to_play: int
    rules: Rules
    komi: float
    given: Mapping[str, Any] = field(default_factory=dict)


def parse_position(text: str) -> PositionRequest:
    """Read a line; InputError where it is no JSON object, or means no position.

    Examples:
        >>> request = parse_position('{"moves": [["b", "Q16"], "w D4"], "rules": "japanese"}')
        >>> request.moves, request.to_play, request.komi
        ([72, 288], 1, 6.5)
    """
    return _request(_object(text))


def _request(given: Mapping[str, Any]) -> PositionRequest:
    size = _size(given)
    stones = _stones(given, size)
    beginner = _colour(given, "initial_player", "initialPlayer")
    if beginner is None:
        beginner = WHITE if set(stones.values()) == {BLACK} else BLACK
    moves, colours = _moves(given, size, beginner)
    to_play = _colour(given, "to_play", "toPlay")
    if to_play is None:
        to_play = opponent(colours[-1]) if colours else beginner
    rules, noted = _rules(given)
    komi = _first(given, "komi")
    if komi is None:
        komi = rules.default_komi if noted is None else noted
    number = isinstance(komi, int | float) and not isinstance(komi, bool)
    if not number or not abs(komi) <= _HIGHEST_KOMI:
        raise InputError(f"komi is {_shown(komi)}", hint="write a number of points such as 6.5")
    return PositionRequest(size, stones, moves, colours, to_play, rules, float(komi), given)


def _object(text: str) -> dict[str, Any]:
    if len(text) > _LONGEST_LINE:
        raise InputError(f"the line has {len(text):,} letters", hint="one position a line")
    try:
        given = json.loads(text)
    except RecursionError:
        raise InputError("nested too deep") from None
    except ValueError as error:
        raise InputError(f"no JSON: {error}") from None
    if not isinstance(given, dict):
        raise InputError("not a JSON object", hint='write {"moves": [["b", "Q16"]]}')
    return given


def _first(given: Mapping[str, Any], *names: str) -> Any:
    return next((given[name] for name in names if given.get(name) is not None), None)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _size(given: Mapping[str, Any]) -> int:
    sizes = {name: given[name] for name in _SIZES if given.get(name) is not None}
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or not 2 <= size <= MAX_SIZE:
            raise InputError(
                f"{name} is {_shown(size)}", hint=f"boards of 2 to {MAX_SIZE} lines are supported"
            )
    if len(set(sizes.values())) > 1:
        raise InputError("the board is not square", hint="only square boards are supported")
    return next(iter(sizes.values()), _DEFAULT_SIZE)


def _pairs(value: Any, name: str, size: int) -> Iterator[tuple[int | None, int]]:
    """Colours (None if not given) and points of a list in any of its forms."""
    if value is None:
        return
    items = _WORDS.split(value.strip()) if isinstance(value, str) else value
    if not isinstance(items, list) or len(items) > 2 * MOST_MOVES:
        raise InputError(
            f"{name} is not a list", hint=f'write "{name}": [["b", "Q16"], ["w", "D4"]]'
        )
    words: list[str] = []
    for item in items:
        parts = _WORDS.split(item.strip()) if isinstance(item, str) else item
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            raise InputError(f"{_shown(item)} in {name} is not a move", hint='write ["b", "Q16"]')
        words += [part for part in parts if part]
    colour: int | None = None
    for word in words:
        if colour is None and word.lower() in ("b", "w", "black", "white"):
            colour = parse_colour(word)
            continue
        yield colour, point_number(word, size)
        colour = None
    if colour is not None:
        raise InputError(f"{name} ends with a colour", hint="a point belongs to it")


def _stones(given: Mapping[str, Any], size: int) -> dict[int, int]:
    stones: dict[int, int] = {}
    value = _first(given, "initial_stones", "initialStones")
    for colour, point in _pairs(value, "initial_stones", size):
        if colour is None:
            raise InputError("a stone set up has no colour", hint='write ["b", "Q16"]')
        if point < 0:
            raise InputError("a pass is no stone")
        if point in stones:
            raise InputError(f"{point_name(point, size)} is set up twice")
        stones[point] = colour
    return stones


def _moves(given: Mapping[str, Any], size: int, turn: int) -> tuple[list[int], list[int]]:
    """Points, and who played there: whose turn it is where no colour is given."""
    pairs = list(_pairs(given.get("moves"), "moves", size))
    if len(pairs) > MOST_MOVES:
        raise InputError(f"{len(pairs):,} moves", hint=f"at most {MOST_MOVES:,} are supported")
    colours = []
    for colour, _ in pairs:
        colours.append(turn if colour is None else colour)
        turn = opponent(colours[-1])
    return [point for _, point in pairs], colours


def _colour(given: Mapping[str, Any], *names: str) -> int | None:
    value = _first(given, *names)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InputError(f"{_shown(value)} is not a colour", hint="write b or w")
    return parse_colour(value)


def _rules(given: Mapping[str, Any]) -> tuple[Rules, float | None]:
    value = given.get("rules")
    if value is None:
        return TROMP_TAYLOR, None
    if isinstance(value, dict):
        value = json.dumps(value)
    if not isinstance(value, str):
        raise InputError(f"rules are {_shown(value)}", hint="write a name such as japanese")
    return parse_rules_and_komi(value)


def read_lines(stream: ByteStream) -> Iterator[str]:
    """The lines of a file; of one that is too long only so much that this is seen."""
    rest, track = b"", Track("evaluating", stream.size)
    for piece in stream.pieces():
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield (rest + line).decode("utf-8", "replace")
            rest = b""
        rest += last[: max(_LONGEST_LINE + 1 - len(rest), 0)]
        track(stream.consumed)
    if rest:
        yield rest.decode("utf-8", "replace")
    if stream.damage:
        raise InputError(stream.damage, file=stream.name)


def evaluate_file(
    path: str, network: Network, *, skipped: SkipReport, strict: bool = False
) -> Iterator[dict[str, Any]]:
    """Evaluate the positions of a file of JSON lines, as `evaluate_lines` does.

    Args:
        path: Also compressed; - for standard input.
        skipped: Takes the lines that cannot be evaluated.
        strict: Raise at the first of them.

    Raises:
        StrictError: With `strict`.
        NoGamesError: At the end, if no line holds a position.
    """
    sources = list(find_sources([path], (".jsonl", ".json")))
    if len(sources) != 1:
        raise UsageError(f"{path} means {len(sources)} files: name one")
    (source,) = sources
    number = 0
    with source.open() as stream:
        lines = read_lines(stream)
        for row in evaluate_lines(lines, network, file=source.name, skipped=skipped):
            if strict and len(skipped):
                first = skipped.details[0]
                raise StrictError(first.reason, file=first.file, line=first.line)
            yield row
            number += 1
    if number == len(skipped):
        raise NoGamesError("no line holds a position", file=source.name)


def evaluate_lines(
    lines: Iterable[str], network: Network, *, file: str = "", skipped: SkipReport | None = None
) -> Iterator[dict[str, Any]]:
    """Evaluate positions given as JSON lines.

    Args:
        lines: Read as they are needed; empty ones are passed over.
        file: Where they come from, for the report.
        skipped: Takes the lines that cannot be evaluated.

    Yields:
        The object of each line, in the same order, with ``white_win``, ``white_loss``,
            ``no_result``, ``white_lead``, ``white_score_selfplay``, ``policy`` (a value a point,
            the top row first; None where a move is illegal) and ``policy_pass``, and ``asked``
            where the network was asked under other rules, which it knows. A line that cannot be
            evaluated gives what it held, and ``error``.
    """
    report = SkipReport() if skipped is None else skipped
    return over_games(
        partial(_evaluated, file),
        ((number, text) for number, text in enumerate(lines, 1) if text.strip()),
        network,
        together=_TOGETHER,
        positions=lambda _: 1,
        skipped=report,
    )


def _evaluated(
    file: str,
    lines: Iterable[tuple[int, str]],
    network: Network,
    *,
    skipped: SkipReport,
    track: Track | None,
) -> Iterator[dict[str, Any]]:
    evaluator = Evaluator(network, track=track)
    for answer in evaluator.answer(_questions(lines, network, file, skipped)):
        about = dict(answer.question.about)
        if len(answer.assessment):
            about.pop("error", None)  # of an earlier attempt
            about.update(_values(answer))
        yield about


def _questions(
    lines: Iterable[tuple[int, str]], network: Network, file: str, skipped: SkipReport
) -> Iterator[NetworkQuestion]:
    for number, text in lines:
        given: Mapping[str, Any] = {}
        try:
            given = _object(text)
            yield _question(_request(given), network)
        except InputError as error:
            skipped.add(Skipped(file, number, str(error)), kind="cannot be evaluated")
            # An empty question keeps the place of the line in the order.
            nothing = encode_game(2, positions=[], packed=True)
            about = {**given, "line": number, "error": str(error)}
            yield NetworkQuestion(nothing, TROMP_TAYLOR, about=about)


def _question(request: PositionRequest, network: Network) -> NetworkQuestion:
    asked = network.asked(Conditions(request.rules, request.komi), request.size)
    encoded = encode_game(
        request.size,
        [point for point, colour in request.stones.items() if colour == BLACK],
        [point for point, colour in request.stones.items() if colour == WHITE],
        request.moves,
        request.colours,
        asked.komi,
        asked.rules,
        positions=[len(request.moves)],
        to_play=request.to_play,
        packed=True,
    )
    if (move := encoded.illegal_at) >= 0:
        raise InputError(
            illegal_move(move, request.moves[move], request.colours[move], request.size)
        )
    about = {**request.given, "asked": asked.in_words} if asked.remark else request.given
    return NetworkQuestion(encoded, asked.rules, about=about)


def _values(answer: NetworkAnswer) -> dict[str, Any]:
    """What the network says of the only position of a question."""
    assessment = answer.assessment
    digits = dict.fromkeys(("white_win", "white_loss", "no_result"), _CHANCE_DIGITS)
    digits |= dict.fromkeys(("white_lead", "white_score"), _SCORE_DIGITS)
    values = {name: _rounded(getattr(assessment, name)[0], n) for name, n in digits.items()}
    values["white_score_selfplay"] = values.pop("white_score")
    *policy, passing = (_rounded(chance, _CHANCE_DIGITS) for chance in assessment.policy[0])
    return {**values, "policy": policy, "policy_pass": passing}


def _rounded(value: float, digits: int) -> float | None:
    number = float(value)
    return round(number, digits) if math.isfinite(number) else None
