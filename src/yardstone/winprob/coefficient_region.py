"""Which coefficients the games allow, and what they say of a probability.

A fit leaves a region of coefficients that are nearly as good: near its top the
log-likelihood is a quadratic, whose curvature is here the inverse of a covariance that
counts clusters of games (`yardstone.winprob.cluster_covariance`). Coefficients that must
not be negative cut the region off. The interval of a probability is its range over the
region, which reaches as far from the best allowed point as Student's t for one quantity
says: what a profile likelihood does, for games that belong together.

That is the interval of an average over events. Events differ more than that: the log odds of one
are those of the average times max(0, s), s normal about 1 with the deviation `between`, which
is added in quadrature. A weaker player is so at worst the equal of a stronger one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np

from yardstone.clusters import t_quantile
from yardstone.errors import UsageError
from yardstone.winprob.grade_model import ALL_PARAMETERS, GradeModel, log_gradients
from yardstone.winprob.head_start import usual_komi
from yardstone.winprob.likelihood import MAY_BE_NEGATIVE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    #: Distance, centre and covariance of a part of the region.
    _Slice = tuple[float, Array, Array]

__all__ = ["CoefficientRegion"]

#: Times that the direction of the extreme is looked for again where the last one led.
_TURNS = 3


@dataclass(frozen=True, eq=False)
class CoefficientRegion:
    """The region about a fit; frozen.

    Attributes
    ----------
    model : GradeModel
        The fit.
    free : tuple of str
        Coefficients that were fitted.
    peak : float64 array (free,)
        Where the quadratic would have its top if no coefficient were kept from being negative;
        the fit itself where none is held.
    covariance : float64 array (free, free)
        Of the coefficients about it.
    freedom : float
        Degrees of freedom of Student's t.
    clusters : str
        What the games were counted by, in words, such as ``106 events``.
    between : float, optional
        Standard deviation by which the log odds of an event differ from the average, as a share
        of them; None where the games name no events.
    """

    model: GradeModel
    free: tuple[str, ...]
    peak: Array
    covariance: Array
    freedom: float
    clusters: str
    between: float | None = None

    def interval(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
        level: float = 0.95,
        average: bool = False,
    ) -> tuple[Array, Array]:
        """Return the ends of the interval of one event; parameters as `WinningModel.interval`."""
        given = usual_komi(handicap) if komi is None else komi
        games = np.broadcast_arrays(
            *(np.asarray(x, np.float64) for x in (first, second, handicap, given))
        )
        shape = games[0].shape
        rows, where = np.unique(
            np.stack([each.ravel() for each in games]), axis=1, return_inverse=True
        )
        reach = self._reach(level)
        slices = self._slices(reach)
        differ = 0.0 if average or self.between is None else reach * self.between
        ends = np.array(
            [self._ends(row[:, None], reach, slices, differ) for row in rows.T]
        ).reshape(-1, 2)
        low, high = ends[where.ravel()].T
        return low.reshape(shape), high.reshape(shape)

    def coefficient_interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """Lowest and highest value of a free coefficient in the region."""
        where = self.free.index(name)
        if not self.covariance[where, where] > 0.0:  # the games say nothing of it
            return float(self._floor[where]), np.inf
        along = np.eye(len(self.free))[where]
        reach = self._reach(level)
        slices = self._slices(reach)
        low, high = (
            float(self._furthest(sign * along, reach, slices)[where]) for sign in (-1.0, 1.0)
        )
        best = float(self.model.vector[ALL_PARAMETERS.index(name)])
        return min(low, best), max(high, best)

    def _reach(self, level: float) -> float:
        if not 0.0 < level < 1.0:
            raise UsageError("a confidence level lies between 0 and 1")
        return t_quantile(0.5 + 0.5 * level, self.freedom)

    def _ends(
        self, game: Array, reach: float, slices: list[_Slice], differ: float
    ) -> tuple[float, float]:
        """Range of the probability of one game (first, second, handicap, komi)."""
        best = self.model.vector
        index = [ALL_PARAMETERS.index(name) for name in self.free]
        middle = self._logit(best, game)[0]
        ends = []
        for sign in (-1.0, 1.0):
            vector, end = best.copy(), middle
            for _ in range(_TURNS):
                slope = self._logit(vector, game)[1][index]
                vector[index] = self._furthest(sign * slope, reach, slices)
                value = self._logit(vector, game)[0]
                end = min(end, value) if sign < 0.0 else max(end, value)
            wide = middle + sign * hypot(end - middle, differ * middle)
            if wide * middle < 0.0:  # no event turns players round
                wide = sign * max(sign * end, 0.0)
            ends.append(float(1.0 / (1.0 + np.exp(-wide))))
        return ends[0], ends[1]

    def _logit(self, vector: Array, game: Array) -> tuple[float, Array]:
        """Log odds and their gradient by all parameters."""
        with np.errstate(over="ignore"):
            log_win, log_loss, win, loss = log_gradients(
                vector, self.model.link, *(each for each in game)
            )
        gradient = np.nan_to_num((win - loss)[:, 0])
        return float((log_win - log_loss)[0]), gradient

    @property
    def _floor(self) -> Array:
        return np.array([-np.inf if name in MAY_BE_NEGATIVE else 0.0 for name in self.free])

    def _slices(self, reach: float) -> list[_Slice]:
        """Distance, centre and covariance of the region with some coefficients held at zero.

        Only with coefficients whose bound is near enough to matter. Distances are those of
        the quadratic, less that of its best allowed point.
        """
        spread = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        most = reach
        while True:
            near = np.flatnonzero(self.peak - self._floor <= most * spread + 1e-12)
            slices = [
                self._slice(held)
                for size in range(len(near) + 1)
                for held in combinations(near.tolist(), size)
            ]
            least = min(float(d) for d, centre, _ in slices if np.all(centre >= self._floor - 1e-9))
            enough = sqrt(least + reach**2)
            if enough <= most + 1e-9:
                return [(d - least, centre, c) for d, centre, c in slices]
            most = enough

    def _slice(self, held: tuple[int, ...]) -> _Slice:
        if not held:
            return 0.0, self.peak, self.covariance
        at = list(held)
        inverse = np.linalg.pinv(self.covariance[np.ix_(at, at)], hermitian=True)
        off = self._floor[at] - self.peak[at]
        across = self.covariance[:, at] @ inverse
        centre = self.peak + across @ off
        centre[at] = self._floor[at]
        return float(off @ inverse @ off), centre, self.covariance - across @ self.covariance[at]

    def _furthest(self, slope: Array, reach: float, slices: list[_Slice]) -> Array:
        """The allowed coefficients of the region that are furthest along `slope`."""
        best, furthest = -np.inf, self.peak
        for distance, centre, covariance in slices:
            left = reach**2 - distance
            if left < 0.0:
                continue
            along = covariance @ slope
            size = sqrt(max(float(slope @ along), 0.0))
            point = centre if size == 0.0 else centre + sqrt(left) / size * along
            if np.all(point >= self._floor - 1e-9) and slope @ point > best:
                best, furthest = float(slope @ point), np.maximum(point, self._floor)
        return furthest
