"""Models of winning drawn from what is known of a model's coefficients.

For intervals of what a probability is only a part of, such as the chance of a place: computed
once with each of many models, its quantiles are the interval. A draw follows Student's t
about the top of the likelihood, as the interval of a single probability does
(`yardstone.winprob.coefficient_region`), and coefficients that must not be negative are
set to zero where it would have them so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.winprob.grade_model import ALL_PARAMETERS, GradeModel
from yardstone.winprob.likelihood import MAY_BE_NEGATIVE

if TYPE_CHECKING:
    from numpy.random import Generator

    from yardstone.winprob.models import WinningModel

__all__ = ["model_draws"]

#: A share of results that strength does not explain stays below one.
_MOST_LAPSE = 0.99


def model_draws(model: WinningModel, number: int, rng: Generator) -> list[WinningModel]:
    """So many models with coefficients that the games allow; none where no error is known.

    Parameters
    ----------
    model : WinningModel
    number : int
    rng : numpy.random.Generator
    """
    region = model.region
    if region is None:
        return []
    value, vectors = np.linalg.eigh(region.covariance)
    root = vectors * np.sqrt(np.maximum(value, 0.0))
    scale = np.sqrt(region.freedom / rng.chisquare(region.freedom, number))
    draws = region.peak + scale[:, None] * (rng.standard_normal((number, len(value))) @ root.T)
    floor = [-np.inf if name in MAY_BE_NEGATIVE else 0.0 for name in region.free]
    most = [_MOST_LAPSE if name == "lapse" else np.inf for name in region.free]
    index = [ALL_PARAMETERS.index(name) for name in region.free]
    models = []
    for coefficients in np.clip(draws, floor, most):
        vector = region.model.vector
        vector[index] = coefficients
        law = GradeModel.from_vector(vector, region.model.link)
        models.append(replace(model, law=law, region=None))
    return models
