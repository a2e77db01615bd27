"""The data preparation of the strength models on real games."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone import records
from yardstone.pool import Pool
from yardstone_lab.neubauer.experiment.games import FilterReport, Filters, ListedGames, collect_pool

GAMES, KEPT = 3710, 3695
#: Games that were lost because a player went offline.
LOST = {"decision": 15}
DECIDED = {"counted": 1163, "resigned": 2241, "timed out": 291}
COLUMNS = {"game_id": "game_id", "result": "result", "clock": "clock"}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first month of the table of results."""
    path = tmp_path_factory.mktemp("tygem") / "results.tsv"
    with gzip.open(shared_path("data/go/tygem_2005_2011.tsv.gz"), "rt") as source:
        path.write_text("".join(islice(source, 5001)))
    return path


@pytest.fixture(scope="module")
def collected(table: Path) -> tuple[Pool, FilterReport]:
    results = records.read(table, columns=COLUMNS, first="black", times=True)
    moves = [str(shared_path("data/go/tygem_moves/2005-11.zip"))]
    source = ListedGames(moves, results, "game_id", "result", "clock")
    return collect_pool(source, Filters(unknown_clock=False))


def test_filters_on_a_month_of_games(collected: tuple[Pool, FilterReport]) -> None:
    pool, report = collected
    assert (report.games, report.kept, report.unread) == (GAMES, KEPT, 0)
    assert dict(report.first) == LOST
    decided, number = np.unique(pool.columns["decision"], return_counts=True)
    assert dict(zip(decided.tolist(), number.tolist(), strict=True)) == DECIDED
    assert pool.time is not None
    assert (np.diff(pool.time.astype(np.int64)) >= 0).all()
