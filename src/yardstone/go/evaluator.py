"""Asks a network about many positions: in batches over games, equal ones once."""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import UsageError
from yardstone.go.kept_answers import KeptAnswer, inputs_key
from yardstone.go.position import Assessment, assess, can_end_without_result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.inputs import Encoded
    from yardstone.go.nets.network import Network
    from yardstone.go.rules import Rules

__all__ = ["CANDIDATES", "TRUNK_KINDS", "Evaluator", "NetworkAnswer", "NetworkQuestion"]

#: Features that come from a network's trunk.
TRUNK_KINDS: tuple[str, ...] = ("pick", "after", "candidates", "mean", "trunk")
#: How many other moves are looked at beside the one that was played.
CANDIDATES = 5

#: Positions that go to the network together: some of each engine's batches, whole ones.
BATCH = 96
#: What is remembered of earlier positions, in bytes.
MEMORY = 128 << 20
#: Rough cost of remembering a position, without its trunk.
_ENTRY = 4096
#: No more positions than this wait for the first of them to be answered.
_MOST_WAITING = 4096
_HALF = np.finfo(np.float16)


@dataclass(frozen=True, slots=True, eq=False)
class NetworkQuestion:
    """Positions of one game that a network is asked about.

    Attributes
    ----------
    encoded : Encoded
        The positions.
    rules : Rules
        The rules they were encoded under.
    points : int array [n], optional
        For each position the point whose features are wanted; -1 for none.
    about : object
        Whatever the asker wants to get back with the answer.
    """

    encoded: Encoded
    rules: Rules
    points: NDArray[np.int16] | None = None
    about: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class NetworkAnswer:
    """What the network says.

    Attributes
    ----------
    question : NetworkQuestion
    assessment : Assessment
        Of its positions.
    features : dict of str to float16 arrays
        By kind, a row for each position with a point: ``pick`` [m, channels] is the
        trunk at that point, ``after`` [m, channels] the trunk at the same point in the
        position that follows, ``candidates`` [m, 5, channels] the trunk at the points
        of greatest policy among the others, with ``chances`` [m, 5] their policy,
        ``mean`` [m, channels] its mean over the board, and ``trunk`` [m, channels,
        size, size] the whole. Empty unless asked for.
    """

    question: NetworkQuestion
    assessment: Assessment
    features: dict[str, NDArray[np.float16]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Position:
    """A position: its inputs until the network has been asked, then what it says.

    What was kept of an earlier run has no trunk but at some points; where others are wanted
    the network is asked again, for the trunk only.
    """

    inputs: tuple[NDArray[Any], NDArray[np.float32]] | None
    key: bytes = b""
    answer: KeptAnswer | None = None
    trunk: NDArray[np.float32] | None = None

    def at(self, point: int) -> NDArray[Any]:
        """The trunk at a point."""
        if self.trunk is not None:
            return self.trunk.reshape(len(self.trunk), -1)[:, point]
        assert self.answer is not None
        return self.answer.points[point]

    def mean(self) -> NDArray[Any]:
        """The trunk's mean over the board."""
        if self.trunk is not None:
            return np.asarray(
                self.trunk.reshape(len(self.trunk), -1).mean(axis=1, dtype=np.float64)
            )
        assert self.answer is not None
        assert self.answer.mean is not None
        return self.answer.mean

    def lacks(self, points: Collection[int], mean: bool, whole: bool) -> bool:
        """Whether the network must be asked for the trunk."""
        if self.trunk is not None or self.answer is None:
            return False
        missing = mean and self.answer.mean is None
        return whole or missing or any(point not in self.answer.points for point in points)


class Evaluator:
    """Evaluates positions of many games with one network.

    Where the network keeps its answers (`Network.answers`), positions that it was asked about
    in an earlier run are not evaluated again either, and come out to the last bit as then.

    Positions of different games share batches, and a position whose inputs are
    equal to those of one evaluated before is not evaluated again as long as that one
    is remembered. What is said of a *move*, its features and its policy, is always
    taken at the move's own point.

    Parameters
    ----------
    network : Network
    trunk : collection of {"pick", "after", "candidates", "mean", "trunk"}
        Features of the trunk to give with the answers; ``after`` needs questions with
        the position that follows each one with a point.
    batch : int
        Positions that go to the network together.
    memory : int
        Bytes spent on remembering positions.
    progress : callable, optional
        Called after each batch with the number of positions that are done.

    Attributes
    ----------
    asked, evaluated : int
        Positions so far, and how many of them the network had to evaluate.
    """

    def __init__(
        self,
        network: Network,
        *,
        trunk: Collection[str] = (),
        batch: int = BATCH,
        memory: int = MEMORY,
        progress: Callable[[int], object] | None = None,
    ) -> None:
        if unknown := set(trunk) - set(TRUNK_KINDS):
            raise UsageError(f"there are no features {sorted(unknown)}: {', '.join(TRUNK_KINDS)}")
        if batch < 1:
            raise UsageError(f"batch is {batch}; it must be at least 1")
        self.network = network
        self.asked = 0
        self.evaluated = 0
        self._store = network.answers
        self._kinds = tuple(kind for kind in TRUNK_KINDS if kind in trunk)
        self._batch = batch
        self._memory = memory
        self._progress = progress
        self._cost = _ENTRY
        self._known: OrderedDict[bytes, _Position] = OrderedDict()
        self._pending: dict[int, list[_Position]] = {}

    def answer(self, questions: Iterable[NetworkQuestion]) -> Iterator[NetworkAnswer]:
        """Answer questions in their order; at any time only a few of them are held."""
        waiting: deque[tuple[NetworkQuestion, list[_Position]]] = deque()
        number = 0
        for question in questions:
            waiting.append((question, self._positions(question)))
            number += len(question.encoded)
            for size in list(self._pending):
                self._flush(size, everything=number > _MOST_WAITING)
            while waiting and _is_answered(waiting[0][1]):
                number -= len(waiting[0][0].encoded)
                yield self._answered(*waiting.popleft())
        for size in list(self._pending):
            self._flush(size, everything=True)
        while waiting:
            yield self._answered(*waiting.popleft())
        if self._store is not None:
            self._store.flush()

    def _positions(self, question: NetworkQuestion) -> list[_Position]:
        """The positions of a question: those known, or new ones that are now pending."""
        encoded, known = question.encoded, self.network.knowledge
        if known is not None and not known.knows(question.rules):
            raise UsageError(f"{self.network.name} is asked under {question.rules.name} rules")
        pending = self._pending.setdefault(int(encoded.spatial.shape[-1]), [])
        positions = []
        for inputs in zip(encoded.spatial, encoded.globals, strict=True):
            hashed = hashlib.blake2b(inputs[0].tobytes(), digest_size=16)
            hashed.update(inputs[1].tobytes())
            key = hashed.digest()
            position = self._known.get(key)
            if position is None:
                position = self._known[key] = self._recalled(inputs)
                if position.answer is None:
                    pending.append(position)
            else:
                self._known.move_to_end(key)
            positions.append(position)
        self.asked += len(positions)
        return positions

    def _recalled(self, inputs: tuple[NDArray[Any], NDArray[np.float32]]) -> _Position:
        """A position, with what was kept of it."""
        if self._store is None:
            return _Position(inputs)
        key = inputs_key(self.network, *inputs)
        kept = self._store.get([key]).get(key)
        answer = None if kept is None else KeptAnswer.from_bytes(kept)
        return _Position(inputs if answer is None else None, key, answer)

    def _flush(self, size: int, *, everything: bool) -> None:
        """Evaluate what is pending on one size of board, in whole batches or all of it."""
        pending = self._pending[size]
        while len(pending) >= (1 if everything else self._batch):
            self._evaluate(pending[: self._batch], size)
            del pending[: self._batch]
        if not pending:
            del self._pending[size]
        most = max(self._memory // self._cost, self._batch)
        while len(self._known) > most:  # who still waits for a position holds it
            self._known.popitem(last=False)

    def _evaluate(self, positions: list[_Position], size: int) -> None:
        inputs = [position.inputs for position in positions if position.inputs is not None]
        outputs = self.network.evaluate(
            np.stack([spatial for spatial, _ in inputs]).astype(np.float32, copy=False),
            np.stack([numbers for _, numbers in inputs]),
            trunk=bool(self._kinds),
        )
        self.evaluated += len(positions)
        for row, position in enumerate(positions):
            position.inputs = None
            position.trunk = None if outputs.trunk is None else outputs.trunk[row].copy()
            if position.answer is None:  # else what was said before stands
                position.answer = KeptAnswer(
                    outputs.policy_logits[row],
                    outputs.value_logits[row],
                    (float(outputs.lead[row]), float(outputs.score_mean[row])),
                )
                if self._store is not None and not self._kinds:
                    self._store.put(position.key, position.answer.to_bytes())
        if self._progress is not None:
            waiting = sum(map(len, self._pending.values())) - len(positions)
            self._progress(self.asked - waiting)
        if self._kinds:
            self._cost = max(self._cost, _ENTRY + 4 * self.network.channels * size * size)

    def _answered(self, question: NetworkQuestion, positions: list[_Position]) -> NetworkAnswer:
        encoded = question.encoded
        outputs = [position.answer for position in positions if position.answer is not None]
        assessment = assess(
            np.array([each.policy for each in outputs], np.float32).reshape(encoded.legal.shape),
            np.array([each.value for each in outputs], np.float32).reshape(-1, 3),
            np.array([each.score for each in outputs], np.float32).reshape(-1, 2),
            encoded.to_play,
            encoded.legal,
            without_result=can_end_without_result(question.rules),
        )
        if question.points is None:
            return NetworkAnswer(question, assessment)
        rows = np.flatnonzero(question.points >= 0)
        points = question.points[rows].astype(np.int64)
        if "after" in self._kinds:
            follows = np.diff(encoded.positions, append=-1)[rows] == 1
            if not follows.all():
                raise UsageError("features after a move need the position that follows it")
        others, chances = _candidates(assessment.policy[rows], points)
        self._complete(question, positions, self._wanted(rows, points, others))
        features: dict[str, NDArray[np.float16]] = {}
        for kind in self._kinds:
            if kind == "candidates":
                features["chances"] = chances.astype(np.float16)
                picks = [
                    np.stack([positions[row].at(point) for point in at])
                    for row, at in zip(rows, others.tolist(), strict=True)
                ]
                picked = self._stack(picks, (CANDIDATES, self.network.channels))
                features[kind] = picked * (chances > 0)[:, :, None]
            else:
                features[kind] = self._features(kind, positions, rows, points, encoded)
        return NetworkAnswer(question, assessment, features)

    def _wanted(
        self, rows: NDArray[np.intp], points: NDArray[np.int64], others: NDArray[np.int64]
    ) -> dict[int, set[int]]:
        """For each position of which features are wanted the points of its trunk."""
        wanted: dict[int, set[int]] = {row: set() for row in rows.tolist()}
        for row, point, at in zip(rows.tolist(), points.tolist(), others.tolist(), strict=True):
            if "pick" in self._kinds:
                wanted[row].add(point)
            if "candidates" in self._kinds:
                wanted[row].update(at)
            if "after" in self._kinds:
                wanted.setdefault(row + 1, set()).add(point)
        return wanted

    def _complete(
        self,
        question: NetworkQuestion,
        positions: Sequence[_Position],
        wanted: Mapping[int, set[int]],
    ) -> None:
        """Ask for the trunks that were not kept, and keep what is wanted of them."""
        mean, whole = "mean" in self._kinds, "trunk" in self._kinds
        encoded = question.encoded
        missing: dict[int, _Position] = {}
        for row, at in wanted.items():
            position = positions[row]
            if position.lacks(at, mean, whole) and id(position) not in missing:
                position.inputs = (encoded.spatial[row], encoded.globals[row])
                missing[id(position)] = position
        again = list(missing.values())
        for start in range(0, len(again), self._batch):
            self._evaluate(again[start : start + self._batch], int(encoded.spatial.shape[-1]))
        if self._store is None:
            return
        for row, position in enumerate(positions):
            answer = position.answer
            if answer is None or position.trunk is None:
                continue
            for point in wanted.get(row, set()) - answer.points.keys():
                answer.points[point] = self._stack([position.at(point)], ())[0]
            if mean and answer.mean is None and row in wanted:
                answer.mean = self._stack([position.mean()], ())[0]
            self._store.put(position.key, answer.to_bytes())

    def _features(
        self,
        kind: str,
        positions: Sequence[_Position],
        rows: NDArray[np.intp],
        points: NDArray[np.int64],
        encoded: Encoded,
    ) -> NDArray[np.float16]:
        """One kind of features for the rows with a point."""
        channels, size = self.network.channels, encoded.spatial.shape[-1]
        if kind == "after":
            rows = rows + 1
        if kind == "mean":
            return self._stack([positions[row].mean() for row in rows], (channels,))
        if kind == "trunk":
            wholes = [t for row in rows if (t := positions[row].trunk) is not None]
            return self._stack(wholes, (channels, size, size))
        places = zip(rows.tolist(), points.tolist(), strict=True)
        return self._stack([positions[row].at(point) for row, point in places], (channels,))

    @staticmethod
    def _stack(values: list[NDArray[Any]], shape: tuple[int, ...]) -> NDArray[np.float16]:
        stack = np.stack(values) if values else np.empty((0, *shape))
        return np.clip(stack, _HALF.min, _HALF.max).astype(np.float16)


def _candidates(
    policy: NDArray[np.float32], points: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Points of greatest policy other than the one that was played, and their policy.

    A board with fewer legal moves has points without policy in their place.
    """
    board = np.nan_to_num(policy[:, :-1])
    board[np.arange(len(points)), points] = -1.0
    number = min(CANDIDATES, board.shape[1] - 1)
    order = np.argsort(-board, axis=1, kind="stable")[:, :number]
    order = np.pad(order, ((0, 0), (0, CANDIDATES - number)))
    chances = np.take_along_axis(board, order, axis=1)
    chances[:, number:] = 0.0
    return order, np.maximum(chances, 0.0)


def _is_answered(positions: list[_Position]) -> bool:
    return all(position.answer is not None for position in positions)
