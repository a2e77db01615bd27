"""The answer about one player."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from yardstone.backgammon.rating import LEVEL
from yardstone.reports.document import Document, Table
from yardstone.reports.words import per_cent, plural

if TYPE_CHECKING:
    from yardstone.backgammon.rating import RatingAnswer

__all__ = ["rating_document"]

_RATES = {
    "epm": ("EPM", "a move"),
    "epc": ("EPC", "a close cube decision"),
    "epd": ("EPD", "a decision"),
}
#: Names of their columns.
_INTERVALS = {
    "interval": "rating",
    "difference_interval": "difference",
    "probability_interval": "probability",
}
#: Said of a rating by a formula that has no errors.
_NO_INTERVAL = (
    "The formula was published without errors, so the rating has no interval: "
    "--formula refit or people has one"
)
_OTHERS = {
    "memg": ("GNU Backgammon", "{:.2f} mEMG a decision"),
    "pr": ("PR", "{:.2f}"),
    "snowie": ("Snowie", "{:.2f}"),
}


def rating_document(answer: RatingAnswer) -> Document:
    """An answer in words, as a row and as JSON."""
    row: dict[str, Any] = {}
    plain: dict[str, Any] = {}
    for name, value in asdict(answer).items():
        if value is None:
            continue
        if name not in _INTERVALS:
            row[name] = plain[name] = value
            continue
        low, high = value
        row |= {f"{_INTERVALS[name]}_low": low, f"{_INTERVALS[name]}_high": high}
        plain[name] = {"low": low, "high": high, "level": LEVEL}
    records = Table.of_record(row)
    return Document("Backgammon rating", _lines(answer), records=records, plain=lambda: plain)


def _lines(answer: RatingAnswer) -> list[str]:
    match = f"matches to {plural(answer.length, 'point')}, {answer.formula} formula"
    lines = []
    if answer.rating is not None:
        line = f"Rating {answer.rating:.1f}"
        if answer.relative is not None:
            line += f", {answer.relative:+.1f} to perfect play at {answer.offset:g}"
        lines.append(f"{line} ({match})")
    doubt = f"{per_cent(LEVEL)} for the doubt about this formula alone:"
    if answer.interval is not None and answer.relative is not None:
        lines.append(f"{doubt} {answer.interval[0]:.1f} to {answer.interval[1]:.1f}")
    elif answer.relative is not None:
        lines.append(_NO_INTERVAL)
    if answer.about is not None:
        lines.append(f"The {answer.formula} formula was {answer.about}")
    if answer.chequer_loss is not None:
        cube = f"the cube {answer.cube_loss:.1f}"
        if answer.length == 1:
            cube = "and a match to one point has no cube, so no cube error counts"
        lines.append(f"Chequer play costs {answer.chequer_loss:.1f} points, {cube}")
    if answer.difference is not None:
        lines.append(f"{answer.difference:+.1f} points apart ({match})")
        if answer.difference_interval is not None:
            low, high = answer.difference_interval
            lines.append(f"{doubt} {low:+.1f} to {high:+.1f} points")
        if answer.rating is None:
            lines.append("A difference alone gives no rating: add --against, the opponent's")
    if answer.probability is not None:
        opponent = "" if answer.against is None else f" against {answer.against:g}"
        line = f"Wins {100 * answer.probability:.2f} % of such matches{opponent}"
        if answer.probability_interval is not None:
            low, high = (100 * end for end in answer.probability_interval)
            line += f" ({per_cent(LEVEL)}: {low:.2f} to {high:.2f} %)"
        lines.append(line)
    if answer.relative is not None:
        lines.append(", ".join(_rates(asdict(answer))))
    return lines


def _rates(values: dict[str, Any]) -> list[str]:
    """The unit of `backgammon analyse`, with the equity that other programs give."""
    rates = [
        f"{title} {1000 * values[name]:.2f} thousandths of equity {of} ({values[name]:.5f})"
        for name, (title, of) in _RATES.items()
        if values[name] is not None
    ]
    return rates + [
        f"{title} {form.format(values[name])}"
        for name, (title, form) in _OTHERS.items()
        if values[name] is not None
    ]
