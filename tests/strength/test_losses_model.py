"""The stochastic model: the points that moves lose, as scores."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.strength.rank_cases import random_evidence
from yardstone.strength.scorers import LossScorer, loss_moments


def test_moments_are_the_loss_and_its_square_up_to_a_limit() -> None:
    evidence = random_evidence([5])
    evidence.named("point_loss")[:] = [0.3, -0.2, 1.4, -1.4, np.nan]  # in tens of points
    wanted = [[3, 9], [-2, 4], [10, 100], [-10, 100], [0, 0]]
    assert_allclose(loss_moments(evidence), wanted, rtol=1e-6)


def test_parts_add_up_to_the_game_and_shares_to_the_parts() -> None:
    evidence = random_evidence([30, 20])
    scorer = LossScorer(np.array([[1.0, 0.5], [0.2, -1.0]]))
    wanted = loss_moments(evidence) @ scorer.directions
    assert_allclose(scorer.move_shares(evidence), wanted)
    whole = scorer.part_scores(evidence, np.zeros(len(evidence), np.int64), 1)
    assert_allclose(whole[0], [wanted[:30].sum(axis=0), wanted[30:].sum(axis=0)])
    part = np.arange(len(evidence)) % 3 - 1
    parts = scorer.part_scores(evidence, part, 2)
    left_out = np.zeros_like(whole[0])
    np.add.at(left_out, evidence.game[part < 0], scorer.move_shares(evidence)[part < 0])
    assert_allclose(parts.sum(axis=0) + left_out, whole[0])


@pytest.mark.parametrize("directions", [np.ones((3, 2)), np.ones((2, 0)), np.ones(2)])
def test_a_file_with_other_weights_is_refused(directions: np.ndarray) -> None:
    with pytest.raises(ValueError, match="shape"):
        LossScorer.from_arrays({"directions": directions})
