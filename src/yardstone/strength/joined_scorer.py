"""`JoinedScorer`: the scores of several scorers, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from yardstone.plugins import MODELS, load
from yardstone.strength.losses_model import LossScorer
from yardstone.strength.rank.scorer import MoveScorer
from yardstone.strength.set_model.scorer import SetScorer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence
    from yardstone.strength.scorer import Scorer

__all__ = ["SCORERS", "JoinedScorer", "scorer_class"]

#: Scorers by kind, but for joined ones.
SCORERS: Mapping[str, type[MoveScorer | SetScorer | LossScorer]] = {
    each.kind: each for each in (MoveScorer, SetScorer, LossScorer)
}


def scorer_class(kind: str) -> Any:
    """Return the class of a kind of scorer, built in or of a plug-in; else raise `KeyError`."""
    return SCORERS[kind] if kind in SCORERS else load(MODELS, kind)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedScorer:
    """Scorers of one network whose scores stand side by side.

    Attributes
    ----------
    members : tuple of Scorer
        None of them joined itself.
    """

    kind: ClassVar[str] = "joined"

    members: tuple[Scorer, ...]

    @property
    def width(self) -> int:
        """Number of scores, of all members together."""
        return sum(member.width for member in self.members)

    @property
    def channels(self) -> int:
        """Width of the trunk that they read; 0 if none of them reads one."""
        return max(member.channels for member in self.members)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Their weights, each by the number and the kind of the member and by name."""
        return {
            f"{number}_{member.kind}_{name}": value
            for number, member in enumerate(self.members)
            for name, value in member.arrays().items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> JoinedScorer:
        """The scorer with these weights.

        Raises
        ------
        ValueError
            They are none, or of networks of different widths.
        """
        parts: dict[tuple[int, str], dict[str, NDArray[Any]]] = {}
        for name, value in arrays.items():
            number, kind, own = name.split("_", 2)
            parts.setdefault((int(number), kind), {})[own] = value
        keys = sorted(parts)
        if not keys or [number for number, _ in keys] != list(range(len(keys))):
            raise ValueError("members are missing")
        members = tuple(
            scorer_class(kind).from_arrays(parts[number, kind]) for number, kind in keys
        )
        if len({member.channels for member in members} - {0}) > 1:
            raise ValueError("scorers of different networks")
        return cls(members)

    def part_scores(
        self, evidence: Evidence, part: NDArray[np.integer[Any]], parts: int
    ) -> NDArray[np.float64]:
        """Summed scores of some parts of each game: [parts, games, k]; see `Scorer`."""
        each = [member.part_scores(evidence, part, parts) for member in self.members]
        return np.concatenate(each, axis=-1)

    def move_shares(self, evidence: Evidence) -> NDArray[np.float64]:
        """What each move has of the scores of its whole game: [n, k]."""
        return np.concatenate([member.move_shares(evidence) for member in self.members], axis=-1)
