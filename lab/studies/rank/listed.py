"""What the shipped model keeps of the games of the listed players, whom it has never seen.

A row a side of a game: numbers of moves and summed scores by phase of the game as the
estimate shows them (opening, middle game, endgame), each move scored within its whole
game. That is small enough to be kept, and enough to judge any sum of games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.rank.facts import Facts
from yardstone.errors import NoGamesError
from yardstone.files import replaced
from yardstone.go.analysis import PHASES as GAME_PHASES
from yardstone.go.analysis import Phases
from yardstone.go.feature_store import FeatureStore
from yardstone.go.points import BLACK, WHITE
from yardstone.strength.evidence import PHASES, evidence_of_store
from yardstone.strength.model import StrengthModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

_BOARD = 19


@dataclass(frozen=True, eq=False)
class Sides:
    """Sides of games.

    Attributes:
        counts (uint8 [s, 3, phases]): Moves in each phase of the game, by the phases of the model.
        scores (float32 [s, 3, k]): Their summed scores.
        group: int8 [s].
        player (int16 [s]): A number for each player within a group: those that are listed come
            first.
        listed (bool [s]): Whether the player is listed, so that 15 or more games are known.
        game, year: int16 [s].
    """

    counts: NDArray[np.uint8]
    scores: NDArray[np.float32]
    group: NDArray[np.int8]
    player: NDArray[np.int16]
    listed: NDArray[np.bool_]
    game: NDArray[np.int16]
    year: NDArray[np.int16]

    def __len__(self) -> int:
        """Number of sides."""
        return len(self.group)

    def statistics(self, phase: int | None = None) -> Array:
        """Rows as `StrengthModel.game_statistics` gives them, of one phase or of all."""
        chosen = slice(None) if phase is None else slice(phase, phase + 1)
        counts = self.counts[:, chosen].sum(axis=1).astype(np.float64)
        scores = self.scores[:, chosen].astype(np.float64).sum(axis=1)
        return np.concatenate([counts, counts.sum(axis=1, keepdims=True) ** 2, scores], axis=1)

    def select(self, rows: NDArray[np.bool_]) -> Sides:
        """Some of the sides."""
        return Sides(**{each.name: getattr(self, each.name)[rows] for each in fields(self)})

    def save(self, path: Path) -> None:
        """Keep them in a compressed file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with replaced(path) as temporary, temporary.open("wb") as file:
            arrays = {each.name: getattr(self, each.name) for each in fields(self)}
            np.savez_compressed(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path) -> Sides:
        """What `save` kept."""
        with np.load(path, allow_pickle=False) as result:
            return cls(**{each.name: result[each.name] for each in fields(cls)})


def read_sides(stores: Sequence[Path], model: StrengthModel, facts: Facts) -> Sides:
    """Score all sides of the games held back in some stores of features.

    Raises:
        NoGamesError: There are none.
    """
    numbers = {key: number for number, key in enumerate(facts.listed)}
    listed = len(numbers)
    parts: dict[str, list[NDArray[np.generic]]] = {each.name: [] for each in fields(Sides)}
    games = 0
    for path in stores:
        store = FeatureStore.open(path)
        group, players, held = facts.of(store)
        years = store.games["date"].astype("datetime64[Y]").astype(np.int64) + 1970
        for game in np.flatnonzero(held):
            for colour in (BLACK, WHITE):
                evidence = evidence_of_store(store, [(int(game), colour)])
                place = Phases().of(evidence.number.astype(np.int32), _BOARD)
                result = model.part_statistics(evidence, place, len(GAME_PHASES))[:, 0]
                key = (int(group[game]), str(players[game, colour - 1]))
                number = numbers.setdefault(key, len(numbers))
                row = {
                    "counts": result[:, :PHASES].astype(np.uint8),
                    "scores": result[:, PHASES + 1 :].astype(np.float32),
                    "group": np.int8(key[0]),
                    "player": np.int16(number),
                    "listed": np.bool_(number < listed),
                    "game": np.int16(games),
                    "year": np.int16(years[game]),
                }
                for name, value in row.items():
                    parts[name].append(np.asarray(value))
            games += 1
    if not games:
        raise NoGamesError("the stores hold no game of a listed player")
    return Sides(**{name: np.stack(values) for name, values in parts.items()})
