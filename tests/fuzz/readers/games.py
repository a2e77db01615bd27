"""Files of games: PGN, tables, SGF, matches of backgammon; and the texts in them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.fuzz.oracles import games, same_pgn, same_sgf, same_table
from tests.fuzz.targets import Target, Wrong
from yardstone.errors import YardstoneError
from yardstone.go.rules import parse_rules_and_komi
from yardstone.grades import parse_grades
from yardstone.pool import Pool
from yardstone.records import go_game, reading
from yardstone.records.dates import date_span, read_dates
from yardstone.records.formats import read_format
from yardstone.records.options import Options
from yardstone.records.results import left_out_reason, meanings, stated_scores
from yardstone.records.sgf import MoveListReader, SgfReader, SgfTree, write_sgf
from yardstone.records.sources import Source


def _pool(name: str, path: Path, **options: object) -> Pool:
    return read_format(name, [Source(path.name, path)], Options(**options))  # type: ignore[arg-type]


def read_pgn(path: Path) -> None:
    plain = _pool("pgn", path)
    if games(_pool("pgn", path, times=True, columns="all")) != games(plain):
        raise Wrong("columns change the games")
    same_pgn(path.read_bytes(), plain)


def read_table(path: Path) -> None:
    format = path.suffix.removeprefix(".")
    same_table(path.read_bytes(), _pool(format, path, skip_unread=True), format)


def _written(records: Sequence[object], path: Path) -> Path:
    again = path.with_name("again.sgf")
    again.write_text(write_sgf(records), encoding="utf-8", newline="")  # type: ignore[arg-type]
    return again


def _put_right(path: Path) -> bool:
    reader = SgfReader(path)
    for _ in reader:
        pass
    return bool(reader.skipped.repaired or reader.skipped.reasons)


def read_sgf(path: Path) -> None:
    reader = SgfReader(path)
    trees = list(reader.trees())
    if not reader.skipped.total and not _put_right(path):
        same_sgf(path.read_bytes(), trees)
    for tree in trees:
        tree.main_line()
    written = _written(trees, path)
    if not trees or _put_right(written):
        return  # what begins as a record does ends the one before it
    again = SgfReader(written).trees()
    if [_nodes(tree) for tree in again] != [_nodes(tree) for tree in trees]:
        raise Wrong("a tree is not what was written")


def _nodes(tree: SgfTree) -> list[object]:
    return [(tree.parent(k), dict(tree.properties(k))) for k in range(len(tree))]


def read_sgf_games(path: Path) -> None:
    result = list(SgfReader(path))
    again = list(SgfReader(_written(result, path))) if result else []
    if [_facts(game) for game in again] != [_facts(game) for game in result]:
        raise Wrong("a game is not what was written")
    list(SgfReader(path, variations=True))
    _pool("sgf", path, columns="all", skip_unread=True)


def _facts(game: object) -> tuple[object, ...]:
    names = "black white black_rank white_rank size komi handicap winner to_play".split()
    arrays = "moves colours setup_black setup_white".split()
    plain = [getattr(game, name) for name in names]
    return *plain, *(getattr(game, name).tolist() for name in arrays)


def read_mat(path: Path) -> None:
    pool = _pool("mat", path, times=True, skip_unread=True)
    if len(pool.score) and not (pool.columns["length"] > 0).all():
        raise Wrong("a match of no length")


def read_texts(path: Path) -> None:
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    parse_grades(lines)
    for text in lines:
        for read in (
            *(date_span, go_game.parse_winner, go_game.parse_komi, go_game.parse_go_date),
            *(go_game.parse_board_size, meanings, left_out_reason),
        ):
            read(text)
        for rank in ("", "3d"):
            go_game.split_rank(text, rank)
        for asked in (parse_rules_and_komi, stated_scores):
            with suppress(YardstoneError):
                asked(text)
    read_dates(lines)


def read_moves(path: Path) -> None:
    results = Pool.from_names(["A", "B"], ["B", "C"], [1, 0], columns={"id": ["7", "8"]})
    list(MoveListReader(path))
    for game in MoveListReader(path, results=results, key="id"):
        if (game.black, game.white) not in (("A", "B"), ("B", "C")):
            raise Wrong("a game of other players")


def read_growing(path: Path) -> None:
    """A file whose format its first bytes tell, and which another program may be writing."""
    sources = reading.growing_sources([path])
    with suppress(YardstoneError):  # a tag that is not there
        reading.read(*sources, columns={"event": "Evnt"}, skip_unread=True)
    reading.read(*sources, skip_unread=True)


_TAGS = ('[Event "', '[White "', '[Black "', '[Result "', "1-0", "1/2-1/2", "{", "}", "\n\n")
_MATCH = (" 5 point match", " Game 1", "Wins 1 point", "Doubles => 2", " A : 0   B : 0")
TARGETS = (
    Target("games-pgn", read_pgn, ".pgn", words=_TAGS),
    Target("games-table", read_table, ".csv", words=("white", "result", "1-0", "date", '","')),
    Target("games-json", read_table, ".json", words=('"white"', '"result"', '"1-0"')),
    Target("games-sgf-trees", read_sgf, ".sgf", words=("(;GM[1]", ";B[dd]", "C[", "]", "\\]")),
    Target("games-sgf", read_sgf_games, ".sgf", words=("AB[dd][pp]", "HA[2]", "KM[6.5]", "SZ[9]")),
    Target("games-mat", read_mat, ".mat", words=_MATCH),
    Target("games-growing", read_growing, words=("1-0\n", "*\n", "(;GM[1]", "white,black\n")),
    Target("games-moves", read_moves, ".txt", words=("\t;B[pd]", ";W[dd]", "7", "8")),
    Target("games-texts", read_texts, ".txt"),
)
