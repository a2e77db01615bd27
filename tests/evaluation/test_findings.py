"""What a person should look at, and curves: by enumeration on games made for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.evaluation.games import START, played
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.findings import examine, swap_share
from yardstone.evaluation.history import (
    GamePlace,
    RatingHistory,
    game_text,
    rating_curves,
    rating_history,
)
from yardstone.evaluation.interval_scale import IntervalScale
from yardstone.evaluation.ledger import Ledger
from yardstone.evaluation.metrics import recalibration
from yardstone.pool import Pool
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import Glicko2
from yardstone.ratings.result import Replay

DAY = 86_400


@pytest.mark.parametrize(("upsets", "games", "share"), [(20, 100, 0.125), (10, 100, 0.0)])
def test_the_share_of_exchanged_names_is_the_likeliest(
    upsets: int, games: int, share: float
) -> None:
    """Upsets of chance 1/10 in 1 of 5 games: 1/5 = (1 - e)/10 + 9e/10, and e = 1/8."""
    chance = np.where(np.arange(games) < upsets, 0.1, 0.9)
    assert swap_share(lambda: np.split(chance, 2)) == pytest.approx(share, abs=1e-9)
    assert swap_share(list) == 0.0
    assert swap_share(lambda: [np.ones(5)]) == 0.0
    assert swap_share(lambda: [np.full(9, 0.1)]) == pytest.approx(0.5)


def expected_games(score: list[float], expected: float, days: list[int]) -> tuple[Pool, Replay]:
    """Games of A against B, of one prediction: no line can be fitted, and it stays as it is."""
    number = len(score)
    time = START + np.array(days) * DAY
    pool = Pool.from_names("A" * number, "B" * number, score, time=time)
    replay = Elo().replay(pool)
    return pool, replace(replay, expected=np.full(number, expected))


def test_unlikely_results_and_how_probably_names_were_exchanged() -> None:
    score = [0.0, 0.5, 0.0, *[1.0] * 8]
    pool, replay = expected_games(score, 0.9, list(range(11)))
    result = examine(pool, replay, improbable=0.1 + 1e-12)
    assert result.decided == 10
    assert result.swap_share == pytest.approx(0.125)
    assert [item.game for item in result.improbable] == [0, 2]
    for item in result.improbable:
        assert item.chance == pytest.approx(0.1)
        assert item.expected == pytest.approx(0.1)  # of the winner
        assert item.swapped == pytest.approx(0.125 * 0.9 / (0.125 * 0.9 + 0.875 * 0.1))
        assert item.twin is None
    assert examine(pool, replay, improbable=0.0999).improbable == ()
    for wrong in (0.0, 0.51):
        with pytest.raises(UsageError, match="0 to 1/2"):
            examine(pool, replay, improbable=wrong)
    assert examine(pool, replay, improbable=0.5).improbable
    pool, replay = expected_games([0.0] * 1200 + [1.0] * 1800, 0.9, [0] * 3000)
    result = examine(pool, replay, improbable=0.2)
    assert [item.game for item in result.improbable] == list(range(1000))  # no more are named


def test_chances_are_those_of_the_line_that_fits_and_the_least_come_first() -> None:
    pool = played(400, 8, 3, spread=300.0, draws=0.2)
    replay = Elo(k=60.0).replay(pool)
    result = examine(pool, replay, improbable=0.3)
    decided = np.flatnonzero(pool.score != 0.5)
    line = recalibration(pool.score[decided], replay.expected[decided])
    odds = line[0] + line[1] * np.log(replay.expected / (1.0 - replay.expected))
    chance = 1.0 / (1.0 + np.exp(np.where(pool.score == 1.0, -odds, odds)))
    order = decided[np.argsort(chance[decided], kind="stable")]
    wanted = [int(game) for game in order if chance[game] <= 0.3]
    assert [item.game for item in result.improbable] == wanted
    assert_allclose([item.chance for item in result.improbable], chance[wanted])
    assert result.decided == len(decided)


def test_twins_are_records_of_one_day_with_names_the_other_way_round() -> None:
    names = ["AB", "BA", "BA", "BA", "AB", "BC", *["AC"] * 8]
    score = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, *[1.0] * 8]
    days = [3, 3, 3, 4, 5, 3, *range(8)]
    first, second = zip(*names, strict=True)
    pool = Pool.from_names(first, second, score, time=START + np.array(days) * DAY)
    replay = replace(Elo().replay(pool), expected=np.full(14, 0.9))
    twins = {item.game: item.twin for item in examine(pool, replay, improbable=0.2).improbable}
    # Game 2 has the other result, game 3 another day, and the twin may be likely or not.
    assert twins == {0: 1, 1: 0, 3: None, 4: None}
    timeless = replace(pool, time=None)
    assert {item.twin for item in examine(timeless, replay, improbable=0.2).improbable} == {None}


def test_provisional_and_idle_players() -> None:
    time = START + np.array([30, 400, 401, 402]) * DAY
    pool = Pool.from_names(["A", "C", "C", "C"], ["B", "D", "D", "E"], [1, 1, 0, 0.5], time=time)
    pool = replace(pool, players=(*pool.players, "Nobody"))
    replay = Glicko2().replay(pool)

    def names(rows: Any) -> list[str]:
        return [pool.players[row] for row in rows]

    result = examine(pool, replay, settled_games=2, idle_days=371.0)
    assert names(result.provisional) == ["A", "B", "E"]
    assert names(result.idle) == ["A", "B"]
    assert names(examine(pool, replay).idle) == ["A", "B"]  # for more than a year
    assert names(examine(pool, replay, idle_days=372.0).idle) == []
    assert names(examine(pool, replay, idle_days=0.5).idle) == ["A", "B", "D"]
    assert result.played.tolist() == [int(n) for n in pool.played()]
    assert result.last_game is not None
    assert result.last_game[0] == time[0]
    assert np.isnat(result.last_game[-1])
    bare = replace(pool, time=None, score=np.full(4, 0.5))
    result = examine(bare, Elo().replay(bare))
    assert (result.decided, result.improbable, result.last_game) == (0, (), None)
    assert len(result.idle) == 0


def test_curves_follow_a_player_through_both_sides() -> None:
    pool = played(120, 6, 4, draws=0.2)
    replay = Glicko2().replay(pool)
    (curve,) = rating_curves(pool, replay, ["0.3"])
    row = pool.players.index("0.3")
    games = np.flatnonzero((pool.first == row) | (pool.second == row))
    assert curve.game.tolist() == games.tolist()
    assert len(curve) == len(games)
    assert_allclose(curve.after[:-1], curve.rating[1:], rtol=1e-15)
    assert curve.after[-1] == replay.ratings["0.3"].value
    assert curve.final_deviation == replay.ratings["0.3"].deviation
    for place, game in enumerate(games):
        first = pool.first[game] == row
        side, other = ("first", pool.second) if first else ("second", pool.first)
        assert curve.first[place] == first
        assert curve.score[place] == (pool.score[game] if first else 1 - pool.score[game])
        expected = replay.expected[game]
        assert curve.expected[place] == (expected if first else 1 - expected)
        assert curve.rating[place] == getattr(replay, f"{side}_rating")[game]
        assert curve.deviation[place] == getattr(replay, f"{side}_deviation")[game]
        assert curve.opponents[place] == pool.players[other[game]]
        assert curve.time is not None
        assert curve.time[place] == pool.time[game]  # type: ignore[index]
    (plain,) = rating_curves(pool, Elo().replay(pool), ["0.3"])
    assert np.isnan(plain.deviation).all()


def test_names_that_nobody_has() -> None:
    pool = Pool(("Kasparov, Garry", "Karpov, A", "Nobody"), [0], [1], [1.0])  # type: ignore[arg-type]
    replay = Elo().replay(pool)
    for name, error, message in [
        ("kasparov", InputError, "did you mean 'Kasparov, Garry'"),
        ("zzz", InputError, r"'zzz'$"),
        ("Nobody", NoGamesError, "'Nobody' has no game"),
    ]:
        with pytest.raises(error, match=message):
            rating_curves(pool, replay, [name])


# ------------------------------------------------------------------ histories


def test_intervals_of_a_history_reach_as_far_as_its_scale_says() -> None:
    pool = played(60, 5, 2)
    scale = IntervalScale(
        0.95, np.array([0, 10]), np.array([2.0, 1.5]), np.ones(2), np.ones(2), 200.0, 8
    )
    for system in ("glicko2", "whr"):
        history = rating_history(pool, system=system, players=["0.1"], intervals=False)
        bare = history[0]
        assert np.isnan([bare.low, bare.high]).all()
        history = replace(history, scale=scale)
        curve = history.curve("0.1")
        before = [len(curve)] * (len(curve) + 1) if system == "whr" else range(len(curve) + 1)
        reach = [1.5 if games >= 10 else 2.0 for games in before]
        deviation = [*curve.deviation, curve.final_deviation]
        assert_allclose(history.half_widths(curve), np.multiply(reach, deviation))
        present = history["0.1"]
        half = 1.5 * present.deviation
        assert (present.low, present.high) == (present.rating - half, present.rating + half)
        assert present.games == len(curve) >= 10


@pytest.mark.parametrize(("settled", "fewest"), [(0, 1), (3, 3), (4, 4), (5, 1)])
def test_a_list_holds_those_with_enough_games(settled: int, fewest: int) -> None:
    """A has 4 games, B and C have 3, D has 2; if nobody has enough, all are listed."""
    pool = Pool.from_names("AABACD", "BCCDBA", [1, 1, 1, 1, 0, 0])
    rated = Ledger.begin("elo", pool)
    games = dict(zip(rated.ratings.players, rated.played.tolist(), strict=True))
    history = RatingHistory(rated, (), settled=settled, top=2)
    assert history.fewest == fewest
    ranked = [rated.ratings.players[row] for row in history.ranked()]
    assert set(ranked) == {name for name, number in games.items() if number >= fewest}
    values = [rated.ratings[name].value for name in ranked]
    assert values == sorted(values, reverse=True)
    assert [each.player for each in history] == ranked[:2]
    assert len(replace(history, top=0).listed()) == len(ranked)
    assert [curve.player for curve in history.drawn] == ranked[:10]


def test_a_game_is_named_by_its_number_or_its_players_and_day() -> None:
    time = START + np.array([0, 0, DAY, DAY + 60]) * 1
    pool = Pool.from_names("ABAA", "BCBB", [1, 0.5, 0, 1], time=time)
    assert game_text(pool, 1) == "2020-01-01  B ½–½ C"
    assert game_text(replace(pool, time=None), 2) == "A 0–1 B"
    day = np.datetime64("2020-01-02")
    found: list[tuple[GamePlace, str]] = [
        (3, "Annulled: 2020-01-02  A 0–1 B."),
        (("B", "C", None), "Annulled: 2020-01-01  B ½–½ C."),
        (("A", "B", np.datetime64("2020-01-01")), "Annulled: 2020-01-01  A 1–0 B."),
    ]
    for place, said in found:
        history = rating_history(pool, system="elo", annul=[place], intervals=False)
        assert history.notes[0].startswith(said)
        assert len(history.rated.pool) == 3
    undated = replace(pool, time=None)
    refused: list[tuple[Pool, str, GamePlace, type[Exception], str]] = [
        (pool, "elo", 0, InputError, "only 1 to 4"),
        (pool, "elo", 5, InputError, "no game 5"),
        (pool, "elo", ("A", "B", day), InputError,
         r"2 games are 'A \| B \| 2020-01-02' \(give a number: 3, 4\)"),
        (pool, "elo", ("B", "A", None), InputError, r"no game is 'B \| A'"),
        (pool, "elo", ("A", "X", None), InputError, "'X'"),
        (undated, "elo", ("A", "B", day), UsageError, "no dates"),
        (pool, "whr", 1, UsageError, "rates all games at once"),
    ]  # fmt: skip
    for games, system, place, error, message in refused:
        with pytest.raises(error, match=message):
            rating_history(games, system=system, annul=[place], intervals=False)
    merged = rating_history(pool, system="elo", merge=[("A", "C")], intervals=False)
    assert merged.notes[0].startswith("C is A now. ")
