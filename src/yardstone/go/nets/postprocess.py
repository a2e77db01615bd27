"""From what a network puts out to points and probabilities, as KataGo scales it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from yardstone.go.nets.layers import NetworkModel

__all__ = ["NetworkOutput", "network_output"]

Floats: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NetworkOutput:
    """What a network says of n positions, all from the view of the side to move.

    Scores are in points and hold for games that end with a result; KataGo multiplies
    means by one minus the probability of no result. They include komi.

    Attributes
    ----------
    policy_logits : float32 [n, size² + 1]
        Of every point, row by row from the top, then of passing; illegal moves have
        values too. From version 12 on: without optimism.
    value_logits : float32 [n, 3]
        Of win, loss and no result. Where the rules know no game without a result the
        third has no meaning and is to be left out before the softmax.
    score_mean, score_stdev : float32 [n]
        Expected final score under self-play, and its standard deviation.
    lead : float32 [n]
        Points that would make the position even.
    variance_time : float32 [n]
        How long, in moves, the result stays open.
    value_error, score_error : float32 [n] or None
        Expected size of the difference to a short search; None before version 9.
    trunk : float32 [n, channels, size, size] or None
        After the trunk's last normalisation and activation.
    ownership : float32 [n, size, size] or None
        Whose each point will be: 1 the side to move's, -1 the opponent's.
    """

    policy_logits: Floats
    value_logits: Floats
    score_mean: Floats
    score_stdev: Floats
    lead: Floats
    variance_time: Floats
    value_error: Floats | None
    score_error: Floats | None
    trunk: Floats | None = None
    ownership: Floats | None = None

    def __len__(self) -> int:
        """Number of positions."""
        return len(self.policy_logits)


def _softplus(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.logaddexp(0.0, values)


def network_output(model: NetworkModel, outputs: Mapping[str, Floats]) -> NetworkOutput:
    """Scale the outputs of a network's graph."""
    score = outputs["score"].astype(np.float64)
    scaling = model.scaling
    value_error: NDArray[np.float64] | None = None
    score_error: NDArray[np.float64] | None = None
    if model.version >= 14:
        value_error = np.sqrt(scaling.shortterm_value_error) * _softplus(0.5 * score[:, 4])
        score_error = np.sqrt(scaling.shortterm_score_error) * _softplus(0.5 * score[:, 5])
    elif model.version >= 10:
        value_error = np.sqrt(scaling.shortterm_value_error * _softplus(score[:, 4]))
        score_error = np.sqrt(scaling.shortterm_score_error * _softplus(score[:, 5]))
    elif model.version >= 9:
        value_error, score_error = _softplus(score[:, 4]), 10.0 * _softplus(score[:, 5])
    owned = outputs.get("ownership")

    def single(values: NDArray[np.float64]) -> Floats:
        return values.astype(np.float32)

    return NetworkOutput(
        policy_logits=outputs["policy"],
        value_logits=outputs["value"],
        score_mean=single(scaling.score_mean * score[:, 0]),
        score_stdev=single(scaling.score_stdev * _softplus(score[:, 1])),
        lead=single(scaling.lead * score[:, 2]),
        variance_time=single(scaling.variance_time * _softplus(score[:, 3])),
        value_error=None if value_error is None else single(value_error),
        score_error=None if score_error is None else single(score_error),
        trunk=outputs.get("trunk"),
        ownership=None if owned is None else np.tanh(owned),
    )
