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
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from yardstone.errors import MissingFileError, UsageError
from yardstone.winprob.model import WinningModel

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

__all__ = ["DEFAULT", "MODELS", "WinningModel", "winning_model", "with_coefficients"]

#: The model where none is named.
DEFAULT = "fitted"
_SHIPPED = Path(__file__).parent / "data" / "winning_model.json"


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
