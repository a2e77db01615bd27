"""Files that are made to do harm: for each reader, and what the command says of them."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
import shlex
import shutil
import sqlite3
import struct
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.siege.watched import YARDSTONE, Watched, run
from yardstone.examples import example, example_files

M = 1_000_000
#: A file that none of them names by right.
SECRET = "secret.csv"
_ROW = "white,black,result\nA,B,1-0\n"
_GAME = '[White "A"]\n[Black "B"]\n{}[Result "1-0"]\n\n{} 1-0\n\n'
_SGF = "(;GM[1]FF[4]SZ[19]PB[A]PW[B]RE[B+1]{})"


@dataclass(frozen=True)
class Bomb:
    file: str  #: Its name, which tells what it is.
    make: Callable[[Path], bytes | str | None]  #: Gives what is in it, or writes it.
    says: str = ""  #: Stands in what the command says or prints.
    command: str = "rate {}"

    def words(self) -> list[str]:
        """The words of its command."""
        return [word.replace("{}", self.file) for word in shlex.split(self.command)]

    def lay(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder.parent.parent / SECRET).write_text(_ROW)
        for word in {*self.words()} & {*example_files()}:
            shutil.copy(example(word), folder)
        path = folder / self.file
        if (data := self.make(path)) is not None:
            path.write_bytes(data.encode() if isinstance(data, str) else data)


def _pgn(tags: str = "", moves: str = "") -> str:
    return _GAME.format(tags, moves)


def _hole(size: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(size)

    return make


def _pipe(path: Path) -> None:
    """A pipe that never ends."""
    os.mkfifo(path)

    def feed() -> None:
        with suppress(OSError), path.open("wb", buffering=0) as file:
            while True:
                file.write(_pgn().encode() * 1000)

    threading.Thread(target=feed, daemon=True).start()


def _circle(path: Path) -> None:
    (path / "in").mkdir(parents=True)
    for name in "abc":
        (path / "in" / name).symlink_to("..")
    (path / "itself.pgn").symlink_to("itself.pgn")
    (path / "game.pgn").write_text(_pgn())


def _leading_out(path: Path) -> None:
    path.mkdir()
    (path / "game.csv").symlink_to(f"../../../{SECRET}")


def _crowd(path: Path) -> None:
    path.mkdir()
    for number in range(20_000):
        (path / f"{number}.pgn").touch()


def _abyss(path: Path) -> None:
    path.mkdir()
    home = os.open(path, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=home)
        deeper = os.open("d", os.O_RDONLY, dir_fd=home)
        os.close(home)
        home = deeper
    os.close(home)


def _zeros(pack: Callable[[bytes], bytes], times: int = 100) -> Callable[[Path], bytes]:
    """So many streams, one after another, of ten million zeros each."""
    return lambda _: pack(bytes(10 * M)) * times


def _zstd(data: bytes) -> bytes:
    from yardstone.files import zstd_module

    return bytes(zstd_module().compress(data))


def _zstd_window(_: Path) -> bytes:
    """A block of one byte, repeated, that asks for a window of 2 GB."""
    head = struct.pack("<IBB", 0xFD2FB528, 0, (31 - 10) << 3)
    return head + (1 | 1 << 1 | 100_000 << 3).to_bytes(3, "little") + b"x"


def _xz_window(_: Path) -> bytes:
    small = lzma.compress(_pgn().encode(), filters=[{"id": lzma.FILTER_LZMA2, "preset": 0}])
    # The byte that tells the size of the window, and the sum of the header that has it.
    head = bytearray(small)
    head[16] = 39
    head[20:24] = struct.pack("<I", zlib.crc32(head[12:20]))
    return bytes(head)


def _zip(members: Callable[[zipfile.ZipFile], object], packing: int = 8) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w", packing, compresslevel=9) as archive:
            members(archive)

    return make


def _entries(archive: zipfile.ZipFile) -> None:
    for number in range(60_000):
        archive.writestr(f"{number}.pgn", b"")


def _overlapping(path: Path) -> None:
    """All members of the list are one and the same bytes."""
    _zip(lambda archive: archive.writestr("0.pgn", bytes(20 * M)))(path)
    data = path.read_bytes()
    start = data.index(b"PK\1\2")
    entry, end = data[start : data.index(b"PK\5\6")], bytearray(data[data.index(b"PK\5\6") :])
    count = 5000
    end[8:12] = struct.pack("<HH", count, count)
    end[12:16] = struct.pack("<I", count * len(entry))
    path.write_bytes(data[:start] + entry * count + end)


def _lying(path: Path) -> None:
    """Its list says that the member has ten bytes."""
    _zip(lambda archive: archive.writestr("0.pgn", bytes(150 * M)))(path)
    data = bytearray(path.read_bytes())
    for place in (22, data.index(b"PK\1\2") + 24):
        data[place : place + 4] = struct.pack("<I", 10)
    path.write_bytes(data)


def _zip_window(path: Path) -> None:
    """LZMA that asks for a window of 4 GB."""
    _npz("a.pgn", b"x" * 99, 14)(path)
    head = b"\x05\x00\x5d"
    path.write_bytes(re.sub(head + b"....", head + b"\xff" * 4, path.read_bytes(), flags=re.DOTALL))


def _comment(path: Path) -> None:
    """Nothing but ends of archives."""
    _npz("a.pgn", b"")(path)
    path.write_bytes(path.read_bytes()[:-2] + b"\xff\xff" + b"PK\5\6" * 16_383)


def _nested(path: Path) -> None:
    data = _pgn().encode()
    for level in range(50):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", 8) as archive:
            archive.writestr(f"{level}.zip" if level else "a.pgn", data)
        data = inner.getvalue()
    path.write_bytes(data)


def _tar(members: Sequence[tuple[str, bytes, bytes]]) -> bytes:
    """Members by name, type and content."""
    out = io.BytesIO()
    for name, kind, data in members:
        info = tarfile.TarInfo(name)
        info.type, info.size = kind, len(data)
        if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
            info.linkname, info.size = f"../../../{SECRET}", 0
        out.write(info.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512))
    return out.getvalue() + bytes(1024)


def _tar_head(kind: bytes, size: int, name: str = "a.pgn") -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


def _arrow(make: Callable[[Any], Any], kind: str = "parquet") -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import pyarrow as pa
        from pyarrow import feather, parquet

        if kind == "parquet":
            parquet.write_table(make(pa), path, compression="zstd", write_statistics=False)
        else:
            feather.write_feather(make(pa), path, compression="zstd")

    return write


def _columns(**texts: Any) -> dict[str, Any]:
    return {"white": ["A"], "black": ["B"], "result": ["1-0"], **texts}


def _often(pa: Any) -> Any:
    name = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), ["x" * (20 << 20)])
    return pa.table({"white": name, "black": ["B"] * 200_000, "result": ["1-0"] * 200_000})


def _deep_list(pa: Any) -> Any:
    value: Any = 1
    kind = pa.int8()
    for _ in range(120):
        value, kind = [value], pa.list_(kind)
    return pa.table(_columns(more=pa.array([value], kind)))


def _sqlite(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as base, base:
            for statement in statements:
                base.executescript(statement)

    return make


_GAMES = "CREATE TABLE g (white, black, result); INSERT INTO g VALUES ('A', 'B', '1-0');"
_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


def _own_page(path: Path) -> None:
    """A tree of pages that leads back to its own root."""
    rows = "INSERT INTO g SELECT 'A', 'B', hex(zeroblob(300)) FROM n LIMIT 3000"
    _sqlite(_GAMES, f"{_ENDLESS} {rows}")(path)
    data = bytearray(path.read_bytes())
    for page in range(4096, len(data), 4096):
        if data[page] == 5:  # inner page of a table
            data[page + 8 : page + 12] = data[page + 12 : page + 12] or struct.pack(
                ">I", page // 4096 + 1
            )
    path.write_bytes(data)


def _long_database(path: Path) -> None:
    _sqlite(_GAMES)(path)
    os.truncate(path, 10**11)


def _hot_journal(path: Path) -> None:
    _sqlite(_GAMES)(path)
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 1, 0, 1, 512, 4096)
    body = head.ljust(512, b"\0") + struct.pack(">I", 1) + bytes(4100)
    path.with_name(f"{path.name}-journal").write_bytes(body)


def _duckdb(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        import duckdb

        config: dict[str, Any] = {"storage_compatibility_version": "latest"}
        with closing(duckdb.connect(path, config=config)) as base:
            base.execute("SET force_compression = 'zstd'")
            for statement in statements:
                base.execute(statement)

    return make


_RESULT = "SELECT 'A' AS white, 'B' AS black, '1-0' AS result"
_QUERY = "rate {} --query 'SELECT * FROM v'"


def _reading_out(path: Path) -> None:
    secret = path.parent.parent.parent / SECRET
    _duckdb(f"CREATE VIEW v AS FROM read_csv('{secret}')", f"CREATE TABLE g AS {_RESULT}")(path)


def _event(change: Callable[[str], str]) -> Callable[[Path], str]:
    return lambda _: change(example("open.xml").read_text())


def _entities(text: str, use: str) -> Callable[[Path], str]:
    return lambda _: (
        f'<?xml version="1.0"?><!DOCTYPE Tournament [{text}]>\n<Tournament>{use}</Tournament>'
    )


_LAUGHS = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12))


def _outside(path: Path) -> str:
    secret = path.parent.parent.parent / SECRET
    return _entities(f'<!ENTITY a SYSTEM "file://{secret}">', "&a;")(path)


def _players(_: Path) -> str:
    text = example("open.xml").read_text()
    start, end = text.index("<Player "), text.index("</Players>")
    player = text[start : text.index("/>", start) + 2]
    more = [player.replace('name="', f'name="N{n}x', 1) for n in range(50_000)]
    return text[:end] + "\n".join(more) + text[end:]


def _trf(_: Path) -> str:
    lines = example("swiss.trf").read_text().splitlines()
    line = next(line for line in lines if line.startswith("001"))
    return "\n".join([*lines, *(f"001 {n:4}{line[8:]}" for n in range(9999)), ""])


def _npz(name: str, data: bytes, packing: int = 8) -> Callable[[Path], None]:
    return _zip(lambda archive: archive.writestr(name, data), packing)


def _npy(head: str, body: bytes = b"") -> bytes:
    data = head.encode()
    return b"\x93NUMPY\x02\0" + struct.pack("<I", len(data)) + data + body


_HUGE = _npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n")
_NET = b"b6c96\n8\n22\n19\n"


def _layer(*words: str) -> bytes:
    return _NET + "\n".join(words).encode()


_SYNONYMS = "rate league.csv --synonyms {}"
_STATE = "history --state {}"
_ADD = "go nets add {}"
_SHOW = "tournament show {}"
_MODEL = "strength estimate professional.sgf --colour black --model {}"
_CONFIG = "serve --config {}"

BOMBS: dict[str, tuple[Bomb, ...]] = {
    "PGN": (
        Bomb("variations.pgn", lambda _: _pgn(moves="(" * 5 * M)),
        Bomb("comment.pgn", lambda _: _pgn(moves="{" + "x" * 30 * M)),
        Bomb("long tag.pgn", lambda _: _pgn(f'[Event "{"x" * 30 * M}"]\n')),
        Bomb("tags.pgn", lambda _: _pgn("".join(f'[T{n} "x"]\n' for n in range(M)))),
        Bomb("integer.pgn", lambda _: _pgn(f'[WhiteElo "{"9" * 5 * M}"]\n')),
        Bomb("backslashes.pgn", lambda _: _pgn('[Event "' + "\\" * 10 * M + '"]\n')),
        Bomb("numbers.pgn", lambda _: _pgn(moves="1." * 10 * M)),
        Bomb("terminal.pgn", lambda _: _pgn().replace('"A"', '"\x1b]0;x\x07\x1b[2J\u202e"')),
        Bomb("dates.pgn", lambda _: _pgn(f'[Date "{"9" * M}.{"9" * M}.99"]\n') * 5),
        Bomb("wide.pgn", lambda _: (_pgn() * 100_000).encode("utf-16")),
    ),
    "places": (
        Bomb("hole.pgn", _hole(100_000 * M)),
        Bomb("zero.pgn", lambda path: path.symlink_to("/dev/zero")),
        Bomb("itself.pgn", lambda path: path.symlink_to(path.name)),
        Bomb("endless.pgn", _pipe),
        Bomb("circle", _circle),
        Bomb("leading-out", _leading_out),
        Bomb("crowd", _crowd),
        Bomb("abyss", _abyss, "this folder is empty"),
    ),
    "SGF": (
        Bomb("trees.sgf", lambda _: "(;B[aa]" * 2 * M),
        Bomb("siblings.sgf", lambda _: _SGF.format("(;B[aa])" * M)),
        Bomb("board.sgf", lambda _: _SGF.replace("19", "999999999").format(";B[aa]"),
             command="convert game-files {} -o new.sgf"),
        Bomb("size.sgf", lambda _: _SGF.replace("19", "9" * M).format(";B[aa]")),
        Bomb("points.sgf", lambda _: _SGF.format(f"AB{'[aa:ss]' * 500_000}"),
             command="convert game-files {} -o new.sgf"),
        Bomb("value.sgf", lambda _: "(;PB[" + "x" * 30 * M),
        Bomb("property.sgf", lambda _: f"(;{'P' * 10 * M}[x])"),
        Bomb("escapes.sgf", lambda _: "(;PB[" + "\\" * 10 * M),
        Bomb("codec.sgf", lambda _: _SGF.format("CA[zlib_codec]C[x\x9c]")),
        Bomb("slow codec.sgf", lambda _: _SGF.format("CA[idna]C[" + "ü" * M + "]")),
        Bomb("empty.sgf", lambda _: "(;)" * 3 * M),
        Bomb("infinite.sgf", lambda _: _SGF.format("KM[1e999]HA[99999999999]"),
             command="convert game-files {} -o new.sgf"),
        Bomb("long game.sgf", lambda _: _SGF.format(";B[aa];W[bb]" * 500_000),
             command="trickplay index {} -o games.idx"),
        Bomb("judged.sgf", lambda _: _SGF.format("(;B[aa]" * M),
             command="strength estimate {} --colour black"),
    ),
    "matches": (
        Bomb("games.mat", lambda _: " 7 point match\n\n" + " Game 1\n A : 0    B : 0\n" * M),
        Bomb("points.mat", lambda _: f" {'9' * M} point match\n\n Game 1\n A : 0   B : 0\n"),
        Bomb("analysed.mat", lambda _: " 7 point match\n\n" + " Game 1\n A : 0    B : 0\n" * M,
             command="backgammon analyse {}"),
    ),
    "tables": (
        Bomb("line.csv", lambda _: _ROW + "x" * 60 * M),
        Bomb("columns.csv", lambda _: "white,black,result," + ",".join(map(str, range(100_000)))
             + "\nA,B,1-0\n"),
        Bomb("quote.csv", lambda _: _ROW + '"' + "A,B,1-0\n" * 5 * M),
        Bomb("blank.csv", lambda _: _ROW + "\n" * 50 * M),
        Bomb("score.csv", lambda _: f"white,black,score\nA,B,{'9' * M}\n"),
        Bomb("infinite.csv", lambda _: "white,black,score\nA,B,1e999\nA,B,nan\nB,A,-inf\n"),
        Bomb("counts.csv", lambda _: "player,opponent,wins,losses\nA,B,1e300,999999999999999999\n"),
        Bomb("zeros.csv", lambda _: _ROW + "\0" * 30 * M),
        Bomb("crowd.csv", lambda _: "white,black,result\n"
             + "".join(f"a{n},b{n},1-0\n" for n in range(500_000))),
        Bomb("date.csv", lambda _: f"white,black,result,date\nA,B,1-0,{'1' * M}-01-01\n"),
        Bomb("one group.csv", lambda _: "white,black,result\n"
             + "".join(f"p{n},p{n * 7919 % 60_000},1-0\n" for n in range(120_000))),
        Bomb("grades.csv", lambda _: "white,black,result,white_grade,black_grade\n"
             f"A,B,1-0,{'9' * 5000}d,999999999999k\n", command="winprob stats {}"),
        Bomb("synonyms.csv", lambda _: ",".join(f"n{n}" for n in range(2 * M)), command=_SYNONYMS),
        Bomb("circle.csv",
             lambda _: "".join(f"n{n},n{n + 1}\n" for n in range(500_000)) + "n500000,n0\n",
             command=_SYNONYMS),
        Bomb("included.txt", lambda _: "x\n" * 10 * M, command="rate league.csv --include {}"),
        Bomb("entries.csv",
             lambda _: "name,grade\n" + "".join(f"N{n},1d\n" for n in range(200_000)),
             command="tournament enter open.xml {}"),
        Bomb("list.txt", lambda _: "x" * 60 * M,
             command="tournament enter open.xml --name X --list {}"),
        Bomb("ratings.csv", lambda _: f"player,rating,estimate\nA,{'9' * M},1\n",
             command="strength calibrate {} --save x.json"),
        Bomb("tricks.txt", lambda _: "problem: x\n" + ". " * 20 * M, command="trickplay find {}"),
    ),
    "JSON": (
        Bomb("deep.json", lambda _: "[" * 5 * M),
        Bomb("wide.json", lambda _: json.dumps([{f"c{n}": 1 for n in range(100_000)}])),
        Bomb("keys.json", lambda _: json.dumps([{f"c{n}": n} for n in range(20_000)])),
        Bomb("integer.json", lambda _: '[{"white":"A","black":"B","score":' + "9" * M + "}]"),
        Bomb("text.json",
             lambda _: '[{"white":"' + "x" * 60 * M + '","black":"B","result":"1-0"}]'),
        Bomb("deep.jsonl",
             lambda _: '{"white":"A","black":"B","result":"1-0","more":' + "[" * 10_000
             + "]" * 10_000 + "}\n"),
        Bomb("positions.jsonl", lambda _: "[" * M + "\n", command="go evaluate {}"),
        Bomb("boards.jsonl", lambda _: '{"moves":[],"size":999999999}\n{"moves":[],"komi":1e999}\n',
             command="go evaluate {}"),
        Bomb("rules.json", lambda _: "[" * M, command="tournament pair open.xml --rules {}"),
        Bomb("scale.json", lambda _: "[" * M,
             command="strength estimate professional.sgf --colour black --scale {}"),
        Bomb("winning.json", lambda _: '{"kind":' * M, command="winprob between 2d 4d --win {}"),
    ),
    "Parquet and Arrow": (
        Bomb("rows.parquet",
             _arrow(lambda pa: pa.table({n: v * 5 * M for n, v in _columns().items()}))),
        Bomb("often.parquet", _arrow(_often)),
        Bomb("often.arrow", _arrow(_often, "feather")),
        Bomb("value.parquet", _arrow(lambda pa: pa.table(_columns(white=["x" * 90 * M])))),
        Bomb("columns.parquet", _arrow(lambda pa: pa.table(
            _columns(**{f"c{n}": [n] for n in range(20_000)})))),
        Bomb("deep.parquet", _arrow(_deep_list)),
        Bomb("footer.parquet", lambda _: b"PAR1" + b"x" * 100 + b"\xf0\xff\xff\x7fPAR1"),
        Bomb("schema.arrow", lambda _: b"ARROW1\0\0\xff\xff\xff\xff\xf0\xff\xff\x7f" + b"x" * 99
             + b"\xf0\xff\xff\x7fARROW1"),
    ),
    "SQLite and DuckDB": (
        Bomb("value.db", _sqlite(
            "CREATE TABLE g (white, black, result GENERATED ALWAYS AS (zeroblob(900000000)));"
            "INSERT INTO g (white, black) VALUES ('A', 'B')")),
        Bomb("endless.db",
             _sqlite(f"CREATE VIEW v AS {_ENDLESS} SELECT 'A' AS white, 'B' AS black, "
                                   "1 AS result FROM n WHERE i < 0"), command=_QUERY),
        Bomb("large.db", _sqlite(f"CREATE VIEW v AS {_ENDLESS} SELECT 'A' AS white, 'B' AS black, "
                                 "hex(zeroblob(200000)) AS result FROM n"), command=_QUERY),
        Bomb("tables.db", _sqlite("".join(f"CREATE TABLE t{n} (a);" for n in range(2000)))),
        Bomb("columns.db", _sqlite(f"CREATE TABLE g ({','.join(f'c{n}' for n in range(1900))})")),
        Bomb("expression.db", _sqlite(
            f"CREATE VIEW v AS SELECT 'A' AS white, 'B' AS black, {'+'.join(['1'] * 900)} AS result"
        ), command=_QUERY),
        Bomb("join.db", _sqlite(
            f"{_GAMES} INSERT INTO g SELECT 'A', 'B', 1 FROM ({_ENDLESS} SELECT i FROM n LIMIT 9);",
            "CREATE VIEW v AS SELECT a.* FROM g a, g b, g c, g d, g e, g f"), command=_QUERY),
        Bomb("pattern.db", _sqlite(
            "CREATE TABLE g (a); INSERT INTO g SELECT hex(zeroblob(200000));"
            "CREATE VIEW v AS SELECT a AS white, 'B' AS black, "
            f"a LIKE '{'%0' * 200}1%' AS result FROM g"
        ), command=_QUERY),
        Bomb("search.db", _sqlite("CREATE VIRTUAL TABLE g USING fts5(white, black, result);"
                                  "INSERT INTO g VALUES ('A', 'B', '1-0')")),
        Bomb("circle.db", _own_page),
        Bomb("journal.db", _hot_journal),
        Bomb("hole.db", _long_database),
        Bomb("endless.duckdb", _duckdb(f"CREATE VIEW v AS FROM ({_RESULT}), range(1000000000000)"),
             command=_QUERY),
        Bomb("computed.duckdb", _duckdb("CREATE TABLE v (black TEXT, result TEXT, white AS "
             "(repeat(repeat(black, 1000000), 600)))", "INSERT INTO v VALUES ('B', '1-0')")),
        Bomb("packed.duckdb", _duckdb(f"CREATE TABLE v AS SELECT *, repeat('x', 90000000) AS c "
                                      f"FROM ({_RESULT})")),
        Bomb("rows.duckdb", _duckdb(f"CREATE TABLE v AS FROM ({_RESULT}), range(6000000)")),
        Bomb("reading-out.duckdb", _reading_out, "'v' is a view", command=_QUERY),
        Bomb("blocks.duckdb", lambda _: bytes(8) + b"DUCK" + b"\x40" + b"\xff" * 50_000),
    ),
    "tournaments": (
        Bomb("laughs.xml", _entities(_LAUGHS, "&a12;"), command=_SHOW),
        Bomb("quadratic.xml", _entities(f'<!ENTITY a "{"x" * M}">', "&a;" * 50_000), command=_SHOW),
        Bomb("outside.xml", _outside, command=_SHOW),
        Bomb("network.xml", lambda _: '<!DOCTYPE T SYSTEM "http://127.0.0.1:9/t.dtd"><Tournament/>',
             command=_SHOW),
        Bomb("deep.xml", lambda _: "<Tournament>" + "<a>" * 2 * M, command=_SHOW),
        Bomb("attributes.xml",
             lambda _: "<Tournament " + " ".join(f'a{n}="x"' for n in range(500_000))
             + "/>", command=_SHOW),
        Bomb("players.xml", _players, command="tournament standings {}"),
        Bomb("rounds.xml", _event(lambda text: text.replace('numberOfRounds="5"',
             'numberOfRounds="999999999"')), command="tournament standings {}"),
        Bomb("table.xml", _event(lambda text: text.replace('tableNumber="1"',
             f'tableNumber="{"9" * M}"')), command=_SHOW),
        Bomb("lines.h9",
             lambda _: "; TE[x]\n" + "1 Ho Al 1d DE x 0 0 0 2+/b0\n" * 500_000, command=_SHOW),
        Bomb("line.h9", lambda _: "; TE[x]\n1 Ho Al 1d DE x 0 0 0 " + "2+ " * 5 * M, command=_SHOW),
        Bomb("players.trf", _trf, command=_SHOW),
        Bomb("line.trf", lambda _: "012 x\n001    1" + " " * 30 * M, command=_SHOW),
        Bomb("rounds.trf", lambda _: example("swiss.trf").read_text() + f"XXR {'9' * 5000}\n",
             command="tournament pair {}"),
        Bomb("many rounds.trf", lambda _: example("swiss.trf").read_text() + "XXR 999999999\n",
             command="tournament standings {}"),
    ),
    "packings": (
        Bomb("zeros.pgn.gz", _zeros(gzip.compress, 200)),
        Bomb("nested.pgn.gz",
             lambda _: gzip.compress(gzip.compress(gzip.compress(bytes(50 * M)) * 10))),
        Bomb("streams.pgn.gz", lambda _: gzip.compress(b"") * 500_000),
        Bomb("name.pgn.gz", lambda _: b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * 30 * M),
        Bomb("zeros.xml.gz", _zeros(gzip.compress, 200), command=_SHOW),
        Bomb("zeros.pgn.zst", _zeros(_zstd)),
        Bomb("window.pgn.zst", _zstd_window, "it contains no games"),
        Bomb("zeros.pgn.xz", _zeros(lzma.compress)),
        Bomb("window.pgn.xz", _xz_window),
        Bomb("zeros.pgn.bz2", _zeros(bz2.compress)),
    ),
    "archives": (
        Bomb("overlapping.zip", _overlapping),
        Bomb("entries.zip", _zip(_entries)),
        Bomb("lying.zip", _lying),
        Bomb("nested.zip", _nested),
        Bomb("paths.zip", _zip(lambda archive: archive.writestr(f"../../../{SECRET}", _ROW))),
        Bomb("zeros.zip", _zip(lambda archive: archive.writestr("a.pgn", bytes(150 * M)))),
        Bomb("window.zip", _zip_window),
        Bomb("comment.zip", _comment),
        Bomb("members.tar.gz",
             lambda _: gzip.compress(_tar([("a.pgn", tarfile.REGTYPE, b"")] * 100_000), 1)),
        Bomb("link.tar",
             lambda _: _tar([("a.csv", tarfile.SYMTYPE, b""), ("b.csv", tarfile.LNKTYPE, b"")])),
        Bomb("device.tar",
             lambda _: _tar([("a.pgn", tarfile.CHRTYPE, b""), ("b.pgn", tarfile.FIFOTYPE, b"")])),
        Bomb("name.tar.gz", lambda _: gzip.compress(
            _tar_head(tarfile.GNUTYPE_LONGNAME, 1 << 30) + b"x" * 200 * M)),
        Bomb("header.tar.gz",
             lambda _: gzip.compress(_tar_head(tarfile.XHDTYPE, 1 << 30) + b"9" * 200 * M)),
        Bomb("sparse.tar", lambda _: _tar_head(tarfile.GNUTYPE_SPARSE, 1 << 40) + bytes(1024)),
        Bomb("zeros.tar.xz",
             lambda _: lzma.compress(_tar([("a.pgn", tarfile.REGTYPE, bytes(150 * M))]), preset=0)),
    ),
    "networks and models": (
        Bomb("channels.bin",
             lambda _: _layer("conv1", "3", "3", "22", "999999999", "1", "1"), command=_ADD),
        Bomb("blocks.txt",
             lambda _: _layer("trunk", "999999999", "96", "96", "32", "32", "32"), command=_ADD),
        Bomb("numbers.txt",
             lambda _: _layer("conv1", "3", "3", "22", "96", "1", "1") + b" 1" * 10 * M,
             command=_ADD),
        Bomb("zeros.bin.gz", _zeros(gzip.compress, 200), command=_ADD),
        Bomb("shape.npz", _npz("card.npy", _HUGE), command=_MODEL),
        Bomb("brackets.npz", _npz("card.npy", _npy("(" * 60_000 + "\n")), command=_MODEL),
        Bomb("pickle.npz",
             _npz("card.npy", _npy("{'descr': '|O', 'fortran_order': False, 'shape': (), }\n",
             b"cos\nsystem\n(S'touch pwned'\ntR.")), command=_MODEL),
        Bomb("card.npz", _npz("card.npy", _npy(
            "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000,), }\n", b"[" * M)),
             command=_MODEL),
        Bomb("zeros.npz", _npz("card.npy", _npy(
            "{'descr': '|u1', 'fortran_order': False, 'shape': (150000000,), }\n", bytes(150
             * M))), command=_MODEL),
        Bomb("state.ratings", _npz("games.npy", _HUGE), command=_STATE),
    ),
    "settings": (
        Bomb("deep.toml", lambda _: "a = " + "[" * 60_000, command=_CONFIG),
        Bomb("dotted.toml", lambda _: "a" + ".a" * 30_000 + " = 1\n", command=_CONFIG),
        Bomb("integer.toml", lambda _: f"port = {'9' * 60_000}\n", command=_CONFIG),
    ),
}  # fmt: skip


def burst(bomb: Bomb, folder: Path, strace: str | None) -> Watched:
    """Give it to its command, in a folder of its own."""
    place = folder / "case" / "files"
    bomb.lay(place)
    return run([*YARDSTONE, *bomb.words()], place, strace=strace)


def every(names: Sequence[str] = ()) -> Iterator[tuple[str, Bomb]]:
    """Each bomb with its reader; or those whose file or reader has one of these words in it."""
    for reader, bombs in BOMBS.items():
        for bomb in bombs:
            if not names or any(name in f"{reader}/{bomb.file}" for name in names):
                yield reader, bomb
