"""One damaged record among thirty, in every format of results that is text.

The input is the damaged record, which is put among sound ones. Each of the others is read as
before, and of its own what another reader reads in it; or it is said, by line, what was left out.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree
from zlib import crc32

import duckdb
import pandas
from sgfmill import sgf, sgf_grammar

import yardstone
from tests.fuzz.cases import Target, Wrong
from tests.fuzz.mutations import DAMAGE
from tests.fuzz.oracles import SCORES, chess_games
from tests.records.pools import Game, games
from yardstone.errors import InputError
from yardstone.pool import SkipReport
from yardstone.records import table_files
from yardstone.records.decoding import clean, decode
from yardstone.records.sources import delimited_rows
from yardstone.records.table_files import TableFile, find_dialect, load_csv, load_json
from yardstone.records.tables import connect
from yardstone.tournament.formats import FORMATS
from yardstone.tournament.formats.h9 import read_h9
from yardstone.tournament.model import Tournament

RECORDS = 30
#: One of so many tables is understood, too.
_SOME = 64
OWN = RECORDS - 1
_FIRST = ("Ashkar", "Boulian", "Cervo", "Dählem", "Etxea", "Fjeld")
_LAST = ("Moreno", "Nowak", "Oduya", "Pétit", "Quist")
_HEADER = "id,date,white,black,result,remark\n"
_RESULTS = ("1-0", "0-1", "1/2-1/2", "0-1", "1-0")


def players(number: int) -> tuple[str, str]:
    """Return two names that occur in one record alone."""
    return (
        f"{_LAST[number % 5]}, {_FIRST[number // 5 % 6]}",
        f"{_FIRST[number % 6]}-{_LAST[number // 6 % 5]} {chr(65 + number % 26)}.",
    )


def pgn(number: int, way: int) -> str:
    (white, black), result = players(number), _RESULTS[number % 5]
    comment = " {the Spanish [main line]}" if way else ""
    moves = "" if way == 2 else f"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6{comment} 4. Ba4 Nf6 "
    return (
        f'[Event "League {number // 4}"]\n[Site "Lyon"]\n[Date "2024.03.{number % 28 + 1:02}"]\n'
        f'[Round "{number}"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n'
        f"{moves}{result}\n\n"
    )


def sgf_record(number: int, way: int) -> str:
    black, white = players(number)
    won = ("B+R", "W+2.5", "B+12.5", "W+T", "W+R")[number % 5]
    if way == 2:
        return f"(;FF[4]GM[1]SZ[9]PB[{black}]PW[{white}]RE[{won}](;B[ee](;W[gc])(;W[cg]))(;B[dd]))"
    text = "C[not (yet) joseki]" if way else ""
    return (
        f"(;GM[1]FF[4]CA[UTF-8]SZ[19]\nPB[{black}]PW[{white}]\nDT[2024-03-{number % 28 + 1:02}]"
        f"KM[6.5]RE[{won}]\n;B[qd];W[dd]{text};B[pq];W[dp]\n;B[fq];W[cn])\n"
    )


def mat(number: int, way: int) -> str:
    one, other = players(number)
    wins = f"{'' if number % 3 else ' ' * 28}Wins 1 point"
    tag = f'; [EventDate "2024.03.{number % 28 + 1:02}"]\n{"" if way else chr(10)}'
    return (
        f"{tag} 1 point match\n\n Game 1\n"
        f" {one + ' : 0':<31}{other} : 0\n 1) {'31: 8/5 6/5':<28}42: 8/4 6/4\n"
        f" 2) {'65: 24/13':<28}21: 13/11 6/5\n 3) {wins} and the match\n\n"
    )


def row(number: int, way: int, delimiter: str = ",") -> str:
    white, black = players(number)
    cells = [str(number), f"2024-03-{number % 28 + 1:02}", white, black, _RESULTS[number % 5], ""]
    quoted = (2,) if way == 0 and delimiter == "," else range(6) if way == 1 else (2, 5)
    out = [f'"{cell}"' if place in quoted else cell for place, cell in enumerate(cells)]
    return delimiter.join(out) + "\n"


def json_record(number: int, way: int, begin: str = "", end: str = "\n") -> str:
    white, black = players(number)
    record = {"id": number, "white": white, "black": black, "result": _RESULTS[number % 5]}
    if way:
        record["tags"] = "{rapid, [online]}" if way == 1 else None
    return begin + json.dumps(record, ensure_ascii=way == 2) + end


def chess(data: bytes) -> list[Game] | None:
    # It takes two tags of one line for one.
    return None if re.search(rb'"\][ \t]*\[', data) else known(chess_games(data))


_SAID = ("PB", "PW", "RE")


def mill(data: bytes) -> list[Game] | None:
    try:
        trees = sgf_grammar.parse_sgf_collection(data)
        roots = [sgf.Sgf_game.from_coarse_game_tree(tree, "latin-1").get_root() for tree in trees]
        said = [
            [root.get(name) if root.has_property(name) else "" for name in _SAID] for root in roots
        ]
    except (ValueError, RecursionError, KeyError):
        return None
    winners = {"B+": "1-0", "W+": "0-1"}
    return known((one, other, winners.get(won[:2], "")) for one, other, won in said)


def frame(data: bytes, delimiter: str = ",") -> list[Game] | None:
    try:
        table = pandas.read_csv(
            io.StringIO(_HEADER.replace(",", delimiter) + decode(data)),
            sep=delimiter,
            dtype=str,
            keep_default_na=False,
            index_col=False,
        )
        return known(zip(*(table[name] for name in ("white", "black", "result")), strict=True))
    except (ValueError, KeyError, Warning):  # which pandas gives of rows that are too long
        return None


def objects(data: bytes) -> list[Game] | None:
    try:
        rows = json.loads(f"[{decode(data).strip().strip(',').replace(chr(10), ',')}]")
        return known((row["white"], row["black"], row["result"]) for row in rows)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def known(found: Iterable[Iterable[object]]) -> list[Game] | None:
    said = ([clean(each) if isinstance(each, str) else "" for each in game] for game in found)
    listed = [(one, other, SCORES.get(result, -1.0)) for one, other, result in said]
    return None if any(not a or not b or score < 0 for a, b, score in listed) else listed


#: Names, score and time.
_Played = tuple[str, str, float, str]
#: The games of a file, and how many records were left out.
_Reader = Callable[[Path], tuple[Counter[_Played], int]]
_ROLES = ("white", "black", "result")


@dataclass(frozen=True)
class Format:
    suffix: str
    record: Callable[[int, int], str]  #: By the number of the game, and one of three ways.
    #: What another reader finds in these bytes; None if it finds a game that is not whole.
    other: Callable[[bytes], list[Game] | None] = lambda data: None
    head: str = ""
    tail: str = ""
    rows: _Reader | None = None  #: Reads a table before it is asked what its rows mean.
    whole: bool = True  #: Whether it is one of games.

    def own(self) -> dict[str, bytes]:
        return {f"way{way}": self.record(OWN, way).encode() for way in range(3)}

    def file(self, damaged: bytes) -> bytes:
        records = [self.record(number, number % 3).encode() for number in range(OWN)]
        records.insert(crc32(damaged) % RECORDS, damaged)
        return self.head.encode() + b"".join(records) + self.tail.encode()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    database = connect()
    database.execute("SET threads = 1")
    return database


def _read(path: Path) -> tuple[Counter[_Played], int]:
    # Small tables meet one database: to make one takes a quarter of the time.
    with patch.object(table_files, "connect", lambda memory=None: _database().cursor()):
        pool = yardstone.read(path, times=True)
    times = [""] * len(pool) if pool.time is None else pool.time.astype(str).tolist()
    found = Counter((*game, time) for game, time in zip(games(pool), times, strict=True))
    return found, pool.skipped.total


def _read_rows(path: Path) -> tuple[Counter[_Played], int]:
    """Read the rows of a table, before it is asked what they mean: that takes longest."""
    file = TableFile(str(path), path)
    with closing(_database().cursor()) as connection:
        if "json" in path.suffix:
            rows, _, report = load_json(connection, file)
        else:
            rows, _, report = load_csv(connection, file, find_dialect(path, str(path)))
        found = connection.execute(f"SELECT {', '.join(_ROLES)} FROM {rows}").fetchall()
        connection.execute("DROP TABLE source_rows")
    return _played(found, report.total)


def _read_cells(path: Path) -> tuple[Counter[_Played], int]:
    header, rows = delimited_rows(path, report := SkipReport())
    places = [header.index(role) for role in _ROLES]
    return _played([[cells[place] for place in places] for _, cells in rows], report.total)


def _played(rows: Iterable[Sequence[str]], said: int) -> tuple[Counter[_Played], int]:
    found: Counter[_Played] = Counter()
    for one, other, result in rows:
        if one and other and result in SCORES:
            found[clean(one), clean(other), SCORES[result], ""] += 1
        else:  # whoever reads the rows says so
            said += 1
    return found, said


@cache
def _before(name: str, read: _Reader, path: Path) -> Counter[_Played]:
    format = TEXTS[name]
    path.write_bytes(format.file(format.own()["way0"]))
    found, said = read(path)
    if not RECORDS <= found.total() <= RECORDS + 1 or said:
        raise Wrong(f"sound records are not read: {found.total()}, {said}")
    return found


def read(name: str, path: Path) -> None:
    format = TEXTS[name]
    damaged = path.read_bytes()
    whole = path.with_name(f"games{format.suffix}")
    if format.rows is not None:
        _compare(name, format.rows, whole, damaged)
    if format.whole and (format.rows is None or crc32(damaged) % _SOME == 0):
        _compare(name, _read, whole, damaged)


def _compare(name: str, read: _Reader, path: Path, damaged: bytes) -> None:
    format = TEXTS[name]
    before = _before(name, read, path)
    own = next(game for game in before if game[:2] == players(OWN))
    others = before - Counter([own])
    path.write_bytes(format.file(damaged))
    try:
        got, said = read(path)
    except InputError as error:
        if error.line is None and "line " not in str(error):
            raise Wrong(f"refused without a line: {error.message}") from error
        return
    lost, new = others - got, got - others
    if lost.total() > said:
        raise Wrong(f"lost in silence: {[*lost]}, new {[*new]}")
    names = {each for game in others for each in game[:2]}
    if mixed := [game for game in new if names & {*game[:2]}]:
        raise Wrong(f"a neighbour changed: {mixed}")
    theirs = format.other(damaged)
    ours = sorted(map(plain, new.elements()))
    if said or (theirs is not None and ours == sorted(map(plain, theirs))):
        return
    whole = all(each in decode(damaged) for each in own[:2])
    if not ours and not whole:
        return  # of such a record nobody can tell that it was one
    if theirs is None and ours and {game[2] for game in ours} == {own[2]}:
        return
    raise Wrong(f"its own: {ours} in place of {theirs}")


def _event() -> Tournament:
    """Return a tournament of thirty players in five rounds."""
    lines = ["; EV[Lyon Open]", "; DT[2024-03-02,2024-03-03]"]
    order, cells = list(range(RECORDS)), [[""] * 5 for _ in range(RECORDS)]
    for round in range(5):
        for one, other in zip(order[:15], order[:14:-1], strict=True):
            sign, back = (("+", "-"), ("-", "+"), ("=", "="))[(one + round) % 5 % 3]
            cells[one][round] = f"{other + 1}{sign}/b0"
            cells[other][round] = f"{one + 1}{back}/w0"
        order[1:] = [order[-1], *order[1:-1]]
    for number, results in enumerate(cells):
        family, first = (each.replace(" ", "") for each in players(number)[0].split(","))
        lines.append(f"{number + 1} {family} {first} 2d FR Ly 0 {' '.join(results)}")
    return read_h9("\n".join(lines).encode())


#: The ending of a format of tournaments, and what tells the line that is damaged: of a player
#: whose games stand in others' lines too, or of a game.
_EVENTS = {
    "damaged-h9": (".h9", b"Nowak D"),
    "damaged-trf": (".trf", b"001   17 "),
    "damaged-opengotha": (".xml", b"<Game "),
}
_PLAYER = "Nowak Dählem"


@cache
def _event_lines(name: str) -> tuple[bytes, bytes, bytes]:
    """Return the file before a line of the player or the game, that line, and the rest."""
    data = FORMATS[name.partition("-")[2]].write(replace(_event(), document=None))
    lines = data.splitlines(keepends=True)
    at = next(k for k, line in enumerate(lines) if _EVENTS[name][1] in line)
    return b"".join(lines[:at]), lines[at], b"".join(lines[at + 1 :])


def _event_line(name: str) -> dict[str, bytes]:
    return {"line": _event_lines(name)[1]}


@cache
def _sound_event(name: str, path: Path) -> Counter[_Played]:
    path.write_bytes(b"".join(_event_lines(name)))
    return _read(path)[0]


def read_event(name: str, path: Path) -> None:
    """Of the games that the damaged line tells of, each is as it was, or it is said."""
    damaged = path.read_bytes()
    before, _, after = _event_lines(name)
    whole = path.with_name(f"games{_EVENTS[name][0]}")
    sound = _sound_event(name, whole)
    whole.write_bytes(before + damaged + after)
    try:
        got, said = _read(whole)
    except InputError as error:
        if error.line is None and "line " not in str(error):
            raise Wrong(f"refused without a line: {error.message}") from error
        return
    if name == "damaged-opengotha":
        theirs = gotha(damaged)
    else:  # a name that nobody has is that of the damaged line
        names = {each for game in sound for each in game[:2]}
        got = Counter(
            (one if one in names else _PLAYER, other if other in names else _PLAYER, score, time)
            for one, other, score, time in got.elements()
        )
        theirs = []
    lost, new = sound - got, [plain(game) for game in (got - sound).elements()]
    if name == "damaged-opengotha" and not (theirs or b"Player=" in damaged):
        return  # of such a line nobody can tell that it was a game
    if (new and new != theirs) or lost.total() > said + len(new):
        raise Wrong(f"{said} said of {[*lost]}, new {new}")


def gotha(line: bytes) -> list[Game]:
    try:
        said = ElementTree.fromstring(line.decode("utf-8")).attrib
        score = {"RESULT_BLACKWINS": 1.0, "RESULT_WHITEWINS": 0.0, "RESULT_EQUAL": 0.5}
        names = said["blackPlayer"], said["whitePlayer"]
        return [plain((*names, score[said["result"].removesuffix("_BYDEF")]))]
    except (ElementTree.ParseError, UnicodeDecodeError, KeyError):
        return []


def plain(game: Sequence[Any]) -> Game:
    """Return the game with what every encoding of its names agrees on."""
    one, other, score, *_ = game
    return _letters(one), _letters(other), score


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


TEXTS: Mapping[str, Format] = {
    "damaged-pgn": Format(".pgn", pgn, chess),
    "damaged-sgf": Format(".sgf", sgf_record, mill),
    "damaged-mat": Format(".mat", mat),
    "damaged-csv": Format(".csv", row, frame, _HEADER, rows=_read_rows),
    "damaged-cells": Format(".csv", row, frame, _HEADER, rows=_read_cells, whole=False),
    "damaged-tsv": Format(
        ".tsv",
        partial(row, delimiter="\t"),
        partial(frame, delimiter="\t"),
        _HEADER.replace(",", "\t"),
        rows=_read_rows,
    ),
    "damaged-jsonl": Format(".jsonl", json_record, objects, rows=_read_rows),
    "damaged-json": Format(
        ".json",
        partial(json_record, begin=",\n", end=""),
        objects,
        '[{"id": 99, "white": "Zara", "black": "Zeno", "result": "1-0"}',
        "\n]\n",
        rows=_read_rows,
    ),
}

TARGETS = (
    *(
        Target(name, partial(read, name), format.suffix, made=format.own, ways=DAMAGE)
        for name, format in TEXTS.items()
    ),
    *(
        Target(
            name,
            partial(read_event, name),
            _EVENTS[name][0],
            made=partial(_event_line, name),
            ways=DAMAGE,
        )
        for name in _EVENTS
    ),
)
