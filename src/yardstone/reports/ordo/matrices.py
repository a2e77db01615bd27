"""Ordo's matrices over all pairs of players, as comma separated values (-e, -C)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.errors import ModelError
from yardstone.reports.ordo.text import fixed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yardstone.reports.ordo.list import OrdoList

__all__ = ["error_matrix", "superiority_matrix"]


def _matrix(listed: OrdoList, players: Sequence[int], rows: Sequence[Sequence[str]]) -> str:
    header = ['"N"', '"NAME"', *map(str, range(len(players)))]
    lines = [",".join(header)]
    for number, (player, entries) in enumerate(zip(players, rows, strict=True)):
        lines.append(",".join([str(number), f'"{listed.names[player]}"', *entries]))
    return "\n".join(lines) + "\n"


def error_matrix(listed: OrdoList, players: Sequence[int]) -> str:
    """Error margin of the difference of each two ratings, below the diagonal.

    Empty where it is unknown. `players` are the rows, in their order.
    """
    deviation = listed.deviation_of_difference
    if deviation is None:
        raise ModelError("the deviations of differences were not computed")
    rows = []
    for place, player in enumerate(players):
        margins = [float(deviation[player, o]) * listed.confidence_factor for o in players[:place]]
        rows.append(["" if margin != margin else fixed(margin, 1) for margin in margins])
    return _matrix(listed, players, rows)


def superiority_matrix(listed: OrdoList, players: Sequence[int]) -> str:
    """Confidence, in per cent, that the row's player is stronger than the column's.

    Empty on the diagonal and where it is unknown.
    """
    rows = []
    for player in players:
        known = [None if o == player else listed.superiority(player, o) for o in players]
        rows.append(["" if value is None else fixed(value, 1) for value in known])
    return _matrix(listed, players, rows)
