"""A network of KataGo that can be asked about positions."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import Floats32, Ints, Longs
from yardstone.errors import UsageError
from yardstone.go.evaluation_store import EvaluationStore, open_store
from yardstone.go.nets.engines import CPU, Engine, Runner, make_engine
from yardstone.go.nets.layers import NetworkModel
from yardstone.go.nets.model_file import GLOBAL, SPATIAL, read_model
from yardstone.go.nets.store import find_network
from yardstone.go.points import SYMMETRIES, symmetry_points
from yardstone.go.rules import KNOWLEDGE, Conditions
from yardstone.parallel import available_cores, inside, local_path


class Network:
    """A network, ready to evaluate positions.

    It may be used by several threads at the same time. `load_network` makes one.

    Attributes:
        model: All its layers.
        file: Where it was read from.
        name: Its name.
        version: Model version, 8 to 17.
        channels: Channels of the trunk.
        sha256: Of its file, in hexadecimal.
        size_limits (int, int): Smallest and largest board.
        pass_alive_under_suicide: Whether inputs about pass-alive areas are to be computed as if
            suicide were legal.
        engine, precision: What computes it, and in which numbers.
        device: On what: ``cpu``, or a graphics card.
        threads: How many positions are computed at the same time.
        answers: Where what it says is kept between runs, by those who ask it.
        symmetries: How many ways it is shown each position; what it says is the average.
        knowledge: The conditions that it was trained for, where it was not trained for all.
    """

    size_limits = (2, 19)

    def __init__(
        self,
        model: NetworkModel,
        file: str,
        engine: Engine,
        precision: str,
        threads: int,
        answers: EvaluationStore | None = None,
        symmetries: int = 1,
    ) -> None:
        self.model = model
        self.file = file
        self.name = model.name
        self.version = model.version
        self.channels = model.trunk.channels
        self.sha256 = model.sha256
        self.pass_alive_under_suicide = model.pass_alive_under_suicide
        self.engine = engine.name
        self.precision = precision
        self.device = engine.device
        self.threads = threads if engine.device == CPU else 1
        self.answers = answers
        self.symmetries = check_symmetries(symmetries)
        self.knowledge = KNOWLEDGE.get(self.sha256)
        self._engine = engine
        self._runners: dict[int, dict[tuple[str, ...], Runner]] = {}
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def __repr__(self) -> str:
        how = f"{self.engine} {self.precision}" + f" {self.device}" * (self.device != CPU)
        how += f", {self.symmetries} symmetries" * (self.symmetries > 1)
        return f"<Network {self.name}, version {self.version}, {how}>"

    def asked(self, wanted: Conditions, size: int) -> Conditions:
        """The conditions to ask it under in place of these; see `Knowledge.asked`."""
        return wanted if self.knowledge is None else self.knowledge.asked(wanted, size)

    def evaluate(
        self, spatial: Floats32, globals: Floats32, *, trunk: bool = False, ownership: bool = False
    ) -> NetworkOutput:
        """Evaluate positions, all on boards of one size.

        Args:
            spatial (float32 [n, 22, size, size]): KataGo's input planes (version 7), of boards that
                fill them: plane 0 is 1.
            globals (float32 [n, 19]): KataGo's global inputs (version 7).
            trunk, ownership: Give these as well; they cost memory, and the trunk a little time.

        Returns:
            A position is evaluated alike whatever else is in the batch, up to rounding.

        Raises:
            UsageError: The arrays do not have these shapes, or a board does not fill its planes.
        """
        size = self._checked(spatial, globals)
        outputs = ["policy", "value", "score"]
        outputs += ["trunk"] * trunk + ["ownership"] * ownership

        def evaluate(planes: Floats32) -> NetworkOutput:
            values = self._run(size, outputs, planes, globals)
            score, scaling = values["score"].astype(np.float64), self.model.scaling
            owned = values.get("ownership")
            return NetworkOutput(
                policy_logits=values["policy"],
                value_logits=values["value"],
                score_mean=(scaling.score_mean * score[:, 0]).astype(np.float32),
                lead=(scaling.lead * score[:, 2]).astype(np.float32),
                trunk=values.get("trunk"),
                ownership=None if owned is None else np.tanh(owned),
            )

        return averaged(evaluate, spatial, self.symmetries)

    def _checked(self, spatial: Floats32, numbers: Floats32) -> int:
        if spatial.ndim != 4 or spatial.shape[1] != SPATIAL:
            raise UsageError(f"spatial has shape {list(spatial.shape)}, not [n, 22, size, size]")
        size = spatial.shape[2]
        if spatial.shape[3] != size:
            raise UsageError(f"boards of {spatial.shape[3]}x{size} points are not supported")
        least, most = self.size_limits
        if not least <= size <= most:
            raise UsageError(f"boards of size {size} are not supported: {least} to {most} are")
        if numbers.shape != (len(spatial), GLOBAL):
            raise UsageError(
                f"globals has shape {list(numbers.shape)}, not [{len(spatial)}, {GLOBAL}]"
            )
        if not (spatial[:, 0] == 1.0).all():
            raise UsageError("a board does not fill its planes: evaluate each size by itself")
        return int(size)

    def _run(
        self, size: int, outputs: Sequence[str], spatial: Floats32, numbers: Floats32
    ) -> dict[str, Floats32]:
        """All chunks of a batch, as many at a time as there are threads."""
        number = len(spatial)
        sides: dict[str, tuple[int, ...]] = {
            "policy": (size * size + 1,),
            "value": (3,),
            "score": (self.model.value.score.shape[1],),
            "trunk": (self.channels, size, size),
            "ownership": (size, size),
        }
        whole = {name: np.empty((number, *sides[name]), np.float32) for name in outputs}
        if number == 0:
            return whole
        with self._lock:
            # One that gives more is there sooner than a second graph is made.
            runners = self._runners.setdefault(size, {})
            makes = next((names for names in runners if set(outputs) <= set(names)), None)
            if makes is None:
                makes = tuple(outputs)
                runners[makes] = self._engine.runner(self.model, size, outputs)
            runner = runners[makes]
        step = _chunk(number, self._engine.batch, self.threads)

        def part(start: int) -> None:
            place = slice(start, start + step)
            answers = runner(
                np.ascontiguousarray(spatial[place], np.float32),
                np.ascontiguousarray(numbers[place], np.float32),
            )
            for name in outputs:
                whole[name][place] = answers[name]

        starts = range(0, number, step)
        if len(starts) == 1 or self.threads == 1:
            for start in starts:
                part(start)
        else:
            with self._lock:
                if self._pool is None:
                    self._pool = ThreadPoolExecutor(self.threads, "yardstone-network")
            list(self._pool.map(part, starts))
        return whole


def _chunk(number: int, batch: int, threads: int) -> int:
    """Positions a call: whole batches, and of few positions as many for each thread."""
    return min(batch, -(-number // threads))


def load_network(
    path: str | os.PathLike[str] | None = None,
    engine: str = "auto",
    precision: str = "fp32",
    threads: int | None = None,
    cache: bool = False,
    device: str = "auto",
    symmetries: int = 1,
) -> Network:
    """Read a network of KataGo and make it ready to evaluate positions.

    Args:
        path: A network file, or the name of a network in the user's folder. Without it the
            environment variable YARDSTONE_NET names one, or else the only network in that folder is
            taken.
        engine ({"auto", "onnxruntime", "openvino"}): What computes it; ``auto`` takes ONNX Runtime
            if it is installed.
        precision ({"fp32", "bf16"}): Numbers to compute with. bf16 takes OpenVINO and has errors:
            see the guide.
        threads: Positions computed at the same time; the default is one a core, and one in the
            workers of `yardstone.parallel.map`.
        cache: Keep what it says of positions between runs, and do not ask it again; see
            `yardstone.go.evaluation_store`.
        device ({"auto", "cpu", "cuda", "directml"}): The processor, or a graphics card by ONNX
            Runtime; ``auto`` takes a card that works, if there is one, where ONNX Runtime computes
            in fp32.
        symmetries: Show it each position in so many ways, 1 to 8, and average: the board as it
            lies, turned by a quarter, and so on. It takes that many times as long.

    Raises:
        InputError: The file is missing, damaged or of a kind that is not read, or no network is
            named.
        MissingExtraError: The engine is not installed.
        UsageError: The engine, the precision and the device do not go together, the device does not
            work here, or symmetries is not 1 to 8.
    """
    check_symmetries(symmetries)
    if threads is None:
        threads = 1 if inside() else available_cores()
    if threads < 1:
        raise UsageError(f"threads is {threads}; it must be at least 1")
    chosen = make_engine(engine, precision, threads, device)
    file = find_network(path)
    model = read_model(file)
    answers = open_store() if cache else None
    return Network(model, os.fspath(file), chosen, precision, threads, answers, symmetries)


@lru_cache(maxsize=1)
def network_here(
    net: str | None, engine: str, precision: str, threads: int, device: str, symmetries: int
) -> Network:
    """The network, loaded once a process; its file is found as it came to this machine."""
    path = None if net is None else local_path(net)
    return load_network(path, engine, precision, threads, device=device, symmetries=symmetries)


#: The symmetries, in the order in which they are taken: as it lies, a quarter turn, a half
#: turn, the other quarter turn, then the same with the board seen from behind.
_ORDER = (0, 5, 3, 6, 4, 1, 7, 2)


def check_symmetries(number: int) -> int:
    """Return the number of symmetries; UsageError unless it is 1 to 8."""
    if not 1 <= number <= SYMMETRIES:
        raise UsageError(f"symmetries is {number}; it must be 1 to {SYMMETRIES}")
    return number


def turned(planes: NDArray[Any], symmetries: Longs) -> NDArray[Any]:
    """Planes [n, planes, size, size] of positions, each turned by its symmetry, 0 to 7."""
    size = planes.shape[-1]
    flat = planes.reshape(len(planes), planes.shape[1], size * size)
    out = np.empty_like(flat)
    table = symmetry_points(size)
    for row, symmetry in enumerate(symmetries.tolist()):
        out[row][:, table[symmetry]] = flat[row]
    return out.reshape(planes.shape)


def averaged(
    evaluate: Callable[[Floats32], NetworkOutput], spatial: Floats32, number: int
) -> NetworkOutput:
    """What a network says of planes, averaged over the first `number` symmetries and turned back.

    Of the policy the mean probability, as its logarithm; of all else the mean: of the value that of
    its logits, of the trunk and the ownership that at each point.
    """
    if number == 1:
        return evaluate(spatial)
    size = int(spatial.shape[-1])
    sums: dict[str, Floats32] = {}
    for symmetry in _ORDER[:number]:
        output = evaluate(turned(spatial, np.full(len(spatial), symmetry, np.int64)))
        points = symmetry_points(size)[symmetry]
        for part in fields(NetworkOutput):
            values = getattr(output, part.name)
            if values is not None:
                values = _turned_back(part.name, values, points)
                sums[part.name] = sums[part.name] + values if part.name in sums else values
    mean: dict[str, Any] = {name: total / number for name, total in sums.items()}
    mean["policy_logits"] = np.log(np.maximum(mean["policy_logits"], np.finfo(np.float32).tiny))
    return NetworkOutput(**mean)


def softmax(values: NDArray[Any]) -> NDArray[Any]:
    """Chances of each row, in the precision of the logits; that of scipy takes long to import."""
    chances = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _turned_back(name: str, values: Floats32, points: Ints) -> Floats32:
    """One output of turned positions as the board lies; of the policy its probabilities."""
    if name == "policy_logits":
        chances = softmax(values)
        return np.concatenate([chances[:, :-1][:, points], chances[:, -1:]], axis=1)
    if name in ("trunk", "ownership"):
        flat = values.reshape(*values.shape[:-2], -1)
        return np.ascontiguousarray(flat[..., points].reshape(values.shape))
    return values


@dataclass(frozen=True, slots=True)
class NetworkOutput:
    """What a network says of n positions, all from the view of the side to move.

    Scores are in points and hold for games that end with a result; KataGo multiplies
    means by one minus the probability of no result. They include komi.
    """

    #: Of every point, row by row from the top, then of passing; illegal moves have values too. From
    #: Version 12 on: without optimism.
    policy_logits: Floats32
    #: [n, 3]: of win, loss and no result. Where the rules know no game without a result the third
    #: has no meaning and is to be left out before the softmax.
    value_logits: Floats32
    score_mean: Floats32  #: [n]: expected final score under self-play.
    lead: Floats32  #: [n]: points that would make the position even.
    #: [n, channels, size, size]: after the trunk's last normalisation and activation.
    trunk: Floats32 | None = None
    #: [n, size, size]: whose each point will be: 1 the side to move's, -1 the opponent's.
    ownership: Floats32 | None = None

    def __len__(self) -> int:
        """Number of positions."""
        return len(self.policy_logits)


@dataclass(frozen=True, slots=True)
class NetworkView:
    """A network, and how many ways it is shown each position.

    Features of different views mean different things. Views are equal where the files of their
    networks (`sha256`) and the numbers of symmetries are.
    """

    sha256: str
    symmetries: int = 1
    name: str = field(default="", compare=False)

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> NetworkView:
        """The view that the settings of a store, or the card of a model, name."""
        symmetries = int(about.get("symmetries", 1))  # cards name it where there are several
        return cls(str(about["sha256"]), symmetries, str(about.get("network", "")))

    def __str__(self) -> str:
        """The network's name, and the number of symmetries if there are several."""
        return self.name + f" under {self.symmetries} symmetries" * (self.symmetries > 1)

    def card(self) -> dict[str, Any]:
        """What a model's card says of it."""
        several = {"symmetries": self.symmetries} if self.symmetries > 1 else {}
        return {"network": self.name, "sha256": self.sha256, **several}
