"""The games that a network learns from, the choices of how it learns, and its batches."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import with_values
from yardstone.errors import NoGamesError, UsageError
from yardstone.go.inputs import Encoded, encode_game
from yardstone.go.points import BLACK, PASS, SYMMETRIES, WHITE, symmetry_points
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.pool import Skipped, SkipReport
from yardstone.records.sgf import SgfReader
from yardstone.strength.site_scales import GROUP_EDGES
from yardstone_lab.neubauer.sides import LabelIndex, read_rank_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.go_game import GoGame

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    StrPath = str | os.PathLike[str]

__all__ = [
    "BANDS",
    "UNKNOWN_BAND",
    "ImitationSettings",
    "band_of",
    "band_of_rank",
    "SIZE",
    "ImitationGames",
    "LearntSide",
    "collect_games",
    "KOMI",
    "TrainingBatch",
    "make_batch",
    "read_imitation_games",
]

#: Whose choices are distinguished: players of an unknown rank, then the groups of each scale.
BANDS: tuple[tuple[str, int], ...] = (
    ("", 0),
    *((scale, group) for scale, edges in GROUP_EDGES.items() for group in range(len(edges) - 1)),
)
UNKNOWN_BAND = 0
_WEIGHTS = ("policy", "value", "lead", "strength", "trunk")


def band_of(scale: str, group: int) -> int:
    """The band of a group of ranks; ValueError if there is none."""
    return BANDS.index((scale, group))


def band_of_rank(scale: str, rank: float) -> int:
    """The band of a rank: the weakest or strongest of the scale beyond its ends.

    n dan is n to n + 1, 1 kyu 0 to 1.
    """
    edges = GROUP_EDGES[scale]
    group = int(np.clip(np.searchsorted(edges, rank, side="right") - 1, 0, len(edges) - 2))
    return band_of(scale, group)


@dataclass(frozen=True, slots=True)
class ImitationSettings:
    """How the network is built and trained; frozen.

    Raises:
        UsageError: A setting is out of range.
    """

    #: `channels`, `blocks`: of the trunk. Every third block pools over the board.
    channels: int = 64
    blocks: int = 6
    tastes: int = 16  #: In so many ways choices of the bands may differ.
    #: `sides`, `moves`: a step sees so many moves of each of so many sides of games.
    sides: int = 16
    moves: int = 8
    steps: int = 60_000  #: Of the training.
    #: Of AdamW once it is warm; the last fifth of the steps brings it down to 0.
    learning_rate: float = 2e-3
    decay: float = 1e-4  #: Of the weights.
    #: `policy`, `value`, `lead`, `strength`, `trunk`: weights of the other targets beside the
    #: choices of the bands: those of all players, or of a teacher; who wins, by how much, how
    #: strong the player is, and the teacher's last layer.
    policy: float = 1.0
    value: float = 0.6
    lead: float = 0.3
    strength: float = 0.3
    trunk: float = 3.0
    #: Products with the precision of bfloat16: faster where the processor computes in it.
    bfloat16: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse settings that cannot be."""
        for name in ("channels", "blocks", "tastes", "sides", "moves", "steps"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1")
        if not (0 < self.learning_rate < math.inf and 0 <= self.decay < math.inf):
            raise UsageError("learning_rate must be above 0, and decay not below")
        if not all(0 <= getattr(self, name) < math.inf for name in _WEIGHTS):
            raise UsageError("the weights of the targets must not be below 0")
        if self.seed < 0:
            raise UsageError("seed must not be below 0")

    def changed(self, values: Mapping[str, str]) -> ImitationSettings:
        """The same with other values, which are texts such as ``"1e-3"``.

        Raises:
            UsageError: There is no such setting, or its value is of no use.
        """
        return with_values(self, values)

    def as_dict(self) -> dict[str, Any]:
        """All settings by name."""
        return asdict(self)


#: Lines of the boards that are learnt from.
SIZE = 19
#: A side with fewer moves is left out.
_FEWEST = 8


@dataclass(frozen=True, slots=True)
class LearntSide:
    """One side of a game that is learnt from."""

    colour: int  #: 1 Black, 2 White.
    band: int = UNKNOWN_BAND  #: Of the player, in `yardstone_lab.imitation.games.BANDS`.


@dataclass(frozen=True, slots=True, eq=False)
class ImitationGames:
    """Games to learn from; frozen."""

    games: tuple[GoGame, ...]
    #: `game`, `colour`, `band` [s]: of each side that is learnt from: which game, whose moves, and
    #: the player's band.
    game: NDArray[np.int64]
    colour: NDArray[np.int64]
    band: NDArray[np.int64]

    def __len__(self) -> int:
        """Number of sides."""
        return len(self.game)

    def select(self, sides: NDArray[np.bool_]) -> ImitationGames:
        """Some of the sides."""
        game, colour, band = (each[sides] for each in (self.game, self.colour, self.band))
        return replace(self, game=game, colour=colour, band=band)

    def apart(self, share: int = 50) -> NDArray[np.bool_]:
        """Sides of one game in so many, drawn by what the games are: the same every time."""
        drawn = np.array(
            [
                int.from_bytes(hashlib.sha256(game.moves.tobytes()).digest()[:4]) % share == 0
                for game in self.games
            ]
        )
        if not drawn.any():
            drawn[-1] = True
        return np.asarray(drawn[self.game])

    def places(self, side: int) -> NDArray[np.int64]:
        """The moves of a side that are no passes: their numbers in the game, from 0."""
        game = self.games[self.game[side]]
        mine = (game.colours == self.colour[side]) & (game.moves != PASS)
        return np.flatnonzero(mine)


def collect_games(
    games: Iterable[GoGame],
    sides: Mapping[str, tuple[LearntSide, ...]] | None = None,
    skipped: SkipReport | None = None,
) -> ImitationGames:
    """Games whose moves can be learnt from.

    Even games from an empty board of 19 lines; others are left out, as are sides with hardly
    a move.

    Args:
        sides: By the file of a game whose moves count; both players' of every game by default, of
            an unknown band.
        skipped: Takes the games that are left out.

    Raises:
        NoGamesError: There is nothing to learn from.
    """
    everybody = (LearntSide(BLACK), LearntSide(WHITE))
    kept: list[GoGame] = []
    rows: list[tuple[int, int, int]] = []
    for record in games:
        own = everybody if sides is None else sides.get(record.file, ())
        if not own:
            continue
        if (reason := _unsuitable(record)) is not None:
            if skipped is not None:
                skipped.add(Skipped(record.file, record.line, reason), known=True)
            continue
        stones = record.moves != PASS
        own = tuple(
            each for each in own if int((stones & (record.colours == each.colour)).sum()) >= _FEWEST
        )
        if not own:
            continue
        rows += [(len(kept), each.colour, each.band) for each in own]
        kept.append(record)
    if not rows:
        raise NoGamesError("there are no games to learn from")
    table = np.array(rows, np.int64)
    game, colour, band = table.T.copy()
    return ImitationGames(tuple(kept), game, colour, band)


def _unsuitable(game: GoGame) -> str | None:
    """Why nothing is learnt from a game; None if something is."""
    if game.size != SIZE:
        return f"a board of {game.size}x{game.size}: networks learn on {SIZE}x{SIZE} only"
    if len(game.setup_black) or len(game.setup_white) or game.handicap > 1:
        return "a handicap game, or one from a position that was set up"
    return None


#: Of every game, as for the features that strength is judged by.
KOMI = 6.5


@dataclass(frozen=True, slots=True, eq=False)
class TrainingBatch:
    """n positions, as many of each side, one side after the other."""

    spatial: NDArray[np.uint8]  #: [n, 22, 19, 19]
    numbers: Floats  #: [n, 19]
    point: Ints  #: [n]: the move that was chosen.
    band: Ints  #: [n]: of who chose it.
    won: Floats  #: [n]: 1 if the player to move won, 0 if not; NaN if not known.
    legal: NDArray[np.bool_]

    def __len__(self) -> int:
        """Number of positions."""
        return len(self.point)


def make_batch(
    games: ImitationGames,
    sides: Ints,
    moves: int,
    generator: np.random.Generator | None = None,
) -> TrainingBatch:
    """Some moves of each of some sides.

    Args:
        sides (int64 [s]): Which; one of them may come again.
        moves: Of each. A side with fewer has some of them twice.
        generator: Draws the moves, and turns each position by a symmetry; without it the moves are
            spread evenly over the game, and the board is as it lies.
    """
    pieces = []
    for side in sides.tolist():
        places = games.places(side)
        if generator is None:
            chosen = places[np.linspace(0, len(places) - 1, moves).astype(np.int64)]
        elif len(places) < moves:
            chosen = generator.choice(places, moves)
        else:
            chosen = generator.choice(places, moves, replace=False)
        pieces.append(_positions(games, side, np.sort(chosen)))
    spatial, numbers, point, won, legal = (
        np.concatenate([piece[k] for piece in pieces]) for k in range(5)
    )
    if generator is not None:
        turns = generator.integers(0, SYMMETRIES, len(point))
        spatial, point, legal = _turned(spatial, point, legal, turns)
    band = np.repeat(games.band[sides], moves)
    return TrainingBatch(spatial, numbers, point, band, won, legal)


def _encoded(game: GoGame, places: Ints) -> Encoded:
    return encode_game(
        SIZE,
        moves=game.moves,
        colours=game.colours,
        komi=KOMI,
        rules=TROMP_TAYLOR,
        positions=places,
        packed=True,
    )


def _positions(
    games: ImitationGames, side: int, wanted: Ints
) -> tuple[
    NDArray[np.uint8], Floats, Ints, Floats, NDArray[np.bool_]
]:  # in the order of `TrainingBatch`, without the band
    game = games.games[games.game[side]]
    encoded = _encoded(game, wanted)
    if not len(encoded):  # all of them come after a move that cannot be played
        encoded = _encoded(game, games.places(side)[:1])
    # Positions before such a move stand in for those after it.
    rows = np.minimum(np.arange(len(wanted)), len(encoded) - 1)
    places = encoded.positions[rows].astype(np.int64)
    won = np.full(len(places), np.nan, np.float32)
    if game.winner in (1, 2):
        won[:] = game.winner == games.colour[side]
    return (
        encoded.spatial[rows],  # type: ignore[return-value]
        encoded.globals[rows],
        game.moves[places].astype(np.int64),
        won,
        encoded.legal[rows].astype(bool),
    )


def _turned(
    spatial: NDArray[np.uint8], point: Ints, legal: NDArray[np.bool_], turns: Ints
) -> tuple[NDArray[np.uint8], Ints, NDArray[np.bool_]]:
    """Each position turned by a symmetry."""
    table = symmetry_points(SIZE)[turns].astype(np.int64)  # [n, 361]: where each point goes
    rows = np.arange(len(point))[:, None]
    flat = np.empty_like(spatial.reshape(*spatial.shape[:2], -1))
    flat[rows[:, :, None], np.arange(spatial.shape[1])[None, :, None], table[:, None]] = (
        spatial.reshape(*spatial.shape[:2], -1)
    )
    allowed = legal.copy()
    allowed[rows, table] = legal[:, :-1]
    return flat.reshape(spatial.shape), table[rows[:, 0], point], allowed


def read_imitation_games(
    paths: Sequence[StrPath],
    ranks: StrPath | None = None,
    skipped: SkipReport | None = None,
) -> ImitationGames:
    """Read the games that a network is to learn from.

    Args:
        paths: SGF files, folders, patterns and archives.
        ranks: A table of ranks (`yardstone_lab.neubauer.sides`). Of a game that stands in it only
            the sides named there are learnt from; of others both, of an unknown rank.
        skipped: Takes what cannot be read.

    Raises:
        InputError: A file cannot be read.
        NoGamesError: There is nothing to learn from, or no game has a rank in the table.
    """
    report = SkipReport() if skipped is None else skipped
    reader = SgfReader(*paths)
    games: list[GoGame] = list(reader)
    report.merge(reader.skipped)
    sides = None
    if ranks is not None:
        labels = LabelIndex(read_rank_labels(ranks, report))
        both = (LearntSide(BLACK), LearntSide(WHITE))
        ranked = {game.file: _ranked_sides(labels, game.file) for game in games}
        if games and not any(ranked.values()):
            raise NoGamesError(
                "no game has a rank in the table",
                file=os.fspath(ranks),
                hint="its files must be those of the games, or the ends of their paths",
            )
        sides = {file: own or both for file, own in ranked.items()}
    return collect_games(games, sides, report)


def _ranked_sides(labels: LabelIndex, file: str) -> tuple[LearntSide, ...]:
    """The sides of a game that have a label."""
    both = ((colour, labels.find(file, colour)) for colour in (BLACK, WHITE))
    return tuple(
        LearntSide(colour, band_of_rank(label.scale, label.rank))
        for colour, label in both
        if label is not None
    )
