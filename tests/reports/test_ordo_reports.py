"""Ordo's reports, made from lists written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from yardstone.errors import ModelError
from yardstone.pool import Pool
from yardstone.ratings.result import Estimate, Status
from yardstone.reports.ordo import (
    OpponentSummary,
    OrdoList,
    TableFormat,
    as_in_tag,
    display_width,
    error_matrix,
    find_groups,
    head_to_head,
    listing_order,
    pad,
    programs_dat,
    rank_players,
    ratings_csv,
    ratings_text,
    rounded,
    superiority_matrix,
)


def listed(*, errors: bool = False) -> OrdoList:
    pool = Pool.from_names("AABBC", "BCCAA", [1, 0.5, 1, 0, 0])
    deviation = np.array([10.0, 0.0, 20.0]) if errors else None
    between = np.array([[0, 10.0, 25], [10, 0, np.nan], [25, np.nan, 0]]) if errors else None
    return OrdoList(
        names=pool.players,
        rating=np.array([2400.25, 2300.0, 2199.75]),
        status=np.array([Status.PERFECT_WINNER, Status.NORMAL, Status.PERFECT_LOSER], np.int8),
        counts=pool.pair_counts(),
        first_advantage=Estimate(12.345, 2.0),
        draw_rate=Estimate(0.25, 0.01),
        deviation=deviation,
        deviation_of_difference=between,
        confidence_factor=2.0,
        discarded=3,
    )


def test_texts_and_tables() -> None:
    table = listed(errors=True)
    shape = TableFormat(columns=tuple(range(15)), simulated=True, score_decimals=1)
    lines = ratings_text(table, rank_players(table), shape).splitlines()
    assert lines[1].split()[2:] == (
        ": RATING ERROR POINTS PLAYED (%) CFS(%) W D L D(%) OppAvg OppErr OppN OppDiv".split()
    )
    assert lines[2].split()[4:] == (
        "2400.3 20.0 3.5 4 87.5 100 3 1 0 25.0 2249.9 20.0 2 2.0".split()
    )
    assert lines[3].split()[3:] == "2300.0 ---- 1.0 3 33.3 --- 1 0 2 0.0 2333.4 26.7 2 1.9".split()
    assert lines[-3] == "White advantage = 12.35 +/- 4.00"
    assert lines[-2] == "Draw rate (equal opponents) = 25.00 % +/- 2.00"
    turned = ratings_csv(table, rank_players(table), TableFormat(columns=(1, 0)))
    assert turned.splitlines()[:2] == [',"RATING""#","PLAYER"', ',2400.21,"A"']
    assert error_matrix(table, [0, 1, 2]) == ('"N","NAME",0,1,2\n0,"A"\n1,"B",20.0\n2,"C",50.0,\n')
    assert superiority_matrix(table, [2, 0]) == '"N","NAME",0,1\n0,"C",,0.0\n1,"A",100.0,\n'
    with pytest.raises(ModelError):
        error_matrix(listed(), [0])
    pool = Pool.from_names("ABXZ", "BAYA", [1, 1, 0.5, 1])
    groups = find_groups(pool.players, pool.pair_counts())
    assert (len(groups), groups.within, groups.between) == (3, 3, 1)


def test_head_to_head() -> None:
    text = head_to_head(listed(errors=True), decimals=1, with_errors=True)
    assert text.startswith(
        "Head to head statistics:\n\n"
        "1) A 2400.2 :      4 (+3,=1,-0),  87.5 %\n\n"
        "   vs.      :  games ( +, =, -),   (%) :    Diff,    SD, CFS (%)\n"
        "   B        :      2 ( 2, 0, 0), 100.0 :  +100.2,  10.0,  100.0\n"
        "   C        :      2 ( 1, 1, 0),  75.0 :  +200.5,  25.0,  100.0\n\n"
    )
    assert "   C        :      1 ( 1, 0, 0), 100.0 :  +100.2,     -,      -\n" in text
    assert "SD" not in head_to_head(listed(), decimals=1, with_errors=False)


def test_names() -> None:
    assert as_in_tag('The "Rock" \\') == r"The \"Rock\" \\"
    assert list(map(display_width, ("Müller", "Mu\u0308ller", "囲碁"))) == [6, 6, 4]
    assert pad("囲碁", 6, right=True) == "  囲碁"


def test_a_game_with_oneself() -> None:
    pool = Pool.from_names("AAB", "ABA", [1, 1, 1])
    table = OrdoList(
        names=pool.players,
        rating=np.array([2310.0, 2290.0]),
        status=np.zeros(2, np.int8),
        counts=pool.pair_counts(),
        first_advantage=Estimate(0.0),
        draw_rate=Estimate(0.5),
    )
    assert table.games.tolist() == [4.0, 2.0]
    assert OpponentSummary.of(table).number.tolist() == [2, 1]
    assert "A   : 1 (+  1,=  0,-  0), 100.0 %" in programs_dat(table, decimals=1)


def test_order_ties_thresholds_older_versions_and_rounding() -> None:
    table, older = listed(), frozenset({1})
    assert [row.player for row in rank_players(table, threshold=4)] == [0]
    rows = [(row.player, row.rank, row.ranked) for row in rank_players(table, older=older)]
    assert rows == [(0, 1, True), (1, 1, False), (2, 2, True)]
    hidden = rank_players(table, older=older, hide_older=True)
    assert [row.player for row in hidden] == [0, 2]
    assert listing_order(range(5), np.array([3.0, 5.0, 1.0, 5.0, 2.0]))[2:] == [0, 4, 2]
    # Ties end where Ordo leaves them.
    assert listing_order(range(4), np.zeros(4)) == [0, 1, 2, 3]
    assert listing_order(range(8), np.zeros(8)) == [0, 2, 4, 5, 6, 7, 1, 3]
    values = [(2400.25, 1), (-0.04, 1), (-0.05, 1), (1.123456789, 7)]
    assert [rounded(*each) for each in values] == [2400.3, 0.0, 0.0, 1.12346]
