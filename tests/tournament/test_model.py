from __future__ import annotations

from dataclasses import replace

import pytest

from yardstone.errors import InputError
from yardstone.tournament import Bye, ByeKind, Game, Player, Result, Tournament

PLAYERS = (
    Player(name="Lee", first_name="Ann", rank=3),
    Player(name="Le Roy", first_name="Bo", rank=1, absent=frozenset({2})),
    Player(name="Lee", first_name="Cy", rank=0, registered=False),
    Player(name="Ödön", first_name="Di", rank=-4),
)


def game(number: int, first: int, second: int, result: Result = Result.draw) -> Game:
    return Game(round=number, first=first, second=second, result=result, line=7)


def test_what_a_tournament_knows_of_its_rounds() -> None:
    games = (game(1, 0, 1), game(1, 2, 3), game(2, 0, 3, Result.unknown))
    made = Tournament(rounds=3, players=PLAYERS, games=games, byes=(Bye(2, 1),))
    assert (made.last_round, made.complete_rounds) == (2, 1)
    assert made.game_of[1, 3].opponent(3) == 2
    assert made.bye_of[2, 1].kind is ByeKind.paired
    assert [len(made.before(number).games) for number in (1, 2, 3)] == [0, 2, 3]
    assert made.before(2).byes == ()
    assert made.before(2).with_round([game(2, 0, 3)], [Bye(2, 1)]).complete_rounds == 2
    assert made.round_games(2) == made.games[2:]
    open_forfeit_played = (games[2], replace(games[0], forfeit=True), games[0])
    assert [each.played for each in open_forfeit_played] == [False, False, True]
    assert [p.takes_part(1) for p in PLAYERS] == [True, True, False, True]
    assert not PLAYERS[1].takes_part(2)
    for result in Result:
        assert result.reversed.points == result.points[::-1]
        assert result.reversed.reversed is result


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *(("lee ann", 0), ("Ann Lee", 0), ("leroy", 1), ("ÖDÖN", 3), ("4", 3), ("Bo", 1)),
        ("lee", "may mean Lee Ann, Lee Cy"),
        *(("Xu", "no player is called 'Xu'"), ("", "no player")),
    ],
)
def test_players_are_found_by_name(text: str, found: int | str) -> None:
    if isinstance(found, int):
        assert Tournament(players=PLAYERS).find(text) == found
        return
    with pytest.raises(InputError, match=found):
        Tournament(players=PLAYERS).find(text)


@pytest.mark.parametrize(
    ("games", "byes", "message"),
    [
        ([game(1, 0, 0)], [], "meets himself"),
        ([game(1, 0, 4)], [], "there is no player 5"),
        ([game(4, 0, 1)], [], "round 4 of a tournament of 3 rounds"),
        ([game(1, 0, 1), game(1, 2, 0)], [], "Lee Ann is paired twice in round 1"),
        ([game(1, 0, 1)], [Bye(1, 1)], "Le Roy Bo is paired twice"),
    ],
)
def test_contradictions_are_refused(games: list[Game], byes: list[Bye], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Tournament(rounds=3, players=PLAYERS, games=tuple(games), byes=tuple(byes), file="a.xml")
    assert caught.value.file == "a.xml"
