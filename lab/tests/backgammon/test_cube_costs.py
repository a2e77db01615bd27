"""What errors cost, on matches whose truth is known, and the kept tables of the study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.studies.backgammon.cube_costs import (
    cost_shares,
    difference,
    error_mix,
    matches_needed,
    points_for_a_unit,
    rarer_players,
)
from lab.studies.backgammon.cube_errors import (
    KINDS_OF_CUBE_ERRORS,
    CubeErrors,
    match_rows,
    read_cube_errors,
    read_sizes,
    rows_text,
    size_rows,
)
from tests.docs.blocks import ROOT
from yardstone.errors import InputError, ModelError, NoGamesError, UsageError
from yardstone.winprob import fibs

SHARES = np.array([1.0, 0.5, 1.0, 1.2, 0.8])


def made(number: int, seed: int = 1, opponents: int = 0) -> CubeErrors:
    """Matches to 5 points in which the chance called lost is lost by `SHARES`."""
    generator = np.random.default_rng(seed)
    chequer = generator.gamma(2.0, 0.2, (number, 2))
    cube = generator.gamma(0.3, 0.15, (number, 2, 4))
    lost = np.concatenate([0.2 * chequer[:, :, None], 0.1 * cube], axis=2) @ SHARES
    # Opponents lose something of their own in all of their matches: no match is alone.
    other = generator.integers(0, opponents, number) if opponents else np.arange(number)
    habit = 0.06 * generator.standard_normal(number)[other] if opponents else np.zeros(number)
    result = 0.5 + lost[:, 1] - lost[:, 0] + habit + 0.1 * generator.standard_normal(number)
    names = [["Ann", f"p{k}"] if opponents else ["first", "second"] for k in other]
    won = (generator.random(number) < result).astype(float)
    return CubeErrors(
        source=np.full(number, "made"),
        length=np.full(number, 5.0),
        players=np.array(names),
        won=won,
        luck_adjusted=result,
        unforced=np.full((number, 2), 60.0),
        close=np.full((number, 2), 8.0),
        close_2003=np.full((number, 2), 12.0),
        chequer=chequer,
        chequer_cost=0.2 * chequer,
        cube=cube,
        cube_cost=0.1 * cube,
        numbers=(cube > 0.02).astype(float),
    )


def test_the_shares_that_made_the_results_are_found() -> None:
    result = cost_shares(made(3000), by_kind=True)
    assert result.names == ("chequer play", *KINDS_OF_CUBE_ERRORS)
    errors = np.sqrt(np.diag(result.covariance))
    assert (np.abs(result.values - SHARES) < 3.5 * errors).all()
    # Errors keep the matches of an opponent together.
    values, promised = [], []
    for seed in range(40):
        result = cost_shares(made(240, seed, opponents=80))
        values.append(result["chequer play"].value)
        promised.append(result["chequer play"].error)
        assert result.clusters <= 80
    assert np.mean(promised) == pytest.approx(np.std(values, ddof=1), rel=0.3)
    assert len(np.unique(rarer_players(made(50)))) == 50  # of two programs each is its own
    # What the matches do not tell.
    table = made(30)
    empty = CubeErrors(**{**vars(table), "cube_cost": np.zeros_like(table.cube_cost)})
    assert cost_shares(empty).names == ("chequer play",)
    with pytest.raises(ModelError):
        cost_shares(table.select(np.arange(1)), by_kind=True)
    assert matches_needed(0.2, 100, 0.1) == 400
    one = cost_shares(table)["cube"]
    assert difference(one, one) == pytest.approx((0.0, one.error * 2**0.5, 0.0))


def test_points_for_a_unit() -> None:
    table = made(3000)
    claimed = points_for_a_unit(table, 5)
    # 0.1 of a chance for each point of equity, eight close decisions a match.
    assert claimed.value == pytest.approx(4.0 * 0.1 * 8.0 / float(fibs.steepness(5)))
    assert claimed.error == pytest.approx(0.0, abs=1e-6)
    lost = points_for_a_unit(table, 5, cost_shares(table, by_kind=True))
    assert lost.value / claimed.value == pytest.approx(SHARES[1:].mean(), abs=0.1)
    assert 0.0 < lost.error < 0.1 * claimed.value
    assert points_for_a_unit(table, 5, side=0).value == pytest.approx(claimed.value)
    with pytest.raises(UsageError, match="no two matches to 7 points"):
        points_for_a_unit(table, 7)
    mix = error_mix(made(400), samples=100)
    table = made(400)
    assert sum(share.value for share in mix.shares) == pytest.approx(1.0)
    assert mix.epc.value == pytest.approx(table.cube.sum() / table.close.sum())
    assert mix.epc_2003.value == pytest.approx(mix.epc.value * 8 / 12)
    assert mix.per_match[0].value == pytest.approx(table.numbers[:, :, 0].mean())
    assert abs(mix.correlation.value) < 4 * mix.correlation.error
    assert 0.03 < mix.correlation.error < 0.08


def analysis(kind: str = "missed-double-below-cp") -> dict[str, Any]:
    names = [name for group in KINDS_OF_CUBE_ERRORS.values() for name in group]
    cube: dict[str, float] = {**dict.fromkeys(names, 0), "close-cube": 3}
    parts = [f"err-{name}-{what}" for name in names for what in ("skill", "cost")]
    cube |= dict.fromkeys(parts, 0.0)
    cube |= {kind: 2, f"err-{kind}-skill": 0.25, f"err-{kind}-cost": 0.03}
    moves = {"unforced-moves": 20, "error-skill": 0.5, "error-cost": 0.0625}
    stats = {
        who: {"moves": moves, "cube": cube, "dice": {"luck-adjusted-result": sign * 0.125}}
        for who, sign in (("X", 1), ("O", -1))
    }
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
    path.write_text(rows_text(match_rows(records, "here")))
    table = read_cube_errors(path)
    assert table.players.tolist() == [["Ann", "Bob"], ["first", "second"]]
    assert table.won.tolist() == [0.0, 1.0]
    assert table.luck_adjusted.tolist() == [0.625, 0.625]
    assert table.cube[:, 0].tolist() == [[0.25, 0, 0, 0], [0, 0, 0, 0.25]]
    assert table.cube_cost[:, 1].sum(axis=1) == pytest.approx([0.03, 0.03])
    assert table.numbers.sum() == 8
    assert (len(table.of("here")), len(table.of("there"))) == (2, 0)
    (size,) = size_rows([records[2]], "here")
    assert (size["kind"], size["error"], size["cube"]) == ("wrong_take", "0.3", 1)
    path.write_text(rows_text([size], tuple(size)))
    assert read_sizes(path)[0]["error"] == 0.3
    with pytest.raises(InputError, match="no column"):
        read_cube_errors(path)
    path.write_text(rows_text([]))
    with pytest.raises(NoGamesError):
        read_cube_errors(path)


def test_the_page_is_of_the_kept_table() -> None:
    page = (ROOT / "docs" / "studies" / "backgammon-cube-tables.md").read_text()
    every = read_cube_errors(ROOT / "lab" / "studies" / "backgammon_cube.csv.gz")
    people, noise = every.of("people"), every.of("noise")
    assert f"{len(people)} of people" in page
    assert f"{len(noise)} of programs" in page
    result = cost_shares(people)["cube"]
    row = next(line for line in page.splitlines() if line.startswith("| cube (luck-adjusted"))
    assert str(result) in row
    assert str(cost_shares(noise)["cube"]) in row
    # The finding: at 0 plies people's cube errors cost much less than they are said to, those of
    # noise all of it; and people's too once the cube is analysed at 2 plies.
    assert result.value + 2 * result.error < 0.85
    assert abs(cost_shares(noise)["cube"].value - 1.0) < 3 * cost_shares(noise)["cube"].error
    deep = cost_shares(every.of("people, cube at 2 plies"))["cube"]
    assert abs(deep.value - 1.0) < 3 * deep.error
