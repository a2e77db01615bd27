"""Simulated tournaments agree with probabilities, with the real pairing and the real tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, replace

import numpy as np
import pytest

from yardstone import parallel
from yardstone.errors import InputError, ModelError, UsageError
from yardstone.tournament import ByeKind, Game, RandomPlan, System, synthetic_field, winning_law
from yardstone.tournament.explanation import recorded_round
from yardstone.tournament.field import GRADE_SPREAD, LOWEST_GRADE, known_strength
from yardstone.tournament.forecast import MEASURES, places_of, simulate
from yardstone.tournament.model import Bye, PairingRules, Player, Result, Tournament
from yardstone.tournament.rules import HandicapRules, SeedSystem
from yardstone.tournament.simulation import SimulationPlan, play, random_tournament, tournament_of
from yardstone.tournament.standings_table import Scores
from yardstone.winprob.kaniuk import PUBLISHED

KANIUK = winning_law("kaniuk")


def a_plan(
    players: int = 24,
    rounds: int = 5,
    *,
    system: System = System.mcmahon,
    handicap: HandicapRules | None = None, deviation: float = 0.0,
) -> SimulationPlan:  # fmt: skip
    field = synthetic_field(players, np.random.default_rng(1), lowest=-10, clubs=5, countries=3)
    made = tournament_of(field, rounds=rounds, system=system, bar=1, floor=-8, handicap=handicap)
    return SimulationPlan(made, field.strength, KANIUK, deviation=deviation)


def as_tournament(scores: Scores) -> Tournament:
    """The games of a replay, as a file would hold them."""
    made = scores.tournament
    results = {2: Result.first_wins, 1: Result.draw, 0: Result.second_wins}
    games, byes = [], []
    for column in range(made.rounds):
        for row, player in enumerate(made.players):
            other, number = int(scores.opponent[row, column]), column + 1
            if other < 0 and player.takes_part(number):
                byes.append(Bye(number, row, ByeKind.paired))
            if other >= 0 and scores.first[row, column] == 1:
                result = results[int(scores.points2[row, column])]
                stones = -int(scores.handicap[row, column])
                games.append(
                    Game(round=number, first=row, second=other, result=result, handicap=stones)
                )
    return replace(made, games=tuple(games), byes=tuple(byes))


@pytest.mark.parametrize(
    ("players", "system"), [(17, System.mcmahon), (16, System.swiss), (7, System.round_robin)]
)
def test_scores_are_those_of_the_table_of_the_same_games(players: int, system: System) -> None:
    plan = a_plan(players, system=system, handicap=HandicapRules(ceiling=9, threshold=2))
    entries = list(plan.tournament.players)
    gone: frozenset[int] = frozenset({2, 3}) if system is not System.round_robin else frozenset()
    entries[2] = replace(entries[2], absent=gone)
    scoring = replace(plan.tournament.scoring, wins_absent=0.5, score_bye=0.5)
    made = replace(plan.tournament, players=tuple(entries), scoring=scoring)
    scores, _ = play(SimulationPlan(made, plan.strength, KANIUK), np.random.default_rng(3))
    again = Scores.of(as_tournament(scores))
    assert (scores.opponent[2, [number - 1 for number in gone]] < 0).all()
    for name in ("opponent", "points2", "handicap", "first", "played", "wins2", "mms2"):
        np.testing.assert_array_equal(getattr(scores, name), getattr(again, name), name)


@pytest.mark.parametrize("seed", [1, 2])
def test_each_round_is_paired_as_well_as_the_command_pairs_it(seed: int) -> None:
    # Without lots: ties in the order of the field are drawn in a simulation.
    start = a_plan(15, 4)
    rules = PairingRules.of(start.tournament).changed(
        {"seed_system_1": SeedSystem.adjacent, "maximise_seeding": 0, "float_weight": 0}
    )
    plan = SimulationPlan(start.tournament, start.strength, KANIUK, rules)
    played = as_tournament(play(plan, np.random.default_rng(seed))[0])
    for number in range(1, 5):
        recorded, ours = recorded_round(played, number, rules=rules)
        assert recorded.weight == ours.weight


def test_games_that_are_certain_are_measured_exactly() -> None:
    plan = a_plan(8, 7, system=System.round_robin)
    result = simulate(replace(plan, strength=np.linspace(0.0, 700.0, 8)), 20)
    measured = {name: result.measure(name)[0] for name in MEASURES}
    # Of 28 games, 7 are 100 apart, 6 are 200 apart, and so on.
    assert measured.pop("game gap") == pytest.approx(300.0)
    assert 0.2 < measured.pop("even games") < 0.5
    assert measured == {"strongest wins": 1, "winner behind": 0, "order": 1, "tied for first": 1}
    np.testing.assert_array_equal(result.places[::-1], np.eye(8))
    np.testing.assert_array_equal(result.first, np.eye(8)[7])
    drawn = replace(plan, strength=np.arange(8.0), chance=lambda a, b, _: (0.0 * a, 1.0 + 0.0 * b))
    result = simulate(drawn, 2, criteria="nbw")
    measured = {name: result.measure(name)[0] for name in MEASURES}
    expected = {"strongest wins": 1 / 8, "winner behind": 3.5, "order": 0, "game gap": 3,
                "even games": 1, "tied for first": 8}  # fmt: skip
    assert measured == expected
    np.testing.assert_array_equal(result.wins, np.full(8, 3.5))
    np.testing.assert_allclose(result.places, np.full((8, 8), 1 / 8))
    places = np.array([[0.04, 0.06, 0.8, 0.1]] * 4)
    by_hand = replace(result, places=places)
    assert by_hand.place_range().tolist() == [[2, 4]] * 4
    assert by_hand.place_range(0.8).tolist() == [[2, 3]] * 4
    np.testing.assert_allclose(by_hand.at_least(2), 0.1)
    np.testing.assert_allclose(by_hand.mean_place, 2.96)
    spread = replace(by_hand, measures={"order": np.array([1.0, 3.0])})
    assert spread.measure("order") == pytest.approx((2.0, 1.0))


def test_equal_seeds_give_equal_results_on_any_number_of_workers() -> None:
    plan = a_plan(6, 2, deviation=0.5)
    with parallel.context(workers=2):
        two = simulate(plan, 30, seed=9)
    one = simulate(plan, 30, seed=9)
    np.testing.assert_array_equal(one.places, two.places)
    for name in MEASURES:
        np.testing.assert_array_equal(one.measures[name], two.measures[name])
    assert not np.array_equal(one.places, simulate(plan, 30, seed=10).places)


def test_tied_players_share_their_places() -> None:
    first, shared = places_of(np.array([[1.0, 2.0], [3.0, 0.0], [1.0, 2.0], [np.nan, 9.0]]))
    assert (first.tolist(), shared.tolist()) == ([1, 0, 1, 3], [2, 1, 2, 1])


def test_rounds_that_are_over_stay() -> None:
    plan = a_plan(16, 5)
    whole = as_tournament(play(plan, np.random.default_rng(8))[0])
    later = SimulationPlan(replace(whole.before(4), rounds=5), plan.strength, KANIUK)
    assert later.done == 3
    scores, _ = play(later, np.random.default_rng(0))
    np.testing.assert_array_equal(scores.mms2[:, :4], Scores.of(whole).mms2[:, :4])
    assert simulate(SimulationPlan(whole, plan.strength, KANIUK), 3).places.max() == 1.0


def test_laws_of_winning() -> None:
    """Handicap is worth grades; Elo has draws and an advantage; the EGF's follows its ratings."""
    elo = winning_law("elo", advantage=35.0, draw_rate=0.4)
    rows = [
        (KANIUK, -3.0, 0.0, 3.0, float(PUBLISHED.probability(-0.5, 0.0)), 0.0),
        (elo, 2000.0, 2035.0, 0.0, 0.5, 0.4),
        (elo, 2100.0, 2000.0, 0.0, 1.0 / (1.0 + 10.0 ** (-135.0 / 400.0)), None),
        (winning_law("egf"), 0.0, 1.0, 0.0, 1.0 / (1.0 + (1200 / 1100) ** 7), 0.0),
    ]
    for law, first, second, stones, expected, drawn in rows:
        win, draw = law(np.array([first]), np.array([second]), np.array([stones]))
        assert win[0] + draw[0] / 2 == pytest.approx(expected), (first, second)
        assert drawn is None or draw[0] == pytest.approx(drawn)


def test_fields_by_chance() -> None:
    field = synthetic_field(20_000, np.random.default_rng(0))
    assert (field.grade.min(), field.grade.max()) == (LOWEST_GRADE, 6)
    shodan = field.strength[field.grade == 0]
    spread = GRADE_SPREAD[-LOWEST_GRADE]
    assert shodan.std() == pytest.approx(spread, abs=5 * spread / np.sqrt(2 * len(shodan)))
    assert (field.club == -1).all()
    plain = synthetic_field(50, np.random.default_rng(0), spread=0.0, lowest=-20, highest=7)
    np.testing.assert_array_equal(plain.strength, plain.grade)
    made = Tournament(players=(Player(name="A", rank=0), Player(name="B", rank=3, rating=2250.0)))
    np.testing.assert_allclose(known_strength(made), [0.0, 1.5])
    with pytest.raises(InputError, match="A has no rating"):
        known_strength(made, points=True)
    usual = (40, 9, 0, 2000.0, 250.0, 0.3, 0.02, 0.02, 0.03, 0.05, False)
    assert astuple(RandomPlan()) == usual
    comes = random_tournament(RandomPlan(players=60, rounds=4, late=1.0, withdrawals=1.0))
    here = [[r for r in range(1, 5) if player.takes_part(r)] for player in comes.players]
    assert {rounds[0] for rounds in here} == {2, 3, 4}
    assert {rounds[-1] for rounds in here if rounds[0] == 2} == {2, 3, 4}
    games = random_tournament(RandomPlan(players=60, rounds=1, draws=1.0, spread=0, late=0)).games
    assert {game.result for game in games if not game.forfeit} == {Result.draw}


def a_field(number: int = 10, **more: int | float) -> object:
    return synthetic_field(number, np.random.default_rng(0), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda p: winning_law("nothing"), UsageError, "nothing"),
        (lambda p: winning_law("elo", draw_rate=1.0), UsageError, "draw"),
        (lambda p: winning_law("egf", advantage=5), UsageError, "advantage"),
        (lambda p: a_field(0), UsageError, "player"),
        (lambda p: a_field(lowest=3, highest=1), UsageError, "grade"),
        (lambda p: a_field(lowest=-21), UsageError, "grade"),
        (lambda p: a_field(highest=8), UsageError, "grade"),
        (lambda p: a_field(spread=-1.0), UsageError, "spread"),
        (lambda p: replace(p, strength=np.zeros(5)), InputError, "6 finite strengths"),
        (lambda p: replace(p, strength=np.full(6, np.nan)), InputError, "6 finite strengths"),
        (lambda p: replace(p, tournament=replace(p.tournament, system=System.cup)), ModelError,
         "cannot be simulated"),
        (lambda p: replace(p, tournament=replace(p.tournament, players=tuple(
            replace(each, absent=frozenset({2})) for each in p.tournament.players))),
         InputError, "fewer than two"),
        (lambda p: simulate(p, 2, criteria="mms,dc"), UsageError, "cannot be simulated"),
        (lambda p: simulate(p, 0), UsageError, "0 tournaments"),
    ],
)  # fmt: skip
def test_what_cannot_be_simulated(
    make: Callable[[SimulationPlan], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(a_plan(6, 3))
