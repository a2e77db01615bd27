"""Boards and inputs on real games: KataGo's legal moves, symmetries, and no surprises."""

from __future__ import annotations

import gzip
import json
import re
import zipfile
from itertools import islice

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone.go.inputs import encode_game, game_positions
from yardstone.go.points import PASS, parse_colour, point_number
from yardstone.go.rules import NAMED_RULES, parse_rules
from yardstone.records.go_game import GoGame

Game = tuple[list[int], list[int]]


@pytest.fixture(scope="module")
def games() -> list[Game]:
    """The first games of Tygem's archive: points and colours."""
    result: list[Game] = []
    path = shared_path("data/go/tygem_moves/2005-11.zip")
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as lines:
        for line in islice(lines, 100):
            moves = re.findall(rb";([BW])\[([a-s]{0,2})\]", line)
            points = [(p[1] - 97) * 19 + p[0] - 97 if p else PASS for _, p in moves]
            result.append((points, [1 + (colour == b"W") for colour, _ in moves]))
    return result


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


def test_games_of_a_server_are_legal(games: list[Game]) -> None:
    number = 0
    for moves, colours in games:
        encoded = encode_game(
            19,
            moves=moves,
            colours=colours,
            rules=NAMED_RULES["japanese"],
            positions=[len(moves)],
            packed=True,
        )
        assert encoded.illegal_at == -1
        assert encoded.breaches.tolist() == []
        positions = game_positions(
            GoGame(
                file="",
                line=0,
                number=1,
                size=19,
                komi=6.5,
                moves=np.array(moves, np.int16),
                colours=np.array(colours, np.int8),
            )
        )
        assert len(positions) == len(moves) + 1
        own = positions.stones[-1] == encoded.to_play[0]
        assert np.array_equal(encoded.spatial[0, 1].reshape(-1), own)
        number += len(moves)
    assert number == sum(len(moves) for moves, _ in games) >= 5_000
