"""Deviations of a joint fit with too many players for a full covariance matrix.

The errors of the ratings answer linearly to the noise of the results, so they
can be sampled at the price of one linear system each: noise e of covariance H
on the equations gives errors x = H^+ e of covariance H^+. Sampling alone would
be coarse. But the part of a player's error that comes from the own noise is
known: E[x_i e_i] = (H^+ H)_ii = 1 - 1/k with k players in the component, and
E[e_i^2] = H_ii. Only what is left, x_i - e_i (1 - 1/k)/H_ii, is sampled, which
for most players is a small share (Siden et al. 2018 use the same idea for Markov
fields). Under the score equations the same noise, scaled pair by pair to the
covariance V, gives the ratio of the sandwich to H^+.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone import parallel
from yardstone.kernels import kernel
from yardstone.pool import MANY_PAIRS
from yardstone.ratings._laplacian import centre, conjugate_gradients
from yardstone.ratings._problem import Graph
from yardstone.ratings._sparse import direct_solver
from yardstone.ratings._spread import Spread

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from yardstone.ratings._setup import Setup

    Floats = NDArray[np.float64]

__all__ = ["spread_of_large"]

#: Samples taken; the standard error of a deviation is at most 1/sqrt(2 SAMPLES).
SAMPLES = 100
#: So many are taken at a time; of very many pairs no more once 99 of 100 deviations are
#: known to `ENOUGH`, relatively.
ROUND, ENOUGH = 10, 0.02
_PRECISION = 1e-4
_SEED = 20151006


@kernel
def _fill_diagonal(graph: Graph) -> None:
    """Fill in diagonal and border of H from its edges."""
    n, diagonal, border = len(graph.extra) - 1, graph.diagonal, graph.border
    diagonal[:] = graph.extra
    for k in range(len(graph.first)):
        i, j, weight = graph.first[k], graph.second[k], graph.weight[k]
        if i != j:
            diagonal[i] += weight
            diagonal[j] += weight
        diagonal[n] += weight
        border[i] += weight
        border[j] -= weight
    relations = graph.relations
    for k in range(len(relations.player)):
        diagonal[relations.player[k]] += relations.precision[k]
        diagonal[relations.other[k]] += relations.precision[k]


@kernel
def _noise(generator: Generator, graph: Graph, share: Floats) -> tuple[Floats, Floats]:
    """Noise of covariance H, and the same noise scaled by sqrt(share) pair by pair.

    Without shares the two are one.
    """
    plain = len(share) == 0
    n, extra, relations = len(graph.extra) - 1, graph.extra, graph.relations
    whole = np.zeros(n + 1)
    scaled = np.zeros(n + 1)
    for k in range(len(graph.first)):
        i, j = graph.first[k], graph.second[k]
        if graph.weight[k] == 0.0:
            continue
        value = np.sqrt(graph.weight[k]) * generator.standard_normal()
        whole[i] += value
        whole[j] -= value
        whole[n] += value
        if plain:
            continue
        value *= np.sqrt(share[k])
        scaled[i] += value
        scaled[j] -= value
        scaled[n] += value
    for k in range(len(relations.player)):
        value = np.sqrt(relations.precision[k]) * generator.standard_normal()
        for vector in (whole, scaled):
            vector[relations.player[k]] += value
            vector[relations.other[k]] -= value
    for i in range(n + 1):
        if extra[i] > 0.0:
            value = np.sqrt(extra[i]) * generator.standard_normal()
            whole[i] += value
            scaled[i] += value
    return whole, scaled


class _System:
    """H with everything needed to solve it; called with a generator it samples once."""

    def __init__(self, setup: Setup, slope: Floats, meat: Floats) -> None:
        n = setup.used.players
        self.setup = setup
        self.sandwich = not setup.likelihood
        if self.sandwich:
            self.share = np.divide(meat, slope, out=np.ones_like(slope), where=slope > 0.0)
        else:
            self.share = np.ones(0)
        free = setup.free[: n + 1].copy()
        free[:n] &= ~setup.lonely()
        used, beliefs = setup.used, setup.beliefs
        self.graph = Graph(
            used.first,
            used.second,
            slope,
            beliefs.relations,
            beliefs.precision[: n + 1].copy(),
            np.zeros(n + 1),
            np.zeros(n + 1),
            free,
        )
        _fill_diagonal(self.graph)
        self.direct = direct_solver(self.graph, setup.level)

    def solve(self, right: Floats, precision: float) -> Floats:
        """H^+ right; each component whose level is free is centred."""
        step = np.zeros(len(right))
        right = right.copy()
        centre(right, self.setup.level)
        if self.direct is not None:
            step = self.direct(right)
        else:
            conjugate_gradients(self.graph, right, precision, step)
        centre(step, self.setup.level)
        return step

    def __call__(self, generator: Generator) -> tuple[Floats, Floats, Floats]:
        whole, scaled = _noise(generator, self.graph, self.share)
        error = self.solve(whole, _PRECISION)
        return whole, error, self.solve(scaled, _PRECISION) if self.sandwich else error


def spread_of_large(setup: Setup, slope: Floats, meat: Floats) -> Spread:
    """Deviations in log odds, without the covariance.

    `slope` and `meat` are the used pairs' weights in H and in V.
    """
    n = setup.used.players
    system = _System(setup, slope, meat)
    diagonal = system.graph.diagonal
    size = np.bincount(setup.component[setup.rated], minlength=setup.component_count)
    known = np.ones(n + 1)
    floats = setup.level >= 0
    known[:n][floats] = 1.0 - 1.0 / size[setup.component[floats]]
    own = np.divide(known, diagonal, out=np.zeros(n + 1), where=diagonal > 0.0)
    reference = setup.anchor if setup.reference == "anchor" and setup.holds_anchor() else None

    rest = np.zeros(n + 1)
    plain = np.zeros(n + 1)
    sandwich = np.zeros(n + 1)
    many = len(setup.used.first) >= MANY_PAIRS
    generators = parallel.spawn_generators(_SEED, SAMPLES)
    samples, relative = 0, np.zeros(n + 1)
    while samples < SAMPLES:
        for noise, error, scaled in parallel.map(
            system, generators[samples : samples + ROUND], threads=True, engine="local"
        ):
            if reference is not None:
                members = np.append(setup.component == setup.component[reference], False)
                error[members] -= error[reference]
                scaled[members] -= scaled[reference]
                rest += error**2
            else:
                rest += (error - own * noise) ** 2
            plain += error**2
            sandwich += scaled**2
        samples = min(samples + ROUND, SAMPLES)
        variance = rest / samples
        sampled = variance.copy()
        if reference is None:
            variance += own**2 * diagonal
        # Of the variance only `sampled` is uncertain, by sqrt(2/samples); the root halves that.
        np.divide(sampled * (0.5 * (2.0 / samples) ** 0.5), variance, relative, where=variance > 0)
        worst = float(np.quantile(relative[:n][setup.rated], 0.99))
        if many and worst < ENOUGH:
            break
    if system.sandwich:
        variance *= np.divide(sandwich, plain, out=np.ones(n + 1), where=plain > 0.0)
    variance[:n][setup.fixed] = 0.0
    if not setup.free[n]:
        variance[n] = 0.0
    deviation = np.sqrt(variance[:n])
    deviation[~setup.rated | setup.lonely()] = np.nan
    return Spread(
        deviation,
        None,
        float(np.sqrt(variance[n])),
        lambda right: system.solve(right, 1e-8),
        worst,
    )
