"""What a network said of a position, as it is kept between runs, to the last bit."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.go.nets.devices import CPU

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network

    Floats = NDArray[np.float32]

__all__ = ["KeptAnswer", "NetworkOutputs", "evaluate_kept", "inputs_key"]

_HEAD = struct.Struct("<HHHB")


@dataclass(slots=True, eq=False)
class KeptAnswer:
    """What a network said of a position.

    Attributes
    ----------
    policy : float32 [size² + 1]
        Logits.
    value : float32 [3]
        Logits.
    score : (float, float)
        Lead and expected score.
    points : dict of int to float16 [channels]
        The trunk at some points.
    mean : float16 [channels] or None
        Its mean over the board.
    """

    policy: Floats
    value: Floats
    score: tuple[float, float]
    points: dict[int, NDArray[np.float16]] = field(default_factory=dict)
    mean: NDArray[np.float16] | None = None

    def to_bytes(self) -> bytes:
        """The answer as it is kept."""
        vectors = list(self.points.values()) + ([] if self.mean is None else [self.mean])
        channels = len(vectors[0]) if vectors else 0
        numbers = np.concatenate([self.policy, self.value, np.array(self.score, np.float32)])
        return b"".join(
            (
                _HEAD.pack(len(self.policy), channels, len(self.points), self.mean is not None),
                numbers.astype("<f4").tobytes(),
                np.array(list(self.points), "<u2").tobytes(),
                *(vector.astype("<f2").tobytes() for vector in vectors),
            )
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> KeptAnswer:
        """The answer that was kept."""
        moves, channels, number, has_mean = _HEAD.unpack_from(data)
        at = _HEAD.size
        numbers = np.frombuffer(data, "<f4", moves + 5, at).astype(np.float32)
        at += 4 * (moves + 5)
        points = np.frombuffer(data, "<u2", number, at).tolist()
        at += 2 * number
        vectors = np.frombuffer(data, "<f2", offset=at).astype(np.float16)
        rows = vectors.reshape(-1, max(channels, 1))
        return cls(
            numbers[:moves],
            numbers[moves : moves + 3],
            (float(numbers[moves + 3]), float(numbers[moves + 4])),
            dict(zip(points, rows, strict=False)),
            rows[number] if has_mean else None,
        )


@dataclass(frozen=True, slots=True)
class NetworkOutputs:
    """What a network said of n positions: logits of policy and value, lead and score."""

    policy_logits: Floats
    value_logits: Floats
    lead: Floats
    score_mean: Floats


def inputs_key(network: Network, spatial: NDArray[Any], numbers: Floats) -> bytes:
    """Names the inputs of a position and what they are shown to: 16 bytes."""
    how = f"{network.engine} {network.precision}"
    if network.device != CPU:
        how += f" {network.device}"
    if network.symmetries > 1:
        how += f" {network.symmetries} symmetries"
    named = f"{network.sha256} {how} {spatial.shape[-1]}"
    hashed = hashlib.blake2b(named.encode(), digest_size=16)
    planes = spatial.astype(np.uint8)
    if np.array_equal(planes, spatial) and planes.max(initial=0) <= 1:
        hashed.update(np.packbits(planes).tobytes())
    else:
        hashed.update(b"real" + np.ascontiguousarray(spatial, np.float32).tobytes())
    hashed.update(np.ascontiguousarray(numbers, np.float32).tobytes())
    return hashed.digest()


def evaluate_kept(network: Network, spatial: Floats, numbers: Floats) -> NetworkOutputs:
    """What a network says of positions, those it was asked about in earlier runs as then."""
    store = network.answers
    keys: list[bytes] = []
    known: Mapping[bytes, bytes] = {}
    if store is not None:
        keys = [inputs_key(network, *inputs) for inputs in zip(spatial, numbers, strict=True)]
        known = store.get(keys)
    fresh = [row for row in range(len(spatial)) if not keys or keys[row] not in known]
    outputs = network.evaluate(spatial[fresh], numbers[fresh]) if fresh else None
    answers: dict[int, KeptAnswer] = {
        row: KeptAnswer.from_bytes(known[key]) for row, key in enumerate(keys) if key in known
    }
    for place, row in enumerate(fresh):
        assert outputs is not None
        answers[row] = KeptAnswer(
            outputs.policy_logits[place],
            outputs.value_logits[place],
            (float(outputs.lead[place]), float(outputs.score_mean[place])),
        )
        if store is not None:
            store.put(keys[row], answers[row].to_bytes())
    if store is not None:
        store.flush()
    rows = [answers[row] for row in range(len(spatial))]
    scores = np.array([answer.score for answer in rows], np.float32).reshape(-1, 2)
    return NetworkOutputs(
        np.array([answer.policy for answer in rows], np.float32),
        np.array([answer.value for answer in rows], np.float32),
        scores[:, 0],
        scores[:, 1],
    )
