"""The use case "ratings over time": games rated as they come, kept, gone on with, corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from yardstone.arrays import DisplayedRows, Flags, Floats, Longs, Times
from yardstone.choices import checked_arguments, unknown_player
from yardstone.disk import pieces, rows_of, taken
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.interval_scale import IntervalScale, interval_scale
from yardstone.evaluation.ledger import (
    CarriedRatings,
    KeptRatings,
    Ledger,
    save_kept,
    save_ledger,
)
from yardstone.evaluation.rated_games import RatedGames, whole_history
from yardstone.evaluation.splits import judged_games, rating_labels
from yardstone.pool import Pool, StoredPool
from yardstone.ratings.systems import SystemEntry, find_system
from yardstone.records.options import ColumnNames
from yardstone.records.reading import games_of

if TYPE_CHECKING:
    from yardstone.evaluation.findings import Findings
    from yardstone.ratings.rating_list import GameForecast
    from yardstone.ratings.result import Replay

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

    Args:
        games: With a state those to be added.
        system, parameters, state: As in `rate_games`.
        annul: Games to take back.
        merge: Two accounts that are one player: the name that is kept, and the other.
        save: Keep ratings in this file, to go on from later: with all games, or without them where
            they lie on disk (`StoredPool`) or `state` had none.
        players: Whose curves are wanted.
        confidence: Level of the intervals, 0 to 1.
        intervals: Whether intervals are wanted; they are simulated, which takes some time.
        top, settled: As in `RatingHistory`.
        report: Look for provisional and idle players and improbable results, by `settled`,
            `idle_days` and `improbable`, as `yardstone.evaluation.findings.examine` does.
        **names: Which columns hold what, where `games` is no pool; see
            `yardstone.records.options.ColumnNames`.

    Examples:
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
        from yardstone.evaluation.findings import examine

        findings = examine(
            rated.pool,
            rated.replay,
            settled_games=settled,
            idle_days=idle_days,
            improbable=improbable,
        )
    scale = interval_scale(rated, confidence=confidence) if intervals else None
    if save is not None and isinstance(rated, Ledger):
        save_ledger(rated, save)
    elif save is not None and isinstance(rated, CarriedRatings):
        save_kept(rated.kept(), save)
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
    system: str | None, parameters: Mapping[str, Any] | None, state: Ledger | KeptRatings | None
) -> tuple[SystemEntry, Mapping[str, Any]]:
    """The system that rates, and its parameters."""
    if state is not None:
        return find_system(state.name), state.parameters
    return find_system(system or "glicko2"), parameters or {}


def rate_games(
    pool: Pool | None,
    *,
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    state: Ledger | KeptRatings | None = None,
) -> tuple[RatedGames, list[str]]:
    """The games rated, and what must be said about it.

    `system` is Glicko-2 by default. With a `state`, which has its system and parameters, the games
    are added to it. Those of a pool on disk are not kept.
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


DRAWN = 10  #: Curves of a picture for which no player was chosen.


@dataclass(frozen=True, slots=True)
class PresentRating:
    """A player's rating after the last game; frozen."""

    player: str
    rating: float
    deviation: float  #: The system's own; NaN where it has none.
    #: Ends of the interval; NaN where there is none.
    low: float
    high: float
    games: int


@dataclass(frozen=True, eq=False, repr=False)
class RatingHistory(DisplayedRows[int, PresentRating]):
    """Ratings over time; frozen.

    A sequence of `PresentRating` of the listed players, the highest first; ``history["Ann"]``
    is that of any player, ``history.curve("Ann")`` her games.
    """

    _made_by: ClassVar[str] = "reports.history:history_document"

    rated: RatedGames  #: All games and ratings.
    curves: Sequence[RatingCurve]  #: Of the chosen players.
    confidence: float = 0.95  #: Level of the bands, 0 to 1.
    top: int = 20  #: Players in the list of present ratings; 0 shows all.
    settled: int = 0  #: Players with fewer games are not in that list, unless all have fewer.
    findings: Findings | None = None  #: What a person should look at, if it was asked for.
    notes: Sequence[str] = ()
    #: How many deviations intervals must reach; without it there are none.
    scale: IntervalScale | None = None

    def reach(self, games: ArrayLike) -> Floats:
        """Deviations on either side of a rating after so many games; NaN without intervals."""
        if self.scale is None:
            return np.full(np.shape(games), np.nan)
        return self.scale.reach(games)

    def half_widths(self, curve: RatingCurve) -> Floats:
        """Half the interval before each game and after the last; NaN without one.

        Whole histories look back: all games of a player count for each of his days.
        """
        games = np.arange(len(curve) + 1)
        if self.rated.name == "whr":
            games = np.full(len(curve) + 1, len(curve))
        deviation = np.append(curve.deviation, curve.final_deviation)
        return np.asarray(self.reach(games) * deviation, np.float64)

    @property
    def played(self) -> Longs:
        """Games of each player, in the order of the ratings."""
        return self.rated.played

    @cached_property
    def present_half_widths(self) -> Floats:
        """Half of each player's interval now, in the order of the ratings."""
        return self.reach(self.played) * self.rated.ratings.deviation

    def _named(self, name: str) -> int:
        return self.rated.ratings.index(name)

    def present(self, key: int) -> PresentRating:
        """The rating of the player of that number."""
        ratings, reach = self.rated.ratings, float(self.present_half_widths[key])
        rating = float(ratings.rating[key])
        return PresentRating(
            player=ratings.players[key],
            rating=rating,
            deviation=float(ratings.deviation[key]),
            low=rating - reach,
            high=rating + reach,
            games=int(self.played[key]),
        )

    def curve(self, player: str) -> RatingCurve:
        """The rating of a player, game by game."""
        return rating_curves(self.rated.pool, self.rated.replay, [player])[0]

    def predict(self, player: str, opponent: str) -> GameForecast:
        """The chances of a game between two players, the first of whom moves first."""
        from yardstone.evaluation.interval_scale import forecast

        return forecast(self.rated, player, opponent, confidence=self.confidence, scale=self.scale)

    @cached_property
    def drawn(self) -> Sequence[RatingCurve]:
        """The curves of the picture: those chosen, or of the highest ratings."""
        if self.curves:
            return self.curves
        names = [self.rated.ratings.players[row] for row in self.ranked()[:DRAWN]]
        return rating_curves(self.rated.pool, self.rated.replay, names)

    def listed(self) -> list[int]:
        """Numbers of the best players in the list of present ratings, strongest first."""
        rows = self.ranked()
        return rows[: self.top] if self.top else rows

    _keys, _row = listed, present

    @property
    def fewest(self) -> int:
        """Games that everybody in the list has: `settled`, or 1 where nobody has those."""
        return max(self.settled, 1) if (self.played >= self.settled).any() else 1

    def ranked(self) -> list[int]:
        """Numbers of all players with enough games, strongest first; if nobody has, of all."""
        ratings = self.rated.ratings
        enough = self.played >= self.fewest
        order = ratings.order()
        rows: list[int] = order[enough[order] & np.isfinite(ratings.rating[order])].tolist()
        return rows


@dataclass(frozen=True, eq=False)
class RatingCurve:
    """One player's games with the rating before and after each; frozen."""

    player: str
    game: Longs  #: The games' places in the pool.
    time: Times | None
    opponents: tuple[str, ...]
    first: Flags  #: Whether the player moved first.
    #: The player's points, and how many were expected.
    score: Floats
    expected: Floats
    #: Before each game, as it was predicted with; deviations are NaN where the system has none.
    rating: Floats
    deviation: Floats
    after: Floats  #: Ratings after each game.
    final_deviation: float  #: After the last game.

    def __len__(self) -> int:
        return len(self.game)


def rating_curves(pool: Pool, replay: Replay, players: Sequence[str]) -> list[RatingCurve]:
    """The curves of the named players; NoGamesError for one without games."""
    if not players:
        return []
    number = {name: row for row, name in enumerate(pool.players)}
    places = games_of_players(pool, [number[name] for name in players if name in number])
    known: dict[str, Any] = {n: rows_of(each, places) for n, each in replay.columns().items()}
    pool, replay = pool.select(places), replace(replay, **known)
    # Of the others games are missing, so only the chosen players' labels say what they should.
    after = rating_labels(pool, replay, advance=0)
    curves = []
    for player in players:
        if player not in number:
            raise unknown_player(player, pool.players)
        row = number[player]
        games = np.flatnonzero((pool.first == row) | (pool.second == row))
        if not len(games):
            raise NoGamesError(f"{player!r} has no game")
        first = pool.first[games] == row

        def seen(one: Any, other: Any, first: Flags = first, games: Longs = games) -> Any:
            return np.where(first, one[games], other[games])

        deviation = np.full(len(games), np.nan)
        if replay.first_deviation is not None and replay.second_deviation is not None:
            deviation = seen(replay.first_deviation, replay.second_deviation)
        others = seen(pool.second, pool.first)
        curves.append(
            RatingCurve(
                player=player,
                game=places[games],
                time=None if pool.time is None else pool.time[games],
                opponents=tuple(pool.players[other] for other in others),
                first=first,
                score=seen(pool.score, 1.0 - pool.score),
                expected=seen(replay.expected, 1.0 - replay.expected),
                rating=seen(replay.first_rating, replay.second_rating),
                deviation=deviation,
                after=seen(after.first, after.second),
                final_deviation=replay.ratings[player].deviation,
            )
        )
    return curves


def games_of_players(pool: Pool, players: Sequence[int]) -> Longs:
    """Places of the games in which one of some players took part."""
    chosen = np.zeros(len(pool.players), np.bool_)
    chosen[list(players)] = True
    places = [
        at.start + np.flatnonzero(chosen[taken(pool.first, at)] | chosen[taken(pool.second, at)])
        for at in pieces(len(pool))
    ]
    return np.concatenate([np.zeros(0, np.int64), *places])
