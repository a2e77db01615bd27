from __future__ import annotations

import gzip
import io
import json

import numpy as np
import pytest

from yardstone.errors import InputError
from yardstone.go.inputs import encode_game
from yardstone.go.nets.network import Network
from yardstone.go.positions import evaluate_lines, parse_position, read_lines
from yardstone.go.rules import parse_rules
from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.records.sources import ByteStream, StreamLimits


def test_moves_in_all_their_forms() -> None:
    for moves in (
        [["b", "Q16"], ["w", "D4"], ["b", "pass"]],
        [["B", "q16"], ["WHITE", "d4"], ["Black", "PASS"]],
        *(["b Q16", "w D4", "b pass"], ["Q16", "D4", "pass"]),
        *("B Q16 W D4 B pass", "Q16, D4, pass", "Q16 D4\npass"),
    ):
        result = parse_position(json.dumps({"moves": moves}))
        assert (result.moves, result.colours, result.to_play) == ([72, 288, -1], [1, 2, 1], 2)
        assert (result.size, result.komi, result.rules) == (19, 7.5, parse_rules("tromp-taylor"))
    # The names of KataGo's analysis engine.
    engine = {
        "id": "x", "initialStones": [["B", "C3"], ["B", "G7"]], "moves": [["W", "E5"]],
        "rules": {"ko": "SIMPLE", "scoring": "TERRITORY", "komi": 3}, "komi": 0.5,
        "boardXSize": 9, "boardYSize": 9,
    }  # fmt: skip
    result = parse_position(json.dumps(engine))
    assert result.stones == {56: 1, 24: 1}
    assert (result.size, result.to_play, result.komi) == (9, 1, 0.5)
    assert result.rules.scoring == "territory"
    for text, komi in (
        ('{"rules": "koSIMPLEkomi3"}', 3.0),
        ('{"rules": "japanese", "komi": null}', 6.5),
        *((f'{{"komi": {komi}, "size": 2}}', komi) for komi in (-1000, 1000)),
    ):
        assert parse_position(text).komi == komi
    stone = '"initial_stones": [["b", "C3"]'
    for fields, to_play in (
        ("", 1), *((f'"{name}": "w"', 2) for name in ("to_play", "toPlay", "initial_player")),
        (f"{stone}]", 2), (f'{stone}, ["w", "D4"]]', 1), (f'{stone}], "initialPlayer": "B"', 1),
        (f'{stone}], "moves": "Q16"', 1), ('"moves": "Q16", "to_play": "b"', 1),
    ):  # fmt: skip
        assert parse_position(f"{{{fields}}}").to_play == to_play, fields


def test_lines_that_mean_no_position() -> None:
    for message, texts in {
        "no JSON": ("{",), "not a JSON object": ("[1]",), "deep|no JSON": ("[" * 100_000,),
        "is not a list": ('{"moves": 5}', json.dumps({"moves": ["b"] * 20_001})),
        "is not a move": ('{"moves": [5]}', '{"moves": [["b", 5]]}'),
        "ends with a colour": ('{"moves": ["Q16", "b"]}',),
        "not a point": ('{"moves": ["I5"]}', '{"moves": ["T20"]}'),
        "10,001 moves": (json.dumps({"moves": ["pass"] * 10_001}),),
        "2 to 19": tuple(f'{{"size": {size}}}' for size in (20, 1, 9.5, "true")),
        "not square": ('{"boardXSize": 9, "boardYSize": 13}',),
        "does not name rules": ('{"rules": "chess"}',), "rules are 5": ('{"rules": 5}',),
        "must be a word": ('{"rules": {"ko": 5}}',),
        "komi is": tuple(f'{{"komi": {komi}}}' for komi in ('"six"', "NaN", 1000.5, "true")),
        "not a colour": ('{"to_play": "x"}', '{"to_play": 1}'),
        "has no colour": ('{"initial_stones": ["Q16"]}',),
        "no stone": ('{"initial_stones": [["b", "pass"]]}',),
        "twice": ('{"initial_stones": [["b", "C3"], ["w", "C3"]]}',),
    }.items():  # fmt: skip
        for text in texts:
            with pytest.raises(InputError, match=message):
                parse_position(text)


def test_lines_keep_their_order_and_bad_ones_their_place(network: Network) -> None:
    lines = [
        '{"id": 1, "moves": "E5", "size": 9}', "{bad", "",
        '{"id": 3, "moves": "E5 E5", "size": 9, "error": "old"}',
        '{"id": 4, "moves": "C3 C4 D4", "size": 5, "rules": "japanese", "error": "old"}',
        '{"id": 1, "moves": [["b", "E5"]], "size": 9}',
    ]  # fmt: skip
    skipped = SkipReport()
    result = list(evaluate_lines(lines, network, file="in.jsonl", skipped=skipped))
    assert [each.get("id") for each in result] == [1, None, 3, 4, 1]
    assert [each.line for each in skipped.details] == [2, 4]
    assert result[1]["line"] == 2
    assert result[2]["error"] == "move 2 is illegal (White E5)"
    assert "error" not in result[3]
    assert result[0]["policy"] == result[4]["policy"]
    json.dumps(result, allow_nan=False)
    encoded = encode_game(5, moves=[12, 7, 8], rules=parse_rules("japanese"), positions=[3])
    alone = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals)
    white = np.exp(alone.value_logits[0]) / np.exp(alone.value_logits[0]).sum()
    assert encoded.to_play[0] == 2
    for name, value in (("white_win", white[0]), ("no_result", white[2])):
        assert result[3][name] == pytest.approx(value, abs=1e-6)
        assert result[3][name] == round(result[3][name], 6)
    assert result[3]["white_lead"] == pytest.approx(float(alone.lead[0]) * (1 - white[2]), abs=2e-3)
    policy = result[3]["policy"]
    assert [value is not None for value in policy] == encoded.legal[0, :-1].astype(bool).tolist()
    total = sum(filter(None, policy)) + result[3]["policy_pass"]
    assert total == pytest.approx(1, abs=1e-4)


def test_lines_of_files() -> None:
    def lines(data: bytes) -> list[str]:
        stream = ByteStream(io.BytesIO(data), "in.jsonl", len(data), StreamLimits())
        return list(read_lines(stream))

    calls: list[tuple[str, int, int]] = []
    data = "{}\r\n{é}\n\n{}".encode()
    with context(progress=lambda *at: calls.append(at)):
        assert lines(data) == ["{}\r", "{é}", "", "{}"]
    assert calls[-1] == ("evaluating", len(data), len(data))
    assert lines(gzip.compress(data)) == ["{}\r", "{é}", "", "{}"]
    with pytest.raises(InputError, match="break off"):
        lines(gzip.compress(data)[:-9])
    # A line without end does not fill the memory.
    data = b'{"moves": "' + b"pass " * 2_000_000 + b'"}\n{"moves": ""}\n'
    long, short = lines(data)
    assert len(long) < len(data) - 100
    with pytest.raises(InputError, match="letters"):
        parse_position(long)
    assert parse_position(short).moves == []
