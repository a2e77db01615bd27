from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from yardstone.errors import UsageError
from yardstone.pool import Pool
from yardstone.records.sgf import MoveListReader

RESULTS = Pool.from_names(
    ["Ann", "Eve"], ["Bob", "Ann"], [1, 0], columns={"id": [7, 8], "komi": [6.5, 0.5]}
)


def test_moves_and_results_are_joined(tmp_path: Path) -> None:
    file = tmp_path / "moves"
    file.write_text(
        "id\tmoves\n7\t;B[pd];W[dd]\n8,;B[qd]\n\n9\t;B[aa]\n10\tnothing\n8 (;W[cc])\r\n"
    )
    reader = MoveListReader(file, results=RESULTS, key="id")
    games = list(reader)
    assert [(g.black, g.white, g.winner, g.komi, g.line) for g in games] == [
        ("Ann", "Bob", 1, 6.5, 2), ("Eve", "Ann", 2, 0.5, 3), ("Eve", "Ann", 2, 0.5, 7),
    ]  # fmt: skip
    assert [g.moves.tolist() for g in games] == [[72, 60], [73], [40]]
    assert [str(s).rpartition("/")[2] for s in reader.skipped.details] == [
        "moves:5: game '9' is not in the table of results", "moves:6: no moves in this line",
    ]  # fmt: skip


def test_without_results_there_are_only_moves(tmp_path: Path) -> None:
    path = tmp_path / "moves.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("2005-11", "x7\t;B[pd];W[dd]")
    (game,) = MoveListReader(path)
    assert game.properties["GN"] == ("x7",)
    assert (game.moves.tolist(), game.winner, game.file) == ([72, 60], 0, f"{path}/2005-11")


def test_trouble_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "moves"
    file.write_text("1\t;B[" + "x" * 3_000_000 + "]\n2\t;B[aa]\n3\t;B[a")
    reader = MoveListReader(file)
    assert [game.moves.tolist() for game in reader] == [[0], []]
    assert reader.skipped.reasons == {"a line longer than 1048576 bytes": 1}
    with pytest.raises(UsageError, match="no column 'game_id', only id, komi"):
        MoveListReader(file, results=RESULTS)
