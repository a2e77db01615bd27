"""The games that all systems of an experiment are asked about, and what they may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile, map_array
from yardstone_lab.neubauer.dataset import MoveSets
from yardstone_lab.neubauer.recent_moves import WINDOW, Pieces, recent_moves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone_lab.neubauer.experiment.sets import Sets
    from yardstone_lab.neubauer.stores import Stores

__all__ = ["EVERYTHING", "RANK", "Questions", "RecentMoves", "ask_questions", "gather_moves"]

_FILE = ArrayFile("table of recent moves", compressed=False)

#: The kind of features that are the rank model's scores of each move.
RANK = "rank"
#: In place of a number of games: nothing is hidden.
EVERYTHING = -1


@dataclass(frozen=True, eq=False)
class Questions:
    """Games to be predicted; frozen.

    Attributes
    ----------
    game : int64 [q]
        Numbers in the pool.
    letter : array of one-letter strings [q]
        The set of each game: T, V, E or X.
    last : int64 [q]
        How many of both players' last games may be seen; -1 for all.
    """

    game: NDArray[np.int64]
    letter: NDArray[np.str_]
    last: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.game)

    def of(self, letter: str, last: int = EVERYTHING) -> NDArray[np.bool_]:
        """True for the games of a set, asked with so many games seen."""
        return np.asarray((self.letter == letter) & (self.last == last))

    @property
    def parts(self) -> list[tuple[str, int]]:
        """The sets, each with how many games are seen, in order."""
        pairs = zip(self.letter.tolist(), self.last.tolist(), strict=True)
        return list(dict.fromkeys(pairs))


def ask_questions(sets: Sets, hidden: Iterable[int] = ()) -> Questions:
    """All games of the four sets, and those of E and X again with games hidden."""
    order = [(letter, EVERYTHING) for letter in "TVEX"]
    order += [(letter, last) for last in dict.fromkeys(hidden) for letter in "EX"]
    games = [np.flatnonzero(sets.of(letter)) for letter, _ in order]
    sizes = [len(each) for each in games]
    return Questions(
        np.concatenate(games).astype(np.int64),
        np.repeat([letter for letter, _ in order], sizes),
        np.repeat([last for _, last in order], sizes).astype(np.int64),
    )


@dataclass(frozen=True, eq=False)
class RecentMoves:
    """The recent moves of both players of each question, kept in a folder.

    Attributes
    ----------
    folder : Path
        Holds `recent.npz` and a file for each kind of features.
    rows, starts : int64 arrays
        As in `MoveSets`.
    """

    folder: Path
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def open(cls, folder: Path) -> RecentMoves:
        """Open what `gather_moves` wrote."""
        return _FILE.read(
            folder / "recent.npz", lambda file, _: cls(folder, file["rows"], file["starts"])
        )

    def sets(self, kinds: Sequence[str]) -> MoveSets:
        """The moves with some kinds of features, side by side."""
        columns = [self._features(kind) for kind in kinds]
        features = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)
        return MoveSets(features, self.rows, self.starts)

    def _features(self, kind: str) -> NDArray[Any]:
        return map_array(self.folder / f"{kind}.npy")


def gather_moves(
    folder: Path,
    pool: Pool,
    pieces: Pieces,
    questions: Questions,
    stores: Stores,
    kinds: Sequence[str],
    window: int = WINDOW,
) -> RecentMoves:
    """Write the recent moves of both players of each question into a folder.

    Only features that some question needs are taken, each move's once.

    Parameters
    ----------
    folder : Path
        It exists.
    pool, pieces
        All games, and where their moves lie in the stores.
    questions : Questions
    stores : Stores
    kinds : sequence of str
        Kinds of features, each of one row of numbers a move; ``rank`` stands for the
        scores of the rank model.
    window : int
        Moves of each player at most.
    """
    gathered = []
    for last in dict.fromkeys(questions.last.tolist()):
        here = questions.last == last
        limit = None if last == EVERYTHING else last
        rows, starts = recent_moves(
            pool, pieces, questions.game[here], window=window, last_games=limit
        )
        gathered.append((np.flatnonzero(here), rows, starts))
    # Questions of one number of games stand together, but need not: put each in its place.
    pieces_of = [np.empty(0, np.int64)] * (2 * len(questions))
    for places, rows, starts in gathered:
        for k, place in enumerate(places.tolist()):
            for side in (0, 1):
                begin, end = starts[2 * k + side], starts[2 * k + side + 1]
                pieces_of[2 * place + side] = rows[begin:end]
    joined = np.concatenate([np.empty(0, np.int64), *pieces_of])
    starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces_of])])
    used, place_of = np.unique(joined, return_inverse=True)
    for kind in kinds:
        np.save(folder / f"{kind}.npy", _features(stores, kind, used))
    rows_now = place_of.ravel().astype(np.int64)
    arrays = {"rows": rows_now, "starts": starts.astype(np.int64), "used": used}
    _FILE.write(folder / "recent.npz", arrays)
    return RecentMoves(folder, rows_now, starts.astype(np.int64))


def _features(stores: Stores, kind: str, rows: NDArray[np.int64]) -> NDArray[Any]:
    if kind == RANK:
        from yardstone_lab.neubauer.experiment.rank_features import rank_scores

        return rank_scores(stores, rows)
    return stores.gather(kind, rows)
