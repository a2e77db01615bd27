from __future__ import annotations

import csv
import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yardstone
from tests.made_pgn import PLAYERS, dialects, odd_files
from tests.shared import shared_or_made, shared_path
from tests.skipping import read_skipping
from yardstone.errors import InputError, NoGamesError, SkippedWarning


def file_named(name: str, folder: Path) -> Path:
    """One of the odd files."""
    made = odd_files() | dialects()
    return shared_or_made(f"reference/ordo/inputs/{name}.pgn", lambda: made[name], folder)


@pytest.mark.parametrize(
    "name", "base bom cr crlf lower noblank oneline spacetag trail utf16".split()
)
def test_one_file_in_many_dialects(name: str, tmp_path: Path) -> None:
    pool, base = (yardstone.read(file_named(each, tmp_path)) for each in (name, "base"))
    assert (len(pool), pool.players, len(pool.skipped)) == (400, PLAYERS, 0)
    for ours, theirs in ((pool.first, base.first), (pool.score, base.score)):
        assert (ours == theirs).all()


@pytest.mark.parametrize(
    ("name", "games", "players", "skipped"),
    [
        ("comment", 121, 8, []),
        ("dupTag", 4, 3, []),
        ("emptyresult", 1, 2, [(11, "result '' is not 1-0, 0-1, 1/2-1/2 or *")]),
        ("escaped", 62, 9, []),
        ("halfeq", 4, 2, []),
        ("latin1", 400, 8, []),
        ("longname", 2, 2, []),
        ("noblack", 399, 8, [(51, "no Black tag")]),
        ("noresult", 3, 2, [(11, "no Result tag")]),
        ("nowhite", 3, 2, [(11, "no White tag")]),
        ("onlystar", 0, 2, [(line, "unfinished (result *)") for line in (1, 11, 21)]),
        ("selfgame", 401, 8, []),
        ("star", 50, 8, [(501, "unfinished (result *)")]),
        ("unterminated", 30, 8, [(301, "malformed White tag")]),
        ("utf8", 400, 8, []),
        ("weird", 1, 2, [(11, "result '1:0' is not 1-0, 0-1, 1/2-1/2 or *")]),
        ("weird2", 1, 2, [(11, "result '½-½' is not 1-0, 0-1, 1/2-1/2 or *")]),
        ("weird4", 2, 2, []),
    ],
)
def test_odd_files(
    name: str, games: int, players: int, skipped: list[tuple[int, str]], tmp_path: Path
) -> None:
    file = file_named(name, tmp_path)
    read = read_skipping if skipped else yardstone.read
    pool = read(file, skip_unread=True)
    assert (len(pool), len(pool.players)) == (games, players)
    assert [(record.line, record.reason) for record in pool.skipped.details] == skipped


@pytest.mark.parametrize("name", ["empty", "blank", "garbage", "z"])
def test_files_without_games(name: str, tmp_path: Path) -> None:
    with pytest.raises(NoGamesError):
        yardstone.read(file_named(name, tmp_path))


def test_tcec() -> None:
    pool = read_skipping(shared_path("data/chess/tcec_headers.pgn.gz"))
    assert len(pool) == 27_549
    assert pool.skipped.reasons == {
        "repeats another record (same id, or same date and round)": 56,
        "unknown result": 4,
        "unfinished (result *)": 3,
    }
    lines = [each.line for each in pool.skipped.details if "result" in each.reason]
    assert lines[:5] == [75683, 83301, 104162, 109804 - 2, 121126]
    assert len(lines) == 7


def test_kingbase() -> None:
    pool = yardstone.read(shared_path("data/chess/kingbase_1990_2012.tsv.gz"))
    assert (len(pool), len(pool.players)) == (880_012, 51_298)
    wins, draws, losses = (int((pool.score == score).sum()) for score in (1, 0.5, 0))
    assert (wins, draws, losses) == (319_635, 319_432, 240_945)
    assert pool.time is not None
    assert str(pool.time[0]) == "1990-01-01T00:00:00"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"columns": {"first": "black", "second": "white", "score": "result"}},
        {"first": "black"},
        {"first": "white"},
    ],
)
def test_nobody_is_turned_round(options: dict[str, Any]) -> None:
    """Wins of each player in the file, whatever is said of who moves first."""
    file = shared_path("data/go/tournaments/games.csv.gz")
    won = {"RESULT_WHITEWINS": "white", "RESULT_BLACKWINS": "black"}
    with gzip.open(file, "rt") as rows:
        expected = Counter(
            row[won[row["result"]]]
            for row in csv.DictReader(rows)
            if row["result"] in won and int(row["handicap"] or 0) == 0
        )
    with pytest.warns(SkippedWarning, match="788 handicap game"):
        pool = yardstone.read(file, **options)
    winner = np.where(pool.score == 1.0, pool.first, pool.second)[pool.score != 0.5]
    assert Counter(pool.players[player] for player in winner.tolist()) == expected
    white_first = options.get("first") == "white"
    assert (pool.players[pool.first[0]] == "RAVERASYLVAIN") is white_first


def test_a_table_that_must_be_asked_about() -> None:
    """Its score is Black's, which nothing in the table says."""
    file = shared_path("data/go/ogs_neubauer/games_search_t.csv.gz")
    with pytest.raises(InputError, match="in 'Score' may tell the result of 'Player Black'"):
        yardstone.read(file)
    assert yardstone.read(file, first="black").score[:2].tolist() == [1.0, 1.0]
