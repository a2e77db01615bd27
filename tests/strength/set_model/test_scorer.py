"""Scores of sets of moves: what they are, and how parts and shares go together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.strength.rank_cases import CHANNELS, random_evidence
from tests.strength.set_cases import OUTPUTS, SETTINGS, plain_layers, random_scorer
from yardstone.go.points import BLACK
from yardstone.strength import set_scorer
from yardstone.strength.evidence import Evidence, phases_of
from yardstone.strength.rank_features import MoveFacts, move_values, scalars, standardised
from yardstone.strength.set_scorer import INPUTS, SetScorer, shares_of_moves
from yardstone.strength.set_transformer import (
    PackedMoves,
    alike,
    attended_sets,
    outputs_of,
    slopes_of,
)

LENGTHS = [7, 0, 12, 1]
RTOL, ATOL = 2e-4, 2e-3


def whole(scorer: SetScorer, evidence: Evidence) -> NDArray[np.float64]:
    return np.asarray(scorer.part_scores(evidence, np.zeros(len(evidence), np.int64), 1)[0])


@pytest.mark.parametrize("inputs", INPUTS)
def test_the_scores_of_a_side_are_the_output_times_its_moves(inputs: str) -> None:
    """Of each game alone, by the equations written out in loops."""
    scorer, evidence = random_scorer(inputs), random_evidence(LENGTHS)
    assert (scorer.inputs.name, scorer.width) == (inputs, OUTPUTS)
    assert scorer.channels == (CHANNELS if inputs == "full" else 0)
    result = whole(scorer, evidence)
    assert result.shape == (len(LENGTHS), OUTPUTS)
    x = (INPUTS[inputs](evidence).astype(float) - scorer.mean) / scorer.deviation
    x = np.clip(np.nan_to_num(x), -8.0, 8.0)
    for game, length in enumerate(LENGTHS):
        if length == 0:
            np.testing.assert_array_equal(result[game], 0.0)
            continue
        *_, (alone,) = plain_layers(scorer.network, 2, x[evidence.game == game].tolist())
        np.testing.assert_allclose(result[game], length * np.array(alone), rtol=RTOL, atol=ATOL)
    none = random_evidence([])
    assert whole(scorer, none).shape == (0, OUTPUTS)
    assert scorer.move_shares(none).shape == (0, OUTPUTS)


def test_moves_of_many_games_are_looked_at_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer, evidence = random_scorer("basic"), random_evidence([3, 9, 0, 5, 4])
    together = scorer.move_shares(evidence)
    monkeypatch.setattr(set_scorer, "_MOVES", 10)
    np.testing.assert_allclose(scorer.move_shares(evidence), together, rtol=RTOL, atol=ATOL)
    # Rows in another order are the same sets.
    mixed = np.random.default_rng(0).permutation(len(evidence))
    rows = standardised(scorer.inputs(evidence), scorer.mean, scorer.deviation)
    sets = PackedMoves(rows[mixed], np.argsort(mixed), np.array([0, 3, 12, 12, 17, 21]))
    shares = shares_of_moves(scorer.network, scorer.usual, sets)
    np.testing.assert_allclose(shares, together[mixed], rtol=RTOL, atol=ATOL)


def test_every_number_is_that_of_the_equations() -> None:
    """In double precision: what the last attention gathers, and what is said of it."""
    network = {name: each.astype(np.float64) for name, each in random_scorer().network.items()}
    x = np.random.default_rng(3).normal(size=(2, 5, network["encode.weight"].shape[1]))
    there = np.array([[True] * 5, [True, True, False, True, False]])
    values, weights = attended_sets(network, x, there)
    for row, some in enumerate(there):
        *_, (wanted,) = plain_layers(network, 2, x[row, some].tolist())
        result = outputs_of(network, weights[row] @ values[row])
        np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-10)
    standard = {"input.mean": np.full(x.shape[2], 0.5), "input.deviation": np.full(x.shape[2], 2.0)}
    moved = attended_sets({**network, **standard}, 2.0 * x + 0.5, there)
    np.testing.assert_allclose(moved[0], values, atol=1e-10)


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
    np.testing.assert_allclose(result, wanted, rtol=0.0, atol=0.02 * np.abs(wanted).max())
    np.testing.assert_allclose(result.sum(axis=0), 6 * outputs_of(network, end), rtol=1e-4)


def test_a_row_has_the_values_the_phase_and_the_colour() -> None:
    evidence = random_evidence([40, 90])
    basic, full = INPUTS["basic"](evidence), INPUTS["full"](evidence)
    np.testing.assert_array_equal(basic[:, :-6], scalars(MoveFacts(evidence)))
    np.testing.assert_array_equal(full[:, :-6], move_values(evidence))
    for rows in (basic, full):
        np.testing.assert_array_equal(rows[:, -6:-1].argmax(axis=1), phases_of(evidence.number))
        np.testing.assert_array_equal(rows[:, -6:-1].sum(axis=1), 1.0)
        np.testing.assert_array_equal(rows[:, -1], evidence.colour == BLACK)


def test_slopes_are_those_of_the_outputs() -> None:
    network = {k: v.astype(np.float64) for k, v in random_scorer().network.items()}
    here = np.random.default_rng(1).normal(size=(7, SETTINGS.width))
    slopes = slopes_of(network, here)
    step = 1e-6 * np.eye(SETTINGS.width)
    ahead, back = (outputs_of(network, here[:, None] + nudge) for nudge in (step, -step))
    np.testing.assert_allclose(slopes, np.swapaxes(ahead - back, 1, 2) / 2e-6, atol=1e-6)


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
