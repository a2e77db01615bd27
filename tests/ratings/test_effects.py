"""What bears on a game beside its players: venue, handicap, covariates, counts of games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.shared import shared_path
from yardstone.cli.main import main
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.egf import Handicap
from yardstone.ratings.rating_list import rate_list
from yardstone.records.reading import read
from yardstone.winprob.laws import logistic

PLAYERS, LOGIT = 6, BradleyTerry().points_per_logit
BOTH = {"length": ("one", "other")}


def made_pool(games: int, seed: int, *, size: float = 0.5, players: int = PLAYERS) -> Pool:
    """Games with draws and neutral venues; of length only the difference matters."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 1.0, players)
    first = rng.integers(0, players, games)
    second = (first + rng.integers(1, players, games)) % players
    one, other = rng.normal(0.0, 1.0, (2, games))
    neutral = rng.integers(0, 2, games)
    logits = strength[first] - strength[second] + size * (one - other) + 0.3 * (1 - neutral)
    score = (rng.random(games) < logistic(logits)).astype(float)
    score[rng.random(games) < 0.2] = 0.5
    return Pool(
        tuple(f"P{number}" for number in range(players)),
        first.astype(np.int32),
        second.astype(np.int32),
        score,
        columns={"one": one, "other": other, "neutral": neutral},
    )


def adjusted(pool: Pool, join: float | None) -> Callable[[np.ndarray], float]:
    """The profile likelihood of both sizes, and what frees it of the errors of the strengths."""
    design = np.zeros((len(pool), PLAYERS))
    design[np.arange(len(pool)), pool.first] = 1.0
    design[np.arange(len(pool)), pool.second] = -1.0
    columns = pool.columns
    terms = np.column_stack([1.0 - columns["neutral"], columns["one"] - columns["other"]])
    held = np.ones((PLAYERS, PLAYERS)) if join is None else (LOGIT / join) ** 2 * np.eye(PLAYERS)

    def negative(strength: np.ndarray, shift: np.ndarray) -> float:
        p = logistic(design @ strength + shift)
        chosen = np.where(pool.score == 1.0, p, 1.0 - p)
        return float(0.5 * strength @ held @ strength - np.log(chosen).sum())

    def value(size: np.ndarray) -> float:
        shift = terms @ size
        found = minimize(negative, np.zeros(PLAYERS), (shift,), method="BFGS", tol=1e-9)
        p = logistic(design @ found.x + shift)
        information = design.T @ ((p * (1.0 - p))[:, None] * design) + held
        half = 0.5 * np.linalg.slogdet(information)[1]
        return float(-found.fun + (half if join is None else -half))

    return value


@pytest.mark.parametrize("join", [None, 150.0])
def test_sizes_are_at_the_top_of_the_adjusted_profile(join: float | None) -> None:
    """By finite differences of a likelihood written anew, with strengths by BFGS."""
    pool = made_pool(150, seed=3)
    system = BradleyTerry(
        covariates=BOTH,
        neutral="neutral",
        first_advantage="auto",
        draw_rate=0.0,
        ignore_draws=True,
        join=join,
    )
    size = np.array([effect.value for effect in system.fit(pool).effects]) / LOGIT
    value = adjusted(pool.select(pool.score != 0.5), join)
    for step in 1e-3 * np.eye(2):
        assert (value(size + step) - value(size - step)) / 2e-3 == pytest.approx(0.0, abs=1e-3)


def test_errors_are_those_of_the_whole_information() -> None:
    """Ratings and sizes together, inverted at once."""
    pool = made_pool(400, seed=5)
    system = BradleyTerry(
        covariates=BOTH, neutral="neutral", first_advantage="auto", draw_rate=0.0, ignore_draws=True
    )
    ratings = system.fit(pool)
    decided = pool.select(pool.score != 0.5)
    design = np.zeros((len(decided), PLAYERS + 2))
    design[np.arange(len(decided)), decided.first] = 1.0
    design[np.arange(len(decided)), decided.second] = -1.0
    design[:, -2] = 1.0 - decided.columns["neutral"]
    design[:, -1] = decided.columns["one"] - decided.columns["other"]
    size = [effect.value for effect in ratings.effects]
    p = logistic(design @ np.append(ratings.rating - ratings.rating.mean(), size) / LOGIT)
    information = design.T @ ((p * (1.0 - p))[:, None] * design)
    whole = LOGIT**2 * np.linalg.pinv(information)
    assert ratings.covariance == pytest.approx(whole[:-2, :-2], rel=1e-6)
    deviations = [effect.deviation for effect in ratings.effects]
    assert deviations == pytest.approx(np.sqrt(np.diag(whole)[-2:]), rel=1e-6)
    assert ratings.first_advantage.deviation == deviations[0]


def test_few_games_a_player_leave_sizes_right_on_average() -> None:
    """Where the likeliest sizes are an eighth too large: with 24 games a player."""
    system = BradleyTerry(covariates=BOTH, draw_rate=0.0, ignore_draws=True)
    pools = [made_pool(300, seed, players=25) for seed in range(24)]
    found = [system.fit(pool).effects[1].value / LOGIT for pool in pools]
    assert np.mean(found) == pytest.approx(0.5, abs=0.04)


def test_a_stone_that_is_given_shifts_the_expected_points() -> None:
    pool = made_pool(300, seed=7)
    stones = np.where(np.arange(300) % 3 == 0, 4.0, 0.0)
    pool = Pool(pool.players, pool.first, pool.second, pool.score, columns={"handicap": stones})
    system = BradleyTerry(handicap=Handicap(points=60.0), draw_rate=0.0, ignore_draws=True)
    ratings = system.fit(pool)
    decided = pool.select(pool.score != 0.5)
    ahead = 60.0 * np.where(decided.columns["handicap"] > 0.0, 3.5, 0.0)
    ahead += ratings.rating[decided.first] - ratings.rating[decided.second]
    surplus = decided.score - logistic(ahead / LOGIT)
    of_player = np.bincount(decided.first, surplus) - np.bincount(decided.second, surplus)
    assert of_player == pytest.approx(0.0, abs=1e-8)
    assert rate_list(pool, system).games == 300


def test_a_count_stands_for_so_many_rows() -> None:
    pool = made_pool(60, seed=11)
    number = np.arange(60) % 3
    counted = Pool(pool.players, pool.first, pool.second, pool.score, columns={"n": number})
    repeated = pool.select(np.repeat(np.arange(60), number))
    assert BradleyTerry(count="n").fit(counted) == BradleyTerry().fit(repeated)
    with pytest.raises(InputError, match=r"'n' counts 0\.5 games"):
        BradleyTerry(count="n").fit(
            Pool(pool.players, pool.first, pool.second, pool.score, columns={"n": number + 0.5})
        )


def test_what_the_games_do_not_tell_is_refused() -> None:
    pool = made_pool(80, seed=2)
    own = pool.first.astype(float) - pool.second
    columns = {
        **pool.columns,
        "own": own,
        "twice": 2.0 * pool.columns["one"],
        "text": own.astype(str),
    }
    columns["hole"] = np.where(own > 0, own, np.nan)
    columns["sure"] = pool.score - 0.5
    pool = Pool(pool.players, pool.first, pool.second, pool.score, columns=columns)
    for covariates, error, says in (
        ({"own": "own"}, ModelError, "do not determine the effect of own"),
        ({"a": "one", "b": "twice"}, ModelError, "do not tell these effects apart: a, b"),
        ({"sure": "sure"}, ModelError, "the effect of sure has no finite estimate"),
        ({"gone": "gone"}, InputError, "no column 'gone'"),
        ({"hole": "hole"}, InputError, "'hole' says nothing in"),
    ):
        with pytest.raises(error, match=says):
            BradleyTerry(covariates=covariates).fit(pool)
    with pytest.raises(UsageError, match="a stone cannot be fitted"):
        BradleyTerry(handicap=Handicap(), fit_handicap=True, join=300.0)


def test_real_tournaments_say_what_a_stone_is_worth() -> None:
    """Near the 100 points of a grade, among people with 14 games and more."""
    games = shared_path("data/go/tournaments/games.csv.gz")
    pool = read(games, columns=["handicap"])
    often = pool.played() >= 14
    pool = pool.select(often[pool.first] & often[pool.second])
    system = BradleyTerry(handicap=Handicap(), fit_handicap=True, method="likelihood")
    _, stone = system.fit(pool).effects
    assert 10.0 < stone.deviation < 20.0
    assert stone.value == pytest.approx(100.0, abs=2.0 * stone.deviation)


def test_the_command_takes_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = made_pool(240, seed=4)
    names = np.array(pool.players)
    rows = zip(
        *(names[pool.first], names[pool.second], pool.score),
        *(pool.columns["one"], pool.columns["other"], pool.columns["neutral"]),
        strict=True,
    )
    path = tmp_path / "battles.csv"
    lines = [",".join(map(str, row)) for row in rows]
    path.write_text("first,second,score,one,other,neutral\n" + "\n".join(lines))
    asked = ["--covariate", "length=one,other", "--neutral", "neutral"]
    assert main(["rate", str(path), *asked]) == 0
    system = BradleyTerry(
        covariates=BOTH,
        neutral="neutral",
        method="likelihood",
        first_advantage="auto",
        draw_rate="auto",
    )
    effect = rate_list(pool, system).ratings.effects[1]
    assert f"Points for each unit of length: {effect.value:.3g} ± " in capsys.readouterr().out
    assert main(["rate", str(path), "--covariate", "one,one"]) == 2
