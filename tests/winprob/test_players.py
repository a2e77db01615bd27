"""Two players: a fair handicap in closed form by the EGF's law, and chances both ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from yardstone.errors import InputError, UsageError
from yardstone.winprob.model import WinningModel, winning_model
from yardstone.winprob.players import (
    advise_handicap,
    opponent_for,
    probability_between,
    propose_handicap,
    tie_and_komi,
)

EGF = winning_model("egf")


STONES = [
    (0.0, 1, (6, "white", 6.5), None),  # komi 7: of two half points the one nearer to zero
    (0.25, 1, (3, "white", 3.5), None), (0.45, 1, (0, "white", 0.5), None),
    (0.9, 1, (-5, "black", -5.5), 1.4),
    (1.0, 1, (-6, "black", -6.5), 1.5),  # 1 and 2 stones are equally near: the smaller
    (1.1, 2, (5, "white", 5.5), 1.6), (5.0, 5, (-6, "black", -6.5), 5.5),
    (8.6, 9, (-1, "black", -1.5), 9.1),
]  # fmt: skip


def test_stones_come_first_and_komi_makes_up_the_rest() -> None:
    """Each stone is a grade, the first half a one, and 14 points make one: even by the law."""
    for apart, stones, komi, exact in STONES:
        result = propose_handicap(EGF, black=-apart, white=0.0)
        assert result.stones == stones
        assert (result.komi, result.tie, result.half_point_komi) == komi
        assert result.exact_stones == (None if exact is None else pytest.approx(exact, abs=1e-8))
        assert abs(result.half_point_komi - 14.0 * (stones - 0.5 - apart)) <= 0.5 + 1e-6
        for chance, given in ((result.chance, komi[2]), (result.without_komi, 0.0)):
            p = float(EGF.probability(-apart, 0.0, handicap=stones, komi=given))
            assert (chance.probability, chance.low, chance.high) == (p, None, None)
        assert (result.model, result.about, result.outside) == ("egf", EGF.about, False)


def test_fixed_stones_leave_the_rest_to_komi() -> None:
    for stones, komi in ((1, -62.5), (9, 48.5)):
        result = propose_handicap(EGF, black=-5.0, white=0.0, stones=stones)
        assert result.stones == stones
        assert result.half_point_komi == pytest.approx(komi, abs=0.51)
    assert propose_handicap(EGF, black=-31.0, white=0.0, stones=30).outside
    assert propose_handicap(EGF, black=-35.4, white=0.0).stones == 36
    for exact, *wanted in (  # a half point and who wins ties are one
        (6.8, 6, "white", 6.5), (7.0, 6, "white", 6.5), (7.1, 7, "white", 7.5),
        (0.0, 0, "white", 0.5), (-0.4, 0, "black", -0.5), (-1.0, 0, "black", -0.5),
        (-1.2, -1, "black", -1.5),
        (2.0000001, 1, "white", 1.5),  # rounded to the sixth digit
    ):  # fmt: skip
        assert tie_and_komi(exact) == tuple(wanted), exact


def test_handicaps_that_cannot_be() -> None:
    class Flat(type(EGF.law)):  # type: ignore[misc]
        """A law under which no komi helps."""

        def _probability(self, r: Any, s: Any, h: Any, c: Any) -> Any:
            return np.where(h >= 3.0, 0.6, 0.4) + 0.0 * c

    flat, elo = WinningModel("flat", "", Flat()), winning_model("elo")
    for model, black, white, stones, message in (
        (EGF, -30.0, 7.0, None, "too far apart for a handicap: 36 stones"),
        (EGF, -30.0, 0.0, 1, "1 stones are too few or too many"),
        (EGF, 0.0, 0.0, 36, "36 stones are too few or too many"),
        (EGF, 0.0, 0.0, 0, "stones must be"), (EGF, 0.0, 0.0, 37, "stones must be"),
        (elo, 0.0, 1.0, None, "rating points have no handicap stones"),
        (flat, 0.0, 1.0, None, "no komi makes 1 stones even"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            propose_handicap(model, black=black, white=white, stones=stones)


@pytest.mark.parametrize("handicap", [0.0, 2.0])
def test_chances_both_ways_add_up(handicap: float) -> None:
    """Stones are those of the weaker player, who is Black; an interval is turned with it."""
    model = winning_model()
    one, other = (
        probability_between(*names, handicap=handicap, level=0.9)
        for names in (("2d", "4d"), ("4d", "2d"))
    )
    p = float(model.probability(1.0, 3.0, handicap=handicap))
    low, high = (float(x) for x in model.interval(1.0, 3.0, handicap=handicap, level=0.9) or ())
    assert (one.probability, one.low, one.high) == pytest.approx((p, low, high))
    wanted = pytest.approx((1.0 - p, 1.0 - high, 1.0 - low), abs=1e-9)
    assert (other.probability, other.low, other.high) == wanted
    assert (one.first_is_black, other.first_is_black) == (True, handicap == 0.0)
    mean = model.interval(1.0, 3.0, handicap=handicap, level=0.9, average=True)
    assert one.average == pytest.approx(tuple(float(x) for x in mean or ()))
    assert (one.first_grade, one.second_grade, one.level) == (1.0, 3.0, 0.9)
    assert not one.extrapolated
    assert probability_between("3k", "3k", handicap=2.0).first_is_black


def test_words_and_ratings_of_players() -> None:
    by_egf = probability_between("2200", "4d", model="egf", scale="egf")
    assert by_egf.probability == pytest.approx(1 / (1 + (11 / 9) ** 7))
    assert (by_egf.low, by_egf.high, by_egf.average) == (None, None, None)
    assert probability_between("30k", "9d", model="egf").first_grade == -30.0
    points = probability_between("1600", "1400", model="elo")
    assert points.probability == pytest.approx(1 / (1 + 10**-0.5))
    for names, options, error, message in [
        (("2200", "4d"), {}, UsageError, "2200 is a rating, and grades were expected"),
        (("31k", "4d"), {}, UsageError, "grades lie from 30k to 9d"),
        (("10d", "4d"), {}, UsageError, "grades lie from 30k to 9d"),
        (("x", "4d"), {}, InputError, "not a Go grade"),
        (("x", "4d"), {"scale": "egf"}, UsageError, "neither a rating nor a grade"),
        (("2d", "1500"), {"model": "elo"}, UsageError, "'2d' is not a rating"),
    ]:
        with pytest.raises(error, match=message):
            probability_between(*names, **options)  # type: ignore[arg-type]


def test_whom_one_beats_how_often() -> None:
    for probability in (0.05, 0.5, 0.8):
        pair = opponent_for("2d", probability, model="egf")
        # Odds are the seventh power of the ratio of what is left to 3300.
        left = 1100.0 * (probability / (1.0 - probability)) ** (1.0 / 7.0)
        assert pair.second_grade == pytest.approx((3300.0 - left - 2100.0) / 100.0, abs=1e-7)
        assert pair.probability == pytest.approx(probability)
        assert pair.first_is_black
    assert opponent_for("2200", 0.5, model="egf", scale="egf").second == "2200"
    assert opponent_for("1500", 10 / 11, model="elo").second == "1100"
    ahead = opponent_for("1k", 0.5, model="egf", handicap=3.0)
    assert ahead.second_grade == pytest.approx(1.5)
    assert ahead.second == "2.5d"
    for wrong in (0.0, 1.0):
        with pytest.raises(UsageError, match="probability"):
            opponent_for("2d", wrong)
    with pytest.raises(UsageError, match="nobody is beaten by 9d with probability 1e-12"):
        opponent_for("9d", 1e-12, model="egf")


def test_advice_by_models_side_by_side() -> None:
    advice = advise_handicap(["4k", "2d"])
    assert (advice.white, advice.black) == ("2d", "4k")
    assert (advice.grades, advice.apart, advice.ratings) == ((1.0, -4.0), 5.0, (1600.0, 2100.0))
    assert [each.proposal.model for each in advice.proposals] == ["goldis", "egf", "fitted"]
    goldis = advice.by("goldis")
    assert goldis is not None
    assert advice.goldis is not None
    assert goldis.proposal.stones == advice.goldis.stones == 3
    assert goldis.proposal.half_point_komi == advice.goldis.half_point_komi
    assert (advice.by("kaniuk"), advice.judge.name) == (None, "fitted")
    # Goldis' margins scatter by 20 points: three stones and their komi are even within a point.
    assert abs(ndtri(goldis.proposal.chance.probability)) * 20.0 <= 1.0
    judged = float(advice.judge.probability(-4.0, 1.0, handicap=3, komi=0.0))
    assert goldis.judged_without_komi.probability == judged
    fixed = advise_handicap(["2d", "4k"], stones=4, win="egf")
    assert [each.proposal.stones for each in fixed.proposals] == [4]
    assert (fixed.stones, fixed.goldis, fixed.even_komi) == (4, None, 8.0)
    assert advise_handicap(["20k", "28k"]).failures[0][0] == "goldis"


def test_advice_that_cannot_be_given() -> None:
    refused: list[tuple[list[str], dict[str, Any], type[Exception], str]] = [
        (["2d"], {}, UsageError, "two ratings or two ranks"),
        (["6d", "2235"], {}, UsageError, "one is a name and the other a number"),
        (["2d", "4k"], {"win": "egf", "komi": 6.0}, UsageError, "--komi belongs to Goldis"),
        (["2d", "4k"], {"win": "egf", "base": 1.3}, UsageError, "--base belongs to Goldis"),
        (["2d", "x"], {}, InputError, "not a rank"),
        (["2000", "2100"], {"scale": "rank"}, UsageError, "not a name"),
        (["2d", "4k"], {"scale": "goldis"}, UsageError, "not a rating on the scale goldis"),
        (["7aml", "19step"], {"win": "goldis"}, UsageError, "316 stones"),
    ]
    for players, options, error, message in refused:
        with pytest.raises(error, match=message):
            advise_handicap(players, **options)
