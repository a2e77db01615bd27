"""Simulated tournaments agree with probabilities, with the real pairing and the real tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from yardstone import parallel
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.tournament.explanation import recorded_round
from yardstone.tournament.field import (
    GRADE_SPREAD,
    LOWEST_GRADE,
    known_strength,
    synthetic_field,
    winning_law,
)
from yardstone.tournament.forecast import MEASURES, places_of, simulate
from yardstone.tournament.model import (
    Bye,
    ByeKind,
    Game,
    PairingRules,
    Player,
    Result,
    System,
    Tournament,
)
from yardstone.tournament.rules import HandicapRules, Scoring, SeedSystem
from yardstone.tournament.simulation import SimulationPlan, play, tournament_of
from yardstone.tournament.standings_table import Scores
from yardstone.winprob.kaniuk import PUBLISHED

KANIUK = winning_law("kaniuk")


def a_plan(
    players: int = 24,
    rounds: int = 5,
    *,
    system: System = System.mcmahon,
    seed: int = 1,
    handicap: HandicapRules | None = None,
    rules: PairingRules | None = None,
    deviation: float = 0.0,
) -> SimulationPlan:
    field = synthetic_field(players, np.random.default_rng(seed), lowest=-10, clubs=5, countries=3)
    made = tournament_of(field, rounds=rounds, system=system, bar=1, floor=-8, handicap=handicap)
    return SimulationPlan(made, field.strength, KANIUK, rules, deviation)


def as_tournament(scores: Scores) -> Tournament:
    """The games of a replay, as a file would hold them."""
    made = scores.tournament
    games, byes = [], []
    for column in range(made.rounds):
        for row, player in enumerate(made.players):
            other = int(scores.opponent[row, column])
            number = column + 1
            if other < 0 and player.takes_part(number):
                byes.append(Bye(number, row, ByeKind.paired))
            if other >= 0 and scores.first[row, column] == 1:
                result = {
                    2: Result.first_wins,
                    1: Result.draw,
                    0: Result.second_wins,
                }[int(scores.points2[row, column])]
                stones = -int(scores.handicap[row, column])
                games.append(
                    Game(round=number, first=row, second=other, result=result, handicap=stones)
                )
    return replace(made, games=tuple(games), byes=tuple(byes))


@pytest.mark.parametrize("players", [24, 23])
@pytest.mark.parametrize("system", [System.mcmahon, System.swiss])
def test_scores_are_those_of_the_table_of_the_same_games(players: int, system: System) -> None:
    plan = a_plan(players, system=system, handicap=HandicapRules(ceiling=9, threshold=2))
    scores, _ = play(plan, np.random.default_rng(3))
    again = Scores.of(as_tournament(scores))
    for name in ("opponent", "points2", "handicap", "first", "played", "wins2", "mms2"):
        np.testing.assert_array_equal(getattr(scores, name), getattr(again, name), name)


def test_absent_players_are_counted_as_in_a_table() -> None:
    plan = a_plan(12, 4)
    away = replace(plan.tournament.players[2], absent=frozenset({2, 3}))
    players = (*plan.tournament.players[:2], away, *plan.tournament.players[3:])
    made = replace(plan.tournament, players=players)
    scores, _ = play(SimulationPlan(made, plan.strength, KANIUK), np.random.default_rng(3))
    assert (scores.opponent[2] < 0).tolist() == [False, True, True, False]
    np.testing.assert_array_equal(scores.mms2, Scores.of(as_tournament(scores)).mms2)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_each_round_is_paired_as_well_as_the_command_pairs_it(seed: int) -> None:
    # Without lots: ties in the order of the field are drawn in a simulation.
    start = a_plan(16, 4)
    rules = PairingRules.of(start.tournament).changed(
        {"seed_system_1": SeedSystem.adjacent, "maximise_seeding": 0, "float_weight": 0}
    )
    plan = SimulationPlan(start.tournament, start.strength, KANIUK, rules)
    scores, _ = play(plan, np.random.default_rng(seed))
    played = as_tournament(scores)
    for number in range(1, 5):
        recorded, ours = recorded_round(played, number, rules=rules)
        assert recorded.weight == ours.weight


def test_results_follow_the_probability() -> None:
    made = Tournament(
        rounds=1,
        system=System.swiss,
        players=(Player(name="Ann", rank=3), Player(name="Bob", rank=1)),
    )
    result = simulate(SimulationPlan(made, np.array([3.0, 1.0]), KANIUK), 4000, seed=2)
    expected = float(PUBLISHED.probability(3.0, 1.0))
    assert result.first[0] == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 4000))


def test_a_round_robin_brings_the_sum_of_the_probabilities() -> None:
    strength = np.array([2.0, 1.0, 0.0, -1.0, -3.0])
    players = tuple(Player(name=name, rank=0) for name in "ABCDE")
    made = Tournament(rounds=5, system=System.round_robin, players=players)
    made = replace(made, scoring=Scoring(wins_bye=0.0))
    result = simulate(SimulationPlan(made, strength, KANIUK), 3000, seed=4)
    expected = PUBLISHED.probability(strength[:, None], strength).sum(axis=1) - 0.5
    np.testing.assert_allclose(result.wins, expected, atol=5 * np.sqrt(1.0 / 3000))
    games = as_tournament(
        play(SimulationPlan(made, strength, KANIUK), np.random.default_rng(1))[0]
    ).games
    assert len({frozenset((g.first, g.second)) for g in games}) == 10


def test_who_cannot_lose_comes_first() -> None:
    plan = a_plan(8, 7, system=System.round_robin)
    plan = replace(plan, strength=np.linspace(0.0, 700.0, 8))
    result = simulate(plan, 20)
    assert result.measure("order") == (1.0, 0.0)
    assert result.measure("strongest wins")[0] == 1.0
    np.testing.assert_array_equal(result.places[::-1], np.eye(8))
    np.testing.assert_array_equal(result.mean_place, np.arange(8, 0, -1))
    np.testing.assert_array_equal(result.place_range()[0], [8, 8])


def test_equal_seeds_give_equal_results_on_any_number_of_workers() -> None:
    plan = a_plan(12, 3, deviation=0.5)
    with parallel.context(workers=2):
        two = simulate(plan, 60, seed=9)
    one = simulate(plan, 60, seed=9)
    np.testing.assert_array_equal(one.places, two.places)
    for name in MEASURES:
        np.testing.assert_array_equal(one.measures[name], two.measures[name])
    assert not np.array_equal(one.places, simulate(plan, 60, seed=10).places)


def test_tied_players_share_their_places() -> None:
    first, shared = places_of(np.array([[1.0, 2.0], [3.0, 0.0], [1.0, 2.0], [np.nan, 9.0]]))
    assert first.tolist() == [1, 0, 1, 3]
    assert shared.tolist() == [2, 1, 2, 1]


def test_rounds_that_are_over_stay() -> None:
    plan = a_plan(16, 5)
    whole = as_tournament(play(plan, np.random.default_rng(8))[0])
    half = whole.before(4)
    later = SimulationPlan(replace(half, rounds=5), plan.strength, KANIUK)
    assert later.done == 3
    for seed in range(3):
        scores, _ = play(later, np.random.default_rng(seed))
        np.testing.assert_array_equal(scores.mms2[:, :4], Scores.of(whole).mms2[:, :4])
    assert simulate(SimulationPlan(whole, plan.strength, KANIUK), 3).places.max() == 1.0


def test_handicap_is_worth_grades() -> None:
    win, draw = KANIUK(np.array([-3.0]), np.array([0.0]), np.array([3.0]))
    assert win[0] == pytest.approx(float(PUBLISHED.probability(-0.5, 0.0)))
    assert draw[0] == 0.0


def test_elo_has_draws_and_an_advantage() -> None:
    chance = winning_law("elo", advantage=35.0, draw_rate=0.4)
    win, draw = chance(np.array([2000.0, 2100.0]), np.array([2035.0, 2000.0]), np.zeros(2))
    assert draw[0] == pytest.approx(0.4)
    expected = 1.0 / (1.0 + 10.0 ** (-135.0 / 400.0))
    assert win[1] + draw[1] / 2 == pytest.approx(expected)


def test_the_european_formula_is_that_of_the_ratings() -> None:
    win, _ = winning_law("egf")(np.array([0.0]), np.array([1.0]), np.zeros(1))
    assert win[0] == pytest.approx(1.0 / (1.0 + ((3300 - 2100) / (3300 - 2200)) ** 7))


@pytest.mark.parametrize(
    ("name", "keywords"), [("nothing", {}), ("elo", {"draw_rate": 1.5}), ("egf", {"advantage": 5})]
)
def test_no_such_chance(name: str, keywords: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        winning_law(name, **keywords)


def test_a_field_is_like_the_population() -> None:
    field = synthetic_field(20_000, np.random.default_rng(0))
    assert field.grade.min() == LOWEST_GRADE
    assert field.grade.max() == 6
    shodan = field.strength[field.grade == 0]
    spread = GRADE_SPREAD[-LOWEST_GRADE]
    assert shodan.std() == pytest.approx(spread, abs=5 * spread / np.sqrt(2 * len(shodan)))
    assert (field.club == -1).all()
    plain = synthetic_field(50, np.random.default_rng(0), spread=0.0)
    np.testing.assert_array_equal(plain.strength, plain.grade)


@pytest.mark.parametrize("wrong", [{"number": 0}, {"lowest": 3, "highest": 1}, {"spread": -1.0}])
def test_no_such_field(wrong: dict[str, float]) -> None:
    keywords = {"number": 10, **wrong}
    with pytest.raises(UsageError):
        synthetic_field(rng=np.random.default_rng(0), **keywords)  # type: ignore[arg-type]


def test_strengths_come_from_ratings_or_grades() -> None:
    players = (Player(name="A", rank=0), Player(name="B", rank=3, rating=2250.0))
    made = Tournament(players=players)
    np.testing.assert_allclose(known_strength(made), [0.0, 1.5])
    with pytest.raises(InputError, match="A has no rating"):
        known_strength(made, points=True)


def test_what_cannot_be_simulated() -> None:
    plan = a_plan(6, 3)
    with pytest.raises(InputError, match="6 finite strengths"):
        SimulationPlan(plan.tournament, np.zeros(5), KANIUK)
    with pytest.raises(ModelError, match="cannot be simulated"):
        SimulationPlan(replace(plan.tournament, system=System.cup), plan.strength, KANIUK)
    nobody = tuple(replace(p, absent=frozenset({2})) for p in plan.tournament.players)
    with pytest.raises(InputError, match="fewer than two"):
        SimulationPlan(replace(plan.tournament, players=nobody), plan.strength, KANIUK)
    with pytest.raises(UsageError, match="cannot be simulated"):
        simulate(plan, 2, criteria="mms,dc")
    with pytest.raises(UsageError):
        simulate(plan, 0)
