"""Players rated by their style: by the others of a table, or by those of another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.strength.style.model import cross_validate, fit_style
from yardstone.strength.style.table import read_style

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.parallel import Progress
    from yardstone.strength.style.model import Validation

    Array = NDArray[np.float64]

__all__ = ["StyleRatings", "rate_by_style"]


@dataclass(frozen=True, slots=True)
class StyleRatings:
    """Players with the ranks that their style tells.

    Attributes
    ----------
    players : tuple of str
    strength : float64 array
        Their true ranks; NaN where unknown.
    predicted, deviation : float64 arrays
    learned_from : int or None
        Number of players of the other table that the model was fitted to; None after a
        cross-validation.
    validation : Validation or None
        Of a cross-validation.
    """

    players: tuple[str, ...]
    strength: Array
    predicted: Array
    deviation: Array
    learned_from: int | None
    validation: Validation | None = None

    @property
    def known(self) -> NDArray[np.bool_]:
        """Players whose true rank is known."""
        return np.isfinite(self.strength)

    @property
    def error(self) -> float | None:
        """Root mean square distance from the true ranks; None where none is known."""
        known = self.known
        if not known.any():
            return None
        return float(np.sqrt(np.mean(np.square(self.predicted[known] - self.strength[known]))))


def rate_by_style(
    tables: Sequence[str],
    others: Sequence[str] = (),
    *,
    folds: int = 10,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> StyleRatings:
    """Ranks from tables of style features.

    Parameters
    ----------
    tables : sequence of str
        Files of the players to learn from; without `others` each of them is rated by a
        model that has seen the other parts of `folds`.
    others : sequence of str
        Files of players to rate, of the same features.
    folds, seed, workers, progress
        Of the cross-validation.

    Raises
    ------
    InputError
        The features of `others` are not those of `tables`, or a file cannot be read.
    """
    known = read_style(*tables)
    if others:
        table = read_style(*others)
        if table.names != known.names:
            raise InputError(
                f"has the features {_listed(table.names)} in place of {_listed(known.names)}",
                file=others[0],
                hint="give the same files in the same order for both",
            )
        rank, deviation = fit_style(known, seed=seed).predict(table.features)
        return StyleRatings(table.players, table.strength, rank, deviation, len(known))
    validation = cross_validate(known, folds=folds, seed=seed, workers=workers, progress=progress)
    rows = zip(known.players, known.strength, strict=True)
    return StyleRatings(
        tuple(name for name, rank in rows if rank == rank),
        validation.strength,
        validation.predicted,
        validation.deviation,
        None,
        validation,
    )


def _listed(names: tuple[str, ...]) -> str:
    first = ", ".join(names[:3])
    return f"{first} and {len(names) - 3} more" if len(names) > 3 else first
