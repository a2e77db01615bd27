"""Records of games in files, archives, databases and as OGS answers; and the texts in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from tests.fuzz.cases import FUZZ, Target, Wrong, bad_message, contents
from tests.fuzz.oracles import games, same_pgn, same_sgf, same_table
from tests.records.ogs_server import ogs_server
from yardstone.errors import YardstoneError
from yardstone.go.positions import parse_position
from yardstone.go.rules import parse_rules_and_komi
from yardstone.grades import parse_grade, parse_grades
from yardstone.pool import Pool, SkipReport
from yardstone.records import go_game, reading
from yardstone.records.dates import date_span, read_dates
from yardstone.records.decoding import decode
from yardstone.records.formats import read_format
from yardstone.records.ogs import GameSelection, fetch_ogs_games
from yardstone.records.options import Options
from yardstone.records.results import left_out_reason, meanings, stated_scores
from yardstone.records.sgf import MoveListReader, SgfReader, SgfTree, write_sgf
from yardstone.records.sources import Source, find_sources
from yardstone.records.streaming import game_stream
from yardstone.records.where import Where
from yardstone.tournament.standings_table import parse_criteria

_ROWS = "(VALUES ('Ann', 'Bob', '1-0', DATE '2020-01-02'), ('Bob', 'Cid', '1/2-1/2', NULL))"
_GAMES = f"SELECT * FROM {_ROWS} AS game (white, black, result, date)"


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


def _read_stored(name: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        whole = _pool(name, path, skip_unread=True)
        stream = game_stream(path, format=name, skip_unread=True, rows=1)
        pieces = [
            Pool(tuple(stream.players), each.first, each.second, each.score, each.time)
            for each in list(stream)
        ]
        if [game for piece in pieces for game in games(piece)] != games(whole):
            raise Wrong("a piece has other games")

    return read


def save_duckdb(path: Path) -> None:
    import duckdb

    with closing(duckdb.connect(path)) as connection:
        connection.execute(f"CREATE TABLE game AS {_GAMES}")


def read_archive(path: Path) -> None:
    for source in find_sources([path], (".pgn", ".sgf", ".csv"), SkipReport()):
        source.content(1 << 24)


def read_answers(path: Path) -> None:
    """The input in place of each answer of OGS, the others as they should be."""
    folder, kept = path.with_name("fetched"), contents(FUZZ / "corpus" / "ogs-answers")
    names = {"players": "players.json", "players/77/games": "games.json"}
    names |= {"games/106/sgf": "record.sgf"}
    with ogs_server() as server:
        for asked in names:
            given = {place: kept[name] for place, name in names.items()}
            given[asked] = path.read_bytes()
            server.answers = {f"/api/v1/{each}": (200, {}, data) for each, data in given.items()}
            selection = GameSelection(games=3, pause=0.0)
            try:
                result = fetch_ogs_games("Ann", folder, selection=selection, url=server.url)
            except YardstoneError as error:
                if bad_message(str(error)) is not None:
                    raise
                continue
            for file in result.files:
                if file.parent != folder or not file.is_file():
                    raise Wrong("a game lies elsewhere")
                file.unlink()
            if any(not each.isprintable() for each in (result.user, *result.left_out)):
                raise Wrong("what is said of a game cannot be printed")


def _text(parse: Callable[[str], object]) -> Callable[[Path], object]:
    return lambda path: parse(decode(path.read_bytes()))


_TAGS = ('[Event "', '[White "', '[Black "', '[Result "', "1-0", "1/2-1/2", "{", "}", "\n\n")
_MATCH = (" 5 point match", " Game 1", "Wins 1 point", "Doubles => 2", " A : 0   B : 0")
_WHERE = ("AND", "or", "NOT", "between", ">=", "in (", "LIKE", "IS NULL")
_KEYS = ('"results"', '"username"', '"id"', '"ended"', '"width"', '"next"', '"Ann"')
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
    Target("archive-tar", read_archive, ".tar"),
    Target("archive-zip", read_archive, ".zip"),
    Target("archive-compressed", read_archive, ".pgn"),
    Target("database-arrow", _read_stored("arrow"), ".arrow"),
    Target("database-duckdb", _read_stored("database"), ".duckdb", save=save_duckdb),
    Target("database-parquet", _read_stored("parquet"), ".parquet"),
    Target("database-sqlite", _read_stored("database"), ".sqlite"),
    Target("ogs-answers", read_answers, ".json", words=_KEYS),
    Target("text-condition", _text(Where), words=_WHERE),
    Target("text-criteria", _text(parse_criteria)),
    Target("text-dates", _text(lambda text: read_dates(text.splitlines()))),
    Target("text-grade", _text(parse_grade)),
    Target("text-position", _text(parse_position)),
    Target("text-rules", _text(parse_rules_and_komi)),
)
