"""`evaluate`: which system predicts the later games of a pool best."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from yardstone.choices import check_choice, check_number, no_such
from yardstone.disk import computed, on_disk, pieces, taken
from yardstone.errors import InputError, UsageError, WrongTypeError
from yardstone.evaluation.comparison import compare
from yardstone.evaluation.draws import draw_rate_of, outcome_table
from yardstone.evaluation.metrics import LARGER_IS_BETTER
from yardstone.evaluation.result import Evaluation, Prediction
from yardstone.evaluation.splits import (
    GAP_EDGES,
    NEWCOMER_GAMES,
    Subset,
    earlier_number,
    first_games,
    judged_games,
    newcomers,
    rating_gap_subsets,
    since,
)
from yardstone.evaluation.system_replays import Progress, ReplayTask, replay_systems
from yardstone.evaluation.tuning import LEARNING_SHARE
from yardstone.kernels import Loops, work
from yardstone.pool import Pool
from yardstone.ratings.systems import SEQUENTIAL, SystemEntry, find_system
from yardstone.records.given import ColumnNames, games_of
from yardstone.winprob.davidson import draw_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.replay import SequentialSystem

    Mask = NDArray[np.bool_]

__all__ = ["baselines", "completed", "evaluate", "usual_subsets"]

#: How to come by a further column of a pool.
READ_COLUMN = "name it among the columns when the games are read"
#: So many groups of games on disk at most.
MOST_GROUPS = 50
#: Work of a game in systems that look at other games for it, where one of Elo is 1.
_WORK = {"decaying-bradley-terry": 6, "whr": 15}


def evaluate(
    games: Any,
    systems: Sequence[str | SystemEntry] | Mapping[str, SequentialSystem] | None = None,
    *,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    first_advantage: Literal["auto", "none"] = "auto",
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
        games (`yardstone.evaluation.first_move`), or never. Tuning looks for it by itself, and
        systems of your own stay as they are.
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
    pool = games_of(games, names, times=True, levels=levels)
    if group_by is not None and group_by not in pool.columns:
        raise InputError(no_such("column", group_by, pool.columns), hint=READ_COLUMN)
    played, notes = judged_games(pool)
    unable = _lacking(entries, played) if systems is None else {}
    entries = {name: entry for name, entry in entries.items() if name not in unable}
    share = 0.7 if train_share is None and train_until is None else train_share
    cut = earlier_number(played, share=share, until=train_until)
    before = first_games(played, cut)
    look = first_advantage == "auto" and not tune and played.ordered
    replays = (2 + tune if look else 1 + tune) * sum(_WORK.get(name, 1) for name in entries)
    task = ReplayTask(played, before, tune, seed, look, systems is None)
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
    predictions = [_later(run.prediction, score, cut) for run in runs]
    predictions += [_later(each, score, cut) for each in _constant(score, cut, played.ordered)]
    rated = next((run for run in runs if _finite(run.first)), None)
    parts = usual_subsets(
        played, newcomer_games=newcomer_games, since_dates=since_dates, group_by=group_by
    )
    if rated is not None and gap_edges:
        parts += rating_gap_subsets(rated.first, rated.second, gap_edges)
        notes.append(f"Distances of ratings are those of {rated.prediction.name}.")
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
        parts += _groups(pool, group_by)
    return parts


def _groups(pool: Pool, name: str) -> list[Subset]:
    """The games of each value of a column."""
    column: Any = pool.columns[name]
    values: NDArray[Any] = np.unique(taken(column, slice(0, 0)))
    for at in pieces(len(column)):
        values = np.unique(np.concatenate([values, np.unique(taken(column, at))]))
        if on_disk(column) and len(values) > MOST_GROUPS:
            raise InputError(
                f"the column {name!r} has more than {MOST_GROUPS} values: too many parts of games "
                "that do not fit in memory",
                hint="leave out --group, or give more --memory",
            )

    def equal(value: Any, at: slice) -> Mask:
        return np.asarray(taken(column, at) == value)

    return [
        Subset(f"{name} {value}", computed(partial(equal, value), column, np.bool_))
        for value in values
    ]


def completed(prediction: Prediction, score: NDArray[np.float64], earlier: Mask) -> Prediction:
    """A prediction with probabilities of draws where there are draws, without elsewhere.

    For a system that predicts none, the rate is fitted on the later half of the
    earlier games, which the system had some games to learn before.
    """
    rows = np.flatnonzero(earlier)
    rows = rows[round(LEARNING_SHARE * len(rows)) :]
    return _with_draws(prediction, outcome_table(score[rows], prediction.expected[rows]))


def _with_draws(prediction: Prediction, outcomes: NDArray[np.float64]) -> Prediction:
    """A prediction with draws as they came in earlier games, counted by `outcome_table`."""
    if not outcomes[:, 2].any():
        return replace(prediction, draw=None, own_draws=False)
    if prediction.draw is not None:
        return prediction
    rate, expected = draw_rate_of(outcomes), prediction.expected

    def draw(at: slice) -> NDArray[np.float64]:
        p = taken(expected, at)
        return np.asarray(np.minimum(draw_probability(p, rate), 2.0 * np.minimum(p, 1.0 - p)))

    return replace(prediction, draw=computed(draw, expected, np.float64))


def _later(prediction: Prediction, score: NDArray[np.float64], cut: int) -> Prediction:
    """A prediction of the later games; what `completed` adds comes from the `cut` first ones."""
    known = slice(round(LEARNING_SHARE * cut), cut)
    outcomes = outcome_table(score[known], prediction.expected[known])
    draw = None if prediction.draw is None else prediction.draw[cut:]
    return _with_draws(replace(prediction, expected=prediction.expected[cut:], draw=draw), outcomes)


def baselines(
    score: NDArray[np.float64], earlier: Mask, *, ordered: bool = True
) -> list[Prediction]:
    """What every system must beat: an even chance, and the earlier games' mean score.

    The second needs games that are `ordered`: where it is known who moved first.
    """
    mean = float(score[earlier].mean()) if ordered else None
    return [completed(each, score, earlier) for each in _constants(score, mean)]


def _constant(score: NDArray[np.float64], cut: int, ordered: bool) -> list[Prediction]:
    """The same of all games, without draws; the `cut` first games are the earlier ones."""
    points = sum(float(taken(score[:cut], at).sum(dtype=np.float64)) for at in pieces(cut))
    return _constants(score, points / cut if ordered else None)


def _constants(score: NDArray[np.float64], mean: float | None) -> list[Prediction]:
    def always(value: float) -> NDArray[np.float64]:
        return computed(lambda at: np.full(at.stop - at.start, value), score, np.float64)

    predictions = [Prediction("50:50", always(0.5), baseline=True)]
    if mean is not None:
        parameters = {"expected": mean}
        predictions.append(
            Prediction("first move only", always(mean), baseline=True, parameters=parameters)
        )
    return predictions
