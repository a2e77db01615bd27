"""Kaniuk's win probability between any two Go grades (April 2011), and what it leaves out.

Between grades r and s (zero-shodan units, s - r = d) the weaker player's chance
falls with d, and faster for stronger players. The model is

    p(r, s) = (1 - erf(Lambda(r, s))) / 2                                   (2)
    Lambda(r, s) = sum over n of h_n(s - r) exp(n K min(r, s))              (5)
    h_n(x) = u_n x + v_n x^3,  n = 0 .. 3                                   (6)

with positive u_n, v_n and K. The numbers in brackets are the paper's equations. Probabilities come
from the exact error function and keep their relative precision in both tails; the paper's own
approximation of it is in `yardstone_lab.kaniuk`.

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
    `yardstone.grades.head_start`: h stones with no komi count as ``h - 1/2``,
    a point of komi as a fourteenth.
``black``, ``komi``
    What moving first is worth in an even game at komi 7, in grades, and what a
    point of komi takes away beyond a fourteenth of ``stone``.
``link``
    ``"erf"`` as published, or ``"logistic"`` with the same slope at equality.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import pi, sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from yardstone.choices import check_fields, no_such
from yardstone.errors import UsageError
from yardstone.grades import check_conditions, head_start, usual_komi
from yardstone.winprob.laws import log_logistic, normal_cdf, normal_log_cdf

if TYPE_CHECKING:
    from yardstone.arrays import Floats

#: Names of all parameters, in the order of a parameter vector.
PARAMETERS = ("u0", "v0", "u1", "v1", "u2", "v2", "u3", "v3", "K")
TABLE_1 = ("u0", "v0", "u1", "u3", "K")  #: The five parameters of table 1.


#: How often K, times the weaker grade, stands in the exponent of each term of `basis`.
POWERS = np.repeat(np.arange(4.0), 2)


def floats(*values: ArrayLike) -> tuple[Floats, ...]:
    """Numbers as arrays of one shape."""
    return np.broadcast_arrays(*(np.asarray(each, np.float64) for each in values))


def basis(first: Floats, second: Floats, k: float) -> tuple[Floats, Floats, Floats]:
    """``second - first``, the weaker grade, and the terms of Lambda (equations 5 and 6).

    The terms, of shape (8, ...), are what u0, v0, u1, ... v3 are multiplied by.
    """
    difference = second - first
    weaker = np.minimum(first, second)
    growth = np.exp(np.multiply.outer(np.arange(4.0) * k, weaker))
    cubes = np.stack([difference, difference**3])
    terms = growth[:, None] * cubes[None]
    return difference, weaker, terms.reshape(8, *difference.shape)


@dataclass(frozen=True, slots=True)
class Kaniuk:
    """The model with one set of coefficients; frozen.

    Examples:
        >>> from yardstone.winprob.kaniuk import PUBLISHED
        >>> round(float(PUBLISHED.probability(1, 3)), 4)  # 2 dan against 4 dan
        0.2216
    """

    #: Coefficients of the difference and of its cube, for n = 0 .. 3.
    u: tuple[float, float, float, float]
    v: tuple[float, float, float, float]
    k: float  #: Growth of the exponentials per grade (the paper's K).

    @classmethod
    def from_parameters(cls, values: Mapping[str, float]) -> Kaniuk:
        """Model from named coefficients; those not named are zero."""
        if unknown := set(values) - set(PARAMETERS):
            raise UsageError(no_such("coefficient", min(unknown), PARAMETERS))
        full = [float(values.get(name, 0.0)) for name in PARAMETERS]
        u0, v0, u1, v1, u2, v2, u3, v3, k = full
        return cls((u0, u1, u2, u3), (v0, v1, v2, v3), k)

    @property
    def parameters(self) -> Mapping[str, float]:
        """All nine coefficients by name."""
        values = [*self.linear.tolist(), self.k]
        return MappingProxyType(dict(zip(PARAMETERS, values, strict=True)))

    @property
    def linear(self) -> Floats:
        """The eight coefficients of `basis`: u0, v0, u1, v1, ... v3."""
        return np.array([x for both in zip(self.u, self.v, strict=True) for x in both])

    def strength_gap(self, first: ArrayLike, second: ArrayLike) -> Floats:
        """Lambda(r, s): positive where `second` is the stronger (equation 5).

        Antisymmetric and zero at equal grades. Shapes broadcast.
        """
        r, s = floats(first, second)
        gap: Floats = np.tensordot(self.linear, basis(r, s, self.k)[2], 1)
        return gap

    def probability(self, first: ArrayLike, second: ArrayLike) -> Floats:
        """Probability that `first` beats `second` in an even game (equation 2)."""
        return normal_cdf(-sqrt(2.0) * self.strength_gap(first, second))


def gap_of_probability(probability: ArrayLike) -> Floats:
    """Lambda at which the model gives this probability (equation 4)."""
    from scipy.special import erfcinv

    return np.asarray(erfcinv(2.0 * np.asarray(probability, np.float64)))


#: Table 1, "solution": games of January 2001 to December 2010.
PUBLISHED = Kaniuk.from_parameters(
    {"u0": 0.0351224, "v0": 0.00445376, "u1": 0.156777, "u3": 0.0164481, "K": 0.18818}
)
#: Table 1, "initial": where the published fit starts.
INITIAL = Kaniuk.from_parameters({"u0": 0.04, "v0": 0.004, "u1": 0.1, "u3": 0.02, "K": 0.2})


Link = Literal["erf", "logistic"]
#: Terms beyond Kaniuk's, in the order of a parameter vector.
EXTRAS = ("low", "lapse", "black", "komi", "stone")
ALL_PARAMETERS = (*PARAMETERS, *EXTRAS)
MAY_BE_NEGATIVE = ("black", "komi")  #: Parameters of colour, which alone may be below zero.
LOW_GRADE = -12.0  #: Below this grade (12 kyu) the term ``low`` acts.
_SLOPE = 4.0 / sqrt(pi)  #: Logistic slope with the tangent of the error function at equal strength.


def places(names: Iterable[str]) -> list[int]:
    """Where coefficients stand in a vector of `ALL_PARAMETERS`."""
    return [ALL_PARAMETERS.index(name) for name in names]


def lower_bounds(names: Iterable[str]) -> Floats:
    """The least that each coefficient may be."""
    return np.array([-np.inf if name in MAY_BE_NEGATIVE else 0.0 for name in names])


class ProbabilityFormula:
    """What gives a probability of winning from strengths, stones and komi."""

    #: Komi that goes with stones where none is named.
    usual: Callable[[ArrayLike], Floats] = staticmethod(usual_komi)

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Floats:
        """Probability that the first, who is Black and moves first, beats the second.

        `first`, `second`: grades in zero-shodan units. `handicap`: stones of Black; 0 is an even
        game, and with 1 Black only moves first. `komi`: points that Black gives: by default the
        usual, 7 in an even game and none with stones.
        """
        given = self.usual(handicap) if komi is None else komi
        r, s, h, c = floats(first, second, handicap, given)
        check_conditions(h, c)
        return self._probability(r, s, h, c)

    @abstractmethod
    def _probability(self, r: Floats, s: Floats, h: Floats, c: Floats) -> Floats:
        """The same of arrays of one shape: strengths, stones, komi."""


@dataclass(frozen=True)
class GradeModel(ProbabilityFormula):
    """Kaniuk's model with colour, komi, handicap, low grades and lapses; frozen."""

    core: Kaniuk = PUBLISHED  #: The nine coefficients of Lambda.
    extras: Mapping[str, float] = field(default_factory=dict)  #: Values of `EXTRAS`, if not zero.
    link: Link = "erf"  #: From Lambda to a probability.

    def __post_init__(self) -> None:
        if unknown := set(self.extras) - set(EXTRAS):
            raise UsageError(no_such("term", min(unknown), EXTRAS))
        check_fields(self)

    @property
    def vector(self) -> Floats:
        """All parameters in the order of `ALL_PARAMETERS`."""
        core = [self.core.parameters[name] for name in PARAMETERS]
        return np.array(core + [float(self.extras.get(name, 0.0)) for name in EXTRAS])

    @classmethod
    def from_vector(cls, vector: Floats, link: Link = "erf") -> GradeModel:
        """The inverse of `vector`."""
        core = dict(zip(PARAMETERS, vector[: len(PARAMETERS)].tolist(), strict=True))
        extras = dict(zip(EXTRAS, vector[len(PARAMETERS) :].tolist(), strict=True))
        return cls(Kaniuk.from_parameters(core), extras, link)

    def _probability(self, r: Floats, s: Floats, h: Floats, c: Floats) -> Floats:
        worth = {name: float(self.extras.get(name, 0.0)) for name in EXTRAS}
        ahead = worth["black"] * (h == 0) - worth["komi"] * (c - usual_komi(h))
        gap = self.strength_gap(r + ahead + worth["stone"] * head_start(h, c), s)
        return np.exp(_link(gap, worth["lapse"], self.link)[0])

    def strength_gap(self, first: ArrayLike, second: ArrayLike) -> Floats:
        """Lambda with the term for low grades, without colour and handicap."""
        r, s = floats(first, second)
        low = float(self.extras.get("low", 0.0))
        below = np.maximum(0.0, LOW_GRADE - np.minimum(r, s))
        return np.asarray(self.core.strength_gap(r, s) + low * below * (s - r))


def log_probabilities(
    vector: Floats, link: Link, first: Floats, second: Floats, handicap: Floats, komi: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Logarithms of both probabilities and their derivatives, stable in the tails.

    Returns the logarithms of win and loss of `first` and their derivatives by Lambda (games,), and
    the derivatives of Lambda by each parameter (parameters, games), with that by ``lapse`` left 0.
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

    growing = ((vector[:8] * POWERS) @ terms.reshape(8, -1)).reshape(difference.shape)
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
    vector: Floats, link: Link, first: Floats, second: Floats, handicap: Floats, komi: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Logarithms of both probabilities, and their derivatives by every parameter.

    Of win and loss of `first`, (games,) each, then (`ALL_PARAMETERS`, games) each.
    """
    log_win, log_loss, win_slope, loss_slope, jacobian = log_probabilities(
        vector, link, first, second, handicap, komi
    )
    lapse = ALL_PARAMETERS.index("lapse")
    win_gradient, loss_gradient = win_slope * jacobian, loss_slope * jacobian
    win_gradient[lapse] = lapse_slope(log_win, vector[lapse])
    loss_gradient[lapse] = lapse_slope(log_loss, vector[lapse])
    return log_win, log_loss, win_gradient, loss_gradient


def lapse_slope(log_probability: Floats, lapse: float) -> Floats:
    """Derivative of the logarithm of a probability by the share of lapses in it."""
    with np.errstate(over="ignore"):  # hundreds of grades apart
        return np.asarray((0.5 * np.exp(-log_probability) - 1.0) / (1.0 - lapse))


def _link(gap: Floats, lapse: float, link: Link) -> tuple[Floats, Floats, Floats, Floats]:
    """Log probabilities of win and loss and their derivatives by Lambda."""
    if link == "erf":
        log_win, log_loss = (normal_log_cdf(way * sqrt(2.0) * gap) for way in (-1.0, 1.0))
        log_density = -(gap**2) - 0.5 * np.log(pi)
    else:
        log_win, log_loss = log_logistic(-_SLOPE * gap), log_logistic(_SLOPE * gap)
        log_density = np.log(_SLOPE) + log_win + log_loss
    if lapse > 0.0:
        floor, kept = np.log(0.5 * lapse), np.log1p(-lapse)
        log_win, log_loss = (np.logaddexp(floor, kept + each) for each in (log_win, log_loss))
        log_density = log_density + kept
    with np.errstate(over="ignore"):  # hundreds of grades apart
        slopes = -np.exp(log_density - log_win), np.exp(log_density - log_loss)
    return log_win, log_loss, *slopes
