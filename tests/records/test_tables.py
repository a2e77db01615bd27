from __future__ import annotations

import bz2
import gzip
import json
import lzma
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import yardstone
from tests.records.pools import games, skipped
from tests.skipping import read_skipping
from yardstone.errors import InputError, SkippedWarning, StrictError, WrongTypeError
from yardstone.files import zstd_module
from yardstone.pool import MAX_SKIPPED_DETAILS, Pool
from yardstone.records.formats import WRITERS
from yardstone.records.table_files import seconds_for
from yardstone.records.tables import GameRows

ROWS = {"White": ["Ann", "Bob"], "Black": ["Bob", "Ann"], "Result": ["1-0", "1/2-1/2"]}
CSV = 'White,Black,Result,Date\nAnn,"Bob ""x"", y",1-0,2020.01.02\n\nBob,Ann,0.5,?\n'


EXPECTED = [("Ann", "Bob", 1.0), ("Bob", "Ann", 0.5)]


def test_csv_packed_and_not(tmp_path: Path) -> None:
    packs: dict[str, Any] = {
        "": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress,
        ".zst": zstd_module().compress,
    }  # fmt: skip
    for ending, pack in packs.items():
        file = tmp_path / f"games.csv{ending}"
        file.write_bytes(pack(CSV.encode()))
        pool = yardstone.read(file)
        assert games(pool) == [("Ann", 'Bob "x", y', 1.0), ("Bob", "Ann", 0.5)]
        assert pool.time is not None
        assert pool.time.astype(str).tolist() == ["2020-01-02T00:00:00", "NaT"]


def test_all_rows_that_cannot_be_read_count_and_some_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.write_text("white,black,result\nA,B,1-0\n" + "A,B,foo\n" * (MAX_SKIPPED_DETAILS + 3))
    report = read_skipping(file, skip_unread=True).skipped
    assert report.total == MAX_SKIPPED_DETAILS + 3
    assert len(report.details) == MAX_SKIPPED_DETAILS


def test_rows_that_come_out_of_order_are_put_in_order() -> None:
    table: Any = SimpleNamespace(connection=duckdb.connect())
    sql = "SELECT * FROM (VALUES (3, 'c'), (1, 'a'), (2, 'b')) AS t(row, name)"
    assert GameRows(table, {}, 3, False)._fetched(sql)["name"].tolist() == ["a", "b", "c"]


def test_damaged_rows_lose_no_others(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    text = 'white;black;result\nA;B;1-0\n"C;D;0-1\nE;F\n\nG;H;1-0;z\nM\xfcller;"B";1/2-1/2\nK;L;?\n'
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="csv:3: 3 of 6 records cannot be read: 3 × damaged row"):
        yardstone.read(file)
    pool = read_skipping(file, skip_unread=True)
    assert games(pool) == [("A", "B", 1.0), ("Müller", "B", 0.5)]
    odd = [(line, f"{n} fields where 3 were expected") for line, n in ((4, 2), (6, 4))]
    assert skipped(pool) == [(3, "its quotes do not match"), *odd, (8, "no result")]
    with pytest.raises(StrictError, match=r"games\.csv:3: "):
        yardstone.read(file, strict=True)


def test_sums_of_errors_become_rates(tmp_path: Path) -> None:
    sums = "chequer unforced close missed_double wrong_double wrong_take wrong_pass".split()
    head = ",".join(f"{name}_{player}" for player in (1, 2) for name in sums)
    file = tmp_path / "matches.csv"
    values = "0.5,40,8,0.1,0.2,0.3,0.4,0.25,0,5,0,0.05,0,0.2"
    file.write_text(f"player_1,player_2,winner,length,{head}\nAnn,Bob,Bob,7,{values}\n")
    pool = yardstone.read(file)
    names = [f"{who}_{name}" for who in ("first", "second") for name in ("epm", "epc")]
    rates = [float(pool.columns[name][0]) for name in names]
    assert rates == pytest.approx([0.5 / 40, 1.0 / 8, float("nan"), 0.25 / 5], nan_ok=True)
    assert (games(pool), pool.ordered) == ([("Ann", "Bob", 0.0)], False)


def test_lines_of_rows_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "games.tsv"
    file.write_text('\nwhite\tblack\tresult\n\nA\tthe "B\t1-0\n\n\tB\t1-0\nA\tB\t*\nA\tB\t\n')
    pool = read_skipping(file)
    assert games(pool) == [("A", 'the "B', 1.0)]
    assert skipped(pool) == [
        (6, "the first player has no name"), (7, "unfinished (result *)"), (8, "no result"),
    ]  # fmt: skip


def test_how_wide_a_table_may_be(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    for columns in (2000, 2001):
        names = [*ROWS, *(f"c{number}" for number in range(3, columns))]
        file.write_text(f"{','.join(names)}\nAnn,Bob,1-0{',' * (columns - 3)}\n")
        if columns == 2000:
            assert games(yardstone.read(file)) == EXPECTED[:1]
    with pytest.raises(InputError, match="2,001 columns, at most 2,000 are read"):
        yardstone.read(file)


def test_quotes_between_tabs(tmp_path: Path) -> None:
    file = tmp_path / "games.tsv"
    text = '"white"\t"black"\t"result"\n"Ann"\t"the ""B"" Bob"\t"1-0"\nthe "X\t"Ann"\t0-1\n'
    expected = [("Ann", 'the "B" Bob', 1.0), ('the "X', "Ann", 0.0)]
    file.write_text(text)
    assert games(yardstone.read(file)) == expected
    file.write_text(text + '"X\t"Ann\t1-0\nAnn\n')  # quotes that are not closed are letters
    assert games(read_skipping(file)) == [*expected, ('"X', '"Ann', 1.0)]
    named = Pool.from_names(['"Ann"', '"'], ["'=1", '"B'], [1, 0], columns={"note": ['""', "'"]})
    file.write_text("".join(WRITERS["tsv"].pieces(named)))  # type: ignore[arg-type]
    assert yardstone.read(file, columns=["note"]).columns["note"].tolist() == ['""', "'"]
    assert yardstone.read(file).players == named.players


def test_frames_and_other_files(tmp_path: Path) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    table = pa.table(ROWS)

    class Capsule:
        def __arrow_c_stream__(self, schema: object = None) -> object:
            return table.__arrow_c_stream__(schema)

    frame = pl.DataFrame(ROWS)
    for each in (pd.DataFrame(ROWS), frame, table, Capsule()):
        assert games(yardstone.read(each)) == EXPECTED
    for wrong, words in (((3,), "a int"), ((frame, frame), "a DataFrame")):
        with pytest.raises(WrongTypeError, match=f"{words} cannot be read here"):
            yardstone.read(*wrong)
    frame.write_parquet(tmp_path / "games.parquet")
    frame.write_ipc(tmp_path / "games.arrow")
    frame.write_ndjson(tmp_path / "games.jsonl")
    (tmp_path / "games.json").write_text(json.dumps(frame.to_dicts()))
    for name in ("parquet", "arrow", "jsonl", "json"):
        file = tmp_path / f"games.{name}"
        assert games(yardstone.read(file)) == EXPECTED
        unnamed = file.rename(tmp_path / "unnamed")
        assert games(yardstone.read(unnamed)) == EXPECTED
    (tmp_path / "a.csv").write_text(CSV)
    (tmp_path / "b.pgn").write_text('[White "Ann"]\n[Black "Eve"]\n[Result "1-0"]\n')
    joined = yardstone.read(tmp_path)
    assert len(joined) == 3
    assert joined.players == ("Ann", 'Bob "x", y', "Bob", "Eve")
    assert games(yardstone.read(str(tmp_path / "*.pgn"))) == [("Ann", "Eve", 1.0)]


def test_databases(tmp_path: Path) -> None:
    lite, duck = tmp_path / "games.db", tmp_path / "games.duckdb"
    rows = [("A", "B", 1.0, "2020-01-01 10:00"), ("A", None, 0.5, None), ("B", "A", 0.5, "")]
    make = "CREATE TABLE g (home TEXT, away TEXT, score REAL, played TEXT)"
    with closing(sqlite3.connect(lite)) as base:
        base.execute(make)
        base.executemany("INSERT INTO g VALUES (?, ?, ?, ?)", rows)
        base.commit()
    with closing(duckdb.connect(duck)) as other:
        other.execute(make)
        other.executemany("INSERT INTO g VALUES (?, ?, ?, ?)", rows)
    for file in (lite, duck):
        pool = read_skipping(file)
        assert games(pool) == [("A", "B", 1.0), ("B", "A", 0.5)]
        assert [s.line for s in pool.skipped.details] == [2]
        assert games(yardstone.query("SELECT * FROM g WHERE score = 1;", file)) == games(pool)[:1]
        with pytest.raises(InputError, match="no_such"):
            yardstone.query("SELECT * FROM no_such", file)


def test_records_without_the_key_of_the_result_are_unread(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    good = '{"white": "Ann", "black": "Bob", "result": "0-1"}\n'
    file.write_text(good.replace("result", "result(") * 5 + good * 6)
    with pytest.raises(InputError, match=r"5 of 11 records .*no result under this key"):
        yardstone.read(file)
    late = '{"white": "Ann", "black": "Bob", "Winner": "Ann"}\n'  # a key that begins late
    file.write_text(good * 30000 + late)
    with pytest.warns(SkippedWarning, match="1 record was skipped"):
        assert yardstone.read(file, columns=["Winner"]).score.tolist() == [0.0] * 30000


#: Reads files that are given as JSON; prints what came of each, and bytes in the end. For a file
#: that takes long the clock runs fast, for others slowly: a busy machine may take its time.
READING = r"""
import json, re, sys, threading, time
import yardstone
from yardstone.records import table_files
clock = time.monotonic
table_files.Timer = lambda seconds, act: threading.Timer(10 * seconds, act)
for file, query in json.loads(sys.argv[1]):
    pace = 40.0 if file.endswith("slow.db") else 0.1
    time.monotonic = lambda: pace * clock()
    try:
        answer = repr(yardstone.query(query, file) if query else yardstone.read(file))
    except yardstone.errors.InputError as error:
        answer = str(error)
    print(json.dumps(answer), flush=True)
# Not what `resource` tells, which counts the process that started this one.
print(1024 * int(re.search(r"VmHWM:\s*(\d+)", open("/proc/self/status").read())[1]))
"""


def read_apart(files: list[tuple[Path, str]], memory: float = 1e9) -> list[str]:
    """Return what reading files gives, in a process that must stay under so much memory."""
    order = json.dumps([(str(file), query) for file, query in files])
    command = [sys.executable, "-c", READING, order]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=500)
    *lines, most = run.stdout.splitlines()
    assert int(most) < memory
    return [
        json.loads(line).removeprefix(f"{file}: ")
        for line, (file, _) in zip(lines, files, strict=True)
    ]


TOO_MUCH = "expands to more than 200 times its size (export the games as CSV if that is right)"
TOO_SLOW = (
    "reading it takes longer than a file of its size should need "
    "(export the games as CSV if that is right)"
)


def test_a_small_sqlite_file_takes_neither_all_memory_nor_all_time(tmp_path: Path) -> None:
    table = "CREATE TABLE g (white, black, {} GENERATED ALWAYS AS ({}))"
    wide = " GENERATED ALWAYS AS (zeroblob(500000)), c".join(map(str, range(240)))
    row = "INSERT INTO g (white, black) VALUES ('A', 'B')"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    view = f"CREATE VIEW v AS {endless} SELECT 'A' AS white, 'B' AS black, 1 AS result FROM n "
    bombs = {
        "long": (
            "", "a value in it is longer than 512 KiB (name the columns you need in a query)",
            table.format("result", "zeroblob(900000000)"), row,
        ),
        "wide": ("", TOO_MUCH, table.format(f"c{wide}", "zeroblob(500000)"), row),
        "wider": (
            "", "malformed database schema (g) - too many columns on g",
            f"CREATE TABLE g ({', '.join(f'c{i}' for i in range(300))})",
        ),
        "many": ("SELECT * FROM v", TOO_MUCH, view.replace("1 AS", "hex(zeroblob(200000)) AS")),
        "slow": ("SELECT * FROM v", TOO_SLOW, f"{view} WHERE i < 0"),
        "other": (
            f"ATTACH '{tmp_path}/new' AS new", "too many attached databases - max 0",
            "CREATE TABLE g (white, black, result)",
        ),
    }  # fmt: skip
    files = []
    for name, (query, _, *commands) in bombs.items():
        files.append((tmp_path / f"{name}.db", query))
        with closing(sqlite3.connect(files[-1][0])) as base, base:
            for command in commands:
                base.execute(command)
        assert files[-1][0].stat().st_size < 200_000
    assert read_apart(files) == [said for _, said, *_ in bombs.values()]
    assert not (tmp_path / "new").exists()
    assert seconds_for(1_000_000) == 5.0


def test_a_small_packed_table_does_not_expand_without_limit(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import feather, parquet

    rows = 200_000
    games = {"white": ["A"], "black": ["B"], "result": ["1-0"]}
    often = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["x" * (20 << 20)])
    tables = {
        "long": pa.table({**games, "white": ["x" * 90_000_000]}),
        "often": pa.table({"white": often, "black": ["B"] * rows, "result": ["1-0"] * rows}),
        "rows": pa.table({name: values * 4_000_000 for name, values in games.items()}),
    }
    files = []
    for name, table in tables.items():
        files.append((tmp_path / f"{name}.parquet", ""))
        parquet.write_table(table, files[-1][0], compression="zstd", write_statistics=False)
        if name != "rows":  # their places alone take more than a bomb would
            files.append((tmp_path / f"{name}.arrow", ""))
            feather.write_feather(table, files[-1][0], compression="zstd")
    assert all(file.stat().st_size < 2_000_000 for file, _ in files)
    assert read_apart(files) == [TOO_MUCH] * len(files)


def test_a_table_that_repeats_itself_is_read(tmp_path: Path) -> None:
    """Millions of games of two engines pack well, and are no bomb."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    drawn = np.random.default_rng(1).integers(0, 3, 500_000)
    table = pa.table(
        {
            "white": ["Engine one, with a long name"] * len(drawn),
            "black": ["Engine two, with a longer name"] * len(drawn),
            "result": np.array(["1-0", "0-1", "1/2-1/2"])[drawn],
        }
    )
    parquet.write_table(table, tmp_path / "games.parquet", compression="zstd")
    assert len(yardstone.read(tmp_path / "games.parquet")) == len(drawn)


def test_a_database_of_duckdb_reaches_nothing_outside_it(tmp_path: Path) -> None:
    file, other = tmp_path / "games.duckdb", tmp_path / "other.csv"
    other.write_text("white,black,result\nA,B,1-0\n")
    with closing(duckdb.connect(file)) as base:
        base.execute("CREATE TABLE g AS SELECT 'A' AS white, 'B' AS black, '1-0' AS result")
        base.execute("CREATE SCHEMA s")
        base.execute("CREATE TABLE s.h AS FROM g")
        base.execute("CREATE MACRO strlen(x) AS -1000000000000")
    for table in ("g", "main.g", "s.h"):
        assert len(yardstone.query(f"SELECT * FROM {table} WHERE strlen(white) = 1", file)) == 1
    for source in (f"read_csv('{other}')", f"'{other}'"):
        with pytest.raises(InputError, match="asks for files outside the database"):
            yardstone.query(f"SELECT * FROM {source}", file)


def test_a_small_file_of_duckdb_takes_neither_all_memory_nor_all_time(tmp_path: Path) -> None:
    """What computes is refused, and what packs much is not unpacked."""
    rows = "SELECT 'A' AS white, 'B' AS black, '1-0' AS result"
    bombs = {
        "endless": f"CREATE VIEW v AS FROM ({rows}), range(1000000000000)",
        "large": f"CREATE VIEW v AS SELECT *, repeat('x', 2000000) AS c FROM ({rows}), range(2048)",
        "value": "CREATE TABLE v (black TEXT, result TEXT, "
        "white AS (repeat(repeat(black, 1000000), 600)))",
        "packed": f"CREATE TABLE v AS SELECT *, repeat('x', 250000000) AS c FROM ({rows})",
    }
    files = []
    config: dict[str, Any] = {"storage_compatibility_version": "latest"}
    for name, command in bombs.items():
        files.append((tmp_path / f"{name}.duckdb", "SELECT * FROM v"))
        with closing(duckdb.connect(files[-1][0], config=config)) as base:
            base.execute("SET force_compression = 'zstd'")
            base.execute(command)
            if name == "value":
                base.execute("INSERT INTO v VALUES ('B', '1-0')")
        assert files[-1][0].stat().st_size < 1_000_000
    files.append((tmp_path / "value.duckdb", ""))
    refused = (
        "'v' is a view, or has computed columns, which are not read: a small file could take all "
        "memory by them (if you trust it, CREATE TABLE … AS FROM v in another database)"
    )
    assert read_apart(files, memory=4e8) == [refused] * 3 + [TOO_MUCH, refused]


def test_a_packed_table_that_lies_about_its_size_is_not_unpacked(tmp_path: Path) -> None:
    """The metadata of a Parquet file say that its texts take 100 bytes; its pages hold more."""
    import pyarrow as pa
    from pyarrow import parquet

    file = tmp_path / "lies.parquet"
    table = pa.table({"white": ["x" * 250_000_000], "black": ["B"], "result": ["1-0"]})
    parquet.write_table(
        table, file, compression="zstd", use_dictionary=False, write_statistics=False
    )
    column = parquet.read_metadata(file).row_group(0).column(0)
    data = file.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    told = varint(2 * column.total_uncompressed_size)
    footer = data[start:].replace(told, varint(200, len(told)))
    file.write_bytes(data[:start] + footer)
    assert parquet.read_metadata(file).row_group(0).column(0).total_uncompressed_size == 100
    assert file.stat().st_size < 200_000
    assert read_apart([(file, "")], memory=2e8) == [TOO_MUCH]


def varint(number: int, width: int = 1) -> bytes:
    """A number as Thrift has it in Parquet's metadata, in so many bytes at least."""
    out: list[int] = []
    while number > 127 or len(out) < width - 1:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def test_names_of_players_are_kept_as_numbers(tmp_path: Path) -> None:
    """What a name is, is found out once for each spelling, not once for each game."""
    from yardstone.records.options import Options
    from yardstone.records.sources import Source
    from yardstone.records.table_files import csv_file_rows

    table = tmp_path / "games.csv"
    table.write_text("white,black,result,time\n" + "Ann ,Bob,1-0,2024\nBob,Ann,1-0,soon\n" * 50)
    with csv_file_rows(Source(str(table), table), Options()) as rows:
        execute = rows.table.connection.execute
        assert execute("SELECT count(*), count(DISTINCT name) FROM spelling").fetchone() == (3, 2)
        kinds = execute("SELECT DISTINCT typeof(one), typeof(other) FROM source_game").fetchall()
        assert all(kind.startswith("ENUM") for kind in kinds[0])
        assert rows.pool().players == ("Ann", "Bob")
