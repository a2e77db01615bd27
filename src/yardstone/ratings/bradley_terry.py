"""Ratings from all results at once: Ordo's model, solved exactly.

The expected score of `first` against `second` is logistic in the difference of their ratings plus a
first-move advantage (Ordo 1.2.6 manual, equations 3 to 11). Two estimates are offered: Ordo's score
equations, under which each player's expected points equal the points obtained (equation 7), and
maximum likelihood with Davidson's draws (equations 13 to 33, "rating calculation with prior
information"), the only one that takes priors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import CheckedParameters, check_fields
from yardstone.disk import pieces
from yardstone.errors import (
    ConvergenceError,
    InputError,
    ModelError,
    NoGamesError,
    NotConnectedError,
    UsageError,
)
from yardstone.pool import MANY_PAIRS, GameBatch, PairCounts, Pool, SkipReport
from yardstone.ratings import joint, uncertainty
from yardstone.ratings._joint import Ending, fit_draw_rate, newton
from yardstone.ratings._tally import merge, survey
from yardstone.ratings.graph import Pairs
from yardstone.ratings.joint import Prior, Relation
from yardstone.ratings.result import (
    ALL_DRAWN,
    NO_ORDER,
    Effect,
    Estimate,
    JointRatings,
    Status,
    check_order,
    without_first_move,
)
from yardstone.records.columns import HANDICAP_GAME
from yardstone.records.unplayed import even_games, with_handicap
from yardstone.winprob.laws import logistic, points_per_logit, win_probability

if TYPE_CHECKING:
    from yardstone.arrays import Floats
    from yardstone.ratings.effects import Climb
    from yardstone.ratings.egf import Handicap
    from yardstone.records.streaming import GameStream

#: A fit has converged when no rating moves by more than this, in rating points.
_TOLERANCE_POINTS = 1e-8
_MAX_STEPS = 200
_ADVANTAGE_LIMIT = 4000.0  #: An advantage beyond this many points is taken for an infinite one.

_FURTHER = "covariates, handicaps or venues"
_NOT_COUNTED = f"for {_FURTHER} the games themselves are needed, not counts of pairs"
_NOT_PAIRED = "paired deviations need the games themselves, not counts"

Parameter = float | Literal["auto"] | Prior


@dataclass(frozen=True, kw_only=True)
class BradleyTerry(CheckedParameters):
    """A joint rating system: one fit of all games.

    Args:
        average: Mean rating of each group of connected players; or, with `anchor`, the rating of
            that player.
        anchor: Player whose rating is set to `average`.
        anchors: Players with fixed ratings.
        loose_anchors: Players with a Gaussian prior on the rating.
        relations: Gaussian priors on differences of two ratings.
        join: Deviation of a prior around `average` put on every player without another prior: joins
            groups that no result connects and makes perfect scores finite.
        first_advantage (float, "auto" or Prior): Rating points for moving first: fixed, estimated,
            or estimated with a prior.
        draw_rate (float, "auto" or Prior): Draw rate of equal opponents (0 to 1), likewise. Under
            the score equations it matters for deviations only.
        method ({"score", "likelihood"}): Ordo's score equations, or maximum likelihood with
            Davidson's draws. By default the likelihood, as `yardstone.rate` and the command, where
            the advantage of moving first or the draw rate is estimated; else the score equations.
            Any prior takes the likelihood.
        scale: Rating difference at which the stronger player scores 76 %.
        ignore_draws: Leave draws out.
        reference ({"anchor", "mean"}): What deviations are relative to when `anchor` is set.
        disconnected ({"components", "refuse"}): Rate groups that share no scale each on its own, or
            raise NotConnectedError.
        bounds ({"exact", "ordo"}): Bound given to players who won or lost everything: the rating
            at which that had an even chance, exactly or to Ordo's own digits.
        paired: Columns of the pool (such as ``("event", "round")``) that, with the two players,
            name games which belong together, for example two games of one opening with colours
            swapped: deviations then allow for their correlation.
        covariates: What else bears on a game, by name: a column with a number that speaks for the
            first player, or two columns, of which the second is subtracted. Its effect is
            estimated, in points for each unit.
        handicap: Where the stones of handicap games of Go are found, and what one is worth.
        fit_handicap: Estimate what a stone is worth instead.
        neutral: Column that says yes where nobody had the advantage of moving first.
        count: Column with the number of games that each row of the pool stands for.
        covariance: Whether to compute deviations at all.

    Examples:
        >>> from yardstone.pool import Pool
        >>> pool = Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
        >>> BradleyTerry(average=0).fit(pool)["A"].value
        132.538...
    """

    average: float = 2300.0
    anchor: str | None = None
    anchors: Mapping[str, float] = field(default_factory=dict)
    loose_anchors: Mapping[str, Prior] = field(default_factory=dict)
    relations: Sequence[Relation] = ()
    join: float | None = None
    first_advantage: Parameter = 0.0
    draw_rate: Parameter = 0.5
    method: Literal["score", "likelihood"] | None = None
    scale: float = 202.0
    ignore_draws: bool = False
    reference: Literal["anchor", "mean"] = "anchor"
    disconnected: Literal["components", "refuse"] = "components"
    bounds: Literal["exact", "ordo"] = "exact"
    paired: Sequence[str] | None = None
    covariates: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    handicap: Handicap | None = None
    fit_handicap: bool = False
    neutral: str | None = None
    count: str | None = None
    covariance: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.scale > 0.0:
            raise UsageError(f"the scale must be a positive number of points, not {self.scale}")
        rate = self.draw_rate.mean if isinstance(self.draw_rate, Prior) else self.draw_rate
        if rate != "auto" and not 0.0 <= rate <= 1.0:
            raise UsageError(f"the draw rate must be between 0 and 1, not {rate}")
        if self.join is not None and not self.join > 0.0:
            raise UsageError(f"join must be a positive deviation, not {self.join}")
        if self.paired is not None and (self.effects or self.count is not None):
            raise UsageError(f"paired games cannot have {_FURTHER}, or counts")
        if self.fit_handicap and self.join is not None:
            raise UsageError(
                "handicaps are given by strength, so with a prior that puts all players at one "
                "average (join) a stone cannot be fitted"
            )
        if self.method == "score" and self.effects:
            raise UsageError(f"the score equations take no {_FURTHER}")

    @property
    def effects(self) -> tuple[str, ...]:
        """What bears on a game beside its players, in order of the terms; none by default.

        Moving first is the first of them: it has none with stones on the board, or on neutral
        ground.
        """
        if not (self.covariates or self.handicap is not None or self.neutral is not None):
            return ()
        stones = ("handicap",) if self.handicap is not None else ()
        return ("moving first", *stones, *self.covariates)

    @property
    def likelihood(self) -> bool:
        """Whether the fit is by maximum likelihood (asked for, or forced by a prior)."""
        given = (self.first_advantage, self.draw_rate)
        if self.method == "likelihood" or (self.method is None and "auto" in given):
            return True
        if self.effects:
            return True
        priors = any(isinstance(each, Prior) for each in given) or self.join is not None
        return priors or bool(self.loose_anchors or self.relations)

    @property
    def points_per_logit(self) -> float:
        """Rating points for one unit of log odds."""
        return points_per_logit(self.scale)

    def fit(self, pool: Pool | CountedGames) -> JointRatings:
        """Rate the players of a pool.

        Raises `NoGamesError`: no game is left to rate. Raises `NotConnectedError`: groups share no
        scale and `disconnected` is ``"refuse"``. Raises `ModelError`: the first-move advantage is
        infinite. Raises `ConvergenceError`: the solver stopped early. Raises `InputError`: A name
        that should be in the pool is not.
        """
        if not len(pool):
            raise NoGamesError("there are no games to rate")
        check_order(self, pool)
        clusters = None
        if self.paired is not None:
            if not isinstance(pool, Pool):
                raise UsageError(_NOT_PAIRED)
            clusters = uncertainty.clusters(pool, self.paired)
        return self._fit(pool.players, self.counts_of(pool), clusters)

    def counts_of(self, pool: Pool | CountedGames) -> PairCounts:
        """Add up the games of each pair, by what else bears on them.

        Raises `InputError`: a column that is needed is not in the pool, or holds what it cannot.
        """
        if isinstance(pool, CountedGames):
            return pool.counts
        if not self.effects and self.count is None:
            return pool.pair_counts()
        from yardstone.ratings.effects import counts_of

        return counts_of(self, pool)

    def fit_counts(self, players: Sequence[str], counts: PairCounts) -> JointRatings:
        """Rate from counts of pairs; otherwise as `fit`. `paired` needs single games."""
        if self.paired is not None:
            raise UsageError(_NOT_PAIRED)
        return self._fit(tuple(players), counts, None)

    def _fit(
        self, players: tuple[str, ...], counts: PairCounts, clusters: uncertainty.Clusters | None
    ) -> JointRatings:
        if self.effects and counts.terms is None:
            raise UsageError(_NOT_COUNTED)
        if self.ignore_draws:
            counts = replace(counts, draws=np.zeros_like(counts.draws))
        counts = counts.select(counts.games > 0)
        if not len(counts.first):
            raise NoGamesError("no game is left to rate")
        setup = joint.prepare(self, players, counts)
        if setup.component_count > 1 and self.disconnected == "refuse":
            raise NotConnectedError(
                f"the players fall into {setup.component_count} groups that no result puts on a "
                "common scale"
            )
        draws = self._start_draws(setup)
        climb = None
        if counts.terms is None:
            x, steps, draws = self._solve(setup, setup.start, draws)
        else:
            x, steps, draws, climb = self._solve_with_effects(setup, draws)
        draw_rate, tau_free = draws
        logit = self.points_per_logit
        rating = setup.to_points(x[:-2])
        if self.draw_rate == "auto" and not self.likelihood:
            used = setup.used
            draw_rate = float(
                fit_draw_rate(used.first, used.second, used.games, float(used.draws.sum()), x)
            )
        advantage = Estimate(float(x[-2]) * logit)
        sizes: tuple[Effect, ...] = ()
        ahead: Floats | float = advantage.value
        if climb is not None:
            sizes = climb.sizes(self, counts)
            advantage = Estimate(sizes[0].value, sizes[0].deviation)
            ahead = logit * counts.shift(climb.size)
        joint.rate_perfect(setup, rating, ahead, draw_rate)
        setup.shift_to_anchor(rating)
        totals = counts.player_totals()
        ratings = JointRatings(
            players=players,
            rating=rating,
            deviation=np.full(len(players), np.nan),
            scale="elo" if self.scale == 202.0 else f"{self.scale:g} points at 76 %",
            wins=totals[:, 0],
            draws=totals[:, 1],
            losses=totals[:, 2],
            status=setup.status,
            component=setup.component,
            first_advantage=advantage,
            draw_rate=Estimate(draw_rate),
            effects=sizes,
            points_per_logit=logit,
            reference=setup.reference,
            converged_in=steps,
            notes=setup.notes(),
        )
        if not self.covariance:
            return ratings
        return uncertainty.with_deviations(
            ratings, setup, clusters, tau_free=tau_free, sway=None if climb is None else climb.sway
        )

    def _start_draws(self, setup: joint.Setup) -> tuple[float, bool]:
        """Draw rate to start from, and whether the likelihood has to estimate it."""
        share = float(setup.used.draws.sum()) / max(setup.used.total(), 1.0)
        if not self.likelihood:
            return (0.5 if isinstance(self.draw_rate, str | Prior) else self.draw_rate), False
        if isinstance(self.draw_rate, Prior):
            return min(max(self.draw_rate.mean, 0.01), 0.99), True
        if self.draw_rate == "auto":
            if share in (0.0, 1.0):  # the estimate lies at the edge
                return share, False
            return min(max(share, 0.01), 0.99), True
        if self.draw_rate == 0.0 and share > 0.0:
            raise UsageError("the draw rate is fixed at 0, but there are draws")
        return float(self.draw_rate), False

    def _solve_with_effects(
        self, setup: joint.Setup, draws: tuple[float, bool]
    ) -> tuple[Floats, int, tuple[float, bool], Climb]:
        """Unknowns and draws as `_solve` has them, with the effects where they have arrived."""
        from yardstone.ratings import effects

        known = effects.size_priors(self)
        x, size, taken, corrected = setup.start, known.mean.copy(), 0, False
        for _ in range(_MAX_STEPS):
            x, steps, draws = self._solve(setup, x, draws, size)
            taken += steps
            climb = effects.climb(setup, known, x, size, draws[0], corrected=corrected)
            if climb.arrived and corrected:
                return x, taken, draws, climb
            x[: len(setup.status) + 1] += climb.step @ climb.follow
            size = size + climb.moved
            corrected = corrected or climb.largest < effects.CLOSE
        raise ConvergenceError(f"the effects still moved after {_MAX_STEPS} steps")

    def _solve(
        self,
        setup: joint.Setup,
        start: Floats,
        draws: tuple[float, bool],
        size: Floats | tuple[()] = (),
    ) -> tuple[Floats, int, tuple[float, bool]]:
        """Unknowns, steps taken, the draw rate, and whether it is free.

        If it runs away to 0 or 1 it stays there. `size` are those of the effects.
        """
        draw_rate, tau_free = draws
        x = start.copy()
        with_draws = self.likelihood and 0.0 < draw_rate < 1.0
        if with_draws:
            x[-1] = log((1.0 - draw_rate) / draw_rate)
        free = setup.free.copy()
        free[-1] = tau_free
        status, steps, last = newton(
            Pairs.of(setup.used),
            setup.beliefs,
            with_draws,
            x,
            free,
            setup.level,
            _TOLERANCE_POINTS / self.points_per_logit,
            _MAX_STEPS,
            setup.used.shift(size),
        )
        if abs(x[-2]) * self.points_per_logit > _ADVANTAGE_LIMIT:
            side = "first" if x[-2] > 0 else "second"
            raise ModelError(
                f"the first-move advantage has no finite estimate: the side moving {side} "
                "scored too well throughout (fix the advantage, or give it a prior)"
            )
        if status == Ending.AT_THE_EDGE:
            edge = 0.0 if x[-1] > 0.0 else ALL_DRAWN
            return self._solve(setup, x, (edge, False), size)
        if status != Ending.CONVERGED:
            raise ConvergenceError(
                f"the ratings still moved by {last * self.points_per_logit:.3g} points "
                f"after {steps} steps"
            )
        return x, steps, (float(logistic(-x[-1])) if tau_free else draw_rate, tau_free)

    def expected_score(
        self, ratings: JointRatings, first: str, second: str, *, advantage: float | None = None
    ) -> float:
        """Expected score of `first`, moving first, against `second`.

        `advantage` are rating points for moving first, by default those of the fit. Raises
        InputError for an unknown name, ModelError for two players without a common scale.
        """
        i, j = ratings.index(first), ratings.index(second)
        if Status.NO_GAMES in (ratings.status[i], ratings.status[j]):
            raise InputError(f"{first!r} or {second!r} has no games")
        if ratings.component[i] != ratings.component[j]:
            raise ModelError(f"no results put {first!r} and {second!r} on a common scale")
        ahead = ratings.first_advantage.value if advantage is None else advantage
        difference = ratings.rating[i] + ahead - ratings.rating[j]
        return float(win_probability(difference, points_per_logit=ratings.points_per_logit))


#: Mean and deviation of what the games alone cannot bound.
WIDE_ADVANTAGE = (0.0, 100.0)
WIDE_DRAW_RATE = (0.5, 0.25)
#: Many players with fewer games each than this make the advantage come out too large.
SPARSE_PLAYERS, SPARSE_GAMES = 100, 16.0


def fit_widely(
    system: BradleyTerry, pool: Pool | CountedGames
) -> tuple[BradleyTerry, JointRatings, tuple[str, ...]]:
    """The system used, its result, and what the reader must know of the choice.

    A free first-move advantage or draw rate gets a wide prior if the fit fails for want of one, or
    leaves it less certain than the prior. ModelError if even so there are no ratings.
    """
    remarks: list[str] = []
    if not pool.ordered:
        system = without_first_move(system)
        remarks.append(NO_ORDER)
    while True:
        try:
            ratings: JointRatings | None = system.fit(pool)
        except NotConnectedError:
            raise
        except ModelError as error:
            ratings, failure = None, error
        if system.draw_rate == "auto" and _draws_unbounded(system, ratings):
            prior = Prior(*WIDE_DRAW_RATE)
            system = replace(system, draw_rate=prior)
            remarks.append(_widened("draw rate", prior))
        elif system.first_advantage == "auto" and (
            ratings is None or ratings.first_advantage.deviation > WIDE_ADVANTAGE[1]
        ):
            prior = Prior(*WIDE_ADVANTAGE)
            system = replace(system, first_advantage=prior)
            remarks.append(_widened("first-move advantage", prior))
        elif ratings is None:
            raise failure
        else:
            return system, ratings, (*remarks, *_sparse(system, ratings))


def _sparse(system: BradleyTerry, ratings: JointRatings) -> tuple[str, ...]:
    """A remark for pools such as 500 players with 12 games each: 34 in place of 30 points."""
    playing = ratings.games[ratings.games > 0]
    few = len(playing) >= SPARSE_PLAYERS and float(playing.mean()) < SPARSE_GAMES
    if system.first_advantage != "auto" or not few or ratings.effects:
        return ()
    return (
        f"With {playing.mean():.0f} games a player the first-move advantage is overestimated "
        "by about a tenth, and its interval covers less often than stated (87 instead of 95 % in "
        "simulations).",
    )


def misfit_of_join(system: BradleyTerry, ratings: JointRatings) -> tuple[str, ...]:
    """What the reader must know if the players spread otherwise than `join` has it.

    If it is right, the mean square of (rating - average) plus that of the deviations is join
    squared; with players who spread half as much again 95 % intervals held 78 %.
    """
    if system.join is None:
        return ()
    by_join = np.isfinite(ratings.deviation)
    for name in system.anchors.keys() | system.loose_anchors.keys():
        by_join[ratings.index(name)] = False
    number = int(by_join.sum())
    if not number:
        return ()
    away = ratings.rating[by_join] - system.average
    spread = float(np.sqrt(np.mean(away**2 + ratings.deviation[by_join] ** 2)))
    # What the games say of the spread follows chi squared (Wilson and Hilferty 1931).
    known = float(np.mean(1.0 - np.minimum(ratings.deviation[by_join] / system.join, 1.0) ** 2))
    gap = (spread / system.join) ** 2 - 1.0
    centre, reach = 1.0 - 2.0 / (9.0 * number), 1.96 * (2.0 / (9.0 * number)) ** 0.5
    if known * ((centre - reach) ** 3 - 1.0) <= gap <= known * ((centre + reach) ** 3 - 1.0):
        return ()
    wide = "narrow" if gap > 0.0 else "wide"
    return (
        f"The players' strengths seem to have a standard deviation of {spread:.0f} points, not "
        f"{system.join:g} as given: the intervals, which rest on it, are then too {wide}.",
    )


def _draws_unbounded(system: BradleyTerry, ratings: JointRatings | None) -> bool:
    if ratings is None:  # an advantage that is missing is looked for first
        return system.first_advantage != "auto"
    rate = ratings.draw_rate
    return rate.value >= ALL_DRAWN or rate.deviation > WIDE_DRAW_RATE[1]


def _widened(what: str, prior: Prior) -> str:
    return (
        f"The games say little about the {what}, so a prior was used: {prior.mean:g} "
        f"with a standard deviation of {prior.deviation:g}."
    )


#: Games that wait to be added up.
BUFFER = 1 << 23
_WIDER = (np.uint8, np.uint16, np.uint32)


class PairTally:
    """Wins, draws and losses of each ordered pair of players, in order of the pairs.

    Examples:
        >>> from yardstone.pool import Pool
        >>> tally = PairTally()
        >>> tally.add(Pool.from_names("ABA", "BAB", [1, 0.5, 0]))
        >>> counts = tally.counts(2)
        >>> counts.wins.tolist(), counts.draws.tolist(), counts.losses.tolist()
        ([1.0, 0.0], [0.0, 1.0], [1.0, 0.0])
    """

    def __init__(self) -> None:
        kinds: Any = (np.int32, np.int32, np.uint8, np.uint8, np.uint8)
        self._table = Pairs(*(np.zeros(0, kind) for kind in kinds))
        self._waiting: list[NDArray[np.uint64]] = []
        self._number = 0

    def add(self, games: Pool | GameBatch) -> None:
        """Count more games."""
        keys = games.first.astype(np.uint64)
        keys <<= np.uint64(31)
        keys |= games.second.astype(np.uint64)
        keys <<= np.uint64(2)
        keys |= (2.0 * games.score).astype(np.uint64)
        self._waiting.append(keys)
        self._number += len(keys)
        if self._number >= BUFFER:
            self._fold()

    def counts(self, players: int) -> PairCounts:
        """The counts for so many players; nothing can be added afterwards."""
        self._fold()
        first, second, *results = self._table
        if len(first) < MANY_PAIRS:
            results = [column.astype(np.float64) for column in results]
        return PairCounts(players, first, second, *results)

    def _fold(self) -> None:
        """Add what waits to the table."""
        keys = np.concatenate(self._waiting) if self._waiting else np.zeros(0, np.uint64)
        self._waiting, self._number = [], 0
        keys.sort()
        known = len(self._table.first)
        new, most = survey(keys, *self._table)
        held: Any = self._table.wins.dtype
        if most > np.iinfo(held).max:
            kind: Any = next(kind for kind in _WIDER if most <= np.iinfo(kind).max)
            first, second, *results = self._table
            self._table = Pairs(first, second, *(column.astype(kind) for column in results))
        for column in self._table:
            column.resize(known + new, refcheck=False)  # grows where it lies
        merge(keys, known, *self._table)


@dataclass(frozen=True)
class CountedGames:
    """Games of which only the counts of pairs are kept; for `rate_list` as good as a `Pool`.

    `ordered` is as in `Pool`.
    """

    players: tuple[str, ...]
    counts: PairCounts
    skipped: SkipReport
    ordered: bool = True

    @classmethod
    def of_stream(cls, stream: GameStream) -> CountedGames:
        """The counts of all games of a stream.

        Examples:
            >>> from yardstone.examples import example
            >>> from yardstone.records.streaming import game_stream
            >>> CountedGames.of_stream(game_stream(example("league.csv"), rows=50))
            <CountedGames: 112 games of 8 players>
        """
        tally = PairTally()
        stones = 0
        for batch in stream:
            uneven = with_handicap(batch)
            tally.add(batch.select(~uneven) if uneven.any() else batch)
            stones += int(uneven.sum())
        counts = tally.counts(len(stream.players))
        if stones:
            stream.skipped.add_uncounted(HANDICAP_GAME, stones, known=True)
        return cls(tuple(stream.players), counts, stream.skipped, stream.ordered)

    @classmethod
    def of_pool(cls, pool: Pool) -> CountedGames:
        """The counts of the even games of a pool, which is then no longer needed."""
        pool, tally = even_games(pool), PairTally()
        for at in pieces(len(pool), BUFFER):
            tally.add(GameBatch(pool.first[at], pool.second[at], pool.score[at]))
        return cls(pool.players, tally.counts(len(pool.players)), pool.skipped, pool.ordered)

    def pair_counts(self) -> PairCounts:
        """The results added up for each ordered pair of players."""
        return self.counts

    def __len__(self) -> int:
        return self.counts.total()

    def __repr__(self) -> str:
        return f"<CountedGames: {len(self)} games of {len(self.players)} players>"
