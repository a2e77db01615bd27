"""SGF files as servers wrote them, with sgfmill as an oracle on a sample."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sgfmill import sgf, sgf_grammar

import yardstone
from tests.records.made_sgf import archive
from tests.shared import shared_or_made, shared_path
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import MoveListReader, SgfReader, read_games, write_sgf

#: One in so many files of the large archives is looked at.
STEP = {"fox_sgf.zip": 61, "fox_ranked/games.zip": 61, "ogs_league.zip": 3}


@pytest.fixture(scope="module", params=STEP)
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some files of an archive, as an archive."""
    name = request.param
    path = tmp_path_factory.mktemp("sample") / "games.zip"
    real = shared_or_made(
        f"data/go/{name}", lambda: archive(Path(name).name), tmp_path_factory.mktemp("made")
    )
    with zipfile.ZipFile(real) as whole, zipfile.ZipFile(path, "w") as part:
        members = whole.namelist()
        for member in members[:: STEP[name] if len(members) >= 58 else 1]:
            part.writestr(member, whole.read(member))
    return path


def oracle_moves(game: sgf.Sgf_game) -> list[tuple[int, int]]:
    size = game.get_size()
    moves = []
    for node in game.get_main_sequence():
        colour, place = node.get_move()
        if colour is not None:
            point = -1 if place is None else (size - 1 - place[0]) * size + place[1]
            moves.append((1 if colour == "b" else 2, point))
    return moves


def test_moves_and_properties_are_those_of_sgfmill(sample: Path) -> None:
    compared = 0
    with zipfile.ZipFile(sample) as archive:
        for name, games in itertools.groupby(read_games(sample), key=lambda game: game.file):
            (game,) = games
            try:
                oracle = sgf.Sgf_game.from_bytes(archive.read(name.removeprefix(f"{sample}/")))
            except ValueError:  # no parenthesis at the beginning
                continue
            compared += 1
            ours = [*zip(game.colours.tolist(), game.moves.tolist(), strict=True)]
            theirs = oracle_moves(oracle)
            if len(theirs) != len(ours):  # handicap stones as moves
                assert [point for _, point in theirs[: game.handicap]] != []
                assert len(theirs) - len(ours) == game.handicap == len(game.setup_black)
            assert theirs[len(theirs) - len(ours) :] == ours
            root = oracle.get_root()
            assert dict(game.properties) == {
                key: tuple(
                    sgf_grammar.text_value(value).decode("utf-8", "replace")
                    for value in root.get_raw_list(key)
                )
                for key in root.properties()
            }
    assert compared >= 20


def test_written_and_read_again_they_are_the_same(sample: Path, tmp_path: Path) -> None:
    games = list(read_games(sample))
    file = tmp_path / "all.sgf"
    file.write_text(write_sgf(games), encoding="utf-8")

    def facts(game: GoGame) -> tuple[object, ...]:
        return (
            game.black, game.white, game.black_rank, game.result, game.komi, game.handicap,
            game.size, game.moves.tolist(), game.colours.tolist(), game.setup_black.tolist(),
            str(game.date), game.to_play,
        )  # fmt: skip

    assert list(map(facts, read_games(file))) == list(map(facts, games))


def test_trees_are_those_of_sgfmill(sample: Path) -> None:
    with zipfile.ZipFile(sample) as archive:
        for tree in itertools.islice(SgfReader(sample).trees(), 60):
            try:
                oracle = sgf.Sgf_game.from_bytes(archive.read(tree.file.removeprefix(f"{sample}/")))
            except ValueError:
                continue
            pairs = [(0, oracle.get_root())]
            for number, node in pairs:
                assert sorted(tree.properties(number)) == sorted(node.properties())
                pairs += zip(tree.children(number), list(node), strict=True)
            assert len(pairs) == len(tree)


def test_komi_and_results_of_ranked_games(tmp_path: Path) -> None:
    with gzip.open(shared_path("data/go/fox_ranked/index.csv.gz"), "rt", encoding="utf-8") as file:
        index = {row["file"]: row for row in csv.DictReader(io.StringIO(file.read()))}
    part = tmp_path / "part.zip"
    with (
        zipfile.ZipFile(shared_path("data/go/fox_ranked/games.zip")) as whole,
        zipfile.ZipFile(part, "w") as out,
    ):
        for name in whole.namelist()[::23]:
            out.writestr(name, whole.read(name))
    reader = SgfReader(part)
    games = list(reader)
    assert len(games) == len(range(0, 19_560, 23))
    assert not len(reader.skipped)
    for game in games:
        row = index[game.file.removeprefix(f"{part}/")]
        assert game.komi == float(row["komi"])
        assert (game.result, game.black_rank, str(game.date)[:10]) == (
            row["result"], row["black_rank"], row["date"],
        )  # fmt: skip
        assert len(game.moves) == int(row["moves"])


def test_ogs_league_is_rated_from_its_archive() -> None:
    pool = yardstone.read(shared_path("data/go/ogs_league.zip"), columns="all")
    assert len(pool) == 58
    assert len(pool.players) == 22
    assert sorted(set(pool.columns["komi"].tolist())) == [0.5, 6.5]
    assert int((pool.columns["handicap"] > 0).sum()) == 15


def test_trick_play_problems_have_their_lines() -> None:
    first = shared_path("data/go/trickplay") / "problem1.sgf"
    lines = [game.moves.tolist() for game in read_games(first, variations=True)]
    assert [len(line) for line in lines] == [5, 4]


def test_lists_of_moves_meet_their_results() -> None:
    table = shared_path("data/go/tygem_2005_2011.tsv.gz")
    results = yardstone.read(
        table, columns={"game_id": "game_id", "n": "moves"}, first="black", times=True
    )
    reader = MoveListReader(shared_path("data/go/tygem_moves/2005-11.zip"), results=results)
    games = list(reader)
    assert len(games) == 3710
    assert not len(reader.skipped)
    numbers = dict(
        zip(results.columns["game_id"].tolist(), results.columns["n"].tolist(), strict=True)
    )
    said = np.array([int(numbers[game.properties["GN"][0]]) for game in games])
    assert (said == [len(game.moves) for game in games]).mean() > 0.95
