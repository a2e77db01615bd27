"""A document in a notebook: the part of a page, with its style kept to itself."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from yardstone.errors import UsageError
from yardstone.reports.document import Document, Lines, Section, Table
from yardstone.reports.faces.page import document_fragment, style

if TYPE_CHECKING:
    from yardstone.reports.document import Block, Drawing

__all__ = ["document_html", "drawing_of", "short_text"]

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
    from yardstone.reports.faces.text import document_text

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
