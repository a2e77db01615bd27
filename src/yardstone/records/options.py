"""What a caller says of the records to be read, whatever their format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yardstone.records.dates import DateOrder
from yardstone.records.results import Side

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.records.sources import Source
    from yardstone.records.where import Where

__all__ = ["Options", "Reader"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a reader is asked for; see `yardstone.read`.

    With more than `memory` bytes of tables their readers go on in a temporary folder. With
    `once`, PGN files are read as `yardstone.read` reads them: records that repeat others, or
    say that the game was not played, are left out; without it, as Ordo reads them.
    """

    columns: Mapping[str, str] | Iterable[str] | None = None
    first: Side | None = None
    times: bool = False
    dates: DateOrder | None = None
    levels: bool = False
    strict: bool = False
    skip_unread: bool = False
    results: Mapping[str, object] | str | None = None
    progress: Callable[[int, int], object] | None = None
    where: Where | None = None
    memory: int | None = None
    once: bool = False

    @property
    def everything(self) -> bool:
        """Whether all columns are wanted that there are."""
        return self.columns == "all"

    @property
    def further(self) -> dict[str, str]:
        """The columns that are named, with what they are made of; a name alone means itself."""
        if self.columns is None or self.everything:
            return {}
        if isinstance(self.columns, Mapping):
            return dict(self.columns)
        return {name: name for name in self.columns}

    def asked(self, *but: str) -> dict[str, str]:
        """The columns that the condition on games needs; without names that are `but` these."""
        if self.where is None:
            return {}
        others = {name.casefold() for name in but}
        return {
            column: name
            for column, name in self.where.columns.items()
            if name.casefold() not in others
        }

    @property
    def names_time(self) -> bool:
        """Whether the column of times is named."""
        return isinstance(self.columns, Mapping) and "time" in self.columns


#: What every reader is: from sources and options to a pool.
Reader = Callable[[Sequence["Source"], Options], "Pool"]
