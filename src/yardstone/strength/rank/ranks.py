"""The rank groups of the Fox games, and where they lie on its scale."""

from __future__ import annotations

import numpy as np

__all__ = ["EDGES", "RANKS"]

#: The rank groups of the Fox games, the weakest first.
RANKS = ("3-5k", "1-2k", *(f"{dan}d" for dan in range(1, 10)))
#: Where they begin and end on the Fox scale: n dan is n to n + 1, 1 kyu 0 to 1.
EDGES = np.array([-4.0, -1.0, *range(1, 11)])
