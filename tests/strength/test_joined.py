"""A model that believes several models on a scale, and says the mean of what they say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.strength.rank_cases import WIDTH, model_of_two_scales, random_evidence, random_model
from yardstone.errors import InputError
from yardstone.strength.evidence import PHASES
from yardstone.strength.model import JoinedScorer, StrengthModel

FIRST, SECOND = model_of_two_scales(0), model_of_two_scales(5)
EVIDENCE = random_evidence([40, 3, 95], seed=4)


def joined() -> StrengthModel:
    """Of Fox the first; of OGS both."""
    one, other = FIRST.scale("ogs"), SECOND.scale("ogs")
    spread = replace(other.spread, columns=other.spread.columns + FIRST.scorer.width)
    scorer = JoinedScorer((FIRST.scorer, SECOND.scorer))
    return StrengthModel(scorer, [FIRST.scale("fox"), replace(one, further=(spread,))], FIRST.card)


def test_scores_stand_side_by_side() -> None:
    scorer = joined().scorer
    assert (scorer.width, scorer.channels) == (2 * (WIDTH + 2), FIRST.scorer.channels)
    each = [model.scorer.move_shares(EVIDENCE) for model in (FIRST, SECOND)]
    np.testing.assert_array_equal(scorer.move_shares(EVIDENCE), np.concatenate(each, axis=1))
    part = EVIDENCE.number.astype(np.int64) % 3 - 1
    each = [model.scorer.part_scores(EVIDENCE, part, 2) for model in (FIRST, SECOND)]
    both = scorer.part_scores(EVIDENCE, part, 2)
    np.testing.assert_array_equal(both, np.concatenate(each, axis=2))


def test_a_density_is_the_mean_of_those_of_the_members() -> None:
    model = joined()
    statistics = model.game_statistics(EVIDENCE)
    ogs = replace(SECOND.scale("ogs"), prior=FIRST.scale("ogs").prior)  # theirs is the first one's
    members = [(FIRST.scale("ogs"), FIRST.game_statistics(EVIDENCE))]
    members.append((ogs, SECOND.game_statistics(EVIDENCE)))
    wanted = np.mean([scale.density(rows) for scale, rows in members], axis=0)
    density = model.scale("ogs").density(statistics)
    np.testing.assert_allclose(density, wanted, rtol=1e-9, atol=1e-15)
    far = np.mean([scale.distance(rows) for scale, rows in members], axis=0)
    np.testing.assert_allclose(model.scale("ogs").distance(statistics), far)
    fox = FIRST.scale().density(members[0][1])
    np.testing.assert_allclose(model.scale().density(statistics), fox)
    nothing = np.zeros(PHASES + 1 + model.scorer.width)
    alone = FIRST.scale("ogs").density(nothing[: PHASES + 1 + FIRST.scorer.width])
    assert model.scale("ogs").density(nothing) == pytest.approx(alone)


def test_a_joined_model_is_the_same_after_it_was_kept(tmp_path: Path) -> None:
    model = joined()
    model.save(tmp_path / "joined.npz")
    again = StrengthModel.load(tmp_path / "joined.npz")
    assert isinstance(again.scorer, JoinedScorer)
    assert again.card["kind"] == "joined"
    for name in ("fox", "ogs"):
        wanted, density = (
            each.scale(name).density(each.game_statistics(EVIDENCE)) for each in (model, again)
        )
        np.testing.assert_allclose(density, wanted, rtol=1e-5, atol=1e-9)
    assert len(again.scale("ogs").spreads) == 2


def test_a_file_without_one_of_the_members_is_refused(tmp_path: Path) -> None:
    model = joined()
    alone = StrengthModel(JoinedScorer((FIRST.scorer,)), list(model.scales.values()), FIRST.card)
    unlike = JoinedScorer((FIRST.scorer, random_model(channels=4).scorer))
    for bad in (alone, StrengthModel(unlike, [FIRST.scale()], FIRST.card)):
        bad.save(tmp_path / "bad.npz")
        with pytest.raises(InputError):
            StrengthModel.load(tmp_path / "bad.npz")
    for names in ({}, {"1_rank_x": np.zeros(1)}, {"rank": np.zeros(1)}, {"0_none_x": np.zeros(1)}):
        with pytest.raises((ValueError, KeyError)):
            JoinedScorer.from_arrays(names)
