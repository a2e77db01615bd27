"""Tables of analysed matches of backgammon: who won, the length, and the error rates.

``yardstone backgammon analyse --table`` writes them, a row a match; columns of player 1 end in
``_1``, those of player 2 in ``_2``. Who won stands in ``winner`` (1 or 2; blank for matches that
are not finished, which are no results), never in the points. Nobody moves first by right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.pool import Pool
from yardstone.records.mat import LENGTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.column_roles import Roles
    from yardstone.records.options import Options

__all__ = ["SIDES", "is_match_table", "match_options", "match_roles", "with_error_rates"]

#: Beginnings of the columns of a pool about the players.
SIDES = ("first", "second")
_CUBE = ("missed_double", "wrong_double", "wrong_take", "wrong_pass")
_SUMS = ("chequer", "unforced", "close", *_CUBE)
_NEEDED = {"player_1", "player_2", "winner", LENGTH} | {
    f"{name}_{side}" for name in _SUMS for side in (1, 2)
}


def is_match_table(names: Sequence[str]) -> bool:
    """Whether a table has the columns of analysed matches."""
    return set(names) >= _NEEDED


def match_options(options: Options) -> Options:
    """What the caller asks for; matches without a winner are left out unless told otherwise."""
    return options if options.results is not None else replace(options, results="=skip")


def match_roles(roles: Roles, given: Mapping[str, str]) -> Roles:
    """The columns to use; what is `given` stays."""
    raw = {
        f"{player}_{name}": f"{name}_{number}"
        for number, player in enumerate(SIDES, 1)
        for name in _SUMS
    }
    if not {"score", "margin", "first_score", "second_score"} & set(given):
        roles = replace(roles, results=("winner",), points=None)
    return replace(roles, extra={LENGTH: LENGTH, **raw, **roles.extra})


def with_error_rates(pool: Pool) -> Pool:
    """The pool with EPM and EPC in place of the sums of errors.

    For ``first`` and ``second`` each: ``_epm`` and ``_epc`` in normalised equity (NaN without
    such a decision), ``_unforced`` and ``_close``, the numbers of decisions.
    """
    columns = dict(pool.columns)
    for player in SIDES:
        sums = {name: _numbers(columns.pop(f"{player}_{name}")) for name in _SUMS}
        cube = sum((sums[name] for name in _CUBE), np.zeros(len(pool)))
        for rate, loss, number in (("epm", sums["chequer"], "unforced"), ("epc", cube, "close")):
            known = sums[number] > 0.0
            whole = np.full(len(pool), np.nan)
            columns[f"{player}_{rate}"] = np.divide(loss, sums[number], out=whole, where=known)
            columns[f"{player}_{number}"] = sums[number]
    return replace(pool, columns=columns)


def _numbers(column: NDArray[np.generic]) -> NDArray[np.float64]:
    """A column as numbers; NaN where it holds none."""
    try:
        return np.asarray(column, np.float64)
    except ValueError:
        return np.array([_number(text) for text in column.tolist()])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
