"""Sides of games: their moves, and the ranks that tables give their players."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.nets.network import NetworkView
from yardstone.go.points import BLACK, WHITE
from yardstone.grades import parse_grade
from yardstone.parallel import Track
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.calibration import csv_rows
from yardstone.strength.evidence import PHASES, evidence_of_store, phases_of
from yardstone.strength.rank_features import standardised
from yardstone.strength.set_scorer import INPUTS, WHEN
from yardstone.strength.set_transformer import PackedMoves
from yardstone.strength.site_scales import EDGES, GROUP_EDGES, RANKS
from yardstone.winprob.scales import fox_of_grade
from yardstone_lab.neubauer.rank.pool import player_folds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.feature_store import FeatureStore

    Array = NDArray[np.float64]
    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

__all__ = [
    "BANDS",
    "SetSides",
    "StoreSides",
    "bands_of",
    "input_moments",
    "read_sides",
    "targets",
    "LabelIndex",
    "RankLabel",
    "labelled_sides",
    "read_rank_labels",
]

#: The OGS ranks that bands of strength lie about: n dan is n to n + 1, 1 kyu 0 to 1.
BANDS = np.arange(-27.0, 10.0, 4.0)
#: A rank speaks for the bands about it, a group for those beside it, by normal curves.
_RANKS_ABOUT, _GROUPS_ABOUT = 2.5, 0.6
#: Every so many moves are looked at for the moments.
_EVERY = 37
_LEAST_DEVIATION = 1e-3
_GAMES, _MOVES = 40, 1 << 15
_OF_SIDES = ("counts", "group", "rank", "sure", "game", "colour", "player", "opponent")


@dataclass(frozen=True, slots=True, eq=False)
class StoreSides:
    """Which sides of the games of a store count, and what is known of their players."""

    store: FeatureStore
    game: Ints  #: `game`, `colour` [s]: place of the game in the store's table; 1 Black, 2 White.
    colour: Ints
    group: Ints  #: [s]: fox rank group, 0 to 10; -1 where the rank is of another scale.
    #: [s]: OGS rank, n dan is n to n + 1, 1 kyu 0 to 1; NaN where it is of another scale.
    rank: Array
    sure: Array  #: [s]: how much the rank counts, 0 to 1: less where it is provisional.
    player: NDArray[np.str_]
    opponent: NDArray[np.str_]


@dataclass(frozen=True, slots=True, eq=False)
class SetSides:
    """s sides of games with all their moves."""

    inputs: str  #: What is seen of a move: a name of `INPUTS`.
    moves: PackedMoves  #: The standardised moves of each side.
    mean: Floats  #: `mean`, `deviation` [channels]: what they were standardised by.
    deviation: Floats
    counts: Ints  #: [s, phases]: moves of each phase.
    #: `group`, `rank`, `sure`, `game`, `colour`, `player`, `opponent`: as in `StoreSides`; games
    #: have numbers of their own.
    group: Ints
    rank: Array
    sure: Array
    game: Ints
    colour: Ints
    player: NDArray[np.str_]
    opponent: NDArray[np.str_]

    def __len__(self) -> int:
        """Number of sides."""
        return len(self.group)

    def select(self, rows: Ints) -> SetSides:
        """Some of the sides, with all the moves in memory."""
        lengths = self.moves.lengths()[rows]
        first = np.repeat(self.moves.starts[rows], lengths)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = first + np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        moves = PackedMoves(self.moves.features, self.moves.rows[places], starts)
        columns = {name: getattr(self, name)[rows] for name in _OF_SIDES}
        return SetSides(self.inputs, moves, self.mean, self.deviation, **columns)

    @property
    def fox(self) -> NDArray[np.bool_]:
        """Whose rank is a Fox group; the others' is an OGS rank."""
        return self.group >= 0

    def folds(self, number: int, seed: int) -> Ints:
        """The fold of each side: nobody's games, nor on Fox any opponent's, are in two.

        Opponents on OGS may be programs, which play everybody: there they tie nobody.
        """
        fold = np.zeros(len(self), np.int64)
        for rows in (np.flatnonzero(self.fox), np.flatnonzero(~self.fox)):
            if len(rows):
                player = self.player[rows]
                known = self.fox[rows[0]]
                opponent = self.opponent[rows] if known else player
                kind = self.group[rows] if known else bands_of(self.rank[rows])
                fold[rows] = player_folds(player, opponent, kind, number, seed)
        return fold


def read_sides(parts: Sequence[StoreSides], inputs: str) -> SetSides:
    """Read the moves of the sides that count from stores of one network.

    Args:
        inputs: A name of `INPUTS`.

    Raises:
        NoGamesError: No side counts.
        UsageError: The stores were made with different networks.
    """
    whole = sum(len(part.game) for part in parts)
    if not whole:
        raise NoGamesError("there are no games to learn from")
    if len({NetworkView.of(part.store.settings) for part in parts}) > 1:
        raise UsageError("the stores were made with different networks or numbers of symmetries")
    pieces: list[NDArray[np.float16]] = []
    counts = np.zeros((whole, PHASES), np.int64)
    games: list[Ints] = []
    done = begin = 0
    track = Track("learning", whole)
    for part in parts:
        for start in range(0, len(part.game), _GAMES):
            chosen = slice(start, start + _GAMES)
            pairs = zip(part.game[chosen].tolist(), part.colour[chosen].tolist(), strict=True)
            evidence = evidence_of_store(part.store, list(pairs))
            np.add.at(counts, (done + evidence.game, phases_of(evidence.number)), 1)
            largest = float(np.finfo(np.float16).max)
            rows = np.clip(INPUTS[inputs](evidence), -largest, largest)
            pieces.append(rows.astype(np.float16))
            done += evidence.games
            track(done)
        games.append(part.game + begin)
        begin += len(part.store)
    features = np.concatenate(pieces)
    mean, deviation = input_moments(features[::_EVERY].astype(np.float32))
    for start in range(0, len(features), _MOVES):
        few = features[start : start + _MOVES]
        few[:] = standardised(few.astype(np.float32), mean, deviation)
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=1))])
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("group", "rank", "sure", "colour", "player", "opponent")
    }
    return SetSides(
        inputs,
        PackedMoves(features, np.arange(len(features)), starts),
        mean,
        deviation,
        counts,
        game=np.concatenate(games),
        **columns,
    )


def bands_of(rank: Array) -> Ints:
    """The nearest of `BANDS` to each OGS rank, by its place."""
    middle = 0.5 * (BANDS[:-1] + BANDS[1:])
    return np.searchsorted(middle, rank).astype(np.int64)


def targets(sides: SetSides) -> Floats:
    """What a network should say of each side: [s, groups + bands].

    Shares of the Fox groups, or of the bands of OGS ranks; those of the other scale are 0.
    """
    wanted = np.zeros((len(sides), len(RANKS) + len(BANDS)))
    fox = sides.fox
    places = np.arange(len(RANKS))
    wanted[fox, : len(RANKS)] = _about(sides.group[fox], places, _GROUPS_ABOUT)
    wanted[~fox, len(RANKS) :] = _about(sides.rank[~fox], BANDS, _RANKS_ABOUT)
    return wanted.astype(np.float32)


def _about(value: NDArray[Any], places: NDArray[Any], deviation: float) -> Array:
    shares = np.exp(-0.5 * ((value[:, None] - places) / deviation) ** 2)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


_FOX = "fox"
_HINT = "the first line names the columns: file,colour,rank,scale"
_COLOURS = {"black": BLACK, "white": WHITE, "b": BLACK, "w": WHITE}
#: Ranks further out than this are none.
_WEAKEST, _STRONGEST = -40.0, 12.0


@dataclass(frozen=True, slots=True)
class RankLabel:
    """The rank of one side of a game."""

    file: str
    colour: int  #: 1 Black, 2 White.
    #: n dan is n to n + 1, 1 kyu 0 to 1; a rank by its name is the middle of its stretch.
    rank: float
    scale: str
    player: str = ""  #: Empty where the record knows.
    sure: float = 1.0  #: 0 to 1.


def read_rank_labels(
    path: str | os.PathLike[str], skipped: SkipReport | None = None
) -> list[RankLabel]:
    """Read a table of ranks.

    Args:
        path: CSV, with commas, semicolons or tabs.
        skipped: Takes the rows that cannot be used.

    Raises:
        InputError: The file cannot be read, or lacks a column.
        NoGamesError: There is no rank in it.
    """
    report = SkipReport() if skipped is None else skipped
    labels = []
    for line, row in csv_rows(path, ("file", "colour", "rank", "scale"), _HINT, report):
        try:
            labels.append(_label(row))
        except ValueError as error:
            report.add(Skipped(os.fspath(path), line, str(error)))
    if not labels:
        raise NoGamesError("there is no rank in it", file=os.fspath(path), hint=_HINT)
    return labels


def _label(row: dict[str, str]) -> RankLabel:
    """One row; ValueError with the reason if it cannot be used."""
    colour = _COLOURS.get(row["colour"].lower())
    if colour is None:
        raise ValueError("the colour is neither black nor white")
    if not row["file"] or row["scale"] not in GROUP_EDGES:
        raise ValueError(f"there is no file, or the scale is none of {', '.join(GROUP_EDGES)}")
    sure = row.get("sure") or "1"
    try:
        share = float(sure)
    except ValueError:
        share = -1.0
    if not 0.0 < share <= 1.0:
        raise ValueError("sure is not above 0 and at most 1")
    return RankLabel(
        row["file"], colour, _rank(row["rank"]), row["scale"], row.get("player", ""), share
    )


def _rank(text: str) -> float:
    try:
        rank = float(text)
    except ValueError:
        try:
            rank = float(fox_of_grade(parse_grade(text)))
        except InputError:
            raise ValueError("the rank is neither a rank nor a number") from None
    if not _WEAKEST <= rank <= _STRONGEST:
        raise ValueError("there is no such rank")
    return rank


class LabelIndex:
    """Finds the label of a side of a game by the game's file, or by the end of that path."""

    def __init__(self, labels: Sequence[RankLabel]) -> None:
        self._depths = {len(PurePath(each.file).parts) for each in labels}
        self._by_key = {("/".join(PurePath(each.file).parts), each.colour): each for each in labels}

    def find(self, file: str, colour: int) -> RankLabel | None:
        """The label; None if there is none."""
        parts = PurePath(file).parts
        keys = (("/".join(parts[-depth:]), colour) for depth in self._depths)
        return next((self._by_key[key] for key in keys if key in self._by_key), None)


def labelled_sides(stores: Sequence[FeatureStore], labels: Sequence[RankLabel]) -> list[StoreSides]:
    """The sides of the games of some stores that have a label; stores without any are left out.

    Raises:
        NoGamesError: No game of the stores has a label.
    """
    ranks = LabelIndex(labels)
    parts = []
    for store in stores:
        rows = [
            (game, colour, label)
            for game, file in enumerate(store.games["file"])
            for colour in (BLACK, WHITE)
            if (label := ranks.find(file, colour)) is not None and _has_moves(store, game, colour)
        ]
        if not rows:
            continue
        names = np.column_stack([store.games["black"], store.games["white"]])
        game, colour = (np.array([row[k] for row in rows], np.int64) for k in (0, 1))
        own = [row[2] for row in rows]
        fox = np.array([each.scale == _FOX for each in own])
        rank = np.array([each.rank for each in own])
        group = np.clip(np.searchsorted(EDGES, rank, side="right") - 1, 0, len(EDGES) - 2)
        player = [
            each.player or str(names[g, c - 1])
            for each, g, c in zip(own, game, colour, strict=True)
        ]
        parts.append(
            StoreSides(
                store,
                game=game,
                colour=colour,
                group=np.where(fox, group, -1).astype(np.int64),
                rank=np.where(fox, np.nan, rank),
                sure=np.array([each.sure for each in own]),
                player=np.array(player, str),
                opponent=names[game, WHITE - colour].astype(str),
            )
        )
    if not parts:
        raise NoGamesError("no game of the stores has a rank in the table")
    return parts


def _has_moves(store: FeatureStore, game: int, colour: int) -> bool:
    rows = store.rows(game, colour)
    return bool(rows.stop > rows.start)


def input_moments(rows: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation of the numbers of some moves; 0 and 1 for the rest of a row.

    In the precision that they are kept in.
    """
    mean = np.zeros(rows.shape[1])
    deviation = np.ones(rows.shape[1])
    known = rows[:, :-WHEN].astype(np.float64)
    mean[:-WHEN] = np.nanmean(known, axis=0)
    deviation[:-WHEN] = np.maximum(np.nanstd(known, axis=0), _LEAST_DEVIATION)
    half, other = (each.astype(np.float16).astype(np.float32) for each in (mean, deviation))
    return half, other
