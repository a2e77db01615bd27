"""Builds an index of games: read in shares, by all cores, and put together at the end.

A share that has been read is kept beside the index until all is done, so the work goes
on where it was stopped.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone import parallel
from yardstone.arrays import ArrayFile, StoredArrays
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.files import locked, replaced, unwritable
from yardstone.go.patterns.game_index import FORMAT, TABLE, GameIndex, combined_text
from yardstone.go.patterns.index_file import write_arrays
from yardstone.go.points import neighbours, point_array
from yardstone.pool import Skipped, SkipReport
from yardstone.records.archives import is_archive
from yardstone.records.sources import Source, find_sources

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.records.go_game import GoGame

__all__ = ["build_index"]

#: Bytes, as they lie on the disk, that are read as one share; and the most files.
_SHARE_BYTES = 2 << 20
_SHARE_FILES = 4000
#: Longer games are no games.
_MOST_MOVES = 20_000
_MOVE_LIST = re.compile(rb"^[^\s;(]{1,256}[\t ,]++\(?\s*+;\s*+[BW]\[", re.MULTILINE)
_DETAILS = 20
_FURTHER = "further records"
_PART = ArrayFile("part of an index", compressed=False)

StrPath = str | os.PathLike[str]


def build_index(
    paths: Sequence[StrPath],
    output: StrPath,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[GameIndex, SkipReport]:
    """Read games and write the file that searches need.

    Parameters
    ----------
    paths : sequence of path
        SGF files and lists of moves, folders and archives of them.
    output : path
        The file to write; one that is there is replaced when the new one is complete.
    workers : int, optional
        Processes; one a core by default.
    progress : callable, optional
        Called with the shares read so far and all shares.

    Returns
    -------
    GameIndex, SkipReport
        The index, and the records that were left out. A game that occurs twice, move
        for move, is taken once.

    Raises
    ------
    InputError
        A file does not exist, or the index cannot be written.
    NoGamesError
        There is no game.
    """
    if not paths:
        raise UsageError("no file of games is given")
    target = Path(output)
    if target.is_dir() or not target.parent.is_dir():
        raise InputError(
            "this is a folder" if target.is_dir() else "there is no such folder",
            file=str(target if target.is_dir() else target.parent),
            hint="name a file",
        )
    named = tuple(os.fspath(path) for path in paths)
    if "-" in named:
        raise UsageError("games for an index come from files, not from standard input")
    sources, report = _sources(named)
    shares = _shares(sources)
    parts = target.with_name(target.name + ".parts")
    files = [parts / f"{number:06d}.npz" for number in range(len(shares))]
    try:
        parts.mkdir(exist_ok=True)
        with locked(parts, "making this index"):
            _read_shares(named, sources, list(zip(shares, files, strict=True)), workers, progress)
            skipped = SkipReport(report.details)
            _put_together(target, files, named, skipped)
            shutil.rmtree(parts, ignore_errors=True)
    except InputError:
        raise
    except OSError as error:
        raise unwritable(error, error.filename or target) from error
    return GameIndex(target), skipped


@lru_cache(maxsize=1)
def _sources(paths: tuple[str, ...]) -> tuple[list[Source], SkipReport]:
    """The sources, found once in each process."""
    report = SkipReport()
    return find_sources(paths, [""], report), report


def _shares(sources: Sequence[Source]) -> list[tuple[int, int]]:
    """Cut the sources into pieces of about the same size."""
    cuts, size = [0], 0
    for number, source in enumerate(sources):
        size += source.size
        if size >= _SHARE_BYTES or number + 1 - cuts[-1] >= _SHARE_FILES:
            cuts.append(number + 1)
            size = 0
    if cuts[-1] < len(sources):
        cuts.append(len(sources))
    return list(pairwise(cuts))


def _games(source: Source, skipped: SkipReport) -> Iterator[GoGame]:
    """The games of a source, which is an SGF file or a list of moves."""
    from yardstone.records.move_lists import MoveListReader
    from yardstone.records.sgf import SgfReader

    try:
        with source.open() as stream:
            head = stream.peek(4096)
    except InputError as error:
        skipped.add(Skipped(source.name, 0, error.message))
        return
    is_list = _MOVE_LIST.search(head) is not None
    reader = (MoveListReader if is_list else SgfReader)(source)
    yield from reader
    for record in reader.skipped.details:
        skipped.add(record)
    if further := len(reader.skipped) - len(reader.skipped.details):
        skipped.add_uncounted(_FURTHER, further)


@dataclass(frozen=True, slots=True)
class _Share:
    """Sources that are read together: which of those that paths mean, or, sent, themselves."""

    paths: tuple[str, ...]
    first: int
    last: int
    sent: tuple[Source, ...] | None = None

    def sources(self) -> Sequence[Source]:
        return _sources(self.paths)[0][self.first : self.last] if self.sent is None else self.sent

    def __repr__(self) -> str:
        """Which sources; errors name them so."""
        return f"<files {self.first + 1} to {self.last}>"


def _read_shares(
    paths: tuple[str, ...],
    sources: Sequence[Source],
    parts: Sequence[tuple[tuple[int, int], Path]],
    workers: int | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Read the sources into parts, but for those that have been read before."""
    archives = [_changed(Path(path)) for path in paths if is_archive(path)]
    missing: list[tuple[int, int]] = []
    targets: dict[int, tuple[Path, str]] = {}
    for (first, last), part in parts:
        facts = [(each.name, each.size, _changed(each.path)) for each in sources[first:last]]
        about = repr((FORMAT, facts, archives)).encode()
        fingerprint = hashlib.blake2b(about, digest_size=16).hexdigest()
        if not part.exists() or _fingerprint(part) != fingerprint:
            missing.append((first, last))
            targets[first] = (part, fingerprint)
    send = parallel.elsewhere()
    shares = (
        _Share(paths, *span, tuple(map(_sent, sources[slice(*span)])) if send else None)
        for span in missing
    )

    def keep(share: _Share, arrays: dict[str, NDArray[Any]]) -> None:
        part, fingerprint = targets[share.first]
        _PART.write(part, {"fingerprint": np.array(fingerprint), **arrays})

    def note(done: int, total: int) -> None:
        if progress is not None:
            progress(len(parts) - total + done, len(parts))

    parallel.map(
        _read_share, shares, total=len(missing), workers=workers, receive=keep, progress=note
    )


def _sent(source: Source) -> Source:
    """The source as it goes to another machine; one that cannot be read is named there."""
    try:
        return source.loaded()
    except InputError:
        return Source(source.name, source.path or Path(source.name))


def _read_share(share: _Share) -> dict[str, NDArray[Any]]:
    """The arrays of the part that is made of some sources."""
    sources = share.sources()
    skipped = SkipReport()
    collected: dict[int, dict[str, list[Any]]] = {}
    for source in sources:
        for game in _games(source, skipped):
            events = _events(game, skipped)
            if events is None:
                continue
            columns = collected.setdefault(game.size, {})
            for name, value in _row(game, events).items():
                columns.setdefault(name, []).append(value)
    arrays = {
        f"{size}/{name}": _joined(name, values)
        for size, columns in collected.items()
        for name, values in columns.items()
    }
    notes = [(record.file, str(record.line), record.reason) for record in skipped.details]
    arrays["skipped"] = np.array(notes, np.str_).reshape(-1, 3)
    arrays["unlisted"] = np.array(len(skipped) - len(skipped.details))
    return arrays


def _fingerprint(part: Path) -> str | None:
    """What a part was made from; None if it breaks off."""
    try:
        return _PART.read(part, lambda arrays, _: str(arrays["fingerprint"]))
    except InputError:
        return None


def _changed(path: Path | None) -> int:
    """When the file was changed last, in nanoseconds; 0 for one in an archive."""
    return 0 if path is None or not path.exists() else path.stat().st_mtime_ns


def _events(game: GoGame, skipped: SkipReport) -> NDArray[np.uint16] | None:
    """The events of a game; None if it has none that can be used."""
    from yardstone.go import _board
    from yardstone.go._setup import set_up
    from yardstone.go.patterns._events import write_events

    if len(game.moves) > _MOST_MOVES:
        skipped.add(Skipped(game.file, game.line, f"more than {_MOST_MOVES} moves"))
        return None
    try:
        board = set_up(game.size, point_array(game.setup_black), point_array(game.setup_white))
    except InputError as error:
        skipped.add(Skipped(game.file, game.line, error.message))
        return None
    moves, colours = point_array(game.moves), game.colours.astype(np.int32)
    room = np.zeros(3 * game.size**2 + 2 * len(moves), np.uint16)
    log = np.zeros(_board.LONGEST_ENTRY, np.int32)
    number, played = write_events(board, neighbours(game.size), moves, colours, log, room)
    if played < len(moves):
        skipped.add(
            Skipped(game.file, game.line, f"move {played + 1} is illegal: used up to there"),
            kind="an illegal move: used up to there",
        )
    if not number:
        skipped.add(Skipped(game.file, game.line, "no stones"))
        return None
    return room[:number].copy()


def _row(game: GoGame, events: NDArray[np.uint16]) -> dict[str, Any]:
    key = hashlib.blake2b(bytes([game.size]) + events.tobytes(), digest_size=8).digest()
    return {
        "events": events,
        "length": len(events),
        "moves": np.count_nonzero(events >> 15),
        "key": int.from_bytes(key, "little"),
        "text": np.frombuffer(combined_text(game), np.uint8),
        "text_length": len(combined_text(game)),
        "line": game.line,
        "number": game.number,
        "date": game.date.astype("datetime64[s]").astype(np.int64),
        "komi": np.nan if game.komi is None else game.komi,
        "handicap": game.handicap,
        "to_play": game.to_play,
        "winner": game.winner,
    }


_TYPES = {"length": "int64", "moves": "int64", "key": "uint64", "text_length": "int64", **TABLE}


def _joined(name: str, values: list[Any]) -> NDArray[Any]:
    return np.concatenate(values) if name in ("events", "text") else np.array(values, _TYPES[name])


def _put_together(
    target: Path, parts: Sequence[Path], paths: Sequence[str], skipped: SkipReport
) -> None:
    """Write the index from its parts: the sizes of board one after the other."""
    keys: list[NDArray[np.uint64]] = []
    pieces: list[tuple[int, Path]] = []
    for part in parts:
        arrays = _PART.read(part, _without_games)
        for file, line, reason in arrays.pop("skipped").tolist():
            skipped.add(Skipped(file, int(line), reason), kind=_kind(reason))
        if further := int(arrays.pop("unlisted")):
            skipped.add_uncounted(_FURTHER, further)
        for name in sorted(arrays, key=lambda name: int(name.split("/")[0])):
            pieces.append((int(name.split("/")[0]), part))
            keys.append(arrays[name])
    if not pieces:
        if skipped.details:
            first = skipped.details[0]
            raise NoGamesError(first.reason, file=first.file, line=first.line or None)
        raise NoGamesError("there is no game of Go in these files")
    kept = _first_of_each(keys)
    sizes = sorted({size for size, _ in pieces}, reverse=True)
    chosen = [[(part, keep) for (s, part), keep in zip(pieces, kept, strict=True) if s == size]
              for size in sizes]  # fmt: skip
    groups = [_Group(size, parts) for size, parts in zip(sizes, chosen, strict=True)]
    facts = {
        "format": FORMAT,
        "sizes": [[group.size, group.games] for group in groups],
        "games": sum(group.games for group in groups),
        "moves": sum(int(group.column("moves").sum()) for group in groups),
        "duplicates": sum(len(k) for k in keys) - sum(group.games for group in groups),
        "sources": list(paths)[:_DETAILS],
    }
    with replaced(target) as temporary:
        write_arrays(temporary, facts, dict(_arrays(groups)))


def _without_games(arrays: StoredArrays, _: object) -> dict[str, NDArray[Any]]:
    """What a part left out, and the keys of its games by size of board."""
    return {
        name: arrays[name]
        for name in arrays
        if name in ("skipped", "unlisted") or name.endswith("/key")
    }


def _kind(reason: str) -> str:
    return "an illegal move: used up to there" if reason.endswith("used up to there") else reason


def _first_of_each(keys: Sequence[NDArray[np.uint64]]) -> list[NDArray[np.bool_]]:
    """Of games with the same key the first."""
    whole = np.concatenate(keys)
    first = np.zeros(len(whole), np.bool_)
    first[np.unique(whole, return_index=True)[1]] = True
    return np.split(first, np.cumsum([len(k) for k in keys])[:-1])


class _Group:
    """The games of one size, in parts."""

    def __init__(self, size: int, parts: Sequence[tuple[Path, NDArray[np.bool_]]]) -> None:
        self.size = size
        self._parts = [(part, keep) for part, keep in parts if keep.any()]
        self.games = sum(int(keep.sum()) for _, keep in parts)

    def _read(self, part: Path, *names: str) -> list[NDArray[Any]]:
        return _PART.read(part, lambda arrays, _: [arrays[f"{self.size}/{n}"] for n in names])

    def column(self, name: str) -> NDArray[Any]:
        """A column of the games that are kept."""
        return np.concatenate([self._read(part, name)[0][keep] for part, keep in self._parts])

    def fill(self, name: str, length: str, target: NDArray[Any]) -> None:
        """Write what belongs to the games that are kept, one part after the other."""
        place = 0
        for part, keep in self._parts:
            values, lengths = self._read(part, name, length)
            kept = values[np.repeat(keep, lengths)]
            target[place : place + len(kept)] = kept
            place += len(kept)

    def mark(self, target: NDArray[np.uint64]) -> None:
        """Write the bits of the stones that ever stood there."""
        from yardstone.go.patterns._events import mark_stones

        first = 0
        for part, keep in self._parts:
            lengths, events = self._read(part, "length", "events")
            events = events[np.repeat(keep, lengths)]
            mark_stones(events, _starts(lengths[keep]), first, self.size**2, target)
            first += int(keep.sum())


def _copy(values: NDArray[Any], target: NDArray[Any]) -> None:
    target[:] = values


def _arrays(
    groups: Sequence[_Group],
) -> Iterator[tuple[str, tuple[str, tuple[int, ...], Callable[[NDArray[Any]], object]]]]:
    """The arrays of the file, with what fills them."""
    for group in groups:
        starts = _starts(group.column("length"))
        words = (-(-group.games // 64), 2 * group.size**2)
        size = group.size
        yield f"{size}/starts", ("int64", starts.shape, partial(_copy, starts))
        yield f"{size}/bits", ("uint64", words, group.mark)
        yield (
            f"{size}/events",
            ("uint16", (int(starts[-1]),), partial(group.fill, "events", "length")),
        )
    for name, kind in TABLE.items():
        values = np.concatenate([group.column(name) for group in groups])
        yield name, (kind, values.shape, partial(_copy, values))
    starts = _starts(np.concatenate([group.column("text_length") for group in groups]))
    yield "text_starts", ("int64", starts.shape, partial(_copy, starts))
    yield "text", ("uint8", (int(starts[-1]),), partial(_fill_text, groups))


def _fill_text(groups: Sequence[_Group], target: NDArray[np.uint8]) -> None:
    place = 0
    for group in groups:
        length = int(group.column("text_length").sum())
        group.fill("text", "text_length", target[place : place + length])
        place += length


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
