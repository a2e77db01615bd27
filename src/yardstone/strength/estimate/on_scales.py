"""An estimate on a scale: ranks, ratings and intervals as that scale has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from yardstone.strength.estimate.groups import group_probabilities

if TYPE_CHECKING:
    from yardstone.strength.estimate.estimate import StrengthEstimate
    from yardstone.strength.estimate.site_scales import SiteScale
    from yardstone.strength.estimate.strengths import Rated

__all__ = ["part_on_scale", "parts_on_scale", "plain_on_scale", "whole_on_scale"]


def part_on_scale(rated: Rated, scale: SiteScale, level: float) -> dict[str, Any]:
    """Rank, rating and interval of all moves or of some, on a scale."""
    low, high = scale.widened(rated.rating, rated.low, rated.high, level)
    return {
        "rank": scale.rank(rated.rating),
        "rating": scale.value(rated.rating),
        "low": None if low is None else scale.value(low),
        "high": None if high is None else scale.value(high),
    }


def whole_on_scale(estimate: StrengthEstimate, scale: SiteScale) -> dict[str, Any]:
    """The same from all moves, with the ranks of the ends of the interval."""
    whole = estimate.measured[scale.basis].whole
    ends = scale.widened(whole.rating, whole.low, whole.high, estimate.level)
    low_rank, high_rank = scale.end_ranks(*ends)
    part = part_on_scale(whole, scale, estimate.level)
    return {**part, "low_rank": low_rank, "high_rank": high_rank}


def parts_on_scale(estimate: StrengthEstimate) -> dict[str, Any]:
    """All of an estimate's plain value that depends on its scale."""
    scale, level = estimate.scale, estimate.level
    return {
        "scale": scale.name,
        **whole_on_scale(estimate, scale),
        **({"rank": None} if estimate.contradictory else {}),
        "probabilities": group_probabilities(scale, estimate.probabilities),
        "phases": [part_on_scale(rated, scale, level) for _, rated in estimate.phases],
        "by_game": [
            {
                **part_on_scale(game.alone, scale, level),
                "running": part_on_scale(game.running, scale, level),
            }
            for game in estimate.games
        ],
        "indicative_moves": [
            move.as_dict(estimate.games[move.game].evaluated) for move in estimate.here.indicative
        ],
        "unlikely": estimate.whole.unlikely,
        "notes": list(estimate.notes),
    }


def plain_on_scale(plain: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """An estimate's plain value with the parts of another scale in place of its own.

    Parameters
    ----------
    plain : mapping
        As `StrengthEstimate.as_dict` gives it.
    parts : mapping
        As `parts_on_scale` gives them, of the same estimate.
    """
    lists = {
        name: [{**own, **other} for own, other in zip(plain[name], parts[name], strict=True)]
        for name in ("phases", "by_game")
    }
    return {**plain, **parts, **lists}
