"""Features of moves: what a network says of a game, a row a move.

*head* features are six numbers from the network's usual outputs before and after the
move (Neubauer 2024, section 4.5); *pick* is the trunk at the move's point (section
4.2, after its last normalisation and activation, in the position before the move,
from the mover's view, the board as it lies); *after* the same in the position after
the move, from the opponent's view; *candidates* the trunk at the other points that
the network likes best, with their policy as *chances*; *mean* the trunk's mean over
the board and *trunk* the whole of it. Passes have no features.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone import parallel
from yardstone.arrays import Floats32
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.files import locked, unwritable, write_text
from yardstone.go.evaluator import (
    TRUNK_KINDS,
    Assessment,
    Evaluator,
    NetworkAnswer,
    ask,
    feature_shapes,
    moves_before_passes,
)
from yardstone.go.feature_store import (
    ABOUT,
    FORMAT,
    PART,
    PARTS,
    FeatureStore,
    merge,
    part_file,
    read_about,
)
from yardstone.go.nets.engines import CPU
from yardstone.go.nets.network import Network, check_symmetries, network_here
from yardstone.go.nets.store import find_network
from yardstone.go.points import BLACK, WHITE
from yardstone.go.rules import parse_rules
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import GoGame

_OTHER_GAMES = partial(
    InputError,
    "the store was made from other games",
    hint="name the same files in the same order, or a new folder",
)
#: Names of the head features, in their order.
HEAD = ("winrate", "lead", "policy", "best_policy", "win_loss", "point_loss")
#: One of the head features of points is so many points.
POINTS = 10.0
_POINT = 1.0 / POINTS


def head_features(
    assessment: Assessment, colours: NDArray[np.int8], moves: NDArray[np.int16]
) -> Floats32:
    """The six head features of each move of a game: float32 [m, 6].

    `assessment` is of the m + 1 positions before, between and after the moves, by `colours` [m] on
    the points `moves` [m], -1 a pass. From the mover's view: winrate after the move less 0.5; lead
    after it times 0.1; the policy's probability of the move less 0.5; the greatest probability of
    any move less 0.5; the winrate that the move cost; the points it cost times 0.1. A move that the
    rules forbid has no policy: NaN.
    """
    number = np.arange(len(moves))
    white = (colours == WHITE)[:, None]
    ends = np.stack([number, number + 1], axis=1)
    expected = assessment.white_expected[ends]
    chance = np.where(white, expected, 1.0 - expected)
    lead = np.where(white, 1.0, -1.0) * assessment.white_lead[ends]
    policy = assessment.policy[:-1]
    best = np.nanmax(policy, axis=1) if len(moves) else np.empty(0, np.float32)
    return np.column_stack(
        [
            chance[:, 1] - 0.5,
            _POINT * lead[:, 1],
            policy[number, moves] - 0.5,
            best - 0.5,
            chance[:, 0] - chance[:, 1],
            _POINT * (lead[:, 0] - lead[:, 1]),
        ]
    ).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class GameFeatures:
    """Features of the n moves of a game: Black's in order, then White's.

    `number` [n] counts the moves of the game from 1, `colour` is 1 Black, 2 White. `features` has
    ``head`` float32 [n, 6], and as asked ``pick``, ``after``, ``mean`` float16 [n, channels],
    ``candidates`` [n, 5, channels] with ``chances`` [n, 5], ``trunk`` [n, channels, size, size].
    `white_winrate` and `white_lead` are of the game's last position, before the passes that end it.
    """

    game: GoGame
    number: NDArray[np.int16]
    colour: NDArray[np.int8]
    point: NDArray[np.int16]
    features: dict[str, Floats32 | NDArray[np.float16]]
    white_winrate: float
    white_lead: float


def move_features(answer: NetworkAnswer) -> GameFeatures:
    """Features from the answer to a question about a game, asked with ``trunk``.

    If the question leaves positions at the beginning out, so do the features their moves.
    """
    game: GoGame = answer.question.about.game
    points = answer.question.points
    if points is None:
        raise ValueError("the question did not ask for features")
    positions = answer.question.encoded.positions
    first = int(positions[0]) if len(positions) else 0
    moves, colours = game.moves[first:].astype(np.int16), game.colours[first:].astype(np.int8)
    head = head_features(answer.assessment, colours, moves)
    rows = np.flatnonzero(points >= 0)
    order = np.argsort(colours[rows], kind="stable")  # Black is 1, White 2
    rows = rows[order]
    features = {kind: values[order] for kind, values in answer.features.items()}
    end = max(moves_before_passes(game) - first, 0)
    return GameFeatures(
        game=game,
        number=(rows + first + 1).astype(np.int16),
        colour=colours[rows],
        point=moves[rows],
        features={"head": head[rows], **features},
        white_winrate=float(answer.assessment.white_expected[end]),
        white_lead=float(answer.assessment.white_lead[end]),
    )


def extract_features(
    games: Callable[[], Iterable[GoGame]],
    store: str | os.PathLike[str],
    settings: ExtractionSettings | None = None,
) -> FeatureStore:
    """Take the features of every move of the games into a store.

    Called again with the same games and settings it goes on where it was killed; a
    store that is complete is opened.

    Args:
        games: Gives the games, in the same order each time; it is called twice, and the games are
            read as they are needed: ``lambda: SgfReader("games")``. If what it gives has a report
            `skipped`, as an `SgfReader` has, the records that could not be read are listed in the
            store among those left out.
        store: The folder; made if it is not there.

    Raises:
        InputError: The folder holds something else, or a store of other games or settings; another
            process is making it; or it cannot be written.
        NoGamesError: There are no games.
    """
    chosen = ExtractionSettings() if settings is None else settings
    chosen = replace(chosen, net=str(find_network(chosen.net).absolute()))
    folder = Path(store)
    about = _described(chosen)
    chosen = replace(chosen, device=about.get("device", CPU))
    try:
        complete = _check_folder(folder, about)
        source = games()
        prints = _fingerprints(source, chosen.batch)
        if not prints:
            raise NoGamesError("there are no games to take features of")
        digest = hashlib.blake2b("".join(prints).encode(), digest_size=16).hexdigest()
        if complete:
            if read_about(folder).get("inputs") != digest:
                raise _OTHER_GAMES(file=str(folder))
            shutil.rmtree(folder / PARTS, ignore_errors=True)
            return FeatureStore.open(folder)
        (folder / PARTS).mkdir(parents=True, exist_ok=True)
        with locked(folder, "making this store", name=f"{PARTS}/lock"):
            _write_about(folder, about, complete=False)
            for number, fingerprint in enumerate([*prints, None]):
                part = part_file(folder, number)
                if part.exists() and PART.read(part, _fingerprint) != fingerprint:
                    raise _OTHER_GAMES(file=str(folder))
            _make_parts(folder, games, prints, chosen)
            unread = getattr(source, "skipped", SkipReport())
            number, moves, skipped = merge(folder, len(prints), unread.details)
            counts = {"games": number, "moves": moves, "skipped": skipped, "inputs": digest}
            _write_about(folder, about, complete=True, **counts)
        shutil.rmtree(folder / PARTS, ignore_errors=True)
    except InputError:
        raise
    except OSError as error:
        raise unwritable(error, error.filename or folder) from error
    return FeatureStore.open(folder)


def _described(settings: ExtractionSettings) -> dict[str, Any]:
    """What decides the features, as it is kept in the store."""
    network = load(settings)
    chosen = asdict(settings)
    del chosen["net"], chosen["device"]
    if network.device != CPU:  # stores of the processor do not name it
        chosen["device"] = network.device
    rules = None if settings.rules is None else parse_rules(settings.rules)
    if rules is not None and network.knowledge is not None and not network.knowledge.knows(rules):
        rules = network.knowledge.rules
    return {
        "format": FORMAT,
        "network": network.name,
        "sha256": network.sha256,
        "model_version": network.version,
        "channels": network.channels,
        **chosen,
        "engine": network.engine,
        "trunk": [kind for kind in TRUNK_KINDS if kind in settings.trunk],
        "rules": None if rules is None else str(rules),
    }


def _write_about(folder: Path, about: dict[str, Any], **more: Any) -> None:
    write_text(folder / ABOUT, json.dumps({**about, **more}, indent=2) + "\n")


def _check_folder(folder: Path, about: dict[str, Any]) -> bool:
    """Whether a complete store is there; an error if it is another one, or none at all."""
    if not (folder / ABOUT).exists():
        there = {path.name for path in folder.iterdir()} if folder.exists() else set()
        if any(ABOUT not in name for name in there - {PARTS}):
            raise InputError(
                "this folder holds something else than features",
                file=str(folder),
                hint="name a new folder",
            )
        return False
    known = read_about(folder)
    for name, value in about.items():
        if known.get(name) != value:
            raise InputError(
                f"the store was made with another setting: {name} is {known.get(name)}, "
                f"not {value}",
                file=str(folder),
                hint="give the same settings, or name a new folder",
            )
    return bool(known.get("complete"))


def _fingerprint(_: object, about: dict[str, Any]) -> Any:
    return about["fingerprint"]


def _batches(games: Iterable[GoGame], size: int) -> Iterator[tuple[GoGame, ...]]:
    remaining = iter(games)
    while batch := tuple(islice(remaining, size)):
        yield batch


def _fingerprints(games: Iterable[GoGame], size: int) -> list[str]:
    """A fingerprint for each batch of games: all that its part depends on."""
    prints = []
    for batch in _batches(games, size):
        hashed = hashlib.blake2b(digest_size=16)
        for game in batch:
            hashed.update(repr(game_facts(game)).encode())
            for values in (game.setup_black, game.setup_white, game.moves, game.colours):
                hashed.update(values.tobytes() + b"|")
        prints.append(hashed.hexdigest())
    return prints


def _make_parts(
    folder: Path,
    games: Callable[[], Iterable[GoGame]],
    prints: list[str],
    settings: ExtractionSettings,
) -> None:
    """Make the parts that are missing, some batches at a time."""
    missing = {k for k in range(len(prints)) if not part_file(folder, k).exists()}
    jobs = (
        Batch(number, prints[number], tuple(map(plain, batch)), settings)
        for number, batch in enumerate(_batches(games(), settings.batch))
        if number in missing
    )
    parallel.map(
        make_part,
        jobs,
        what="features",
        total=len(missing),
        receive=lambda job, part: PART.write(part_file(folder, job.number), *part),
        files=[Path(settings.net)] if settings.net else [],
    )


#: Rules for all games, so that features differ by the moves alone (Neubauer 2024, 4.2).
RULES = "tromp-taylor"
#: Games that are worked on, and lost by a kill, together.
BATCH_GAMES = 16


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """How features are made; a store has one set of them."""

    net: str | None = None  #: The network, as `yardstone.go.nets.load_network` finds it.
    #: `engine`, `precision`, `threads`: as there; `threads` is for each worker.
    engine: str = "auto"
    precision: str = "fp32"
    threads: int = 1
    #: What to keep of the trunk; the head features are always kept.
    trunk: tuple[str, ...] = ("pick",)
    rules: str | None = RULES  #: Rules for all games, or None for those of each record.
    komi: float | None = None  #: Komi for all games, or None for that of each record.
    size: int | None = None  #: Leave out boards of other sizes; needed for whole trunks.
    batch: int = BATCH_GAMES  #: Games that are worked on together.
    device: str = "auto"  #: As `load_network` takes it.
    symmetries: int = 1  #: How many ways the network is shown each position, as there.

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if unknown := set(self.trunk) - set(TRUNK_KINDS):
            known = ", ".join(("head", *TRUNK_KINDS))
            raise UsageError(f"there are no features {', '.join(sorted(unknown))}: {known}")
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


def load(settings: ExtractionSettings) -> Network:
    """The network of these settings, once a process."""
    how = (settings.engine, settings.precision, settings.threads, settings.device)
    return network_here(settings.net, *how, settings.symmetries)


def game_facts(game: GoGame) -> dict[str, Any]:
    """What the table of games says of a game before a network has seen it."""
    names = ("black", "white", "black_rank", "white_rank", "date", "result", "winner")
    same = (*names, "size", "komi", "rules", "handicap")
    return {
        "file": game.file,
        "line": game.line,
        "game": game.number,
        "name": game.properties.get("GN", ("",))[0],
        **{name: getattr(game, name) for name in same},
        "date": "" if np.isnat(game.date) else str(game.date),
        "moves": len(game.moves),
    }


def plain(game: GoGame) -> GoGame:
    """The game without what a worker does not need."""
    kept = {name: game.properties[name] for name in ("GN",) if name in game.properties}
    return replace(game, properties=kept, time_left=None)


def make_part(job: Batch) -> tuple[Mapping[str, NDArray[Any]], Mapping[str, Any]]:
    """Take the features of a batch of games, as arrays and what a part says of itself."""
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
        row = game_facts(features.game) | {
            "komi": conditions.komi,
            "rules": conditions.rules.name,
            "white_winrate": features.white_winrate,
            "white_lead": features.white_lead,
            "black_start": start,
            "white_start": start + int((features.colour == BLACK).sum()),
            "end": (start := start + len(features.number)),
        }
        rows.append(row)
        games.append(features)
    about = {
        "fingerprint": job.fingerprint,
        "games": rows,
        "skipped": [asdict(record) for record in skipped.details],
    }
    return _joined(games, settings, network.channels), about


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
    shapes = feature_shapes(channels, settings.size or 0)
    kept = [kind for kind in TRUNK_KINDS if kind in settings.trunk]
    if "candidates" in kept:
        kept.append("chances")
    pieces: dict[str, list[NDArray[Any]]] = {
        name: [np.empty(0, kind), *(getattr(each, name) for each in games)]
        for name, kind in {"number": np.int16, "colour": np.int8, "point": np.int16}.items()
    }
    empty: dict[str, NDArray[Any]] = {"head": np.empty((0, len(HEAD)), np.float32)}
    empty |= {kind: np.empty((0, *shapes[kind]), np.float16) for kind in kept}
    for name, nothing in empty.items():
        pieces[name] = [nothing, *(each.features[name] for each in games)]
    return {name: np.concatenate(values) for name, values in pieces.items()}
