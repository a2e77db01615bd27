"""A chart: panels under a title, laid out once, drawn as SVG and by matplotlib."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from markupsafe import escape as escaped_text
from numpy.typing import NDArray

from yardstone.errors import MissingExtraError, UsageError
from yardstone.files import replaced, write_text
from yardstone.reports.layout import laid_out
from yardstone.reports.panels import (
    LIGHT,
    Axis,
    Band,
    Bars,
    Discs,
    Element,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Shape,
    Sheet,
    Stroke,
    Words,
    legible,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    "Axis",
    "Band",
    "Bars",
    "Chart",
    "Drawn",
    "Guide",
    "Label",
    "Mark",
    "Panel",
    "Points",
    "Stroke",
    "file_svg",
    "page_svg",
    "FORMATS",
    "save",
]


class Drawn(ABC):
    """What is drawn in pixels and shown in a page or kept in a file; `words` say what it shows."""

    words: str

    @abstractmethod
    def sheet(self) -> Sheet:
        """The picture in pixels."""

    def sheets(self) -> list[Sheet]:
        """The same for a page: one, or one for wide screens and paper and one for phones."""
        return [self.sheet()]

    def svg(self) -> str:
        """An SVG element for a page, in the colours of its style sheet."""
        return page_svg(self.sheets(), self.words)

    def standalone(self) -> str:
        """An SVG file as text, in fixed colours on white."""
        return file_svg(self.sheet(), self.words)

    def save(self, path: Path) -> None:
        """Write it to a file ending in .svg, .png or .pdf."""
        save(self.sheet(), path, self.words)


@dataclass(frozen=True)
class Chart(Drawn):
    """Panels under a title."""

    panels: Sequence[Panel]
    title: str = ""
    words: str = ""  #: What the picture shows, for those who cannot see it; the title without it.
    note: str = ""  #: Below the picture.
    columns: int = 1  #: Panels side by side where there is room.
    height: float = 280.0  #: Of the inside of each panel, in pixels.
    #: In pixels: on a screen or paper, and if there are two, on a phone.
    widths: tuple[float, ...] = (760.0, 360.0)
    #: Colour, lowest and highest value of the shades of bars, for the legend.
    shading: tuple[str, str, str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self.words or self.title)

    def sheet(self, width: float | None = None) -> Sheet:
        """The chart in pixels, as wide as is wanted."""
        return laid_out(self, self.widths[0] if width is None else width)

    def sheets(self) -> list[Sheet]:
        """One as wide as each of its widths."""
        return list(map(self.sheet, self.widths))


_SPACE = 'xmlns="http://www.w3.org/2000/svg"'
#: Circles more than these become one element.
_MANY = 24

Attributes = Callable[[str, str, Sequence[str]], str]


def escape(text: str) -> Markup:
    """A text as letters alone, whatever stands in it."""
    return escaped_text(legible(text))


def number(value: float) -> str:
    """A coordinate with at most one decimal.

    Examples:
        >>> number(12.5001), number(3.0), number(-0.001)
        ('12.5', '3', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def page_svg(sheets: Sequence[Sheet], words: str) -> Markup:
    """Elements for a page: one, or one for wide screens and paper and one for phones."""
    kinds = ("",) if len(sheets) == 1 else (" wide", " narrow")
    return Markup("").join(
        Markup(
            f'<svg {_SPACE} class="drawing{kind}" role="img" aria-label="{escape(words)}" '
            f"{_size(sheet)}>{_inner(sheet, _classes)}</svg>"
        )
        for sheet, kind in zip(sheets, kinds, strict=True)
    )


def file_svg(sheet: Sheet, words: str) -> str:
    """A whole file in the colours of the day, on white."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<svg {_SPACE} {_size(sheet)} '
        "font-family=\"system-ui, 'DejaVu Sans', sans-serif\">\n"
        f"<title>{escape(words)}</title>\n"
        f'<rect width="100%" height="100%" fill="{LIGHT["paper"]}"/>\n'
        f"{_inner(sheet, _fixed)}\n</svg>\n"
    )


def _size(sheet: Sheet) -> str:
    width, height = number(sheet.width), number(sheet.height)
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'


def _classes(fill: str, stroke: str, extra: Sequence[str]) -> str:
    names = [f"f-{fill}"] * bool(fill) + [f"s-{stroke}"] * bool(stroke) + list(extra)
    return f' class="{" ".join(names)}"'


def _fixed(fill: str, stroke: str, extra: Sequence[str]) -> str:
    parts = [f' fill="{LIGHT[fill]}"' if fill else ' fill="none"']
    if stroke:
        parts.append(f' stroke="{LIGHT[stroke]}"')
    if "bold" in extra:
        parts.append(' font-weight="600"')
    if "discs" in extra:
        parts.append(' stroke-linecap="round"')
    if "halo" in extra:
        paper = LIGHT["paper"]
        parts.append(f' paint-order="stroke" stroke="{paper}" stroke-width="3"')
    return "".join(parts)


def _inner(sheet: Sheet, attributes: Attributes) -> str:
    return "\n".join(part for each in sheet.elements for part in _element(each, attributes))


def _element(element: Element, attributes: Attributes) -> Iterator[str]:
    if isinstance(element, Words):
        extra = ["bold"] * element.bold + ["halo"] * element.halo
        anchor = f' text-anchor="{element.anchor}"' if element.anchor != "start" else ""
        place = f'x="{number(element.x)}" y="{number(element.y)}" font-size="{element.size:g}"'
        colours = attributes(element.colour, "", extra)
        text = escape(element.text)
        yield f"<text {place}{anchor}{colours}>{text}</text>"
        return
    opacity = f' opacity="{element.opacity:.3g}"' if element.opacity < 1.0 else ""
    if isinstance(element, Shape):
        data = "".join(_outline(part, closed=bool(element.fill)) for part in element.parts)
        more = opacity
        if element.stroke:
            more += f' stroke-width="{element.width:g}"' * (element.width != 1.0)
            if element.dash:
                more += f' stroke-dasharray="{" ".join(f"{d:g}" for d in element.dash)}"'
        colours = attributes(element.fill, element.stroke, ())
        yield f'<path d="{data}"{colours}{more}{_closing("path", element.title)}'
    elif len(element.centres) > _MANY and not element.stroke:
        data = "".join(f"M{number(x)} {number(y)}h0" for x, y in element.centres)
        colours = attributes("", element.fill, ("discs",))
        width = f' stroke-width="{number(2.0 * element.radius)}"'
        yield f'<path d="{data}"{colours}{width}{opacity}{_closing("path", element.title)}'
    else:
        colours = attributes(element.fill, element.stroke, ())
        width = f' stroke-width="{element.width:g}"' * bool(element.stroke)
        for x, y in element.centres:
            place = f'cx="{number(x)}" cy="{number(y)}" r="{element.radius:g}"'
            yield f"<circle {place}{colours}{width}{opacity}{_closing('circle', element.title)}"


def _outline(part: NDArray[np.float64], *, closed: bool) -> str:
    (x, y), *rest = part.tolist()
    line = " ".join(f"{number(a)} {number(b)}" for a, b in rest)
    return f"M{number(x)} {number(y)}L{line}" + "Z" * closed


def _closing(name: str, title: str) -> str:
    return f"><title>{escape(title)}</title></{name}>" if title else "/>"


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

    Raises:
        UsageError: The ending is none of a picture.
        MissingExtraError: PNG and PDF are drawn by matplotlib, which is not there.
        InputError: The file cannot be written.
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
        from matplotlib.font_manager import fontManager
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "matplotlib", "plot") from None

    figure = Figure(figsize=(sheet.width / _INCH, sheet.height / _INCH))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set(xlim=(0.0, sheet.width), ylim=(sheet.height, 0.0))
    present = {font.name for font in fontManager.ttflist}
    fonts = ["DejaVu Sans", *(name for name in _WIDE_FONTS if name in present)]
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


def _draw(axes: Axes, element: Element, place: int, fonts: list[str]) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline
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
            color=LIGHT[element.colour],
            weight="bold" if element.bold else "normal",
            fontfamily=fonts,
            parse_math=False,
            zorder=place,
            path_effects=effects,
        )
        return
    dash: tuple[float, ...] = ()
    if isinstance(element, Discs):
        outlines = [Outline.circle((x, y), element.radius) for x, y in element.centres]
    else:
        closed, dash = bool(element.fill), element.dash
        parts = [np.vstack([part, part[:1]]) if closed else part for part in element.parts]
        outlines = [Outline(part, closed=closed) for part in parts]
    patch = PathPatch(
        Outline.make_compound_path(*outlines),
        facecolor=LIGHT[element.fill] if element.fill else "none",
        edgecolor=LIGHT[element.stroke] if element.stroke else "none",
        linewidth=element.width * _POINT if element.stroke else 0.0,
        linestyle=(0, [length / element.width for length in dash]) if dash else "-",
        alpha=element.opacity,
        capstyle="butt",
        joinstyle="round",
        zorder=place,
    )
    axes.add_patch(patch)
