"""A model of winning fitted to games or statistics, and its errors, which count events or players.

Games of one event belong together (its field, its time limits, how grades are declared
there), and where there are no events, games of one player do. The errors of the
coefficients are the jackknife's over events, each left out by one Newton step (CR3; Bell
and McCaffrey 2002), or those of dyadic clusters of players (Fafchamps and Gubert 2007),
and in no direction smaller than those of independent games.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from yardstone.choices import check_number
from yardstone.clusters import (
    LEAST_EFFECTIVE_CLUSTERS,
    LEAST_EFFECTIVE_PLAYERS,
    cluster_sums,
    effective_number,
    effective_players,
    numbered,
)
from yardstone.errors import NoGamesError, UsageError
from yardstone.grades import head_start, usual_komi
from yardstone.winprob.games import GameColumns, between_grades
from yardstone.winprob.kaniuk import (
    INITIAL,
    LOW_GRADE,
    PUBLISHED,
    TABLE_1,
    GradeModel,
    Kaniuk,
    Link,
    places,
)
from yardstone.winprob.laws import normal_log_cdf
from yardstone.winprob.likelihood import (
    Fit,
    GradedGames,
    LikelihoodFit,
    fit_likelihood,
    parameter_interval,
    probability_interval,
)
from yardstone.winprob.model import CoefficientRegion, WinningModel

if TYPE_CHECKING:
    from yardstone.arrays import Floats, Ints
    from yardstone.pool import Pool
    from yardstone.winprob.statistics import WinningStatistics

Pairs = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class FitInterval:
    """An interval; either end may be infinite. `method` says in words where it comes from."""

    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True, slots=True)
class FittedParameter:
    """A coefficient, its interval if there is one, and what was published."""

    name: str
    value: float
    published: float | None
    interval: FitInterval | None


@dataclass(frozen=True, slots=True)
class FittedProbability:
    """How often one grade beats another by the fit."""

    first: float
    second: float
    probability: float
    interval: FitInterval


@dataclass(frozen=True, slots=True)
class DifferenceError:
    """Root mean square error of the probability at a difference of grades; NaN if unknown."""

    difference: int
    rms: float
    by_chance: float
    published_model: float


@dataclass(frozen=True, eq=False)
class ModelFit:
    """A fit, and what it says."""

    fit: Fit  #: A `LikelihoodFit`, or the laboratory's by least squares.
    parameters: Sequence[FittedParameter]
    probabilities: Sequence[FittedProbability]  #: Of the pairs that were named.
    errors: Sequence[DifferenceError]  #: Empty for a fit to single games.
    statistics: WinningStatistics | None  #: What was fitted, if not single games.
    winning: WinningModel  #: The fit as a model that commands take and files hold.

    @property
    def model(self) -> Kaniuk:
        """The coefficients that were fitted."""
        law = self.winning.law
        assert isinstance(law, GradeModel)
        return law.core


def fit_statistics(
    statistics: WinningStatistics,
    *,
    free: Iterable[str] = TABLE_1,
    pairs: Pairs = (),
    level: float = 0.95,
) -> ModelFit:
    """Fit the model to winning statistics by binomial likelihood.

    Args:
        free: Coefficients.
        pairs (sequence of (grade, grade)): Probabilities that are wanted, with intervals.
        level: Of intervals, 0 to 1.
    """
    likely = fit_likelihood(GradedGames.from_statistics(statistics), free=free)
    model = likely.model
    stones = GradeModel(model.core, {**model.extras, "stone": 1.0}, model.link)
    winning = model_of_counts(stones, statistics)
    return _of_likelihood(likely, winning, pairs, level, "profile likelihood", statistics)


def fit_all_games(
    pool: Pool,
    *,
    free: Iterable[str] = TABLE_1,
    link: Link = "erf",
    event_games: float | None = None,
    pairs: Pairs = (),
    level: float = 0.95,
) -> ModelFit:
    """Fit the model by likelihood to all decided games, handicap games too.

    Intervals count events, or players where there are no events. With too few of either they are
    those of the profile likelihood, which takes the games as independent. `pool`, `free`, `link`,
    `event_games`: as for `fit_winning_model`. `pairs`, `level`: as for `fit_statistics`.
    """
    found = fit_winning_model(pool, free=free, link=link, event_games=event_games)
    region = found.model.region
    method = "profile likelihood, games taken as independent"
    if region is not None:
        method = f"over {region.clusters}"
    return _of_likelihood(found.fit, found.model, pairs, level, method)


def _of_likelihood(
    fit: LikelihoodFit,
    winning: WinningModel,
    pairs: Pairs,
    level: float,
    method: str,
    statistics: WinningStatistics | None = None,
) -> ModelFit:
    """What a fit says, with intervals by its region or, without one, by the likelihood alone."""
    region = winning.region
    probabilities = []
    if region is None:
        ends = [parameter_interval(fit, name, level) for name in fit.names]
    else:
        ends = [region.coefficient_interval(name, level) for name in fit.names]
    intervals = [FitInterval(*each, level, method) for each in ends]
    for one, two in pairs:
        if region is None:
            low, high = probability_interval(fit, one, two, level)
        else:
            low, high = map(float, region.interval(one, two, level=level))
        p = float(fit.model.probability(one, two))
        probabilities.append(FittedProbability(one, two, p, FitInterval(low, high, level, method)))
    errors = [] if statistics is None else errors_by_difference(statistics, fit.model.core)
    parameters = fitted_parameters(fit, intervals)
    return ModelFit(fit, parameters, probabilities, errors, statistics, winning)


def fitted_parameters(fit: Fit, intervals: Sequence[FitInterval | None]) -> list[FittedParameter]:
    """The coefficients of a fit beside their intervals and the published ones."""
    published = PUBLISHED.parameters
    return [
        FittedParameter(name, float(value), published.get(name), interval)
        for name, value, interval in zip(fit.names, fit.values, intervals, strict=True)
    ]


def errors_by_difference(statistics: WinningStatistics, model: Kaniuk) -> list[DifferenceError]:
    """How far a model misses the measured ratios, and how far the published one does."""
    rms, expected = rms_by_difference(statistics, model)
    of_published, _ = rms_by_difference(statistics, PUBLISHED)
    columns = zip(statistics.differences, rms, expected, of_published, strict=True)
    return [DifferenceError(int(d), *map(float, values)) for d, *values in columns]


def rms_by_difference(statistics: WinningStatistics, model: Kaniuk) -> tuple[Floats, Floats]:
    """Root mean square error of the model's probability for each difference, and that by chance.

    Over the grades 12 kyu to 7 dan, both players, every cell alike, as in Kaniuk 2011, section 4.
    The second (differences,) is what chance alone would give a true model.
    """
    ratio, grades = statistics.ratio(), statistics.grades.astype(np.float64)
    squares = []
    for column, d in enumerate(statistics.differences):
        keep = (grades >= -12) & (grades + d <= 6) & np.isfinite(ratio[:, column])
        if not keep.any():
            squares.append((np.nan, np.nan))
            continue
        p = model.probability(grades[keep], grades[keep] + d)
        chance = np.mean(p * (1.0 - p) / statistics.games[keep, column])
        squares.append((np.mean((ratio[keep, column] - p) ** 2), chance))
    rms, expected = np.sqrt(np.array(squares)).T
    return rms, expected


#: The coefficients of the model that ships: what a grade decides, how that grows, a stone.
FREE = ("u1", "K", "stone")
EVENT_GAMES = 100.0  #: Independent games that an event counts as at most, in the model that ships.
#: Games reach to where there are so many at a grade, or a difference of grades, or beyond it.
_ENOUGH = 10


@dataclass(frozen=True, eq=False)
class WinningFit:
    """A fit, and the model made of it; frozen."""

    fit: LikelihoodFit
    model: WinningModel


def fit_winning_model(
    pool: Pool,
    *,
    name: str = "mine",
    free: Iterable[str] = FREE,
    link: Link = "logistic",
    event_games: float | None = None,
) -> WinningFit:
    """Fit a model to all decided games between known grades, handicap games too.

    Its intervals count events, or players where there are no events. There is none with too few of
    them, nor where ``lapse`` is free: the likelihood bends too much in it for a covariance. Raises
    `NoGamesError` if there is no decided game between known grades; `UsageError` if there is no
    such coefficient, the games say nothing of one, or there are no events to weigh.

    Args:
        pool: With ``first_grade`` and ``second_grade`` (zero-shodan units) and, where known,
            ``handicap``, ``komi`` and ``event``.
        name: What the model is to be called.
        free: Coefficients that are fitted (`ALL_PARAMETERS`). ``stone`` is a grade if it is not
            among them, and the others of Kaniuk's are zero.
        link ({"logistic", "erf"}): From Lambda to a probability.
        event_games: Independent games that an event counts as at most; all its games by default.
            Large events otherwise decide alone what holds for others.
    """
    counted = pool.select(between_grades(pool))
    games = GameColumns.from_pool(_with_events(counted), group="event")
    events = bool(np.any(np.asarray(counted.columns.get("event", "")) != ""))
    if event_games is not None and not events:
        raise UsageError("the games name no events, so they cannot be weighed by events")
    fit = fit_games(games, free=free, link=link, event_games=event_games)
    region, reason = None, "lapses were fitted, whose errors bend too much for one"
    if "lapse" not in fit.names:
        reason = "" if "stone" in fit.names else "the worth of a stone was not fitted"
        if events:
            weight = None if event_games is None else games.group_weights(event_games)
            region = region_by_event(fit.model, fit.names, games, weight=weight)
        else:
            region = region_by_player(fit.model, fit.names, games, counted.first, counted.second)
        if region is None:
            reason = f"its games are of too few {'events' if events else 'players'} for one"
    grades = np.sort(np.concatenate([games.first, games.second]))
    apart = np.sort(np.abs(games.first - games.second)[games.handicap == 0])
    model = WinningModel(
        name,
        _about(counted),
        fit.model,
        lowest=float(grades[: 2 * _ENOUGH][-1]),
        highest=float(grades[-2 * _ENOUGH :][0]),
        apart=float(apart[-_ENOUGH:][0]) if len(apart) else 0.0,
        region=region,
        no_interval=reason,
        made=_made(),
    )
    return WinningFit(fit, model)


def fit_games(
    games: GameColumns,
    *,
    free: Iterable[str] = FREE,
    link: Link = "logistic",
    event_games: float | None = None,
    start: GradeModel | None = None,
) -> LikelihoodFit:
    """The fit of `fit_winning_model` to games whose groups are events.

    `start` has the coefficients that are not free: by default none of Kaniuk's, and a
    handicap stone is a grade.
    """
    if not len(games):
        raise NoGamesError("there is no decided game between players of known grades")
    weight = None
    if event_games is not None:
        check_number("event_games", event_games, above=0.0)
        weight = games.group_weights(event_games)
    names = tuple(dict.fromkeys(free))
    ahead = head_start(games.handicap, games.komi)
    for name, says in (
        ("stone", np.any(ahead != 0.0)),
        ("komi", np.any(games.komi != usual_komi(games.handicap))),
        ("low", np.any(np.minimum(games.first, games.second) < LOW_GRADE)),
    ):
        if name in names and not says:
            raise UsageError(
                f"the games say nothing of {name!r}: leave it out of the free coefficients"
            )
    return fit_likelihood(games.graded(weight), free=names, start=start or _start(names, link))


def _start(names: tuple[str, ...], link: Link) -> GradeModel:
    """The first point: table 1's with the coefficients that are free, and a stone a grade."""
    known = {name: value for name, value in INITIAL.parameters.items() if name in names}
    return GradeModel(Kaniuk.from_parameters(known), {"stone": 1.0}, link)


def model_of_counts(law: GradeModel, statistics: WinningStatistics) -> WinningModel:
    """The model of a fit to winning statistics of even games, which leave it no interval."""
    rows, columns = np.nonzero(statistics.games)
    grades = statistics.lowest + rows
    return WinningModel(
        "mine",
        f"winning statistics of {statistics.games.sum():,.0f} even games; a handicap stone "
        "counts as a grade",
        law,
        lowest=float(grades.min()),
        highest=float((grades + columns + 1).max()),
        apart=float(columns.max() + 1),
        no_interval="counts do not say which games belong together",
        made=_made(),
    )


def _made() -> str:
    return f"{date.today():%Y-%m-%d}, Yardstone {version('yardstone')}"


def _with_events(pool: Pool) -> Pool:
    """The games, where they name no event by the pair of players."""
    low, high = np.minimum(pool.first, pool.second), np.maximum(pool.first, pool.second)
    text = np.dtypes.StringDType()
    pair = np.array([f"\0{one} {two}" for one, two in zip(low, high, strict=True)], text)
    event = np.asarray(pool.columns.get("event", np.full(len(pool), "")), text)
    return replace(pool, columns={**pool.columns, "event": np.where(event == "", pair, event)})


def _about(pool: Pool) -> str:
    """Such as ``7,715 games of 106 events, 2011 to 2024``."""
    events = np.unique(np.asarray(pool.columns.get("event", np.zeros(0, str))))
    number = int(np.sum(events != ""))
    players = len(np.union1d(pool.first, pool.second))
    where = f"{number:,} events" if number else f"{players:,} players"
    text = f"{len(pool):,} games of {where}"
    days = np.zeros(0, "datetime64[s]") if pool.time is None else pool.time
    years = days[~np.isnat(days)].astype("datetime64[Y]")
    if len(years):
        first, last = (str(each) for each in (np.min(years), np.max(years)))
        text += f", {first}" if first == last else f", {first} to {last}"
    return text


#: Events whose log odds differ by more, as a share of the average, are not looked for.
_MOST_SPREAD = 3.0
#: Where likelihoods of an event are integrated: log odds that are so many times the average.
_STEP = 0.02
_TIMES = np.arange(0.5 * _STEP, 8.0, _STEP)


@dataclass(frozen=True, eq=False)
class _Scores:
    """Derivatives of the log-likelihood of single games at a fit, weights counted; frozen."""

    fitted: Floats  #: (free,): the coefficients themselves.
    score: Floats  #: (free, games).
    information: Floats  #: (free, free): Fisher information of all games.
    weighted: Floats  #: (2, free, games): square roots of what each game adds to it.
    independent: Floats  #: (free, free): variance of the summed score of independent games.

    @classmethod
    def of(
        cls, model: GradeModel, free: Sequence[str], games: GameColumns, weight: Floats | None
    ) -> _Scores:
        index = places(free)
        log_win, log_loss, win, loss = games.log_gradients(model)
        win, loss = win[index], loss[index]
        count = np.ones(len(games)) if weight is None else weight
        root = np.sqrt(count)
        weighted = np.stack(
            [np.exp(0.5 * log_p) * root * by for log_p, by in ((log_win, win), (log_loss, loss))]
        )
        information = np.einsum("sin,sjn->ij", weighted, weighted)
        independent = np.einsum("sin,sjn,n->ij", weighted, weighted, count)
        score = count * np.where(games.first_won, win, loss)
        return cls(model.vector[index], score, information, weighted, independent)

    @property
    def bread(self) -> Floats:
        """Inverse of the information."""
        return np.asarray(np.linalg.pinv(self.information, hermitian=True))

    @property
    def peak(self) -> Floats:
        """Where one Newton step without bounds leads; the fit itself if no bound holds."""
        return np.asarray(self.fitted + self.bread @ self.score.sum(axis=1))

    def at_least_independent(self, covariance: Floats) -> Floats:
        """The covariance, in no direction smaller than that of independent games."""
        least = self.bread @ self.independent @ self.bread
        value, vector = np.linalg.eigh(least)
        some = value > 1e-12 * max(float(value.max()), 1e-300)
        root = vector[:, some] * np.sqrt(value[some])
        back = vector[:, some] / np.sqrt(value[some])
        times, turned = np.linalg.eigh(back.T @ covariance @ back)
        scaled = (turned * np.maximum(times, 1.0)) @ turned.T
        return np.asarray(root @ scaled @ root.T)


def region_by_event(
    model: GradeModel,
    free: Sequence[str],
    games: GameColumns,
    *,
    weight: Floats | None = None,
) -> CoefficientRegion | None:
    """The region of a fit, by the jackknife over groups of games.

    None where the groups are worth fewer than four of equal size.

    Args:
        model: The fit.
        free: Names of the coefficients that were fitted.
        games: What it was fitted to; `group` numbers the events.
        weight (float64 array): Of each game in the fit.
    """
    worth = effective_number(games.group, weight)
    if worth < LEAST_EFFECTIVE_CLUSTERS:
        return None
    scores = _Scores.of(model, free, games, weight)
    peak = scores.peak
    labels, number = np.unique(games.group, return_inverse=True)
    order = np.argsort(number, kind="stable")
    starts = np.searchsorted(number[order], np.arange(len(labels)))
    total = scores.score.sum(axis=1)
    off = []
    for games_of in np.split(order, starts[1:]):
        part = scores.weighted[:, :, games_of]
        rest = scores.information - np.einsum("sin,sjn->ij", part, part)
        left = total - scores.score[:, games_of].sum(axis=1)
        off.append(scores.fitted + np.linalg.pinv(rest, hermitian=True) @ left - peak)
    jackknife = np.array(off)
    return CoefficientRegion(
        model,
        tuple(free),
        peak,
        scores.at_least_independent(jackknife.T @ jackknife),
        worth - 1.0,
        f"{len(labels)} events",
        spread_between(model, games),
    )


def spread_between(model: GradeModel, games: GameColumns) -> float:
    """Fit by how much events differ: the likeliest deviation of an event's log odds.

    The log odds of each event are those of the model times max(0, s), with s normal about 1.
    `group` of the games numbers the events. Returns the standard deviation of s.
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import log_expit, logsumexp

    log_win, log_loss, _, _ = games.log_gradients(model)
    odds = np.where(games.first_won, log_win - log_loss, log_loss - log_win)
    number = np.unique(games.group, return_inverse=True)[1]
    times = np.concatenate([[0.0], _TIMES])
    of_event = np.array([np.bincount(number, log_expit(each * odds)) for each in times])

    def unlikely(spread: float) -> float:
        off = (_TIMES - 1.0) / spread
        density = -0.5 * off**2 - np.log(spread * np.sqrt(2.0 * np.pi)) + np.log(_STEP)
        weight = np.concatenate([[normal_log_cdf(-1.0 / spread)], density])
        return -float(logsumexp(of_event + weight[:, None], axis=0).sum())

    least = 2.0 * _STEP
    best = float(minimize_scalar(unlikely, bounds=(least, _MOST_SPREAD), method="bounded").x)
    return best if unlikely(best) < unlikely(least) else 0.0


def region_by_player(
    model: GradeModel, free: Sequence[str], games: GameColumns, first: Ints, second: Ints
) -> CoefficientRegion | None:
    """The region of a fit to games without events: games of a player belong together.

    None where the players are worth fewer than three and a half. `first`, `second` (games,):
    players of each game by number.
    """
    worth = effective_players(first, second) if len(first) else 0.0
    if worth < LEAST_EFFECTIVE_PLAYERS:
        return None
    scores = _Scores.of(model, free, games, None)
    a, b, pair, players = numbered(first, second)
    by_player = cluster_sums(scores.score, np.concatenate([a, b]), players)
    by_pair = cluster_sums(scores.score, pair)
    meat = by_player.T @ by_player - by_pair.T @ by_pair
    covariance = scores.at_least_independent(scores.bread @ meat @ scores.bread)
    freedom = max(worth - 2.0, 1.0)
    return CoefficientRegion(
        model, tuple(free), scores.peak, covariance, freedom, f"{players} players"
    )
