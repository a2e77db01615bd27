"""Tables and pictures as one self-contained web page.

Nothing is fetched from elsewhere, and the page's own policy allows no script at
all: names from strangers stay text.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from yardstone.reports.charts.svg import file_svg

if TYPE_CHECKING:
    from jinja2 import Template

    from yardstone.reports.charts.chart import Chart

__all__ = ["Section", "html_page", "picture"]


@dataclass(frozen=True)
class Section:
    """A part of a page: a title, paragraphs, a table and pictures, each if there is one.

    Attributes
    ----------
    title : str
    paragraphs : sequence of str
    table : sequence of rows
        The first row holds the headings.
    left : int
        The column that begins at the left.
    pictures : sequence of (str, str)
        The address of an image (data:) and what it shows, in words.
    """

    title: str = ""
    paragraphs: Sequence[str] = ()
    table: Sequence[Sequence[str]] = ()
    left: int = 0
    pictures: Sequence[tuple[str, str]] = field(default_factory=tuple)


def html_page(title: str, lead: Sequence[str], sections: Sequence[Section], *, version: str) -> str:
    """A page of sections."""
    style = _asset("evaluation.css")
    return _template().render(
        title=title,
        lead=lead,
        sections=sections,
        version=version,
        style=style,
        style_hash="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )


def picture(chart: Chart) -> str:
    """A chart as the address of an image that holds it."""
    drawn = file_svg(chart.sheet(), chart.words or chart.title)
    return "data:image/svg+xml;base64," + base64.b64encode(drawn.encode()).decode()


@cache
def _asset(name: str) -> str:
    return resources.files("yardstone.reports").joinpath("templates", name).read_text("utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(_asset("evaluation.html.j2"))
