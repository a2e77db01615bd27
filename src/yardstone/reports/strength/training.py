"""Trainings and searches of strength networks: texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yardstone.reports.aligned import aligned_text

if TYPE_CHECKING:
    from yardstone.lab.neubauer.network.search_run import SearchRun
    from yardstone.lab.neubauer.network.set_transformer_numpy import StrengthNetwork

__all__ = ["runs_json", "runs_text", "trained_text"]


def trained_text(network: StrengthNetwork) -> str:
    """What came out of a training, in a few lines."""
    card = network.card
    return (
        f"{card['parameters']:,} parameters, {network.channels} features a move\n"
        f"trained on {card['training_games']:,} games, best after epoch {card['epoch']} "
        f"of {card['epochs']}\n"
        f"validation on {card['validation_games']:,} games: log-likelihood "
        f"{-card['validation_loss']:.4f}, accuracy {100 * card['accuracy']:.1f} %\n"
    )


def runs_text(runs: Sequence[SearchRun]) -> str:
    """All trainings of a search, the best first."""
    head = ("run", "loss", "accuracy", "epochs", "η₀", "β", "τ_r", "τ_θ", "l", "d", "d_q", "m", "N")
    rows: list[Sequence[str]] = [head]
    for run in sorted(runs, key=lambda run: run.loss):
        s = run.settings
        failed = not math.isfinite(run.loss)
        rows.append(
            (
                f"{run.iteration}.{run.number:02d}",
                "–" if failed else f"{run.loss:.4f}",
                "–" if failed else f"{100 * run.accuracy:.1f} %",
                f"{run.best_epoch}/{run.epochs_done}",
                f"{s.learning_rate:.2e}",
                f"{s.decay:.4f}",
                f"{s.rating_loss:.3g}",
                f"{s.regularisation:.3g}",
                *map(str, (s.depth, s.width, s.query_width, s.inducing_points, s.window)),
            )
        )
    return aligned_text(rows, left={0})


def runs_json(runs: Sequence[SearchRun]) -> list[dict[str, object]]:
    """All trainings of a search, the best first, as plain values."""
    found: list[dict[str, object]] = []
    for run in sorted(runs, key=lambda run: run.loss):
        failed = not math.isfinite(run.loss)
        found.append(
            {
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
        )
    return found
