"""The data preparation of the strength models on real games."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import numpy as np

from tests.shared import shared_path
from yardstone import records
from yardstone_lab.neubauer.experiment.games import Filters, ListedGames, collect_pool


def test_filters_on_a_month_of_games(tmp_path: Path) -> None:
    table = tmp_path / "results.tsv"
    with gzip.open(shared_path("data/go/tygem_2005_2011.tsv.gz"), "rt") as file:
        table.write_text("".join(islice(file, 5001)))
    columns = {name: name for name in ("game_id", "result", "clock")}
    results = records.read(table, columns=columns, first="black", times=True)
    moves = [str(shared_path("data/go/tygem_moves/2005-11.zip"))]
    source = ListedGames(moves, results, "game_id", "result", "clock")
    pool, report = collect_pool(source, Filters(unknown_clock=False))
    assert (report.games, report.kept, report.unread) == (3710, 3695, 0)
    assert dict(report.first) == {"decision": 15}  # lost because a player went offline
    decided, number = np.unique(pool.columns["decision"], return_counts=True)
    known = {"counted": 1163, "resigned": 2241, "timed out": 291}
    assert dict(zip(decided.tolist(), number.tolist(), strict=True)) == known
    assert pool.time is not None
    assert (np.diff(pool.time.astype(np.int64)) >= 0).all()
