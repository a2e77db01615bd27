"""The joint system as its users see it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ratings.simulated import simulated_pool
from yardstone.errors import InputError, ModelError, NoGamesError, NotConnectedError, UsageError
from yardstone.pool import Pool
from yardstone.ratings import BradleyTerry, JointRatings, Prior, Relation, Status

#: The solver's own tolerance, with room for a different order of sums.
SAME = 1e-6


def strength_pool(seed: int, players: int = 12, games: int = 400) -> Pool:
    generator = np.random.default_rng(seed)
    return simulated_pool(generator.normal(0, 120, players), games, generator, advantage=25)


def by_name(ratings: JointRatings) -> dict[str, float]:
    return {name: float(ratings.rating[row]) for row, name in enumerate(ratings.players)}


SYSTEMS = [
    BradleyTerry(),
    BradleyTerry(first_advantage="auto", draw_rate="auto", method="score"),
    BradleyTerry(first_advantage="auto", draw_rate="auto", method="likelihood"),
    BradleyTerry(
        loose_anchors={"P001": Prior(2400, 30)},
        relations=(Relation("P002", "P003", 20, 15),),
        first_advantage=Prior(30, 10),
        draw_rate=Prior(0.4, 0.05),
    ),
    BradleyTerry(anchors={"P000": 2500.0, "P004": 2450.0}, first_advantage="auto", method="score"),
]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_order_of_games_and_names_does_not_matter(system: BradleyTerry) -> None:
    pool = strength_pool(1)
    generator = np.random.default_rng(0)
    shuffle = generator.permutation(len(pool))
    renumber = generator.permutation(len(pool.players)).astype(np.int32)
    names = [""] * len(pool.players)
    for old, new in enumerate(renumber):
        names[new] = pool.players[old]
    other = Pool(
        tuple(names),
        renumber[pool.first[shuffle]],
        renumber[pool.second[shuffle]],
        pool.score[shuffle],
    )
    one, two = system.fit(pool), system.fit(other)
    assert by_name(one) == pytest.approx(by_name(two), abs=SAME)
    assert one.first_advantage.value == pytest.approx(two.first_advantage.value, abs=SAME)
    for name in pool.players:
        assert one[name].deviation == pytest.approx(two[name].deviation, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("method", ["score", "likelihood"])
def test_swapping_sides_and_scores_turns_the_advantage_round(method: str) -> None:
    pool = strength_pool(2)
    swapped = Pool(pool.players, pool.second, pool.first, 1.0 - pool.score)
    system = BradleyTerry(
        first_advantage="auto",
        draw_rate="auto",
        method="likelihood" if method == "likelihood" else "score",
    )
    one, two = system.fit(pool), system.fit(swapped)
    np.testing.assert_allclose(one.rating, two.rating, atol=SAME)
    assert one.first_advantage.value == pytest.approx(-two.first_advantage.value, abs=SAME)
    assert one.draw_rate.value == pytest.approx(two.draw_rate.value, abs=1e-9)


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 60))
@settings(max_examples=60)
def test_any_pool_gets_finite_ratings_or_bounds(seed: int, players: int, games: int) -> None:
    generator = np.random.default_rng(seed)
    pool = simulated_pool(generator.normal(0, 400, players), games, generator)
    ratings = BradleyTerry(draw_rate="auto", method="score").fit(pool)
    played = pool.played() > 0
    assert np.isfinite(ratings.rating[played]).all()
    assert np.isnan(ratings.rating[~played]).all()
    assert (ratings.status[~played] == Status.NO_GAMES).all()
    assert ratings.games.sum() == 2 * games
    assert (ratings.component[played] >= 0).all()


def test_scale_only_stretches() -> None:
    pool = strength_pool(3)
    plain = BradleyTerry().fit(pool)
    wide = BradleyTerry(scale=404).fit(pool)
    np.testing.assert_allclose(wide.rating - 2300, 2 * (plain.rating - 2300), atol=SAME)
    np.testing.assert_allclose(wide.deviation, 2 * plain.deviation, rtol=1e-9)


def test_two_players_in_closed_form() -> None:
    """75 % is ln 3 in log odds, and Davidson's draw rate follows from the counts."""
    pool = Pool.from_names(["A"] * 8, ["B"] * 8, [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5])
    ratings = BradleyTerry(average=0, draw_rate="auto", method="score").fit(pool)
    gap = ratings["A"].value - ratings["B"].value
    assert gap == pytest.approx(ratings.points_per_logit * np.log(3), abs=SAME)


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
    for name, value in anchors.items():
        assert ratings[name].value == pytest.approx(value, abs=1e-9)
        assert ratings[name].deviation == 0
    difference = ratings.rating[pool.first] + ratings.first_advantage.value
    expected = 1 / (
        1 + np.exp((ratings.rating[pool.second] - difference) / system.points_per_logit)
    )
    surplus = np.bincount(pool.first, pool.score - expected) - np.bincount(
        pool.second, pool.score - expected
    )
    moved = [row for row, name in enumerate(pool.players) if name not in anchors]
    np.testing.assert_allclose(surplus[moved], 0, atol=1e-9)


def test_priors_fade_as_they_widen_and_rule_as_they_narrow() -> None:
    pool = strength_pool(7)
    plain = BradleyTerry(method="likelihood").fit(pool)
    for deviation, weight in ((1e5, 0.0), (1e-3, 1.0)):
        prior = BradleyTerry(
            relations=(Relation("P000", "P001", 500.0, deviation),), average=2300
        ).fit(pool)
        gap = prior["P000"].value - prior["P001"].value
        free_gap = plain["P000"].value - plain["P001"].value
        assert gap == pytest.approx(weight * 500 + (1 - weight) * free_gap, abs=0.1)


def test_a_narrow_prior_is_a_fixed_value() -> None:
    pool = strength_pool(8)
    fixed = BradleyTerry(first_advantage=37.0, draw_rate=0.25, method="likelihood").fit(pool)
    narrow = BradleyTerry(first_advantage=Prior(37.0, 1e-4), draw_rate=Prior(0.25, 1e-7)).fit(pool)
    np.testing.assert_allclose(fixed.rating, narrow.rating, atol=1e-3)
    assert narrow.draw_rate.value == pytest.approx(0.25, abs=1e-6)


def test_perfect_scores_get_bounds_and_leave_the_others_alone() -> None:
    pool = strength_pool(9)
    base = BradleyTerry().fit(pool)
    names = [*pool.players, "Zeus", "Nul"]
    first = [*(pool.players[i] for i in pool.first), "Zeus", "Zeus", "P001", "P002"]
    second = [*(pool.players[i] for i in pool.second), "P003", "P004", "Nul", "Nul"]
    more = Pool.from_names(first, second, [*pool.score, 1, 1, 1, 1])
    ratings = BradleyTerry().fit(more)
    assert ratings.status[ratings.index("Zeus")] == Status.PERFECT_WINNER
    assert ratings.status[ratings.index("Nul")] == Status.PERFECT_LOSER
    for name in pool.players:
        assert ratings[name].value == pytest.approx(base[name].value, abs=SAME)
    assert ratings["Zeus"].value > ratings["P003"].value
    assert ratings["Nul"].value < ratings["P001"].value
    assert np.isnan(ratings["Zeus"].deviation)
    assert len(names) == len(ratings)
    assert any("lower bound" in note for note in ratings.notes)


def test_bounds_have_the_probability_they_promise() -> None:
    pool = Pool.from_names("ABABZZZ", "BABAABA", [1, 0, 0.5, 0, 1, 1, 1])
    even = BradleyTerry(draw_rate=0.3).fit(pool)
    from yardstone.winprob.laws import win_draw_loss, win_probability

    gap = even["Z"].value - np.array([even["A"].value, even["B"].value, even["A"].value])
    win, _, _ = win_draw_loss(win_probability(gap, points_per_logit=even.points_per_logit), 0.3)
    assert np.prod(win) == pytest.approx(0.5, abs=1e-9)
    ordo = BradleyTerry(draw_rate=0.3, bounds="ordo").fit(pool)
    assert ordo["Z"].value == pytest.approx(even["Z"].value, abs=0.05)


def test_groups_are_rated_each_on_its_own() -> None:
    pool = Pool.from_names("ABCDCD", "BADCDC", [1, 1, 1, 1, 0.5, 1])
    ratings = BradleyTerry().fit(pool)
    assert ratings.components == 2
    for group in range(2):
        assert ratings.rating[ratings.component == group].mean() == pytest.approx(2300)
    assert any("cannot be compared" in note for note in ratings.notes)
    with pytest.raises(NotConnectedError, match="2 groups"):
        BradleyTerry(disconnected="refuse").fit(pool)
    system = BradleyTerry()
    with pytest.raises(ModelError, match="common scale"):
        system.expected_score(ratings, "A", "C")
    assert 0.5 <= system.expected_score(ratings, "D", "C") <= 1.0


def test_anchors_or_a_joining_prior_put_groups_on_one_scale() -> None:
    pool = Pool.from_names("ABCDCD", "BADCDC", [1, 1, 1, 1, 0.5, 1])
    anchored = BradleyTerry(anchors={"A": 2000.0, "C": 2600.0}, disconnected="refuse").fit(pool)
    assert anchored.components == 1
    assert anchored["C"].value == 2600
    joined = BradleyTerry(join=200.0, disconnected="refuse").fit(pool)
    assert joined.components == 1
    assert np.isfinite(joined.deviation).all()


def test_joining_prior_makes_perfect_scores_finite() -> None:
    pool = Pool.from_names("AAAB", "BBBC", [1, 1, 1, 1])
    ratings = BradleyTerry(join=300.0).fit(pool)
    assert (ratings.status == Status.NORMAL).all()
    assert ratings["A"].value > ratings["B"].value > ratings["C"].value


def test_all_draws_and_no_draws() -> None:
    drawn = Pool.from_names("ABCABC", "BCACAB", [0.5] * 6)
    decided = Pool.from_names("ABCABC", "BCACAB", [1, 1, 1, 1, 1, 1])
    for method in ("score", "likelihood"):
        system = BradleyTerry(
            draw_rate="auto", method="likelihood" if method == "likelihood" else "score"
        )
        ratings = system.fit(drawn)
        assert ratings.draw_rate.value == pytest.approx(1.0)
        np.testing.assert_allclose(ratings.rating, 2300, atol=SAME)
        assert system.fit(decided).draw_rate.value == 0.0


def test_ignoring_draws_is_dropping_them() -> None:
    pool = strength_pool(10, games=1500)
    dropped = pool.select(pool.score != 0.5)
    np.testing.assert_allclose(
        BradleyTerry(ignore_draws=True).fit(pool).rating,
        BradleyTerry().fit(dropped).rating,
        atol=SAME,
    )


def test_games_against_oneself_change_no_rating() -> None:
    pool = strength_pool(11)
    more = Pool(
        pool.players,
        np.append(pool.first, [3, 3]).astype(np.int32),
        np.append(pool.second, [3, 3]).astype(np.int32),
        np.append(pool.score, [1.0, 0.5]),
    )
    np.testing.assert_allclose(
        BradleyTerry().fit(pool).rating, BradleyTerry().fit(more).rating, atol=SAME
    )


def test_an_infinite_advantage_is_an_error_not_a_number() -> None:
    pool = Pool.from_names("AB", "BA", [1, 1])
    with pytest.raises(ModelError, match="no finite estimate"):
        BradleyTerry(first_advantage="auto", method="score").fit(pool)
    assert BradleyTerry(first_advantage=Prior(30, 20)).fit(pool).first_advantage.value > 30


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
    ("system", "error", "says"),
    [
        (BradleyTerry(anchor="nobody"), InputError, "'nobody' has no games"),
        (BradleyTerry(anchors={"nobody": 2000.0}), InputError, "'nobody' has no games"),
        (BradleyTerry(loose_anchors={"nobody": Prior(1, 1)}), InputError, "'nobody' has no games"),
        (BradleyTerry(draw_rate=0.0, method="likelihood"), UsageError, "there are draws"),
        (BradleyTerry(paired=("round",)), InputError, "no column 'round'"),
    ],
)
def test_errors_say_what_is_wrong(system: BradleyTerry, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        system.fit(strength_pool(12))


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(UsageError, match="scale"):
        BradleyTerry(scale=0.0)
    with pytest.raises(UsageError, match="average"):
        BradleyTerry(average=float("nan"))
    with pytest.raises(UsageError, match="draw rate"):
        BradleyTerry(draw_rate=1.5)
    with pytest.raises(UsageError, match="join"):
        BradleyTerry(join=-1.0)
    with pytest.raises(UsageError):
        Prior(0.0, 0.0)
    with pytest.raises(UsageError):
        Relation("A", "B", 1.0, float("inf"))
    with pytest.raises(NoGamesError):
        BradleyTerry().fit(Pool.from_names([], [], []))
    with pytest.raises(NoGamesError):
        BradleyTerry(ignore_draws=True).fit(Pool.from_names("A", "B", [0.5]))
