"""How the documentation is built: ``make docs``."""

from __future__ import annotations

import builtins
from importlib.metadata import version as version_of
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.addnodes import pending_xref

from yardstone.reports.drawing import COLOURS

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

#: Where the functions of commands are.
COMMANDS = ("yardstone.cli.", "yardstone_lab.cli.")

project = "Yardstone"
author = "The Yardstone authors"
copyright = "2026, the Yardstone authors"
version = release = version_of("yardstone")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = [
    "_build",
    "studies/speed.md",
    "studies/kaniuk-*.md",
    "studies/*-tables.md",
]  # included

myst_enable_extensions = ["deflist", "dollarmath", "colon_fence"]
myst_heading_anchors = 3
# The side bar of each page would hold every function of the reference, and take most of the time.
toc_object_entries = False

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["landing.css"]
html_title = "Yardstone"
html_show_sourcelink = False

# Attributes of one name in several classes, such as `players`, are no mistake in a docstring.
suppress_warnings = ["ref.python"]


def without_options(app: Sphinx, what: str, name: str, *_: object) -> tuple[str, None] | None:
    """What a command takes stands on the page of the commands; here it would be unreadable."""
    of_a_command = what == "function" and name.startswith(COMMANDS)
    return ("(...)", None) if of_a_command else None


def with_examples(
    app: Sphinx, what: str, name: str, function: object, options: object, lines: list[str]
) -> None:
    """The examples of a command are lines to type, not prose: names may hold stars."""
    if name.startswith(COMMANDS) and "Examples:" in lines:
        place = lines.index("Examples:")
        lines[place:] = ["Examples::", "", *lines[place + 1 :]]


def without_builtins(app: Sphinx, document: nodes.document) -> None:
    """Names of Python's own, such as `str`, are not sought among all of the reference."""
    for name in list(document.findall(pending_xref)):
        if name.get("refdomain") == "py" and hasattr(builtins, name["reftarget"]):
            name.replace_self(name.children)


def night() -> str:
    """Rules that give a picture of a file, whose colours are fixed, those of dark screens."""
    rules = {
        f'[{of}="{light}"]{{{of}:{dark}}}'
        for light, dark in COLOURS.values()
        for of in ("fill", "stroke")
        if light != dark
    }
    return f"@media screen and (prefers-color-scheme:dark){{{''.join(sorted(rules))}}}"


def dark_pictures(app: Sphinx, error: Exception | None) -> None:
    """On dark screens pictures of the gallery have the dark colours of Yardstone's pages."""
    for picture in (Path(app.srcdir) / "gallery").glob("*.svg"):
        built = Path(app.outdir) / "_images" / picture.name
        if error is None and built.exists():
            text = picture.read_text("utf-8")
            built.write_text(
                text.replace("<title>", f"<style>{night()}</style>\n<title>", 1), "utf-8"
            )


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("build-finished", dark_pictures)
    app.connect("doctree-read", without_builtins)
    app.connect("autodoc-process-docstring", with_examples, priority=400)
    app.connect("autodoc-process-signature", without_options)
