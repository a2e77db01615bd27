"""Boards and inputs on real games: KataGo's legal moves, symmetries, and no surprises."""

from __future__ import annotations

import gzip
import json
import re
import zipfile
from itertools import islice

from tests.shared import shared_path
from yardstone.go.inputs import encode_game
from yardstone.go.points import PASS, parse_colour, point_number
from yardstone.go.rules import NAMED_RULES, parse_rules


def test_the_legal_moves_of_the_reference_positions() -> None:
    path = shared_path("reference/katago/positions.jsonl.gz")
    with gzip.open(path, "rt") as lines:
        positions = list(map(json.loads, lines))
    assert len(positions) == 240
    for position in positions:
        encoded = encode_game(
            19,
            moves=[point_number(name, 19) for _, name in position["moves"]],
            colours=[parse_colour(colour) for colour, _ in position["moves"]],
            komi=position["komi"],
            rules=parse_rules(position["rules"]),
            positions=[len(position["moves"])],
            to_play=parse_colour(position["to_play"]),
        )
        assert encoded.illegal_at == -1
        legal = [chance is not None for chance in position["policy"]]
        assert encoded.legal[0].tolist() == [*legal, True]


def test_games_of_a_server_are_legal() -> None:
    """The first games of Tygem's archive."""
    path = shared_path("data/go/tygem_moves/2005-11.zip")
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as lines:
        for line in islice(lines, 100):
            moves = re.findall(rb";([BW])\[([a-s]{0,2})\]", line)
            encoded = encode_game(
                19,
                moves=[(p[1] - 97) * 19 + p[0] - 97 if p else PASS for _, p in moves],
                colours=[1 + (colour == b"W") for colour, _ in moves],
                rules=NAMED_RULES["japanese"],
                positions=[len(moves)],
            )
            assert (encoded.illegal_at, encoded.breaches.tolist()) == (-1, [])
