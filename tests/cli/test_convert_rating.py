from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from yardstone.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(["convert", "rating", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_a_grade_has_a_value_and_a_range(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "2d", "--to", "egf").splitlines()[1].split() == [
        "2d", "grade", "2d", "2200", "2150", "to", "2250",
    ]  # fmt: skip
    result = json.loads(run(capsys, "1850", "--from", "ogs", "--to", "egf", "--format", "json"))
    assert result[0]["grade"] == "1k"
    assert result[0]["values"]["egf"] == pytest.approx(1966, abs=0.5)
    assert result[0]["ranges"]["egf"] == [1950, 2050]


def test_several_values_on_all_scales(capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "2d", "12k", "3p", "25k", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["grade"] for row in rows] == ["2d", "12k", "3p", "25k"]
    assert float(rows[2]["egf"]) == 2760
    assert rows[2]["ogs"] == rows[3]["goldis"] == ""
    assert run(capsys, "--from", "egf", "--to", "grade", "--", "-500").split()[-1] == "-26.00"


def test_the_list_of_scales(capsys: pytest.CaptureFixture[str]) -> None:
    scales = json.loads(run(capsys, "--list", "--format", "json"))
    assert [scale["scale"] for scale in scales][:3] == ["grade", "egf", "ogs"]
    assert scales[1]["lowest"] == -900


def test_a_column_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = "Name;Rating;Club\nAnn;2215;Kyōto\nBob;4k;\nEve;;Ulm\nIda;strong;Ulm\n\nJon;9999;\n"
    (tmp_path / "players.csv.gz").write_bytes(gzip.compress(table.encode()))
    out = tmp_path / "out.csv"
    arguments = [tmp_path / "players.csv.gz", "--column", "rating", "--from", "egf", "--to", "ogs"]
    assert main(["convert", "rating", *map(str, arguments), "-o", str(out)]) == 0
    said = capsys.readouterr().err
    assert "2 records were skipped" in said
    assert "players.csv.gz:5: 'strong' is neither a grade nor a number" in said
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["Name"] for row in rows] == ["Ann", "Bob", "Eve", "Ida", "Jon"]
    assert [row["Rating"] for row in rows] == ["2215", "4k", "", "strong", "9999"]
    assert rows[0]["Club"] == "Kyōto"
    assert [row["Rating_grade"] for row in rows] == ["2d", "4k", "", "", ""]
    assert float(rows[1]["Rating_ogs"]) == pytest.approx(1649.3, abs=0.1)
    assert rows[2]["Rating_ogs"] == ""
    assert main(["convert", "rating", *map(str, arguments), "--strict"]) == 1
    assert ":5: 'strong'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["1850"], 2, "say on which scale with --from"),
        (["2d", "--to", "egff"], 2, "did you mean 'egf'"),
        (["2d", "--from", "fide"], 2, "no scale 'fide'"),
        (["25k", "--to", "goldis"], 2, "outside the scale goldis, which reaches from 19k to 10d"),
        (["3200", "--from", "egf"], 2, "from 30k to 9d (-900 to 2900)"),
        (["0", "--from", "ogs"], 2, "not a rating on the scale ogs"),
        (["1e999", "--from", "egf"], 2, "not a rating"),
        (["strong"], 1, "neither a grade nor a number"),
        (["3p", "--to", "ogs"], 2, "professional ranks have ratings on egf and goldis"),
        (["5.2k", "--from", "ogs"], 2, "decimals of OGS"),
        ([], 2, "give a grade"),
        (["--list", "2d"], 2, "stands alone"),
        (["missing.csv", "--column", "rating"], 1, "missing.csv"),
        (["a", "b", "--column", "rating"], 2, "takes one table"),
    ],
)
def test_wrong_usage(
    arguments: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", "rating", *arguments]) == status
    said = capsys.readouterr().err
    assert said.startswith("yardstone: error: ")
    assert message in said


def test_tables_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content, message in (
        ("", "no rows"),
        ("name,rating\n", "no rows"),
        ("name,level\nAnn,2d\n", "no column 'rating'"),
        ("name,rating\nAnn,x\nBob,y\n", "neither a grade"),
    ):
        path = tmp_path / "table.csv"
        path.write_text(content)
        assert main(["convert", "rating", str(path), "--column", "rating"]) == 1
        assert message in capsys.readouterr().err


def test_games_are_converted_as_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "a.csv").write_text("white,black,result\nAnn,Bob,1-0\n")
    assert main(["convert", "games", "--to", "csv", "-q"]) == 0
    assert "Ann,Bob" in capsys.readouterr().out
