"""A document as CSV, JSON and Parquet; files that are replaced whole."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from yardstone.ratings.rating_list import RatingList
from yardstone.reports import rating_list
from yardstone.reports.document import Column, Document, Table
from yardstone.reports.files import csv_pieces, document_csv, document_json, json_pieces
from yardstone.reports.files import write_parquet as write_document
from yardstone.reports.rating_list import FILE_COLUMNS, difference_table, rating_list_document


class Many(list[Any]):
    """Records that are made when they are looked at."""

    def __init__(self, number: int) -> None:
        super().__init__([None] * number)

    def __iter__(self) -> Iterator[Any]:
        return ({"player": f"player {place}", "rating": 0.5} for place in range(len(self)))


def test_json_is_written_piece_by_piece_in_little_memory(report: RatingList) -> None:
    def as_json(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"

    plain = rating_list.plain_list(report)
    whole = as_json({**plain, "ratings": list(plain["ratings"])})
    assert document_json(rating_list_document(report)) == whole
    for number in (0, 2):
        lazy = Document("", plain=partial(dict, a=[], ratings=Many(number), b={"c": [1]}))
        wanted = {"a": [], "ratings": [*Many(number)], "b": {"c": [1]}}
        assert document_json(lazy) == as_json(wanted)
    table = Table([Column("a", lambda row: row), Column("b", lambda row: float("nan"))], [1, 2])
    rows = [{"a": 1, "b": None}, {"a": 2, "b": None}]
    assert document_json(Document("", records=table)) == as_json(rows)
    assert document_json(Document("", records=replace(table, rows=[]))) == as_json([])
    document = Document("", plain=lambda: {"ratings": Many(4_000)})
    tracemalloc.start()
    size = sum(map(len, json_pieces(document)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 240_000 < size > peak


def test_csv_and_parquet_hold_all_in_full_precision(report: RatingList, tmp_path: Path) -> None:
    document = rating_list_document(report)
    rows = list(csv.DictReader(io.StringIO(document_csv(document))))
    assert list(rows[0]) == list(FILE_COLUMNS)
    assert len(rows) == 18
    assert float(rows[0]["rating"]) == report.ratings.rating[report.rows[0]]
    unknown = next(row for row in rows if row["status"] == "at most")
    assert (unknown["deviation"], unknown["rank_low"]) == ("", "")
    name = 'a "b", c\'s\n<d>'
    columns = [Column("player"), Column("score", kind="number")]
    odd = Document("", records=Table(columns, [{"player": name, "score": None}]))
    path = tmp_path / "it's a list.parquet"
    with duckdb.connect() as connection:
        write_document(document, path)
        relation = connection.read_parquet(str(path))
        kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
        assert list(kinds) == list(FILE_COLUMNS)
        assert (kinds["player"], kinds["rating"], kinds["games"]) == ("VARCHAR", "DOUBLE", "BIGINT")
        plain = [tuple(record[each] for each in FILE_COLUMNS) for record in report.records()]
        assert relation.fetchall() == plain
        write_document(odd, path)
        assert connection.read_parquet(str(path)).fetchall() == [(name, None)]


def test_json_keeps_its_shape(report: RatingList) -> None:
    result = json.loads(document_json(rating_list_document(report)))
    names = "games players confidence relative_to scale points_per_logit simulations skipped "
    names += "first_advantage draw_rate components ratings caveats headline basis advice "
    assert set(result) == {*names.split(), "suggestions", "joining"}
    assert result["players"] == len(result["ratings"]) == 18
    assert set(result["ratings"][0]) == set(FILE_COLUMNS)
    assert result["components"][1] == {"number": 2, "players": 2, "ranked": 2, "games": 2}
    assert (result["skipped"]["total"], result["skipped"]["first"][1]["line"]) == (8, 10)
    advantage = result["first_advantage"]
    assert advantage["low"] < advantage["value"] < advantage["high"]
    for record in report.records():
        assert all(value == value for value in record.values())  # no NaN
        assert record["wins"] + record["draws"] + record["losses"] == record["games"]
    rows = list(csv.DictReader(io.StringIO("".join(csv_pieces(difference_table(report))))))
    assert len(rows) == 14 * 13 // 2 + 1  # each pair of a group once, without perfect scorers
    for row in rows:
        assert 0.5 <= float(row["superiority"]) <= 1
        assert float(row["low"]) < float(row["difference"]) < float(row["high"])
    assert {row["other"] for row in rows if row["player"] == "Lone A"} == {"Lone B"}
