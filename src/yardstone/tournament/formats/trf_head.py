"""What a tournament report file says of the whole: name, rounds, points, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from yardstone.errors import InputError
from yardstone.records.decoding import clean, finite_number, whole_number
from yardstone.tournament.formats.line_files import parse_date
from yardstone.tournament.model import System
from yardstone.tournament.rules import Scoring, TimeControl, TimeSystem

__all__ = ["FIRST_ROUND", "MAX_ROUNDS", "WIDTH", "TrfHead"]

MAX_ROUNDS = 200
#: The results of round r stand from this column (from 0) + WIDTH (r - 1).
FIRST_ROUND = 91
WIDTH = 10
#: More criteria than this are no list of criteria.
MAX_CRITERIA = 100
#: Points of a game, of a decision and of an acceleration are below this: they have four columns.
MAX_POINTS = 99.95


class TrfHead:
    """The lines that are not about a player, by their kinds.

    Parameters
    ----------
    file : str
        What messages call the file.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: dict[str, list[tuple[int, str]]] = {}

    def add(self, line: str, number: int) -> None:
        """Take a line."""
        self.found.setdefault(line[:3], []).append((number, line[4:].rstrip()))

    def lines(self, kind: str) -> Iterator[tuple[int, str]]:
        """Number and content of each line of a kind."""
        yield from self.found.get(kind, [])

    def single(self) -> dict[str, str]:
        """The content of each kind that stands once."""
        return {kind: lines[0][1] for kind, lines in self.found.items() if len(lines) == 1}

    def error(self, message: str, line: int, hint: str | None = None) -> InputError:
        """What is wrong in a line."""
        return InputError(message, file=self.file, line=line or None, hint=hint)

    def text(self, kind: str) -> str:
        """The first line of a kind, or an empty text."""
        return clean(self.found[kind][0][1]) if kind in self.found else ""

    def rounds(self) -> int:
        """Number of rounds planned; 0 if it is not said."""
        for kind in ("142", "XXR"):
            for line, text in self.found.get(kind, []):
                if text.strip():
                    rounds = whole_number(text)
                    if rounds is None or rounds > MAX_ROUNDS:
                        raise self.error(f"{text.strip()!r} is not a number of rounds", line)
                    return rounds
        return 0

    @property
    def system(self) -> System:
        """How the rounds are paired."""
        return _system_of(self.text("192") or self.text("092"))

    @property
    def time(self) -> TimeControl:
        """How long a game may take, from the encoded line only."""
        return _time_of(self.text("222"))

    def scoring(self) -> Scoring:
        """Points for each kind of result, and the tie-breaks."""
        values: dict[str, Any] = {}
        names = {
            "W": "win",
            "D": "draw",
            "L": "loss",
            "A": "absence",
            "Z": "absence",
            "P": "bye",
            "X": "open_game",
        }
        for line, text in self.lines("162"):
            for symbol, points in re.findall(r"([A-Z])\s*(-?\d+(?:\.\d+)?)", text.upper()):
                if symbol not in names:
                    raise self.error(f"{symbol!r} is not a kind of result", line)
                values[names[symbol]] = self._points(points, line)
        older = {"WW": "win", "BW": "win", "WD": "draw", "BD": "draw", "WL": "loss", "BL": "loss"}
        older |= {"ZPB": "absence", "PAB": "bye", "W": "win", "D": "draw"}
        for line, text in self.lines("XXS"):
            for symbol, points in re.findall(r"([A-Z]+)\s*=\s*(\d+(?:\.\d+)?)", text.upper()):
                if symbol in older:
                    values[older[symbol]] = self._points(points, line)
        lines = {"BBW": "win", "BBD": "draw", "BBL": "loss", "BBZ": "absence", "BBU": "bye"}
        for kind, name in lines.items():
            for line, text in self.lines(kind):
                values[name] = self._points(text, line)
        kind = "212" if self.text("212") else "202"
        listed = re.split(r"[,;\s]+", self.text(kind))
        criteria = [name.upper().replace("/", "-") for name in listed if name]
        if len(criteria) > MAX_CRITERIA:
            raise self.error(f"more than {MAX_CRITERIA} criteria", self.found[kind][0][0])
        if criteria and "PTS" not in criteria:
            criteria.insert(0, "PTS")
        return Scoring(
            criteria=tuple(criteria),
            wins_absent=0.0,
            score_absent=0.0,
            round_down=False,
            **values,
        )

    def _points(self, text: str, line: int) -> float:
        """The points of a kind of result."""
        points = finite_number(text, below=MAX_POINTS)
        if points is None:
            raise self.error(f"{text.strip()!r} is not a number of points", line)
        return points

    def round_dates(self, rounds: int) -> tuple[date | None, ...]:
        """Day of each round."""
        for _, text in self.lines("132"):
            line = "132 " + text
            dates = []
            for number in range(rounds):
                begin = FIRST_ROUND + WIDTH * number
                dates.append(parse_date(line[begin : begin + WIDTH]))
            if any(dates):
                return tuple(dates)
        return ()

    def usual(self, kind: str) -> float:
        """Points that a kind of result brings where nothing else is decided."""
        rules = self.scoring()
        return {
            "W": rules.win, "F": rules.win, "+": rules.win, "D": rules.draw, "H": rules.draw,
            "L": rules.loss,
        }.get(kind, rules.absence)  # fmt: skip


def _system_of(text: str) -> System:
    word = text.lower()
    if "robin" in word or "berger" in word or word.startswith("rr"):
        return System.round_robin
    if "knock" in word or "cup" in word:
        return System.cup
    return System.swiss if "swiss" in word or "fide" in word or not word else System.other


def _time_of(text: str) -> TimeControl:
    """The encoded time control (TRF26, 222): ``5400+30``; the first period counts."""
    match = re.fullmatch(r"(?:\d+/)?(\d{1,6})(?:\+(\d{1,6}))?(?::.*)?", text.strip())
    if match is None:
        return TimeControl()
    increment = int(match[2] or 0)
    kind = TimeSystem.fischer if increment else TimeSystem.sudden_death
    return TimeControl(system=kind, basic=int(match[1]), increment=increment)
