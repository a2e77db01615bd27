"""Replays of rating systems, one by one: here, or by the machines of a cluster."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import partial
from math import isfinite
from types import NoneType
from typing import TYPE_CHECKING, Any

from yardstone.disk import on_disk
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.evaluation.first_move import helpful_advantage, takes_advantage
from yardstone.evaluation.result import Prediction
from yardstone.evaluation.tuning import Tuned, tune
from yardstone.ratings.order import check_order
from yardstone.ratings.sequential import Sequential
from yardstone.ratings.systems import SystemEntry
from yardstone.records.strength_columns import LEVELS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay, SequentialSystem

__all__ = ["Progress", "ReplayTask", "ReplayedSystem", "replay_systems", "starts_at_levels"]

#: Called with a stage of the work, and how much of it is done of how much.
Progress = Callable[[str, int, int], object]


@dataclass(frozen=True)
class ReplayedSystem:
    """One system's replay: its predictions of all games, and the ratings before them."""

    prediction: Prediction
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    notes: tuple[str, ...] = ()
    advantage: float | None = None


@dataclass(frozen=True, eq=False)
class ReplayTask:
    """What is done with each system; it goes to other machines without the progress."""

    games: Pool
    earlier: Pool
    trials: int
    seed: int
    look: bool
    lenient: bool  # whether a system that cannot take the games is left out
    levels: bool = False  # whether newcomers start at the grades and ratings in the games
    progress: Callable[[str], Progress | None] | None = None

    def outcome(self, named: tuple[str, SystemEntry | SequentialSystem]) -> ReplayedSystem | str:
        """The replay of a system, or why there is none."""
        name, entry = named
        progress = None if self.progress is None else self.progress(name)
        games, earlier = self.games, self.earlier
        if starts_at_levels(entry) and not self.levels:
            games, earlier = _without_levels(games), _without_levels(earlier)
        try:
            if not games.ordered:
                entry = _without_first_move(entry, games)
            return _run(
                name, entry, games, earlier, self.trials, self.seed, progress,
                look=self.look,
            )  # fmt: skip
        except (InputError, UsageError, ModelError) as error:
            if not self.lenient:
                raise
            return str(error)


def starts_at_levels(entry: SystemEntry | SequentialSystem) -> bool:
    """Whether it learns from results, but from grades or ratings where there are any."""
    return isinstance(entry, SystemEntry) and entry.levels and not entry.declared


def _without_levels(games: Pool) -> Pool:
    """The games without grades and ratings, and the handicaps that go with them.

    Handicaps alone would mislead: who gets stones is weaker.
    """
    kept = {name: each for name, each in games.columns.items() if name not in LEVELS}
    return games if len(kept) == len(games.columns) else replace(games, columns=kept)


def replay_systems(
    task: ReplayTask,
    entries: Mapping[str, SystemEntry | SequentialSystem],
    workers: int | None,
    progress: Progress | None,
) -> list[ReplayedSystem | str]:
    """What comes of all systems, here or on the machines that work for this one."""
    from yardstone import parallel

    def note(done: int, total: int) -> None:
        if progress is not None:
            progress("replaying", done, total)

    items = list(entries.items())
    if parallel.elsewhere() and not on_disk(task.games.first):
        return parallel.map(task.outcome, items, workers=workers, progress=note)
    begun = itertools.count()

    def beginning(name: str) -> Progress | None:
        if progress is not None:
            progress(f"replaying {name}", next(begun), len(items))
        return progress

    here = replace(task, progress=beginning)
    return parallel.map(here.outcome, items, workers=workers or 1, threads=True, engine="local")


def _run(
    name: str,
    entry: SystemEntry | SequentialSystem,
    games: Pool,
    earlier: Pool,
    trials: int,
    seed: int,
    progress: Progress | None,
    *,
    look: bool,
) -> ReplayedSystem:
    """Replay all games; with `look` an advantage of moving first is taken where it helps."""
    advantage = None
    if isinstance(entry, SystemEntry):
        untuned = {}
        if look and takes_advantage(entry):
            untuned["first_advantage"] = helpful_advantage(entry, earlier)
            advantage = None if trials else untuned["first_advantage"]
        step = None if progress is None else partial(progress, f"tuning {name}")
        tuned = tune(entry, earlier, trials, seed=seed, untuned=untuned, progress=step)
    else:
        tuned = Tuned(entry)
    began = time.perf_counter()
    replay: Replay = tuned.system.replay(games)
    prediction = Prediction(
        name,
        replay.expected,
        replay.draw,
        own_draws=replay.draw is not None,
        parameters=_plain(tuned.system),
        seconds=time.perf_counter() - began,
        given=entry.given(games.columns) if isinstance(entry, SystemEntry) else (),
    )
    remarks = tuned.system.remarks(games) if isinstance(tuned.system, Sequential) else ()
    notes = tuple(f"{name}: {remark}" for remark in remarks)
    if tuned.failed:
        bad = f"{tuned.failed} of {tuned.trials} sets of parameters could not be used."
        notes = (*notes, f"{name}: {bad}")
    return ReplayedSystem(prediction, replay.first_rating, replay.second_rating, notes, advantage)


def _without_first_move(
    entry: SystemEntry | SequentialSystem, games: Pool
) -> SystemEntry | SequentialSystem:
    """The system, of whose parameters the advantage of moving first is not tuned."""
    if not isinstance(entry, SystemEntry):
        check_order(entry, games)
        return entry
    check_order(entry.make(), games)
    knobs = tuple(knob for knob in entry.knobs if knob.name != "first_advantage")
    return replace(entry, knobs=knobs)


def _plain(system: object) -> dict[str, Any]:
    """A system's parameters that differ from its own, as plain values."""
    parameters = {}
    for part in fields(system) if is_dataclass(system) else ():
        value = getattr(system, part.name)
        usual = part.default if part.default_factory is MISSING else part.default_factory()
        if value != usual:
            plain = isinstance(value, int | str | NoneType) or (
                isinstance(value, float) and isfinite(value)
            )
            parameters[part.name] = value if plain else repr(value)
    return parameters
