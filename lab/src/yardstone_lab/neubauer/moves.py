"""Data sets of the moves of past games: which games of a player are recent, and their features."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, UsageError
from yardstone.go.feature_store import FeatureStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Integers = NDArray[np.int64]
    Array = NDArray[np.float64]

__all__ = [
    "WINDOW",
    "Pieces",
    "recent_moves",
    "Labelled",
    "MoveSets",
    "Stores",
]

#: The thesis' N: so many moves of each player at most.
WINDOW = 500


@dataclass(frozen=True, eq=False)
class Pieces:
    """Where the moves of each game of a pool lie in the rows of its features."""

    #: `start`, `length` [games, 2]: first row and number of rows of the first player's moves
    #: (Black's), and of the second's. A game whose moves are not known has length 0.
    start: Integers
    length: Integers
    #: [games]: whether the moves are known; a known game may still have no move of a player.
    known: NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Refuse arrays that do not go together."""
        if self.start.shape != self.length.shape or self.start.shape != (len(self.known), 2):
            raise InputError("starts, lengths and what is known are not of the same games")
        if (self.length < 0).any():
            raise InputError("a game has fewer than no moves")


def recent_moves(
    pool: Pool,
    pieces: Pieces,
    games: NDArray[np.integer[Any]] | NDArray[np.bool_] | None = None,
    *,
    window: int = WINDOW,
    last_games: int | None = None,
) -> tuple[Integers, Integers]:
    """The last moves of both players before each of some games.

    Args:
        pool: All games in order of time; of games at one moment, those that stand earlier count as
            earlier.
        pieces: Of the same games.
        games (int or bool array): The games to be looked at; all by default.
        window: At most so many moves of each player.
        last_games: Only moves of the player's last so many games, as if the earlier ones had never
            been seen; 0 leaves nothing. Games whose moves are not known count.

    Returns:
        ``rows`` (int64 [k]) of the features, of one side after the other, the oldest move first,
        and ``starts`` (int64 [2 * games + 1]): side s (0 the first player, 1 the second) of the
        i-th game has ``rows[starts[2 * i + s]:starts[2 * i + s + 1]]``.
    """
    if len(pieces.known) != len(pool):
        raise InputError(f"moves of {len(pieces.known)} games are not of this pool of {len(pool)}")
    if window < 1:
        raise UsageError(f"a window has at least 1 move, not {window}")
    if last_games is not None and last_games < 0:
        raise UsageError(f"the last {last_games} games cannot be taken")
    chosen = np.arange(len(pool)) if games is None else np.asarray(games)
    if chosen.dtype == np.bool_:
        chosen = np.flatnonzero(chosen)
    order, place, begins = histories(pool)
    length = pieces.length.ravel()[order]
    ends = np.concatenate([[0], np.cumsum(length)])
    flat = ranges(pieces.start.ravel()[order], length)
    here = place[(2 * chosen[:, None] + np.array([0, 1])).ravel()]
    oldest = begins[here]
    if last_games is not None:
        oldest = np.maximum(oldest, here - last_games)
    stop = ends[here]
    start = np.maximum(ends[oldest], stop - window)
    taken = stop - start
    return flat[ranges(start, taken)], np.concatenate([[0], np.cumsum(taken)])


def histories(pool: Pool) -> tuple[Integers, Integers, Integers]:
    """The games of every player, one player after the other, each in order of time.

    Returns:
        order (int64 [2 * games]): Sides (twice the game, plus 1 for the second player) in that
            order.
        place (int64 [2 * games]): Where each side stands in it.
        begins (int64 [2 * games]): For each place, where its player's first game stands.
    """
    player = np.column_stack([pool.first, pool.second]).ravel().astype(np.int64)
    order = np.argsort(player, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    grouped = player[order]
    return order, place, np.searchsorted(grouped, grouped, side="left").astype(np.int64)


def ranges(start: Integers, length: Integers) -> Integers:
    """All of ``start, start + 1, …`` of one range after the other.

    Examples:
        >>> ranges(np.array([5, 0]), np.array([2, 3]))
        array([5, 6, 0, 1, 2])
    """
    ends = np.cumsum(length)
    total = int(ends[-1]) if len(ends) else 0
    places: Integers = np.arange(total) + np.repeat(start - (ends - length), length)
    return places


#: So many features are added up at a time.
_COLUMNS = 16


@dataclass(frozen=True, eq=False)
class MoveSets:
    """The recent moves of both players of each of g games."""

    features: NDArray[Any]  #: [moves, width]: features of moves, perhaps mapped from disk.
    rows: Integers  #: [k]: rows of `features`, of one side after the other, the oldest move first.
    #: Side s (0 Black, 1 White) of game i has the rows
    #: ``rows[starts[2 * i + s]:starts[2 * i + s + 1]]``.
    starts: Integers

    def __post_init__(self) -> None:
        """Refuse arrays that do not go together."""
        if self.features.ndim != 2:
            raise InputError(f"features have the shape {self.features.shape}, not [moves, width]")
        if len(self.starts) % 2 != 1 or self.starts[0] != 0 or self.starts[-1] != len(self.rows):
            raise InputError("the starts of the sides do not go with the rows")
        if (np.diff(self.starts) < 0).any():
            raise InputError("a side has fewer than no moves")
        if len(self.rows) and not 0 <= self.rows.min() <= self.rows.max() < len(self.features):
            raise InputError(f"a row lies outside the {len(self.features)} moves with features")

    def __len__(self) -> int:
        """Number of games."""
        return len(self.starts) // 2

    @property
    def width(self) -> int:
        """Features of a move."""
        return int(self.features.shape[1])

    def lengths(self) -> Integers:
        """Number of moves of each side, Black's and White's of the first game first: [2 * g]."""
        return np.diff(self.starts)

    def padded(
        self, sides: NDArray[np.integer[Any]], window: int | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The moves of some sides as one array.

        Args:
            sides (int array [b]): Twice the number of the game, plus 1 for White's side.
            window: Only the last so many moves of each.

        Returns:
            ``features`` (float32 [b, n, width]), where n is the number of moves of the longest
            side, 1 if none has a move, and what stands after a side's moves is 0; and ``present``
            (bool [b, n]), True where there is a move.
        """
        start, stop = self.starts[sides], self.starts[np.asarray(sides) + 1]
        if window is not None:
            if window < 1:
                raise UsageError(f"a window has at least 1 move, not {window}")
            start = np.maximum(start, stop - window)
        length = stop - start
        longest = max(int(length.max(initial=0)), 1)
        present = np.arange(longest) < length[:, None]
        table = np.zeros((len(length), longest, self.width), np.float32)
        table[present] = self.features[self.rows[ranges(start, length)]]
        return table, present

    def means(self, window: int | None = None) -> Array:
        """Mean features of each side, 0 for one without moves: [2 * g, width]."""
        start, stop = self.starts[:-1], self.starts[1:]
        if window is not None:
            start = np.maximum(start, stop - window)
        length = stop - start
        sums = np.empty((len(length), self.width))
        from scipy.sparse import csr_matrix

        taken = self.rows[ranges(start, length)]
        used, place = np.unique(taken, return_inverse=True)
        ends = np.concatenate([[0], np.cumsum(length)])
        ones = np.ones(len(taken))
        adding = csr_matrix((ones, place.ravel(), ends), shape=(len(length), len(used)))
        for begin in range(0, self.width, _COLUMNS):
            block = slice(begin, begin + _COLUMNS)
            sums[:, block] = adding @ self.features[used, block].astype(np.float64)
        average: Array = sums / np.maximum(length, 1)[:, None]
        return average

    def select(self, games: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> MoveSets:
        """The sets of some games."""
        chosen = np.asarray(games)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        sides = (2 * chosen[:, None] + np.array([0, 1])).ravel().astype(np.int64)
        length = self.lengths()[sides]
        rows = self.rows[ranges(self.starts[sides], length)]
        return MoveSets(self.features, rows, np.concatenate([[0], np.cumsum(length)]))

    def compact(self) -> MoveSets:
        """The same with only the features that are used, in memory."""
        used, rows = np.unique(self.rows, return_inverse=True)
        return MoveSets(np.ascontiguousarray(self.features[used]), rows.ravel(), self.starts)


@dataclass(frozen=True, eq=False)
class Labelled:
    """Games with the recent moves, the score, and the rating labels of both players."""

    moves: MoveSets
    score: NDArray[np.float32]  #: [g]: points of Black: 1, 0.5 or 0.
    #: [g, 2]: rating labels of Black and of White: Glicko-2 points, unless `normalised`.
    labels: Array

    def __post_init__(self) -> None:
        """Refuse arrays that do not go together."""
        games = len(self.moves)
        if self.score.shape != (games,) or self.labels.shape != (games, 2):
            raise InputError(
                f"scores {self.score.shape} and labels {self.labels.shape} "
                f"do not go with the moves of {games} games"
            )

    def __len__(self) -> int:
        """Number of games."""
        return len(self.score)

    def normalisation(self) -> tuple[float, float]:
        """Mean and standard deviation of the labels (Neubauer 2024, section 4.7.1)."""
        if len(self) < 1:
            raise UsageError("it takes two labels to normalise by")
        return float(self.labels.mean()), float(self.labels.std(ddof=1))

    def normalised(self, mean: float, deviation: float) -> Labelled:
        """The same with labels less `mean`, over `deviation`."""
        if not deviation > 0.0:
            raise UsageError(f"labels cannot be divided by a deviation of {deviation:g}")
        return replace(self, labels=(self.labels - mean) / deviation)

    def select(self, games: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> Labelled:
        """Some of the games."""
        return Labelled(self.moves.select(games), self.score[games], self.labels[games])

    @staticmethod
    def joined(parts: Sequence[Labelled]) -> Labelled:
        """Several of the same features as one."""
        first = parts[0].moves.features
        if any(part.moves.features is not first for part in parts):
            raise UsageError("sets of moves can be joined if they share their features")
        starts = [np.zeros(1, np.int64)]
        for part in parts:
            starts.append(part.moves.starts[1:] + starts[-1][-1])
        moves = MoveSets(
            first,
            np.concatenate([part.moves.rows for part in parts]),
            np.concatenate(starts),
        )
        return Labelled(
            moves,
            np.concatenate([part.score for part in parts]),
            np.concatenate([part.labels for part in parts]),
        )


#: What must be the same for features to be compared.
_SAME = ("sha256", "symmetries", "precision", "rules", "komi", "channels")


@dataclass(frozen=True, eq=False)
class Stores:
    """Stores of features that one network made in one way; rows go on from one to the next."""

    stores: tuple[FeatureStore, ...]
    offsets: NDArray[np.int64]  #: [stores + 1]: first row of each store among all.

    @classmethod
    def open(cls, paths: Sequence[str | os.PathLike[str]]) -> Stores:
        """Open complete stores.

        Raises:
            InputError: One is not complete, damaged, or made in another way than the first.
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

        Args:
            keys: What names each game.
            by: The column of the stores that holds these: ``name`` or ``file``. With ``file`` a key
                is the file, and ``#`` with the number in the file for further games of one file; a
                file that has moved is found by its name alone if only one has it. If a game is in
                two stores, the first counts.
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
