"""Which players the games connect, in Ordo's words (switch -g)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.ratings.connectivity import strong_components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from yardstone.pool import PairCounts

__all__ = ["Groups", "find_groups", "groups_text"]


@dataclass(frozen=True)
class Groups:
    """Groups of players with a common scale, the largest first.

    Attributes
    ----------
    label : int32 array (players,)
        Group of each player from 0; -1 without games.
    members : list of list of int
        Players of each group in byte order of their names.
    isolated : list of bool
        Whether nobody outside the group was met at all.
    within, between : int
        Pairings (with colours) inside the groups and across them.
    """

    label: NDArray[np.int32]
    members: list[list[int]]
    isolated: list[bool]
    within: int
    between: int

    def __len__(self) -> int:
        return len(self.members)


def find_groups(names: Sequence[str], counts: PairCounts) -> Groups:
    """Groups among the players who have games."""
    active = np.zeros(counts.players, np.bool_)
    active[counts.first] = active[counts.second] = True
    label = strong_components(counts, active, names=names)
    number = int(label.max(initial=-1)) + 1
    members: list[list[int]] = [[] for _ in range(number)]
    for player in np.flatnonzero(active):
        members[label[player]].append(int(player))
    for group in members:
        group.sort(key=lambda player: names[player].encode())
    inside = label[counts.first] == label[counts.second]
    linked = set(label[counts.first[~inside]].tolist()) | set(
        label[counts.second[~inside]].tolist()
    )
    within = int(inside.sum())
    return Groups(
        label,
        members,
        [group not in linked for group in range(number)],
        within,
        len(inside) - within,
    )


def groups_text(names: Sequence[str], groups: Groups) -> str:
    """The report of the groups."""
    if len(groups) == 1:
        return "Group connectivity: **PASSED**\nAll players are connected into only one group.\n"
    lines = ["Group connectivity: **FAILED**"]
    for number, (group, isolated) in enumerate(zip(groups.members, groups.isolated, strict=True)):
        lines += ["", f"Group {number + 1}"]
        lines += [f" | {names[player]}" for player in group]
        state = "is isolated from the rest"
        if not isolated:
            state = "has incomplete links with the rest (only wins or losses)"
        lines.append(f" \\---> this group {state}")
    return "\n".join(lines) + "\n\n"
