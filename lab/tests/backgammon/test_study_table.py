from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.tests.backgammon.made_table import made_table
from yardstone.errors import InputError, NoGamesError
from yardstone_lab.vandendoel.choices import CloseRule
from yardstone_lab.vandendoel.play import MatchSetting, NoisyPlayer, part_one, part_two
from yardstone_lab.vandendoel.tables import COLUMNS, from_results, read_table, table_text


def stats(unforced: int, error: float, close: int, rate: float, luck: float) -> dict[str, Any]:
    return {
        "moves": {"unforced-moves": unforced, "error-skill": error},
        "cube": {"close-cube": close, "error-skill": rate},
        "dice": {"luck-adjusted-result": luck},
    }


def record(number: int, *, luck: float = 0.125, depths: tuple[int, ...] = (0,)) -> dict[str, Any]:
    setting = MatchSetting(5, NoisyPlayer(), NoisyPlayer(0.02, 0.4), analyses=depths)
    analysis = {
        "stats": {"X": stats(60, 0.0, 4, 0.0, luck), "O": stats(64, 1.5, 8, 0.25, -luck)},
        "close": {"X": {"close-2003": 6}, "O": {"close-2003": 10}},
    }
    return {
        **setting.as_record(),
        "number": number,
        "seed": 7,
        "winner": "X" if number % 2 == 0 else "O",
        "analyses": {str(depth): analysis for depth in depths},
    }


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def test_from_results(tmp_path: Path) -> None:
    failed = {**record(9), "failed": "it hung"}
    path = written(tmp_path / "r.jsonl", record(0), failed, record(1), record(0))
    table = from_results([path, path])
    assert len(table) == 2  # a match counts once, and a failed one not at all
    assert table.won.tolist() == [True, False]
    assert table.luck_adjusted.tolist() == [0.625, 0.625]
    assert table.error_per_move()[0].tolist() == [0.0, 1.5 / 64]
    assert table.error_per_cube_decision(CloseRule.new)[0].tolist() == [0.0, 0.25]
    assert table.error_per_cube_decision(CloseRule.old)[0].tolist() == [0.0, 0.2]
    assert table.error_per_decision(CloseRule.new)[0, 1] == pytest.approx(3.5 / 72)
    assert table.error_per_decision(CloseRule.old)[0, 1] == pytest.approx(3.5 / 74)


def test_each_depth_of_analysis_is_a_setting(tmp_path: Path) -> None:
    table = from_results([written(tmp_path / "r.jsonl", record(0, depths=(0, 2)))])
    assert [setting.analyses for setting in table.settings] == [(0,), (2,)]
    assert len(table) == 2


def test_results_without_what_is_needed(tmp_path: Path) -> None:
    bad = record(1)
    del bad["analyses"]["0"]["stats"]["O"]["cube"]
    path = written(tmp_path / "r.jsonl", record(0), bad)
    with pytest.raises(InputError, match="lacks what the fits need") as caught:
        from_results([path])
    assert caught.value.line == 2
    with pytest.raises(NoGamesError):
        from_results([written(tmp_path / "none.jsonl", {**record(9), "failed": "it hung"})])


@pytest.mark.parametrize("packed", [False, True])
def test_a_table_comes_back_as_it_was(tmp_path: Path, packed: bool) -> None:
    made = made_table([*part_one((1, 5)), *part_two((3,))], lambda *_: 100.0, 3)
    first = table_text(made)
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(first.encode()) if packed else first.encode())
    table = read_table(path)
    assert table_text(table) == first
    assert set(table.settings) == set(made.settings)
    assert table_text(made.take(np.random.default_rng(1).permutation(len(made)))) == first
    place = [made.settings.index(setting) for setting in table.settings]
    order = np.lexsort((made.number, np.argsort(place)[made.setting]))
    made = made.take(order)
    np.testing.assert_array_equal(np.array(place)[table.setting], made.setting)
    for name in ("seed", "number", "won", "unforced", "close_2003", "close_2006"):
        np.testing.assert_array_equal(getattr(table, name), getattr(made, name))
    for name in ("luck_adjusted", "move_error", "cube_error"):  # kept in single precision
        np.testing.assert_allclose(getattr(table, name), getattr(made, name), rtol=2e-6)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("length", "0"),
        ("length", "x"),
        ("first_chequer_noise", "nan"),
        ("second_plies", "9"),
        ("noise", "loud"),
        ("won", "2"),
        ("luck_adjusted", "inf"),
        ("first_unforced", "-1"),
        ("second_close_2006", "99999999999"),
        ("second_move_error", ""),
        ("number", "1.5"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(tmp_path: Path, column: str, value: str) -> None:
    lines = table_text(made_table(part_one((5,)), lambda *_: 0.0, 2)).splitlines()
    cells = lines[2].split(",")
    cells[COLUMNS.index(column)] = value
    path = tmp_path / "t.csv"
    path.write_text("\n".join([*lines[:2], ",".join(cells), *lines[3:]]))
    with pytest.raises(InputError, match="cannot be used") as caught:
        read_table(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)


def test_what_is_no_table(tmp_path: Path) -> None:
    text = table_text(made_table(part_one((5,)), lambda *_: 0.0, 2))
    path = tmp_path / "t.csv"
    for data, error in (
        (b"", "there is no column"),
        (b"a,b\n1,2\n", "there is no column"),
        (b"\xff\xfe\x00", "not a table"),
        (gzip.compress(text.encode())[:-30], "damaged gzip"),
        (text.encode().splitlines(keepends=True)[0] + b'"' * 300_000, "cannot be used"),
        (text.encode().replace(b"random", b"random\x00", 1), "cannot be used"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError, match=error):
            read_table(path)
    path.write_text(text.splitlines()[0] + "\n")
    with pytest.raises(NoGamesError, match="no match"):
        read_table(path)
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "none.csv")
