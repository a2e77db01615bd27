"""`evaluate`: which system predicts the later games of a pool best."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from math import isfinite
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from yardstone import parallel
from yardstone.choices import check_choice, check_number, checked_arguments, no_such
from yardstone.disk import computed, on_disk, pieces, taken
from yardstone.errors import InputError, ModelError, UsageError, WrongTypeError
from yardstone.evaluation.comparison import (
    LEARNING_SHARE,
    Evaluation,
    Prediction,
    Tuned,
    compare,
    tune,
)
from yardstone.evaluation.metrics import (
    LARGER_IS_BETTER,
    three_way_log_likelihoods,
    total_log_likelihood,
)
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
from yardstone.pool import Pool
from yardstone.ratings.result import Estimate, SequentialSystem, check_order
from yardstone.ratings.sequential import Sequential
from yardstone.ratings.systems import SEQUENTIAL, SystemEntry, find_system
from yardstone.records.columns import LEVELS
from yardstone.records.options import ColumnNames
from yardstone.records.reading import games_of
from yardstone.winprob.laws import ELO_POINTS_PER_LOGIT, draw_probability, logistic, logit

if TYPE_CHECKING:
    from yardstone.arrays import Floats


_TRAIN_SHARE = 0.7  #: Share of the games that are the earlier ones, unless told otherwise.


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
    **names: Unpack[ColumnNames],
) -> Evaluation:
    """Compare rating systems on later games: what `yardstone evaluate` does.

    Every system replays the whole pool in order of time and predicts each game before it learns
    from it; the predictions of the later games are measured. One system is worked on at a time,
    or as many as `yardstone.parallel.context` has workers; with an engine all, unless the games
    are kept on disk, where they stay on this machine.

    Args:
        games: Games of players against others; those of a player against himself are left out.
        systems: Names (or entries) of `yardstone.ratings.systems`, or systems of your own by name.
            By default all that can take the games; `Evaluation.unable` names the others.
        parameters: By system its parameters that are fixed, and thus not tuned.
        first_advantage ({"auto", "none"}): Let systems reckon with an advantage of moving first
            where that helps on the earlier games, or never. Tuning begins with it and looks
            further; systems of your own stay as they are.
        start_levels: Let systems that can (`egf`, `egf-old`, `skt-lr`) start newcomers at the grade
            or rating in the games, and use handicaps. By default no system is told of those;
            `grades` and `ratings` are the forecasts from them. Systems of your own are told.
        train_share: Share of the games, the earliest, that parameters may be tuned on; 0.7 if
            `train_until` is not given either.
        train_until: Take the games before this moment instead.
        tune: Sets of parameters to try for each entry, on earlier games only, the untuned ones
            among them; 0 takes those. Systems of your own are never tuned.
        metric: Ranks the systems.
        newcomer_games: A newcomer has at most so many earlier games.
        gap_edges: Edges of the groups by distance of ratings; empty leaves those groups out.
        since_dates: Each gives the subset of the games from then on.
        group_by: A column of the pool; each of its values gives a subset.
        confidence, replicates, seed: Of the intervals; the seed also serves the tuning.
        **names: Which columns hold what, where `games` is no pool: ``first="home"``,
            ``second="away"``, ``score="FTR"`` …; see `yardstone.records.options.ColumnNames`.

    Raises:
        InputError: As `yardstone.read`; or no system can take the games.
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
    unable = {
        name: f"the games have no column {entry.needs!r}"
        for name, entry in entries.items()
        if systems is None
        and isinstance(entry, SystemEntry)
        and entry.needs not in {"", *played.columns}
    }
    entries = {name: entry for name, entry in entries.items() if name not in unable}
    cut = _cut(played, train_share, train_until)
    before = first_games(played, cut)
    look = first_advantage == "auto" and played.ordered
    task = ReplayTask(played, before, tune, seed, look, systems is None, start_levels)
    outcomes = _replay_all(task, entries)
    unable |= {n: each for n, each in zip(entries, outcomes, strict=True) if isinstance(each, str)}
    runs = [each for each in outcomes if not isinstance(each, str)]
    if not runs:
        reasons = "; ".join(f"{name}: {why}" for name, why in unable.items())
        raise InputError(f"no system can take these games ({reasons})")
    later = slice(cut, None)
    score = played.score
    predictions = [later_part(run.prediction, score, cut) for run in runs]
    points = sum(float(taken(score[:cut], at).sum(dtype=np.float64)) for at in pieces(cut))
    held_against = constant_predictions(score, points / cut if played.ordered else None)
    predictions += [later_part(each, score, cut) for each in held_against]
    rated = next((run for run in runs if _finite(run.first)), None)
    parts = usual_subsets(
        played, newcomer_games=newcomer_games, since_dates=since_dates, group_by=group_by
    )
    if rated is not None and gap_edges:
        parts += rating_gap_subsets(rated.first, rated.second, gap_edges)
        notes.append(f"Distances of ratings are those of {rated.prediction.name}.")
    untold = [name for name, entry in entries.items() if starts_at_levels(entry)]
    if untold and not start_levels and any(name in played.columns for name in LEVELS):
        notes.append(
            "No system starts from the grades, ratings and handicaps in the games, so that all "
            f"know the same; with --start-levels these do: {', '.join(untold)}."
        )
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
    """The games that `evaluate` lets systems be tuned on, by `train_share` and `train_until`."""
    played, _ = judged_games(games)
    return first_games(played, _cut(played, share, until))


def _cut(games: Pool, share: float | None, until: np.datetime64 | None) -> int:
    usual = _TRAIN_SHARE if share is None and until is None else share
    return earlier_number(games, share=usual, until=until)


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


def _finite(values: Floats) -> bool:
    return all(bool(np.isfinite(taken(values, at)).all()) for at in pieces(len(values)))


@dataclass(frozen=True)
class ReplayedSystem:
    """One system's replay: its predictions of all games, and the ratings before them."""

    prediction: Prediction
    first: Floats
    second: Floats
    notes: tuple[str, ...] = ()
    advantage: float | None = None


@dataclass(frozen=True, eq=False)
class ReplayTask:
    """What is done with each system."""

    games: Pool
    earlier: Pool
    trials: int
    seed: int
    look: bool
    lenient: bool  # whether a system that cannot take the games is left out
    levels: bool = False  # whether newcomers start at the grades and ratings in the games

    def outcome(self, named: tuple[str, SystemEntry | SequentialSystem]) -> ReplayedSystem | str:
        """The replay of a system, or why there is none."""
        name, entry = named
        games, earlier = self.games, self.earlier
        if starts_at_levels(entry) and not self.levels:
            games, earlier = _without_levels(games), _without_levels(earlier)
        try:
            if not games.ordered:
                check_order(entry.make() if isinstance(entry, SystemEntry) else entry, games)
            if not games.ordered and isinstance(entry, SystemEntry):
                knobs = (knob for knob in entry.knobs if knob.name != "first_advantage")
                entry = replace(entry, knobs=tuple(knobs))
            return self._replayed(name, entry, games, earlier)
        except (InputError, UsageError, ModelError) as error:
            if not self.lenient:
                raise
            return str(error)

    def _replayed(
        self,
        name: str,
        entry: SystemEntry | SequentialSystem,
        games: Pool,
        earlier: Pool,
    ) -> ReplayedSystem:
        """The replay of all games, by a system tuned on earlier ones."""
        untuned: dict[str, float] = {}
        given: tuple[str, ...] = ()
        if isinstance(entry, SystemEntry):
            if self.look and takes_advantage(entry):
                untuned["first_advantage"] = helpful_advantage(entry, earlier)
            tuned = tune(entry, earlier, self.trials, seed=self.seed, untuned=untuned)
            given = entry.given(games.columns)
        else:
            tuned = Tuned(entry)
        system, began = tuned.system, time.perf_counter()
        replay = system.replay(games)
        prediction = Prediction(
            name,
            replay.expected,
            replay.draw,
            own_draws=replay.draw is not None,
            parameters=_plain(system),
            seconds=time.perf_counter() - began,
            given=given,
        )
        remarks = system.remarks(games) if isinstance(system, Sequential) else ()
        if tuned.failed:
            bad = f"{tuned.failed} of {tuned.trials} sets of parameters could not be used."
            remarks = (*remarks, bad)
        notes = tuple(f"{name}: {remark}" for remark in remarks)
        advantage = None if self.trials else untuned.get("first_advantage")
        return ReplayedSystem(
            prediction, replay.first_rating, replay.second_rating, notes, advantage
        )


def starts_at_levels(entry: SystemEntry | SequentialSystem) -> bool:
    """Whether it learns from results, but from grades or ratings where there are any."""
    return isinstance(entry, SystemEntry) and entry.levels and not entry.declared


def _without_levels(games: Pool) -> Pool:
    """The games without grades, ratings, and handicaps: alone they mislead (weaker get stones)."""
    kept = {name: each for name, each in games.columns.items() if name not in LEVELS}
    return games if len(kept) == len(games.columns) else replace(games, columns=kept)


def _replay_all(
    task: ReplayTask, entries: Mapping[str, SystemEntry | SequentialSystem]
) -> list[ReplayedSystem | str]:
    """What comes of all systems, here or on the machines that work for this one."""
    items = list(entries.items())
    if parallel.elsewhere() and not on_disk(task.games.first):
        return parallel.map(task.outcome, items, what="replaying")
    begun = itertools.count()

    def outcome(named: tuple[str, SystemEntry | SequentialSystem]) -> ReplayedSystem | str:
        parallel.Track(f"replaying {named[0]}", len(items))(next(begun))
        return task.outcome(named)

    workers = parallel.current().workers or 1
    outcomes = parallel.map(outcome, items, workers=workers, threads=True, engine="local")
    parallel.Track("replaying", len(items))(len(items))
    return outcomes


def _plain(system: object) -> dict[str, Any]:
    """A system's parameters that differ from its own, as plain values."""
    parameters = {}
    for part in fields(system) if is_dataclass(system) else ():
        value = getattr(system, part.name)
        if value != (part.default if part.default_factory is MISSING else part.default_factory()):
            plain = isinstance(value, int | str | NoneType) or (
                isinstance(value, float) and isfinite(value)
            )
            parameters[part.name] = value if plain else repr(value)
    return parameters


def with_draws(prediction: Prediction, outcomes: Floats) -> Prediction:
    """A prediction with draws as they came in earlier games, counted by `outcome_table`."""
    if not outcomes[:, 2].any():
        return replace(prediction, draw=None, own_draws=False)
    if prediction.draw is not None:
        return prediction
    rate, expected = draw_rate_of(outcomes), prediction.expected

    def draw(at: slice) -> Floats:
        p = taken(expected, at)
        return np.asarray(np.minimum(draw_probability(p, rate), 2.0 * np.minimum(p, 1.0 - p)))

    return replace(prediction, draw=computed(draw, expected, np.float64))


def later_part(prediction: Prediction, score: Floats, cut: int) -> Prediction:
    """A prediction of the later games, with draws as they came in the `cut` first ones."""
    known = slice(round(LEARNING_SHARE * cut), cut)
    outcomes = outcome_table(score[known], prediction.expected[known])
    draw = None if prediction.draw is None else prediction.draw[cut:]
    return with_draws(replace(prediction, expected=prediction.expected[cut:], draw=draw), outcomes)


def constant_predictions(score: Floats, mean: float | None) -> list[Prediction]:
    """What every system must beat: an even chance, and the mean score of earlier games."""

    def always(value: float) -> Floats:
        return computed(lambda at: np.full(at.stop - at.start, value), score, np.float64)

    predictions = [Prediction("50:50", always(0.5), baseline=True)]
    if mean is not None:
        parameters = {"expected": mean}
        predictions.append(
            Prediction("first move only", always(mean), baseline=True, parameters=parameters)
        )
    return predictions


_LEAST_RATE = 1e-4  #: A fitted rate stays this far from 0 and 1.
#: It is found to this.
_RATE_ERROR = 1e-7
_GOLDEN = (5.0**0.5 - 1.0) / 2.0
_GROUPS = 2000  #: Predictions are fitted in so many groups: the rate depends on them smoothly.


def fit_draw_rate(score: ArrayLike, expected: ArrayLike) -> float:
    """Draw rate of equal opponents that makes results likeliest; 0 without any draw."""
    return draw_rate_of(outcome_table(score, expected))


def draw_rate_of(table: Floats) -> float:
    """The same from what `outcome_table` counted."""
    if not table[:, 2].any():
        return 0.0
    cells, counts = groups_of_outcomes(table)

    def loss(rate: float) -> float:
        total = 0.0
        for value, weights in counts.items():
            draw = np.minimum(draw_probability(cells, rate), 2.0 * np.minimum(cells, 1.0 - cells))
            logs = three_way_log_likelihoods(np.full(len(cells), value), cells, draw)
            total -= float(np.sum(weights * np.maximum(logs, -700.0)))
        return total

    return _lowest(loss, _LEAST_RATE, 1.0 - _LEAST_RATE)


def _lowest(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one minimum has it; scipy's golden section takes long to import."""
    near, far = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_near, at_far = loss(near), loss(far)
    while high - low > _RATE_ERROR:
        if at_near <= at_far:
            high, far, at_far = far, near, at_near
            near = high - _GOLDEN * (high - low)
            at_near = loss(near)
        else:
            low, near, at_near = near, far, at_far
            far = low + _GOLDEN * (high - low)
            at_far = loss(far)
    return 0.5 * (low + high)


def outcome_table(score: Any, expected: Any) -> Floats:
    """Of groups of predictions their sum, and the numbers of losses, draws and wins.

    The tables of several sets of games are added. Columns may lie on disk.
    """
    table = np.zeros((_GROUPS, 4))
    for at in pieces(len(score)):
        s, p = (np.asarray(taken(each, at), np.float64) for each in (score, expected))
        group = np.minimum((p * _GROUPS).astype(np.int64), _GROUPS - 1)
        table[:, 0] += np.bincount(group, p, _GROUPS)
        for column, value in enumerate((0.0, 0.5, 1.0), 1):
            table[:, column] += np.bincount(group[s == value], minlength=_GROUPS)
    return table


def groups_of_outcomes(table: Floats) -> tuple[Floats, dict[float, Floats]]:
    """Middle predictions of groups, and in each the numbers of losses, draws and wins."""
    table = table[table[:, 1:].any(axis=1)]
    middle = table[:, 0] / table[:, 1:].sum(axis=1)
    counts = {value: table[:, column] for column, value in enumerate((0.0, 0.5, 1.0), 1)}
    return np.clip(middle, 1e-12, 1.0 - 1e-12), counts


_GAIN = 1.92  #: Half the 95 % quantile of chi squared with one degree of freedom.
#: Steps of the search, and points within which a further one is not worth a replay.
_STEPS, _CLOSE = 3, 2.0
_EDGE = 12.0  #: Log odds beyond these tell nothing more.
#: Deviation of advantages of moving first: 50 points of Elo (chess has 35, Go with komi none).
_USUAL = 50.0 / ELO_POINTS_PER_LOGIT
#: How much results scatter is taken from the games and from ten even ones without draws.
_LEARNED = 2.5


def takes_advantage(entry: SystemEntry) -> bool:
    """Whether a system has an advantage of moving first that nobody has fixed."""
    knobs = {knob.name for knob in entry.knobs}
    return "first_advantage" in knobs and "first_advantage" not in entry.fixed


def helpful_advantage(entry: SystemEntry, earlier: Pool) -> float:
    """The advantage of moving first with which a system predicts better; 0 if none helps.

    In its rating points, from `earlier` games in order of time; the entry `takes_advantage`.
    """
    judged = slice(round(LEARNING_SHARE * len(earlier)), None)
    score = earlier.score[judged]
    if not len(score) or not earlier.ordered:
        return 0.0
    knob = next(knob for knob in entry.knobs if knob.name == "first_advantage")
    expected = entry.make().replay(earlier).expected[judged]
    without, best, chosen, advantage = total_log_likelihood(score, expected), -np.inf, 0.0, 0.0
    for _ in range(_STEPS):
        step = ELO_POINTS_PER_LOGIT * _shift(score, expected)
        if abs(step) < _CLOSE:
            break
        advantage = float(np.clip(advantage + step, knob.low, knob.high))
        system = entry.make(first_advantage=advantage)
        expected = system.replay(earlier).expected[judged]
        if (total := total_log_likelihood(score, expected)) > best:
            best, chosen = total, advantage
    return chosen if best - without > _GAIN else 0.0


def shown_advantage(outcomes: Floats) -> Estimate:
    """What games show of the advantage of moving first, in log odds, with its deviation.

    From the `outcome_table` of results by what was expected of them without an advantage. Nothing
    is known of it before but that it is small (a normal prior of 50 points).
    """
    expected, counts = groups_of_outcomes(outcomes)
    games = sum(counts.values(), np.zeros(len(expected)))
    points = sum((value * number for value, number in counts.items()), np.zeros(len(expected)))
    odds = np.clip(logit(expected), -_EDGE, _EDGE)
    value = 0.0
    for _ in range(25):
        p = logistic(odds + value)
        spread = float((games * p * (1.0 - p)).sum())
        off = sum(float((n * (score - p) ** 2).sum()) for score, n in counts.items())
        # Where many games are drawn, results scatter less than wins and losses would.
        scatter = (off + _LEARNED) / (spread + _LEARNED)
        information = spread / scatter + _USUAL**-2
        step = (float((points - games * p).sum()) / scatter - value * _USUAL**-2) / information
        value += float(np.clip(step, -1.0, 1.0))
        if abs(step) < 1e-6:
            break
    return Estimate(value, information**-0.5)


def _shift(score: Floats, expected: Floats) -> float:
    """What added to the log odds of all games makes their expected points those scored."""
    shift = 0.0
    for _ in range(25):
        slope = gain = 0.0
        for at in pieces(len(score)):
            sure = np.clip(taken(expected, at), 1e-12, 1.0 - 1e-12)
            p = logistic(np.clip(logit(sure), -_EDGE, _EDGE) + shift)
            slope += float((p * (1.0 - p)).sum())
            gain += float((taken(score, at) - p).sum())
        step = gain / max(slope, 1e-9)
        shift += float(np.clip(step, -1.0, 1.0))
        if abs(step) < 1e-6:
            break
    return shift
