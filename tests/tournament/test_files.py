from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import yardstone
from tests.skipping import read_skipping
from tests.tournament.samples import ALL, DATA, content, sample
from yardstone.errors import InputError, StrictError, UsageError
from yardstone.tournament.files import read_tournament, to_bytes, tournament_pool
from yardstone.tournament.formats import FORMATS
from yardstone.tournament.model import Result, adjusted_time, egf_class
from yardstone.tournament.rules import TimeControl, TimeSystem


@pytest.mark.parametrize("name", ALL)
def test_formats_are_told_by_ending_and_by_content(name: str, tmp_path: Path) -> None:
    plain = sample(name)
    bare = tmp_path / "results.txt"
    bare.write_bytes((DATA / name).read_bytes())
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress((DATA / name).read_bytes()))
    if name != "bare.h9":
        assert content(read_tournament(bare)) == content(plain)
    assert content(read_tournament(packed)) == content(plain)


def test_a_format_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "file.dat"
    path.write_bytes((DATA / "exercise.trf").read_bytes())
    assert len(read_tournament(path, format="trf").players) == 16
    with pytest.raises(InputError):
        read_tournament(path, format="opengotha")
    with pytest.raises(UsageError, match="no format 'xls'"):
        read_tournament(path, format="xls")


def test_writing_needs_a_format() -> None:
    result = sample("bare.h9")
    assert to_bytes(result, Path("a.xml")).startswith(b"<?xml")
    assert to_bytes(result, format="trf").startswith(b"012")
    for path in (None, Path("a.pdf")):
        with pytest.raises(UsageError, match="which format"):
            to_bytes(result, path)


@pytest.mark.parametrize("name", ALL)
def test_every_format_reads_what_every_other_wrote(name: str) -> None:
    result = sample(name)
    for known in FORMATS.values():
        if known.name != "trf" and result.discipline == "chess":
            with pytest.raises(InputError, match=r"colours.*would be lost"):
                known.write(result)
            continue
        if known.name == "h9" and any(player.rank is None for player in result.players):
            continue
        again = known.read(known.write(result), "")
        assert len(again.games) == len(result.games)
        played = sorted((g.round, str(g.result)) for g in again.games)
        first = [p.full_name for p in again.players]
        if known.name != "h9":
            assert first == [p.full_name for p in result.players]
            assert played == sorted((g.round, str(g.result)) for g in result.games)


def test_broken_compression_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress((DATA / "current.xml").read_bytes())[:-30])
    with pytest.raises(InputError, match="damaged"):
        read_tournament(path)


# Pools -------------------------------------------------------------------------------------------


def test_a_pool_of_a_tournament() -> None:
    pool = read_skipping(DATA / "current.xml")
    assert len(pool) == 2
    assert pool.players == ('Birch "B" Bob', "Ash Ann", "Cedar Cy", "Dogwood Di")
    assert pool.score.tolist() == [0.0, 0.5]
    assert pool.skipped.reasons == {"decided by forfeit": 2, "no result": 1}
    assert pool.time is not None
    assert pool.time[0] == np.datetime64("2026-01-03", "s")
    columns = {name: column.tolist() for name, column in pool.columns.items()}
    assert columns["round"] == [1, 2]
    assert columns["first_grade"] == ["1k", "5k"]
    assert columns["second_rating"] == [2310.0, 930.0]
    assert columns["handicap"] == [3, 0]
    assert np.isnan(columns["komi"][0])
    assert columns["komi"][1] == 6.5
    assert columns["event"] == ["Trees", "Trees"]
    assert columns["class"] == [1.0, 1.0]


def test_games_that_both_won_or_lost_are_no_games_of_a_pool() -> None:
    tournament = sample("current.xml")
    both = replace(tournament.games[0], result=Result.both_lose, forfeit=False)
    pool = tournament_pool(replace(tournament, games=(both, *tournament.games[1:])))
    assert pool.skipped.reasons["result 'both lose' is not a win, draw or loss"] == 1


def test_days_of_rounds_are_the_times_of_games() -> None:
    pool = tournament_pool(sample("trf26.trf"))
    assert pool.time is not None
    assert sorted({str(day)[:10] for day in pool.time}) == ["2026-03-07", "2026-03-08"]


def test_strict_reading_stops_at_the_first_open_result() -> None:
    with pytest.raises(StrictError, match="round 3: no result"):
        yardstone.read(DATA / "current.xml", strict=True)


def test_columns_can_have_other_names() -> None:
    pool = yardstone.read(DATA / "published.xml", columns={"stones": "handicap"})
    assert pool.columns["stones"].tolist() == pool.columns["handicap"].tolist()


def test_equal_names_stay_apart(tmp_path: Path) -> None:
    text = (DATA / "exercise.trf").read_text().replace("Player, N2 ", "Player, N1 ", 1)
    path = tmp_path / "twins.trf"
    path.write_text(text)
    pool = read_skipping(path)
    assert {"Player N1 (1)", "Player N1 (2)"} <= set(pool.players)


# Classes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "basic", "period", "moves", "increment", "expected"),
    [
        (TimeSystem.sudden_death, 75, 0, 1, 0, "A"),
        (TimeSystem.sudden_death, 74, 0, 1, 0, "B"),
        (TimeSystem.byo_yomi, 60, 20, 1, 0, "A"),
        (TimeSystem.byo_yomi, 60, 19, 1, 0, "B"),
        (TimeSystem.byo_yomi, 59, 60, 1, 0, "B"),
        (TimeSystem.canadian, 60, 300, 20, 0, "A"),
        (TimeSystem.canadian, 40, 150, 15, 0, "B"),
        (TimeSystem.canadian, 25, 75, 15, 0, "C"),
        (TimeSystem.canadian, 25, 74, 15, 0, ""),
        (TimeSystem.fischer, 45, 0, 1, 15, "A"),
        (TimeSystem.fischer, 30, 0, 1, 10, "B"),
        (TimeSystem.fischer, 20, 0, 1, 5, "C"),
        (TimeSystem.fischer, 19, 0, 1, 30, ""),
    ],
)
def test_classes_of_the_egf(
    system: TimeSystem, basic: int, period: int, moves: int, increment: int, expected: str
) -> None:
    time = TimeControl(
        system=system, basic=60 * basic, period=period, moves=moves, increment=increment
    )
    assert egf_class(time) == expected
    online = TimeControl(
        system=system, basic=60 * basic, period=period, moves=moves, increment=increment,
        internet=True,
    )  # fmt: skip
    assert egf_class(online) == ("D" if expected in "AB" and expected else "")
    assert adjusted_time(time) >= 60 * basic
