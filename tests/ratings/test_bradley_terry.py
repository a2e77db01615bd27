"""The joint system as its users see it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ratings.simulated import POINTS, simulated_pool
from yardstone.errors import InputError, ModelError, NoGamesError, NotConnectedError, UsageError
from yardstone.pool import Pool
from yardstone.ratings import BradleyTerry, Prior, Relation, Status
from yardstone.ratings.bradley_terry import fit_widely
from yardstone.winprob.laws import win_draw_loss, win_probability

#: The solver's own tolerance, with room for a different order of sums.
SAME = 1e-6
AUTO: dict[str, Any] = {"first_advantage": "auto", "draw_rate": "auto"}


def strength_pool(seed: int, players: int = 12, games: int = 400) -> Pool:
    generator = np.random.default_rng(seed)
    return simulated_pool(generator.normal(0, 120, players), games, generator, advantage=25)


@pytest.mark.parametrize(
    "system",
    [
        BradleyTerry(**AUTO, method="score"),
        BradleyTerry(**AUTO),
        BradleyTerry(
            loose_anchors={"P001": Prior(2400, 30)},
            relations=(Relation("P002", "P003", 20, 15),),
            first_advantage=Prior(30, 10),
            draw_rate=Prior(0.4, 0.05),
        ),
        BradleyTerry(anchors={"P000": 2500.0, "P004": 2450.0}, draw_rate="auto"),
    ],
)
def test_the_order_of_games_and_names_does_not_matter(system: BradleyTerry) -> None:
    pool = strength_pool(1)
    generator = np.random.default_rng(0)
    shuffle = generator.permutation(len(pool))
    old = generator.permutation(len(pool.players))
    new = np.argsort(old)
    ends = [new[side[shuffle]].astype(np.int32) for side in (pool.first, pool.second)]
    other = Pool(tuple(pool.players[row] for row in old), ends[0], ends[1], pool.score[shuffle])
    one, two = system.fit(pool), system.fit(other)
    np.testing.assert_allclose(one.rating, two.rating[new], atol=SAME)
    np.testing.assert_allclose(one.deviation, two.deviation[new], rtol=1e-6, atol=1e-9)
    assert one.first_advantage.value == pytest.approx(two.first_advantage.value, abs=SAME)
    if system.first_advantage == "auto":
        swapped = system.fit(Pool(pool.players, pool.second, pool.first, 1.0 - pool.score))
        np.testing.assert_allclose(one.rating, swapped.rating, atol=SAME)
        turned = (-swapped.first_advantage.value, swapped.draw_rate.value)
        assert turned == pytest.approx((one.first_advantage.value, one.draw_rate.value), abs=SAME)


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 60))
@settings(max_examples=25)
def test_any_pool_gets_finite_ratings_or_bounds(seed: int, players: int, games: int) -> None:
    generator = np.random.default_rng(seed)
    pool = simulated_pool(generator.normal(0, 400, players), games, generator)
    ratings = BradleyTerry(draw_rate="auto", method="score").fit(pool)
    played = pool.played() > 0
    assert (np.isfinite(ratings.rating) == played).all()
    assert (ratings.status[~played] == Status.NO_GAMES).all()
    assert ratings.games.sum() == 2 * games
    assert ((ratings.component >= 0) == played).all()


def test_anchor_shifts_and_is_the_reference() -> None:
    pool = strength_pool(4)
    free = BradleyTerry().fit(pool)
    held = BradleyTerry(average=2800, anchor="P003").fit(pool)
    shift = 2800 - free["P003"].value
    np.testing.assert_allclose(held.rating, free.rating + shift, atol=SAME)
    assert held["P003"].deviation == pytest.approx(0, abs=1e-9)
    assert held.reference == "anchor"
    np.testing.assert_allclose(
        held.deviation, free.deviation_of_difference()[:, free.index("P003")], rtol=1e-9, atol=1e-9
    )
    mean = BradleyTerry(average=2800, anchor="P003", reference="mean").fit(pool)
    np.testing.assert_allclose(mean.deviation, free.deviation, rtol=1e-9)
    np.testing.assert_allclose(mean.rating, held.rating, atol=SAME)


def test_fixed_anchors_stay_and_the_rest_is_at_its_own_optimum() -> None:
    pool = strength_pool(5)
    anchors = {"P000": 2600.0, "P005": 2200.0}
    system = BradleyTerry(anchors=anchors, first_advantage="auto", method="score")
    ratings = system.fit(pool)
    held = [ratings.index(name) for name in anchors]
    np.testing.assert_allclose(ratings.rating[held], [2600.0, 2200.0], atol=1e-9)
    assert ratings.deviation[held].tolist() == [0.0, 0.0]
    gap = ratings.rating[pool.second] - ratings.rating[pool.first] - ratings.first_advantage.value
    surplus = pool.score - 1 / (1 + np.exp(gap / system.points_per_logit))
    total = np.bincount(pool.first, surplus) - np.bincount(pool.second, surplus)
    np.testing.assert_allclose(np.delete(total, held), 0, atol=1e-9)


def test_priors_fade_as_they_widen_and_rule_as_they_narrow() -> None:
    pool = strength_pool(7)
    plain = BradleyTerry(method="likelihood").fit(pool)
    free = plain["P000"].value - plain["P001"].value
    for deviation, expected in ((1e5, free), (1e-3, 500.0)):
        relation = Relation("P000", "P001", 500.0, deviation)
        ratings = BradleyTerry(relations=(relation,)).fit(pool)
        assert ratings["P000"].value - ratings["P001"].value == pytest.approx(expected, abs=0.1)
    fixed = BradleyTerry(first_advantage=37.0, draw_rate=0.25, method="likelihood").fit(pool)
    narrow = BradleyTerry(first_advantage=Prior(37.0, 1e-4), draw_rate=Prior(0.25, 1e-7)).fit(pool)
    np.testing.assert_allclose(fixed.rating, narrow.rating, atol=1e-3)
    assert narrow.draw_rate.value == pytest.approx(0.25, abs=1e-6)


def test_perfect_scores_get_bounds_and_leave_the_others_alone() -> None:
    pool = strength_pool(9)
    base = BradleyTerry().fit(pool)
    first = [*(pool.players[i] for i in pool.first), "Zeus", "Zeus", "P001", "P002"]
    second = [*(pool.players[i] for i in pool.second), "P003", "P004", "Nul", "Nul"]
    ratings = BradleyTerry().fit(Pool.from_names(first, second, [*pool.score, 1, 1, 1, 1]))
    assert ratings.status[ratings.index("Zeus")] == Status.PERFECT_WINNER
    assert ratings.status[ratings.index("Nul")] == Status.PERFECT_LOSER
    for name in pool.players:
        assert ratings[name].value == pytest.approx(base[name].value, abs=SAME)
    assert ratings["Zeus"].value > ratings["P003"].value
    assert ratings["Nul"].value < ratings["P001"].value
    assert np.isnan(ratings["Zeus"].deviation)
    assert any("lower bound" in note for note in ratings.notes)


def test_bounds_have_the_probability_they_promise() -> None:
    pool = Pool.from_names("ABABZZZ", "BABAABA", [1, 0, 0.5, 0, 1, 1, 1])
    even = BradleyTerry(draw_rate=0.3).fit(pool)
    gap = even["Z"].value - np.array([even["A"].value, even["B"].value, even["A"].value])
    win, _, _ = win_draw_loss(win_probability(gap, points_per_logit=POINTS), 0.3)
    assert np.prod(win) == pytest.approx(0.5, abs=1e-9)
    ordo = BradleyTerry(draw_rate=0.3, bounds="ordo").fit(pool)
    assert ordo["Z"].value == pytest.approx(even["Z"].value, abs=0.05)


def test_many_groups_are_each_rated_about_the_average() -> None:
    first = [f"{name}{group}" for group in range(103) for name in "AABCA"]
    second = [f"{name}{group}" for group in range(103) for name in "BBCAC"]
    ratings = BradleyTerry().fit(Pool.from_names(first, second, [1, 1, 1, 1, 1] * 103))
    assert ratings.components == 103
    for group in range(103):
        assert ratings.rating[ratings.component == group].mean() == pytest.approx(2300)


def test_groups_are_rated_each_on_its_own_or_joined() -> None:
    pool = Pool.from_names("ABCDCD", "BADCDC", [1, 1, 1, 1, 0.5, 1])
    ratings = BradleyTerry().fit(pool)
    assert ratings.components == 2
    for group in range(2):
        assert ratings.rating[ratings.component == group].mean() == pytest.approx(2300)
    assert any("cannot be compared" in note for note in ratings.notes)
    with pytest.raises(NotConnectedError, match="2 groups"):
        BradleyTerry(disconnected="refuse").fit(pool)
    with pytest.raises(ModelError, match="common scale"):
        BradleyTerry().expected_score(ratings, "A", "C")
    gap = ratings["C"].value - ratings["D"].value
    expected = 1 / (1 + np.exp(gap / POINTS))
    assert BradleyTerry().expected_score(ratings, "D", "C") == pytest.approx(expected)
    anchored = BradleyTerry(anchors={"A": 2000.0, "C": 2600.0}, disconnected="refuse").fit(pool)
    assert (anchored.components, anchored["C"].value) == (1, 2600)
    joined = BradleyTerry(join=200.0, disconnected="refuse").fit(pool)
    assert joined.components == 1
    assert np.isfinite(joined.deviation).all()
    perfect = BradleyTerry(join=300.0).fit(Pool.from_names("AAAB", "BBBC", [1, 1, 1, 1]))
    assert (perfect.status == Status.NORMAL).all()
    assert perfect["A"].value > perfect["B"].value > perfect["C"].value


@pytest.mark.parametrize("method", ["score", "likelihood"])
def test_all_draws_no_draws_and_draws_ignored(method: Any) -> None:
    drawn = Pool.from_names("ABCABC", "BCACAB", [0.5] * 6)
    decided = Pool.from_names("ABCABC", "BCACAB", [1] * 6)
    system = BradleyTerry(draw_rate="auto", method=method)
    ratings = system.fit(drawn)
    assert ratings.draw_rate.value == pytest.approx(1.0)
    np.testing.assert_allclose(ratings.rating, 2300, atol=SAME)
    assert system.fit(decided).draw_rate.value == 0.0
    pool = strength_pool(10, games=600)
    ignoring = BradleyTerry(ignore_draws=True).fit(pool)
    dropped = BradleyTerry().fit(pool.select(pool.score != 0.5))
    np.testing.assert_allclose(ignoring.rating, dropped.rating, atol=SAME)
    # Games of a player against himself change no rating.
    first, second = (np.append(side, [3, 3]) for side in (pool.first, pool.second))
    more = Pool(pool.players, first, second, np.append(pool.score, [1.0, 0.5]))
    one, other = (BradleyTerry(method=method, draw_rate=0.3).fit(each) for each in (pool, more))
    np.testing.assert_allclose(one.rating, other.rating, atol=SAME)


def test_an_infinite_advantage_is_an_error_not_a_number() -> None:
    pool = Pool.from_names("AB", "BA", [1, 1])
    with pytest.raises(ModelError, match="no finite estimate"):
        BradleyTerry(first_advantage="auto", method="score").fit(pool)
    assert BradleyTerry(first_advantage=Prior(30, 20)).fit(pool).first_advantage.value > 30


def test_an_anchor_stays_where_it_is_whatever_else_is_known_of_it() -> None:
    system = BradleyTerry(anchors={"A": 2000.0}, loose_anchors={"A": Prior(1000.0, 10.0)})
    ratings = system.fit(Pool.from_names("ABAB", "BABA", [1, 1, 0, 1]))
    assert ratings["A"].value == 2000.0
    assert ratings["B"].value > 2000.0


def test_a_long_chain_converges() -> None:
    """Hard for iterative solvers: 400 players, each connected to the next by two games."""
    players = 400
    first = np.repeat(np.arange(players - 1, dtype=np.int32), 3)
    score = np.tile([1.0, 0.5, 1.0], players - 1)
    pool = Pool(tuple(f"C{i}" for i in range(players)), first, first + 1, score)
    ratings = BradleyTerry().fit(pool)
    step = np.diff(ratings.rating)
    np.testing.assert_allclose(step, -ratings.points_per_logit * np.log(5), atol=SAME)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"anchor": "nobody"}, InputError, "'nobody' has no games"),
        ({"anchors": {"nobody": 2000.0}}, InputError, "'nobody' has no games"),
        ({"loose_anchors": {"nobody": Prior(1, 1)}}, InputError, "'nobody' has no games"),
        ({"draw_rate": 0.0, "method": "likelihood"}, UsageError, "there are draws"),
        ({"paired": ("round",)}, InputError, "no column 'round'"),
        ({"scale": 0.0}, UsageError, "scale"),
        ({"average": float("nan")}, UsageError, "average"),
        ({"draw_rate": 1.5}, UsageError, "draw rate"),
        ({"join": -1.0}, UsageError, "join"),
    ],
)
def test_errors_say_what_is_wrong(
    options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        BradleyTerry(**options).fit(strength_pool(12))


def test_impossible_priors_and_no_games_are_refused() -> None:
    with pytest.raises(UsageError):
        Prior(0.0, 0.0)
    with pytest.raises(UsageError):
        Relation("A", "B", 1.0, float("inf"))
    with pytest.raises(NoGamesError):
        BradleyTerry().fit(Pool.from_names([], [], []))
    with pytest.raises(NoGamesError):
        BradleyTerry(ignore_draws=True).fit(Pool.from_names("A", "B", [0.5]))


@pytest.mark.parametrize(("games", "warned"), [(900, True), (3000, False)])
def test_it_is_said_that_the_advantage_comes_out_too_large(games: int, warned: bool) -> None:
    """Where many players have few games each."""
    rng = np.random.default_rng(1)
    pool = simulated_pool(rng.normal(0.0, 100.0, 150), games, rng, advantage=30, draw_rate=0.0)
    system = BradleyTerry(first_advantage="auto", draw_rate=0.0, method="likelihood", join=200.0)
    _, _, remarks = fit_widely(system, pool)
    assert any("overestimated by about a tenth" in remark for remark in remarks) == warned
