"""Which record of moves belongs to which result: by players and day, or by a name of the game."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.choices import no_such
from yardstone.errors import InputError
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import Pool
from yardstone.records.go_game import UNKNOWN
from yardstone.records.streaming import StoredPool
from yardstone.strength.estimate.players import plain_name
from yardstone.strength.fusion.system import MOVE_COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.fusion.game_moves import GameMoves

__all__ = ["MatchedRecords", "match_moves", "with_moves"]

#: Names of the two players of a game.
_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class MatchedRecords:
    """Which record belongs to each game of a pool; frozen.

    Attributes
    ----------
    record : int64 [games]
        Place of the game's record; -1 for none.
    swapped : bool [games]
        Whether Black of the record is the game's second player.
    unmatched : mapping of str to int
        Records that belong to no game, by the reason.
    """

    record: NDArray[np.int64]
    swapped: NDArray[np.bool_]
    unmatched: Mapping[str, int]

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

    Parameters
    ----------
    pool : Pool
    moves : GameMoves
    column : str, optional
        As in `match_moves`.

    Raises
    ------
    InputError
        No record belongs to any game; or the games do not fit in memory.
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

    Names are compared without regard to capitals, blanks and the width of letters. A record
    is of the same two players with the same colours and of the same day, or if there is none,
    of the day before or after; without days they must have met once. Several games of a pair
    on a day are told apart by their results, or by their order if there are as many records.
    A record with another winner than the result belongs to no game.

    Parameters
    ----------
    pool : Pool
        ``first`` is Black; where nobody knows who moved first, colours may differ.
    moves : GameMoves
    column : str, optional
        Of the pool: what each game is called in the records (their GN, or their file's name
        without its ending). Then days do not matter, but players and winners must still agree.
    """
    if column is not None:
        return _by_label(pool, moves, column)
    names = _Names(pool)
    days = _days(pool.time, len(pool))
    met: dict[_Pair, dict[int | None, list[int]]] = defaultdict(lambda: defaultdict(list))
    order = np.arange(len(pool)) if pool.time is None else np.argsort(pool.time, kind="stable")
    for game in order.tolist():
        met[names.sides(game)][days[game]].append(game)
    matched = _Matched(pool, moves)
    records: dict[_Pair, dict[int | None, list[int]]] = defaultdict(lambda: defaultdict(list))
    there = _days(moves.date if pool.time is not None else None, len(moves))
    for record, (black, white) in enumerate(zip(moves.black, moves.white, strict=True)):
        if black.strip() and white.strip():
            records[names.of(black), names.of(white)][there[record]].append(record)
        else:
            matched.fail("without a name")
    for pair, by_day in records.items():
        swapped = pair not in met and not pool.ordered
        games = met.get(pair[::-1] if swapped else pair, {})
        for day, some in _moved(by_day, games).items():
            if day is None and pool.time is not None:
                rest = [game for each in games.values() for game in each]
            else:
                rest = games.get(day, [])
            matched.join(rest, some, swapped=swapped)
    return matched.matching()


class _Matched:
    """Games and records as they are joined."""

    def __init__(self, pool: Pool, moves: GameMoves) -> None:
        self.pool = pool
        self.moves = moves
        self.record = np.full(len(pool), -1, np.int64)
        self.swapped = np.zeros(len(pool), np.bool_)
        self.unmatched: Counter[str] = Counter()

    def fail(self, reason: str, number: int = 1) -> None:
        self.unmatched[reason] += number

    def matching(self) -> MatchedRecords:
        return MatchedRecords(self.record, self.swapped, dict(self.unmatched))

    def agrees(self, game: int, record: int, *, swapped: bool) -> bool:
        """Whether the winner is the same, or unknown to the record."""
        winner = int(self.moves.winner[record])
        if winner == UNKNOWN:
            return True
        score = 1.0 if winner == BLACK else 0.0 if winner == WHITE else 0.5
        return bool(self.pool.score[game] == (1.0 - score if swapped else score))

    def put(self, game: int, record: int, *, swapped: bool) -> None:
        if self.record[game] >= 0:
            self.fail("of a game that has one already")
            return
        self.record[game] = record
        self.swapped[game] = swapped

    def join(self, games: Sequence[int], records: Sequence[int], *, swapped: bool) -> None:
        """Join the games of a pair of players on a day with the records of the same."""
        if not games:
            self.fail("of no such game", len(records))
            return
        fits = {
            record: [game for game in games if self.agrees(game, record, swapped=swapped)]
            for record in records
        }
        if len(games) == len(records) and all(
            game in fits[record] for game, record in zip(games, records, strict=True)
        ):
            for game, record in zip(games, records, strict=True):
                self.put(game, record, swapped=swapped)
            return
        wanted = Counter(game for record in records for game in fits[record])
        for record in records:
            if not fits[record]:
                self.fail("with another winner than the result")
            elif len(fits[record]) > 1 or wanted[fits[record][0]] > 1:
                self.fail("of one of several games of that day")
            else:
                self.put(fits[record][0], record, swapped=swapped)


def _by_label(pool: Pool, moves: GameMoves, column: str) -> MatchedRecords:
    if column not in pool.columns:
        raise InputError(no_such("column", column, pool.columns))
    names = _Names(pool)
    called: dict[str, list[int]] = defaultdict(list)
    for game, label in enumerate(pool.columns[column].tolist()):
        called[_label(label)].append(game)
    matched = _Matched(pool, moves)
    for record, labels in enumerate(moves.labels):
        games = list(dict.fromkeys(game for label in labels for game in called.get(label, ())))
        if len(games) != 1:
            matched.fail("of several games" if games else "of no such game")
            continue
        (game,) = games
        sides = names.sides(game)
        there = names.of(moves.black[record]), names.of(moves.white[record])
        swapped = there == sides[::-1] and there != sides and not pool.ordered
        if there != sides and not swapped:
            matched.fail("of other players than the result")
        elif not matched.agrees(game, record, swapped=swapped):
            matched.fail("with another winner than the result")
        else:
            matched.put(game, record, swapped=swapped)
    return matched.matching()


def _label(value: Any) -> str:
    """A game's name as text; tables may hold whole numbers as 12.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


class _Names:
    """The players of a pool by their names as these are compared."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        plain = [plain_name(name) for name in pool.players]
        number = Counter(plain)
        # Where two players' names would be equal, only what is written the same is one.
        self.shared = {name for name in plain if number[name] > 1}
        self.compared = [self.of(name) for name in pool.players]

    def of(self, name: str) -> str:
        """A name as it is compared."""
        plain = plain_name(name)
        return name if plain in self.shared else plain

    def sides(self, game: int) -> _Pair:
        """Both players of a game."""
        return self.compared[self.pool.first[game]], self.compared[self.pool.second[game]]


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
