"""Which player and which games an estimate is of, and which moves it lists."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.strength.rank_cases import random_evidence
from yardstone.errors import InputError, NoGamesError
from yardstone.go.losses import LossEffort, Losses
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import GoGame
from yardstone.strength import listed_moves
from yardstone.strength.listed_moves import (
    IndicativeMove,
    ListedMove,
    costliest_moves,
    indicative_moves,
    player_losses,
)
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


def test_a_record_and_what_the_network_says_from_one_players_view() -> None:
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
    nothing: Any = None
    both = np.array([0.123456, 1.0], np.float32), np.array([1.23456, -0.001], np.float32)
    seen = EvaluatedGame(won, nothing, *both, np.zeros(1, np.int16))
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


#: Ten moves of Black in the first game, 1, 3, … 19, and ten of White in the second, 2, 4, … 20.
EVIDENCE = random_evidence([10, 10])
MOVES = EVIDENCE.number.tolist()


def losses(**changed: dict[int, float]) -> list[Losses]:
    """Of both games: nothing lost but what is named by its row of the evidence."""
    parts = {
        "points": np.zeros((2, 20), np.float32),
        "error": np.full((2, 20), 0.5, np.float32),
        "visits": np.full((2, 20), 7, np.int32),
    }
    for name, values in changed.items():
        for row, value in values.items():
            parts[name][row // 10, MOVES[row] - 1] = value
    blank = np.zeros(20, np.float32)
    best = np.arange(100, 120, dtype=np.int16)
    return [
        Losses(parts["points"][k], parts["error"][k], blank, best, blank > 0, parts["visits"][k])
        for k in (0, 1)
    ]


def test_costly_moves_are_searched_cost_three_points_and_more_than_their_error_explains() -> None:
    points = {0: 7.0, 1: 9.0, 2: 5.0, 3: 3.0, 4: 2.99, 12: 8.0, 13: 6.0, 14: 4.0, 15: 3.5}
    listed = costliest_moves(EVIDENCE, losses(points=points, error={2: 2.6, 3: 1.5}, visits={1: 0}))
    assert [(each.game, each.move, each.points_lost) for each in listed] == [
        (1, 6, 8.0), (0, 1, 7.0), (1, 8, 6.0), (1, 10, 4.0), (1, 12, 3.5),
    ]  # fmt: skip
    first = listed[0]
    assert (first.colour, first.point, first.best) == (2, EVIDENCE.point[12], 105)
    assert [first.error, first.policy] == pytest.approx([0.5, EVIDENCE.policy[12]])
    fewer = costliest_moves(EVIDENCE, losses(points={0: 2.99, 3: 3.0, 4: 3.2}, error={4: 1.7}))
    assert [each.move for each in fewer] == [7]


def test_losses_are_asked_of_the_players_own_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """With six tenths of what the positions take, unless told otherwise."""
    asked: list[tuple[Any, Any]] = []
    monkeypatch.setattr(
        listed_moves, "move_losses", lambda looked, _, effort: asked.append((looked, effort))
    )
    features = SimpleNamespace(number=np.array([1, 2, 3, 5]), colour=np.array([1, 2, 1, 1]))
    seen: Any = SimpleNamespace(
        game="game",
        features=features,
        white_winrate=np.zeros(6),
        white_lead=np.ones(6),
        best=np.array([10, 20, 30, 50]),
    )
    network: Any = None
    for effort in (None, LossEffort(7)):
        player_losses([(seen, 1)], network, effort)
    (look,) = asked[0][0]
    assert look.best.tolist() == [10, 20, 30, -1, 50]
    assert look.wanted.tolist() == [True, False, True, False, True]
    assert (look.conditions.komi, [each[1] for each in asked]) == (
        6.5, [LossEffort(share=0.6), LossEffort(7)]
    )  # fmt: skip


def indicative(
    effects: list[float], lost: list[Losses] | None = None, own: int | None = None
) -> tuple[IndicativeMove, ...]:
    """Of moves with these effects; the network likes the move of the row `own` best itself."""
    best = np.full((2, 20), 400, np.int16)
    if own is not None:
        best[own // 10, MOVES[own] - 1] = EVIDENCE.point[own]
    numbers = np.arange(1, 21, dtype=np.int16)
    looks: Any = [
        (SimpleNamespace(features=SimpleNamespace(number=numbers), best=each), 1) for each in best
    ]
    model: Any = SimpleNamespace(move_scores=lambda evidence, scale: effects)
    return indicative_moves(EVIDENCE, model, looks, losses() if lost is None else lost, "fox")


def test_indicative_moves_are_the_loudest_three_of_each_kind() -> None:
    effects = [3.0, 2.0, 1.9, -2.5, -2.4, 1.8, -2.2, 1.7, -2.1, -2.0, *[0.0] * 10]
    listed = indicative(effects, losses(points={0: 3.0, 1: 2.99, 4: np.nan}), own=3)
    # A move that costs points is no example of strength, the network's own none of weakness.
    assert [each.effect for each in listed] == [-2.4, -2.2, -2.1, 2.0, 1.9, 1.8]
    noise = 0.33 * np.sqrt(np.mean(np.square(effects)))
    assert [each.noise for each in listed] == pytest.approx([noise] * 6)
    assert (listed[0].points_lost, listed[0].error) == (None, None)
    assert [listed[3].points_lost, listed[3].error] == pytest.approx([2.99, 0.5])
    assert {each.best for each in listed} == {400}
    assert (listed[0].game, listed[0].move, listed[0].colour) == (0, 9, 1)
    # What noise explains is not listed: so much as 0.1 shows in a rating, and more than
    # three deviations of a third of the usual effect are told from it.
    for effects, number in (
        ([0.1] * 20, 3), ([0.0999] * 20, 0), ([1.0] * 19 + [-0.995], 4), ([1.0] * 19 + [-0.98], 3),
    ):  # fmt: skip
        assert len(indicative(effects)) == number, effects


def test_a_listed_move_shows_its_position_and_what_is_taken() -> None:
    # Black takes A9 with the fifth move; the third and the better one there take nothing.
    moves = np.array([1, 0, 40, 50, 9, 60, 61, 62, 63, 64], np.int16)
    colours = np.array([1, 2] * 5, np.int8)
    game = GoGame(file="a", line=1, size=9, moves=moves, colours=colours)
    seen: Any = SimpleNamespace(game=game)

    def shown(move: int, best: int) -> dict[str, Any]:
        listed = ListedMove(0, move, 1, int(moves[move - 1]), 3.14, 0.26, 0.12345, best)
        return listed.as_dict(seen)

    plain = shown(3, 9)
    assert (plain["point"], plain["best"], plain["colour"]) == ("E5", "A8", "black")
    assert (plain["policy"], plain["points_lost"], plain["error"]) == (0.1235, 3.1, 0.3)
    position = plain["position"]
    assert (position["size"], position["black"], position["white"]) == (9, ["B9"], ["A9"])
    assert position["before"] == ["B9", "A9"]
    assert [each["point"] for each in position["steps"]] == ["E5", "F4", "A8", "G3", "H3"]
    assert [each["takes"] for each in position["steps"]] == [[], [], ["A9"], [], []]
    assert [each["colour"] for each in position["steps"]] == ["black", "white"] * 2 + ["black"]
    assert position["best_takes"] == ["A9"]
    assert shown(3, 1)["position"]["best_takes"] == []  # where it is forbidden
    late = shown(9, 70)["position"]
    assert late["before"] == ["G3", "H3", "J3"]
    assert len(late["steps"]) == 2
    unknown = ListedMove(0, 1, 2, -1, None, None, None, 5).as_dict(seen)
    assert [unknown[name] for name in ("policy", "points_lost", "error")] == [None] * 3
    effect = IndicativeMove(0, 1, 1, 1, None, None, None, 5, 1.234, 0.45678).as_dict(seen)
    assert (effect["effect"], effect["noise"]) == (1.23, 0.457)
