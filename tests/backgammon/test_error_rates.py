from __future__ import annotations

from math import isnan

import pytest

from tests.backgammon.gnubg_stats import statistics
from yardstone.backgammon.error_rates import Errors, epd_from, epd_to
from yardstone.errors import UsageError


def errors() -> Errors:
    stats = {"X": statistics(), "O": statistics(moves=48, close=4)}
    return Errors.from_statistics(stats, 0)


def test_from_gnu_backgammon() -> None:
    result = errors()
    assert (result.moves, result.opponent_moves, result.unforced, result.close) == (50, 48, 40, 8)
    assert result.missed_double == pytest.approx(0.3)
    assert result.wrong_double == pytest.approx(0.05)
    assert (result.wrong_take, result.wrong_pass) == (0.3, 0.0)
    assert (result.missed_doubles, result.wrong_doubles) == (2, 1)
    assert (result.wrong_takes, result.wrong_passes, result.chequer_errors) == (1, 0, 6)


def test_rates() -> None:
    result = errors()
    assert result.epm == pytest.approx(0.01)
    assert result.epc == pytest.approx(0.65 / 8)
    assert result.epd == pytest.approx(1.05 / 48)
    assert result.pr == pytest.approx(500 * 1.05 / 48)
    assert result.snowie == pytest.approx(1000 * 1.05 / 98)


def test_the_reference_of_gnu_backgammon() -> None:
    # Error total -2.381 over 74 + 11 decisions and 101 + 101 moves: mEMG -28.0, Snowie -11.8.
    result = Errors(
        moves=101, opponent_moves=101, unforced=74, close=11, chequer=2.2825, missed_double=0.0986
    )
    assert 1000 * result.epd == pytest.approx(28.0, abs=0.05)
    assert result.snowie == pytest.approx(11.8, abs=0.05)


def test_without_decisions() -> None:
    nothing = Errors()
    assert all(isnan(getattr(nothing, name)) for name in ("epm", "epc", "epd", "pr", "snowie"))


def test_they_add_up() -> None:
    one, other = errors(), Errors(unforced=10, chequer=0.6, moves=12)
    both = Errors.total([one, other])
    assert both.unforced == 50
    assert both.epm == pytest.approx(1.0 / 50)
    assert both.luck == one.luck
    assert Errors.total([]) == Errors()


@pytest.mark.parametrize("unit", ["epd", "memg", "pr", "snowie"])
def test_units_there_and_back(unit: str) -> None:
    value = epd_to(unit, [0.005, 0.02], moves_per_decision=2.2)
    assert epd_from(unit, value, moves_per_decision=2.2).tolist() == pytest.approx([0.005, 0.02])


def test_units() -> None:
    assert float(epd_to("memg", 0.0112)) == pytest.approx(11.2)
    assert float(epd_to("snowie", 0.0112, moves_per_decision=2)) == pytest.approx(5.6)
    result = errors()
    ratio = (result.moves + result.opponent_moves) / result.decisions
    assert float(epd_to("snowie", result.epd, moves_per_decision=ratio)) == pytest.approx(
        result.snowie
    )
    with pytest.raises(UsageError, match="no error rate"):
        epd_to("elo", 0.01)
