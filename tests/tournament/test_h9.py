from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from tests.tournament.samples import DATA, content, sample
from yardstone.errors import InputError
from yardstone.pool import SkipReport
from yardstone.tournament import Bye, ByeKind, Result, Scoring, System, standings
from yardstone.tournament.formats.h9 import read_h9, write_h9


def test_everything_that_lines_can_say() -> None:
    result = sample("macmahon.h9")
    assert (result.name, result.place, result.begin) == (
        "Spring Meeting", "Vienna, AT", date(2011, 4, 2),
    )  # fmt: skip
    assert (result.komi, result.rounds, result.system) == (6.5, 3, System.mcmahon)
    assert result.handicap.correction == 2
    players = [(p.full_name, p.rank, p.club, p.ids.get("egf"), *p.absent) for p in result.players]
    assert players == [
        ("Lang Anna-Maria", 2, "Wien", "11111111"),
        ("van der Berg Joost", 0, "", "22222222"),
        ("Ito Ken", 6, "Toky", None),
        ("O'Neil Sean", -5, "Cork", None),
        ("Solo", -9, "Wien", None, 2),
    ]
    first = result.game_of[1, 0]
    assert (first.players, first.handicap, first.result) == ((1, 0), 2, Result.second_wins)
    assert result.game_of[2, 1].forfeit
    assert result.game_of[3, 3].result is Result.draw
    assert result.byes == (Bye(3, 1, ByeKind.paired), Bye(1, 2, ByeKind.half))
    assert result.scoring.criteria == ("MMS", "SOSM", "SODOSM")
    bare = sample("bare.h9")
    assert [g.known_colour for g in bare.games] == [False, False]
    assert (bare.rounds, bare.system, bare.name, bare.size) == (2, System.swiss, "", 19)
    assert [p.full_name for p in bare.players] == ["Red Ron", "Gray Gil", "Blue Bea"]


def test_the_table_that_opengotha_published() -> None:
    """A table of OpenGotha's own: its export from the same tournament is made anew."""
    published = (DATA / "published.h9").read_text("iso-8859-15").splitlines()
    ours = write_h9(sample("published.xml")).decode().splitlines()
    lines = [line.rstrip() for line in published if "Generated" not in line]
    assert [line.rstrip() for line in ours] == lines
    # A column has four characters.
    players = tuple(replace(each, rating=1000.5) for each in sample("published.xml").players)
    rules = Scoring(criteria=("RATING",))
    rated = write_h9(replace(sample("published.xml"), players=players, scoring=rules)).decode()
    assert "P01                      3D FR Club 1000 0 0 0    2+/w0" in rated
    # From the results and the last McMahon scores alone: SOS and SOSOS as published.
    result = sample("published.h9")
    table = standings(result, criteria="mms,sos,sosos")
    rows = [line for line in result.document.lines if not line.startswith(";")]
    points = [[float(word) for word in line.partition(" Club ")[2].split()[:3]] for line in rows]
    assert np.array_equal(table.values, points)
    assert table.order.tolist() == list(range(19))
    for pin in ("1st place", "1" * 13):
        numbered = replace(players[0], ids={"egf": pin})
        with pytest.raises(InputError, match=f"has the EGF number '{pin}'"):
            write_h9(replace(sample("published.xml"), players=(numbered, *players[1:])))


@pytest.mark.parametrize("pin", ["12345678", "1rticip002"])
def test_an_egf_number_survives_the_format(pin: str) -> None:
    result = sample("published.xml")
    players = tuple(replace(each, ids={"egf": pin}) for each in result.players)
    again = read_h9(write_h9(replace(result, players=players)))
    assert {each.ids.get("egf") for each in again.players} == {pin}
    assert len(again.games) == len(result.games)


@pytest.mark.parametrize("name", ["published.xml", "current.xml", "old.xml"])
def test_games_survive_the_format(name: str) -> None:
    result = sample(name)
    text = write_h9(result)
    again = read_h9(text)
    games = []
    for event in (result, again):
        names, games_of = [player.full_name for player in event.players], set()
        for g in event.games:
            sides = frozenset((names[p], g.points(p), g.known_colour and p == g.first)
                              for p in g.players)  # fmt: skip
            games_of.add((g.round, sides, g.result is Result.unknown, g.forfeit, g.handicap))
        games.append(games_of)
    assert games[0] == games[1]
    assert again.rounds == result.last_round
    assert (b"!" in text) is any(game.forfeit for game in result.games)
    assert b"!" not in write_h9(result, keep_forfeits=False)


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [("Red Ron 2k", "Red Ron", "no grade", 1), ("1 Red Ron", "1", "without a name", 1),
     ("2+ 3+", "2+ 9+", "there is no player 9", 1), ("2+ 3+", "1+ 3+", "a player meets himself", 1),
     ("2+ 3+", "3+ 3+", "player 1 names 3, who does not name 1", 1),
     ("2+ 3+", "2= 3+", "contradict each other", 1), ("2+ 3+", "2+/b0 3+", None, 0),
     ("1- 0+", "1-/b 0+", None, 0)],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(
    old: str, new: str, message: str | None, line: int
) -> None:
    data = (DATA / "bare.h9").read_text().replace(old, new).encode()
    if message is None:
        assert len(read_h9(data).games) == 2
        return
    with pytest.raises(InputError, match=message) as caught:
        read_h9(data, "a.h9")
    assert (caught.value.file, caught.value.line) == ("a.h9", line)


def test_contradictions_of_two_lines() -> None:
    bare = (DATA / "bare.h9").read_text()
    both = bare.replace("2+ 3+", "2+/b 3+").replace("1- 0+", "1-/b 0+")
    with pytest.raises(InputError, match="the same colour"):
        read_h9(both.encode())
    skipped = SkipReport()
    result = read_h9(bare.replace("2+ 3+", "2= 3+").encode(), "a.h9", skipped=skipped)
    assert (len(result.games), skipped.details[0].line) == (1, 1)
    for text in ("", "; EV[x]\n", "\n\n"):
        with pytest.raises(InputError, match="no line of a player"):
            read_h9(text.encode())
    with pytest.raises(InputError, match="Aas Atle has no grade"):
        write_h9(sample("trf26.trf"))
    # Numbers that are no places are taken as they stand.
    turned = read_h9(b"2 B Bo 1k DE X 1+\n1 A An 1k DE X 2-")
    assert turned.games[0].points(0) == 1.0
    assert content(turned).players[0].name == "B"
