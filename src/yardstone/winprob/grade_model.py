"""Win probability between grades, with what Kaniuk's model leaves out.

`GradeModel` is Kaniuk's Lambda with further terms, each zero by default:

``low``
    Below 12 kyu a stone decides *more* as players get weaker (Kaniuk 2011,
    section 8); adds ``low * max(0, -12 - min(r, s)) * (s - r)`` to Lambda.
``lapse``
    A share of results that grades do not explain at all (grades wrongly
    entered, declared without games, or long out of date): the probability is
    ``lapse/2 + (1 - lapse) p``. It decides what happens at differences of five
    grades and more, where the model alone allows no upset.
``stone``
    Grades that one handicap stone is worth. Black is ahead by the stones of
    `yardstone.winprob.head_start`: h stones with no komi count as ``h - 1/2``,
    a point of komi as a fourteenth.
``black``, ``komi``
    What moving first is worth in an even game at komi 7, in grades, and what a
    point of komi takes away beyond a fourteenth of ``stone``.
``link``
    ``"erf"`` as published, or ``"logistic"`` with the same slope at equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import pi, sqrt
from typing import TYPE_CHECKING, Literal

import numpy as np

from yardstone.choices import check_fields, no_such
from yardstone.errors import UsageError
from yardstone.winprob.head_start import check_conditions, head_start, usual_komi
from yardstone.winprob.kaniuk import PARAMETERS, PUBLISHED, Kaniuk, basis
from yardstone.winprob.logistic import log_logistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["ALL_PARAMETERS", "EXTRAS", "LOW_GRADE", "GradeModel", "Link", "log_gradients"]

Link = Literal["erf", "logistic"]
#: Terms beyond Kaniuk's, in the order of a parameter vector.
EXTRAS = ("low", "lapse", "black", "komi", "stone")
ALL_PARAMETERS = (*PARAMETERS, *EXTRAS)
#: Below this grade (12 kyu) the term ``low`` acts.
LOW_GRADE = -12.0
#: Logistic slope with the tangent of the error function at equal strength.
_SLOPE = 4.0 / sqrt(pi)


@dataclass(frozen=True, slots=True)
class GradeModel:
    """Kaniuk's model with colour, komi, handicap, low grades and lapses; frozen.

    Attributes
    ----------
    core : Kaniuk
        The nine coefficients of Lambda.
    extras : mapping
        Values of `EXTRAS`; those not named are zero.
    link : {"erf", "logistic"}
        From Lambda to a probability.
    """

    core: Kaniuk = PUBLISHED
    extras: Mapping[str, float] = field(default_factory=dict)
    link: Link = "erf"

    def __post_init__(self) -> None:
        if unknown := set(self.extras) - set(EXTRAS):
            raise UsageError(no_such("term", min(unknown), EXTRAS))
        check_fields(self)

    @property
    def vector(self) -> Array:
        """All parameters in the order of `ALL_PARAMETERS`."""
        core = [self.core.parameters[name] for name in PARAMETERS]
        return np.array(core + [float(self.extras.get(name, 0.0)) for name in EXTRAS])

    @classmethod
    def from_vector(cls, vector: Array, link: Link = "erf") -> GradeModel:
        """The inverse of `vector`."""
        core = dict(zip(PARAMETERS, vector[: len(PARAMETERS)].tolist(), strict=True))
        extras = dict(zip(EXTRAS, vector[len(PARAMETERS) :].tolist(), strict=True))
        return cls(Kaniuk.from_parameters(core), extras, link)

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Array:
        """Probability that `first` (Black) beats `second` (White).

        Parameters
        ----------
        first, second : array_like
            Grades in zero-shodan units.
        handicap : array_like
            Stones of Black; 0 is an even game, and with 1 Black only moves first.
        komi : array_like, optional
            Points that Black gives: by default 7 in an even game, none with stones.
        """
        given = usual_komi(handicap) if komi is None else komi
        r, s, h, c = np.broadcast_arrays(
            *(np.asarray(x, np.float64) for x in (first, second, handicap, given))
        )
        check_conditions(h, c)
        worth = {name: float(self.extras.get(name, 0.0)) for name in EXTRAS}
        ahead = worth["black"] * (h == 0) - worth["komi"] * (c - usual_komi(h))
        gap = self.strength_gap(r + ahead + worth["stone"] * head_start(h, c), s)
        return np.exp(_link(gap, worth["lapse"], self.link)[0])

    def strength_gap(self, first: ArrayLike, second: ArrayLike) -> Array:
        """Lambda with the term for low grades, without colour and handicap."""
        r, s = np.broadcast_arrays(np.asarray(first, np.float64), np.asarray(second, np.float64))
        low = float(self.extras.get("low", 0.0))
        below = np.maximum(0.0, LOW_GRADE - np.minimum(r, s))
        return np.asarray(self.core.strength_gap(r, s) + low * below * (s - r))


def log_probabilities(
    vector: Array, link: Link, first: Array, second: Array, handicap: Array, komi: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Logarithms of both probabilities and their derivatives, stable in the tails.

    Returns
    -------
    log_win, log_loss : arrays (games,)
        Of `first`.
    win_slope, loss_slope : arrays (games,)
        Derivatives of the two by Lambda.
    jacobian : array (parameters, games)
        Derivative of Lambda by each parameter, with that by ``lapse`` left 0.
    """
    named = dict(zip(ALL_PARAMETERS, vector.tolist(), strict=True))
    even = handicap == 0
    white_points = komi - usual_komi(handicap)
    stones = head_start(handicap, komi)
    shift = named["black"] * even - named["komi"] * white_points + named["stone"] * stones
    moved = first + shift
    difference, weaker, terms = basis(moved, second, named["K"])
    below = np.maximum(0.0, LOW_GRADE - weaker)
    gap = vector[:8] @ terms.reshape(8, -1) + (named["low"] * below * difference).ravel()
    gap = gap.reshape(difference.shape)

    powers = np.repeat(np.arange(4.0), 2)
    growing = ((vector[:8] * powers) @ terms.reshape(8, -1)).reshape(difference.shape)
    # d Lambda / d moved: by the difference, and by the weaker grade where that is `moved`.
    by_difference = named["low"] * below
    for n in range(4):
        u, v = vector[2 * n], vector[2 * n + 1]
        by_difference = by_difference + (u + 3.0 * v * difference**2) * np.exp(
            n * named["K"] * weaker
        )
    by_weaker = named["K"] * growing - named["low"] * (weaker < LOW_GRADE) * difference
    by_shift = -by_difference + np.where(difference > 0.0, by_weaker, 0.0)
    jacobian = np.stack(
        [
            *terms,
            growing * weaker,
            below * difference,
            np.zeros_like(gap),
            by_shift * even,
            -by_shift * white_points,
            by_shift * stones,
        ]
    )
    return (*_link(gap, named["lapse"], link), jacobian)


def log_gradients(
    vector: Array, link: Link, first: Array, second: Array, handicap: Array, komi: Array
) -> tuple[Array, Array, Array, Array]:
    """Logarithms of both probabilities, and their derivatives by every parameter.

    Returns
    -------
    log_win, log_loss : arrays (games,)
        Of `first`.
    win_gradient, loss_gradient : arrays (parameters, games)
        In the order of `ALL_PARAMETERS`.
    """
    log_win, log_loss, win_slope, loss_slope, jacobian = log_probabilities(
        vector, link, first, second, handicap, komi
    )
    lapse = ALL_PARAMETERS.index("lapse")
    win_gradient, loss_gradient = win_slope * jacobian, loss_slope * jacobian
    win_gradient[lapse] = lapse_slope(log_win, vector[lapse])
    loss_gradient[lapse] = lapse_slope(log_loss, vector[lapse])
    return log_win, log_loss, win_gradient, loss_gradient


def lapse_slope(log_probability: Array, lapse: float) -> Array:
    """Derivative of the logarithm of a probability by the share of lapses in it."""
    return np.asarray((0.5 * np.exp(-log_probability) - 1.0) / (1.0 - lapse))


def _link(gap: Array, lapse: float, link: Link) -> tuple[Array, Array, Array, Array]:
    """Log probabilities of win and loss and their derivatives by Lambda."""
    if link == "erf":
        from scipy.special import log_ndtr

        log_win, log_loss = log_ndtr(-sqrt(2.0) * gap), log_ndtr(sqrt(2.0) * gap)
        log_density = -(gap**2) - 0.5 * np.log(pi)
    else:
        log_win, log_loss = log_logistic(-_SLOPE * gap), log_logistic(_SLOPE * gap)
        log_density = np.log(_SLOPE) + log_win + log_loss
    if lapse > 0.0:
        floor, kept = np.log(0.5 * lapse), np.log1p(-lapse)
        log_win, log_loss = (
            np.logaddexp(floor, kept + log_win),
            np.logaddexp(floor, kept + log_loss),
        )
        log_density = log_density + kept
    with np.errstate(over="ignore"):  # hundreds of grades apart
        slopes = -np.exp(log_density - log_win), np.exp(log_density - log_loss)
    return log_win, log_loss, *slopes
