from __future__ import annotations

from typing import Any

import pytest

from yardstone.backgammon.error_rates import Unit, in_equity
from yardstone.backgammon.formulas import PUBLISHED, PUBLISHED_TEXT, Formula
from yardstone.backgammon.rating import RatingQuestion, rating_answer
from yardstone.errors import UsageError
from yardstone.winprob import fibs


def answer(*, formula: Formula = PUBLISHED, offset: float = 2050, **known: Any) -> Any:
    return rating_answer(RatingQuestion(**known), formula, offset)


def test_from_errors() -> None:
    result = answer(length=7, epm=0.0085, epc=0.021)
    assert result.chequer_loss == pytest.approx((8798 + 25526 / 7) * 0.0085)
    assert result.cube_loss == pytest.approx((863 - 519 / 7) * 0.021)
    assert result.rating == pytest.approx(2050 - result.chequer_loss - result.cube_loss)
    assert result.relative == pytest.approx(result.rating - 2050)


def test_one_point() -> None:
    assert answer(length=1, epm=0.01).rating == pytest.approx(1706.76)
    cube = answer(length=1, epm=0.01, epc=0.05)  # a match to one point has none
    assert (cube.cube_loss, cube.rating) == (0.0, answer(length=1, epm=0.01).rating)
    assert answer(length=2, epm=0.01, epc=0.05).cube_loss > 0.0
    assert answer(length=1, epm=0.01, formula=PUBLISHED_TEXT).rating == pytest.approx(2050 - 379.16)


@pytest.mark.parametrize(
    ("unit", "value"), [("epd", 0.0104), ("memg", 10.4), ("pr", 5.2), ("snowie", 5.2)]
)
def test_from_all_decisions(unit: str, value: float) -> None:
    known: dict[str, Any] = {unit: value}
    result = answer(length=7, moves_per_decision=2.0, offset=2000, **known)
    assert result.rating == pytest.approx(2000 - (11971 + 23681 / 7) * 0.0104)
    assert result.pr == pytest.approx(5.2)


def test_differences() -> None:
    result = answer(length=5, depd=0.0075)
    assert result.difference == pytest.approx(16707.2 * 0.0075)
    assert result.probability == pytest.approx(float(fibs.probability(result.difference, 0, 5)))
    assert answer(length=5, depd=-0.0075).difference == pytest.approx(-16707.2 * 0.0075)
    assert result.rating is None  # of whom? the opponent's is needed
    both = answer(length=5, depd=0.0075, against=1800)
    assert both.rating == pytest.approx(1800 + result.difference)
    assert both.probability == result.probability
    won = answer(length=5, win=0.6, against=1800)
    assert won.rating == pytest.approx(1800 + float(fibs.difference(0.6, 5)))


def test_the_way_back() -> None:
    result = answer(length=5, from_rating=1800, epc=0.03)
    assert float(PUBLISHED.rating(result.epm, 0.03, 5)) == pytest.approx(1800)
    assert float(PUBLISHED.rating_of_decisions(result.epd, 5)) == pytest.approx(1800)
    result = answer(length=5, from_rating=1800, epm=0.01)
    assert float(PUBLISHED.rating(0.01, result.epc, 5)) == pytest.approx(1800)


def test_against_an_opponent() -> None:
    result = answer(length=5, epm=0.01, against=1700)
    assert result.probability == pytest.approx(float(fibs.probability(result.rating, 1700, 5)))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"epc": 0.1},
        {"epm": 0.1, "epd": 0.1},
        {"epd": 0.1, "pr": 5},
        {"from_rating": 1800, "epm": 0.01, "epc": 0.01},
        {"from_rating": 2100},
        {"from_rating": 2000, "epm": 0.1},
        {"win": 1.0},
        {"epm": float("nan")},
        {"epm": -0.1},
        {"epm": 0.5},
        {"epm": 250},
        {"epc": 0.5, "epm": 0.01},
        {"epm": 0.0085, "epc": 21},
        {"epd": 0.3},
        {"depd": 0.5},
        {"memg": 0.0104},
        {"snowie": 0.01},
        {"snowie": 400},
        {"epm": 9000, "unit": Unit.thousandths},
        {"snowie": 5, "moves_per_decision": 0},
    ],
)
def test_questions_without_an_answer(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        answer(length=5, **wrong)
    with pytest.raises(UsageError):
        answer(length=0, epm=0.01)


def test_thousandths_and_equity_give_one_rating() -> None:
    """8.5 was taken for equity: -120,294.9."""
    wanted = answer(length=7, epm=0.0085, epc=0.021)
    assert answer(length=7, epm=8.5, epc=21) == wanted
    assert answer(length=5, depd=7.5) == answer(length=5, depd=0.0075)
    assert answer(length=7, epm=0.5, epc=0.4, unit=Unit.thousandths).epc == pytest.approx(0.0004)
    assert in_equity({"epm": 0.0, "epc": 21.0}) == {"epm": 0.0, "epc": 0.021}
    assert in_equity({"epm": None, "memg": 10.4}) == {"memg": 10.4}
    assert in_equity({"pr": 0.01}) == {"pr": 0.01}  # hardly an error in a whole match


def test_formulas_refuse_thousandths() -> None:
    with pytest.raises(UsageError, match="thousandths"):
        PUBLISHED.rating(8.5, 0.0, 7)
    assert float(PUBLISHED.rating(0.01, 2.6, 5)) < 0.0  # one close decision can cost that
