"""The evidence of moves, its values a move at a time, and the scores of sets of moves."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.go.games import random_game, small_network
from tests.strength.rank_cases import CHANNELS, move_scorer, random_evidence, random_model
from tests.strength.set_cases import OUTPUTS, plain_layers, random_scorer
from yardstone.errors import UsageError
from yardstone.go.evaluator import Evaluator, ask
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import HEAD, ExtractionSettings, extract_features, move_features
from yardstone.go.nets.network import load_network
from yardstone.go.points import BLACK
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.pool import SkipReport
from yardstone.strength import set_scorer
from yardstone.strength.evidence import (
    KINDS,
    Evidence,
    evidence_of_games,
    evidence_of_store,
    no_evidence,
    phases_of,
)
from yardstone.strength.rank_features import (
    CLIP,
    COURSE,
    SCALARS,
    MoveFacts,
    move_values,
    scalars,
    standardised,
)
from yardstone.strength.set_scorer import INPUTS, SetScorer, shares_of_moves
from yardstone.strength.set_transformer import (
    PackedMoves,
    alike,
    attended_sets,
    outputs_of,
    slopes_of,
)

LENGTHS = [7, 0, 32, 1]
RTOL, ATOL = 2e-4, 2e-3


def test_evidence_from_a_store_and_from_games(tmp_path: Path) -> None:
    games = [random_game(k, moves=moves) for k, moves in enumerate((21, 30, 4))]
    network = small_network(tmp_path)
    settings = ExtractionSettings(net=str(network), trunk=KINDS, batch=2)
    store = extract_features(lambda: games, tmp_path / "store", settings)
    evaluator = Evaluator(load_network(network, threads=1), trunk=KINDS)
    questions = ask(games, SkipReport(), evaluator.network, rules=TROMP_TAYLOR, trunk=True)
    found = [move_features(answer) for answer in evaluator.answer(questions)]
    kept = evidence_of_store(store, [(2, 1), (0, 2), (1, 1)])
    asked = evidence_of_games([found[2], found[0], found[1]], [1, 2, 1])
    assert kept.games == asked.games == 3
    assert (len(kept), kept.channels) == (2 + 10 + 15, 16)
    for field in fields(Evidence):
        one, other = (np.asarray(getattr(each, field.name)) for each in (kept, asked))
        assert one.dtype == other.dtype
        assert_allclose(one.astype(float), other.astype(float), rtol=2e-3, atol=2e-3)
    assert kept.game.tolist() == [0] * 2 + [1] * 10 + [2] * 15
    assert kept.number.tolist() == [1, 3, *range(2, 21, 2), *range(1, 31, 2)]
    assert kept.colour.tolist() == [1] * 2 + [2] * 10 + [1] * 15
    assert kept.point[12:].tolist() == games[1].moves[::2].tolist()
    numbers = np.array([1, 20, 21, 50, 51, 90, 91, 140, 141, 400], np.int16)
    assert phases_of(numbers).tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    late = kept.select(kept.number > 20)
    assert (late.games, set(late.game.tolist())) == (3, {2})
    assert_array_equal(kept.select(np.array([3, 1])).pick, kept.pick[[3, 1]])
    for nothing, number in (
        (evidence_of_store(store, []), 0),
        (evidence_of_games([], []), 0),
        (no_evidence(16, games=4), 4),
    ):
        assert (len(nothing), nothing.games) == (0, number)
    poor = FeatureStore(store.path, {**store.settings, "trunk": ["pick"]})
    rows: list[tuple[str, Any]] = [
        ("no after, candidates, mean", lambda: evidence_of_store(poor, [(0, 1)])),
        ("3 is not a colour", lambda: evidence_of_games(found[:1], [3])),
        ("1 games, but colours for 2", lambda: evidence_of_games(found[:1], [1, 2])),
    ]
    for words, wrong in rows:
        with pytest.raises(UsageError, match=words):
            wrong()


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
    result = scalars(MoveFacts(evidence))
    names = [name for name in SCALARS if name not in {each.name for each in COURSE}]
    assert result.shape == (len(evidence), len(SCALARS))
    for row in range(len(evidence)):
        wanted = plain_scalars(evidence, row)
        assert list(wanted) == names
        assert_allclose(result[row, : len(names)], list(wanted.values()), atol=2e-3)
    evidence = random_evidence([4])
    evidence.named("policy")[1] = np.nan  # of a forbidden move
    assert np.isfinite(move_values(evidence)[:, : -len(COURSE)]).all()
    assert scalars(MoveFacts(evidence))[1, SCALARS.index("policy")] == 0.0


def test_the_course_of_the_game() -> None:
    evidence = random_evidence([12, 3])
    evidence.named("win_loss")[:] *= 3.0
    result, names = scalars(MoveFacts(evidence))[:, -len(COURSE) :], [each.name for each in COURSE]
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


def test_lifted_values_and_moves_together_against_a_plain_program() -> None:
    evidence = random_evidence([14, 3, 9], seed=5)
    lift = move_scorer(random_model(seed=2)).lift
    x, lifted = lift(evidence)
    values, c, number = move_values(evidence), CHANNELS, len(SCALARS)
    for row in range(26):
        away = np.nan_to_num(np.clip((values[row] - lift.mean) / lift.deviation, -CLIP, CLIP))
        assert_allclose(x[row], away, rtol=1e-4, atol=1e-4)
        pick, gain = away[:c], away[:c] - away[3 * c : 4 * c]
        policy, best = (away[4 * c + SCALARS.index(name)] for name in ("log_policy", "log_best"))
        wanted = [pick * policy, pick * best, gain * policy, gain**2, pick**2]
        at = np.maximum(pick @ lift.pick_weights + lift.pick_bias, 0.0)
        chances = [max(float(evidence.named("policy")[row]) + 0.5, 0.0)]
        chances += map(float, evidence.chances[row])
        vectors, others = [evidence.pick[row].astype(float)], [at]
        for each in evidence.candidates[row].astype(float):
            z = np.clip((each - lift.mean[:c]) / lift.deviation[:c], -CLIP, CLIP)
            others.append(np.maximum(z @ lift.pick_weights + lift.pick_bias, 0.0))
            vectors.append(each)
        mean, expected = (
            sum(p * v for p, v in zip(chances, each, strict=True)) / sum(chances)
            for each in (vectors, others)
        )
        assert_allclose(values[row, 3 * c : 4 * c], mean, rtol=1e-3, atol=1e-3)
        wanted += [at, at - expected, np.maximum(away @ lift.weights + lift.bias, 0.0)]
        end = (14, 17, 26)[int(evidence.game[row])]
        scalars_of = x[row:end, 4 * c :].astype(float)  # of this move and those after it
        for place, steps in enumerate((1, 2)):
            there = steps < len(scalars_of)
            pairs = scalars_of[0] * scalars_of[steps] - lift.pairs[place] if there else 0.0
            wanted.append(pairs * np.ones(number))
        spell = np.abs(scalars_of[:8].mean(axis=0)) - lift.spell
        wanted.append(spell if len(scalars_of) >= 8 else np.zeros(number))
        assert_allclose(lifted[row], np.concatenate(wanted), rtol=1e-3, atol=1e-3)
    assert lifted.shape == (26, lift.lifted)


@pytest.mark.parametrize("inputs", INPUTS)
def test_the_scores_of_a_side_are_the_output_times_its_moves(inputs: str) -> None:
    """Of each game alone, by the equations; a row has the values, the phase and the colour."""
    scorer, evidence = random_scorer(inputs), random_evidence(LENGTHS)
    assert (scorer.inputs.name, scorer.width) == (inputs, OUTPUTS)
    assert scorer.channels == (CHANNELS if inputs == "full" else 0)
    rows = INPUTS[inputs](evidence)
    values = move_values(evidence) if inputs == "full" else scalars(MoveFacts(evidence))
    assert_array_equal(rows[:, :-6], values)
    assert_array_equal(rows[:, -6:-1], np.eye(5)[phases_of(evidence.number)])
    assert_array_equal(rows[:, -1], evidence.colour == BLACK)
    result = np.zeros((len(LENGTHS), OUTPUTS))
    np.add.at(result, evidence.game, scorer.move_shares(evidence))
    x = (rows.astype(float) - scorer.mean) / scorer.deviation
    x = np.clip(np.nan_to_num(x), -8.0, 8.0)
    for game, length in enumerate(LENGTHS):
        if length == 0:
            assert_array_equal(result[game], 0.0)
            continue
        *_, (alone,) = plain_layers(scorer.network, 2, x[evidence.game == game])
        assert_allclose(result[game], length * np.array(alone), rtol=RTOL, atol=ATOL)
    none = random_evidence([])
    assert scorer.move_shares(none).shape == (0, OUTPUTS)


def test_moves_of_many_games_are_looked_at_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer, evidence = random_scorer("basic"), random_evidence([3, 9, 0, 5, 4])
    together = scorer.move_shares(evidence)
    monkeypatch.setattr(set_scorer, "_MOVES", 10)
    assert_allclose(scorer.move_shares(evidence), together, rtol=RTOL, atol=ATOL)
    # Rows in another order are the same sets.
    mixed = np.random.default_rng(0).permutation(len(evidence))
    rows = standardised(scorer.inputs(evidence), scorer.mean, scorer.deviation)
    sets = PackedMoves(rows[mixed], np.argsort(mixed), np.array([0, 3, 12, 12, 17, 21]))
    shares = shares_of_moves(scorer.network, scorer.usual, sets)
    assert_allclose(shares, together[mixed], rtol=RTOL, atol=ATOL)


def test_every_number_is_that_of_the_equations() -> None:
    """In double precision: what the last attention gathers, and what is said of it."""
    network = {name: each.astype(np.float64) for name, each in random_scorer().network.items()}
    x = np.random.default_rng(3).normal(size=(2, 5, network["encode.weight"].shape[1]))
    there = np.array([[True] * 5, [True, True, False, True, False]])
    values, weights = attended_sets(network, x, there)
    for row, some in enumerate(there):
        *_, (wanted,) = plain_layers(network, 2, x[row, some])
        result = outputs_of(network, weights[row] @ values[row])
        assert_allclose(result, wanted, rtol=0, atol=1e-10)
    standard = {"input.mean": np.full(x.shape[2], 0.5), "input.deviation": np.full(x.shape[2], 2.0)}
    moved = attended_sets({**network, **standard}, 2.0 * x + 0.5, there)
    assert_allclose(moved[0], values, atol=1e-10)


def test_a_share_is_the_way_from_the_usual_along_the_slope() -> None:
    """Integrated gradients by a fine sum of finite differences, a move at a time."""
    scorer, evidence = random_scorer("basic"), random_evidence([6])
    network = {name: each.astype(np.float64) for name, each in scorer.network.items()}
    x = standardised(scorer.inputs(evidence), scorer.mean, scorer.deviation).astype(float)
    values, weights = (each[0] for each in attended_sets(network, x[None]))
    assert weights.sum() == pytest.approx(1.0)
    begin, end = scorer.usual.astype(float), weights @ values
    way = begin + (np.arange(2000)[:, None] + 0.5) / 2000 * (end - begin)
    wanted = []
    for value, weight in zip(values, weights, strict=True):
        step = 1e-6 * (value - begin)
        slope = (outputs_of(network, way + step) - outputs_of(network, way - step)) / 2e-6
        wanted.append(outputs_of(network, begin) + 6 * weight * slope.mean(axis=0))
    result = scorer.move_shares(evidence)
    assert_allclose(result, wanted, rtol=0.0, atol=0.02 * np.abs(wanted).max())
    assert_allclose(result.sum(axis=0), 6 * outputs_of(network, end), rtol=1e-4)
    here, step = np.random.default_rng(1).normal(size=(7, 6)), 1e-6 * np.eye(6)
    ahead, back = (outputs_of(network, here[:, None] + nudge) for nudge in (step, -step))
    slopes = np.swapaxes(ahead - back, 1, 2) / 2e-6
    assert_allclose(slopes_of(network, here), slopes, atol=1e-6)


def test_arrays_that_are_no_network_are_refused() -> None:
    arrays: dict[str, Any] = random_scorer().arrays()
    SetScorer.from_arrays(arrays)
    both = ("input.mean", "input.deviation")
    for change in (
        {"pool.usual": None},
        {"pool.usual": arrays["pool.usual"][:-1]},
        {"input.deviation": 0.0 * arrays["input.deviation"]},
        {"input.deviation": arrays["input.deviation"][:-1]},
        {name: np.append(arrays[name], np.float32(1.0)) for name in both},
        {"blocks.7.points": arrays["blocks.0.points"]},
        {"rate.weight": np.array(1.0, np.float32)},
    ):
        damaged = {k: each for k, each in {**arrays, **change}.items() if each is not None}
        with pytest.raises((KeyError, ValueError, TypeError, IndexError)):
            SetScorer.from_arrays(damaged)


def test_sets_are_put_side_by_side_and_split_into_groups_of_like_length() -> None:
    sets = PackedMoves(np.ones((9, 2)), np.array([4, 5, 6, 7]), np.array([0, 1, 1, 4]))
    assert (len(sets), sets.channels, sets.lengths().tolist()) == (3, 2, [1, 0, 3])
    rows, there = sets.indices(np.array([0, 2]))
    assert there is not None
    assert rows.tolist() == [[4, 0, 0], [5, 6, 7]]
    assert there.tolist() == [[True, False, False], [True] * 3]
    rows, there = sets.indices(np.array([2, 2]))
    assert (rows.tolist(), there) == ([[5, 6, 7]] * 2, None)
    rows, there = sets.indices(np.array([1]))
    assert there is not None
    assert (rows.tolist(), there.tolist()) == ([[0]], [[False]])

    def groups(lengths: list[Any], moves: int) -> list[list[int]]:
        return [each.tolist() for each in alike(np.array(lengths), moves)]

    assert groups([3, 1, 2, 10, 2], 6) == [[1, 2, 4], [0], [3]]
    assert groups([3, 1, 2, 10, 2], 5) == [[1, 2], [4], [0], [3]]
    assert groups([[1, 2], [4, 1], [2, 2]], 8) == [[0, 2], [1]]  # of both sides of games
    assert groups([[1, 2], [4, 1], [2, 2]], 7) == [[0], [2], [1]]
