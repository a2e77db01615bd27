"""Stores of features and indexes of games."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.fuzz.targets import Target, copied, saved
from yardstone.arrays import map_array
from yardstone.errors import InputError
from yardstone.go.feature_store import FORMAT, GAME_COLUMNS, PART, FeatureStore
from yardstone.go.patterns.index import map_arrays, write_arrays


def read_index(path: Path) -> None:
    for array in map_arrays(path)[1].values():
        array.sum()


def read_array(path: Path) -> None:
    array = map_array(path)
    with np.errstate(all="ignore"):
        _ = array.sum() if array.dtype.kind in "fiub" else array


def read_store(path: Path) -> None:
    for name in stores():
        for other, data in stores().items():
            copied(path, "store", other).write_bytes(data)
        folder = copied(path, "store", name).parent
        for array, shape in (("number", 3), ("colour", 3), ("point", 3), ("head", (3, 6))):
            np.save(folder / f"{array}.npy", np.zeros(shape, np.float32))
        with suppress(InputError):
            store = FeatureStore.open(folder)
            repr(store)
            for game in range(min(len(store.games["size"]), 3)):
                store.features(game, "head")
            _ = store.players


def _part(arrays: Mapping[str, object], about: dict[str, Any]) -> tuple[object, str]:
    return dict(arrays), about["fingerprint"]


def parts() -> dict[str, bytes]:
    about = {"fingerprint": "x", "games": [], "skipped": []}
    arrays = {"number": np.zeros(0, np.int16)}
    return {"part": saved(lambda path: PART.write(path, arrays, about), "part.npz")}


def stores() -> dict[str, bytes]:
    about = {"format": FORMAT, "complete": True, "trunk": [], "moves": 3, "games": 1}
    row = ["0" if kind is not str else "2020-01-01" for kind in GAME_COLUMNS.values()]
    return {
        "store.json": json.dumps(about | {"network": "x", "channels": 4}).encode(),
        "games.csv": f"{','.join(GAME_COLUMNS)}\n{','.join(row)}\n".encode(),
    }


def indexes() -> dict[str, bytes]:
    def fill(array: NDArray[Any]) -> None:
        array[:] = 1

    arrays = {"a": ("u1", (5,), fill), "b": ("<i4", (2, 3), fill)}
    return {"index": saved(lambda path: write_arrays(path, {"games": 3}, arrays))}


def arrays() -> dict[str, bytes]:
    made = {}
    for kind in ("<f4", "|u1", "<f2", "<U3"):
        np.save(file := BytesIO(), np.zeros((3, 2), kind))
        made[kind[1:]] = file.getvalue()
    return made


TARGETS = (
    Target("go-array", read_array, ".npy", made=arrays),
    Target("go-index", read_index, ".index", made=indexes),
    Target("go-part", lambda path: PART.read(path, _part), ".npz", made=parts),
    Target("go-store", read_store, ".json", made=stores),
)
