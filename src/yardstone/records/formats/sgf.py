"""SGF, the format of games of Go; backgammon has a variety of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.records.formats.format import FileFormat, Sign, Writer, reader
from yardstone.records.go_game import BLACK, DRAWN, WHITE, GoGame
from yardstone.records.pool_rows import games_of
from yardstone.records.sgf_values import parse_komi, parse_winner

if TYPE_CHECKING:
    from yardstone.pool import Pool

_ROOT = re.compile(rb"\(\s*;\s*[A-Za-z]{1,12}\s*\[")
_BEGINNING = re.compile(rb"\(\s*;")
_GAME = re.compile(r"GM\s*\[\s*(\d+)")
#: Columns of a pool that SGF has a property for, by the attribute of `GoGame`.
_TEXTS = ("rules", "black_rank", "white_rank", "black_team", "white_team", "event", "place")
_NUMBERS = {"komi": (-361, 361), "handicap": (0, 361), "size": (2, 19)}
#: The column that holds a result as the record has it, such as B+3.5.
_WRITTEN_RESULT = "written_result"


def _pieces(pool: Pool) -> Iterator[str]:
    from yardstone.records.sgf_write import write_sgf  # it loads numba

    times = pool.time
    for number, game in enumerate(games_of(pool)):
        score = game["score"]
        winner = BLACK if score == 1 else WHITE if score == 0 else DRAWN
        known: dict[str, Any] = {
            name: str(game[name]) for name in _TEXTS if game.get(name) is not None
        }
        result = str(game.get(_WRITTEN_RESULT) or "")
        if parse_winner(result) == winner:
            known["result"] = result
        known |= _numbers(game)
        date = np.datetime64("NaT", "s") if times is None else times[number]
        yield write_sgf(
            GoGame(black=game["first"], white=game["second"], winner=winner, date=date, **known)
        )


def _numbers(game: dict[str, Any]) -> dict[str, Any]:
    """Komi, handicap and size; tables may hold them as texts."""
    numbers: dict[str, Any] = {}
    for name, (low, high) in _NUMBERS.items():
        try:
            value = float(game.get(name) or "nan")
        except ValueError:
            continue
        if name == "komi" and parse_komi(f"{value:g}") == (value, None):
            numbers[name] = value
        elif value.is_integer() and low <= value <= high:
            numbers[name] = int(value)
    return numbers


def _left_out(pool: Pool) -> list[str]:
    return [name for name in pool.columns if name not in (*_TEXTS, *_NUMBERS, _WRITTEN_RESULT)]


def _web(text: str, _: str) -> str:
    game = _GAME.search(text)
    number = "1" if game is None else game[1].lstrip("0")
    return {"1": "sgf", "6": "sgf-backgammon"}.get(number, "")


FORMAT = FileFormat(
    "sgf",
    (".sgf",),
    (Sign(5, _ROOT.match), Sign(10, _ROOT.search), Sign(12, _BEGINNING.search)),
    reader("records.sgf", "read_sgf"),
    reader("records.sgf", "games_reader"),
    (
        Writer(
            "sgf", (".sgf",), _pieces, _left_out, reader("records.sgf_write", "write_sgf"), "black"
        ),
    ),
    moves=True,
    side="black",
    web=_web,
)
