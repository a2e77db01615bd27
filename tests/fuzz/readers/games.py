"""Files of games: PGN, tables, SGF, matches of backgammon; and the texts in them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tests.fuzz.oracles import games, same_csv, same_json, same_pgn, same_sgf
from tests.fuzz.targets import Target, Wrong
from yardstone.errors import YardstoneError
from yardstone.go.rules import parse_rules_and_komi
from yardstone.grades import parse_grades
from yardstone.pool import Pool
from yardstone.records import reading
from yardstone.records.dates import date_span, read_dates
from yardstone.records.formats import read_format
from yardstone.records.go_game import (
    parse_board_size,
    parse_go_date,
    parse_komi,
    parse_winner,
    split_rank,
)
from yardstone.records.options import Options
from yardstone.records.reading import growing_sources
from yardstone.records.results import left_out_reason, meanings, stated_scores
from yardstone.records.sgf import MoveListReader, SgfReader, SgfTree, write_sgf
from yardstone.records.sources import Source

__all__ = ["TARGETS"]


def _pool(name: str, path: Path, **options: object) -> Pool:
    return read_format(name, [Source(path.name, path)], Options(**options))  # type: ignore[arg-type]


def read_pgn(path: Path) -> None:
    """All columns; then names and results alone, compared with python-chess."""
    full = _pool("pgn", path, times=True, columns="all")
    plain = _pool("pgn", path)
    if games(full) != games(plain):
        raise Wrong("columns change the games")
    same_pgn(path.read_bytes(), plain)


def read_table(path: Path) -> None:
    """A table whose columns are guessed, compared with the csv module."""
    same_csv(path.read_bytes(), _pool("csv", path, skip_unread=True))


def read_json(path: Path) -> None:
    """The same in JSON."""
    same_json(path.read_bytes(), _pool("json", path, skip_unread=True))


def read_sgf(path: Path) -> None:
    """Trees, compared with sgfmill and written and read again; games and lines of play."""
    reader = SgfReader(path)
    trees = list(reader.trees())
    if not reader.skipped.total and not list(_put_right(path)):
        same_sgf(path.read_bytes(), trees)
    for tree in trees:
        tree.main_line()
    path.with_name("again.sgf").write_text(write_sgf(trees), encoding="utf-8", newline="")
    again = list(SgfReader(path.with_name("again.sgf")).trees()) if trees else []
    if [_nodes(tree) for tree in again] != [_nodes(tree) for tree in trees]:
        raise Wrong("a tree is not what was written")


def _put_right(path: Path) -> list[str]:
    reader = SgfReader(path)
    for _ in reader:
        pass
    return [*reader.skipped.repaired, *reader.skipped.reasons]


def _nodes(tree: SgfTree) -> list[object]:
    return [(tree.parent(k), dict(tree.properties(k))) for k in range(len(tree))]


def read_sgf_games(path: Path) -> None:
    """Games and every line of play, written and read again."""
    for variations in (False, True):
        result = list(SgfReader(path, variations=variations))
        if not result or variations:
            continue
        path.with_name("again.sgf").write_text(write_sgf(result), encoding="utf-8", newline="")
        again = list(SgfReader(path.with_name("again.sgf")))
        if [_facts(game) for game in again] != [_facts(game) for game in result]:
            raise Wrong("a game is not what was written")
    _pool("sgf", path, columns="all", skip_unread=True)


def _facts(game: object) -> tuple[object, ...]:
    names = (
        "black", "white", "black_rank", "white_rank", "size", "komi", "handicap", "winner",
        "to_play",
    )  # fmt: skip
    arrays = ("moves", "colours", "setup_black", "setup_white")
    return (
        *(getattr(game, name) for name in names),
        *(getattr(game, name).tolist() for name in arrays),
    )


def read_mat(path: Path) -> None:
    """Matches of backgammon."""
    pool = _pool("mat", path, times=True, skip_unread=True)
    if len(pool.score) and not (pool.columns["length"] > 0).all():
        raise Wrong("a match of no length")


def read_texts(path: Path) -> None:
    """The texts of fields, a line each: dates, results, grades, komi, ranks in names."""
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    parse_grades(lines)
    for text in lines:
        for read in (date_span, parse_winner, parse_komi, parse_go_date):
            read(text)
        parse_board_size(text)
        split_rank(text, "")
        split_rank(text, "3d")
        meanings(text)
        left_out_reason(text)
        for asked in (parse_rules_and_komi, stated_scores):
            try:
                asked(text)
            except YardstoneError:
                continue
    read_dates(lines)


def read_moves(path: Path) -> None:
    """A list of moves, alone and with a table of results."""
    results = Pool.from_names(["A", "B"], ["B", "C"], [1, 0], columns={"id": ["7", "8"]})
    for _ in MoveListReader(path):
        pass
    for game in MoveListReader(path, results=results, key="id"):
        if (game.black, game.white) not in (("A", "B"), ("B", "C")):
            raise Wrong("a game of other players")


def read_growing(path: Path) -> None:
    """A file whose format its first bytes tell, and which another program may be writing."""
    sources = growing_sources([path])
    with suppress(YardstoneError):  # a tag that is not there
        reading.read(*sources, columns={"event": "Evnt"}, skip_unread=True)
    reading.read(*sources, skip_unread=True)


TARGETS = (
    Target(
        "games-pgn",
        read_pgn,
        ".pgn",
        words=('[Event "', '[White "', '[Black "', '[Result "', "1-0", "1/2-1/2", "{", "}", "\n\n"),
    ),
    Target("games-table", read_table, ".csv", words=("white", "result", "1-0", "date", '","')),
    Target("games-json", read_json, ".json", words=('"white"', '"result"', '"1-0"')),
    Target("games-sgf-trees", read_sgf, ".sgf", words=("(;GM[1]", ";B[dd]", "C[", "]", "\\]")),
    Target("games-sgf", read_sgf_games, ".sgf", words=("AB[dd][pp]", "HA[2]", "KM[6.5]", "SZ[9]")),
    Target(
        "games-mat",
        read_mat,
        ".mat",
        words=(" 5 point match", " Game 1", "Wins 1 point", "Doubles => 2", " A : 0   B : 0"),
    ),
    Target("games-growing", read_growing, words=("1-0\n", "*\n", "(;GM[1]", "white,black\n")),
    Target("games-moves", read_moves, ".txt", words=("\t;B[pd]", ";W[dd]", "7", "8")),
    Target("games-texts", read_texts, ".txt"),
)
