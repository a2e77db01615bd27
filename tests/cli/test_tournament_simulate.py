"""The commands that simulate tournaments, on real files and in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.shared import shared_or_made
from tests.tournament.made_events import event_file
from yardstone.cli.main import main

SMALL = [
    "--objective", "kaniuk", "--population", "24", "--players", "12", "--rounds", "3",
    "--tournaments", "4",
]  # fmt: skip


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main(["tournament", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def event(tmp_path: Path) -> Path:
    """A McMahon tournament that is over: a real one, or one played by lot."""
    name = "data/go/tournaments/opengotha/simplemm.xml"
    return shared_or_made(name, lambda: event_file("simplemm"), tmp_path)


def test_a_real_tournament_is_played_again(capsys: pytest.CaptureFixture[str], event: Path) -> None:
    options = ("--restart", "--tournaments", 20, "--workers", 1, "--format")
    _, text, _ = run(capsys, "simulate", event, *options, "text")
    assert ": 20 tournaments of 16 players, 5 rounds, McMahon, bar " in text
    _, plain, _ = run(capsys, "simulate", event, *options, "json")
    players = json.loads(plain)["players"]
    assert sum(player["first"] for player in players) == pytest.approx(1.0)
    _, table, _ = run(capsys, "simulate", event, *options, "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["player"] for row in rows] == [player["player"] for player in players]
    assert [float(row["first"]) for row in rows] == [player["first"] for player in players]


def test_a_forecast_says_how_sure_the_entry_list_is(
    capsys: pytest.CaptureFixture[str], event: Path
) -> None:
    options = ("--restart", "--tournaments", 4, "--workers", 1)
    _, text, _ = run(capsys, "simulate", event, *options)
    assert "True strengths are drawn about the entry list, with a deviation of" in text
    assert "as in real tournaments" in text
    _, text, _ = run(capsys, "simulate", event, *options, "--deviation", 0)
    assert "The entry list is taken as exact (--deviation 0)" in text
    _, plain, _ = run(capsys, "simulate", event, *options, "--format", "json")
    assert all(0.7 < player["deviation"] < 2.0 for player in json.loads(plain)["players"])
    _, text, _ = run(capsys, "simulate", "--players", 8, *options[1:])
    assert "made up, so their strengths are known exactly" in text


def test_an_event_that_is_over_is_not_forecast(
    capsys: pytest.CaptureFixture[str], event: Path
) -> None:
    status, out, err = run(capsys, "simulate", event)
    assert (status, out) == (2, "")
    assert "add --restart" in err


def test_variants_side_by_side(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = ["--players", 12, "--tournaments", 10, "--workers", 1]
    plot = tmp_path / "vary.png"
    _, text, _ = run(capsys, "simulate", *options, "--vary", "rounds=3,4", "-o", plot)
    assert "12 players, 4 rounds" in text
    assert plot.stat().st_size > 5000
    _, table, _ = run(capsys, "simulate", *options, "--vary", "rounds=3,4", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert {row["variant"] for row in rows} == {"3", "4"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--vary", "colour=1"], "--vary"),
        (["--grades", "5k"], "--grades"),
        (["--bar", "4p"], "--bar"),
        (["--win", "elo"], "players who have ratings"),
        (["--criteria", "nothing"], "nothing"),
        (["--floor", "5d", "--bar", "1k"], "the floor lies above the bar"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], wrong: list[str], message: str) -> None:
    status, out, err = run(capsys, "simulate", "--tournaments", 2, *wrong)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("name", "options", "key"),
    [
        ("ties", ["--players", 16, "--rounds", 3, "--tournaments", 8], "tiebreaks"),
        ("pairing", [*SMALL, "--replicates", 2], "pairings"),
        ("weights", [*SMALL, "--replicates", 2, "--confirm", 2, "--trials", 2], "trials"),
    ],
)
def test_a_study_in_every_format(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, options: list[object], key: str
) -> None:
    plot = tmp_path / "study.svg"
    command = ("study", name, *options, "--workers", 1, "--seed", 3)
    status, plain, _ = run(capsys, *command, "--format", "json", "-o", plot)
    assert status == 0
    result = json.loads(plain)[key]
    assert plot.read_text().startswith("<?xml")
    _, table, _ = run(capsys, *command, "--format", "csv")
    assert len(list(csv.DictReader(io.StringIO(table)))) == len(result)
    _, text, _ = run(capsys, *command)
    assert "95 % interval" in text
