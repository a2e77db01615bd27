"""The answer about one player in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["rating_text"]

_RATES = {
    "epm": ("EPM", "{:.5f} a move"),
    "epc": ("EPC", "{:.5f} a close cube decision"),
    "epd": ("EPD", "{:.5f} a decision"),
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
    if "chequer_loss" in found:
        lines.append(
            f"Chequer play costs {found['chequer_loss']:.1f} points, the cube "
            f"{found['cube_loss']:.1f}"
        )
    if "difference" in found:
        lines.append(f"{found['difference']:+.1f} points apart ({_match(found)})")
    if "probability" in found:
        who = f" against {found['against']:g}" if "against" in found else ""
        lines.append(f"Wins {100 * found['probability']:.2f} % of such matches{who}")
    if "relative" in found:
        rates = [
            f"{title} {form.format(found[name])}"
            for name, (title, form) in _RATES.items()
            if name in found
        ]
        lines.append(", ".join(rates))
    return "\n".join(lines) + "\n"


def _match(found: Mapping[str, Any]) -> str:
    length = found["length"]
    return f"matches to {length} point{'s' if length != 1 else ''}, {found['formula']} formula"
