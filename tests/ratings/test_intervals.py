"""Errors against brute force: one game, cluster or pair after the other, and finite differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations, product
from math import exp, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from tests.ratings.simulated import simulated_pool
from yardstone import parallel
from yardstone.errors import ModelError, UsageError
from yardstone.pool import PairCounts, Pool
from yardstone.ratings import BradleyTerry, JointRatings, Prior, Relation, uncertainty
from yardstone.ratings.graph import Graph, Relations
from yardstone.ratings.joint import unbiased_draw_rate
from yardstone.ratings.result import Estimate
from yardstone.ratings.simulation import simulate
from yardstone.winprob.laws import win_draw_loss

Floats = NDArray[np.float64]
SCORES = np.array([1.0, 0.5, 0.0])
STEP = 1e-5
#: Central differences of such a step are good to this share.
CLOSE = 1e-6
LOOSE = {"P003": Prior(2350, 15), "P004": Prior(2250, 25)}
RELATIONS = (Relation("P005", "P006", 10, 10),)
AUTO: dict[str, Any] = {"first_advantage": "auto", "draw_rate": "auto"}

SYSTEMS = {
    "given": BradleyTerry(draw_rate=0.3),
    "score": BradleyTerry(**AUTO, method="score"),
    "anchor": BradleyTerry(**AUTO, anchor="P002", method="score"),
    "mean": BradleyTerry(anchor="P002", reference="mean", scale=400.0),
    "likelihood": BradleyTerry(**AUTO),
    "anchors": BradleyTerry(
        anchors={"P000": 2400.0, "P001": 2300.0}, first_advantage="auto", method="score"
    ),
    "join": BradleyTerry(**AUTO, join=90.0),
    "priors": BradleyTerry(
        loose_anchors=LOOSE,
        relations=RELATIONS,
        first_advantage=Prior(20, 5),
        draw_rate=Prior(0.3, 0.02),
    ),
}


def pool_of(players: int = 8, games: int = 400, seed: int = 1) -> Pool:
    generator = np.random.default_rng(seed)
    return simulated_pool(generator.normal(0, 120, players), games, generator, advantage=25)


def chances(at: Floats, i: int, j: int) -> Floats:
    """Of a win, a draw and a loss of `i`; `at` ends with advantage and draw rate."""
    return np.array(win_draw_loss(1.0 / (1.0 + exp(at[j] - at[i] - at[-2])), at[-1]))


def moved(at: Floats, unknown: int) -> tuple[Floats, Floats]:
    step = STEP * np.eye(len(at))[unknown]
    return at + step, at - step


def equations(system: BradleyTerry, at: Floats, i: int, j: int) -> Floats:
    """What a win, a draw and a loss add to the equation of each unknown: (3, unknowns)."""
    rows = np.zeros((3, len(at)))
    chance = chances(at, i, j)
    if system.likelihood:
        for k in {i, j, len(at) - 2, len(at) - 1}:
            up, down = (np.log(chances(place, i, j)) for place in moved(at, k))
            rows[:, k] = (up - down) / (2.0 * STEP)
        return rows
    surplus = SCORES - chance @ SCORES
    rows[:, i], rows[:, j], rows[:, -2] = surplus, -surplus, surplus
    rows[:, -1] = np.array([0.0, 1.0, 0.0]) - chance[1]
    return rows


def unknowns(ratings: JointRatings) -> Floats:
    extra = [ratings.first_advantage.value / ratings.points_per_logit, ratings.draw_rate.value]
    return np.append(ratings.rating / ratings.points_per_logit, extra)


def precision(system: BradleyTerry, players: tuple[str, ...]) -> Floats:
    """That of all priors, as a matrix over the unknowns."""
    n, logit = len(players), system.points_per_logit
    matrix = np.zeros((n + 2, n + 2))
    if system.join is not None:
        matrix[np.arange(n), np.arange(n)] = (logit / system.join) ** 2
    for name, prior in system.loose_anchors.items():
        row = players.index(name)
        matrix[row, row] = (logit / prior.deviation) ** 2
    for each in system.relations:
        apart = np.zeros(n + 2)
        apart[[players.index(each.player), players.index(each.other)]] = 1.0, -1.0
        matrix += (logit / each.deviation) ** 2 * np.outer(apart, apart)
    if isinstance(system.first_advantage, Prior):
        matrix[n, n] = (logit / system.first_advantage.deviation) ** 2
    if isinstance(system.draw_rate, Prior):
        matrix[n + 1, n + 1] = system.draw_rate.deviation**-2
    return matrix


def slope_and_noise(system: BradleyTerry, counts: PairCounts, at: Floats) -> tuple[Floats, Floats]:
    """Slope of all equations, by finite differences, and their covariance."""
    slope, noise = np.zeros((2, len(at), len(at)))
    pairs = zip(counts.first.tolist(), counts.second.tolist(), counts.games, strict=True)
    for i, j, games in pairs:
        chance, rows = chances(at, i, j), equations(system, at, i, j)
        information = games * (rows.T * chance) @ rows
        noise += information
        if system.likelihood:
            slope += information
            continue
        for k in (i, j, len(at) - 2, len(at) - 1):
            up, down = (chance @ equations(system, place, i, j) for place in moved(at, k))
            slope[:, k] -= games * (up - down) / (2.0 * STEP)
    return slope, noise


def inverted(system: BradleyTerry, ratings: JointRatings, slope: Floats) -> Floats:
    """The inverse over what is estimated, with a level filled in where none is known."""
    n = len(ratings)
    if ratings.reference != "prior" and not system.anchors:
        for number in range(ratings.components):
            members = np.flatnonzero(ratings.component == number)
            slope[np.ix_(members, members)] += 1.0
    free = [name not in system.anchors for name in ratings.players]
    given = (system.first_advantage, system.draw_rate)
    free += [isinstance(each, str | Prior) for each in given]
    inner = np.ix_(free, free)
    inverse = np.zeros((n + 2, n + 2))
    inverse[inner] = np.linalg.inv(slope[inner])
    return inverse


def referred(ratings: JointRatings, total: Floats, anchor: str | None) -> Floats:
    """Covariance of the differences from the anchor, or from the mean of the group."""
    n = len(ratings)
    shift = np.eye(n + 2)
    for row in range(n):
        members = np.flatnonzero(ratings.component == ratings.component[row])
        if ratings.reference == "mean":
            shift[row, members] -= 1.0 / len(members)
        elif ratings.reference == "anchor" and anchor is not None:
            shift[row, ratings.index(anchor)] -= 1.0
    return np.asarray(shift @ total @ shift.T)


@pytest.mark.parametrize("name", [*SYSTEMS, "groups"])
def test_deviations_are_the_sandwich_of_finite_differences(name: str) -> None:
    system, pool = SYSTEMS.get(name, BradleyTerry(draw_rate="auto", method="score")), pool_of()
    if name == "groups":
        pool = Pool.from_names("ABABCDCDDEAB", "BABADCDCECBA", [1, 0.5, 1, 1, 1, 0.5] * 2)
    ratings = system.fit(pool)
    at = unknowns(ratings)
    slope, noise = slope_and_noise(system, pool.pair_counts(), at)
    known = precision(system, pool.players)
    inverse = inverted(system, ratings, slope + known)
    total = referred(ratings, inverse @ (noise + known) @ inverse.T, system.anchor)
    n, logit = len(pool.players), ratings.points_per_logit
    assert ratings.covariance is not None
    np.testing.assert_allclose(
        ratings.covariance, logit**2 * total[:n, :n], rtol=CLOSE, atol=CLOSE * logit**2
    )
    np.testing.assert_allclose(ratings.deviation**2, np.diag(ratings.covariance), atol=1e-9)
    advantage, rate = np.sqrt(np.diag(total)[n:])
    assert ratings.first_advantage.deviation == pytest.approx(logit * advantage, rel=1e-5)
    assert ratings.draw_rate.deviation == pytest.approx(rate, rel=1e-5)
    between = np.diag(total)[:n, None] + np.diag(total)[None, :n] - 2.0 * total[:n, :n]
    np.testing.assert_allclose(
        ratings.deviation_of_difference() ** 2, logit**2 * between, rtol=CLOSE, atol=1e-3
    )


def noise_of_clusters(
    system: BradleyTerry, ratings: JointRatings, pool: Pool, inverse: Floats
) -> Floats:
    """Covariance of the equations of players and advantage: over each two games of a cluster."""
    n, at = len(ratings), unknowns(ratings)
    members: dict[tuple[int, int, str], list[tuple[float, float, float]]] = {}
    for g, (i, j) in enumerate(zip(pool.first.tolist(), pool.second.tolist(), strict=True)):
        chance = chances(at, i, j)
        p = float(chance @ SCORES)
        variance = float(chance @ (SCORES - p) ** 2)
        weight = p * (1.0 - p) / variance if system.likelihood else 1.0
        label = str(pool.columns["opening"][g])
        key = (min(i, j), max(i, j), f"alone {g}" if label == "?" else label)
        game = weight * (float(pool.score[g]) - p), weight**2 * variance, 1.0 if i < j else -1.0
        members.setdefault(key, []).append(game)
    forward = inverse[n, n]
    # Products of residuals, freed of what the fit took from them, and of deviations.
    products: dict[float, list[tuple[float, float]]] = {1.0: [], -1.0: []}
    for (low, high, _), games in members.items():
        apart = inverse[low, low] + inverse[high, high] - 2.0 * inverse[low, high]
        mixed = inverse[low, n] - inverse[high, n]
        for kind, found in products.items():
            total = scale = 0.0
            for (r, v, side), (s, u, other) in permutations(games, 2):
                if side * other == kind:
                    reach = forward + kind * apart + (side + other) * mixed
                    total += r * s + reach * v * u
                    scale += sqrt(v * u)
            if scale > 0.0:
                found.append((total, scale))
    correlation = {}
    for kind, found in products.items():
        ratio = sum(p for p, _ in found) / max(sum(s for _, s in found), 1e-300)
        correlation[kind] = np.clip(ratio * len(found) / (len(found) + 2.0), -0.95, 0.95)
    played = Counter(player for low, high, _ in members for player in (low, high))
    noise = np.zeros((n + 2, n + 2))
    for (low, high, _), games in members.items():
        toward, ahead = np.zeros((2, n + 2))
        toward[[low, high]], ahead[n] = (1.0, -1.0), 1.0
        common = np.zeros((2, 2))  # of what goes to the players, and to the advantage
        for (a, (_, v, side)), (b, (_, u, other)) in product(enumerate(games), repeat=2):
            size = v if a == b else correlation[side * other] * sqrt(v * u)
            common += size * np.outer([side, 1.0], [other, 1.0])
        common[np.arange(2), np.arange(2)] = np.maximum(np.diag(common), 0.0)
        sums = sum(r * np.array([side, 1.0]) for r, _, side in games)
        own = min(played[low], played[high]) - 1.0
        share = own / (own + 30.0)
        both = share * (own + 1.0) / max(own, 1.0) * np.outer(sums, sums) + (1.0 - share) * common
        basis = np.stack([toward, ahead])
        noise += basis.T @ both @ basis
    return noise


@pytest.mark.parametrize("name", ["score", "likelihood", "join"])
@pytest.mark.parametrize(("luck", "unknown"), [(0.0, 0.1), (0.6, 0.1), (0.0, 1.0)])
def test_games_that_belong_together(name: str, luck: float, unknown: float) -> None:
    """Clusters of two to four games, among them games without an entry."""
    system = SYSTEMS[name]
    generator = np.random.default_rng(4)
    clusters, rows = 60, []
    for number in range(clusters):
        i, j = generator.permutation(5)[:2].tolist()
        white = generator.random()
        for turn in range(int(generator.integers(2, 5))):
            ends = (i, j) if turn % 2 else (j, i)
            place = white if generator.random() < luck else generator.random()
            result = 1.0 if place < 0.45 else 0.5 if place < 0.7 else 0.0
            label = "?" if generator.random() < unknown else str(number % 25)
            rows.append((*ends, result, label))
    first, second, score, labels = (np.array(each) for each in zip(*rows, strict=True))
    pool = Pool(tuple("ABCDE"), first, second, score, columns={"opening": labels})
    ratings, free = replace(system, paired=("opening",)).fit(pool), system.fit(pool)
    np.testing.assert_array_equal(ratings.rating, free.rating)
    slope, _ = slope_and_noise(system, pool.pair_counts(), unknowns(ratings))
    known = precision(system, pool.players)
    inverse = inverted(system, ratings, slope + known)
    noise = noise_of_clusters(system, ratings, pool, inverse) + known
    total = referred(ratings, inverse @ noise @ inverse.T, None)[:6, :6]
    logit = ratings.points_per_logit
    np.testing.assert_allclose(ratings.deviation, logit * np.sqrt(np.diag(total))[:5], rtol=1e-5)
    assert ratings.first_advantage.deviation == pytest.approx(logit * sqrt(total[5, 5]), rel=1e-5)
    assert ratings.draw_rate == free.draw_rate


def test_who_has_no_deviation() -> None:
    pool = Pool.from_names("ABCDCDE", "BADCDCE", [1, 1, 1, 1, 0.5, 1, 1])
    ratings = BradleyTerry().fit(pool)
    assert np.isnan(ratings["E"].deviation)
    alone = BradleyTerry().fit(pool.select(np.isin(pool.first, [0, 1])))
    assert ratings["A"].deviation == pytest.approx(alone["A"].deviation)
    even = Pool.from_names(["Ann"] * 4, ["Bob"] * 4, [1, 1, 0, 0.5])
    with pytest.raises(ModelError, match="do not determine the first-move advantage"):
        BradleyTerry(first_advantage="auto", method="score").fit(even)
    held = BradleyTerry(first_advantage=Prior(0.0, 100.0)).fit(even)
    assert held.first_advantage.deviation == pytest.approx(100.0, rel=1e-6)
    assert BradleyTerry(covariance=False).fit(even).covariance is None


@pytest.mark.parametrize("name", ["score", "anchor", "priors"])
def test_large_pools_get_the_same_deviations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system, pool = SYSTEMS[name], pool_of(players=40, games=6000)
    exact = system.fit(pool)
    monkeypatch.setattr(uncertainty, "FULL_MATRIX_LIMIT", 39)
    sampled = system.fit(pool)
    known = exact.deviation > 1e-6
    error = sampled.deviation[known] / exact.deviation[known] - 1.0
    said = sampled.extras[uncertainty.DEVIATION_ERROR]
    # Against the mean only a little is left to be sampled; against an anchor all of it.
    of_all = np.sqrt((error**2).mean())
    assert of_all < 0.002 if name == "score" else 0.5 * said < of_all < said < 0.072
    assert sampled.covariance is None
    assert sampled.first_advantage.deviation == pytest.approx(
        exact.first_advantage.deviation, rel=0.15
    )
    assert sampled.draw_rate.deviation == pytest.approx(exact.draw_rate.deviation, rel=1e-6)
    paired = replace(system, paired=("opening",))
    opened = replace(pool, columns={"opening": np.zeros(len(pool))})
    with pytest.raises(UsageError, match="at most 39 players"):
        paired.fit(opened)


# --- replays -------------------------------------------------------------------------------


def replayed(
    system: BradleyTerry, ratings: JointRatings, counts: PairCounts, generator: np.random.Generator
) -> tuple[JointRatings, int]:
    """Ratings of results drawn anew under priors drawn anew, and replays that fell apart."""
    at = unknowns(ratings)
    pairs = zip(counts.first.tolist(), counts.second.tolist(), strict=True)
    table = np.array([chances(at, i, j) for i, j in pairs])
    for rejected in range(100):
        results = generator.multinomial(counts.games.astype(int), table / table.sum(1)[:, None])
        wins, draws, losses = results.T.astype(float)
        loose = {
            name: Prior(generator.normal(prior.mean, prior.deviation), prior.deviation)
            for name, prior in system.loose_anchors.items()
        }
        if system.join is not None:
            for name in (name for name in ratings.players if name not in loose):
                loose[name] = Prior(generator.normal(system.average, system.join), system.join)
        related = tuple(
            replace(r, difference=generator.normal(r.difference, r.deviation))
            for r in system.relations
        )
        given: dict[str, Any] = {}
        for name in ("first_advantage", "draw_rate"):
            if isinstance(prior := getattr(system, name), Prior):
                given[name] = Prior(generator.normal(prior.mean, prior.deviation), prior.deviation)
        again = replace(system, loose_anchors=loose, relations=related, **given)
        drawn = PairCounts(counts.players, counts.first, counts.second, wins, draws, losses)
        result = again.fit_counts(ratings.players, drawn)
        if result.components == ratings.components:
            return result, rejected
    raise AssertionError


@pytest.mark.parametrize("name", ["anchor", "join", "priors", "pair"])
def test_replays_are_drawn_and_rated_anew(name: str) -> None:
    system, pool = SYSTEMS.get(name, SYSTEMS["given"]), pool_of(games=150)
    if name == "pair":
        pool = Pool.from_names("ABCBA", "BACCB", [1, 1, 1, 0.5, 0.5])
    ratings, counts = system.fit(pool), pool.pair_counts()
    with parallel.context(workers=2):
        result = simulate(system, counts, ratings, 3, seed=5)
    runs = [replayed(system, ratings, counts, g) for g in parallel.spawn_generators(5, 3)]
    table = np.array([run.rating for run, _ in runs])
    np.testing.assert_allclose(result.deviation, table.std(axis=0), atol=1e-5)
    gaps = table[:, :, None] - table[:, None, :]
    np.testing.assert_allclose(result.deviation_of_difference, gaps.std(axis=0), atol=1e-3)
    for said, value in (
        (result.first_advantage_deviation, [run.first_advantage.value for run, _ in runs]),
        (result.draw_rate_deviation, [run.draw_rate.value for run, _ in runs]),
    ):
        assert said == pytest.approx(np.std(value), abs=1e-5)
    assert result.rejected == sum(rejected for _, rejected in runs)
    assert (result.rejected > 0) == (name == "pair")
    assert result.simulations == 3
    taken = result.applied_to(ratings)
    np.testing.assert_allclose(taken.deviation_of_difference(), gaps.std(axis=0), atol=1e-3)
    assert taken.first_advantage.deviation == result.first_advantage_deviation
    assert taken.draw_rate.deviation == result.draw_rate_deviation


def test_replays_that_cannot_be() -> None:
    """Of twenty players in a row each beat the next once and lost to him once."""
    row = "ABCDEFGHIJKLMNOPQRST"
    chain = Pool.from_names([*row[:-1], *row[1:]], [*row[1:], *row[:-1]], [1] * 38)
    system = BradleyTerry(draw_rate=0.0)
    with pytest.raises(ModelError, match="100 simulated replays in a row fell apart"):
        simulate(system, chain.pair_counts(), system.fit(chain), 2)
    with pytest.raises(UsageError, match="whole number from 2"):
        simulate(system, chain.pair_counts(), system.fit(chain), 1)
    paired = replace(system, paired=("opening",))
    with pytest.raises(UsageError, match="as if none belonged together"):
        simulate(paired, chain.pair_counts(), system.fit(chain), 2)
    # An anchor who met only a perfect scorer is left out.
    pool = Pool.from_names("ABABCAD", "BABAACE", [1, 1, 0.5, 0, 0.5, 0.5, 1])
    held = BradleyTerry(loose_anchors={"D": Prior(2300, 50)})
    result = simulate(held, pool.pair_counts(), held.fit(pool), 20, seed=1)
    assert np.isfinite(result.deviation[pool.players.index("A")])


# --- who is stronger -----------------------------------------------------------------------


def made(
    rating: list[float], deviation: list[float], component: list[int] | None = None
) -> JointRatings:
    """Ratings whose errors are independent."""
    n = len(rating)
    return JointRatings(
        players=tuple("ABCDEFGH"[:n]),
        rating=np.array(rating),
        deviation=np.array(deviation),
        covariance=np.diag(np.square(deviation)),
        wins=np.arange(1.0, n + 1.0),
        draws=np.zeros(n),
        losses=np.ones(n),
        status=np.zeros(n, np.int8),
        component=np.array(component or [0] * n, np.int32),
        draw_rate=Estimate(0.0),
    )


def test_superiority_and_ranks() -> None:
    """E has no rating, and F and G play elsewhere: they take no rank from the others."""
    nan = np.nan
    ratings = made([60.0, 20.0, 0.0, -60.0, nan, 900.0, 0.0], [6.0, 8.0, 8.0, 6.0, nan, 1.0, 1.0],
                   [0, 0, 0, 0, -1, 1, 1])  # fmt: skip
    above = uncertainty.superiority(ratings)
    assert above[0, 1] == pytest.approx(ndtr(40.0 / 10.0), rel=1e-12)
    assert above[2, 1] == pytest.approx(ndtr(-20.0 / 128.0**0.5), rel=1e-12)
    assert above[3, 3] == 0.5
    assert np.isnan(above[0, 5])
    assert np.isnan(above[4, 0])
    low, high = uncertainty.rank_ranges(ratings)
    assert low.tolist() == [1, 2, 2, 4, 0, 1, 2]
    assert high.tolist() == [1, 3, 3, 4, 0, 1, 2]
    anchors = made([10.0, 10.0, 0.0], [0.0, 0.0, 0.0])
    assert uncertainty.superiority(anchors).tolist() == [[0.5, 0.5, 1.0]] * 2 + [[0.0, 0.0, 0.5]]
    # 20 points are 1.77 deviations of the difference: 92.3 % two-sided.
    assert [uncertainty.rank_ranges(ratings, level)[0][2] for level in (0.92, 0.93)] == [3, 2]
    assert [uncertainty.rank_ranges(ratings, level)[1][1] for level in (0.92, 0.93)] == [2, 3]


def test_games_that_join_groups() -> None:
    """Of each group the player with most games: the wins of made ratings grow with the letter."""
    ratings = made([0.0] * 6, [1.0] * 6, [0, 0, 0, 1, 1, 2])
    assert uncertainty.joining_games(ratings) == [("C", "E"), ("C", "F")]
    assert uncertainty.joining_games(ratings, 1) == [("C", "E")]


def test_games_of_two_players_that_belong_together() -> None:
    """By opening and round, whoever began; not by names of nothing, nor with other players."""
    rows = [("A", "B", "e4", 1), ("B", "A", "e4", 1), ("A", "B", "e4", 2), ("A", "C", "e4", 1),
            ("A", "B", "", 1), ("B", "A", "", 1), ("A", "B", "?", 1)]  # fmt: skip
    first, second, opening, number = map(list, zip(*rows, strict=True))
    columns = {"opening": np.array(opening), "round": np.array(number)}
    pool = Pool.from_names(first, second, [1.0] * 7, columns=columns)
    both = uncertainty.clusters(pool, ["opening", "round"]).number.tolist()
    assert both[0] == both[1]
    assert len(set(both)) == 6
    by_opening = uncertainty.clusters(pool, ["opening"]).number.tolist()
    assert by_opening[0] == by_opening[1] == by_opening[2] != by_opening[3]
    assert len(set(by_opening)) == 5


@pytest.mark.parametrize("system", [BradleyTerry(**AUTO), BradleyTerry(draw_rate=0.0)])
def test_suggested_games_gain_what_they_promise(system: BradleyTerry) -> None:
    """The share of the mean variance that each match removes, on top of those before it."""
    pool = pool_of(players=6, games=150)
    if system.draw_rate == 0.0:
        pool = pool.select(pool.score != 0.5)
    ratings = system.fit(pool)
    assert ratings.covariance is not None
    at, logit = unknowns(ratings), ratings.points_per_logit
    at[-2] = 0.0
    covariance = ratings.covariance
    expected = []
    left = set(combinations(range(6), 2))
    for _ in range(3):
        gains = {}
        for i, j in left:
            chance = chances(at, i, j)
            slope = equations(system, at, i, j)[:, i] if system.likelihood else 1.0 - chance
            told = float(chance @ slope**2) / logit**2
            apart = np.zeros(6)
            apart[[i, j]] = 1.0, -1.0
            after = np.linalg.pinv(np.linalg.pinv(covariance) + 7 * told * np.outer(apart, apart))
            gains[i, j] = float(np.trace(covariance) - np.trace(after)), after
        best = max(gains, key=lambda pair: gains[pair][0])
        left.discard(best)
        gain, covariance = gains[best][0], gains[best][1].astype(np.float64)
        expected.append((best, gain / float(np.trace(ratings.covariance))))
    said = uncertainty.suggest(ratings, 3, games=7)
    for each, (pair, gain) in zip(said, expected, strict=True):
        assert {each.player, each.other} == {pool.players[row] for row in pair}
        assert each.gain == pytest.approx(gain, rel=1e-6)
    assert len(uncertainty.suggest(ratings, 99)) == 15
    with pytest.raises(ModelError, match="covariance was not computed"):
        uncertainty.suggest(replace(ratings, covariance=None))


@pytest.mark.parametrize(("deviation", "step"), [(10.0, None), (1000.0, 1.0)])
def test_a_draw_rate_is_freed_of_the_spread_of_ratings(
    deviation: float, step: float | None
) -> None:
    """By hand for equal players at a rate of a half, and by one unit of log odds at most."""
    ratings = replace(made([0.0, 0.0], [deviation] * 2), draw_rate=Estimate(0.5, 0.2))
    one, other = np.array([0], np.int32), np.array([1], np.int32)
    ten = np.array([10.0])
    freed = unbiased_draw_rate(ratings, PairCounts(2, one, other, ten, ten, ten))
    if step is None:
        push = 30 * 4 / 16 * 2 * deviation**2 / ratings.points_per_logit**2
        step = 0.5 * push * (0.2 / 0.25) ** 2
    rate = 1.0 / (1.0 + exp(step))
    assert freed.value == pytest.approx(rate)
    assert freed.deviation == pytest.approx(0.2 * rate * (1.0 - rate) / 0.25)


def test_noise_of_a_hessian() -> None:
    """Of a pair of weight 9, half of it shared, a relation of 4, a prior of 1 and one of 16."""
    none, one, two = np.zeros(0), np.array([0], np.int32), np.array([1], np.int32)
    graph = Graph(
        one, two, np.array([9.0]), Relations(one, two, none, np.array([4.0])),
        np.array([0.0, 1.0, 16.0]), none, none, np.zeros(0, np.bool_),
    )  # fmt: skip
    chance: Any = SimpleNamespace(standard_normal=np.ones)
    whole, scaled = uncertainty._noise(chance, graph, np.array([0.25]))
    assert whole.tolist() == [3 + 2, -3 - 2 + 1, 3 + 4]
    assert scaled.tolist() == [1.5 + 2, -1.5 - 2 + 1, 1.5 + 4]
