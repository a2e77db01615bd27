"""`GameMoves`: the strength that both players' moves show in each of some games.

From a store of features at once; from SGF files by asking a network, which is slow. So what
came of a game is kept in the user's cache: work that was stopped goes on where it was, and a
second look at the same games asks nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, NoGamesError
from yardstone.go.evaluation_store import EvaluationStore, evaluations_folder, open_store
from yardstone.go.feature_store import ABOUT, FeatureStore
from yardstone.go.nets.network import NetworkView
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records.go_game import UNKNOWN
from yardstone.strength.estimate.games import (
    EvaluatedGame,
    model_network,
    take_of_games,
    unsuitable,
)
from yardstone.strength.estimate.players import unique_games
from yardstone.strength.evidence import Evidence, evidence_of_games, evidence_of_store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.nets.network import Network
    from yardstone.records.go_game import GoGame
    from yardstone.strength.model import StrengthModel

    Array = NDArray[np.float64]

__all__ = ["GameMoves", "moves_of_records", "moves_of_store", "read_moves"]

#: A store's sides that are judged together.
_TOGETHER = 64
#: What is kept of a game: moves and strength of Black, then of White.
_KEPT = struct.Struct("<4d")
_FILE = "strengths.sqlite"

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, eq=False)
class GameMoves:
    """What the moves of n games show; frozen.

    Attributes
    ----------
    black, white : sequences of str
        Names as the records have them.
    date : datetime64[s] [n]
        NaT where unknown.
    winner : int8 [n]
        1 Black, 2 White, -1 a draw, 0 unknown.
    labels : sequence of tuples of str
        What each game may be called elsewhere: the record's own name, its file's.
    number : float64 [n, 2]
        Moves of Black and of White that were looked at.
    strength : float64 [n, 2]
        What they show, on the scale of the model; NaN without moves.
    model, scale : str
        Whose word that is, and on which of its scales.
    skipped : SkipReport
        Records that were left out.
    """

    black: Sequence[str]
    white: Sequence[str]
    date: NDArray[np.datetime64]
    winner: NDArray[np.int8]
    labels: Sequence[tuple[str, ...]]
    number: Array
    strength: Array
    model: str
    scale: str
    skipped: SkipReport

    def __len__(self) -> int:
        return len(self.black)

    @property
    def source(self) -> str:
        """Model and scale in a word, as `Fusion` keeps it."""
        return f"{self.model}, scale {self.scale}"

    def results(self) -> Pool:
        """The results of the games themselves, as a pool: those with two names and a winner.

        Raises
        ------
        NoGamesError
            No game has both.
        """
        rows = [
            row
            for row, names in enumerate(zip(self.black, self.white, strict=True))
            if all(names) and names[0] != names[1] and self.winner[row] != UNKNOWN
        ]
        if not rows:
            raise NoGamesError("no game has two names and a result")
        score = np.select([self.winner == BLACK, self.winner == WHITE], [1.0, 0.0], 0.5)
        dates = self.date[rows]
        label = [next(iter(self.labels[row]), "") for row in rows]
        pool = Pool.from_names(
            [self.black[row] for row in rows],
            [self.white[row] for row in rows],
            score[rows],
            time=None if np.isnat(dates).any() else dates,
            columns={"record": np.array(label, np.dtypes.StringDType())},
        )
        missing = len(self) - len(rows)
        if missing:
            pool.skipped.add_uncounted("a name or the result is missing", missing, known=True)
        return pool


def read_moves(
    paths: Sequence[str],
    model: StrengthModel,
    *,
    scale: str | None = None,
    net: str | os.PathLike[str] | Network | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    **network: Any,
) -> GameMoves:
    """What moves show in SGF files, folders and archives, or in a store of features.

    Parameters
    ----------
    paths : sequence of str
        SGF files, or a single store that ``yardstone go features`` made.
    model : StrengthModel
    scale : str, optional
        Of the model's scales the one on which strengths are given; the first by default.
    net : path, str or Network, optional
        The network of the model; a store needs none.
    strict : bool
        Raise at the first record that cannot be used.
    progress : callable, optional
        Called with the number of positions that are done, and of all.
    **network
        How it is computed, as for `yardstone.strength.estimate.games.model_network`.
    """
    stores = [path for path in paths if (Path(path) / ABOUT).is_file()]
    if stores:
        if len(paths) > 1:
            raise InputError("name one store of features, or SGF files", file=stores[0])
        return moves_of_store(FeatureStore.open(stores[0]), model, scale=scale)
    from yardstone.records.sgf import SgfReader

    reader = SgfReader(*paths, strict=strict)
    games = list(reader)
    loaded = model_network(model, net, **network)
    return moves_of_records(
        games, loaded, model, scale=scale, skipped=reader.skipped, progress=progress
    )


def moves_of_store(
    store: FeatureStore, model: StrengthModel, *, scale: str | None = None
) -> GameMoves:
    """What the moves in a store show.

    Raises
    ------
    InputError
        The features are of another network than the model's.
    UsageError
        The store lacks features that the model reads.
    """
    known, wanted = NetworkView.of(store.settings), NetworkView.of(model.card)
    if known != wanted:
        raise InputError(
            f"the features are of the network {known}, and the model reads those of {wanted}",
            file=str(store.path),
        )
    games = store.games
    sides = [(game, colour) for game in range(len(store)) for colour in (BLACK, WHITE)]
    starts = range(0, len(sides), _TOGETHER)
    parts = [
        _shown(model, scale, evidence_of_store(store, sides[start : start + _TOGETHER]))
        for start in starts
    ]
    shown = np.concatenate([np.empty((0, 2)), *parts]).reshape(-1, 2, 2)
    # Of others the model knows nothing: see `unsuitable`.
    shown[(games["size"] != 19) | (games["handicap"] > 1)] = (0.0, np.nan)
    names = [str(name) for name in games["name"]]
    files = [_stem(str(file)) for file in games["file"]]
    return GameMoves(
        [str(name) for name in games["black"]],
        [str(name) for name in games["white"]],
        games["date"],
        games["winner"].astype(np.int8),
        [_labels(*each) for each in zip(names, files, strict=True)],
        shown[:, :, 0],
        shown[:, :, 1],
        str(model.card["name"]),
        model.scale(scale).name,
        SkipReport(),
    )


def moves_of_records(
    games: Sequence[GoGame],
    network: Network,
    model: StrengthModel,
    *,
    scale: str | None = None,
    skipped: SkipReport | None = None,
    progress: Progress | None = None,
) -> GameMoves:
    """What the moves of games show to a network; what is known of a game is not asked again.

    Games on which the model says nothing (of handicap, on small boards) count as games
    without moves, and the report says so.
    """
    report = SkipReport() if skipped is None else skipped
    different, again = unique_games(games)
    for game in again:
        report.add(Skipped(game.file, game.line, "the same game occurs again"))
    shown = np.full((len(different), 2, 2), np.nan)
    shown[:, :, 0] = 0.0
    wanted = []
    for place, game in enumerate(different):
        if why := unsuitable(game):
            report.add(Skipped(game.file, game.line, f"its moves are not used: {why}"))
        else:
            wanted.append(place)
    kept = None
    if network.answers is not None:
        kept = open_store(evaluations_folder() / _FILE)
    identity = _identity(model, network, scale)
    keys = {place: _key(identity, different[place]) for place in wanted}
    known = {} if kept is None else kept.get(list(keys.values()))
    missing = []
    for place in wanted:
        if (value := known.get(keys[place])) is not None:
            shown[place] = np.array(_KEPT.unpack(value)).reshape(2, 2)
        else:
            missing.append(place)
    numbered = [replace(different[place], number=place) for place in missing]
    for place, values in _looked_at(numbered, network, model, scale, report, progress):
        shown[place] = values
        _keep(kept, keys[place], values)
    return GameMoves(
        [game.black for game in different],
        [game.white for game in different],
        np.array([game.date for game in different], "datetime64[s]"),
        np.array([game.winner for game in different], np.int8),
        [_labels("".join(game.properties.get("GN", ())), _stem(game.file)) for game in different],
        shown[:, :, 0],
        shown[:, :, 1],
        str(model.card["name"]),
        model.scale(scale).name,
        report,
    )


def _looked_at(
    games: Sequence[GoGame],
    network: Network,
    model: StrengthModel,
    scale: str | None,
    report: SkipReport,
    progress: Progress | None,
) -> Iterator[tuple[int, Array]]:
    """Of each game its number, and what its moves show: [2 colours, 2]."""
    take = partial(_shown_in_game, model, scale)
    yield from take_of_games(take, games, network, skipped=report, progress=progress)


def _shown_in_game(
    model: StrengthModel, scale: str | None, evaluated: EvaluatedGame
) -> tuple[int, Array]:
    evidence = evidence_of_games([evaluated.features, evaluated.features], [BLACK, WHITE])
    return evaluated.game.number, _shown(model, scale, evidence)


def _shown(model: StrengthModel, scale: str | None, evidence: Evidence) -> Array:
    """Of each game of a piece of evidence moves and strength: [games, 2]."""
    number = np.bincount(evidence.game, minlength=evidence.games).astype(np.float64)
    strength = model.posterior(model.game_statistics(evidence), scale)[0]
    return np.column_stack([number, np.where(number > 0.0, strength, np.nan)])


def _keep(kept: EvaluationStore | None, key: bytes, values: Array) -> None:
    if kept is not None:
        kept.put(key, _KEPT.pack(*values.ravel().tolist()))
        kept.flush()


def _identity(model: StrengthModel, network: Network, scale: str | None) -> bytes:
    """Names model, scale and network, and how it is computed."""
    hashed = hashlib.blake2b(json.dumps(model.card, sort_keys=True, default=str).encode())
    on = model.scale(scale)
    parts = {"edges": on.edges, "prior": on.prior, **model.scorer.arrays()}
    for number, spread in enumerate(on.spreads):
        parts |= {f"{number}_{name}": value for name, value in spread.arrays().items()}
    for name in sorted(parts):
        hashed.update(name.encode() + np.ascontiguousarray(parts[name]).tobytes())
    hashed.update(f"{on.name} {network.sha256} {network.engine} {network.precision}".encode())
    hashed.update(f"{network.symmetries}".encode())
    return hashed.digest()


def _key(identity: bytes, game: GoGame) -> bytes:
    """Names all of a game that the network sees."""
    hashed = hashlib.blake2b(identity, digest_size=16)
    hashed.update(f"{game.size} {game.handicap} {game.to_play}".encode())
    for values in (game.setup_black, game.setup_white, game.moves, game.colours):
        hashed.update(b"|" + values.astype("<i2").tobytes())
    return hashed.digest()


def _labels(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def _stem(file: str) -> str:
    """A file's name without folders and ending."""
    return Path(file).name.partition(".")[0]
