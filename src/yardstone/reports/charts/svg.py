"""Pictures as SVG text: for pages in the colours of a style sheet, for files in fixed ones.

There is no style attribute anywhere, so the strictest content security policy lets the
pictures pass; every text is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from markupsafe import Markup
from markupsafe import escape as escaped_text
from numpy.typing import NDArray

from yardstone.reports.charts.colours import LIGHT
from yardstone.reports.charts.shapes import Element, Shape, Sheet, Words, legible

__all__ = ["file_svg", "page_svg"]

_SPACE = 'xmlns="http://www.w3.org/2000/svg"'
#: Circles more than these become one element.
_MANY = 24

Attributes = Callable[[str, str, Sequence[str]], str]


def escape(text: str) -> Markup:
    """A text as letters alone, whatever stands in it."""
    return escaped_text(legible(text))


def number(value: float) -> str:
    """A coordinate with at most one decimal.

    Examples
    --------
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


def _title(title: str) -> str:
    return f"<title>{escape(title)}</title>" if title else ""


def _closing(name: str, title: str) -> str:
    return f">{_title(title)}</{name}>" if title else "/>"
