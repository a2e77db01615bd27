"""`strength train` on real games of people with ranks."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile
from pathlib import Path

import pytest

from tests.shared import shared_path
from yardstone.cli.main import main
from yardstone.strength.model import StrengthModel

NET = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
PEOPLE = 40


def short_games(folder: Path) -> tuple[Path, Path]:
    """A short game of each of some people against programs, and the table of their ranks."""
    with gzip.open(shared_path("data/go/ogs_weak/index.csv.gz"), "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if 50 <= int(row["moves"]) <= 140]
    rows.sort(key=lambda row: -int(row["moves"]))
    chosen: dict[str, dict[str, str]] = {}
    for row in rows:
        side = "white" if row["bot"] == "B" else "black"
        if row["handicap"] == "0" and row["provisional"] == "0":
            chosen.setdefault(row[side], {**row, "side": side})
    few = list(chosen.values())[:PEOPLE]
    games = folder / "games.zip"
    with (
        zipfile.ZipFile(shared_path("data/go/ogs_weak/games.zip")) as archive,
        zipfile.ZipFile(games, "w") as kept,
    ):
        for row in few:
            kept.writestr(row["file"], archive.read(row["file"]))
    table = folder / "ranks.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["file", "colour", "rank", "scale", "player"])
        for row in few:
            rank = float(row[f"{row['side']}_rank_num"]) - 29.0
            writer.writerow([row["file"], row["side"], rank, "ogs", row[row["side"]]])
    return games, table


def test_a_rank_model_gets_a_scale_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, table = short_games(tmp_path)
    shipped = StrengthModel.load("rank")
    base, features, model = (tmp_path / name for name in ("fox.npz", "features", "mine.npz"))
    StrengthModel(shipped.scorer, [shipped.scale("fox")], shipped.card).save(base)
    net = ["--net", str(shared_path(NET)), "--komi", "6.5"]
    kinds = ["--features", "pick,after,candidates,mean"]
    assert main(["go", "features", str(games), "-o", str(features), *net, *kinds, "-q"]) == 0
    capsys.readouterr()
    learn = ["strength", "train", str(table), "--store", str(features)]
    plain = ["--format", "json", "-q"]
    assert main([*learn, "--from", str(base), "--save", str(model), *plain]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["scales"] == ["fox", "ogs"]
    (line,) = [each for each in said["unseen"] if each["games"] == 1]
    assert line["players"] == PEOPLE
    # So few people and games tell little, but not nothing.
    assert line["correlation"] > 0.3
    assert set(StrengthModel.load(model).scales) == {"fox", "ogs"}
    other = tmp_path / "no.npz"
    assert main([*learn, "--from", "rank", "--save", str(other), *plain]) == 2
    assert "the model has a scale 'ogs'" in capsys.readouterr().err
    assert not other.exists()
