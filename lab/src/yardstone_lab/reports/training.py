"""Trainings and searches of strength networks as documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Section, Table
from yardstone.strength.set_transformer import Hyperparameters
from yardstone_lab.reports.charts.training import search_chart, training_chart

if TYPE_CHECKING:
    from pathlib import Path

    from yardstone.strength.set_transformer import StrengthNetwork
    from yardstone_lab.neubauer.network.search_run import SearchRun
    from yardstone_lab.neubauer.network.training_log import History

__all__ = ["search_document", "training_document"]

#: Settings as the thesis writes them: name, symbol, format.
_SYMBOLS = (
    ("learning_rate", "η₀", ".2e"),
    ("decay", "β", ".4f"),
    ("rating_loss", "τ_r", ".3g"),
    ("regularisation", "τ_θ", ".3g"),
    ("depth", "l", "d"),
    ("width", "d", "d"),
    ("query_width", "d_q", "d"),
    ("inducing_points", "m", "d"),
    ("window", "N", "d"),
)


def training_document(
    network: StrengthNetwork, history: History, file: Path, *, title: str
) -> Document:
    """What came out of a training."""
    card = network.card
    lines = [
        f"{card['parameters']:,} parameters, {network.channels} features a move",
        f"trained on {card['training_games']:,} games, best after epoch {card['epoch']} "
        f"of {card['epochs']}",
        f"validation on {card['validation_games']:,} games: log-likelihood "
        f"{-card['validation_loss']:.4f}, accuracy {100 * card['accuracy']:.1f} %",
        f"network in {file}",
    ]
    return Document(
        title,
        lines,
        plain=lambda: {**card, "network": str(file)},
        drawing=lambda: training_chart(history, title=title),
    )


def search_document(
    runs: Sequence[SearchRun], *, title: str, limits: tuple[float, float] | None = None
) -> Document:
    """All trainings of a search, the best first."""

    def setting(name: str, run: SearchRun) -> Any:
        return getattr(run.settings, name)

    symbols = {name: (symbol, form) for name, symbol, form in _SYMBOLS}
    columns = [
        Column("iteration", lambda run: run.iteration, kind="integer"),
        Column("number", lambda run: run.number, kind="integer"),
        Column("", lambda run: f"{run.iteration}.{run.number:02d}", "run"),
        Column("loss", lambda run: run.loss, "loss", "number", ".4f"),
        Column("accuracy", lambda run: run.accuracy, "accuracy", "number", show=_accuracy),
        Column("best_epoch", lambda run: run.best_epoch, kind="integer"),
        Column("epochs_done", lambda run: run.epochs_done, kind="integer"),
        Column("", lambda run: f"{run.best_epoch}/{run.epochs_done}", "epochs", left=False),
        Column("seconds", lambda run: run.seconds, kind="number"),
        *(
            Column(name, partial(setting, name), *_heading(symbols.get(name)))
            for name in (field.name for field in fields(Hyperparameters))
        ),
        Column("failure", lambda run: run.failure),
        Column("folder", lambda run: run.folder),
    ]
    rows = sorted(runs, key=lambda run: run.loss)
    return Document(
        title,
        sections=[Section("", [Table(columns, rows, noun="training")])],
        records=Table(columns, runs),
        plain=lambda: [_plain(run) for run in rows],
        drawing=lambda: search_chart(runs, limits=limits, title=title),
    )


def _heading(symbol: tuple[str, str] | None) -> tuple[str, Any, str]:
    """Heading, kind and format of a setting."""
    if symbol is None:
        return "", "number", ""
    return symbol[0], "integer" if symbol[1] == "d" else "number", symbol[1]


def _accuracy(run: SearchRun) -> str:
    return f"{100 * run.accuracy:.1f} %" if math.isfinite(run.loss) else "–"


def _plain(run: SearchRun) -> dict[str, Any]:
    failed = not math.isfinite(run.loss)
    return {
        "iteration": run.iteration,
        "number": run.number,
        "loss": None if failed else run.loss,
        "accuracy": None if failed else run.accuracy,
        "best_epoch": run.best_epoch,
        "epochs_done": run.epochs_done,
        "seconds": run.seconds,
        "failure": run.failure or None,
        "folder": run.folder,
        "settings": run.settings.as_dict(),
    }
