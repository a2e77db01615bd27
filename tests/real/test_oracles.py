"""Real files as python-chess and sgfmill read them."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from tests.fuzz.oracles import chess_games, games, same_sgf
from tests.shared import shared_path
from yardstone.records.decoding import clean
from yardstone.records.options import Options
from yardstone.records.pgn import read_pgn
from yardstone.records.sgf import SgfReader
from yardstone.records.sources import Source

_SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


def test_the_games_of_tcec_are_those_of_python_chess() -> None:
    path = shared_path("data/chess/tcec_headers.pgn.gz")
    pool = read_pgn([Source(path.name, path)], Options(), once=False)
    theirs = list(chess_games(gzip.decompress(path.read_bytes())))
    finished = [
        (clean(white), clean(black), _SCORES[result])
        for white, black, result in theirs
        if result in _SCORES
    ]
    assert len(pool) > 27_000
    assert games(pool) == finished
    assert pool.skipped.total == len(theirs) - len(finished)


@pytest.mark.parametrize(
    ("name", "least"), [("fox_sgf.zip", 100), ("ogs_league.zip", 50), ("ogs_weak/games.zip", 100)]
)
def test_real_records_are_those_of_sgfmill(name: str, least: int, tmp_path: Path) -> None:
    compared = 0
    with zipfile.ZipFile(shared_path(f"data/go/{name}")) as archive:
        members = [each for each in archive.namelist() if each.endswith(".sgf")]
        for member in members[:: max(1, len(members) // 150)]:
            data = archive.read(member)
            path = tmp_path / "game.sgf"
            path.write_bytes(data)
            trees = list(SgfReader(path).trees())
            compared += same_sgf(data, trees)
    assert compared > least
