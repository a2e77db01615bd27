"""Conditions on games, such as ``Termination <> 'time forfeit'``: which games are wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import NoGamesError
from yardstone.records.where.meaning import holds, values_of
from yardstone.records.where.syntax import names_in, parse_condition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool, SkipReport

__all__ = ["Where", "left_out_line", "require_wanted"]

#: Begins the names of columns that are made for a condition and not kept.
_MARK = "where "


class Where:
    """A condition on games.

    Parameters
    ----------
    text : str
        As the user writes it; see `yardstone.records.where.meaning`.

    Attributes
    ----------
    text : str
    names : tuple of str
        The tags or columns it speaks of.

    Raises
    ------
    UsageError
        It cannot be understood.

    Examples
    --------
    >>> Where("WhiteElo >= 2400 OR Event LIKE '%final%'").names
    ('WhiteElo', 'Event')
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._condition = parse_condition(text)
        self.names = tuple(names_in(self._condition))

    @property
    def columns(self) -> dict[str, str]:
        """Columns that a reader makes for the condition, and what they are made of."""
        return {_MARK + name: name for name in self.names}

    def of(self, values: Mapping[str, NDArray[Any]], size: int, report: SkipReport) -> NDArray[Any]:
        """The rows that are wanted; the report takes how many are not.

        Parameters
        ----------
        values : mapping of str to arrays
            For each of `names` what the rows have there.
        size : int
            Number of rows.
        report : SkipReport
        """
        known = {name.casefold(): values_of(column) for name, column in values.items()}
        keep, remarks = holds(self._condition, known, size)
        report.considered += size
        report.unwanted += size - int(keep.sum())
        for name in self.names:
            if known[name.casefold()].different in ([], [None]) and size:
                remarks.append(f"no game has {name}")
        for remark in remarks:
            report.doubt(remark)
        return keep

    def select(self, pool: Pool, **others: NDArray[Any]) -> Pool:
        """The games of a pool that are wanted, without the columns made for the condition.

        `others` are values, by name in small letters, that have no such column.
        """
        made = self.columns
        values = {
            name: pool.columns[column] if column in pool.columns else others[name.casefold()]
            for column, name in made.items()
        }
        keep = self.of(values, len(pool), pool.skipped)
        kept = {name: column for name, column in pool.columns.items() if name not in made}
        chosen = replace(pool, columns=kept)
        return chosen if keep.all() else _without_absent(chosen.select(keep))


def _without_absent(pool: Pool) -> Pool:
    """The pool without players who have no game in it."""
    there = pool.played() > 0
    number = np.cumsum(there) - 1
    return replace(
        pool,
        players=tuple(name for name, stays in zip(pool.players, there, strict=True) if stays),
        first=number[pool.first],
        second=number[pool.second],
    )


def require_wanted(report: SkipReport, games: int) -> None:
    """Raise NoGamesError where a condition left out every game; `games` are those left."""
    if report.considered and report.unwanted == report.considered and not games:
        raise NoGamesError(
            f"--where leaves no game of {report.considered:,}",
            hint="; ".join(report.doubts) or "look at the values that there are",
        )


def left_out_line(report: SkipReport) -> str:
    """How many games the condition left out, in a line; empty without a condition.

    Examples
    --------
    >>> from yardstone.pool import SkipReport
    >>> report = SkipReport()
    >>> report.considered, report.unwanted = 27612, 1204
    >>> left_out_line(report)
    '1,204 of 27,612 games left out by --where'
    """
    if not report.considered:
        return ""
    return f"{report.unwanted:,} of {report.considered:,} games left out by --where"
