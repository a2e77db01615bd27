"""The values of moves against a plain program, a move at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.strength.rank_cases import CHANNELS, random_evidence, random_model
from yardstone.strength.evidence import Evidence
from yardstone.strength.rank.lift import CLIP
from yardstone.strength.rank.scorer import PHASES
from yardstone.strength.rank.values import PHASE_ENDS, SCALARS, move_values, phases_of, scalars


def plain_scalars(evidence: Evidence, row: int) -> dict[str, float]:
    """Some of the scalars of a move, as they are described."""
    winrate, lead, policy, best, win_loss, loss = (float(each) for each in evidence.head[row])
    chance = max(policy + 0.5, 0.0)
    others = [float(each) for each in evidence.chances[row]]
    points = 10.0 * loss
    before = min(max(winrate + 0.5 + win_loss, 0.0), 1.0)
    place = 1 + sum(each > chance for each in others)
    line = 1 + min(
        evidence.point[row] // 19, 18 - evidence.point[row] // 19,
        evidence.point[row] % 19, 18 - evidence.point[row] % 19,
    )  # fmt: skip
    log_policy = math.log(max(chance, 1e-4))
    return {
        "policy": chance,
        "log_policy": log_policy,
        "log_ratio": log_policy - math.log(best + 0.5),
        "entropy": -sum(p * math.log(max(p, 1e-4)) for p in (chance, *others)),
        **{f"place_{k}": float(place == k) for k in range(1, 6)},
        "loss_2": min(max(points, 0.0), 2.0),
        "loss_16": min(max(points, 0.0), 16.0),
        "gain": min(max(-points, 0.0), 8.0),
        "win_loss_0.1": min(max(win_loss, 0.0), 0.1),
        "close": 4.0 * before * (1.0 - before),
        "ahead": 2.0 * before - 1.0,
        "lead": math.tanh((10.0 * lead + points) / 20.0),
        **{f"line_{k}": float(min(line, 6) == k) for k in range(1, 7)},
    }


def test_scalars_are_what_they_are_called() -> None:
    evidence = random_evidence([9, 7])
    found = scalars(evidence)
    assert found.shape == (16, len(SCALARS))
    assert len(set(SCALARS)) == len(SCALARS)
    for row in range(16):
        for name, value in plain_scalars(evidence, row).items():
            assert found[row, SCALARS.index(name)] == pytest.approx(value, abs=2e-3), name


def test_the_move_before() -> None:
    evidence = random_evidence([3, 2], point=np.array([0, 1, 4, 30, 33], np.int16))
    found = scalars(evidence)
    follows, near = SCALARS.index("follows"), SCALARS.index("within_1.5")
    assert found[:, follows].tolist() == [0, 1, 1, 0, 1]
    assert found[:, near].tolist() == [0, 1, 0, 0, 0]
    gap = evidence.select(np.array([0, 2]))  # the player's move between them is not there
    assert scalars(gap)[:, follows].tolist() == [0, 0]


def test_a_forbidden_move_has_finite_values() -> None:
    evidence = random_evidence([4])
    evidence.head[1, 2] = np.nan
    assert np.isfinite(move_values(evidence)).all()
    assert scalars(evidence)[1, SCALARS.index("policy")] == 0.0


def test_candidates_weighted_with_the_policy() -> None:
    evidence = random_evidence([5])
    found = move_values(evidence)
    for row in range(5):
        weight = [max(float(evidence.head[row, 2]) + 0.5, 0.0), *map(float, evidence.chances[row])]
        vectors = [evidence.pick[row], *evidence.candidates[row]]
        mean = sum(w * v.astype(float) for w, v in zip(weight, vectors, strict=True)) / sum(weight)
        np.testing.assert_allclose(
            found[row, 3 * CHANNELS : 4 * CHANNELS], mean, rtol=1e-3, atol=1e-3
        )


def test_phases() -> None:
    numbers = np.array([1, 20, 21, 50, 51, 90, 91, 140, 141, 400], np.int16)
    assert phases_of(numbers).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert len(PHASE_ENDS) + 1 == PHASES


def test_lifted_values_against_a_plain_program() -> None:
    evidence = random_evidence([4, 3], seed=3)
    lift = random_model(seed=2).scorer.lift
    x, lifted = lift(evidence)
    assert lifted.shape == (7, lift.lifted)
    values = move_values(evidence)
    c = CHANNELS
    for row in range(7):
        away = np.clip((values[row] - lift.mean) / lift.deviation, -CLIP, CLIP)
        np.testing.assert_allclose(x[row], away, rtol=1e-4, atol=1e-4)
        pick, gain = away[:c], away[:c] - away[3 * c : 4 * c]
        policy, best = (away[4 * c + SCALARS.index(name)] for name in ("log_policy", "log_best"))
        wanted = [pick * policy, pick * best, gain * policy, gain**2, pick**2]
        at = np.maximum(pick @ lift.pick_weights + lift.pick_bias, 0.0)
        chances = [max(float(evidence.head[row, 2]) + 0.5, 0.0), *map(float, evidence.chances[row])]
        others = [at]
        for each in evidence.candidates[row]:
            z = np.clip((each.astype(float) - lift.mean[:c]) / lift.deviation[:c], -CLIP, CLIP)
            others.append(np.maximum(z @ lift.pick_weights + lift.pick_bias, 0.0))
        expected = sum(p * v for p, v in zip(chances, others, strict=True)) / sum(chances)
        wanted += [at, at - expected, np.maximum(away @ lift.weights + lift.bias, 0.0)]
        np.testing.assert_allclose(lifted[row], np.concatenate(wanted), rtol=1e-3, atol=1e-3)
