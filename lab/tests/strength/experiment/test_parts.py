"""Parts of an experiment: filters, sets, winners, stores, hidden games, and its simple models."""

from __future__ import annotations

import gzip
import statistics
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.tests.refusals import refuse
from tests.evaluation.games import played
from tests.go.games import random_game, small_network
from tests.shared import shared_path
from yardstone import records
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.evaluation.metrics import log_likelihood
from yardstone.evaluation.splits import rating_labels
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.pool import Pool, SkipReport
from yardstone.ratings.elo import Elo
from yardstone.ratings.glicko import POINTS, Glicko2
from yardstone.records.go_game import DRAWN, UNKNOWN
from yardstone_lab.neubauer import fusion_rows as fusion
from yardstone_lab.neubauer.experiment import games as data
from yardstone_lab.neubauer.experiment import models, questions, sets
from yardstone_lab.neubauer.experiment.configuration import SetSettings
from yardstone_lab.neubauer.experiment.games import Candidate, Decision, FilterReport, Filters
from yardstone_lab.neubauer.experiment.models import Stochastic, fit_pooled, tuned_glicko
from yardstone_lab.neubauer.experiment.questions import hidden_games, predict_hidden
from yardstone_lab.neubauer.moves import Labelled, MoveSets, Pieces, Stores, recent_moves

GOOD = Candidate("1", random_game(3, moves=60), Decision.resigned, 30.0, True)
NINE = Filters(size=9)


def altered(**changes: Any) -> Candidate:
    facts = {name: changes.pop(name) for name in ("decision", "seconds", "ranked") & changes.keys()}
    return replace(GOOD, key="2", game=replace(GOOD.game, **changes), **facts)


def passing_at(move: int) -> Candidate:
    moves = GOOD.game.moves.copy()
    moves[move - 1] = -1
    return altered(moves=moves)


#: One game for each rule, which breaks that rule alone.
BROKEN = {
    "incomplete": altered(winner=UNKNOWN),
    "same player": altered(white=GOOD.game.black),
    "board": replace(GOOD, key="2", game=random_game(5, size=13, moves=60)),
    "handicap": altered(handicap=2),
    "unranked": altered(ranked=False),
    "decision": altered(decision=Decision.forfeited),
    "draw": altered(winner=DRAWN, decision=Decision.counted),
    "clock": altered(seconds=5.0),
    "short": altered(moves=GOOD.game.moves[:19], colours=GOOD.game.colours[:19]),
    "early pass": passing_at(49),
    "illegal": altered(moves=np.repeat(GOOD.game.moves[:1], 60)),
    "repeated": GOOD,
}


def test_each_rule_leaves_out_its_game_says_so_and_can_be_eased() -> None:
    for rule in data.RULES:
        report = FilterReport()
        kept = list(data.filtered([GOOD, BROKEN[rule]], NINE, report))
        assert (kept, report.games, report.kept) == ([GOOD], 2, 1), rule
        assert report.first == report.broken == {rule: 1}
    # A game that breaks several is lost to the first.
    report = FilterReport()
    assert not list(data.filtered([altered(handicap=3, seconds=1.0, ranked=False)], NINE, report))
    assert report.broken == {"handicap": 1, "unranked": 1, "clock": 1}
    lost = {rule["rule"]: rule["lost"] for rule in report.as_dict()["rules"]}
    assert lost == dict.fromkeys(data.RULES, 0) | {"handicap": 1}
    silent = altered(seconds=None)
    assert NINE.failing(silent) == NINE.failing(passing_at(50)) == []
    assert replace(NINE, unknown_clock=False).failing(silent) == ["clock"]
    easy = Filters(
        size=None, even=False, dated=False, seconds=0.0, least_moves=0, ranked=False,
        decisions=tuple(each.value for each in Decision), draws=True, first_pass=0,
    )  # fmt: skip
    report, games = FilterReport(), [replace(game, key=rule) for rule, game in BROKEN.items()]
    kept = list(data.filtered(games, easy, report))
    assert report.first.keys() == {"incomplete", "same player", "illegal", "repeated"}
    assert len(kept) == len(BROKEN) - sum(report.first.values())


def test_how_games_were_decided_and_their_clocks() -> None:
    for decision, results in {
        "counted": ("B+3.5", "w+12", "B+0,5", "0", "Jigo"), "unstated": ("B+",),
        "resigned": ("W+R", "Black + Resign"), "timed out": ("W+Time", "B+T"),
        "forfeited": ("B+Offline", "W+F"), "cancelled": ("Void",),
        "unknown": ("?", "", "B+nan", "B+foo"),
    }.items():  # fmt: skip
        assert {data.decision_of(each).value for each in results} == {decision}, results
    share = 1.0 / data.MOVES_A_PLAYER
    for main, overtime, clock, seconds in (
        ("", "", "30/3 5m", 30 + 300 * share), ("", "", "10/3 0m", 10), ("1270", "", "", 10),
        ("10m", "", "", 600 * share), ("0", "5x30 byo-yomi", "", 30), ("", "+8s", "", 8),
        ("0", "3 x 1m Japanese", "", 60), ("127", "25/600 Canadian", "", 1 + 24),
        ("", "15 stones in 300 s", "", 20), ("60", "10 fischer", "", 60 * share + 10),
        ("600", "none", "", 600 * share), ("", "", "", None), ("", "", "soon", None),
        ("ages", "", "", None), ("600", "as agreed", "", None),
    ):  # fmt: skip
        assert data.seconds_a_move(main, overtime, clock) == pytest.approx(seconds)


def test_a_pool_from_sgf_files(tmp_path: Path) -> None:
    rows = (
        ("Ann", "B+R", 2, "ranked game"), ("Cem", "W+2.5", 1, ""), ("Eve", "B+R", 3, "unranked"),
        ("Dan", "B+R", 3, "Free game"),
    )  # fmt: skip
    games = [
        f"(;SZ[9]PB[{black}]PW[Bob]RE[{result}]DT[2021-05-0{day}]TM[600]OT[3x30 byo-yomi]"
        f"EV[{event}];B[aa];W[bb];B[cc];W[dd])"
        for black, result, day, event in rows
    ]
    (tmp_path / "a.sgf").write_text("\n".join([*games, "(;SZ[99]PB[Bad]PW[Bob]RE[B+R];B[aa])"]))
    source = data.RecordedGames([str(tmp_path)])
    pool, report = data.collect_pool(source, Filters(size=9, least_moves=2, first_pass=0))
    assert [pool.players[k] for k in pool.first] == ["Cem", "Ann"]
    assert pool.score.tolist() == [0.0, 1.0]
    assert pool.columns["key"].tolist() == [f"{tmp_path}/a.sgf#2", f"{tmp_path}/a.sgf"]
    assert pool.columns["decision"].tolist() == ["counted", "resigned"]
    assert pool.columns["moves"].tolist() == [4, 4]
    assert (report.first, report.unread) == ({"unranked": 2}, 1)
    data.save_pool(pool, tmp_path / "pool.npz")
    assert data.load_pool(tmp_path / "pool.npz") == replace(pool, skipped=SkipReport())
    with pytest.raises(NoGamesError, match="4 fell to the rule 'board'"):
        data.collect_pool(source, Filters(size=19))


def test_a_month_of_lists_of_moves_with_a_table(tmp_path: Path) -> None:
    table, columns = tmp_path / "results.tsv", ("game_id", "result", "clock")
    with gzip.open(shared_path("data/go/tygem_2005_2011.tsv.gz"), "rt") as file:
        table.write_text("".join(islice(file, 5001)))
    named = {name: name for name in columns}
    results = records.read(table, columns=named, first="black", times=True)
    moves = [str(shared_path("data/go/tygem_moves/2005-11.zip"))]
    source = data.ListedGames(moves, results, *columns)
    pool, report = data.collect_pool(source, Filters(unknown_clock=False))
    assert (report.games, report.kept, report.unread) == (3710, 3695, 0)
    assert dict(report.first) == {"decision": 15}  # lost because a player went offline
    decided, number = np.unique(pool.columns["decision"], return_counts=True)
    known = {"counted": 1163, "resigned": 2241, "timed out": 291}
    assert dict(zip(decided.tolist(), number.tolist(), strict=True)) == known
    assert pool.time is not None
    assert (np.diff(pool.time.astype(np.int64)) >= 0).all()
    lists = partial(data.ListedGames, [], results, "game_id")
    refuse((lambda: lists(clock="klock"), UsageError, "no column 'klock'"))


def test_exhibition_games_have_all_their_history_known_and_labels_are_kept(tmp_path: Path) -> None:
    pool = played(300, 40, 4)
    assert pool.time is not None
    labels = rating_labels(pool, Glicko2().replay(pool), advance=3)
    known = np.random.default_rng(1).random(len(pool)) < 0.8
    settings = SetSettings(
        training=30, validation=20, test=40, exhibition=-1, newcomer_games=4, least_games=1,
        since=pool.time[100], seed=3,
    )  # fmt: skip
    marked = sets.draw_marks(pool, labels, settings, known)
    fresh = np.flatnonzero(sets.exhibition_games(pool, 4, 1))
    sides = [{first, second} for first, second in zip(pool.first, pool.second, strict=True)]
    slow = [game for game in fresh if all(known[g] for g in range(game) if sides[g] & sides[game])]
    assert np.flatnonzero(marked.of("X")).tolist() == slow
    assert 0 < len(slow) < len(fresh)
    assert min(np.flatnonzero(marked.of(letter)).min() for letter in "TVE") >= 100
    assert [int(marked.of(letter).sum()) for letter in "TVE"] == [30, 20, 40]
    np.testing.assert_array_equal(sets.draw_marks(pool, labels, settings, known).mark, marked.mark)
    path, every = tmp_path / "labels.npz", SetSettings(test=-1)
    sets.save_labels(labels, path)
    back = sets.load_labels(path)
    for name in ("first", "second", "first_ahead", "second_ahead", "advance"):
        np.testing.assert_array_equal(getattr(back, name), getattr(labels, name))
    path.write_bytes(b"no")
    refuse(
        (lambda: sets.load_labels(path), InputError, "no table of labels"),
        (
            lambda: sets.draw_marks(pool, labels, every, known),
            UsageError,
            "only the exhibition set",
        ),
    )


def test_the_network_names_winners_it_is_sure_of() -> None:
    decision = ["resigned", "resigned", "timed out", "resigned", "counted", "resigned"]
    columns: dict[str, Any] = {"key": list("uvwxyz"), "decision": decision}
    pool = Pool.from_names(list("ABCDEF"), list("BCDEFA"), [1, 1, 0, 1, 0, 1], columns=columns)
    rates = {"u": 0.7, "v": 0.55, "w": 0.39, "x": 0.1, "y": 0.01}
    result, report = data.judged_pool(pool, rates)
    assert result.columns["key"].tolist() == ["u", "w", "x", "y"]
    assert result.score.tolist() == [0.0, 1.0, 1.0, 0.0]
    counts = (report.games, report.kept, report.contrary, report.unsure, report.unseen)
    assert counts == (5, 3, 2, 1, 1)
    refuse((lambda: data.judged_pool(pool, rates, sure=0.5), UsageError, r"above 0\.5"))


def test_stores_are_one_and_losses_are_told_by_class(tmp_path: Path) -> None:
    """Two stores that share a game, and one made in another way."""
    net = str(small_network(tmp_path))
    for name, games, komi in (("a", (1, 2), 6.5), ("b", (2, 3), 6.5), ("c", (3,), 7.5)):
        made_of = [random_game(k, moves=10 + k) for k in games]
        settings = ExtractionSettings(net=net, komi=komi)
        extract_features(partial(list, made_of), tmp_path / name, settings)
    both = Stores.open([tmp_path / "a", tmp_path / "b"])
    keys = ["games.sgf#3", "/elsewhere/games.sgf#2", "games.sgf", "games.sgf#9"]
    pieces = both.pieces(keys, "file")
    assert pieces.known.tolist() == [True, True, True, False]
    assert pieces.length.tolist() == [[7, 6], [6, 6], [6, 5], [0, 0]]
    assert pieces.start[:3].tolist() == [[35, 42], [11, 17], [0, 6]]  # of two places the first
    picks = both.gather("pick", np.array([36, 0, 20]))
    np.testing.assert_array_equal(picks[0], both.stores[1].array("pick")[36 - 23])
    np.testing.assert_array_equal(picks[1:], both.stores[0].array("pick")[[0, 20]])
    assert both.kinds == ("head", "pick")
    assert set(both.winrates("file")) == {"games.sgf", "games.sgf#2", "games.sgf#3"}
    other = [tmp_path / "a", tmp_path / "c"]
    refuse(
        (lambda: Stores.open(other), InputError, r"komi is 7.5, but 6.5"),
        (lambda: both.pieces(keys, "hand"), InputError, "by name or file"),
        (lambda: Stores.open([]), InputError, "no store of features is named"),
    )
    ratings = np.array([1000.0, 1320.0, 1900.0, 1950.0])
    head = MoveSets(np.eye(4, 6, 2, np.float32), np.arange(4), np.array([0, 1, 3, 4, 4]))
    losses = models.losses_by_rating(head, ratings, 5)
    assert {name: values.tolist() for name, values in losses.items()} == {
        "10 kyu and below": [0.0], "9 kyu to 1 kyu": [0.0, 0.0, 1.0], "1 dan and above": [],
    }  # fmt: skip
    classes = models.ratings_in_classes(ratings, [1200.0, 5000.0])
    assert list(classes) == ["below 1200", "1200 to 5000"]
    assert list(models.losses_by_rank(both.stores[0], 5)) == ["no rank"]


def by_hand(pool: Pool, system: Glicko2, game: int, last: int) -> float:
    """Each side rated alone, from nothing, by its last games, with a fixed volatility."""
    replay, both = system.replay(pool), (pool.first[game], pool.second[game])
    assert replay.first_deviation is not None
    assert replay.second_deviation is not None
    state: list[float] = []
    for hero, rival in (both, both[::-1]):
        mine = [g for g in range(game) if hero in (pool.first[g], pool.second[g])]
        mu, phi2 = 0.0, (350.0 / POINTS) ** 2
        for g in mine[len(mine) - last :]:
            if pool.first[g] == hero:
                score, other = pool.score[g], pool.second[g]
                theirs, unsure = replay.second_rating[g], replay.second_deviation[g]
            else:
                score, other = 1.0 - pool.score[g], pool.first[g]
                theirs, unsure = replay.first_rating[g], replay.first_deviation[g]
            if other == rival:
                theirs, unsure = 1500.0, 350.0
            flat = 1.0 / np.sqrt(1.0 + 3.0 * (unsure / POINTS / np.pi) ** 2)
            expected = 1.0 / (1.0 + np.exp(-flat * (mu - (theirs - 1500.0) / POINTS)))
            information = flat**2 * expected * (1.0 - expected)
            phi2 = 1.0 / (1.0 / (phi2 + 0.06**2) + information)
            mu += phi2 * flat * (score - expected)
        state += [1500.0 + POINTS * mu, POINTS * phi2**0.5]
    a, da, b, db = state
    return float(system.probability(a, b, da, db))


def test_a_side_with_hidden_games_is_a_newcomer_with_its_last_ones() -> None:
    pool, system, games = played(60, 7, 2), Glicko2(tau=0.0), np.array([59, 20, 45, 3])
    replay = system.replay(pool)
    for last in (0, 1, 3):
        result = predict_hidden(pool, replay, system, hidden_games(pool, games, last))
        wanted = [by_hand(pool, system, game, last) for game in games.tolist()]
        assert result == pytest.approx(wanted if last else [0.5] * 4, abs=1e-6)
    # A side may start from what is known of it.
    rating = np.array([1700.0, 1500.0, np.nan, np.nan])
    known: dict[str, Any] = {"rating": rating, "deviation": np.full(4, 50.0)}
    hidden = hidden_games(pool, np.array([30, 40]), 0)
    result = predict_hidden(pool, replay, system, hidden, **known)
    wanted = [float(system.probability(1700.0, 1500.0, 50.0, 50.0)), 0.5]
    assert result == pytest.approx(wanted)
    pool, elo = Pool.from_names(list("ABAC"), list("BCCA"), [1, 1, 0, 1]), Elo()
    hidden = hidden_games(pool, np.array([False, False, True, True]), 2)
    assert hidden.past.tolist() == [0, 1, 1, 2, 0, 2]
    assert hidden.starts.tolist() == [0, 1, 2, 4, 6]
    refuse(
        (lambda: hidden_games(pool, np.array([0]), -1), UsageError, "cannot be taken"),
        (lambda: predict_hidden(pool, elo.replay(pool), elo, hidden), UsageError, "deviations"),
    )


def head_of(*sides: list[float]) -> MoveSets:
    """Recent moves that lost so many points each."""
    lost = np.array([loss for side in sides for loss in side])
    features = np.zeros((len(lost), 6), np.float32)
    features[:, 5] = 0.1 * lost
    starts = np.concatenate([[0], np.cumsum([len(side) for side in sides])])
    return MoveSets(features, np.arange(len(lost)), starts)


def equation_4_3(black: list[float], white: list[float], moves: float) -> float:
    difference = moves * statistics.fmean(white) - moves * statistics.fmean(black)
    variance = moves * statistics.variance(black) + moves * statistics.variance(white)
    return statistics.NormalDist(0.0, variance**0.5).cdf(difference)


def test_expected_scores_from_points_lost() -> None:
    black, white = [1.0, 0.5, 3.0, -0.2], [2.0, 0.0, 4.0]
    model = Stochastic(moves=127.0, mean=1.0, variance=4.0)
    result = model.expected(head_of(black, white, white, black))
    assert result[0] == pytest.approx(equation_4_3(black, white, 127.0), abs=1e-6)
    assert result[0] + result[1] == pytest.approx(1.0)
    latest = model.expected(head_of(black, white), window=3)
    assert latest[0] == pytest.approx(equation_4_3(black[1:], white, 127.0), abs=1e-6)
    # Of few moves the mean and the variance are those of all games.
    model = Stochastic(moves=100.0, mean=1.5, variance=4.0)
    one = statistics.NormalDist().cdf(100.0 * (1.5 - 0.5) / (100.0 * 8.0) ** 0.5)
    expected = model.expected(head_of([], [], [0.5], [], [1.5], []))
    assert expected == pytest.approx([0.5, one, 0.5], abs=1e-6)
    # Equal losses in every move: the one who loses less is sure to win; equals are even.
    model = Stochastic(moves=100.0, mean=1.0, variance=0.0)
    expected = model.expected(head_of([1.0] * 3, [2.0] * 3, [1.0] * 3, [1.0] * 3))
    assert expected == pytest.approx([1.0, 0.5], abs=1e-3)
    # The constants come from the training games.
    head, lengths = head_of([1.0, 3.0], [2.0], [4.0], [0.0, 2.0]), {"moves": [200, 300, 900]}
    pool = Pool.from_names(list("ABA"), list("BAB"), [1, 0, 1], columns=lengths)
    fitted = Stochastic.fit(head, pool, np.array([True, True, False]))
    wanted = (125.0, 2.0, np.var([1, 3, 2, 4, 0, 2]))
    assert (fitted.moves, fitted.mean, fitted.variance) == pytest.approx(wanted, rel=1e-5)
    one_game, zero = (pool.select(np.array([0])), np.array([True])), np.array([0])
    without = MoveSets(np.zeros((1, 4)), zero, np.array([0, 1, 1]))
    refuse(
        (lambda: Stochastic.fit(head_of([], []), *one_game), InputError, "no moves"),
        (lambda: Stochastic(moves=0.0, mean=1.0, variance=1.0), UsageError, "not a model"),
        (lambda: model.expected(without), InputError, "no head features"),
    )


def made(games: int, seed: int, *, moves: int = 60) -> Labelled:
    """Players whose strength shows, faintly, in two of the features of each move."""
    generator = np.random.default_rng(seed)
    strength = generator.normal(1600.0, 150.0, 2 * games)
    number = generator.integers(0, moves, 2 * games)
    features = generator.normal(size=(int(number.sum()), 6))
    features[:, :2] += np.repeat((strength - 1600.0) / 300.0, number)[:, None]
    starts = np.concatenate([[0], np.cumsum(number)])
    recent = MoveSets(features.astype(np.float32), np.arange(len(features)), starts)
    score = (generator.random(games) < 0.5).astype(np.float32)
    return Labelled(recent, score, strength.reshape(-1, 2))


def test_the_fit_to_means_of_moves_is_ridge_regression() -> None:
    """The weights solve the penalised normal equations; a side without moves is average."""
    games = made(200, 1)
    fitted = fit_pooled(games, made(100, 2))
    number = games.moves.lengths()
    trust = np.where(number > 0, number / (number + fitted.shrinkage), 0.0)
    x = trust[:, None] * (games.moves.means() - fitted.centre) / fitted.spread
    y = games.labels.ravel() - fitted.mean
    gradient = x.T @ (x @ fitted.weights - y) + fitted.penalty * len(y) * fitted.weights
    assert np.abs(gradient).max() < 1e-6 * np.abs(x.T @ y).max()
    nothing = MoveSets(np.zeros((0, 6), np.float32), np.zeros(0, int), np.zeros(3, int))
    assert fitted.ratings(nothing) == pytest.approx([fitted.mean] * 2)
    even = fitted.expected(fitted.ratings(nothing))[0]
    assert even == pytest.approx(1.0 / (1.0 + np.exp(-fitted.intercept)))
    none, still = games.select(np.zeros(0, int)), made(5, 9, moves=1)
    refuse(
        (lambda: fit_pooled(none, games), NoGamesError, "to train on"),
        (lambda: fit_pooled(games, none), NoGamesError, "to validate with"),
        (lambda: fit_pooled(still, games), NoGamesError, "has a recent move"),
        (lambda: fit_pooled(games, games, penalties=[0.0]), UsageError, "penalties"),
    )


def test_tuned_parameters_know_only_games_before_the_sets_if_those_are_asked() -> None:
    pool = played(300, 8, 1, spread=300.0)
    mark = np.full(300, "", "<U1")  # the first exhibition game at once, the other sets later
    mark[3], mark[150::3], mark[151::7] = "X", "T", "E"
    marked, late = sets.Sets(mark), sets.Sets(np.roll(mark, -150))
    other = replace(pool, score=np.where(np.arange(300) >= 150, 1.0 - pool.score, pool.score))
    one, two = (tuned_glicko(each, marked, 6, before=True) for each in (pool, other))
    assert one == two
    # Else they have a say: what is told of them turned round is fitted as well.
    assert tuned_glicko(pool, marked, 6) != tuned_glicko(other, marked, 6)
    refuse((lambda: tuned_glicko(pool, late, 3, before=True), NoGamesError, "before the sets"))


def scattered(games: int, players: int, seed: int) -> tuple[Pool, Pieces]:
    """A pool whose games have some moves each, in rows that lie anywhere."""
    generator = np.random.default_rng(seed)
    pairs = np.array([generator.choice(players, 2, replace=False) for _ in range(games)])
    names = tuple(f"p{k}" for k in range(players))
    pool = Pool(names, pairs[:, 0], pairs[:, 1], generator.integers(0, 2, games).astype(float))
    known = generator.random(games) < 0.9
    length = np.where(known[:, None], generator.integers(0, 6, (games, 2)), 0)
    order = generator.permutation(2 * games)
    start = np.empty(2 * games, np.int64)
    start[order] = np.concatenate([[0], np.cumsum(length.ravel()[order])[:-1]])
    return pool, Pieces(start.reshape(-1, 2), length, known)


@given(st.integers(0, 10_000), st.integers(1, 40), st.sampled_from([None, 0, 1, 3]))
@settings(max_examples=30, deadline=None)
def test_recent_moves_are_those_of_definition_2(seed: int, window: int, last: int | None) -> None:
    pool, pieces = scattered(25, 5, seed)
    chosen = np.random.default_rng(seed).permutation(25)[:7]
    rows, starts = recent_moves(pool, pieces, chosen, window=window, last_games=last)
    for k, game in enumerate(chosen.tolist()):
        for side, player in enumerate((pool.first[game], pool.second[game])):
            past = [
                list(range(begin, begin + pieces.length[earlier, other]))
                for earlier in range(game)
                for other, begin in enumerate(pieces.start[earlier])
                if (pool.first, pool.second)[other][earlier] == player
            ]
            seen = past if last is None else past[max(len(past) - last, 0) :]
            wanted = [move for moves in seen for move in moves][-window:]
            assert rows[starts[2 * k + side] : starts[2 * k + side + 1]].tolist() == wanted


def some_sets(seed: int = 3) -> MoveSets:
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(30, 4)).astype(np.float16)
    return MoveSets(features, generator.integers(0, 30, 33), np.array([0, 5, 5, 8, 20, 21, 33]))


def test_what_is_refused() -> None:
    pool, pieces = scattered(4, 3, 0)
    held, score, labels = some_sets(), np.ones(3, np.float32), np.ones((3, 2))
    games, zero, known = Labelled(held, score, labels), np.zeros((1, 2), int), np.ones(1, bool)
    others = Labelled(some_sets(4), score, labels)
    of_rows = partial(MoveSets, np.zeros((3, 2), np.float32))
    refuse(
        (lambda: recent_moves(pool, pieces, window=0), UsageError, "at least 1 move"),
        (lambda: recent_moves(pool, pieces, last_games=-1), UsageError, "cannot be taken"),
        (lambda: recent_moves(pool.select(np.array([0])), pieces), InputError, "not of this pool"),
        (lambda: Pieces(zero, zero - 1, known), InputError, "fewer than no moves"),
        (lambda: Pieces(zero, np.zeros((2, 2), int), known), InputError, "same games"),
        (lambda: of_rows(np.array([0]), np.array([0, 1])), InputError, "do not go"),
        (lambda: of_rows(np.array([0, 9]), np.array([0, 1, 2])), InputError, "outside"),
        (lambda: of_rows(np.array([0]), np.array([0, 2, 1])), InputError, "fewer"),
        (lambda: held.padded(np.array([0]), window=0), UsageError, "at least 1 move"),
        (lambda: games.normalised(0.0, 0.0), UsageError, "deviation"),
        (lambda: Labelled.joined([games, others]), UsageError, "share"),
        (lambda: Labelled(held, score[:1], labels), InputError, "do not go"),
    )


def test_sets_give_their_latest_moves_means_and_parts() -> None:
    held = some_sets()
    assert (len(held), held.width, held.lengths().tolist()) == (3, 4, [5, 0, 3, 12, 1, 12])
    features, present = held.padded(np.array([1, 3, 4]), window=7)
    assert features.shape == (3, 7, 4)
    assert features.dtype == np.float32
    assert present.sum(axis=1).tolist() == [0, 7, 1]
    np.testing.assert_array_equal(features[1], held.features[held.rows[13:20]].astype(np.float32))
    assert not features[~present].any()
    nothing, absent = held.padded(np.array([1]))
    assert nothing.shape == (1, 1, 4)
    assert not absent.any()
    means = held.means()
    for side in range(6):
        rows = held.rows[held.starts[side] : held.starts[side + 1]]
        mean = held.features[rows].astype(float).mean(axis=0) if len(rows) else np.zeros(4)
        assert means[side] == pytest.approx(mean, abs=1e-12)
    latest = held.features[held.rows[17:20]].astype(float).mean(axis=0)
    assert held.means(window=3)[3] == pytest.approx(latest, abs=1e-12)
    part = held.select(np.array([2, 0]))
    assert part.means() == pytest.approx(means[[4, 5, 0, 1]])
    packed = part.compact()
    assert len(packed.features) == len(np.unique(part.rows))
    np.testing.assert_array_equal(packed.features[packed.rows], part.features[part.rows])
    assert held.select(np.array([True, False, True])).lengths().tolist() == [5, 0, 1, 12]


def test_labels_are_normalised_and_joined() -> None:
    labels = np.array([[1500.0, 1600.0], [1400.0, 1700.0], [1500.0, 1500.0]])
    games = Labelled(some_sets(), np.array([1.0, 0.0, 0.5], np.float32), labels)
    known = (labels.mean(), labels.std(ddof=1))
    assert games.normalisation() == pytest.approx(known)
    assert games.normalised(*known).labels == pytest.approx((labels - known[0]) / known[1])
    both = Labelled.joined([games.select(np.array([1])), games.select(np.array([0, 2]))])
    assert both.labels.tolist() == labels[[1, 0, 2]].tolist()
    assert both.moves.lengths().tolist() == [3, 12, 5, 0, 1, 12]


def test_results_and_moves_predict_better_than_results_and_not_from_the_tests_own() -> None:
    """Players of one class, far closer together than 350 points, some with hidden games."""
    generator = np.random.default_rng(7)
    strength = generator.normal(1500.0, 120.0, 200)
    first = generator.integers(0, 200, 2000)
    second = (first + generator.integers(1, 200, 2000)) % 200
    chance = 1.0 / (1.0 + 10.0 ** ((strength[second] - strength[first]) / 400.0))
    score = (generator.random(2000) < chance).astype(np.float64)
    names = tuple(f"P{player}" for player in range(200))
    pool = Pool(names, first.astype(np.int32), second.astype(np.int32), score)
    game = np.arange(2 * 2000 // 3, 2000)
    tests, last = game[game % 2 == 1], np.full(len(game), questions.EVERYTHING)
    asked = questions.Questions(
        np.concatenate([game, tests]),
        np.concatenate([np.where(game % 2 == 0, "V", "E"), np.full(len(tests), "E")]),
        np.concatenate([last, np.full(len(tests), 2)]),
    )
    both = np.column_stack([pool.first, pool.second])[asked.game]
    ratings = strength[both] + generator.normal(0.0, 70.0, both.shape)
    expected = 1.0 / (1.0 + 10.0 ** ((ratings[:, 1] - ratings[:, 0]) / 400.0))
    moves = np.repeat(np.where(asked.last == 2, 200, 500)[:, None], 2, axis=1)
    given = questions.ExperimentPredictions(asked, score[asked.game], strength[both], both)
    given = given.with_system("Model", expected, ratings)
    system = Glicko2()
    result, prior = fusion.add_fusion(given, pool, system.replay(pool), system, "Model", moves)
    assert prior.base.deviation == pytest.approx(120.0, rel=0.4)
    for part in (asked.of("E"), asked.of("E", 2)):
        likely = {
            name: log_likelihood(result.score[part], result.expected[name][part])
            for name in (fusion.FITTED, "Model", fusion.FUSION, fusion.COMBINATION)
        }
        assert likely[fusion.FUSION] > max(likely[fusion.FITTED] + 0.002, likely["Model"] - 0.002)
        assert likely[fusion.COMBINATION] > likely[fusion.FITTED]
    assert np.isfinite(result.ratings[fusion.FUSION][asked.of("E")]).all()
    assert np.isnan(result.ratings[fusion.FUSION][asked.of("E", 2)]).all()
    assert "Model" in result.about[fusion.COMBINATION]
    turned = replace(pool, score=np.where(np.arange(2000) == tests[-1], 1.0 - score, score))
    replay = system.replay(turned)
    again, prior_again = fusion.add_fusion(given, turned, replay, system, "Model", moves)
    assert prior_again == prior
    for name in (fusion.FITTED, fusion.FUSION, fusion.COMBINATION):
        np.testing.assert_array_equal(again.expected[name], result.expected[name])
    with pytest.raises(NoGamesError, match="set T"):
        fusion.add_fusion(given, pool, replay, system, "Model", moves, learn_from="T")
    system = Glicko2(initial_deviation=111.0)
    assert fusion.fit_start(pool, system, np.arange(2000) < 199) is system


def test_a_combination_finds_its_weights() -> None:
    generator = np.random.default_rng(2)
    logits = generator.normal(0.0, 1.0, (500, 2))
    one, other = 1.0 / (1.0 + np.exp(-logits.T))
    chance = 1.0 / (1.0 + np.exp(-(0.2 + logits @ np.array([0.7, 0.4]))))
    result = fusion.fit_combination(chance, one, other)  # scores as likely as can be
    assert (result.intercept, *result.weights) == pytest.approx((0.2, 0.7, 0.4), abs=0.02)
    assert result.expected(one, other) == pytest.approx(chance, abs=0.01)
    assert fusion.Combination(0.0, (1.0,)).expected([0.3]) == pytest.approx([0.3])
    refuse(
        (lambda: result.expected(one), InputError, ""),
        (lambda: fusion.fit_combination([1.0]), NoGamesError, ""),
    )
    # Predictions that separate wins from losses leave the weights finite.
    apart = fusion.fit_combination([1.0, 1.0, 0.0, 0.0], [0.9, 0.8, 0.2, 0.1])
    assert np.isfinite(apart.weights).all()
