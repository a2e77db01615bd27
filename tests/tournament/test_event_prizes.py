"""The prize list: places shared, groups, wins, money."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tournament.made_events import entered
from yardstone.errors import InputError, UsageError
from yardstone.reports.standings import prizes_document
from yardstone.reports.text import document_text
from yardstone.tournament import Game, Result, Tournament
from yardstone.tournament.event.prizes import prize_list

#: Winners and losers of two rounds among six players; 4 wins by forfeit, then has the bye.
GAMES = ((1, 0, 3), (1, 1, 2), (1, 4, 5), (2, 0, 1), (2, 3, 2))


@pytest.fixture(scope="module")
def event() -> Tournament:
    made = entered(("2d", "2d", "2d", "2d", "3k", "9k"), rounds=2)
    games = [
        Game(round=r, table=n, first=a, second=b, result=Result.first_wins, forfeit=a == 4)
        for n, (r, a, b) in enumerate(GAMES, 1)
    ]
    return made.with_round(games)


def test_money_is_shared_on_a_place_and_beyond_the_last_prize(event: Tournament) -> None:
    made = prize_list(event, criteria="mms", places=3, money=(300, 200, 100))
    assert made.final
    assert [(p.place, p.shared, p.player, p.wins, p.money) for p in made.prizes] == [
        (1, False, 0, 2, 300.0),
        (2, True, 1, 1, 150.0),
        (2, True, 3, 1, 150.0),
    ]
    made = prize_list(event, criteria="mms", places=2, money=(300, 200))
    assert [prize.money for prize in made.prizes] == [300, 100, 100]
    lines = document_text(prizes_document(made)).splitlines()
    assert [line.split()[-1] for line in lines if " 2d" in line] == ["300", "100", "100"]
    assert any("2=  F1 G 2d" in line for line in lines)


def test_groups_and_wins(event: Tournament) -> None:
    made = prize_list(event, places=1, groups=(0, -5), wins=1)
    assert [(prize.group, prize.player) for prize in made.prizes] == [
        *(("Place", 0), ("1d and stronger", 0), ("1k to 5k", 4), ("6k and weaker", 5)),
        *(("1 win or more", row) for row in (0, 1, 3, 4)),
    ]
    once = prize_list(event, places=1, groups=(0,), once=True)
    assert [prize.player for prize in once.prizes[:2]] == [0, 1]
    by_file = replace(event, scoring=replace(event.scoring, categories=(1,)))
    assert [prize.group for prize in prize_list(by_file, places=0).prizes] == [
        "2d and stronger", "1d and weaker",
    ]  # fmt: skip
    single = [prize.group for prize in prize_list(event, places=0, groups=(1, 0, -3)).prizes]
    assert single == ["2d and stronger", "1k to 3k", "4k and weaker"]
    most = prize_list(event, criteria="mms", group_places=2, groups=(0,)).prizes
    assert [prize.player for prize in most if prize.group == "1d and stronger"] == [0, 1, 3]


def test_before_the_end_the_list_says_so(event: Tournament) -> None:
    made = prize_list(event.before(2))
    assert (made.final, made.rounds_to_come) == (False, 1)
    assert "Not final: 1 round to come." in document_text(prizes_document(made))
    with pytest.raises(InputError, match="nobody has played"):
        prize_list(event.before(1))
    for wrong in ({"money": (-1,)}, {"money": (1e9,)}, {"places": -1}, {"group_places": 0}):
        with pytest.raises(UsageError):
            prize_list(event, **wrong)
