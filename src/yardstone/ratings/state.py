"""Where a rating system stands after some games: kept, saved, taken up again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile, StoredArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["State"]

_FILE = ArrayFile("saved state", format=1)
_NEVER = np.datetime64("NaT", "s")


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """All that a system must remember to go on with later games; frozen.

    Attributes
    ----------
    system : str
        The system with its parameters, in words: a state goes on only under the
        system that made it.
    players : tuple of str
        Names, by number.
    arrays : mapping of str to arrays
        What the system keeps, mostly one entry a player.
    games : int
        How many games it has seen.
    until : datetime64[s]
        Time of the last of them; NaT without games or times.
    """

    system: str
    players: tuple[str, ...]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    games: int = 0
    until: np.datetime64 = _NEVER

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))

    def __repr__(self) -> str:
        return f"<State: {self.games} games of {len(self.players)} players under {self.system}>"

    def save(self, path: str | Path) -> None:
        """Write to a file (numpy's npz, compressed)."""
        kept: dict[str, Any] = {f"of_{name}": array for name, array in self.arrays.items()}
        kept |= {
            "system": np.array(self.system),
            "players": np.array("\0".join(self.players)),
            "number_of_players": np.array(len(self.players)),
            "games": np.array(self.games),
            "until": np.array(self.until, "datetime64[s]"),
        }
        _FILE.write(Path(path), kept)

    @classmethod
    def load(cls, path: str | Path) -> State:
        """Read what `save` wrote; InputError for any other file."""
        return _FILE.read(Path(path), cls._of_arrays)

    @classmethod
    def _of_arrays(cls, kept: StoredArrays, _: object) -> State:
        number = int(kept["number_of_players"])
        players = tuple(str(kept["players"]).split("\0")) if number else ()
        if len(players) != number:
            raise ValueError("players")
        until: Any = kept["until"]
        games = kept["games"]
        if until.dtype != "datetime64[s]" or until.shape or games.shape or games.dtype.kind != "i":
            raise ValueError("until")
        return cls(
            str(kept["system"]),
            players,
            {name[3:]: kept[name] for name in kept if name.startswith("of_")},
            int(games),
            until[()],
        )
