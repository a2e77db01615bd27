"""Asks a network about many positions: in batches over games, equal ones once."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from yardstone import parallel
from yardstone.arrays import Flags, Floats32, Ints, Longs
from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.go.evaluation_store import KeptAnswer, evaluate_kept, inputs_keys
from yardstone.go.inputs import Encoded, encode_game
from yardstone.go.nets.network import Network, network_here, softmax, turned
from yardstone.go.points import PASS, WHITE, colour_name, point_name, symmetry_points
from yardstone.go.rules import Conditions, Rules, conditions_of
from yardstone.parallel import Track
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import GoGame

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
_LEAST, _MOST = np.finfo(np.float16).min, np.finfo(np.float16).max


@dataclass(frozen=True, slots=True, eq=False)
class NetworkQuestion:
    """Positions of one game that a network is asked about."""

    encoded: Encoded  #: The positions.
    rules: Rules  #: The rules they were encoded under.
    #: [n]: for each position the point whose features are wanted; -1 for none.
    points: NDArray[np.int16] | None = None
    about: Any = None  #: Whatever the asker wants to get back with the answer.


@dataclass(frozen=True, slots=True, eq=False)
class NetworkAnswer:
    """What the network says."""

    question: NetworkQuestion
    assessment: Assessment  #: Of its positions.
    #: By kind, a row for each position with a point: ``pick`` [m, channels] is the trunk at that
    #: point, ``after`` [m, channels] the trunk at the same point in the position that follows,
    #: ``candidates`` [m, 5, channels] the trunk at the points of greatest policy among the others,
    #: with ``chances`` [m, 5] their policy, ``mean`` [m, channels] its mean over the board, and
    #: ``trunk`` [m, channels, size, size] the whole. Empty unless asked for.
    features: dict[str, NDArray[np.float16]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Position:
    """A position: its inputs until the network has been asked, then what it says.

    What was kept of an earlier run has a trunk at some points only; for others the network is asked
    again.
    """

    inputs: tuple[NDArray[Any], Floats32] | None
    key: bytes = b""
    answer: KeptAnswer | None = None
    trunk: Floats32 | None = None

    def at(self, points: list[int]) -> NDArray[Any]:
        """The trunk at some points: [points, channels]."""
        if self.trunk is not None:
            return self.trunk.reshape(len(self.trunk), -1)[:, points].T
        assert self.answer is not None
        return np.stack([self.answer.points[point] for point in points])

    def mean(self) -> NDArray[Any]:
        """The trunk's mean over the board."""
        if self.answer is not None and self.answer.mean is not None:
            return self.answer.mean
        assert self.trunk is not None
        flat = self.trunk.reshape(len(self.trunk), -1)
        return np.asarray(flat.mean(axis=1, dtype=np.float64))

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

    Args:
        trunk (collection of {"pick", "after", "candidates", "mean", "trunk"}): Features of the
            trunk to give with the answers; ``after`` needs questions with the position that follows
            each one with a point.
        batch: Positions that go to the network together.
        memory: Bytes spent on remembering positions.
        track: Told after each batch how many positions are done.

    Attributes:
        asked, evaluated: Positions so far, and how many of them the network had to evaluate.
    """

    def __init__(
        self,
        network: Network,
        *,
        trunk: Collection[str] = (),
        batch: int = BATCH,
        memory: int = MEMORY,
        track: Track | None = None,
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
        self._track = track
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
            while waiting and all(position.answer is not None for position in waiting[0][1]):
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
        keys = inputs_keys(self.network, encoded.spatial, encoded.globals)
        new = [] if self._store is None else [key for key in keys if key not in self._known]
        kept = self._store.get(new) if self._store is not None else {}
        for key, spatial, numbers in zip(keys, encoded.spatial, encoded.globals, strict=True):
            position = self._known.get(key)
            if position is None:
                answer = KeptAnswer.from_bytes(kept[key]) if key in kept else None
                inputs = (spatial, numbers) if answer is None else None
                position = _Position(inputs, key, answer)
                self._known[key] = position
                if answer is None:
                    pending.append(position)
            else:
                self._known.move_to_end(key)
            positions.append(position)
        self.asked += len(positions)
        return positions

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
                position.answer = KeptAnswer.of(outputs, row)
                if self._store is not None and not self._kinds:
                    self._store.put(position.key, position.answer.to_bytes())
        if self._track is not None:
            waiting = sum(map(len, self._pending.values())) - len(positions)
            self._track(self.asked - max(waiting, 0))
        if self._kinds:
            self._cost = max(self._cost, _ENTRY + 4 * self.network.channels * size * size)

    def _answered(self, question: NetworkQuestion, positions: list[_Position]) -> NetworkAnswer:
        encoded = question.encoded
        outputs = [position.answer for position in positions if position.answer is not None]
        without_result = can_end_without_result(question.rules)
        assessment = assess_answers(outputs, encoded.to_play, encoded.legal, without_result)
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
        at = list(zip(rows.tolist(), points.tolist(), strict=True))
        values: dict[str, Iterable[Any]] = {
            "pick": (positions[row].at([point])[0] for row, point in at),
            "after": (positions[row + 1].at([point])[0] for row, point in at),
            "candidates": (
                positions[row].at(best) for (row, _), best in zip(at, others.tolist(), strict=True)
            ),
            "mean": (positions[row].mean() for row, _ in at),
            "trunk": (positions[row].trunk for row, _ in at),
        }
        shapes = feature_shapes(self.network.channels, encoded.spatial.shape[-1])
        features = {kind: _stack(list(values[kind]), *shapes[kind]) for kind in self._kinds}
        if "candidates" in features:
            features["candidates"] *= chances[:, :, None] > 0
            features["chances"] = chances.astype(np.float16)
        return NetworkAnswer(question, assessment, features)

    def _wanted(self, rows: NDArray[np.intp], points: Longs, others: Longs) -> dict[int, set[int]]:
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
            if position.lacks(at, mean, whole):
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
            if points := list(wanted.get(row, set()) - answer.points.keys()):
                values = _half(position.at(points))
                answer.points.update(zip(points, values, strict=True))
            if mean and answer.mean is None and row in wanted:
                answer.mean = _half(position.mean())
            self._store.put(position.key, answer.to_bytes())


def feature_shapes(channels: int, size: int) -> dict[str, tuple[int, ...]]:
    """The shape of each kind of features of a move."""
    return {
        "pick": (channels,),
        "after": (channels,),
        "candidates": (CANDIDATES, channels),
        "chances": (CANDIDATES,),
        "mean": (channels,),
        "trunk": (channels, size, size),
    }


def _stack(values: list[NDArray[Any]], *shape: int) -> NDArray[np.float16]:
    """Values of this shape as float16, without infinite ones."""
    return _half(np.stack(values) if values else np.empty((0, *shape)))


def _half(values: NDArray[Any]) -> NDArray[np.float16]:
    """Return values as float16, without infinite ones."""
    half: NDArray[np.float16] = np.clip(values, _LEAST, _MOST).astype(np.float16)
    return half


def _candidates(policy: Floats32, points: Longs) -> tuple[Longs, Floats32]:
    """Points of greatest policy other than the one that was played, and their policy, or 0."""
    board = np.nan_to_num(policy[:, :-1])
    board[np.arange(len(points)), points] = -1.0
    number = min(CANDIDATES, board.shape[1] - 1)
    order = np.argsort(-board, axis=1, kind="stable")[:, :number]
    order = np.pad(order, ((0, 0), (0, CANDIDATES - number)))
    chances = np.take_along_axis(board, order, axis=1)
    chances[:, number:] = 0.0
    return order, np.maximum(chances, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """How n positions stand, as a network sees them without searching."""

    #: `white_win`, `white_loss`, `no_result` [n]: probabilities, which add up to 1.
    white_win: Floats32
    white_loss: Floats32
    no_result: Floats32
    #: [n]: points that Black would have to get to make the position even; negative if Black is
    #: ahead. Komi is counted in.
    white_lead: Floats32
    white_score: Floats32  #: [n]: final score to be expected if strong programs went on playing.
    #: Probability that each point, in the order of points, or in the last place the pass, is the
    #: best move for the side to move; NaN where the move is illegal.
    policy: Floats32
    to_play: NDArray[np.int8]  #: [n]: the side to move: 1 Black, 2 White.

    def __len__(self) -> int:
        """Number of positions."""
        return len(self.white_win)

    @property
    def white_expected(self) -> Floats32:
        """White's expected score, 0 to 1: a game without result counts a half."""
        return self.white_win + np.float32(0.5) * self.no_result


def can_end_without_result(rules: Rules) -> bool:
    """Whether a repeated position ends the game without a result under these rules."""
    return rules.ko == "simple" or rules.scoring == "territory"


def assess(
    policy_logits: Floats32,
    value_logits: Floats32,
    score: Floats32,
    to_play: NDArray[np.int8],
    legal: NDArray[np.uint8],
    *,
    without_result: bool | Flags,
) -> Assessment:
    """Turn the output of a network to White's view.

    `policy_logits` [n, size² + 1] are of every point and of passing, legal or not; `value_logits`
    [n, 3] and `score` [n, 2] (lead and expected score) are for the side to move, 1 Black or 2
    White. Without `without_result` (`can_end_without_result`; one, or one for each) what it says of
    games without a result is left out.
    """
    values = value_logits.astype(np.float64)
    values[:, 2] = np.where(without_result, values[:, 2], -np.inf)
    chances = softmax(values)
    white = to_play == WHITE
    mine, theirs, none = chances.T
    counted = np.where(white, 1.0, -1.0) * (1.0 - none)
    logits = np.where(legal > 0, policy_logits.astype(np.float64), -np.inf)
    policy = np.where(legal > 0, softmax(logits), np.nan)  # passing is always legal
    return Assessment(
        white_win=np.where(white, mine, theirs).astype(np.float32),
        white_loss=np.where(white, theirs, mine).astype(np.float32),
        no_result=none.astype(np.float32),
        white_lead=(counted * score[:, 0]).astype(np.float32),
        white_score=(counted * score[:, 1]).astype(np.float32),
        policy=policy.astype(np.float32),
        to_play=np.asarray(to_play, np.int8),
    )


def assess_answers(
    answers: Sequence[KeptAnswer],
    to_play: NDArray[np.int8],
    legal: NDArray[np.uint8],
    without_result: bool | Flags,
) -> Assessment:
    """What answers about positions say, from White's view; the rest is as for `assess`."""
    return assess(
        np.array([each.policy for each in answers], np.float32).reshape(legal.shape),
        np.array([each.value for each in answers], np.float32).reshape(-1, 3),
        np.array([each.score for each in answers], np.float32).reshape(-1, 2),
        to_play,
        legal,
        without_result=without_result,
    )


@dataclass(frozen=True, slots=True)
class GameSubject:
    """What a question is about: a game, and how the network is shown it."""

    game: GoGame
    conditions: Conditions


def ask(
    games: Iterable[GoGame],
    skipped: SkipReport,
    network: Network,
    *,
    rules: Rules | None = None,
    komi: float | None = None,
    positions: Callable[[GoGame], Ints] | None = None,
    trunk: bool = False,
    whole: bool = False,
) -> Iterator[NetworkQuestion]:
    """Make a question of each game; those that cannot be shown to the network go to `skipped`.

    Rules and komi are for all games, in place of their own (`conditions_of`). `positions` gives the
    numbers of those that are wanted of a game, by default all; `trunk` asks for the features of
    each move at its point. With `whole` a game with an illegal move is left out, else what comes
    before it is asked about.
    """
    for game in games:
        try:
            wanted = conditions_of(game, rules=rules, komi=komi)
            conditions = network.asked(wanted, game.size)
            encoded = encode_game(
                game.size,
                game.setup_black,
                game.setup_white,
                game.moves,
                game.colours,
                conditions.komi,
                conditions.rules,
                positions=None if positions is None else positions(game),
                to_play=None if len(game.moves) else game.to_play,
                packed=True,
            )
        except InputError as error:
            skipped.add(Skipped(game.file, game.line, error.message))
            continue
        if encoded.illegal_at >= 0 and (whole or not len(encoded)):
            reason = describe_illegal(game, encoded.illegal_at)
            skipped.add(Skipped(game.file, game.line, reason), kind="an illegal move")
            continue
        points = None
        if trunk:
            points = np.append(game.moves, PASS)[encoded.positions].astype(np.int16)
            points[np.isin(encoded.positions, encoded.breaches)] = PASS
        yield NetworkQuestion(encoded, conditions.rules, points, GameSubject(game, conditions))


def describe_illegal(game: GoGame, move: int) -> str:
    """Say which move cannot be played; `move` counts from 0."""
    return illegal_move(move, int(game.moves[move]), int(game.colours[move]), game.size)


def illegal_move(move: int, point: int, colour: int, size: int) -> str:
    """Say that a move, counted from 0, cannot be played."""
    where = point_name(point, size) if PASS <= point < size**2 else "outside the board"
    return f"move {move + 1} is illegal ({colour_name(colour)} {where})"


def moves_before_passes(game: GoGame) -> int:
    """Number of moves before the passes at the end of a game."""
    stones = np.flatnonzero(game.moves != PASS)
    return int(stones[-1]) + 1 if len(stones) else 0


def require_games(number: int, skipped: SkipReport, *, strict: bool = False) -> None:
    """Raise NoGamesError if no game could be used; with `strict` StrictError if any could not."""
    if not len(skipped):
        if not number:
            raise NoGamesError("there are no games")
        return
    first = skipped.details[0]
    if strict:
        raise StrictError(first.reason, file=first.file, line=first.line or None)
    if not number:
        reason = f"no game can be used: {first.reason}"
        raise NoGamesError(reason, file=first.file, line=first.line or None)


def evaluate_turned(
    network: Network, spatial: NDArray[Any], numbers: Floats32, symmetries: Longs
) -> list[KeptAnswer]:
    """What a network says of positions that it is shown turned, with the policy turned back.

    `symmetries`, 0 to 7, say how each position is turned; all else of the answer is of the turned
    ones.
    """
    answers = evaluate_kept(network, turned(spatial, symmetries), numbers)
    table = symmetry_points(int(spatial.shape[-1]))
    return [
        replace(each, policy=np.append(each.policy[table[symmetry]], each.policy[-1]))
        for each, symmetry in zip(answers, symmetries.tolist(), strict=True)
    ]


#: Items that are handed out, and whose answers are held, together.
_WINDOW = 1 << 14

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Share:
    """Items that are worked on together."""

    first: int
    items: tuple[Any, ...]

    def __repr__(self) -> str:
        """Which; errors name them so."""
        return f"<games {self.first + 1} to {self.first + len(self.items)}>"


def over_games(
    work: Callable[..., Iterator[Answer]],
    items: Iterable[Item],
    network: Network,
    *,
    together: int,
    positions: Callable[[Item], int],
    skipped: SkipReport,
    what: str | None = None,
) -> Iterator[Answer]:
    """What a network says of items: here, or where an engine is chosen on its machines.

    There each process loads the network once, and keeps no answers between runs. `work` is a
    function at the top level of a module, or a `functools.partial` of one: from items and a
    network, with `skipped` and `track` by name, to the answers, each of which depends on its item
    alone. So many items as `together` go to a machine at once; `positions` gives the number of
    positions of an item. `skipped` takes what cannot be asked about. `what` is being done, for
    whoever is told of the progress: in positions, of all where the items are a sequence.
    """
    total = sum(map(positions, items)) if isinstance(items, Sequence) else 0
    track = None if what is None else Track(what, total)
    if not parallel.elsewhere():
        yield from work(items, network, skipped=skipped, track=track)
        if track is not None:
            track(total)
        return
    source = (network.file, network.engine, network.precision, 1, network.device)
    ask_share = partial(_ask_share, work, (*source, network.symmetries))
    done = taken = 0

    def receive(share: _Share, answers: Any) -> Any:
        nonlocal done
        done += sum(map(positions, share.items))
        if track is not None:
            track(done)
        return answers

    remaining = iter(items)
    while window := list(islice(remaining, _WINDOW)):
        starts = range(0, len(window), together)
        shares = [_Share(taken + k, tuple(window[k : k + together])) for k in starts]
        taken += len(window)
        for answers, report in parallel.map(
            ask_share, shares, receive=receive, files=[Path(network.file)]
        ):
            skipped.merge(report)
            yield from answers


def _ask_share(
    work: Callable[..., Iterator[Answer]], source: tuple[Any, ...], share: _Share
) -> tuple[Sequence[Answer], SkipReport]:
    """The answers to a share, and what could not be asked about; done in a worker."""
    report = SkipReport()
    return list(work(share.items, network_here(*source), skipped=report, track=None)), report
