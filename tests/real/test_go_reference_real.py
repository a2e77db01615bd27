"""What KataGo itself says of 240 positions, and what we say of them."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from typing import Any

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone.examples import example
from yardstone.go.analysis import analyse
from yardstone.go.evaluator import Evaluator, ask
from yardstone.go.features import move_features
from yardstone.go.nets.network import load_network
from yardstone.go.positions import evaluate_lines
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import SgfReader, read_games

NET = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
TRANSFORMER = "nets/b7c96h3tfrs-test5-cnorm.bin.gz"
#: What the reference is stored with: 6 digits of chances, 3 of scores.
CHANCE, SCORE = 1e-4, 2e-3
#: bf16 in the trunk; heads in fp32 (see docs/how-to/go.md).
CHANCE_BF16, SCORE_BF16 = 0.03, 1.0


@pytest.fixture(scope="module")
def reference() -> list[dict[str, Any]]:
    with gzip.open(shared_path("reference/katago/positions.jsonl.gz"), "rt") as file:
        return [json.loads(line) for line in file]


def asked(reference: list[dict[str, Any]]) -> list[str]:
    names = ("moves", "to_play", "rules", "komi")
    return [json.dumps({name: row[name] for name in names}) for row in reference]


def differences(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> dict[str, float]:
    """The largest difference of each value; the same moves must be legal."""
    worst = dict.fromkeys(
        ("white_win", "white_loss", "no_result", "white_lead", "white_score_selfplay", "policy"),
        0.0,
    )
    for ours, theirs in zip(found, wanted, strict=True):
        assert [v is None for v in ours["policy"]] == [v is None for v in theirs["policy"]]
        for name in worst:
            if name == "policy":
                a, b = (
                    [v or 0.0 for v in [*r["policy"], r["policy_pass"]]] for r in (ours, theirs)
                )
                gap = float(np.abs(np.subtract(a, b)).max())
            else:
                gap = abs(ours[name] - theirs[name])
            worst[name] = max(worst[name], gap)
    return worst


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
def test_the_reference_positions(engine: str, reference: list[dict[str, Any]]) -> None:
    pytest.importorskip(engine)
    network = load_network(shared_path(NET), engine)
    worst = differences(list(evaluate_lines(asked(reference), network)), reference)
    for name in ("white_win", "white_loss", "no_result", "policy"):
        assert worst[name] <= CHANCE, worst
    for name in ("white_lead", "white_score_selfplay"):
        assert worst[name] <= SCORE, worst


def test_bf16_is_as_coarse_as_the_guide_says(reference: list[dict[str, Any]]) -> None:
    pytest.importorskip("openvino")
    network = load_network(shared_path(NET), "openvino", "bf16")
    worst = differences(list(evaluate_lines(asked(reference), network)), reference)
    assert worst["white_win"] <= CHANCE_BF16
    assert worst["policy"] <= CHANCE_BF16
    assert worst["white_lead"] <= SCORE_BF16


def test_the_transformer_network_evaluates(reference: list[dict[str, Any]]) -> None:
    """It is weak, but it knows that a lead wins."""
    network = load_network(shared_path(TRANSFORMER))
    some = reference[::4]
    result = list(evaluate_lines(asked(some), network))
    for row, theirs in zip(result, some, strict=True):
        assert [v is None for v in row["policy"]] == [v is None for v in theirs["policy"]]
        total = sum(v or 0.0 for v in row["policy"]) + row["policy_pass"]
        assert total == pytest.approx(1.0, abs=2e-4)
        chances = row["white_win"] + row["white_loss"] + row["no_result"]
        assert chances == pytest.approx(1.0, abs=1e-5)
    leads = [row["white_lead"] for row in result]
    wins = [row["white_win"] for row in result]
    assert np.corrcoef(leads, wins)[0, 1] > 0.5


def league_games(count: int) -> list[GoGame]:
    return list(islice(SgfReader(shared_path("data/go/ogs_league.zip")), count))


def test_features_of_a_real_game_are_those_of_single_positions() -> None:
    network = load_network(shared_path(NET), threads=1)
    (game,) = league_games(1)
    evaluator = Evaluator(network, trunk=("pick", "mean"))
    (answer,) = evaluator.answer(ask([game], SkipReport(), network, rules=TROMP_TAYLOR, trunk=True))
    result = move_features(answer)
    encoded = answer.question.encoded
    rows = np.arange(0, len(result.number), 25)
    positions = result.number[rows] - 1
    whole = network.evaluate(
        encoded.spatial[positions].astype(np.float32), encoded.globals[positions], trunk=True
    )
    assert whole.trunk is not None
    picks = whole.trunk.reshape(len(rows), network.channels, -1)[
        np.arange(len(rows)), :, result.point[rows]
    ]
    np.testing.assert_allclose(result.features["pick"][rows], picks, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(
        result.features["mean"][rows], whole.trunk.mean(axis=(2, 3)), rtol=1e-3, atol=1e-3
    )
    # Facts about this network: its features after the activation (of whole boards).
    assert float(whole.trunk.mean()) == pytest.approx(0.56, abs=0.1)
    assert float((whole.trunk > 0).mean()) == pytest.approx(0.26, abs=0.05)
    assert float(whole.trunk.max()) < 30.0


def test_the_costliest_moves_of_a_professional_game() -> None:
    network = load_network(shared_path(NET))
    result = analyse(next(read_games(example("professional.sgf"))), network)
    assert set((result.mistakes(3.0)[:2] + 1).tolist()) == {97, 111}  # 4.2 points both
