"""Results that show themselves: as a document, a frame, a picture, a part of a notebook.

What shows a result lies above what makes it, so a result names its document by module and
function, which are loaded when somebody wants to see it.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal


class Plot:
    """A picture; notebooks show it, `save` writes it.

    Args:
        drawing: A chart or a board.
    """

    def __init__(self, drawing: Any) -> None:
        self._drawing = drawing

    def svg(self) -> str:
        """The picture as the text of an SVG file."""
        return str(self._drawing.standalone())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file ending in .svg, .png or .pdf."""
        self._drawing.save(Path(path))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Plot: {self._drawing.words or self._drawing.title}>"


class Displayed:
    """A result with the faces of its document; for a class that names it in `_made_by`."""

    #: Module and function of the document: ``"reports.match:forecast_document"``.
    _made_by: ClassVar[str]

    def document(self) -> Any:
        """The report, a `yardstone.reports.document.Document`, as the command shows it."""
        module, _, function = self._made_by.partition(":")
        return getattr(import_module(f"yardstone.{module}"), function)(self)

    def to_frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """The rows that the command writes to CSV, as a data frame.

        Args:
            library ({"pandas", "polars"}): By default the one that is loaded or installed, pandas
                before polars.

        Raises:
            MissingExtraError: It is not installed, or neither is.
        """
        return _face("files").document_frame(self.document(), library)

    def plot(self) -> Plot:
        """The picture that the command draws with ``-o FILE.svg``.

        Raises:
            UsageError: This result has none.
        """
        return Plot(_face("page").drawing_of(self.document()))

    def to_html(self) -> str:
        """A page of its own, as the command writes with ``-o FILE.html``."""
        return str(_face("page").document_page(self.document()))

    def _repr_html_(self) -> str:
        return str(_face("page").document_html(self.document()))

    def __str__(self) -> str:
        return str(_face("page").short_text(self.document()))


def _face(name: str) -> Any:
    return import_module(f"yardstone.reports.{name}")
