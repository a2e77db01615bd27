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
_OTHERS = {
    "memg": ("GNU Backgammon", "{:.2f} mEMG a decision"),
    "pr": ("PR", "{:.2f}"),
    "snowie": ("Snowie", "{:.2f}"),
}


def rating_document(answer: RatingAnswer) -> Document:
    """An answer in words, as a row and as JSON."""
    row = {name: value for name, value in asdict(answer).items() if value is not None}
    plain = dict(row)
    if answer.interval is not None:
        row |= dict(zip(("rating_low", "rating_high"), row.pop("interval"), strict=True))
        plain["interval"] = {"low": row["rating_low"], "high": row["rating_high"], "level": LEVEL}

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
    if answer.interval is not None:
        lines.append(
            f"{per_cent(LEVEL)} for the doubt about this formula alone: "
            f"{answer.interval[0]:.1f} to {answer.interval[1]:.1f}"
        )
    elif answer.relative is not None:
        lines.append("The formula was published without errors, so the rating has no interval")
    if answer.chequer_loss is not None:
        lines.append(
            f"Chequer play costs {answer.chequer_loss:.1f} points, the cube {answer.cube_loss:.1f}"
        )
    if answer.difference is not None:
        lines.append(f"{answer.difference:+.1f} points apart ({match})")
        if answer.rating is None:
            lines.append("A difference alone gives no rating: add --against, the opponent's")
    if answer.probability is not None:
        opponent = "" if answer.against is None else f" against {answer.against:g}"
        lines.append(f"Wins {100 * answer.probability:.2f} % of such matches{opponent}")
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
