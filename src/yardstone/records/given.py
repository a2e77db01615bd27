"""Games in whatever a caller has them: files, frames, or a pool."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypedDict

from yardstone.errors import UsageError, WrongTypeError
from yardstone.pool import Pool
from yardstone.records.dates import DateOrder
from yardstone.records.results import Side

__all__ = ["ColumnNames", "games_of"]


class ColumnNames(TypedDict, total=False):
    """Which columns of a table hold what, and what its values mean.

    Attributes
    ----------
    first, second : str
        Columns of the players; `first` moves first (White in chess, Black in Go).
    score : str
        Column of the result, seen by `first`: 1, 0.5, 0; 1-0; win; H, D, A …
    time : str
        Column of the date, or of date and time.
    results : mapping or str
        What values of the result mean for `first`: ``{"H": 1, "D": 0.5, "A": 0}``.
    columns : mapping of str to str
        Further columns, or the other roles of a column, as in `yardstone.read`.
    side : {"white", "black"}
        The colour that moves first, where names of columns and results do not say.
    where : str
        Which games: ``"Season = 2020"``, as in `yardstone.read`.
    dates, strict, skip_unread
        As in `yardstone.read`.
    """

    first: str
    second: str
    score: str
    time: str
    results: Mapping[str, object] | str
    columns: Mapping[str, str]
    side: Side
    where: str
    dates: DateOrder
    strict: bool
    skip_unread: bool


_ROLES = ("first", "second", "score", "time")


def games_of(
    games: Any, names: ColumnNames | None = None, *, everything: bool = False, **more: Any
) -> Pool:
    """The pool of games that were given in any form.

    Parameters
    ----------
    games : path, list of paths, frame or Pool
        Files, folders and patterns are read by `yardstone.read`; frames of pandas and polars,
        Arrow tables and anything that speaks Arrow by `Pool.from_frame`.
    names : ColumnNames, optional
        Which columns hold what. Without them names of columns and values tell, and where
        they do not it is asked.
    everything : bool
        Keep all columns and tags, where none are named.
    **more
        Further keywords of `yardstone.read`: ``times``, ``levels``.

    Raises
    ------
    InputError
        As `yardstone.read` and `Pool.from_frame`.
    WrongTypeError
        This is nothing that holds games.

    Examples
    --------
    >>> import pandas
    >>> table = {"home": ["Ann", "Bob"], "away": ["Bob", "Ann"], "FTR": ["H", "D"]}
    >>> games_of(pandas.DataFrame(table), {"first": "home", "second": "away", "score": "FTR"})
    <Pool: 2 games of 2 players>
    """
    given: dict[str, Any] = {key: each for key, each in (names or {}).items() if each is not None}
    if isinstance(games, Pool):
        if given:
            raise UsageError(f"a pool has been read already: leave out {', '.join(sorted(given))}")
        return games
    roles = {role: given.pop(role) for role in _ROLES if role in given}
    columns = {**given.pop("columns", {}), **roles} or ("all" if everything else None)
    side = given.pop("side", None)
    options = {**given, **more, "first": side, "columns": columns}
    if isinstance(games, str | os.PathLike):
        games = [games]
    if isinstance(games, list | tuple):
        from yardstone.records.reading import read

        if not all(isinstance(path, str | os.PathLike) for path in games):
            raise WrongTypeError("a list of games must be one of paths: give a frame, or files")
        return read(*games, **options)
    if not (hasattr(games, "__arrow_c_stream__") or hasattr(games, "columns")):
        raise WrongTypeError(
            f"a {type(games).__name__} holds no games: give a path, a list of paths, a frame of "
            "pandas or polars, an Arrow table or a Pool"
        )
    options.pop("times", None)
    return Pool.from_frame(games, **options)
