"""Predictions of several systems for the same games, measured and compared."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from yardstone.arrays import DisplayedRows, Flags, Floats, Ints
from yardstone.choices import check_choice, no_such
from yardstone.clusters import LEAST_EFFECTIVE_PLAYERS, effective_size, places_of_players
from yardstone.disk import PIECE, on_disk
from yardstone.errors import InputError, MissingExtraError, ModelError, NoGamesError, UsageError
from yardstone.evaluation.metrics import (
    GAME_METRICS,
    LARGER_IS_BETTER,
    CalibrationCurve,
    Measures,
    calibrate,
    game_metrics,
    measure,
    total_log_likelihood,
)
from yardstone.evaluation.splits import Subset
from yardstone.parallel import Track

if TYPE_CHECKING:
    from yardstone.evaluation.uncertainty import Bootstrap, MeanInterval
    from yardstone.pool import Pool
    from yardstone.ratings.result import SequentialSystem
    from yardstone.ratings.systems import SystemEntry

LEAST_GAMES = 20  #: Differences on fewer games than this are not worth an interval.
#: More games than this are compared by what is added up for each player and pair.
MANY_GAMES = PIECE


def compare(
    predictions: Sequence[Prediction],
    score: ArrayLike,
    *,
    first: Ints | None = None,
    second: Ints | None = None,
    subsets: Sequence[Subset] = (),
    metric: str = "log_likelihood",
    confidence: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    notes: Sequence[str] = (),
) -> Evaluation:
    """Measure predictions, rank their systems, and say how sure that is.

    Args:
        predictions: All for the same games. Where they come from does not matter.
        score (array_like (games,)): Scores of the players who moved first.
        first, second (int32 arrays (games,)): Numbers of the players. Without them the intervals
            treat games as independent, which makes them too narrow.
        subsets: Parts of the games to measure as well.
        metric: Ranks the systems: ``"log_likelihood"``, ``"three_way"``, ``"brier"`` or
            ``"accuracy"``. On all games there are intervals for every metric, on the subsets only
            for this one.
        confidence: Level of intervals, 0 to 1.
        replicates, seed: Of the bootstrap; 0 replicates leave intervals out.
        notes: Passed on to the result.
    """
    s: Any = score if on_disk(score) else np.asarray(score, np.float64)
    _check(predictions, s, metric)
    if (first is None) != (second is None):
        raise UsageError("both players of each game must be known, or none")
    all_games = np.broadcast_to(np.True_, len(s))
    everything = Subset(REPRESENTATIVE, all_games, "all scored games")
    parts = (everything, *(part for part in subsets if part.number))
    ends = None if first is None or second is None else (first, second)
    paired = None
    if ends is not None and len(s) > MANY_GAMES:
        from yardstone.evaluation.uncertainty import GamesByPair

        paired = GamesByPair.of(predictions, s, ends, parts)
    scored = []
    for each in predictions:
        values = (s, each.expected, each.draw)
        metrics = {part.name: measure(*values, games=part.games) for part in parts}
        if paired is None:
            curve = calibrate(s, each.expected, confidence=confidence, players=ends)
        else:
            curve = paired.calibration(each, s, confidence)
        scored.append(Scored(each, metrics, curve))
    if metric == "three_way" and all(item.value(metric) is None for item in scored):
        raise UsageError("no prediction of draws: rank by another metric")
    sign = -1.0 if LARGER_IS_BETTER[metric] else 1.0

    def place(item: Scored) -> tuple[bool, float]:
        """Baselines last, then from best to worst."""
        value = item.value(metric)
        return item.prediction.baseline, sign * (-np.inf if value is None else value)

    scored.sort(key=place)
    remarks = list(notes)
    for item in scored:
        if zeros := item.metrics[REPRESENTATIVE].impossible:
            results = "a result" if zeros == 1 else f"{zeros} results"
            remarks.append(
                f"{item.name} gave {results} that occurred a probability of 0: "
                "its log-likelihood is minus infinity."
            )
    bootstraps: dict[tuple[str, str], tuple[tuple[str, ...], Bootstrap]] = {}
    for part in parts:
        if not replicates or part.number < LEAST_GAMES:
            continue
        if ends is not None:  # unknown players are no obstacle
            number = effective_size(places_of_players(*ends, part.games))
            if number < LEAST_EFFECTIVE_PLAYERS:
                continue
        ranked = GAME_METRICS if part is everything else (metric,)
        if paired is None:
            bootstraps |= _bootstraps(predictions, s, ends, part, ranked, replicates, seed)
        else:
            means = {item.name: item.metrics[part.name] for item in scored}
            bootstraps |= paired.bootstraps(means, part, ranked, replicates, seed)
    players = 0 if ends is None else int(np.count_nonzero(places_of_players(*ends)))
    return Evaluation(
        metric=metric,
        confidence=confidence,
        games=len(s),
        players=players,
        systems=tuple(scored),
        subsets=parts,
        bootstraps=bootstraps,
        notes=tuple(remarks),
    )


def _check(predictions: Sequence[Prediction], score: Floats, metric: str) -> None:
    check_choice("the metric", metric, LARGER_IS_BETTER)
    if not predictions:
        raise UsageError("there is no system to evaluate")
    if not len(score):
        raise NoGamesError("there is no game to measure predictions on")
    names = [prediction.name for prediction in predictions]
    if len(set(names)) < len(names):
        raise UsageError("two systems have the same name")
    for prediction in predictions:
        for values in (prediction.expected, prediction.draw):
            if values is not None and len(values) != len(score):
                raise InputError(
                    f"{prediction.name} has {len(values)} predictions for {len(score)} games"
                )


def _bootstraps(
    predictions: Sequence[Prediction],
    score: Floats,
    players: tuple[Ints, Ints] | None,
    part: Subset,
    metrics: Sequence[str],
    replicates: int,
    seed: int,
) -> dict[tuple[str, str], tuple[tuple[str, ...], Bootstrap]]:
    """For each metric the systems with finite values, and their means, all resampled at once."""
    from yardstone.evaluation.uncertainty import bootstrap

    rows: list[tuple[str, str, Floats]] = []
    for prediction in predictions:
        draw = None if prediction.draw is None else prediction.draw[part.games]
        values = game_metrics(score[part.games], prediction.expected[part.games], draw)
        rows += [
            (name, prediction.name, values[name])
            for name in metrics
            if name in values and np.isfinite(values[name]).all()
        ]
    if not rows:
        return {}
    ends = [None, None] if players is None else [column[part.games] for column in players]
    whole = bootstrap([row[2] for row in rows], *ends, replicates=replicates, seed=seed)
    bootstraps = {}
    for name in metrics:
        chosen = [place for place, row in enumerate(rows) if row[0] == name]
        if chosen:
            names = tuple(rows[place][1] for place in chosen)
            bootstraps[part.name, name] = (names, whole.rows(chosen))
    return bootstraps


LEARNING_SHARE = 0.5  #: So much of the earlier games only serves to learn ratings from.


@dataclass(frozen=True)
class Tuned:
    """The best parameters found; frozen.

    `parameters` are the tuned ones by name, `untuned` if those were the best; `value` the mean
    log-likelihood that they reached on the later half of the earlier games; `failed` of the
    `trials` sets were refused by the system.
    """

    system: SequentialSystem
    parameters: dict[str, float] = field(default_factory=dict)
    value: float = float("nan")
    trials: int = 0
    failed: int = 0


def tune(
    entry: SystemEntry,
    earlier: Pool,
    trials: int,
    *,
    seed: int = 0,
    untuned: Mapping[str, float] = MappingProxyType({}),
    scored: Flags | None = None,
    seconds: float | None = None,
) -> Tuned:
    """Find parameters of a system on earlier games.

    Args:
        entry: The system, with what may be tuned.
        earlier: Games in order of time: all that is ever looked at.
        trials: Sets of parameters to try, the untuned ones first; 0 takes those.
        seed: Equal seeds give equal trials.
        untuned: Parameters with which the system would be run untuned, where they are not its own.
        scored (bool array): Games whose predictions count. The others are only learned from: games,
            for example, of which only the month is known.
        seconds: Begin no further trial after so long; the first one always runs. Results then
            depend on the machine.

    Raises:
        UsageError: There are too few earlier games.
        ModelError: Every trial failed.
    """
    if trials < 0:
        raise UsageError(f"the number of trials must be 0 or more, not {trials}")
    if not trials:
        return Tuned(entry.make(**untuned))
    judged: Any = slice(round(LEARNING_SHARE * len(earlier)), len(earlier))
    if scored is not None:
        judged = judged.start + np.flatnonzero(scored[judged])
    if not len(earlier.first[judged]):
        raise UsageError("there are too few earlier games to tune on")
    optuna = _optuna()
    score = earlier.score[judged]
    failures: list[str] = []

    def objective(trial: Any) -> float:
        chosen = {
            k.name: trial.suggest_float(k.name, k.low, k.high, log=k.log) for k in entry.knobs
        }
        if trial.number == 0:
            chosen = dict(untuned)
        try:
            expected = entry.make(**chosen).replay(earlier).expected[judged]
            value = total_log_likelihood(score, expected) / len(score)
        except (ModelError, UsageError, InputError) as error:
            failures.append(str(error))
            raise optuna.TrialPruned(str(error)) from error
        trial.set_user_attr("parameters", chosen)
        return value

    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True)
    )
    track = Track(f"tuning {entry.name}", trials)
    began = time.monotonic()

    def report(study: Any, trial: Any) -> None:
        track(trial.number + 1)
        if seconds is not None and time.monotonic() - began > seconds:
            study.stop()

    study.optimize(objective, n_trials=trials, callbacks=[report])
    done = len(study.get_trials(deepcopy=False))
    if len(failures) == done:
        raise ModelError(f"{entry.name}: no set of parameters could be used: {failures[0]}")
    best = study.best_trial
    parameters = dict(best.user_attrs["parameters"])
    return Tuned(entry.make(**parameters), parameters, float(best.value), done, len(failures))


def _optuna() -> ModuleType:
    import warnings

    try:
        import optuna
    except ImportError:
        raise MissingExtraError("optuna", "tune") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    return optuna


REPRESENTATIVE = "representative"  #: The subset of all scored games.


@dataclass(frozen=True, eq=False)
class Prediction:
    """What one system predicted, before each game; frozen."""

    name: str
    expected: Floats  #: (games,): Expected score of the player who moved first.
    draw: Floats | None = None  #: (games,): Probability of a draw.
    own_draws: bool = False  #: Whether the system itself predicts draws; else they were added.
    #: Of the system, by name: those that differ from its own.
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: Time it took to predict and to learn from all games.
    seconds: float | None = field(default=None, compare=False)
    baseline: bool = False  #: Not a system to be ranked, only something to compare with.
    given: tuple[str, ...] = ()  #: What the system was told beside results and dates: margins, say.


@dataclass(frozen=True, eq=False)
class Scored:
    """One system's predictions with their measures; frozen.

    `metrics` are by name of the subset (none of one without a game), `calibration` of all games.
    """

    prediction: Prediction
    metrics: Mapping[str, Measures]
    calibration: CalibrationCurve

    @property
    def name(self) -> str:
        """Name of the system."""
        return self.prediction.name

    def value(self, metric: str, subset: str = REPRESENTATIVE) -> float | None:
        """One measure; None where there is none."""
        return getattr(self.metrics[subset], metric) if subset in self.metrics else None


@dataclass(frozen=True, eq=False)
class Ranking:
    """The order of the systems by one metric on one subset, and how sure it is; frozen."""

    metric: str
    subset: str
    confidence: float  #: Level of all intervals, 0 to 1.
    unit: str  #: What they are over: ``"player"`` or ``"game"``.
    names: tuple[str, ...]  #: From best to worst.
    #: How much worse than the best each is, in the metric's units, above 0; None if unknown.
    behind: tuple[MeanInterval | None, ...]
    best: tuple[float, ...]  #: Share of the bootstrap in which each system was the best.
    #: Those that cannot be told from the best, all comparisons being right at that confidence.
    tied: tuple[str, ...]
    #: Ends of the intervals of `behind` that hold together at that confidence.
    together: tuple[tuple[float, float] | None, ...] = ()
    #: Of which two systems the first predicts better, all together at that confidence.
    apart: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(DisplayedRows[Scored, Scored]):
    """Systems compared on the same games; frozen.

    A sequence of `Scored` from best to worst, without baselines; a system's own by its name.
    """

    _made_by: ClassVar[str] = "reports.evaluation:evaluation_document"

    metric: str  #: By which systems are ranked.
    confidence: float  #: Level of all intervals, 0 to 1.
    #: Games that were scored, and their players (0 where players are unknown).
    games: int
    players: int
    systems: tuple[Scored, ...]  #: From best to worst on all games, then baselines.
    subsets: tuple[Subset, ...]  #: The first holds all games.
    #: By (subset, metric): the systems' names and their means with replicates.
    bootstraps: Mapping[tuple[str, str], tuple[tuple[str, ...], Bootstrap]]
    #: Times of the first and the last scored game.
    period: tuple[np.datetime64, np.datetime64] | None = None
    earlier: int = 0  #: Games before them, which systems were tuned on and learned from.
    tuned: int = 0  #: Sets of parameters tried for each system; 0 if taken as they are.
    notes: Sequence[str] = ()  #: What a reader must know.
    #: Points for moving first by system, if it has any, as they helped on the earlier games.
    advantages: Mapping[str, float] = field(default_factory=dict)
    #: Systems that could not take these games, and why.
    unable: Mapping[str, str] = field(default_factory=dict)

    def _keys(self) -> tuple[Scored, ...]:
        return self.ranked

    def _row(self, key: Scored) -> Scored:
        return key

    def _named(self, name: str) -> Scored:
        known = {scored.name: scored for scored in self.systems}
        if name not in known:
            raise UsageError(no_such("system", name, known))
        return known[name]

    @property
    def ranked(self) -> tuple[Scored, ...]:
        """The systems without baselines, from best to worst."""
        return tuple(scored for scored in self.systems if not scored.prediction.baseline)

    @cached_property
    def ranking(self) -> Ranking:
        """By the chosen metric, on all games."""
        return self.ranking_by(self.metric)

    def difference(
        self, system: str, other: str, *, metric: str | None = None, subset: str = REPRESENTATIVE
    ) -> MeanInterval:
        """How much better `system` did than `other`: positive if it did better.

        In the metric's own units (a lower Brier score is a positive difference).
        """
        names, bootstrap, sign = self._bootstrap(metric or self.metric, subset)
        for name in (system, other):
            if name not in names:
                raise UsageError(f"{name!r} has no finite {metric or self.metric} on {subset!r}")
        return bootstrap.interval(sign * _contrast(names, system, other), self.confidence)

    def ranking_by(self, metric: str, subset: str = REPRESENTATIVE) -> Ranking:
        """The order of the systems by a metric on a subset."""
        names, bootstrap, sign = self._bootstrap(metric, subset)
        order = np.argsort(-sign * bootstrap.mean, kind="stable")
        ranked = [names[row] for row in order if names[row] in {s.name for s in self.ranked}]
        if not ranked:
            raise UsageError(f"no system has a finite {metric} on {subset!r}")
        top = ranked[0]
        lag = {name: sign * _contrast(names, top, name) for name in ranked[1:]}
        spreads = [bootstrap.spread(contrast) for contrast in lag.values()]
        behind = np.column_stack([np.zeros(len(bootstrap.replicates)), *spreads])
        ahead = behind == behind.min(axis=1, keepdims=True)
        best = (ahead / ahead.sum(axis=1, keepdims=True)).mean(axis=0)
        # Which looks best may be picked afterwards: all differences of two count (Tukey).
        pairs = {couple: _contrast(names, *couple) for couple in combinations(ranked, 2)}
        reach = bootstrap.reach(list(pairs.values()), self.confidence)
        ahead_by = {
            couple: (sign * float(bootstrap.mean @ pair), reach * bootstrap.standard_error(pair))
            for couple, pair in pairs.items()
        }
        apart = frozenset(couple for couple, (lead, error) in ahead_by.items() if lead > error)
        tied = tuple(name for name in lag if (top, name) not in apart)
        together = [
            (lead - error, lead + error) for lead, error in (ahead_by[top, name] for name in lag)
        ]
        missing = [scored.name for scored in self.ranked if scored.name not in ranked]
        intervals: list[MeanInterval | None] = [None]
        intervals += [bootstrap.interval(contrast, self.confidence) for contrast in lag.values()]
        return Ranking(
            metric=metric,
            subset=subset,
            confidence=self.confidence,
            unit=bootstrap.unit,
            names=(*ranked, *missing),
            behind=(*intervals, *[None] * len(missing)),
            best=(*best.tolist(), *[0.0] * len(missing)),
            tied=tied,
            together=(None, *together, *[None] * len(missing)),
            apart=apart,
        )

    def _bootstrap(self, metric: str, subset: str) -> tuple[tuple[str, ...], Bootstrap, float]:
        if (subset, metric) not in self.bootstraps:
            known = sorted({name for part, name in self.bootstraps if part == subset})
            if not known:
                raise UsageError(no_such("subset", subset, [part for part, _ in self.bootstraps]))
            raise UsageError(no_such(f"metric on {subset!r}", metric, known))
        names, bootstrap = self.bootstraps[subset, metric]
        return names, bootstrap, 1.0 if LARGER_IS_BETTER[metric] else -1.0


def _contrast(names: tuple[str, ...], plus: str, minus: str) -> Floats:
    contrast = np.zeros(len(names))
    contrast[names.index(plus)] += 1.0
    contrast[names.index(minus)] -= 1.0
    return contrast
