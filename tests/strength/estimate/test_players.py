from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go.points import BLACK, WHITE
from yardstone.records.go_game import GoGame
from yardstone.strength.players import (
    AmbiguousPlayerError,
    colour_of,
    find_player,
    plain_name,
    player_names,
    unique_games,
)


def game(black: str, white: str, *moves: int, **more: object) -> GoGame:
    points = np.array(moves or (72, 300), np.int16)
    colours = np.array([BLACK if k % 2 == 0 else WHITE for k in range(len(points))], np.int8)
    made = GoGame(file="a.sgf", line=1, black=black, white=white, moves=points, colours=colours)
    return replace(made, **more)  # type: ignore[arg-type]


def test_the_player_in_all_games_is_found() -> None:
    games = [game("Anna", "Bob"), game("Cid", "anna "), game("ANNA", "Dora"), game("Bob", "Anna")]
    assert find_player(games) == "Anna"
    assert player_names(games) == {"Anna": 4, "Bob": 2, "Cid": 1, "Dora": 1}


@pytest.mark.parametrize(
    ("games", "names", "words"),
    [
        ([("Anna", "Bob")], {"Anna": 1, "Bob": 1}, "between Anna and Bob"),
        ([("Anna", "")], {"Anna": 1}, "between Anna"),
        ([("Anna", "Bob"), ("Bob", "Anna")], {"Anna": 2, "Bob": 2}, "Both Anna and Bob"),
        (
            [("Anna", "Bob"), ("Cid", "Anna"), ("Cid", "Dora")],
            {"Anna": 2, "Cid": 2, "Bob": 1, "Dora": 1},
            "No player occurs in all 3 games; there are Anna (2), Cid (2), Bob (1), Dora (1)",
        ),
    ],
)
def test_where_it_is_not_clear_the_question_names_the_players(
    games: list[tuple[str, str]], names: dict[str, int], words: str
) -> None:
    with pytest.raises(AmbiguousPlayerError, match="--player NAME") as caught:
        find_player([game(*each) for each in games])
    assert caught.value.names == names
    assert words in str(caught.value)
    assert isinstance(caught.value, UsageError)


def test_a_long_list_of_names_is_cut() -> None:
    games = [game(f"Player {k}", f"Other {k}") for k in range(10)]
    with pytest.raises(AmbiguousPlayerError, match=r"and 12 more: name the player"):
        find_player(games)


def test_nobody_to_find() -> None:
    with pytest.raises(NoGamesError):
        find_player([])
    with pytest.raises(InputError, match="--colour black"):
        find_player([game("", " "), game("", "")])


def test_colours() -> None:
    assert colour_of(game("Anna", "Bob"), " anna") == BLACK
    assert colour_of(game("Anna", "Bob"), "BOB") == WHITE
    assert colour_of(game("Anna", "Bob"), "Cid") == 0
    assert colour_of(game("Anna", "ANNA"), "anna") == 0


@given(st.text(max_size=20))
def test_a_plain_name_is_its_own_plain_name(name: str) -> None:
    plain = plain_name(name)
    assert plain_name(f"  {plain} ") == plain
    assert plain == plain.strip()


def test_letters_of_any_width_are_the_same_player() -> None:
    assert plain_name("ＡＢＣ  ａｂｃ") == plain_name("abc ABC")
    assert plain_name("Straße") == plain_name("STRASSE")


def test_a_game_that_occurs_twice_counts_once() -> None:
    moves = tuple(range(40))
    one = game("Anna", "Bob", *moves)
    again = replace(one, file="b.sgf", black="anna", result="B+R", date=np.datetime64("2024-01-01"))
    other = game("Anna", "Bob", *moves, 300)
    assert unique_games([one, other, again]) == ([one, other], [again])


def test_very_short_games_are_the_same_only_on_the_same_day() -> None:
    one = game("Anna", "Bob", date=np.datetime64("2024-01-01", "s"))
    two = game("Anna", "Bob", date=np.datetime64("2024-01-02", "s"))
    assert unique_games([one, two]) == ([one, two], [])
    assert unique_games([one, replace(one, result="W+R")])[1] != []


def test_the_stones_that_were_set_up_tell_games_apart() -> None:
    one = game("Anna", "Bob", *range(40))
    two = replace(one, setup_black=np.array([60, 72], np.int16), handicap=2)
    three = replace(one, setup_black=np.array([72, 60], np.int16), handicap=2)
    assert unique_games([one, two, three]) == ([one, two], [three])


def test_equal_names_are_told_apart_by_colour() -> None:
    both = [game("Anna", "anna"), game("Anna", "Anna", 5, 6)]
    with pytest.raises(AmbiguousPlayerError, match=r"Both Anna \(Black\) and .*\(White\) play"):
        find_player(both)
    assert colour_of(both[0], "Anna (Black)") == BLACK
    assert colour_of(both[0], "anna (white)") == WHITE
    assert colour_of(both[0], "Anna") == 0
    assert find_player([*both, game("Anna", "Bob"), game("Cid", "Anna")]) == "Anna"
