"""What a player needs in the last round, against all combinations of its results."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from tests.tournament.samples import sample
from tests.tournament.test_standings import made_up, values
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


Ends = dict[float, Counter[tuple[int, int]]]


def ends(
    tournament: Tournament, player: int, kinds: list[Result], criteria: str | None = None
) -> Ends:
    """For each own result the place, and how many are level or above, over all last rounds."""
    last = [g for g in tournament.games if g.round == tournament.rounds]
    result: Ends = {}
    for results in product(kinds, repeat=len(last)):
        known = {id(g): replace(g, result=r) for g, r in zip(last, results, strict=True)}
        after = replace(tournament, games=tuple(known.get(id(g), g) for g in tournament.games))
        table = standings(after, round_number=tournament.rounds, criteria=criteria)
        at = int(table.place[table.order.tolist().index(player)])
        own = after.game_of[tournament.rounds, player].points(player)
        main = values(table)
        level = sum(main[row][0] >= main[player][0] for row in main)
        result.setdefault(own, Counter())[at, level] += 1
    return result


@pytest.mark.parametrize("draws", [False, True])
def test_all_combinations_are_tried(draws: bool) -> None:
    tournament, player = settled(6), 6
    kinds = [Result.first_wins, Result.second_wins, *([Result.draw] if draws else [])]
    expected: dict[float, Counter[int]] = {}
    for own, counted in ends(tournament, player, kinds).items():
        for (place, _), often in counted.items():
            expected.setdefault(own, Counter())[place] += often
    seen: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: seen.append(told)):
        made = last_round_needs(tournament, player, place=2, draws=draws)
    assert seen[-1] == ("combinations", len(seen), len(seen))
    assert {o.points: o.places for o in made.results} == expected
    for outcome in made.results:
        assert (outcome.best, outcome.worst) == (min(outcome.places), max(outcome.places))
        assert outcome.reaching(outcome.worst) == outcome.combinations > 0
    for limit, exact in ((len(seen), True), (len(seen) - 1, False)):
        asked = last_round_needs(tournament, player, draws=draws, limit=limit)
        assert (asked.exact, asked.combinations) == (exact, len(seen))
    assert made.influences
    for influence in made.influences:
        assert influence.first_wins != influence.second_wins
        assert player not in influence.game.players


@pytest.mark.parametrize("seed", range(5))
def test_bounds_by_the_main_score(seed: int) -> None:
    result = settled(seed)
    player = random.Random(seed).choice([g.first for g in result.games if g.round == 4])
    every = ends(result, player, [Result.first_wins, Result.second_wins], criteria="mms")
    bounds = last_round_needs(result, player, limit=1, criteria=["MMS"])
    for each in bounds.results:
        told = every[each.points or 0.0]
        assert (each.best, each.worst) == (min(told)[0], max(level for _, level in told))
    unpaired = result.before(4)
    scores = values(standings(unpaired, round_number=4, criteria="mms", everybody=True))
    there = {*standings(unpaired).order.tolist()}
    comes = {row for row in scores if result.players[row].takes_part(4)}
    others = [(row, scores[row][0]) for row in (there | comes) - {player}]
    for each in last_round_needs(unpaired, player, criteria="mms").results:
        mine = scores[player][0] + (each.points or 0.0)
        most = (score + (row in comes) for row, score in others)
        assert each.best == 1 + sum(score > mine for _, score in others)
        assert each.worst == 1 + sum(score >= mine for score in most)


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
    [(lambda t: last_round_needs(t, 0), "every result of the last round is known"),
     (lambda t: last_round_needs(t.before(3), 0), "earlier ones are not complete"),
     (lambda t: last_round_needs(replace(t, rounds=6), 0), "earlier ones are not complete"),
     (lambda t: last_round_needs(settled(2), 9), "there is no player 10"),
     (lambda t: last_round_needs(settled(2), -1), "there is no player 0"),
     (lambda t: last_round_needs(settled(2), 0, criteria=["SOSM"], limit=1), "bounds need")],
)  # fmt: skip
def test_what_cannot_be_asked(ask: Callable[[Tournament], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ask(sample("published.xml"))
