from __future__ import annotations

import numpy as np
import pytest

from yardstone.records.go_game import (
    parse_go_date,
    parse_komi,
    split_rank,
    standard_stones,
)


@pytest.mark.parametrize(
    ("text", "komi"),
    [
        ("6.5", 6.5), ("6,5", 6.5), ("7.500000", 7.5), ("-5.5", -5.5), ("0", 0.0), ("5.5目", 5.5),
        ("650", 6.5), ("750", 7.5), ("550", 5.5), ("375", 7.5), ("325", 6.5), ("275", 5.5),
        ("3.75", 7.5), ("2.75子", 5.5), ("3.75子", 7.5), ("3又3/4子", 7.5), ("六目半", 6.5),
        ("7½", 7.5),
        ("65", 6.5), ("", None), ("abc", None), ("6.3", None), ("1" * 300, None), ("361", 361.0),
    ],
)  # fmt: skip
def test_komi(text: str, komi: float | None) -> None:
    assert parse_komi(text)[0] == komi


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1996-05-06,07,08", "1996-05-06"), ("1996-5-6", "1996-05-06"),
        ("1996/05/06", "1996-05-06"),
        ("19960506", "1996-05-06"), ("1996年5月6日", "1996-05-06"), ("6 May 1996", "1996-05-06"),
        ("May 6th, 1996", "1996-05-06"), ("1710-12-01 (Hoei 7.xi.1)", "1710-12-01"),
        ("1846-09-11~1846-09-15", "1846-09-11"), ("Published 2005-11-02", "2005-11-02"),
        ("2005-11-02T10:48:00Z", "2005-11-02T10:48"), ("1996", "NaT"), ("1996-05", "NaT"),
        ("0000-00-00", "NaT"), ("2001-02-30", "NaT"), ("today", "NaT"),
        ("6-May-1996", "1996-05-06"),
    ],
)  # fmt: skip
def test_dates(text: str, day: str) -> None:
    np.testing.assert_equal(parse_go_date(text), np.datetime64(day, "s"))


@pytest.mark.parametrize(
    ("name", "rank", "found"),
    [
        ("Lee Sedol 9p", "", ("Lee Sedol", "9p")), ("古力九段", "", ("古力", "九段")),
        ("이세돌 9단", "9단", ("이세돌", "9단")), ("Ann [3d]", "3 dan", ("Ann", "3 dan")),
        ("Ann, 3 dan", "", ("Ann", "3 dan")), ("Ann3d", "", ("Ann3d", "")),
        ("我是九段", "九段", ("我是九段", "九段")),
        ("Ann 3d", "4d", ("Ann 3d", "4d")), ("3d", "", ("3d", "")), ("Ann", "3d", ("Ann", "3d")),
    ],
)  # fmt: skip
def test_ranks_in_names(name: str, rank: str, found: tuple[str, str]) -> None:
    assert split_rank(name, rank) == found


def test_standard_handicap_points() -> None:
    def names(size: int, stones: int) -> str:
        points = standard_stones(size, stones)
        assert points is not None
        letters = "ABCDEFGHJKLMNOPQRST"
        return " ".join(sorted(f"{letters[p % size]}{size - p // size}" for p in points.tolist()))

    # As GTP's fixed_handicap has them.
    assert names(19, 2) == "D4 Q16"
    assert names(19, 3) == "D16 D4 Q16"
    assert names(19, 4) == "D16 D4 Q16 Q4"
    assert names(19, 5) == "D16 D4 K10 Q16 Q4"
    assert names(19, 6) == "D10 D16 D4 Q10 Q16 Q4"
    assert names(19, 7) == "D10 D16 D4 K10 Q10 Q16 Q4"
    assert names(19, 8) == "D10 D16 D4 K16 K4 Q10 Q16 Q4"
    assert names(19, 9) == "D10 D16 D4 K10 K16 K4 Q10 Q16 Q4"
    assert names(13, 9) == "D10 D4 D7 G10 G4 G7 K10 K4 K7"
    assert names(9, 2) == "C3 G7"
    assert standard_stones(19, 10) is None
    assert standard_stones(8, 5) is None
    assert standard_stones(5, 2) is None
