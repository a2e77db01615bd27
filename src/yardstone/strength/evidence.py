"""`Evidence`: the moves of one player, with what a network says of each of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import UsageError
from yardstone.go.evaluator import CANDIDATES
from yardstone.go.features import HEAD, POINTS, GameFeatures
from yardstone.go.points import BLACK, WHITE

if TYPE_CHECKING:
    from yardstone.arrays import Floats32, Ints, Longs
    from yardstone.go.feature_store import FeatureStore


#: Features of the trunk that evidence is made of.
KINDS = ("pick", "after", "candidates", "mean")
_FACTS = ("number", "colour", "point")
_ARRAYS = ("head", "pick", "after", "mean", "candidates", "chances")


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The n moves of one player, a row a move, one game after another."""

    game: Ints  #: [n]: which of the games, from 0.
    number: NDArray[np.int16]  #: [n]: number of the move in its game, from 1.
    colour: NDArray[np.int8]  #: [n]: 1 Black, 2 White: the player's colour in that game.
    point: NDArray[np.int16]  #: [n]: where.
    head: Floats32  #: [n, 6]: as `yardstone.go.features.HEAD` names them.
    #: [n, channels].
    pick: NDArray[np.float16]
    after: NDArray[np.float16]
    mean: NDArray[np.float16]
    candidates: NDArray[np.float16]  #: [n, 5, channels]
    chances: NDArray[np.float16]  #: [n, 5]
    games: int  #: Number of games; those without a move of the player count too.

    def __len__(self) -> int:
        """Number of moves."""
        return len(self.game)

    @property
    def channels(self) -> int:
        """Width of the network's trunk."""
        return int(self.pick.shape[1])

    def named(self, name: str) -> Floats32:
        """One of the head features, as it is kept: float32 [n]."""
        return self.head[:, HEAD.index(name)]

    @property
    def policy(self) -> Floats32:
        """Probability that the network gave to each move; NaN where the rules forbid it."""
        return np.asarray(self.named("policy") + 0.5)

    @property
    def best_policy(self) -> Floats32:
        """The greatest probability of any move."""
        return np.asarray(self.named("best_policy") + 0.5)

    @property
    def points_lost(self) -> Floats32:
        """Lead before each move less the lead after it, by single looks; negative for gains."""
        return np.asarray(POINTS * self.named("point_loss"))

    @property
    def winrate_lost(self) -> Floats32:
        """Winrate before each move less the winrate after it; negative for gains."""
        return self.named("win_loss")

    @property
    def lead_before(self) -> Floats32:
        """Points that the player is ahead by before each move."""
        return np.asarray(POINTS * (self.named("lead") + self.named("point_loss")))

    @property
    def winrate_before(self) -> Floats32:
        """The player's winrate before each move."""
        winrate = self.named("winrate") + 0.5 + self.named("win_loss")
        return np.asarray(np.clip(winrate, 0.0, 1.0))

    def select(self, rows: NDArray[Any]) -> Evidence:
        """Some of the moves; the games keep their numbers.

        `rows` [n]: a mask, or the places of the moves wanted.
        """
        chosen = {name: getattr(self, name)[rows] for name in ("game", *_FACTS, *_ARRAYS)}
        return Evidence(**chosen, games=self.games)


def evidence_of_store(store: FeatureStore, sides: Sequence[tuple[int, int]]) -> Evidence:
    """What a player did in games of a store.

    `store`: with ``pick``, ``after``, ``candidates`` and ``mean``. `sides`: place of each game in
    the store's table, and the colour: 1 Black, 2 White. `FeatureStore.players` lists them for each
    name. Raises `UsageError` if the store lacks one of the kinds of features.
    """
    if missing := [kind for kind in KINDS if kind not in store.kinds]:
        raise UsageError(
            f"the store has no {', '.join(missing)}: make it with --features {','.join(KINDS)}"
        )
    pieces = [store.rows(game, colour) for game, colour in sides]
    rows = np.concatenate(
        [np.empty(0, np.int64), *(np.arange(piece.start, piece.stop) for piece in pieces)]
    )
    lengths = [piece.stop - piece.start for piece in pieces]
    return Evidence(
        game=np.repeat(np.arange(len(pieces), dtype=np.int32), lengths),
        **{name: store.array(name)[rows] for name in (*_FACTS, *_ARRAYS)},
        games=len(pieces),
    )


def evidence_of_games(games: Sequence[GameFeatures], colours: Sequence[int]) -> Evidence:
    """What a player did in games whose features have just been taken.

    `games`: with all of `KINDS`. `colours`: the player's colour in each game: 1 Black, 2 White.
    Raises `UsageError` if the features lack one of the kinds, or a colour is neither 1 nor 2.
    """
    if len(games) != len(colours):
        raise UsageError(f"{len(games)} games, but colours for {len(colours)}")
    if not games:
        return no_evidence(0)
    pieces: dict[str, list[NDArray[Any]]] = defaultdict(list)
    for game, (features, colour) in enumerate(zip(games, colours, strict=True)):
        if colour not in (BLACK, WHITE):
            raise UsageError(f"{colour} is not a colour: 1 is Black, 2 is White")
        if missing := [name for name in _ARRAYS if name not in features.features]:
            raise UsageError(f"the features lack {', '.join(missing)}: ask for {', '.join(KINDS)}")
        rows = np.flatnonzero(features.colour == colour)
        pieces["game"].append(np.full(len(rows), game, np.int32))
        for name in _FACTS:
            pieces[name].append(getattr(features, name)[rows])
        for name in _ARRAYS:
            pieces[name].append(features.features[name][rows])
    return Evidence(**{k: np.concatenate(v) for k, v in pieces.items()}, games=len(games))


def no_evidence(channels: int, games: int = 0) -> Evidence:
    """Not a single move, in so many games."""
    row = np.empty((0, channels), np.float16)
    return Evidence(
        game=np.empty(0, np.int32),
        number=np.empty(0, np.int16),
        colour=np.empty(0, np.int8),
        point=np.empty(0, np.int16),
        head=np.empty((0, len(HEAD)), np.float32),
        pick=row,
        after=row,
        mean=row,
        candidates=np.empty((0, CANDIDATES, channels), np.float16),
        chances=np.empty((0, CANDIDATES), np.float16),
        games=games,
    )


#: Last move of each phase; the phase after the last of these has no end.
PHASE_ENDS = (20, 50, 90, 140)
#: How many phases there are.
PHASES = len(PHASE_ENDS) + 1


def phases_of(number: NDArray[np.int16]) -> Longs:
    """Phase of each move by its number in the game, from 0 to ``PHASES - 1``."""
    return np.searchsorted(PHASE_ENDS, number, side="left").astype(np.int64)
