"""Records that are no games between two players: byes, games not played, repeats of others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import StrictError
from yardstone.pool import GameBatch, Pool, without_players
from yardstone.records._pgn import MULTIPLIER
from yardstone.records.columns import HANDICAP_GAME, handicap_reason, words
from yardstone.records.results import FORFEIT, left_out_reason, normalized

#: What tournaments call an opponent who is none, in small letters, by how the report begins.
NOBODY = {
    "bye: an opponent called": r"[(\[<*]?(?:(?:a|half|(?:half|full|zero)[ -]points?) )?byes?"
    r"[ _-]?\d*[)\]>*]?|no opponent|spiel ?frei|freilos|exempte?|libre|descans[ao]|ripos[ao]|folga"
    r"|vrij|oversidder|frirunde|wolny los|pauzuje|voln[ýy] los|erőnyerő|выходной|свободен"
    r"|[-–—]{1,3}",
    "nobody: a player called": r"n\. ?n\.|tb[ad]|to be (?:determined|decided|announced)",
}
_SAID_OF = dict(zip("ab", NOBODY, strict=True))
#: All of them, and names of players who are not known, which belong to no group.
_NO_PLAYER = re.compile(
    "|".join(f"(?P<{group}>{NOBODY[said]})" for group, said in _SAID_OF.items())
    + r"|\?{1,3}|nn|none|null|nan|n/a|unknown"
)
_RATED = re.compile(r"(.*\S) ?[(\[]\d{3,4}[)\]]")
#: In pools that are being read: a number for all that a record says, and one for the game it is
#: of (its id, or its date and round), 0 where it does not say. Where records say nothing but
#: players and result they have neither.
CONTENT, IDENTITY = "content of the record", "identity of the game"
#: Why a record is left out that says again what another has said.
REPEATED = "repeats another record (same id, or same date and round)"
#: Cells that say yes or no, in small letters.
YES = frozenset("true t yes y 1 1.0 x ja oui si sí да".split())
NO = frozenset("false f no n 0 0.0 nein non нет".split())
#: Cells that say of a venue that nobody is at home.
NEUTRAL = YES | {"neutral"}

# A status, or a remark, that says that a record is no game: what both may say, and what only a
# status says, as a game that "started late" was played.
_SAID = re.compile(
    r"(?:the )?(?:game|match|fixture)?\s*(?:was |is |has been )?(?:(?P<weak>scheduled|upcoming"
    r"|abandoned(?: game)?"
    r"|pending|suspended|adjourned|interrupted|delayed|in (?:progress|play)|ongoing|live|started"
    r"|created|unfinished|unterminated|ns|abd|susp|tba|tbd|ppd|pst|canc|ht|[12]h)"
    r"|postponed|rescheduled|cancell?ed|unplayed|no result|aborted|annulled|void(?:ed)?"
    r"|not (?:yet )?(?:played|started|paired)|never played|no ?start|no contest"
    r"|to be (?:played|announced)|(?P<lost>awd|awarded|no[ -]?shows?|forfeits?|defaulted))"
    r"(?:\s*(?:\(.*\)|(?:due|because|until|till|for|to|by the) .*))?[.!]?"
)
#: Columns, by the words of their names, that hold a status or a remark; that say by a no that
#: there was no game. A column called like a status (``cancelled``) says it by a yes.
_STATUS = frozenset({"status", "termination", "state"})
_REMARK = frozenset(
    "note notes remark remarks comment comments reason method how ending finish type".split()
)
_PLAYED = frozenset({"played", "finished", "completed", "complete", "valid"})
_NO_FLAGS = frozenset("started created scheduled live".split())
_BESIDE = frozenset("game match fixture event result win victory end the is was".split())
_ID_WORDS = (["game", "id"], ["gameid"], ["game", "link"], ["link"], ["game", "url"], ["url"],
             ["site"], ["id"], ["match", "id"], ["game"], ["game", "number"])  # fmt: skip
_ROUND_WORDS = (["round"], ["rnd"], ["rd"])
#: Identities are of games if so many of them hold no more than one of a player.
_TELLING = 0.95
#: Fewer games are not looked at for being there twice as a whole.
_FEW = 8
_SHOWN = 4


def why_no_game(column: str) -> Callable[[str], str | None] | None:
    """Return what tells by a cell of a column of this name why a row is no game, if it can.

    Examples:
        >>> [why(cell) for why, cell in ((why_no_game("Status"), "Postponed"),
        ...     (why_no_game("is_cancelled"), "yes"), (why_no_game("played"), "no"))]
        ['not played (postponed)', 'not played (cancelled)', 'not played (played: no)']
        >>> why_no_game("TerminationDetails")
    """
    name = " ".join(part for part in words(column) if part not in _BESIDE)
    if {*name.split()} <= _STATUS | _REMARK and name:
        return partial(not_played, remark=is_remark(column))
    if name == "odds":  # in numbers those of a bet
        return lambda cell: handicap_reason(cell) if any(map(str.isalpha, cell)) else None
    if name in _PLAYED:
        return lambda cell: f"not played ({name}: {cell})" if cell.lower() in NO else None
    reason = None if name in _NO_FLAGS else not_played(name)
    return None if reason is None else lambda cell: reason if cell.lower() in YES else None


def is_remark(column: str) -> bool:
    """Whether a column of this name says how a game went, in words of its own."""
    left = {*words(column)} - _BESIDE
    return bool(left) and left <= _REMARK


def not_played(status: str, *, remark: bool = False) -> str | None:
    """Why a record of this status is no game; None if it is one, or the status does not say.

    A `remark` says so in plainer words than a status.

    Examples:
        >>> not_played("Postponed"), not_played("time forfeit"), not_played("walkover")
        ('not played (postponed)', None, 'decided by forfeit')
        >>> not_played("started"), not_played("started", remark=True)
        ('not played (started)', None)
    """
    key = normalized(status[:200]).replace("_", " ")
    if (match := _SAID.fullmatch(key)) is not None and not (remark and match["weak"]):
        return FORFEIT if match["lost"] else f"not played ({key[:40]})"
    signs = not any(each.isalpha() for each in key)
    return None if signs or left_out_reason(key) != FORFEIT else FORFEIT


def game_columns(names: Sequence[str]) -> tuple[str | None, str | None]:
    """The columns, or tags, with the id of a game and with its round.

    Examples:
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
    reasons: dict[int, str] = {}
    unknown = []
    for number, name in enumerate(pool.players):
        if match := _NO_PLAYER.fullmatch(name.lower()):
            if said := match.lastgroup:
                reasons[number] = f"{_SAID_OF[said]} {name}"
            else:
                unknown.append(repr(name))
    for number, reason in reasons.items():
        pool = leave_out(
            pool, (pool.first == number) | (pool.second == number), reason, strict=strict
        )
    rated = (_RATED.fullmatch(name) for name in pool.players if name.endswith((")", "]")))
    stems = Counter(match[1] for match in rated if match)
    several = [repr(stem) for stem, number in stems.most_common(_SHOWN) if number > 1]
    if unknown:
        pool = _remarked(pool, f"Players called {', '.join(unknown)} may be several, or nobody.")
    if several:
        pool = _remarked(
            pool,
            f"Names such as {', '.join(several)} come with different numbers in brackets, and are "
            "taken for different players.",
        )
    if not reasons:
        return pool
    return without_players(pool, np.isin(np.arange(len(pool.players)), [*reasons]))


def without_repeats(pool: Pool) -> Pool:
    """The pool with each game once where records repeat others, and without the marks of them.

    A record that repeats another in all it says counts once if it names its game: by an id, or
    by date and round, which no other two records share that differ. Where nothing tells
    whether it is the same game, it counts, and the report says so.
    """
    columns = dict(pool.columns)
    content, identity = columns.pop(CONTENT, None), columns.pop(IDENTITY, None)
    pool = replace(pool, columns=columns)
    if content is None:
        if times := _times_over(pool):
            return _remarked(
                pool,
                f"The same {len(pool) // times:,} results come {times} times, in the same order: "
                "all of them count, as nothing tells whether they are the same games.",
            )
    elif (repeats := _repeats(content)).any():
        named = np.zeros(len(pool), np.bool_)
        if identity is not None:
            named = _sure(pool, content, identity, repeats & (identity != 0))
        counted = int((repeats & ~named).sum())
        pool = leave_out(pool, named, REPEATED)
        if counted:
            return _remarked(
                pool,
                f"{counted:,} record{'s repeat others' if counted > 1 else ' repeats another'} "
                "exactly; all count, as without an id, or date and round, "
                "nothing tells whether they are the same games.",
            )
    return pool


def _remarked(pool: Pool, remark: str) -> Pool:
    """The pool with a remark in its report."""
    report = deepcopy(pool.skipped)
    report.remark(remark)
    return replace(pool, skipped=report)


def _repeats(content: NDArray[Any]) -> NDArray[np.bool_]:
    """The rows whose number another row before them has."""
    found = np.zeros(len(content), np.bool_)
    ordered = np.sort(content)
    several = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(several):
        most = np.uint64((4 << len(content).bit_length()) - 1)
        marked = np.zeros(int(most) + 1, np.bool_)
        marked[several & most] = True
        rows = np.flatnonzero(marked[content & most])  # few, among which one has to look
        found[rows] = True
        found[rows[np.unique(content[rows], return_index=True)[1]]] = False
    return found


def _sure(
    pool: Pool, content: NDArray[Any], identity: NDArray[Any], repeats: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Those of the repeats that are the same game: if identities hold one game of a player."""
    if not repeats.any():
        return repeats
    near = np.flatnonzero(np.isin(identity, np.unique(identity[repeats])))
    keys = [
        identity ^ ((side.astype(np.uint64) + np.uint64(1)) * MULTIPLIER)
        for side in (pool.first, pool.second)
    ]
    pairs = np.concatenate([np.column_stack([key, content])[near] for key in keys])
    games, number = np.unique(np.unique(pairs, axis=0)[:, 0], return_counts=True)
    if np.mean(number == 1) < _TELLING:
        return np.zeros(len(pool), np.bool_)
    shared = games[number > 1]
    return repeats & ~np.isin(keys[0], shared) & ~np.isin(keys[1], shared)


def _times_over(pool: Pool) -> int:
    """How many times all results come one after another; 0 if once."""
    for times in (2, 3, 4):
        size, rest = divmod(len(pool), times)
        if rest or size < _FEW:
            continue
        columns = (each.reshape(times, -1) for each in (pool.first, pool.second, pool.score))
        if all((each == each[0]).all() for each in columns):
            return times
    return 0


def with_handicap(games: Pool | GameBatch) -> NDArray[np.bool_]:
    """Which games have a handicap, as far as their columns say."""
    if (column := games.columns.get("handicap")) is None:
        return np.zeros(len(games), np.bool_)
    given = [each for each in np.unique(column).tolist() if handicap_reason(str(each))]
    return np.isin(column, np.array(given, column.dtype))


def even_games(pool: Pool) -> Pool:
    """Return the games without a handicap; the report counts the others."""
    return leave_out(pool, with_handicap(pool), HANDICAP_GAME)
