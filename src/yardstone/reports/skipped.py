"""Records that were left out, as JSON has them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.pool import SkipReport

__all__ = ["plain_skipped"]

#: Records that are written with their place.
PLACES = 100


def plain_skipped(skipped: SkipReport) -> dict[str, Any]:
    """How many, why, and the first of them."""
    return {
        "total": len(skipped),
        "reasons": dict(skipped.reasons.most_common()),
        "first": [asdict(record) for record in skipped.details[:PLACES]],
    }
