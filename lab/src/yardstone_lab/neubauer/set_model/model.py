"""From sides of games to a model of strength, and what it says of players it has not seen.

A network is trained for each fold of players, and one on all. What those of the folds say
of the sides that they have not seen is brought down to a few directions, those in which
Fox groups lie apart most and the one in which OGS ranks grow; the last network gives its
scores along these.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.arrays import ArrayFile
from yardstone.errors import InputError, NoGamesError
from yardstone.strength.evidence import PHASES
from yardstone.strength.set_scorer import SetScorer, shares_of_moves
from yardstone.strength.set_transformer import SMALL, Hyperparameters, PackedMoves
from yardstone.strength.site_scales import RANKS
from yardstone_lab.neubauer.scored_model import ScoredModel, model_of_scores
from yardstone_lab.neubauer.set_model.sides import BANDS, SetSides

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Arrays = dict[str, NDArray[np.float32]]
    Ints = NDArray[np.int64]

__all__ = ["SETTINGS", "train_set_model"]

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
        epochs=9,
        sample=48,
        dropout=0.15,
        averaging=0.995,
    ),
}
#: Directions for the groups of Fox, and below which OGS rank people are surely weaker than
#: those groups (`model_of_scores`).
_FOX, _WEAK = 2, -12.0
#: Sides that the usual is taken from.
_USUAL = 2000
#: Sides looked at together.
_TOGETHER = 64
_NAME = "usual"
_KEPT = ArrayFile("network of a fold", text="about", hint="remove it to train the fold anew")


def train_set_model(
    sides: SetSides,
    settings: Hyperparameters | None = None,
    *,
    folder: str | os.PathLike[str],
    folds: int = 5,
    card: Mapping[str, Any] | None = None,
    threads: int = 1,
    report: Callable[[int], object] | None = None,
) -> ScoredModel:
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
    chosen = SETTINGS[sides.inputs] if settings is None else settings
    if not sides.fox.any():
        raise NoGamesError("there are no games of Fox groups to learn from")
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    fold = sides.folds(folds, chosen.seed)
    outside = np.zeros((len(sides), PHASES, len(RANKS) + len(BANDS)))
    for number in range(folds):
        arrays, usual = _kept(home / f"fold_{number}.npz", sides, fold != number, chosen, threads)
        rows = np.flatnonzero(fold == number)
        outside[rows] = _by_phase(sides.select(rows), arrays, usual)
        if report is not None:
            report(number)
    everybody = np.ones(len(sides), bool)
    arrays, usual = _kept(home / "all.npz", sides, everybody, chosen, threads)
    if report is not None:
        report(folds)

    def scorer(directions: Array) -> SetScorer:
        return SetScorer(_along(arrays, directions), sides.mean, sides.deviation, usual)

    about = {"folds": folds, "settings": chosen.as_dict(), **(card or {})}
    return model_of_scores(
        sides,
        outside @ _centring(),
        fold,
        scorer,
        about,
        seed=chosen.seed,
        width=_FOX,
        weak=_WEAK,
    )


def _along(arrays: Arrays, directions: Array) -> Arrays:
    """The network whose outputs are those of another along some directions."""
    rate = (_centring() @ directions).T @ arrays["rate.weight"].astype(np.float64)
    network = {**arrays, "rate.weight": rate.astype(np.float32)}
    # The weights have the precision that they are kept in.
    return {k: v.astype(np.float16).astype(np.float32) for k, v in network.items()}


def _by_phase(sides: SetSides, arrays: Arrays, usual: NDArray[np.float32]) -> Array:
    """What a network says of sides, summed over the moves of each phase: [s, phases, outputs]."""
    sums = np.zeros((len(sides), PHASES, len(arrays["rate.weight"])))
    for number in range(0, len(sides), _TOGETHER):
        few = sides.select(np.arange(number, min(number + _TOGETHER, len(sides))))
        rows = few.moves.features[few.moves.rows].astype(np.float32)
        packed = PackedMoves(rows, np.arange(len(rows)), few.moves.starts)
        shares = shares_of_moves(arrays, usual, packed)
        side = np.repeat(np.arange(len(few)), packed.lengths())
        phase = np.concatenate(
            [np.empty(0, np.int64), *(np.repeat(np.arange(PHASES), n) for n in few.counts)]
        )
        np.add.at(sums, (number + side, phase), shares)
    return sums


def _centring() -> Array:
    """Takes the mean off the numbers of either scale: a constant there says nothing."""
    groups, bands = len(RANKS), len(BANDS)
    centring = np.eye(groups + bands)
    centring[:groups, :groups] -= 1.0 / groups
    centring[groups:, groups:] -= 1.0 / bands
    return centring


def _kept(
    path: Path,
    sides: SetSides,
    rows: NDArray[np.bool_],
    settings: Hyperparameters,
    threads: int,
) -> tuple[Arrays, NDArray[np.float32]]:
    """The network of a fold and what is usual of it, from its file if it is there."""
    from yardstone_lab.neubauer.set_model.training import train_arrays, usual_attended

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
    chosen = np.flatnonzero(rows)
    some = sides.select(chosen[:: max(len(chosen) // _USUAL, 1)])
    usual = usual_attended(some, arrays, settings).astype(np.float16).astype(np.float32)
    _KEPT.write(path, {**arrays, _NAME: usual}, {"fingerprint": mark})
    return arrays, usual


def _same(
    stored: Mapping[str, NDArray[Any]], about: Mapping[str, Any], mark: str
) -> tuple[Arrays, NDArray[np.float32]]:
    if about["fingerprint"] != mark:
        raise ValueError("another training")
    arrays = {name: np.asarray(stored[name], np.float32) for name in stored}
    return arrays, arrays.pop(_NAME)
