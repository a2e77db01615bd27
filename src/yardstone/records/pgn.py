"""Pools from the tags of PGN files.

White moves first in chess, so White is the pool's ``first``. Players are numbered
in order of first appearance, White before Black, and players whose games are all
unfinished are among them.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import NoGamesError
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool, Skipped, SkipReport
from yardstone.records._pgn import (
    COLUMN_MARK,
    KINDS,
    LOOK_AHEAD,
    LOOK_BACK,
    MULTIPLIER,
    NAME_LIMIT,
    Scanner,
)
from yardstone.records.columns import PGN_LEVELS
from yardstone.records.dates import read_dates
from yardstone.records.decoding import clean, decode
from yardstone.records.joining import read_shares, without_empty_columns
from yardstone.records.options import PGN, Options, further_columns, require_columns
from yardstone.records.results import left_out_reason
from yardstone.records.sources import ByteStream, Source, in_turn
from yardstone.records.unplayed import CONTENT, IDENTITY, leave_out, not_played, without_repeats

BLOCK = 1 << 21
#: What one buffer left unread is put before the next one; it is never longer.
_HEAD = LOOK_AHEAD + LOOK_BACK
#: So many games are hashed at a time, which the processor's cache holds.
_GAMES = 1 << 15
_TIME_TAGS = ("utcdate", "date", "utctime", "time")
#: Tags that tell of which game a record is, and that it is none, and what they must hold to say so.
_MARK_TAGS = {
    "date": re.compile(rb"^[^?]*\d[^?]*$"),
    "round": re.compile(rb"[1-9A-Za-z]"),
    "site": re.compile(rb"://.*[0-9A-Za-z]{6}"),
    "link": re.compile(rb"\w{4}"),
    "gameid": re.compile(rb"[1-9A-Za-z]"),
    "termination": re.compile(rb""),
}
_HALF = np.uint64(32)
#: Before the names of columns that hold those until all games are there.
_TEXT_OF = "text of "
#: In `Options.columns`: the line of the file at which the game begins.
LINE = "line"
#: Columns made of tags where all are wanted.
_TAGS = {
    "event": "Event",
    "site": "Site",
    "round": "Round",
    "white_elo": "WhiteElo",
    "black_elo": "BlackElo",
    "white_title": "WhiteTitle",
    "black_title": "BlackTitle",
    "eco": "ECO",
    "opening": "Opening",
    "time_control": "TimeControl",
    "termination": "Termination",
    "plies": "PlyCount",
    "fen": "FEN",
}
#: Tags that a condition may speak of although no game has them: of a match without losses on
#: time, a program may write no Termination at all.
_USUAL = frozenset((*_TIME_TAGS, *(tag.lower() for tag in _TAGS.values())))


def read_pgn(
    sources: Sequence[Source], options: Options, *, block: int = BLOCK, once: bool = True
) -> Pool:
    """Read the games of PGN files into one pool, `block` bytes at a time.

    `Options.columns` names further columns of the pool and the tags they come from, such as
    ``{"event": "Event"}``; the tag ``"line"`` means the line of the file. Values are texts, empty
    where the tag is missing. With `Options.times` the games have times, from UTCDate and UTCTime,
    else from Date and Time. With `once`, records that repeat others, or say that the game was not
    played, are left out; without it all are read, as Ordo does.

    Raises:
        NoGamesError: If there is no tag in any of the files.
        InputError: If a tag that is named stands in no game.
        StrictError: With `Options.strict`, at the first record that cannot be used.
    """
    further = further_columns(options, PGN)
    levels = PGN_LEVELS if options.levels else {}
    columns = _TAGS if options.everything else {**levels, **further}
    asked = options.asked("White", "Black", "Result")
    read = partial(_read, {**columns, **asked}, block, once=once, alone=len(sources) == 1)
    pool = without_repeats(read_shares(read, sources, options))
    if options.timed:
        pool = _timed(pool)
    require_columns(pool, further, sources, PGN, others=(LINE,))
    if options.where is not None:
        named = {name: tag for name, tag in asked.items() if tag.lower() not in _USUAL}
        require_columns(pool, named, sources, PGN, others=(LINE,))
        pool = options.where.select(pool, **_by_name(pool))
    return without_empty_columns(pool, None if options.everything else levels)


def _read(
    columns: Mapping[str, str],
    block: int,
    sources: Sequence[Source],
    options: Options,
    *,
    once: bool,
    alone: bool,
) -> Pool:
    """The games of some files, or of the one file that is `alone`; their times as texts."""
    reader = _Reader(columns, options, marked=once)
    for source, tell in in_turn(sources):
        with source.open() as stream:
            any_tag = reader.read(stream, block, tell)
        if not any_tag:
            if alone:
                raise NoGamesError(
                    "it contains no games",
                    file=source.name,
                    hint='a PGN file has lines such as [White "name"]',
                )
            nothing = Skipped(source.name, 0, "no PGN tags in this file")
            reader.skipped.add(nothing, strict=options.strict)
    return reader.pool()


def _timed(pool: Pool) -> Pool:
    """The games with their times, in UTC where it is told, in place of the texts that tell them."""
    columns = dict(pool.columns)
    utc_date, date, utc_time, time = (columns.pop(_TEXT_OF + tag) for tag in _TIME_TAGS)
    in_utc = utc_date != ""
    dates = np.where(in_utc, utc_date, date).tolist()
    clocks = np.where(in_utc, utc_time, time).tolist()
    moments = read_dates([f"{day} {at}".strip() for day, at in zip(dates, clocks, strict=True)])
    moments.report(pool.skipped)
    return replace(pool, time=moments.time, columns=columns)


class _Games(NamedTuple):
    """Games that were read: see `Scanner`."""

    pairs: NDArray[np.int32]
    outcomes: NDArray[np.int8]
    codes: NDArray[np.int32]
    lines: NDArray[np.int64]
    marks: NDArray[np.uint64]


class _Reader:
    """What is known so far of the games of all files."""

    def __init__(self, columns: Mapping[str, str], options: Options, *, marked: bool) -> None:
        self.columns = columns
        self.times = options.timed
        self.strict = options.strict
        self.marked = marked
        self.records: list[NDArray[np.uint64]] = []  # the length of each, and its last bytes
        self.skipped = SkipReport()
        tags = [tag.lower() for tag in columns.values() if tag.lower() != LINE]
        known = (*(_TIME_TAGS if self.times else ()), *(_MARK_TAGS if marked else ()))
        self.tags = list(dict.fromkeys([*tags, *known]))
        lines = LINE in (tag.lower() for tag in columns.values())
        self.scanner = Scanner(self.tags, MAX_SKIPPED_DETAILS, lines, marked)
        self.chunks: list[_Games] = []
        self.open_results = True  # while its results that are none are blank or a question mark

    def read(self, stream: ByteStream, block: int, tell: Callable[[int], None]) -> bool:
        """Read one file; false if no tag stands in it."""
        self.open_results = True
        stream.recode_utf16()
        chunks = len(self.chunks)
        self.scanner.begin()
        # the end of the last block that was not understood without the next, and bytes before it
        tail = np.full(LOOK_BACK, 10, np.uint8)
        for buffer, size in _blocks(stream, block):
            first, end = _HEAD - len(tail), _HEAD + size
            buffer[first:_HEAD] = tail
            start = self._scan(buffer, first + LOOK_BACK, end, size < block, stream.name)
            tail = buffer[start - LOOK_BACK : end].copy()
            tell(stream.consumed)
        if stream.damage is not None:
            damage = Skipped(stream.name, self.scanner.line, stream.damage)
            self.skipped.add(damage, strict=self.strict)
        if self.marked:
            starts = np.concatenate([chunk.marks for chunk in self.chunks[chunks:]])
            after = np.concatenate([starts[1:], self.scanner.last_marks()])[: len(starts)]
            self.records.append(np.column_stack([after[:, 1] - starts[:, 0], after[:, 2]]))
        return bool(self.scanner.any_tag)

    def _scan(self, buffer: NDArray[np.uint8], start: int, end: int, final: bool, file: str) -> int:
        """Scan one buffer as far as it can be understood without the next one."""
        while True:
            start = self.scanner.scan(buffer, start, end, final)
            self.chunks.append(_Games._make(self.scanner.games()))
            self._report(file)
            if not self.scanner.full:
                return start

    def _report(self, file: str) -> None:
        """Note the problems of a scan."""
        counts, details = self.scanner.problems()
        for kind, line, length, data in details:
            counts[kind] -= 1
            reason = name = KINDS[kind]
            known = name in _KNOWN
            if name == _BAD_RESULT:
                text = clean(decode(data))
                reason = f"result {text!r} is not 1-0, 0-1, 1/2-1/2 or *"
                known = left_out_reason(text) is not None
                self.open_results &= known
                if not known:
                    self.skipped.values[text] += 1
            elif length:
                reason = f"{name}: {length} bytes, at most {NAME_LIMIT} are read"
            record = Skipped(file, line, reason)
            self.skipped.add(record, kind=name, known=known, strict=self.strict)
        for kind in np.flatnonzero(counts).tolist():
            name = KINDS[kind]
            known = name in _KNOWN or (name == _BAD_RESULT and self.open_results)
            self.skipped.add_uncounted(name, int(counts[kind]), known=known)

    def pool(self) -> Pool:
        """The pool of all games read."""
        number: dict[str, int] = {}
        raw = self.scanner.strings()
        place = np.full(len(raw) + 1, -1, np.int32)
        for code, data in enumerate(raw):
            if data[0] != COLUMN_MARK:
                place[code] = number.setdefault(_text(data) or "\ufffd", len(number))
        chunks, self.chunks = self.chunks, []
        pairs, outcomes, codes, lines, _ = map(np.concatenate, zip(*chunks, strict=True))
        del chunks
        first, second = pairs.T
        tags = dict(zip(self.tags, codes.T, strict=True))
        said = [first, second, *tags.values()]
        marks = _marks(tags, said, outcomes, self.records, raw) if self.marked else {}
        if len(number) < len(raw):
            first, second = place[first], place[second]
        extra: dict[str, NDArray[Any]] = {
            name: lines if tag.lower() == LINE else _texts(tags[tag.lower()], raw)
            for name, tag in self.columns.items()
        }
        if self.times:
            extra |= {_TEXT_OF + tag: _texts(tags[tag], raw) for tag in _TIME_TAGS}
        extra |= marks
        pool = Pool(tuple(number), first, second, outcomes * 0.5, None, extra, self.skipped)
        if not self.marked:
            return pool
        ends = tags["termination"]
        for end in _distinct(ends).tolist():
            text = _text(raw[end][1:])
            # Programs say so of a game that an engine lost by leaving it.
            if text.lower() != "abandoned" and (reason := not_played(text)):
                pool = leave_out(pool, ends == end, reason, strict=self.strict)
                ends = ends[ends != end]
        return pool


_BAD_RESULT = "unknown result"
#: Records that are understood, and have no result.
_KNOWN = frozenset({"no Result tag", "unfinished (result *)"})


def _text(data: bytes) -> str:
    """The text of a tag's value."""
    text = decode(data)
    if "\\" in text:
        text = text.replace("\\\\", "\0").replace('\\"', '"').replace("\0", "\\")
    return clean(text)


def _by_name(pool: Pool) -> dict[str, NDArray[Any]]:
    """What the tags White, Black and Result say, for a condition on games."""
    names = np.array([*pool.players, ""], np.dtypes.StringDType())
    results = np.array(["0-1", "1/2-1/2", "1-0"], np.dtypes.StringDType())
    return {
        "white": names[pool.first],
        "black": names[pool.second],
        "result": results[(2.0 * pool.score).astype(np.int64)],
    }


def _distinct(codes: NDArray[np.int32]) -> NDArray[np.integer[Any]]:
    """The codes of texts that there are."""
    there = np.zeros(int(codes.max(initial=-1)) + 2, np.bool_)
    there[codes] = True  # -1, no text, is the last
    return np.flatnonzero(there[:-1])


def _marks(
    tags: Mapping[str, NDArray[np.int32]],
    said: Sequence[NDArray[np.int32]],
    outcomes: NDArray[np.int8],
    records: Sequence[NDArray[np.uint64]],
    raw: Sequence[bytes],
) -> dict[str, NDArray[np.uint64]]:
    """What each record says, as a number, and the game that it names: by a link, or a round."""
    number = np.array([*map(crc32, raw), 0], np.uint64)
    content = outcomes.astype(np.uint64)
    moves = np.concatenate([np.zeros((0, 2), np.uint64), *records])
    for start in range(0, len(content), _GAMES):
        part = slice(start, start + _GAMES)
        piece = content[part]
        for column in (*moves[part].T, *(number[codes[part]] for codes in said)):
            piece ^= column
            piece *= MULTIPLIER
            piece ^= piece >> _HALF
    known = {name: np.zeros(len(number), np.bool_) for name in _MARK_TAGS}
    for name, pattern in _MARK_TAGS.items():
        for code in _distinct(tags[name]).tolist():
            known[name][code] = bool(pattern.search(raw[code]))
    identity = np.zeros(len(outcomes), np.uint64)
    day, rounds = tags["date"], tags["round"]
    dated = known["date"][day] & known["round"][rounds]
    identity[dated] = (number[day] << _HALF | number[rounds])[dated]
    for name in ("site", "link", "gameid"):
        if not known[name].any():
            continue
        named = known[name][tags[name]]
        identity[named] = number[tags[name]][named] | np.uint64(1 << 63)
    return {CONTENT: content, IDENTITY: identity}


def _texts(codes: NDArray[np.int32], raw: Sequence[bytes]) -> NDArray[Any]:
    """The text of each code; -1 is the empty text."""
    distinct, where = np.unique(codes, return_inverse=True)
    texts = ["" if code < 0 else _text(raw[code][1:]) for code in distinct.tolist()]
    return np.array(texts, np.dtypes.StringDType())[where]


def _blocks(stream: ByteStream, size: int) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """The blocks of a file behind a head, read ahead by a thread; the last is below `size`."""
    free: queue.SimpleQueue[NDArray[np.uint8]] = queue.SimpleQueue()
    full: queue.SimpleQueue[tuple[NDArray[np.uint8], int] | BaseException] = queue.SimpleQueue()

    def read() -> int:
        buffer = free.get()
        filled = stream.readinto(buffer[_HEAD : _HEAD + size].data)
        full.put((buffer, filled))
        return filled

    def read_ahead() -> None:
        try:
            while read() == size:
                pass
        except BaseException as error:
            full.put(error)

    free.put(np.empty(_HEAD + size + 1, np.uint8))
    if read() == size:
        free.put(np.empty(_HEAD + size + 1, np.uint8))
        threading.Thread(target=read_ahead, daemon=True).start()
    while True:
        block = full.get()
        if isinstance(block, BaseException):
            raise block
        yield block
        if block[1] < size:
            return
        free.put(block[0])
