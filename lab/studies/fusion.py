"""Do moves and results together predict better than either? ``python -m lab.studies.fusion``.

Takes the pool of an experiment (``yardstone strength run``, its ``winners/pool.npz``) and the
stores of features of some of its games: those of `lab.studies.strength_tygem`. A ridge
regression turns the mean features of a player's earlier moves into a rating, `MovesPrior`
makes a prior of it, and Glicko-2 or whole-history rating goes on from there with the
results. Two questions:

- *Later games*: everything is learned before one day, and the games from then on are
  predicted. Then again with all but the last k games of both players hidden.
- *Newcomers*: games between players with one to four earlier games each. Nobody who
  plays one of them is learned from.

The regression is trained on the oldest games with features, its settings and the prior
are chosen on the games after these; the games to be predicted choose nothing. The tables
go to ``docs/studies/fusion-tables.md``.
"""

from __future__ import annotations

import argparse
import platform
import sys
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.studies.order import POOL, ROOT, STORE, require
from yardstone.evaluation.metrics import game_metrics, log_likelihood
from yardstone.evaluation.splits import earlier_games, rating_labels
from yardstone.evaluation.uncertainty import bootstrap
from yardstone.ratings.glicko import Glicko2
from yardstone.ratings.joint import Prior
from yardstone.ratings.whole_history import WholeHistory
from yardstone.strength.fusion import (
    COLUMNS,
    GlickoFromMoves,
    MovesPrior,
    Sides,
    fit_moves_prior,
    fuse,
)
from yardstone_lab.neubauer.experiment.games import load_pool
from yardstone_lab.neubauer.experiment.questions import hidden_games, predict_hidden
from yardstone_lab.neubauer.fusion_rows import fit_combination
from yardstone_lab.neubauer.moves import Stores, histories

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.ratings.result import Replay

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Ints = NDArray[np.int64]

TABLES = ROOT / "docs" / "studies" / "fusion-tables.md"
#: What a regression may see: kinds of features. ``candidates`` is the trunk at the other
#: moves that the network likes, by its policy.
FEATURES = {
    "head": ("head",),
    "head, pick": ("head", "pick"),
    "head, pick, candidates": ("head", "pick", "candidates"),
    "head, pick, after, mean": ("head", "pick", "after", "mean"),
    "all": ("head", "pick", "after", "mean", "candidates"),
}
KINDS = FEATURES["all"]
PENALTIES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
#: Moves of at most so many of a player's last games.
GAMES = 30
HIDDEN = (0, 1, 2, 3, 4)
#: For newcomers the prior is fitted to the moves of the last few games alone.
FEW = (1, 2, 4)
#: A game of so many moves counts in full when the regression is trained.
_FULL = 500.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pool", type=Path, default=ROOT / POOL)
    parser.add_argument("--stores", type=Path, nargs="+", default=[ROOT / STORE])
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "fusion", help="keeps the means"
    )
    parser.add_argument("--tune-from", type=np.datetime64, default=np.datetime64("2006-02-01"))
    parser.add_argument("--train-from", type=np.datetime64, default=np.datetime64("2006-05-10"))
    parser.add_argument("--fit-from", type=np.datetime64, default=np.datetime64("2006-07-10"))
    parser.add_argument("--test-from", type=np.datetime64, default=np.datetime64("2006-07-20"))
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    options = parser.parse_args()
    missing = [path for path in (options.pool, *options.stores) if not path.exists()]
    if {options.pool, *options.stores} == {ROOT / POOL, ROOT / STORE}:
        require("fusion")
    elif missing:
        sys.exit(f"lab.studies.fusion: no {missing[0]}")
    study = Study(options)
    lines = [*study.later_games(), "", *study.newcomers(), "", study.made_by()]
    TABLES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(TABLES.read_text(encoding="utf-8"))


@dataclass(frozen=True, eq=False)
class Means:
    """Features of every side of every game of a pool, added up over its moves.

    Attributes:
        sums (float64 [2 * games + 1, width]): Running sums over the sides in the order of
            `histories`.
        moves (int64 [2 * games + 1]): Likewise, their number.
        columns: Where each kind of features stands.
    """

    pool: Pool
    sums: Array
    moves: Ints
    columns: dict[str, slice]

    @classmethod
    def of(cls, pool: Pool, stores: Stores) -> Means:
        """Add up the features of all stores."""
        pieces = stores.pieces(pool.columns["key"].tolist())
        order, _, _ = histories(pool)
        start, length = pieces.start.ravel()[order], pieces.length.ravel()[order]
        first = side_features(stores, np.arange(1))
        columns, width = {}, 0
        for kind, values in first.items():
            columns[kind] = slice(width, width + values.shape[1])
            width += values.shape[1]
        sums = np.zeros((len(order) + 1, width))
        for row in range(len(order)):
            sums[row + 1] = sums[row]
            if length[row]:
                result = side_features(stores, start[row] + np.arange(length[row]))
                sums[row + 1] += np.concatenate([result[kind].sum(axis=0) for kind in KINDS])
        return cls(pool, sums, np.concatenate([[0], np.cumsum(length)]), columns)

    def before(self, games: Ints, kinds: tuple[str, ...], last: int = GAMES) -> tuple[Array, Ints]:
        """Mean features of both sides' last games before some games: [2 * g, width]."""
        _, place, begins = histories(self.pool)
        here = place[(2 * games[:, None] + np.array([0, 1])).ravel()]
        oldest = np.maximum(begins[here], here - last)
        number = self.moves[here] - self.moves[oldest]
        chosen = np.concatenate([np.arange(self.sums.shape[1])[self.columns[k]] for k in kinds])
        total = self.sums[np.ix_(here, chosen)] - self.sums[np.ix_(oldest, chosen)]
        return total / np.maximum(number, 1)[:, None], number


def side_features(stores: Stores, rows: Ints) -> dict[str, Array]:
    """Features of some moves by kind, with some plain functions of the head's."""
    head = np.nan_to_num(stores.gather("head", rows).astype(np.float64))
    policy, best = np.clip(head[:, 2:4] + 0.5, 1e-6, 1.0).T
    lost, wins = np.clip(10.0 * head[:, 5], 0.0, 30.0), np.clip(head[:, 4], 0.0, 1.0)
    columns = [np.log(policy), np.log(policy / best), policy >= best]
    columns += [np.log1p(lost), np.sqrt(wins), lost > 3.0]
    chances = np.nan_to_num(stores.gather("chances", rows).astype(np.float64))
    share = chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-9)
    others = stores.gather("candidates", rows).astype(np.float64)
    result = {"head": np.column_stack([head, *columns])}
    for kind in ("pick", "after", "mean"):
        result[kind] = stores.gather(kind, rows).astype(np.float64)
    result["candidates"] = np.einsum("nk,nkc->nc", share, others)
    return result


@dataclass(frozen=True, eq=False)
class Ridge:
    """Ratings from mean features."""

    kinds: tuple[str, ...]
    penalty: float
    centre: Array
    spread: Array
    weights: Array

    def sides(self, means: Means, replay: Replay, games: Ints, last: int = GAMES) -> Sides:
        """What is known of both sides of some games from results and moves."""
        result, number = means.before(games, self.kinds, last)
        rating = ((result - self.centre) / self.spread) @ self.weights
        return known_sides(replay, games, rating, number)


def known_sides(replay: Replay, games: Ints, rating: Array, moves: Ints) -> Sides:
    if replay.first_deviation is None or replay.second_deviation is None:
        raise ValueError("the system has no deviations")
    return Sides(
        np.column_stack([replay.first_rating[games], replay.second_rating[games]]),
        np.column_stack([replay.first_deviation[games], replay.second_deviation[games]]),
        rating.reshape(-1, 2),
        moves.reshape(-1, 2),
    )


class Study:
    """Everything that is computed once."""

    def __init__(self, options: Any) -> None:
        self.options = options
        self.pool = load_pool(options.pool)
        self.means = self._means(Stores.open(options.stores))
        order, _, _ = histories(self.pool)
        sides = np.zeros(2 * len(self.pool), np.bool_)
        sides[order] = np.diff(self.means.moves) > 0
        self.seen = sides[0::2] | sides[1::2]
        one, two = earlier_games(self.pool)
        few = (np.minimum(one, two) >= 1) & (np.maximum(one, two) <= 4)
        self.few = few & self._all_seen()
        self.system = self._tuned()
        self.base = Prior(self.system.initial, self.system.initial_deviation)
        self.replay = self.system.replay(self.pool)

    def _means(self, stores: Stores) -> Means:
        folder: Path = self.options.folder
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "means.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as file:
                if file["key"].tolist() == self.pool.columns["key"].tolist():
                    columns = {k: slice(*file[f"at_{k}"].tolist()) for k in KINDS}
                    return Means(self.pool, file["sums"], file["moves"], columns)
        made = Means.of(self.pool, stores)
        places: dict[str, Any] = {
            f"at_{k}": np.array([at.start, at.stop]) for k, at in made.columns.items()
        }
        keys = self.pool.columns["key"]
        np.savez(path, sums=made.sums, moves=made.moves, key=keys, **places)
        return made

    def _all_seen(self) -> Mask:
        """Games of two players whose earlier games all have features."""
        order, place, begins = histories(self.pool)
        unseen = np.concatenate([np.zeros(1, np.int64), np.cumsum(~self.seen[order // 2])])
        missing = (unseen[place] - unseen[begins[place]]).reshape(-1, 2)
        return np.asarray((missing == 0).all(axis=1))

    def _between(self, low: np.datetime64, high: np.datetime64 | None) -> Mask:
        time = self.pool.time
        if time is None:
            raise ValueError("the pool has no times")
        later = time >= low
        return np.asarray(later if high is None else later & (time < high))

    def _tuned(self) -> Glicko2:
        """Glicko-2 with the deviation and volatility that suit the games before the fit."""
        from scipy.optimize import minimize

        judged = self._between(self.options.tune_from, self.options.fit_from) & ~self.few

        def made(unknowns: Array) -> Glicko2:
            deviation, volatility = np.exp(unknowns)
            return Glicko2(
                initial_deviation=float(deviation), initial_volatility=float(volatility), tau=0.3
            )

        def against(unknowns: Array) -> float:
            expected = made(unknowns).replay(self.pool).expected
            return -log_likelihood(self.pool.score[judged], expected[judged])

        options = {"xatol": 0.02, "fatol": 1e-6, "maxiter": 80}
        start = np.log([200.0, 0.04])
        return made(minimize(against, start, method="Nelder-Mead", options=options).x)

    def learn(
        self, train: Mask, fit: Mask, until: np.datetime64 | None, *, few: Prior | None = None
    ) -> Learned:
        """A regression trained on some games, its settings and the prior fitted to others.

        The labels are ratings ten games ahead in the games before `until`. With `few`,
        the prior of a newcomer, the fit sees the moves of the players' last few games only,
        and no results: regulars would not tell how much a newcomer's few moves are worth.
        """
        labels = self._labels(until)
        past, now = np.flatnonzero(train), np.flatnonzero(fit)
        score = self.pool.score[now]
        best: tuple[float, Learned] | None = None
        for name, kinds in FEATURES.items():
            result, number = self.means.before(past, kinds)
            known = number > 0
            y = labels[past].ravel()
            centre = np.average(result[known], axis=0, weights=number[known])
            spread = np.maximum(result[known].std(axis=0), 1e-9)
            z, rest = (result[known] - centre) / spread, y[known] - y[known].mean()
            weight = np.minimum(number[known], _FULL) / _FULL
            gram, right = z.T @ (z * weight[:, None]), z.T @ (rest * weight)
            for penalty in PENALTIES:
                full = gram + penalty * weight.sum() * np.eye(len(gram))
                ridge = Ridge(kinds, penalty, centre, spread, np.linalg.solve(full, right))
                sides = ridge.sides(self.means, self.replay, now)
                asked, scores = sides, score
                if few is not None:
                    asked, scores = self._with_few(ridge, now, few), np.tile(score, len(FEW))
                prior = fit_moves_prior(asked, scores, self.system, few or self.base)
                told_now = log_likelihood(scores, prior.expected(asked, self.system))
                if best is None or told_now > best[0]:
                    best = told_now, Learned(name, ridge, prior, sides, len(past), now)
        if best is None:
            raise ValueError("nothing was tried")
        print(f"{best[0]:.4f} on the games of the fit: {best[1].told()}", file=sys.stderr)
        return best[1]

    def _with_few(self, ridge: Ridge, games: Ints, base: Prior) -> Sides:
        """What is known if both sides had only a few earlier games, without their results."""
        result = [ridge.sides(self.means, self.replay, games, last) for last in FEW]
        blank = np.ones((len(FEW) * len(games), 2))
        return Sides(
            base.mean * blank,
            base.deviation * blank,
            np.concatenate([each.moves_rating for each in result]),
            np.concatenate([each.moves for each in result]),
        )

    def _labels(self, until: np.datetime64 | None) -> Array:
        time = self.pool.time
        rows = np.arange(len(self.pool))
        if until is not None and time is not None:
            rows = np.flatnonzero(time < until)
        games = self.pool.select(rows)
        result = rating_labels(games, self.system.replay(games))
        labels = np.full((len(self.pool), 2), np.nan)
        labels[rows] = np.column_stack([result.first, result.second])
        return labels

    def predictions(self, learned: Learned, games: Ints) -> dict[str, Array]:
        """What each system expects of some games."""
        system, pool, replay = self.system, self.pool, self.replay
        sides = learned.ridge.sides(self.means, replay, games)
        prior = learned.prior
        moves = prior.from_moves_alone(sides, system)
        before = replay.expected[learned.fitted]
        combination = fit_combination(
            pool.score[learned.fitted], before, prior.from_moves_alone(learned.sides, system)
        )
        everything = np.arange(len(pool))
        all_sides = learned.ridge.sides(self.means, replay, everything)
        mean, deviation = prior.prior(all_sides.moves_rating, all_sides.moves)
        priors = (mean[:, 0], deviation[:, 0], mean[:, 1], deviation[:, 1])
        columns = {**pool.columns, **dict(zip(COLUMNS, priors, strict=True))}
        sequential = GlickoFromMoves(
            initial_deviation=system.initial_deviation,
            initial_volatility=system.initial_volatility,
            tau=system.tau,
        ).replay(replace(pool, columns=columns))
        whole = WholeHistory(w2=5.0, prior_deviation=system.initial_deviation, window=60)
        history = whole.replay(pool)
        known = known_sides(history, games, sides.moves_rating, sides.moves)
        rating, spread = fuse(
            known.rating, known.deviation, *prior.prior(known.moves_rating, known.moves),
            Prior(whole.average, whole.prior_deviation),
        )  # fmt: skip
        return {
            "50:50": np.full(len(games), 0.5),
            "Glicko-2, usual parameters": Glicko2().replay(pool).expected[games],
            "Glicko-2, tuned": replay.expected[games],
            "Whole-history rating": history.expected[games],
            "Moves alone": moves,
            "Logistic combination": combination.expected(replay.expected[games], moves),
            "Fusion with Glicko-2": sequential.expected[games],
            "Fusion with Glicko-2, at the end": prior.expected(sides, system),
            "Fusion with whole-history rating": whole.probability(
                rating[:, 0], rating[:, 1], spread[:, 0], spread[:, 1]
            ),
        }

    def later_games(self) -> list[str]:
        """The table of later games, and that with games hidden."""
        options = self.options
        train = self.seen & self._between(options.train_from, options.fit_from)
        fit = self.seen & self._between(options.fit_from, options.test_from)
        learned = self.learn(train, fit, options.test_from)
        games = np.flatnonzero(self.seen & self._between(options.test_from, None))
        result = self.predictions(learned, games)
        lines = [f"**Later games**: {self._told(games)} {learned.told()}", ""]
        lines += self._table(games, result, "Fusion with Glicko-2")
        base = self._start_of_regulars(np.flatnonzero(fit))
        newcomer = self.learn(train, fit, options.test_from, few=base)
        lines += ["", *self._hidden(newcomer, games)]
        return lines

    def _start_of_regulars(self, games: Ints) -> Prior:
        """With what rating and deviation a regular should start whose past is hidden.

        Regulars are stronger than newcomers and closer together. The most likely start
        for the results of some games with all but the last few hidden.
        """
        from scipy.optimize import minimize

        hidden = [hidden_games(self.pool, games, last) for last in FEW]
        ones = np.ones(2 * len(games))

        def against(unknowns: Array) -> float:
            above, width = unknowns
            result = [
                predict_hidden(
                    self.pool, self.replay, self.system, each,
                    rating=(self.base.mean + 100.0 * above) * ones,
                    deviation=100.0 * float(np.exp(width)) * ones,
                )
                for each in hidden
            ]  # fmt: skip
            return -float(np.mean([self._likely(games, each).mean() for each in result]))

        options = {"xatol": 0.05, "fatol": 1e-5, "maxiter": 40}
        above, width = minimize(against, [1.0, 0.0], method="Nelder-Mead", options=options).x
        return Prior(self.base.mean + 100.0 * float(above), 100.0 * float(np.exp(width)))

    def _hidden(self, learned: Learned, games: Ints) -> list[str]:
        base = learned.prior.base
        lines = [
            "**Later games with all but the last k games of both hidden**: log-likelihoods. "
            f"Glicko-2 starts hidden players at {base.mean:.0f} ± {base.deviation:.0f}, fitted "
            f"to games of this kind. {learned.told()}",
            "",
            "| k | Glicko-2, tuned | Glicko-2, start fitted | moves alone | fusion | "
            "fusion less Glicko-2 | fusion less moves |",
            "|--:|--:|--:|--:|--:|--:|--:|",
        ]
        for last in HIDDEN:
            hidden = hidden_games(self.pool, games, last)
            sides = learned.ridge.sides(self.means, self.replay, games, last)
            mean, deviation = learned.prior.prior(sides.moves_rating, sides.moves)
            usual = np.full(2 * len(games), base.mean), np.full(2 * len(games), base.deviation)
            expected = [
                predict_hidden(
                    self.pool, self.replay, self.system, hidden, rating=start, deviation=width
                )
                for start, width in ((None, None), usual, (mean.ravel(), deviation.ravel()))
            ]
            expected.insert(2, learned.prior.from_moves_alone(sides, self.system))
            likely = [self._likely(games, each) for each in expected]
            cells = [f"{each.mean():.4f}" for each in likely]
            cells += [self._less(games, likely[3], likely[part]) for part in (1, 2)]
            lines.append(f"| {last} | {' | '.join(cells)} |")
        return lines

    def newcomers(self) -> list[str]:
        """The table of newcomers, from whom nothing was learned."""
        games = np.flatnonzero(self.few)
        players = np.union1d(self.pool.first[games], self.pool.second[games])
        apart = ~np.isin(self.pool.first, players) & ~np.isin(self.pool.second, players)
        middle = self.options.test_from - np.timedelta64(2, "D")
        train = self.seen & apart & self._between(self.options.train_from, middle)
        fit = self.seen & apart & self._between(middle, None)
        learned = self.learn(train, fit, None, few=self.base)
        result = self.predictions(learned, games)
        return [
            f"**Newcomers**: {self._told(games)} {learned.told()}",
            "",
            *self._table(games, result, "Fusion with Glicko-2"),
        ]

    def _likely(self, games: Ints, expected: Array) -> Array:
        return game_metrics(self.pool.score[games], expected)["log_likelihood"]

    def _less(self, games: Ints, one: Array, other: Array) -> str:
        ends = self.pool.first[games], self.pool.second[games]
        result = bootstrap(np.array([one, other]), *ends, seed=self.options.seed)
        between = result.interval([1.0, -1.0])
        return f"{between.estimate:+.4f} ({between.low:+.4f} to {between.high:+.4f})"

    def _table(self, games: Ints, values: dict[str, Array], subject: str) -> list[str]:
        lines = [
            "| system | accuracy | log-likelihood | fusion less this |",
            "|---|--:|--:|--:|",
        ]
        best = self._likely(games, values[subject])
        for name, expected in values.items():
            likely = self._likely(games, expected)
            accuracy = game_metrics(self.pool.score[games], expected)["accuracy"].mean()
            less = "" if name == subject else self._less(games, best, likely)
            lines.append(f"| {name} | {100 * accuracy:.1f} % | {likely.mean():.4f} | {less} |")
        return lines

    def _told(self, games: Ints) -> str:
        players = len(np.union1d(self.pool.first[games], self.pool.second[games]))
        return f"{len(games):,} games of {players:,} players."

    def made_by(self) -> str:
        """How the tables came about."""
        options = self.options
        when = ", ".join(
            f"{name.replace('_', ' ')} {getattr(options, name)}"
            for name in ("tune_from", "train_from", "fit_from", "test_from")
        )
        versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
        return (
            f"`python -m lab.studies.fusion --seed {options.seed}` ({when}), {date.today()}; "
            f"Yardstone {version('yardstone')}, {versions}, Python {platform.python_version()}. "
            f"Glicko-2 was tuned to a deviation of {self.system.initial_deviation:.0f} points and "
            f"a volatility of {self.system.initial_volatility:.4f}. Intervals are of 95 %, by "
            "bootstrap over players."
        )


@dataclass(frozen=True, eq=False)
class Learned:
    """A regression and a prior, and how they came about."""

    name: str
    ridge: Ridge
    prior: MovesPrior
    sides: Sides
    trained: int
    fitted: Ints

    def told(self) -> str:
        """The same in words."""
        prior = self.prior
        return (
            f"Regression ({self.name}; penalty {self.ridge.penalty:g}) on {self.trained:,} games; "
            f"prior fitted to {len(self.fitted):,}: level {prior.level:.0f}, slope "
            f"{prior.slope:.2f}, half of what moves "
            f"tell after {prior.half:.0f} of them, deviation {prior.deviation:.0f} points."
        )


if __name__ == "__main__":
    main()
