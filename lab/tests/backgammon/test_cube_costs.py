"""What errors cost, on matches whose truth is known, and the kept tables of the study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from lab.studies.backgammon import cube_costs, cube_errors
from lab.studies.coverage_classes import coverage, read_matches
from tests.docs.blocks import ROOT
from yardstone.backgammon.matches import FEWEST_FOR_CLASSES, STEADY_CLASSES
from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.winprob import fibs

SHARES = np.array([1.0, 0.5, 1.0, 1.2, 0.8])


def made(number: int, *, noise: float = 0.1, opponents: int = 0) -> cube_errors.CubeErrors:
    """Matches to 5 points in which the chance called lost is lost by `SHARES`."""
    generator = np.random.default_rng(1)
    chequer = generator.gamma(2.0, 0.2, (number, 2))
    cube = generator.gamma(0.3, 0.15, (number, 2, 4))
    lost = np.concatenate([0.2 * chequer[:, :, None], 0.1 * cube], axis=2) @ SHARES
    other = generator.integers(0, opponents, number) if opponents else np.arange(number)
    result = 0.5 + lost[:, 1] - lost[:, 0] + noise * generator.standard_normal(number)
    names = [["Ann", f"p{k}"] if opponents else ["first", "second"] for k in other]
    return cube_errors.CubeErrors(
        source=np.full(number, "made"), length=np.full(number, 5.0), players=np.array(names),
        won=(generator.random(number) < result).astype(float), luck_adjusted=result,
        unforced=np.full((number, 2), 60.0), close=np.full((number, 2), 8.0),
        close_2003=np.full((number, 2), 12.0), chequer=chequer, chequer_cost=0.2 * chequer,
        cube=cube, cube_cost=0.1 * cube, numbers=(cube > 0.02).astype(float),
    )  # fmt: skip


def test_the_shares_that_made_the_results_are_found() -> None:
    result = cube_costs.cost_shares(made(50, noise=0.0), by_kind=True)
    assert result.names == ("chequer play", *cube_errors.KINDS_OF_CUBE_ERRORS)
    assert result.values == pytest.approx(SHARES)
    # Errors keep the matches of an opponent together.
    table = made(60, opponents=20)
    costs = np.concatenate([table.chequer_cost[:, :, None], table.cube_cost], axis=2)
    x = costs[:, 1] - costs[:, 0]
    inverse = np.linalg.inv(x.T @ x)
    names = np.unique(table.players[:, 1])
    for won, y in ((False, table.luck_adjusted - 0.5), (True, table.won - 0.5)):
        result = cube_costs.cost_shares(table, by_kind=True, won=won)
        values = np.linalg.lstsq(x, y, rcond=None)[0]
        off = x * (y - x @ values)[:, None]
        sums = [off[table.players[:, 1] == name].sum(axis=0) for name in names]
        meat = sum(np.outer(each, each) for each in sums) * len(names) / (len(names) - 1)
        assert result.values == pytest.approx(values)
        np.testing.assert_allclose(result.covariance, inverse @ meat @ inverse)
        assert result.clusters == len(names)
    assert (
        len(np.unique(cube_costs.rarer_players(made(50)))) == 50
    )  # of two programs each is its own
    # What the matches do not tell.
    empty = replace(table, cube_cost=np.zeros_like(table.cube_cost))
    assert cube_costs.cost_shares(empty).names == ("chequer play",)
    with pytest.raises(ModelError):
        cube_costs.cost_shares(table.select(np.arange(1)), by_kind=True)
    assert cube_costs.matches_needed(0.2, 100, 0.1) == 400
    one = cube_costs.cost_shares(table)["cube"]
    assert cube_costs.difference(one, one) == pytest.approx((0.0, one.error * 2**0.5, 0.0))


def test_points_for_a_unit() -> None:
    table = made(200, noise=0.0)
    claimed = cube_costs.points_for_a_unit(table, 5)
    # 0.1 of a chance for each point of equity, eight close decisions a match.
    unit = 4.0 * 0.1 * 8.0 / float(fibs.steepness(5))
    assert (claimed.value, claimed.error) == pytest.approx((unit, 0.0), abs=1e-6)
    lost = cube_costs.points_for_a_unit(table, 5, cube_costs.cost_shares(table, by_kind=True))
    by_kind = table.cube.sum(axis=(0, 1))
    assert lost.value == pytest.approx(unit * (by_kind @ SHARES[1:]) / by_kind.sum())
    assert 0.0 < lost.error < 0.1 * claimed.value
    assert cube_costs.points_for_a_unit(table, 5, side=0).value == pytest.approx(unit)
    with pytest.raises(UsageError, match="no two matches to 7 points"):
        cube_costs.points_for_a_unit(table, 7)
    mix = cube_costs.error_mix(table, samples=50)
    assert sum(share.value for share in mix.shares) == pytest.approx(1.0)
    assert mix.epc.value == pytest.approx(table.cube.sum() / table.close.sum())
    assert mix.epc_2003.value == pytest.approx(mix.epc.value * 8 / 12)
    assert mix.per_match[0].value == pytest.approx(table.numbers[:, :, 0].mean())
    ranks = spearmanr(table.chequer[:, 1], table.cube[:, 1].sum(axis=1))
    assert mix.correlation.value == pytest.approx(ranks.statistic)
    assert 0.04 < mix.correlation.error < 0.11  # 1 / sqrt(200) is 0.07


def analysis(kind: str = "missed-double-below-cp") -> dict[str, Any]:
    names = [name for group in cube_errors.KINDS_OF_CUBE_ERRORS.values() for name in group]
    cube: dict[str, float] = {**dict.fromkeys(names, 0), "close-cube": 3}
    parts = [f"err-{name}-{what}" for name in names for what in ("skill", "cost")]
    cube |= dict.fromkeys(parts, 0.0)
    cube |= {kind: 2, f"err-{kind}-skill": 0.25, f"err-{kind}-cost": 0.03}
    moves = {"unforced-moves": 20, "error-skill": 0.5, "error-cost": 0.0625}
    luck = {"X": {"luck-adjusted-result": 0.125}, "O": {"luck-adjusted-result": -0.125}}
    stats = {who: {"moves": moves, "cube": cube, "dice": luck[who]} for who in "XO"}
    return {"stats": stats, "close": {who: {"close-2003": 5} for who in "XO"}}


def test_a_table_from_analyses_and_back(tmp_path: Path) -> None:
    game = {"winner": "O", "points-won": 4, "score-X": 0, "score-O": 0}
    match = {"names": ["Ann", "Bob"], "length": 3, "games": [game]}
    # Cube 1, owned by nobody, 3 points, score 1 to 0: `match_id` of the analysis.
    error = {"kind": "wrong take", "error": 0.3, "player": 1, "match": "cAgAAAgAAAAA"}
    small = {**error, "kind": "chequer play", "player": 0}
    found = {"match": match, "analysis": analysis(), "errors": [error, small]}
    records: list[dict[str, Any]] = [
        {"status": "refused", "found": None},
        {"status": "analysed", "found": {"match": {**match, "length": 0}, "analysis": {}}},
        {"status": "analysed", "found": found},
        {"length": 5, "winner": "X", "analyses": {"0": analysis("wrong-drop")}},
        {"length": 5, "failed": "it hung"},
    ]
    path = tmp_path / "errors.csv"
    path.write_text(cube_errors.rows_text(cube_errors.match_rows(records, "here")))
    table = cube_errors.read_cube_errors(path)
    assert table.players.tolist() == [["Ann", "Bob"], ["first", "second"]]
    assert table.won.tolist() == [0.0, 1.0]
    assert table.luck_adjusted.tolist() == [0.625, 0.625]
    assert table.cube[:, 0].tolist() == [[0.25, 0, 0, 0], [0, 0, 0, 0.25]]
    assert table.cube_cost[:, 1].sum(axis=1) == pytest.approx([0.03, 0.03])
    assert table.numbers.sum() == 8
    assert (len(table.of("here")), len(table.of("there"))) == (2, 0)
    (size,) = cube_errors.size_rows([records[2]], "here")
    assert (size["kind"], size["error"], size["cube"]) == ("wrong_take", "0.3", 1)
    path.write_text(cube_errors.rows_text([size], tuple(size)))
    assert cube_errors.read_sizes(path)[0]["error"] == 0.3
    with pytest.raises(InputError, match="no column"):
        cube_errors.read_cube_errors(path)
    path.write_text(cube_errors.rows_text([]))
    with pytest.raises(NoGamesError):
        cube_errors.read_cube_errors(path)


def test_the_page_is_of_the_kept_table() -> None:
    page = (ROOT / "docs" / "studies" / "backgammon-cube-tables.md").read_text()
    every = cube_errors.read_cube_errors(ROOT / "lab" / "studies" / "backgammon_cube.csv.gz")
    row = next(line for line in page.splitlines() if line.startswith("| cube (luck-adjusted"))
    for source, words in (("people", "people"), ("noise", "programs")):
        table = every.of(source)
        assert f"{len(table)} of {words}" in page
        assert str(cube_costs.cost_shares(table)["cube"]) in row


def test_where_there_is_an_interval_it_holds_and_elsewhere_it_would_not() -> None:
    matches = read_matches()
    for name in sorted(STEADY_CLASSES):
        held = coverage(matches[name], FEWEST_FOR_CLASSES, 300, np.random.default_rng(4))
        assert 0.85 <= held <= 0.96, name  # 0.90 is promised; two standard errors are 0.035
    generator = np.random.default_rng(5)
    for name in ("race", "bear-off"):
        assert coverage(matches[name], FEWEST_FOR_CLASSES, 200, generator) < 0.8
    for name in STEADY_CLASSES:
        if name != "middle game":
            assert coverage(matches[name], 10, 200, generator) < 0.88
