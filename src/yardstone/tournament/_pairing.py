"""The pairing of one round from arrays alone, compiled.

An entry list is an int64 array (players, len(Entry)), one row a player who is to be
paired; earlier games between them are a matrix of counts. All simulations and the
command go through the same loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.kernels import kernel
from yardstone.tournament._board_values import (
    board_values,
    bye_values,
    lot,
    place_groups,
    stones,
    wants,
)
from yardstone.tournament._matching import match
from yardstone.tournament.entry_columns import Entry, SideReason
from yardstone.tournament.pairing_rules import CRITERIA, Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Entries = NDArray[np.int64]
    Counts = NDArray[np.int8]
    Rules = NDArray[np.float64]
    Weights = NDArray[np.int64]
    Numbers = NDArray[np.int64]

__all__ = [
    "Entry",
    "SideReason",
    "board_values",
    "bye_values",
    "pair_field",
    "pair_weights",
    "place_groups",
    "row_values",
    "side_list",
    "sides",
]

_CRITERIA = len(CRITERIA)


@kernel
def sides(entries: Entries, i: int, j: int, rules: Rules) -> tuple[bool, int, int]:
    """Whether `i` moves first, the stones given to the one who does, and why (`SideReason`)."""
    handicap = stones(entries, i, j, rules)
    if handicap:
        return handicap < 0, abs(handicap), SideReason.HANDICAP
    if rules[Rule.COLOUR_PREFERENCE] or rules[Rule.ABSOLUTE_COLOUR]:
        one, two = wants(entries, i), wants(entries, j)
        if one != two:
            return one < two, 0, SideReason.PREFERENCE
    one, two = entries[i, Entry.BALANCE], entries[j, Entry.BALANCE]
    if one != two:
        return one > two, 0, SideReason.BALANCE
    one, two = entries[i, Entry.STREAK], entries[j, Entry.STREAK]
    if one != two:
        return one > two, 0, SideReason.LAST
    drawn = lot(entries[i, Entry.LOT], entries[j, Entry.LOT], int(rules[Rule.DRAW_SEED]) + 1)
    return (drawn & 1 == 0) == (entries[i, Entry.LOT] < entries[j, Entry.LOT]), 0, SideReason.LOT


@kernel
def row_values(entries: Entries, i: int, met: Counts, rules: Rules) -> Numbers:
    """The values of all boards of one player: shape (n, criteria); none for itself."""
    n = len(entries)
    values = np.zeros((n, _CRITERIA), np.int64)
    for j in range(n):
        if j != i:
            board_values(entries, i, j, met[i, j], rules, values[j])
    return values


@kernel
def pair_weights(entries: Entries, met: Counts, rules: Rules) -> Weights:
    """Weights of all boards, and of the bye as a last row and column if one is needed.

    Parameters
    ----------
    entries : int64 array (n, len(Entry))
        The players to be paired, with their groups (`place_groups`).
    met : int8 array (n, n)
        Games that two players have played with each other; symmetric.
    rules : float64 array
        `PairingRules.packed`.

    Returns
    -------
    int64 array (n, n) or, for odd n, (n + 1, n + 1)
        Symmetric; the diagonal is zero.
    """
    n = len(entries)
    whole = n + n % 2
    weights = np.zeros((whole, whole), np.int64)
    values = np.empty(_CRITERIA, np.int64)
    for i in range(n):
        for j in range(i):
            board_values(entries, i, j, met[i, j], rules, values)
            weights[i, j] = weights[j, i] = values.sum()
        if whole > n:
            bye_values(entries, i, rules, values)
            weights[i, n] = weights[n, i] = values.sum()
    return weights


@kernel
def side_list(entries: Entries, mate: Numbers, rules: Rules) -> tuple[Numbers, Numbers, Numbers]:
    """Who moves first, who second, and the handicap, of boards in the order of the field."""
    n = len(entries)
    boards = n // 2
    first, second, handicaps = (
        np.empty(boards, np.int64),
        np.empty(boards, np.int64),
        np.empty(boards, np.int64),
    )
    k = 0
    for i in np.argsort(entries[:, Entry.ORDER]):
        j = mate[i]
        if j >= n or j < 0 or entries[j, Entry.ORDER] < entries[i, Entry.ORDER]:
            continue
        begins, handicap, _ = sides(entries, i, j, rules)
        first[k], second[k] = (i, j) if begins else (j, i)
        handicaps[k] = handicap
        k += 1
    return first[:k], second[:k], handicaps[:k]


@kernel
def pair_field(
    entries: Entries, met: Counts, rules: Rules
) -> tuple[bool, Numbers, Numbers, Numbers, int]:
    """Pair one round: the heart of every simulation.

    Parameters
    ----------
    entries : int64 array (n, len(Entry))
        The players to be paired; the columns from `Entry.GROUP` on are filled in here.
    met : int8 array (n, n)
        Games that two players have played with each other; symmetric.
    rules : float64 array
        `PairingRules.packed` of this round.

    Returns
    -------
    sound : bool
        False if the weights are too large for this field.
    first, second : int64 arrays (n // 2,)
        Rows of the players of each board, in the order of the better one; `first`
        moves first.
    handicap : int64 array (n // 2,)
        Stones given to `first`.
    bye : int
        Row of the player without an opponent; -1 if n is even.
    """
    n = len(entries)
    place_groups(entries, rules)
    weights = pair_weights(entries, met, rules)
    weights *= 2
    sound, mate, _, _, _, _ = match(weights)
    first, second, handicap = side_list(entries, mate, rules)
    return sound, first, second, handicap, int(mate[n]) if n % 2 else -1
