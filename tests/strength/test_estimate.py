"""What an estimate says of a player and the others in the same games, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.shared import shared_path
from tests.strength.estimate_cases import Case, game
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.examples import example
from yardstone.go import losses
from yardstone.go.losses import LossEffort
from yardstone.go.nets import load_network
from yardstone.go.nets.store import INCLUDED, add_network, file_sha256
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.strength.calibration import Calibration
from yardstone.strength.estimation import (
    StrengthEstimate,
    estimate_everyone,
    estimate_player,
    estimate_players,
)
from yardstone.strength.estimation import estimate as offline_estimate
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.intervals import IntervalTable
from yardstone.strength.model import StrengthModel, default_model
from yardstone.strength.players import AmbiguousPlayerError, evaluate_games, model_network
from yardstone.strength.site_scales import (
    EDGES,
    RANKS,
    SITE_SCALES,
    SiteScale,
    group_probabilities,
    parts_on_scale,
    plain_on_scale,
    site_scale,
)
from yardstone.strength.strengths import FEWEST_MOVES, PARTS, Rated


@cache
def usual() -> list[GoGame]:
    return [
        game(11, "Anna", "Bob", day=3),
        game(12, "Cid", "anna", day=1),
        game(13, "Anna", "Dora"),
        game(14, "Eve", "Anna", day=2, moves=90),
    ]


def estimate(
    case: Case, games: list[GoGame], player: str | None = None, **settings: Any
) -> StrengthEstimate:
    return estimate_player(games, player, **{"net": case.network, "model": case.model, **settings})


@pytest.fixture(scope="module")
def estimated(case: Case) -> StrengthEstimate:
    return estimate(case, usual())


def test_the_result_is_plain_and_its_rating_the_models(
    case: Case, estimated: StrengthEstimate
) -> None:
    found = estimated.as_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["format"], found["player"], found["level"]) == (3, "Anna", 0.9)
    assert (found["scale"], found["network"], found["model"]) == ("fox", "random-10-1", "tiny")
    assert (found["games"], found["moves"]) == (4, 32 + 32 + 32 + 45)
    assert [each["rank"] for each in found["probabilities"]] == list(RANKS)
    phases = [(part["phase"], part["moves"]) for part in found["phases"]]
    assert phases == [("opening", 4 * 25), ("middle game", 3 * 7 + 20), ("endgame", 0)]
    # Games stand in the order of their dates.
    by_game = found["by_game"]
    assert [each["file"] for each in by_game] == ["12.sgf", "14.sgf", "11.sgf", "13.sgf"]
    assert {name: by_game[0][name] for name in ("opponent", "colour", "date", "result", "won")} == {
        "opponent": "Cid", "colour": "white", "date": "2024-03-02", "result": "B+R", "won": "loss",
    }  # fmt: skip
    assert (by_game[0]["numbers"], by_game[3]["date"]) == (list(range(2, 65, 2)), None)
    seen = list(evaluate_games(usual(), case.network, skipped=SkipReport()))
    evidence = evidence_of_games([each.features for each in seen], [BLACK, WHITE, BLACK, WHITE])
    score = case.model.score(evidence)
    assert found["rating"] == pytest.approx(score.mean, abs=0.006)
    probabilities = [each["probability"] for each in found["probabilities"]]
    assert probabilities == pytest.approx(score.probabilities.tolist(), abs=1e-3)
    density = case.model.scale().density(case.model.game_statistics(evidence).sum(axis=0))
    interval = IntervalTable.plain(EDGES).interval(density, len(evidence), 0.9)
    assert (found["low"], found["high"]) == pytest.approx(interval, abs=0.006)
    for name in ("rating", "low", "high"):  # of each game alone, and so far
        assert by_game[-1]["running"][name] == found[name]
        assert by_game[0]["running"][name] == by_game[0][name]
    two = estimate(case, [usual()[1], usual()[3]], "ANNA").as_dict()
    assert two["rating"] == pytest.approx(by_game[1]["running"]["rating"], abs=0.01)
    assert two["by_game"][1]["rating"] == pytest.approx(by_game[1]["rating"], abs=0.01)


def test_moves_are_scored_once_for_all_that_is_said_of_them(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[Any] = []
    score = type(case.model.scorer).move_shares

    def counted(scorer: Any, evidence: Any) -> Any:
        scored.append(evidence)
        return score(scorer, evidence)

    monkeypatch.setattr(type(case.model.scorer), "move_shares", counted)
    estimate(case, usual())
    assert len(scored) == 1


def test_one_more_game_asks_of_that_game_only(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("YARDSTONE_CACHE", "50MB")
    # The random network is sure of everything, and to it hardly a move matters.
    monkeypatch.setattr(losses, "DECIDED", 1.0)
    monkeypatch.setattr(losses, "_ANSWER_WEIGHT", 1e4)

    def asked(games: list[GoGame], *, cache: bool = True) -> int:
        """Positions that the network is asked about."""
        network = model_network(case.model, case.file, threads=1, cache=cache)
        evaluate, positions = network.evaluate, []

        def counted(spatial: Any, numbers: Any, **settings: bool) -> Any:
            positions.append(len(spatial))
            return evaluate(spatial, numbers, **settings)

        monkeypatch.setattr(network, "evaluate", counted)
        estimate(case, games, "Anna", net=network, effort=LossEffort(share=2.0))
        return sum(positions)

    one, more = usual()[:1], [game(15, "Anna", "Bob")]
    alone = asked(more, cache=False)
    assert alone > 65  # searches too
    assert asked(one) > 0
    assert 32 < asked(one + more) <= alone
    assert asked(one + more) == 0


CLUB = SiteScale("Club", "Club", lambda fox: 100.0 * fox + 1000.0, None, 0.5, 0, "made")


@pytest.mark.parametrize(
    ("scale", "names", "borders"),
    [
        ("fox", "3-5k 1-2k 1d 2d 3d 4d 5d 6d 7d 8d 9d", [-1, *range(1, 10)]),
        ("ogs", "≤26k 21-25k 16-20k 11-15k 6-10k 1-5k 1-2d ≥3d",
         [652, 809, 1004, 1246, 1546, 1918, 2092]),
        ("egf", "≤7k 5-7k 4-5k 3-4k 2-3k 1-2k 1k-1d 1-2d 2-3d 3-4d ≥4d",
         [1400, *range(1600, 2500, 100)]),
        (CLUB, "below-900 900–1100 1100–1200 1200–1300 1300–1400 1400–1500 1500–1600 1600–1700 "
         "1700–1800 1800–1900 from-1900", [900, *range(1100, 2000, 100)]),
    ],
)  # fmt: skip
def test_groups_on_every_scale(scale: str | SiteScale, names: str, borders: list[float]) -> None:
    shares = [0.0] * len(borders) + [0.123456]
    groups = group_probabilities(site_scale(scale), shares)
    assert [each["rank"].replace(" ", "-") for each in groups] == names.split()
    assert [each["low"] for each in groups] == [None, *borders]
    assert [each["high"] for each in groups] == [*borders, None]
    assert [each["probability"] for each in groups] == [*shares[:-1], 0.1235]


def changed(
    estimate: StrengthEstimate,
    *,
    days: tuple[str, str] = ("2023-01-01", "2023-02-01"),
    shares: tuple[float, float] = (0.0, 0.0),
    **whole: Any,
) -> StrengthEstimate:
    """The estimate with other facts on Fox: of all moves, of the outer groups, of two games."""
    fox = estimate.measured["fox"]
    rated = Rated(**{"rating": 3.0, "low": 2.0, "high": 4.0, "moves": 141, **whole})
    probabilities = np.array([shares[0], *[0.0] * 9, shares[1]])
    games = []
    for each, day in zip(fox.games, (*days, "NaT", "NaT"), strict=True):
        seen = each.evaluated
        dated = replace(seen.game, date=np.datetime64(day, "s"))
        games.append(replace(each, evaluated=replace(seen, game=dated)))
    own = replace(fox, whole=rated, probabilities=probabilities, games=tuple(games))
    ogs = replace(estimate.measured["ogs"], whole=Rated(-3.0, -4.0, -2.0, 141))
    return replace(
        estimate, measured={"fox": own, "ogs": ogs}, basis="fox", scale=SITE_SCALES["fox"]
    )


@pytest.mark.parametrize(
    ("facts", "words", "there"),
    [
        ({"moves": 99}, "rests on 99 moves only", True), ({"moves": 100}, "moves only", False),
        ({"shares": (0.2, 0.0)}, "Players of 3k and weaker at Fox all look alike", True),
        ({"shares": (0.199, 0.0)}, "all look alike", False), ({"low": None}, "look alike", True),
        ({"low": None, "unlikely": True}, "all look alike", False),
        ({"low": None, "unlikely": True}, "look like those of nobody at Fox", True),
        ({"shares": (0.0, 0.2)}, "9 dan is the highest rank", True),
        ({"shares": (0.0, 0.199)}, "9 dan is the highest rank", False),
        ({"days": ("2022-01-01", "2024-01-01")}, "from 2022 to 2024", True),
        ({"days": ("2022-01-01", "2023-12-31")}, "not of today", False),
        ({}, "its own opinion: they were not checked", True), ({}, "scale", False),
    ],
)  # fmt: skip
def test_notes_say_what_the_reader_must_know(
    estimated: StrengthEstimate, facts: dict[str, Any], words: str, there: bool
) -> None:
    notes = changed(estimated, **facts).notes
    assert any(words in note for note in notes) == there, notes


def same_model(case: Case, **card: Any) -> StrengthModel:
    """The case's model with a card of its own."""
    model = case.model
    return StrengthModel(model.scorer, list(model.scales.values()), {**model.card, **card})


def test_the_table_of_intervals_of_the_model_is_used(case: Case) -> None:
    """Each scale has tables of its own: what was checked on one says nothing of the other."""
    table = IntervalTable.plain(EDGES)
    sure = replace(table, at=np.full_like(table.at, 0.5)).as_dict()
    model = same_model(case, intervals={"fox": dict.fromkeys(PARTS, sure)})
    games = usual()[:1]
    result, plain = (estimate(case, games, "Anna", model=each) for each in (model, case.model))
    assert result.measured["fox"].whole != plain.measured["fox"].whole
    assert result.measured["ogs"].whole == plain.measured["ogs"].whole
    for name, checked in {"fox": True, "ogs": False}.items():
        shown = result.on_scale(name)
        assert shown.here.checked == checked
        assert any("not checked" in note for note in shown.notes) != checked


def test_scales(estimated: StrengthEstimate) -> None:
    found = estimated.as_dict()
    assert (list(found["scales"]), found["basis"]) == (list(SITE_SCALES), "fox")
    for name, scale in SITE_SCALES.items():
        on_scale, beside = estimated.on_scale(name), found["scales"][name]
        shown = on_scale.as_dict()
        assert plain_on_scale(found, parts_on_scale(on_scale)) == shown
        assert shown["scales"] == found["scales"]
        names = ("rank", "rating", "low", "high", "low_rank", "high_rank")
        for each in names[found["contradictory"] :]:
            assert shown[each] == beside[each]
        about = (scale.deviation, scale.title, on_scale.scale.basis)
        assert (beside["deviation"], beside["title"], beside["basis"]) == about
        whole = on_scale.measured[on_scale.scale.basis].whole
        assert shown["rating"] == on_scale.scale.value(whole.rating)
        words = f"The scale {on_scale.scale.title}: "
        assert any(words in note for note in shown["notes"]) == (name != "fox")
    line = Calibration(
        "club", "points", "tiny", "fox", 9, 50.0, 1000.0, 1.0, 1.0, 9.0, 0.0, 0.9, 0.0, 8.0
    )
    for basis in ("fox", "ogs"):
        of_club = estimated.on_scale(replace(line, basis=basis))
        shown, rating = of_club.as_dict(), of_club.measured[basis].whole.rating
        assert shown["rating"] == pytest.approx(1000 + 50 * rating, abs=0.6)
        assert (shown["rank"], shown["scale"]) == (None, "club")
    with pytest.raises(UsageError, match="OGS is reached from ogs: the model has not that"):
        replace(estimated, measured={"fox": estimated.measured["fox"]}).on_scale("ogs")


def nameless() -> list[GoGame]:
    return [replace(each, black="", white="") for each in usual()[:2]]


@cache
def with_handicap() -> GoGame:
    stones = np.array([2, 360], np.int16)
    return replace(game(21, "Anna", "Bob"), handicap=2, setup_black=stones, to_play=WHITE)


def test_what_cannot_be_estimated_is_refused(case: Case) -> None:
    short = game(26, "Anna", "Bob", moves=59)  # Anna has 30 of them, and Bob 29

    with pytest.raises(AmbiguousPlayerError) as ambiguous:
        estimate(case, usual()[:1])
    assert ambiguous.value.names == {"Anna": 1, "Bob": 1}
    rows: list[tuple[type[Exception], str, list[GoGame], str | None, dict[str, Any]]] = [
        (InputError, "--colour", nameless(), None, {}),
        (InputError, r"no game is by 'Zoe' \(there are Anna, Bob", usual(), "Zoe", {}),
        (UsageError, "not both", usual(), "Anna", {"colour": BLACK}),
        (UsageError, "not a colour", usual(), None, {"colour": 3}),
        (NoGamesError, "no games", [], None, {}),
        (NoGamesError, "^21.sgf:.*--handicap takes handicap", [with_handicap()], "Anna", {}),
        (NoGamesError, "too few moves of Bob for a rank: 29.*30 of them", [short], "Bob", {}),
        *[(UsageError, "between 0 and 1", usual(), None, {"level": level})
          for level in (0.0, 1.0, 90.0)],
    ]  # fmt: skip
    for error, words, games, player, settings in rows:
        with pytest.raises(error, match=words):
            estimate(case, games, player, **settings)
    result = estimate(case, [with_handicap()], "Anna", handicap=True)
    assert any("handicap stones" in note for note in result.notes)
    everyone = estimate_everyone([short], "Anna", net=case.network, model=case.model, others=5)
    assert [(each.side.player, each.estimate.whole.moves) for each in everyone] == [("Anna", 30)]


def test_a_game_is_taken_up_to_its_first_illegal_move(case: Case) -> None:
    whole, skipped = game(25, "Anna", "Bob"), SkipReport()
    moves = whole.moves.copy()
    moves[61] = moves[60]
    result = estimate(case, [replace(whole, moves=moves)], "Bob", skipped=skipped)
    assert result.whole.moves == 30
    assert len(result.as_dict()["by_game"][0]["winrate"]) == 62
    assert any("illegal" in what for what in skipped.repaired)
    assert len(skipped) == 0
    black, white = np.array([0], np.int16), np.array([1, 19], np.int16)
    caught = replace(whole, setup_black=black, setup_white=white)
    assert not list(evaluate_games([caught], case.network, skipped=skipped))
    assert "liberties" in skipped.details[0].reason


def test_few_moves_of_a_game_or_a_phase_have_no_rank(case: Case) -> None:
    """Of 29 moves nothing is shown on any scale, of 30 it is; counts and losses stay."""
    games = [
        game(27, "Anna", "Bob", day=1, moves=58),
        game(28, "Anna", "Cid", day=2, moves=60),
    ]
    result = estimate(case, games, "Anna")
    for scale in SITE_SCALES:
        plain = result.on_scale(scale).as_dict()
        one, two = plain["by_game"]
        assert (one["moves"], two["moves"], len(one["loss"])) == (29, 30, 29)
        for part in (one, one["running"]):
            assert [part[name] for name in ("rank", "rating", "low", "high")] == [None] * 4
        assert None not in (two["rank"], two["rating"], two["running"]["rating"])
        opening, middle, _ = plain["phases"]
        assert middle["moves"] < FEWEST_MOVES <= opening["moves"]
        assert (middle["rank"], middle["rating"]) == (None, None)
        assert opening["rank"] is not None
        assert sum("fewer than 30 of the player's moves" in note for note in plain["notes"]) == 1


def test_the_network_must_be_the_one_of_the_model(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("YARDSTONE_NET", str(case.file))
    averaging = same_model(case, symmetries=2)
    for model, net, symmetries in ((case.model, None, 1), (averaging, case.file, 2)):
        network = model_network(model, net, threads=1)
        assert (network.sha256, network.symmetries) == (case.network.sha256, symmetries)
    monkeypatch.delenv("YARDSTONE_NET")
    other = same_model(case, network="g170-b6c96-s175395328-d26788732", sha256="f" * 64)
    rows: list[tuple[type[Exception], str, StrengthModel, Any]] = [
        (InputError, f"{case.network.name}.*{case.network.sha256}", case.model, None),
        (UsageError, "needs symmetries=2", averaging, case.network),
        (InputError, "(?s)trained on what.*nets download b6c96", other, case.network),
        (InputError, "nets download b6c96", other, None),
        (InputError, "no such network", other, tmp_path / "none.bin.gz"),
    ]
    for error, words, model, net in rows:
        with pytest.raises(error, match=words):
            model_network(model, net)


def test_the_model_goes_with_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any it is that of the included network."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)

    def check(name: str, *asked: tuple[Any, str]) -> None:
        for net, environment in asked:
            monkeypatch.setenv("YARDSTONE_NET", environment)
            model = default_model(net=net)
            assert model.card["name"] == StrengthModel.load(name).card["name"], (net, environment)

    included = load_network(threads=1)
    assert included.sha256 == file_sha256(INCLUDED)
    check("small", (None, ""), (INCLUDED, ""), (included, ""), (None, str(INCLUDED)))
    assert default_model("rank").card == StrengthModel.load("rank").card
    for missing in (tmp_path / "none.bin.gz", "g170-b6c96-s175395328-d26788732"):
        with pytest.raises(InputError, match="no such network"):
            default_model(net=missing)
    result = offline_estimate(example("professional.sgf"), "Park Junghwan")
    assert result.network == "yardstone-b6c64"
    for words in ("small network that comes with Yardstone", "nets download b6c96"):
        assert words in result.notes[-1]
    assert result.whole.rating > 6.5
    file = shared_path("nets/g170-b6c96-s175395328-d26788732.bin.gz")
    check("joint", (file, ""), (load_network(file, threads=1), ""), (None, str(file)))
    add_network(file)
    check("joint", (None, ""))


@pytest.mark.parametrize("together", ["everyone", "players"])
def test_many_players_at_once_are_rated_as_one_by_one(
    case: Case, estimated: StrengthEstimate, together: str
) -> None:
    copy = replace(usual()[0], file="copy.sgf")
    games, skipped = [*usual(), game(15, "Eve", "Bob"), copy], SkipReport()
    bob = estimate(case, games, "Bob")
    if together == "everyone":
        everyone = estimate_everyone(games, "Anna", net=case.network, model=case.model)
        sides = [(each.side.player, each.side.colour) for each in everyone]
        names = ["Bob", "Eve", "Cid", "Dora"]
        mine = [("Anna", None), ("Anna", BLACK), ("Anna", WHITE)]
        assert sides == [*mine, *[(name, None) for name in names]]
        estimates = [each.estimate for each in everyone]
        assert [len(each.games) for each in estimates] == [4, 2, 2, 2, 2, 1, 1]
        reasons = {"the same game again": 1, "not a game of Anna": 1}
        found = [dict(each.skipped.reasons) for each in estimates[:2]]
        assert found == [reasons, {**reasons, "Anna has the other colour": 2}]
        same, alone = estimates[3].as_dict(), bob.as_dict()
        assert same["rating"] == pytest.approx(alone["rating"], abs=0.011)
        assert (same["skipped"], same["moves"]) == (alone["skipped"], alone["moves"])
        again = {"file": "copy.sgf", "line": 1, "reason": "the same game again"}
        assert (same["skipped"]["total"], again in same["skipped"]["first"]) == (4, True)
        files = [[part["file"] for part in plain["by_game"]] for plain in (same, alone)]
        assert files[0] == files[1]
        return
    result = estimate_players(games, case.network, case.model, skipped=skipped)
    assert skipped.reasons == {"the same game again": 1}
    names = [each.player for each in result.players]
    assert names == ["Anna", "Bob", "Cid", "Dora", "Eve"]
    for name, single in (("Anna", estimated), ("Bob", bob)):
        each, whole = result.players[names.index(name)], single.whole
        assert (each.games, each.moves) == (len(single.games), whole.moves)
        assert each.rating == pytest.approx(whole.rating, abs=0.01)
        assert (each.low, each.high) == pytest.approx((whole.low, whole.high), abs=0.01)
    assert (result.black.tolist(), result.score.tolist()) == ([0, 2, 0, 4, 4], [1.0] * 5)
    skipped = SkipReport()
    games[5] = replace(usual()[1], black="ANNA", white="anna")
    result = estimate_players(games, case.network, case.model, players=["BOB"], skipped=skipped)
    assert [(each.player, each.games) for each in result.players] == [("Bob", 2)]
    assert len(result.score) == 0
    assert skipped.reasons["no player of it is asked for"] == 3
    assert skipped.reasons["both players have the same name"] == 1


def test_so_many_others_as_are_asked_for_and_both_colours_of_nobody(case: Case) -> None:
    for others, names in ((1, ["Cid", "Anna"]), (0, ["Cid"])):
        report = SkipReport()
        few = estimate_everyone(
            usual()[:2], "Cid", net=case.network, model=case.model, others=others, skipped=report
        )
        assert list(dict.fromkeys(each.side.player for each in few)) == names
        assert report.total == few[0].estimate.skipped.total == 1
    games = nameless()
    bad = replace(games[0], file="bad.sgf", number=99, handicap=2, setup_black=games[0].moves[:1])
    both = estimate_everyone(
        [*games, bad], colour=WHITE, net=case.network, model=case.model, handicap=True
    )
    sides = [(each.side.player, each.side.colour) for each in both]
    assert sides == [("White", WHITE), ("Black", BLACK)]
    for each in both:
        assert len(each.estimate.games) == 2
        assert dict(each.estimate.skipped.reasons) == {"it cannot be replayed": 1}
