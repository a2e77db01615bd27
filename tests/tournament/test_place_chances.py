"""Chances of a place before the last round, beside the combinations of results."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.tournament.test_last_round import settled
from yardstone.errors import InputError, UsageError
from yardstone.examples import example
from yardstone.tournament import Result, Tournament, last_round, read_tournament, standings
from yardstone.tournament.last_round import last_round_needs, place_chances
from yardstone.winprob.kaniuk import ALL_PARAMETERS, GradeModel
from yardstone.winprob.model import winning_model, write_model


@pytest.fixture(scope="module")
def event() -> Tournament:
    return read_tournament(example("open.xml"))


@pytest.mark.parametrize(("player", "place"), [(0, 4), (3, 3)])
def test_chances_are_sums_over_all_results(
    player: int, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of strengths that are known: products of the European formula over the open games."""
    monkeypatch.setattr(
        last_round, "entrants_law", lambda law, strength: (law, np.zeros(len(strength)))
    )
    begun = settled(4)
    begun = replace(begun, games=tuple(replace(g, handicap=0) for g in begun.games))
    open_games = begun.round_games(4)
    ratings = [player.rating or 0.0 for player in begun.players]
    happens, reached = {1.0: 0.0, 0.0: 0.0}, {1.0: 0.0, 0.0: 0.0}
    for results in product((Result.first_wins, Result.second_wins), repeat=len(open_games)):
        chance = 1.0
        over = {g: replace(g, result=r) for g, r in zip(open_games, results, strict=True)}
        for game, result in zip(open_games, results, strict=True):
            one, two = (3300.0 - ratings[row] for row in game.players)
            win = 1.0 / (1.0 + (one / two) ** 7)
            chance *= win if result is Result.first_wins else 1.0 - win
        table = standings(replace(begun, games=tuple(over.get(g, g) for g in begun.games)))
        own = over[begun.game_of[4, player]].points(player)
        happens[own] += chance
        reached[own] += chance * (table.place[table.order.tolist().index(player)] <= place)
    assert sum(reached.values()) > 1e-3
    made = place_chances(begun, last_round_needs(begun, player, place=place), win="egf")
    found = [(result.probability, after.probability) for result, after in made.results]
    expected = [(happens[own], reached[own] / happens[own]) for own in (1.0, 0.0)]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert made.overall.probability == pytest.approx(sum(reached.values()), abs=1e-12)


def test_intervals_hold_over_fits_about_a_known_truth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fits scatter about a true model as their covariance says; 79 of them held 95 to 96 %."""
    monkeypatch.setattr(last_round, "_MODELS", 20)
    true, begun = winning_model(), settled(4)
    region, law = true.region, true.law
    assert region is not None
    assert isinstance(law, GradeModel)
    needs = last_round_needs(begun, 3, place=4)
    truth = place_chances(begun, needs).overall.probability
    assert 0.1 < truth < 0.9
    rng = np.random.default_rng(5)
    root = np.linalg.cholesky(region.covariance)
    free = [ALL_PARAMETERS.index(name) for name in region.free]
    held = 0
    for _ in range(6):
        peak = np.maximum(region.peak + root @ rng.standard_normal(len(free)), 0.0)
        vector = law.vector
        vector[free] = peak
        fitted = GradeModel.from_vector(vector, law.link)
        fit = replace(true, law=fitted, region=replace(region, model=fitted, peak=peak))
        write_model(tmp_path / "fit.json", fit)
        chance = place_chances(begun, needs, win=tmp_path / "fit.json").overall
        assert chance.low is not None
        assert chance.high is not None
        held += chance.low <= truth <= chance.high
    narrow = place_chances(begun, needs, win=tmp_path / "fit.json", level=0.5).overall
    assert narrow.low is not None
    assert narrow.high is not None
    assert chance.low < narrow.low <= chance.probability <= narrow.high < chance.high  # type: ignore[operator]
    assert held >= 5


def test_intervals_are_quantiles_over_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_round, "_MODELS", 20)
    begun = settled(4)
    needs = last_round_needs(begun, 3, place=4)
    wide, narrow = (place_chances(begun, needs, level=level).overall for level in (0.95, 0.5))
    assert narrow.probability == wide.probability
    assert wide.low is not None
    assert wide.high is not None
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.low < narrow.low <= wide.probability <= narrow.high < wide.high
    monkeypatch.setattr(last_round, "model_draws", lambda model, number, rng: [model] * number)
    sure = place_chances(begun, needs).overall
    assert sure.low == sure.high == sure.probability == wide.probability


def test_published_laws_have_no_interval_and_chess_needs_a_draw_rate(event: Tournament) -> None:
    published = place_chances(event, last_round_needs(event, 4, place=5), win="egf")
    assert (published.model, published.overall.low) == ("egf", None)
    assert "published" in published.no_interval
    games = tuple(replace(game, handicap=0) for game in event.games)
    chess = replace(event, discipline="chess", games=games, document=None)
    needs = last_round_needs(chess, 3, place=2)
    with pytest.raises(InputError, match="no draw rate"):
        place_chances(chess, needs)
    chances = place_chances(chess, needs, draw_rate=0.4)
    assert chances.model == "elo"
    assert all(result.probability > 0.01 for result, _ in chances.results)
    assert sum(result.probability for result, _ in chances.results) == pytest.approx(1.0)
    with pytest.raises(UsageError, match="all combinations"):
        place_chances(event, last_round_needs(event, 0, limit=1))
    players = (replace(event.players[0], rank=None, rating=None), *event.players[1:])
    unknown = replace(event, players=players, document=None)
    with pytest.raises(InputError, match="neither grade nor rating"):
        place_chances(unknown, last_round_needs(event, 0, place=1))
