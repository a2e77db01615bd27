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
    words = [str(each) for each in arguments]
    application("strength")(args=words, prog_name="strength", standalone_mode=False)
    return capsys.readouterr()


def test_an_experiment_is_run_and_described(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    write_games(folder)
    file = write_experiment(folder, small_network(folder), models=False)
    out, err = run(capsys, "run", file, "--workers", "1")
    for words in ("kept          178          of 180 games", "Exhibition set", "Label from"):
        assert words in out
    stages = "games winners features sets labels moves pooled predictions".split()
    told = dict.fromkeys(line.partition(":")[0] for line in err.splitlines())
    assert [name for name in told if name in stages] == stages  # a slow machine tells more
    work = folder / "work"
    assert (work / "table.txt").read_text() == out
    pictures = {path.name for path in (work / "figures").iterdir()}
    assert {"scores-glicko-2.svg", "ratings-glicko-2.svg", "ratings-pooled.svg"} <= pictures
    out, err = run(capsys, "run", file, "--format", "json", "--no-figures", "--quiet")
    result = json.loads(out)
    assert (err, {cell["set"] for cell in result["cells"]}) == ("", set("TVEX"))
    assert result["sets"] == {"T": 30, "V": 20, "E": 20, "X": result["sets"]["X"]}
    table = tmp_path / "table.csv"
    run(capsys, "run", file, "--format", "csv", "-o", table, "--no-figures", "-q")
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert len(rows) == len(result["cells"])
    assert {row["system"] for row in rows} == set(result["systems"])
    for source, options, names in (
        (file, ("--type", "png", "--classes", "1500,1600"), PICTURES),
        (work / "features" / "store", (), {"points", "winrates", "lengths"}),
        (folder / "results.tsv", (), {"labels", "deviations", "settling"}),
    ):
        target = tmp_path / source.name
        out, _ = run(capsys, "describe", source, "-o", target, *options)
        assert {Path(line).stem for line in out.splitlines()} == names
    kinds = {path.read_bytes()[:4] for path in (tmp_path / file.name).glob("*.png")}
    assert kinds == {b"\x89PNG"}
    assert "no rank" in (tmp_path / "store" / "points.svg").read_text()
    (tmp_path / "fresh").mkdir()
    fresh = write_experiment(tmp_path / "fresh", tmp_path / "net", models=False)
    for arguments, error, said in (
        ([fresh], InputError, "not been run so far: there is no stage 'winners'"),
        ([file, file], UsageError, "one experiment at a time"),
        ([file, "--type", "gif"], UsageError, "svg, png or pdf"),
        ([file, "--classes", "strong"], UsageError, "must be numbers"),
        ([folder / "results.tsv", "--classes", "1600,1500"], UsageError, "must rise"),
        ([tmp_path / "none.csv"], InputError, "no such file"),
    ):
        with pytest.raises(error, match=said):
            run(capsys, "describe", *arguments, "-o", tmp_path)
