"""What the rank model says of each move, as features for models of other players.

The rank model was trained on players of many ranks. What its scores say about players
of one rank alone is for a model to learn; they are few numbers a move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError
from yardstone.go.nets.network import NetworkView
from yardstone.strength.evidence import KINDS, Evidence
from yardstone.strength.model import StrengthModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone_lab.neubauer.stores import Stores

__all__ = ["NEEDED", "rank_scores"]

#: Kinds of features that the stores must have.
NEEDED = ("head", *KINDS, "chances")
#: Moves that are scored at a time.
_TOGETHER = 16_384


def rank_scores(
    stores: Stores, rows: NDArray[np.int64], model: StrengthModel | None = None
) -> NDArray[np.float32]:
    """The rank model's scores of some moves.

    Parameters
    ----------
    stores : Stores
    rows : int64 [n]
        Of the stores.
    model : StrengthModel, optional
        The one that comes with Yardstone by default.

    Returns
    -------
    float32 [n, k]

    Raises
    ------
    InputError
        The features are of another network than the model's, or some are missing.
    """
    chosen = StrengthModel.load("rank") if model is None else model
    if missing := [kind for kind in NEEDED if kind not in stores.kinds]:
        raise InputError(
            f"the rank model needs {' and '.join(missing)}",
            file=str(stores.stores[0].path),
            hint="make the store with these features, or leave the rank model out",
        )
    known, wanted = NetworkView.of(stores.settings), NetworkView.of(chosen.card)
    if known != wanted:
        raise InputError(
            f"the rank model reads features of {wanted}, and these are of {known}",
            file=str(stores.stores[0].path),
            hint="leave the rank model out",
        )
    pieces = [np.empty((0, chosen.scorer.width), np.float32)]
    for start in range(0, len(rows), _TOGETHER):
        part = rows[start : start + _TOGETHER]
        evidence = Evidence(
            game=np.zeros(len(part), np.int32),
            **{name: stores.gather(name, part) for name in ("number", "colour", "point")},
            **{name: stores.gather(name, part) for name in NEEDED},
            games=1,
        )
        pieces.append(np.asarray(chosen.scorer.move_shares(evidence), np.float32))
    return np.concatenate(pieces)
