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
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import no_such
from yardstone.errors import InputError, NoGamesError
from yardstone.go.evaluation_store import evaluations_folder, open_store
from yardstone.go.feature_store import ABOUT, FeatureStore
from yardstone.go.nets.network import Network, NetworkView
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import Pool, SkipReport, StoredPool
from yardstone.records.go_game import UNKNOWN, GoGame
from yardstone.strength.evidence import Evidence, evidence_of_games, evidence_of_store
from yardstone.strength.fusion import MOVE_COLUMNS
from yardstone.strength.players import (
    BOARD,
    EvaluatedGame,
    model_network,
    plain_name,
    sorted_out,
    take_of_games,
    unique_games,
    unsuitable,
)

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats, Longs
    from yardstone.strength.model import StrengthModel


#: A store's sides that are judged together.
_TOGETHER = 64
#: What is kept of a game: moves and strength of Black, then of White.
_KEPT = struct.Struct("<4d")
_FILE = "strengths.sqlite"


@dataclass(frozen=True, slots=True, eq=False)
class GameMoves:
    """What the moves of n games show; frozen."""

    #: Names as the records have them.
    black: Sequence[str]
    white: Sequence[str]
    date: NDArray[np.datetime64]  #: [s] [n]: NaT where unknown.
    winner: NDArray[np.int8]  #: [n]: 1 Black, 2 White, -1 a draw, 0 unknown.
    #: What each game may be called elsewhere: the record's own name, its file's.
    labels: Sequence[tuple[str, ...]]
    number: Floats  #: [n, 2]: moves of Black and of White that were looked at.
    strength: Floats  #: [n, 2]: what they show, on the scale of the model; NaN without moves.
    #: Whose word that is, and on which of its scales.
    model: str
    scale: str
    skipped: SkipReport  #: Records that were left out.

    def __len__(self) -> int:
        return len(self.black)

    @property
    def source(self) -> str:
        """Model and scale in a word, as `Fusion` keeps it."""
        return f"{self.model}, scale {self.scale}"

    def results(self) -> Pool:
        """The results of the games themselves, as a pool: those with two names and a winner.

        Raises `NoGamesError` if no game has both.
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
    **network: Any,
) -> GameMoves:
    """What moves show in SGF files, folders and archives, or in a store of features.

    Args:
        paths: SGF files, or a single store that ``yardstone go features`` made.
        scale: Of the model's scales the one on which strengths are given; the first by default.
        net: The network of the model; a store needs none.
        strict: Raise at the first record that cannot be used.
        **network: How it is computed, as for `yardstone.strength.players.model_network`.
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
    return moves_of_records(games, loaded, model, scale=scale, skipped=reader.skipped)


def moves_of_store(
    store: FeatureStore, model: StrengthModel, *, scale: str | None = None
) -> GameMoves:
    """What the moves in a store show.

    Raises `InputError` if the features are of another network than the model's; `UsageError` if the
    store lacks features that the model reads.
    """
    known, wanted = NetworkView.of(store.settings), NetworkView.of(model.card)
    if known != wanted:
        raise InputError(
            f"the features are of the network {known}, and the model reads those of {wanted}",
            file=str(store.path),
        )
    games = store.games
    sides = [(game, colour) for game in range(len(store)) for colour in (BLACK, WHITE)]
    parts = [
        _shown(model, scale, evidence_of_store(store, sides[start : start + _TOGETHER]))
        for start in range(0, len(sides), _TOGETHER)
    ]
    shown = np.concatenate([np.empty((0, 2)), *parts]).reshape(-1, 2, 2)
    # Of others the model knows nothing: see `unsuitable`.
    shown[(games["size"] != BOARD) | (games["handicap"] > 1)] = (0.0, np.nan)
    return _game_moves(games, shown, model, scale, SkipReport())


def _game_moves(
    games: Any, shown: Floats, model: StrengthModel, scale: str | None, report: SkipReport
) -> GameMoves:
    """`games`: columns black, white, date, winner, and name and file of the records."""
    labels = []
    for name, file in zip(map(str, games["name"]), map(str, games["file"]), strict=True):
        words = (name.strip(), Path(file).name.partition(".")[0].strip())
        labels.append(tuple(dict.fromkeys(word for word in words if word)))
    return GameMoves(
        list(map(str, games["black"])),
        list(map(str, games["white"])),
        np.asarray(games["date"], "datetime64[s]"),
        np.asarray(games["winner"], np.int8),
        labels,
        shown[:, :, 0],
        shown[:, :, 1],
        str(model.card["name"]),
        model.scale(scale).name,
        report,
    )


def moves_of_records(
    games: Sequence[GoGame],
    network: Network,
    model: StrengthModel,
    *,
    scale: str | None = None,
    skipped: SkipReport | None = None,
) -> GameMoves:
    """What the moves of games show to a network; what is known of a game is not asked again.

    Games on which the model says nothing (of handicap, on small boards) count as games
    without moves, and the report says so.
    """
    report = SkipReport() if skipped is None else skipped
    different, _ = unique_games(games, report, "the same game occurs again")
    shown = np.full((len(different), 2, 2), np.nan)
    shown[:, :, 0] = 0.0
    numbered = [replace(game, number=place) for place, game in enumerate(different)]

    def useless(game: GoGame) -> str | None:
        why = unsuitable(game)
        return None if why is None else f"its moves are not used: {why}"

    identity = _identity(model, network, scale)
    keys = {game.number: _key(identity, game) for game in sorted_out(numbered, useless, report)}
    kept = None
    if network.answers is not None:
        kept = open_store(evaluations_folder() / _FILE)
    known = {} if kept is None else kept.get(list(keys.values()))
    missing = []
    for place, key in keys.items():
        if (value := known.get(key)) is not None:
            shown[place] = np.array(_KEPT.unpack(value)).reshape(2, 2)
        else:
            missing.append(numbered[place])
    take = partial(_shown_in_game, model, scale)
    for place, values in take_of_games(take, missing, network, skipped=report):
        shown[place] = values
        if kept is not None:
            kept.put(keys[place], _KEPT.pack(*values.ravel().tolist()))
            kept.flush()
    named = ("black", "white", "date", "winner", "file")
    about = {name: [getattr(game, name) for game in different] for name in named}
    about["name"] = ["".join(game.properties.get("GN", ())) for game in different]
    return _game_moves(about, shown, model, scale, report)


def _shown_in_game(
    model: StrengthModel, scale: str | None, evaluated: EvaluatedGame
) -> tuple[int, Floats]:
    evidence = evidence_of_games([evaluated.features, evaluated.features], [BLACK, WHITE])
    return evaluated.game.number, _shown(model, scale, evidence)


def _shown(model: StrengthModel, scale: str | None, evidence: Evidence) -> Floats:
    """Of each game of a piece of evidence moves and strength: [games, 2]."""
    number = np.bincount(evidence.game, minlength=evidence.games).astype(np.float64)
    strength = model.posterior(model.game_statistics(evidence), scale)[0]
    return np.column_stack([number, np.where(number > 0.0, strength, np.nan)])


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


#: Names of the two players of a game.
_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class MatchedRecords:
    """Which record belongs to each game of a pool; frozen."""

    record: Longs  #: [games]: place of the game's record; -1 for none.
    swapped: Flags  #: [games]: whether Black of the record is the game's second player.
    unmatched: Mapping[str, int]  #: Records that belong to no game, by the reason.

    @property
    def sentence(self) -> str:
        """What was found, in a sentence."""
        matched = int((self.record >= 0).sum())
        records = matched + sum(self.unmatched.values())
        text = f"Records of moves: {matched:,} of {records:,} belong to a game"
        if not self.unmatched:
            return f"{text}."
        reasons = ", ".join(f"{number:,} {why}" for why, number in self.unmatched.items())
        return f"{text} ({reasons})."


def with_moves(
    pool: Pool, moves: GameMoves, *, column: str | None = None
) -> tuple[Pool, MatchedRecords]:
    """The pool with what the moves of its games show, in the columns `MOVE_COLUMNS`.

    `column`: as in `match_moves`. Raises `InputError` if no record belongs to any game; or the
    games do not fit in memory.
    """
    if isinstance(pool, StoredPool):
        raise InputError(
            "moves are added to games in memory, and these do not fit", hint="give more --memory"
        )
    matching = match_moves(pool, moves, column=column)
    matched = matching.record >= 0
    if len(moves) and not matched.any():
        raise InputError(
            f"no record of moves belongs to any of the games: {matching.sentence}",
            hint="players and dates must be the same as in the results, or --match names a column "
            "with the names of the games",
        )
    values = np.zeros((len(pool), 2, 2))
    values[:, :, 1] = np.nan
    both = np.stack([moves.number, moves.strength], axis=-1)
    values[matched] = both[matching.record[matched]]
    values[matching.swapped] = values[matching.swapped, ::-1]
    columns = dict(zip(MOVE_COLUMNS, values.reshape(-1, 4).T, strict=True))
    return replace(pool, columns={**pool.columns, **columns}), matching


def match_moves(pool: Pool, moves: GameMoves, *, column: str | None = None) -> MatchedRecords:
    """Find the record of each game.

    Names are compared without regard to capitals, blanks and the width of letters. A record is of
    the same two players with the same colours and of the same day, or if there is none, of the day
    before or after; without days they must have met once. Several games of a pair on a day are told
    apart by their results, or by their order if there are as many records. A record with another
    winner than the result belongs to no game. `pool`: ``first`` is Black; where nobody knows who
    moved first, colours may differ. `column`: of the pool: what each game is called in the records
    (their GN, or their file's name without its ending). Then days do not matter, but players and
    winners must still agree.
    """
    matched = _Matching(pool, moves)
    if column is None:
        _match_days(matched)
    else:
        _match_labels(matched, column)
    return MatchedRecords(matched.record, matched.swapped, dict(matched.unmatched))


class _Matching:
    """Games and records as they are joined."""

    def __init__(self, pool: Pool, moves: GameMoves) -> None:
        self.pool = pool
        self.moves = moves
        self.record = np.full(len(pool), -1, np.int64)
        self.swapped = np.zeros(len(pool), np.bool_)
        self.unmatched: Counter[str] = Counter()
        number = Counter(map(plain_name, pool.players))
        # Where two players' names would be equal, only what is written the same is one.
        self._shared = {name for name in number if number[name] > 1}
        compared = [self._compared(name) for name in pool.players]
        sides = zip(pool.first.tolist(), pool.second.tolist(), strict=True)
        self.games: list[_Pair] = [(compared[one], compared[other]) for one, other in sides]
        self.records: list[_Pair] = [
            (self._compared(black), self._compared(white))
            for black, white in zip(moves.black, moves.white, strict=True)
        ]

    def _compared(self, name: str) -> str:
        plain = plain_name(name)
        return name if plain in self._shared else plain

    def agrees(self, game: int, record: int, *, swapped: bool) -> bool:
        """Whether the winner is the same, or unknown to the record."""
        winner = int(self.moves.winner[record])
        if winner == UNKNOWN:
            return True
        score = {BLACK: 1.0, WHITE: 0.0}.get(winner, 0.5)
        return bool(self.pool.score[game] == (1.0 - score if swapped else score))

    def put(self, game: int, record: int, *, swapped: bool) -> None:
        if self.record[game] >= 0:
            self.unmatched["of a game that has one already"] += 1
        else:
            self.record[game], self.swapped[game] = record, swapped

    def join(self, games: Sequence[int], records: Sequence[int], *, swapped: bool) -> None:
        """Join the games of a pair of players on a day with the records of the same."""
        if not games:
            self.unmatched["of no such game"] += len(records)
            return
        fits = {
            record: [game for game in games if self.agrees(game, record, swapped=swapped)]
            for record in records
        }
        in_order = list(zip(games, records, strict=False))
        if len(games) == len(records) and all(game in fits[record] for game, record in in_order):
            for game, record in in_order:
                self.put(game, record, swapped=swapped)
            return
        wanted = Counter(game for record in records for game in fits[record])
        for record in records:
            if not fits[record]:
                self.unmatched["with another winner than the result"] += 1
            elif len(fits[record]) > 1 or wanted[fits[record][0]] > 1:
                self.unmatched["of one of several games of that day"] += 1
            else:
                self.put(fits[record][0], record, swapped=swapped)


def _match_days(matched: _Matching) -> None:
    pool, moves = matched.pool, matched.moves
    met, records = (
        defaultdict[_Pair, dict[int | None, list[int]]](lambda: defaultdict(list)) for _ in range(2)
    )
    days = _days(pool.time, len(pool))
    order = np.arange(len(pool)) if pool.time is None else np.argsort(pool.time, kind="stable")
    for game in order.tolist():
        met[matched.games[game]][days[game]].append(game)
    days = _days(moves.date if pool.time is not None else None, len(moves))
    for record, (pair, day) in enumerate(zip(matched.records, days, strict=True)):
        if moves.black[record].strip() and moves.white[record].strip():
            records[pair][day].append(record)
        else:
            matched.unmatched["without a name"] += 1
    for pair, by_day in records.items():
        swapped = pair not in met and not pool.ordered
        games = met.get(pair[::-1] if swapped else pair, {})
        for day, some in _moved(by_day, games).items():
            if day is None and pool.time is not None:
                rest = [game for each in games.values() for game in each]
            else:
                rest = games.get(day, [])
            matched.join(rest, some, swapped=swapped)


def _match_labels(matched: _Matching, column: str) -> None:
    pool, moves = matched.pool, matched.moves
    if column not in pool.columns:
        raise InputError(no_such("column", column, pool.columns))
    called: dict[str, list[int]] = defaultdict(list)
    for game, label in enumerate(pool.columns[column].tolist()):
        # Tables may hold whole numbers as 12.0.
        whole = isinstance(label, float) and label.is_integer()
        called[str(int(label) if whole else label).strip()].append(game)
    for record, labels in enumerate(moves.labels):
        games = list(dict.fromkeys(game for label in labels for game in called.get(label, ())))
        if len(games) != 1:
            matched.unmatched["of several games" if games else "of no such game"] += 1
            continue
        (game,) = games
        sides, there = matched.games[game], matched.records[record]
        swapped = there == sides[::-1] and there != sides and not pool.ordered
        if there != sides and not swapped:
            matched.unmatched["of other players than the result"] += 1
        elif not matched.agrees(game, record, swapped=swapped):
            matched.unmatched["with another winner than the result"] += 1
        else:
            matched.put(game, record, swapped=swapped)


def _days(time: NDArray[np.datetime64] | None, number: int) -> list[int | None]:
    """Days since 1970; None where unknown."""
    if time is None:
        return [None] * number
    days = time.astype("datetime64[D]")
    return [None if np.isnat(day) else int(day.astype(np.int64)) for day in days]


def _moved(
    records: Mapping[int | None, list[int]], games: Mapping[int | None, Sequence[int]]
) -> dict[int | None, list[int]]:
    """Records by the day on which the pair met: that of the record, or the one beside it."""
    moved = {day: some for day, some in records.items() if day is None or day in games}
    for day, some in records.items():
        if day is None or day in games:
            continue
        beside = [other for other in (day - 1, day + 1) if other in games and other not in records]
        free = beside[0] if len(beside) == 1 and beside[0] not in moved else day
        moved[free] = some
    return moved
