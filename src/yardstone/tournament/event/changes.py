"""What a step of running an event did: the tournament after it, and one or two sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.pool import SkipReport
from yardstone.tournament.pairing import round_to_pair

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament

__all__ = ["EventChange", "check_planned", "listed", "next_round", "refused", "unchanged"]


@dataclass(frozen=True, eq=False, kw_only=True)
class EventChange:
    """Result of every step.

    Attributes
    ----------
    tournament : Tournament
        As it is now; the same object where nothing had to be done.
    lines : tuple of str
        What was done, a sentence each.
    made : bool
        Whether the tournament differs from before.
    skipped : SkipReport
        Rows of a table that could not be used, with their lines.
    """

    tournament: Tournament
    lines: tuple[str, ...]
    made: bool = True
    skipped: SkipReport = field(default_factory=SkipReport)


def unchanged(tournament: Tournament, *lines: str) -> EventChange:
    """The step had been taken before."""
    return EventChange(tournament=tournament, lines=lines, made=False)


def refused(tournament: Tournament, message: str, *, hint: str | None = None) -> InputError:
    """The error of a step that cannot be taken, with the file of the tournament."""
    return InputError(message, file=tournament.file or None, hint=hint)


def next_round(tournament: Tournament) -> int:
    """The first round without boards; one more than there are rounds if all have some."""
    return round_to_pair(tournament)


def check_planned(tournament: Tournament, number: int) -> None:
    """Refuse a round that the tournament does not have."""
    if not 1 <= number <= tournament.rounds:
        raise refused(
            tournament, f"there is no round {number}: the tournament has {tournament.rounds} rounds"
        )


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names as a sentence has them, the first ones only where there are many."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
