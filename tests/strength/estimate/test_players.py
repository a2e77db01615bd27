"""Which player, which games and which colours an estimate is of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from yardstone.errors import InputError, NoGamesError
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import GoGame
from yardstone.strength.players import (
    AmbiguousPlayerError,
    EvaluatedGame,
    Side,
    colour_of,
    facts,
    find_player,
    no_games,
    one_name,
    plain_name,
    player_names,
    unique_games,
    unsuitable,
)


def game(black: str, white: str, *moves: int, **more: Any) -> GoGame:
    points = np.array(moves or (72, 300), np.int16)
    colours = np.array([BLACK if k % 2 == 0 else WHITE for k in range(len(points))], np.int8)
    made = GoGame(file="a.sgf", line=1, black=black, white=white, moves=points, colours=colours)
    return replace(made, **more)


def test_the_player_in_all_games_is_found() -> None:
    games = [game("Anna", "Bob"), game("Cid", "anna "), game("ANNA", "Dora"), game("Bob", "Anna")]
    assert find_player(games) == "Anna"
    assert player_names(games) == {"Anna": 4, "Bob": 2, "Cid": 1, "Dora": 1}
    many: list[tuple[str, str]] = [(f"Player {k}", f"Other {k}") for k in range(10)]
    rows: list[tuple[list[tuple[str, str]], dict[str, int] | None, str]] = [
        ([("Anna", "Bob")], {"Anna": 1, "Bob": 1}, "between Anna and Bob"),
        ([("Anna", "")], {"Anna": 1}, "between Anna"),
        ([("Anna", "Bob"), ("Bob", "Anna")], {"Anna": 2, "Bob": 2}, "Both Anna and Bob"),
        ([("Anna", "Bob"), ("Cid", "Anna"), ("Cid", "Dora")],
         {"Anna": 2, "Cid": 2, "Bob": 1, "Dora": 1},
         "No player occurs in all 3 games; there are Anna (2), Cid (2), Bob (1), Dora (1)"),
        (many, None, "Other 3 (1) and 12 more: name the player"),
    ]  # fmt: skip
    for pairs, names, words in rows:
        with pytest.raises(AmbiguousPlayerError, match="--player NAME") as caught:
            find_player([game(*each) for each in pairs])
        assert names is None or caught.value.names == names
        assert words in str(caught.value)
    with pytest.raises(NoGamesError):
        find_player([])
    with pytest.raises(InputError, match="--colour black"):
        find_player([game("", " "), game("", "")])


def test_names_are_compared_without_capitals_blanks_and_widths() -> None:
    assert plain_name(" ＡＢＣ  ａｂｃ ") == plain_name("abc ABC") == "abc abc"
    assert plain_name("Straße") == plain_name("STRASSE")
    for black, white, asked, colour in (
        ("Anna", "Bob", " anna", BLACK), ("Anna", "Bob", "BOB", WHITE), ("Anna", "Bob", "Cid", 0),
        ("Anna", "ANNA", "anna", 0), ("Anna", "anna", "Anna (Black)", BLACK),
        ("Anna", "anna", "anna (white)", WHITE),
    ):  # fmt: skip
        assert colour_of(game(black, white), asked) == colour
    both = [game("Anna", "anna"), game("Anna", "Anna", 5, 6)]
    with pytest.raises(AmbiguousPlayerError, match=r"Both Anna \(Black\) and .*\(White\) play"):
        find_player(both)
    assert find_player([*both, game("Anna", "Bob"), game("Cid", "Anna")]) == "Anna"


def test_a_game_that_occurs_twice_counts_once() -> None:
    one = game("Anna", "Bob", *range(40))
    again = replace(one, file="b.sgf", black="anna", result="B+R", date=np.datetime64("2024-01-01"))
    other = game("Anna", "Bob", *range(40), 300)
    assert unique_games([one, other, again]) == ([one, other], [again])
    two = replace(one, setup_black=np.array([60, 72], np.int16), handicap=2)
    three = replace(one, setup_black=np.array([72, 60], np.int16), handicap=2)
    assert unique_games([one, two, three]) == ([one, two], [three])
    for moves, same in ((9, False), (10, True)):  # very short games on the same day only
        one = game("Anna", "Bob", *range(moves), date=np.datetime64("2024-01-01", "s"))
        two = replace(one, date=np.datetime64("2024-01-02", "s"), result="W+R")
        assert unique_games([one, two]) == (([one], [two]) if same else ([one, two], []))
        assert unique_games([one, replace(one, result="W+R")])[1] != []


@pytest.mark.parametrize(
    ("changed", "handicap", "why"),
    [
        ({}, False, None),
        ({"size": 9}, False, "a board of 9x9"),
        ({"setup_white": [5]}, True, "was set up"),
        ({"setup_black": [5], "handicap": 1}, True, "was set up"),
        ({"setup_black": [5], "handicap": 2}, True, None),
        ({"handicap": 1}, False, None),
        ({"handicap": 2}, False, "a handicap game"),
        ({"moves": [-1, -1]}, False, "there is no move"),
        ({"moves": [-1, 0]}, False, None),
    ],
)
def test_games_that_say_nothing_to_the_model(
    changed: dict[str, Any], handicap: bool, why: str | None
) -> None:
    arrays = {k: np.array(v, np.int16) if isinstance(v, list) else v for k, v in changed.items()}
    result = unsuitable(game("Anna", "Bob", **arrays), handicap=handicap)
    assert result is None if why is None else why in str(result)


def test_what_a_record_says_from_one_players_view() -> None:
    day = np.datetime64("2024-05-06T07:08:09", "s")
    won = game("Anna", "Bob", date=day, winner=WHITE, result="W+R")
    assert facts(won, WHITE) == {
        "file": "a.sgf", "line": 1, "date": "2024-05-06", "opponent": "Anna",
        "colour": "white", "result": "W+R", "won": "win",
    }  # fmt: skip
    lost = facts(won, BLACK)
    assert (lost["opponent"], lost["colour"], lost["won"]) == ("Bob", "black", "loss")
    bare = facts(replace(won, line=0, date=np.datetime64("NaT", "s"), winner=0, result=""), BLACK)
    assert [bare[name] for name in ("line", "date", "won", "result")] == [None] * 4
    assert facts(replace(won, winner=-1), BLACK)["won"] == "draw"


def test_winrates_and_leads_are_one_players() -> None:
    nothing: Any = None
    both = np.array([0.123456, 1.0], np.float32), np.array([1.23456, -0.001], np.float32)
    seen = EvaluatedGame(game("Anna", "Bob"), nothing, *both, np.zeros(1, np.int16))
    assert (seen.winrate(WHITE), seen.winrate(BLACK)) == ([0.1235, 1.0], [0.8765, 0.0])
    assert (seen.lead(WHITE), seen.lead(BLACK)) == ([1.23, 0.0], [-1.23, 0.0])


def test_sides_of_games() -> None:
    black, white = game("Anna", "Bob"), game("Cid", "Anna")
    cases = {
        Side("Anna"): [BLACK, WHITE],
        Side("anna ", BLACK): [BLACK, 0],
        Side("Anna", WHITE): [0, WHITE],
        Side("Zoe", WHITE, anybody=True): [WHITE, WHITE],
        Side("Zoe"): [0, 0],
    }
    for side, colours in cases.items():
        assert [side.colour_in(each) for each in (black, white)] == colours
    report = SkipReport()
    side = Side("Anna", BLACK)
    assert side.usable([black, white, game("Cid", "Bob")], report) == [black]
    assert dict(report.reasons) == {"Anna has the other colour": 1, "not a game of Anna": 1}
    error = no_games("Anna", report)
    assert error.message.startswith("no game of Anna can be used: 1 × ")
    assert (error.file, error.line, error.hint) == ("a.sgf", 1, None)
    report.add(Skipped("", 0, "a handicap game"))
    assert no_games(None, report).hint == "--handicap takes handicap games"
    assert [one_name([black, black], colour) for colour in (BLACK, WHITE)] == ["Anna", "Bob"]
    assert one_name([black, white], WHITE) == "White"
