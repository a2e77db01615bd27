"""What is known of the Fox games of Kuboki and others, beside their moves."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.strength.site_scales import RANKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.feature_store import FeatureStore

    Ints = NDArray[np.int64]

HELD_BACK = "testing_by_player"


class Facts:
    """What the index says of the games of a store: groups, players, and which part."""

    def __init__(self, shared: Path) -> None:
        folder = shared / "data" / "go" / "fox_ranked"
        if not folder.is_dir():
            raise InputError("there is no such folder", file=str(folder), hint="name --shared")
        with gzip.open(folder / "index.csv.gz", "rt", encoding="utf-8") as file:
            self._index = {row["file"]: row for row in csv.DictReader(file)}
        self.held_back = {
            row[colour]
            for row in self._index.values()
            for colour in ("black", "white")
            if row["part"] == HELD_BACK
        }
        with (folder / "validation_players.csv").open(encoding="utf-8") as file:
            self.listed = [
                (RANKS.index(row["group"]), row["player"]) for row in csv.DictReader(file)
            ]

    def row(self, file: str) -> dict[str, str]:
        """What the index says of a game.

        Raises:
            InputError: It is not in the index.
        """
        key = "/".join(Path(file).parts[-4:])
        if key not in self._index:
            raise InputError(
                f"{key} is not in the index of the Fox games",
                file=file,
                hint="keep the folders of the archive: fox_kuboki/PART/GROUP/NUMBER.sgf",
            )
        return self._index[key]

    def of(self, store: FeatureStore) -> tuple[Ints, NDArray[np.str_], NDArray[np.bool_]]:
        """Group and players of each game, and whether it is held back for validation."""
        rows = [self.row(file) for file in store.games["file"]]
        group = np.array([RANKS.index(row["group"]) for row in rows], np.int64)
        players = np.array([[row["black"], row["white"]] for row in rows])
        return group, players, np.array([row["part"] == HELD_BACK for row in rows])
