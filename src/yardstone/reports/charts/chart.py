"""A chart: panels under a title, drawn by one layout for pages and for files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from yardstone.reports.charts.files import save
from yardstone.reports.charts.layout import laid_out
from yardstone.reports.charts.panels import (
    Axis,
    Band,
    Bars,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
)
from yardstone.reports.charts.shapes import Sheet
from yardstone.reports.charts.svg import file_svg, page_svg

__all__ = ["Axis", "Band", "Bars", "Chart", "Guide", "Label", "Mark", "Panel", "Points", "Stroke"]


@dataclass(frozen=True)
class Chart:
    """Panels under a title.

    Attributes
    ----------
    words : str
        What the picture shows, for those who cannot see it; the title without it.
    note : str
        Below the picture.
    columns : int
        Panels side by side where there is room.
    height : float
        Of the inside of each panel, in pixels.
    widths : tuple of float
        In pixels: on a screen or paper, and if there are two, on a phone.
    shading : (str, str, str), optional
        Colour, lowest and highest value of the shades of bars, for the legend.
    """

    panels: Sequence[Panel]
    title: str = ""
    words: str = ""
    note: str = ""
    columns: int = 1
    height: float = 280.0
    widths: tuple[float, ...] = (760.0, 360.0)
    shading: tuple[str, str, str] | None = None

    def sheet(self, width: float | None = None) -> Sheet:
        """The chart in pixels, as wide as is wanted."""
        return laid_out(self, self.widths[0] if width is None else width)

    def svg(self) -> str:
        """An SVG element for a page, in the colours of its style sheet."""
        return page_svg([self.sheet(width) for width in self.widths], self.words or self.title)

    def standalone(self) -> str:
        """An SVG file as text, in fixed colours on white."""
        return file_svg(self.sheet(), self.words or self.title)

    def save(self, path: Path) -> None:
        """Write it to a file ending in .svg, .png or .pdf."""
        save(self.sheet(), path, self.words or self.title)
