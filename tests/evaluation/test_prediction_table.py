"""Tables of predictions from elsewhere."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from yardstone.errors import InputError, MissingFileError, NoGamesError, UsageError
from yardstone.evaluation.prediction import compare_table, read_predictions


def test_two_columns_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "two.tsv.gz"
    path.write_bytes(gzip.compress(b'\n"the score"\tp\n1\t0.5\n1.0\t0.75\n0\t?\n'))
    table = read_predictions(path, score="The Score", predicted={"mine": "p"})
    assert table.score.tolist() == [1.0, 1.0]
    assert table.predictions[0].expected.tolist() == [0.5, 0.75]
    assert len(table.notes) == 1
    assert "The players are not known" in compare_table(table).notes[-1]


ROWS = """White,Black,result,p,d,one,other,part
a,b,1-0,0.8,0.4,1500,1400,x
b,c,0-1,0,0,1400,1400,y
c,a,1/2-1/2,1,0,1000,1400,x
a,c,*,0.5,0.1,1,1,x
a,c,1-0,1.01,0,1,1,x
a,c,1-0,-0.01,0,1,1,x
a,c,1-0,0.8,0.41,1,1,x
a,c,1-0,0.2,-0.1,1,1,x
a,c,1-0,0.5,0.1,,1,x
"""


def test_rows_that_cannot_be_used_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(ROWS)
    table = read_predictions(
        path,
        score="result",
        predicted={"mine": "p"},
        draws={"mine": "d"},
        ratings={"elo": ("one", "other")},
        players=("White", "Black"),
        group_by="part",
    )
    assert table.score.tolist() == [1.0, 0.0, 0.5]
    mine, elo = table.predictions
    assert (mine.own_draws, elo.own_draws, elo.draw) == (True, False, None)
    assert mine.draw is not None
    assert mine.expected.tolist() == [0.8, 0.0, 1.0]
    assert mine.draw.tolist() == [0.4, 0.0, 0.0]
    assert elo.expected == pytest.approx([1 / (1 + 10**-0.25), 0.5, 1 / 11])
    assert table.first is not None
    assert table.second is not None
    assert (table.first.tolist(), table.second.tolist()) == ([0, 1, 2], [1, 2, 0])
    parts = {part.name: part.games.tolist() for part in table.subsets}
    assert parts == {"part x": [True, False, True], "part y": [False, True, False]}
    assert table.notes == (
        "1 rows were left out: no score of 1, 0.5 or 0 in 'result'.",
        "2 rows were left out: no prediction between 0 and 1 for 'mine'.",
        "2 rows were left out: no probability of a draw that goes with 'mine'.",
        "1 rows were left out: no prediction between 0 and 1 for 'elo'.",
    )
    names = [scored.name for scored in compare_table(table).systems]
    assert set(names) == {"mine", "elo", "50:50"}


@pytest.mark.parametrize(("players", "score"), [(("Black", "w"), [1, 0]), (("w", "black"), [0, 1])])
def test_colours_of_results_are_those_of_the_columns(
    players: tuple[str, str], score: list[float], tmp_path: Path
) -> None:
    path = tmp_path / "go.csv"
    path.write_text("black,w,result,p\na,b,B+3.5,0.5\nb,a,W+R,0.5\n")
    table = read_predictions(path, score="result", predicted={"mine": "p"}, players=players)
    assert table.score.tolist() == score


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("score;p;" + "(;" * 130_000, "130,003 columns, at most 2,000 are read"),
        ("score," + "x" * 140_000 + ",p\n1,2,3\n", "the first line has no names of columns"),
        ("result,p\n1,0.5\n", "there is no column 'score' (the columns are result, p)"),
        (",".join(f"c{n}" for n in range(20)) + "\n", "c18, c19)"),
        (",".join(f"c{n}" for n in range(21)) + "\n", "c18, c19 …)"),
        ("score,p\n1,0.5\n1,0.5,3\n", "Line: 3 Original Line: 1,0.5,3 Expected Number"),
    ],
)
def test_a_table_that_cannot_be_used(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_predictions(path, score="score", predicted={"mine": "p"})
    assert message in str(error.value)
    assert len(str(error.value)) < 1000


def test_wrong_use(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("score,p\n1,2\n")
    for options, error, message in [
        ({}, UsageError, "at least one column"),
        ({"predicted": {"x": "p"}, "ratings": {"x": ("p", "p")}}, UsageError, "a name of its own"),
        ({"predicted": {"x": "p"}, "draws": {"y": "p"}}, UsageError, "draws for 'y'"),
        ({"predicted": {"x": "p"}}, NoGamesError, "no row has a score"),
    ]:
        with pytest.raises(error, match=message):
            read_predictions(path, score="score", **options)  # type: ignore[arg-type]
    gone: Any = tmp_path / "gone.csv"
    with pytest.raises(MissingFileError):
        read_predictions(gone, score="score", predicted={"x": "p"})
