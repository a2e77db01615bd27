"""Grades, ratings and handicaps in the games: found, coupled to the players, and used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yardstone
from tests.shared import shared_path
from yardstone.errors import InputError
from yardstone.evaluation.backtest import evaluate
from yardstone.pool import Pool
from yardstone.ratings.egf import EGF, Handicap
from yardstone.ratings.grades import DeclaredRatings
from yardstone.records.columns import level_columns
from yardstone.reports.evaluation import verdict

GAMES: dict[str, list[Any]] = {
    "white": ["A", "B", "C"], "black": ["B", "C", "A"], "result": ["W+R", "B+R", "B+2.5"],
}  # fmt: skip
GRADES = {"w_rank": ["3d", "1 kyu", "4K"], "b_rank": ["1k", "4k", "3 dan"]}


def test_grades_belong_to_columns_of_players() -> None:
    for names, first, second, columns in (
        ("white black w_rank b_rank", "white", "black", "w_rank b_rank"),
        ("white black w_rank b_rank", "black", "white", "b_rank w_rank"),
        ("White Black white_grade black_grade", "Black", "White", "black_grade white_grade"),
        ("Player1 Player2 Rank1 Rank2", "Player1", "Player2", "Rank1 Rank2"),
        ("player_a player_b rank_a rank_b", "player_a", "player_b", "rank_a rank_b"),
        ("pb pw br wr", "pb", "pw", "br wr"),
        ("nameblack namewhite blackrank whiterank", "nameblack", "namewhite",
         "blackrank whiterank"),
    ):  # fmt: skip
        result, remark = level_columns(names.split(), first, second)
        assert [result["first_grade"], result["second_grade"]] == columns.split()
        assert not remark
    names = "White Black WhiteElo BlackElo WhiteEloChange new_black_rating BlackEloDev"
    result, _ = level_columns(names.split(), "White", "Black")
    assert result == {"first_rating": "WhiteElo", "second_rating": "BlackElo"}
    result, remark = level_columns(["p1", "p2", "white_rank", "black_rank"], "p1", "p2")
    assert result == {}
    assert "'white_rank', 'black_rank' are not used" in remark


def read(first: str, **columns: Any) -> Pool:
    import pandas

    return yardstone.read(pandas.DataFrame(GAMES | columns), first=first, levels=True)  # type: ignore[arg-type]


def test_newcomers_begin_at_their_grade_which_is_used_once() -> None:
    of_black, of_white = [2000.0, 1700.0, 2300.0], [2300.0, 2000.0, 1700.0]
    for first, sides in (("black", [of_black, of_white]), ("white", [of_white, of_black])):
        pool = read(first, **GRADES)
        np.testing.assert_array_equal(EGF(period="game").entries(pool), np.array(sides).T)
        assert EGF(period="game").replay(pool).first_rating[0] == sides[0][0]
        said = "All players start at the grade or rating of their first game."
        assert EGF().remarks(pool) == (said,)
    columns = {"first_grade": ["1d", "5d"], "second_grade": ["", "1k"]}
    pool = Pool.from_names(["A", "A"], ["B", "B"], [1, 1], columns=columns)
    replay = EGF(period="game", initial=1500.0).replay(pool)
    assert (replay.first_rating[0], replay.second_rating[0]) == (2100.0, 1500.0)
    assert 2100.0 < replay.first_rating[1] < 2200.0


def test_what_is_said() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "No grades are given: everyone starts at 2000 (1k)."),
        ({"w_rank": ["5", "?", "99k"], "b_rank": ["1d", "", "10d"]},
         "3 grades or ratings cannot be read, such as '10d', '5', '99k'."),
        ({"w_rank": ["3d", "1k", "4k"], "b_rank": ["1k", "", ""]},
         "2 of 3 players start at the grade or rating of their first game, the others at 2000"),
        ({"w_rank": ["3d"] * 3, "b_rank": ["3d"] * 3, "w_elo": [900] * 3, "b_elo": [2300] * 3},
         "In 3 games a grade and a rating are more than 400 points apart: the grade was used."),
    ]  # fmt: skip
    for columns, said in cases:
        assert said in " ".join(EGF(initial=2000.0).remarks(read("black", **columns)))


def test_sgf_and_pgn(tmp_path: Path) -> None:
    sgf, pgn = tmp_path / "games.sgf", tmp_path / "games.pgn"
    sgf.write_text("(;PB[A]PW[B]BR[2k]WR[3d]HA[2]AB[pd][dp]RE[B+R];W[dd])")
    pool = yardstone.read(sgf, levels=True)
    assert [str(pool.columns[f"{side}_grade"][0]) for side in ("first", "second")] == ["2k", "3d"]
    assert pool.columns["handicap"][0] == 2
    tags = {"White": "A", "Black": "B", "Result": "1-0", "WhiteElo": "2100", "BlackElo": "1900"}
    pgn.write_text("".join(f'[{name} "{value}"]\n' for name, value in tags.items()))
    pool = yardstone.read(pgn, levels=True)
    np.testing.assert_array_equal(EGF().entries(pool), [[2100.0, 1900.0]])


def test_stones_are_blacks_and_within_reason() -> None:
    given = GRADES | {"handicap": ["0", "2", ""]}
    with pytest.raises(InputError, match=r"handicap stones \(2\) are Black's, and White is first"):
        read("white", **given)
    stones = Handicap().stones(read("black", **given))
    assert stones is not None
    np.testing.assert_allclose(stones, [0.0, 1.5, 0.0])
    for wrong in ("316", "-2", "many"):
        pool = Pool.from_names(["A"], ["B"], [1], columns={"handicap": [wrong]})
        with pytest.raises(InputError, match="handicap"):
            EGF(period="game").replay(pool)
    pool = Pool.from_names(["A"], ["B"], [1], columns={"handicap": [0], "komi": [750.0]})
    with pytest.raises(InputError, match="'komi' holds 750"):
        Handicap(komi_column="komi").stones(pool)


def test_tournaments_of_go_are_predicted_better_from_grades() -> None:
    path = shared_path("data/go/tournaments/games.csv.gz")
    columns = {"first": "black", "second": "white", "score": "result", "time": "begin"}
    pool = yardstone.read(path, columns=columns, first="black", levels=True)
    known = evaluate(pool, ["egf", "elo"], start_levels=True, replicates=10)
    bare = evaluate(pool, ["egf", "elo"], replicates=10)
    accuracy = np.array([result["egf"].value("accuracy") for result in (bare, known)], np.float64)
    np.testing.assert_allclose(accuracy, [0.554, 0.639], atol=0.002)  # of the even games
    assert "egf: No grades are given: everyone starts at 2000 (1k)." in bare.notes
    assert any("with --start-levels these do: egf." in note for note in bare.notes)
    assert "grades to egf" in " ".join(verdict(known))
    assert "grades" not in " ".join(verdict(bare))
    assert any("2,933 of 2,941 players start at the grade" in note for note in known.notes)


def test_a_player_without_a_rating_is_as_strong_as_the_opponent() -> None:
    columns = {"first_rating": ["2400", "", "?"], "second_rating": ["2000", "2100", "-"]}
    pool = Pool.from_names(["A", "A", "C"], ["B", "B", "D"], [1, 1, 0], columns=columns)
    system = DeclaredRatings(first_advantage=20.0)
    expected = system.replay(pool).expected
    np.testing.assert_allclose(expected, 1 / (1 + 10 ** (-np.array([420.0, 320.0, 20.0]) / 400)))
    assert system.remarks(pool)[1] == "2 of 3 games lack a rating: the last one is used."
    with pytest.raises(InputError, match="no game has the ratings"):
        system.remarks(pool.select(np.array([2])))
