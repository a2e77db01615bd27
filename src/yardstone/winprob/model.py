"""Models of winning: a law with what is known of its errors, and what it was made for.

==========  ===========================================================================
name        model
==========  ===========================================================================
fitted      the default: fitted to real tournaments (docs/studies/winning-model.md)
kaniuk      Kaniuk's coefficients of 2011; a handicap stone counts as a grade
egf         the expected score of the European Go Federation's ratings since 2021
goldis      Goldis' SKT-LR: margins by the ratio of strengths
elo         the logistic law on rating points, for chess; no handicap stones
a file      what ``yardstone winprob fit … --save FILE`` wrote
==========  ===========================================================================

**Errors.** A fit leaves a region of coefficients that are nearly as good: near its top the
log-likelihood is a quadratic, whose curvature is here the inverse of a covariance that counts
clusters of games (`yardstone.winprob.fit`). Coefficients that must not be negative cut the region
off. The interval of a probability is its range over the region, which reaches as far from the best
allowed point as Student's t for one quantity says: what a profile likelihood does, for games that
belong together. That is the interval of an average over events. Events differ more than that: the
log odds of one are those of the average times max(0, s), s normal about 1 with the deviation
`between`, which is added in quadrature. A weaker player is so at worst the equal of a stronger one.

Of what a probability is only a part of, such as the chance of a place, `model_draws` gives
intervals: computed once with each of many models, its quantiles are the interval. A draw
follows Student's t about the top of the likelihood, and coefficients that must not be negative
are set to zero where it would have them so.

**The file** of a model is small JSON, with all that its intervals need:

=============  ==========================================================================
key            value
=============  ==========================================================================
format         ``"yardstone winning model"``
version        1
name           what the model is called
about          what it was fitted to, in one line
link           ``"erf"`` or ``"logistic"``: `yardstone.winprob.kaniuk`
coefficients   by name; those not named are zero
free           names of those that were fitted
peak           top of the quadratic about the fit, in the order of ``free``
covariance     about it; null where nothing is known of the errors
freedom        degrees of freedom of Student's t
clusters       what the games were counted by, in words
between        by what share the log odds of one event differ from the average; null if unknown
no_interval    why there is no interval, where there is none
grades         weakest and strongest grade, and largest difference, of what was fitted
spread         standard deviation of players' strengths about their grades; null if unknown
made           the day, and the version of Yardstone
=============  ==========================================================================
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from math import hypot, sqrt
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from yardstone.choices import check_number, no_such
from yardstone.clusters import t_quantile
from yardstone.errors import InputError, MissingFileError, UsageError
from yardstone.files import read_bytes, write_text
from yardstone.grades import head_start, usual_komi
from yardstone.winprob.goldis import KOMI, MARGIN_DEVIATION, expected_margin
from yardstone.winprob.kaniuk import (
    ALL_PARAMETERS,
    EXTRAS,
    MAY_BE_NEGATIVE,
    PARAMETERS,
    PUBLISHED,
    GradeModel,
    Kaniuk,
    ProbabilityFormula,
    floats,
    log_gradients,
    lower_bounds,
    places,
)
from yardstone.winprob.laws import egf_probability, normal_cdf, win_probability
from yardstone.winprob.scales import egf_of_grade

if TYPE_CHECKING:
    import os

    from numpy.random import Generator

    from yardstone.arrays import Flags, Floats

    _Slice = tuple[float, Floats, Floats]


@dataclass(frozen=True, eq=False)
class WinningModel:
    """A model of winning; frozen."""

    name: str  #: One of `MODELS`, or the name of a file.
    about: str  #: In one line, what it was fitted to or where it is from.
    law: ProbabilityFormula  #: Its formula.
    #: What strengths are: grades in zero-shodan units (1 dan is 0, 1 kyu -1), or points.
    scale: Literal["grades", "points"] = "grades"
    #: Weakest and strongest grade, and largest difference of grades in even games, of what it was
    #: made for; beyond them it extrapolates.
    lowest: float = -np.inf
    highest: float = np.inf
    apart: float = np.inf
    region: CoefficientRegion | None = None  #: What is known of the errors of its coefficients.
    no_interval: str = "it was published without errors"  #: Why there is no interval.
    #: Deviation of strengths about grades, in grades, where it was fitted.
    spread: float | None = None
    made: str = ""  #: The day and the version of Yardstone, of a model from a file.

    def __repr__(self) -> str:
        return f"<WinningModel {self.name}: {self.about}>"

    @property
    def of_events(self) -> bool:
        """Whether it is known how much events differ, so that intervals are for one event."""
        return self.region is not None and self.region.between is not None

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Floats:
        """Probability that `first` beats `second`; shapes broadcast.

        `first`, `second`: strengths of the player who moves first (Black in Go) and of the other,
        on `scale`. `handicap`: stones of the first; 0 is an even game, and with 1 he only moves
        first. `komi`: points that the first gives: by default what is usual, 7 in an even game (8
        with Goldis) and none with stones. Raises `UsageError` if a strength is no number, or stones
        or komi are such as nobody gives.
        """
        if not (np.all(np.isfinite(first)) and np.all(np.isfinite(second))):
            raise UsageError("strengths must be numbers")
        return self.law.probability(first, second, handicap=handicap, komi=komi)

    def interval(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
        level: float = 0.95,
        average: bool = False,
    ) -> tuple[Floats, Floats] | None:
        """Return the interval of `probability` in one event, its parameters alike.

        `level`: 0 to 1. `average`: give the narrower interval of the average over events. Models
        that were fitted to games without events have no other. Returns low, high: None where
        nothing is known of the errors of the coefficients, or not of the worth of a stone where
        there are stones or another komi (`no_interval` says why).
        """
        if self.region is None:
            return None
        if "stone" not in self.region.free and np.any(head_start(handicap, komi) != 0.0):
            return None
        return self.region.interval(
            first, second, handicap=handicap, komi=komi, level=level, average=average
        )

    def extrapolates(self, first: ArrayLike, second: ArrayLike) -> Flags:
        """Whether these strengths lie outside what the model was made for."""
        one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
        outside = (np.minimum(one, two) < self.lowest) | (np.maximum(one, two) > self.highest)
        return np.asarray(outside | (np.abs(one - two) > self.apart))


class EgfLaw(ProbabilityFormula):
    """The expected score of the European Go Federation's ratings since 2021, on grades.

    1 dan is 2100 and a grade 100 points; a stone of Black's head start is a grade.
    """

    def _probability(self, r: Floats, s: Floats, h: Floats, c: Floats) -> Floats:
        return egf_probability(egf_of_grade(r + head_start(h, c)), egf_of_grade(s))


class GoldisLaw(ProbabilityFormula):
    """Goldis' SKT-LR: the expected margin by the ratio of strengths, with a normal scatter.

    A grade is 100 points, a stone and the fair komi, the usual one, are 8 points each. The scatter
    of 20 points is not his but that of `yardstone.ratings.sktlr`.
    """

    @staticmethod
    def usual(handicap: ArrayLike) -> Floats:
        """Komi where none is named."""
        return np.where(np.asarray(handicap) == 0.0, KOMI, 0.0)

    def _probability(self, r: Floats, s: Floats, h: Floats, c: Floats) -> Floats:
        given = c - KOMI * (np.maximum(h, 1.0) - 1.0)
        margin = expected_margin(100.0 * (r - s), given_komi=given)
        return normal_cdf(margin / MARGIN_DEVIATION)


class PointsLaw(ProbabilityFormula):
    """The logistic law on rating points of Elo's scale; no stones (`UsageError`) and no komi."""

    def _probability(self, r: Floats, s: Floats, h: Floats, c: Floats) -> Floats:
        if h.any():
            raise UsageError("elo: points have no handicap stones; kaniuk and others have")
        return win_probability(r - s)


#: The model where none is named.
DEFAULT = "fitted"
_SHIPPED = Path(__file__).parent / "data" / "winning_model.json"

#: The models that have a name, each with what makes it.
MODELS: Mapping[str, Callable[[], WinningModel]] = MappingProxyType(
    {
        "fitted": lambda: read_model(_SHIPPED),
        "kaniuk": partial(
            WinningModel,
            "kaniuk",
            "Kaniuk 2011, European games of 2001 to 2010; a handicap stone counts as a grade",
            GradeModel(PUBLISHED, {"stone": 1.0}),
            lowest=-20.0,
            highest=6.0,
            apart=4.0,
        ),
        "egf": partial(
            WinningModel,
            "egf",
            "the expected score of the European Go Federation's ratings since 2021",
            EgfLaw(),
            lowest=-30.0,
            highest=8.0,
        ),
        "goldis": partial(
            WinningModel,
            "goldis",
            "Goldis' SKT-LR: margins by the ratio of strengths, scattering by 20 points",
            GoldisLaw(),
            lowest=-19.0,
            highest=9.0,
        ),
        "elo": partial(
            WinningModel,
            "elo",
            "the logistic law of Elo's scale, 400 points a factor of ten",
            PointsLaw(),
            "points",
        ),
    }
)


@cache
def _named(name: str) -> WinningModel:
    return MODELS[name]()


def winning_model(name_or_path: str | os.PathLike[str] = DEFAULT) -> WinningModel:
    """A model by its name, or from the file of one.

    `name_or_path`: one of `MODELS`, or a file that `yardstone.winprob.model.write_model` or
    ``yardstone winprob fit --save`` wrote. Raises `UsageError` if no model has that name, and there
    is no such file; `InputError` if the file holds no model, or a malformed one.

    Examples:
        >>> from yardstone.winprob.model import winning_model
        >>> winning_model("kaniuk").probability([1, -4], [3, -2]).round(4)
        array([0.2216, 0.3581])
    """
    word = str(name_or_path)
    if isinstance(name_or_path, str) and word in MODELS:
        return _named(word)
    try:
        return read_model(Path(name_or_path))
    except MissingFileError:
        raise UsageError(
            f"{no_such('model of winning', word, MODELS)}; and there is no such file"
        ) from None


def with_coefficients(model: WinningModel, values: Mapping[str, float]) -> WinningModel:
    """The model with coefficients set by hand, which leaves it no interval.

    Raises `UsageError` if there is no such coefficient, it cannot be that, or the model has none.
    """
    if not isinstance(model.law, GradeModel):
        raise UsageError(f"the model {model.name} has no coefficients to set")
    vector = model.law.vector
    for name, value in values.items():
        if name not in ALL_PARAMETERS:
            raise UsageError(no_such("coefficient", name, ALL_PARAMETERS))
        least = None if name in MAY_BE_NEGATIVE else 0.0
        check_number(name, value, least=least, below=1.0 if name == "lapse" else None)
        vector[ALL_PARAMETERS.index(name)] = value
    words = ", ".join(f"{name} set to {value:g}" for name, value in values.items())
    return replace(
        model,
        about=f"{model.about}; {words}",
        law=GradeModel.from_vector(vector, model.law.link),
        region=None,
        no_interval="coefficients were set by hand",
        spread=None,
    )


FORMAT, VERSION = "yardstone winning model", 1
_MOST_BYTES = 1 << 16  #: A file of more bytes is none.
#: A name or line of more letters is none.
_MOST_LETTERS = 400
_HINT = "take a file that `yardstone winprob fit … --save FILE` wrote"
#: Eigenvalues of a covariance may be so far below zero by rounding, as a share of the largest.
_ROUNDING = 1e-9


def write_model(path: Path, model: WinningModel) -> None:
    """Write a model whose law is a `GradeModel`; whole or not at all.

    Raises `InputError` if the file cannot be written.
    """
    law = model.law
    if not isinstance(law, GradeModel):
        raise TypeError("only a model of fitted coefficients can be written")
    region = model.region
    values = dict(zip(ALL_PARAMETERS, law.vector.tolist(), strict=True))
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": model.name,
        "about": model.about,
        "link": law.link,
        "coefficients": {name: value for name, value in values.items() if value != 0.0},
        "free": [] if region is None else list(region.free),
        "peak": [] if region is None else region.peak.tolist(),
        "covariance": None if region is None else region.covariance.tolist(),
        "freedom": None if region is None else region.freedom,
        "clusters": "" if region is None else region.clusters,
        "between": None if region is None else region.between,
        "no_interval": model.no_interval,
        "grades": {"lowest": model.lowest, "highest": model.highest, "apart": model.apart},
        "spread": model.spread,
        "made": model.made,
    }
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_model(path: Path) -> WinningModel:
    """Read a model.

    Raises `MissingFileError` if there is no such file; `InputError` if it holds no model, or one
    that cannot be.
    """
    content = read_bytes(path, _MOST_BYTES, "a model of winning")
    try:
        values = json.loads(content.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise InputError("not a model of winning: not JSON", file=str(path), hint=_HINT) from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise InputError("not a model of winning", file=str(path), hint=_HINT)
    if values.get("version") != VERSION:
        raise InputError(
            f"a model of winning of version {values.get('version')!r}; this Yardstone reads "
            f"version {VERSION}",
            file=str(path),
        )
    try:
        return _model(values)
    except _Wrong as wrong:
        raise InputError(f"not a model of winning: {wrong}", file=str(path), hint=_HINT) from None


class _Wrong(Exception):
    """What is wrong with a file, in words."""


def _no_constant(word: str) -> float:
    raise ValueError(word)


def _need(sound: object, why: str) -> None:
    if not sound:
        raise _Wrong(why)


def _text(values: Mapping[str, Any], key: str) -> str:
    text = values.get(key)
    short = isinstance(text, str) and len(text) <= _MOST_LETTERS and text.isprintable()
    _need(short, f"{key} is not a short text")
    return str(text)


def _number(values: Mapping[str, Any], key: str, least: float = -np.inf) -> float:
    value = values.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e12:
        raise _Wrong(f"{key} is not a number")
    _need(value >= least, f"{key} is {'below 1' if least else 'negative'}")
    return float(value)


def _part(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = values.get(key)
    if not isinstance(part, dict):
        raise _Wrong(f"{key} is missing")
    return part


def _array(values: Mapping[str, Any], key: str, shape: tuple[int, ...]) -> Floats:
    try:
        array = np.array(values.get(key), np.float64)
    except (TypeError, ValueError, OverflowError):
        raise _Wrong(f"{key} holds something that is not a number") from None
    sound = array.shape == shape and np.isfinite(array).all()
    _need(sound, f"{key} has not the shape of {shape}, or is not finite")
    return array


def _model(values: Mapping[str, Any]) -> WinningModel:
    link = _text(values, "link")
    _need(link in ("erf", "logistic"), "link is neither erf nor logistic")
    coefficients = _part(values, "coefficients")
    if unknown := set(coefficients) - set(ALL_PARAMETERS):
        raise _Wrong(f"there is no coefficient {min(unknown)!r}")
    known = {
        name: _number(coefficients, name, -np.inf if name in MAY_BE_NEGATIVE else 0.0)
        for name in coefficients
    }
    _need(known.get("lapse", 0.0) < 1.0, "lapse is not below 1")
    law = GradeModel(
        Kaniuk.from_parameters({n: known[n] for n in PARAMETERS if n in known}),
        {n: known[n] for n in EXTRAS if n in known},
        "erf" if link == "erf" else "logistic",
    )
    grades = _part(values, "grades")
    lowest, highest, apart = (_number(grades, each) for each in ("lowest", "highest", "apart"))
    _need(lowest <= highest and apart >= 0.0, "the lowest grade lies above the highest")
    return WinningModel(
        _text(values, "name"),
        _text(values, "about"),
        law,
        lowest=lowest,
        highest=highest,
        apart=apart,
        region=None if values.get("covariance") is None else _region(values, law),
        no_interval=_text(values, "no_interval"),
        spread=None if values.get("spread") is None else _number(values, "spread", 0.0),
        made=_text(values, "made"),
    )


def _region(values: Mapping[str, Any], law: GradeModel) -> CoefficientRegion:
    free = values.get("free")
    if not isinstance(free, list) or not free or not set(map(str, free)) <= set(ALL_PARAMETERS):
        raise _Wrong("free does not name coefficients")
    _need("lapse" not in free, "a covariance does not hold with lapses among the free coefficients")
    size = len(free)
    _need(len(set(free)) == size, "free names a coefficient twice")
    covariance = _array(values, "covariance", (size, size))
    symmetric = np.allclose(covariance, covariance.T, rtol=1e-6, atol=0.0)
    _need(symmetric, "covariance is not symmetric")
    variance = np.diag(covariance)
    _need(np.all(variance >= 0.0), "covariance has a negative variance")
    scale = np.where(variance > 0.0, np.sqrt(variance), 1.0)
    least = np.linalg.eigvalsh(covariance / np.outer(scale, scale)).min()
    _need(least >= -_ROUNDING, "covariance is that of no coefficients")
    return CoefficientRegion(
        law,
        tuple(free),
        _array(values, "peak", (size,)),
        covariance,
        _number(values, "freedom", 1.0),
        _text(values, "clusters"),
        None if values.get("between") is None else _number(values, "between", 0.0),
    )


_TURNS = 3  #: Times that the direction of the extreme is looked for again where the last one led.


@dataclass(frozen=True, eq=False)
class CoefficientRegion:
    """The region about a fit; frozen."""

    model: GradeModel  #: The fit.
    free: tuple[str, ...]  #: Coefficients that were fitted.
    peak: Floats  #: (free,): the top of the quadratic if none were kept from being negative.
    covariance: Floats  #: (free, free): of the coefficients about it.
    freedom: float  #: Degrees of freedom of Student's t.
    clusters: str  #: What the games were counted by, in words, such as ``106 events``.
    #: Deviation of an event's log odds, as a share of them, if there are events.
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
    ) -> tuple[Floats, Floats]:
        """Return the ends of the interval of one event; parameters as `WinningModel.interval`."""
        given = usual_komi(handicap) if komi is None else komi
        games = floats(first, second, handicap, given)
        shape = games[0].shape
        stacked = np.stack([each.ravel() for each in games])
        rows, where = np.unique(stacked, axis=1, return_inverse=True)
        reach = self._reach(level)
        slices = self._slices(reach)
        differ = 0.0 if average or self.between is None else reach * self.between
        ends = [self._ends(row[:, None], reach, slices, differ) for row in rows.T]
        low, high = np.array(ends).reshape(-1, 2)[where.ravel()].T
        return low.reshape(shape), high.reshape(shape)

    def coefficient_interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """Lowest and highest value of a free coefficient in the region."""
        where = self.free.index(name)
        if not self.covariance[where, where] > 0.0:  # the games say nothing of it
            return float(self._floor[where]), np.inf
        along = np.eye(len(self.free))[where]
        reach = self._reach(level)
        slices = self._slices(reach)
        low, high = (self._furthest(sign * along, reach, slices)[where] for sign in (-1.0, 1.0))
        best = self.model.vector[ALL_PARAMETERS.index(name)]
        return float(min(low, best)), float(max(high, best))

    def _reach(self, level: float) -> float:
        if not 0.0 < level < 1.0:
            raise UsageError("a confidence level lies between 0 and 1")
        return t_quantile(0.5 + 0.5 * level, self.freedom)

    def _ends(
        self, game: Floats, reach: float, slices: list[_Slice], differ: float
    ) -> tuple[float, float]:
        """Range of the probability of one game (first, second, handicap, komi)."""
        best = self.model.vector
        index = places(self.free)
        middle, steepest = self._logit(best, game)
        ends = []
        for sign in (-1.0, 1.0):
            vector, end, slope = best.copy(), middle, steepest
            for _ in range(_TURNS):
                vector[index] = self._furthest(sign * slope[index], reach, slices)
                value, slope = self._logit(vector, game)
                end = min(end, value) if sign < 0.0 else max(end, value)
            wide = middle + sign * hypot(end - middle, differ * middle)
            if wide * middle < 0.0:  # no event turns players round
                wide = sign * max(sign * end, 0.0)
            ends.append(float(1.0 / (1.0 + np.exp(-wide))))
        return ends[0], ends[1]

    def _logit(self, vector: Floats, game: Floats) -> tuple[float, Floats]:
        """Log odds and their gradient by all parameters."""
        with np.errstate(over="ignore"):
            log_win, log_loss, win, loss = log_gradients(vector, self.model.link, *game)
        gradient = np.nan_to_num((win - loss)[:, 0])
        return float((log_win - log_loss)[0]), gradient

    @property
    def _floor(self) -> Floats:
        return lower_bounds(self.free)

    def _slices(self, reach: float) -> list[_Slice]:
        """Distance, centre and covariance of the region with near coefficients held at zero."""
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

    def _furthest(self, slope: Floats, reach: float, slices: list[_Slice]) -> Floats:
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


_MOST_LAPSE = 0.99  #: A share of results that strength does not explain stays below one.


def model_draws(model: WinningModel, number: int, rng: Generator) -> list[WinningModel]:
    """So many models with coefficients that the games allow; none where no error is known."""
    region = model.region
    if region is None:
        return []
    value, vectors = np.linalg.eigh(region.covariance)
    root = vectors * np.sqrt(np.maximum(value, 0.0))
    scale = np.sqrt(region.freedom / rng.chisquare(region.freedom, number))
    draws = region.peak + scale[:, None] * (rng.standard_normal((number, len(value))) @ root.T)
    most = [_MOST_LAPSE if name == "lapse" else np.inf for name in region.free]
    models = []
    for coefficients in np.clip(draws, lower_bounds(region.free), most):
        vector = region.model.vector
        vector[places(region.free)] = coefficients
        law = GradeModel.from_vector(vector, region.model.link)
        models.append(replace(model, law=law, region=None))
    return models
