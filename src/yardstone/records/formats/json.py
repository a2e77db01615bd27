"""JSON: a list of objects, or one object a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from yardstone.records.formats.format import Sign, Writer, reader, table_format
from yardstone.records.pool_rows import games_of

if TYPE_CHECKING:
    from yardstone.pool import Pool

_OBJECTS = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|\})|\[\s*\]')


def _list(pool: Pool) -> Iterator[str]:
    begin = "[\n"
    for game in games_of(pool):
        yield begin + json.dumps(game, ensure_ascii=False)
        begin = ",\n"
    yield "[]\n" if begin == "[\n" else "\n]\n"


def _lines(pool: Pool) -> Iterator[str]:
    for game in games_of(pool):
        yield json.dumps(game, ensure_ascii=False) + "\n"


FORMAT = table_format(
    "json",
    (".json", ".jsonl", ".ndjson"),
    (Sign(1, _OBJECTS.match),),
    reader("records.table_files", "json_rows"),
    writers=(
        Writer("json", (".json",), _list),
        Writer("jsonl", (".jsonl", ".ndjson"), _lines),
    ),
)
