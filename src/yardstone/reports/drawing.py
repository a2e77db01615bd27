"""What pictures are made of in pixels: shapes and words, as SVG and by matplotlib.

Colours are names (`LIGHT`).
"""

from __future__ import annotations

import io
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from markupsafe import escape as escaped_text
from numpy.typing import NDArray

from yardstone.errors import MissingExtraError, UsageError
from yardstone.files import replaced, write_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shape:
    """Lines through points, or areas within them; all of one colour."""

    parts: Sequence[Array]  #: (n, 2): corners of each part.
    #: `fill`, `stroke`: names of colours (`LIGHT`); "" for none. A filled part is closed.
    fill: str = ""
    stroke: str = ""
    width: float = 1.0  #: Of the stroke.
    dash: tuple[float, ...] = ()  #: Lengths of dashes and gaps; empty for a full line.
    opacity: float = 1.0
    title: str = ""  #: What it stands for, shown when it is pointed at.


@dataclass(frozen=True, eq=False)
class Discs:
    """Circles of one size around points."""

    centres: Array
    radius: float
    fill: str = ""
    stroke: str = ""
    width: float = 1.0
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; `y` is its base line, `x` its start, middle or end."""

    text: str
    x: float
    y: float
    size: float = 12.0
    anchor: str = "start"
    colour: str = "ink"
    bold: bool = False
    halo: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, by an estimate that is rather too wide."""
        width = text_width(self.text, self.size, bold=self.bold)
        left = self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * width
        return left, self.y - 0.8 * self.size, left + width, self.y + 0.25 * self.size


Element = Shape | Discs | Words


@dataclass(frozen=True, eq=False)
class Sheet:
    """A finished picture: what stands later lies above."""

    width: float
    height: float
    elements: Sequence[Element]


def rectangle(left: float, top: float, right: float, bottom: float) -> Array:
    """Return the four corners in order."""
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


#: Control characters and halves of pairs, which no XML file may hold.
_FORBIDDEN = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
#: Stands for a blank that no line may end at.
_TIED = "\0%"


@cache
def _letter_width(letter: str) -> float:
    """Width of a letter of a wide sans-serif font, as a share of the font size."""
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Cf", "Cc"):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in "ijl|!.,:;'` fItr()[]":
        return 0.4 if letter in "trfI()[] " else 0.33
    return 0.97 if letter in "mwMW@%" else 0.72 if letter.isupper() else 0.62


def text_width(text: str, size: float = 12.0, *, bold: bool = False) -> float:
    """Pixels that a line of text takes, rather too many than too few."""
    return sum(map(_letter_width, text)) * size * (1.1 if bold else 1.0)


def cut(text: str, room: float, size: float = 12.0, *, bold: bool = False) -> str:
    """A text that fits in `room` pixels, with … for what it lacks."""
    if text_width(text, size, bold=bold) <= room:
        return text
    for end in range(len(text) - 1, 0, -1):
        shorter = text[:end].rstrip() + "…"
        if text_width(shorter, size, bold=bold) <= room:
            return shorter
    return "…"


def broken(text: str, room: float, size: float = 12.0, *, bold: bool = False) -> list[str]:
    """A text in lines that fit in `room` pixels."""
    lines: list[str] = []
    for word in text.replace(" %", _TIED).split():
        word = word.replace(_TIED, " %")
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(cut(word, room, size, bold=bold))
    return lines


def legible(text: str) -> str:
    """A text with a sign in place of what neither XML nor fonts know."""
    return _FORBIDDEN.sub("\ufffd", text)


#: Name: (light, dark). The first are of the page, then those of series, then of boards.
COLOURS = {
    "paper": ("#ffffff", "#12161a"),
    "ink": ("#1a2027", "#e7ebef"),
    "soft": ("#55606d", "#9fabb7"),
    "line": ("#9aa5b1", "#5a6672"),
    "grid": ("#e3e7ec", "#2b333b"),
    "c1": ("#1f6fb4", "#6cb4ee"),
    "c2": ("#d1560b", "#ff9a52"),
    "c3": ("#00876a", "#35c9a0"),
    "c4": ("#a8478a", "#e594c8"),
    "c5": ("#b38300", "#e8bd4a"),
    "c6": ("#3d9fd1", "#a6dcf7"),
    "c7": ("#6b7280", "#a9b2bd"),
    "wood": ("#e9c27c", "#c99f58"),
    "wood-line": ("#6d5122", "#5a421a"),
    "wood-text": ("#4a3512", "#35250a"),
    "point-dark": ("#9c6b3c", "#7d5228"),
    "point-light": ("#f7e6c6", "#e3c795"),
    "black": ("#16181b", "#0d0f11"),
    "white": ("#fdfdfb", "#f1f1ec"),
    "ring": ("#d1560b", "#d1560b"),
    "choice": ("#0b4f8a", "#082f54"),
}
LIGHT = {name: light for name, (light, _) in COLOURS.items()}
#: Colours of series in the order in which they are used, and dashes when they are used up.
SERIES = ("c1", "c2", "c3", "c4", "c5", "c6", "c7")
DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 3.0), (2.0, 2.5), (8.0, 3.0, 2.0, 3.0))


def series_style(place: int) -> tuple[str, tuple[float, ...]]:
    """Colour and dashes of a series."""
    return SERIES[place % len(SERIES)], DASHES[place // len(SERIES) % len(DASHES)]


def stylesheet() -> str:
    """What a page needs to show pictures, light and dark, on screens and on paper."""

    def variables(place: int) -> str:
        return " ".join(f"--chart-{name}: {both[place]};" for name, both in COLOURS.items())

    classes = "\n".join(
        f".drawing .f-{name} {{ fill: var(--chart-{name}); }} "
        f".drawing .s-{name} {{ stroke: var(--chart-{name}); }}"
        for name in COLOURS
    )
    rules = resources.files(__package__).joinpath("templates", "charts.css").read_text("utf-8")
    return (
        f":root {{ {variables(0)} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables(1)} }} }}\n"
        f"{classes}\n{rules}"
    )


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
        sheets, words = self.sheets(), escape(self.words)
        kinds = ("",) if len(sheets) == 1 else (" wide", " narrow")
        return Markup("").join(
            Markup(
                f'<svg {_SPACE} class="drawing{kind}" role="img" aria-label="{words}" '
                f"{_size(sheet)}>{_inner(sheet, _classes)}</svg>"
            )
            for sheet, kind in zip(sheets, kinds, strict=True)
        )

    def standalone(self) -> str:
        """An SVG file as text, in fixed colours on white."""
        return file_svg(self.sheet(), self.words)

    def save(self, path: Path) -> None:
        """Write it to a file ending in .svg, .png or .pdf."""
        save(self.sheet(), path, self.words)


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
        parts.append(f' paint-order="stroke" stroke="{LIGHT["paper"]}" stroke-width="3"')
    return "".join(parts)


def _inner(sheet: Sheet, attributes: Attributes) -> str:
    return "\n".join(part for each in sheet.elements for part in _element(each, attributes))


def _element(element: Element, attributes: Attributes) -> Iterator[str]:
    if isinstance(element, Words):
        extra = ["bold"] * element.bold + ["halo"] * element.halo
        anchor = f' text-anchor="{element.anchor}"' if element.anchor != "start" else ""
        place = f'x="{number(element.x)}" y="{number(element.y)}" font-size="{element.size:g}"'
        colours = attributes(element.colour, "", extra)
        yield f"<text {place}{anchor}{colours}>{escape(element.text)}</text>"
        return
    opacity = f' opacity="{element.opacity:.3g}"' if element.opacity < 1.0 else ""
    if isinstance(element, Shape):
        data = ""
        for (x, y), *rest in (part.tolist() for part in element.parts):
            line = " ".join(f"{number(a)} {number(b)}" for a, b in rest)
            data += f"M{number(x)} {number(y)}L{line}" + "Z" * bool(element.fill)
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
