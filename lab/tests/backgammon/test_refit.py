from __future__ import annotations

import gzip
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from yardstone.backgammon.formulas import PUBLISHED, Formula
from yardstone.errors import InputError, ModelError, NoGamesError
from yardstone.parallel import spawn_generators
from yardstone.winprob import fibs
from yardstone_lab.vandendoel import comparison
from yardstone_lab.vandendoel.tables import MatchTable, read_match_table


def simulated(number: int, *, players: int = 60, noise: float = 0.1) -> MatchTable:
    """Matches of people whose errors cost what the published formula says."""
    generator = np.random.default_rng(1)
    epm = generator.gamma(4.0, 0.004, players)
    epc = generator.gamma(4.0, 0.02, players)
    pair = np.array([generator.choice(players, 2, replace=False) for _ in range(number)])
    length = generator.choice([1.0, 3.0, 5.0, 7.0, 11.0], number)
    unforced = np.round(generator.uniform(15, 25, (number, 2)) * length[:, None])
    close = np.round(generator.uniform(1, 3, (number, 2)) * length[:, None])
    chequer, cube = epm[pair] * unforced, epc[pair] * close
    one, two = ((epm[pair[:, side]], epc[pair[:, side]]) for side in (0, 1))
    chance = PUBLISHED.probability(one, two, length)
    return MatchTable(
        length, np.array([f"p{k}" for k in range(players)])[pair],
        (generator.random(number) < chance).astype(float),
        chance + generator.normal(0, noise, number), chequer, cube, unforced, close,
    )  # fmt: skip


@pytest.mark.parametrize("target", ["won", "luck-adjusted"])
def test_a_fit_is_the_maximum_and_its_errors_are_the_sandwich(target: comparison.Target) -> None:
    table = simulated(300)
    clusters = np.arange(300) // 3
    fit = comparison.fit_weights(
        table, model="moves-and-cube-constant", target=target, clusters=clusters
    )
    design = comparison.terms(
        "moves-and-cube-constant", table.epm, table.epc, table.epd, table.length
    )
    design *= fibs.steepness(table.length)[:, None]
    score = table.score if target == "won" else table.luck_adjusted
    size = np.array([10_000.0, 1000.0])

    def loss(x: np.ndarray) -> float:
        ahead = design @ (x * size)
        return float((np.logaddexp(0.0, ahead) - score * ahead).sum())

    best = minimize(loss, np.ones(2), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
    assert fit.values == pytest.approx(best.x * size, rel=1e-4)
    chance = 1.0 / (1.0 + np.exp(-design @ fit.values))
    inverse = np.linalg.inv((design * (chance * (1.0 - chance))[:, None]).T @ design)
    summed = (design * (score - chance)[:, None]).reshape(100, 3, 2).sum(axis=1)
    expected = inverse @ sum(np.outer(each, each) for each in summed) @ inverse * 100 / 99
    np.testing.assert_allclose(fit.covariance, expected, rtol=1e-6)
    # Whole clusters are drawn.
    fit = comparison.fit_weights(table, model="scaled", target=target, samples=2, seed=3)
    for values, generator in zip(fit.bootstrap, spawn_generators(3, 2), strict=True):
        drawn = table.select(generator.integers(0, 300, 300))
        assert values == pytest.approx(
            comparison.fit_weights(drawn, model="scaled", target=target).values
        )


def test_the_weights_that_made_the_matches_are_found() -> None:
    table = simulated(200, noise=0.0)
    fit = comparison.fit_weights(table)
    assert fit.values == pytest.approx([8798.0, 25526.0, 863.0, -519.0], rel=1e-5)
    factors = np.array([1.0, 1 / 5, 0.0, 0.0])
    error = sqrt(factors @ fit.covariance @ factors)
    assert fit.weight("move", 5) == pytest.approx((13903.2, error))
    assert float(fit.formula.move(5)) == pytest.approx(13903.2)
    # Matches that tell nothing.
    with pytest.raises(ModelError):
        comparison.fit_weights(MatchTable(**{**vars(table), "cube": np.zeros_like(table.cube)}))
    one_length = table.select(table.length == 5.0)
    with pytest.raises(ModelError, match="do not determine"):
        comparison.fit_weights(one_length)
    assert len(comparison.fit_weights(one_length, model="moves-and-cube-constant").values) == 2
    half = comparison.formula_of("scaled", np.array([0.5]), "half")
    assert half.loss(0.01, 0.02, 5) == pytest.approx(PUBLISHED.loss(0.01, 0.02, 5) / 2)
    assert float(comparison.formula_of("decisions", np.array([1.0, 2.0]), "x").decision(4)) == 1.5


def test_left_out_results_are_predicted_by_fits_to_the_others() -> None:
    table = simulated(200)
    folds = comparison.folds_by_player(table, 3, 1)
    predictions = comparison.cross_validate(
        table, {"published": PUBLISHED}, {"scaled": "scaled"}, folds
    )
    even, published, scaled = predictions
    assert [each.name for each in predictions] == ["even", "published", "scaled"]
    assert even.mean == pytest.approx(log(0.5))

    def scores(formula: Formula) -> np.ndarray:
        one, two = ((table.epm[:, side], table.epc[:, side]) for side in (0, 1))
        return comparison.log_score(formula.probability(one, two, table.length), table.score)

    np.testing.assert_allclose(published.score, scores(PUBLISHED))
    for fold in range(3):
        formula = comparison.fit_weights(table.select(folds != fold), model="scaled").formula
        np.testing.assert_allclose(scaled.score[folds == fold], scores(formula)[folds == fold])
    gain = scaled.score - even.score
    sums = [(gain - gain.mean())[folds == fold].sum() for fold in range(3)]
    error = sqrt(np.square(sums).sum() * 3 / 2) / 200
    assert scaled.ahead_of(even, folds) == pytest.approx((gain.mean(), error))


def test_matches_of_one_player() -> None:
    """They stay together in folds, and rates of others leave out the match itself."""
    table = simulated(300)
    folds, rarer = comparison.folds_by_player(table, 4, 1), comparison.rarer_player(table)
    assert set(folds.tolist()) == {0, 1, 2, 3}
    assert all(len(set(folds[rarer == name].tolist())) == 1 for name in np.unique(rarer))
    table = simulated(200, players=6)
    epm, _, _ = comparison.other_rates(table)
    for g in (0, 57, 199):
        mine = table.players == table.players[g, 0]
        mine[g] = False
        expected = table.chequer[mine].sum() / table.unforced[mine].sum()
        assert epm[g, 0] == pytest.approx(expected)
    heavy, _, _ = comparison.other_rates(table, shrink=1e9)
    assert heavy == pytest.approx(table.chequer.sum() / table.unforced.sum(), rel=1e-3)


def test_reading_a_table(tmp_path: Path) -> None:
    errors = "chequer missed_double wrong_double wrong_take wrong_pass unforced close close_2003"
    columns = [f"{name}_{side}" for side in (1, 2) for name in errors.split()]
    header = ",".join(["length,player_1,player_2,winner,luck_adjusted_1", *columns])
    sides = "0.4,0.1,0,0.2,0,40,8,12,0.8,0,0,0,0,44,0,0"
    rows = [f"5,Ann,Bob,1,0.7,{sides}", f"5,Ann,Bob,,,{sides}", f"0,Ann,Bob,1,0.6,{sides}"]
    path, packed = tmp_path / "table.csv", tmp_path / "table.csv.gz"
    path.write_text("\n".join([header, *rows]))
    table = read_match_table(path)
    assert len(table) == 1
    assert table.epm[0].tolist() == pytest.approx([0.01, 0.8 / 44])
    assert table.epc[0].tolist() == pytest.approx([0.3 / 8, 0.0])
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_match_table(packed, close="close_2003").close[0].tolist() == [12, 0]
    for text, error, message in (
        (f"{header}\n{rows[0].replace('0.4', 'many')}", InputError, r"table\.csv:2"),
        ("a,b\n1,2\n", InputError, "no column"),
        (header + "\n", NoGamesError, None),
    ):
        path.write_text(text)
        with pytest.raises(error, match=message):
            read_match_table(path)
