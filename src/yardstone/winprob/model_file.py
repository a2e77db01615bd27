"""The file of a model of winning: small JSON, with all that its intervals need.

=============  ==========================================================================
key            value
=============  ==========================================================================
format         ``"yardstone winning model"``
version        1
name           what the model is called
about          what it was fitted to, in one line
link           ``"erf"`` or ``"logistic"``: `yardstone.winprob.grade_model`
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

Peak, covariance, freedom, clusters and between are those of
`yardstone.winprob.coefficient_region.CoefficientRegion`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, MissingFileError
from yardstone.files import write_text
from yardstone.winprob.coefficient_region import CoefficientRegion
from yardstone.winprob.grade_model import ALL_PARAMETERS, EXTRAS, GradeModel
from yardstone.winprob.kaniuk import PARAMETERS, Kaniuk
from yardstone.winprob.likelihood import MAY_BE_NEGATIVE
from yardstone.winprob.model import WinningModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_model", "write_model"]

FORMAT, VERSION = "yardstone winning model", 1
#: A file of more bytes is none.
_MOST_BYTES = 1 << 16
#: A name or line of more letters is none.
_MOST_LETTERS = 400
_HINT = "take a file that `yardstone winprob fit … --save FILE` wrote"
#: Eigenvalues of a covariance may be so far below zero by rounding, as a share of the largest.
_ROUNDING = 1e-9


def write_model(path: Path, model: WinningModel) -> None:
    """Write a model whose law is a `GradeModel`; whole or not at all.

    Raises
    ------
    InputError
        The file cannot be written.
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

    Raises
    ------
    MissingFileError
        There is no such file.
    InputError
        It holds no model, or one that cannot be.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise MissingFileError("there is no such file", file=str(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path), hint=_HINT) from error
    if len(content) > _MOST_BYTES:
        raise InputError("too large for a model of winning", file=str(path), hint=_HINT)
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
        return _model(_Values(values))
    except _Wrong as wrong:
        raise InputError(f"not a model of winning: {wrong}", file=str(path), hint=_HINT) from None


class _Wrong(Exception):
    """What is wrong with a file, in words."""


def _no_constant(word: str) -> float:
    raise ValueError(word)


@dataclass(frozen=True)
class _Values:
    """The values of a file, each taken with the type it must have."""

    values: Mapping[str, Any]

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str) or len(value) > _MOST_LETTERS or not value.isprintable():
            raise _Wrong(f"{key} is not a short text")
        return value

    def number(self, key: str) -> float:
        return _number(key, self.values.get(key))

    def part(self, key: str) -> _Values:
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise _Wrong(f"{key} is missing")
        return _Values(value)

    def array(self, key: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
        value = self.values.get(key)
        try:
            array = np.array(value, np.float64)
        except (TypeError, ValueError):
            raise _Wrong(f"{key} holds something that is not a number") from None
        if array.shape != shape or not np.isfinite(array).all():
            raise _Wrong(f"{key} has not the shape of {shape}, or is not finite")
        return array


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e12:
        raise _Wrong(f"{key} is not a number")
    return float(value)


def _model(values: _Values) -> WinningModel:
    link = values.text("link")
    if link not in ("erf", "logistic"):
        raise _Wrong("link is neither erf nor logistic")
    coefficients = values.part("coefficients").values
    if unknown := set(coefficients) - set(ALL_PARAMETERS):
        raise _Wrong(f"there is no coefficient {min(unknown)!r}")
    known = {name: _number(name, value) for name, value in coefficients.items()}
    for name, value in known.items():
        if name not in MAY_BE_NEGATIVE and value < 0.0:
            raise _Wrong(f"{name} is negative")
    if not known.get("lapse", 0.0) < 1.0:
        raise _Wrong("lapse is not below 1")
    law = GradeModel(
        Kaniuk.from_parameters({n: known[n] for n in PARAMETERS if n in known}),
        {n: known[n] for n in EXTRAS if n in known},
        "erf" if link == "erf" else "logistic",
    )
    grades = values.part("grades")
    lowest, highest, apart = (grades.number(each) for each in ("lowest", "highest", "apart"))
    if not lowest <= highest or apart < 0.0:
        raise _Wrong("the lowest grade lies above the highest")
    spread = None if values.values.get("spread") is None else values.number("spread")
    if spread is not None and not spread >= 0.0:
        raise _Wrong("spread is negative")
    return WinningModel(
        values.text("name"),
        values.text("about"),
        law,
        lowest=lowest,
        highest=highest,
        apart=apart,
        region=_region(values, law),
        no_interval=values.text("no_interval"),
        spread=spread,
        made=values.text("made"),
    )


def _region(values: _Values, law: GradeModel) -> CoefficientRegion | None:
    if values.values.get("covariance") is None:
        return None
    free = values.values.get("free")
    if not isinstance(free, list) or not free or not set(map(str, free)) <= set(ALL_PARAMETERS):
        raise _Wrong("free does not name coefficients")
    if "lapse" in free:
        raise _Wrong("a covariance does not hold with lapses among the free coefficients")
    if len(set(free)) != len(free):
        raise _Wrong("free names a coefficient twice")
    size = len(free)
    covariance = values.array("covariance", (size, size))
    if not np.allclose(covariance, covariance.T, rtol=1e-6, atol=0.0):
        raise _Wrong("covariance is not symmetric")
    if not np.all(np.diag(covariance) >= 0.0):
        raise _Wrong("covariance has a negative variance")
    error = np.sqrt(np.diag(covariance))
    scale = np.where(error > 0.0, error, 1.0)
    if np.linalg.eigvalsh(covariance / np.outer(scale, scale)).min() < -_ROUNDING:
        raise _Wrong("covariance is that of no coefficients")
    freedom = values.number("freedom")
    if not freedom >= 1.0:
        raise _Wrong("freedom is below 1")
    between = None if values.values.get("between") is None else values.number("between")
    if between is not None and not between >= 0.0:
        raise _Wrong("between is negative")
    return CoefficientRegion(
        law,
        tuple(free),
        values.array("peak", (size,)),
        covariance,
        freedom,
        values.text("clusters"),
        between,
    )
