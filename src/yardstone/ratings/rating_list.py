"""A rating list: from a pool of games to everything its reader must know.

`rate_list` does what `yardstone rate` and the web do, `rate` the same from files and
frames; tables, files and pages only lay the result out.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from yardstone.choices import checked_arguments
from yardstone.errors import (
    ConnectionWarning,
    ModelError,
    PerfectScoreWarning,
    SkippedWarning,
)
from yardstone.kernels import Loops, rating_work, weighed
from yardstone.pool import PairCounts, Pool, SkipReport
from yardstone.ratings._bounds import perfect_limits
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.design import joining_games, suggest
from yardstone.ratings.fallback import fit_widely, misfit_of_join
from yardstone.ratings.listed import STATUS_NAMES, PlayerRating, RatingList
from yardstone.ratings.listing import groups_of, rank_limits
from yardstone.ratings.simulation import simulate
from yardstone.ratings.traps import find_traps
from yardstone.ratings.uncertainty import DEVIATION_ERROR
from yardstone.records.given import ColumnNames, games_of
from yardstone.records.unplayed import even_games

if TYPE_CHECKING:
    from yardstone.parallel import Progress
    from yardstone.ratings.design import Suggestion
    from yardstone.ratings.pair_tally import CountedGames
    from yardstone.ratings.result import JointRatings

__all__ = ["STATUS_NAMES", "PlayerRating", "RatingList", "rate", "rate_list", "summarise"]

#: Further matches named as worth playing.
SUGGESTIONS = 5


@checked_arguments()
@weighed(
    Loops.RATING,
    lambda pool, *_, simulations=0, **__: rating_work(
        len(pool), len(pool.players), 1 + simulations
    ),
)
def rate_list(
    pool: Pool | CountedGames,
    system: BradleyTerry | None = None,
    *,
    confidence: float = 0.95,
    minimum_games: int = 0,
    simulations: int = 0,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> RatingList:
    """Rate the players of a pool, and gather what must be known of the ratings.

    A first-move advantage or a draw rate that the games alone cannot bound gets a wide
    prior, and `RatingList.remarks` says so; nothing is warned of that the list itself says.

    Parameters
    ----------
    pool : Pool or CountedGames
    system : BradleyTerry, optional
        By default maximum likelihood with the advantage of moving first and the draw
        rate estimated.
    confidence : float
        Level of all intervals, 0 to 1.
    minimum_games : int
        Players with fewer games count for the others' ratings but are not listed.
    simulations : int
        Replays to get the deviations from; 0 computes them directly.
    seed, workers, progress
        Of the replays; see `simulate`.

    Raises
    ------
    NoGamesError, NotConnectedError, ModelError, ConvergenceError, InputError, UsageError
        As `BradleyTerry.fit` and `simulate`.
    """
    if system is None:
        system = _usual()
    if isinstance(pool, Pool):
        pool = even_games(pool)
    with warnings.catch_warnings():
        # The list itself says all this, with names.
        for category in (ConnectionWarning, PerfectScoreWarning, SkippedWarning):
            warnings.simplefilter("ignore", category)
        system, ratings, remarks = fit_widely(system, pool)
        remarks += misfit_of_join(system, ratings)
        rejected = 0
        if simulations:
            replays = simulate(
                system,
                pool.pair_counts(),
                ratings,
                simulations,
                seed=seed,
                workers=workers,
                progress=progress,
            )
            ratings, rejected = replays.applied_to(ratings), replays.rejected
        else:
            remarks += _sampled(ratings)
        only = next(iter(system.anchors)) if len(system.anchors) == 1 else None
        return summarise(
            ratings,
            pool,
            confidence=confidence,
            minimum_games=minimum_games,
            anchors=system.anchors,
            anchor=system.anchor or only,
            simulations=simulations,
            rejected=rejected,
            remarks=remarks,
        )


def _sampled(ratings: JointRatings) -> tuple[str, ...]:
    """What must be known of deviations that were sampled."""
    error = ratings.extras.get(DEVIATION_ERROR)
    if error is None:
        return ()
    return (
        "With so many players the deviations are sampled: 99 of 100 are known to "
        f"{100.0 * error:.1f} % (one standard deviation) or better.",
    )


@checked_arguments(ColumnNames, BradleyTerry)
def rate(
    games: Any,
    *,
    first: str | None = None,
    second: str | None = None,
    score: str | None = None,
    confidence: float = 0.95,
    minimum_games: int = 0,
    simulations: int = 0,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> RatingList:
    """Rate players from files, a frame or a pool: what `yardstone rate` does.

    Parameters
    ----------
    games : path, list of paths, frame or Pool
        Files, folders and patterns; frames of pandas and polars, Arrow tables.
    first, second, score : str, optional
        Columns of the player who moves first, of the other, and of the result, where their
        names do not say.
    confidence, minimum_games, simulations, seed, workers, progress
        As in `rate_list`.
    **more
        Further words on columns and values (``time``, ``results``, ``columns``, ``side``,
        ``dates``, ``strict``, ``skip_unread``: see `yardstone.records.given.ColumnNames`); and
        parameters of `BradleyTerry`, such as ``average=1500`` or ``anchors={"Ann": 2100}``.
        The first-move advantage and the draw rate are estimated unless given.

    Examples
    --------
    >>> pool = Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
    >>> [player.player for player in rate(pool, average=1500)]
    ['A', 'B', 'C']
    """
    names = {"first": first, "second": second, "score": score}
    names |= {key: more.pop(key) for key in ColumnNames.__annotations__ if key in more}
    system = _usual(**more)
    return rate_list(
        games_of(games, cast("ColumnNames", names)),
        system,
        confidence=confidence,
        minimum_games=minimum_games,
        simulations=simulations,
        seed=seed,
        workers=workers,
        progress=progress,
    )


def _usual(**model: Any) -> BradleyTerry:
    """The system of a rating list, with some of its parameters given."""
    usual = {"method": "likelihood", "first_advantage": "auto", "draw_rate": "auto"}
    return BradleyTerry(**{**usual, **model})


def summarise(
    ratings: JointRatings,
    pool: Pool | CountedGames | PairCounts,
    *,
    confidence: float = 0.95,
    minimum_games: int = 0,
    anchors: Mapping[str, float] | None = None,
    anchor: str | None = None,
    simulations: int = 0,
    rejected: int = 0,
    remarks: tuple[str, ...] = (),
) -> RatingList:
    """Make the list of a fit that has been done; `rate_list` does the fit as well.

    Parameters
    ----------
    ratings : JointRatings
    pool : Pool, CountedGames or PairCounts
        What it was fitted to.
    confidence : float
        Level of all intervals, 0 to 1.
    minimum_games : int
        Players with fewer games count for the others' ratings but are not listed.
    anchors : mapping of str to float, optional
        The fixed ratings, to warn where results contradict them.
    anchor : str, optional
        The player whose rating fixes the level.
    simulations : int
        Replays behind the deviations, 0 if there were none.
    rejected : int
        Replays drawn again because they fell apart.
    remarks : tuple of str
        What else the reader must know, in sentences.
    """
    counts = pool if isinstance(pool, PairCounts) else pool.pair_counts()
    listed = (ratings.games > 0) & (ratings.games >= minimum_games)
    groups = groups_of(ratings, counts, listed)
    rank = np.zeros(len(ratings), np.int64)
    for group in groups:
        rank[list(group.rows[: group.ranked])] = np.arange(1, group.ranked + 1)
    limits = perfect_limits(ratings, counts, confidence)
    low, high = rank_limits(ratings, rank, groups, confidence, listed)
    return RatingList(
        ratings=ratings,
        counts=counts,
        confidence=confidence,
        groups=groups,
        rank=rank,
        rank_low=low,
        rank_high=high,
        traps=find_traps(ratings, counts, anchors=anchors),
        suggestions=_suggestions(ratings),
        joining=tuple(joining_games(ratings, SUGGESTIONS)) if ratings.components > 1 else (),
        skipped=SkipReport() if isinstance(pool, PairCounts) else pool.skipped,
        unlisted=int(((ratings.games > 0) & ~listed).sum()),
        anchor=anchor,
        simulations=simulations,
        remarks=remarks,
        rejected=rejected,
        limits=limits,
    )


def _suggestions(ratings: JointRatings) -> tuple[Suggestion, ...]:
    try:
        return tuple(suggest(ratings, SUGGESTIONS))
    except ModelError:  # too many players for the covariance: nothing to choose by
        return ()
