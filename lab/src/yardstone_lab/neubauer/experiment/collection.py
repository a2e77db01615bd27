"""The pool of an experiment: all games that its filters keep, in order of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.errors import NoGamesError
from yardstone.evaluation.splits import in_time_order
from yardstone.pool import Pool
from yardstone.records.go_game import BLACK, DRAWN
from yardstone_lab.neubauer.experiment.filters import FilterReport, Filters, filtered

if TYPE_CHECKING:
    from yardstone_lab.neubauer.experiment.candidates import Candidate

__all__ = ["collect_pool", "load_pool", "save_pool"]

_FILE = ArrayFile("saved pool")
_SCORES = {BLACK: 1.0, DRAWN: 0.5}


def collect_pool(
    candidates: Iterable[Candidate],
    filters: Filters,
    *,
    progress: Callable[[int], object] | None = None,
) -> tuple[Pool, FilterReport]:
    """A pool of the games that keep all rules.

    Parameters
    ----------
    candidates : iterable of Candidate
    filters : Filters
    progress : callable, optional
        Called now and then with the number of games looked at.

    Returns
    -------
    pool : Pool
        In order of time, Black first, with the columns ``key``, ``decision`` and
        ``moves`` (of the record, passes included).
    report : FilterReport

    Raises
    ------
    NoGamesError
        No game is left; the message names the rule that most fell to.
    """
    report = FilterReport()
    black, white, score, time = [], [], [], []
    columns: dict[str, list[Any]] = {"key": [], "decision": [], "moves": []}
    for candidate in filtered(candidates, filters, report):
        game = candidate.game
        black.append(game.black)
        white.append(game.white)
        score.append(_SCORES.get(game.winner, 0.0))
        time.append(game.date)
        columns["key"].append(candidate.key)
        columns["decision"].append(candidate.decision.value)
        columns["moves"].append(len(game.moves))
        if progress is not None and report.games % 500 == 0:
            progress(report.games)
    if not black:
        if not report.games:
            raise NoGamesError("there is no game to make a pool of")
        rule, number = report.first.most_common(1)[0]
        raise NoGamesError(
            f"none of {report.games:,} games is left; {number:,} fell to the rule {rule!r}",
            hint="change the filters",
        )
    when = np.array(time, "datetime64[s]")
    pool = Pool.from_names(
        black, white, score, time=None if np.isnat(when).all() else when, columns=columns
    )
    return in_time_order(pool), report


def save_pool(pool: Pool, path: Path) -> None:
    """Write a pool to one file (numpy's npz, compressed)."""
    kept: dict[str, Any] = {
        "players": np.array(pool.players, np.str_),
        "first": pool.first,
        "second": pool.second,
        "score": pool.score,
    }
    if pool.time is not None:
        kept["time"] = pool.time
    kept |= {f"column_{name}": np.asarray(column) for name, column in pool.columns.items()}
    _FILE.write(path, kept)


def load_pool(path: Path) -> Pool:
    """Read what `save_pool` wrote.

    Raises
    ------
    InputError
        It is something else, or damaged.
    """
    return _FILE.read(path, _pool)


def _pool(kept: StoredArrays, _: object) -> Pool:
    columns = {
        name.removeprefix("column_"): kept[name] for name in kept if name.startswith("column_")
    }
    time = kept.get("time")
    pool = Pool(tuple(kept["players"].tolist()), kept["first"], kept["second"], kept["score"], time)
    return replace(pool, columns=columns)
