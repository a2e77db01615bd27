from __future__ import annotations

from dataclasses import replace
from math import exp, log

import pytest

from tests.tournament.samples import sample
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.examples import example
from yardstone.tournament.fide import table_score
from yardstone.tournament.files import read_tournament
from yardstone.tournament.model import Player, Result, Tournament
from yardstone.tournament.rating_change import rating_changes


def egf_changes(tournament: Tournament, weight: float) -> dict[int, float]:
    """The formulas of the European Go Database, game by game from the entry ratings."""

    def beta(rating: float) -> float:
        return -7.0 * log(3300.0 - rating)

    total: dict[int, float] = {}
    for game in tournament.games:
        if not game.played:
            continue
        ratings = [tournament.players[p].rating for p in (game.first, game.second)]
        assert ratings[0] is not None
        assert ratings[1] is not None
        help_ = 100.0 * (game.handicap - 0.5) if game.handicap else 0.0
        for side, player in enumerate((game.first, game.second)):
            own, other = float(ratings[side] or 0), float(ratings[1 - side] or 0)
            shift = help_ if side == 0 else -help_
            if side == 0:
                expected = 1 / (1 + exp(beta(other) - beta(own + shift)))
            else:
                expected = 1 / (1 + exp(beta(other - shift) - beta(own)))
            con = ((3300.0 - own) / 200.0) ** 1.6
            bonus = log(1 + exp((2300.0 - own) / 80.0)) / 5.0
            change = weight * (con * (game.points(player) - expected) + bonus)
            total[player] = total.get(player, 0.0) + change
    return total


@pytest.mark.parametrize(("weight", "number"), [(None, 1.0), ("B", 0.75), ("0.4", 0.4)])
def test_changes_of_the_egf_by_its_formulas(weight: str | None, number: float) -> None:
    result = sample("published.xml")
    told = egf_changes(result, number)
    changes = rating_changes(result, weight=weight)
    assert {c.player for c in changes} == set(told)
    for change in changes:
        assert change.change == pytest.approx(told[change.player], abs=1e-6)
        assert change.before == result.players[change.player].rating
        assert change.factor == number


def test_the_class_of_a_tournament_without_time_limits_is_asked_for() -> None:
    chess = read_tournament(example("swiss.trf"))
    with pytest.raises(InputError, match=r"swiss.trf: it does not say how much time .*--class"):
        rating_changes(chess, system="egf")
    assert {change.factor for change in rating_changes(chess, system="egf", weight="B")} == {0.75}


def test_players_without_ratings_enter_by_grade() -> None:
    result = sample("published.xml")
    bare = replace(result, players=tuple(replace(p, rating=None) for p in result.players))
    for change in rating_changes(bare):
        rank = bare.players[change.player].rank
        assert rank is not None
        assert change.before == pytest.approx(2100.0 + 100.0 * rank)


def test_the_system_before_2021_differs() -> None:
    new, old = (rating_changes(sample("published.xml"), system=s) for s in ("egf", "egf-old"))
    assert [c.games for c in new] == [c.games for c in old]
    assert all(a.change != b.change for a, b in zip(new, old, strict=True))


def test_changes_of_fide() -> None:
    result = sample("trf26.trf")
    changes = {result.players[c.player].name: c for c in rating_changes(result)}
    aas = changes["Aas"]
    expected = table_score(2600, 2200) + table_score(2600, 2340) + table_score(2600, 2250)
    assert (aas.games, aas.score, aas.factor) == (3, 2.5, 10)
    assert aas.expected == pytest.approx(expected)
    assert aas.change == pytest.approx(10 * (2.5 - expected))
    assert changes["Dahl"].factor == 40  # born in 2010
    assert changes["Gran"].before is None
    assert changes["Gran"].change == 0.0
    assert changes["Foss"].games == 1  # the forfeit does not count
    flat = rating_changes(result, k=20)
    assert {c.factor for c in flat} == {20}


def test_what_cannot_be_asked() -> None:
    result = sample("published.xml")
    with pytest.raises(UsageError, match="no system"):
        rating_changes(result, system="uscf")
    with pytest.raises(UsageError, match="neither a class"):
        rating_changes(result, weight="Z")
    with pytest.raises(NoGamesError):
        rating_changes(result.before(1))


def test_results_that_are_no_game_do_not_count() -> None:
    result = sample("trf26.trf")
    games = tuple(replace(g, rated=False) for g in result.games)
    with pytest.raises(NoGamesError):
        rating_changes(replace(result, games=games))
    odd = tuple(replace(g, result=Result.both_lose) for g in result.games)
    with pytest.raises(NoGamesError):
        rating_changes(replace(result, games=odd))
    assert Player(name="x").rating is None
