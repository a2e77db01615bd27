from __future__ import annotations

import csv
import gzip
from collections import Counter
from typing import Any

import numpy as np
import pytest

import yardstone
from tests.shared import shared_path
from tests.skipping import read_skipping
from yardstone.errors import InputError, SkippedWarning


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
    assert len(pool) == 7_406
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
