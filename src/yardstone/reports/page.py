"""A document as a web page of its own, part of a server's page, or a notebook's cell.

Nothing is fetched from elsewhere, and a page's policy allows no style and no script but the
two that it was made with: names from strangers stay text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from importlib import resources
from math import isfinite
from typing import TYPE_CHECKING, Any

from yardstone.errors import UsageError
from yardstone.reports.document import (
    Answer,
    Choices,
    Column,
    Document,
    Facts,
    Lines,
    Range,
    Section,
    Slides,
    Table,
)

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from yardstone.reports.document import Block, Drawing


__all__ = [
    "document_fragment",
    "document_page",
    "script",
    "style",
    "document_html",
    "drawing_of",
    "short_text",
]


#: A number and its digits after the point; blanks as wide as a digit and as a point.
_NUMBER = re.compile(r"[-+\u2212]?[\d,\u202f]+(?:\.(\d+))?")
#: No more rows of a table stand on a page: a browser bears no more.
PAGE_ROWS = 10_000
_CODE = re.compile(r"`([^`\n]+)`")
_DIGIT_BLANK, _POINT_BLANK = "\u2007", "\u2008"


def document_page(document: Document, *, version: str) -> str:
    """An HTML document that needs nothing but itself."""
    template = _environment().get_template("page.html.j2")
    return template.render(
        document=document,
        content=document_fragment(document),
        version=version,
        style=style(),
        script=script(),
        style_hash=_hash(style()),
        script_hash=_hash(script()),
    )


def document_fragment(document: Document) -> str:
    """The sections as HTML, without the title and what stands around them."""
    sections = [section for section in document.sections if _holds_something(section)]
    document = replace(document, sections=sections)
    return _environment().get_template("fragment.html.j2").render(document=document)


def _holds_something(section: Section) -> bool:
    empty = [
        not (block.rows if isinstance(block, Table) else block.lines)
        for block in section.blocks
        if isinstance(block, Table | Lines)
    ]
    return len(empty) < len(section.blocks) or not all(empty) or bool(section.title and not empty)


@cache
def style() -> str:
    """The style sheet of reports and their pictures; the server's pages add their own."""
    from yardstone.reports.panels import stylesheet

    return _asset("report.css") + stylesheet()


def script() -> str:
    """The script that sorts, searches and opens tables, and steps through boards."""
    return _asset("report.js")


@cache
def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("templates", name).read_text("utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(_asset),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["block_kind"] = _kind
    environment.filters["head"] = _head
    environment.filters["prose"] = _prose
    environment.filters["rows"] = _rows
    environment.filters["paged"] = _paged
    environment.filters["drawn"] = lambda picture: Markup(picture.draw().svg())
    environment.filters["details"] = lambda table: Markup(_details(table))
    return environment


def _paged(table: Table) -> Table:
    """The table with no more rows than a browser bears; it says where the others are."""
    if len(table.rows) <= PAGE_ROWS:
        return table
    first = (
        f"The first {PAGE_ROWS:,} of {len(table.rows):,} {table.noun}s; CSV and Parquet have all."
    )
    return replace(table, rows=table.rows[:PAGE_ROWS], caption=f"{first} {table.caption}".strip())


def _prose(text: str) -> Markup:
    """A sentence; what stands in it between `these` is code."""
    from markupsafe import Markup, escape

    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def _hash(text: str) -> str:
    """What the page's policy calls a text that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _kind(block: object) -> str:
    if isinstance(block, Table | Lines | Facts | Answer | Slides | Choices):
        return type(block).__name__.lower()
    return "picture"


def _about(table: Table) -> Column | None:
    """The column that says what the rows are about: the first text with a heading."""
    texts = (each for each in table.shown if each.kind == "text" and each.at_left)
    return next((column for column in texts if column.heading.strip()), None)


def _columns(table: Table) -> list[tuple[Column, str]]:
    """The columns that a page shows, with their classes."""
    columns = []
    about = _about(table)
    for place, column in enumerate(each for each in table.shown if each.on_pages):
        left = "name" if column is about else "left" if column.at_left else ""
        classes = "bar" if column.kind == "range" else left
        if column.gives_way:
            classes += " extra"
        columns.append((column, classes.strip() or ("first" if place == 0 else "")))
    return columns


def _head(table: Table) -> list[dict[str, Any]]:
    heads = []
    for column, classes in _columns(table):
        text = column.kind in ("text", "date", "time", "boolean")
        ascending = column.ascending or text
        heads.append(
            {
                # It may break after a stroke, but not before a sign.
                "text": column.heading.replace("/", "/\u200b").replace(" %", "\u00a0%"),
                "classes": classes,
                "kind": "" if not column.heading.strip() else "text" if text else "number",
                "first": "ascending" if ascending else "descending",
                "order": column.order,
            }
        )
    return heads


def _rows(table: Table) -> list[dict[str, Any]]:
    """The rows of a page: cells, and the lines between them."""
    columns = _columns(table)
    about = _about(table)
    axis = _Axis.of(table)
    decimals = [_most_decimals(column, table) for column, _ in columns]
    rows: list[dict[str, Any]] = []
    for place, row in enumerate(table.rows):
        cells = []
        for (column, classes), most in zip(columns, decimals, strict=True):
            value = column.value(row)
            text = _on_the_point(column.cell(row), most)
            cell: dict[str, Any] = {"classes": classes, "text": text, "bar": None}
            cell["about"] = column is about
            if isinstance(value, Range):
                cell["bar"] = axis.bar(value)
                value = value.value
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if number and not isfinite(value):
                value = None
            cell["value"] = "" if value is None else value if number else None
            cell["link"] = column.link(row) if column.link is not None else ""
            cells.append(cell)
        marked = table.marked is not None and table.marked(row)
        before = table.breaks.get(place, "")
        rows.append({"number": place, "cells": cells, "before": before, "marked": marked})
    return rows


def _most_decimals(column: Column, table: Table) -> int:
    """The digits after the point of a column of numbers, if not all have as many; else 0."""
    if column.at_left:
        return 0
    matches = [_NUMBER.fullmatch(column.cell(row)) for row in table.rows]
    lengths = {len(each[1] or "") for each in matches if each is not None}
    return max(lengths) if len(lengths) > 1 else 0


def _on_the_point(text: str, decimals: int) -> str:
    """A number with blanks of a digit's width after it, so that points stand below each other."""
    match = _NUMBER.fullmatch(text) if decimals else None
    if match is None:
        return text
    own = len(match[1] or "")
    return text + ("" if own else _POINT_BLANK) + _DIGIT_BLANK * (decimals - own)


class _Axis:
    """From the values of a table's ranges to per cent of the width of their column."""

    def __init__(self, low: float, high: float, middle: float) -> None:
        self.low = low
        self.width = max(high - low, 1.0)
        self.middle = self.place(middle)

    @classmethod
    def of(cls, table: Table) -> _Axis:
        columns = [column for column in table.shown if column.kind == "range"]
        ranges = [v for row in table.rows for c in columns if isinstance(v := c.value(row), Range)]
        ends = [
            end for each in ranges for end in (each.low, each.high, each.value) if isfinite(end)
        ]
        values = [each.value for each in ranges if isfinite(each.value)]
        if not ends:
            return cls(0.0, 1.0, 0.5)
        return cls(min(ends), max(ends), sum(values) / max(len(values), 1))

    def place(self, value: float) -> float:
        return round(2.0 + 96.0 * (value - self.low) / self.width, 2)

    def bar(self, value: Range) -> dict[str, Any] | None:
        if not isfinite(value.value):
            return None
        low = self.place(value.low) if isfinite(value.low) else 0.0
        high = self.place(value.high) if isfinite(value.high) else 100.0
        bound = not (isfinite(value.low) and isfinite(value.high))
        at = min(max(self.place(value.value), 0.0), 100.0)
        return {"low": low, "high": high, "at": at, "middle": self.middle, "bound": bound}


def _details(table: Table) -> str:
    """The tables that open below rows, as JSON that cannot end the element it stands in."""
    if table.details is None:
        return ""
    opened: dict[str, Any] = {}
    head: list[str] = []
    for place, row in enumerate(table.rows):
        inner = table.details(row)
        if inner is None:
            continue
        head = [column.heading for column in inner.printed]
        more = len(inner.rows) - inner.limit if inner.limit is not None else 0
        opened[str(place)] = {
            "rows": list(inner.cells(inner.limit)),
            "more": f"… and {more} more {inner.noun}s {inner.remedy}".rstrip() if more > 0 else "",
        }
    text = json.dumps({"head": head, "of": opened}, ensure_ascii=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


#: Rows of each table in a notebook, and when a result is printed; files have all.
ROWS, PRINTED = 40, 10


def document_html(document: Document) -> str:
    """The document as HTML for a notebook; its style reaches nothing outside it."""
    sections = [replace(part, blocks=list(map(_short, part.blocks))) for part in document.sections]
    content = document_fragment(replace(document, sections=sections))
    return f'<div class="yardstone"><style>{_own_style()}</style>\n{content}</div>'


def _short(block: Block) -> Block:
    """Tables without what needs a script, and no longer than people read in a notebook."""
    if not isinstance(block, Table):
        return block
    rows = list(block.rows[:ROWS])
    more = len(block.rows) - len(rows)
    caption = block.caption
    if more:
        caption = f"The first {ROWS} of {len(block.rows):,} {block.noun}s. {caption}".strip()
    return replace(block, rows=rows, details=None, search=False, caption=caption)


@cache
def _own_style() -> str:
    """The style sheet of pages, for what lies in an element of its own class."""
    rules = re.sub(r"/\*.*?\*/", "", style(), flags=re.DOTALL)
    rules = re.sub(r"@media print \{(?:[^{}]|\{[^{}]*\})*\}", "", rules)
    rules = re.sub(r"(?m)^(\s*)(?::root|html|body)(?= ?\{)", r"\1&", rules)
    rules = re.sub(r"\{ :root \{", "{ & {", rules)
    return f".yardstone {{\n{rules.strip()}\n& {{ padding: .25rem .75rem; }}\n}}"


def drawing_of(document: Document) -> Drawing:
    """The picture of ``--plot``; `UsageError` if there is none."""
    if document.drawing is None:
        raise UsageError("this result has no picture")
    return document.drawing()


def short_text(document: Document) -> str:
    """The first lines and the first table of the document's text, for `print`."""
    from yardstone.reports.text import document_text

    sections: list[Section] = []
    listed = False
    for part in document.sections:
        if listed:  # what is said right after the table explains it
            if not part.title and all(isinstance(block, Lines) for block in part.blocks):
                sections.append(part)
            break
        tables = [block for block in part.blocks if isinstance(block, Table) and block.rows]
        listed = bool(tables)
        blocks = [replace(tables[0], limit=PRINTED, remedy="")] if tables else part.blocks
        sections.append(replace(part, blocks=blocks))
    return document_text(replace(document, sections=sections)).rstrip()
