"""How the documentation is built: ``make docs``."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Yardstone"
author = "The Yardstone authors"
copyright = "2026, the Yardstone authors"
version = release = version_of("yardstone")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = [
    "_build",
    "studies/speed.md",
    "studies/kaniuk-*.md",
    "studies/backgammon-people.md",
    "studies/*-tables.md",
]  # included

myst_enable_extensions = ["deflist", "dollarmath", "colon_fence"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
napoleon_google_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "Yardstone"
html_show_sourcelink = False

# Attributes of one name in several classes, such as `players`, are no mistake in a docstring.
suppress_warnings = ["ref.python"]


def without_options(app: Sphinx, what: str, name: str, *_: object) -> tuple[str, None] | None:
    """What a command takes stands on the page of the commands; here it would be unreadable."""
    of_a_command = what == "function" and name.startswith("yardstone.cli.")
    return ("(...)", None) if of_a_command else None


def with_examples(
    app: Sphinx, what: str, name: str, function: object, options: object, lines: list[str]
) -> None:
    """The examples of a command are lines to type, not prose: names may hold stars."""
    if name.startswith("yardstone.cli.") and "Examples" in lines:
        place = lines.index("Examples")
        examples = [f"    {line}" for line in lines[place + 2 :]]
        lines[place:] = ["Examples::", "", *examples]


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", with_examples, priority=400)
    app.connect("autodoc-process-signature", without_options)
