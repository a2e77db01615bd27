"""The groups of ranks of a model on the scale on which an estimate is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from yardstone.strength.estimate.site_scales import FOX, fox_rank
from yardstone.strength.rank.ranks import GROUP_EDGES, RANKS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yardstone.strength.estimate.site_scales import SiteScale

__all__ = ["group_probabilities"]

_SMALL = 1e-9


def group_probabilities(
    scale: SiteScale, probabilities: NDArray[np.float64] | Sequence[float]
) -> list[dict[str, Any]]:
    """The probability of each group, named and bordered on a scale.

    Parameters
    ----------
    scale : SiteScale
    probabilities : float64 [g]
        Of the groups of the scale's basis (`yardstone.strength.rank.ranks`).

    Returns
    -------
    list of dict
        ``rank``: the ranks of the scale that the group covers, or the ratings where it has
        no ranks; ``low`` and ``high``: ratings at its borders, None at the ends, beyond which
        the model tells nobody apart; ``probability``.
    """
    edges = GROUP_EDGES[scale.basis].tolist()
    last = len(edges) - 2
    return [
        {
            "rank": RANKS[number] if scale.name == FOX else _name(scale, edges, number),
            "low": None if number == 0 else scale.value(edges[number]),
            "high": None if number == last else scale.value(edges[number + 1]),
            "probability": round(float(share), 4),
        }
        for number, share in enumerate(probabilities)
    ]


def _name(scale: SiteScale, edges: Sequence[float], number: int) -> str:
    """What a group is called: at the ends "or weaker" and "or stronger"."""
    low, high = edges[number], edges[number + 1]
    first, last = number == 0, number == len(edges) - 2
    if scale.number is None:
        below, above = (f"{scale.value(end):g}" for end in (low, high))
        return f"below {above}" if first else f"from {below}" if last else f"{below}–{above}"
    weak = fox_rank(scale.number(low) + _SMALL)
    strong = fox_rank(scale.number(high) - _SMALL)
    if first:
        return f"≤{strong}"
    if last:
        return f"≥{weak}"
    if weak == strong:
        return weak
    if weak[-1] == strong[-1] == "k":
        return f"{strong[:-1]}-{weak}"
    return f"{weak[:-1]}-{strong}" if weak[-1] == strong[-1] else f"{weak}-{strong}"
