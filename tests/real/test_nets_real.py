"""Real networks: the original program's evaluations, and a computation by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.go.nets.oracle import forward
from tests.go.nets.test_network import COARSE, as_katago_says, computers
from tests.go.opening_positions import FACTS, POSITIONS
from tests.shared import shared_path
from yardstone.go.evaluator import assess, can_end_without_result
from yardstone.go.inputs import encode_game
from yardstone.go.nets import load_network, read_model
from yardstone.go.points import parse_colour, point_number
from yardstone.go.rules import parse_rules

SMALL = "g170-b6c96-s175395328-d26788732"
TRANSFORMER = "b7c96h3tfrs-test5-cnorm"


def network_file(name: str) -> Path:
    return shared_path(f"nets/{name}.bin.gz")


@pytest.fixture(scope="module")
def reference() -> list[dict[str, Any]]:
    """Each position with what KataGo says of it, and with our inputs."""
    path = shared_path("reference/katago/positions.jsonl.gz")
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    for row in rows:
        row["rules"] = parse_rules(row["rules"])
        row["encoded"] = encode_game(
            19,
            moves=[point_number(point, 19) for _, point in row["moves"]],
            colours=[parse_colour(colour) for colour, _ in row["moves"]],
            komi=row["komi"],
            rules=row["rules"],
            positions=[len(row["moves"])],
            to_play=parse_colour(row["to_play"]),
        )
    return rows


def stacked(
    reference: list[dict[str, Any]],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    spatial = np.concatenate([row["encoded"].spatial for row in reference])
    return spatial, np.concatenate([row["encoded"].globals for row in reference])


def errors(reference: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    """Differences to KataGo, position by position."""
    net = load_network(network_file(SMALL), **settings)
    result = net.evaluate(*stacked(reference))
    differences: dict[str, list[float]] = {"win": [], "lead": [], "policy": []}
    for number, row in enumerate(reference):
        one = slice(number, number + 1)
        seen = assess(
            result.policy_logits[one],
            result.value_logits[one],
            np.stack([result.lead[one], result.score_mean[one]], axis=1),
            row["encoded"].to_play,
            row["encoded"].legal,
            without_result=can_end_without_result(row["rules"]),
        )
        differences["win"].append(abs(seen.white_win[0] - row["white_win"]))
        differences["lead"].append(abs(seen.white_lead[0] - row["white_lead"]))
        wanted = np.array([*row["policy"], row["policy_pass"]], np.float64)
        assert np.array_equal(np.isnan(wanted), np.isnan(seen.policy[0]))
        differences["policy"].append(float(np.nanmax(np.abs(seen.policy[0] - wanted))))
    return {name: np.array(values) for name, values in differences.items()}


def test_katago_evaluates_real_positions_alike(reference: list[dict[str, Any]]) -> None:
    for settings in computers().values():
        result = errors(reference, **settings)
        assert result["win"].max() < 1e-5
        assert result["policy"].max() < 1e-5
        assert result["lead"].max() < 1e-3  # printed with three decimals


def test_the_errors_of_bfloat16_are_those_that_the_guide_states(
    reference: list[dict[str, Any]],
) -> None:
    result = errors(reference, engine="openvino", precision="bf16")
    assert result["win"].max() < 0.03
    assert result["win"].mean() < 0.002
    assert result["lead"].max() < 0.6
    assert result["lead"].mean() < 0.08
    assert result["policy"].max() < 0.02


@pytest.mark.parametrize("name", [SMALL, TRANSFORMER])
def test_katago_evaluates_openings_alike(name: str) -> None:
    for settings in computers().values():
        net = load_network(network_file(name), **settings)
        for position, fact in zip(POSITIONS, json.loads(FACTS.read_text())[name], strict=True):
            for key, value in as_katago_says(net, position).items():
                near = 1e-3 if key in COARSE else 4e-6
                assert value == pytest.approx(fact[key], abs=near, rel=5e-6), (position.name, key)


@pytest.mark.parametrize("name", [SMALL, TRANSFORMER])
def test_the_trunk_is_that_of_a_computation_by_hand(
    name: str, reference: list[dict[str, Any]]
) -> None:
    net = load_network(network_file(name))
    spatial, numbers = (each[100:102] for each in stacked(reference))
    result = net.evaluate(spatial, numbers, trunk=True)
    wanted = forward(net.model, spatial, numbers)
    assert result.trunk is not None
    assert result.trunk.shape == (2, 96, 19, 19)
    assert np.abs(result.trunk - wanted["trunk"]).max() < 1e-4 * np.abs(wanted["trunk"]).max()
    assert np.abs(result.policy_logits - wanted["policy"]).max() < 1e-3
    assert np.abs(result.value_logits - wanted["value"]).max() < 1e-4


def test_features_of_the_trunk_look_as_they_should(reference: list[dict[str, Any]]) -> None:
    net = load_network(network_file(SMALL))
    trunk = net.evaluate(*stacked(reference), trunk=True).trunk
    assert trunk is not None
    assert trunk.min() == 0.0  # after a ReLU
    assert 0.4 < trunk.mean() < 0.7
    assert 0.2 < (trunk > 0.0).mean() < 0.35


def test_what_the_files_say() -> None:
    small, transformer = (read_model(network_file(name)) for name in (SMALL, TRANSFORMER))
    assert small.name == SMALL
    assert (small.version, len(small.trunk.blocks), small.parameters) == (8, 6, 1_027_911)
    assert small.sha256.startswith("f5d32604e3675c48")
    assert (transformer.version, transformer.trunk.channels) == (17, 96)
    assert transformer.parameters == 818_953
