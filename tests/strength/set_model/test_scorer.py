"""Scores of sets of moves: what they are, and how parts and shares go together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.strength.rank_cases import CHANNELS, random_evidence, random_model
from tests.strength.set_cases import OUTPUTS, SETTINGS, random_scorer
from yardstone.errors import InputError, UsageError
from yardstone.go.points import BLACK
from yardstone.strength.evidence import Evidence, phases_of
from yardstone.strength.model import StrengthModel
from yardstone.strength.rank_features import CLIP, MoveFacts, move_values, scalars
from yardstone.strength.set_scorer import INPUTS, SetScorer
from yardstone.strength.set_transformer import outputs_of, slopes_of
from yardstone_lab.neubauer.network.strength_network import set_outputs

LENGTHS = [30, 0, 61, 5, 120]
RTOL, ATOL = 2e-4, 2e-3


def whole(scorer: SetScorer, evidence: Evidence) -> NDArray[np.float64]:
    return np.asarray(scorer.part_scores(evidence, np.zeros(len(evidence), np.int64), 1)[0])


@pytest.mark.parametrize("inputs", INPUTS)
def test_the_scores_of_a_side_are_the_output_times_its_moves(inputs: str) -> None:
    scorer, evidence = random_scorer(inputs), random_evidence(LENGTHS)
    assert (scorer.inputs.name, scorer.width) == (inputs, OUTPUTS)
    assert scorer.channels == (CHANNELS if inputs == "full" else 0)
    result = whole(scorer, evidence)
    assert result.shape == (len(LENGTHS), OUTPUTS)
    x = (INPUTS[inputs](evidence) - scorer.mean) / scorer.deviation
    x = np.clip(np.nan_to_num(x), -CLIP, CLIP)
    for game, length in enumerate(LENGTHS):
        if length == 0:
            np.testing.assert_array_equal(result[game], 0.0)
            continue
        alone = set_outputs(scorer.network, x[None, evidence.game == game])[0]
        np.testing.assert_allclose(result[game], length * alone, rtol=RTOL, atol=ATOL)


def test_a_row_has_the_values_the_phase_and_the_colour() -> None:
    evidence = random_evidence([40, 90])
    basic, full = INPUTS["basic"](evidence), INPUTS["full"](evidence)
    np.testing.assert_array_equal(basic[:, :-6], scalars(MoveFacts(evidence)))
    np.testing.assert_array_equal(full[:, :-6], move_values(evidence))
    for rows in (basic, full):
        np.testing.assert_array_equal(rows[:, -6:-1].argmax(axis=1), phases_of(evidence.number))
        np.testing.assert_array_equal(rows[:, -6:-1].sum(axis=1), 1.0)
        np.testing.assert_array_equal(rows[:, -1], evidence.colour == BLACK)


@pytest.mark.parametrize("inputs", INPUTS)
def test_shares_of_moves_add_up(inputs: str) -> None:
    scorer, evidence = random_scorer(inputs), random_evidence(LENGTHS)
    shares = scorer.move_shares(evidence)
    sums = np.zeros((len(LENGTHS), OUTPUTS))
    np.add.at(sums, evidence.game, shares)
    np.testing.assert_allclose(sums, whole(scorer, evidence), rtol=RTOL, atol=ATOL)
    part = np.where(evidence.number < 20, 1, np.where(evidence.number < 90, 0, -1))
    parts = scorer.part_scores(evidence, part, 3)
    for number in range(3):
        wanted = np.zeros((len(LENGTHS), OUTPUTS))
        np.add.at(wanted, evidence.game[part == number], shares[part == number])
        np.testing.assert_allclose(parts[number], wanted)


def test_a_share_follows_what_the_last_attention_takes_of_a_move() -> None:
    # Without blocks moves know nothing of each other: equal moves have equal shares, and
    # where all moves are the same none has more than another.
    full = random_scorer("basic")
    network = {name: each for name, each in full.network.items() if "blocks" not in name}
    scorer = replace(full, network=network)
    evidence = random_evidence([8])
    shares = scorer.move_shares(evidence.select(np.array([0, 1, 2, 0, 1, 2])))
    np.testing.assert_allclose(shares[:3], shares[3:], atol=1e-5)
    assert np.ptp(shares, axis=0).min() > 1e-3
    same = scorer.move_shares(evidence.select(np.zeros(5, np.int64)))
    np.testing.assert_allclose(np.ptp(same, axis=0), 0.0, atol=1e-5)


def test_slopes_are_those_of_the_outputs() -> None:
    network = {k: v.astype(np.float64) for k, v in random_scorer().network.items()}
    here = np.random.default_rng(1).normal(size=(7, SETTINGS.width))
    slopes = slopes_of(network, here)
    assert slopes.shape == (7, OUTPUTS, SETTINGS.width)
    step = 1e-6 * np.eye(SETTINGS.width)
    ahead, back = (outputs_of(network, here[:, None] + nudge) for nudge in (step, -step))
    np.testing.assert_allclose(slopes, np.swapaxes(ahead - back, 1, 2) / 2e-6, atol=1e-6)


def test_games_say_the_same_together_and_alone() -> None:
    scorer, evidence = random_scorer(), random_evidence(LENGTHS)
    together = whole(scorer, evidence)
    for game in range(len(LENGTHS)):
        alone = whole(scorer, evidence.select(evidence.game == game))
        np.testing.assert_allclose(alone[game], together[game], rtol=RTOL, atol=ATOL)


def test_no_moves_at_all() -> None:
    scorer, evidence = random_scorer(), random_evidence([])
    assert whole(scorer, evidence).shape == (0, OUTPUTS)
    assert scorer.move_shares(evidence).shape == (0, OUTPUTS)


@pytest.mark.parametrize("inputs", INPUTS)
def test_it_is_a_scorer_of_a_strength_model(inputs: str, tmp_path: Path) -> None:
    rank = random_model()
    model = StrengthModel(random_scorer(inputs), list(rank.scales.values()), rank.card)
    model.save(tmp_path / "model.npz")
    back = StrengthModel.load(tmp_path / "model.npz")
    assert isinstance(back.scorer, SetScorer)
    evidence = random_evidence(LENGTHS)
    np.testing.assert_array_equal(back.game_statistics(evidence), model.game_statistics(evidence))
    assert np.isfinite(back.move_scores(evidence)).all()
    if inputs == "full":
        with pytest.raises(UsageError, match="channels"):
            back.score(random_evidence([10], channels=CHANNELS + 1))


Arrays = dict[str, NDArray[Any]]


def _no_usual(arrays: Arrays) -> None:
    arrays.pop("pool.usual")


def _short_usual(arrays: Arrays) -> None:
    arrays["pool.usual"] = arrays["pool.usual"][:-1]


def _no_deviation(arrays: Arrays) -> None:
    arrays["input.deviation"] = np.zeros_like(arrays["input.deviation"])


def _other_inputs(arrays: Arrays) -> None:
    for name in ("input.mean", "input.deviation"):
        arrays[name] = np.append(arrays[name], np.float32(1.0))


def _one_more(arrays: Arrays) -> None:
    arrays["blocks.7.points"] = arrays["blocks.0.points"]


def _a_number(arrays: Arrays) -> None:
    arrays["rate.weight"] = np.array(1.0, np.float32)


@pytest.mark.parametrize(
    "change", [_no_usual, _short_usual, _no_deviation, _other_inputs, _one_more, _a_number]
)
def test_arrays_that_are_no_network_are_refused(
    change: Callable[[Arrays], None], tmp_path: Path
) -> None:
    rank = random_model()
    scorer = random_scorer()
    broken = scorer.arrays()
    change(broken)

    class Broken(SetScorer):
        def arrays(self) -> Arrays:
            return broken

    model = Broken(scorer.network, scorer.mean, scorer.deviation, scorer.usual)
    StrengthModel(model, list(rank.scales.values()), rank.card).save(tmp_path / "model.npz")
    with pytest.raises(InputError, match="this is no rank model"):
        StrengthModel.load(tmp_path / "model.npz")


@pytest.mark.parametrize("name", INPUTS)
def test_the_shipped_models(name: str) -> None:
    model = StrengthModel.load(name)
    assert isinstance(model.scorer, SetScorer)
    assert model.scorer.inputs.name == name
    assert 3 <= model.scorer.width <= 8
    assert model.card["sha256"] == StrengthModel.load().card["sha256"]
    evidence = random_evidence([12, 100], channels=96)
    assert np.isfinite(model.game_statistics(evidence)).all()
    assert np.isfinite(model.move_scores(evidence)).all()
