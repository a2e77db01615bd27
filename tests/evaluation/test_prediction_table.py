"""Tables of predictions from elsewhere."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from yardstone.errors import InputError
from yardstone.evaluation.prediction import read_predictions


def test_two_columns_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "two.tsv.gz"
    path.write_bytes(gzip.compress(b'\n"the score"\tp\n1\t0.5\n1.0\t0.75\n0\t?\n'))
    table = read_predictions(path, score="The Score", predicted={"mine": "p"})
    assert table.score.tolist() == [1.0, 1.0]
    assert table.predictions[0].expected.tolist() == [0.5, 0.75]
    assert len(table.notes) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("score;p;" + "(;" * 130_000, "130,003 columns, at most 2,000 are read"),
        ("score," + "x" * 140_000 + ",p\n1,2,3\n", "the first line has no names of columns"),
        ("result,p\n1,0.5\n", "there is no column 'score' (the columns are result, p)"),
        (",".join(f"c{n}" for n in range(30)) + "\n", "c18, c19 …)"),
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
