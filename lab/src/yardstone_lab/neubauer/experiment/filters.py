"""Which recorded games a model may learn from, and how many are lost to each rule.

The rules are those of Neubauer 2024, section 4.1.1.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.records.go_game import DRAWN, PASS
from yardstone_lab.neubauer.experiment.candidates import Candidate, Decision, winner_known

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

__all__ = ["RULES", "FilterReport", "Filters", "filtered"]

#: The rules in the order in which they are applied, with what each loses.
RULES = {
    "incomplete": "a player's name, the date or the winner is missing",
    "same player": "a player against himself",
    "board": "another size of board",
    "handicap": "handicap, or stones set up",
    "unranked": "did not count for ratings",
    "decision": "decided in a way that tells nothing",
    "draw": "a draw",
    "clock": "too little time for a move, or not known",
    "short": "too few moves",
    "early pass": "a pass in the opening",
    "illegal": "an illegal move",
    "repeated": "the same game again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What games must be like.

    Attributes
    ----------
    size : int or None
        Lines of the board; None takes all.
    even : bool
        Leave out handicap and stones set up.
    dated : bool
        Leave out games without a date.
    seconds : float
        A move must have more than so many seconds, on average
        (`yardstone_lab.neubauer.experiment.clock`); 0 takes all.
    unknown_clock : bool
        Keep games whose record says nothing that is understood about the clock.
    least_moves : int
        Moves that a game must have.
    ranked : bool
        Leave out games that are marked as not counting for ratings.
    decisions : tuple of str
        How games may have been decided; see `candidates.Decision`.
    draws : bool
        Keep draws.
    first_pass : int
        A pass before this move is an early one; 0 lets players pass when they like.
    """

    size: int | None = 19
    even: bool = True
    dated: bool = True
    seconds: float = 5.0
    unknown_clock: bool = True
    least_moves: int = 20
    ranked: bool = True
    decisions: tuple[str, ...] = (
        Decision.counted.value,
        Decision.unstated.value,
        Decision.resigned.value,
        Decision.timed_out.value,
    )
    draws: bool = False
    first_pass: int = 50

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        known = {each.value for each in Decision}
        if unknown := set(self.decisions) - known:
            raise UsageError(
                f"there is no decision {sorted(unknown)[0]!r}, but {', '.join(sorted(known))}"
            )
        if self.least_moves < 0 or self.first_pass < 0 or not self.seconds >= 0.0:
            raise UsageError("a filter is below 0")

    def failing(self, candidate: Candidate) -> list[str]:
        """The rules that a game breaks, by name, but for illegal and repeated ones."""
        game = candidate.game
        reasons = {
            "incomplete": not (game.black and game.white and winner_known(game))
            or (self.dated and bool(np.isnat(game.date))),
            "same player": bool(game.black) and game.black == game.white,
            "board": self.size is not None and game.size != self.size,
            "handicap": self.even and _uneven(game),
            "unranked": self.ranked and candidate.ranked is False,
            "decision": candidate.decision.value not in self.decisions,
            "draw": not self.draws and game.winner == DRAWN,
            "clock": self._too_fast(candidate.seconds),
            "short": len(game.moves) < self.least_moves,
            "early pass": bool((game.moves[: max(self.first_pass - 1, 0)] == PASS).any()),
        }
        return [name for name in RULES if reasons.get(name)]

    def _too_fast(self, seconds: float | None) -> bool:
        if seconds is None:
            return not self.unknown_clock
        return self.seconds > 0.0 and seconds <= self.seconds


@dataclass(slots=True)
class FilterReport:
    """Games lost to each rule.

    Attributes
    ----------
    games : int
        Games that were looked at.
    kept : int
    first : Counter
        By rule, the games that it was the first to leave out: these add up.
    broken : Counter
        By rule, the games that break it, whatever else they break. Illegal moves and
        repetitions are looked for in games that break no other rule.
    unread : int
        Records that could not be read at all.
    """

    games: int = 0
    kept: int = 0
    first: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    unread: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: every rule, in order."""
        return {
            "games": self.games,
            "kept": self.kept,
            "unread": self.unread,
            "rules": [
                {
                    "rule": name,
                    "about": about,
                    "lost": self.first[name],
                    "broken": self.broken[name],
                }
                for name, about in RULES.items()
            ],
        }


def filtered(
    candidates: Iterable[Candidate], filters: Filters, report: FilterReport
) -> Iterator[Candidate]:
    """The games that keep all rules; `report` counts the others.

    Parameters
    ----------
    candidates : iterable of Candidate
    filters : Filters
    report : FilterReport
        Filled as the games go by.
    """
    keys: set[str] = set()
    contents: set[bytes] = set()
    for candidate in candidates:
        report.games += 1
        broken = filters.failing(candidate)
        same = b"" if broken else _content(candidate.game)
        if not broken and (candidate.key in keys or same in contents):
            broken = ["repeated"]
        if not broken and not is_legal(candidate.game):
            broken = ["illegal"]
        if broken:
            report.first[broken[0]] += 1
            report.broken.update(broken)
            continue
        keys.add(candidate.key)
        contents.add(same)
        report.kept += 1
        yield candidate
    report.unread = len(getattr(candidates, "skipped", ()))


def is_legal(game: GoGame) -> bool:
    """Whether every move can be played (ko and suicide apart)."""
    from yardstone.go.inputs import game_positions

    try:
        return game_positions(game).illegal_at < 0
    except InputError:
        return False


def _content(game: GoGame) -> bytes:
    """A fingerprint of who played what when."""
    names = f"{game.black}\0{game.white}\0{game.date}\0".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(names + game.moves.tobytes(), digest_size=16).digest()


def _uneven(game: GoGame) -> bool:
    return game.handicap > 1 or len(game.setup_black) > 0 or len(game.setup_white) > 0
