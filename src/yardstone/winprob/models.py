"""Models of winning by name or file: one object for every command that needs a probability.

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
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from yardstone.errors import MissingFileError, UsageError
from yardstone.winprob.head_start import head_start

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from yardstone.winprob.coefficient_region import CoefficientRegion

    Array = NDArray[np.float64]

__all__ = ["DEFAULT", "MODELS", "Law", "WinningModel", "winning_model", "with_coefficients"]

#: The model where none is named.
DEFAULT = "fitted"
_SHIPPED = Path(__file__).parent / "data" / "winning_model.json"


class Law(Protocol):
    """What gives a probability."""

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Array:
        """Probability that the first, who is Black and moves first, wins."""
        ...


@dataclass(frozen=True, eq=False)
class WinningModel:
    """A model of winning; frozen.

    Attributes
    ----------
    name : str
        One of `MODELS`, or the name of a file.
    about : str
        In one line, what it was fitted to or where it is from.
    law : Law
        Its formula.
    scale : {"grades", "points"}
        What strengths are: grades in zero-shodan units (1 dan is 0, 1 kyu -1), or points.
    lowest, highest, apart : float
        Weakest and strongest grade, and largest difference of grades in even games, of what
        it was made for; beyond them it extrapolates.
    region : CoefficientRegion, optional
        What is known of the errors of its coefficients.
    no_interval : str
        Why there is no interval, where there is none.
    spread : float, optional
        Standard deviation of players' true strengths about their grades, in grades, where it
        was fitted.
    made : str
        The day and the version of Yardstone, of a model from a file.
    """

    name: str
    about: str
    law: Law
    scale: Literal["grades", "points"] = "grades"
    lowest: float = -np.inf
    highest: float = np.inf
    apart: float = np.inf
    region: CoefficientRegion | None = None
    no_interval: str = "it was published without errors"
    spread: float | None = None
    made: str = ""

    def __repr__(self) -> str:
        return f"<WinningModel {self.name}: {self.about}>"

    def probability(
        self,
        first: ArrayLike,
        second: ArrayLike,
        *,
        handicap: ArrayLike = 0.0,
        komi: ArrayLike | None = None,
    ) -> Array:
        """Probability that `first` beats `second`; shapes broadcast.

        Parameters
        ----------
        first, second : array_like
            Strengths of the player who moves first (Black in Go) and of the other, on `scale`.
        handicap : array_like
            Stones of the first; 0 is an even game, and with 1 he only moves first.
        komi : array_like, optional
            Points that the first gives: by default what is usual, 7 in an even game (8 with
            Goldis) and none with stones.

        Raises
        ------
        UsageError
            A strength is no number, or stones or komi are such as nobody gives.
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
    ) -> tuple[Array, Array] | None:
        """Interval of `probability`, its parameters alike.

        Parameters
        ----------
        level : float
            0 to 1.

        Returns
        -------
        low, high : arrays
            None where nothing is known of the errors of the coefficients, or not of the worth
            of a stone where there are stones or another komi (`no_interval` says why).
        """
        if self.region is None:
            return None
        if "stone" not in self.region.free and np.any(head_start(handicap, komi) != 0.0):
            return None
        return self.region.interval(first, second, handicap=handicap, komi=komi, level=level)

    def extrapolates(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.bool_]:
        """Whether these strengths lie outside what the model was made for."""
        one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
        outside = (np.minimum(one, two) < self.lowest) | (np.maximum(one, two) > self.highest)
        return np.asarray(outside | (np.abs(one - two) > self.apart))


def _kaniuk() -> WinningModel:
    from yardstone.winprob.grade_model import GradeModel
    from yardstone.winprob.kaniuk import PUBLISHED

    return WinningModel(
        "kaniuk",
        "Kaniuk 2011, European games of 2001 to 2010; a handicap stone counts as a grade",
        GradeModel(PUBLISHED, {"stone": 1.0}),
        lowest=-20.0,
        highest=6.0,
        apart=4.0,
    )


def _egf() -> WinningModel:
    from yardstone.winprob.published_laws import EgfLaw

    return WinningModel(
        "egf",
        "the expected score of the European Go Federation's ratings since 2021",
        EgfLaw(),
        lowest=-30.0,
        highest=8.0,
    )


def _goldis() -> WinningModel:
    from yardstone.winprob.published_laws import GoldisLaw

    return WinningModel(
        "goldis",
        "Goldis' SKT-LR: margins by the ratio of strengths, scattering by 20 points",
        GoldisLaw(),
        lowest=-19.0,
        highest=9.0,
    )


def _elo() -> WinningModel:
    from yardstone.winprob.published_laws import PointsLaw

    return WinningModel(
        "elo", "the logistic law of Elo's scale, 400 points a factor of ten", PointsLaw(), "points"
    )


def _fitted() -> WinningModel:
    from yardstone.winprob.model_file import read_model

    return read_model(_SHIPPED)


#: The models that have a name, each with what makes it.
MODELS: Mapping[str, Callable[[], WinningModel]] = MappingProxyType(
    {"fitted": _fitted, "kaniuk": _kaniuk, "egf": _egf, "goldis": _goldis, "elo": _elo}
)


@cache
def _named(name: str) -> WinningModel:
    return MODELS[name]()


def winning_model(name_or_path: str | os.PathLike[str] = DEFAULT) -> WinningModel:
    """A model by its name, or from the file of one.

    Parameters
    ----------
    name_or_path : str or path
        One of `MODELS`, or a file that `yardstone.winprob.model_file.write_model` or
        ``yardstone winprob fit --save`` wrote.

    Raises
    ------
    UsageError
        No model has that name, and there is no such file.
    InputError
        The file holds no model, or a malformed one.

    Examples
    --------
    >>> from yardstone.winprob.models import winning_model
    >>> winning_model("kaniuk").probability([1, -4], [3, -2]).round(4)
    array([0.2216, 0.3581])
    """
    from yardstone.winprob.model_file import read_model

    word = str(name_or_path)
    if isinstance(name_or_path, str) and word in MODELS:
        return _named(word)
    try:
        return read_model(Path(name_or_path))
    except MissingFileError:
        from yardstone.choices import no_such

        raise UsageError(
            f"{no_such('model of winning', word, MODELS)}; and there is no such file"
        ) from None


def with_coefficients(model: WinningModel, values: Mapping[str, float]) -> WinningModel:
    """The model with coefficients set by hand, which leaves it no interval.

    Raises
    ------
    UsageError
        There is no such coefficient, it cannot be that, or the model has none.
    """
    from yardstone.choices import check_number, no_such
    from yardstone.winprob.grade_model import ALL_PARAMETERS, GradeModel
    from yardstone.winprob.likelihood import MAY_BE_NEGATIVE

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
