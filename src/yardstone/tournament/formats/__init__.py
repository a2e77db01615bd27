"""The formats of tournament files: what reads and writes each is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from yardstone.records import formats

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament

__all__ = ["FORMATS", "TournamentFormat"]


@dataclass(frozen=True, slots=True)
class TournamentFormat:
    """A format, read and written by functions of the module of its name."""

    name: str
    about: str
    endings: tuple[str, ...]

    def read(self, data: bytes, file: str, **options: Any) -> Tournament:
        """A tournament from the bytes of a file."""
        tournament: Tournament = self._function("read")(data, file, **options)
        return tournament

    def write(self, tournament: Tournament, **options: Any) -> bytes:
        """The bytes of a file; InputError where it would lose what pairing needs."""
        lost = ["colours (Black would move first)", "system"] * (tournament.discipline == "chess")
        if any(each.rating is not None and each.rank is None for each in tournament.players):
            lost.insert(0, "ratings (players without a grade become 30k)")
        if lost and self.name != "trf":
            raise tournament.error(
                f"{self.name} cannot keep this tournament: {', '.join(lost)} would be lost",
                hint="write TRF (--to trf)",
            )
        data: bytes = self._function("write")(tournament, **options)
        return data

    def _function(self, verb: str) -> Callable[..., Any]:
        place = import_module(f"yardstone.tournament.formats.{self.name}")
        function: Callable[..., Any] = getattr(place, f"{verb}_{self.name}")
        return function


#: All formats of tournaments by name.
FORMATS: Mapping[str, TournamentFormat] = MappingProxyType(
    {
        each.name: TournamentFormat(each.name, each.tournament, each.endings)
        for each in formats.FORMATS.values()
        if each.tournament
    }
)
