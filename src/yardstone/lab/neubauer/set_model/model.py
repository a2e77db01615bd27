"""From sides of games to a `SetScorer`, and what it says of players it has not seen.

A network is trained for each fold of players, and one on all. What those of the folds say
of the sides that they have not seen is brought down to a few directions, those in which
Fox groups lie apart most and those in which OGS bands do; the last network gives its
scores along these.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.errors import InputError, NoGamesError
from yardstone.lab.neubauer.rank.spread import discriminant_directions
from yardstone.lab.neubauer.set_model.sides import BANDS, SetSides
from yardstone.strength.rank.ranks import RANKS
from yardstone.strength.set_model.file import INPUT, USUAL
from yardstone.strength.set_model.hyperparameters import SMALL, Hyperparameters
from yardstone.strength.set_model.scorer import SetScorer

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Arrays = dict[str, NDArray[np.float32]]
    Ints = NDArray[np.int64]

__all__ = ["SETTINGS", "OutOfFoldSets", "TrainedSets", "train_set_model"]

#: How the models that come with Yardstone were trained, by what they see of a move.
SETTINGS: Mapping[str, Hyperparameters] = {
    "full": replace(
        SMALL,
        learning_rate=3e-3,
        regularisation=1.0,
        depth=1,
        width=32,
        query_width=32,
        inducing_points=16,
        batch=80,
        steps=100,
        epochs=9,
        sample=48,
        dropout=0.25,
        averaging=0.995,
    ),
    "basic": replace(
        SMALL,
        learning_rate=3e-3,
        regularisation=1.0,
        depth=1,
        width=32,
        query_width=16,
        inducing_points=8,
        batch=80,
        steps=100,
        epochs=12,
        sample=48,
        dropout=0.05,
        averaging=0.995,
    ),
}
#: Directions for the groups of Fox, and for the ranks of OGS.
_FOX, _OGS = 3, 2
#: Fewer OGS sides than this give no directions of their own.
_FEWEST = 100
_KEPT = ArrayFile("network of a fold", text="about", hint="remove it to train the fold anew")


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFoldSets:
    """What networks say of sides of games whose players they have not seen.

    Attributes
    ----------
    scores : float64 [s, k]
        Of each side, for one move: those of `SetScorer.scores` are this times the moves.
    outputs : float64 [s, groups + bands]
        What they were made from: the logarithms of the groups' and the bands' shares, each
        less their mean.
    fold : int64 [s]
    """

    scores: Array
    outputs: Array
    fold: Ints


@dataclass(frozen=True, slots=True, eq=False)
class TrainedSets:
    """A scorer, and what scorers like it say of players they have not seen."""

    scorer: SetScorer
    out_of_fold: OutOfFoldSets


def train_set_model(
    sides: SetSides,
    settings: Hyperparameters | None = None,
    *,
    folder: str | os.PathLike[str],
    folds: int = 5,
    card: Mapping[str, Any] | None = None,
    threads: int = 1,
    report: Callable[[int], object] | None = None,
) -> TrainedSets:
    """Train a model of sets on sides of games whose players' ranks are known.

    Parameters
    ----------
    sides : SetSides
        `read_sides` gives them.
    settings : Hyperparameters, optional
        `SETTINGS` for what the sides show of a move, if not given.
    folder : path
        Where the network of each fold is kept, so that a training that was stopped goes
        on; with other settings or sides they are trained anew.
    folds : int
        Into how many the players are divided.
    card : mapping, optional
        What the model is to say of itself.
    threads : int
        Of torch.
    report : callable, optional
        Called with the number of each fold when it is done, and with `folds` at the end.

    Raises
    ------
    MissingExtraError
        torch is not installed.
    NoGamesError
        There are no Fox games.
    """
    from yardstone.lab.neubauer.set_model.training import answers, usual_attended

    chosen = SETTINGS[sides.inputs] if settings is None else settings
    if not sides.fox.any():
        raise NoGamesError("there are no games of Fox groups to learn from")
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    fold = sides.folds(folds, chosen.seed)
    outside = np.zeros((len(sides), len(RANKS) + len(BANDS)))
    for number in range(folds):
        arrays = _kept(home / f"fold_{number}.npz", sides, fold != number, chosen, threads)
        rows = np.flatnonzero(fold == number)
        if len(rows):
            outside[rows] = answers(sides, rows, arrays, chosen)
        if report is not None:
            report(number)
    everybody = np.ones(len(sides), bool)
    arrays = dict(_kept(home / "all.npz", sides, everybody, chosen, threads))
    centred = outside @ _centring()
    directions = _directions(centred, sides)
    some = np.flatnonzero(sides.moves.lengths() > 0)
    arrays[USUAL] = usual_attended(sides, some, arrays, chosen)
    rate = arrays["rate.weight"].astype(np.float64)
    arrays["rate.weight"] = ((_centring() @ directions).T @ rate).astype(np.float32)
    arrays |= dict(zip(INPUT, (sides.mean, sides.deviation), strict=True))
    if report is not None:
        report(folds)
    scorer = SetScorer(sides.inputs, chosen, arrays, {"folds": folds, **(card or {})})
    return TrainedSets(scorer, OutOfFoldSets(centred @ directions, centred, fold))


def _centring() -> Array:
    """Takes the mean off the numbers of either scale: a constant there says nothing."""
    groups, bands = len(RANKS), len(BANDS)
    centring = np.eye(groups + bands)
    centring[:groups, :groups] -= 1.0 / groups
    centring[groups:, groups:] -= 1.0 / bands
    return centring


def _directions(centred: Array, sides: SetSides) -> Array:
    """The directions that are kept: [groups + bands, k]."""
    enough = sides.moves.lengths() > 0
    fox = sides.fox & enough
    found = [discriminant_directions(centred[fox], sides.group[fox], _FOX)]
    ogs = ~sides.fox & enough
    if ogs.sum() >= _FEWEST:
        # As many bands as Fox has groups, with equally many sides in each.
        edges = np.quantile(sides.rank[ogs], np.arange(1, len(RANKS)) / len(RANKS))
        band = np.searchsorted(edges, sides.rank[ogs], side="right")
        found.append(discriminant_directions(centred[ogs], band.astype(np.int64), _OGS))
    return np.concatenate(found, axis=1)


def _kept(
    path: Path,
    sides: SetSides,
    rows: NDArray[np.bool_],
    settings: Hyperparameters,
    threads: int,
) -> Arrays:
    """The network of a fold, from its file if it is there."""
    from yardstone.lab.neubauer.set_model.training import train_arrays

    digest = hashlib.sha256(json.dumps(settings.as_dict(), sort_keys=True).encode())
    for array in (rows, sides.moves.starts, sides.group, sides.rank, sides.moves.features[::97]):
        digest.update(np.ascontiguousarray(array).tobytes())
    mark = digest.hexdigest()
    if path.exists():
        try:
            return _KEPT.read(path, lambda stored, about: _same(stored, about, mark))
        except InputError:
            pass  # of another training, or damaged: it is made anew
    arrays = train_arrays(sides, rows, settings, threads=threads)
    _KEPT.write(path, arrays, {"fingerprint": mark})
    return arrays


def _same(stored: Mapping[str, NDArray[Any]], about: Mapping[str, Any], mark: str) -> Arrays:
    if about["fingerprint"] != mark:
        raise ValueError("another training")
    return {name: np.asarray(stored[name], np.float32) for name in stored}
