"""A rating list as a picture: ratings with their intervals."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.files import replaced
from yardstone.ratings.result import Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from yardstone.ratings.rating_list import RatingList

__all__ = ["MatplotlibDrawing", "font_families", "rating_plot", "save_plot"]

#: Players in a picture unless more are asked for.
PLAYERS = 60
#: Formats a picture can be saved in.
FORMATS = (".svg", ".png", ".pdf")
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
_LONGEST_NAME = 40
_BLUE, _GREY = "#1f6fb4", "#6b7280"


def rating_plot(report: RatingList, *, top: int | None = None) -> Figure:
    """Draw the ratings of the largest group, the strongest on top.

    A dot is a rating, the line through it its interval; a triangle marks
    where a perfect score has an even chance. Other groups have a level of their own, so
    they are not drawn beside it.

    Parameters
    ----------
    report : RatingList
    top : int, optional
        Draw only the strongest so many; 60 by default. What is left out is said.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    ratings = report.ratings
    group = next((group for group in report.groups if group.number > 0), None)
    everyone = np.array(group.rows if group else (), np.int64)
    everyone = everyone[np.isfinite(ratings.rating[everyone])]
    rows = everyone[: PLAYERS if top is None else top]
    y = np.arange(len(rows))
    figure = Figure(figsize=(8.0, 1.6 + 0.21 * max(len(rows), 4)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    status = ratings.status[rows]
    reach = np.nan_to_num(report.deviations * ratings.deviation[rows])
    normal = status == Status.NORMAL
    axes.errorbar(
        ratings.rating[rows][normal],
        y[normal],
        xerr=reach[normal],
        fmt="o",
        markersize=4,
        color=_BLUE,
        ecolor=_BLUE,
        elinewidth=1.2,
        capsize=0,
    )
    for kind, marker in ((Status.PERFECT_WINNER, ">"), (Status.PERFECT_LOSER, "<")):
        bound = status == kind
        axes.plot(ratings.rating[rows][bound], y[bound], marker, markersize=6, color=_GREY)
    axes.set_yticks(
        y,
        [_short(ratings.players[row]) for row in rows],
        fontsize=8,
        fontfamily=font_families(),
        parse_math=False,
    )
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_axisbelow(True)
    axes.grid(axis="x", color="#e5e7eb", linewidth=0.8)
    axes.tick_params(axis="x", labelsize=8, labeltop=len(rows) > 40, top=len(rows) > 40)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_xlabel("Rating", fontsize=9)
    title = f"Ratings with {report.level} intervals"
    if len(rows) < len(everyone):
        title += f": top {len(rows)} of {len(everyone)} players"
    figure.suptitle(title, fontsize=11, x=0.01, ha="left")
    figure.supxlabel(_caption(report, status), fontsize=7.5, color=_GREY, x=0.01, ha="left")
    return figure


def _caption(report: RatingList, status: NDArray[np.int8]) -> str:
    parts = [f"Intervals are relative to {report.relative_to}."]
    if report.ratings.components > 1:
        rest = report.ratings.components - 1
        parts.append(
            f"Only the largest group is drawn: {rest} other group{'s' * (rest > 1)} "
            "cannot be compared with it."
        )
    if (status != Status.NORMAL).any():
        parts.append("Triangles won or lost every game, and stand where that has an even chance.")
    return textwrap.fill(" ".join(parts), 110)


def font_families() -> list[str]:
    """Fonts for names in any script, as far as this machine has them."""
    from matplotlib.font_manager import fontManager

    present = {font.name for font in fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _WIDE_FONTS if name in present)]


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def save_plot(figure: Figure, path: Path) -> None:
    """Save a picture in the format of the file's ending.

    Raises
    ------
    UsageError
        The ending is none of a picture.
    InputError
        The file cannot be written.
    """
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path.name!r} does not end like a picture: use {', '.join(FORMATS)}")
    import warnings

    from matplotlib import rc_context

    # Equal pictures are equal files, and letters in an SVG stay letters.
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with (
        warnings.catch_warnings(),
        rc_context({"svg.hashsalt": "yardstone", "svg.fonttype": "none"}),
        replaced(path) as temporary,
    ):
        # A letter that no font here has is drawn as a box; in an SVG it stays a letter.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure.savefig(
            temporary,
            format=path.suffix.lower()[1:],
            dpi=150,
            metadata=metadata.get(path.suffix.lower()),
        )


class MatplotlibDrawing:
    """A figure of matplotlib as a drawing of a document."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure

    def svg(self) -> str:
        """The figure as an SVG element."""
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
