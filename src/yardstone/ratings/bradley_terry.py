"""Ratings from all results at once: Ordo's model, solved exactly.

The expected score of `first` against `second` is logistic in the difference of
their ratings plus a first-move advantage (Ordo 1.2.6 manual, equations 3 to 11).
Two estimates are offered: Ordo's score equations, under which each player's
expected points equal the points obtained (equation 7), and maximum likelihood
with Davidson's draws (equations 13 to 33, "rating calculation with prior
information"), the only one that takes priors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.choices import check_fields
from yardstone.errors import (
    ConvergenceError,
    InputError,
    ModelError,
    NoGamesError,
    NotConnectedError,
    UsageError,
)
from yardstone.pool import PairCounts, Pool
from yardstone.ratings import _bounds, _setup, uncertainty
from yardstone.ratings._draws import fit_draw_rate
from yardstone.ratings._newton import AT_THE_EDGE, CONVERGED, newton
from yardstone.ratings._problem import Pairs
from yardstone.ratings.order import check_order
from yardstone.ratings.priors import Prior, Relation
from yardstone.ratings.result import ALL_DRAWN, Estimate, JointRatings, Status
from yardstone.winprob.logistic import logistic, points_per_logit, win_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.pair_tally import CountedGames

    Floats = NDArray[np.float64]

__all__ = ["BradleyTerry"]

#: A fit has converged when no rating moves by more than this, in rating points.
TOLERANCE_POINTS = 1e-8
_MAX_STEPS = 200
#: An advantage beyond this many points is taken for an infinite one.
_ADVANTAGE_LIMIT = 4000.0

_NOT_PAIRED = "paired deviations need the games themselves, not counts"

Parameter = float | Literal["auto"] | Prior


@dataclass(frozen=True, kw_only=True)
class BradleyTerry:
    """A joint rating system: one fit of all games.

    Parameters
    ----------
    average : float
        Mean rating of each group of connected players; or, with `anchor`, the
        rating of that player.
    anchor : str, optional
        Player whose rating is set to `average`.
    anchors : mapping of str to float
        Players with fixed ratings.
    loose_anchors : mapping of str to Prior
        Players with a Gaussian prior on the rating.
    relations : sequence of Relation
        Gaussian priors on differences of two ratings.
    join : float, optional
        Deviation of a prior around `average` put on every player without another
        prior: joins groups that no result connects and makes perfect scores finite.
    first_advantage : float, "auto" or Prior
        Rating points for moving first: fixed, estimated, or estimated with a prior.
    draw_rate : float, "auto" or Prior
        Draw rate of equal opponents (0 to 1), likewise. Under the score equations
        it matters for deviations only.
    method : {"score", "likelihood"}, optional
        Ordo's score equations, or maximum likelihood with Davidson's draws. By default
        the likelihood, as `yardstone.rate` and the command, where the advantage of moving
        first or the draw rate is estimated; else the score equations. Any prior takes the
        likelihood.
    scale : float
        Rating difference at which the stronger player scores 76 %.
    ignore_draws : bool
        Leave draws out.
    reference : {"anchor", "mean"}
        What deviations are relative to when `anchor` is set.
    disconnected : {"components", "refuse"}
        Rate groups that share no scale each on its own, or raise NotConnectedError.
    bounds : {"exact", "ordo", "draw"}
        Bound given to players who won or lost everything: the rating at which that
        had an even chance, exactly or to Ordo's own digits; or the rating for half
        a point less (or more), as Ordo's manual has it.
    paired : sequence of str, optional
        Columns of the pool (such as ``("event", "round")``) that, with the two
        players, name games which belong together, for example two games of one
        opening with colours swapped: deviations then allow for their correlation.
    covariance : bool
        Whether to compute deviations at all.

    Examples
    --------
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
    bounds: Literal["exact", "ordo", "draw"] = "exact"
    paired: Sequence[str] | None = None
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

    @property
    def likelihood(self) -> bool:
        """Whether the fit is by maximum likelihood (asked for, or forced by a prior)."""
        estimated = "auto" in (self.first_advantage, self.draw_rate)
        return (
            self.method == "likelihood"
            or (self.method is None and estimated)
            or bool(self.loose_anchors)
            or bool(self.relations)
            or self.join is not None
            or isinstance(self.first_advantage, Prior)
            or isinstance(self.draw_rate, Prior)
        )

    @property
    def points_per_logit(self) -> float:
        """Rating points for one unit of log odds."""
        return points_per_logit(self.scale)

    def fit(self, pool: Pool | CountedGames) -> JointRatings:
        """Rate the players of a pool.

        Raises
        ------
        NoGamesError
            No game is left to rate.
        NotConnectedError
            Groups share no scale and `disconnected` is ``"refuse"``.
        ModelError
            The first-move advantage is infinite.
        ConvergenceError
            The solver stopped early.
        InputError
            A name that should be in the pool is not.
        """
        if not len(pool):
            raise NoGamesError("there are no games to rate")
        check_order(self, pool)
        clusters = None
        if self.paired is not None:
            if not isinstance(pool, Pool):
                raise UsageError(_NOT_PAIRED)
            clusters = uncertainty.clusters(pool, self.paired)
        return self._fit(pool.players, pool.pair_counts(), clusters)

    def fit_counts(self, players: Sequence[str], counts: PairCounts) -> JointRatings:
        """Rate from counts of pairs; otherwise as `fit`. `paired` needs single games."""
        if self.paired is not None:
            raise UsageError(_NOT_PAIRED)
        return self._fit(tuple(players), counts, None)

    def _fit(
        self, players: tuple[str, ...], counts: PairCounts, clusters: uncertainty.Clusters | None
    ) -> JointRatings:
        if self.ignore_draws:
            counts = replace(counts, draws=np.zeros_like(counts.draws))
        counts = counts.select(counts.games > 0)
        if not len(counts.first):
            raise NoGamesError("no game is left to rate")
        setup = _setup.prepare(self, players, counts)
        self._check_connection(setup)
        draw_rate, tau_free = self._start_draws(setup)
        x, steps, edge = self._solve(setup, setup.start, draw_rate, tau_free)
        if edge is not None:
            draw_rate, tau_free = edge, False
            x, steps, _ = self._solve(setup, x, draw_rate, tau_free)
        logit = self.points_per_logit
        rating = setup.to_points(x[:-2])
        if tau_free:
            draw_rate = float(logistic(-x[-1]))
        elif self.draw_rate == "auto" and not self.likelihood:
            used = setup.used
            draw_rate = float(
                fit_draw_rate(used.first, used.second, used.games, float(used.draws.sum()), x)
            )
        advantage = float(x[-2]) * logit
        _bounds.rate_perfect(self, setup, rating, advantage, draw_rate)
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
            first_advantage=Estimate(advantage),
            draw_rate=Estimate(draw_rate),
            points_per_logit=logit,
            reference=setup.reference,
            converged_in=steps,
            notes=setup.notes(),
        )
        if not self.covariance:
            return ratings
        return uncertainty.with_deviations(ratings, setup, clusters, tau_free=tau_free)

    def _check_connection(self, setup: _setup.Setup) -> None:
        groups = setup.component_count
        if groups > 1 and self.disconnected == "refuse":
            raise NotConnectedError(
                f"the players fall into {groups} groups that no result puts on a common scale"
            )

    def _start_draws(self, setup: _setup.Setup) -> tuple[float, bool]:
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

    def _solve(
        self, setup: _setup.Setup, start: Floats, draw_rate: float, tau_free: bool
    ) -> tuple[Floats, int, float | None]:
        """Unknowns, steps taken and, if the draw rate ran away to 0 or 1, that edge."""
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
            TOLERANCE_POINTS / self.points_per_logit,
            _MAX_STEPS,
        )
        if abs(x[-2]) * self.points_per_logit > _ADVANTAGE_LIMIT:
            side = "first" if x[-2] > 0 else "second"
            raise ModelError(
                f"the first-move advantage has no finite estimate: the side moving {side} "
                "scored too well throughout (fix the advantage, or give it a prior)"
            )
        if status == AT_THE_EDGE:
            return x, steps, 0.0 if x[-1] > 0.0 else ALL_DRAWN
        if status != CONVERGED:
            raise ConvergenceError(
                f"the ratings still moved by {last * self.points_per_logit:.3g} points "
                f"after {steps} steps"
            )
        return x, steps, None

    def expected_score(
        self, ratings: JointRatings, first: str, second: str, *, advantage: float | None = None
    ) -> float:
        """Expected score of `first`, moving first, against `second`.

        `advantage` are rating points for moving first, by default those of the fit.
        Raises InputError for an unknown name, ModelError for two players without a
        common scale.
        """
        i, j = ratings.index(first), ratings.index(second)
        if Status.NO_GAMES in (ratings.status[i], ratings.status[j]):
            raise InputError(f"{first!r} or {second!r} has no games")
        if ratings.component[i] != ratings.component[j]:
            raise ModelError(f"no results put {first!r} and {second!r} on a common scale")
        ahead = ratings.first_advantage.value if advantage is None else advantage
        difference = ratings.rating[i] + ahead - ratings.rating[j]
        return float(win_probability(difference, points_per_logit=ratings.points_per_logit))
