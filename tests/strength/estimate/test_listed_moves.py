"""Which moves an estimate lists, by effects and losses that are written down here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.strength.rank_cases import random_evidence
from yardstone.go.losses import LossEffort, Losses
from yardstone.records.go_game import GoGame
from yardstone.strength import listed_moves
from yardstone.strength.listed_moves import (
    IndicativeMove,
    ListedMove,
    costliest_moves,
    indicative_moves,
    player_losses,
)

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
