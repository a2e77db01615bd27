"""Recorded games with what decides whether an experiment can use them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from yardstone.errors import UsageError
from yardstone.pool import Pool, SkipReport
from yardstone.records.go_game import BLACK, DRAWN, WHITE, GoGame
from yardstone_lab.neubauer.experiment.clock import clock_of_game, seconds_a_move
from yardstone_lab.neubauer.stores import file_key

__all__ = ["Candidate", "Decision", "ListedGames", "RecordedGames", "decision_of"]


class Decision(StrEnum):
    """How a game was decided."""

    counted = "counted"
    unstated = "unstated"
    resigned = "resigned"
    timed_out = "timed out"
    forfeited = "forfeited"
    cancelled = "cancelled"
    unknown = "unknown"


_RESULT = re.compile(r"(?:black|white|b|w)\s*\+\s*(.*)", re.IGNORECASE | re.DOTALL)
_WORDS = (
    (Decision.resigned, ("r", "res", "resign", "resigned", "resignation")),
    (Decision.timed_out, ("t", "time", "timeout", "timed out")),
    (Decision.forfeited, ("f", "forfeit", "forfeited", "offline", "disconnection", "a", "abandon")),
)
_RANKED = re.compile(r"\b(un)?(?:ranked|rated)\b|\b(free)\b", re.IGNORECASE)


def decision_of(result: str) -> Decision:
    """How a game was decided, as the text of its result has it.

    Examples
    --------
    >>> decision_of("B+3.5").value, decision_of("W+R").value, decision_of("B+").value
    ('counted', 'resigned', 'unstated')
    """
    text = result.strip().lower()
    if text in ("0", "jigo", "draw"):
        return Decision.counted
    if text in ("void", "cancelled", "annulled"):
        return Decision.cancelled
    match = _RESULT.fullmatch(text)
    if match is None:
        return Decision.unknown
    how = match[1].strip()
    if not how:
        return Decision.unstated
    for decision, words in _WORDS:
        if how in words:
            return decision
    try:
        return Decision.counted if float(how.replace(",", ".")) >= 0.0 else Decision.unknown
    except ValueError:
        return Decision.unknown


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recorded game.

    Attributes
    ----------
    key : str
        What names it among all.
    game : GoGame
    decision : Decision
    seconds : float or None
        For a move, on average; None if the record does not tell.
    ranked : bool or None
        Whether it counted for ratings; None if the record does not tell.
    """

    key: str
    game: GoGame
    decision: Decision
    seconds: float | None = None
    ranked: bool | None = None


@dataclass(slots=True)
class RecordedGames:
    """Candidates from SGF files; can be gone through again and again.

    Attributes
    ----------
    paths : sequence of str
        Files, folders, patterns or archives.
    skipped : SkipReport
        Records that could not be read in the latest pass.
    """

    paths: Sequence[str]
    skipped: SkipReport = field(default_factory=SkipReport)
    by = "file"

    def __iter__(self) -> Iterator[Candidate]:
        from yardstone.records.sgf import SgfReader

        reader = SgfReader(*self.paths)
        self.skipped = reader.skipped
        for game in reader:
            key = file_key(game.file, game.number)
            yield Candidate(key, game, decision_of(game.result), clock_of_game(game), _ranked(game))


@dataclass(slots=True)
class ListedGames:
    """Candidates from lists of moves, joined to a table of results.

    Attributes
    ----------
    moves : sequence of str
        Files, patterns or archives of lists of moves.
    results : Pool
        Who played and who won, `first` being Black.
    key : str
        The column of `results` that names a game, as the lists of moves do.
    result, clock, ranked : str
        Columns of `results` with the text of the result, the clock's words, and
        whether a game counted (1 or 0); '' if there is none.
    skipped : SkipReport
        Records that could not be read in the latest pass.
    """

    moves: Sequence[str]
    results: Pool
    key: str = "game_id"
    result: str = ""
    clock: str = ""
    ranked: str = ""
    skipped: SkipReport = field(default_factory=SkipReport)
    by = "name"

    def __post_init__(self) -> None:
        """Refuse names of columns that are not there."""
        for name in (self.key, self.result, self.clock, self.ranked):
            if name and name not in self.results.columns:
                known = ", ".join(self.results.columns) or "none"
                raise UsageError(f"the results have no column {name!r}, only {known}")

    def __iter__(self) -> Iterator[Candidate]:
        from yardstone.records.sgf import MoveListReader

        reader = MoveListReader(*self.moves, results=self.results, key=self.key)
        self.skipped = reader.skipped
        place = {str(name): row for row, name in enumerate(self.results.columns[self.key].tolist())}
        columns = self.results.columns
        for game in reader:
            key = game.properties["GN"][0]
            row = place[key]
            text = str(columns[self.result][row]) if self.result else game.result
            clock = str(columns[self.clock][row]) if self.clock else ""
            ranked = bool(columns[self.ranked][row]) if self.ranked else None
            seconds = seconds_a_move(clock=clock) if clock else None
            yield Candidate(key, game, decision_of(text), seconds, ranked)


def _ranked(game: GoGame) -> bool | None:
    """What servers write into a record's name, event or comment."""
    for name in ("GN", "EV", "GC", "RU"):
        match = _RANKED.search(" ".join(game.properties.get(name, ())))
        if match is not None:
            return not (match[1] or match[2])
    return None


def winner_known(game: GoGame) -> bool:
    """Whether the record names a winner, or a draw."""
    return game.winner in (BLACK, WHITE, DRAWN)
