from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.strength.estimate_cases import Case, game
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.go import losses
from yardstone.go.analysis import analyse
from yardstone.go.losses import LossEffort
from yardstone.go.points import BLACK, PASS, WHITE
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.parallel import context
from yardstone.pool import SkipReport
from yardstone.records.go_game import GoGame
from yardstone.strength.calibration import Calibration
from yardstone.strength.estimation import (
    StrengthEstimate,
    estimate_everyone,
    estimate_player,
    estimate_players,
)
from yardstone.strength.evidence import evidence_of_games
from yardstone.strength.intervals import IntervalTable
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import AmbiguousPlayerError, evaluate_games, model_network
from yardstone.strength.site_scales import (
    EDGES,
    RANKS,
    SITE_SCALES,
    SiteScale,
    group_probabilities,
    site_scale,
)
from yardstone.strength.strengths import FEWEST_MOVES, PARTS, Rated

GAMES = [
    game(11, "Anna", "Bob", day=3),
    game(12, "Cid", "anna", day=1),
    game(13, "Anna", "Dora"),
    game(14, "Eve", "Anna", day=2, moves=90),
]


@pytest.fixture(scope="module")
def estimated(case: Case) -> StrengthEstimate:
    return estimate_player(GAMES, net=case.network, model=case.model)


@pytest.fixture(scope="module")
def found(estimated: StrengthEstimate) -> dict[str, Any]:
    return estimated.as_dict()


def test_the_result_is_plain(found: dict[str, Any]) -> None:
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert (found["format"], found["player"], found["level"]) == (3, "Anna", 0.9)
    assert (found["scale"], found["network"], found["model"]) == ("fox", "random-10-1", "tiny")
    assert (found["games"], found["moves"]) == (4, 32 + 32 + 32 + 45)
    assert found["low"] <= found["rating"] <= found["high"]
    assert [each["rank"] for each in found["probabilities"]] == list(RANKS)
    assert [(part["phase"], part["moves"]) for part in found["phases"]] == [
        ("opening", 4 * 25),
        ("middle game", 3 * 7 + 20),
        ("endgame", 0),
    ]


def test_the_rating_is_the_models(case: Case, found: dict[str, Any]) -> None:
    skipped = SkipReport()
    seen = list(evaluate_games(GAMES, case.network, skipped=skipped))
    evidence = evidence_of_games([each.features for each in seen], [BLACK, WHITE, BLACK, WHITE])
    score = case.model.score(evidence)
    assert found["rating"] == pytest.approx(score.mean, abs=0.006)
    probabilities = [each["probability"] for each in found["probabilities"]]
    assert probabilities == pytest.approx(score.probabilities.tolist(), abs=1e-3)
    density = case.model.scale().density(case.model.game_statistics(evidence).sum(axis=0))
    interval = IntervalTable.plain(EDGES).interval(density, len(evidence), 0.9)
    assert (found["low"], found["high"]) == pytest.approx(interval, abs=0.006)


def test_games_stand_in_the_order_of_their_dates(found: dict[str, Any]) -> None:
    assert [each["file"] for each in found["by_game"]] == ["12.sgf", "14.sgf", "11.sgf", "13.sgf"]
    first = found["by_game"][0]
    assert (first["opponent"], first["colour"], first["date"]) == ("Cid", "white", "2024-03-02")
    assert (first["result"], first["won"], first["line"]) == ("B+R", "loss", 1)
    assert first["numbers"] == list(range(2, 65, 2))
    assert found["by_game"][3]["date"] is None


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
        effort = LossEffort(share=2.0)
        result = estimate_player(games, "Anna", net=network, model=case.model, effort=effort)
        assert sum(int(lost.visits.sum()) for lost in result.losses) > 0
        return sum(positions)

    more = game(15, "Anna", "Bob", moves=64)
    alone = asked([more], cache=False)
    assert alone > 43  # searches too
    first = asked(GAMES[:2])
    assert first > alone
    assert 43 // 2 < asked([*GAMES[:2], more]) <= alone
    assert asked([*GAMES[:2], more]) == 0


def test_each_game_alone_and_so_far(case: Case, found: dict[str, Any]) -> None:
    by_game = found["by_game"]
    last = by_game[-1]["running"]
    for name in ("rank", "rating", "low", "high"):
        assert name == "rank" or last[name] == found[name]
        assert by_game[0]["running"][name] == by_game[0][name]
    two = estimate_player([GAMES[1], GAMES[3]], net=case.network, model=case.model, player="Anna")
    assert two.as_dict()["rating"] == pytest.approx(by_game[1]["running"]["rating"], abs=0.01)
    one = estimate_player([GAMES[3]], net=case.network, model=case.model, player="ANNA").as_dict()
    assert one["rating"] == pytest.approx(by_game[1]["rating"], abs=0.01)


def test_curves_are_those_of_an_analysis_from_the_players_view(
    case: Case, found: dict[str, Any]
) -> None:
    same = analyse(GAMES[1], case.network, rules=TROMP_TAYLOR, komi=6.5)
    shown = found["by_game"][0]  # Anna is White
    assert len(shown["winrate"]) == len(shown["lead"]) == 65  # without the passes at the end
    assert shown["winrate"] == pytest.approx(same.white_winrate[:65].tolist(), abs=1e-3)
    assert shown["lead"] == pytest.approx(same.white_lead[:65].tolist(), abs=0.02)
    places = np.array(shown["numbers"]) - 1
    decided = same.losses.decided[places]
    searched = same.losses.visits[places] > 0
    for lost, other, unknown, tried in zip(
        shown["loss"], same.point_loss[places], decided, searched, strict=True
    ):
        assert (lost is None) == bool(unknown) or tried
        assert lost is None or lost >= 0.0
        if not tried and not unknown:  # within the budget other moves may be searched
            assert lost == pytest.approx(float(other), abs=0.02)
    black = found["by_game"][2]
    other = analyse(GAMES[0], case.network, rules=TROMP_TAYLOR, komi=6.5)
    assert black["winrate"] == pytest.approx((1 - other.white_winrate[:65]).tolist(), abs=1e-3)


@pytest.mark.parametrize(
    ("scale", "names", "borders"),
    [
        ("fox", "3-5k 1-2k 1d 2d 3d 4d 5d 6d 7d 8d 9d", [-1, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (
            "ogs",
            "≤26k 21-25k 16-20k 11-15k 6-10k 1-5k 1-2d ≥3d",
            [652, 809, 1004, 1246, 1546, 1918, 2092],
        ),
        (
            "egf",
            "≤7k 5-7k 4-5k 3-4k 2-3k 1-2k 1k-1d 1-2d 2-3d 3-4d ≥4d",
            [1400, 1600, 1700, 1800, 1900, 2000, 2100, 2200, 2300, 2400],
        ),
        (
            SiteScale("Club", "Club", lambda fox: 100.0 * fox + 1000.0, None, 0.5, 0, "made"),
            "below-900 900–1100 1100–1200 1200–1300 1300–1400 1400–1500 1500–1600 1600–1700 "
            "1700–1800 1800–1900 from-1900",
            [900, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900],
        ),
    ],
)
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
    days: tuple[str, str] | None = None,
    shares: tuple[float, float] = (0.0, 0.0),
    **whole: Any,
) -> StrengthEstimate:
    """The estimate with other facts on Fox: of all moves, of the outer groups, of two games."""
    fox = estimate.measured["fox"]
    usual: dict[str, Any] = {"rating": 3.0, "low": 2.0, "high": 4.0, "moves": 141}
    rated = Rated(**{**usual, **whole})
    probabilities = np.array([shares[0], *[0.0] * 9, shares[1]])
    games = fox.games
    for number, day in enumerate((*days, "NaT", "NaT") if days else ()):
        seen = games[number].evaluated
        other = replace(seen, game=replace(seen.game, date=np.datetime64(day, "s")))
        games = (*games[:number], replace(games[number], evaluated=other), *games[number + 1 :])
    own = replace(fox, whole=rated, probabilities=probabilities, games=games)
    ogs = replace(estimate.measured["ogs"], whole=Rated(-3.0, -4.0, -2.0, 141))
    return replace(
        estimate, measured={"fox": own, "ogs": ogs}, basis="fox", scale=SITE_SCALES["fox"]
    )


@pytest.mark.parametrize(
    ("facts", "words", "there"),
    [
        ({"moves": 99}, "rests on 99 moves only", True),
        ({"moves": 100}, "moves only", False),
        ({"shares": (0.2, 0.0)}, "Players of 3k and weaker at Fox all look alike", True),
        ({"shares": (0.199, 0.0)}, "all look alike", False),
        ({"low": None}, "all look alike", True),
        ({"low": None, "unlikely": True}, "all look alike", False),
        ({"low": None, "unlikely": True}, "look like those of nobody at Fox", True),
        ({"shares": (0.0, 0.2)}, "9 dan is the highest rank", True),
        ({"shares": (0.0, 0.199)}, "9 dan is the highest rank", False),
        ({"days": ("2022-01-01", "2024-01-01")}, "from 2022 to 2024", True),
        ({"days": ("2022-01-01", "2023-12-31")}, "not of today", False),
        ({}, "its own opinion: they were not checked", True),
        ({}, "scale", False),
    ],
)
def test_notes_say_what_the_reader_must_know(
    estimated: StrengthEstimate, facts: dict[str, Any], words: str, there: bool
) -> None:
    days = {"days": ("2023-01-01", "2023-02-01")}
    notes = changed(estimated, **{**days, **facts}).notes
    assert any(words in note for note in notes) == there, notes


def same_model(case: Case) -> StrengthModel:
    """The case's model with a card of its own."""
    model = case.model
    return StrengthModel(model.scorer, list(model.scales.values()), dict(model.card))


def test_the_table_of_intervals_of_the_model_is_used(
    case: Case, estimated: StrengthEstimate
) -> None:
    """Each scale has tables of its own: what was checked on one says nothing of the other."""
    table = IntervalTable.plain(EDGES)
    sure = replace(table, at=np.full_like(table.at, 0.5))
    model = same_model(case)
    model.card["intervals"] = {"fox": dict.fromkeys(PARTS, sure.as_dict())}
    result = estimate_player(GAMES, net=case.network, model=model)
    assert result.measured["fox"].whole != estimated.measured["fox"].whole
    assert result.measured["ogs"].whole == estimated.measured["ogs"].whole
    for name, checked in {"fox": True, "ogs": False}.items():
        shown = result.on_scale(name)
        assert shown.here.checked == checked
        assert any("not checked" in note for note in shown.notes) != checked


def test_scales(estimated: StrengthEstimate, found: dict[str, Any]) -> None:
    assert list(found["scales"]) == list(SITE_SCALES)
    assert found["basis"] == "fox"
    for name in ("ogs", "ogs-2020", "egf"):
        estimate = estimated.on_scale(name)
        shown, beside = estimate.as_dict(), found["scales"][name]
        assert shown["scales"] == found["scales"]
        names = ("rank", "rating", "low", "high", "low_rank", "high_rank")
        for each in names[found["contradictory"] :]:
            assert shown[each] == beside[each]
            assert found[each] == shown["scales"]["fox"][each]
        assert beside["basis"] == estimate.scale.basis
        whole = estimate.measured[estimate.scale.basis].whole
        assert shown["rating"] == estimate.scale.value(whole.rating)
        assert any(f"The scale {estimate.scale.title}: " in note for note in shown["notes"])
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


def test_a_colour_in_place_of_a_name(case: Case) -> None:
    nameless = [replace(each, black="", white="") for each in GAMES[:2]]
    result = estimate_player(nameless, colour=WHITE, net=case.network, model=case.model)
    assert result.player == "White"
    assert [each["colour"] for each in result.as_dict()["by_game"]] == ["white", "white"]
    named = estimate_player(GAMES[:1], colour=WHITE, net=case.network, model=case.model)
    assert named.player == "Bob"
    with pytest.raises(InputError, match="--colour"):
        estimate_player(nameless, net=case.network, model=case.model)


def test_whose_strength_must_be_clear(case: Case) -> None:
    with pytest.raises(AmbiguousPlayerError) as caught:
        estimate_player(GAMES[:1], net=case.network, model=case.model)
    assert caught.value.names == {"Anna": 1, "Bob": 1}
    with pytest.raises(InputError, match=r"no game is by 'Zoe' \(there are Anna, Bob"):
        estimate_player(GAMES, "Zoe", net=case.network, model=case.model)
    with pytest.raises(UsageError, match="not both"):
        estimate_player(GAMES, "Anna", colour=BLACK, net=case.network, model=case.model)
    with pytest.raises(UsageError, match="not a colour"):
        estimate_player(GAMES, colour=3, net=case.network, model=case.model)


HANDICAP = replace(
    game(21, "Anna", "Bob"), handicap=2, setup_black=np.array([2, 360], np.int16), to_play=WHITE
)
SMALL: dict[str, Any] = {
    "size": 9,
    "moves": np.array([40], np.int16),
    "colours": np.array([1], np.int8),
}
PASSES: dict[str, Any] = {"moves": np.full(2, PASS, np.int16), "colours": np.array([1, 2], np.int8)}
BAD = {
    "board of 9x9": replace(game(22, "Anna", "Bob"), **SMALL),
    "handicap game": HANDICAP,
    "position that was set up": replace(HANDICAP, handicap=0, moves=HANDICAP.moves[::-1]),
    "there is no move": replace(game(23, "Anna", "Bob"), **PASSES),
    "not a game of Anna": game(24, "Bob", "Cid"),
    "the same game again": replace(GAMES[0], file="copy.sgf"),
}


def test_one_bad_game_never_spoils_the_others(case: Case, found: dict[str, Any]) -> None:
    skipped = SkipReport()
    with_bad = estimate_player(
        [*BAD.values(), *GAMES], "Anna", net=case.network, model=case.model, skipped=skipped
    ).as_dict()
    assert len(skipped) == len(BAD)
    for words in BAD:
        assert any(words in reason for reason in skipped.reasons), words
    assert with_bad["skipped"]["total"] == len(BAD)
    first = {"file": "11.sgf", "line": 1, "reason": "the same game again"}
    assert with_bad["skipped"]["first"][0] == first
    for name in ("rating", "low", "high", "games", "moves"):
        assert with_bad[name] == found[name]


def test_handicap_games_where_they_are_asked_for(case: Case) -> None:
    with pytest.raises(NoGamesError, match="--handicap takes handicap games"):
        estimate_player([HANDICAP], "Anna", net=case.network, model=case.model)
    result = estimate_player([HANDICAP], "Anna", net=case.network, model=case.model, handicap=True)
    assert any("handicap stones" in note for note in result.notes)


def test_a_game_is_taken_up_to_its_first_illegal_move(case: Case) -> None:
    whole = game(25, "Anna", "Bob")
    moves = whole.moves.copy()
    moves[61] = moves[60]
    skipped = SkipReport()
    result = estimate_player(
        [replace(whole, moves=moves)], "Bob", net=case.network, model=case.model, skipped=skipped
    )
    assert result.whole.moves == 30
    assert len(result.as_dict()["by_game"][0]["winrate"]) == 62
    assert any("illegal" in what for what in skipped.repaired)
    assert len(skipped) == 0
    black, white = np.array([0], np.int16), np.array([1, 19], np.int16)
    caught = replace(whole, setup_black=black, setup_white=white)
    assert not list(evaluate_games([caught], case.network, skipped=skipped))
    assert "liberties" in skipped.details[0].reason


def test_fewer_than_thirty_moves_give_no_rank(case: Case) -> None:
    short = game(26, "Anna", "Bob", moves=59)  # Anna has 30 of them
    with pytest.raises(NoGamesError, match="too few moves of Bob for a rank: 29") as caught:
        estimate_player([short], "Bob", net=case.network, model=case.model)
    assert caught.value.hint is not None
    assert "30 of them" in caught.value.hint
    everyone = estimate_everyone([short], "Anna", net=case.network, model=case.model, others=5)
    assert [(each.side.player, each.estimate.whole.moves) for each in everyone] == [("Anna", 30)]


def test_few_moves_of_a_game_or_a_phase_have_no_rank(case: Case) -> None:
    """Of 29 moves nothing is shown on any scale, of 30 it is; counts and losses stay."""
    short, enough = (
        game(27, "Anna", "Bob", day=1, moves=58),
        game(28, "Anna", "Cid", day=2, moves=60),
    )
    result = estimate_player([short, enough], "Anna", net=case.network, model=case.model)
    for scale in SITE_SCALES:
        plain = result.on_scale(scale).as_dict()
        one, two = plain["by_game"]
        assert (one["moves"], two["moves"]) == (29, 30)
        assert len(one["loss"]) == 29
        for part in (one, one["running"]):
            assert [part[name] for name in ("rank", "rating", "low", "high")] == [None] * 4
        assert None not in (two["rank"], two["rating"], two["running"]["rating"])
        phases = {part["phase"]: part for part in plain["phases"]}
        assert phases["middle game"]["moves"] < FEWEST_MOVES <= phases["opening"]["moves"]
        assert phases["middle game"]["rank"] is phases["middle game"]["rating"] is None
        assert phases["opening"]["rank"] is not None
        assert sum("fewer than 30 of the player's moves" in note for note in plain["notes"]) == 1


def test_nothing_to_estimate_from(case: Case) -> None:
    with pytest.raises(NoGamesError, match="no games"):
        estimate_player([], net=case.network, model=case.model)
    with pytest.raises(NoGamesError, match="9x9") as caught:
        estimate_player([BAD["board of 9x9"]], "Anna", net=case.network, model=case.model)
    assert caught.value.file == "22.sgf"
    for level in (0.0, 1.0, 90.0):
        with pytest.raises(UsageError, match="between 0 and 1"):
            estimate_player(GAMES, net=case.network, model=case.model, level=level)


def test_progress_counts_positions(case: Case) -> None:
    calls: list[tuple[str, int, int]] = []
    with context(progress=lambda *each: calls.append(each)):
        estimate_player(GAMES, net=case.network, model=case.model)
    total = sum(len(each.moves) + 1 for each in GAMES)
    *looked, searched = calls
    assert (looked[-1], searched) == (("looking at positions", total, total), ("searching", 0, 0))
    assert looked == sorted(looked)
    assert looked[0] > ("looking at positions", 0, total)


def test_the_network_must_be_the_one_of_the_model(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    with pytest.raises(InputError, match=case.network.sha256) as caught:
        model_network(case.model)
    assert case.network.name in str(caught.value)
    assert model_network(case.model, case.file, threads=1).sha256 == case.network.sha256
    monkeypatch.setenv("YARDSTONE_NET", str(case.file))
    assert model_network(case.model, threads=1).sha256 == case.network.sha256
    averaging = same_model(case)
    averaging.card["symmetries"] = 2
    assert model_network(averaging, threads=1).symmetries == 2
    with pytest.raises(UsageError, match="needs symmetries=2"):
        model_network(averaging, case.network)
    other = same_model(case)
    other.card.update(network="g170-b6c96-s175395328-d26788732", sha256="f" * 64)
    with pytest.raises(InputError, match="trained on what") as caught:
        model_network(other, case.network)
    assert "nets download b6c96" in str(caught.value)
    monkeypatch.delenv("YARDSTONE_NET")
    with pytest.raises(InputError, match="nets download b6c96"):
        model_network(other)
    with pytest.raises(InputError, match="no such network"):
        model_network(other, tmp_path / "none.bin.gz")


def test_many_players_at_once_are_rated_as_one_by_one(case: Case) -> None:
    games = [*GAMES, game(15, "Bob", "Dora"), replace(GAMES[0], file="copy.sgf")]
    skipped = SkipReport()
    result = estimate_players(games, case.network, case.model, skipped=skipped)
    assert skipped.reasons == {"the same game again": 1}
    names = [each.player for each in result.players]
    assert names == ["Anna", "Bob", "Cid", "Dora", "Eve"]
    for name in ("Anna", "Bob"):
        alone = estimate_player(games, name, net=case.network, model=case.model)
        each = result.players[names.index(name)]
        assert (each.games, each.moves) == (len(alone.games), alone.whole.moves)
        assert each.rating == pytest.approx(alone.whole.rating, abs=0.01)
        assert (each.low, each.high) == pytest.approx((alone.whole.low, alone.whole.high), abs=0.01)
    assert result.black.tolist() == [0, 2, 0, 4, 1]
    assert result.score.tolist() == [1.0] * 5


def test_of_many_players_only_those_asked_for(case: Case) -> None:
    skipped = SkipReport()
    games = [*GAMES, game(15, "Bob", "Dora"), replace(GAMES[1], black="ANNA", white="anna")]
    result = estimate_players(games, case.network, case.model, players=["BOB"], skipped=skipped)
    assert [(each.player, each.games) for each in result.players] == [("Bob", 2)]
    assert len(result.score) == 0
    assert skipped.reasons["no player of it is asked for"] == 3
    assert skipped.reasons["both players have the same name"] == 1
