"""Marked games, kept labels, judged winners, joined stores, classes of players."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import InputError, UsageError
from yardstone.evaluation.splits import rating_labels
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko2
from yardstone_lab.neubauer.experiment.configuration import SetSettings
from yardstone_lab.neubauer.experiment.games import judged_pool
from yardstone_lab.neubauer.experiment.models import (
    losses_by_rank,
    losses_by_rating,
    ratings_in_classes,
)
from yardstone_lab.neubauer.experiment.sets import (
    draw_marks,
    exhibition_games,
    load_labels,
    save_labels,
)
from yardstone_lab.neubauer.moves import MoveSets, Stores


def made(games: int = 300, players: int = 40, seed: int = 4) -> Pool:
    generator = np.random.default_rng(seed)
    pairs = np.array([generator.choice(players, 2, replace=False) for _ in range(games)])
    names = tuple(f"p{k}" for k in range(players))
    time = np.datetime64("2020-01-01", "s") + np.arange(games) * np.timedelta64(3600, "s")
    score = (generator.random(games) < 0.5 + 0.01 * (pairs[:, 0] - pairs[:, 1])).astype(float)
    return Pool(names, pairs[:, 0], pairs[:, 1], score, time)


def test_exhibition_games_have_all_their_history_known() -> None:
    pool = made()
    assert pool.time is not None
    labels = rating_labels(pool, Glicko2().replay(pool), advance=3)
    known = np.random.default_rng(1).random(len(pool)) < 0.8
    settings = SetSettings(
        training=30, validation=20, test=40, exhibition=-1, newcomer_games=4, least_games=1,
        since=pool.time[100], seed=3,
    )  # fmt: skip
    sets = draw_marks(pool, labels, settings, known)
    fresh = np.flatnonzero(exhibition_games(pool, 4, 1))
    sides = [{first, second} for first, second in zip(pool.first, pool.second, strict=True)]
    slow = [game for game in fresh if all(known[g] for g in range(game) if sides[g] & sides[game])]
    assert np.flatnonzero(sets.of("X")).tolist() == slow
    assert 0 < len(slow) < len(fresh)
    assert min(np.flatnonzero(sets.of(letter)).min() for letter in "TVE") >= 100
    assert [int(sets.of(letter).sum()) for letter in "TVE"] == [30, 20, 40]
    assert np.array_equal(draw_marks(pool, labels, settings, known).mark, sets.mark)
    with pytest.raises(UsageError, match="only the exhibition set"):
        draw_marks(pool, labels, SetSettings(test=-1), known)


def test_labels_are_kept_as_they_are(tmp_path: Path) -> None:
    pool = made(50)
    labels = rating_labels(pool, Glicko2().replay(pool))
    save_labels(labels, tmp_path / "labels.npz")
    back = load_labels(tmp_path / "labels.npz")
    for name in ("first", "second", "first_ahead", "second_ahead"):
        assert np.array_equal(getattr(back, name), getattr(labels, name))
    assert back.advance == labels.advance
    (tmp_path / "labels.npz").write_bytes(b"no")
    with pytest.raises(InputError, match="no table of labels"):
        load_labels(tmp_path / "labels.npz")


def test_the_network_names_winners_it_is_sure_of() -> None:
    decision = ["resigned", "resigned", "timed out", "resigned", "counted", "resigned"]
    columns: dict[str, Any] = {"key": list("uvwxyz"), "decision": decision}
    pool = Pool.from_names(list("ABCDEF"), list("BCDEFA"), [1, 1, 0, 1, 0, 1], columns=columns)
    rates = {"u": 0.7, "v": 0.55, "w": 0.39, "x": 0.1, "y": 0.01}
    result, report = judged_pool(pool, rates)
    assert result.columns["key"].tolist() == ["u", "w", "x", "y"]
    assert result.score.tolist() == [0.0, 1.0, 1.0, 0.0]
    counts = (report.games, report.kept, report.contrary, report.unsure, report.unseen)
    assert counts == (5, 3, 2, 1, 1)
    with pytest.raises(UsageError, match=r"above 0\.5"):
        judged_pool(pool, rates, sure=0.5)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stores that share a game, and one made in another way."""
    folder = tmp_path_factory.mktemp("stores")
    net = str(small_network(folder))
    for name, games, komi in (("a", (1, 2), 6.5), ("b", (2, 3), 6.5), ("c", (3,), 7.5)):
        made_of = [random_game(k, moves=10 + k) for k in games]
        settings = ExtractionSettings(net=net, komi=komi)
        extract_features(partial(list, made_of), folder / name, settings)
    return folder


def test_stores_are_one(stores: Path) -> None:
    both = Stores.open([stores / "a", stores / "b"])
    keys = ["games.sgf#3", "/elsewhere/games.sgf#2", "games.sgf", "games.sgf#9"]
    pieces = both.pieces(keys, "file")
    assert pieces.known.tolist() == [True, True, True, False]
    assert pieces.length.tolist() == [[7, 6], [6, 6], [6, 5], [0, 0]]
    # Of two places the first.
    assert pieces.start[:3].tolist() == [[35, 42], [11, 17], [0, 6]]
    picks = both.gather("pick", np.array([36, 0, 20]))
    assert np.array_equal(picks[0], both.stores[1].array("pick")[36 - 23])
    assert np.array_equal(picks[1:], both.stores[0].array("pick")[[0, 20]])
    assert both.kinds == ("head", "pick")
    assert set(both.winrates("file")) == {"games.sgf", "games.sgf#2", "games.sgf#3"}
    with pytest.raises(InputError, match=r"komi is 7.5, but 6.5"):
        Stores.open([stores / "a", stores / "c"])
    with pytest.raises(InputError, match="by name or file"):
        both.pieces(keys, "hand")
    with pytest.raises(InputError, match="no store of features is named"):
        Stores.open([])


def test_classes_of_players(stores: Path) -> None:
    ratings = np.array([1000.0, 1320.0, 1900.0, 1950.0])
    classes = ratings_in_classes(ratings)
    assert {name: np.flatnonzero(here).tolist() for name, here in classes.items()} == {
        "10 kyu and below": [0], "9 kyu to 1 kyu": [1, 2], "1 dan and above": [3],
    }  # fmt: skip
    assert list(ratings_in_classes(ratings, [1200.0, 5000.0])) == ["below 1200", "1200 to 5000"]
    features = np.zeros((4, 6), np.float32)
    features[:, 5] = [1, 2, 3, 4]
    head = MoveSets(features, np.arange(4), np.array([0, 1, 3, 4, 4]))
    assert losses_by_rating(head, ratings, 5)["9 kyu to 1 kyu"].tolist() == [2.0, 3.0, 4.0]
    assert list(losses_by_rank(Stores.open([stores / "a"]).stores[0], 5)) == ["no rank"]
