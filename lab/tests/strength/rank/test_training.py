"""Training of rank models: labels, folds, regressions, spreads, draws, players never seen."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from lab.tests.refusals import refuse
from lab.tests.strength.rank.made_pool import pool_of, simulated_pool
from tests.go.games import random_game, small_network
from tests.strength.rank_cases import move_scorer, random_evidence, random_model
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.pool import SkipReport
from yardstone.strength.evidence import KINDS, PHASES, evidence_of_store
from yardstone.strength.model import StrengthModel
from yardstone.strength.strengths import PARTS, interval_tables
from yardstone_lab.neubauer.rank import intervals, scales, training
from yardstone_lab.neubauer.rank import pool as pools
from yardstone_lab.neubauer.rank.pool import RankPool, player_folds, pool_store
from yardstone_lab.neubauer.rank.training import RankSettings, make_lift, train_on_pool
from yardstone_lab.neubauer.scored_model import train_ranked_model
from yardstone_lab.neubauer.sides import RankLabel, labelled_sides, read_rank_labels

SETTINGS = RankSettings(width=2, pick_units=3, units=4)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> FeatureStore:
    folder = tmp_path_factory.mktemp("store")
    made = ExtractionSettings(net=str(small_network(folder)), trunk=KINDS, batch=4)
    games = [replace(random_game(k, moves=24 + k % 3), file=f"club/{k}.sgf") for k in range(8)]
    return extract_features(lambda: games, folder / "store", made)


def test_tables_of_ranks(store: FeatureStore, tmp_path: Path) -> None:
    """Bad rows are counted with their lines; sides are found by the end of the path."""
    rows = [
        "file,colour,rank,scale,player,sure", "1.sgf,black,3d,ogs,Ann,0.3", "2.sgf,W,-8.7,fox",
        "3.sgf,red,3d,ogs", "4.sgf,white,strong,ogs", "5.sgf,white,99,ogs", "6.sgf,white,3k,kgs",
        "7.sgf,white,3k,ogs,Bob,2", "", "8.sgf,white,1k,fox",
    ]  # fmt: skip
    path, skipped = tmp_path / "ranks.csv", SkipReport()
    path.write_text("\n".join(rows) + "\n")
    assert read_rank_labels(path, skipped) == [
        RankLabel("1.sgf", 1, 3.5, "ogs", "Ann", 0.3), RankLabel("2.sgf", 2, -8.7, "fox"),
        RankLabel("8.sgf", 2, 0.5, "fox"),
    ]  # fmt: skip
    assert [each.line for each in skipped.details] == [4, 5, 6, 7, 8]
    for text, error, words in (
        ("file,colour,rank\n", InputError, "no columns file, colour, rank and scale"),
        (rows[0], NoGamesError, "there is no rank in it"),
    ):
        path.write_text(text)
        refuse((lambda: read_rank_labels(path), error, words))
    labels = [
        RankLabel("0.sgf", 1, 2.5, "fox"), RankLabel("club/2.sgf", 2, -12.5, "ogs", "Cid", 0.5),
        RankLabel("elsewhere.sgf", 1, 2.5, "fox"),
    ]  # fmt: skip
    (part,) = labelled_sides([store], labels)
    assert (part.game.tolist(), part.colour.tolist()) == ([0, 2], [1, 2])
    assert (part.group.tolist(), part.sure.tolist()) == ([3, -1], [1.0, 0.5])
    np.testing.assert_array_equal(part.rank, [np.nan, -12.5])
    parts = labelled_sides([store], labels[1:2])
    refuse(
        (lambda: read_rank_labels(tmp_path / "none.csv"), InputError, "no such file"),
        (lambda: labelled_sides([store], labels[2:]), NoGamesError, "no game .* has a rank"),
        (lambda: train_ranked_model(parts), UsageError, "a new model learns from .* fox first"),
        (lambda: train_ranked_model(parts, "other"), UsageError, "no kind of model .* 'other'"),
        (lambda: train_ranked_model([]), NoGamesError, ""),
    )


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=25), st.integers(2, 4))
@settings(max_examples=30)
def test_no_name_is_in_two_folds(pairs: list[tuple[int, int]], folds: int) -> None:
    first = np.array([f"p{a}" for a, _ in pairs], str)
    second = np.array([f"p{b}" for _, b in pairs], str)
    fold = player_folds(first, second, np.arange(len(pairs)) % 3, folds, 0)
    where: dict[str, int] = {}
    for a, b, number in zip(first.tolist(), second.tolist(), fold.tolist(), strict=True):
        assert where.setdefault(a, number) == where.setdefault(b, number) == number
        assert 0 <= number < folds


def test_components_and_balance() -> None:
    one, other = np.array([*"abcx"]), np.array([*"bdea"])
    assert pools.components(one, other).tolist() == [0, 0, 1, 0]
    names = np.array([f"p{k}" for k in range(120)])
    group = np.repeat([0, 1], [100, 20])
    fold = player_folds(names, np.char.add(names, "'"), group, 4, 3)
    for number in range(4):
        assert np.bincount(group[fold == number]).tolist() == [25, 5]


def test_regression_is_ridge_regression() -> None:
    """The summed moments against the normal equations of weighted rows, written out."""
    pool, lift = simulated_pool(6, seed=4)
    pool = pool.select(np.arange(len(pool)) % 7 != 0)  # groups of different size
    weight = len(pool) / 11 / np.bincount(pool.group)[pool.group]
    regression = pools.Regression(pool, lift, 10.0, np.eye(11)[pool.group], weight)
    half = np.arange(len(pool)) % 2 == 0
    moments = [regression.moments(half), regression.moments(~half)]
    gram, cross = (np.sum([part[k] for part in moments], axis=0) for k in (0, 1))
    weights = regression.solve(gram, cross, ridge=0.2, by_phase=0.5, lifted=0.7)
    result = regression.phase_scores(weights, np.ones(len(pool), bool)).sum(axis=1)

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
    kinds = [1.0] * v + [0.5] * PHASES * v
    for width in lift.blocks:
        kinds += [0.7 * np.sqrt(lift.channels / width)] * width
    target = np.eye(11)[pool.group] - 1 / 11
    x = design / design.std(axis=0) * np.array(kinds)
    left = x.T @ (weight[:, None] * x) + 0.2 * len(pool) * np.eye(x.shape[1])
    wanted = x @ np.linalg.solve(left, x.T @ (weight[:, None] * target))
    np.testing.assert_allclose(result / moves[:, None], wanted, atol=1e-3)


def test_statistics_are_those_of_the_fold_models(store: FeatureStore) -> None:
    """What is summed in training is what a model says of the moves themselves."""
    lift = make_lift(store, SETTINGS)
    real = pool_store(store, np.arange(8) % 4, lift)
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
    pool = pools.join_pools([*copies, real])
    outside = train_on_pool(pool, lift, SETTINGS, {}).out_of_fold
    for side in range(1, 4):
        row = len(pool) - side
        model = outside.models[int(outside.fold[row])]
        evidence = evidence_of_store(store, [(int(real.game[-side]), int(real.colour[-side]))])
        result = model.game_statistics(evidence)[0]
        np.testing.assert_allclose(result, outside.statistics()[row], rtol=2e-3, atol=2e-2)


def test_a_trainer_serves_many_settings_with_equal_models_for_equal_seeds() -> None:
    pool, lift = simulated_pool(12)
    trainer = training.PoolTrainer(pool, lift, prior_moves=30.0, folds=5, seed=0)
    again = trainer.train(replace(SETTINGS, ridge=0.3), {"name": "x"})
    alone = train_on_pool(pool, lift, replace(SETTINGS, ridge=0.3), {"name": "x"})
    for name, value in again.model.scorer.arrays().items():
        np.testing.assert_array_equal(value, alone.model.scorer.arrays()[name])
    np.testing.assert_array_equal(again.out_of_fold.scores, alone.out_of_fold.scores)
    assert again.model.card == alone.model.card
    assert (trainer.train(SETTINGS, {}).out_of_fold.scores != again.out_of_fold.scores).any()
    strange = replace(pool, group=np.where(pool.game == 0, 13, pool.group))
    wrong: list[dict[str, Any]] = [
        {"ridge": 0.0}, {"by_phase": 0.0}, {"lifted": -1.0}, {"width": 0}, {"width": 11},
        {"folds": 1}, {"prior_moves": -1.0}, {"units": 0}, {"pick_units": 0},
    ]  # fmt: skip
    refuse(
        (lambda: trainer.train(replace(SETTINGS, seed=1), {}), UsageError, "of the trainer"),
        (lambda: train_on_pool(strange, lift, SETTINGS, {}), UsageError, "group 13: the last is"),
        *((partial(RankSettings, **each), UsageError, " must ") for each in wrong),
    )


def test_from_stores(store: FeatureStore) -> None:
    groups = [np.full(8, group) for group in np.repeat(np.arange(11), 2)]
    names = [np.array([[f"b{k} of {c}", f"w{k} of {c}"] for k in range(8)]) for c in range(22)]
    train = partial(training.train_rank_model, [store] * 22, groups, SETTINGS)
    model = train(players=names, name="mine").model
    assert (model.card["name"], model.card["games"]) == ("mine", [16.0] * 11)
    few, sides = "3-5k has 8 games: each group needs 10 at least", [np.ones((8, 2), bool)] * 22
    sides[:2] = [sides[0] * np.array([False, True])] * 2
    both = [store, FeatureStore(store.path, {**store.settings, "sha256": "0" * 64})]
    refuse(
        (train, NoGamesError, "the players of .* cannot be divided"),
        (lambda: train(players=names, sides=sides), NoGamesError, few),
        (lambda: training.train_rank_model(both, groups[:2]), UsageError, "different networks"),
        (lambda: training.train_rank_model([], []), NoGamesError, "no games"),
    )


def test_sides_and_names(store: FeatureStore, tmp_path: Path) -> None:
    a, b, c = (make_lift(store, replace(SETTINGS, seed=seed)).weights for seed in (0, 0, 1))
    assert (a == b).all()
    assert (a != c).any()
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
    np.testing.assert_array_equal(part.counts, pool.counts * np.array([0, 1, 0, 0, 0]))
    refuse(
        (lambda: pool_store(store, groups[:7], lift), UsageError, "8 games, not 7"),
        (lambda: pool_store(store, groups, lift, players=names[:7]), UsageError, "names for 7"),
    )


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
    sums = counts[:, :, None] * mean[:, None] + noise
    directions, spread = scales.fit_spread(sums, pool, 10.0, 2)
    back = np.linalg.inv(directions)
    np.testing.assert_allclose(spread.usual @ back, np.repeat(usual[:, None], 5, 1), atol=0.15)
    for matrix, wanted, slack in (
        (spread.move, [4.0, 4.0], 0.4),
        (spread.player, [0.09, 0.09], 0.02),
        (spread.game, [0.04, 0.16], 0.03),
    ):
        np.testing.assert_allclose(back.T @ matrix @ back, np.diag(wanted), atol=slack)


def test_knots_are_judged_by_normal_densities() -> None:
    model = random_model()
    statistics = model.game_statistics(random_evidence([40, 55])).sum(axis=0)
    spread = model.scale("fox").spread
    counts, squares, sums = statistics[:PHASES], statistics[PHASES], statistics[PHASES + 1 :]
    moves = counts.sum()
    whole = moves + spread.prior_moves
    alone = moves * spread.move + squares * spread.game
    means = [counts @ usual / whole for usual in spread.usual]
    for one_player, share in {True: moves**2, False: squares}.items():
        covariance = (alone + share * spread.player) / whole**2
        wanted = np.array([multivariate_normal.pdf(sums / whole, m, covariance) for m in means])
        known = model.scale("fox")
        result = intervals.knot_probabilities(known, statistics, one_player=one_player)
        np.testing.assert_allclose(result, wanted / wanted.sum(), rtol=1e-6, atol=1e-12)


def test_draws_of_games_and_players_and_their_accuracy() -> None:
    statistics, group = np.arange(12.0)[:, None], np.repeat([2, 5], 6)
    random = np.random.default_rng(0)
    known = (statistics, group, np.repeat(np.arange(6), 2))
    draw = partial(intervals.draw_games, *known, random=random)
    sums, truth = draw(games=3, draws=4)
    assert truth.tolist() == [2] * 4 + [5] * 4
    assert sums[:4, 0].tolist() == [15.0] * 4  # all three games, both colours
    assert len(draw(games=4, draws=4)[1]) == 0
    sums, _ = draw(games=1, draws=60, one_colour=True)
    assert set(sums[:60, 0]) == set(range(6))
    player = np.array(["a", "b", "a", "", "a", "b"] * 2)
    of_players = partial(intervals.draw_players, statistics, group, player, random=random)
    result, truth, _ = of_players(games=3, draws=2)
    assert (result[:, 0].tolist(), truth.tolist()) == ([6.0, 6.0, 24.0, 24.0], [2, 2, 5, 5])
    assert of_players(games=2, draws=1, players=[(5, "b"), (5, "z")])[0][:, 0].tolist() == [18.0]
    probabilities = np.eye(11)[[0, 3, 4, 9]] * 0.5 + 0.5 / 11
    told = intervals.accuracy(probabilities, np.array([0, 4, 4, 6]))
    assert (told.draws, told.exact, told.near, told.error) == (4, 0.5, 0.75, 1.0)
    wanted = 0.5 * np.log(0.5 + 0.5 / 11) + 0.5 * np.log(0.5 / 11)
    assert told.log_likelihood == pytest.approx(wanted)
    nobody, none, folds = np.empty(0, np.int64), np.empty((0, 11)), np.zeros(2, np.int64)
    judge = partial(intervals.judged_by_fold, lambda _: (none, nobody), lambda _, sums: sums)
    refuse(
        (lambda: intervals.accuracy(none, nobody), NoGamesError, "nothing to judge"),
        (lambda: judge(folds), NoGamesError, "nothing to judge"),
    )


def test_players_never_seen_are_judged_by_models_of_other_folds() -> None:
    """Ranks are told of them, of each phase too, and intervals are fitted to that."""
    pool, lift = simulated_pool(25, strength=0.08, own=0.02)
    trained = train_on_pool(pool, lift, SETTINGS, {"name": "test"})
    scores = trained.out_of_fold.scores
    some = trained.out_of_fold.statistics([0, 3])
    np.testing.assert_allclose(some[:, PHASES + 1 :], scores[:, [0, 3]].sum(axis=1))
    np.testing.assert_array_equal(some[:, PHASES], pool.counts[:, [0, 3]].sum(axis=1) ** 2)
    parts = intervals.unseen_players(trained, pool, np.random.default_rng(0))
    tables = interval_tables(intervals.with_intervals(trained, pool, 0), "fox")
    assert set(parts) == set(tables) == set(PARTS)
    assert all(len(result) == tables[part].counts.sum() for part, result in parts.items())
    whole = parts["whole"]
    away = np.abs(trained.model.scale().moments(whole.density)[0] - whole.strengths.mean(axis=1))
    # Of strengths that lie 14 ranks apart.
    assert away[whole.games == 3].mean() < away[whole.games == 1].mean() < 2.5


def test_years_are_taken_off_and_groups_are_not() -> None:
    """Sides whose values are a part of the group and one of the year, unevenly mixed."""
    pool, _ = simulated_pool(30)
    random = np.random.default_rng(2)
    year = 2015 + (random.random(len(pool)) < 0.2 + 0.05 * pool.group) + (pool.group > 8)
    of_group, of_year = random.normal(size=11), np.array([-1.0, 0.5, 3.0])
    mean = of_group[pool.group] + of_year[year - 2015]
    values = np.repeat((pool.counts * mean[:, None])[:, :, None], 3, axis=2)
    mixed = replace(pool, year=year, values=values.astype(np.float32), lifted=values[:, :, :2])
    result = pools.without_years(mixed)
    for sums in (result.values, result.lifted):
        left = sums.sum(axis=(1, 2)) / pool.counts.sum(axis=1) / sums.shape[2]
        for colour in (1, 2):
            assert np.ptp((left - of_group[pool.group])[pool.colour == colour]) < 0.15
    np.testing.assert_array_equal(mixed.values, values.astype(np.float32))


def test_a_scale_is_learnt_from_players_with_ratings() -> None:
    """Values grow with the rank along one direction, and players lie about it."""
    edges = (-14.0, -10.0, -6.0, -2.0, 2.0, 6.0)
    knots = (-12.0, -8.0, -4.0, 0.0, 4.0)
    chosen = scales.RatedSettings(ridge=0.05, edges=edges, knots=knots, games=(1, 3), folds=3)
    model, random = random_model(channels=2), np.random.default_rng(0)
    lift = move_scorer(model).lift
    rank = random.uniform(-13.0, 5.0, 200)
    number = np.repeat(np.arange(200), 3)
    mean = random.normal(0.0, 0.25, (200, lift.values))
    mean += 0.02 * (rank + 4.0)[:, None] * np.random.default_rng(7).normal(size=lift.values)
    pool = pool_of(mean[number], lift, random, number)
    rated = scales.RatedSides(rank[number], np.ones(600))
    trained = scales.with_rated_scale(model, pool, rated, "ogs", chosen, {"of": "nobody"})
    result, made = trained.unseen["whole"], trained.model
    told = made.scale("ogs").moments(result.density)[0]
    for games in (1, 3):
        mean, true = (each[result.games == games] for each in (told, result.strengths[:, 0]))
        assert np.corrcoef(mean, true)[0, 1] > 0.88
    # The model carries the scale beside its own.
    assert (list(made.scales), made.card["rated"]) == (["fox", "ogs"], {"ogs": {"of": "nobody"}})
    assert made.scorer.width == model.scorer.width + 1
    assert set(interval_tables(made, "ogs")) == set(PARTS)
    evidence = random_evidence([30, 60], channels=2)
    one, same = model.score(evidence), made.score(evidence, "fox")
    assert (same.mean, same.deviation) == pytest.approx((one.mean, one.deviation), abs=1e-4)
    # Without a move: as many of each group as there are players of it.
    share = np.histogram(rank, edges)[0] / 200
    empty = np.zeros(PHASES + 1 + made.scorer.width)
    assert made.posterior(empty, "ogs")[2] == pytest.approx(share, abs=0.1)
    scorer: Any = SimpleNamespace(kind="set", width=1, channels=0)
    other = StrengthModel(scorer, list(model.scales.values()), {})
    learn = partial(scales.with_rated_scale, pool=pool, rated=rated, settings=chosen)
    few = partial(learn, model, pool=pool.select(number < 29))
    fewer = scales.RatedSides(rank[number][number < 29], np.ones(87))
    refuse(
        (lambda: learn(made, name="ogs"), UsageError, "the model has a scale 'ogs'"),
        (lambda: learn(model, name="fox"), UsageError, "the model has a scale 'fox'"),
        (lambda: few(name="ogs", rated=fewer), NoGamesError, "29 players are too few .*: 30"),
        (lambda: learn(other, name="ogs"), UsageError, "only a rank model"),
    )
