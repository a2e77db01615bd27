"""What bears on a game beside its two players: venue, handicap, covariates.

The log odds of the first player are the difference of the strengths plus a sum over effects, each
its size times what it is in the game. For given sizes they shift the pairs of a joint fit; the
sizes climb by Fisher's scoring on the likelihood that is left when all strengths follow
(the profile likelihood).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import no_such
from yardstone.errors import InputError, ModelError
from yardstone.pool import PairCounts, Pool
from yardstone.ratings._joint import centre
from yardstone.ratings.egf import column_numbers
from yardstone.ratings.joint import Prior, Setup, davidson_root, squared_spread
from yardstone.ratings.result import Effect
from yardstone.ratings.uncertainty import FULL_MATRIX_LIMIT, conditional_system, inverse_at
from yardstone.records.unplayed import NEUTRAL, NO
from yardstone.winprob.laws import logistic

if TYPE_CHECKING:
    from yardstone.arrays import Flags, Floats
    from yardstone.ratings.bradley_terry import BradleyTerry

#: Sizes have converged when no game's log odds move by more than this.
_TOLERANCE = 1e-5
CLOSE = 1e-3  #: Steps below this are worth the inverse of a matrix each.
_LARGEST_STEP = 2.0  #: No game's log odds move by more at once.
_TINY = 1e-4  #: Log odds over which the slope of a weight is taken.
_LIMIT = 20.0  #: Log odds of a game beyond which an effect is taken for infinite.
#: An effect is not determined if the strengths explain all but this share of its term.
_EXPLAINED = 1e-9


class SizePriors(NamedTuple):
    """What is known of sizes, in log odds a unit: (effects,); free where `precision` >= 0.

    Of a size that is given `precision` is negative, and `mean` that size.
    """

    mean: Floats
    precision: Floats


def counts_of(system: BradleyTerry, pool: Pool) -> PairCounts:
    """Add up the games of a pool that agree in players and terms.

    Raises `InputError`: a column is not there, or holds what it cannot.
    """
    weight = np.ones(len(pool))
    if system.count is not None:
        weight = _numbers(pool, system.count)
        if odd := weight[(weight < 0.0) | (weight % 1.0 != 0.0)].tolist():
            raise InputError(f"the column {system.count!r} counts {odd[0]:g} games in a row")
    terms = np.column_stack(_terms(system, pool)) if system.effects else np.zeros((len(pool), 0))
    order = np.lexsort((*terms.T, pool.second, pool.first))
    first, second, terms = pool.first[order], pool.second[order], terms[order]
    new = (np.diff(first, prepend=-1) != 0) | (np.diff(second, prepend=-1) != 0)
    new[1:] |= (terms[1:] != terms[:-1]).any(axis=1)
    begin = np.flatnonzero(new)
    won, drawn, lost = (
        np.add.reduceat(weight[order] * (pool.score[order] == score), begin)
        for score in (1.0, 0.5, 0.0)
    )
    counts = PairCounts(len(pool.players), first[new], second[new], won, drawn, lost)
    return replace(counts, terms=terms[new]) if system.effects else counts


def _terms(system: BradleyTerry, pool: Pool) -> list[Floats]:
    """Columns of the terms of each game: who moves first, 1 or 0, stones, and covariates."""
    terms = [np.ones(len(pool))]
    if system.neutral is not None:
        terms[0][_is_neutral(pool, system.neutral)] = 0.0
    if system.handicap is not None:
        stones = system.handicap.stones(pool)
        terms.append(np.zeros(len(pool)) if stones is None else stones)
        terms[0][terms[1] >= 1.0] = 0.0
    for columns in system.covariates.values():
        one, *other = (columns,) if isinstance(columns, str) else columns
        terms.append(_numbers(pool, one) - (_numbers(pool, other[0]) if other else 0.0))
    return terms


def _column(pool: Pool, name: str) -> NDArray[Any]:
    if name not in pool.columns:
        raise InputError(no_such("column", name, tuple(pool.columns)))
    return pool.columns[name]


def _numbers(pool: Pool, name: str) -> Floats:
    values = column_numbers(_column(pool, name), name)
    if number := int((~np.isfinite(values)).sum()):
        raise InputError(
            f"the column {name!r} says nothing in {number:,} of {len(values):,} games",
            hint=f'leave these out with --where "{name} IS NOT NULL", or leave the column out',
        )
    return values


def _is_neutral(pool: Pool, name: str) -> Flags:
    """Whether the games have nobody at home, by a column that says so or not."""
    texts = [str(value).strip().casefold() for value in _column(pool, name).tolist()]
    if odd := next((text for text in texts if text not in NEUTRAL | NO | {""}), None):
        raise InputError(
            f"the column {name!r} holds {odd!r}, which does not say whether a venue is neutral",
            hint="it may say yes or no, true or false, 1 or 0, neutral or nothing",
        )
    return np.array([text in NEUTRAL for text in texts], np.bool_)


def size_priors(system: BradleyTerry) -> SizePriors:
    """Return what is known of the sizes beforehand."""
    logit = system.points_per_logit
    mean, precision = np.zeros((2, len(system.effects)))
    if isinstance(system.first_advantage, Prior):
        mean[0] = system.first_advantage.mean / logit
        precision[0] = (logit / system.first_advantage.deviation) ** 2
    elif system.first_advantage != "auto":
        mean[0], precision[0] = system.first_advantage / logit, -1.0
    if system.handicap is not None and not system.fit_handicap:
        mean[1], precision[1] = system.handicap.points / logit, -1.0
    return SizePriors(mean, precision)


@dataclass(frozen=True)
class Climb:
    """Sizes of all effects at a point, in log odds a unit, and what the likelihood says there.

    For the free ones: the `step` to go, how the strengths `follow` (effects, players + 1) one of
    size 1, and the `covariance` of the sizes.
    """

    size: Floats
    free: Flags
    step: Floats
    follow: Floats
    covariance: Floats
    largest: float  #: Log odds by which the step moves a game at most.

    @property
    def arrived(self) -> bool:
        """Whether there is no further to go."""
        return self.largest < _TOLERANCE

    @property
    def moved(self) -> Floats:
        """The step of all sizes."""
        step = np.zeros(len(self.size))
        step[self.free] = self.step
        return step

    @property
    def sway(self) -> Floats:
        """A root of what the errors of the sizes add to the covariance of the strengths."""
        root: Floats = np.linalg.cholesky(self.covariance).T @ self.follow
        return root

    def sizes(self, system: BradleyTerry, counts: PairCounts) -> tuple[Effect, ...]:
        """Return the effects in points for each unit."""
        assert counts.terms is not None
        logit, deviation = system.points_per_logit, np.zeros(len(self.size))
        deviation[self.free] = np.sqrt(np.diag(self.covariance))
        columns = system.effects, logit * self.size, logit * deviation
        ends = counts.terms.min(axis=0), counts.terms.max(axis=0)
        return tuple(
            Effect(name, float(value), float(error), float(low), float(high))
            for name, value, error, low, high in zip(*columns, *ends, strict=True)
        )


def climb(
    setup: Setup, known: SizePriors, x: Floats, size: Floats, draw_rate: float, *, corrected: bool
) -> Climb:
    """Find the next step of the sizes, from strengths `x` that are the likeliest for these.

    Errors of the strengths make the likeliest sizes too large: with 24 games a player by an eighth.
    `corrected` they are free of the leading term of that (Hahn and Newey 2004); with a prior of all
    players, which makes them too small, by Laplace's approximation of the integral over strengths.

    Raises `ModelError`: the games do not determine an effect, or it has no finite size.
    """
    used, n = setup.used, setup.used.players
    assert used.terms is not None
    free = known.precision >= 0.0
    terms, i, j = used.terms[:, free], used.first, used.second
    logits = x[i] - x[j] + used.shift(size)
    residual, weight = _derivatives(used, logits, draw_rate)
    slope = terms.T @ residual - (known.precision * (size - known.mean))[free]
    toward = np.zeros((terms.shape[1], n + 1))
    for row, term in zip(toward, terms.T, strict=True):
        row[:n] = np.bincount(i, weight * term, n) - np.bincount(j, weight * term, n)
    if corrected and int(setup.rated.sum()) <= FULL_MATRIX_LIMIT:
        inverse, _ = inverse_at(setup, weight)
        follow = -(toward @ inverse)
        centre(follow, setup.level)
        own = np.diag(inverse)
        above, below = (_derivatives(used, logits + step, draw_rate)[1] for step in (_TINY, -_TINY))
        pull = (own[i] + own[j] - 2.0 * inverse[i, j]) * (above - below) / (2.0 * _TINY)
        correction = -0.5 if setup.system.join is not None else 0.5
        slope += correction * (pull @ (terms + (follow[:, i] - follow[:, j]).T))
    else:
        solve = conditional_system(setup, weight)
        follow = -np.array([solve(row) for row in toward]).reshape(toward.shape)
    alone: Floats = (terms * weight[:, None]).T @ terms + np.diag(known.precision[free])
    told = alone + follow @ toward.T
    told = 0.5 * (told + told.T)
    _check(setup.system, free, alone, told, size, terms)
    covariance = np.asarray(np.linalg.inv(told), np.float64)
    step = covariance @ slope
    reach = np.abs(terms).max(axis=0, initial=1e-300)
    most = float((np.abs(step) * reach).max(initial=0.0))
    step *= min(1.0, _LARGEST_STEP / max(most, 1e-300))
    return Climb(size, free, step, follow, covariance, most)


def _derivatives(used: PairCounts, logits: Floats, draw_rate: float) -> tuple[Floats, Floats]:
    """Slope and weight (the expected second derivative) of the likelihood of each pair."""
    p = logistic(logits)
    ratio = np.ones_like(p)
    if 0.0 < draw_rate < 1.0:
        ratio += 1.0 / davidson_root(p, squared_spread(draw_rate))
    return (used.points - used.games * p) * ratio, used.games * p * (1.0 - p) * ratio


def _check(
    system: BradleyTerry, free: Flags, alone: Floats, told: Floats, size: Floats, terms: Floats
) -> None:
    """Raise ModelError for effects that the games do not determine."""
    called = [name for name, is_free in zip(system.effects, free, strict=True) if is_free]
    shares = np.diag(told) / np.maximum(np.diag(alone), 1e-300)
    for name, share, reach in zip(
        called, shares, np.abs(size[free] * terms).max(axis=0), strict=True
    ):
        if share <= _EXPLAINED:
            raise ModelError(
                f"the games do not determine the effect of {name}: it is the same in all of them, "
                "or follows from who plays (leave it out, or give the advantage of moving first)"
            )
        if reach > _LIMIT:
            raise ModelError(
                f"the effect of {name} has no finite estimate: it explains all results"
            )
    scale = 1.0 / np.sqrt(np.diag(told))
    if len(called) and np.linalg.eigvalsh(told * scale * scale[:, None])[0] <= _EXPLAINED:
        raise ModelError(
            f"the games do not tell these effects apart: {', '.join(called)} (leave one out)"
        )
