"""`evaluate`: which system predicts the later games of a pool best."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import partial
from math import isfinite
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import check_choice, check_number, no_such
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.comparison import compare
from yardstone.evaluation.draws import fit_draw_rate
from yardstone.evaluation.metrics import LARGER_IS_BETTER
from yardstone.evaluation.result import Evaluation, Prediction
from yardstone.evaluation.splits import (
    GAP_EDGES,
    NEWCOMER_GAMES,
    Subset,
    judged_games,
    newcomers,
    rating_gap_subsets,
    since,
    split_by_time,
)
from yardstone.evaluation.tuning import LEARNING_SHARE, Tuned, tune
from yardstone.kernels import Loops, work
from yardstone.ratings.order import check_order
from yardstone.ratings.sequential import Sequential
from yardstone.ratings.systems import SystemEntry, find_system
from yardstone.winprob.davidson import draw_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.replay import Replay, SequentialSystem

    Mask = NDArray[np.bool_]

__all__ = ["baselines", "completed", "evaluate", "system_entries", "usual_subsets"]

#: How to come by a further column of a pool.
READ_COLUMN = "name it among the columns when the games are read"
#: Work of a game in systems that look at other games for it, where one of Elo is 1.
_WORK = {"decaying-bradley-terry": 6, "whr": 15}
#: Called with the name of a system, and how many of its trials are done and of how many.
Progress = Callable[[str, int, int], object]


def evaluate(
    pool: Pool,
    systems: Sequence[str | SystemEntry] | Mapping[str, SequentialSystem],
    *,
    train_share: float | None = None,
    train_until: np.datetime64 | None = None,
    tune: int = 0,
    metric: str = "log_likelihood",
    newcomer_games: int = NEWCOMER_GAMES,
    gap_edges: Sequence[float] = GAP_EDGES,
    since_dates: Sequence[np.datetime64] = (),
    group_by: str | None = None,
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Evaluation:
    """Compare rating systems on the later games of a pool.

    Every system replays the whole pool in order of time and predicts each game
    before it learns from it; the predictions of the later games are measured.

    Parameters
    ----------
    pool : Pool
        Games of players against others; those of a player against himself are
        left out.
    systems : sequence of str or SystemEntry, or mapping of str to systems
        Names (or entries) of `yardstone.ratings.systems`, or systems of your own
        by name.
    train_share : float, optional
        Share of the games, the earliest, that parameters may be tuned on; 0.7 if
        `train_until` is not given either.
    train_until : datetime64, optional
        Take the games before this moment instead.
    tune : int
        Sets of parameters to try for each entry, on earlier games only; 0 takes
        systems as they stand. Systems of your own are never tuned.
    metric : str
        Ranks the systems.
    newcomer_games : int
        A newcomer has at most so many earlier games.
    gap_edges : sequence of float
        Edges of the groups by distance of ratings; empty leaves those groups out.
    since_dates : sequence of datetime64
        Each gives the subset of the games from then on.
    group_by : str, optional
        A column of the pool; each of its values gives a subset.
    confidence, replicates, seed : float, int, int
        Of the intervals; the seed also serves the tuning.
    workers : int
        Systems worked on at the same time.
    progress : callable, optional
        Called as ``progress(name, done, trials)``.

    Returns
    -------
    Evaluation
    """
    check_choice("the metric", metric, LARGER_IS_BETTER)
    check_number("confidence", confidence, above=0.0, below=1.0)
    for name, number in (("tune", tune), ("newcomer_games", newcomer_games)):
        check_number(name, number, least=0, whole=True)
    check_number("replicates", replicates, least=0, whole=True)
    if group_by is not None and group_by not in pool.columns:
        raise InputError(no_such("column", group_by, pool.columns), hint=READ_COLUMN)
    entries = _entries(systems)
    games, notes = judged_games(pool)
    if not games.ordered:
        entries = {name: _without_first_move(entry, games) for name, entry in entries.items()}
    share = 0.7 if train_share is None and train_until is None else train_share
    earlier = split_by_time(games, share=share, until=train_until)
    before = games.select(earlier)

    def run(name: str) -> _Replayed:
        return _run(name, entries[name], games, before, tune, seed, progress)

    from yardstone import parallel

    replays = (1 + tune) * sum(_WORK.get(name, 1) for name in entries)
    with work(Loops.REPLAY, len(games) * replays):
        runs = parallel.map(run, entries, workers=workers, threads=True)
    later = ~earlier
    score = games.score
    predictions = [completed(run.prediction, score, earlier) for run in runs]
    predictions += baselines(score, earlier, ordered=games.ordered)
    rated = next((run for run in runs if np.isfinite(run.first).all()), None)
    parts = usual_subsets(
        games, newcomer_games=newcomer_games, since_dates=since_dates, group_by=group_by
    )
    if rated is not None and gap_edges:
        parts += rating_gap_subsets(rated.first, rated.second, gap_edges)
        notes.append(f"Distances of ratings are those of {rated.prediction.name}.")
    notes += [note for run in runs for note in run.notes]
    evaluation = compare(
        [_cut(prediction, later) for prediction in predictions],
        score[later],
        first=games.first[later],
        second=games.second[later],
        subsets=[replace(part, games=part.games[later]) for part in parts],
        metric=metric,
        confidence=confidence,
        replicates=replicates,
        seed=seed,
        notes=notes,
    )
    when = None if games.time is None else games.time[later]
    return replace(
        evaluation,
        period=None if when is None else (when[0], when[-1]),
        earlier=int(earlier.sum()),
        tuned=tune,
    )


def system_entries(
    names: Sequence[str], fixed: Mapping[str, Mapping[str, Any]] | None = None
) -> list[SystemEntry]:
    """Systems by name, some of their parameters fixed and thus not tuned."""
    entries = []
    for name in dict.fromkeys(names):
        entry, parameters = find_system(name), (fixed or {}).get(name, {})
        knobs = tuple(knob for knob in entry.knobs if knob.name not in parameters)
        entry = replace(entry, fixed={**entry.fixed, **parameters}, knobs=knobs)
        entry.make()
        entries.append(entry)
    return entries


@dataclass(frozen=True)
class _Replayed:
    """One system's replay: its predictions of all games, and the ratings before them."""

    prediction: Prediction
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    notes: tuple[str, ...] = ()


def _entries(
    systems: Sequence[str | SystemEntry] | Mapping[str, SequentialSystem],
) -> dict[str, SystemEntry | SequentialSystem]:
    if isinstance(systems, str):
        raise UsageError(f"give a list of systems, such as [{systems!r}]")
    if isinstance(systems, Mapping):
        return dict(systems)
    entries = [find_system(each) if isinstance(each, str) else each for each in systems]
    return {entry.name: entry for entry in entries}


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


def _run(
    name: str,
    entry: SystemEntry | SequentialSystem,
    games: Pool,
    earlier: Pool,
    trials: int,
    seed: int,
    progress: Progress | None,
) -> _Replayed:
    if isinstance(entry, SystemEntry):
        step = None if progress is None else partial(progress, name)
        tuned = tune(entry, earlier, trials, seed=seed, progress=step)
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
    )
    remarks = tuned.system.remarks(games) if isinstance(tuned.system, Sequential) else ()
    notes = tuple(f"{name}: {remark}" for remark in remarks)
    if tuned.failed:
        bad = f"{tuned.failed} of {tuned.trials} sets of parameters could not be used."
        notes = (*notes, f"{name}: {bad}")
    return _Replayed(prediction, replay.first_rating, replay.second_rating, notes)


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


def usual_subsets(
    pool: Pool,
    *,
    newcomer_games: int = NEWCOMER_GAMES,
    since_dates: Sequence[np.datetime64] = (),
    group_by: str | None = None,
) -> list[Subset]:
    """Newcomers, games since dates, and groups by a column of the pool."""
    parts = [
        Subset(
            "newcomers",
            newcomers(pool, newcomer_games),
            f"both players have at most {newcomer_games} earlier games",
        )
    ]
    parts += [Subset(f"since {moment}", since(pool, moment)) for moment in since_dates]
    if group_by is not None:
        if group_by not in pool.columns:
            raise InputError(no_such("column", group_by, pool.columns), hint=READ_COLUMN)
        column = pool.columns[group_by]
        parts += [Subset(f"{group_by} {value}", column == value) for value in np.unique(column)]
    return parts


def completed(prediction: Prediction, score: NDArray[np.float64], earlier: Mask) -> Prediction:
    """A prediction with probabilities of draws where there are draws, without elsewhere.

    For a system that predicts none, the rate is fitted on the later half of the
    earlier games, which the system had some games to learn before.
    """
    rows = np.flatnonzero(earlier)
    rows = rows[round(LEARNING_SHARE * len(rows)) :]
    if not np.any(score[rows] == 0.5):
        return replace(prediction, draw=None, own_draws=False)
    if prediction.draw is not None:
        return prediction
    p = prediction.expected
    draw = draw_probability(p, fit_draw_rate(score[rows], p[rows]))
    return replace(prediction, draw=np.minimum(draw, 2.0 * np.minimum(p, 1.0 - p)))


def baselines(
    score: NDArray[np.float64], earlier: Mask, *, ordered: bool = True
) -> list[Prediction]:
    """What every system must beat: an even chance, and the earlier games' mean score.

    The second needs games that are `ordered`: where it is known who moved first.
    """
    even = Prediction("50:50", np.full(len(score), 0.5), baseline=True)
    if not ordered:
        return [completed(even, score, earlier)]
    mean = float(score[earlier].mean())
    constant = Prediction(
        "first move only", np.full(len(score), mean), baseline=True, parameters={"expected": mean}
    )
    return [completed(prediction, score, earlier) for prediction in (even, constant)]


def _cut(prediction: Prediction, games: Mask) -> Prediction:
    draw = None if prediction.draw is None else prediction.draw[games]
    return replace(prediction, expected=prediction.expected[games], draw=draw)
