from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from yardstone.errors import InputError
from yardstone.files import replaced, write_text
from yardstone.ratings.rating_list import RatingList
from yardstone.reports.document import Column, Document, Table
from yardstone.reports.files import (
    csv_pieces,
    document_csv,
    document_json,
    json_pieces,
)
from yardstone.reports.files import write_parquet as write_document
from yardstone.reports.rating_list import (
    FILE_COLUMNS as COLUMNS,
)
from yardstone.reports.rating_list import difference_table, plain_list, rating_list_document

TYPES = [
    "VARCHAR",
    *["DOUBLE"] * 4,
    *["BIGINT"] * 4,
    "DOUBLE",
    "BIGINT",
    "VARCHAR",
    *["BIGINT"] * 3,
]
DIFFERENCES = ["player", "other", "difference", "deviation", "low", "high", "superiority"]


def csv_list(report: RatingList) -> str:
    return document_csv(rating_list_document(report))


def csv_matrix(report: RatingList) -> str:
    return "".join(csv_pieces(difference_table(report)))


def json_list(report: RatingList) -> str:
    return document_json(rating_list_document(report))


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def test_json_is_written_piece_by_piece(report: RatingList) -> None:
    plain = plain_list(report)
    whole = as_json({**plain, "ratings": list(plain["ratings"])})
    assert json_list(report) == whole
    none = Document("", plain=lambda: {"a": [], "ratings": plain["ratings"][:0], "b": {"c": [1]}})
    lazy = Document("", plain=lambda: {"a": [], "ratings": Empty(), "b": {"c": [1]}})
    assert document_json(lazy) == document_json(none)
    table = Table([Column("a", lambda row: row), Column("b", lambda row: float("nan"))], [1, 2])
    rows = [{"a": 1, "b": None}, {"a": 2, "b": None}]
    assert document_json(Document("", records=table)) == as_json(rows)
    assert document_json(Document("", records=replace(table, rows=[]))) == as_json([])


class Empty(Sequence[int]):
    """A sequence that is no list."""

    def __len__(self) -> int:
        return 0

    def __getitem__(self, place: Any) -> Any:
        raise IndexError


class Many(Empty):
    """Records that are made when they are looked at."""

    def __len__(self) -> int:
        return 50_000

    def __iter__(self) -> Iterator[Any]:
        return ({"player": f"player {place}", "rating": 0.5} for place in range(len(self)))


def test_json_of_a_long_list_takes_little_memory() -> None:
    document = Document("", plain=lambda: {"ratings": Many()})
    tracemalloc.start()
    try:
        size = sum(map(len, json_pieces(document)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 3_000_000
    assert peak < size


def test_csv_has_a_row_a_player_in_full_precision(report: RatingList) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_list(report))))
    assert list(rows[0]) == list(COLUMNS)
    assert len(rows) == 18
    first = report.rows[0]
    assert float(rows[0]["rating"]) == report.ratings.rating[first]
    unknown = next(row for row in rows if row["status"] == "at most")
    assert unknown["deviation"] == ""
    assert unknown["rank_low"] == ""


def test_parquet_holds_what_csv_holds(report: RatingList, tmp_path: Path) -> None:
    path = tmp_path / "it's a list.parquet"
    write_document(rating_list_document(report), path)
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(path))
        assert relation.columns == list(COLUMNS)
        assert [str(kind) for kind in relation.types] == TYPES
        rows = relation.fetchall()
    plain = [tuple(record[name] for name in COLUMNS) for record in report.records()]
    assert rows == plain


def test_odd_names_survive_both(tmp_path: Path) -> None:
    name = 'a "b", c\'s\n<d>'
    columns = [Column("player"), Column("score", kind="number")]
    table = Table(columns, [{"player": name, "score": None}])
    write_document(Document("", records=table), tmp_path / "x.parquet")
    with duckdb.connect() as connection:
        rows = connection.read_parquet(str(tmp_path / "x.parquet")).fetchall()
    assert rows == [(name, None)]


def test_the_matrix_has_each_pair_of_a_group_once(report: RatingList) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_matrix(report))))
    assert list(rows[0]) == DIFFERENCES
    rated = 14  # without the two perfect scorers
    assert len(rows) == rated * (rated - 1) // 2 + 1
    for row in rows:
        assert float(row["difference"]) >= 0
        assert 0.5 <= float(row["superiority"]) <= 1
        assert float(row["low"]) < float(row["difference"]) < float(row["high"])
    assert {row["other"] for row in rows if row["player"] == "Lone A"} == {"Lone B"}


def test_json_keeps_its_shape(report: RatingList) -> None:
    result = json.loads(json_list(report))
    assert set(result) == {
        "games",
        "players",
        "confidence",
        "relative_to",
        "scale",
        "points_per_logit",
        "simulations",
        "first_advantage",
        "draw_rate",
        "components",
        "ratings",
        "caveats",
        "headline",
        "basis",
        "advice",
        "suggestions",
        "joining",
        "skipped",
    }
    assert result["players"] == len(result["ratings"]) == 18
    assert set(result["ratings"][0]) == set(COLUMNS)
    assert result["components"][1] == {
        "number": 2,
        "players": 2,
        "ranked": 2,
        "games": 2,
    }
    assert result["skipped"]["total"] == 8
    assert result["skipped"]["first"][1]["line"] == 10
    advantage = result["first_advantage"]
    assert advantage["low"] < advantage["value"] < advantage["high"]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    write_text(path, "old")
    path.chmod(0o640)

    def fail() -> None:
        with replaced(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    write_text(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone/list\.txt: cannot be written"):
        write_text(tmp_path / "gone" / "list.txt", "")
    with pytest.raises(InputError, match="folder"):
        write_text(tmp_path, "")
