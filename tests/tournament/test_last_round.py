from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from tests.tournament.samples import sample
from tests.tournament.test_standings import made_up
from yardstone import parallel
from yardstone.errors import UsageError
from yardstone.tournament.last_round import last_round_needs
from yardstone.tournament.model import Result, Tournament
from yardstone.tournament.standings_table import standings


def opened(tournament: Tournament) -> Tournament:
    """The same with all results of the last round unknown."""
    last = tournament.rounds
    return replace(
        tournament,
        games=tuple(
            replace(g, result=Result.unknown, forfeit=False) if g.round == last else g
            for g in tournament.games
        ),
    )


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


def settled(seed: int) -> Tournament:
    """A made-up tournament whose last round alone is open."""
    result = opened(made_up(seed, players=9, rounds=4))
    games = tuple(
        replace(g, result=Result.draw) if g.round < 4 and g.result is Result.unknown else g
        for g in result.games
    )
    return replace(result, games=games)


@pytest.mark.parametrize("draws", [False, True])
def test_all_combinations_are_tried(draws: bool) -> None:
    result = settled(2)
    player = next(g.first for g in result.games if g.round == 4)
    kinds = [Result.first_wins, Result.second_wins, *([Result.draw] if draws else [])]
    expected = places(result, player, kinds)
    made = last_round_needs(result, player, place=3, draws=draws)
    assert made.exact
    assert {o.points: o.places for o in made.results} == expected
    for outcome in made.results:
        assert (outcome.best, outcome.worst) == (min(outcome.places), max(outcome.places))
        assert outcome.reaching(outcome.worst) == outcome.combinations > 0


@pytest.mark.parametrize("seed", range(5))
def test_bounds_hold_what_can_happen(seed: int) -> None:
    result = settled(seed)
    rng = random.Random(seed)
    player = rng.choice([g.first for g in result.games if g.round == result.rounds])
    exact = last_round_needs(result, player)
    bounds = last_round_needs(result, player, limit=1)
    unpaired = last_round_needs(result.before(result.rounds), player)
    assert not bounds.exact
    for one, other in zip(exact.results, bounds.results, strict=True):
        assert other.best <= one.best <= one.worst <= other.worst
    for one, other in zip(bounds.results, unpaired.results, strict=True):
        assert other.best <= one.best <= one.worst <= other.worst


def test_bounds_are_reached_where_only_the_main_score_counts() -> None:
    result = settled(4)
    for player in (g.first for g in result.games if g.round == 4):
        exact = last_round_needs(result, player, criteria=["MMS"])
        bounds = last_round_needs(result, player, criteria=["MMS"], limit=1)
        # A place among tied players is the best of theirs: only the worst bound differs.
        assert [o.best for o in exact.results] == [o.best for o in bounds.results]


def test_games_of_others_that_matter() -> None:
    result = settled(2)
    made = last_round_needs(result, 1, place=3)
    assert made.influences
    for influence in made.influences:
        assert influence.first_wins != influence.second_wins
        assert 1 not in (influence.game.first, influence.game.second)


def test_categories_stand_before_wins() -> None:
    result = replace(sample("current.xml"), byes=())
    made = last_round_needs(result, 2, limit=1, criteria=["CAT", "NBW"])
    assert [(o.best, o.worst) for o in made.results] == [(2, 2), (3, 3)]


def test_points_of_chess_can_be_three() -> None:
    result = sample("trf26.trf")
    made = last_round_needs(result, 0, place=1)
    assert not made.exact
    assert [o.points for o in made.results] == [1.0, 0.5, 0.0]
    # Bakke has 6 and a half-point bye to come, worth 1; Aas 7.
    assert made.results[0].best == made.results[0].worst == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t, "every result of the last round is known"),
        (lambda t: t.before(3), "earlier ones are not complete"),
        (lambda t: replace(t, rounds=6), "earlier ones are not complete"),
    ],
)
def test_it_needs_a_last_round_to_come(change: object, message: str) -> None:
    assert callable(change)
    with pytest.raises(UsageError, match=message):
        last_round_needs(change(sample("published.xml")), 0)


def test_unknown_players_and_criteria_without_bounds() -> None:
    with pytest.raises(UsageError, match="there is no player 100"):
        last_round_needs(settled(2), 99)
    with pytest.raises(UsageError, match="bounds need"):
        last_round_needs(settled(2), 0, criteria=["SOSM"], limit=1)


def test_progress_is_told() -> None:
    seen: list[tuple[str, int, int]] = []
    with parallel.context(progress=lambda *told: seen.append(told)):
        last_round_needs(settled(2), 0)
    assert seen[-1] == ("combinations", len(seen), len(seen))
