"""Columns of games on disk while they are being written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.disk import CodedTexts, Growing, pieces, taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool
    from yardstone.records.streaming import GameBatch

__all__ = ["ColumnWriter"]


class ColumnWriter:
    """Writes batches of games to columns on disk."""

    def __init__(self) -> None:
        self.games = self.alone = self.undated = 0
        self.timed = False
        kinds = {"first": np.int32, "second": np.int32, "score": np.float32}
        self._fixed = {name: Growing(kind) for name, kind in kinds.items()}
        self._time = Growing("datetime64[s]")
        self._further: dict[str, _Further] = {}

    def add(self, batch: GameBatch | Pool) -> None:
        """Write the games of a batch, without those of a player against himself."""
        known = np.asarray(batch.first != batch.second)
        number = int(known.sum())
        every = number == len(known)
        self.alone += len(known) - number

        def kept(column: NDArray[Any]) -> NDArray[Any]:
            return column if every else column[known]

        for name, column in self._fixed.items():
            column.add(kept(getattr(batch, name)))
        time = np.full(len(known), np.datetime64("NaT", "s")) if batch.time is None else batch.time
        self.timed |= batch.time is not None
        time = kept(time)
        self.undated += int(np.isnat(time).sum())
        self._time.add(time)
        for name in {**self._further, **dict.fromkeys(batch.columns)}:
            if name not in self._further:
                self._further[name] = _Further(self.games)
            values = batch.columns.get(name)
            self._further[name].add(None if values is None else kept(values), number)
        self.games += number

    def columns(self) -> dict[str, Any]:
        """All columns, to be read; further ones by ``of NAME``."""
        columns = {name: column.column() for name, column in self._fixed.items()}
        columns["time"] = self._time.column()
        return columns | {f"of {name}": each.column() for name, each in self._further.items()}


class _Further:
    """A further column that is being written: numbers, times, or texts by their numbers."""

    def __init__(self, games: int) -> None:
        self._missing = games
        self._texts: dict[str, int] | None = None
        self._growing: Growing | None = None

    def add(self, values: NDArray[Any] | None, number: int) -> None:
        """Write further entries; None where the games say nothing."""
        if values is None:
            if self._growing is None:
                self._missing += number
                return
            values = self._nothing(number)
        if self._growing is None:
            plain = values.dtype.kind in "iufbmM"
            self._texts = None if plain else {}
            kind = values.dtype if plain else np.dtype(np.int32)
            if plain and self._missing and kind.kind in "iufb":
                kind = np.dtype(np.float64)
            self._growing = Growing(kind)
            for at in pieces(self._missing):
                self._write(self._nothing(at.stop - at.start))
        self._adapt(values)
        self._write(values)

    def column(self) -> Any:
        """What was written, to be read."""
        assert self._growing is not None
        values = self._growing.column()
        if self._texts is None:
            return values
        return CodedTexts(values, np.array(list(self._texts), np.dtypes.StringDType()))

    def _nothing(self, number: int) -> NDArray[Any]:
        assert self._growing is not None
        if self._texts is not None:
            return np.full(number, "", np.dtypes.StringDType())
        return np.full(number, np.nan if self._growing.dtype.kind in "iufb" else "NaT")

    def _adapt(self, values: NDArray[Any]) -> None:
        """Make of what was written what both it and further values are."""
        assert self._growing is not None
        if self._texts is not None or values.dtype == self._growing.dtype:
            return
        numbers = values.dtype.kind in "iufb" and self._growing.dtype.kind in "iufb"
        kind = np.result_type(self._growing.dtype, values.dtype) if numbers else None
        if kind is not None and kind == self._growing.dtype:
            return
        before = self._growing.column()
        self._growing = Growing(np.int32 if kind is None else kind)
        self._texts = {} if kind is None else None
        for at in pieces(len(before)):
            self._write(taken(before, at))

    def _write(self, values: NDArray[Any]) -> None:
        assert self._growing is not None
        if self._texts is None:
            self._growing.add(values)
            return
        texts, place = np.unique(values.astype(np.dtypes.StringDType()), return_inverse=True)
        number = [self._texts.setdefault(str(text), len(self._texts)) for text in texts]
        self._growing.add(np.array(number, np.int32)[place])
