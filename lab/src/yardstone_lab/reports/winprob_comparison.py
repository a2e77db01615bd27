"""Forms of the model compared on games left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import known_values, per_cent

if TYPE_CHECKING:
    from yardstone_lab.kaniuk.cross_validation import CrossValidation, FormScore, Gain

__all__ = ["comparison_document"]


def comparison_document(comparison: CrossValidation, *, level: float = 0.95) -> Document:
    """Scores of every form on games left out; gains on even and on handicap games apart."""
    games, groups = comparison.parts(), comparison.groups
    scores = comparison.scores(level)
    table = _table(scores, comparison.chosen, games)
    unit = "events" if groups < games["all"] else "games"
    notes = [
        f"Gain: less log loss a game than the first row, with a {per_cent(level)} interval over "
        f"{groups:,} {unit}.",
        "* the simplest form within one standard error of the best. A handicap stone counts as "
        "a grade where it is not fitted: the published coefficients are for even games.",
    ]

    def plain() -> dict[str, Any]:
        return {
            "games": games,
            "groups": groups,
            "chosen": comparison.chosen,
            "level": level,
            "candidates": [
                {
                    "name": score.name,
                    "log_loss": score.log_loss,
                    "brier": score.brier,
                    "gain": {part: known_values(gain) for part, gain in score.gains.items()},
                }
                for score in scores
            ],
        }

    return Document(
        "Forms of the model",
        [f"{games['all']:,} games, each predicted by a fit that has not seen it"],
        [Section(blocks=[table]), Section(blocks=[Lines(notes)])],
        records=table,
        plain=plain,
    )


def _table(scores: list[FormScore], chosen: str, games: dict[str, int]) -> Table:
    parts = ["even", "handicap"] if len(games) == 3 else [next(p for p in games if p != "all")]

    def gain_columns(part: str) -> list[Column]:
        def end(name: str) -> Column:
            kept = "gain" if name == "value" else f"gain_{name}"
            return Column(
                f"{kept}_{part}", lambda row: getattr(row.gains[part], name), kind="number"
            )

        heading = f"gain, {games[part]:,} {part} games"
        text = Column("", lambda row: _gain(row.gains[part]), heading if part in parts else "")
        return [text, *map(end, ("value", "low", "high"))]

    def name(row: FormScore) -> str:
        return ("* " if row.name == chosen else "  ") + row.name

    columns = [
        Column("form", lambda row: row.name, "form", show=name),
        Column("log_loss", lambda row: row.log_loss, "log loss", "number", ".4f"),
        Column("brier", lambda row: row.brier, "Brier", "number", ".4f"),
        *(column for part in games for column in gain_columns(part)),
    ]
    return Table(columns, scores, noun="form")


def _gain(gain: Gain) -> str:
    if gain.low is None:
        return f"{gain.value:+.4f} (too few groups)"
    return f"{gain.value:+.4f} ({gain.low:+.4f} to {gain.high:+.4f})"
