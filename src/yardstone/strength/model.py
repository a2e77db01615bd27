"""`StrengthModel`: how strong a player of Go is, from the moves of a few games.

Models differ in how they make scores of moves (`Scorer`). What follows is the same for all:
the mean scores of the moves of any number of games lie about what is usual at a strength
(`ScoreSpread`), and from that follows the probability of each strength on the scale of a server
whose players the model has learnt from (`ModelScale`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.errors import InputError, UsageError
from yardstone.go.nets.network import Network, NetworkView
from yardstone.go.nets.store import ENVIRONMENT, INCLUDED, file_sha256, find_network
from yardstone.plugins import MODELS, load
from yardstone.strength.evidence import PHASES, Evidence, phases_of
from yardstone.strength.model_scale import ModelScale, ScoreSpread
from yardstone.strength.rank_scorer import MoveScorer
from yardstone.strength.scorers import LossScorer, Scorer
from yardstone.strength.set_scorer import SetScorer
from yardstone.strength.site_scales import GROUP_EDGES

if TYPE_CHECKING:
    from yardstone.arrays import Floats

    Arrays = dict[str, NDArray[Any]]
    StrPath = str | os.PathLike[str]

_DATA = Path(__file__).parent / "data"
#: Names of the models that come with Yardstone, the default first.
SHIPPED = ("joint", "rank", "full", "basic", "stochastic", "small")
#: The one that looks through the network that comes with Yardstone.
SMALL = "small"
#: Steps of the path along which the effects of moves are added up: more where the strength
#: changes at once, so that they add up to so many ranks.
_PATHS, _CLOSE = (24, 96, 384), 0.1


@dataclass(frozen=True, slots=True, eq=False)
class RankScore:
    """How strong a player is on a scale: n dan is n to n + 1, 1 kyu 0 to 1."""

    #: Of the distribution of the strength.
    mean: float
    deviation: float
    probabilities: Floats  #: [g]: of the scale's groups of ranks.
    #: [games]: the mean from each game alone; a game without moves gives the prior's.
    by_game: Floats


class StrengthModel:
    """How strong a player is, from the moves of some games.

    `StrengthModel.load` gives those that come with Yardstone; the laboratory trains others from
    other games (``yardstone strength train``). Raises `ValueError` if there is no scale.

    Attributes:
        card: What it is: ``name``, ``network`` and ``sha256`` of the network whose features it
            reads, data, settings and figures.
        scales: By name; the first is the one that is meant where none is named.
    """

    def __init__(
        self, scorer: Scorer, scales: Sequence[ModelScale], card: Mapping[str, Any]
    ) -> None:
        if not scales:
            raise ValueError("no scale")
        self.scorer = scorer
        self.scales = {scale.name: scale for scale in scales}
        self.card = dict(card)
        #: The moves scored last, with their scores: all parts of an estimate ask for them.
        self._scored: tuple[Evidence, Floats] | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None = None) -> StrengthModel:
        """Load a model: a file, or one that comes with Yardstone by its name (`SHIPPED`).

        Raises `InputError` if the file is not there, or is no model.
        """
        name = SHIPPED[0] if path is None else os.fspath(path)
        file = _DATA / f"{name}.npz" if name in SHIPPED else Path(name)

        def model(stored: StoredArrays, about: dict[str, Any]) -> StrengthModel:
            if not isinstance(about["card"], dict):
                raise ValueError("card")
            arrays = dict(stored)
            for value in arrays.values():
                if (
                    value.dtype.kind != "f"
                    or not float(np.abs(value).max(initial=0.0)) < _TOO_LARGE
                ):
                    raise ValueError("not numbers, or too large for a model")
            card = about["card"]
            joined = card["kind"] == JoinedScorer.kind
            kind = JoinedScorer if joined else scorer_class(card["kind"])
            scorer = kind.from_arrays(_named(arrays, "scorer_"))
            scales = []
            for name in card["scales"]:
                parts = _named(arrays, f"scale_{name}_")
                if not np.array_equal(parts["edges"], GROUP_EDGES[name]):
                    raise ValueError("other groups of ranks than those of the scale")
                spread = ScoreSpread.from_arrays(parts, scorer.width)
                further: list[ScoreSpread] = []
                while more := _named(parts, f"{len(further) + 2}_"):
                    further.append(ScoreSpread.from_arrays(more, scorer.width))
                own = (parts["edges"], parts["prior"], spread, tuple(further))
                scales.append(ModelScale(str(name), *own))
            return cls(scorer, scales, card)

        return _FILE.read(file, model)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model with its weights as float16, whole or not at all."""
        with np.errstate(over="ignore"):  # it is found below
            small = {f"scorer_{k}": v.astype(np.float16) for k, v in self.scorer.arrays().items()}
        exact: dict[str, NDArray[Any]] = {}
        for name, scale in self.scales.items():
            parts = {"edges": scale.edges, "prior": scale.prior, **scale.spread.arrays()}
            for number, each in enumerate(scale.further, 2):
                parts |= {f"{number}_{part}": value for part, value in each.arrays().items()}
            exact |= {f"scale_{name}_{part}": value for part, value in parts.items()}
        card = {**self.card, "kind": self.scorer.kind, "scales": list(self.scales)}
        arrays = small | {name: np.asarray(value, np.float64) for name, value in exact.items()}
        for name, value in arrays.items():
            if not float(np.abs(value).max(initial=0.0)) < _TOO_LARGE:
                raise UsageError(f"{name} has numbers that the file cannot hold")
        _FILE.write(Path(path), arrays, {"card": card})

    def scale(self, name: str | None = None) -> ModelScale:
        """One of its scales; the first without a name.

        Raises `UsageError` if it has none of that name.
        """
        if name is None:
            return next(iter(self.scales.values()))
        if name not in self.scales:
            raise UsageError(
                f"the model {self.card.get('name')} has no scale {name!r}, but "
                f"{', '.join(self.scales)}"
            )
        return self.scales[name]

    def game_statistics(self, evidence: Evidence) -> Floats:
        """What is kept of each game; that of several games is the rows' sum.

        Returns [games, phases + 1 + k]: number of moves of each phase, that number squared over all
        phases (for the part of the covariance that games have in common), and the summed scores of
        the moves. Raises `UsageError` if the evidence comes from a network with another width.
        """
        return np.asarray(self.part_statistics(evidence, np.zeros(len(evidence), np.int64), 1)[0])

    def part_statistics(
        self, evidence: Evidence, part: NDArray[np.integer[Any]], parts: int
    ) -> Floats:
        """The same of some parts of each game, whose moves are scored within the whole game.

        What is said of a move may depend on how its game goes on, so that parts must not be cut out
        before they are scored. `evidence`: whole sides of games. `part` [n]: the part that each
        move belongs to, from 0; none of the parts if below 0. Returns [parts, games, phases + 1 +
        k].
        """
        channels = self.scorer.channels
        if channels and len(evidence) and evidence.channels != channels:
            raise UsageError(
                f"the features have {evidence.channels} channels, and the model reads "
                f"{channels}: use the network {self.card.get('network')}"
            )
        rows = np.flatnonzero(part >= 0)
        place = (part[rows], evidence.game[rows])
        sums = np.zeros((parts, evidence.games, PHASES + 1 + self.scorer.width))
        np.add.at(sums, (*place, phases_of(evidence.number)[rows]), 1.0)
        sums[..., PHASES] = sums[..., :PHASES].sum(axis=-1) ** 2
        if len(rows):
            scores = sums[..., PHASES + 1 :]
            np.add.at(scores, place, self._move_shares(evidence)[rows])
        return sums

    def _move_shares(self, evidence: Evidence) -> Floats:
        """Return the scores of each move: [n, k]."""
        scored = self._scored
        if scored is None or scored[0] is not evidence:
            self._scored = scored = (evidence, self.scorer.move_shares(evidence))
        return scored[1]

    def score(self, evidence: Evidence, scale: str | None = None) -> RankScore:
        """How strong the player is; without any move, what is known beforehand."""
        each = self.game_statistics(evidence)
        means, _, _ = self.posterior(each, scale)
        mean, deviation, probabilities = self.posterior(each.sum(axis=0), scale)
        return RankScore(float(mean), float(deviation), probabilities, means)

    def posterior(
        self, statistics: Floats, scale: str | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Strength from statistics of one player's games; `ModelScale.density` has all of it.

        `statistics` [..., phases + 1 + k]: sums of rows that `game_statistics` gave. `scale`: one
        of `scales`. Returns mean, deviation [...]: in ranks; probabilities [..., g]: of the scale's
        groups.
        """
        on = self.scale(scale)
        density = on.density(statistics)
        return (*on.moments(density), on.shares(density))

    def move_scores(self, evidence: Evidence, scale: str | None = None) -> Floats:
        """How far each move speaks for a stronger (+) or a weaker (-) player, in ranks.

        The effects add up to the estimate less what it would be if the moves were
        those of a player of medium strength, but for rounding: they are summed along
        the straight way from there (integrated gradients, Sundararajan, Taly and Yan
        2017).
        """
        if not len(evidence):
            return np.empty(0)
        on = self.scale(scale)
        whole = self.game_statistics(evidence).sum(axis=0)
        phase = phases_of(evidence.number)
        counts, columns = whole[:PHASES], on.columns
        base = np.zeros((PHASES, self.scorer.width))
        for each in on.spreads:
            base[:, each.columns.astype(np.int64)] = each.usual_of(np.array([on.medium]))[0]
        start = whole.copy()
        start[PHASES + 1 + columns] = counts @ base[:, columns]
        ends, _ = on.moments(on.density(np.stack([start, whole])))
        shares = self._move_shares(evidence) - base[phase]
        for steps in _PATHS:
            effects = np.asarray(shares @ _mean_slope(on, start, whole, self.scorer.width, steps))
            if abs(effects.sum() - (ends[1] - ends[0])) < _CLOSE:
                break
        return effects

    def prior(self, scale: str | None = None) -> tuple[float, float]:
        """Mean and deviation of the strength without any evidence."""
        mean, deviation, _ = self.posterior(np.zeros(PHASES + 1 + self.scorer.width), scale)
        return float(mean), float(deviation)


def _mean_slope(scale: ModelScale, start: Floats, whole: Floats, width: int, steps: int) -> Floats:
    """Mean slope of the strength by each summed score, on the straight way between statistics."""
    columns = PHASES + 1 + scale.columns
    away = np.abs(whole[columns] - start[columns]).max()
    size = 1e-3 * max(float(away), 1e-6)
    moved_by = size * np.eye(len(columns))
    share = (np.arange(steps) + 0.5) / steps
    here = start + (whole - start) * share[:, None]
    moved = np.repeat(here[:, None], 2 * len(columns), axis=1)
    moved[..., columns] += np.concatenate([moved_by, -moved_by])
    means, _ = scale.moments(scale.density(moved))
    up, down = means[:, : len(columns)], means[:, len(columns) :]
    slope = np.zeros(width)
    slope[columns - PHASES - 1] = (up - down).mean(axis=0) / (2.0 * size)
    return slope


def _named(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


#: More bytes or arrays than these has no model: a file that holds more is hostile.
_FILE = ArrayFile(
    "rank model",
    format=2,
    text="card",
    kind="yardstone rank model",
    most_bytes=64 << 20,
    most_arrays=256,
    hint="take a file that Yardstone saved",
)
#: Of a number: what is computed from larger ones leaves the range of float32.
_TOO_LARGE = 1e12


#: Scorers by kind, but for joined ones.
SCORERS: Mapping[str, type[MoveScorer | SetScorer | LossScorer]] = {
    each.kind: each for each in (MoveScorer, SetScorer, LossScorer)
}


def scorer_class(kind: str) -> Any:
    """Return the class of a kind of scorer, built in or of a plug-in; else raise `KeyError`."""
    return SCORERS[kind] if kind in SCORERS else load(MODELS, kind)


@dataclass(frozen=True, slots=True, eq=False)
class JoinedScorer:
    """Scorers of one network whose scores stand side by side."""

    kind: ClassVar[str] = "joined"

    members: tuple[Scorer, ...]  #: None of them joined itself.

    @property
    def width(self) -> int:
        """Number of scores, of all members together."""
        return sum(member.width for member in self.members)

    @property
    def channels(self) -> int:
        """Width of the trunk that they read; 0 if none of them reads one."""
        return max(member.channels for member in self.members)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Their weights, each by the number and the kind of the member and by name."""
        return {
            f"{number}_{member.kind}_{name}": value
            for number, member in enumerate(self.members)
            for name, value in member.arrays().items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> JoinedScorer:
        """The scorer with these weights.

        Raises `ValueError` if they are none, or of networks of different widths.
        """
        parts: dict[tuple[int, str], dict[str, NDArray[Any]]] = {}
        for name, value in arrays.items():
            number, kind, own = name.split("_", 2)
            parts.setdefault((int(number), kind), {})[own] = value
        keys = sorted(parts)
        if not keys or [number for number, _ in keys] != list(range(len(keys))):
            raise ValueError("members are missing")
        members = tuple(
            scorer_class(kind).from_arrays(parts[number, kind]) for number, kind in keys
        )
        if len({member.channels for member in members} - {0}) > 1:
            raise ValueError("scorers of different networks")
        return cls(members)

    def move_shares(self, evidence: Evidence) -> Floats:
        """What each move has of the scores of its whole game: [n, k]."""
        return np.concatenate([member.move_shares(evidence) for member in self.members], axis=-1)


def default_model(
    model: StrPath | None = None, net: StrPath | Network | None = None
) -> StrengthModel:
    """A model by its name or file, or the one that goes with the network.

    `model`: as for `StrengthModel.load`. `net`: the network that is to be used, if one is named;
    otherwise $YARDSTONE_NET may name it. Raises `InputError` if the model is not there, or is none;
    or the network that is named is not there.
    """
    if model is not None:
        return StrengthModel.load(model)
    if net is not None or os.environ.get(ENVIRONMENT):
        return StrengthModel.load(SMALL if _is_included(net) else None)
    usual = _FILE.read(_DATA / f"{SHIPPED[0]}.npz", lambda _, about: NetworkView.of(about["card"]))
    try:
        find_network(usual.name)
    except InputError:
        return StrengthModel.load(SMALL)
    return StrengthModel.load()


def _is_included(net: StrPath | Network | None) -> bool:
    if net is not None and not isinstance(net, str | os.PathLike):
        return net.sha256 == file_sha256(INCLUDED)
    path = find_network(net)
    same_size = path.stat().st_size == INCLUDED.stat().st_size
    return same_size and file_sha256(path) == file_sha256(INCLUDED)
