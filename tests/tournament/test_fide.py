"""FIDE's tie-breaks and tables: published solutions, its own server, and cases by hand."""

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
    assert rules_for(None) == "2026"
    names = ["none", "2009", "2024", "2026"]
    for number, day in enumerate((date(2009, 7, 1), date(2023, 9, 1), date(2026, 3, 1)), 1):
        before = date.fromordinal(day.toordinal() - 1)
        assert [rules_for(before), rules_for(day)] == names[number - 1 : number + 1]


RESULTS = {"1": Result.first_wins, "=": Result.draw, "0": Result.second_wins,
           "+": Result.first_wins, "h": Result.first_half, "?": Result.unknown}  # fmt: skip
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
    players = tuple(Player(name=n, rating=2000.0 + 100 * k) for k, n in enumerate(names))
    return Tournament(
        rounds=rounds, discipline="chess", system=system, players=players, games=tuple(games),
        byes=tuple(byes), scoring=Scoring(round_down=False),
    )  # fmt: skip


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
    # Round robins count forfeits as played; of three players each has two opponents.
    robin = chess("A B +, C D = / A C 1, B D 0 / A D =, B C =", system=System.round_robin)
    table = standings(robin, criteria="pts,sb,ks,de")
    assert values(table)[0] == [2.5, 0.5 + 1.0 + 0.5 * 2.0, 0.5, 0.0]
    three = chess("A B 1, C Z / A C =, B Z / B C 1, A Z", system=System.round_robin)
    assert values(standings(three, criteria="pts,ks")) == {0: [1.5, 1], 1: [1, 0], 2: [0.5, 0.5]}


def test_direct_encounters() -> None:
    table = standings(chess("A B 0, C D 1 / A C 1, B D 0 / A D 1, C B 1"), criteria="pts,de")
    # A and C have 2 points, and A beat C; B and D have 1, and D beat B.
    assert (table.order.tolist(), table.place.tolist()) == ([0, 2, 3, 1], [1, 2, 3, 4])
    # Of two encounters the mean counts: A has 0.5 against B and C, B 1.5, and C 1.
    again = chess("A B 1, C U / B A 1, C Z / C A 1, B D 0 / B C 1, A D 1", rounds=4)
    assert standings(again, round_number=4, criteria="pts,de").order.tolist() == [1, 2, 0, 3]
    # Alone at the top whatever the missing games would bring: first; the rest stay tied.
    alone = chess("A B 1, C F / A C 1, B F / A Z, B F, C F / A Z, B Z, C Z", rounds=4)
    table = standings(alone, round_number=4, criteria="pts,de")
    assert [values(table)[row][0] for row in range(3)] == [2, 2, 2]
    assert (table.order.tolist()[0], table.place.tolist()) == (0, [1, 2, 2])


def test_points_of_other_kinds() -> None:
    """Three for a win; points by decision count from their round on; open games as draws."""
    points = {1: [3, 3, 3, 0, 0, 0], 2: [6, 3, 5, 3, -1, 1], 4: [7, 7, 6, 3, 0, 1]}
    for number, expected in points.items():
        table = standings(sample("trf26.trf"), round_number=number, criteria="pts", everybody=True)
        assert [values(table)[row][0] for row in range(6)] == expected
    odd = chess("A B ?, C D h / A C 1, B D +")
    assert values(standings(odd, round_number=2, criteria="pts")) == {
        0: [1.5], 1: [1.5], 2: [0.5], 3: [0.0],
    }  # fmt: skip


def test_ratings_in_tie_breaks() -> None:
    result = values(standings(WITHDRAWN, criteria="aro,tpr,ptp,apro,appo,aro-c1"))
    # A beat B (2100) and C (2200); the forfeit does not count. B lost to A (2000) and
    # C, who drew with D (2300), lost to A and beat B.
    b, c = 2100.0 - 800, round((2300 + 2000 + 2100) / 3)
    assert result[0][:4] == [2150.0, 2950.0, 2200.0 + 736, (b + c) / 2 + 0.5]
    assert (result[0][5], result[3][0]) == (2200.0, 2200.0)


#: FIDE's rating regulations, 8.1: the largest differences at which the stronger one is expected to
#: score 50 %, 51 % and so on, and the differences of performances of 50 % to 100 %.
LARGEST = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162,
    170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374,
    391, 411, 432, 456, 484, 517, 559, 619, 735, 1000,
)  # fmt: skip
PERFORMANCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
)  # fmt: skip


def test_tables_of_fide() -> None:
    least = 0
    for share, (largest, gain) in enumerate(zip(LARGEST, PERFORMANCES, strict=True), 50):
        for difference in (least, largest):
            assert table_score(2000 + difference, 2000) == share / 100
            assert difference == 0 or table_score(2000, 2000 + difference) == (100 - share) / 100
        assert performance(share, [2000.0] * 100) == 2000 + gain
        assert performance(100 - share, [2000.0] * 100) == 2000 - gain
        least = largest + 1
    assert [average_rating(both) for both in ([2000, 2001], [2000, 2000, 2001])] == [2001, 2000]
    assert performance(0, [2400]) == perfect_performance(0, [2400, 2500]) == 1600
    assert performance(1.5, [2400, 2400, 2400, 2400]) == 2400 - 87  # 37.5 % is taken as 38 %
    ratings = [2200.0, 2300.0, 2310.0, 2400.0, 2550.0]
    for score in np.arange(0.5, 5.5, 0.5):
        result = perfect_performance(float(score), ratings)
        below, total = (sum(table_score(result - k, other) for other in ratings) for k in (1, 0))
        assert below < score - 1e-9 <= total + 1e-9
