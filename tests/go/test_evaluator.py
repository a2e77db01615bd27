"""Questions to a network: many at a time, kept answers, features of moves, and stores of them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from tests.go.games import random_game, small_network
from yardstone.errors import IgnoredWarning, InputError, NoGamesError, StrictError, UsageError
from yardstone.files import locked
from yardstone.go import evaluation_store, evaluator, feature_store
from yardstone.go.analysis import analyse
from yardstone.go.evaluator import (
    Assessment,
    Evaluator,
    NetworkAnswer,
    NetworkQuestion,
    ask,
)
from yardstone.go.feature_store import FeatureStore
from yardstone.go.features import ExtractionSettings, extract_features, head_features, move_features
from yardstone.go.inputs import encode_game
from yardstone.go.nets.network import Network, load_network
from yardstone.go.rules import NAMED_RULES, TROMP_TAYLOR, Knowledge
from yardstone.parallel import context
from yardstone.pool import Skipped, SkipReport
from yardstone.records.go_game import GoGame

#: Batches differ, and with them the order of sums; features are kept in 16 bits.
ROUNDING = 2e-5
HALF: dict[str, Any] = {"rtol": 2e-3, "atol": 1e-4}


def questions(games: list[GoGame], network: Network) -> list[NetworkQuestion]:
    return list(ask(games, SkipReport(), network, trunk=True))


def answered(network: Network, game: GoGame, *kinds: str) -> NetworkAnswer:
    (answer,) = Evaluator(network, trunk=kinds).answer(questions([game], network))
    return answer


def trunk_of(network: Network, answer: NetworkAnswer) -> Any:
    """The trunk [positions, channels, points] that the network gives to all positions at once."""
    encoded = answer.question.encoded
    whole = network.evaluate(encoded.spatial.astype(np.float32), encoded.globals, trunk=True)
    assert whole.trunk is not None
    return whole.trunk.reshape(len(encoded), network.channels, -1)


def seen(scale: float = 1.0, **changed: Any) -> Assessment:
    """A position of Black to move and one of White's; the third of four points is forbidden."""
    facts: dict[str, Any] = {
        "policy_logits": np.array([[1.0, 2.0, 9.0, 0.0, -1.0]] * 2, np.float32) * scale,
        "value_logits": np.array([[1.0, -1.0, 0.0]] * 2, np.float32) * scale,
        "score": np.array([[4.0, 6.0]] * 2, np.float32), "to_play": np.array([1, 2], np.int8),
        "legal": np.array([[1, 1, 0, 1, 1]] * 2, np.uint8), "without_result": True,
    }  # fmt: skip
    return evaluator.assess(**facts | changed)


def test_both_sides_are_seen_from_white() -> None:
    result = seen()
    weights = np.exp([1.0, -1.0, 0.0])
    win, loss, none = weights / weights.sum()
    # Scores hold for games with a result, so the others count as nothing.
    lead, score = 4.0 * (1 - none), 6.0 * (1 - none)
    for name, black, white in (
        ("white_win", loss, win), ("white_loss", win, loss), ("no_result", none, none),
        ("white_lead", -lead, lead), ("white_score", -score, score),
        ("white_expected", loss + none / 2, win + none / 2),
    ):  # fmt: skip
        assert getattr(result, name) == pytest.approx([black, white]), name
    # The policy is shared by the legal moves.
    weights = np.exp([1.0, 2.0, 0.0, -1.0])
    assert np.isnan(result.policy[:, 2]).all()
    assert result.policy[0, [0, 1, 3, 4]] == pytest.approx(weights / weights.sum())
    # Where each game has a result the third value means nothing.
    ended = seen(without_result=False)
    assert ended.no_result.tolist() == [0.0, 0.0]
    assert ended.white_win[1] == pytest.approx(1.0 / (1.0 + np.exp(-2.0)))
    assert ended.white_lead.tolist() == [-4.0, 4.0]
    huge = seen(1e5)
    assert (huge.policy[0, 1], huge.white_loss[0]) == (1.0, 1.0)
    for name in ("japanese", "chinese", "aga", "tromp-taylor"):
        can = evaluator.can_end_without_result(NAMED_RULES[name])
        assert can is (name in ("japanese", "chinese"))
    assert evaluator.can_end_without_result(replace(TROMP_TAYLOR, scoring="territory"))


def test_equal_positions_are_evaluated_once(network: Network) -> None:
    """Forgetting costs time and changes nothing; few questions are held at a time."""
    game = random_game(3, moves=12)
    remembering = Evaluator(network, trunk=("pick",), batch=8)
    forgetful = Evaluator(network, trunk=("pick",), batch=8, memory=0)
    asked = questions([game, random_game(4, moves=5), game], network)
    answers = list(remembering.answer(asked))
    assert (remembering.asked, remembering.evaluated) == (13 + 6 + 13, 13 + 6 - 3)
    first, _, second = answers
    np.testing.assert_array_equal(first.assessment.policy, second.assessment.policy)
    for one, other in zip(answers, forgetful.answer(asked), strict=True):  # equal before a move
        np.testing.assert_allclose(one.features["pick"], other.features["pick"], **HALF)
    assert forgetful.evaluated > remembering.evaluated
    # The batch of a size of board that comes only once does not fill.
    many = iter(questions([random_game(1, size=7, moves=3), *[game] * 700], network))
    assert next(Evaluator(network).answer(many)).question.about.game.size == 7
    assert len(list(many)) > 160


def test_what_else_could_have_been_played(network: Network) -> None:
    """The trunk after the move, and at the five other points of greatest policy."""
    game = random_game(5, moves=30)
    answer = answered(network, game, "after", "candidates")
    trunk = trunk_of(network, answer)
    for move, point in enumerate(game.moves.tolist()):
        after, others = (answer.features[kind][move] for kind in ("after", "candidates"))
        np.testing.assert_allclose(after, trunk[move + 1][:, point], **HALF)
        policy = answer.assessment.policy[move, :-1].copy()
        policy[point] = np.nan
        best = np.argsort(-np.nan_to_num(policy), kind="stable")[:5]
        np.testing.assert_allclose(answer.features["chances"][move], policy[best], rtol=2e-3)
        np.testing.assert_allclose(others, trunk[move][:, best].T, **HALF)
    encoded = encode_game(9, moves=game.moves, komi=6.5, positions=[4, 7])
    question = NetworkQuestion(encoded, TROMP_TAYLOR, game.moves[[4, 7]].astype(np.int16))
    with pytest.raises(UsageError, match="the position that follows"):
        list(Evaluator(network, trunk=("after",)).answer([question]))
    # A small board has candidates without a chance.
    encoded = encode_game(2, moves=[0, 3], komi=0.5)
    question = NetworkQuestion(encoded, TROMP_TAYLOR, np.array([0, 3, -1], np.int16))
    (answer,) = Evaluator(network, trunk=("candidates",)).answer([question])
    chances, others = answer.features["chances"], answer.features["candidates"]
    assert chances.shape == (2, 5)
    assert (chances[0] > 0).tolist() == [True] * 3 + [False] * 2
    assert ((others != 0).any(axis=2) == (chances > 0)).all()


def test_what_cannot_be_asked(
    net_file: Path, network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    for settings, message in (({"trunk": ("tree",)}, "no features"), ({"batch": 0}, "at least 1")):
        with pytest.raises(UsageError, match=message):
            Evaluator(network, **settings)
    for point, where in ((-1, "pass"), (80, "J1"), (81, "outside the board")):
        assert evaluator.illegal_move(1, point, 1, 9) == f"move 2 is illegal (Black {where})"
    some = SkipReport()
    with pytest.raises(NoGamesError, match="there are no games"):
        evaluator.require_games(0, some)
    some.add(Skipped("a.sgf", 3, "torn"))
    evaluator.require_games(1, some)
    with pytest.raises(NoGamesError, match=r"a\.sgf:3: no game can be used: torn"):
        evaluator.require_games(0, some)
    with pytest.raises(StrictError, match=r"a\.sgf:3: torn"):
        evaluator.require_games(1, some, strict=True)
    # A network that does not know everything.
    known = {network.sha256: Knowledge("small", TROMP_TAYLOR, (5.5, 7.5), 9)}
    monkeypatch.setattr("yardstone.go.nets.network.KNOWLEDGE", known)
    small = load_network(net_file, threads=1)
    chinese = replace(random_game(1, moves=3), rules="chinese")
    skipped = SkipReport()
    games = [chinese, random_game(1, size=7, moves=3), replace(chinese, komi=8.5)]
    (question,) = ask(games, skipped, small)
    assert question.rules == TROMP_TAYLOR
    assert question.about.conditions.remark == "small does not know chinese rules"
    assert len(skipped) == 2
    with pytest.raises(UsageError, match="random-10-1 is asked under chinese rules"):
        list(Evaluator(small).answer([replace(question, rules=NAMED_RULES["chinese"])]))


def test_the_six_head_features_by_hand() -> None:
    """A game of two moves on a board of four points."""
    policy = np.array([[0.5, 0.2, 0.1, 0.1, 0.1], [np.nan, 0.4, 0.3, 0.2, 0.1], [0.2] * 5])
    result = Assessment(
        white_win=np.array([0.4, 0.6, 0.3], np.float32),
        white_loss=np.array([0.6, 0.4, 0.7], np.float32), no_result=np.zeros(3, np.float32),
        white_lead=np.array([-1.0, 2.0, -3.0], np.float32), white_score=np.zeros(3, np.float32),
        policy=policy.astype(np.float32), to_play=np.array([1, 2, 1], np.int8),
    )  # fmt: skip
    head = head_features(result, np.array([1, 2], np.int8), np.array([1, 2], np.int16))
    black = [0.4 - 0.5, -2.0 * 0.1, 0.2 - 0.5, 0.5 - 0.5, 0.6 - 0.4, (1.0 + 2.0) * 0.1]
    white = [0.3 - 0.5, -3.0 * 0.1, 0.3 - 0.5, 0.4 - 0.5, 0.6 - 0.3, (2.0 + 3.0) * 0.1]
    assert head == pytest.approx(np.array([black, white]), abs=1e-6)
    assert head.dtype == np.float32


def test_features_of_a_game(network: Network) -> None:
    game = random_game(4, moves=21, passes=2)
    answer = answered(network, game, "pick", "mean", "trunk")
    result = move_features(answer)
    assert result.number.tolist() == [*range(1, 22, 2), *range(2, 22, 2)]
    assert result.colour.tolist() == [1] * 11 + [2] * 10
    assert result.point.tolist() == game.moves[result.number - 1].tolist()
    trunk = trunk_of(network, answer)[result.number - 1]
    picked = trunk[np.arange(21), :, result.point]
    for kind, values in (("pick", picked), ("mean", trunk.mean(axis=2)), ("trunk", trunk)):
        made = result.features[kind]
        np.testing.assert_allclose(made.reshape(values.shape), values, rtol=2e-3, atol=1e-3)
    end = answered(network, replace(game, moves=game.moves[:21], colours=game.colours[:21]))
    assert result.white_lead == pytest.approx(float(end.assessment.white_lead[-1]), abs=1e-4)
    assert result.white_winrate == pytest.approx(end.assessment.white_expected[-1], abs=1e-5)
    empty = move_features(answered(network, random_game(1, moves=0), "pick"))
    shapes = empty.features["head"].shape, empty.features["pick"].shape
    assert shapes == ((0, 6), (0, network.channels))
    with pytest.raises(ValueError, match="did not ask for features"):
        move_features(next(Evaluator(network).answer(ask([game], SkipReport(), network))))
    # White takes a ko back at once, which has no features: such records exist.
    #   . B W .     Black 4 takes White's stone at 5 …
    #   B W . W
    #   . B W .
    moves = np.array([1, 2, 4, 7, 9, 10, 15, 5, 6, 5], np.int16)
    colours = np.array([1, 2] * 5, np.int8)
    answer = answered(network, replace(game, size=4, moves=moves, colours=colours), "pick")
    assert answer.question.encoded.breaches.tolist() == [9]
    result = move_features(answer)
    assert sorted(result.number.tolist()) == [*range(1, 10)]
    assert np.isfinite(result.features["head"]).all()


GAMES = 6
KINDS = ("pick", "mean", "candidates")


def run(
    store: Path, net: Path, games: int = GAMES, workers: int = 1, **changed: Any
) -> FeatureStore:
    """Extract features of so many games, two at a time."""
    settings = replace(ExtractionSettings(net=str(net), trunk=KINDS, batch=2), **changed)
    made = [random_game(k, moves=30) for k in range(games)]
    with context(workers=workers):
        return extract_features(lambda: made, store, settings)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, net_file: Path) -> Path:
    """A store made in one go, by this process."""
    store = tmp_path_factory.mktemp("whole") / "store"
    run(store, net_file)
    return store


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory, net_file: Path) -> Path:
    """A store that was stopped when all its parts were there."""
    store = tmp_path_factory.mktemp("parts") / "store"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("yardstone.go.features.merge", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run(store, net_file)
    with pytest.raises(InputError, match="not complete"):
        FeatureStore.open(store)
    return store


def contents(store: Path) -> dict[str, bytes]:
    return {str(p.relative_to(store)): p.read_bytes() for p in store.rglob("*") if p.is_file()}


def test_what_is_stored_is_what_the_network_says(whole: Path, network: Network) -> None:
    store = FeatureStore.open(whole)
    assert store.kinds == ("head", "pick", "candidates", "mean", "chances")
    pick = store.array("pick")
    assert (len(store), pick.shape, pick.flags.writeable) == (GAMES, (GAMES * 30, 16), False)
    games = [random_game(k, moves=30) for k in range(GAMES)]
    asked = ask(games, SkipReport(), network, rules=TROMP_TAYLOR, trunk=True)
    for place, answer in enumerate(Evaluator(network, trunk=KINDS).answer(asked)):
        wanted = move_features(answer)
        for kind in store.kinds:
            np.testing.assert_allclose(store.features(place, kind), wanted.features[kind], **HALF)
        end = [store.games[name][place] for name in ("white_winrate", "white_lead")]
        assert end == pytest.approx([wanted.white_winrate, wanted.white_lead], abs=1e-3)
        black = store.features(place, "head", 1)
        np.testing.assert_array_equal(black, store.features(place, "head")[:15])
        np.testing.assert_array_equal(store.array("point")[store.rows(place)], wanted.point)
        assert store.array("number")[store.rows(place, 2)].tolist() == list(range(2, 31, 2))
    table = store.games
    assert table["game"].tolist() == table["line"].tolist() == list(range(GAMES))
    for column, value in {"name": "", "rules": "tromp-taylor", "komi": 6.5, "moves": 30}.items():
        assert set(table[column].tolist()) == {value}
    assert (table["black"][4], table["date"][3]) == ("Player 1", np.datetime64("2024-01-04"))
    # Players have their games in the order of time: games 0 and 5 were played on one day.
    assert store.players["Player 2"] == [(5, 1), (2, 1)]
    assert store.players["Player 4"] == [(5, 2), (1, 2), (3, 2)]
    with pytest.raises(UsageError, match="no 'number'"):
        store.features(0, "number")
    with pytest.raises(UsageError, match="not a colour"):
        store.rows(0, 3)


def test_any_number_of_workers_gives_the_same_bytes(
    whole: Path, parts: Path, net_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "store", net_file, workers=2)
    assert contents(tmp_path / "store") == contents(whole)
    # So does one that goes on after a stop. What was done before is not done again.
    store = tmp_path / "stopped"
    shutil.copytree(parts, store)
    (store / "parts" / "00000001.npz").unlink()
    kept = {path: path.stat().st_mtime_ns for path in (store / "parts").glob("*.npz")}
    assert len(kept) == 2
    merge = feature_store.merge

    def looking(*arguments: Any) -> Any:
        assert {path: path.stat().st_mtime_ns for path in kept} == kept
        return merge(*arguments)

    monkeypatch.setattr("yardstone.go.features.merge", looking)
    run(store, net_file)
    assert contents(store) == contents(whole)


@pytest.mark.parametrize("step", [1, 12, 17, 33, 35, 41, 42])
def test_a_kill_while_parts_are_put_together(
    step: int, whole: Path, parts: Path, net_file: Path, tmp_path: Path
) -> None:
    """Three parts of eight arrays each are copied and emptied, and the arrays renamed."""
    store, steps = tmp_path / "store", count(1)
    shutil.copytree(parts, store)

    def stopping(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*arguments: Any) -> Any:
            if next(steps) == step:
                raise KeyboardInterrupt
            return change(*arguments)

        return changed

    with pytest.MonkeyPatch.context() as patch:
        for place, name in ((feature_store, "_copy"), (Path, "replace"), (Path, "rename")):
            patch.setattr(place, name, stopping(getattr(place, name)))
        with suppress(KeyboardInterrupt):
            run(store, net_file)
    run(store, net_file)
    assert contents(store) == contents(whole)


def test_other_games_or_settings_are_refused(whole: Path, net_file: Path, tmp_path: Path) -> None:
    store = tmp_path / "whole"
    shutil.copytree(whole, store)
    assert len(run(store, net_file, trunk=("mean", "candidates", "pick"))) == GAMES
    said = json.loads((store / "store.json").read_text())
    # An earlier store, which does not say, was made with one symmetry.
    del said["symmetries"]
    (store / "store.json").write_text(json.dumps(said))
    before = contents(store)
    rows: list[tuple[dict[str, Any], str]] = [
        ({"games": GAMES - 1}, "other games"),
        ({"komi": 7.0}, "another setting: komi is None, not 7"),
        ({"symmetries": 2}, "another setting: symmetries is 1, not 2"),
    ]
    for changed, message in rows:
        with pytest.raises(InputError, match=message):
            run(store, net_file, **changed)
    assert contents(store) == before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").touch()
    with pytest.raises(InputError, match="something else"):
        run(tmp_path / "other", net_file)
    (tmp_path / "store" / "parts").mkdir(parents=True)
    with (
        locked(tmp_path / "store", "making this store", name="parts/lock"),
        pytest.raises(InputError, match="another process"),
    ):
        run(tmp_path / "store", net_file, 2)


def test_damaged_stores(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a store"):
        FeatureStore.open(tmp_path)
    pick = (whole / "pick.npy").read_bytes()
    about = json.loads((whole / "store.json").read_text())
    some = [json.dumps({**about, "games": number}).encode() for number in (2**64, -1, "2")]
    damage: dict[str, tuple[str, list[bytes]]] = {
        "cannot be read": ("store.json", [b"", b"{"]),
        "another version": ("store.json", [b"[]", b'{"format": 1}']),
        "damaged": ("store.json", [b'{"format": 2, "complete": true}', *some]),
        "180 rows in place of 7": ("store.json", [json.dumps({**about, "moves": 7}).encode()]),
        r"pick\.npy": ("pick.npy", [b"", pick[:50], pick[:-1]]),
        r"games\.csv": ("games.csv", [b"file,game\na,b\n"]),
    }
    folder = tmp_path / "s"
    shutil.copytree(whole, folder)
    for message, (name, pieces) in damage.items():
        for data in pieces:
            (folder / name).write_bytes(data)
            with pytest.raises(InputError, match=message):
                FeatureStore.open(folder).games  # noqa: B018
        shutil.copy(whole / name, folder)


def test_games_that_cannot_be_used_are_left_out(net_file: Path, tmp_path: Path) -> None:
    good = random_game(1, size=7, moves=6)
    taken = replace(good, moves=np.array([3, 3], np.int16), colours=np.array([1, 2], np.int8))
    stones = replace(good, setup_black=np.array([500], np.int16))
    games = [taken, good, stones, replace(good, size=25), random_game(1, size=5, moves=6)]
    settings = ExtractionSettings(net=str(net_file), trunk=("trunk",), size=7)
    store = extract_features(lambda: games, tmp_path / "s", settings)
    assert (len(store), store.settings["skipped"]) == (1, 4)
    _, first, _, _, last = (tmp_path / "s" / "skipped.csv").read_text().splitlines()
    assert first == "games.sgf,1,move 2 is illegal (White D7)"
    assert "the board is 5x5" in last
    np.testing.assert_array_equal(store.array("point")[:2], good.moves[[0, 2]])
    # A store of nothing: all games are left out. None at all is an error.
    empty = extract_features(lambda: games[4:], tmp_path / "e", settings)
    assert (empty.array("trunk").shape, empty.players) == ((0, 16, 7, 7), {})
    with pytest.raises(NoGamesError):
        extract_features(list[GoGame], tmp_path / "t", settings)
    for changed, message in (
        ({"size": None}, "boards of one size"), ({"symmetries": 9}, "symmetries is 9"),
        ({"batch": 0}, "at least 1"), ({"trunk": ("head",)}, "no features head"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            replace(settings, **changed)


ALL_KINDS = ("pick", "after", "candidates", "mean")


@pytest.fixture(scope="module")
def games() -> list[GoGame]:
    return [random_game(k, size=5 + 2 * (k % 3), moves=8) for k in range(4)]


@pytest.fixture
def load(net_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Network]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("YARDSTONE_CACHE", "10MB")
    return lambda: load_network(net_file, threads=1, cache=True)


def answers(
    network: Network, games: list[GoGame], kinds: tuple[str, ...] = ALL_KINDS
) -> tuple[list[NetworkAnswer], int]:
    evaluator = Evaluator(network, trunk=kinds)
    result = list(evaluator.answer(ask(games, SkipReport(), network, trunk=True)))
    return result, evaluator.evaluated


def facts(answers: list[NetworkAnswer]) -> list[Any]:
    return [(asdict(each.assessment), each.features) for each in answers]


def test_the_next_run_says_the_same_without_the_network(
    load: Callable[[], Network], network: Network, games: list[GoGame], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    first, three = answers(load(), games[:3])
    _, alone = answers(network, games[3:])
    second, evaluated = answers(load(), games)
    assert 0 < evaluated <= alone < three, "one more game costs that game only"
    np.testing.assert_equal(facts(first), facts(second[:3]))
    third, evaluated = answers(load(), games)
    assert evaluated == 0
    np.testing.assert_equal(facts(second), facts(third))
    other = load_network(small_network(tmp_path, seed=9), threads=1, cache=True)
    assert answers(other, games[:1])[1] > 0, "each network has its own"
    # So it is with a search.
    losses = analyse(games[2], load()).losses
    again = load()
    monkeypatch.setattr(again, "evaluate", lambda *_, **__: pytest.fail("the network was asked"))
    assert analyse(games[2], again).losses.points.tobytes() == losses.points.tobytes()


def test_other_inputs_have_other_keys(network: Network) -> None:
    planes = np.random.default_rng(1).integers(0, 2, (22, 9, 9)).astype(np.float32)
    numbers = np.zeros((1, 19), np.float32)

    def key(spatial: Any, numbers: Any = numbers) -> bytes:
        (named,) = evaluation_store.inputs_keys(network, spatial[None], numbers)
        return named

    same = {key(planes.astype(kind)) for kind in (np.uint8, np.float64)}
    assert len(same) == 1
    others: list[Any] = [planes / 2, planes * 2, 1 - planes, planes.reshape(22, 27, 3)]
    keys = [key(each) for each in others]
    assert len({*same, *keys, key(planes, numbers + 1)}) == 6
    together = np.stack([planes, *others[:3]])
    named = evaluation_store.inputs_keys(network, together, np.repeat(numbers, 4, axis=0))
    assert named == [*same, *keys[:3]]


def test_a_store_of_bounded_size_forgets_what_was_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [k.to_bytes(16, "big") for k in range(500)]
    for start in range(0, 500, 50):
        monkeypatch.setattr(evaluation_store, "_today", lambda now=start: 100 + now)
        store = evaluation_store.EvaluationStore(tmp_path / "a.sqlite", 1 << 18)
        store.get(keys[:20])
        for key in keys[start : start + 50]:
            store.put(key, bytes(1000))
        store.close()
    store = evaluation_store.EvaluationStore(tmp_path / "a.sqlite", 1 << 18)
    result = store.get(keys)
    store.close()
    assert {*keys[:20], *keys[-50:]} <= set(result)  # the first were used every day
    assert 100 < len(result) < 300
    assert (tmp_path / "a.sqlite").stat().st_size < 1.5 * (1 << 18)
    # What was kept by a wrong clock, years ahead, does not drive out what is used today.
    store = evaluation_store.EvaluationStore(tmp_path / "clock.sqlite", 100_000)
    for now, some in ((40_000, keys[:20]), (20_000, keys[20:40])):
        monkeypatch.setattr(evaluation_store, "_today", lambda now=now: now)
        for key in some:
            store.put(key, bytes(4000))
            store.flush()
    assert store.get(keys[35:40]).keys() == set(keys[35:40])
    assert len(store.get(keys[:20])) < len(store.get(keys[20:40]))
    store.close()


def test_a_damaged_file_is_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.sqlite"

    def opened() -> evaluation_store.EvaluationStore:
        return evaluation_store.EvaluationStore(file, 1 << 20)

    for damage in (b"no database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000):
        file.write_bytes(damage)
        with pytest.warns(IgnoredWarning, match="damaged and were thrown away"):
            store = opened()
        store.put(b"k", b"value")
        store.close()
        store = opened()
        assert store.get([b"k"]) == {b"k": b"value"}
        store.close()
    # Where another writes for long what was to be written is lost, and no harm done.
    connect = sqlite3.connect
    with closing(connect(file)) as base, base, monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda file, **_: connect(file, timeout=0))
        store = opened()
        base.execute("BEGIN IMMEDIATE")
        store.put(b"b", b"2")
        store.flush()
        assert store.get([b"b", b"k"]) == {b"k": b"value"}
    store.close()
    # Damage within the file is no value, or no file.
    with closing(connect(file)) as base, base:
        base.execute("UPDATE answer SET value = value || x'00'")
    store = opened()
    assert store.get([b"k"]) == {}
    store.close()
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    store = opened()
    with pytest.warns(IgnoredWarning, match="damaged and were thrown away"):
        assert store.get([b"k"]) == {}
    store.put(b"k", b"value")
    store.close()
    assert (store.works, file.exists()) == (False, False)


def test_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert evaluation_store.evaluations_folder() == tmp_path / "yardstone" / "evaluations"
    sizes = {"": 1 << 30, "off": 0, "no": 0, "0": 0, "1.5k": 1536, "3": 3, "500 MB": 500 << 20}
    for text, size in (sizes | {"2g": 2 << 30, "1TiB": 1 << 40}).items():
        monkeypatch.setenv("YARDSTONE_CACHE", text)
        assert evaluation_store.size_limit() == size
        assert size or evaluation_store.open_store() is None
    monkeypatch.setenv("YARDSTONE_CACHE", "much")
    with pytest.raises(UsageError, match="YARDSTONE_CACHE is 'much'"):
        evaluation_store.size_limit()
    # Where nothing can be written nothing is kept.
    (tmp_path / "file").write_text("no folder")
    assert evaluation_store.open_store(tmp_path / "file" / "a.sqlite", 1 << 20) is None
