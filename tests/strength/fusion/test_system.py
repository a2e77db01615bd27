"""The rating system that joins results and moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.strength.fusion.made_moves import made_pool, shown
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.ledger import Ledger, load_ledger, save_ledger
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko2
from yardstone.ratings.joint import PlayerPriors, Prior
from yardstone.strength.fusion import MOVE_COLUMNS, Fusion, fuse, sides_before
from yardstone.strength.fusion_priors import rating_sources

SYSTEM = Fusion(strength=0.0, slope=60.0, half_moves=80.0, noise=100.0, initial_deviation=250.0)
PLAIN = Glicko2(initial_deviation=250.0)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return made_pool()


def test_without_moves_it_is_glicko2(pool: Pool) -> None:
    wanted = PLAIN.replay(pool)
    bare = replace(pool, columns={})
    none = replace(pool, columns={name: np.zeros(len(pool)) for name in MOVE_COLUMNS})
    for games in (bare, none):
        result = SYSTEM.replay(games)
        assert result.expected == pytest.approx(wanted.expected, abs=1e-12)
        assert result.ratings.rating == pytest.approx(wanted.ratings.rating, abs=1e-8)


@pytest.mark.parametrize("game", [17, 599])
def test_no_prediction_knows_moves_of_its_game_or_of_later_ones(pool: Pool, game: int) -> None:
    weak, strong = (SYSTEM.replay(shown(pool, game, rank)) for rank in (-9.0, 9.0))
    assert np.array_equal(weak.expected[: game + 1], strong.expected[: game + 1])
    player = pool.first[game]
    later = np.flatnonzero((pool.first == player) | (pool.second == player))
    later = later[later > game]
    assert (weak.expected[later] != strong.expected[later]).all()
    # The last game counts for the ratings after it.
    assert strong.ratings.rating[player] > weak.ratings.rating[player] + 1.0


@pytest.mark.parametrize(("initial", "level"), [(1500.0, None), (1620.0, 1700.0)])
def test_a_rating_is_that_of_the_formula(pool: Pool, initial: float, level: float | None) -> None:
    """Before a second game: Glicko-2's rating and the prior from the moves of the first."""
    one = pool.select(np.arange(1))
    columns = dict(zip(MOVE_COLUMNS, ([100.0], [4.0], [0.0], [np.nan]), strict=True))
    one = replace(one, columns={name: np.array(value) for name, value in columns.items()})
    system = replace(SYSTEM, initial=initial, level=level)
    plain, result = replace(PLAIN, initial=initial).replay(one).ratings, system.replay(one).ratings
    known = 100.0 / 180.0
    share = 250.0**2 / (250.0**2 + 100.0**2)
    above = (initial if level is None else level) - initial
    mean = initial + known * (above + share * 4.0 * 60.0)
    deviation = 250.0 * (1.0 - known * share) ** 0.5
    row = one.first[0]
    wanted = fuse(plain.rating[row], plain.deviation[row], mean, deviation, Prior(initial, 250.0))
    assert result.rating[row] == pytest.approx(float(wanted[0]))
    assert result.deviation[row] == pytest.approx(float(wanted[1]))
    other = one.second[0]  # of whom no moves are known
    assert result.rating[other] == pytest.approx(plain.rating[other])


def test_moves_of_earlier_games_are_averaged_by_their_number(pool: Pool) -> None:
    some = pool.select(np.arange(120))
    number, shown = (
        np.column_stack([some.columns[name] for name in MOVE_COLUMNS[k::2]]) for k in (0, 1)
    )
    both = np.column_stack([some.first, some.second])
    strength, moves = sides_before(some)
    for game, side in np.ndindex(120, 2):
        mine = (both[:game] == both[game, side]) & (number[:game] > 0)
        assert moves[game, side] == number[:game][mine].sum()
        mean = np.nan
        if mine.any():
            mean = number[:game][mine] @ shown[:game][mine] / moves[game, side]
        assert strength[game, side] == pytest.approx(mean, nan_ok=True)


def test_parts_give_what_the_whole_gives(pool: Pool) -> None:
    """In the order of time, however the games stand there."""
    whole = SYSTEM.replay(pool)
    state = SYSTEM.start()
    expected = []
    for rows in np.array_split(np.arange(len(pool)), 5):
        state, part = SYSTEM.advance(state, pool.select(rows))
        expected.append(part.expected)
    assert np.array_equal(np.concatenate(expected), whole.expected)
    result = SYSTEM.ratings(state)
    row = [result.players.index(name) for name in whole.ratings.players]
    assert np.array_equal(result.rating[row], whole.ratings.rating)
    mixed = np.random.default_rng(1).permutation(len(pool))
    assert np.array_equal(SYSTEM.replay(pool.select(mixed)).expected, whole.expected[mixed])


def test_a_saved_history_goes_on(pool: Pool, tmp_path: Path) -> None:
    file = tmp_path / "kept"
    half = np.arange(300)
    save_ledger(Ledger.begin("fusion", pool.select(half)), file)
    result = load_ledger(file).add(pool.select(np.arange(300, 600)))
    wanted = Ledger.begin("fusion", pool)
    assert np.array_equal(result.replay.expected, wanted.replay.expected)
    # Further games need not have moves.
    bare = replace(pool.select(np.arange(300, 600)), columns={})
    assert np.isfinite(load_ledger(file).add(bare).replay.expected).all()


def test_ratings_are_taken_apart(pool: Pool) -> None:
    result = rating_sources(Ledger.begin("fusion", pool, initial_deviation=250.0))
    known = result.number > 0
    assert known.mean() > 0.9
    both = fuse(
        result.results, result.results_deviation,
        np.where(known, result.moves, np.nan), result.moves_deviation, Prior(1500.0, 250.0),
    )  # fmt: skip
    assert result.both == pytest.approx(both[0])
    assert result.both_deviation == pytest.approx(both[1])
    with pytest.raises(UsageError, match="glicko2 knows no moves"):
        rating_sources(Ledger.begin("glicko2", pool))


def test_what_is_wrong_is_refused(pool: Pool) -> None:
    without = {name: each for name, each in pool.columns.items() if name != "second_moves"}
    for columns, words in (
        (without, "no column 'second_moves'"),
        ({**pool.columns, "first_moves": np.full(len(pool), -1.0)}, "negative"),
        ({**pool.columns, "first_moves": np.full(len(pool), "many")}, "not a number"),
    ):
        with pytest.raises(InputError, match=words):
            SYSTEM.replay(replace(pool, columns=columns))
    rows: list[dict[str, Any]] = [
        {"slope": -1.0}, {"half_moves": 0.0}, {"noise": 0.0}, {"strength": np.inf},
        {"period": "month"}, {"priors": PlayerPriors({})}, {"columns": ("a", "b", "c", "d")},
    ]  # fmt: skip
    for wrong in rows:
        with pytest.raises(UsageError):
            Fusion(**wrong)
