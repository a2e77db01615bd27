"""`GameIndex`: the moves of many games in one file, for searches."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstone import parallel
from yardstone.arrays import ArrayFile, Flags, Longs, StoredArrays
from yardstone.disk import take_room
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.files import locked, replaced, unwritable
from yardstone.go.board import set_up
from yardstone.go.patterns._match import BEGINS, CODE, mark_stones, write_events
from yardstone.go.points import MAX_SIZE, MIN_SIZE, PASS, point_array
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import MoveListReader, SgfReader
from yardstone.records.sources import Source, find_sources, is_archive

#: Raised when what a file holds changes its meaning.
FORMAT = 1
#: Columns of the table of games, with their types.
TABLE = {
    "line": "int32",
    "number": "int32",
    "date": "int64",
    "komi": "float32",
    "handicap": "int16",
    "to_play": "int8",
    "winner": "int8",
}
#: What is kept as text of each game, in this order.
TEXTS = ("file", "black", "white", "black_rank", "white_rank", "rules", "result")
_BETWEEN = "\0"


class IndexedGames(NamedTuple):
    """Games of one size of board.

    `events` uint16 [n] are what changes: the stones set up, then for each move a stone (with the
    bit `BEGINS`) and captures, as `CODE` has them. Those of a game are from `starts` [games + 1]
    on; `longest` is the most of one. `bits` uint64 [words, 2 * area]: of 64 games each, whether
    such a stone ever stood there, Black's by point, then White's.
    """

    bits: NDArray[np.uint64]
    events: NDArray[np.uint16]
    starts: Longs
    longest: int


@dataclass(frozen=True, slots=True, eq=False)
class SizeGroup:
    """The games on boards of one size, which follow each other in the table from `first`."""

    size: int
    first: int
    indexed: IndexedGames

    def __len__(self) -> int:
        """Number of games."""
        return len(self.indexed.starts) - 1


class GameIndex:
    """The moves of many games, ready to be searched.

    The file is mapped into memory: opening it costs nothing however large it is, and
    processes share it. `build_index` makes it.

    Attributes:
        facts: What the file says of itself: games, moves, duplicates left out, sources.

    Raises:
        InputError: It cannot be read, is no such file, or is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.facts, self._arrays = map_arrays(self.path)
        try:
            if self.facts["format"] != FORMAT:
                other = "this index was made by another version of Yardstone"
                raise InputError(other, file=str(self.path), hint="make it again")
            self._groups = {group.size: group for group in self._checked()}
        except InputError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise _damaged(self.path, "is damaged") from error

    def _checked(self) -> Iterable[SizeGroup]:
        """The groups of games; ValueError unless all arrays fit together."""
        first = 0
        counts = (self.facts["moves"], self.facts["duplicates"])
        _require(*(type(count) is int and count >= 0 for count in counts))
        known: set[int] = set()
        for size, games in self.facts["sizes"]:
            _require(MIN_SIZE <= size <= MAX_SIZE, games >= 1, size not in known)
            known.add(size)
            events, starts, bits = (
                self._arrays[f"{size}/{name}"] for name in ("events", "starts", "bits")
            )
            _require(events.dtype == "uint16", bits.dtype == "uint64")
            _require(bits.shape == (-(-games // 64), 2 * size**2))
            lengths = _lengths(starts, games, len(events))
            indexed = IndexedGames(bits, events, starts, int(lengths.max()))
            yield SizeGroup(size, first, indexed)
            first += games
        for name, kind in TABLE.items():
            _require(self._arrays[name].shape == (first,), self._arrays[name].dtype == kind)
        text = self._arrays["text"]
        _require(text.dtype == "uint8")
        _lengths(self._arrays["text_starts"], first, len(text))
        self._games = first

    def __len__(self) -> int:
        """Number of games."""
        return self._games

    def __repr__(self) -> str:
        return f"<GameIndex {str(self.path)!r}: {len(self)} games>"

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of board that occur."""
        return tuple(self._groups)

    @property
    def positions(self) -> int:
        """Number of positions of all games, those before the first move included."""
        return int(self.facts["moves"]) + len(self)

    def group(self, size: int) -> SizeGroup | None:
        """The games on boards of this size, if there are any."""
        return self._groups.get(size)

    def place(self, number: int) -> tuple[str, int, int]:
        """File, line and number within the file of a game."""
        texts = self._texts(number)
        return texts[0], int(self._arrays["line"][number]), int(self._arrays["number"][number])

    def game(self, number: int) -> GoGame:
        """A game, with its moves, names and date; UsageError if there is none of this number."""
        if not 0 <= number < len(self):
            raise UsageError(f"there is no game {number}, only 0 to {len(self) - 1}")
        group = next(g for g in self._groups.values() if g.first <= number < g.first + len(g))
        row = number - group.first
        starts = group.indexed.starts
        events = np.asarray(group.indexed.events[starts[row] : starts[row + 1]])
        setup, moves, colours = _split(events, group.size**2)
        facts: dict[str, Any] = dict(zip(TEXTS, self._texts(number), strict=True))
        for name in TABLE:
            facts[name] = self._arrays[name][number].item()
        komi = facts.pop("komi")
        date = np.datetime64(facts.pop("date"), "s")
        if moves is None or facts["to_play"] not in (1, 2):
            raise _damaged(self.path, "is damaged")
        return GoGame(
            **facts,
            komi=None if np.isnan(komi) else komi,
            date=date,
            size=group.size,
            setup_black=setup[0],
            setup_white=setup[1],
            moves=moves,
            colours=colours,
        )

    def _texts(self, number: int) -> list[str]:
        first, last = self._arrays["text_starts"][number : number + 2]
        text = self._arrays["text"][first:last].tobytes().decode("utf-8", "replace")
        parts = text.split(_BETWEEN, len(TEXTS) - 1)
        return parts + [""] * (len(TEXTS) - len(parts))


def _require(*facts: bool) -> None:
    if not all(facts):
        raise ValueError("the arrays of an index do not fit together")


def _lengths(starts: NDArray[Any], number: int, total: int) -> Longs:
    """The lengths of so many pieces of an array, if the starts are what they must be."""
    _require(starts.dtype == "int64", starts.shape == (number + 1,))
    lengths = np.diff(starts)
    _require(starts[0] == 0, starts[-1] == total, not (lengths < 0).any())
    return np.asarray(lengths)


def _split(
    events: NDArray[np.uint16], area: int
) -> tuple[list[NDArray[np.int16]], NDArray[np.int16] | None, NDArray[np.int8]]:
    """Stones set up of both colours, points and colours of the moves; None if damaged."""
    begins = (events & BEGINS) > 0
    codes = (events & CODE).astype(np.int32)
    stones = codes[: int(np.argmax(begins)) if begins.any() else len(events)]
    setup = [
        (stones[stones // area == colour] - colour * area).astype(np.int16) for colour in (1, 2)
    ]
    played = codes[begins]
    passes = played >= 3 * area
    colours = np.where(passes, played - 3 * area + 1, played // area).astype(np.int8)
    moves = np.where(passes, PASS, played % area).astype(np.int16)
    return setup, moves if np.isin(colours, (1, 2)).all() else None, colours


#: Bytes, as they lie on the disk, that are read as one share; and the most files.
_SHARE_BYTES = 2 << 20
_SHARE_FILES = 4000
#: Longer games are no games.
_MOST_MOVES = 20_000
_MOVE_LIST = re.compile(rb"^[^\s;(]{1,256}[\t ,]++\(?\s*+;\s*+[BW]\[", re.MULTILINE)
_DETAILS = 20
_FURTHER, _ILLEGAL = "further records", "an illegal move: used up to there"
_PART = ArrayFile("part of an index", text="about", compressed=False)

StrPath = str | os.PathLike[str]


def build_index(paths: Sequence[StrPath], output: StrPath) -> tuple[GameIndex, SkipReport]:
    """Read games and write the file that searches need.

    Args:
        paths: SGF files and lists of moves, folders and archives of them.
        output: The file to write; one that is there is replaced when the new one is complete.

    Returns:
        The index, and the records that were left out. A game that occurs twice, move for move, is
            taken once.

    Raises:
        InputError: A file does not exist, or the index cannot be written.
        NoGamesError: There is no game.
    """
    if not paths:
        raise UsageError("no file of games is given")
    target = Path(output)
    if target.is_dir():
        raise InputError("this is a folder", file=str(target), hint="name a file")
    if not target.parent.is_dir():
        raise InputError("there is no such folder", file=str(target.parent), hint="name a file")
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
            _read_shares(named, sources, list(zip(shares, files, strict=True)))
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
    try:
        with source.open() as stream:
            head = stream.peek(4096)
    except InputError as error:
        skipped.add(Skipped(source.name, 0, error.message))
        return
    is_list = _MOVE_LIST.search(head) is not None
    reader = (MoveListReader if is_list else SgfReader)(source)
    yield from reader
    skipped.merge(reader.skipped)


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
) -> None:
    """Read the sources into parts, but for those that have been read before."""
    archives = [_changed(Path(path)) for path in paths if is_archive(path)]
    targets: dict[tuple[int, int], tuple[Path, str]] = {}
    for (first, last), part in parts:
        facts = [(each.name, each.size, _changed(each.path)) for each in sources[first:last]]
        about = repr((FORMAT, facts, archives)).encode()
        fingerprint = hashlib.blake2b(about, digest_size=16).hexdigest()
        if _fingerprint(part) != fingerprint:
            targets[first, last] = (part, fingerprint)
    send = parallel.elsewhere()
    shares = (
        _Share(paths, *span, tuple(map(_sent, sources[slice(*span)])) if send else None)
        for span in targets
    )

    def keep(share: _Share, read: tuple[dict[str, NDArray[Any]], dict[str, Any]]) -> None:
        part, fingerprint = targets[share.first, share.last]
        arrays, about = read
        _PART.write(part, arrays, {"fingerprint": fingerprint, **about})

    parallel.map(_read_share, shares, what="reading games", total=len(targets), receive=keep)


def _sent(source: Source) -> Source:
    """The source as it goes to another machine; one that cannot be read is named there."""
    try:
        return source.loaded()
    except InputError:
        return Source(source.name, source.path or Path(source.name))


def _read_share(share: _Share) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays of the part that is made of some sources, and what was left out."""
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
    notes = [(record.file, record.line, record.reason) for record in skipped.details]
    return arrays, {"skipped": notes, "unlisted": len(skipped) - len(skipped.details)}


def _fingerprint(part: Path) -> str | None:
    """What a part was made from; None if it is not there, or breaks off."""
    with suppress(InputError):
        return _PART.read(part, lambda _, about: str(about["fingerprint"]))
    return None


def _changed(path: Path | None) -> int:
    """When the file was changed last, in nanoseconds; 0 for one in an archive."""
    return 0 if path is None or not path.exists() else path.stat().st_mtime_ns


def _events(game: GoGame, skipped: SkipReport) -> NDArray[np.uint16] | None:
    """The events of a game; None if it has none that can be used."""
    if len(game.moves) > _MOST_MOVES:
        skipped.add(Skipped(game.file, game.line, f"more than {_MOST_MOVES} moves"))
        return None
    try:
        position = set_up(game.size, point_array(game.setup_black), point_array(game.setup_white))
    except InputError as error:
        skipped.add(Skipped(game.file, game.line, error.message))
        return None
    moves, colours = point_array(game.moves), game.colours.astype(np.int32)
    room = np.zeros(3 * game.size**2 + 2 * len(moves), np.uint16)
    number, played = write_events(position, moves, colours, room)
    if played < len(moves):
        reason = f"move {played + 1} is illegal: used up to there"
        skipped.add(Skipped(game.file, game.line, reason), kind=_ILLEGAL)
    if not number:
        skipped.add(Skipped(game.file, game.line, "no stones"))
        return None
    return room[:number].copy()


def _row(game: GoGame, events: NDArray[np.uint16]) -> dict[str, Any]:
    key = hashlib.blake2b(bytes([game.size]) + events.tobytes(), digest_size=8).digest()
    texts = (str(getattr(game, name)).replace(_BETWEEN, "") for name in TEXTS)
    text = np.frombuffer(_BETWEEN.join(texts).encode("utf-8", "replace"), np.uint8)
    return {
        "events": events,
        "length": len(events),
        "moves": np.count_nonzero(events >> 15),
        "key": int.from_bytes(key, "little"),
        "text": text,
        "text_length": len(text),
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
        noted, further, found = _PART.read(part, _without_games)
        for file, line, reason in noted:
            kind = _ILLEGAL if reason.endswith("used up to there") else reason
            skipped.add(Skipped(file, line, reason), kind=kind)
        if further:
            skipped.add_uncounted(_FURTHER, further)
        pieces += [(size, part) for size, _ in found]
        keys += [key for _, key in found]
    if not pieces:
        first = next(iter(skipped.details), Skipped("", 0, "there is no game of Go in these files"))
        raise NoGamesError(first.reason, file=first.file or None, line=first.line or None)
    whole = np.concatenate(keys)
    first_of_each = np.zeros(len(whole), np.bool_)
    first_of_each[np.unique(whole, return_index=True)[1]] = True
    kept = np.split(first_of_each, np.cumsum([len(k) for k in keys])[:-1])
    chosen: dict[int, list[tuple[Path, Flags]]] = {}
    for (size, part), keep in zip(pieces, kept, strict=True):
        chosen.setdefault(size, []).append((part, keep))
    groups = [_Group(size, chosen[size]) for size in sorted(chosen, reverse=True)]
    facts = {
        "format": FORMAT,
        "sizes": [[group.size, group.games] for group in groups],
        "games": (games := sum(group.games for group in groups)),
        "moves": sum(int(group.column("moves").sum()) for group in groups),
        "duplicates": sum(map(len, keys)) - games,
        "sources": list(paths)[:_DETAILS],
    }
    with replaced(target) as temporary:
        write_arrays(temporary, facts, dict(_arrays(groups)))


def _without_games(
    arrays: StoredArrays, about: dict[str, Any]
) -> tuple[list[tuple[str, int, str]], int, list[tuple[int, NDArray[np.uint64]]]]:
    """What a part left out, how much more, and the keys of its games by size of board."""
    sizes = sorted(int(name.removesuffix("/key")) for name in arrays if name.endswith("/key"))
    found = [(size, arrays[f"{size}/key"]) for size in sizes]
    return about["skipped"], about["unlisted"], found


class _Group:
    """The games of one size, in parts."""

    def __init__(self, size: int, parts: Sequence[tuple[Path, Flags]]) -> None:
        self.size = size
        self._parts = [(part, keep) for part, keep in parts if keep.any()]
        self.games = sum(int(keep.sum()) for _, keep in parts)

    def _read(self, part: Path, *names: str) -> list[NDArray[Any]]:
        return _PART.read(part, lambda arrays, _: [arrays[f"{self.size}/{n}"] for n in names])

    def column(self, name: str) -> NDArray[Any]:
        """A column of the games that are kept."""
        return np.concatenate([self._read(part, name)[0][keep] for part, keep in self._parts])

    def fill(self, name: str, length: str, target: NDArray[Any], place: int = 0) -> int:
        """Write what belongs to the games that are kept, from a place on; return its end."""
        for part, keep in self._parts:
            values, lengths = self._read(part, name, length)
            kept = values[np.repeat(keep, lengths)]
            target[place : place + len(kept)] = kept
            place += len(kept)
        return place

    def mark(self, target: NDArray[np.uint64]) -> None:
        """Write the bits of the stones that ever stood there."""
        first = 0
        for part, keep in self._parts:
            lengths, events = self._read(part, "length", "events")
            events = events[np.repeat(keep, lengths)]
            mark_stones(events, _starts(lengths[keep]), first, self.size**2, target)
            first += int(keep.sum())


def _arrays(
    groups: Sequence[_Group],
) -> Iterator[tuple[str, tuple[str, tuple[int, ...], Callable[[NDArray[Any]], object]]]]:
    """The arrays of the file, with what fills them."""
    for group in groups:
        starts = _starts(group.column("length"))
        words = (-(-group.games // 64), 2 * group.size**2)
        size = group.size
        yield f"{size}/starts", ("int64", starts.shape, partial(np.copyto, src=starts))
        yield f"{size}/bits", ("uint64", words, group.mark)
        fill = partial(group.fill, "events", "length")
        yield f"{size}/events", ("uint16", (int(starts[-1]),), fill)
    for name, kind in TABLE.items():
        values = np.concatenate([group.column(name) for group in groups])
        yield name, (kind, values.shape, partial(np.copyto, src=values))
    starts = _starts(np.concatenate([group.column("text_length") for group in groups]))
    yield "text_starts", ("int64", starts.shape, partial(np.copyto, src=starts))
    yield "text", ("uint8", (int(starts[-1]),), partial(_fill_text, groups))


def _fill_text(groups: Sequence[_Group], target: NDArray[np.uint8]) -> None:
    place = 0
    for group in groups:
        place = group.fill("text", "text_length", target, place)


def _starts(lengths: Longs) -> Longs:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


MARK = b"yardstone games\n"
_LENGTH = struct.Struct("<Q")
_ALIGN = 64
_LONGEST_DESCRIPTION = 16 << 20
_NUMBER_TYPES = ("uint8", "int8", "uint16", "int16", "int32", "float32", "int64", "uint64")

#: Makes an array in the place that it is given.
_Filler = Callable[["NDArray[Any]"], object]


def write_arrays(
    path: Path,
    facts: Mapping[str, Any],
    arrays: Mapping[str, tuple[str, tuple[int, ...], _Filler]],
) -> None:
    """Write a file of arrays by (type, shape, filler), and facts for its description.

    `filler` is given the array in its place, all zeros, in the order of the mapping.
    """
    described: dict[str, Any] = {}
    offset = 0
    for name, (kind, shape, _) in arrays.items():
        described[name] = {"type": kind, "shape": list(shape), "offset": offset}
        length = math.prod(shape) * np.dtype(kind).itemsize
        offset += -(-length // _ALIGN) * _ALIGN
    text = json.dumps({**facts, "arrays": described}, ensure_ascii=False).encode()
    start = -(-(len(MARK) + _LENGTH.size + len(text)) // _ALIGN) * _ALIGN
    with path.open("wb") as file:
        file.write(MARK + _LENGTH.pack(len(text)) + text)
        take_room(file, start + offset)
    for name, (kind, shape, fill) in arrays.items():
        if not math.prod(shape):
            continue
        place = start + described[name]["offset"]
        array = np.memmap(path, kind, "r+", place, shape)
        fill(array)
        array.flush()
        del array


def map_arrays(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The facts of a file and its arrays, mapped into memory.

    Raises InputError where it cannot be read, is not such a file, or breaks off.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            head = file.read(len(MARK) + _LENGTH.size)
            if head[: len(MARK)] != MARK or len(head) < len(MARK) + _LENGTH.size:
                raise InputError(
                    "this is not an index of games",
                    file=str(path),
                    hint="make one with: yardstone trickplay index",
                )
            (length,) = _LENGTH.unpack(head[len(MARK) :])
            if length > min(_LONGEST_DESCRIPTION, size):
                raise _damaged(path)
            text = file.read(length)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path)) from error
    try:
        facts = json.loads(text)
        described = facts.pop("arrays")
        start = -(-(len(head) + length) // _ALIGN) * _ALIGN
        return facts, {
            str(name): _mapped(path, size, start, about) for name, about in described.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path) from error


def _mapped(path: Path, size: int, start: int, about: Mapping[str, Any]) -> NDArray[Any]:
    kind, shape, offset = about["type"], tuple(about["shape"]), about["offset"]
    whole = all(type(number) is int and number >= 0 for number in (*shape, offset))
    if kind not in _NUMBER_TYPES or len(shape) > 2 or not whole or offset % _ALIGN:
        raise ValueError("not an array")
    number = math.prod(shape)
    if number == 0:
        return np.zeros(shape, kind)
    if start + offset + number * np.dtype(kind).itemsize > size:
        raise _damaged(path)
    return np.memmap(path, kind, "r", start + offset, shape)


def _damaged(path: Path, what: str = "is damaged or breaks off") -> InputError:
    return InputError(f"this index of games {what}", file=str(path), hint="make it again")
