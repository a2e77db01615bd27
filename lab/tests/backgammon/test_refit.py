from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yardstone.backgammon.formulas import PUBLISHED
from yardstone.errors import InputError, ModelError, NoGamesError
from yardstone.winprob import fibs
from yardstone_lab.vandendoel.comparison import (
    cross_validate,
    fit_weights,
    folds_by_player,
    formula_of,
    other_rates,
    rarer_player,
    terms,
)
from yardstone_lab.vandendoel.tables import MatchTable, read_match_table


def simulated(number: int, seed: int = 1, players: int = 60) -> MatchTable:
    """Matches of people whose errors cost what the published formula says."""
    generator = np.random.default_rng(seed)
    epm = generator.gamma(4.0, 0.004, players)
    epc = generator.gamma(4.0, 0.02, players)
    pair = np.array([generator.choice(players, 2, replace=False) for _ in range(number)])
    length = generator.choice([1.0, 3.0, 5.0, 7.0, 11.0], number)
    unforced = np.round(generator.uniform(15, 25, (number, 2)) * length[:, None])
    close = np.round(generator.uniform(1, 3, (number, 2)) * length[:, None])
    # Rates of a match are those of the player here: nothing else may move the fit.
    chequer, cube = epm[pair] * unforced, epc[pair] * close
    chance = PUBLISHED.probability(
        (epm[pair[:, 0]], epc[pair[:, 0]]), (epm[pair[:, 1]], epc[pair[:, 1]]), length
    )
    return MatchTable(
        length,
        np.array([f"p{k}" for k in range(players)])[pair],
        (generator.random(number) < chance).astype(float),
        chance + generator.normal(0, 0.1, number),
        chequer,
        cube,
        unforced,
        close,
    )


def test_the_maximum_is_that_of_another_method() -> None:
    from scipy.optimize import minimize

    table = simulated(800)
    fit = fit_weights(table, model="moves-and-cube-constant", target="won")
    design = terms("moves-and-cube-constant", table.epm, table.epc, table.epd, table.length)
    slope = fibs.steepness(table.length)
    size = np.array([10_000.0, 1000.0])

    def loss(x: np.ndarray) -> float:
        ahead = (design @ (x * size)) * slope
        return float((np.logaddexp(0.0, ahead) - table.score * ahead).sum())

    result = minimize(loss, np.ones(2), method="Nelder-Mead", options={"xatol": 1e-7})
    assert fit.values == pytest.approx(result.x * size, rel=1e-4)
    # The weights are those that made the matches.
    table = simulated(4_000)
    for target in ("won", "luck-adjusted"):
        fit = fit_weights(table, target=target)
        truth = np.array([8798.0, 25526.0, 863.0, -519.0])
        assert (np.abs(fit.values - truth) < 4 * fit.errors).all()
        weight, error = fit.weight("move", 5)
        assert abs(weight - 13903.2) < 4 * error
        assert float(fit.formula.move(5)) == pytest.approx(weight)
    # Matches that tell nothing.
    with pytest.raises(ModelError):
        fit_weights(MatchTable(**{**vars(table), "cube": np.zeros_like(table.cube)}))
    one_length = table.select(table.length == 5.0)
    with pytest.raises(ModelError, match="do not determine"):
        fit_weights(one_length)
    assert len(fit_weights(one_length, model="moves-and-cube-constant").values) == 2
    half = formula_of("scaled", np.array([0.5]), "half")
    losses = [float(each.loss(0.01, 0.02, 5)) for each in (half, PUBLISHED)]
    assert losses[0] == pytest.approx(losses[1] / 2)
    assert float(formula_of("decisions", np.array([1.0, 2.0]), "x").decision(4)) == 1.5


def test_errors_are_those_of_repeated_samples() -> None:
    fits = [fit_weights(simulated(400, seed), model="scaled", target="won") for seed in range(30)]
    spread = np.std([fit.values[0] for fit in fits], ddof=1)
    assert np.mean([fit.errors[0] for fit in fits]) == pytest.approx(spread, rel=0.35)
    fit, again = (
        fit_weights(simulated(400), model="scaled", target="won", samples=100, seed=3)
        for _ in range(2)
    )
    assert fit.bootstrap.std(ddof=1) == pytest.approx(fit.errors[0], rel=0.3)
    assert np.array_equal(fit.bootstrap, again.bootstrap)


def test_left_out_results_are_predicted_better_by_the_truth() -> None:
    table = simulated(5_000)
    formulas = {"published": PUBLISHED, "ten times": PUBLISHED.times(10.0, "x")}
    models: dict[str, Any] = {"refit": "moves-and-cube", "scaled": "scaled"}
    folds = folds_by_player(table, 5, 1)
    predictions = cross_validate(table, formulas, models, folds, test="won")
    result = {prediction.name: prediction for prediction in predictions}
    assert result["even"].mean == pytest.approx(np.log(0.5))
    gain, error = result["published"].ahead_of(result["even"], rarer_player(table))
    assert gain > 4 * error
    assert result["published"].mean > result["ten times"].mean
    loss, error = result["refit"].ahead_of(result["published"])
    assert abs(loss) < 4 * error + 0.002


def test_matches_of_one_player() -> None:
    """They stay together in folds, and rates of others leave out the match itself."""
    table = simulated(300)
    folds, rarer = folds_by_player(table, 4, 1), rarer_player(table)
    assert set(folds.tolist()) == {0, 1, 2, 3}
    assert all(len(set(folds[rarer == name].tolist())) == 1 for name in np.unique(rarer))
    table = simulated(200, players=6)
    epm, _, _ = other_rates(table)
    for g in (0, 57, 199):
        name = table.players[g, 0]
        mine = table.players == name
        mine[g] = False
        expected = table.chequer[mine].sum() / table.unforced[mine].sum()
        assert epm[g, 0] == pytest.approx(expected)
    heavy, _, _ = other_rates(table, shrink=1e9)
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
    with pytest.raises(InputError, match="no such file"):
        read_match_table(tmp_path / "none.csv")
