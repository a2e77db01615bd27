from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from tests.tournament.samples import sample
from tests.tournament.test_standings import made_up
from yardstone import parallel
from yardstone.errors import UsageError
from yardstone.tournament import Result, Tournament, last_round_needs, standings


def settled(seed: int) -> Tournament:
    """A made-up tournament whose last round alone is open."""
    made = made_up(seed, players=9, rounds=4)
    games = tuple(
        replace(game, result=Result.unknown, forfeit=False) if game.round == 4
        else replace(game, result=Result.draw) if game.result is Result.unknown else game
        for game in made.games
    )  # fmt: skip
    return replace(made, games=games)


def places(tournament: Tournament, player: int, kinds: list[Result]) -> dict[float, Counter[int]]:
    """Places of a player for each own result, over all results of the last round."""
    last = [g for g in tournament.games if g.round == tournament.rounds]
    result: dict[float, Counter[int]] = {}
    for results in product(kinds, repeat=len(last)):
        known = {id(g): replace(g, result=r) for g, r in zip(last, results, strict=True)}
        after = replace(tournament, games=tuple(known.get(id(g), g) for g in tournament.games))
        table = standings(after, round_number=tournament.rounds)
        at = int(table.place[table.order.tolist().index(player)])
        own = after.game_of[tournament.rounds, player].points(player)
        result.setdefault(own, Counter())[at] += 1
    return result


@pytest.mark.parametrize("draws", [False, True])
def test_all_combinations_are_tried(draws: bool) -> None:
    tournament = settled(2)
    player = next(g.first for g in tournament.games if g.round == 4)
    kinds = [Result.first_wins, Result.second_wins, *([Result.draw] if draws else [])]
    expected = places(tournament, player, kinds)
    seen: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: seen.append(told)):
        made = last_round_needs(tournament, player, place=3, draws=draws)
    assert seen[-1] == ("combinations", len(seen), len(seen))
    assert made.exact
    assert {o.points: o.places for o in made.results} == expected
    for outcome in made.results:
        assert (outcome.best, outcome.worst) == (min(outcome.places), max(outcome.places))
        assert outcome.reaching(outcome.worst) == outcome.combinations > 0
    influences = last_round_needs(tournament, 1, place=3).influences
    assert influences
    for influence in influences:
        assert influence.first_wins != influence.second_wins
        assert 1 not in influence.game.players


@pytest.mark.parametrize("seed", range(5))
def test_bounds_hold_what_can_happen(seed: int) -> None:
    result = settled(seed)
    player = random.Random(seed).choice([g.first for g in result.games if g.round == 4])
    exact = last_round_needs(result, player)
    bounds = last_round_needs(result, player, limit=1)
    unpaired = last_round_needs(result.before(4), player)
    assert not bounds.exact
    for one, other, widest in zip(exact.results, bounds.results, unpaired.results, strict=True):
        assert widest.best <= other.best <= one.best <= one.worst <= other.worst <= widest.worst
    # By the main score alone the best place is reached, as tied players share the best of theirs.
    exact, bounds = (last_round_needs(result, player, criteria=["MMS"], limit=limit)
                     for limit in (10**6, 1))  # fmt: skip
    assert [o.best for o in exact.results] == [o.best for o in bounds.results]


def test_categories_stand_before_wins_and_points_can_be_three() -> None:
    categories = replace(sample("current.xml"), byes=())
    made = last_round_needs(categories, 2, limit=1, criteria=["CAT", "NBW"])
    assert [(o.best, o.worst) for o in made.results] == [(2, 2), (3, 3)]
    made = last_round_needs(sample("trf26.trf"), 0, place=1)
    assert not made.exact
    assert [o.points for o in made.results] == [1.0, 0.5, 0.0]
    # Bakke has 6 and a half-point bye to come, worth 1; Aas 7.
    assert made.results[0].best == made.results[0].worst == 1


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda t: last_round_needs(t, 0), "every result of the last round is known"),
        (lambda t: last_round_needs(t.before(3), 0), "earlier ones are not complete"),
        (lambda t: last_round_needs(replace(t, rounds=6), 0), "earlier ones are not complete"),
        (lambda t: last_round_needs(settled(2), 99), "there is no player 100"),
        (lambda t: last_round_needs(settled(2), 0, criteria=["SOSM"], limit=1), "bounds need"),
    ],
)
def test_what_cannot_be_asked(ask: Callable[[Tournament], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(sample("published.xml"))
