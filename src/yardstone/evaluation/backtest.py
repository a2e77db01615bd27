"""`evaluate`: which system predicts the later games of a pool best."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from yardstone.choices import check_choice, check_number, checked_arguments, no_such
from yardstone.disk import pieces, taken
from yardstone.errors import InputError, UsageError, WrongTypeError
from yardstone.evaluation.baselines import constant_predictions, later_part
from yardstone.evaluation.comparison import compare
from yardstone.evaluation.metrics import LARGER_IS_BETTER
from yardstone.evaluation.result import Evaluation, Prediction
from yardstone.evaluation.splits import (
    GAP_EDGES,
    NEWCOMER_GAMES,
    READ_COLUMN,
    earlier_number,
    first_games,
    judged_games,
    rating_gap_subsets,
    usual_subsets,
)
from yardstone.evaluation.system_replays import (
    Progress,
    ReplayTask,
    replay_systems,
    starts_at_levels,
)
from yardstone.kernels import Loops, work
from yardstone.pool import Pool
from yardstone.ratings.systems import SEQUENTIAL, SystemEntry, find_system
from yardstone.records.given import ColumnNames, games_of
from yardstone.records.strength_columns import LEVELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.replay import SequentialSystem

__all__ = ["earlier_part", "evaluate"]

#: Share of the games that are the earlier ones, unless told otherwise.
TRAIN_SHARE = 0.7
#: Work of a game in systems that look at other games for it, where one of Elo is 1.
_WORK = {"decaying-bradley-terry": 6, "whr": 15}


@checked_arguments(ColumnNames)
def evaluate(
    games: Any,
    systems: Sequence[str | SystemEntry] | Mapping[str, SequentialSystem] | None = None,
    *,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    first_advantage: Literal["auto", "none"] = "auto",
    start_levels: bool = False,
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
    workers: int | None = None,
    progress: Progress | None = None,
    **names: Unpack[ColumnNames],
) -> Evaluation:
    """Compare rating systems on later games: what `yardstone evaluate` does.

    Every system replays the whole pool in order of time and predicts each game
    before it learns from it; the predictions of the later games are measured.

    Parameters
    ----------
    games : path, list of paths, frame or Pool
        Games of players against others; those of a player against himself are
        left out.
    systems : sequence of str or SystemEntry, or mapping of str to systems
        Names (or entries) of `yardstone.ratings.systems`, or systems of your own
        by name. By default all that can take the games; `Evaluation.unable` names the others.
    parameters : mapping of str to mappings, optional
        By system its parameters that are fixed, and thus not tuned.
    first_advantage : {"auto", "none"}
        Let systems reckon with an advantage of moving first where that helps on the earlier
        games (`yardstone.evaluation.first_move`), or never. Tuning begins with it and looks
        further; systems of your own stay as they are.
    start_levels : bool
        Let systems that can (`egf`, `egf-old`, `skt-lr`) start newcomers at the grade or rating
        in the games, and use handicaps. By default no system is told of those; `grades` and
        `ratings` are the forecasts from them. Systems of your own are told.
    train_share : float, optional
        Share of the games, the earliest, that parameters may be tuned on; 0.7 if
        `train_until` is not given either.
    train_until : datetime64, optional
        Take the games before this moment instead.
    tune : int
        Sets of parameters to try for each entry, on earlier games only, the untuned ones
        among them; 0 takes those. Systems of your own are never tuned.
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
    workers : int, optional
        Systems worked on at the same time: one, or with an engine (`yardstone.parallel.engine`)
        all of them, unless the games are kept on disk, where they stay on this machine.
    progress : callable, optional
        Called as ``progress(stage, done, all)``.
    **names
        Which columns hold what, where `games` is no pool: ``first="home"``, ``second="away"``,
        ``score="FTR"`` …; see `yardstone.records.given.ColumnNames`.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        As `yardstone.read`; or no system can take the games.
    """
    check_choice("first_advantage", first_advantage, ("auto", "none"))
    check_choice("the metric", metric, LARGER_IS_BETTER)
    check_number("confidence", confidence, above=0.0, below=1.0)
    for name, number in (("tune", tune), ("newcomer_games", newcomer_games)):
        check_number(name, number, least=0, whole=True)
    check_number("replicates", replicates, least=0, whole=True)
    entries = _entries(SEQUENTIAL if systems is None else systems, parameters or {})
    levels = any(isinstance(each, SystemEntry) and each.levels for each in entries.values())
    if group_by is not None and not isinstance(games, Pool):
        names["columns"] = {group_by: group_by, **names.get("columns", {})}
    even = [
        name
        for name, each in entries.items()
        if (isinstance(each, SystemEntry) and not each.takes_handicap())
        or getattr(each, "handicap", "") is None
    ]
    pool = games_of(games, names, times=True, levels=levels or len(even) < len(entries))
    if group_by is not None and group_by not in pool.columns:
        raise InputError(no_such("column", group_by, pool.columns), hint=READ_COLUMN)
    played, notes = judged_games(pool, even)
    unable = _lacking(entries, played) if systems is None else {}
    entries = {name: entry for name, entry in entries.items() if name not in unable}
    cut = _cut(played, train_share, train_until)
    before = first_games(played, cut)
    look = first_advantage == "auto" and played.ordered
    replays = (2 + tune if look else 1 + tune) * sum(_WORK.get(name, 1) for name in entries)
    task = ReplayTask(played, before, tune, seed, look, systems is None, start_levels)
    with work(Loops.REPLAY, len(played) * replays):
        outcomes = replay_systems(task, entries, workers, progress)
    if progress is not None:
        progress("replaying", len(entries), len(entries))
    unable |= {n: each for n, each in zip(entries, outcomes, strict=True) if isinstance(each, str)}
    runs = [each for each in outcomes if not isinstance(each, str)]
    if not runs:
        reasons = "; ".join(f"{name}: {why}" for name, why in unable.items())
        raise InputError(f"no system can take these games ({reasons})")
    later = slice(cut, None)
    score = played.score
    predictions = [later_part(run.prediction, score, cut) for run in runs]
    held_against = constant_predictions(score, cut, ordered=played.ordered)
    predictions += [later_part(each, score, cut) for each in held_against]
    rated = next((run for run in runs if _finite(run.first)), None)
    parts = usual_subsets(
        played, newcomer_games=newcomer_games, since_dates=since_dates, group_by=group_by
    )
    if rated is not None and gap_edges:
        parts += rating_gap_subsets(rated.first, rated.second, gap_edges)
        notes.append(f"Distances of ratings are those of {rated.prediction.name}.")
    if not start_levels:
        notes += _untold(entries, played)
    notes += [note for run in runs for note in run.notes]
    notes += _alike(predictions[: len(runs)])
    evaluation = compare(
        predictions,
        score[later],
        first=played.first[later],
        second=played.second[later],
        subsets=[replace(part, games=part.games[later]) for part in parts],
        metric=metric,
        confidence=confidence,
        replicates=replicates,
        seed=seed,
        notes=notes,
    )
    when = None if played.time is None else played.time[later]
    return replace(
        evaluation,
        period=None if when is None else (when[0], when[-1]),
        earlier=cut,
        tuned=tune,
        advantages={
            run.prediction.name: run.advantage for run in runs if run.advantage is not None
        },
        unable=unable,
    )


def earlier_part(
    games: Pool, *, share: float | None = None, until: np.datetime64 | None = None
) -> Pool:
    """The games that `evaluate` lets systems be tuned on.

    Parameters
    ----------
    games : Pool
    share, until
        `train_share` and `train_until` of `evaluate`.
    """
    played, _ = judged_games(games)
    return first_games(played, _cut(played, share, until))


def _cut(games: Pool, share: float | None, until: np.datetime64 | None) -> int:
    """How many games are the earlier ones."""
    if share is None and until is None:
        share = TRAIN_SHARE
    return earlier_number(games, share=share, until=until)


def _lacking(entries: Mapping[str, SystemEntry | SequentialSystem], games: Pool) -> dict[str, str]:
    """The systems that lack what they need of these games, and what that is."""
    return {
        name: f"the games have no column {entry.needs!r}"
        for name, entry in entries.items()
        if isinstance(entry, SystemEntry) and entry.needs and entry.needs not in games.columns
    }


def _entries(
    systems: Sequence[str | SystemEntry] | Mapping[str, SequentialSystem],
    fixed: Mapping[str, Mapping[str, Any]],
) -> dict[str, SystemEntry | SequentialSystem]:
    """Systems by name; of entries the fixed parameters are no longer tuned."""
    if isinstance(systems, str):
        raise WrongTypeError(f"give a list of systems, such as [{systems!r}]")
    if isinstance(systems, Mapping):
        return dict(systems)
    entries: dict[str, SystemEntry | SequentialSystem] = {}
    for each in systems:
        entry = find_system(each) if isinstance(each, str) else each
        given = fixed.get(entry.name, {})
        knobs = tuple(knob for knob in entry.knobs if knob.name not in given)
        entry = replace(entry, fixed={**entry.fixed, **given}, knobs=knobs)
        entry.make()
        entries[entry.name] = entry
    if unknown := [name for name in fixed if name not in entries]:
        raise UsageError(no_such("system among those compared", unknown[0], entries))
    return entries


def _untold(entries: Mapping[str, SystemEntry | SequentialSystem], games: Pool) -> Iterator[str]:
    """Which systems could have been told how strong players are said to be."""
    told = any(name in games.columns for name in LEVELS)
    untold = [name for name, entry in entries.items() if told and starts_at_levels(entry)]
    if untold:
        yield (
            "No system starts from the grades, ratings and handicaps in the games, so that all "
            f"know the same; with --start-levels these do: {', '.join(untold)}."
        )


def _alike(predictions: Sequence[Prediction]) -> list[str]:
    """Systems that predicted the same, so that nobody wonders at equal numbers."""
    return [
        f"{one.name} and {other.name} predicted the same."
        for one, other in itertools.combinations(predictions, 2)
        if all(
            np.array_equal(taken(one.expected, at), taken(other.expected, at))
            for at in pieces(len(one.expected))
        )
    ]


def _finite(values: NDArray[np.float64]) -> bool:
    return all(bool(np.isfinite(taken(values, at)).all()) for at in pieces(len(values)))
