"""The report and chart of a network that imitates players."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.go.nets.store import network_name
from yardstone.reports.chart import Axis, Chart, Panel, Stroke
from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.strength.site_scales import GROUP_EDGES
from yardstone_lab.imitation.games import BANDS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from yardstone_lab.imitation.network import ImitationNetwork
    from yardstone_lab.imitation.training import Judged


def imitation_chart(losses: Mapping[str, NDArray[np.float64]], *, title: str = "Training") -> Chart:
    """How a training went: log-loss of the moves, and share of first choices.

    Args:
        losses (mapping of str to float64 [lines]): The columns of `losses.csv`
            (`yardstone_lab.imitation.training.read_losses`).
    """
    step = losses["step"]
    x = Axis("Step", low=0.0, high=float(step.max(initial=1.0)), whole=True)
    loss = Panel(
        x,
        Axis("Log-loss", grid=True),
        [
            Stroke(step, losses["move"], "c1", "move, by the player's rank", 2.0),
            Stroke(step, losses["policy"], "c2", "policy of all, or of the teacher"),
        ],
    )
    top = Panel(
        x,
        Axis("First choice right, %", low=0.0, grid=True),
        [Stroke(step, 100.0 * losses["top"], "c1", "", 2.0)],
    )
    return Chart([loss, top], title, columns=2, height=240.0)


@dataclass(frozen=True, slots=True)
class _Row:
    """Players of one band."""

    players: str
    sides: int
    moves: int
    top: float
    loss: float
    everybody: float


_COLUMNS = (
    Column("players", lambda row: row.players, "players", strong=True),
    Column("sides", lambda row: row.sides, "sides", "integer", ",d"),
    Column("moves", lambda row: row.moves, "moves", "integer", ",d"),
    Column("top", lambda row: row.top, "first choice", "number", show=lambda r: f"{r.top:.1%}"),
    Column("log_loss", lambda row: row.loss, "log-loss", "number", ".3f"),
    Column("log_loss_of_all", lambda row: row.everybody, "log-loss, all", "number", ".3f"),
)


def imitation_document(
    judged: Judged,
    network: ImitationNetwork,
    file: Path,
    losses: Mapping[str, NDArray[np.float64]],
) -> Document:
    """How well a network chooses what players of each band chose, in games kept apart.

    `losses` are those of its training (`yardstone_lab.imitation.training.read_losses`), for the
    picture.
    """
    band = np.repeat(judged.band, judged.moves)
    rows = []
    for number, (scale, group) in enumerate(BANDS):
        mine = band == number
        if not mine.any():
            continue
        rows.append(
            _Row(
                _name(scale, group),
                int((judged.band == number).sum()),
                int(mine.sum()),
                float(judged.all.top[mine].mean()),
                float(-judged.own[mine].mean()),
                float(-judged.all.everybody[mine].mean()),
            )
        )
    parameters = sum(each.numel() for each in network.parameters())
    table = Table(_COLUMNS, rows, noun="band")
    lines = [
        "First choice: the move that the network thinks likeliest for that rank was played.",
        "Log-loss: minus the log-likelihood of the moves, by that rank's choices and by the policy "
        "of all.",
        f"{parameters:,} parameters; network in {file} ({file.stat().st_size / 1e6:.1f} MB).",
    ]
    return Document(
        "Moves in games kept apart",
        sections=[Section(blocks=[table, Lines(lines)])],
        records=table,
        drawing=lambda: imitation_chart(losses, title=f"Training of {network_name(file)}"),
    )


def _name(scale: str, group: int) -> str:
    """The players of a band in words."""
    if not scale:
        return "of unknown rank"
    low, high = GROUP_EDGES[scale][group : group + 2]
    first, last = _rank(low), _rank(high - 1.0)
    return f"{scale}, {first}" if first == last else f"{scale}, {first} to {last}"


def _rank(value: float) -> str:
    """A whole rank: n dan is n to n + 1, 1 kyu 0 to 1."""
    return f"{value:.0f}d" if value >= 1.0 else f"{1.0 - value:.0f}k"
