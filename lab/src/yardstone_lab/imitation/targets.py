"""What a training of a network that imitates players makes small, and its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from yardstone_lab.imitation.settings import BANDS

if TYPE_CHECKING:
    from yardstone_lab.imitation.batches import TrainingBatch
    from yardstone_lab.imitation.network import ImitationNetwork
    from yardstone_lab.imitation.settings import ImitationSettings
    from yardstone_lab.imitation.teacher import Lesson

__all__ = ["TrainingLosses", "targets"]

#: A lead of so many points is 1 to the network; differences of fewer than `_CLOSE` count little.
_LEAD, _CLOSE = 20.0, 10.0
_SHUT = -1e4


@dataclass(frozen=True, slots=True)
class TrainingLosses:
    """Means over the positions of a step, or of several.

    Attributes
    ----------
    move : float
        Minus the log-likelihood of the move by the policy of its player's band.
    top : float
        Share of moves that this policy likes best.
    policy : float
        Minus the log-likelihood of the moves, or of the teacher's policy, by that of all players.
    value, lead, strength, trunk : float
        NaN where nothing was known.
    """

    move: float
    top: float
    policy: float
    value: float = float("nan")
    lead: float = float("nan")
    strength: float = float("nan")
    trunk: float = float("nan")


def targets(
    network: ImitationNetwork,
    batch: TrainingBatch,
    lesson: Lesson | None,
    settings: ImitationSettings,
) -> tuple[Tensor, TrainingLosses]:
    """What is made small, and its parts."""
    spatial = torch.from_numpy(batch.spatial).float().to(memory_format=torch.channels_last)
    numbers, point, band, won, legal = (
        torch.from_numpy(getattr(batch, name))
        for name in ("numbers", "point", "band", "won", "legal")
    )
    with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
        outputs = network(spatial, numbers)
    rows = torch.arange(len(point))
    shut = ~legal
    shut[rows, point] = False
    logits = network.choices(outputs, band).masked_fill(shut, _SHUT)
    move = functional.cross_entropy(logits, point)
    top = float((logits.detach().argmax(1) == point).float().mean())
    # The policy of all players is what other programs read.
    policy = functional.cross_entropy(
        outputs.policy.float().masked_fill(shut, _SHUT),
        point if lesson is None else torch.from_numpy(lesson.policy),
    )
    parts = {"policy": policy}
    if lesson is not None:
        won = torch.from_numpy(lesson.won)
        lead = torch.from_numpy(lesson.lead) / _LEAD
        scores = torch.stack([outputs.lead.float(), outputs.mean_score.float()])
        parts["lead"] = functional.smooth_l1_loss(
            scores, lead.expand_as(scores), beta=_CLOSE / _LEAD
        )
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
            taught = network.taught(outputs)
        parts["trunk"] = functional.mse_loss(
            taught.float(), torch.from_numpy(lesson.trunk).transpose(1, 2)
        )
    known = ~torch.isnan(won)
    if known.any():
        chance = won[known]
        wanted = torch.stack([chance, 1.0 - chance, torch.zeros_like(chance)], 1)
        parts["value"] = functional.cross_entropy(outputs.value.float()[known], wanted)
    own = band.view(-1, settings.moves)[:, 0]
    ranked = own > 0
    if ranked.any():
        answers = network.ranks(outputs, point, settings.moves)[ranked]
        parts["strength"] = _strength_loss(answers, own[ranked])
    loss = move + sum(getattr(settings, name) * part for name, part in parts.items())
    losses = {name: float(part.detach()) for name, part in parts.items()}
    return loss, TrainingLosses(move=float(move.detach()), top=top, **losses)


def _strength_loss(answers: Tensor, band: Tensor) -> Tensor:
    """Cross-entropy of the group among those of its own scale."""
    scales = [scale for scale, _ in BANDS[1:]]
    total = torch.zeros(())
    for scale in dict.fromkeys(scales):
        columns = [k for k, each in enumerate(scales) if each == scale]
        mine = (band - 1 >= columns[0]) & (band - 1 <= columns[-1])
        if mine.any():
            own = answers[mine][:, columns[0] : columns[-1] + 1]
            total = total + functional.cross_entropy(
                own, band[mine] - 1 - columns[0], reduction="sum"
            )
    return total / len(band)
