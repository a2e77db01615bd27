"""What python-chess, sgfmill and Python's csv and json read in a file that Yardstone read whole.

Files that are read in several ways by right are not compared: a PGN whose tags stand in
comments, an SGF that was put right.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import chess.pgn
from sgfmill import sgf_grammar

from tests.fuzz.cases import Wrong
from tests.records.pools import games as games
from yardstone.pool import Pool
from yardstone.records.decoding import clean, decode
from yardstone.records.sgf import SgfTree

SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
#: A PGN about which there is nothing to argue: tags a line each, a blank line, moves without
#: comments, a blank line.
_SIMPLE_PGN = re.compile(
    rb"(?:(?:\[[A-Z][A-Za-z0-9]{0,20} \"[^\"\\\x00-\x1f\x7f]*\"\]\n)++\n"
    rb"(?:[0-9a-hKQRBNOx*][^\[\]{};%()\"\x00-\x09\x0b-\x1f\x7f\n]*+\n)++\n++)*+"
)


def _simple_pgn(data: bytes) -> bool:
    blocks = re.findall(rb"(?:\[.*\n)+", data)
    names = [re.findall(rb"^\[(\w+)", block.lower(), re.MULTILINE) for block in blocks]
    twice = any(len(set(block)) < len(block) for block in names)
    return not twice and _SIMPLE_PGN.fullmatch(data + b"\n\n") is not None


def chess_games(data: bytes) -> Iterator[tuple[str, str, str]]:
    """White, Black and Result of each game as python-chess reads them; empty where they lack."""
    text = io.StringIO(decode(data), newline="\n")
    while (headers := chess.pgn.read_headers(text)) is not None:
        tags = {name.lower(): value for name, value in headers.items()}
        yield tags.get("white", ""), tags.get("black", ""), tags.get("result", "")


def same_pgn(data: bytes, pool: Pool) -> None:
    # It takes a question mark where a tag is missing; such games are left out here.
    if pool.skipped.total or not _simple_pgn(data):
        return
    theirs = [
        (clean(white), clean(black), SCORES[result.strip()])
        for white, black, result in chess_games(data)
        if result.strip() in SCORES and clean(white) and clean(black)
    ]
    _compare("python-chess", games(pool), theirs)


def same_sgf(data: bytes, trees: Sequence[SgfTree]) -> bool:
    """Compare nodes, their parents and properties; return whether sgfmill takes the file."""
    try:
        data.decode("utf-8")
        theirs = sgf_grammar.parse_sgf_collection(data)
    except (ValueError, RecursionError):
        return False
    ours = [
        [
            (tree.parent(node), {name: list(v) for name, v in tree.properties(node).items()})
            for node in range(len(tree))
        ]
        for tree in trees
    ]
    _compare("sgfmill", ours, [list(_nodes(record)) for record in theirs])
    return True


def same_table(data: bytes, pool: Pool, format: str) -> None:
    try:
        if format == "json":
            rows = json.loads(data)
        else:
            text = decode(data.removeprefix(b"\xef\xbb\xbf"))
            rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
            rows = rows if "\r" not in text and text.startswith("white,black,result\n") else None
    except (csv.Error, ValueError, RecursionError):
        return
    simple = isinstance(rows, list) and all(
        isinstance(row, dict)
        and set(row) == {"white", "black", "result"}
        and all(isinstance(value, str) for value in row.values())
        and row["result"] in SCORES
        for row in rows
    )
    if simple and not pool.skipped.total:
        theirs = [(clean(r["white"]), clean(r["black"]), SCORES[r["result"]]) for r in rows]
        _compare(format, games(pool), theirs)


def _nodes(record: Any) -> Iterator[tuple[int | None, dict[str, list[str]]]]:
    number = 0
    todo: list[tuple[Any, int | None]] = [(record, None)]
    while todo:
        part, parent = todo.pop()
        for node in part.sequence:
            texts = {
                name: [sgf_grammar.text_value(value).decode("utf-8") for value in values]
                for name, values in node.items()
            }
            yield parent, texts
            parent, number = number, number + 1
        todo += [(child, parent) for child in reversed(part.children)]


def _compare(reader: str, ours: Sequence[object], theirs: Sequence[object]) -> None:
    for one, other in zip_longest(ours, theirs):
        if one != other:
            raise Wrong(f"{reader} reads {other!r} in place of {one!r}"[:300])
