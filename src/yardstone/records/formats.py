"""The registry of formats: each is declared here, with all that is to be known of it.

Whatever asks what a file is, which endings there are, or what can be read, written or
uploaded, asks here; a new format is a declaration and its place in `FORMATS`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yardstone.choices import no_such
from yardstone.errors import UsageError
from yardstone.files import scratch_folder
from yardstone.records.columns import has_role
from yardstone.records.decoding import clean, csv_lines, escape_cell
from yardstone.records.options import Options, Reader, check_group
from yardstone.records.sources import Source, plain_ending

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.records.tables import GameRows


@dataclass(frozen=True, slots=True)
class Sign:
    """Something in the first bytes of a file, without a byte order mark, that shows its format.

    Where several formats show, the sign of the lowest rank counts, unless the file's ending is
    that of another of them; one of rank 0 counts in any case.
    """

    rank: int
    shows: Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes pools in a format."""

    name: str  #: what the user calls the format
    endings: tuple[str, ...]
    #: from a pool to the file, piece by piece: texts, or bytes if it is `binary`
    pieces: Callable[[Pool], Iterable[str | bytes]]
    #: the columns of a pool that the format has no place for
    left_out: Callable[[Pool], Sequence[str]] = lambda _: ()
    binary: bool = False


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A kind of file: how it is known, read and written."""

    name: str  #: what the user calls it
    endings: tuple[str, ...]  #: without those of compression
    signs: tuple[Sign, ...]  #: how its content shows
    read: Reader
    writers: tuple[Writer, ...] = ()
    moves: bool = False  #: whether its records hold moves, of which a pool keeps nothing
    side: str = ""  #: the colour that moves first in it; empty if it has no colours
    #: From an upload's beginning and ending to what the web calls it; empty if it takes it not.
    web: Callable[[str, str], str] | None = None
    tournament: str = ""  #: for formats of whole tournaments, what the format is, in words
    #: for tables, from a source and options to a context with its `GameRows`
    rows: Callable[[Source, Options], AbstractContextManager[GameRows]] | None = None


def reader(module: str, function: str, *first: str) -> Callable[..., Any]:
    """A function of another module, which is loaded when something is read."""

    def read(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(f"yardstone.{module}"), function)(
            *first, *arguments, **options
        )

    return read


def tournament_format(name: str, about: str, endings: tuple[str, ...], *signs: Sign) -> FileFormat:
    """A format of tournaments, which `yardstone.tournament` reads and writes."""
    read = reader("tournament.files", "read_tournaments", name)
    return FileFormat(name, endings, signs, read, tournament=about)


def table_format(
    name: str,
    endings: tuple[str, ...],
    signs: tuple[Sign, ...],
    rows: Callable[[Source, Options], AbstractContextManager[GameRows]],
    *,
    sent: bool = True,
    **more: Any,
) -> FileFormat:
    """A format of tables, which DuckDB reads: `rows` opens the table of one file.

    With `sent` it does so from the bytes of a file as well, on another machine.
    """

    def read(sources: Sequence[Source], options: Options) -> Pool:
        from yardstone.records.joining import read_shares
        from yardstone.records.unplayed import without_repeats

        read = partial(import_module("yardstone.records.table_files").read_rows, rows)
        pool = read_shares(read, sources, options) if sent else read(sources, options)
        return without_repeats(pool)

    return FileFormat(name, endings, signs, read, rows=rows, **more)


#: Games handed over at once.
_ROWS = 4096
_SQL = {"i": "BIGINT", "u": "BIGINT", "f": "DOUBLE", "b": "BOOLEAN", "M": "TIMESTAMP"}


def _rows(pool: Pool) -> Iterator[dict[str, Any]]:
    """Each game as a dictionary; None where nothing is known."""
    names = [clean(name) for name in pool.players]
    for start in range(0, len(pool), _ROWS):
        part = slice(start, start + _ROWS)
        columns: dict[str, list[Any]] = {
            "first": [names[number] for number in pool.first[part]],
            "second": [names[number] for number in pool.second[part]],
            "score": [score if score == 0.5 else int(score) for score in pool.score[part].tolist()],
        }
        if pool.time is not None:
            columns["time"] = _plain(pool.time[part])
        columns |= {_column_name(name): _plain(each[part]) for name, each in pool.columns.items()}
        for row in zip(*columns.values(), strict=True):
            yield dict(zip(columns, row, strict=True))


def _column_name(name: str) -> str:
    """A further column's name; one that would be taken for players or result gets another."""
    return f"written_{name}" if has_role(name) else name


def _column_types(pool: Pool) -> dict[str, str]:
    """The columns of such rows with their types in SQL."""
    types = {"first": "VARCHAR", "second": "VARCHAR", "score": "DOUBLE"}
    if pool.time is not None:
        types["time"] = "TIMESTAMP"
    for name, column in pool.columns.items():
        types[_column_name(name)] = _SQL.get(column.dtype.kind, "VARCHAR")
    return types


def _plain(column: NDArray[Any]) -> list[Any]:
    if column.dtype.kind == "M":
        texts = column.astype("datetime64[s]").astype(str).tolist()
        return [None if text == "NaT" else text.removesuffix("T00:00:00") for text in texts]
    if column.dtype.kind == "f":
        return [None if np.isnan(value) else value for value in column.tolist()]
    values: list[Any] = column.tolist()
    if column.dtype.kind in "iub":
        return values
    return [value or None for value in values]


_PGN_TAG = re.compile(rb'[ \t]*\[\s*\w+\s+"')
_PGN_TAG_IN_A_LINE = re.compile(rb'^[ \t]*\[\s*\w+\s+"', re.MULTILINE)
_PGN_RESULTS = {1.0: "1-0", 0.0: "0-1", 0.5: "1/2-1/2"}
_PGN_QUOTED = str.maketrans({"\\": "\\\\", '"': '\\"'})
_PGN_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")


def _pgn_pieces(pool: Pool) -> Iterator[str]:
    tags = {name: _pgn_tag(_column_name(name)) for name in pool.columns}
    for game in _rows(pool):
        day, _, clock = (game.get("time") or "").partition("T")
        values = {
            "Event": "?",
            "Site": "?",
            "Date": day.replace("-", ".") or "????.??.??",
            "Round": "?",
            "White": game["first"],
            "Black": game["second"],
            "Result": _PGN_RESULTS[float(game["score"])],
        }
        if clock:
            values["Time"] = clock
        for name, tag in tags.items():
            value = game[_column_name(name)]
            if value is not None and tag is not None and values.get(tag, "?") == "?":
                values[tag] = f"{value:g}" if isinstance(value, float) else str(value)
        lines = "".join(
            f'[{tag} "{clean(value).translate(_PGN_QUOTED)}"]\n' for tag, value in values.items()
        )
        yield f"{lines}\n{values['Result']}\n\n"


def _pgn_tag(column: str) -> str | None:
    """The tag for a column: ``white_elo`` is WhiteElo, and ECO stays ECO."""
    tag = column
    if not column[:1].isupper():
        tag = "".join(part[:1].upper() + part[1:] for part in column.split("_"))
    return {"Eco": "ECO"}.get(tag, tag) if _PGN_TAG_NAME.fullmatch(tag) else None


_SGF_ROOT = re.compile(rb"\(\s*;\s*[A-Za-z]{1,12}\s*\[")
_SGF_BEGINNING = re.compile(rb"\(\s*;")
_SGF_GAME = re.compile(r"GM\s*\[\s*(\d+)")


def _sgf_left_out(pool: Pool) -> list[str]:
    from yardstone.records.sgf import POOL_COLUMNS

    return [name for name in pool.columns if name not in POOL_COLUMNS]


def _sgf_web(text: str, _: str) -> str:
    game = _SGF_GAME.search(text)
    number = "1" if game is None else game[1].lstrip("0")
    return {"1": "sgf", "6": "sgf-backgammon"}.get(number, "")


_MAT_MATCH = re.compile(
    rb"^[ \t]*(?:\d{1,5}[ \t]*point[ \t]+match\b"
    rb"|(?:unlimited|money)[ \t]+(?:match|session|game)[ \t\r]*$"
    rb"|;[ \t]*\[[ \t]*(?:Site|Player 1|EventDate)\b)",
    re.IGNORECASE | re.MULTILINE,
)


#: Lines that name three columns or more, some in quotes, or a winner and a loser.
_CSV_HEADERS = (
    re.compile(rb"[^\n\r\"\[]*[,;\t|][^\n\r\[]*[,;\t|]"),
    re.compile(rb'(?:"[^"\n\r]*"[,;\t|]){2}'),
    re.compile(rb'"?win[\w ]*"?[,;\t|]"?los[\w ]*"?\s|"?los[\w ]*"?[,;\t|]"?win[\w ]*"?\s', re.I),
)
_CSV_ENDINGS = (".csv", ".tsv", ".tab")


def _csv_pieces(pool: Pool) -> Iterator[str]:
    return csv_lines(_column_types(pool), (game.values() for game in _rows(pool)))


def _tsv_pieces(pool: Pool) -> Iterator[str]:
    """Cells have no tabs and line ends, for other programs, and quotes only where they must."""
    for row in chain([_column_types(pool)], (game.values() for game in _rows(pool))):
        cells = ("" if each is None else escape_cell(clean(str(each))) for each in row)
        quoted = (
            '"' + cell.replace('"', '""') + '"' if cell.startswith('"') else cell for cell in cells
        )
        yield "\t".join(quoted) + "\n"


_PARQUET_ENDINGS = (".parquet", ".pq")
_PARQUET_PIECE = 1 << 20


def _parquet_pieces(pool: Pool) -> Iterator[bytes]:
    from yardstone.records.table_files import parquet_of_csv

    with scratch_folder() as folder:
        table, target = folder / "games.csv", folder / "games.parquet"
        with table.open("w", encoding="utf-8", newline="") as file:
            file.writelines(_csv_pieces(pool))
        parquet_of_csv(target, table, _column_types(pool))
        with target.open("rb") as binary:
            while piece := binary.read(_PARQUET_PIECE):
                yield piece


_JSON_OBJECTS = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|\})|\[\s*\]')


def _json_list(pool: Pool) -> Iterator[str]:
    begin = "[\n"
    for game in _rows(pool):
        yield begin + json.dumps(game, ensure_ascii=False)
        begin = ",\n"
    yield "[]\n" if begin == "[\n" else "\n]\n"


_OPENGOTHA_XML = re.compile(rb"(?:<\?xml|<!--|<!DOCTYPE\s+Tournament|<Tournament)\b")

#: A player: place, names, grade, country, club, then scores and rounds.
_H9_PLAYER = re.compile(
    rb"^[ \t]*+\d++[ \t]++\S++(?>.*?[ \t]\d+[kdp]\b).*[ \t]\d+[=+\-?]", re.IGNORECASE | re.MULTILINE
)

_CODE = re.compile(rb"(?:012|022|042|001|###)[ \r\n]")

_DECLARED = (
    FileFormat(
        "pgn",
        (".pgn",),
        (Sign(7, _PGN_TAG.match), Sign(9, _PGN_TAG_IN_A_LINE.search)),
        reader("records.pgn", "read_pgn"),
        writers=(
            Writer(
                "pgn",
                (".pgn",),
                _pgn_pieces,
                lambda pool: [
                    name for name in pool.columns if _pgn_tag(_column_name(name)) is None
                ],
            ),
        ),
        moves=True,
        side="white",
        web=lambda *_: "pgn",
    ),
    FileFormat(
        "sgf",
        (".sgf",),
        (Sign(5, _SGF_ROOT.match), Sign(10, _SGF_ROOT.search), Sign(12, _SGF_BEGINNING.search)),
        reader("records.sgf", "read_sgf"),
        writers=(
            Writer(
                "sgf",
                (".sgf",),
                lambda pool: reader("records.sgf", "sgf_of_rows")(_rows(pool), pool.time),
                _sgf_left_out,
            ),
        ),
        moves=True,
        side="black",
        web=_sgf_web,
    ),
    FileFormat(
        "mat",
        (".mat",),
        (Sign(6, _MAT_MATCH.search),),
        reader("records.mat", "read_mat"),
        moves=True,
        web=lambda *_: "mat",
    ),
    table_format(
        "csv",
        _CSV_ENDINGS,
        tuple(Sign(8, header.match) for header in _CSV_HEADERS),
        reader("records.table_files", "csv_file_rows"),
        writers=(
            Writer("csv", (".csv",), _csv_pieces),
            Writer("tsv", (".tsv", ".tab"), _tsv_pieces),
        ),
        # Any text with commas looks like a table, so a file that calls itself otherwise is none.
        web=lambda _, ending: "csv" if ending in (*_CSV_ENDINGS, ".txt", "") else "",
    ),
    table_format(
        "parquet",
        _PARQUET_ENDINGS,
        (Sign(0, lambda head: head.startswith(b"PAR1")),),
        reader("records.table_files", "parquet_rows"),
        writers=(Writer("parquet", _PARQUET_ENDINGS, _parquet_pieces, binary=True),),
    ),
    table_format(
        "json",
        (".json", ".jsonl", ".ndjson"),
        (Sign(1, _JSON_OBJECTS.match),),
        reader("records.table_files", "json_rows"),
        writers=(
            Writer("json", (".json",), _json_list),
            Writer(
                "jsonl",
                (".jsonl", ".ndjson"),
                lambda pool: (json.dumps(game, ensure_ascii=False) + "\n" for game in _rows(pool)),
            ),
        ),
    ),
    table_format(
        "arrow",
        (".arrow", ".feather"),
        (Sign(0, lambda head: head.startswith((b"ARROW1", b"FEA1"))),),
        reader("records.table_files", "arrow_rows"),
    ),
    tournament_format("opengotha", "OpenGotha", (".xml",), Sign(2, _OPENGOTHA_XML.match)),
    tournament_format(
        "h9",
        "results for the European Go Database",
        (".h9",),
        Sign(4, re.compile(rb";[ \t]*[A-Z]{2}\[").match),
        Sign(11, _H9_PLAYER.search),
    ),
    tournament_format("trf", "FIDE's report file", (".trf", ".trfx"), Sign(3, _CODE.match)),
    table_format(
        "database",
        (".db", ".sqlite", ".sqlite3", ".duckdb"),
        (Sign(0, lambda head: head.startswith(b"SQLite format 3\0") or head[8:12] == b"DUCK"),),
        reader("records.databases", "database_rows"),
        sent=False,
    ),
)
#: All formats by name.
FORMATS: Mapping[str, FileFormat] = MappingProxyType({format.name: format for format in _DECLARED})
#: What writes pools, by the name of the format.
WRITERS: Mapping[str, Writer] = MappingProxyType(
    {writer.name: writer for format in FORMATS.values() for writer in format.writers}
)
#: Bytes at the beginning of a file that are looked at.
HEAD = 4096
_BY_ENDING = {ending: format for format in FORMATS.values() for ending in format.endings}
_SIGNS = sorted(
    ((sign, format) for format in FORMATS.values() for sign in format.signs),
    key=lambda pair: pair[0].rank,
)
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def endings_of(formats: Sequence[FileFormat] | None = None) -> list[str]:
    """The endings of files of some formats, or of all."""
    known = FORMATS.values() if formats is None else formats
    return [ending for format in known for ending in format.endings]


def format_named(name: str) -> FileFormat:
    """The format of this name; UsageError if there is none."""
    if name not in FORMATS:
        raise UsageError(no_such("format", name, FORMATS))
    return FORMATS[name]


def of_content(head: bytes, name: str = "") -> FileFormat | None:
    """The format that the first bytes of a file show; None where they show none.

    Where they could be of several, the ending of the file's name decides.

    Examples:
        >>> of_content(b'[White "Ann"]').name, of_content(b"white,black,result").name
        ('pgn', 'csv')
        >>> of_content(b"hello", "hello.pgn")
    """
    text = head
    for mark in _MARKS:
        text = text.removeprefix(mark)
    text = text.replace(b"\0", b"").lstrip()
    formats = []
    for sign, format in _SIGNS:
        if sign.shows(head if sign.rank == 0 else text):
            if sign.rank == 0:
                return format
            formats.append(format)
    by_ending = _BY_ENDING.get(plain_ending(name))
    return by_ending if by_ending in formats else next(iter(formats), None)


def of_source(source: Source) -> FileFormat:
    """The format of a source: what its first bytes say, or else its ending."""
    by_ending = _BY_ENDING.get(source.ending)
    # Going back in an archive can mean reading all of it again.
    if by_ending is not None and source.member is not None:
        return by_ending
    stream = source.open()
    head = stream.peek(HEAD)
    if source.path is None:
        source.kept = stream  # it stays open: there is no second time
    else:
        stream.close()
    return of_content(head, source.name) or by_ending or FORMATS["pgn"]


def for_web(head: bytes, name: str) -> str:
    """What the web calls an upload that begins so; empty if it takes no such file.

    Examples:
        >>> for_web(b"(;GM[1]SZ[19])", "a.sgf"), for_web(b"(;GM[6])", "a.sgf")
        ('sgf', 'sgf-backgammon')
        >>> for_web(b"MZ", "a.csv")
        ''
    """
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not wide and head.count(b"\0") > 2:
        return ""
    format = of_content(head, name)
    if format is None or format.web is None:
        return ""
    text = head.decode("utf-16", "ignore") if wide else head.decode("utf-8-sig", "replace")
    return format.web(text, plain_ending(name))


def read_format(name: str, sources: Sequence[Source], options: Options) -> Pool:
    """The games of sources of one format; InputError if too much of them cannot be read."""
    from yardstone.records.unplayed import without_byes

    pool = without_byes(FORMATS[name].read(sources, options), strict=options.strict)
    check_group(sources, pool.skipped, len(pool), skip_unread=options.skip_unread)
    return pool
