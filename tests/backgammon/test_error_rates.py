"""Error rates in the units of GNU Backgammon, Snowie and XG, and which unit a number is in."""

from __future__ import annotations

from math import isnan

import pytest

from tests.backgammon.gnubg_stats import statistics
from yardstone.backgammon.error_rates import Errors, Unit, epd_from, epd_to, in_equity
from yardstone.errors import UsageError


def errors() -> Errors:
    stats = {"X": statistics(), "O": statistics(moves=48, close=4)}
    return Errors.from_statistics(stats, 0)


def test_from_gnu_backgammon() -> None:
    result = errors()
    assert (result.moves, result.opponent_moves, result.unforced, result.close) == (50, 48, 40, 8)
    losses = (result.missed_double, result.wrong_double, result.wrong_take, result.wrong_pass)
    assert losses == pytest.approx((0.3, 0.05, 0.3, 0.0))
    assert (result.missed_doubles, result.wrong_doubles) == (2, 1)
    assert (result.wrong_takes, result.wrong_passes, result.chequer_errors) == (1, 0, 6)
    assert (result.decisions, result.luck) == (48, 0.5)
    rates = (result.epm, result.epc, result.epd, result.pr, result.snowie)
    expected = (0.01, 0.65 / 8, 1.05 / 48, 500 * 1.05 / 48, 1000 * 1.05 / 98)
    assert rates == pytest.approx(expected)
    assert all(isnan(getattr(Errors(), name)) for name in ("epm", "epc", "epd", "pr", "snowie"))


def test_the_reference_of_gnu_backgammon() -> None:
    # Error total -2.381 over 74 + 11 decisions and 101 + 101 moves: mEMG -28.0, Snowie -11.8.
    result = Errors(
        moves=101, opponent_moves=101, unforced=74, close=11, chequer=2.2825, missed_double=0.0986
    )
    assert 1000 * result.epd == pytest.approx(28.0, abs=0.05)
    assert result.snowie == pytest.approx(11.8, abs=0.05)


def test_they_add_up() -> None:
    one, other = errors(), Errors(unforced=10, chequer=0.6, moves=12)
    both = Errors.total([one, other])
    assert (both.unforced, both.moves, both.luck) == (50, 62, one.luck)
    assert both.epm == pytest.approx(1.0 / 50)
    assert Errors.total([]) == Errors()


@pytest.mark.parametrize(
    ("unit", "value"), [("epd", 0.0112), ("memg", 11.2), ("pr", 5.6), ("snowie", 5.6)]
)
def test_units(unit: str, value: float) -> None:
    assert float(epd_to(unit, 0.0112, moves_per_decision=2)) == pytest.approx(value)
    back = epd_from(unit, [value, 0.0], moves_per_decision=2)
    assert back.tolist() == pytest.approx([0.0112, 0.0])
    with pytest.raises(UsageError, match="no error rate"):
        epd_to("elo", 0.01)


def test_snowies_moves_are_those_of_both_players() -> None:
    result = errors()
    ratio = (result.moves + result.opponent_moves) / result.decisions
    snowie = float(epd_to("snowie", result.epd, moves_per_decision=ratio))
    assert snowie == pytest.approx(result.snowie)
    assert float(epd_to("snowie", 0.0215)) == pytest.approx(10.0)  # of people, 2.15


def test_the_unit_follows_from_the_number() -> None:
    """8.5 was taken for equity: a rating of -120,294.9."""
    for rates, expected in (
        ({"epm": 0.1, "epc": 0.3}, {"epm": 0.1, "epc": 0.3}),
        ({"epm": 100.0, "epc": 300.0}, {"epm": 0.1, "epc": 0.3}),
        ({"epm": 1.0}, {"epm": 0.001}),
        ({"epm": 0.0, "epc": 21.0}, {"epm": 0.0, "epc": 0.021}),
        ({"depd": -7.5}, {"depd": -0.0075}),
        ({"epm": None, "memg": 10.4}, {"memg": 10.4}),
        ({"memg": 100.0}, {"memg": 100.0}),
        ({"pr": 0.01}, {"pr": 0.01}),  # hardly an error in a whole match
    ):
        assert in_equity(rates) == pytest.approx(expected)
    assert in_equity({"epm": 0.5}, Unit.thousandths) == {"epm": 0.0005}
    assert in_equity({"epm": 6.0}, Unit.equity) == {"epm": 6.0}
    assert in_equity({"memg": 200.0}, Unit.thousandths) == {"memg": 200.0}
    for wrong, unit, message in (
        ({"epm": 0.11}, None, "fits neither"),
        ({"epm": 0.99}, None, "fits neither"),
        ({"epm": 100.1}, None, "fits neither"),
        ({"epc": 0.31}, None, "fits neither"),
        ({"epm": 0.05, "epc": 21.0}, None, "name one unit"),
        ({"epm": 6.1}, Unit.equity, "no decision costs more"),
        ({"epm": 6001.0}, Unit.thousandths, "no decision costs more"),
        ({"memg": 0.1}, None, "more than anyone loses"),
        ({"memg": 100.1}, None, "more than anyone loses"),
        ({"pr": 50.1}, None, "more than anyone loses"),
        ({"snowie": -1.0}, Unit.equity, "more than anyone loses"),
        ({"pr": 3001.0}, Unit.thousandths, "no decision costs more"),
    ):
        with pytest.raises(UsageError, match=message):
            in_equity(wrong, unit)
