"""Who gets White (C.04.3, chapter 5)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from yardstone.tournament.dutch.field import PieceColour, Preference

if TYPE_CHECKING:
    from yardstone.tournament.dutch.field import DutchPlayer

__all__ = ["ColourReason", "allocate"]


class ColourReason(StrEnum):
    """Which rule decided, by its article."""

    both = "5.2.1"
    stronger = "5.2.2"
    history = "5.2.3"
    higher = "5.2.4"
    initial = "5.2.5"


def allocate(
    higher: DutchPlayer, lower: DutchPlayer, initial: PieceColour
) -> tuple[PieceColour, ColourReason]:
    """The colour of the higher-ranked player of a pair, and why.

    Parameters
    ----------
    higher, lower : DutchPlayer
        In the order of article 1.2.
    initial : PieceColour
        The initial colour, drawn by lot before the first round.
    """
    if not higher.due and not lower.due:
        colour = initial if higher.number % 2 else PieceColour(-initial)
        return colour, ColourReason.initial
    if higher.due != lower.due:
        return higher.due or PieceColour(-lower.due), ColourReason.both
    if higher.preference != lower.preference:
        mine = higher.preference > lower.preference
        return (higher.due if mine else PieceColour(-higher.due)), ColourReason.stronger
    if higher.preference is Preference.absolute and abs(higher.balance) != abs(lower.balance):
        mine = abs(higher.balance) > abs(lower.balance)
        return (higher.due if mine else PieceColour(-higher.due)), ColourReason.stronger
    for own, other in zip(reversed(higher.colours), reversed(lower.colours), strict=False):
        if own != other:
            return other, ColourReason.history
    return higher.due, ColourReason.higher
