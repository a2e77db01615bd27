"""Errors by simulation, as Ordo does it: replay all games and rate them again.

Each replay draws the results of every pair from the fitted model (multinomial on the counts of
pairs), draws the means of all priors again (that of `join` for each player anew), and rates anew.
`uncertainty` gets the same numbers in one step; this is the check of it, and the way to deviations
where the normal approximation is poor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone import parallel
from yardstone.choices import check_number, checked_arguments
from yardstone.errors import ModelError, NotConnectedError, UsageError
from yardstone.pool import PairCounts
from yardstone.ratings.joint import Prior, Relation
from yardstone.ratings.result import JointRatings, Status
from yardstone.winprob.laws import logistic, win_draw_loss

if TYPE_CHECKING:
    from numpy.random import Generator

    from yardstone.arrays import Floats, Ints
    from yardstone.ratings.bradley_terry import BradleyTerry

#: A replay that falls apart into more groups than the real games is drawn again so often.
_ATTEMPTS = 100


@dataclass(frozen=True)
class Simulated:
    """Spread of the ratings over all replays.

    `deviation` (players,) is NaN for players without one; the deviations of the two parameters are
    0 where they are fixed; `rejected` replays fell apart and were drawn again.
    """

    deviation: Floats
    deviation_of_difference: Floats
    first_advantage_deviation: float
    draw_rate_deviation: float
    simulations: int
    rejected: int

    def applied_to(self, ratings: JointRatings) -> JointRatings:
        """The same ratings with these deviations in place of the computed ones."""
        variance = self.deviation**2
        between = variance[:, None] + variance[None, :] - self.deviation_of_difference**2
        return replace(
            ratings,
            deviation=self.deviation,
            covariance=0.5 * between,
            first_advantage=replace(
                ratings.first_advantage, deviation=self.first_advantage_deviation
            ),
            draw_rate=replace(ratings.draw_rate, deviation=self.draw_rate_deviation),
        )


@dataclass(frozen=True)
class _Replay:
    """Everything one replay needs; called with its own generator."""

    system: BradleyTerry
    players: tuple[str, ...]
    counts: PairCounts
    probabilities: Floats
    groups: int
    level: Ints
    joined: tuple[str, ...] = ()

    def __call__(self, generator: Generator) -> tuple[Floats, int]:
        for attempt in range(_ATTEMPTS):
            results = generator.multinomial(self.counts.games.astype(np.int64), self.probabilities)
            wins, draws, losses = np.ascontiguousarray(results.T, np.float64)
            counts = replace(self.counts, wins=wins, draws=draws, losses=losses)
            try:
                system = _redrawn(self.system, self.joined, generator)
                ratings = system.fit_counts(self.players, counts)
            except (NotConnectedError, ModelError):
                continue
            if ratings.components > self.groups:
                continue
            rating = ratings.rating
            for number in range(int(self.level.max(initial=-1)) + 1):
                members = self.level == number
                rating[members] -= np.nanmean(rating[members])
            extra = [ratings.first_advantage.value, ratings.draw_rate.value]
            return np.append(rating, extra), attempt
        raise ModelError(
            f"{_ATTEMPTS} simulated replays in a row fell apart: too few games to simulate from"
        )


def _redrawn(system: BradleyTerry, joined: tuple[str, ...], generator: Generator) -> BradleyTerry:
    """The same system with each prior's mean drawn from it; `joined` have that of `join`."""

    def draw(prior: Prior, low: float = -np.inf, high: float = np.inf) -> Prior:
        mean = float(np.clip(generator.normal(prior.mean, prior.deviation), low, high))
        return Prior(mean, prior.deviation)

    loose: dict[str, Prior] = {name: draw(p) for name, p in system.loose_anchors.items()}
    if system.join is not None:
        means = generator.normal(system.average, system.join, len(joined))
        for name, mean in zip(joined, means.tolist(), strict=True):
            loose[name] = Prior(mean, system.join)
    relations = tuple(
        Relation(r.player, r.other, draw(Prior(r.difference, r.deviation)).mean, r.deviation)
        for r in system.relations
    )
    advantage, rate = system.first_advantage, system.draw_rate
    return replace(
        system,
        loose_anchors=loose,
        relations=relations,
        first_advantage=draw(advantage) if isinstance(advantage, Prior) else advantage,
        draw_rate=draw(rate, 0.0, 1.0) if isinstance(rate, Prior) else rate,
    )


@checked_arguments()
def simulate(
    system: BradleyTerry,
    counts: PairCounts,
    ratings: JointRatings,
    simulations: int,
    *,
    seed: int | None = 0,
) -> Simulated:
    """Replay all games `simulations` times and rate each replay.

    Args:
        system: The system that made `ratings`.
        counts: The games it was fitted to.
        ratings: Its result: the truth of the simulated world.
        simulations: At least 2; 100 give deviations to 7 %, 1000 to 2 %.
        seed: Equal seeds give equal results on any number of workers.

    Raises:
        UsageError: Fewer than 2 simulations; or games that belong together (`paired`), which
            replays would draw one by one.
        ModelError: Replays keep falling apart into unconnected groups.
    """
    check_number("the number of simulations", simulations, least=2, whole=True)
    if system.paired is not None:
        raise UsageError(
            "replays draw every game by itself, as if none belonged together: leave out the "
            "simulation, or the pairs"
        )
    rated = ratings.status == Status.NORMAL
    if system.ignore_draws:
        counts = replace(counts, draws=np.zeros_like(counts.draws))
    same = ratings.component[counts.first] == ratings.component[counts.second]
    used = counts.select(same & rated[counts.first] & rated[counts.second] & (counts.games > 0))
    expected = logistic(ratings.logits(used))
    rate = 0.0 if system.ignore_draws else ratings.draw_rate.value
    chances = np.column_stack(win_draw_loss(expected, rate))
    chances /= chances.sum(axis=1, keepdims=True)

    groups = len(np.unique(ratings.component[rated]))
    level = np.full(len(ratings), -1, np.int32)
    if ratings.reference == "mean":
        level[rated] = ratings.component[rated]
    elif ratings.reference == "anchor" and system.anchor is not None:
        others = rated & (ratings.component != ratings.component[ratings.index(system.anchor)])
        level[others] = ratings.component[others]
    present = used.player_totals().sum(axis=1) > 0.0
    playing = [name for name, plays in zip(ratings.players, present.tolist(), strict=True) if plays]
    there = frozenset(playing)  # without anchors that met only players with perfect scores
    fast = replace(
        system,
        covariance=False,
        disconnected="components",
        anchor=system.anchor if system.anchor in there else None,
        anchors={name: at for name, at in system.anchors.items() if name in there},
        loose_anchors={name: p for name, p in system.loose_anchors.items() if name in there},
    )
    known = fast.loose_anchors.keys() | fast.anchors.keys()
    joined = tuple(name for name in playing if name not in known)
    replay = _Replay(fast, ratings.players, used, chances, groups, level, joined)
    generators = parallel.spawn_generators(seed, simulations)
    runs = parallel.map(replay, generators, what="simulating", threads=True)
    table = np.array([row for row, _ in runs])
    spread = np.cov(table[:, :-2], rowvar=False, ddof=0)
    spread = np.atleast_2d(spread)
    variance = np.diag(spread)
    between = variance[:, None] + variance[None, :] - 2.0 * spread
    return Simulated(
        deviation=np.sqrt(variance),
        deviation_of_difference=np.sqrt(np.maximum(between, 0.0)),
        first_advantage_deviation=float(table[:, -2].std()),
        draw_rate_deviation=float(table[:, -1].std()),
        simulations=simulations,
        rejected=sum(attempt for _, attempt in runs),
    )
