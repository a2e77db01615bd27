"""What a tournament does to ratings, by the published formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from math import exp, log

import pytest

from tests.tournament.samples import sample
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.examples import example
from yardstone.tournament import Result, Tournament, rating_changes, read_tournament


def egf_changes(tournament: Tournament, weight: float) -> dict[int, float]:
    """The formulas of the European Go Database, game by game from the entry ratings."""

    def beta(rating: float) -> float:
        return -7.0 * log(3300.0 - rating)

    total: dict[int, float] = {}
    for game in filter(lambda game: game.played, tournament.games):
        one, two = (tournament.players[p].rating or 0.0 for p in game.players)
        stones = 100.0 * (game.handicap - 0.5) if game.handicap else 0.0
        win = 1 / (1 + exp(beta(two) - beta(one + stones)))
        for player, own, expected in zip(game.players, (one, two), (win, 1 - win), strict=True):
            con = ((3300.0 - own) / 200.0) ** 1.6
            bonus = log(1 + exp((2300.0 - own) / 80.0)) / 5.0
            change = weight * (con * (game.points(player) - expected) + bonus)
            total[player] = total.get(player, 0.0) + change
    return total


@pytest.mark.parametrize(("weight", "number"), [(None, 1.0), ("b", 0.75), ("0.4", 0.4)])
def test_changes_of_the_egf_by_its_formulas(weight: str | None, number: float) -> None:
    result = sample("published.xml")
    told = egf_changes(result, number)
    changes = rating_changes(result, weight=weight)
    assert {c.player for c in changes} == set(told)
    for change in changes:
        assert change.change == pytest.approx(told[change.player], abs=1e-6)
        assert change.before == result.players[change.player].rating
        played = [game for game in result.games if game.played and change.player in game.players]
        assert (change.games, change.factor) == (len(played), number)
        assert change.score == sum(game.points(change.player) for game in played)
    before_2021 = rating_changes(result, system="egf-old", weight=weight)
    assert all(a.change != b.change for a, b in zip(changes, before_2021, strict=True))


def test_the_class_and_ratings_that_a_file_lacks() -> None:
    chess = read_tournament(example("swiss.trf"))
    with pytest.raises(InputError, match=r"swiss.trf: it does not say how much time .*--class"):
        rating_changes(chess, system="egf")
    assert {change.factor for change in rating_changes(chess, system="egf", weight="B")} == {0.75}
    result = sample("published.xml")
    bare = replace(result, players=tuple(replace(p, rating=None) for p in result.players))
    for change in rating_changes(bare):
        rank = bare.players[change.player].rank or 0
        assert change.before == pytest.approx(2100.0 + 100.0 * rank)


def test_changes_of_fide() -> None:
    """Differences beyond 400 count as 400, which promises 0.92 (table 8.1b)."""
    result = sample("trf26.trf")
    changes = {result.players[c.player].name: c for c in rating_changes(result)}
    aas, bakke = changes["Aas"], changes["Bakke"]
    assert (aas.games, aas.score, aas.factor) == (3, 2.5, 10)
    assert aas.expected == pytest.approx(0.92 + 0.82 + 0.89)  # above Eide 500, Bakke 260, Dahl 350
    assert aas.change == pytest.approx(10 * (2.5 - aas.expected))
    # Foss is 440 weaker; against Gran, who has no rating, nothing counts.
    assert (bakke.games, bakke.factor) == (2, 20)
    assert bakke.expected == pytest.approx(0.92 + 0.18)
    assert changes["Foss"].expected == pytest.approx(0.08)
    assert changes["Dahl"].factor == 40  # born in 2010
    assert (changes["Gran"].before, changes["Gran"].change) == (None, 0.0)
    assert changes["Foss"].games == 1  # the forfeit does not count
    assert {c.factor for c in rating_changes(result, k=25)} == {25}


@pytest.mark.parametrize(
    ("rating", "birth", "factor"),
    [(2400, "2010", 10), (2399, "2010", 20), (2300, "2010", 20), (2299, "2010", 40),
     (2000, "2008/12/31", 40), (2000, "2007", 20), (2000, "2026", 40), (2000, "2027", 20),
     (2000, "", 20)],
)  # fmt: skip
def test_how_much_a_game_counts(rating: int, birth: str, factor: int) -> None:
    """10 from 2400 on; 40 below 2300 up to the year of the 18th birthday, in an event of 2026."""
    chess = sample("trf26.trf")
    player = replace(chess.players[0], rating=float(rating), birth=birth)
    changed = replace(chess.with_player(0, player), document=None)
    assert rating_changes(changed)[0].factor == factor
    undated = replace(changed, begin=None)
    assert rating_changes(undated)[0].factor == (10 if rating == 2400 else 20)
    assert rating_changes(replace(changed, begin=date(2080, 1, 1)))[0].factor == min(factor, 20)


def with_games(**changes: object) -> Tournament:
    chess = sample("trf26.trf")
    games = tuple(replace(game, **changes) for game in chess.games)  # type: ignore[arg-type]
    return replace(chess, games=games)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [(lambda: rating_changes(sample("published.xml"), system="uscf"), UsageError, "no system"),
     (lambda: rating_changes(sample("published.xml"), weight="Z"), UsageError, "a class"),
     (lambda: rating_changes(sample("published.xml").before(1)), NoGamesError, "."),
     (lambda: rating_changes(with_games(rated=False)), NoGamesError, "."),
     (lambda: rating_changes(with_games(result=Result.both_lose)), NoGamesError, ".")],
)  # fmt: skip
def test_what_cannot_be_asked(
    ask: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ask()
