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
from yardstone.tournament import TimeControl, read_tournament, to_bytes, tournament_pool
from yardstone.tournament.formats import FORMATS
from yardstone.tournament.model import Result, adjusted_time, egf_class
from yardstone.tournament.rules import TimeSystem


@pytest.mark.parametrize("name", ALL)
def test_a_file_comes_back_and_its_format_is_told_by_ending_and_by_content(
    name: str, tmp_path: Path
) -> None:
    data = (DATA / name).read_bytes()
    assert to_bytes(sample(name), Path(name)) == data
    for file, written in ((f"{name}.gz", gzip.compress(data)), ("results.txt", data)):
        path = tmp_path / file
        path.write_bytes(written)
        if (name, file) != ("bare.h9", "results.txt"):
            assert content(read_tournament(path)) == content(sample(name))


def test_a_format_can_be_named_and_must_be_known(tmp_path: Path) -> None:
    path = tmp_path / "file.dat"
    path.write_bytes((DATA / "exercise.trf").read_bytes())
    assert len(read_tournament(path, format="trf").players) == 16
    with pytest.raises(InputError):
        read_tournament(path, format="opengotha")
    with pytest.raises(UsageError, match="no format 'xls'"):
        read_tournament(path, format="xls")
    result = sample("bare.h9")
    assert to_bytes(result, Path("a.xml")).startswith(b"<?xml")
    assert to_bytes(result, format="trf").startswith(b"012")
    for name in (None, Path("a.pdf")):
        with pytest.raises(UsageError, match="which format"):
            to_bytes(result, name)
    packed = tmp_path / "a.xml.gz"
    packed.write_bytes(gzip.compress((DATA / "current.xml").read_bytes())[:-30])
    with pytest.raises(InputError, match="damaged"):
        read_tournament(packed)


@pytest.mark.parametrize("name", ALL)
def test_every_format_reads_what_every_other_wrote(name: str) -> None:
    result = sample(name)
    played = sorted((g.round, str(g.result)) for g in result.games)
    for known in FORMATS.values():
        if known.name != "trf" and result.discipline == "chess":
            rated = any(p.rank is None and p.rating is not None for p in result.players)
            lost = "ratings .*" * rated + "colours .*system would be lost"
            with pytest.raises(InputError, match=f"this tournament: {lost}"):
                known.write(result)
            continue
        if known.name == "h9" and any(player.rank is None for player in result.players):
            continue
        again = known.read(known.write(result), "")
        assert len(again.games) == len(result.games)
        if known.name != "h9":
            assert [p.full_name for p in again.players] == [p.full_name for p in result.players]
            assert sorted((g.round, str(g.result)) for g in again.games) == played


def test_a_pool_of_a_tournament(tmp_path: Path) -> None:
    pool = read_skipping(DATA / "current.xml", columns={"stones": "handicap"})
    assert pool.players == ('Birch "B" Bob', "Ash Ann", "Cedar Cy", "Dogwood Di")
    assert pool.score.tolist() == [0.0, 0.5]
    assert pool.skipped.reasons == {"decided by forfeit": 2, "no result": 1}
    assert pool.time is not None
    assert pool.time[0] == np.datetime64("2026-01-03", "s")
    columns = {name: pool.columns[name].tolist() for name in pool.columns}
    assert str(columns.pop("komi")) == "[nan, 6.5]"
    expected = {
        "round": [1, 2], "first_grade": ["1k", "5k"], "second_rating": [2310.0, 930.0],
        "handicap": [3, 0], "stones": [3, 0], "event": ["Trees"] * 2, "class": [1.0, 1.0],
    }  # fmt: skip
    assert {name: columns[name] for name in expected} == expected
    with pytest.raises(StrictError, match="round 3: no result"):
        yardstone.read(DATA / "current.xml", strict=True)
    tournament = sample("current.xml")
    both = replace(tournament.games[0], result=Result.both_lose, forfeit=False)
    lost = tournament_pool(replace(tournament, games=(both, *tournament.games[1:])))
    assert lost.skipped.reasons["result 'both lose' is not a win, draw or loss"] == 1
    days = tournament_pool(sample("trf26.trf")).time
    assert days is not None
    assert sorted({str(day)[:10] for day in days}) == ["2026-03-07", "2026-03-08"]
    twins = tmp_path / "twins.trf"
    text = (DATA / "exercise.trf").read_text()
    twins.write_text(text.replace("Player, N2 ", "Player, N1 ", 1))
    assert {"Player N1 (1)", "Player N1 (2)"} <= set(read_skipping(twins).players)


@pytest.mark.parametrize(
    ("system", "basic", "period", "moves", "increment", "adjusted", "expected"),
    [
        ("sudden_death", 75, 0, 1, 0, 75, "A"), ("sudden_death", 74, 0, 1, 0, 74, "B"),
        ("sudden_death", 50, 0, 1, 0, 50, "B"), ("sudden_death", 49, 0, 1, 0, 49, "C"),
        ("byo_yomi", 60, 20, 1, 0, 75, "A"), ("byo_yomi", 60, 19, 1, 0, 74.25, "B"),
        ("byo_yomi", 59, 60, 1, 0, 104, "B"), ("byo_yomi", 39, 60, 1, 0, 84, "C"),
        ("canadian", 60, 300, 20, 0, 75, "A"), ("canadian", 40, 150, 15, 0, 50, "B"),
        ("canadian", 25, 75, 15, 0, 30, "C"), ("canadian", 25, 74, 15, 0, 29.94, ""),
        ("fischer", 45, 0, 1, 15, 75, "A"), ("fischer", 30, 0, 1, 10, 50, "B"),
        ("fischer", 20, 0, 1, 5, 30, "C"), ("fischer", 19, 0, 1, 30, 79, ""),
        ("fischer", 44, 0, 1, 30, 104, "B"), ("fischer", 29, 0, 1, 30, 89, "C"),
    ],
)  # fmt: skip
def test_classes_of_the_egf(
    system: str, basic: int, period: int, moves: int, increment: int, adjusted: float, expected: str
) -> None:
    """The least basic and adjusted minutes of each class; on the Internet A and B are D."""
    for online, name in ((False, expected), (True, "D" if expected in ("A", "B") else "")):
        time = TimeControl(system=TimeSystem[system], basic=60 * basic, period=period, moves=moves,
                           increment=increment, internet=online)  # fmt: skip
        assert egf_class(time) == name
        assert adjusted_time(time) == int(60 * adjusted)
