"""Which of the models that come with Yardstone is meant, where none is named.

It is the one that looks through the network that is there: KataGo's where it is kept, else the
small one that comes with Yardstone.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.go.nets.network import NetworkView
from yardstone.go.nets.store import ENVIRONMENT, INCLUDED, file_sha256, find_network
from yardstone.strength.model import SMALL, StrengthModel

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network

    StrPath = str | os.PathLike[str]

__all__ = ["default_model"]


def default_model(
    model: StrPath | None = None, net: StrPath | Network | None = None
) -> StrengthModel:
    """A model by its name or file, or the one that goes with the network.

    Parameters
    ----------
    model : path or str, optional
        As for `StrengthModel.load`.
    net : path, str or Network, optional
        The network that is to be used, if one is named; otherwise $YARDSTONE_NET may name it.

    Raises
    ------
    InputError
        The model is not there, or is none; or the network that is named is not there.
    """
    if model is not None:
        return StrengthModel.load(model)
    usual = StrengthModel.load()
    if net is None and not os.environ.get(ENVIRONMENT):
        try:
            find_network(NetworkView.of(usual.card).name)
        except InputError:
            return StrengthModel.load(SMALL)
        return usual
    return StrengthModel.load(SMALL) if _is_included(net) else usual


def _is_included(net: StrPath | Network | None) -> bool:
    if net is not None and not isinstance(net, str | os.PathLike):
        return net.sha256 == file_sha256(INCLUDED)
    path = find_network(net)
    same_size = path.stat().st_size == INCLUDED.stat().st_size
    return same_size and file_sha256(path) == file_sha256(INCLUDED)
