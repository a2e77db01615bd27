"""Everything that a match says of its two players, in one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from shlex import quote
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from yardstone.choices import checked_arguments
from yardstone.display import Displayed
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.endings import Ending, endings
from yardstone.ratings.matches import (
    Interval,
    Match,
    elo,
    games_for_half_width,
    normalized_elo,
    superiority,
)
from yardstone.ratings.pairs import PairedGames, pentanomial
from yardstone.ratings.sprt import Sprt, SprtState
from yardstone.records.given import ColumnNames, games_of
from yardstone.records.unplayed import even_games

if TYPE_CHECKING:
    from yardstone.pool import SkipReport

__all__ = ["MatchJudgement", "judge_games", "judge_match", "match", "match_players"]

#: Matches that are listed where it is not clear which is meant.
_LISTED = 8


@dataclass(frozen=True, repr=False)
class MatchJudgement(Displayed):
    """What a match says; frozen.

    Attributes
    ----------
    match : Match
        What was judged, seen by the first player: pairs of games where there are any.
    confidence : float
        Level of the intervals, 0 to 1.
    elo, normalized_elo : Interval
    superiority : float
        Likelihood that the first player is the stronger one.
    half_width, games_needed : float
        After how many games in all the interval of Elo would be ± `half_width`; NaN where
        nobody can know.
    test : Sprt
    state : SprtState
        Where that sequential test stands.
    paired : PairedGames, optional
        The games that were paired, if the games themselves are known.
    players : pair of str, optional
    endings : tuple of Ending, optional
        Losses on time and the like; None where nothing is known of them.
    skipped : SkipReport, optional
        What was left out where the games were read.
    """

    _made_by: ClassVar[str] = "reports.match:match_document"

    match: Match
    confidence: float
    elo: Interval
    normalized_elo: Interval
    superiority: float
    half_width: float
    games_needed: float
    test: Sprt
    state: SprtState
    paired: PairedGames | None = None
    players: tuple[str, str] | None = None
    endings: tuple[Ending, ...] | None = None
    skipped: SkipReport | None = None

    def __repr__(self) -> str:
        return str(self)


@checked_arguments(ColumnNames)
def match(
    games: Any,
    players: tuple[str, str] | None = None,
    *,
    by: Sequence[str] | None = None,
    pairs_only: bool = False,
    test: Sprt | None = None,
    confidence: float = 0.95,
    half_width: float = 5.0,
    **names: Unpack[ColumnNames],
) -> MatchJudgement:
    """Judge a match of two players: what `yardstone match` does.

    Parameters
    ----------
    games : tuple of numbers, path, list of paths, frame or Pool
        Wins, draws and losses; or five counts of pairs of games, those in which the first
        player scored 0, 1/2, 1, 3/2 and 2 points; or the games themselves.
    players : pair of str, optional
        Whose games; by default the two players that there are.
    by, pairs_only, test, confidence, half_width
        As in `judge_games`.
    **names
        Which columns hold what, where `games` is no pool; see
        `yardstone.records.given.ColumnNames`.

    Examples
    --------
    >>> round(match((859, 1329, 772)).elo.value, 1)
    10.2
    """
    if isinstance(games, list | tuple) and games and all(isinstance(n, Real) for n in games):
        if players is not None or by is not None or names:
            raise UsageError("counts have neither players nor columns: give the games for those")
        counts = tuple(map(float, games))
        judged = Match.from_counts(counts, pairs_only=pairs_only)
        return judge_match(judged, test=test, confidence=confidence, half_width=half_width)
    if by is not None and not isinstance(games, Pool):
        names["columns"] = {**{name: name for name in by}, **names.get("columns", {})}
    return judge_games(
        games_of(games, names, everything=by is None),
        *(players or ()),
        by=by,
        pairs_only=pairs_only,
        test=test,
        confidence=confidence,
        half_width=half_width,
    )


def judge_match(
    match: Match | PairedGames,
    *,
    test: Sprt | None = None,
    confidence: float = 0.95,
    half_width: float = 5.0,
    players: tuple[str, str] | None = None,
) -> MatchJudgement:
    """Judge a match of which the results are counted.

    Parameters
    ----------
    match : Match or PairedGames
        Of paired games the pairs are judged, or the single games without a pair.
    test : Sprt, optional
        Sequential test; by default 5 Elo against 0.
    confidence : float
        Level of the intervals, 0 to 1.
    half_width : float
        For how many games to come: until the interval is ± so many Elo.
    players : pair of str, optional

    Examples
    --------
    >>> judgement = judge_match(Match.from_results(wins=859, draws=1329, losses=772))
    >>> round(judgement.elo.value, 1), round(judgement.superiority, 3)
    (10.2, 0.984)
    """
    paired = match if isinstance(match, PairedGames) else None
    counts = match if isinstance(match, Match) else match.pairs if match.pairs.size else match.games
    test = test or Sprt()
    return MatchJudgement(
        match=counts,
        confidence=confidence,
        elo=elo(counts, confidence),
        normalized_elo=normalized_elo(counts, confidence),
        superiority=superiority(counts),
        half_width=half_width,
        games_needed=games_for_half_width(counts, half_width, confidence),
        test=test,
        state=test.state(counts),
        paired=paired,
        players=players,
    )


def judge_games(
    pool: Pool,
    first: str | None = None,
    second: str | None = None,
    *,
    by: Sequence[str] | None = None,
    pairs_only: bool = False,
    test: Sprt | None = None,
    confidence: float = 0.95,
    half_width: float = 5.0,
) -> MatchJudgement:
    """Judge the games of two players, paired as `pentanomial` does.

    Without names they are the two players that there are; all is seen by the one who moves
    first in the first game.

    Raises
    ------
    InputError
        More than two players have games, and none are named; or the players never met.
    UsageError
        `pairs_only`, and no two games are a pair.
    """
    pool = even_games(pool)
    if first is None or second is None:
        first, second = match_players(pool)
    paired = pentanomial(pool, first, second, by=by)
    if pairs_only and not paired.pairs.size:
        raise UsageError("no two games form a pair")
    judgement = judge_match(
        paired,
        test=test,
        confidence=confidence,
        half_width=half_width,
        players=(first, second),
    )
    return replace(judgement, endings=endings(pool, first, second), skipped=pool.skipped)


def match_players(pool: Pool) -> tuple[str, str]:
    """The two players of a match, the one who moves first in the first game before the other.

    Raises
    ------
    NoGamesError
        There is no game.
    InputError
        There are more than two players; it lists who met, and how often.
    """
    if not len(pool):
        raise NoGamesError("there is no game with a result")
    low, high = np.minimum(pool.first, pool.second), np.maximum(pool.first, pool.second)
    met = low.astype(np.int64) * len(pool.players) + high
    _, begins, games = np.unique(met, return_index=True, return_counts=True)
    if len(games) == 1:
        return pool.players[pool.first[0]], pool.players[pool.second[0]]
    order = np.lexsort((begins, -games))
    listed = [
        f"{pool.players[pool.first[begins[k]]]} – {pool.players[pool.second[begins[k]]]} "
        f"({games[k]:,} game{'' if games[k] == 1 else 's'})"
        for k in order[:_LISTED].tolist()
    ]
    rest = len(games) - len(listed)
    first, second = (pool.players[side[begins[order[0]]]] for side in (pool.first, pool.second))
    raise InputError(
        f"these are {len(games):,} matches: {', '.join(listed)}"
        + (f" and {rest:,} more" if rest else ""),
        hint=f"name the players of one: --players {quote(first)} {quote(second)}, "
        f"in Python players=({first!r}, {second!r})",
    )
