"""Where a rating system stands after some games: kept, saved, taken up again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from yardstone.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["State"]

_FORMAT = 1
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
            "format": np.array(_FORMAT),
            "system": np.array(self.system),
            "players": np.array("\0".join(self.players)),
            "number_of_players": np.array(len(self.players)),
            "games": np.array(self.games),
            "until": np.array(self.until, "datetime64[s]"),
        }
        with Path(path).open("wb") as file:
            np.savez_compressed(file, **kept)

    @classmethod
    def load(cls, path: str | Path) -> State:
        """Read what `save` wrote; InputError for any other file."""
        try:
            with np.load(path, allow_pickle=False) as file:
                kept = {name: file[name] for name in file.files}
            if int(kept["format"]) != _FORMAT:
                raise InputError("the state was saved by another version", file=str(path))
            names = str(kept["players"])
            return cls(
                str(kept["system"]),
                tuple(names.split("\0")) if int(kept["number_of_players"]) else (),
                {name[3:]: array for name, array in kept.items() if name.startswith("of_")},
                int(kept["games"]),
                kept["until"][()],
            )
        except (KeyError, ValueError, BadZipFile, EOFError, AttributeError):
            raise InputError("this is no saved state", file=str(path)) from None
