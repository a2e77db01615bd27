"""Everything that a match says of its two players, in one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.errors import UsageError
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

if TYPE_CHECKING:
    from yardstone.pool import Pool

__all__ = ["MatchJudgement", "judge_games", "judge_match"]


@dataclass(frozen=True)
class MatchJudgement:
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
    """

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
    first: str,
    second: str,
    *,
    by: Sequence[str] | None = None,
    pairs_only: bool = False,
    test: Sprt | None = None,
    confidence: float = 0.95,
    half_width: float = 5.0,
) -> MatchJudgement:
    """Judge the games of two players, paired as `pentanomial` does.

    Raises
    ------
    UsageError
        `pairs_only`, and no two games are a pair.
    """
    paired = pentanomial(pool, first, second, by=by)
    if pairs_only and not paired.pairs.size:
        raise UsageError("no two games form a pair")
    return judge_match(
        paired,
        test=test,
        confidence=confidence,
        half_width=half_width,
        players=(first, second),
    )
