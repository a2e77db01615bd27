"""Values with their intervals, as tables and sentences have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yardstone.reports.document import Column

__all__ = ["NORMAL_95", "share_column", "share_text", "signed_within", "within"]

#: Standard errors on each side of an interval of 95 %.
NORMAL_95 = 1.959963984540054


def share_text(value: float) -> str:
    """A share in per cent."""
    return f"{100.0 * value:.1f}"


def share_column(
    name: str, value: Callable[[Any], float], heading: str, *, gives_way: int = 0
) -> Column:
    """A column of shares, which people read in per cent."""

    def text(row: Any) -> str:
        return share_text(value(row))

    return Column(name, value, heading, "number", show=text, gives_way=gives_way)


def within(
    value: float, error: float, digits: int, scale: float = 1.0, *, reach: float = NORMAL_95
) -> str:
    """A value with its interval, `reach` standard errors on each side (95 %)."""
    return f"{scale * value:.{digits}f} ± {scale * reach * error:.{digits}f}"


def signed_within(
    value: float, error: float, scale: float = 1.0, *, reach: float = NORMAL_95
) -> str:
    """A difference with its interval."""
    return f"{scale * value:+.1f} ± {scale * reach * error:.1f}"
