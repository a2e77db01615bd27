"""What a caller says of a table: which columns, which results, who moves first."""

from __future__ import annotations

import io
from typing import Any

import pytest

import yardstone
from tests.records.pools import games
from yardstone.errors import InputError, SkippedWarning, UsageError, YardstoneError
from yardstone.pool import Pool

pytestmark = pytest.mark.usefixtures("one_database")


def read(text: str, **options: Any) -> Pool:
    import pandas as pd

    frame = pd.read_csv(io.StringIO(text.strip()), dtype=str, keep_default_na=False)
    return yardstone.read(frame, **options)


WORDS = [
    ("H D A", "home away"), ("home draw away", "home_team away_team"), ("1 X 2", "home away"),
    ("W t L", "team1 team2"), ("win draw loss", "a b"), ("Won Tied Lost", "home away"),
    ("2-1 1-1 0-3", "home away"), ("1-0 ½-½ 0-1", "white black"), ("1 ½ 0", "white black"),
    ("1 0,5 0", "white black"), ("1.0 0.5 0.0", "white black"), ("W D B", "white black"),
    ("white draw black", "white black"), ("model_a tie model_b", "model_a model_b"),
    ("A tie B", "model_a model_b"), ("player1 draw player2", "player1 player2"),
]  # fmt: skip


def test_results_as_people_write_them() -> None:
    for number, (values, columns) in enumerate(WORDS):
        first, second = columns.split()
        words = map((str, str.upper, str.lower)[number % 3], values.split())
        text = '{},{},result\nA,B,"{}"\nB,C,"{}"\nC,A,"{}"\n'.format(first, second, *words)
        pool = read(text, columns={"first": first, "second": second, "score": "result"})
        assert games(pool) == [("A", "B", 1), ("B", "C", 0.5), ("C", "A", 0)], values


HOME, GO = "home,away,result\n", "white,black,komi,result\nA,B,6.5,1-0\nB,C,6.5,0-1\n"
BLACK = {"first": "black", "second": "white"}
SIDES = {"first": "home", "second": "away", "first_score": "hg", "second_score": "ag"}
WINS = {"first": "a", "second": "b", "first_score": "wins_a", "second_score": "wins_b"}
PLAYER = {"first": "player", "second": "opponent", "first_score": "result"}
COLOUR = "player,opponent,color,result\nA,B,white,1-0\nB,A,black,1-0\nA,C,w,1-0\n"
TOLD: list[tuple[str, dict[str, Any], str]] = [
    (HOME + "A,B,1\nB,C,0\nC,A,2\n", {"results": "1=win,0=draw,2=loss"}, "AB1 BC0.5 CA0"),
    (HOME + "A,B,1\nB,C,0\nC,A,2\n", {"results": {"2": 1, 1: 0.5, "0": 0}}, "AB0.5 BC0 CA1"),
    (HOME + "A,B,-3\nB,C,7\nC,A,14\n", {"columns": {"margin": "result"}}, "AB0 BC1 CA1"),
    (GO, {"first": "black"}, "BA1 CB0"), (GO, {"first": "white"}, "AB1 BC0"),
    (GO, {"columns": {**BLACK, "first_score": "result"}}, "BA1 CB0"),
    (GO, {"columns": {**BLACK, "second_score": "result"}}, "BA0 CB1"),
    ("away,home,score\nA,B,3-5\nB,C,2-1\n", {"columns": {"second_score": "score"}}, "BA1 CB0"),
    ("team1,team2,winner\nA,B,A\nB,C,\nC,A,A\nB,A,B\n", {"results": "=draw"},
     "AB1 BC0.5 CA0 BA1"),
    ("home,away,hg,ag\nA,B,2,1\nB,A,0,0\n", {"columns": SIDES}, "AB1 BA0.5"),
    ("a,b,wins_a,draws,wins_b\nA,B,5,3,2\nB,C,1,4,6\n", {"columns": WINS}, "AB1 BC0"),
    ("a,b,score\nA,B,12.5-7.5\nB,C,9-11\n", {"results": "12.5-7.5=win"}, "AB1 BC0"),
    (COLOUR, {"first": "white"}, "AB1 AB1 AC1"), (COLOUR, {"columns": PLAYER}, "AB1 AB0 AC1"),
    ("winner,loser,winner_color\nA,B,white\nB,A,black\n", {}, "AB1 AB0"),
]  # fmt: skip


def test_what_the_questions_tell_the_caller_to_say_is_understood() -> None:
    for text, options, wanted in TOLD:
        read_as = [f"{a}{b}{score:g}" for a, b, score in games(read(text, **options))]
        assert " ".join(read_as) == wanted, (text, options)
    with pytest.warns(SkippedWarning, match="1 no result"):
        blank = read(TOLD[8][0], skip_unread=True)
    assert blank.score.tolist() == [1, 0, 1]


def test_colour() -> None:
    """The winner is never turned round, whatever is called first."""
    text = "white,black,result\nA,B,B+R\nA,B,B+2.5\nB,A,W+R\n"
    named = {**BLACK, "score": "result"}
    for options in ({}, {"columns": named}, {"first": "white"}, {"first": "black"}):
        pool = read(text, **options)
        won = [(a, b, s) if s == 1.0 else (b, a, 1.0 - s) for a, b, s in games(pool)]
        assert won == [("B", "A", 1.0)] * 3
    with pytest.raises(UsageError, match="first is white, but the column named first is 'black'"):
        read(text, columns=named, first="white")
    with pytest.raises(InputError, match="in Go Black moves first"):
        read(text, columns={"first": "white", "second": "black"})
    with pytest.raises(InputError) as caught:
        read(COLOUR)
    assert "first_score=result" in str(caught.value.hint)
    assert not read("player,opponent,color,result\nA,B,red,W\nB,C,green,L\n").ordered
    assert not read("winner,loser,winner_color\nA,B,white\nB,A,black\n").ordered


def test_unread_values() -> None:
    rows = HOME + "A,B,1-0\nA,B,0-1\n" * 500
    odd = rows + "A,B,\x1b[31mabandonné\n" + "A,B,W/L/W\n" * 20
    with pytest.raises(InputError, match=r"'W/L/W' \(20\).*skip_unread") as caught:
        read(odd)
    assert "\x1b" not in str(caught.value)
    with pytest.warns(SkippedWarning, match="21 records were skipped"):
        assert len(read(odd, skip_unread=True)) == 1000
    many = rows + "".join(f"A,B,r{k}{'x' * 500}\n" for k in range(500))
    with pytest.raises(InputError, match="500 of 1,500 records cannot be read") as caught:
        read(many)
    assert len(str(caught.value)) < 1000


def test_columns_that_are_not_there() -> None:
    both = {"first": "home", "second": "home"}
    refused: list[tuple[Any, str]] = [
        ({"White": "home"}, "did you mean first or second"), ({"date": "day"}, "did you mean time"),
        (both, "named for both 'first' and 'second'"), (["nonsense"], "no column 'nonsense'"),
        ({"first": "hom"}, "no column 'hom', only home, away, result, day .*mean 'home'"),
    ]  # fmt: skip
    for columns, message in refused:
        with pytest.raises(YardstoneError, match=message):
            read("home,away,result,day\nA,B,1-0,2020-01-01\n", columns=columns)


WON = {"first": "winner", "second": "loser", "score": "result"}
CONTRADICTIONS = [
    ("white,black,result,winner\nA,B,1-0,A\nB,A,0-1,B\nA,C,1-0,A\n",
     "1 of 3 rows .*line 2: result: '0-1' but winner: 'B'", {"score": "winner"}, [1, 1, 1]),
    ("home,away,FTR,FTHG,FTAG\nA,B,H,2,1\nB,A,A,2,1\nA,C,D,1,1\n",
     "FTR: 'A' but FTHG and FTAG: '2 and 1'", {"score": "FTR"}, [1, 0, 0.5]),
    ("home,away,winner,home_goals,away_goals\nA,B,A,2,1\nA,B,A,1,1\nB,A,B,2,1\n",
     "winner: 'A' but home_goals and away_goals: '1 and 1'", {"score": "winner"}, [1, 1, 1]),
    ("winner,loser,result\nA,B,1-0\nB,A,0-1\nA,C,0-1\n",
     "2 of 3 rows .*winner: 'B' but result: '0-1'", WON, [1, 0, 0]),
]  # fmt: skip


def test_contradictions() -> None:
    for text, message, columns, scores in CONTRADICTIONS:
        with pytest.raises(InputError, match=message) as caught:
            read(text)
        named = ",".join(f"{key}={name}" for key, name in columns.items())
        assert named[-12:] in str(caught.value.hint)
        assert read(text, columns=columns).score.tolist() == scores
        head, *rows = text.splitlines()
        many = "\n".join([head, rows[1], *[rows[0]] * 30])
        with pytest.warns(SkippedWarning, match="was skipped: 1 columns contradict each other"):
            assert len(read(many)) == 30
        with pytest.raises(InputError, match="contradict"):
            read(many, strict=True)


def test_a_side_that_is_not_told() -> None:
    text = "player1,player2,color,winner\nA,B,w,A\nB,A,b,A\n"
    named = {"first": "player1", "second": "player2"}
    with pytest.raises(InputError) as caught:
        read(text)
    assert "first=player1,second=player2" in str(caught.value.hint)
    assert games(read(text, columns=named)) == [("A", "B", 1), ("A", "B", 1)]
    assert games(read(text, columns=["color"])) == [("A", "B", 1), ("B", "A", 0)]
    head, rows = "player1,player2,white,winner\n", "A,B,B,A\n" * 30
    few = read(head + rows + "A,B,,A\n")
    assert games(few)[-2:] == [("B", "A", 0), ("A", "B", 1)]
    assert "who moved first in 1 of 31 games: there 'player1' is" in few.skipped.doubts[0]
    many = read(head + rows + "A,B,,A\n" * 2)
    assert not many.ordered
    assert "in 2 of 32 games: it is not used" in many.skipped.doubts[0]


def test_further_columns() -> None:
    wanted: list[tuple[Any, str]] = [({"place": "venue"}, "place"), (["venue"], "venue")]
    for columns, name in (*wanted, ("all", "venue")):
        pool = read("home,away,result,venue\nA,B,1-0,Rome\n", columns=columns)
        assert {key: column.tolist() for key, column in pool.columns.items()} == {name: ["Rome"]}
    weighed = read("white,black,result,weight\nA,B,1-0,0.5\nA,B,0-1,1\n", columns=["weight"])
    assert weighed.columns["weight"].tolist() == ["0.5", "1"]
    text = "player,opponent,color,result,elo,opp_elo\nA,B,white,W,1,2\nB,A,black,W,2,1\n"
    named = {"first_rating": "elo", "second_rating": "opp_elo"}
    pool, kept = read(text, columns=named), read(text, columns="all")
    assert games(pool) == games(kept) == [("A", "B", 1), ("A", "B", 0)]
    assert [pool.columns[name].tolist() for name in named] == [["1", "1"], ["2", "2"]]
    assert kept.columns["player"].tolist() == ["A", "B"]  # whose elo it is
    assert kept.columns["elo"].tolist() == ["1", "2"]
    with pytest.raises(InputError, match="'first_rating' alone is known of one player"):
        read(text, columns={"first_rating": "elo"})
