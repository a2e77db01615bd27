"""Several stores of features as one: where the moves of a pool's games lie."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError
from yardstone.go.feature_store import FeatureStore
from yardstone_lab.neubauer.recent_moves import Pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Stores"]

#: What must be the same for features to be compared.
_SAME = ("sha256", "symmetries", "precision", "rules", "komi", "channels")


@dataclass(frozen=True, eq=False)
class Stores:
    """Stores of features that one network made in one way; rows go on from one to the next.

    Attributes
    ----------
    stores : tuple of FeatureStore
    offsets : int64 [stores + 1]
        First row of each store among all.
    """

    stores: tuple[FeatureStore, ...]
    offsets: NDArray[np.int64]

    @classmethod
    def open(cls, paths: Sequence[str | os.PathLike[str]]) -> Stores:
        """Open complete stores.

        Raises
        ------
        InputError
            One is not complete, damaged, or made in another way than the first.
        """
        if not paths:
            raise InputError("no store of features is named")
        stores = tuple(FeatureStore.open(path) for path in paths)
        first = stores[0]
        for store in stores[1:]:
            for name in _SAME:
                mine, other = store.settings.get(name), first.settings.get(name)
                if mine != other:
                    raise InputError(
                        f"{name} is {mine}, but {other} in {first.path}",
                        file=str(store.path),
                        hint="make all stores of an experiment with the same settings",
                    )
        counts = [int(store.settings["moves"]) for store in stores]
        return cls(stores, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of features that every store has."""
        return tuple(k for k in self.stores[0].kinds if all(k in s.kinds for s in self.stores))

    @property
    def settings(self) -> dict[str, Any]:
        """What all stores have in common: network, rules and so on."""
        return {
            name: self.stores[0].settings[name] for name in ("network", *_SAME, "model_version")
        }

    def pieces(self, keys: Sequence[str], by: str = "name") -> Pieces:
        """Where the moves of games lie.

        Parameters
        ----------
        keys : sequence of str
            What names each game.
        by : str
            The column of the stores that holds these: ``name`` or ``file``. With
            ``file`` a key is the file, and ``#`` with the number in the file for
            further games of one file; a file that has moved is found by its name
            alone if only one has it. If a game is in two stores, the first counts.
        """
        place = self._places(by)
        bounds = []
        for number, store in enumerate(self.stores):
            games = store.games
            offset = self.offsets[number]
            columns = [games[name] for name in ("black_start", "white_start", "end")]
            bounds.append(np.column_stack(columns) + offset)
        start = np.zeros((len(keys), 2), np.int64)
        length = np.zeros((len(keys), 2), np.int64)
        known = np.zeros(len(keys), np.bool_)
        for row, key in enumerate(keys):
            spot = place.get(key) or (place.get(_last(key)) if by == "file" else None)
            if spot is not None:
                black, white, end = bounds[spot[0]][spot[1]]
                start[row] = black, white
                length[row] = white - black, end - white
                known[row] = True
        return Pieces(start, length, known)

    def _places(self, by: str) -> dict[str, tuple[int, int]]:
        """The number of the store and of the game in it, by key."""
        place: dict[str, tuple[int, int]] = {}
        moved: dict[str, tuple[int, int] | None] = {}
        for number, store in enumerate(self.stores):
            for game, key in enumerate(_keys(store, by)):
                if key in place:
                    continue
                place[key] = (number, game)
                if by == "file":
                    last = _last(key)
                    moved[last] = None if last in moved else (number, game)
        for key, spot in moved.items():
            if spot is not None:
                place.setdefault(key, spot)
        return place

    def winrates(self, by: str = "name") -> dict[str, float]:
        """White's winrate in the last position of each game, by its key."""
        winrates: dict[str, float] = {}
        for store in self.stores:
            for key, value in zip(_keys(store, by), store.games["white_winrate"], strict=True):
                winrates.setdefault(key, float(value))
        return winrates

    def gather(self, kind: str, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Features of some rows, in memory."""
        number = np.searchsorted(self.offsets, rows, side="right") - 1
        shape = self.stores[0].array(kind).shape[1:]
        features = np.empty((len(rows), *shape), self.stores[0].array(kind).dtype)
        for k, store in enumerate(self.stores):
            here = np.flatnonzero(number == k)
            if len(here):
                features[here] = store.array(kind)[rows[here] - self.offsets[k]]
        return features


def _keys(store: FeatureStore, by: str) -> list[str]:
    if by == "name":
        return [str(name) for name in store.games["name"]]
    if by == "file":
        files, numbers = store.games["file"], store.games["game"]
        return [
            file_key(str(file), int(number)) for file, number in zip(files, numbers, strict=True)
        ]
    raise InputError(f"games are named by name or file, not by {by!r}")


def file_key(file: str, number: int) -> str:
    """What names a game by its file, and by its number there if it is not the first."""
    return file if number == 1 else f"{file}#{number}"


def _last(key: str) -> str:
    """The same without the folder."""
    return Path(key).name
