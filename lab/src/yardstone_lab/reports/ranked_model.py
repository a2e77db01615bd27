"""A model of ranked games that has just been trained, as a document."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from yardstone.reports.document import Column, Document, Section, Table

if TYPE_CHECKING:
    from pathlib import Path

    from yardstone.strength.model_scale import ModelScale
    from yardstone_lab.neubauer.rank.intervals import Unseen
    from yardstone_lab.neubauer.ranked_training import RankedModel

__all__ = ["ranked_model_document"]


@dataclass(frozen=True, slots=True)
class _Line:
    """What is said of players who were not seen, from so many games of each."""

    scale: str
    games: int
    players: int
    median_error: float
    correlation: float


def ranked_model_document(trained: RankedModel, file: Path) -> Document:
    """How well the model tells players whom it has not seen."""
    model = trained.model
    lines = [
        line for name, each in trained.unseen.items() for line in _lines(model.scale(name), each)
    ]
    table = Table(
        [
            Column("scale", attrgetter("scale"), "Scale", left=True),
            Column("games", attrgetter("games"), "Games", "integer"),
            Column("players", attrgetter("players"), "Players", "integer"),
            Column("median_error", attrgetter("median_error"), "Median error", "number", ".2f"),
            Column("correlation", attrgetter("correlation"), "Correlation", "number", ".2f"),
        ],
        lines,
        caption="Players of each fold, by what was learnt from the others; errors in ranks.",
        noun="line",
    )
    words = [
        f"Scales: {', '.join(model.scales)}; network {model.card['network']}",
        f"Model in {file}",
    ]
    return Document(
        f"The model {model.card['name']}",
        words,
        [Section("", [table])],
        table,
        lambda: {
            "name": model.card["name"],
            "network": model.card["network"],
            "scales": list(model.scales),
            "model": str(file),
            "unseen": [
                {
                    "scale": line.scale,
                    "games": line.games,
                    "players": line.players,
                    "median_error": line.median_error,
                    "correlation": line.correlation,
                }
                for line in lines
            ],
        },
    )


def _lines(scale: ModelScale, unseen: Unseen) -> list[_Line]:
    mean = scale.moments(unseen.density)[0]
    true = unseen.strengths.mean(axis=1)
    lines = []
    for games in np.unique(unseen.games):
        rows = unseen.games == games
        both = np.corrcoef(mean[rows], true[rows])[0, 1] if rows.sum() > 2 else np.nan
        lines.append(
            _Line(
                scale.name,
                int(games),
                len(np.unique(unseen.player[rows])),
                float(np.median(np.abs(mean[rows] - true[rows]))),
                float(both),
            )
        )
    return lines
