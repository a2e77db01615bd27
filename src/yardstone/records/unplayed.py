"""Records that are no games between two players: byes, games not played, repeats of others."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import StrictError
from yardstone.records._pgn import MULTIPLIER
from yardstone.records.columns import HANDICAP_GAME, handicap_reason, words
from yardstone.records.results import left_out_reason, normalized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.records.streaming import GameBatch

__all__ = [
    "BYE",
    "BYE_NAMES",
    "CONTENT",
    "IDENTITY",
    "REPEATED",
    "even_games",
    "game_columns",
    "is_status",
    "leave_out",
    "not_played",
    "with_handicap",
    "without_byes",
    "without_repeats",
]

#: What tournaments call an opponent who is none, in small letters.
BYE_NAMES = frozenset(
    {"bye", "byes", "a bye", "(bye)", "[bye]", "<bye>", "*bye*", "half bye", "no opponent"}
    | {"half point bye", "half-point bye", "full point bye", "full-point bye", "zero point bye"}
    | {"spielfrei", "spiel frei", "freilos", "exempt", "exempte", "libre", "descansa", "descanso"}
    | {"riposo", "riposa", "folga", "vrij", "oversidder", "frirunde", "wolny los", "pauzuje"}
    | {"volný los", "volny los", "erőnyerő", "выходной", "свободен", "-", "--", "---", "–", "—"}
)  # fmt: skip
BYE = "bye: an opponent"
#: In pools that are being read: a number for all that a record says, and one for the game it is
#: of (its id, or its date and round), 0 where it does not say. Where records say nothing but
#: players and result they have neither.
CONTENT, IDENTITY = "content of the record", "identity of the game"
#: Why a record is left out that says again what another has said.
REPEATED = "repeats another record (same id, or same date and round)"

_STATUS = {"status", "termination", "state"}
_BESIDE = {"game", "match", "fixture", "event", "result", "type", "the"}
_UNPLAYED = re.compile(
    r"(?:the )?(?:game|match|fixture)?\s*(?:was |is |has been )?"
    r"(?:postponed|rescheduled|cancell?ed|canc|abandoned|abandoned game|unplayed|unterminated"
    r"|not (?:yet )?(?:played|started|paired)|never played|aborted|annulled|void(?:ed)?|scheduled"
    r"|upcoming|pending|suspended|adjourned|interrupted|delayed|in (?:progress|play)|ongoing|live"
    r"|started|created|no ?start|unfinished|no contest|to be (?:played|announced)|tba|tbd|ppd|pst)"
    r"(?:\s*(?:\(.*\)|(?:due|because|until|till|for|by the) .*))?[.!]?"
)
_ID_WORDS = (["game", "id"], ["gameid"], ["game", "link"], ["link"], ["game", "url"], ["url"],
             ["site"], ["id"], ["match", "id"], ["game"], ["game", "number"])  # fmt: skip
_ROUND_WORDS = (["round"], ["rnd"], ["rd"])
#: Identities are of games if so many of them hold no more than one of a player.
_TELLING = 0.95
#: Fewer games are not looked at for being there twice as a whole.
_FEW = 8


def is_status(column: str) -> bool:
    """Whether a column of this name says whether its games were played.

    Examples
    --------
    >>> is_status("Status"), is_status("match_state"), is_status("TerminationDetails")
    (True, True, False)
    """
    parts = set(words(column))
    return bool(parts & _STATUS) and parts <= _STATUS | _BESIDE


def not_played(status: str) -> str | None:
    """Why a record of this status is no game; None if it is one, or the status does not say.

    Examples
    --------
    >>> not_played("Postponed"), not_played("time forfeit"), not_played("walkover")
    ('not played (postponed)', None, 'decided by forfeit')
    """
    key = normalized(status[:200]).replace("_", " ")
    if _UNPLAYED.fullmatch(key):
        return f"not played ({key[:40]})"
    reason = left_out_reason(key)
    return reason if reason is not None and "forfeit" in reason else None


def game_columns(names: Sequence[str]) -> tuple[str | None, str | None]:
    """The columns, or tags, with the id of a game and with its round.

    Examples
    --------
    >>> game_columns(["white", "black", "result", "round", "game_id"])
    ('game_id', 'round')
    """
    split = {name: words(name) for name in names}
    found = []
    for wanted in (_ID_WORDS, _ROUND_WORDS):
        there = (name for each in wanted for name, parts in split.items() if parts == each)
        found.append(next(there, None))
    return found[0], found[1]


def leave_out(
    pool: Pool, which: NDArray[np.bool_], kind: str, *, strict: bool = False
) -> Pool:  # fmt: skip
    """The pool without some games, which its report then counts under `kind`."""
    number = int(which.sum())
    if not number:
        return pool
    if strict:
        raise StrictError(kind)
    report = deepcopy(pool.skipped)
    report.add_uncounted(kind, number, known=True)
    return replace(pool.select(~which), skipped=report)


def without_byes(pool: Pool, *, strict: bool = False) -> Pool:
    """The pool without opponents who are none, such as BYE, and what was played against them."""
    byes = np.array([name.casefold() in BYE_NAMES for name in pool.players], np.bool_)
    for number in np.flatnonzero(byes).tolist():
        which = (pool.first == number) | (pool.second == number)
        pool = leave_out(pool, which, f"{BYE} called {pool.players[number]}", strict=strict)
    if not byes.any():
        return pool
    place = np.cumsum(~byes) - 1
    players = tuple(name for name, bye in zip(pool.players, byes, strict=True) if not bye)
    return replace(pool, players=players, first=place[pool.first], second=place[pool.second])


def without_repeats(pool: Pool) -> Pool:
    """The pool with each game once where records repeat others, and without the marks of them.

    A record that repeats another in all it says counts once if it names its game: by an id, or
    by date and round, which no other two records share that differ. Where nothing tells
    whether it is the same game, it counts, and the report says so.
    """
    columns = dict(pool.columns)
    content, identity = columns.pop(CONTENT, None), columns.pop(IDENTITY, None)
    pool = replace(pool, columns=columns)
    remark = ""
    if content is None:
        times = _times_over(pool)
        if times:
            remark = (
                f"The same {len(pool) // times:,} results come {times} times, in the same order: "
                "all of them count, as nothing tells whether they are the same games."
            )
    elif (repeats := _repeats(content)).any():
        named = np.zeros(len(pool), np.bool_)
        if identity is not None:
            named = _sure(pool, content, identity, repeats & (identity != 0))
        if counted := int((repeats & ~named).sum()):
            remark = (
                f"{counted:,} record{'s repeat others' if counted > 1 else ' repeats another'} "
                "exactly; all count, as without an id, or date and round, "
                "nothing tells whether they are the same games."
            )
        pool = leave_out(pool, named, REPEATED)
    if remark:
        pool = replace(pool, skipped=deepcopy(pool.skipped))
        pool.skipped.remark(remark)
    return pool


def _repeats(content: NDArray[Any]) -> NDArray[np.bool_]:
    """The rows whose number another row before them has."""
    place = (content & np.uint64((4 << len(content).bit_length()) - 1)).astype(np.int64)
    rows = np.flatnonzero(np.bincount(place)[place] > 1)  # few, among which one has to look
    found = np.zeros(len(content), np.bool_)
    found[rows] = True
    found[rows[np.unique(content[rows], return_index=True)[1]]] = False
    return found


def _sure(
    pool: Pool, content: NDArray[Any], identity: NDArray[Any], repeats: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Those of the repeats that are the same game: identities hold one game of each player.

    Where they hold several (an id of a tournament, a round that is 1 throughout), none is sure.
    """
    if not repeats.any():
        return repeats
    near = np.flatnonzero(np.isin(identity, np.unique(identity[repeats])))
    keys = [_of_player(side, identity) for side in (pool.first, pool.second)]
    pairs = np.concatenate([np.column_stack([key, content])[near] for key in keys])
    games, number = np.unique(np.unique(pairs, axis=0)[:, 0], return_counts=True)
    if np.mean(number == 1) < _TELLING:
        return np.zeros(len(pool), np.bool_)
    shared = games[number > 1]
    return repeats & ~np.isin(keys[0], shared) & ~np.isin(keys[1], shared)


def _of_player(side: NDArray[np.int32], identity: NDArray[Any]) -> NDArray[Any]:
    key: NDArray[Any] = identity ^ ((side.astype(np.uint64) + np.uint64(1)) * MULTIPLIER)
    return key


def _times_over(pool: Pool) -> int:
    """How many times all results come one after another; 0 if once."""
    for times in (2, 3, 4):
        size, rest = divmod(len(pool), times)
        columns = (
            [each.reshape(times, -1) for each in (pool.first, pool.second, pool.score)]
            if not rest
            else []
        )
        if columns and size >= _FEW and all((each == each[0]).all() for each in columns):
            return times
    return 0


def with_handicap(games: Pool | GameBatch) -> NDArray[np.bool_]:
    """Which games have a handicap, as far as their columns say."""
    column = games.columns.get("handicap", np.zeros(len(games)))
    given = [each for each in np.unique(column).tolist() if handicap_reason(str(each))]
    return np.isin(column, np.array(given, column.dtype))


def even_games(pool: Pool) -> Pool:
    """Return the games without a handicap; the report counts the others."""
    return leave_out(pool, with_handicap(pool), HANDICAP_GAME)
