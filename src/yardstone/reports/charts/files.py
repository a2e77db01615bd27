"""Pictures as files: SVG as text, PNG and PDF with matplotlib as the canvas."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import MissingExtraError, UsageError
from yardstone.files import replaced, write_text
from yardstone.reports.charts.colours import LIGHT
from yardstone.reports.charts.shapes import Discs, Element, Shape, Sheet, Words, legible
from yardstone.reports.charts.svg import file_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

__all__ = ["FORMATS", "save"]

#: Formats a picture can be saved in.
FORMATS = (".svg", ".png", ".pdf")
#: Pixels of the layout in an inch, those of a PNG, and points in a pixel.
_INCH, _DOTS, _POINT = 96.0, 192.0, 0.75
#: Fonts for letters that matplotlib's own lacks, where the machine has them.
_WIDE_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "IPAGothic",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
)


def save(sheet: Sheet, path: Path, words: str) -> None:
    """Save a picture in the format of the file's ending; equal pictures are equal files.

    Raises
    ------
    UsageError
        The ending is none of a picture.
    MissingExtraError
        PNG and PDF are drawn by matplotlib, which is not there.
    InputError
        The file cannot be written.
    """
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise UsageError(f"{path.name!r} does not end like a picture: use {', '.join(FORMATS)}")
    if ending == ".svg":
        write_text(path, file_svg(sheet, words))
        return
    import warnings

    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "matplotlib", "plot") from None

    figure = Figure(figsize=(sheet.width / _INCH, sheet.height / _INCH))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set(xlim=(0.0, sheet.width), ylim=(sheet.height, 0.0))
    fonts = _fonts()
    for place, element in enumerate(sheet.elements):
        _draw(axes, element, place, fonts)
    metadata = {"CreationDate": None} if ending == ".pdf" else {}
    picture = io.BytesIO()  # matplotlib raises errors of its own where a file cannot be written
    with warnings.catch_warnings():
        # A letter that no font here has is drawn as a box; in an SVG it stays a letter.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure.savefig(picture, format=ending[1:], dpi=_DOTS, metadata=metadata)
    with replaced(path) as temporary:
        temporary.write_bytes(picture.getvalue())


def _fonts() -> list[str]:
    from matplotlib.font_manager import fontManager

    present = {font.name for font in fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _WIDE_FONTS if name in present)]


def _draw(axes: Axes, element: Element, place: int, fonts: list[str]) -> None:
    from matplotlib.patheffects import withStroke

    if isinstance(element, Words):
        effects = [withStroke(linewidth=2.25, foreground=LIGHT["paper"])] if element.halo else []
        axes.text(
            element.x,
            element.y,
            legible(element.text),
            fontsize=element.size * _POINT,
            ha={"start": "left", "middle": "center", "end": "right"}[element.anchor],
            va="baseline",
            color=_colour(element.colour),
            weight="bold" if element.bold else "normal",
            fontfamily=fonts,
            parse_math=False,
            zorder=place,
            path_effects=effects,
        )
    else:
        axes.add_patch(_patch(element, place))


def _patch(element: Shape | Discs, place: int) -> Patch:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    dash: tuple[float, ...] = ()
    if isinstance(element, Discs):
        outlines = [Outline.circle((x, y), element.radius) for x, y in element.centres]
    else:
        closed, dash = bool(element.fill), element.dash
        parts = [np.vstack([part, part[:1]]) if closed else part for part in element.parts]
        outlines = [Outline(part, closed=closed) for part in parts]
    return PathPatch(
        Outline.make_compound_path(*outlines),
        facecolor=_colour(element.fill),
        edgecolor=_colour(element.stroke),
        linewidth=element.width * _POINT if element.stroke else 0.0,
        linestyle=(0, [length / element.width for length in dash]) if dash else "-",
        alpha=element.opacity,
        capstyle="butt",
        joinstyle="round",
        zorder=place,
    )


def _colour(name: str) -> str:
    return LIGHT[name] if name else "none"
