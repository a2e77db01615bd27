"""The values of moves against a plain program, a move at a time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.strength.rank_cases import CHANNELS, move_scorer, random_evidence, random_model
from yardstone.go.features import HEAD
from yardstone.strength.evidence import Evidence, phases_of
from yardstone.strength.rank_features import CLIP, COURSE, SCALARS, MoveFacts, move_values
from yardstone.strength.rank_features import scalars as scalars_of_facts


def scalars(evidence: Evidence) -> np.ndarray[Any, np.dtype[np.float32]]:
    return scalars_of_facts(MoveFacts(evidence))


def plain_scalars(evidence: Evidence, row: int) -> dict[str, float]:
    """The scalars of a move by itself, as they are described."""
    winrate, lead, policy, best, win_loss, loss = (
        float(evidence.named(name)[row]) for name in HEAD
    )
    chance, best = max(policy + 0.5, 0.0), best + 0.5
    others = [float(each) for each in evidence.chances[row]]
    points, lost_win = 10.0 * loss, max(win_loss, 0.0)
    lost = max(points, 0.0)
    before = min(max(winrate + 0.5 + win_loss, 0.0), 1.0)
    place = 1 + sum(each > chance for each in others)
    down, right = divmod(int(evidence.point[row]), 19)
    line = 1 + min(down, 18 - down, right, 18 - right)
    log_policy = math.log(max(chance, 1e-4))
    close, ahead, lead = 4.0 * before * (1.0 - before), 2.0 * before - 1.0, 10.0 * lead + points
    follows, steps = False, 0.0
    if row and evidence.game[row] == evidence.game[row - 1]:
        follows = bool(evidence.number[row] == evidence.number[row - 1] + 2)
        there, here = (divmod(int(evidence.point[k]), 19) for k in (row - 1, row))
        steps = math.dist(there, here)
    return {
        "winrate": winrate,
        "lead": math.tanh(lead / 20.0),
        "policy": chance,
        "best_policy": best,
        "log_policy": log_policy,
        "log_best": math.log(best),
        "log_ratio": log_policy - math.log(best),
        **{f"place_{k}": float(place == k) for k in range(1, 6)},
        "others": max(1.0 - sum((chance, *others)), 0.0),
        "entropy": -sum(p * math.log(max(p, 1e-4)) for p in (chance, *others)),
        "gain": min(max(-points, 0.0), 8.0),
        **{f"loss_{most:g}": min(lost, most) for most in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)},
        "win_gain": max(-win_loss, 0.0),
        **{f"win_loss_{most:g}": min(lost_win, most) for most in (0.02, 0.05, 0.1, 0.2, 0.4)},
        "close": close,
        "ahead": ahead,
        "far": math.tanh(abs(lead) / 20.0),
        "close_log_policy": close * log_policy,
        "ahead_log_policy": ahead * log_policy,
        "close_loss": close * min(lost, 8.0),
        "ahead_loss": ahead * min(lost, 8.0),
        "close_win_loss": close * min(lost_win, 0.4),
        "clear_log_policy": best * log_policy,
        **{f"line_{k}": float(min(line, 6) == k) for k in range(1, 7)},
        "follows": float(follows),
        **{f"within_{most:g}": float(follows and steps < most)
           for most in (1.5, 2.5, 4.5, 7.5, 11.5)},
    }  # fmt: skip


def test_scalars_are_what_they_are_called() -> None:
    """Of moves near and far from those before, of which some are missing."""
    points = np.random.default_rng(1).integers(0, 60, 100).astype(np.int16)
    evidence = random_evidence([50, 50], seed=1, point=points)
    evidence = evidence.select(np.arange(100) % 7 != 3)
    evidence.named("win_loss")[:] *= 4.0
    evidence.named("point_loss")[:] *= 4.0
    evidence.named("policy")[:3] = -0.5, -0.6, -0.49995  # no chance at all, or hardly one
    result = scalars(evidence)
    names = [name for name in SCALARS if name not in {each.name for each in COURSE}]
    assert result.shape == (len(evidence), len(SCALARS))
    for row in range(len(evidence)):
        wanted = plain_scalars(evidence, row)
        assert list(wanted) == names
        np.testing.assert_allclose(result[row, : len(names)], list(wanted.values()), atol=2e-3)


def test_a_forbidden_move_has_finite_values() -> None:
    evidence = random_evidence([4])
    evidence.named("policy")[1] = np.nan
    known = move_values(evidence)[:, : -len(COURSE)]
    assert np.isfinite(known).all()
    assert scalars(evidence)[1, SCALARS.index("policy")] == 0.0


def test_the_course_of_the_game() -> None:
    evidence = random_evidence([12, 3])
    evidence.named("win_loss")[:] *= 3.0
    result, names = scalars(evidence)[:, -len(COURSE) :], [each.name for each in COURSE]
    lead = 10.0 * (evidence.named("lead") + evidence.named("point_loss")).astype(float)
    winrate = evidence.named("winrate") + 0.5 + evidence.named("win_loss")
    winrate = np.clip(winrate, 0.0, 1.0).astype(float)
    for row in range(15):
        for steps in (2, 4, 8):
            there = row + steps < 12 if row < 12 else row + steps < 15
            for name, values, most in (
                *[("points", lead, most) for most in (1.0, 3.0, 10.0)],
                *[("win", winrate, most) for most in (0.05, 0.15, 0.4)],
            ):
                lost = result[row, names.index(f"lost_{name}_{most:g}_in_{steps}")]
                gained = result[row, names.index(f"gained_{name}_{most:g}_in_{steps}")]
                if not there:
                    assert np.isnan([lost, gained]).all()
                    continue
                change = values[row + steps] - values[row]
                assert lost == pytest.approx(min(max(-change, 0.0), most), abs=1e-5)
                assert gained == pytest.approx(min(max(change, 0.0), most), abs=1e-5)


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
        wanted = np.zeros((3, number))
        for place, steps in enumerate((1, 2)):
            if row + steps < end:
                wanted[place] = scalars_of[row] * scalars_of[row + steps] - lift.pairs[place]
        if row + 8 <= end:
            wanted[2] = np.abs(scalars_of[row : row + 8].mean(axis=0)) - lift.spell
        np.testing.assert_allclose(lifted[row, -3 * number :], wanted.ravel(), atol=1e-4)
