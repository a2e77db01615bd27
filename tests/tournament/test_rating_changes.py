from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import exp, log

import pytest

from tests.tournament.samples import sample
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.examples import example
from yardstone.tournament import Result, Tournament, rating_changes, read_tournament
from yardstone.tournament.fide import table_score


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
    before_2021 = rating_changes(result, system="egf-old", weight=weight)
    assert [c.games for c in changes] == [c.games for c in before_2021]
    assert all(a.change != b.change for a, b in zip(changes, before_2021, strict=True))


def test_the_class_and_ratings_that_a_file_lacks() -> None:
    chess = read_tournament(example("swiss.trf"))
    with pytest.raises(InputError, match=r"swiss.trf: it does not say how much time .*--class"):
        rating_changes(chess, system="egf")
    assert {change.factor for change in rating_changes(chess, system="egf", weight="B")} == {0.75}
    result = sample("published.xml")
    bare = replace(result, players=tuple(replace(p, rating=None) for p in result.players))
    for change in rating_changes(bare):
        assert change.before == pytest.approx(
            2100.0 + 100.0 * (bare.players[change.player].rank or 0)
        )


def test_changes_of_fide() -> None:
    result = sample("trf26.trf")
    changes = {result.players[c.player].name: c for c in rating_changes(result)}
    aas = changes["Aas"]
    expected = table_score(2600, 2200) + table_score(2600, 2340) + table_score(2600, 2250)
    assert (aas.games, aas.score, aas.factor) == (3, 2.5, 10)
    assert aas.expected == pytest.approx(expected)
    assert aas.change == pytest.approx(10 * (2.5 - expected))
    assert changes["Dahl"].factor == 40  # born in 2010
    assert (changes["Gran"].before, changes["Gran"].change) == (None, 0.0)
    assert changes["Foss"].games == 1  # the forfeit does not count
    assert {c.factor for c in rating_changes(result, k=20)} == {20}


def with_games(**changes: object) -> Tournament:
    chess = sample("trf26.trf")
    games = tuple(replace(game, **changes) for game in chess.games)  # type: ignore[arg-type]
    return replace(chess, games=games)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: rating_changes(sample("published.xml"), system="uscf"), UsageError, "no system"),
        (
            lambda: rating_changes(sample("published.xml"), weight="Z"),
            UsageError,
            "a class",
        ),
        (lambda: rating_changes(sample("published.xml").before(1)), NoGamesError, "."),
        (lambda: rating_changes(with_games(rated=False)), NoGamesError, "."),
        (lambda: rating_changes(with_games(result=Result.both_lose)), NoGamesError, "."),
    ],
)
def test_what_cannot_be_asked(
    ask: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ask()
