"""Scores of sets of moves: what they are, how parts and shares go together, and the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.strength.rank_cases import CHANNELS, random_evidence
from tests.strength.set_cases import OUTPUTS, SETTINGS, random_scorer
from yardstone.errors import InputError, UsageError
from yardstone.go.points import BLACK
from yardstone.strength.evidence import Evidence
from yardstone.strength.rank.values import move_values, phases_of
from yardstone.strength.set_model.inputs import INPUTS
from yardstone.strength.set_model.scorer import CLIP, SHIPPED, SetScorer
from yardstone.strength.set_model.set_transformer import (
    StrengthNetwork,
    set_outputs,
)

LENGTHS = [30, 0, 61, 5, 120]


def whole(scorer: SetScorer, evidence: Evidence) -> NDArray[np.float64]:
    return scorer.scores(evidence, np.zeros(len(evidence), np.int64), 1)[0]


@pytest.mark.parametrize("inputs", INPUTS)
def test_the_scores_of_a_side_are_the_output_times_its_moves(inputs: str) -> None:
    scorer, evidence = random_scorer(inputs), random_evidence(LENGTHS)
    found = whole(scorer, evidence)
    assert found.shape == (len(LENGTHS), OUTPUTS)
    assert found.dtype == np.float64
    rows = INPUTS[inputs](evidence)
    x = (rows - scorer.arrays["input.mean"]) / scorer.arrays["input.deviation"]
    x = np.clip(np.nan_to_num(x), -CLIP, CLIP)
    for game, length in enumerate(LENGTHS):
        if length == 0:
            np.testing.assert_array_equal(found[game], 0.0)
            continue
        bare = {k: v for k, v in scorer.arrays.items() if not k.startswith("input.")}
        alone = set_outputs(bare, SETTINGS, x[None, evidence.game == game])[0]
        np.testing.assert_allclose(found[game], length * alone, rtol=2e-4, atol=2e-3)


def test_a_row_has_the_values_the_phase_and_the_colour() -> None:
    evidence = random_evidence([40, 90])
    basic, full = INPUTS["basic"](evidence), INPUTS["full"](evidence)
    np.testing.assert_array_equal(basic[:, :6], evidence.head)
    np.testing.assert_array_equal(full[:, :-6], move_values(evidence))
    for rows in (basic, full):
        np.testing.assert_array_equal(rows[:, -6:-1].argmax(axis=1), phases_of(evidence.number))
        np.testing.assert_array_equal(rows[:, -6:-1].sum(axis=1), 1.0)
        np.testing.assert_array_equal(rows[:, -1], evidence.colour == BLACK)


def test_each_part_is_a_set_of_its_own() -> None:
    scorer, evidence = random_scorer(), random_evidence(LENGTHS)
    part = np.where(evidence.number < 20, 1, np.where(evidence.number < 90, 0, -1))
    found = scorer.scores(evidence, part, 3)
    assert found.shape == (3, len(LENGTHS), OUTPUTS)
    np.testing.assert_array_equal(found[2], 0.0)
    # The moves of the part alone would be seen otherwise: the game goes on after them.
    others = np.where(part == 1, 0, -1)
    np.testing.assert_allclose(
        found[1], scorer.scores(evidence, others, 1)[0], rtol=1e-4, atol=1e-3
    )
    cut = whole(scorer, evidence.select(part == 1))
    assert not np.allclose(found[1], cut, rtol=1e-3)


def test_games_say_the_same_together_and_alone() -> None:
    scorer, evidence = random_scorer(), random_evidence(LENGTHS)
    together = whole(scorer, evidence)
    for game in range(len(LENGTHS)):
        alone = whole(scorer, evidence.select(evidence.game == game))
        np.testing.assert_allclose(alone[game], together[game], rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize("inputs", INPUTS)
def test_shares_of_moves_add_up(inputs: str) -> None:
    scorer, evidence = random_scorer(inputs), random_evidence(LENGTHS)
    shares = scorer.move_shares(evidence)
    sums = np.zeros((len(LENGTHS), OUTPUTS))
    np.add.at(sums, evidence.game, shares)
    np.testing.assert_allclose(sums, whole(scorer, evidence), rtol=2e-4, atol=2e-3)


def test_a_share_follows_what_the_last_attention_takes_of_a_move() -> None:
    # Without blocks moves know nothing of each other: equal moves have equal shares, and
    # where the set is what is usual every share is the same.
    settings = replace(SETTINGS, depth=0)
    scorer = replace(random_scorer("basic"), settings=settings)
    evidence = random_evidence([8])
    twice = evidence.select(np.array([0, 1, 2, 0, 1, 2]))
    shares = scorer.move_shares(twice)
    np.testing.assert_allclose(shares[:3], shares[3:], atol=1e-5)
    assert np.ptp(shares, axis=0).min() > 1e-3
    same = evidence.select(np.zeros(5, np.int64))
    np.testing.assert_allclose(np.ptp(scorer.move_shares(same), axis=0), 0.0, atol=1e-5)


def test_no_moves_at_all() -> None:
    scorer, evidence = random_scorer(), random_evidence([])
    assert whole(scorer, evidence).shape == (0, OUTPUTS)
    assert scorer.move_shares(evidence).shape == (0, OUTPUTS)


def test_a_file_keeps_it(tmp_path: Path) -> None:
    scorer, evidence = random_scorer(), random_evidence(LENGTHS)
    scorer.save(tmp_path / "model.npz")
    back = SetScorer.load(tmp_path / "model.npz")
    assert (back.inputs, back.settings, back.card) == ("full", SETTINGS, scorer.card)
    np.testing.assert_allclose(whole(back, evidence), whole(scorer, evidence), rtol=0.1, atol=0.5)
    back.save(tmp_path / "again.npz")
    again = SetScorer.load(tmp_path / "again.npz")
    np.testing.assert_array_equal(whole(again, evidence), whole(back, evidence))


def test_features_of_another_network_are_refused() -> None:
    with pytest.raises(UsageError, match="use the network tiny"):
        whole(random_scorer(), random_evidence([10], channels=CHANNELS + 1))
    with pytest.raises(UsageError, match="what is seen of a move"):
        replace(random_scorer(), inputs="ful")


def _rating_network(path: Path) -> None:
    arrays = random_scorer(outputs=1).arrays
    own = {k: v for k, v in arrays.items() if not k.startswith("input.") and k != "pool.usual"}
    StrengthNetwork(SETTINGS, own, 1500.0, 300.0).save(path)


def _without_usual(path: Path) -> None:
    scorer = random_scorer()
    arrays = {k: v for k, v in scorer.arrays.items() if k != "pool.usual"}
    replace(scorer, arrays=arrays).save(path)


def _no_deviation(path: Path) -> None:
    scorer = random_scorer()
    nothing = np.zeros_like(scorer.arrays["input.deviation"])
    replace(scorer, arrays={**scorer.arrays, "input.deviation": nothing}).save(path)


def _cut_off(path: Path) -> None:
    random_scorer().save(path)
    path.write_bytes(path.read_bytes()[:-200])


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (_rating_network, "scores no games"),
        (_without_usual, "scores no games"),
        (_no_deviation, "a deviation is not above 0"),
        (_cut_off, "this is no strength network"),
    ],
)
def test_other_files_are_refused(
    write: Callable[[Path], None], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.npz"
    write(path)
    with pytest.raises(InputError, match=message) as caught:
        SetScorer.load(path)
    assert caught.value.file == str(path)


def test_a_network_of_several_outputs_is_no_rating(tmp_path: Path) -> None:
    random_scorer().save(tmp_path / "model.npz")
    with pytest.raises(InputError, match="4 outputs in place of a rating"):
        StrengthNetwork.load(tmp_path / "model.npz")


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_models(name: str) -> None:
    scorer = SetScorer.load(name)
    assert scorer.inputs == name
    assert 3 <= scorer.width <= 8
    json.dumps(scorer.card)
    assert scorer.card["sha256"]
    evidence = random_evidence([12, 100], channels=96)
    found = whole(scorer, evidence)
    assert np.isfinite(found).all()
    sums = np.zeros_like(found)
    np.add.at(sums, evidence.game, scorer.move_shares(evidence))
    np.testing.assert_allclose(sums, found, rtol=1e-3, atol=1e-2)
