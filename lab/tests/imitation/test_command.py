"""`yardstone go nets train` on real games: from records and a table of ranks to a network."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from itertools import islice
from pathlib import Path

import pytest

from tests.shared import shared_path
from yardstone.cli.main import main

SETTINGS = ("steps=6", "channels=8", "blocks=2", "sides=4", "moves=2", "bfloat16=no")
TINY = "--threads 1 --set " + " --set ".join(SETTINGS)


def fox_games(folder: Path) -> tuple[Path, Path]:
    """Some games of the weakest and of the strongest group, and a table of their ranks."""
    data = shared_path("data/go/fox_ranked")
    with gzip.open(data / "index.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    games = folder / "games"
    games.mkdir()
    lines = ["file,colour,rank,scale"]
    with zipfile.ZipFile(data / "games.zip") as archive:
        for group, rank in (("3-5k", "4k"), ("9d", "9d")):
            for row in islice((row for row in rows if row["group"] == group), 4):
                name = f"{group}-{Path(row['file']).name}"
                (games / name).write_bytes(archive.read(row["file"]))
                lines += [f"{name},{colour},{rank},fox" for colour in ("black", "white")]
    table = folder / "ranks.csv"
    table.write_text("\n".join([*lines, ""]))
    return games, table


def test_a_network_is_trained_on_real_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, ranks = fox_games(tmp_path)
    net = shared_path("nets/g170-b6c96-s175395328-d26788732.bin.gz")
    (games / "small.sgf").write_text("(;GM[1]SZ[9];B[ee];W[cc])")
    words = ["go", "nets", "train", str(games), "--ranks", str(ranks), "--teacher", str(net)]
    words += [*TINY.split(), "-q"]
    made = tmp_path / "club.bin.gz"
    report = tmp_path / "report.json"
    picture = tmp_path / "training.svg"
    command = [*words, "--save", str(made), "-o", str(report), "-o", str(picture)]
    assert main([*command, "--minutes", "0"]) == 0
    assert "0 of 6 steps are done: the same command goes on." in capsys.readouterr().out
    assert not made.exists()
    assert main(command) == 0
    rows = json.loads(report.read_text())
    assert {row["players"] for row in rows} <= {"fox, 5k to 3k", "fox, 9d"}
    assert all(0 <= row["top"] < 0.5 and row["log_loss"] < 6.5 for row in rows)
    assert "First choice right, %" in picture.read_text()
    assert main(["go", "nets", "show", str(made)]) == 0
    assert "club" in capsys.readouterr().out
    # Done is done: the same bytes again, at once.
    first = made.read_bytes()
    assert main(command) == 0
    assert made.read_bytes() == first


def test_what_cannot_be_trained_on_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[1]SZ[19];" + ";".join(["B[aa];W[bb]"] * 2) + ")")
    ranks = tmp_path / "ranks.csv"
    ranks.write_text("file,colour,rank,scale\nother.sgf,black,4k,fox\n")
    begin = ["go", "nets", "train", str(tmp_path), *TINY.split()]
    for words, message in (
        (["--save", "net.gz"], "must end in .bin.gz"),
        (["--set", "depth=3"], "there is no setting 'depth'"),
        (["--set", "steps=many"], "it must be a number"),
        (["--set", "steps=2.5"], "it must be a whole number"),
        (["--set", "learning_rate=inf"], "learning_rate must be above 0"),
        (["--set", "trunk=inf"], "the weights of the targets"),
        (["--set", "seed=-1"], "seed must not be below 0"),
        (["--set", "steps=0"], "steps must be at least 1"),
        (["--ranks", str(ranks)], "no game has a rank in the table"),
        ([], "there are no games to learn from"),
    ):
        assert main([*begin, "--save", "net.bin.gz", *words]) != 0
        assert message in capsys.readouterr().err
