"""The values of moves against a plain program, a move at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.strength.rank_cases import CHANNELS, move_scorer, random_evidence, random_model
from yardstone.go.features import HEAD
from yardstone.strength.evidence import PHASE_ENDS, PHASES, Evidence, phases_of
from yardstone.strength.rank_features import CLIP, COURSE, SCALARS, MoveFacts, move_values
from yardstone.strength.rank_features import scalars as scalars_of_facts
from yardstone_lab.neubauer.rank.training import random_lift


def scalars(evidence: Evidence) -> np.ndarray[Any, np.dtype[np.float32]]:
    return scalars_of_facts(MoveFacts(evidence))


def course(evidence: Evidence) -> np.ndarray[Any, np.dtype[np.float32]]:
    return scalars(evidence)[:, -len(COURSE) :]


def plain_scalars(evidence: Evidence, row: int) -> dict[str, float]:
    """Some of the scalars of a move, as they are described."""
    winrate, lead, policy, best, win_loss, loss = (
        float(evidence.named(name)[row]) for name in HEAD
    )
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
    result = scalars(evidence)
    assert result.shape == (16, len(SCALARS))
    assert len(set(SCALARS)) == len(SCALARS)
    for row in range(16):
        for name, value in plain_scalars(evidence, row).items():
            assert result[row, SCALARS.index(name)] == pytest.approx(value, abs=2e-3), name


def test_the_move_before() -> None:
    evidence = random_evidence([3, 2], point=np.array([0, 1, 4, 30, 33], np.int16))
    result = scalars(evidence)
    follows, near = SCALARS.index("follows"), SCALARS.index("within_1.5")
    assert result[:, follows].tolist() == [0, 1, 1, 0, 1]
    assert result[:, near].tolist() == [0, 1, 0, 0, 0]
    gap = evidence.select(np.array([0, 2]))  # the player's move between them is not there
    assert scalars(gap)[:, follows].tolist() == [0, 0]


def test_a_forbidden_move_has_finite_values() -> None:
    evidence = random_evidence([4])
    evidence.named("policy")[1] = np.nan
    known = move_values(evidence)[:, : -len(COURSE)]
    assert np.isfinite(known).all()
    assert scalars(evidence)[1, SCALARS.index("policy")] == 0.0


def test_the_course_of_the_game() -> None:
    evidence = random_evidence([12, 3])
    result, names = course(evidence), [each.name for each in COURSE]
    assert result.shape == (15, len(COURSE))
    lead = 10.0 * (evidence.named("lead") + evidence.named("point_loss")).astype(float)
    winrate = evidence.named("winrate") + 0.5 + evidence.named("win_loss")
    winrate = np.clip(winrate, 0.0, 1.0).astype(float)
    for row in range(15):
        for steps in (2, 4, 8):
            there = row + steps < 12 if row < 12 else row + steps < 15
            for name, values, most in (
                ("points", lead, 3.0), ("points", lead, 10.0), ("win", winrate, 0.15)
            ):  # fmt: skip
                lost = result[row, names.index(f"lost_{name}_{most:g}_in_{steps}")]
                gained = result[row, names.index(f"gained_{name}_{most:g}_in_{steps}")]
                if not there:
                    assert np.isnan([lost, gained]).all()
                    continue
                change = values[row + steps] - values[row]
                assert lost == pytest.approx(min(max(-change, 0.0), most), abs=1e-5)
                assert gained == pytest.approx(min(max(change, 0.0), most), abs=1e-5)


def test_what_is_not_known_says_nothing() -> None:
    evidence = random_evidence([30, 30], seed=4)
    lift = random_lift(evidence, pick_units=3, units=4, random=np.random.default_rng(0))
    x, lifted = lift(evidence)
    assert x[-1, -len(COURSE) :].tolist() == [0.0] * len(COURSE)  # nothing follows it
    assert lifted[-1, -3 * len(SCALARS) :].tolist() == [0.0] * 3 * len(SCALARS)
    # In the middle all is known, and what is usual is taken off.
    middle = [*range(23), *range(30, 53)]  # eight moves from each of these
    np.testing.assert_allclose(lifted[middle, -len(SCALARS) :].mean(axis=0), 0.0, atol=0.01)


def test_candidates_weighted_with_the_policy() -> None:
    evidence = random_evidence([5])
    result = move_values(evidence)
    for row in range(5):
        weight = [
            max(float(evidence.named("policy")[row]) + 0.5, 0.0),
            *map(float, evidence.chances[row]),
        ]
        vectors = [evidence.pick[row], *evidence.candidates[row]]
        mean = sum(w * v.astype(float) for w, v in zip(weight, vectors, strict=True)) / sum(weight)
        np.testing.assert_allclose(
            result[row, 3 * CHANNELS : 4 * CHANNELS], mean, rtol=1e-3, atol=1e-3
        )


def test_phases() -> None:
    numbers = np.array([1, 20, 21, 50, 51, 90, 91, 140, 141, 400], np.int16)
    assert phases_of(numbers).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert len(PHASE_ENDS) + 1 == PHASES


def test_lifted_values_against_a_plain_program() -> None:
    evidence = random_evidence([4, 3], seed=3)
    lift = move_scorer(random_model(seed=2)).lift
    x, lifted = lift(evidence)
    assert lifted.shape == (7, lift.lifted)
    values = move_values(evidence)
    c = CHANNELS
    for row in range(7):
        away = np.nan_to_num(np.clip((values[row] - lift.mean) / lift.deviation, -CLIP, CLIP))
        np.testing.assert_allclose(x[row], away, rtol=1e-4, atol=1e-4)
        pick, gain = away[:c], away[:c] - away[3 * c : 4 * c]
        policy, best = (away[4 * c + SCALARS.index(name)] for name in ("log_policy", "log_best"))
        wanted = [pick * policy, pick * best, gain * policy, gain**2, pick**2]
        at = np.maximum(pick @ lift.pick_weights + lift.pick_bias, 0.0)
        chances = [
            max(float(evidence.named("policy")[row]) + 0.5, 0.0),
            *map(float, evidence.chances[row]),
        ]
        others = [at]
        for each in evidence.candidates[row]:
            z = np.clip((each.astype(float) - lift.mean[:c]) / lift.deviation[:c], -CLIP, CLIP)
            others.append(np.maximum(z @ lift.pick_weights + lift.pick_bias, 0.0))
        expected = sum(p * v for p, v in zip(chances, others, strict=True)) / sum(chances)
        wanted += [at, at - expected, np.maximum(away @ lift.weights + lift.bias, 0.0)]
        first = np.concatenate(wanted)
        np.testing.assert_allclose(lifted[row, : len(first)], first, rtol=1e-3, atol=1e-3)
    assert lift.lifted == len(first) + 3 * len(SCALARS)


def test_moves_together_against_a_plain_program() -> None:
    evidence = random_evidence([14, 3, 9], seed=5)
    lift = move_scorer(random_model(seed=2)).lift
    x, lifted = lift(evidence)
    scalars_of = x[:, 4 * CHANNELS :].astype(float)
    number = len(SCALARS)
    for row in range(26):
        end = (14, 17, 26)[int(evidence.game[row])]
        for place, steps in enumerate((1, 2)):
            product = np.zeros(number)
            if row + steps < end:
                product = scalars_of[row] * scalars_of[row + steps] - lift.pairs[place]
            result = lifted[row, (place - 3) * number :][:number]
            np.testing.assert_allclose(result, product, atol=1e-4)
    for row in range(26):
        end = (14, 17, 26)[int(evidence.game[row])]
        wanted = np.zeros(len(SCALARS))
        if row + 8 <= end:
            wanted = np.abs(scalars_of[row : row + 8].mean(axis=0)) - lift.spell
        np.testing.assert_allclose(lifted[row, -len(SCALARS) :], wanted, atol=1e-4)


def test_pieces_know_their_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = random_evidence([40, 25, 3], seed=6)
    scorer = move_scorer(random_model(seed=3))
    whole = scorer.move_shares(evidence)
    monkeypatch.setattr("yardstone.strength.rank_scorer._CHUNK", 7)
    np.testing.assert_allclose(scorer.move_shares(evidence), whole, rtol=1e-4, atol=1e-4)
