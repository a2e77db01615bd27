"""Ledgers: every change gives what replaying everything would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.games import START, played
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.ledger import CHECKPOINTS, REPLAYED, Ledger, load_ledger, save_ledger
from yardstone.pool import Pool
from yardstone.records.joining import join_pools

#: Systems with different clocks: by game, with ageing, by calendar, by event.
RULES: list[tuple[str, dict[str, Any]]] = [
    ("elo", {}),
    ("elo", {"period": "week"}),
    ("elo", {"period": "event"}),
    ("glicko2", {"idle_days": 7.0}),
    ("glicko2", {"period": "month"}),
    ("glicko", {}),
    ("egf", {"period": "event"}),
]


def assert_same(ledger: Ledger, wanted: Ledger) -> None:
    """Every prediction and every rating, to the last bit."""
    for name in REPLAYED:
        one, other = getattr(ledger.replay, name), getattr(wanted.replay, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert np.array_equal(one, other), name
    there = set(ledger.ratings.players)
    for player in wanted.ratings.players:
        assert player in there
        one, other = ledger.ratings[player], wanted.ratings[player]
        assert np.array_equal([one.value, one.deviation], [other.value, other.deviation], True)


def other_events(pool: Pool, letter: str) -> Pool:
    """The pool with events of its own."""
    names = np.char.add(letter, pool.columns["event"].astype(str))
    return replace(pool, columns={"event": names})


def with_one_account(pool: Pool, kept: str, other: str) -> Pool:
    """The pool with the games of one player given to another, from scratch."""
    names = [kept if name == other else name for name in pool.players]
    return Pool.from_names(
        [names[row] for row in pool.first],
        [names[row] for row in pool.second],
        pool.score,
        time=pool.time,
        columns=dict(pool.columns),
    )


@settings(max_examples=10)
@given(st.sampled_from(RULES), st.integers(0, 10_000), st.data())
def test_changes_give_what_replaying_everything_would(
    rules: tuple[str, dict[str, Any]], seed: int, data: st.DataObject
) -> None:
    name, parameters = rules
    pool = played(60, 4, seed, groups=3, draws=0.2)
    ledger = Ledger.begin(name, pool, **parameters)
    assert np.array_equal(ledger.replay.expected, ledger.system.replay(ledger.pool).expected)

    gone = np.zeros(60, np.bool_)
    gone[data.draw(st.lists(st.integers(0, 59), min_size=1, max_size=3))] = True
    without = ledger.annul(gone)
    assert_same(without, Ledger.begin(name, ledger.pool.select(~gone), **parameters))

    late = other_events(
        played(10, 5, seed + 1, days=data.draw(st.sampled_from([30, 365, 800]))), "l"
    )
    added = without.add(late)
    assert_same(added, Ledger.begin(name, join_pools([without.pool, late]), **parameters))

    kept = data.draw(st.sampled_from([p for p in pool.players if p.startswith("0.")]))
    other = data.draw(st.sampled_from([p for p in pool.players if p.startswith("1.")]))
    if {kept, other} <= set(added.pool.players):
        merged = added.merge(kept, other)
        assert other not in merged.pool.players
        assert other not in merged.ratings.players
        assert_same(
            merged, Ledger.begin(name, with_one_account(added.pool, kept, other), **parameters)
        )


@pytest.mark.parametrize("gone", [0, 20, 59])
def test_a_mean_of_all_players_joins_them_all(gone: int) -> None:
    """Ratings from errors are drawn to the mean of the players, of other groups too."""
    pool = played(60, 4, 3, groups=3)
    random = np.random.default_rng(7)
    rates = {f"{side}_epm": random.gamma(2.0, 0.008, 60) for side in ("first", "second")}
    lengths = {"length": np.full(60, 5)}
    pool = replace(pool, columns={**pool.columns, **rates, **lengths})
    ledger = Ledger.begin("vandendoel", pool)
    keep = np.arange(60) != gone
    result = ledger.annul(~keep)
    wanted = Ledger.begin("vandendoel", ledger.pool.select(keep))
    # The sum of the players' rates is made anew at a checkpoint: the last digits differ.
    for name in ("expected", "first_rating", "second_rating"):
        one, other = getattr(result.replay, name), getattr(wanted.replay, name)
        np.testing.assert_allclose(one, other, rtol=1e-9, err_msg=name)
    for player in wanted.ratings.players:
        assert result.ratings[player].value == pytest.approx(wanted.ratings[player].value)


def test_only_what_a_change_can_reach_is_replayed() -> None:
    pool = played(3200, 10, 1, groups=4)
    ledger = Ledger.begin("glicko2", pool)
    assert ledger.replayed == 3200
    gone = np.zeros(3200, np.bool_)
    gone[1600] = True
    result = ledger.annul(gone)
    # From the checkpoint before it, and of one group in four.
    assert result.replayed < (1600 + 3200 / CHECKPOINTS) / 4 * 1.2
    assert ledger.add(pool.select(np.zeros(0, np.int64))).replayed == 0
    later = played(50, 10, 2, groups=4)
    assert later.time is not None
    moved = replace(later, time=later.time + 400 * 86_400, columns={})
    assert Ledger.begin("elo", replace(pool, columns={})).add(moved).replayed == 50


def test_merging_replays_nothing_before_both_have_played() -> None:
    names = [f"{i}" for i in range(6)]
    first = ["old"] * 5 + ["new"] * 5
    time = START + np.arange(10) * 86_400
    pool = Pool.from_names(first, (names * 2)[:10], [1, 0] * 5, time=time)
    for kept, other in (("new", "old"), ("old", "new")):
        merged = Ledger.begin("elo", pool).merge(kept, other)
        assert merged.replayed <= 5
        assert_same(merged, Ledger.begin("elo", with_one_account(pool, kept, other)))


def test_checkpoints_stay_few() -> None:
    ledger = Ledger.begin("elo", played(500, 5, 3))
    for seed in range(60):
        later = played(2, 5, seed)
        assert later.time is not None
        time = later.time + (seed + 2) * 400 * 86_400
        ledger = ledger.add(replace(later, time=time, columns={}))
    assert len(ledger.checkpoints) <= 2 * CHECKPOINTS + 2
    assert ledger.checkpoints[0][0] == 0
    assert ledger.checkpoints[-1][0] == len(ledger.pool) == 620


@pytest.mark.parametrize(("name", "parameters"), [RULES[0], RULES[3], RULES[6]])
def test_saved_and_loaded(tmp_path: Path, name: str, parameters: dict[str, Any]) -> None:
    pool = played(100, 6, 4)
    pool = replace(pool, columns={**pool.columns, "board": np.arange(100)})
    ledger = Ledger.begin(name, pool, **parameters)
    path = tmp_path / "any name"
    save_ledger(ledger, path)
    again = load_ledger(path)
    assert again.name == name
    assert again.parameters == parameters
    assert again.pool.players == ledger.pool.players
    for column in ("event", "board"):
        assert again.pool.columns[column].tolist() == ledger.pool.columns[column].tolist()
    assert_same(again, ledger)
    late = other_events(played(10, 6, 5), "l")
    assert_same(again.add(late), ledger.add(late))
    names = ['a "b"', "ü\n\0", "😀 |", "=c="]
    save_ledger(Ledger.begin("elo", Pool.from_names(names[:2], names[2:], [1, 0])), path)
    assert set(load_ledger(path).pool.players) == set(names)


def test_other_and_damaged_files_are_an_error_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no ledger")
    np.savez(tmp_path / "arrays.npz", a=np.arange(3))
    ledger = Ledger.begin("elo", played(20, 4, 6))
    save_ledger(ledger, tmp_path / "whole")
    data = (tmp_path / "whole").read_bytes()
    arrays = dict(np.load(tmp_path / "whole"))
    names = ["text", "arrays.npz", "missing"]
    for cut in (0, 200, len(data) - 1):
        names.append(f"cut{cut}")
        (tmp_path / names[-1]).write_bytes(data[:cut])
    for name, wrong in [
        ("checkpoint 0 players", arrays["checkpoint 0 players"] - 1),
        ("replay expected", arrays["replay expected"][:-1]),
        ("replay expected", arrays["replay expected"] * np.inf),
    ]:
        names.append(f"wrong{len(names)}")
        with (tmp_path / names[-1]).open("wb") as stream:
            np.savez(stream, **{**arrays, name: wrong})
    for name in names:
        with pytest.raises(InputError, match=name):
            load_ledger(tmp_path / name)
    text = bytes(arrays["about"]).replace(b'"system": "Elo(', b'"system": "Elo2(')
    with (tmp_path / "other").open("wb") as stream:
        np.savez(stream, **{**arrays, "about": np.frombuffer(text, np.uint8)})
    with pytest.raises(InputError, match="saved under other rules of elo"):
        load_ledger(tmp_path / "other")


def test_wrong_use() -> None:
    ledger = Ledger.begin("elo", Pool.from_names(["A", "B", "A"], ["B", "C", "C"], [1, 1, 0]))
    wrong: list[tuple[Callable[[], Ledger], type[Exception], str]] = [
        (lambda: ledger.merge("A", "B"), InputError, "have played each other"),
        (lambda: ledger.merge("A", "D"), InputError, "'D'"),
        (lambda: ledger.merge("A", "A"), UsageError, "one player already"),
        (lambda: ledger.annul(np.array([True])), UsageError, "3 games, not 1"),
        (lambda: ledger.add(played(5, 3, 0)), InputError, "all have times, or none"),
        (lambda: Ledger.begin("whr", played(5, 3, 0)), UsageError, "no state to go on from"),
    ]
    for action, error, message in wrong:
        with pytest.raises(error, match=message):
            action()
