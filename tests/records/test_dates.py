"""Dates known in part, and dates in the orders that people write them in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yardstone
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.splits import judged_games
from yardstone.pool import Pool
from yardstone.records.dates import DateOrder, date_span, read_dates

pytestmark = pytest.mark.usefixtures("one_database")

NEVER = "NaT"


def days(times: np.ndarray | None) -> list[str]:
    assert times is not None
    return [str(time)[:10] for time in times]


def table(*dates: str, name: str = "date") -> Any:
    import pandas

    n = len(dates)
    games = {"white": ["A", "B"] * n, "black": ["B", "A"] * n, "result": ["1-0", "0-1"] * n}
    return pandas.DataFrame(games).head(n).assign(**{name: dates})


SPANS = {
    "1995.??.??": "1995-01-01 1995-12-31", "1995-03-??": "1995-03-01 1995-03-31",
    "1996.02": "1996-02-01 1996-02-29", "1995": "1995-01-01 1995-12-31",
    "1995.??.12": "1995-01-01 1995-12-31", "1995.00.00": "1995-01-01 1995-12-31",
    "1995.03.?? 12:30:00": "1995-03-01 1995-03-31", "2024/5/3": "2024-05-03 2024-05-03",
    "31/05/2024": "2024-05-31 2024-05-31", "5/31/2024 10:15": "2024-05-31 2024-05-31",
    "5.6.2024": "2024-06-05 2024-06-05", "3 May 2024": "2024-05-03 2024-05-03",
    "September 3rd, 2024": "2024-09-03 2024-09-03", "20240531": "2024-05-31 2024-05-31",
    "1700000000": "2023-11-14 2023-11-14", "1700000000123": "2023-11-14 2023-11-14",
}  # fmt: skip
NO_DATES = ("5/6/2024", "0204-05-31", "3024-01-01", "????.??.??", "2024.02.30", "24-05-31",
            "2024-05-03x", "600+0", "", "A. Player", "12:30")  # fmt: skip
ORDERS: dict[tuple[str, DateOrder], str] = {
    ("5/6/2024", "dmy"): "2024-06-05", ("5/6/2024", "mdy"): "2024-05-06",
    ("05-06-24", "dmy"): "2024-06-05", ("05-06-98", "mdy"): "1998-05-06",
    ("24-05-31", "ymd"): "2024-05-31", ("13/13/2024", "dmy"): NEVER,
}  # fmt: skip


def test_one_date() -> None:
    wanted = SPANS | dict.fromkeys(NO_DATES, "NaT NaT")
    assert {text: " ".join(days(np.array(date_span(text)))) for text in wanted} == wanted
    assert {each: days(np.array(date_span(*each)))[0] for each in ORDERS} == ORDERS
    with pytest.raises(UsageError, match="did you mean 'dmy'"):
        yardstone.read("x.csv", dates="dym")  # type: ignore[arg-type]


def test_the_order_of_the_file_is_kept_where_it_can_be() -> None:
    texts = ["1995.03.10", "1995.??.??", "1995.03.20", "1995.03.??", "1994.??.??", "1995.04.01"]
    read = read_dates(texts)
    assert days(read.time) == [
        "1995-03-10", "1995-03-10", "1995-03-20", "1995-03-20", "1994-01-01", "1995-04-01",
    ]  # fmt: skip
    assert read.partial == 3
    unordered = ["1995.03.20", "1995.??.??", "1995.03.10"]
    assert days(read_dates(unordered).time)[1] == "1995-01-01"


def test_one_column_decides_day_or_month_first() -> None:
    assert days(read_dates(["5/6/2024", "13/6/2024"]).time) == ["2024-06-05", "2024-06-13"]
    assert days(read_dates(["5/6/2024", "6/13/2024"]).time) == ["2024-05-06", "2024-06-13"]
    assert days(read_dates(["5/6/2024", "13/12/2024"]).time) == ["2024-06-05", "2024-12-13"]
    assert days(read_dates(["5/6/2024", "12/13/2024"]).time) == ["2024-05-06", "2024-12-13"]
    with pytest.raises(InputError, match=r"day first .* and month first"):
        read_dates(["13/6/2024", "6/13/2024"])


def test_pgn(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    game = '[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n[Date "{}"]\n\n1-0\n\n'
    path.write_text("".join(map(game.format, ("1995.01.05", "1995.??.??", "1995.02.??", "?"))))
    pool = yardstone.read(path, times=True)
    assert days(pool.time) == ["1995-01-05", "1995-01-05", "1995-02-01", NEVER]
    assert yardstone.read(path).time is None  # nobody asked
    (remark,) = pool.skipped.remarks
    assert remark.startswith("2 games with a date known in part")
    judged, notes = judged_games(pool)
    assert len(judged) == 3
    assert notes == [remark, "1 game without a date was left out."]


def test_tables_and_sgf(tmp_path: Path) -> None:
    path = tmp_path / "games.sgf"
    dates = ("2001", "2001-05", "2001-06-07")
    path.write_text("".join(f"(;PB[A]PW[B]RE[B+R]DT[{text}];B[pd])" for text in dates))
    seconds = table("1700000000", "1700086400", name="timestamp")
    for games, wanted in (
        (path, ["2001-01-01", "2001-05-01", "2001-06-07"]),
        (table("1995", "1995-03", "1995-04-01"), ["1995-01-01", "1995-03-01", "1995-04-01"]),
        (table("soon", "31/05/2024", "1/6/2024"), [NEVER, "2024-05-31", "2024-06-01"]),
        (seconds, ["2023-11-14", "2023-11-15"]),
    ):
        assert days(yardstone.read(games).time) == wanted
    frame = table("5/6/2024", "6/7/2024")
    pool = yardstone.read(frame)
    assert days(pool.time) == [NEVER, NEVER]
    assert "2 games with a date that cannot be read, such as '5/6/2024'" in pool.skipped.remarks[0]
    assert days(yardstone.read(frame, dates="mdy").time) == ["2024-05-06", "2024-06-07"]


def test_dates_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    for dates, message in (
        (("5/6/2024", "6/7/2024"), "day first or month first.*--dates dmy"),
        (("soon", "later"), "no date can be read in the column 'date': it holds 'soon', 'later'"),
        (("0204-05-31", "0204-06-01"), "no date can be read"),
    ):
        table(*dates).to_csv(path, index=False)
        assert len(yardstone.read(path)) == 2  # without times it does not matter
        with pytest.raises(InputError, match=message):
            yardstone.read(path, times=True)
        with pytest.raises(InputError, match=message):
            yardstone.read(path, columns={"time": "date"})
    _, notes = judged_games(Pool.from_names(["A"], ["B"], [1]))
    assert notes == []
    _, notes = judged_games(yardstone.read(table("?", "")))
    assert notes == ["No game has a date: the games are taken in the order in which they stand."]
