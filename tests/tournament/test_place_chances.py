"""Chances of a place before the last round, beside the combinations of results."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from yardstone.errors import InputError, UsageError
from yardstone.examples import example
from yardstone.tournament import read_tournament
from yardstone.tournament.forecast import Scenario, simulate
from yardstone.tournament.last_round import LastRoundNeeds, last_round_needs, place_chances
from yardstone.tournament.model import Tournament
from yardstone.winprob.kaniuk import ALL_PARAMETERS, GradeModel
from yardstone.winprob.model import model_draws, winning_model, write_model


@pytest.fixture(scope="module")
def event() -> Tournament:
    return read_tournament(example("open.xml"))


def needs_of(event: Tournament, player: int, place: int) -> LastRoundNeeds:
    return last_round_needs(event, player, place=place)


def test_chances_agree_with_the_simulation(event: Tournament) -> None:
    """The same model and strengths, results drawn one by one."""
    forecast = simulate(Scenario(tournament=event).plan(), 2000, seed=3)
    checked = 0
    for player in range(len(event.players)):
        # Places that are shared are split by the one and counted as the better by the other.
        expected = float(forecast.at_least(3)[player])
        if not 0.02 < expected < 0.98:
            continue
        result = place_chances(event, needs_of(event, player, 3)).overall.probability
        assert result == pytest.approx(expected, abs=0.06)
        checked += 1
    for player in range(3):
        wins = place_chances(event, needs_of(event, player, 1))
        assert 0.0 <= wins.overall.probability <= 1.0
    assert checked or forecast.at_least(3).round(1).tolist().count(1.0) == 3


def test_results_and_places_add_up(event: Tournament) -> None:
    for player in range(6):
        needs = needs_of(event, player, 2)
        chances = place_chances(event, needs)
        results = [result.probability for result, _ in chances.results]
        assert sum(results) == pytest.approx(1.0)
        joint = sum(
            result.probability * (0.0 if isnan(place.probability) else place.probability)
            for result, place in chances.results
        )
        assert joint == pytest.approx(chances.overall.probability)
        for own, (_, place) in zip(needs.results, chances.results, strict=True):
            if own.worst <= 2:
                assert place.probability == pytest.approx(1.0)
            if own.best > 2:
                assert place.probability == 0.0


def test_a_stronger_opponent_leaves_less(event: Tournament) -> None:
    needs = needs_of(event, 4, 5)
    assert needs.own_game is not None
    game = needs.open_games[needs.own_game]
    rival = game.opponent(4)
    usual = place_chances(event, needs).results[0][0].probability
    players = list(event.players)
    players[rival] = replace(players[rival], rating=2650.0, rank=5)
    stronger = replace(event, players=tuple(players), document=None)
    assert place_chances(stronger, needs).results[0][0].probability < usual


def test_intervals_hold_the_chance_and_widen_with_the_level(event: Tournament) -> None:
    needs = needs_of(event, 4, 5)
    narrow, wide = (place_chances(event, needs, level=level) for level in (0.5, 0.95))
    for (result, _), (other, _) in zip(narrow.results, wide.results, strict=True):
        assert result.low is not None
        assert result.high is not None
        assert other.low is not None
        assert other.high is not None
        assert other.low <= result.low <= result.probability <= result.high <= other.high
    published = place_chances(event, needs, win="egf")
    assert published.model == "egf"
    assert published.overall.low is None
    assert "published" in published.no_interval


def test_chess_needs_a_draw_rate(event: Tournament) -> None:
    games = tuple(replace(game, handicap=0) for game in event.games)
    chess = replace(event, discipline="chess", games=games, document=None)
    needs = last_round_needs(chess, 3, place=2)
    with pytest.raises(InputError, match="no draw rate"):
        place_chances(chess, needs)
    chances = place_chances(chess, needs, draw_rate=0.4)
    assert chances.model == "elo"
    assert all(result.probability > 0.01 for result, _ in chances.results)


def test_what_has_no_chances(event: Tournament) -> None:
    bounds = last_round_needs(event, 0, limit=1)
    with pytest.raises(UsageError, match="all combinations"):
        place_chances(event, bounds)
    players = (replace(event.players[0], rank=None, rating=None), *event.players[1:])
    unknown = replace(event, players=players, document=None)
    with pytest.raises(InputError, match="neither grade nor rating"):
        place_chances(unknown, needs_of(event, 0, 1))


def test_drawn_models_spread_as_the_interval_of_a_probability() -> None:
    model = winning_model()
    models = model_draws(model, 1500, np.random.default_rng(0))
    for first, second, stones in ((-3.0, 0.0, 0), (-10.0, -6.0, 4), (2.0, 3.0, 0)):
        drawn = [float(each.probability(first, second, handicap=stones)) for each in models]
        ends = model.interval(first, second, handicap=stones, average=True)
        assert ends is not None
        low, high = np.quantile(drawn, [0.025, 0.975])
        width = float(ends[1] - ends[0])
        assert low == pytest.approx(float(ends[0]), abs=0.25 * width)
        assert high == pytest.approx(float(ends[1]), abs=0.25 * width)
    assert model_draws(winning_model("kaniuk"), 5, np.random.default_rng(0)) == []


def test_intervals_hold_over_fits_about_a_known_truth(event: Tournament, tmp_path: Path) -> None:
    """Fits scatter about a true model as their covariance says; 79 of them held 95 to 96 %."""
    true = winning_model()
    region, law = true.region, true.law
    assert region is not None
    assert isinstance(law, GradeModel)
    needs = needs_of(event, 5, 6)
    truth = place_chances(event, needs).overall.probability
    rng = np.random.default_rng(5)
    root = np.linalg.cholesky(region.covariance)
    free = [ALL_PARAMETERS.index(name) for name in region.free]
    file = tmp_path / "fit.json"
    held = 0
    for _ in range(16):
        peak = np.maximum(region.peak + root @ rng.standard_normal(len(free)), 0.0)
        vector = law.vector
        vector[free] = peak
        fitted = GradeModel.from_vector(vector, law.link)
        fit = replace(true, law=fitted, region=replace(region, model=fitted, peak=peak))
        write_model(file, fit)
        chance = place_chances(event, needs, win=file).overall
        assert chance.low is not None
        assert chance.high is not None
        assert 0.02 < chance.high - chance.low < 0.5
        held += chance.low <= truth <= chance.high
    assert held >= 13  # of 95 % fewer would be held in one case of a hundred
