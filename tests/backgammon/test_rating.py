"""One question about one player, and its answer."""

from __future__ import annotations

from typing import Any

import pytest

from yardstone.backgammon.error_rates import Unit
from yardstone.backgammon.formulas import PUBLISHED, PUBLISHED_TEXT, Formula
from yardstone.backgammon.rating import RatingQuestion, rating_answer
from yardstone.errors import UsageError
from yardstone.winprob import fibs

#: With a standard error of a tenth of each loss.
DOUBTFUL = PUBLISHED.times(1.0, "x", 0.1)


def answer(*, formula: Formula = PUBLISHED, offset: float = 2050, **known: Any) -> Any:
    return rating_answer(RatingQuestion(**known), formula, offset)


def test_from_errors() -> None:
    result = answer(length=7, epm=0.0085, epc=0.021)
    assert result.chequer_loss == pytest.approx((8798 + 25526 / 7) * 0.0085)
    assert result.cube_loss == pytest.approx((863 - 519 / 7) * 0.021)
    assert result.rating == pytest.approx(2050 - result.chequer_loss - result.cube_loss)
    assert result.relative == pytest.approx(result.rating - 2050)
    assert (result.interval, result.probability, result.about) == (None, None, None)
    assert answer(length=7, epm=8.5, epc=21) == result, "thousandths"
    assert answer(length=7, epm=0.5, epc=0.4, unit=Unit.thousandths).epc == pytest.approx(0.0004)
    # A match to one point has no cube.
    one = answer(length=1, epm=0.01, epc=0.05)
    assert (one.cube_loss, one.rating) == (0.0, pytest.approx(2050 - 343.24))
    assert answer(length=2, epm=0.01, epc=0.05).cube_loss == pytest.approx(603.5 * 0.05)
    text = answer(length=1, epm=0.01, formula=PUBLISHED_TEXT)
    assert text.rating == pytest.approx(2050 - 379.16)


@pytest.mark.parametrize(
    ("unit", "value"), [("epd", 0.0104), ("memg", 10.4), ("pr", 5.2), ("snowie", 5.2)]
)
def test_from_all_decisions(unit: str, value: float) -> None:
    known: dict[str, Any] = {unit: value}
    result = answer(length=7, moves_per_decision=2.0, offset=2000, **known)
    assert result.rating == pytest.approx(2000 - (11971 + 23681 / 7) * 0.0104)
    units = (result.epd, result.memg, result.pr, result.snowie)
    assert units == pytest.approx((0.0104, 10.4, 5.2, 5.2))


def test_differences() -> None:
    result = answer(length=5, depd=0.0075)
    assert result.difference == pytest.approx(16707.2 * 0.0075)
    assert result.probability == pytest.approx(float(fibs.probability(result.difference, 0, 5)))
    assert answer(length=5, depd=-0.0075).difference == pytest.approx(-16707.2 * 0.0075)
    assert answer(length=5, depd=7.5) == result
    assert result.rating is None  # of whom? the opponent's is needed
    both = answer(length=5, depd=0.0075, against=1800)
    assert both.rating == pytest.approx(1800 + result.difference)
    assert both.probability == result.probability
    won = answer(length=5, win=0.6, against=1800)
    assert won.rating == pytest.approx(1800 + float(fibs.difference(0.6, 5)))
    met = answer(length=5, epm=0.01, against=1700)
    assert met.probability == pytest.approx(float(fibs.probability(met.rating, 1700, 5)))


def test_the_doubt_about_a_formula() -> None:
    def chances(ends: tuple[float, float], against: float = 0.0) -> list[float]:
        return [float(fibs.probability(end, against, 5)) for end in ends]

    result = answer(length=5, epm=0.01, epc=0.02, against=1700, formula=DOUBTFUL)
    reach = 1.959964 * 0.1 * (139.032 + 15.184)
    assert result.interval == pytest.approx((result.rating - reach, result.rating + reach))
    assert result.probability_interval == pytest.approx(chances(result.interval, 1700))
    reach = 1.959964 * 0.1 * 167.072
    low, high = answer(length=5, epd=0.01, formula=DOUBTFUL).interval
    assert (low, high) == pytest.approx((2050 - 167.072 - reach, 2050 - 167.072 + reach))
    result = answer(length=5, depd=0.01, against=1800, formula=DOUBTFUL)
    ends = (167.072 - reach, 167.072 + reach)
    assert result.difference_interval == pytest.approx(ends)
    assert result.interval == pytest.approx((ends[0] + 1800, ends[1] + 1800))
    assert result.probability_interval == pytest.approx(chances(ends))


def test_the_way_back() -> None:
    result = answer(length=5, from_rating=1800, epc=0.03)
    assert float(PUBLISHED.rating(result.epm, 0.03, 5)) == pytest.approx(1800)
    assert float(PUBLISHED.rating_of_decisions(result.epd, 5)) == pytest.approx(1800)
    result = answer(length=5, from_rating=1800, epm=0.01)
    assert float(PUBLISHED.rating(0.01, result.epc, 5)) == pytest.approx(1800)
    perfect = answer(length=5, from_rating=2050)
    assert (perfect.epd, perfect.epm) == (0.0, None)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"epc": 0.1},
        {"epm": 0.1, "epd": 0.1},
        {"epd": 0.1, "pr": 5},
        {"from_rating": 1800, "epm": 0.01, "epc": 0.01},
        {"from_rating": 2051},
        {"from_rating": 2000, "epm": 0.1},
        {"win": 1.0},
        {"win": 0.0},
        {"epm": float("nan")},
        {"epm": -0.1},
        {"epm": 0.0085, "epc": 21},
        {"snowie": 5, "moves_per_decision": 0},
        {"length": 0, "epm": 0.01},
    ],
)
def test_questions_without_an_answer(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        answer(**{"length": 5, **wrong})
