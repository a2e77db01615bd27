"""Groups of ranks on the scales of Fox and OGS, as numbers: n dan is n to n + 1, 1 kyu 0 to 1."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["EDGES", "GROUP_EDGES", "KNOWN_RANKS", "RANKS"]

#: The rank groups of the Fox games, the weakest first.
RANKS = ("3-5k", "1-2k", *(f"{dan}d" for dan in range(1, 10)))
#: Where they begin and end on the Fox scale.
EDGES = np.array([-4.0, -1.0, *range(1, 11)])
#: Whom the models know, on one scale or the other: what pages and guides say.
KNOWN_RANKS = "30 kyu to 9 dan"
#: Where groups begin and end by scale. Those of OGS are 26 kyu and weaker, 21 to 25 kyu, 16 to
#: 20, 11 to 15, 6 to 10, 1 to 5 kyu, 1 and 2 dan, and 3 dan and stronger.
GROUP_EDGES: Mapping[str, NDArray[np.float64]] = MappingProxyType(
    {
        "fox": EDGES,
        "ogs": np.array([-34.0, -24.0, -19.0, -14.0, -9.0, -4.0, 1.0, 3.0, 10.0]),
    }
)
