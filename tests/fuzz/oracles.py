"""What other programs read in the same file: python-chess, sgfmill, the csv and json of Python.

Each function is called with what Yardstone read without leaving anything out. Where the other
reader takes the file, too, both must say the same. Files that are read in several ways by right
are not compared: a PGN whose tags stand in comments, an SGF that was put right. What they
return tells whether they compared.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence

import chess.pgn
from sgfmill import sgf_grammar

from tests.fuzz.targets import Wrong
from tests.records.pools import games
from yardstone.pool import Pool
from yardstone.records.decoding import clean, decode
from yardstone.records.sgf import SgfTree

__all__ = ["games", "same_csv", "same_json", "same_pgn", "same_sgf", "simple_pgn"]

_SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
#: A PGN about which there is nothing to argue: tags a line each, a blank line, moves without
#: comments, a blank line.
_SIMPLE_PGN = re.compile(
    rb"(?:(?:\[[A-Z][A-Za-z0-9]{0,20} \"[^\"\\\x00-\x1f\x7f]*\"\]\n)++\n"
    rb"(?:[0-9a-hKQRBNOx*][^\[\]{};%()\"\x00-\x09\x0b-\x1f\x7f\n]*+\n)++\n++)*+"
)


def simple_pgn(data: bytes) -> bool:
    """Whether a PGN can be read in one way only."""
    if _SIMPLE_PGN.fullmatch(data + b"\n\n") is None:
        return False
    blocks = re.findall(rb"(?:\[.*\n)+", data)
    names = [re.findall(rb"^\[(\w+)", block.lower(), re.MULTILINE) for block in blocks]
    return all(len(set(block)) == len(block) for block in names)


def chess_games(data: bytes) -> Iterator[tuple[str, str, str]]:
    """White, Black and Result of each game as python-chess reads them; empty where they lack."""
    text = io.StringIO(decode(data), newline="\n")
    while (headers := chess.pgn.read_headers(text)) is not None:
        tags = {name.lower(): value for name, value in headers.items()}
        yield tags.get("white", ""), tags.get("black", ""), tags.get("result", "")


def same_pgn(data: bytes, pool: Pool) -> bool:
    """Compare with python-chess."""
    if not simple_pgn(data):
        return False
    theirs = [
        (clean(white), clean(black), _SCORES[result.strip()])
        for white, black, result in chess_games(data)
        if result.strip() in _SCORES and clean(white) and clean(black)
    ]
    # It takes a question mark where a tag is missing; such games are left out here.
    missing = pool.skipped.total
    ours = games(pool)
    if not missing and ours != theirs:
        raise Wrong(f"python-chess reads {_difference(ours, theirs)}")
    return not missing


def same_sgf(data: bytes, trees: Sequence[SgfTree]) -> bool:
    """Compare with sgfmill: the nodes of all records, their parents and properties."""
    try:
        data.decode("utf-8")
        theirs = sgf_grammar.parse_sgf_collection(data)
    except (ValueError, RecursionError):
        return False
    if len(theirs) != len(trees):
        raise Wrong(f"sgfmill reads {len(theirs)} records, not {len(trees)}")
    for record, tree in zip(theirs, trees, strict=True):
        known = [
            (parent, {name: [_text(value) for value in values] for name, values in node.items()})
            for parent, node in _nodes(record)
        ]
        ours = [
            (tree.parent(node), {k: list(v) for k, v in tree.properties(node).items()})
            for node in range(len(tree))
        ]
        if ours != known:
            raise Wrong(f"sgfmill reads {_difference(ours, known)}")
    return True


def same_csv(data: bytes, pool: Pool) -> bool:
    """Compare a table of white, black, result with what the csv module reads."""
    text = decode(data.removeprefix(b"\xef\xbb\xbf"))
    if not text.startswith("white,black,result\n") or pool.skipped.total or "\r" in text:
        return False
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
    except csv.Error:
        return False
    rows = [row for row in rows if row]
    if any(len(row) != 3 or row[2] not in _SCORES for row in rows):
        return False
    theirs = [(clean(white), clean(black), _SCORES[result]) for white, black, result in rows]
    if games(pool) != theirs:
        raise Wrong(f"csv reads {_difference(games(pool), theirs)}")
    return True


def same_json(data: bytes, pool: Pool) -> bool:
    """Compare a list of objects with white, black and result with what the json module reads."""
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError):
        return False
    named = isinstance(rows, list) and all(
        isinstance(row, dict)
        and set(row) == {"white", "black", "result"}
        and all(isinstance(value, str) for value in row.values())
        and row["result"] in _SCORES
        for row in rows
    )
    if not named or pool.skipped.total:
        return False
    theirs = [(clean(r["white"]), clean(r["black"]), _SCORES[r["result"]]) for r in rows]
    if games(pool) != theirs:
        raise Wrong(f"json reads {_difference(games(pool), theirs)}")
    return True


def _nodes(
    record: sgf_grammar.Coarse_game_tree,
) -> Iterator[tuple[int | None, dict[str, list[bytes]]]]:
    """Each node with the number of its parent, in the order of the file."""
    number = 0
    todo: list[tuple[sgf_grammar.Coarse_game_tree, int | None]] = [(record, None)]
    while todo:
        part, parent = todo.pop()
        for node in part.sequence:
            yield parent, node
            parent, number = number, number + 1
        todo += [(child, parent) for child in reversed(part.children)]


def _text(value: bytes) -> str:
    text: str = sgf_grammar.text_value(value).decode("utf-8")
    return text


def _difference(ours: Sequence[object], theirs: Sequence[object]) -> str:
    place = next((k for k, (a, b) in enumerate(zip(ours, theirs)) if a != b), None)  # noqa: B905
    if place is None:
        return f"{len(theirs)} in place of {len(ours)}"
    return f"{theirs[place]!r} in place of {ours[place]!r}"[:300]
