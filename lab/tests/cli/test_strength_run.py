"""`yardstone strength run` and `describe`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from lab.tests.strength.made_experiment import write_experiment, write_games
from tests.go.games import small_network
from yardstone.cli.commands import application
from yardstone.errors import InputError, UsageError

PICTURES = {"labels", "points", "winrates", "deviations", "settling", "lengths"}


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[str, str]:
    application("strength")(
        args=[str(a) for a in arguments], prog_name="strength", standalone_mode=False
    )
    return capsys.readouterr()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment whose pool is made of games of one small network."""
    folder = tmp_path_factory.mktemp("run")
    write_games(folder)
    return write_experiment(folder, small_network(folder), models=False)


def test_run(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = run(capsys, "run", file, "--workers", "1")
    for words in ("kept          178          of 180 games", "Exhibition set", "Label from"):
        assert words in out
    assert [line.partition(":")[0] for line in err.splitlines()][::2] == [
        "games", "winners", "features", "sets", "labels", "moves", "pooled", "predictions",
    ]  # fmt: skip
    work = file.parent / "work"
    assert (work / "table.txt").read_text() == out
    pictures = {path.name for path in (work / "figures").iterdir()}
    assert {"scores-glicko-2.svg", "ratings-glicko-2.svg", "ratings-pooled.svg"} <= pictures
    out, err = run(capsys, "run", file, "--format", "json", "--no-figures", "--quiet")
    assert err == ""
    result = json.loads(out)
    assert result["sets"] == {"T": 30, "V": 20, "E": 20, "X": result["sets"]["X"]}
    assert {cell["set"] for cell in result["cells"]} == set("TVEX")
    table = tmp_path / "table.csv"
    run(capsys, "run", file, "--format", "csv", "-o", table, "--no-figures", "-q")
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert len(rows) == len(result["cells"])
    assert {row["system"] for row in rows} == set(result["systems"])


def test_describe(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "run", file, "--workers", "1", "--no-figures", "-q")
    store, results = file.parent / "work" / "features" / "store", file.parent / "results.tsv"
    for source, options, names in (
        (file, ("--type", "png", "--classes", "1500,1600"), PICTURES),
        (store, (), {"points", "winrates", "lengths"}),
        (results, (), {"labels", "deviations", "settling"}),
    ):
        folder = tmp_path / source.name
        out, _ = run(capsys, "describe", source, "-o", folder, *options)
        assert {Path(line).stem for line in out.splitlines()} == names
    pictures = [(tmp_path / file.name / f"{name}.png").read_bytes() for name in PICTURES]
    assert {picture[:4] for picture in pictures} == {b"\x89PNG"}
    assert "no rank" in (tmp_path / "store" / "points.svg").read_text()


def test_what_cannot_be_described(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh = write_experiment(tmp_path, tmp_path / "net", models=False)
    for arguments, error, words in (
        ([fresh], InputError, "not been run so far: there is no stage 'winners'"),
        ([file, file], UsageError, "one experiment at a time"),
        ([file, "--type", "gif"], UsageError, "svg, png or pdf"),
        ([file, "--classes", "strong"], UsageError, "must be numbers"),
        ([file.parent / "results.tsv", "--classes", "1600,1500"], UsageError, "must rise"),
        ([tmp_path / "none.csv"], InputError, "no such file"),
    ):
        with pytest.raises(error, match=words):
            run(capsys, "describe", *arguments, "-o", tmp_path)
