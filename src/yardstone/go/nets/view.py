"""`NetworkView`: whose eyes features come from, so that they are not mistaken for others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network

__all__ = ["NetworkView"]


@dataclass(frozen=True, slots=True)
class NetworkView:
    """A network, and how many ways it is shown each position.

    Features of different views mean different things. Views are equal where the files of
    their networks and the numbers of symmetries are.

    Attributes
    ----------
    sha256 : str
        Of the network's file, in hexadecimal.
    symmetries : int
        As `yardstone.go.nets.load_network` takes it.
    name : str
        Of the network.
    """

    sha256: str
    symmetries: int = 1
    name: str = field(default="", compare=False)

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> NetworkView:
        """The view that the settings of a store, or the card of a model, name."""
        symmetries = int(about.get("symmetries", 1))  # cards name it where there are several
        return cls(str(about["sha256"]), symmetries, str(about.get("network", "")))

    @classmethod
    def of_network(cls, network: Network) -> NetworkView:
        """The view of a network that is loaded."""
        return cls(network.sha256, network.symmetries, network.name)

    def __str__(self) -> str:
        """The network's name, and the number of symmetries if there are several."""
        return self.name + f" under {self.symmetries} symmetries" * (self.symmetries > 1)

    def card(self) -> dict[str, Any]:
        """What a model's card says of it."""
        several = {"symmetries": self.symmetries} if self.symmetries > 1 else {}
        return {"network": self.name, "sha256": self.sha256, **several}
