"""Features of one batch of games: what a worker of an extraction does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone import parallel
from yardstone.errors import UsageError
from yardstone.go.evaluator import CANDIDATES, TRUNK_KINDS, Evaluator
from yardstone.go.features import HEAD, GameFeatures, move_features
from yardstone.go.nets.averaging import check_symmetries
from yardstone.go.requests import ask
from yardstone.go.rules import parse_rules
from yardstone.pool import Skipped, SkipReport

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame

__all__ = [
    "BATCH_GAMES",
    "RULES",
    "Batch",
    "ExtractionSettings",
    "game_facts",
    "load",
    "make_part",
    "plain",
]

#: Rules for all games, so that features differ by the moves alone (Neubauer 2024, 4.2).
RULES = "tromp-taylor"
#: Games that are worked on, and lost by a kill, together.
BATCH_GAMES = 16


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """How features are made; a store has one set of them.

    Attributes
    ----------
    net : path or str, optional
        The network, as `yardstone.go.nets.load_network` finds it.
    engine, precision, threads
        As there; `threads` is for each worker.
    trunk : tuple of {"pick", "after", "candidates", "mean", "trunk"}
        What to keep of the trunk; the head features are always kept.
    rules : str or None
        Rules for all games, or None for those of each record.
    komi : float or None
        Komi for all games, or None for that of each record.
    size : int or None
        Leave out boards of other sizes; needed for whole trunks.
    batch : int
        Games that are worked on together.
    device : str
        As `load_network` takes it.
    symmetries : int
        How many ways the network is shown each position, as there.
    """

    net: str | None = None
    engine: str = "auto"
    precision: str = "fp32"
    threads: int = 1
    trunk: tuple[str, ...] = ("pick",)
    rules: str | None = RULES
    komi: float | None = None
    size: int | None = None
    batch: int = BATCH_GAMES
    device: str = "auto"
    symmetries: int = 1

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if unknown := set(self.trunk) - set(TRUNK_KINDS):
            raise UsageError(
                f"there are no features {', '.join(sorted(unknown))}: head, "
                + ", ".join(TRUNK_KINDS)
            )
        if "trunk" in self.trunk and self.size is None:
            raise UsageError("whole trunks need boards of one size: name it")
        check_symmetries(self.symmetries)
        if self.batch < 1:
            raise UsageError(f"a batch has {self.batch} games; it must be at least 1")
        if self.rules is not None:
            parse_rules(self.rules)


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of games to be made into a part."""

    number: int
    fingerprint: str
    games: tuple[GoGame, ...]
    settings: ExtractionSettings

    def __repr__(self) -> str:
        """Which games; errors name them so."""
        first, last = self.games[0], self.games[-1]
        return f"<games {first.file} #{first.number} to {last.file} #{last.number}>"


@lru_cache(maxsize=1)
def load(settings: ExtractionSettings) -> Network:
    """The network of these settings, once a process."""
    from yardstone.go.nets.network import load_network

    net = None if settings.net is None else parallel.local_path(settings.net)
    how = (settings.engine, settings.precision, settings.threads)
    return load_network(net, *how, device=settings.device, symmetries=settings.symmetries)


def game_facts(game: GoGame) -> dict[str, Any]:
    """What the table of games says of a game before a network has seen it."""
    return {
        "file": game.file,
        "line": game.line,
        "game": game.number,
        "name": game.properties.get("GN", ("",))[0],
        "black": game.black,
        "white": game.white,
        "black_rank": game.black_rank,
        "white_rank": game.white_rank,
        "date": "" if np.isnat(game.date) else str(game.date),
        "result": game.result,
        "winner": game.winner,
        "size": game.size,
        "komi": game.komi,
        "rules": game.rules,
        "handicap": game.handicap,
        "moves": len(game.moves),
    }


def plain(game: GoGame) -> GoGame:
    """The game without what a worker does not need."""
    kept = {name: game.properties[name] for name in ("GN",) if name in game.properties}
    return replace(game, properties=kept, time_left=None)


def make_part(job: Batch) -> tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]:
    """Take the features of a batch of games; done in a worker.

    Returns what a part says of itself, and its arrays.
    """
    settings = job.settings
    skipped = SkipReport()
    network = load(settings)
    questions = ask(
        _of_size(job.games, settings.size, skipped),
        skipped,
        network,
        rules=None if settings.rules is None else parse_rules(settings.rules),
        komi=settings.komi,
        trunk=True,
        whole=True,
    )
    evaluator = Evaluator(network, trunk=settings.trunk)
    rows: list[dict[str, Any]] = []
    games: list[GameFeatures] = []
    start = 0
    for answer in evaluator.answer(questions):
        features = move_features(answer)
        conditions = answer.question.about.conditions
        white = start + int((features.colour == 1).sum())
        end = start + len(features.number)
        rows.append(
            {
                **game_facts(features.game),
                "komi": conditions.komi,
                "rules": conditions.rules.name,
                "white_winrate": features.white_winrate,
                "white_lead": features.white_lead,
                "black_start": start,
                "white_start": white,
                "end": end,
            }
        )
        games.append(features)
        start = end
    about = {
        "fingerprint": job.fingerprint,
        "games": rows,
        "skipped": [asdict(record) for record in skipped.details],
    }
    return about, _joined(games, settings, network.channels)


def _of_size(games: Iterable[GoGame], size: int | None, skipped: SkipReport) -> Iterator[GoGame]:
    for game in games:
        if size is None or game.size == size:
            yield game
        else:
            reason = f"the board is {game.size}x{game.size}"
            skipped.add(Skipped(game.file, game.line, reason))


def _joined(
    games: list[GameFeatures], settings: ExtractionSettings, channels: int
) -> dict[str, NDArray[Any]]:
    """The arrays of a part; those without rows have the right shape as well."""
    side = settings.size or 0
    shapes: dict[str, tuple[int, ...]] = {
        "pick": (channels,),
        "after": (channels,),
        "candidates": (CANDIDATES, channels),
        "chances": (CANDIDATES,),
        "mean": (channels,),
        "trunk": (channels, side, side),
    }
    arrays: dict[str, NDArray[Any]] = {
        "number": np.concatenate([np.empty(0, np.int16), *(each.number for each in games)]),
        "colour": np.concatenate([np.empty(0, np.int8), *(each.colour for each in games)]),
        "point": np.concatenate([np.empty(0, np.int16), *(each.point for each in games)]),
    }
    kept = [kind for kind in TRUNK_KINDS if kind in settings.trunk]
    if "candidates" in kept:
        kept.append("chances")
    empty: dict[str, NDArray[Any]] = {"head": np.empty((0, len(HEAD)), np.float32)}
    empty |= {kind: np.empty((0, *shapes[kind]), np.float16) for kind in kept}
    for name, nothing in empty.items():
        arrays[name] = np.concatenate([nothing, *(each.features[name] for each in games)])
    return arrays
