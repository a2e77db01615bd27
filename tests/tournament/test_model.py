"""What a tournament knows of its rounds and players, and what it refuses to be."""

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
    assert (made.last_round, made.complete_rounds, made.next_round) == (2, 1, 3)
    assert [made.game_of[1, 3].opponent(row) for row in (2, 3)] == [3, 2]
    assert made.bye_of[2, 1].kind is ByeKind.paired
    assert [len(made.before(number).games) for number in (1, 2, 3)] == [0, 2, 3]
    assert made.before(2).byes == ()
    assert made.before(2).with_round([game(2, 0, 3)], [Bye(2, 1)]).complete_rounds == 2
    assert made.round_games(2) == made.games[2:]
    open_forfeit_played = (games[2], replace(games[0], forfeit=True), games[0])
    assert [each.played for each in open_forfeit_played] == [False, False, True]
    assert [p.takes_part(1) for p in PLAYERS] == [True, True, False, True]
    assert not PLAYERS[1].takes_part(2)


def test_results() -> None:
    points = {"unknown": (0, 0), "first wins": (1, 0), "second wins": (0, 1), "draw": (0.5, 0.5),
              "both win": (1, 1), "both lose": (0, 0), "first half": (0.5, 0),
              "second half": (0, 0.5)}  # fmt: skip
    scores = {"first wins": 1, "second wins": 0, "draw": 0.5}
    for result in Result:
        assert (result.points, result.score) == (points[result], scores.get(result))
        assert (result.reversed.points, result.reversed.reversed) == (result.points[::-1], result)
    assert Result.of((0, 0)) is Result.both_lose


@pytest.mark.parametrize(
    ("discipline", "komi", "own", "stones", "drawn"),
    [("go", 6.5, None, 0, False), ("go", 6.0, None, 0, True), ("go", None, None, 0, True),
     ("go", 6.5, None, 2, True), ("go", 6.5, 0.5, 2, False), ("go", 6.5, 7.0, 0, True),
     ("chess", 6.5, None, 0, True)],
)  # fmt: skip
def test_games_that_can_be_drawn(
    discipline: str, komi: float | None, own: float | None, stones: int, drawn: bool
) -> None:
    made = Tournament(discipline=discipline, komi=komi)  # type: ignore[arg-type]
    assert made.can_be_drawn(replace(game(1, 0, 1), komi=own, handicap=stones)) is drawn
    assert made.can_be_drawn() is (discipline == "chess" or komi != 6.5)


@pytest.mark.parametrize(
    ("text", "found"),
    [*(("lee ann", 0), ("Ann Lee", 0), ("leroy", 1), ("ÖDÖN", 3), ("4", 3), ("1", 0), ("Bo", 1)),
     ("lee", "may mean Lee Ann, Lee Cy"),
     *(("Xu", "no player is called 'Xu'"), ("", "no player"), ("0", "no p"), ("5", "no p"))],
)  # fmt: skip
def test_players_are_found_by_name(text: str, found: int | str) -> None:
    if isinstance(found, int):
        assert Tournament(players=PLAYERS).find(text) == found
        return
    with pytest.raises(InputError, match=found):
        Tournament(players=PLAYERS).find(text)


@pytest.mark.parametrize(
    ("games", "byes", "message"),
    [([game(1, 0, 0)], [], "meets himself"), ([game(1, 0, 4)], [], "there is no player 5"),
     ([], [Bye(1, -1)], "there is no player 0"),
     ([game(4, 0, 1)], [], "round 4 of a tournament of 3 rounds"),
     ([], [Bye(0, 1)], "round 0 of a tournament of 3 rounds"),
     ([game(1, 0, 1), game(1, 2, 0)], [], "Lee Ann is paired twice in round 1"),
     ([game(1, 0, 1)], [Bye(1, 1)], "Le Roy Bo is paired twice")],
)  # fmt: skip
def test_contradictions_are_refused(games: list[Game], byes: list[Bye], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Tournament(rounds=3, players=PLAYERS, games=tuple(games), byes=tuple(byes), file="a.xml")
    assert caught.value.file == "a.xml"
    for size in (1, 51):
        with pytest.raises(InputError, match=f"a board of {size} lines"):
            Tournament(size=size)
    assert [Tournament(size=size).size for size in (2, 50)] == [2, 50]
