from __future__ import annotations

import json
from datetime import date

import numpy as np
import pytest

from tests.tournament.samples import DATA, sample
from tests.tournament.test_standings import values
from yardstone.tournament import Bye, ByeKind, Game, Player, Result, Scoring, System, Tournament
from yardstone.tournament.fide import (
    average_rating,
    perfect_performance,
    performance,
    rules_for,
    table_score,
)
from yardstone.tournament.standings_table import standings

#: Solutions of the exercise of FIDE's Technical Commission (18 March 2024).
EXERCISE = {
    "BH": {1: 12.5, 2: 13, 3: 15.5, 4: 15, 5: 8.5, 8: 13.5, 11: 13.5, 16: 12.5},
    "BH-C1": {1: 11, 3: 13, 4: 11.5, 5: 7.5, 7: 12.5, 8: 12, 9: 7.5, 11: 12, 12: 9.5, 13: 12,
              14: 9, 15: 11, 16: 11},
    "SB": {1: 8, 2: 9.5, 3: 10.5, 4: 9.75, 5: 4.25, 6: 6.5, 8: 5.25, 11: 5.75, 12: 4, 14: 4.5,
           16: 7.25},
}  # fmt: skip


@pytest.mark.parametrize("name", EXERCISE)
def test_the_exercise_of_fide(name: str) -> None:
    table = standings(sample("exercise.trf"), criteria=["PTS", name], unplayed="2024")
    result = {row + 1: value[1] for row, value in values(table).items()}
    assert {row: result[row] for row in EXERCISE[name]} == EXERCISE[name]


@pytest.mark.parametrize("rules", ["2024", "2026"])
def test_every_tie_break_is_as_the_server_of_fide_computes_it(rules: str) -> None:
    """Against TieBreakServer 1.9.57 of FIDE's Technical Commission, stored beside the file."""
    reference = json.loads((DATA / "unplayed.json").read_text())[rules]
    result = sample("unplayed.trf")
    ranks = reference.pop("DE rank")
    ours = values(standings(result, criteria=list(reference), unplayed=rules, everybody=True))
    for number, (name, column) in enumerate(reference.items()):
        numbers = [np.nan if value is None else value for value in column]
        np.testing.assert_allclose([ours[row][number] for row in range(12)], numbers, err_msg=name)
    tied = standings(result, criteria="pts,de", unplayed=rules, everybody=True)
    places = zip(tied.order.tolist(), tied.place.tolist(), strict=True)
    assert [place for _, place in sorted(places)] == ranks


def test_rules_by_the_date() -> None:
    days = {
        None: "2026",
        date(2026, 3, 1): "2026",
        date(2025, 1, 1): "2024",
        date(2015, 1, 1): "2009",
        date(2005, 1, 1): "none",
    }
    assert {day: str(rules_for(day)) for day in days} == days


RESULTS = {
    "1": Result.first_wins,
    "=": Result.draw,
    "0": Result.second_wins,
    "+": Result.first_wins,
}
BYES = {"U": ByeKind.paired, "H": ByeKind.half, "Z": ByeKind.zero, "F": ByeKind.full}


def chess(entries: str, rounds: int = 3, system: System = System.swiss) -> Tournament:
    """A tournament of A to D from its rounds: ``A B 1`` games, ``A U`` byes, ``+`` forfeits."""
    games, byes = [], []
    for number, line in enumerate(entries.split("/"), 1):
        for words in map(str.split, line.split(",")):
            rows = ["ABCD".index(word) for word in words[:-1]]
            mark = words[-1]
            if len(rows) == 1:
                byes.append(Bye(number, rows[0], BYES[mark]))
            else:
                games.append(Game(round=number, first=rows[0], second=rows[1],
                                  result=RESULTS[mark], forfeit=mark == "+"))  # fmt: skip
    names = sorted(set(entries) & set("ABCD"))
    return Tournament(
        rounds=rounds,
        discipline="chess",
        system=system,
        players=tuple(Player(name=n, rating=2000.0 + 100 * k) for k, n in enumerate(names)),
        games=tuple(games),
        byes=tuple(byes),
        scoring=Scoring(round_down=False),
    )


WITHDRAWN = chess("A B 1, C D = / A C 1, B H, D U / A D +, B C 0")


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        # A: 3 points; met B (half from a bye, then a loss), C, and D by forfeit.
        ("none", [0.5 + 1.5 + 1.5, 3 + 1.5]),
        # 2009: unplayed rounds of opponents are draws; A's forfeit against a virtual opponent.
        ("2009", [0.5 + 1.5 + (2 + 0), 2.5 + 1.5 + (0 + 0.5 + 0.5)]),
        # 2024: a dummy with the player's own score.
        ("2024", [0.5 + 1.5 + 3.0, 3 + 1.5 + 0.5]),
        # 2026: not more than the forfeiting opponent has, or than all draws.
        ("2026", [0.5 + 1.5 + 1.5, 3 + 1.5 + 0.5]),
    ],
)
def test_rounds_without_a_game(rules: str, expected: list[float]) -> None:
    result = values(standings(WITHDRAWN, criteria="bh", unplayed=rules))
    assert [result[row][0] for row in (0, 1)] == expected


def test_byes_in_buchholz_and_simple_counts() -> None:
    # Requested byes that nothing follows are evaluated as draws (16.3.2).
    gone = chess("A B 1, C U / A Z, B C 1 / A Z, B C 1")
    assert values(standings(gone, criteria="bh", unplayed="2024"))[1][0] == 2.0 + 1.0 + 1.0
    # A voluntary round is cut before a lower score.
    table = standings(WITHDRAWN, criteria="bh,bh-c1,bh-m1", unplayed="2024")
    assert values(table)[1] == [5.0, 4.5, 1.5]
    result = values(standings(WITHDRAWN, criteria="win,won,bpg,bwg,ge,ps,ps-c1,pts,tpn"))
    assert result[0] == [3, 2, 0, 0, 3, 6, 5, 3, 1]
    assert result[2] == [1, 1, 2, 1, 3, 2.5, 2.0, 1.5, 3]
    assert result[1][4] == 2  # B asked for a bye
    # Round robins count forfeits as played.
    robin = chess("A B +, C D = / A C 1, B D 0 / A D =, B C =", system=System.round_robin)
    table = standings(robin, criteria="pts,sb,ks,de")
    assert values(table)[0] == [2.5, 0.5 + 1.0 + 0.5 * 2.0, 0.5, 0.0]


def test_direct_encounters() -> None:
    table = standings(chess("A B 0, C D 1 / A C 1, B D 0 / A D 1, C B 1"), criteria="pts,de")
    # A and C have 2 points, and A beat C; B and D have 1, and D beat B.
    assert (table.order.tolist(), table.place.tolist()) == ([0, 2, 3, 1], [1, 2, 3, 4])
    # Alone at the top whatever the missing games would bring: first; the rest stay tied.
    alone = chess("A B 1, C F / A C 1, B F / A Z, B F, C F / A Z, B Z, C Z", rounds=4)
    table = standings(alone, round_number=4, criteria="pts,de")
    assert [values(table)[row][0] for row in range(3)] == [2, 2, 2]
    assert (table.order.tolist()[0], table.place.tolist()) == (0, [1, 2, 2])


def test_points_other_than_one_and_a_half() -> None:
    table = standings(sample("trf26.trf"), criteria="pts", unplayed="2026")
    points = values(table)
    assert [points[row][0] for row in range(6)] == [7.0, 6.0, 6.0, 3.0, 0.0, 1.0]


def test_ratings_in_tie_breaks() -> None:
    result = values(standings(WITHDRAWN, criteria="aro,tpr,ptp,apro,appo,aro-c1"))
    # A beat B (2100) and C (2200); the forfeit does not count. B lost to A (2000) and
    # C, who drew with D (2300), lost to A and beat B.
    b, c = 2100.0 - 800, round((2300 + 2000 + 2100) / 3)
    assert result[0][:4] == [2150.0, 2950.0, 2200.0 + 736, (b + c) / 2 + 0.5]
    assert (result[0][5], result[3][0]) == (2200.0, 2200.0)


def test_tables_of_fide() -> None:
    assert [table_score(2000 + d, 2000) for d in (0, 3, 4, 92, 735, 736)] == [
        0.5, 0.5, 0.51, 0.63, 0.99, 1.0,
    ]  # fmt: skip
    for difference in range(900):
        both = table_score(2000, 2000 + difference) + table_score(2000 + difference, 2000)
        assert both == pytest.approx(1.0)
    assert average_rating([2000, 2001]) == 2001
    assert performance(0, [2400]) == perfect_performance(0, [2400, 2500]) == 1600
    ratings = [2200.0, 2300.0, 2310.0, 2400.0, 2550.0]
    for score in np.arange(0.5, 5.5, 0.5):
        result = perfect_performance(float(score), ratings)
        below, total = (sum(table_score(result - k, other) for other in ratings) for k in (1, 0))
        assert below < score - 1e-9 <= total + 1e-9
