"""Real networks: the original program's evaluations, and a computation by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.go.nets.oracle import forward
from tests.go.nets.test_network import COARSE, as_katago_says, computers
from tests.go.opening_positions import FACTS, POSITIONS
from tests.shared import shared_path
from yardstone.go.inputs import encode_game
from yardstone.go.nets import load_network, read_model
from yardstone.go.points import parse_colour, point_number
from yardstone.go.positions import evaluate_lines
from yardstone.go.rules import parse_rules

SMALL = "g170-b6c96-s175395328-d26788732"
TRANSFORMER = "b7c96h3tfrs-test5-cnorm"
#: Values are stored with 6 digits, and leads with 3.
CHANCES, LEADS = ("white_win", "white_loss", "no_result"), ("white_lead", "white_score_selfplay")


def network_file(name: str) -> Path:
    return shared_path(f"nets/{name}.bin.gz")


@pytest.fixture(scope="module")
def reference() -> list[dict[str, Any]]:
    """What KataGo says of 240 positions."""
    path = shared_path("reference/katago/positions.jsonl.gz")
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert len(rows) == 240
    return rows


def differences(reference: list[dict[str, Any]], **settings: Any) -> dict[str, Any]:
    """How far each value is from KataGo's, position by position; the same moves are legal."""
    net = load_network(network_file(SMALL), **settings)
    asked = [
        {name: row[name] for name in ("moves", "to_play", "rules", "komi")} for row in reference
    ]
    found = list(evaluate_lines(map(json.dumps, asked), net))
    policies = [
        np.array([[*row["policy"], row["policy_pass"]] for row in rows], np.float64)
        for rows in (found, reference)
    ]
    assert np.array_equal(*np.isnan(policies))
    gaps = {
        name: np.abs(
            [ours[name] - theirs[name] for ours, theirs in zip(found, reference, strict=True)]
        )
        for name in (*CHANCES, *LEADS)
    }
    return gaps | {"policy": np.nanmax(np.abs(policies[0] - policies[1]), axis=1)}


def test_katago_evaluates_real_positions_alike(reference: list[dict[str, Any]]) -> None:
    for settings in computers().values():
        result = differences(reference, **settings)
        for name in (*CHANCES, "policy"):
            assert result[name].max() < 1e-5, (name, settings)
        for name in LEADS:
            assert result[name].max() < 2e-3, (name, settings)


def test_the_errors_of_bfloat16_are_those_that_the_guide_states(
    reference: list[dict[str, Any]],
) -> None:
    result = differences(reference, engine="openvino", precision="bf16")
    assert result["white_win"].max() < 0.03
    assert result["white_win"].mean() < 0.002
    assert result["white_lead"].max() < 0.6
    assert result["white_lead"].mean() < 0.08
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
    position = reference[100]
    encoded = encode_game(
        19,
        moves=[point_number(point, 19) for _, point in position["moves"]],
        colours=[parse_colour(colour) for colour, _ in position["moves"]],
        komi=position["komi"],
        rules=parse_rules(position["rules"]),
        positions=[len(position["moves"])],
        to_play=parse_colour(position["to_play"]),
    )
    net = load_network(network_file(name))
    spatial = encoded.spatial.astype(np.float32)
    result = net.evaluate(spatial, encoded.globals, trunk=True)
    wanted = forward(net.model, spatial, encoded.globals)
    assert result.trunk is not None
    assert np.abs(result.trunk - wanted["trunk"]).max() < 1e-4 * np.abs(wanted["trunk"]).max()
    assert np.abs(result.policy_logits - wanted["policy"]).max() < 1e-3
    assert np.abs(result.value_logits - wanted["value"]).max() < 1e-4


def test_what_the_files_say() -> None:
    small, transformer = (read_model(network_file(name)) for name in (SMALL, TRANSFORMER))
    assert small.name == SMALL
    assert (small.version, len(small.trunk.blocks), small.parameters) == (8, 6, 1_027_911)
    assert small.sha256.startswith("f5d32604e3675c48")
    assert (transformer.version, transformer.trunk.channels) == (17, 96)
    assert transformer.parameters == 818_953
