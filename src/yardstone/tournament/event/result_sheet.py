"""A sheet of results, from a file of rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

from yardstone.errors import InputError, UsageError
from yardstone.pool import Skipped, SkipReport
from yardstone.tournament.event.player_table import columns_of, plain_heading, rows_of
from yardstone.tournament.event.results import GameResult, parse_score
from yardstone.tournament.model import Tournament

__all__ = ["read_result_sheet"]

_WHITE = ("white", "weiss", "blanc")
_BLACK = ("black", "schwarz", "noir")
_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "round": ("round", "rd", "runde", "ronde"),
        "table": ("table", "board", "tisch", "brett", "no"),
        "score": ("score", "result", "res", "ergebnis"),
        "first": ("first", "player1", *_BLACK),
        "second": ("second", "player2", *_WHITE),
    }
)
#: In chess White moves first.
_CHESS_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {**_NAMES, "first": ("first", "player1", *_WHITE), "second": ("second", "player2", *_BLACK)}
)


def read_result_sheet(
    path: str | os.PathLike[str], tournament: Tournament, *, round_number: int
) -> tuple[list[GameResult], SkipReport]:
    """Results from the columns ``round``, ``table`` and ``score``.

    In place of the table both players may be named, ``black`` and ``white`` or ``first``
    and ``second``; the score is then that of the side that moves first, or of the first one,
    first: in chess White's, in Go Black's. A sheet that names the other colour before that one
    is refused, as its scores may be meant either way. Rows without a score are games that are
    not over.

    Parameters
    ----------
    path : path
    tournament : Tournament
        Whose games they are.
    round_number : int
        Where the sheet has no column for it.

    Returns
    -------
    results, skipped
        Rows that cannot be used are in the second.

    Raises
    ------
    InputError
        The file cannot be read, lacks a column, has one twice, or names the colour that moves
        second first.
    """
    chess = tournament.discipline == "chess"
    names = _CHESS_NAMES if chess else _NAMES
    head, rows = rows_of(path)
    columns, unused = columns_of(head, names)
    again, _ = columns_of(unused, names)
    for kind, place in again.items():
        raise InputError(
            f"two columns for the same: {head[columns[kind]]} and {unused[place]}",
            file=str(path),
            line=1,
            hint="keep one",
        )
    if "score" not in columns or not ("table" in columns or {"first", "second"} <= set(columns)):
        raise InputError(
            f"a sheet needs the columns table and score, and has {', '.join(head)}",
            file=str(path),
            line=1,
            hint="or white, black and score" if chess else "or black, white and score",
        )
    if plain_heading(head[columns.get("second", 0)]) in (*_WHITE, *_BLACK) and (
        columns["second"] < columns.get("first", 0)
    ):
        ahead, behind = ("Black", "White") if chess else ("White", "Black")
        raise InputError(
            f"{ahead} stands before {behind}, so that 1-0 may be a win of either",
            file=str(path),
            line=1,
            hint=f"put {behind.lower()} before {ahead.lower()}, and {behind}'s score first",
        )
    report = SkipReport()
    results = []
    for line, cells in rows:
        values = {at: cells[place] for at, place in columns.items() if place < len(cells)}
        if not values.get("score"):
            continue
        try:
            results.append(_result(values, tournament, round_number, line))
        except (InputError, UsageError) as error:
            message = error.message if isinstance(error, InputError) else str(error)
            report.add(Skipped(str(path), line, message), kind="result")
    return results, report


def _result(
    values: Mapping[str, str], tournament: Tournament, round_number: int, line: int
) -> GameResult:
    result, forfeit = parse_score(values["score"])
    number = _whole(values["round"], "round") if values.get("round") else round_number
    players = None
    if values.get("first") and values.get("second"):
        players = (tournament.find(values["first"]), tournament.find(values["second"]))
    table = None if players is not None else _whole(values.get("table", ""), "table")
    return GameResult(
        result=result, forfeit=forfeit, round=number, table=table, players=players, line=line
    )


def _whole(text: str, what: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise InputError(f"{what} {text!r} is not a number")
    return int(text)
