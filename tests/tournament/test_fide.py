from __future__ import annotations

import json
from datetime import date

import numpy as np
import pytest

from tests.tournament.samples import DATA, sample
from tests.tournament.test_standings import values
from yardstone.tournament.fide import (
    average_rating,
    perfect_performance,
    performance,
    rules_for,
    table_score,
)
from yardstone.tournament.model import Bye, ByeKind, Game, Player, Result, System, Tournament
from yardstone.tournament.rules import Scoring
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
    table = standings(result, criteria=list(reference), unplayed=rules, everybody=True)
    ours = values(table)
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


def chess(entries: str, *, rounds: int, system: System = System.swiss) -> Tournament:
    """A tournament from lines ``white black result``, byes being ``player - letter``."""
    games, byes, names = (
        [],
        [],
        sorted({w for line in entries.split("\n") for w in line.split()[1:3] if w.isalpha()}),
    )
    rows = {name: row for row, name in enumerate(names)}
    results = {"1": Result.first_wins, "=": Result.draw, "0": Result.second_wins,
               "+": Result.first_wins, "-": Result.second_wins, "n": Result.both_lose}  # fmt: skip
    kinds = {"U": ByeKind.paired, "H": ByeKind.half, "Z": ByeKind.zero, "F": ByeKind.full}
    for line in entries.strip().split("\n"):
        number, one, two, mark = line.split()
        if two == "-":
            byes.append(Bye(int(number), rows[one], kinds[mark]))
        else:
            forfeit = mark in "+-n"
            games.append(Game(round=int(number), first=rows[one], second=rows[two],
                              result=results[mark], forfeit=forfeit))  # fmt: skip
    return Tournament(
        rounds=rounds,
        discipline="chess",
        system=system,
        players=tuple(Player(name=n, rating=2000.0 + 100 * k) for k, n in enumerate(names)),
        games=tuple(games),
        byes=tuple(byes),
        scoring=Scoring(round_down=False),
    )


WITHDRAWN = """1 A B 1
1 C D =
2 A C 1
2 B - H
2 D - U
3 A D +
3 B C 0"""


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        # A: 3 points; met B (half from a bye, then a loss), C, and D by forfeit.
        ("none", {"A": 0.5 + 1.5 + 1.5, "B": 3 + 1.5}),
        # 2009: unplayed rounds of opponents are draws; A's forfeit against a virtual opponent.
        ("2009", {"A": 0.5 + 1.5 + (2 + 0), "B": 2.5 + 1.5 + (0 + 0.5 + 0.5)}),
        # 2024: a dummy with the player's own score.
        ("2024", {"A": 0.5 + 1.5 + 3.0, "B": 3 + 1.5 + 0.5}),
        # 2026: not more than the forfeiting opponent has, or than all draws.
        ("2026", {"A": 0.5 + 1.5 + 1.5, "B": 3 + 1.5 + 0.5}),
    ],
)
def test_rounds_without_a_game(rules: str, expected: dict[str, float]) -> None:
    result = values(standings(chess(WITHDRAWN, rounds=3), criteria="bh", unplayed=rules))
    assert {"A": result[0][0], "B": result[1][0]} == expected


def test_absence_at_the_end_counts_as_draws_for_opponents() -> None:
    """Requested byes that nothing follows are evaluated as draws (16.3.2)."""
    gone = chess("1 A B 1\n2 A - Z\n3 A - Z\n2 B C 1\n1 C - U\n3 B C 1", rounds=3)
    assert values(standings(gone, criteria="bh", unplayed="2024"))[1][0] == 2.0 + 1.0 + 1.0


def test_a_voluntary_round_is_cut_before_a_lower_score() -> None:
    table = standings(chess(WITHDRAWN, rounds=3), criteria="bh,bh-c1,bh-m1", unplayed="2024")
    assert values(table)[1] == [5.0, 4.5, 1.5]


def test_simple_counts_of_chess() -> None:
    names = "win,won,bpg,bwg,ge,ps,ps-c1,pts,tpn"
    result = values(standings(chess(WITHDRAWN, rounds=3), criteria=names))
    assert result[0] == [3, 2, 0, 0, 3, 6, 5, 3, 1]
    assert result[2] == [1, 1, 2, 1, 3, 2.5, 2.0, 1.5, 3]
    assert result[1][4] == 2  # B asked for a bye


def test_round_robins_count_forfeits_as_played() -> None:
    lines = "1 A B +\n1 C D =\n2 A C 1\n2 B D 0\n3 A D =\n3 B C ="
    result = values(
        standings(chess(lines, rounds=3, system=System.round_robin), criteria="pts,sb,ks,de")
    )
    assert result[0] == [2.5, 0.5 + 1.0 + 0.5 * 2.0, 0.5, 0.0]


def test_direct_encounters() -> None:
    tied = chess("1 A B 0\n1 C D 1\n2 A C 1\n2 B D 0\n3 A D 1\n3 C B 1", rounds=3)
    table = standings(tied, criteria="pts,de")
    # A and C have 2 points, and A beat C; B and D have 1, and D beat B.
    assert table.order.tolist() == [0, 2, 3, 1]
    assert table.place.tolist() == [1, 2, 3, 4]


def test_direct_encounters_with_games_missing() -> None:
    """Alone at the top whatever the missing games would bring: first; the rest stay tied."""
    alone = chess("1 A B 1\n2 A C 1\n1 C - F\n2 B - F\n3 A - Z\n3 B - F\n3 C - F\n4 A - Z"
                  "\n4 B - Z\n4 C - Z", rounds=4)  # fmt: skip
    table = standings(alone, round_number=4, criteria="pts,de")
    assert [values(table)[row][0] for row in range(3)] == [2, 2, 2]
    assert table.order.tolist()[0] == 0
    assert table.place.tolist() == [1, 2, 2]


def test_points_other_than_one_and_a_half() -> None:
    result = sample("trf26.trf")
    table = standings(result, criteria="pts", unplayed="2026")
    assert {result.players[r].name: v[0] for r, v in values(table).items()} == {
        "Aas": 7.0, "Bakke": 6.0, "Dahl": 6.0, "Eide": 3.0, "Foss": 0.0, "Gran": 1.0,
    }  # fmt: skip


def test_ratings_in_tie_breaks() -> None:
    names = "aro,tpr,ptp,apro,appo,aro-c1"
    result = values(standings(chess(WITHDRAWN, rounds=3), criteria=names))
    # A beat B (2100) and C (2200); the forfeit does not count. B lost to A (2000) and
    # C, who drew with D (2300), lost to A and beat B.
    assert result[0][:3] == [2150.0, 2950.0, 2200.0 + 736]
    b, c = 2100.0 - 800, round((2300 + 2000 + 2100) / 3)
    assert result[0][3] == (b + c) / 2 + 0.5
    assert result[0][5] == 2200.0
    assert result[3][0] == 2200.0


def test_tables_of_fide() -> None:
    assert [table_score(2000 + d, 2000) for d in (0, 3, 4, 92, 735, 736)] == [
        0.5, 0.5, 0.51, 0.63, 0.99, 1.0,
    ]  # fmt: skip
    for difference in range(900):
        both = table_score(2000, 2000 + difference) + table_score(2000 + difference, 2000)
        assert both == pytest.approx(1.0)
    assert average_rating([2000, 2001]) == 2001
    assert performance(0, [2400]) == 1600
    assert perfect_performance(0, [2400, 2500]) == 1600
    for score in np.arange(0.5, 5.5, 0.5):
        ratings = [2200.0, 2300.0, 2310.0, 2400.0, 2550.0]
        result = perfect_performance(float(score), ratings)
        total = sum(table_score(result, other) for other in ratings)
        below = sum(table_score(result - 1, other) for other in ratings)
        assert below < score - 1e-9 <= total + 1e-9
