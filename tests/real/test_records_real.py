"""Results and records as people and servers wrote them; python-chess and sgfmill read the same."""

from __future__ import annotations

import csv
import gzip
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yardstone
from tests.fuzz.oracles import chess_games, games, same_sgf
from tests.shared import shared_path
from tests.skipping import read_skipping
from yardstone.errors import InputError, SkippedWarning
from yardstone.records.decoding import clean
from yardstone.records.go_game import GoGame
from yardstone.records.options import Options
from yardstone.records.pgn import read_pgn
from yardstone.records.sgf import SgfReader, read_games, write_sgf
from yardstone.records.sources import Source

LEAGUE = "data/go/ogs_league.zip"


def test_tcec() -> None:
    path = shared_path("data/chess/tcec_headers.pgn.gz")
    pool = read_skipping(path)
    assert len(pool) == 27_549
    assert pool.skipped.reasons == {
        "repeats another record (same id, or same date and round)": 56,
        "unknown result": 4,
        "unfinished (result *)": 3,
    }
    lines = [each.line for each in pool.skipped.details if "result" in each.reason]
    assert (lines[:5], len(lines)) == ([75683, 83301, 104162, 109802, 121126], 7)
    every = read_pgn([Source(path.name, path)], Options(), once=False)
    theirs = list(chess_games(gzip.decompress(path.read_bytes())))
    scores = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    finished = [(clean(w), clean(b), scores[result]) for w, b, result in theirs if result in scores]
    assert games(every) == finished
    assert every.skipped.total == len(theirs) - len(finished)


def test_nobody_is_turned_round() -> None:
    """Wins of each player in the file, whatever is said of who moves first."""
    file = shared_path("data/go/tournaments/games.csv.gz")
    won = {"RESULT_WHITEWINS": "white", "RESULT_BLACKWINS": "black"}
    with gzip.open(file, "rt") as rows:
        expected = Counter(
            row[won[row["result"]]]
            for row in csv.DictReader(rows)
            if row["result"] in won and int(row["handicap"] or 0) == 0
        )
    columns = {"columns": {"first": "black", "second": "white", "score": "result"}}
    cases: list[dict[str, Any]] = [{}, columns, {"first": "black"}, {"first": "white"}]
    for options in cases:
        with pytest.warns(SkippedWarning, match="788 handicap game"):
            pool = yardstone.read(file, **options)
        assert len(pool) == 7_406
        winner = np.where(pool.score == 1.0, pool.first, pool.second)[pool.score != 0.5]
        assert Counter(pool.players[player] for player in winner.tolist()) == expected
        white_first = options.get("first") == "white"
        assert (pool.players[pool.first[0]] == "RAVERASYLVAIN") is white_first
    # Nothing in this table says that its score is Black's: it must be asked about.
    file = shared_path("data/go/ogs_neubauer/games_search_t.csv.gz")
    with pytest.raises(InputError, match="in 'Score' may tell the result of 'Player Black'"):
        yardstone.read(file)
    assert yardstone.read(file, first="black").score[:2].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["fox_sgf.zip", "ogs_league.zip", "ogs_weak/games.zip"])
def test_records_are_those_of_sgfmill(name: str, tmp_path: Path) -> None:
    compared, path = 0, tmp_path / "game.sgf"
    with zipfile.ZipFile(shared_path(f"data/go/{name}")) as archive:
        members = [each for each in archive.namelist() if each.endswith(".sgf")]
        for member in members[:: max(1, len(members) // 50)]:
            path.write_bytes(archive.read(member))
            compared += same_sgf(path.read_bytes(), list(SgfReader(path).trees()))
    assert compared > 33


def test_records_written_and_read_again_are_the_same(tmp_path: Path) -> None:
    pool = yardstone.read(shared_path(LEAGUE), columns="all")
    assert (len(pool), len(pool.players)) == (58, 22)
    assert sorted(set(pool.columns["komi"].tolist())) == [0.5, 6.5]
    assert int((pool.columns["handicap"] > 0).sum()) == 15
    records = list(read_games(shared_path(LEAGUE)))
    file = tmp_path / "all.sgf"
    file.write_text(write_sgf(records), encoding="utf-8")

    def facts(game: GoGame) -> tuple[object, ...]:
        return (
            game.black, game.white, game.black_rank, game.result, game.komi, game.handicap,
            game.size, game.moves.tolist(), game.colours.tolist(), game.setup_black.tolist(),
            str(game.date), game.to_play,
        )  # fmt: skip

    assert list(map(facts, read_games(file))) == list(map(facts, records))
