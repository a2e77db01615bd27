"""Estimates with the model and the network that belong together, on real games."""

from __future__ import annotations

import csv
import gzip
import re
import zipfile
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT
from tests.shared import shared_path
from yardstone.errors import InputError, UsageError
from yardstone.examples import example
from yardstone.go.nets.network import Network, load_network
from yardstone.go.nets.store import KNOWN
from yardstone.go.points import WHITE
from yardstone.records.sgf import read_games
from yardstone.reports.strength import headline
from yardstone.strength.estimation import StrengthEstimate, estimate_player, estimate_players
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import model_network
from yardstone.strength.strengths import PARTS, interval_tables

NET = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
OTHER = "nets/b7c96h3tfrs-test5-cnorm.bin.gz"


@pytest.fixture(scope="module")
def network() -> Network:
    return load_network(shared_path(NET), threads=1)


def test_the_network_of_the_model_can_be_downloaded_by_name() -> None:
    card = StrengthModel.load().card
    (known,) = [each for each in KNOWN if each.name == card["network"]]
    assert known.sha256 == card["sha256"]


def test_the_model_carries_its_intervals() -> None:
    model = StrengthModel.load()
    tables = [interval_tables(model, name) for name in ("fox", "ogs")]
    assert [set(each) for each in tables] == [set(PARTS)] * 2
    for table in (table for each in tables for table in each.values()):
        assert table.counts.min() >= 100
        for moves in (10, 100, 1000):
            low, high = table.levels_of(0.9, moves)
            assert ((low > 0.0) & (low < high) & (high < 1.0)).all()
            middle = len(low) // 2
            assert low[middle] < 0.25
            assert high[middle] > 0.8
            # The weak are told too strong, and the strong too weak.
            assert low[0] <= low[-1]
            assert high[0] <= high[-1]


def test_another_network_is_refused() -> None:
    with pytest.raises(InputError, match="was trained on what g170-b6c96") as caught:
        model_network(StrengthModel.load(), shared_path(OTHER))
    assert "nets download b6c96" in str(caught.value)


def test_professionals_are_strong(network: Network) -> None:
    games = list(read_games(example("professional.sgf")))
    for player in ("Park Junghwan", "Jin Siyoung"):
        result = estimate_player(games, player, net=network)
        assert result.whole.high is None
        assert result.whole.rating > 6.5
        assert result.whole.moves in (136, 137)
        if player == "Park Junghwan":  # as the guide shows it
            page = (ROOT / "docs" / "how-to" / "strength.md").read_text("utf-8")
            shown = re.search(rf"^{player}: (\S+) \((\S+)\) on the scale of Fox$", page, re.M)
            assert shown is not None
            assert result.as_dict()["rank"] == shown[1]
            assert result.whole.rating == pytest.approx(float(shown[2]) + 0.05, abs=0.15)


def fox_games(folder: Path, group: str, number: int) -> list[Path]:
    """The first games of a rank group of those that nobody was trained on."""
    data = shared_path("data/go/fox_ranked")
    with gzip.open(data / "index.csv.gz", "rt", encoding="utf-8") as file:
        files = [
            row["file"]
            for row in csv.DictReader(file)
            if row["group"] == group and row["part"] == "testing_by_player"
        ][:number]
    with zipfile.ZipFile(data / "games.zip") as archive:
        return [Path(archive.extract(name, folder)) for name in files]


def both_colours(paths: list[Path], network: Network) -> float:
    """Mean estimate of the players of some games."""
    result = estimate_players(list(read_games(*paths)), network, StrengthModel.load())
    moves = sum(each.moves for each in result.players)
    return sum(each.moves * each.rating for each in result.players) / moves


def test_stronger_groups_get_higher_ratings(network: Network, tmp_path: Path) -> None:
    ratings = [
        both_colours(fox_games(tmp_path, group, 3), network) for group in ("3-5k", "3d", "9d")
    ]
    assert ratings[0] + 1.0 < ratings[1] < ratings[2] - 1.0


def test_a_beginner_and_a_strong_player_of_another_server(network: Network) -> None:
    league = shared_path("data/go/ogs_league.zip")
    games = [game for game in read_games(league) if game.handicap < 2]
    wanted = {"psygo": 3, "lukeverso": 2}  # 3 dan and 24 kyu there
    result: dict[str, StrengthEstimate] = {}
    for player, number in wanted.items():
        own = [game for game in games if player in (game.black, game.white)][:number]
        result[player] = estimate_player(own, player, net=network)
    weak, strong = result["lukeverso"], result["psygo"]
    assert (weak.basis, weak.scale.name, strong.basis, strong.scale.name) == (
        "ogs", "ogs", "fox", "fox",
    )  # fmt: skip
    for name, ranks in {"fox": 2.0, "ogs": 8.0}.items():
        assert strong.measured[name].whole.rating > weak.measured[name].whole.rating + ranks
    on_fox = weak.on_scale("fox")
    assert on_fox.whole.rating < 1.0
    assert on_fox.whole.low is None
    assert on_fox.probabilities[0] > 0.5
    known = ("nobody at Fox whom the model knows", "and weaker at Fox all look alike")
    assert any(words in note for words in known for note in on_fox.notes)


def test_a_24_kyu_is_told_no_number_of_fox(network: Network) -> None:
    """Nobody so weak is at Fox: a bound or nothing, never an interval that misses."""
    games = [
        game
        for game in read_games(shared_path("data/go/ogs_league.zip"))
        if game.handicap < 2 and "lukeverso" in (game.black, game.white)
    ]
    result = estimate_player(games[:1], "lukeverso", net=network, scale="fox").as_dict()
    assert (result["scale"], result["basis"]) == ("fox", "ogs")
    assert result["low"] is None
    assert result["low_rank"] is None
    assert result["rank"].endswith("or weaker")
    assert result["scales"]["fox"]["low"] is None
    for part in (*result["by_game"], result["by_game"][0]["running"]):
        assert part["low"] is None
    assert " to " not in headline(result)[1].partition(";")[0]
    assert any(
        "cannot tell" in note or "nobody at Fox whom the model knows" in note
        for note in result["notes"]
    )
    for name in ("ogs", "ogs-2020", "egf"):  # where such ranks are known
        other = result["scales"][name]
        assert other["basis"] == "ogs"
        assert re.fullmatch(r"\d+k( or weaker)?", other["rank"])


#: People of OGS against programs in June 2020, with their rank in the index, 30 being 1 dan.
WEAK = {"ogs_katrain_bots/24596049.sgf": ("DaveOTN", "24k", 6.797)}


@pytest.mark.parametrize("file", WEAK)
def test_a_weak_player_of_ogs_is_told_a_kyu_rank_there(
    network: Network, tmp_path: Path, file: str
) -> None:
    data = shared_path("data/go/ogs_weak")
    player, rank, number = WEAK[file]
    with gzip.open(data / "index.csv.gz", "rt", encoding="utf-8") as index:
        (row,) = [row for row in csv.DictReader(index) if row["file"] == file]
    assert (row["black"], row["black_rank"], row["bot"]) == (player, rank, "W")
    assert float(row["black_rank_num"]) == number
    with zipfile.ZipFile(data / "games.zip") as archive:
        path = Path(archive.extract(file, tmp_path))
    result = estimate_player(list(read_games(path)), player, net=network)
    strength = number - 29.0  # 1 dan begins at 1
    assert (result.basis, result.scale.name) == ("ogs", "ogs")
    assert not result.whole.unlikely
    assert result.whole.low is None or result.whole.low <= strength
    assert result.whole.high is not None
    assert result.whole.high >= strength
    assert result.whole.rating < -12.0
    lines = headline(result.as_dict())
    reason = "(, for nobody at Fox plays such moves)?"
    told = rf"{player}: \d\dk( or weaker)? \(\d+\) on the scale of OGS{reason}"
    assert re.fullmatch(told, lines[0])
    assert re.match(r"90 % (bound below|interval) .*\d+k", lines[1])
    others = r"On other scales: (Fox \dk or weaker, )?OGS 2020 \d\dk( or weaker)?, EGF \d\dk"
    assert re.match(others, lines[2])
    text = str(result)
    assert lines[0] in text
    assert "OGS rank" in text
    assert any("people who played programs at OGS" in note for note in result.notes)


def test_a_bot_that_plays_down_looks_unlikely(network: Network, tmp_path: Path) -> None:
    data = shared_path("data/go/ogs_weak")
    with gzip.open(data / "index.csv.gz", "rt", encoding="utf-8") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["bot"] == "W"
            and row["handicap"] == "0"
            and int(row["moves"]) > 120
            and row["white_rank_num"]
            and float(row["white_rank_num"]) < 14.0
        ][:3]
    with zipfile.ZipFile(data / "games.zip") as archive:
        paths = [Path(archive.extract(row["file"], tmp_path)) for row in rows]
    best = estimate_player(list(read_games(*paths)), colour=WHITE, net=network)
    assert best.basis == "ogs"  # nobody at Fox plays so
    result = best.on_scale("fox")
    assert result.whole.unlikely
    assert (result.whole.low, result.whole.high) == (None, None)
    assert result.as_dict()["unlikely"] is True
    assert "look like those of nobody" in result.notes[0]
    assert headline(result.as_dict())[1].startswith("No interval of 90 % can be given")


def test_levels_that_the_players_do_not_support_are_refused(network: Network) -> None:
    games = list(read_games(example("professional.sgf")))
    for level in (0.3, 0.999):
        with pytest.raises(UsageError, match="nothing is known of intervals of"):
            estimate_player(games, "Park Junghwan", net=network, level=level)
