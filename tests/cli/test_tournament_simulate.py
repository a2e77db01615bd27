"""The commands that simulate tournaments."""

from __future__ import annotations

import pytest

from tests.cli.calls import Command
from tests.shared import shared_or_made
from tests.tournament.made_events import event_file

SMALL = "--objective kaniuk --population 24 --players 12 --rounds 3 --tournaments 4"


def test_a_real_tournament_is_played_again(run: Command) -> None:
    name = "data/go/tournaments/opengotha/simplemm.xml"
    event = shared_or_made(name, lambda: event_file("simplemm"), run.folder)
    line = f"tournament simulate {event} --workers 1 --tournaments 4"
    text = run(f"{line} --restart").out
    for words in (
        ": 4 tournaments of 16 players, 5 rounds, McMahon, bar ", "as in real tournaments",
        "True strengths are drawn about the entry list, with a deviation of",
    ):  # fmt: skip
        assert words in text
    players = run.json(f"{line} --restart")["players"]
    assert sum(player["first"] for player in players) == pytest.approx(1.0)
    assert all(0.7 < player["deviation"] < 2.0 for player in players)
    rows = run.rows(f"{line} --restart")
    assert [(row["player"], float(row["first"])) for row in rows] == [
        (player["player"], player["first"]) for player in players
    ]
    text = run(f"{line} --restart --deviation 0").out
    assert "The entry list is taken as exact (--deviation 0)" in text
    assert "add --restart" in run(line, status=2).err  # it is over


def test_variants_side_by_side(run: Command) -> None:
    line = "tournament simulate --players 12 --tournaments 4 --workers 1 --vary rounds=3,4"
    text = run(f"{line} -o vary.svg").out
    assert "12 players, 4 rounds" in text
    assert "made up, so their strengths are known exactly" in text
    assert run.read("vary.svg").startswith("<?xml")
    assert {row["variant"] for row in run.rows(line)} == {"3", "4"}


@pytest.mark.parametrize(
    ("name", "options", "key"),
    [
        ("ties", "--players 16 --rounds 3 --tournaments 8", "tiebreaks"),
        ("pairing", f"{SMALL} --replicates 2", "pairings"),
        ("weights", f"{SMALL} --replicates 2 --confirm 2 --trials 2", "trials"),
    ],
)
def test_a_study_in_every_format(name: str, options: str, key: str, run: Command) -> None:
    line = f"tournament study {name} {options} --workers 1 --seed 3"
    result = run.json(f"{line} -o study.svg")[key]
    assert run.read("study.svg").startswith("<?xml")
    assert len(run.rows(line)) == len(result)
    assert "95 % interval" in run(line).out
