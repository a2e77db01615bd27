"""Saving pictures of either kind, until all of them are charts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from yardstone.errors import UsageError
from yardstone.files import replaced
from yardstone.reports.charts.files import FORMATS

__all__ = ["MatplotlibDrawing", "font_families", "save_plot"]


def font_families() -> list[str]:
    """Fonts for names in any script, as far as this machine has them."""
    from yardstone.reports.charts.files import _fonts

    return _fonts()


def save_plot(figure: Any, path: Path) -> None:
    """Save a picture in the format of the file's ending."""
    if hasattr(figure, "svg"):
        figure.save(path)
        return
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path.name!r} does not end like a picture: use {', '.join(FORMATS)}")
    import warnings

    from matplotlib import rc_context

    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with (
        warnings.catch_warnings(),
        rc_context({"svg.hashsalt": "yardstone", "svg.fonttype": "none"}),
        replaced(path) as temporary,
    ):
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure.savefig(
            temporary,
            format=path.suffix.lower()[1:],
            dpi=150,
            metadata=metadata.get(path.suffix.lower()),
        )


class MatplotlibDrawing:
    """A figure of matplotlib as a drawing of a document."""

    def __init__(self, figure: Any) -> None:
        self._figure = figure

    def svg(self) -> str:
        """The figure as an SVG element."""
        if hasattr(self._figure, "sheet"):
            return str(self._figure.svg())
        import io

        from matplotlib import rc_context

        out = io.StringIO()
        with rc_context({"svg.hashsalt": "yardstone", "svg.fonttype": "none"}):
            self._figure.savefig(out, format="svg", metadata={"Date": None})
        text = out.getvalue()
        return text[text.index("<svg") :]

    def save(self, path: Path) -> None:
        """Write it to a file."""
        save_plot(self._figure, path)
