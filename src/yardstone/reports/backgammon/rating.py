"""The answer about one player in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["rating_text"]

_RATES = {
    "epm": ("EPM", "a move"),
    "epc": ("EPC", "a close cube decision"),
    "epd": ("EPD", "a decision"),
}
_OTHERS = {
    "memg": ("GNU Backgammon", "{:.2f} mEMG a decision"),
    "pr": ("PR", "{:.2f}"),
    "snowie": ("Snowie", "{:.2f}"),
}


def rating_text(found: Mapping[str, Any]) -> str:
    """What `yardstone.backgammon.rating.rate` found, as lines."""
    lines = []
    if "rating" in found:
        line = f"Rating {found['rating']:.1f}"
        if "relative" in found:
            line += f", {found['relative']:+.1f} to perfect play at {found['offset']:g}"
        lines.append(f"{line} ({_match(found)})")
    if "interval" in found:
        ends = found["interval"]
        lines.append(
            f"{100 * ends['level']:g} % for the doubt about this formula alone: "
            f"{ends['low']:.1f} to {ends['high']:.1f}"
        )
    elif "relative" in found:
        lines.append("The formula was published without errors, so the rating has no interval")
    if "chequer_loss" in found:
        lines.append(
            f"Chequer play costs {found['chequer_loss']:.1f} points, the cube "
            f"{found['cube_loss']:.1f}"
        )
    if "difference" in found:
        lines.append(f"{found['difference']:+.1f} points apart ({_match(found)})")
        if "rating" not in found:
            lines.append("A difference alone gives no rating: add --against, the opponent's")
    if "probability" in found:
        who = f" against {found['against']:g}" if "against" in found else ""
        lines.append(f"Wins {100 * found['probability']:.2f} % of such matches{who}")
    if "relative" in found:
        # The unit of `backgammon analyse`, with the equity that other programs give.
        rates = [
            f"{title} {1000 * found[name]:.2f} thousandths of equity {of} ({found[name]:.5f})"
            for name, (title, of) in _RATES.items()
            if name in found
        ]
        rates += [
            f"{title} {form.format(found[name])}"
            for name, (title, form) in _OTHERS.items()
            if name in found
        ]
        lines.append(", ".join(rates))
    return "\n".join(lines) + "\n"


def _match(found: Mapping[str, Any]) -> str:
    length = found["length"]
    return f"matches to {length} point{'s' if length != 1 else ''}, {found['formula']} formula"
