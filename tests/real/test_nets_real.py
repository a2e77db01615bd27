"""Real networks: the original program's evaluations, and a computation by hand."""

from __future__ import annotations

import gzip
import json
from typing import Any

import numpy as np
import pytest

from tests.go.nets.test_network import COARSE, as_katago_says, computers
from tests.go.opening_positions import FACTS, POSITIONS
from tests.shared import shared_path
from yardstone.go.nets import load_network, read_model
from yardstone.go.positions import evaluate_lines

SMALL = "g170-b6c96-s175395328-d26788732"
TRANSFORMER = "b7c96h3tfrs-test5-cnorm"
SAID = {SMALL: (8, 1_027_911), TRANSFORMER: (17, 818_953)}  #: Version, number of parameters.
CHANCES, LEADS = ("white_win", "white_loss", "no_result"), ("white_lead", "white_score_selfplay")


def differences(*, every: int = 1, **settings: Any) -> dict[str, Any]:
    """How far each value is from KataGo's, position by position; the same moves are legal."""
    path = shared_path("reference/katago/positions.jsonl.gz")
    lines = gzip.decompress(path.read_bytes()).splitlines()[::every]
    reference = [json.loads(line) for line in lines]
    assert len(reference) == 240 // every
    net = load_network(shared_path(f"nets/{SMALL}.bin.gz"), **settings)
    asked = [{k: row[k] for k in ("moves", "to_play", "rules", "komi")} for row in reference]
    found = list(evaluate_lines(map(json.dumps, asked), net))
    policies = [
        np.array([[*row["policy"], row["policy_pass"]] for row in rows], np.float64)
        for rows in (found, reference)
    ]
    assert np.array_equal(*np.isnan(policies))
    gaps: dict[str, Any] = {"policy": np.nanmax(np.abs(policies[0] - policies[1]), axis=1)}
    for name in (*CHANCES, *LEADS):
        ours, theirs = (np.array([row[name] for row in rows]) for rows in (found, reference))
        gaps[name] = np.abs(ours - theirs)
    return gaps


def test_katago_evaluates_real_positions_alike() -> None:
    for settings in computers().values():
        result = differences(**settings)
        for name, gaps in result.items():
            assert gaps.max() < (2e-3 if name in LEADS else 1e-5), (name, settings)
    # The errors of bfloat16 are those that the guide states.
    result = differences(every=2, engine="openvino", precision="bf16")
    for name, most, mean in (
        ("white_win", 0.03, 0.002), ("white_lead", 0.6, 0.08), ("policy", 0.02, 0.02)
    ):  # fmt: skip
        assert (result[name].max() < most, result[name].mean() < mean) == (True, True), name


@pytest.mark.parametrize("name", [SMALL, TRANSFORMER])
def test_katago_evaluates_openings_alike(name: str) -> None:
    file = shared_path(f"nets/{name}.bin.gz")
    model = read_model(file)
    assert (model.name, model.version, model.parameters) == (name, *SAID[name])
    for settings in computers().values():
        net = load_network(file, **settings)
        for position, fact in zip(POSITIONS, json.loads(FACTS.read_text())[name], strict=True):
            for key, value in as_katago_says(net, position).items():
                near = 1e-3 if key in COARSE else 4e-6
                assert value == pytest.approx(fact[key], abs=near, rel=5e-6), (position.name, key)
