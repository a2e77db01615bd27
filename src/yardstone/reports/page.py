"""A document as a web page of its own, part of a server's page, or a notebook's cell.

Nothing is fetched from elsewhere, and a page's policy allows no style and no script but the
two that it was made with: names from strangers stay text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import resources
from importlib.metadata import version
from math import isfinite
from typing import TYPE_CHECKING, Any

from yardstone.errors import UsageError
from yardstone.reports.document import Block, Column, Document, Lines, Range, Section, Table

if TYPE_CHECKING:
    from jinja2 import Environment

    from yardstone.reports.drawing import Drawn


#: A number and its digits after the point; blanks as wide as a digit and as a point.
_NUMBER = re.compile(r"[-+\u2212]?[\d,\u202f]+(?:\.(\d+))?")
#: No more rows of a table stand on a page: a browser bears no more.
_PAGE_ROWS = 10_000
_CODE = re.compile(r"`([^`\n]+)`")
_DIGIT_BLANK, _POINT_BLANK = "\u2007", "\u2008"


def document_page(document: Document) -> str:
    """An HTML document that needs nothing but itself."""
    assets = {"style": style(), "script": script()}
    hashes = {f"{name}_hash": _hash(text) for name, text in assets.items()}
    facts = {"content": document_fragment(document), "version": version("yardstone")}
    template = _environment().get_template("page.html.j2")
    return template.render(document=document, **facts, **assets, **hashes)


def document_fragment(document: Document) -> str:
    """The sections as HTML, without the title and what stands around them."""
    sections = [section for section in document.sections if _holds_something(section)]
    document = replace(document, sections=sections)
    return _environment().get_template("fragment.html.j2").render(document=document)


def _holds_something(section: Section) -> bool:
    def full(block: Block) -> bool:
        if isinstance(block, Table | Lines):
            return bool(block.rows if isinstance(block, Table) else block.lines)
        return True

    return any(map(full, section.blocks)) or bool(section.title and not section.blocks)


@cache
def style() -> str:
    """The style sheet of reports and their pictures; the server's pages add their own."""
    from yardstone.reports.drawing import stylesheet

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
    from markupsafe import Markup, escape

    loader = FunctionLoader(_asset)
    environment = Environment(autoescape=True, undefined=StrictUndefined, loader=loader)
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.filters |= {
        "block_kind": lambda block: type(block).__name__.lower(),
        "head": _head,
        "rows": _rows,
        "paged": _cut,
        # Text between backticks becomes code.
        "prose": lambda text: Markup(_CODE.sub(r"<code>\1</code>", str(escape(text)))),
        "drawn": lambda picture: Markup(picture.draw().svg()),
        "details": lambda table: Markup(_details(table)),
    }
    return environment


def _cut(table: Table, most: int = _PAGE_ROWS, rest: str = "; CSV and Parquet have all.") -> Table:
    """Cut the table to so many rows, and say so in its caption."""
    if len(table.rows) <= most:
        return table
    first = f"The first {most:,} of {len(table.rows):,} {table.noun}s{rest}"
    return replace(table, rows=table.rows[:most], caption=f"{first} {table.caption}".strip())


def _hash(text: str) -> str:
    """The hash by which the page's policy allows a script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _about(table: Table) -> Column | None:
    """The column that says what the rows are about: the first text with a heading."""
    texts = (each for each in table.shown if each.kind == "text" and each.at_left)
    return next((column for column in texts if column.heading.strip()), None)


def _columns(table: Table) -> list[tuple[Column, str]]:
    columns, about = [], _about(table)
    for place, column in enumerate(each for each in table.shown if each.on_pages):
        left = "name" if column is about else "left" if column.at_left else ""
        classes = "bar" if column.kind == "range" else left
        classes += " extra" if column.gives_way else ""
        columns.append((column, classes.strip() or ("first" if place == 0 else "")))
    return columns


def _head(table: Table) -> list[dict[str, Any]]:
    heads = []
    for column, classes in _columns(table):
        text = column.kind in ("text", "date", "time", "boolean")
        head = {
            # It may break after a stroke, but not before a sign.
            "text": column.heading.replace("/", "/\u200b").replace(" %", "\u00a0%"),
            "kind": "" if not column.heading.strip() else "text" if text else "number",
            "first": "ascending" if column.ascending or text else "descending",
        }
        heads.append(head | {"classes": classes, "order": column.order})
    return heads


def _rows(table: Table) -> list[dict[str, Any]]:
    columns, about, bar = _columns(table), _about(table), _bars(table)
    decimals = [_most_decimals(column, table) for column, _ in columns]
    rows: list[dict[str, Any]] = []
    for place, row in enumerate(table.rows):
        cells = []
        for (column, classes), most in zip(columns, decimals, strict=True):
            value, drawn = column.stored(row), None
            if isinstance(value, Range):
                drawn, value = bar(value), value.value if isfinite(value.value) else None
            number = isinstance(value, int | float) and not isinstance(value, bool)
            cell = {"classes": classes, "text": _on_the_point(column.cell(row), most), "bar": drawn}
            cell["value"] = "" if value is None else value if number else None
            cell["link"] = column.link(row) if column.link is not None else ""
            cells.append(cell | {"about": column is about})
        marked = table.marked is not None and table.marked(row)
        before = table.breaks.get(place, "")
        rows.append({"number": place, "cells": cells, "before": before, "marked": marked})
    return rows


def _most_decimals(column: Column, table: Table) -> int:
    """The most decimals in a column of numbers, or 0 if all have equally many."""
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


def _bars(table: Table) -> Callable[[Range], dict[str, Any] | None]:
    """Return a function that places a range in its column, in per cent of the width."""
    columns = [column for column in table.shown if column.kind == "range"]
    ranges = [v for row in table.rows for c in columns if isinstance(v := c.value(row), Range)]
    ends = [end for each in ranges for end in (each.low, each.high, each.value) if isfinite(end)]
    values = [each.value for each in ranges if isfinite(each.value)]
    least = min(ends, default=0.0)
    width = max(max(ends, default=1.0) - least, 1.0)

    def place(value: float) -> float:
        return round(2.0 + 96.0 * (value - least) / width, 2)

    middle = place(sum(values) / max(len(values), 1))

    def bar(value: Range) -> dict[str, Any] | None:
        if not isfinite(value.value):
            return None
        low = place(value.low) if isfinite(value.low) else 0.0
        high = place(value.high) if isfinite(value.high) else 100.0
        bound = not (isfinite(value.low) and isfinite(value.high))
        at = min(max(place(value.value), 0.0), 100.0)
        return {"low": low, "high": high, "at": at, "middle": middle, "bound": bound}

    return bar


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

    def short(table: Table) -> Table:  # without what needs a script, and soon read
        return replace(_cut(table, ROWS, "."), details=None, search=False)

    sections = [
        replace(part, blocks=[short(b) if isinstance(b, Table) else b for b in part.blocks])
        for part in document.sections
    ]
    content = document_fragment(replace(document, sections=sections))
    return f'<div class="yardstone"><style>{_own_style()}</style>\n{content}</div>'


@cache
def _own_style() -> str:
    """The style sheet of pages, for what lies in an element of its own class."""
    rules = re.sub(r"/\*.*?\*/", "", style(), flags=re.DOTALL)
    rules = re.sub(r"@media print \{(?:[^{}]|\{[^{}]*\})*\}", "", rules)
    rules = re.sub(r"(?m)^(\s*)(?::root|html|body)(?= ?\{)", r"\1&", rules)
    rules = re.sub(r"\{ :root \{", "{ & {", rules)
    return f".yardstone {{\n{rules.strip()}\n& {{ padding: .25rem .75rem; }}\n}}"


def drawing_of(document: Document) -> Drawn:
    """The picture of ``-o FILE.svg``; `UsageError` if there is none."""
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
