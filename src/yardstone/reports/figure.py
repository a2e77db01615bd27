"""A matplotlib figure as the drawing of a report."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FigureDrawing"]


@dataclass(frozen=True)
class FigureDrawing:
    """What `make` draws, made each time it is wanted."""

    make: Callable[[], Figure]

    def svg(self) -> str:
        """An SVG element whose styles are attributes, as the policy of pages wants them."""
        from matplotlib import rc_context

        out = io.StringIO()
        with rc_context({"svg.hashsalt": "yardstone", "svg.fonttype": "path"}):
            self.make().savefig(out, format="svg", metadata={"Date": None})
        text = re.sub(r"<style.*?</style>", "", out.getvalue(), flags=re.DOTALL)
        text = re.sub(r' style="([^"]*)"', lambda match: _attributes(match[1]), text)
        return text[text.index("<svg") :]

    def save(self, path: Path) -> None:
        """Write it to a file ending in .svg, .png or .pdf."""
        from yardstone.reports.plot import save_plot

        save_plot(self.make(), path)


def _attributes(style: str) -> str:
    parts = (part.partition(":") for part in style.split(";") if ":" in part)
    return "".join(f' {name.strip()}="{value.strip()}"' for name, _, value in parts)
