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
from yardstone.cli.main import main
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
    assert "kept          178          of 180 games" in out
    assert "games judged by the network" in out
    assert "Log-likelihood less that of Glicko-2 (95 %)" in out
    assert "Exhibition set" in out
    assert "Label from" in out
    assert "Slope: 1 is right" in out
    assert [line.partition(":")[0] for line in err.splitlines()][::2] == [
        "games", "winners", "features", "sets", "labels", "moves", "pooled", "predictions",
    ]  # fmt: skip
    work = file.parent / "work"
    assert (work / "table.txt").read_text() == out
    pictures = {path.name for path in (work / "figures").iterdir()}
    assert {"scores-glicko-2.svg", "ratings-glicko-2.svg", "ratings-pooled.svg"} <= pictures
    assert all((work / "figures" / name).read_text().endswith("</svg>\n") for name in pictures)

    out, err = run(capsys, "run", file, "--format", "json", "--no-figures", "--quiet")
    assert err == ""
    result = json.loads(out)
    assert result["filters"]["kept"] == 178
    assert result["sets"] == {"T": 30, "V": 20, "E": 20, "X": result["sets"]["X"]}
    assert {cell["set"] for cell in result["cells"]} == set("TVEX")
    table = tmp_path / "table.csv"
    run(capsys, "run", file, "--format", "csv", "-o", table, "--no-figures", "-q")
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert len(rows) == len(result["cells"])
    assert {row["system"] for row in rows} == set(result["systems"])
    lines = (work / "predictions.csv").read_text().splitlines()
    assert lines[0].startswith("set,games_seen,game,time,black,white,score,black_label")


def test_describe(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "run", file, "--workers", "1", "--no-figures", "-q")
    folder = tmp_path / "pictures"
    out, _ = run(capsys, "describe", file, "-o", folder, "--type", "png", "--classes", "1500,1600")
    assert {Path(line).stem for line in out.splitlines()} == PICTURES
    assert all((folder / f"{name}.png").read_bytes()[:4] == b"\x89PNG" for name in PICTURES)

    store = file.parent / "work" / "features" / "store"
    out, _ = run(capsys, "describe", store, "-o", tmp_path / "store")
    assert {Path(line).stem for line in out.splitlines()} == {"points", "winrates", "lengths"}
    assert "no rank" in (tmp_path / "store" / "points.svg").read_text()

    out, _ = run(capsys, "describe", file.parent / "results.tsv", "-o", tmp_path / "results")
    assert {Path(line).stem for line in out.splitlines()} == {"labels", "deviations", "settling"}


def test_what_cannot_be_described(file: Path, tmp_path: Path) -> None:
    def refused(*arguments: str | Path) -> None:
        application("strength")(
            args=["describe", *map(str, arguments), "-o", str(tmp_path)],
            prog_name="strength",
            standalone_mode=False,
        )

    fresh = tmp_path / "fresh"
    fresh.mkdir()
    with pytest.raises(InputError, match="not been run so far: there is no stage 'winners'"):
        refused(write_experiment(fresh, tmp_path / "net", models=False))
    with pytest.raises(UsageError, match="one experiment at a time"):
        refused(file, file)
    with pytest.raises(UsageError, match="svg, png or pdf"):
        refused(file, "--type", "gif")
    with pytest.raises(UsageError, match="must be numbers"):
        refused(file, "--classes", "strong")
    with pytest.raises(UsageError, match="must rise"):
        refused(file.parent / "results.tsv", "--classes", "1600,1500")
    with pytest.raises(InputError, match="no such file"):
        refused(tmp_path / "none.csv")


def test_errors_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("[games]\nrecords = 7\n")
    assert main(["strength", "run", str(path)]) == 1
    error = capsys.readouterr().err
    assert error == f"yardstone: error: {path}: games.records is 7; it must be a list of texts\n"
