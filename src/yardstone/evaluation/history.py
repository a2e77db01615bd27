"""The use case "ratings over time": games rated as they come, kept, gone on with, corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from yardstone.choices import checked_arguments, unknown_player
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.carried import CarriedRatings, KeptRatings
from yardstone.evaluation.curves import rating_curves
from yardstone.evaluation.findings import examine
from yardstone.evaluation.interval_scale import interval_scale
from yardstone.evaluation.ledger import Ledger
from yardstone.evaluation.rated_games import RatedGames, whole_history
from yardstone.evaluation.ratings_over_time import PresentRating, RatingHistory
from yardstone.evaluation.splits import judged_games
from yardstone.kernels import Loops, weighed
from yardstone.pool import Pool
from yardstone.ratings.systems import SystemEntry, find_system
from yardstone.records.given import ColumnNames, games_of
from yardstone.records.stored import StoredPool

__all__ = [
    "GamePlace",
    "PresentRating",
    "RatingHistory",
    "dated_games",
    "game_text",
    "rate_games",
    "rating_history",
    "takes_levels",
]

#: A game by its number, from 1 on; or by its players, and its day where they met more often.
GamePlace = int | tuple[str, str, np.datetime64 | None]
_NOTHING = "name a file of results, - for standard input, or a --state"
_AT_ONCE = "{} rates all games at once: leave out --save, --annul and --merge"
_NO_GAMES = (
    "the ratings are kept without their games, so none can be annulled and no accounts merged: "
    "rate all games again, with more --memory"
)
_SAVED_WITHOUT = (
    "The ratings were saved without the games: later games can be added, and none annulled."
)
_SCORES = {1.0: "1–0", 0.5: "½–½", 0.0: "0–1"}


@checked_arguments(ColumnNames)
def rating_history(
    games: Any = None,
    *,
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    state: Ledger | KeptRatings | None = None,
    annul: Sequence[GamePlace] = (),
    merge: Sequence[tuple[str, str]] = (),
    save: Path | None = None,
    players: Sequence[str] = (),
    confidence: float = 0.95,
    intervals: bool = True,
    top: int = 20,
    settled: int = 10,
    report: bool = False,
    idle_days: float = 365.0,
    improbable: float = 0.01,
    **names: Unpack[ColumnNames],
) -> RatingHistory:
    """Rate games as they come, or go on from a state: what `yardstone history` does.

    Parameters
    ----------
    games : path, list of paths, frame or Pool, optional
        With a state those to be added.
    system, parameters, state
        As in `rate_games`.
    annul : sequence of GamePlace
        Games to take back.
    merge : sequence of pairs of str
        Two accounts that are one player: the name that is kept, and the other.
    save : Path, optional
        Keep ratings in this file, to go on from later: with all games, or without them where
        they lie on disk (`StoredPool`) or `state` had none.
    players : sequence of str
        Whose curves are wanted.
    confidence : float
        Level of the intervals, 0 to 1.
    intervals : bool
        Whether intervals are wanted; they are simulated, which takes some time.
    top, settled : int
        As in `RatingHistory`.
    report : bool
        Look for provisional and idle players and improbable results, by `settled`,
        `idle_days` and `improbable`, as `yardstone.evaluation.findings.examine` does.
    **names
        Which columns hold what, where `games` is no pool; see
        `yardstone.records.given.ColumnNames`.

    Examples
    --------
    >>> pool = Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
    >>> [player.player for player in rating_history(pool, system="elo", settled=0)]
    ['A', 'B', 'C']
    """
    pool = None if games is None else dated_games(games, names, system, state, parameters)
    rated, notes = rate_games(pool, system=system, parameters=parameters, state=state)
    if annul or merge:
        if isinstance(rated, CarriedRatings):
            raise UsageError(_NO_GAMES)
        if not isinstance(rated, Ledger):
            raise UsageError(_AT_ONCE.format(rated.name))
        rated, corrections = _corrected(rated, annul, merge)
        notes += corrections
    if save is not None and not isinstance(rated, Ledger | CarriedRatings):
        raise UsageError(_AT_ONCE.format(rated.name))
    findings = None
    curves = rating_curves(rated.pool, rated.replay, players)
    if report:
        findings = examine(
            rated.pool,
            rated.replay,
            settled_games=settled,
            idle_days=idle_days,
            improbable=improbable,
        )
    scale = interval_scale(rated, confidence=confidence) if intervals else None
    if save is not None:
        _save(rated, save)
        if isinstance(rated, CarriedRatings):
            notes.append(_SAVED_WITHOUT)
    return RatingHistory(rated, curves, confidence, top, settled, findings, notes, scale)


def dated_games(
    games: Any,
    names: ColumnNames,
    system: str | None,
    state: Ledger | KeptRatings | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Pool:
    """The games in any form, with all that the system looks at."""
    return games_of(games, names, times=True, levels=takes_levels(system, state, parameters))


def takes_levels(
    system: str | None,
    state: Ledger | KeptRatings | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> bool:
    """Whether grades of newcomers, or handicaps, matter to the system and must be read."""
    entry, given = _entry(system, parameters, state)
    return entry.levels or entry.takes_handicap(**given)


def _entry(
    system: str | None,
    parameters: Mapping[str, Any] | None,
    state: Ledger | KeptRatings | None,
) -> tuple[SystemEntry, Mapping[str, Any]]:
    """The system that rates, and its parameters."""
    if state is not None:
        return find_system(state.name), state.parameters
    return find_system(system or "glicko2"), parameters or {}


@weighed(Loops.REPLAY, lambda pool, **_: 0 if pool is None else len(pool))
def rate_games(
    pool: Pool | None,
    *,
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    state: Ledger | KeptRatings | None = None,
) -> tuple[RatedGames, list[str]]:
    """The games rated, and what must be said about it.

    Parameters
    ----------
    pool : Pool, optional
        Games; with a state those to be added. Those of a pool on disk are not kept.
    system : str, optional
        A name in `yardstone.ratings.systems`; Glicko-2 by default.
    parameters : mapping, optional
        Of the system.
    state : Ledger or KeptRatings, optional
        Go on from this one; it has its system and parameters.
    """
    notes: list[str] = []
    if pool is not None:
        entry, given = _entry(system, parameters, state)
        pool, notes = judged_games(pool, () if entry.takes_handicap(**given) else (entry.name,))
    if state is not None:
        if system is not None or parameters:
            raise UsageError("--state has its system: leave out --system and --set")
        if isinstance(state, KeptRatings):
            return _carried_on(state, pool, notes)
        if pool is None:
            return state, notes
        if isinstance(pool, StoredPool):
            raise InputError(
                "the state holds all its games, and these do not fit in memory",
                hint="give more --memory, or rate all games again",
            )
        ledger = state.add(pool)
        return ledger, [*notes, f"{_games(len(pool))} added. {_replayed(ledger)}"]
    if pool is None:
        raise UsageError(_NOTHING)
    name = system or "glicko2"
    if name == "whr":
        notes.append("whr looks back: each rating uses all games, later ones included.")
        return whole_history(pool, **(parameters or {})), notes
    kind = CarriedRatings if isinstance(pool, StoredPool) else Ledger
    rated = kind.begin(name, pool, **(parameters or {}))
    return rated, [*notes, *rated.system.remarks(pool)]


def _carried_on(
    state: KeptRatings, pool: Pool | None, notes: list[str]
) -> tuple[CarriedRatings, list[str]]:
    """Ratings without games, and further games rated."""
    if pool is None:
        nothing = np.zeros(0, np.int32)
        none = Pool(state.state.players, nothing, nothing, np.zeros(0))
        return CarriedRatings.go_on(state, none), notes
    rated = CarriedRatings.go_on(state, pool)
    notes.append(f"{_games(len(pool))} added. The state has no games before them.")
    if rated.cuts_a_period():
        notes.append(
            "The first of them are of the rating period with which the state ended: they count "
            "as a period of their own."
        )
    return rated, notes


def _save(rated: RatedGames, path: Path) -> None:
    from yardstone.evaluation.ledger_file import save_ledger
    from yardstone.evaluation.state_file import save_kept
    from yardstone.files import replaced

    with replaced(path) as temporary:
        if isinstance(rated, Ledger):
            save_ledger(rated, temporary)
        elif isinstance(rated, CarriedRatings):
            save_kept(rated.kept(), temporary)


def _games(number: int) -> str:
    return "1 game was" if number == 1 else f"{number:,} games were"


def _replayed(ledger: Ledger) -> str:
    return f"{_games(ledger.replayed)} replayed."


def _corrected(
    ledger: Ledger, annulled: Sequence[GamePlace], merged: Sequence[tuple[str, str]]
) -> tuple[Ledger, list[str]]:
    """Take games back and merge accounts, in this order."""
    notes = []
    if annulled:
        gone = np.zeros(len(ledger.pool), np.bool_)
        gone[[_game_number(ledger.pool, place) for place in annulled]] = True
        names = "; ".join(game_text(ledger.pool, int(game)) for game in np.flatnonzero(gone))
        ledger = ledger.annul(gone)
        notes.append(f"Annulled: {names}. {_replayed(ledger)}")
    for kept, other in merged:
        ledger = ledger.merge(kept, other)
        notes.append(f"{other} is {kept} now. {_replayed(ledger)}")
    return ledger, notes


def _game_number(pool: Pool, place: GamePlace) -> int:
    """The row of a game."""
    if isinstance(place, int):
        if not 1 <= place <= len(pool):
            raise InputError(f"there is no game {place}, only 1 to {len(pool)}")
        return place - 1
    *names, day = place
    for name in names:
        if name not in pool.players:
            raise unknown_player(name, pool.players)
    first, second = (pool.players.index(name) for name in names)
    matching = (pool.first == first) & (pool.second == second)
    if day is not None:
        if pool.time is None:
            raise UsageError("the games have no dates, so none can be named by one")
        matching &= pool.time.astype("datetime64[D]") == day
    rows = np.flatnonzero(matching)
    if len(rows) == 1:
        return int(rows[0])
    text = " | ".join([*names, *([] if day is None else [str(day)])])
    if not len(rows):
        raise InputError(f"no game is {text!r}")
    numbers = ", ".join(str(row + 1) for row in rows[:10])
    raise InputError(f"{len(rows)} games are {text!r}", hint=f"give a number: {numbers}")


def game_text(pool: Pool, game: int) -> str:
    """A game in a few words: its date, players and result."""
    score = _SCORES[float(pool.score[game])]
    names = f"{pool.players[pool.first[game]]} {score} {pool.players[pool.second[game]]}"
    return names if pool.time is None else f"{str(pool.time[game])[:10]}  {names}"
