"""Analysed matches as plain values: who played, who won, what went wrong."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any

from yardstone.backgammon.error_rates import Errors
from yardstone.backgammon.file_analysis import FileAnalysis
from yardstone.backgammon.play_classes import ClassErrors, class_errors
from yardstone.records.decoding import clean

__all__ = ["AnalysedMatch", "Blunder", "matches_of"]

#: Before this day nobody kept a match: such a date stands for none.
_FIRST_DATE = datetime.date(1975, 1, 1)


@dataclass(frozen=True, slots=True)
class Blunder:
    """A decision that cost much.

    Attributes
    ----------
    file : str
    game, record : int
        Place in the match: number of the game, and of the move or cube action in it.
    player, opponent : str
    kind : str
        One of the values of `error_rates.KINDS`.
    error : float
        Loss in normalised equity.
    position, match : str
        GNU Backgammon's position ID and match ID.
    dice : tuple of int
        Empty for cube decisions.
    played, best : str
    played_equity, best_equity : float
        Normalised, of the player who decided; NaN where not known.
    remark : str
        What kind of wrong or missed double it was; empty for other decisions.
    """

    file: str
    game: int
    record: int
    player: str
    opponent: str
    kind: str
    error: float
    position: str
    match: str
    dice: tuple[int, ...]
    played: str
    best: str
    played_equity: float = nan
    best_equity: float = nan
    remark: str = ""


@dataclass(frozen=True)
class AnalysedMatch:
    """A match with the errors of both players; frozen.

    Attributes
    ----------
    file : str
    players : (str, str)
    length : int
        Points to win; 0 for a money session.
    date : date or None
    place, event : str
    score : (int, int)
        At the end.
    winner : int or None
        0 or 1; None for a money session and where the file ends before the match.
    games : int
    errors : (Errors, Errors)
    close_2003 : (int, int)
        Close cube decisions by the rule of 2003, which van den Doel's study used.
    luck_adjusted : float
        Luck-adjusted result of the first player as a probability of having won; it can
        leave 0 to 1. NaN where there is no winner.
    blunders : tuple of Blunder
        The larger errors of both players.
    classes : pair of mappings
        Of each player the errors by class of play, see `yardstone.backgammon.play_classes`.
    """

    file: str
    players: tuple[str, str]
    length: int
    date: datetime.date | None
    place: str
    event: str
    score: tuple[int, int]
    winner: int | None
    games: int
    errors: tuple[Errors, Errors]
    close_2003: tuple[int, int]
    luck_adjusted: float
    blunders: tuple[Blunder, ...] = field(default=(), repr=False)
    classes: tuple[Mapping[str, ClassErrors], ...] = field(default=({}, {}), repr=False)

    @classmethod
    def from_file(
        cls, file: FileAnalysis, main_name: Mapping[str, str] | None = None
    ) -> AnalysedMatch:
        """The match of a file whose status is ``analysed``.

        `main_name` gives the main name of each other name of a player.
        """
        content = file.content
        if content is None or content["analysis"] is None:
            raise ValueError(f"{file.file} was not analysed")
        match, analysis = content["match"], content["analysis"]
        names = [clean(name) or f"player {k}" for k, name in enumerate(match["names"], 1)]
        one, two = ((main_name or {}).get(name, name) for name in names)
        players = (one, two)
        games = match["games"]
        points = [
            sum(game["points-won"] for game in games if game["winner"] == who) for who in "XO"
        ]
        score = (
            games[0].get("score-X", 0) + points[0],
            games[0].get("score-O", 0) + points[1],
        )
        length = int(match["length"])
        winner = None
        if length and max(score) >= length:
            winner = int(score[1] > score[0])
        stats, close = analysis["stats"], analysis["close"]
        adjusted = nan
        if winner is not None:
            adjusted = 0.5 + float(stats["X"]["dice"].get("luck-adjusted-result", nan))
        return cls(
            file.file,
            players,
            length,
            _date(match["date"]),
            clean(match["place"] or ""),
            clean(match["event"] or ""),
            score,
            winner,
            len(games),
            (Errors.from_statistics(stats, 0), Errors.from_statistics(stats, 1)),
            (int(close["X"]["close-2003"]), int(close["O"]["close-2003"])),
            adjusted,
            tuple(_blunder(error, file.file, players) for error in content["errors"]),
            class_errors(content["decisions"]),
        )

    def luck_adjusted_of(self, side: int) -> float:
        """Luck-adjusted result of player 0 or 1; NaN where unknown."""
        if not isfinite(self.luck_adjusted):
            return nan
        return self.luck_adjusted if side == 0 else 1.0 - self.luck_adjusted


def _date(parts: list[int]) -> datetime.date | None:
    """A date from day, month and year; None if it is none, or no true one."""
    if len(parts) != 3:
        return None
    day, month, year = parts
    try:
        date = datetime.date(year, month, day)
    except ValueError:
        return None
    return date if date >= _FIRST_DATE else None


def _blunder(error: Mapping[str, Any], file: str, players: tuple[str, str]) -> Blunder:
    side = int(error["player"])
    return Blunder(
        file,
        int(error["game"]),
        int(error["record"]),
        players[side],
        players[1 - side],
        str(error["kind"]),
        float(error["error"]),
        str(error["position"]),
        str(error["match"]),
        tuple(error.get("dice", ())),
        str(error["played"]),
        str(error["best"]),
        float(error["played_equity"]),
        float(error["best_equity"]),
        _remark(error),
    )


def _remark(error: Mapping[str, Any]) -> str:
    """Whether a double was too early or too good, or a missed one would have been taken."""
    if error["kind"] == "wrong double":
        return "too good to double" if error["best_equity"] > 1.0 else "too early"
    if error["kind"] == "missed double":
        return "pass" if error["take_equity"] > 1.0 else "take"
    return ""


def matches_of(
    files: Iterable[FileAnalysis], main_name: Mapping[str, str] | None = None
) -> list[AnalysedMatch]:
    """The matches that were analysed, in order."""
    return [AnalysedMatch.from_file(file, main_name) for file in files if file.status == "analysed"]
