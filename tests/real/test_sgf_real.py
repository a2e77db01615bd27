"""SGF files and lists of moves as servers wrote them."""

from __future__ import annotations

import csv
import gzip
import re
import zipfile
from itertools import islice
from pathlib import Path

import yardstone
from tests.shared import shared_path
from yardstone.go.inputs import encode_game
from yardstone.go.points import PASS
from yardstone.go.rules import NAMED_RULES
from yardstone.records.go_game import GoGame
from yardstone.records.sgf import SgfReader, read_games, write_sgf

LEAGUE = "data/go/ogs_league.zip"


def test_written_and_read_again_they_are_the_same(tmp_path: Path) -> None:
    games = list(read_games(shared_path(LEAGUE)))
    file = tmp_path / "all.sgf"
    file.write_text(write_sgf(games), encoding="utf-8")

    def facts(game: GoGame) -> tuple[object, ...]:
        return (
            game.black, game.white, game.black_rank, game.result, game.komi, game.handicap,
            game.size, game.moves.tolist(), game.colours.tolist(), game.setup_black.tolist(),
            str(game.date), game.to_play,
        )  # fmt: skip

    assert list(map(facts, read_games(file))) == list(map(facts, games))


def test_komi_and_results_of_ranked_games(tmp_path: Path) -> None:
    with gzip.open(shared_path("data/go/fox_ranked/index.csv.gz"), "rt", encoding="utf-8") as file:
        index = {row["file"]: row for row in csv.DictReader(file)}
    part = tmp_path / "part.zip"
    with (
        zipfile.ZipFile(shared_path("data/go/fox_ranked/games.zip")) as whole,
        zipfile.ZipFile(part, "w") as out,
    ):
        for name in whole.namelist()[::61]:
            out.writestr(name, whole.read(name))
    reader = SgfReader(part)
    games = list(reader)
    assert len(games) == len(range(0, 19_560, 61))
    assert not len(reader.skipped)
    for game in games:
        row = index[game.file.removeprefix(f"{part}/")]
        assert (game.komi, len(game.moves)) == (float(row["komi"]), int(row["moves"]))
        assert (game.result, game.black_rank, str(game.date)[:10]) == (
            row["result"], row["black_rank"], row["date"],
        )  # fmt: skip


def test_ogs_league_is_rated_from_its_archive() -> None:
    pool = yardstone.read(shared_path(LEAGUE), columns="all")
    assert (len(pool), len(pool.players)) == (58, 22)
    assert sorted(set(pool.columns["komi"].tolist())) == [0.5, 6.5]
    assert int((pool.columns["handicap"] > 0).sum()) == 15


def test_games_of_a_server_are_legal() -> None:
    """The first games of Tygem's archive."""
    path = shared_path("data/go/tygem_moves/2005-11.zip")
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as lines:
        for line in islice(lines, 100):
            moves = re.findall(rb";([BW])\[([a-s]{0,2})\]", line)
            encoded = encode_game(
                19,
                moves=[(p[1] - 97) * 19 + p[0] - 97 if p else PASS for _, p in moves],
                colours=[1 + (colour == b"W") for colour, _ in moves],
                rules=NAMED_RULES["japanese"],
                positions=[len(moves)],
            )
            assert (encoded.illegal_at, encoded.breaches.tolist()) == (-1, [])
