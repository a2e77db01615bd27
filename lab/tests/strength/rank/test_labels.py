"""Tables of ranks: what is read, refused, and found in stores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.pool import SkipReport
from yardstone.strength.evidence import KINDS
from yardstone_lab.neubauer.scored_model import train_ranked_model
from yardstone_lab.neubauer.sides import RankLabel, labelled_sides, read_rank_labels


def table(folder: Path, *rows: str, head: str = "file,colour,rank,scale,player,sure") -> Path:
    path = folder / "ranks.csv"
    path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
    return path


def test_rows_are_read_and_bad_ones_counted_with_their_lines(tmp_path: Path) -> None:
    rows = [
        "1.sgf,black,3d,ogs,Ann,0.3", "2.sgf,W,-8.7,fox", "3.sgf,red,3d,ogs",
        "4.sgf,white,strong,ogs", "5.sgf,white,99,ogs", "6.sgf,white,3k,kgs",
        "7.sgf,white,3k,ogs,Bob,2", "", "8.sgf,white,1k,fox",
    ]  # fmt: skip
    skipped = SkipReport()
    assert read_rank_labels(table(tmp_path, *rows), skipped) == [
        RankLabel("1.sgf", 1, 3.5, "ogs", "Ann", 0.3),
        RankLabel("2.sgf", 2, -8.7, "fox"),
        RankLabel("8.sgf", 2, 0.5, "fox"),
    ]
    assert [each.line for each in skipped.details] == [4, 5, 6, 7, 8]
    with pytest.raises(InputError, match="there are no columns file, colour, rank and scale"):
        read_rank_labels(table(tmp_path, head="file,colour,rank"))
    with pytest.raises(NoGamesError, match="there is no rank in it"):
        read_rank_labels(table(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        read_rank_labels(tmp_path / "none.csv")


@pytest.fixture
def store(tmp_path: Path) -> FeatureStore:
    games = [replace(random_game(k, moves=12), file=f"club/{k}.sgf") for k in range(3)]
    settings = ExtractionSettings(net=str(small_network(tmp_path)), trunk=KINDS)
    return extract_features(lambda: games, tmp_path / "features", settings)


def test_labels_find_their_sides_by_the_end_of_the_path(store: FeatureStore) -> None:
    files = [str(file) for file in store.games["file"]]
    labels = [
        RankLabel(Path(files[0]).name, 1, 2.5, "fox"),
        RankLabel(files[2], 2, -12.5, "ogs", "Cid", 0.5),
        RankLabel("elsewhere.sgf", 1, 2.5, "fox"),
    ]
    (part,) = labelled_sides([store], labels)
    assert (part.game.tolist(), part.colour.tolist()) == ([0, 2], [1, 2])
    assert (part.group.tolist(), part.sure.tolist()) == ([3, -1], [1.0, 0.5])
    np.testing.assert_array_equal(part.rank, [np.nan, -12.5])
    assert part.player.tolist()[1] == "Cid"
    with pytest.raises(NoGamesError, match="no game of the stores has a rank"):
        labelled_sides([store], labels[2:])
    parts = labelled_sides([store], labels[1:2])
    with pytest.raises(UsageError, match="a new model learns from rank groups of fox first"):
        train_ranked_model(parts)
    with pytest.raises(UsageError, match="no kind of model is called 'other'"):
        train_ranked_model(parts, "other")
    with pytest.raises(NoGamesError):
        train_ranked_model([])
