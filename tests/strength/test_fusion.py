"""Glicko-2 with what moves tell of the players: its ratings, its parameters, its priors."""

from __future__ import annotations

from dataclasses import replace
from math import exp, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tests.ratings.made_games import made_games
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.ledger import Ledger, load_ledger, save_ledger
from yardstone.evaluation.metrics import log_likelihood
from yardstone.evaluation.splits import earlier_games
from yardstone.pool import Pool
from yardstone.ratings.glicko import CENTRE, POINTS, Glicko2
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.ratings.whole_history import WholeHistory
from yardstone.strength.fusion import (
    COLUMNS,
    MOVE_COLUMNS,
    Fusion,
    GlickoFromMoves,
    MovesPrior,
    Sides,
    fit_moves_prior,
    fuse,
    sides_before,
)
from yardstone.strength.fusion_priors import (
    FITTED,
    centred_fusion,
    fit_fusion,
    fusion_parameters,
    moves_priors,
    rating_sources,
)

Array = NDArray[np.float64]

TOLERANCE = 1e-6  #: Rating points.
BASE = Prior(1500.0, 250.0)
PLAIN = Glicko2(initial_deviation=250.0)
START = Fusion(initial_deviation=250.0)
SYSTEM = replace(START, strength=0.0, slope=60.0, half_moves=80.0, noise=100.0)


def made_pool(*, players: int = 60, games: int = 600) -> Pool:
    """Players of strengths ± 250 points, whose moves show them in ranks of 60 points.

    A game has 50 to 150 moves a side and tells of the rank to ± 3, around one that every
    player has wrong by ± 1.5 in all games; half of the games have moves.
    """
    generator = np.random.default_rng(3)
    strength = generator.normal(1500.0, 250.0, players)
    looks = (strength - 1500.0) / 60.0 + generator.normal(0.0, 1.5, players)
    first = generator.integers(0, players, games)
    second = (first + generator.integers(1, players, games)) % players
    chance = 1.0 / (1.0 + 10.0 ** ((strength[second] - strength[first]) / 400.0))
    score = (generator.random(games) < chance).astype(np.float64)
    number = generator.integers(50, 150, (games, 2)).astype(np.float64)
    number[generator.random(games) < 0.5] = 0.0
    rank = looks[np.column_stack([first, second])] + generator.normal(0.0, 3.0, (games, 2))
    columns = np.stack([number, np.where(number > 0.0, rank, np.nan)], -1).reshape(games, 4).T
    return Pool(
        tuple(f"P{player}" for player in range(players)),
        first.astype(np.int32),
        second.astype(np.int32),
        score,
        np.datetime64("2024-01-01", "s") + np.arange(games) * np.timedelta64(3600, "s"),
        dict(zip(MOVE_COLUMNS, columns, strict=True)),
    )


@pytest.fixture(scope="module")
def pool() -> Pool:
    return made_pool()


@pytest.fixture(scope="module")
def known() -> tuple[Pool, Sides]:
    """1,400 games of 100 players, and what is known of both before each."""
    pool = made_pool(players=100, games=1400)
    (strength, number), replay = sides_before(pool), PLAIN.replay(pool)
    assert replay.first_deviation is not None
    assert replay.second_deviation is not None
    ratings = np.column_stack([replay.first_rating, replay.second_rating])
    deviations = np.column_stack([replay.first_deviation, replay.second_deviation])
    return pool, Sides(ratings, deviations, strength, number.astype(np.int64))


def with_columns(pool: Pool, names: tuple[str, ...], *columns: Any) -> Pool:
    told = dict(zip(names, map(np.array, columns), strict=True))
    return replace(pool, columns={**pool.columns, **told})


def with_estimates(pool: Pool, mean: float, deviation: float) -> Pool:
    return with_columns(pool, COLUMNS, *np.full((len(pool), 4), [mean, deviation] * 2).T)


def test_the_fit_is_at_the_top_of_the_likelihood(known: tuple[Pool, Sides]) -> None:
    """Drawn, as by a game or two, to a slope of 1, 100 moves, and half the base's deviation."""
    sides, score = known[1], known[0].score
    sides = replace(sides, moves_rating=1500.0 + 60.0 * sides.moves_rating)
    fitted = fit_moves_prior(sides, score, PLAIN, BASE)
    there = sides.moves > 0
    centre, level = sides.moves_rating[there].mean(), sides.rating[there].mean()
    assert fitted.centre == pytest.approx(centre)

    def against(unknowns: Array) -> float:
        slope, half, share, above = unknowns
        trust = np.where(there, sides.moves / (sides.moves + 100.0 * exp(half)), 0.0)
        away = np.where(there, sides.moves_rating - centre, 0.0)
        mean = 1500.0 + trust * (level + 250.0 * above - 1500.0 + exp(slope) * away)
        left = (250.0 / (1.0 + exp(-share))) ** 2
        variance = 250.0**2 - trust * (250.0**2 - left)
        precision = 1 / sides.deviation**2 + 1 / variance - 1 / 250.0**2
        weighed = sides.rating / sides.deviation**2 + mean / variance - 1500.0 / 250.0**2
        rating, doubt = weighed / precision, np.sqrt(1 / precision)
        expected = PLAIN.probability(rating[:, 0], rating[:, 1], doubt[:, 0], doubt[:, 1])
        pull = slope**2 + half**2 / 4.0 + share**2 / 1.5**2 + above**2 / 0.5**2
        return float(pull / len(score) - log_likelihood(score, expected))

    best = minimize(against, np.zeros(4), method="BFGS", options={"gtol": 1e-7}).x
    assert fitted.slope == pytest.approx(exp(best[0]), rel=0.01)
    assert fitted.half == pytest.approx(100.0 * exp(best[1]), rel=0.01)
    assert fitted.deviation == pytest.approx(250.0 / (1.0 + exp(-best[2])), rel=0.01)
    assert fitted.level == pytest.approx(level + 250.0 * best[3], abs=1.0)
    mean, spread = fitted.prior(sides.moves_rating, sides.moves)
    alone = PLAIN.probability(mean[:, 0], mean[:, 1], spread[:, 0], spread[:, 1])
    assert fitted.from_moves_alone(sides, PLAIN) == pytest.approx(alone)


def test_without_anything_from_moves_it_is_glicko2(pool: Pool) -> None:
    games = made_games(100, 20, draws=0.1)
    none = with_columns(pool, MOVE_COLUMNS, *np.zeros((4, len(pool))))
    cases: list[tuple[Glicko2, Pool]] = [(START, replace(pool, columns={})), (START, none)]
    for rating, deviation, days in (
        (1600.0, np.nan, None), (1600.0, 350.0, 30.0), (1600.0, 1e3, 30.0), (1600.0, np.inf, None)
    ):  # fmt: skip
        system = GlickoFromMoves(idle_days=days, first_advantage=20.0)
        cases.append((system, with_estimates(games, rating, deviation)))
    names = ("initial_deviation", "idle_days", "first_advantage")
    for each, told in cases:
        plain = Glicko2(**{name: getattr(each, name) for name in names}).replay(told)
        fused = each.replay(told)
        assert np.allclose(fused.expected, plain.expected, atol=1e-12), each
        assert np.allclose(fused.first_rating, plain.first_rating, atol=TOLERANCE)
        assert np.allclose(fused.ratings.rating, plain.ratings.rating, atol=TOLERANCE)
        assert np.allclose(fused.ratings.deviation, plain.ratings.deviation, atol=TOLERANCE)


def by_hand(told: list[tuple[float, float]], against: list[tuple[float, float, float]]) -> Array:
    """Rating and deviation of one player before each game, with a fixed volatility.

    `told` are his priors, `against` the opponents' ratings and deviations, and the scores.
    """
    mu0, phi0 = 0.0, 350.0 / POINTS
    mean, variance = mu0, phi0**2  # the newcomer's prior times the results
    result = []
    for (rating, deviation), (theirs, doubt, score) in zip(told, against, strict=True):
        m, s2 = (rating - CENTRE) / POINTS, (deviation / POINTS) ** 2
        precision = 1.0 / variance + 1.0 / s2 - 1.0 / phi0**2
        here = (mean / variance + m / s2 - mu0 / phi0**2) / precision
        result.append((CENTRE + POINTS * here, POINTS / sqrt(precision)))
        g = 1.0 / sqrt(1.0 + 3.0 * (doubt / POINTS) ** 2 / pi**2)
        e = 1.0 / (1.0 + exp(-g * (here - (theirs - CENTRE) / POINTS)))
        information = g * g * e * (1.0 - e)
        # The result as a normal density around `here`: its Taylor series there.
        observed = here + g * (score - e) / information
        variance += 0.06**2
        total = 1.0 / variance + information
        mean = (mean / variance + information * observed) / total
        variance = 1.0 / total
    return np.array(result)


def test_against_a_version_by_hand() -> None:
    told = [(1700.0, 150.0), (1750.0, 110.0), (1690.0, 95.0), (1640.0, 90.0)]
    against = [(1650.0, 60.0, 1.0), (1550.0, 200.0, 0.0), (1800.0, 90.0, 0.0), (1500.0, 349.0, 0.5)]
    ratings, deviations, results = np.array(against).T
    pool = Pool.from_names(["A"] * 4, ["B", "C", "D", "E"], results)
    pool = with_columns(pool, COLUMNS, *np.array(told).T, ratings, deviations)
    result = GlickoFromMoves(tau=0.0).replay(pool)
    hand = by_hand(told, against)
    assert result.first_deviation is not None
    assert np.allclose(result.first_rating, hand[:, 0], atol=TOLERANCE)
    assert np.allclose(result.first_deviation, hand[:, 1], atol=TOLERANCE)


def test_priors_by_name_start_players_and_replace_the_base() -> None:
    pool = Pool.from_names(["Ann", "Ann"], ["Bob", "Cem"], [1, 1])
    priors = {"Ann": (1800.0, 100.0), "Cem": (1400.0, 50.0)}
    system = GlickoFromMoves(columns=None, priors=PlayerPriors(priors))
    result = system.replay(pool)
    assert (result.first_rating[0], result.second_rating[1]) == pytest.approx((1800.0, 1400.0))
    state = Glicko2().start(pool.players)
    for name, (rating, deviation) in priors.items():
        row = pool.players.index(name)
        state.arrays["mu"][row] = (rating - CENTRE) / POINTS
        state.arrays["phi2"][row] = (deviation / POINTS) ** 2
    assert np.allclose(result.expected, Glicko2().advance(state, pool)[1].expected)
    # With an estimate before each game, that takes the place of the prior.
    told = with_estimates(pool, 1900.0, 30.0)
    assert replace(system, columns=COLUMNS).replay(told).first_rating[0] == pytest.approx(1900.0)


def test_fusing_multiplies_densities_and_divides_the_newcomers_out() -> None:
    """Where nothing is known, or no more than of a newcomer, nothing changes."""
    nothing = [1800.0, 1400.0, np.nan, 1700.0, np.inf, np.inf, 1700.0]
    doubt = [100.0, 50.0, 100.0, np.nan, np.inf, 50.0, 250.0]
    mean, spread = fuse(np.full(7, 1600.0), np.full(7, 80.0), nothing, doubt, BASE)
    for k in (0, 1):
        precision = 1 / 80**2 + 1 / doubt[k] ** 2 - 1 / 250**2
        weighed = 1600 / 80**2 + nothing[k] / doubt[k] ** 2 - 1500 / 250**2
        assert (spread[k], mean[k]) == pytest.approx((precision**-0.5, weighed / precision))
    assert np.allclose([mean[2:], spread[2:]], [[1600.0], [80.0]])
    prior = MovesPrior(20.0, 1520.0, 2.0, 100.0, 90.0, Prior(1500.0, 350.0))
    mean, deviation = prior.prior([np.nan, 50.0, 50.0, 50.0], [300, 0, 100, 10**12])
    assert np.allclose(mean, [1500.0, 1500.0, 1540.0, 1580.0])
    assert np.allclose(deviation, [350.0, 350.0, sqrt((350.0**2 + 90.0**2) / 2), 90.0])


@pytest.mark.parametrize("game", [17, 599])
def test_no_prediction_knows_moves_of_its_game_or_of_later_ones(pool: Pool, game: int) -> None:
    def told(rank: float) -> Pool:
        columns = {name: np.array(column) for name, column in pool.columns.items()}
        columns["first_moves"][game], columns["first_moves_strength"][game] = 100.0, rank
        return replace(pool, columns=columns)

    weak, strong = (SYSTEM.replay(told(rank)) for rank in (-9.0, 9.0))
    assert np.array_equal(weak.expected[: game + 1], strong.expected[: game + 1])
    player = pool.first[game]
    later = np.flatnonzero((pool.first == player) | (pool.second == player))
    later = later[later > game]
    assert (weak.expected[later] != strong.expected[later]).all()
    # The last game counts for the ratings after it.
    assert strong.ratings.rating[player] > weak.ratings.rating[player] + 1.0


@pytest.mark.parametrize(("initial", "level"), [(1500.0, None), (1620.0, 1700.0)])
def test_a_rating_is_that_of_the_formula(pool: Pool, initial: float, level: float | None) -> None:
    """Before a second game: Glicko-2's rating and the prior from the moves of the first."""
    one = pool.select(np.arange(1))
    one = with_columns(one, MOVE_COLUMNS, [100.0], [4.0], [0.0], [np.nan])
    system = replace(SYSTEM, initial=initial, level=level)
    plain, result = replace(PLAIN, initial=initial).replay(one).ratings, system.replay(one).ratings
    trust = 100.0 / 180.0
    share = 250.0**2 / (250.0**2 + 100.0**2)
    above = (initial if level is None else level) - initial
    mean = initial + trust * (above + share * 4.0 * 60.0)
    deviation = 250.0 * (1.0 - trust * share) ** 0.5
    row, other = one.first[0], one.second[0]
    wanted = fuse(plain.rating[row], plain.deviation[row], mean, deviation, Prior(initial, 250.0))
    assert (result.rating[row], result.deviation[row]) == pytest.approx(tuple(map(float, wanted)))
    assert result.rating[other] == pytest.approx(plain.rating[other])  # without known moves


def test_ratings_are_taken_apart(pool: Pool) -> None:
    result = rating_sources(Ledger.begin("fusion", pool, initial_deviation=250.0))
    there = result.number > 0
    assert there.mean() > 0.9
    moves = np.where(there, result.moves, np.nan)
    both = fuse(result.results, result.results_deviation, moves, result.moves_deviation, BASE)
    assert result.both == pytest.approx(both[0])
    assert result.both_deviation == pytest.approx(both[1])
    with pytest.raises(UsageError, match="glicko2 knows no moves"):
        rating_sources(Ledger.begin("glicko2", pool))


def test_moves_of_earlier_games_are_averaged_by_their_number(pool: Pool) -> None:
    some = pool.select(np.arange(120))
    number, shown = (
        np.column_stack([some.columns[name] for name in MOVE_COLUMNS[k::2]]) for k in (0, 1)
    )
    both = np.column_stack([some.first, some.second])
    strength, moves = sides_before(some)
    for game, side in np.ndindex(120, 2):
        mine = (both[:game] == both[game, side]) & (number[:game] > 0)
        assert moves[game, side] == number[:game][mine].sum()
        mean = np.nan
        if mine.any():
            mean = number[:game][mine] @ shown[:game][mine] / moves[game, side]
        assert strength[game, side] == pytest.approx(mean, nan_ok=True)


def test_parts_give_what_the_whole_gives_also_from_a_file(pool: Pool, tmp_path: Path) -> None:
    """In the order of time, however the games stand there."""
    whole, state, expected = SYSTEM.replay(pool), SYSTEM.start(), []
    for rows in np.array_split(np.arange(len(pool)), 5):
        state, part = SYSTEM.advance(state, pool.select(rows))
        expected.append(part.expected)
    assert np.array_equal(np.concatenate(expected), whole.expected)
    result = SYSTEM.ratings(state)
    row = [result.players.index(name) for name in whole.ratings.players]
    assert np.array_equal(result.rating[row], whole.ratings.rating)
    mixed = np.random.default_rng(1).permutation(len(pool))
    assert np.array_equal(SYSTEM.replay(pool.select(mixed)).expected, whole.expected[mixed])
    half, rest = (pool.select(rows) for rows in np.split(np.arange(len(pool)), 2))
    save_ledger(Ledger.begin("fusion", half), tmp_path / "kept")
    goes_on = load_ledger(tmp_path / "kept").add(rest)
    assert np.array_equal(goes_on.replay.expected, Ledger.begin("fusion", pool).replay.expected)
    bare = replace(rest, columns={})  # further games need not have moves
    assert np.isfinite(load_ledger(tmp_path / "kept").add(bare).replay.expected).all()


def test_the_fit_divides_the_newcomers_density_out(known: tuple[Pool, Sides]) -> None:
    """To games of somebody with at most 20 before, of whom moves are known."""
    pool, sides = known
    fitted, games = fit_fusion(pool, START)
    before = np.column_stack(earlier_games(pool))
    few = np.asarray(((sides.moves > 0) & (before <= 20)).any(axis=1))
    assert games == few.sum()
    # A strength in units in which those of newcomers are as wide as their ratings.
    sides = sides.select(few)
    ranks = sides.moves_rating[sides.moves > 0]
    middle, unit = ranks.mean(), 250.0 / ranks.std()
    sides = replace(sides, moves_rating=1500.0 + unit * (sides.moves_rating - middle))
    prior = fit_moves_prior(sides, pool.score[few], PLAIN, BASE)
    shown, moves = np.array([-6.0, 0.0, 4.0]), np.array([40.0, 200.0, 1e9])
    wanted = prior.prior(1500.0 + unit * (shown - middle), moves)
    for result, value in zip(fitted.moves_prior.prior(shown, moves), wanted, strict=True):
        assert result == pytest.approx(value)
    assert (fitted.half_moves, fitted.level) == (prior.half, prior.level)
    precision = 1 / prior.deviation**2 - 1 / 250**2
    assert fitted.noise == pytest.approx(precision**-0.5)
    assert fitted.slope == pytest.approx(60.0, abs=20.0)  # what the pool was made with
    given, sentence = fusion_parameters(pool, {"initial_deviation": 250.0}, fit=True)
    assert given == {name: getattr(fitted, name) for name in (*FITTED, "initial_deviation")}
    assert f"fitted to {games:,} games of newcomers" in sentence


def test_without_a_fit_the_average_player_is_in_the_middle(pool: Pool) -> None:
    columns = [pool.columns[name] for name in MOVE_COLUMNS]
    shown = []
    for player in range(len(pool.players)):
        first, second = pool.first == player, pool.second == player
        number = np.concatenate([columns[0][first], columns[2][second]])
        strength = np.concatenate([columns[1][first], columns[3][second]])
        shown.append(number[number > 0] @ strength[number > 0] / number.sum())
    middle = centred_fusion(pool).strength
    assert middle == pytest.approx(np.mean(shown))
    assert Fusion().strength == -11.4  # of the average of 325 people of OGS
    ogs = {"slope": 64.0, "noise": 166.0, "half_moves": 13.0, "strength": middle}
    fox = {"slope": 133.0, "noise": 294.0, "half_moves": 60.0, "strength": 2.0}
    own = {"slope": 50.0, "noise": 200.0, "half_moves": 50.0}
    rows: list[tuple[dict[str, float], str | None, dict[str, float]]] = [
        ({}, None, ogs), ({"strength": 2.0}, "fox", fox),
        ({"strength": 2.0, "noise": 100.0}, "fox", {**fox, "noise": 100.0}),
        (own, "kgs", {**own, "strength": middle}),
    ]  # fmt: skip
    for given, scale, wanted in rows:
        found, sentence = fusion_parameters(pool, given, fit=False, scale=scale)
        assert found == wanted
        assert f"as shipped for strengths on the scale {scale or 'ogs'}" in sentence


@pytest.mark.parametrize("moves", [1e9, 40.0])
@pytest.mark.parametrize("join", [None, 150.0])
@pytest.mark.parametrize("unit", [1.0, 2.0])
def test_priors_of_a_list_are_the_measurement_alone(
    moves: float, join: float | None, unit: float
) -> None:
    """What a newcomer's prior adds is taken out again, and the spread of the list put in."""
    system = replace(SYSTEM, initial_deviation=350.0)
    pool = Pool.from_names(["A", "C"], ["B", "A"], [1, 0])
    values = [moves, moves], [4.0, -1.0], [0.0, moves], [np.nan, 4.0]
    pool = with_columns(pool, MOVE_COLUMNS, *values)
    points = unit * 400 / np.log(10)
    result = moves_priors(pool, system, average=2000.0, join=join, points_per_logit=points)
    if unit == 1.0:  # of lists that begin at 2300
        usual = moves_priors(pool, system, join=join)
        assert usual["A"].mean == pytest.approx(result["A"].mean + 300.0)
    assert list(result) == ["A", "C"]
    for name, shown, number in (("A", 4.0, 2 * moves), ("C", -1.0, moves)):
        trust = number / (number + 80.0)
        left = 350.0**2 * 100.0**2 / (350.0**2 + 100.0**2)  # of a newcomer after many moves
        variance = 350.0**2 - trust * (350.0**2 - left)
        above = trust * 60.0 * shown * 350.0**2 / (350.0**2 + 100.0**2)
        precision = 1 / variance - 1 / 350.0**2
        mean, own = unit * above / variance / precision, precision / unit**2
        beside = 0.0 if join is None else 1 / join**2
        assert result[name].mean == pytest.approx(2000.0 + mean * own / (own + beside))
        assert result[name].deviation == pytest.approx((own + beside) ** -0.5)


def test_what_is_wrong_is_refused(pool: Pool, known: tuple[Pool, Sides]) -> None:
    told = with_estimates(Pool.from_names(["A", "B"], ["B", "A"], [1, 0]), 1500.0, 100.0)
    rows: list[tuple[Glicko2, Pool, str, object, str]] = [
        (GlickoFromMoves(), told, "first_moves_rating", None, "no column 'first_moves_rating'"),
        (GlickoFromMoves(), told, "second_moves_deviation", [0.0, 100.0], "not positive"),
        (GlickoFromMoves(), told, "second_moves_rating", ["x", "y"], "not a number"),
        (SYSTEM, pool, "second_moves", None, "no column 'second_moves'"),
        (SYSTEM, pool, "first_moves", np.full(len(pool), -1.0), "negative"),
        (SYSTEM, pool, "first_moves", np.full(len(pool), "many"), "not a number"),
    ]
    for system, games, column, values, words in rows:
        columns = {name: each for name, each in games.columns.items() if name != column}
        if values is not None:
            columns[column] = np.array(values)
        with pytest.raises(InputError, match=words):
            system.replay(replace(games, columns=columns))
    refused: list[tuple[type[Exception], str, Any]] = [
        (UsageError, "period", lambda: GlickoFromMoves(period="month")),
        (UsageError, "must be a number, not inf", lambda: GlickoFromMoves(initial=np.inf)),
        (UsageError, "PlayerPriors", lambda: GlickoFromMoves(priors=3)),  # type: ignore[arg-type]
        (UsageError, "PlayerPriors", lambda: WholeHistory(priors=3)),  # type: ignore[arg-type]
        (UsageError, "slope", lambda: Fusion(slope=-1.0)),
        (UsageError, "half_moves", lambda: Fusion(half_moves=0.0)),
        (UsageError, "noise", lambda: Fusion(noise=0.0)),
        (UsageError, "strength must be a number, not inf", lambda: Fusion(strength=np.inf)),
        (UsageError, "level must be a number or None, not inf", lambda: Fusion(level=np.inf)),
        (UsageError, "takes neither", lambda: Fusion(priors=PlayerPriors({}))),
        (UsageError, "takes neither", lambda: Fusion(columns=("a", "b", "c", "d"))),
        (InputError, "not positive", lambda: fuse(1500.0, 0.0, 1500.0, 50.0, BASE)),
        (InputError, "not positive", lambda: fuse(1500.0, 50.0, 1500.0, -1.0, BASE)),
        (NoGamesError, "no player of these games", lambda: fit_moves_prior(
            replace(known[1], moves=0 * known[1].moves), known[0].score, PLAIN, BASE)),
        (InputError, "do not go with", lambda: fit_moves_prior(known[1], [1.0], PLAIN, BASE)),
        (InputError, r"not \[g, 2\]", lambda: replace(known[1], moves_rating=np.zeros(3))),
        (NoGamesError, "no moves are known", lambda: centred_fusion(replace(pool, columns={}))),
        (UsageError, "--fit finds slope", lambda: fusion_parameters(pool, {"slope": 3}, fit=True)),
        (UsageError, "nothing is shipped of what strengths on the scale kgs",
         lambda: fusion_parameters(pool, {"slope": 1, "noise": 1}, fit=False, scale="kgs")),
    ]  # fmt: skip
    for error, words, ask in refused:
        with pytest.raises(error, match=words):
            ask()
