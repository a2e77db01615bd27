"""`Lift`: products and random features of the values of a move, for a linear model.

A linear model of the values sees no interplay between them. So the values are lifted:
the trunk at the move times how likely the move and the best move were, squares, and
rectified random projections (Rahimi and Recht 2008, Weighted sums of random kitchen
sinks) of all values, of the trunk at the move, and of what that gains over the moves
that the network would have played. Last come what moves of one player have to do with
each other: products of the scalars with those of the next move and of the one after it,
and spells, that is how far the scalars of eight moves in a row lie from the usual,
whichever way.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.strength.rank.course import SPELL
from yardstone.strength.rank.scalar import MoveFacts, goes_on
from yardstone.strength.rank.values import SCALARS, column, move_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.strength.evidence import Evidence

    Floats = NDArray[np.float32]

__all__ = ["LATER", "Lift", "random_lift"]

#: Values further from the mean than this many deviations count as that far: what the
#: model has never met must not carry it away.
CLIP = 8.0
_PRODUCTS = 5
#: The scalars of a move are multiplied with those of the player's moves so much later.
LATER = (1, 2)
_LEAST_DEVIATION = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Lift:
    """Weights that standardise and lift v = 4 channels + scalars values of a move.

    Attributes
    ----------
    mean, deviation : float32 [v]
        Of the values in training.
    pick_weights : float32 [channels, a]
        Random projections of the trunk at a point.
    pick_bias : float32 [a]
    weights : float32 [v, b]
        Random projections of all values.
    bias : float32 [b]
    pairs : float32 [2, scalars]
        Usual product of the standardised scalars with those of the next move, and of
        the one after it.
    spell : float32 [scalars]
        How far the standardised scalars of eight moves in a row usually lie from 0.
    """

    mean: Floats
    deviation: Floats
    pick_weights: Floats
    pick_bias: Floats
    weights: Floats
    bias: Floats
    pairs: Floats
    spell: Floats

    @property
    def channels(self) -> int:
        """Width of the trunk."""
        return len(self.pick_weights)

    @property
    def values(self) -> int:
        """Number of values of a move."""
        return len(self.mean)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Widths of the kinds of lifted values."""
        projections = (*[len(self.pick_bias)] * 2, len(self.bias))
        scalars = [len(self.spell)] * (len(LATER) + 1)
        return (*[self.channels] * _PRODUCTS, *projections, *scalars)

    @property
    def lifted(self) -> int:
        """Number of lifted values of a move."""
        return sum(self.blocks)

    def arrays(self) -> dict[str, Floats]:
        """The weights by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __call__(self, evidence: Evidence) -> tuple[Floats, Floats]:
        """Values and lifted values of each move.

        Returns
        -------
        float32 [n, v]
            Standardised, none of them further out than `CLIP`; 0 where nothing is known.
        float32 [n, lifted]
        """
        facts = MoveFacts(evidence)
        x = _standardised(move_values(evidence, facts), self.mean, self.deviation)
        pick, expected, log_policy, log_best, scalars = (
            x[:, column(name, self.channels)]
            for name in ("pick", "expected", "log_policy", "log_best", "scalars")
        )
        gain = pick - expected
        at_pick = np.maximum(pick @ self.pick_weights + self.pick_bias, 0.0)
        everything = [
            pick * log_policy,
            pick * log_best,
            gain * log_policy,
            gain**2,
            pick**2,
            at_pick,
            at_pick - self._expected(facts, at_pick),
            np.maximum(x @ self.weights + self.bias, 0.0),
            *_pairs(scalars, evidence, self.pairs),
            _spells(scalars, evidence, self.spell),
        ]
        return x, np.concatenate(everything, axis=1)

    def _expected(self, facts: MoveFacts, at_pick: Floats) -> Floats:
        """Mean of the projections at the candidates and the move, weighted with the policy."""
        shape = facts.evidence.candidates.shape
        pick = column("pick", self.channels)
        candidates = facts.evidence.candidates.reshape(-1, self.channels).astype(np.float32)
        candidates = _standardised(candidates, self.mean[pick], self.deviation[pick])
        projected = np.maximum(candidates @ self.pick_weights + self.pick_bias, 0.0)
        own, others = facts.shares
        mean = np.matmul(others[:, None], projected.reshape(*shape[:2], -1))[:, 0]
        return np.asarray(mean + own[:, None] * at_pick)


def _standardised(values: Floats, mean: Floats, deviation: Floats) -> Floats:
    return np.asarray(np.clip(np.nan_to_num((values - mean) / deviation), -CLIP, CLIP))


def _pairs(scalars: Floats, evidence: Evidence, usual: Floats) -> list[Floats]:
    """How much more than usual the scalars agree with those of the player's later moves.

    0 where the game does not go on so far.
    """
    agreement = [np.zeros_like(scalars) for _ in LATER]
    for products, steps, mean in zip(agreement, LATER, usual, strict=True):
        rows = np.flatnonzero(goes_on(evidence, steps))
        products[rows] = scalars[rows] * scalars[rows + steps] - mean
    return agreement


def _spells(scalars: Floats, evidence: Evidence, usual: Floats) -> Floats:
    """How much further than usual the means of so many moves in a row lie from 0.

    0 where the game does not go on for so many.
    """
    distance = np.zeros_like(scalars)
    if len(scalars) >= SPELL:
        summed = np.cumsum(scalars, axis=0, dtype=np.float64)
        summed[SPELL:] -= summed[:-SPELL].copy()
        there = goes_on(evidence, SPELL - 1)
        means = summed[SPELL - 1 :] / SPELL
        distance[there] = np.abs(means[there[: len(means)]]) - usual
    return distance


def random_lift(
    evidence: Evidence, *, pick_units: int, units: int, random: np.random.Generator
) -> Lift:
    """A lift with random weights for moves like some.

    Parameters
    ----------
    evidence : Evidence
        Whole sides of some games.
    pick_units, units : int
        Projections of the trunk at a point, and of all values.
    random : numpy.random.Generator
    """

    def kept(values: NDArray[Any]) -> Floats:
        # The weights have the precision that they are kept in.
        return values.astype(np.float16).astype(np.float32)

    def weights(rows: int, columns: int) -> tuple[Floats, Floats]:
        drawn = random.normal(size=(rows, columns)) / np.sqrt(rows)
        return kept(drawn), kept(random.normal(size=columns) / 2.0)

    values = move_values(evidence).astype(np.float64)
    known = ~np.isnan(values)
    number = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, values, 0.0).sum(axis=0) / number
    variance = (np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / number
    plain = Lift(
        kept(mean),
        kept(np.maximum(np.sqrt(variance), _LEAST_DEVIATION)),
        *weights(evidence.channels, pick_units),
        *weights(values.shape[1], units),
        pairs=np.zeros((len(LATER), len(SCALARS)), np.float32),
        spell=np.zeros(len(SCALARS), np.float32),
    )
    x = _standardised(values.astype(np.float32), plain.mean, plain.deviation)
    x = x[:, column("scalars", evidence.channels)]

    def usual(values: Floats, steps: int) -> Floats:
        number = max(int(goes_on(evidence, steps).sum()), 1)
        return kept(values.sum(axis=0, dtype=np.float64) / number)

    pairs = zip(_pairs(x, evidence, plain.pairs), LATER, strict=True)
    return replace(
        plain,
        pairs=np.stack([usual(products, steps) for products, steps in pairs]),
        spell=usual(_spells(x, evidence, plain.spell), SPELL - 1),
    )
