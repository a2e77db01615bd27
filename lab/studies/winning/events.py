"""How much events differ, whether the interval of one event holds, and what ratings add.

For ``docs/studies/winning-model.md``: ``python -m lab.studies.winning_model GAMES --events``.
"""

from __future__ import annotations

import csv
import gzip
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.winprob.fit import EVENT_GAMES, FREE, fit_games, fit_winning_model
from yardstone.winprob.games import GameColumns, read_games_csv
from yardstone.winprob.kaniuk import log_gradients
from yardstone.winprob.model import model_draws
from yardstone_lab.kaniuk import by_ratings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.winprob.kaniuk import GradeModel

    Array = NDArray[np.float64]

CONGRESS = "EGC 2011 Main Tournament"
#: Parts of the events besides the congress.
PARTS = 10
LEVELS = (0.5, 0.8, 0.95)
#: Events with fewer unequal games are not looked at.
FEWEST = 10
DRAWS = 2_000
_STEP = 0.02
_GRID = np.arange(-8.0 + 0.5 * _STEP, 8.0, _STEP)


def event_lines(pool: Pool, path: Path) -> Iterator[str]:
    """The tables."""
    games = GameColumns.from_pool(pool, group="event")
    model = fit_winning_model(pool, event_games=EVENT_GAMES).fit.model
    yield f"### How much events differ: {len(np.unique(games.group))} events"
    yield ""
    yield "| form of the log odds of one event | likeliest deviation | log-likelihood less by |"
    yield "|---|--:|--:|"
    fits = {name: best_spread(form(model, games)) for name, form in FORMS.items()}
    most = fits[next(iter(FORMS))][1]
    for name, (spread, likelihood) in fits.items():
        yield f"| {name} | {spread:.2f} | {most - likelihood:.1f} |"
    yield ""
    yield "### The interval of one event, on events that the fit has not seen"
    yield ""
    yield "| interval | events | number won by the side less likely to win inside |"
    yield "|---|--:|--:|"
    inside = held(pool)
    for level, hits in zip(LEVELS, inside.T, strict=True):
        yield f"| {100 * level:g} % | {len(hits)} | {int(hits.sum())} |"
    yield ""
    yield "### Ratings and grades, on events left out: even games outside the congress"
    yield ""
    yield "| both ratings of | games | events | log loss by ratings | by grades |"
    yield "|---|--:|--:|--:|--:|"
    for federation in ("EGF", "FFG"):
        number, events, by_ratings, by_grades = ratings_and_grades(pool, path, federation)
        yield f"| {federation} | {number:,} | {events} | {by_ratings:.3f} | {by_grades:.3f} |"
    yield ""


def _odds(model: GradeModel, games: GameColumns) -> tuple[Array, NDArray[np.bool_]]:
    """Log odds of the likelier side, and whether it won."""
    log_win, log_loss, _, _ = log_gradients(
        model.vector, model.link, games.first, games.second, games.handicap, games.komi
    )
    odds = log_win - log_loss
    return np.abs(odds), (odds >= 0.0) == games.first_won


Likelihood = Callable[[float], float]


def _mixture(
    of_grid: Callable[[Array, Array], Array], log_density: Callable[[Array, float], Array]
) -> Callable[[GradeModel, GameColumns], Likelihood]:
    """The likelihood of events whose log odds change by a random number."""

    def of(model: GradeModel, games: GameColumns) -> Likelihood:
        from scipy.special import log_expit, logsumexp

        odds, won = _odds(model, games)
        sign = np.where(won, 1.0, -1.0)
        number = np.unique(games.group, return_inverse=True)[1]
        of_event = np.array(
            [np.bincount(number, log_expit(sign * of_grid(odds, np.asarray(at)))) for at in _GRID]
        )

        def likelihood(spread: float) -> float:
            weight = log_density(_GRID, spread)
            weight = weight - logsumexp(weight)
            return float(logsumexp(of_event + weight[:, None], axis=0).sum())

        return likelihood

    return of


def _times(odds: Array, factor: Array) -> Array:
    return odds * factor


def _normal(at: Array, spread: float) -> Array:
    return np.asarray(-0.5 * ((at - 1.0) / spread) ** 2)


def _gamma(at: Array, spread: float) -> Array:
    shape = spread**-2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(at > 0.0, (shape - 1.0) * np.log(at) - shape * at, -np.inf)


def _lognormal(at: Array, spread: float) -> Array:
    variance = np.log1p(spread**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.log(at) + 0.5 * variance
        return np.where(at > 0.0, -0.5 * off**2 / variance - np.log(at), -np.inf)


#: Forms of what is random in an event, with mean 1 (the last: 0); the first is the model's.
FORMS: dict[str, Callable[[GradeModel, GameColumns], Likelihood]] = {
    "times max(0, s), s normal": _mixture(lambda odds, s: odds * np.maximum(s, 0.0), _normal),
    "times s, s normal (may turn players round)": _mixture(_times, _normal),
    "times s, s gamma": _mixture(_times, _gamma),
    "times s, s lognormal": _mixture(_times, _lognormal),
    "plus s for the likelier side, s normal about 0": _mixture(
        lambda odds, s: odds + s, lambda at, spread: _normal(at + 1.0, spread)
    ),
}


def best_spread(likelihood: Likelihood) -> tuple[float, float]:
    """The likeliest deviation, and its log-likelihood."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda spread: -likelihood(spread), bounds=(0.05, 3.0), method="bounded"
    )
    return float(found.x), -float(found.fun)


def held(pool: Pool, seed: int = 0) -> NDArray[np.bool_]:
    """Whether the number of games won by the less likely side lay in each interval.

    Events are dealt to parts of like size, the congress alone to one. Numbers are drawn from
    the fit to the other parts: its coefficients, what is random in the event, and the games.

    Returns:
        bool array (events, levels)
    """
    rng = np.random.default_rng(seed)
    event = np.asarray(pool.columns["event"])
    names, number, size = np.unique(event, return_inverse=True, return_counts=True)
    part, filled = np.zeros(len(names), np.int64), np.zeros(PARTS)
    for each in np.argsort(-size, kind="stable"):
        part[each] = int(np.argmin(filled)) if names[each] != CONGRESS else PARTS
        if names[each] != CONGRESS:
            filled[part[each]] += size[each]
    rows = []
    for k in range(PARTS + 1):
        model = fit_winning_model(pool.select(part[number] != k), event_games=EVENT_GAMES).model
        region = model.region
        assert region is not None
        assert region.between is not None
        games = GameColumns.from_pool(pool.select(part[number] == k), group="event")
        drawn = model_draws(model, DRAWS // 10, rng)
        p = np.array(
            [
                each.probability(
                    games.first, games.second, handicap=games.handicap, komi=games.komi
                )
                for each in drawn
            ]
        )
        best = model.probability(
            games.first, games.second, handicap=games.handicap, komi=games.komi
        )
        odds = np.repeat(np.log(p) - np.log1p(-p), 10, axis=0)
        for label in np.unique(games.group):
            mine = (games.group == label) & (best != 0.5)
            if mine.sum() < FEWEST:
                continue
            times = np.maximum(rng.normal(1.0, region.between, (len(odds), 1)), 0.0)
            sign = np.where(best[mine] < 0.5, 1.0, -1.0)
            weaker = 1.0 / (1.0 + np.exp(-sign * times * odds[:, mine]))
            numbers = (rng.random(weaker.shape) < weaker).sum(axis=1)
            won = int(np.sum(games.first_won[mine] == (best[mine] < 0.5)))
            rows.append(
                [
                    bool(
                        np.quantile(numbers, 0.5 - 0.5 * level)
                        <= won
                        <= np.quantile(numbers, 0.5 + 0.5 * level)
                    )
                    for level in LEVELS
                ]
            )
    return np.array(rows)


def ratings_and_grades(pool: Pool, path: Path, federation: str) -> tuple[int, int, float, float]:
    """Games, events, and log loss by ratings of a federation and by the model of grades.

    Both are fitted to the other events: ratings to games between players with such ratings.
    """
    with gzip.open(path, "rt", encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        rows = csv.reader(file)
        names = next(rows)
        sides = [names.index("w_origin"), names.index("b_origin")]
        chosen = Path(folder) / "games.csv"
        with chosen.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(names)
            writer.writerows(
                row for row in rows if all(row[k].startswith(federation) for k in sides)
            )
        rated = read_games_csv(chosen, screen=0.0)
    event = np.asarray(rated.columns["event"])
    even = (np.asarray(rated.columns["handicap"]) == 0) & (event != CONGRESS)
    rated = rated.select(even & np.isin(event, pool.columns["event"]))
    games = GameColumns.from_pool(rated, group="event")
    labels = np.unique(rated.columns["event"])
    games = games.select(games.rated)
    loss = np.zeros((2, len(games)))
    for label in np.unique(games.group):
        test = games.group == label
        others = pool.select(np.asarray(pool.columns["event"]) != labels[label])
        by_grades = fit_games(
            GameColumns.from_pool(others, group="event"), free=FREE, event_games=EVENT_GAMES
        ).model
        on_ratings = fit_games(
            by_ratings(games.select(~test)), free=("u0",), event_games=EVENT_GAMES
        ).model
        left_out = games.select(test)
        for k, (model, seen) in enumerate(
            ((on_ratings, by_ratings(left_out)), (by_grades, left_out))
        ):
            p = model.probability(seen.first, seen.second, komi=seen.komi)
            loss[k, test] = -np.log(np.where(seen.first_won, p, 1.0 - p))
    return len(games), len(np.unique(games.group)), float(loss[0].mean()), float(loss[1].mean())
