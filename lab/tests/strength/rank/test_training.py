"""Training of rank models: folds, regressions, spreads, draws, and what is judged unseen."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from lab.tests.strength.rank.made_pool import simulated_pool
from tests.go.games import random_game, small_network
from tests.strength.rank_cases import random_evidence, random_model
from yardstone import parallel
from yardstone.errors import NoGamesError, UsageError
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.strength.evidence import KINDS, PHASES, evidence_of_store
from yardstone.strength.strengths import PARTS, interval_tables
from yardstone_lab.neubauer.rank.intervals import (
    accuracy,
    draw_games,
    draw_players,
    judged_by_fold,
    knot_probabilities,
    unseen_players,
    with_intervals,
)
from yardstone_lab.neubauer.rank.pool import (
    RankPool,
    Regression,
    components,
    join_pools,
    player_folds,
    pool_store,
    without_years,
)
from yardstone_lab.neubauer.rank.scales import as_statistics, discriminant_directions, fit_spread
from yardstone_lab.neubauer.rank.training import (
    PoolTrainer,
    RankSettings,
    make_lift,
    train_on_pool,
    train_rank_model,
)

SETTINGS = RankSettings(width=2, pick_units=3, units=4)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> FeatureStore:
    folder = tmp_path_factory.mktemp("store")
    settings = ExtractionSettings(net=str(small_network(folder)), trunk=KINDS, batch=4)
    games = [random_game(k, moves=24 + k % 3) for k in range(8)]
    return extract_features(lambda: games, folder / "store", settings)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=25), st.integers(2, 4))
def test_no_name_is_in_two_folds(pairs: list[tuple[int, int]], folds: int) -> None:
    first = np.array([f"p{a}" for a, _ in pairs], str)
    second = np.array([f"p{b}" for _, b in pairs], str)
    group = np.arange(len(pairs)) % 3
    fold = player_folds(first, second, group, folds, 0)
    where: dict[str, int] = {}
    for a, b, number in zip(first.tolist(), second.tolist(), fold.tolist(), strict=True):
        assert where.setdefault(a, number) == number
        assert where.setdefault(b, number) == number
        assert 0 <= number < folds
    np.testing.assert_array_equal(fold, player_folds(first, second, group, folds, 0))


def test_components_and_balance() -> None:
    assert components(np.array(["a", "b", "c", "x"]), np.array(["b", "d", "e", "a"])).tolist() == [
        0, 0, 1, 0,
    ]  # fmt: skip
    names = np.array([f"p{k}" for k in range(120)])
    others = np.array([f"q{k}" for k in range(120)])
    group = np.repeat([0, 1], [100, 20])
    fold = player_folds(names, others, group, 4, 3)
    for number in range(4):
        assert np.bincount(group[fold == number]).tolist() == [25, 5]


def test_regression_is_ridge_regression() -> None:
    """The summed moments against the normal equations of weighted rows, written out."""
    pool, lift = simulated_pool(6, seed=4)
    pool = pool.select(np.arange(len(pool)) % 7 != 0)  # groups of different size
    weight = len(pool) / 11 / np.bincount(pool.group)[pool.group]
    regression = Regression(pool, lift, 10.0, np.eye(11)[pool.group], weight)
    rows = np.ones(len(pool), bool)
    half = np.arange(len(pool)) % 2 == 0
    moments = [regression.moments(half), regression.moments(~half)]
    gram, cross = (np.sum([part[k] for part in moments], axis=0) for k in (0, 1))
    by_phase, lifted = regression.solve(gram, cross, ridge=0.2, by_phase=0.5, lifted=0.7)
    result = regression.phase_scores((by_phase, lifted), rows).sum(axis=1)

    sums = np.concatenate([pool.values, pool.lifted], axis=2).astype(float)
    for colour in (1, 2):
        mine = pool.colour == colour
        total = (weight[mine, None] * pool.counts[mine]).sum(axis=0)
        mean = (weight[mine, None, None] * sums[mine]).sum(axis=0) / total[:, None]
        sums[mine] -= pool.counts[mine][:, :, None] * mean
    moves = pool.counts.sum(axis=1) + 10.0
    v = lift.values
    blocks = [sums[:, :, :v].sum(axis=1), *(sums[:, p, :v] for p in range(PHASES))]
    design = np.concatenate([*blocks, sums[:, :, v:].sum(axis=1)], axis=1) / moves[:, None]
    design /= design.std(axis=0)
    kinds = [1.0] * v + [0.5] * PHASES * v
    for width in lift.blocks:
        kinds += [0.7 * np.sqrt(lift.channels / width)] * width
    target = np.eye(11)[pool.group] - 1 / 11
    x = design * np.array(kinds)
    left = x.T @ (weight[:, None] * x) + 0.2 * len(pool) * np.eye(x.shape[1])
    wanted = x @ np.linalg.solve(left, x.T @ (weight[:, None] * target))
    np.testing.assert_allclose(result / moves[:, None], wanted, atol=1e-3)


def test_statistics_are_those_of_the_fold_models(store: FeatureStore) -> None:
    """What is summed in training is what a model says of the moves themselves."""
    groups = np.arange(8) % 4
    lift = make_lift(store, SETTINGS)
    real = pool_store(store, groups, lift)
    # More games, so that there is something to train on; the real ones are their last.
    random = np.random.default_rng(3)
    copies = [
        replace(
            real,
            values=real.values + random.normal(size=real.values.shape).astype(np.float32),
            group=(real.group + k) % 11,
            player=np.char.add(real.player, f" {k}"),
            opponent=np.char.add(real.opponent, f" {k}"),
        )
        for k in range(22)
    ]
    pool = join_pools([*copies, real])
    trained = train_on_pool(pool, lift, SETTINGS, {})
    outside = trained.out_of_fold
    statistics = outside.statistics()
    for side in range(1, 6):
        row = len(pool) - side
        model = outside.models[int(outside.fold[row])]
        evidence = evidence_of_store(store, [(int(real.game[-side]), int(real.colour[-side]))])
        result = model.game_statistics(evidence)[0]
        np.testing.assert_allclose(result, statistics[row], rtol=2e-3, atol=2e-2)


def test_a_trainer_serves_many_settings_and_equal_seeds_give_equal_models(
    store: FeatureStore,
) -> None:
    pool, lift = simulated_pool(12)
    trainer = PoolTrainer(pool, lift, prior_moves=30.0, folds=5, seed=0)
    again = trainer.train(replace(SETTINGS, ridge=0.3), {"name": "x"})
    alone = train_on_pool(pool, lift, replace(SETTINGS, ridge=0.3), {"name": "x"})
    for name, value in again.model.scorer.arrays().items():
        np.testing.assert_array_equal(value, alone.model.scorer.arrays()[name])
    np.testing.assert_array_equal(again.out_of_fold.scores, alone.out_of_fold.scores)
    assert again.model.card == alone.model.card
    assert again.model.card["games"] == [12.0] * 11
    assert (trainer.train(SETTINGS, {}).out_of_fold.scores != again.out_of_fold.scores).any()
    with pytest.raises(UsageError, match="those of the trainer"):
        trainer.train(replace(SETTINGS, seed=1), {})
    a, b, c = (make_lift(store, replace(SETTINGS, seed=seed)).weights for seed in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()
    strange = replace(pool, group=np.where(pool.game == 0, 13, pool.group))
    with pytest.raises(UsageError, match="a group 13: the last is 10"):
        train_on_pool(strange, lift, SETTINGS, {})


def test_from_stores(store: FeatureStore) -> None:
    groups = [np.full(8, group) for group in np.repeat(np.arange(11), 2)]
    stores = [store] * 22
    names = [
        np.array([[f"{kind} {game} of {copy}" for kind in "bw"] for game in range(8)])
        for copy in range(22)
    ]
    seen: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: seen.append(told)):
        trained = train_rank_model(stores, groups, SETTINGS, players=names, name="mine")
    assert seen == [("learning", 16, 16)] * 22
    about = {"name": "mine", "sha256": store.settings["sha256"], "games": [16.0] * 11}
    assert about.items() <= trained.model.card.items()
    # All groups have the same games: nothing can be told.
    score = trained.model.score(evidence_of_store(store, [(0, 1), (1, 2)]))
    assert score.probabilities.max() < 0.15
    with pytest.raises(NoGamesError, match=r"the players of .* cannot be divided"):
        train_rank_model(stores, groups, SETTINGS)
    sides = [np.ones((8, 2), bool) for _ in groups]
    sides[0][:, 0] = sides[1][:, 0] = False
    with pytest.raises(NoGamesError, match="3-5k has 8 games: each group needs 10 at least"):
        train_rank_model(stores, groups, SETTINGS, players=names, sides=sides)
    other = FeatureStore(store.path, {**store.settings, "sha256": "0" * 64})
    with pytest.raises(UsageError, match="different networks"):
        train_rank_model([store, other], groups[:2])
    with pytest.raises(NoGamesError, match="no games"):
        train_rank_model([], [])


def test_sides_and_names(store: FeatureStore, tmp_path: Path) -> None:
    lift = make_lift(store, SETTINGS)
    sides = np.ones((8, 2), bool)
    sides[2, 1] = False
    groups = np.array([3, 3, 4, -1, 4, 4, 4, 4])
    pool = pool_store(store, groups, lift, sides=sides)
    assert pool.game.tolist() == [0, 0, 1, 1, 2, 4, 4, 5, 5, 6, 6, 7, 7]
    assert pool.colour.tolist()[:5] == [1, 2, 1, 2, 1]
    assert pool.group.tolist()[:5] == [3, 3, 3, 3, 4]
    assert pool.player[0] == store.games["black"][0] == pool.opponent[1]
    assert pool.player[1] == store.games["white"][0] == pool.opponent[0]
    assert set(pool.year.tolist()) == {2024}
    evidence = evidence_of_store(store, [(4, 2)])
    for sums, values in zip((pool.values, pool.lifted), lift(evidence), strict=True):
        np.testing.assert_allclose(sums[6].sum(axis=0), values.sum(axis=0), rtol=1e-4, atol=1e-3)
    assert pool.counts[6].tolist() == [10, len(evidence) - 10, 0, 0, 0]
    names = np.array([[f"b{k}", f"w{k}"] for k in range(8)])
    assert pool_store(store, groups, lift, players=names).player[2] == "b1"
    pool.save(tmp_path / "pool.npz")
    again = RankPool.load(tmp_path / "pool.npz")
    for field in fields(RankPool):
        np.testing.assert_array_equal(getattr(again, field.name), getattr(pool, field.name))
    part = pool.phases_only([1])
    assert part.counts[:, [0, 2, 3, 4]].sum() == 0
    np.testing.assert_array_equal(part.values[:, 1], pool.values[:, 1])
    assert (part.lifted[:, 0] == 0).all()
    with pytest.raises(UsageError, match="8 games, not 7"):
        pool_store(store, groups[:7], lift)
    with pytest.raises(UsageError, match="not names for 7"):
        pool_store(store, groups, lift, players=names[:7])


def test_spread_is_found_again() -> None:
    """Covariances of moves, games and players, from sums drawn with known ones."""
    random = np.random.default_rng(0)
    pool, _ = simulated_pool(400, sides=1)
    counts, number = pool.counts, pool.game // 3
    usual = np.linspace(-1, 1, 11)[:, None] * np.array([1.0, -0.5])
    own = random.normal(size=(number.max() + 1, 2)) * 0.3
    game = random.normal(size=(len(pool), 2)) * np.array([0.2, 0.4])
    noise = random.normal(size=(len(pool), PHASES, 2)) * np.sqrt(counts)[:, :, None] * 2.0
    mean = usual[pool.group] + own[number] + game
    directions, spread = fit_spread(counts[:, :, None] * mean[:, None] + noise, pool, 10.0, 2)
    back = np.linalg.inv(directions)
    np.testing.assert_allclose(spread.usual @ back, np.repeat(usual[:, None], 5, 1), atol=0.15)
    for matrix, wanted, slack in (
        (spread.move, [4.0, 4.0], 0.4),
        (spread.player, [0.09, 0.09], 0.02),
        (spread.game, [0.04, 0.16], 0.03),
    ):
        np.testing.assert_allclose(back.T @ matrix @ back, np.diag(wanted), atol=slack)


def test_directions_tell_groups_apart() -> None:
    random = np.random.default_rng(1)
    group = np.repeat(np.arange(11), 200)
    mean = random.normal(size=(len(group), 5)) * np.array([1, 1, 3, 1, 1])
    mean[:, 3] -= 0.5 * group
    mean[:, 1] += 0.3 * (group - 5.0) ** 2 / 5.0
    result = discriminant_directions(mean, group, 2)
    turned = result / np.linalg.norm(result, axis=0)
    assert turned[3, 0] < -0.9  # so that the score grows with the rank
    assert abs(turned[1, 1]) > 0.9


def test_knots_are_judged_by_normal_densities() -> None:
    model = random_model()
    statistics = model.game_statistics(random_evidence([40, 55])).sum(axis=0)
    spread = model.scale("fox").spread
    counts, squares, sums = statistics[:PHASES], statistics[PHASES], statistics[PHASES + 1 :]
    moves = counts.sum()
    whole = moves + spread.prior_moves
    alone = moves * spread.move + squares * spread.game
    for one_player, share in {True: moves**2, False: squares}.items():
        covariance = (alone + share * spread.player) / whole**2
        means = [counts @ usual / whole for usual in spread.usual]
        wanted = np.array([multivariate_normal.pdf(sums / whole, m, covariance) for m in means])
        result = knot_probabilities(model.scale("fox"), statistics, one_player=one_player)
        np.testing.assert_allclose(result, wanted / wanted.sum(), rtol=1e-6, atol=1e-12)


def test_draws_of_games_and_players() -> None:
    statistics = np.arange(12.0)[:, None]
    group = np.repeat([2, 5], 6)
    game = np.repeat(np.arange(6), 2)
    random = np.random.default_rng(0)
    sums, truth = draw_games(statistics, group, game, games=3, draws=4, random=random)
    assert truth.tolist() == [2] * 4 + [5] * 4
    assert sums[:4, 0].tolist() == [15.0] * 4  # all three games, both colours
    assert len(draw_games(statistics, group, game, games=4, draws=4, random=random)[1]) == 0
    sums, _ = draw_games(statistics, group, game, games=1, draws=60, random=random, one_colour=True)
    assert set(sums[:60, 0]) == set(range(6))
    player = np.array(["a", "b", "a", "", "a", "b"] * 2)
    sides = (statistics, group, player)
    result, truth, who = draw_players(*sides, games=3, draws=2, random=random)
    assert result[:, 0].tolist() == [6.0, 6.0, 24.0, 24.0]
    assert truth.tolist() == [2, 2, 5, 5]
    assert len(set(who.tolist())) == 2
    only = [(5, "b"), (5, "z")]
    result, *_ = draw_players(*sides, games=2, draws=1, random=random, players=only)
    assert result[:, 0].tolist() == [7.0 + 11.0]


def test_accuracy() -> None:
    probabilities = np.eye(11)[[0, 3, 4, 9]] * 0.5 + 0.5 / 11
    result = accuracy(probabilities, np.array([0, 4, 4, 6]))
    assert (result.draws, result.exact, result.near, result.error) == (4, 0.5, 0.75, 1.0)
    wanted = 0.5 * np.log(0.5 + 0.5 / 11) + 0.5 * np.log(0.5 / 11)
    assert result.log_likelihood == pytest.approx(wanted)
    nobody, folds = np.empty(0, np.int64), np.zeros(2, np.int64)
    with pytest.raises(NoGamesError, match="nothing to judge"):
        accuracy(np.empty((0, 11)), nobody)
    with pytest.raises(NoGamesError, match="nothing to judge"):
        judged_by_fold(lambda _: (np.empty((0, 3)), nobody), lambda _, sums: sums, folds)


@pytest.mark.parametrize(
    "wrong",
    [
        {"ridge": 0.0}, {"by_phase": 0.0}, {"lifted": -1.0}, {"width": 0}, {"width": 11},
        {"folds": 1}, {"prior_moves": -1.0}, {"units": 0}, {"pick_units": 0},
    ],
)  # fmt: skip
def test_settings_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=" must "):
        RankSettings(**wrong)  # type: ignore[arg-type]


def test_players_never_seen_are_judged_by_models_of_other_folds() -> None:
    """Ranks are told of them, of each phase too, and intervals are fitted to that."""
    pool, lift = simulated_pool(25, strength=0.08, player=0.02)
    trained = train_on_pool(pool, lift, SETTINGS, {"name": "test"})
    outside = trained.out_of_fold
    np.testing.assert_array_equal(outside.statistics(), as_statistics(pool.counts, outside.scores))
    some = outside.statistics([0, 3])
    np.testing.assert_allclose(some[:, PHASES + 1 :], outside.scores[:, [0, 3]].sum(axis=1))
    np.testing.assert_array_equal(some[:, PHASES], pool.counts[:, [0, 3]].sum(axis=1) ** 2)
    np.testing.assert_array_equal(some[:, [1, 2, 4]], 0)
    parts = unseen_players(trained, pool, np.random.default_rng(0))
    tables = interval_tables(with_intervals(trained, pool, 0), "fox")
    assert set(parts) == set(tables) == set(PARTS)
    for part, result in parts.items():
        assert len(result) == tables[part].counts.sum()
        np.testing.assert_allclose(result.density.sum(axis=1), 1.0)
    whole = parts["whole"]
    away = np.abs(trained.model.scale().moments(whole.density)[0] - whole.strengths.mean(axis=1))
    # Of strengths that lie 14 ranks apart.
    assert away[whole.games == 3].mean() < away[whole.games == 1].mean() < 2.5


def test_years_are_taken_off_and_groups_are_not() -> None:
    """Sides whose values are a part of the group and one of the year, unevenly mixed."""
    pool, _ = simulated_pool(30)
    random = np.random.default_rng(2)
    year = 2015 + (random.random(len(pool)) < 0.2 + 0.05 * pool.group) + (pool.group > 8)
    of_group, of_year = random.normal(size=11), {2015: -1.0, 2016: 0.5, 2017: 3.0}
    mean = of_group[pool.group] + np.array([of_year[int(each)] for each in year])
    values = np.repeat((pool.counts * mean[:, None])[:, :, None], 3, axis=2)
    mixed = replace(pool, year=year, values=values.astype(np.float32), lifted=values[:, :, :2])
    result = without_years(mixed)
    for sums in (result.values, result.lifted):
        left = sums.sum(axis=(1, 2)) / pool.counts.sum(axis=1) / sums.shape[2]
        away = left - of_group[pool.group]
        for colour in (1, 2):
            assert np.ptp(away[pool.colour == colour]) < 0.15
    np.testing.assert_array_equal(mixed.values, values.astype(np.float32))
