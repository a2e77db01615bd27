"""Go games from SGF files: headers, main lines, variations where asked.

`read_games` gives games one after another, whatever program, server or century they
come from; `read_sgf` gives their results as a pool, in which Black is ``first``.

Source of the format: the SGF specification FF[4] by Arno Hollosi, and FF[1] to FF[3].
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstone.errors import InputError, NoGamesError, StrictError, UsageError
from yardstone.pool import Pool, Skipped, SkipReport
from yardstone.records._sgf import NODE_NUMBER, Rows
from yardstone.records.columns import HANDICAP_GAME, SGF_LEVELS
from yardstone.records.dates import Times, date_span
from yardstone.records.decoding import clean, decode, escaped
from yardstone.records.go_game import (
    BLACK,
    DRAWN,
    PASS,
    TEXTS,
    UNKNOWN,
    WHITE,
    WRITER,
    GoGame,
    parse_go_date,
    parse_komi,
    parse_winner,
    split_rank,
)
from yardstone.records.joining import read_shares, without_empty_columns
from yardstone.records.options import SGF, Options, further_columns, require_columns
from yardstone.records.results import left_out_reason
from yardstone.records.sgf_records import (
    GameBuilder,
    PropertyRows,
    SgfLimits,
    SgfRecord,
    Unusable,
    property_values,
    read_records,
)
from yardstone.records.sources import ByteStream, Source, StrPath, find_sources, in_turn
from yardstone.records.unplayed import CONTENT, IDENTITY, without_repeats

_ENDINGS = (".sgf",)
#: Where a server tells which of its games it is.
_GAME_LINK = re.compile(r"://\S+\d{3}")
#: Why a drawn game does not count: its komi or its result must be wrong.
_IMPOSSIBLE = "a draw at a komi of half a point"
#: Columns that hold the first and the last moment of a date until all games are there.
_SPAN = ("first moment", "last moment")
#: The lines of play of a record may have so many nodes, and so many times as many as the record,
#: so that the work grows with the file.
_FEW_NODES, _TIMES_NODES = 100_000, 100


class SgfReader:
    """Reads games from SGF files and keeps count of what it skipped and repaired.

    Iterating gives the games one after another; memory is bounded by the longest
    record, not by the number of files.

    Args:
        *paths: Files, folders, patterns, zip and tar archives, or ``"-"``; compressed or not.
        variations: Give a game for every line of play, the main line first, in place of the main
            line only.
        strict: Raise at the first record that cannot be used.
        limits: How long records may be.

    Attributes:
        skipped: Records that were left out, and in `skipped.repaired` how often what was put right
            in the others.
    """

    def __init__(
        self,
        *paths: StrPath | Source,
        variations: bool = False,
        strict: bool = False,
        limits: SgfLimits | None = None,
    ) -> None:
        if not paths:
            raise UsageError("no files given")
        self.skipped = SkipReport()
        self._strict = strict
        self._limits = limits or SgfLimits()
        self._variations = variations
        self._builder = GameBuilder(self.skipped.repaired)
        beside = SkipReport()
        self._sources = find_sources(paths, _ENDINGS, beside)
        for record in beside.details:
            self._skip(record.file, record.line, record.reason)

    def __iter__(self) -> Iterator[GoGame]:
        for record in self._records(main_only=not self._variations):
            try:
                if self._variations:
                    yield from self._lines(record)
                else:
                    yield self._builder.game(record)
            except Unusable as trouble:
                self._skip(record.file, record.line, trouble.reason, trouble.kind)

    def trees(self) -> Iterator[SgfTree]:
        """The records with all their variations, of any kind of game."""
        return map(SgfTree, self._records(main_only=False))

    def _lines(self, record: SgfRecord) -> Iterator[GoGame]:
        tree = SgfTree(record)
        properties = tree.properties(0)
        left = min(self._limits.nodes, _FEW_NODES + _TIMES_NODES * len(tree))
        for count, leaf in enumerate(tree.leaves()):
            path = tree.path(leaf)
            left -= len(path)
            if count == self._limits.lines or left < 0:
                reason = f"more lines of play than the limits allow: {count} were read"
                self._skip(record.file, record.line, reason, "too many lines of play")
                return
            yield self._builder.line(record, properties, tree.line_rows(path))

    def _records(self, *, main_only: bool) -> Iterator[SgfRecord]:
        rows = Rows(main_only=main_only)
        for source, tell in in_turn(self._sources):
            try:
                with source.open() as stream:
                    for record in read_records(stream, rows, self._limits, self._skip, tell):
                        if rows.nodes:
                            yield record
                        else:
                            self._skip(record.file, record.line, "the record is empty")
            except StrictError:
                raise
            except InputError as error:
                self._skip(source.name, error.line or 0, error.message)

    def _skip(
        self, file: str, line: int, reason: str, kind: str | None = None, *, known: bool = False
    ) -> None:
        record = Skipped(file, line, reason)
        self.skipped.add(record, kind=kind, known=known, strict=self._strict)


def read_games(
    *paths: StrPath,
    variations: bool = False,
    strict: bool = False,
    limits: SgfLimits | None = None,
) -> Iterator[GoGame]:
    """The games in SGF files, one after another; see `SgfReader` for the parameters.

    What cannot be read is left out silently: an `SgfReader` also tells what that was.

    Raises:
        InputError: If a file or folder does not exist.
        StrictError: With `strict`, at the first record that cannot be used.
    """
    return iter(SgfReader(*paths, variations=variations, strict=strict, limits=limits))


#: Columns taken where all are wanted, with the attributes of `GoGame` that they are.
_ALL_COLUMNS = {
    name: name
    for name in (
        "size", "komi", "handicap", "rules", "black_rank", "white_rank", "black_team",
        "white_team", "written_result", "event", "place", "moves",
    )
} | {"written_result": "result"}  # fmt: skip
#: Columns of a pool that come from attributes; other names are properties.
_ATTRIBUTES = ("file", "line", "number", *_ALL_COLUMNS.values())


def read_sgf(sources: Sequence[Source], options: Options) -> Pool:
    """The results of the games in SGF files as a pool; Black is ``first``.

    Games without a result that counts are skipped. `options.columns` names further
    columns: attributes of `GoGame` (``moves`` is their number) or properties.

    Raises:
        NoGamesError: If no file holds an SGF record.
        StrictError: With `options.strict`, at the first record that cannot be used.
    """
    further = further_columns(options, SGF)
    levels = SGF_LEVELS if options.levels else {}
    columns: Mapping[str, str] = _ALL_COLUMNS if options.everything else {**levels, **further}
    asked = options.asked()
    columns = {**columns, **asked}
    read = partial(_results, columns, alone=len(sources) == 1)
    pool = without_repeats(_timed(read_shares(read, sources, options)))
    require_columns(pool, further, sources, SGF, others=_ATTRIBUTES)
    if options.where is not None:
        require_columns(pool, asked, sources, SGF, others=_ATTRIBUTES)
        pool = options.where.select(pool)
    return without_empty_columns(pool, None if options.everything else levels)


def _results(
    columns: Mapping[str, str], sources: Sequence[Source], options: Options, *, alone: bool
) -> Pool:
    """The results in some files, or in the one file that is `alone`; times as `_SPAN` has them."""
    reader = SgfReader(*sources, strict=options.strict)
    values: dict[str, list[Any]] = {name: [] for name in columns}
    black: list[str] = []
    white: list[str] = []
    scores: list[float] = []
    times: list[tuple[np.datetime64, np.datetime64]] = []
    games = 0
    even = "handicap" not in {source.lower() for source in columns.values()}
    marks: list[tuple[int, int]] = []
    for game in reader:
        games += 1
        reason = _unrated(game)
        if reason is None and game.handicap and even:
            reason = (HANDICAP_GAME,) * 2
        if reason is not None:
            named = bool(game.black and game.white)
            known = named and (
                left_out_reason(game.result) is not None
                or reason[1] in (HANDICAP_GAME, _IMPOSSIBLE)
            )
            if named and not known:
                reader.skipped.values[game.result] += 1
            reader._skip(game.file, game.line, *reason, known=known)
            continue
        black.append(game.black)
        white.append(game.white)
        scores.append(1.0 if game.winner == BLACK else 0.0 if game.winner == WHITE else 0.5)
        span = (game.date, game.date)
        if np.isnat(game.date):
            span = date_span("".join(game.properties.get("DT", ())), options.dates)
        times.append(span)
        for name, source in columns.items():
            values[name].append(_value(game, source))
        marks.append(_marks(game))
    if not games and alone:
        raise NoGamesError(
            "it contains no games of Go" if not reader.skipped.details
            else reader.skipped.details[0].reason,
            file=sources[0].name,
            line=(reader.skipped.details or [Skipped("", 0, "")])[0].line or None,
            hint="an SGF file begins with (;",
        )  # fmt: skip
    spans = np.array(times, "datetime64[s]").reshape(-1, 2).view(np.int64)
    further = {name: _column(column) for name, column in values.items()}
    further |= zip(_SPAN, spans.T, strict=True)
    further |= zip((CONTENT, IDENTITY), np.array(marks, np.uint64).reshape(-1, 2).T, strict=True)
    pool = Pool.from_names(black, white, scores, columns=further)
    return replace(pool, skipped=reader.skipped)


def _marks(game: GoGame) -> tuple[int, int]:
    """What a record says as a number, and the game that it names: by a link, or date and round."""
    said = game.properties
    place, day, number = (", ".join(said.get(name, ())) for name in ("PC", "DT", "RO"))
    identity = place if _GAME_LINK.search(place) else f"{day} {number}" if day and number else ""
    content = repr(sorted(said.items())).encode() + game.moves.tobytes()
    return _number(content), _number(identity.encode()) if identity else 0


def _number(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def _timed(pool: Pool) -> Pool:
    """The games with their times in place of the moments between which they lie."""
    columns = dict(pool.columns)
    spans = np.column_stack([columns.pop(name) for name in _SPAN]).view("datetime64[s]")
    moments = Times.of_spans(spans)
    moments.report(pool.skipped)
    return replace(pool, time=moments.time, columns=columns)


def _unrated(game: GoGame) -> tuple[str, str] | None:
    """Why a game does not count for ratings, and the kind of reason; None if it does."""
    if not game.black:
        return ("Black has no name",) * 2
    if not game.white:
        return ("White has no name",) * 2
    if game.winner == UNKNOWN:
        if not game.result:
            return ("no result",) * 2
        return f"result {game.result[:64]!r} names no winner", "result without a winner"
    if game.winner == DRAWN and game.komi is not None and game.komi % 1.0 == 0.5:
        return f"a draw at a komi of {game.komi:g}, where there is none", _IMPOSSIBLE
    return None


def _value(game: GoGame, source: str) -> Any:
    name = source.lower()
    if name == "moves":
        return len(game.moves)
    if name in _ATTRIBUTES:
        return getattr(game, name)
    return ", ".join(game.properties.get(source.upper(), ()))


def _column(values: list[Any]) -> NDArray[Any]:
    """Whole numbers, numbers (NaN where there is none) or texts."""
    texts = any(isinstance(value, str) for value in values)
    whole = all(isinstance(value, int) for value in values)
    kind: Any = np.dtypes.StringDType() if texts else np.int64 if whole else np.float64
    return np.array(values, kind)


class SgfTree:
    """One game with its variations.

    Made by `SgfReader.trees`, or by hand from an empty one with `add`.

    Attributes:
        file: Where it was read; '' if it was not.
        line: The line at which it begins, from 1.
        number: Its number within the file, from 1.

    Examples:
        >>> tree = SgfTree()
        >>> root = tree.add(None, {"GM": ["1"], "SZ": ["9"]})
        >>> first = tree.add(root, {"B": ["ee"]})
        >>> _ = tree.add(first, {"W": ["gc"]}), tree.add(first, {"W": ["cg"], "C": ["or here"]})
        >>> tree.children(first), tree.main_line(), tree.properties(3)["C"]
        ([2, 3], [0, 1, 2], ('or here',))
    """

    def __init__(self, record: SgfRecord | None = None) -> None:
        record = record or SgfRecord("", 0, 1, b"", Rows(main_only=False))
        rows = record.rows
        self.file, self.line, self.number = record.file, record.line, record.number
        self._data, self._rows = record.data, rows.table.copy()
        self._parents = rows.parents.tolist()
        self._rows_at = np.searchsorted(self._rows[:, NODE_NUMBER], np.arange(rows.nodes + 1))
        self._made: dict[int, dict[str, tuple[str, ...]]] = {}  # nodes that were not read
        self._children: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self._parents)

    def __repr__(self) -> str:
        return f"<SgfTree: {len(self)} nodes>"

    def parent(self, node: int) -> int | None:
        """The node before this one; None for the root."""
        self._check(node)
        parent: int = self._parents[node]
        return None if parent < 0 else parent

    def children(self, node: int) -> list[int]:
        """The nodes that follow this one, the main line's first."""
        self._check(node)
        order, starts = self._links()
        return [int(child) for child in order[starts[node + 1] : starts[node + 2]]]

    def properties(self, node: int) -> Mapping[str, tuple[str, ...]]:
        """The values of each property of a node, without escapes."""
        self._check(node)
        if node in self._made:
            return self._made[node]
        first, last = self._rows_at[node : node + 2].tolist()
        return property_values(self._data, self._rows[first:last])

    def main_line(self) -> list[int]:
        """The nodes of the main line, from the root on."""
        order, starts = self._links()
        line, node = [], -1
        while starts[node + 1] < starts[node + 2]:
            node = int(order[starts[node + 1]])
            line.append(node)
        return line

    def leaves(self) -> Iterator[int]:
        """The last node of every line of play, in the order of the file."""
        has_child = np.zeros(len(self) + 1, bool)
        has_child[np.array(self._parents, np.int64) + 1] = True
        yield from np.flatnonzero(~has_child[1:]).tolist()

    def path(self, node: int) -> list[int]:
        """The nodes from the root to this one."""
        line = [node]
        while (parent := self.parent(line[-1])) is not None:
            line.append(parent)
        return line[::-1]

    def add(self, parent: int | None, properties: Mapping[str, Sequence[str] | str]) -> int:
        """Add a node behind `parent` (None: the root), and give its number.

        Raises:
            UsageError: If there is a root already, no such parent, or a name that is none: names of
                properties are capital letters.
        """
        if parent is None:
            if len(self):
                raise UsageError("the tree has its root already")
            parent = -1
        else:
            self._check(parent)
        made = {}
        for name, values in properties.items():
            if not (name.isascii() and name.isalpha() and name.isupper()):
                raise UsageError(f"{name!r} is not a property name: use capital letters")
            made[name] = (values,) if isinstance(values, str) else tuple(values)
        self._made[len(self)] = made
        self._parents.append(parent)
        self._children = None
        return len(self) - 1

    def line_rows(self, path: Sequence[int]) -> PropertyRows:
        """The rows of the nodes on a path, for `GameBuilder.line`."""
        nodes = np.asarray(path)
        starts, counts = self._rows_at[nodes], np.diff(self._rows_at)[nodes]
        begins = np.cumsum(counts) - counts
        places = np.arange(counts.sum()) + np.repeat(starts - begins, counts)
        rows: PropertyRows = self._rows[places]
        return rows

    def _check(self, node: int) -> None:
        if not 0 <= node < len(self):
            raise UsageError(f"there is no node {node}, only 0 to {len(self) - 1}")

    def _links(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Children in order of their parents, and where those of each parent (from -1) begin."""
        if self._children is None:
            parents = np.array(self._parents, np.int64)
            order = np.argsort(parents, kind="stable")
            starts = np.searchsorted(parents[order], np.arange(-1, len(parents) + 1))
            self._children = order, starts
        return self._children


#: Properties that a `GoGame` tells itself, in the order in which they are written.
_OWN = "GM FF CA SZ PB BR BT PW WR WT EV PC DT RU KM HA RE AB AW AE PL B W BL WL".split()
_RESULTS = {BLACK: "B+", WHITE: "W+", DRAWN: "0"}
_LETTERS = "abcdefghijklmnopqrs"
#: A new line is begun after so many moves.
_MOVES_A_LINE = 12


def write_sgf(what: GoGame | SgfTree | Iterable[GoGame | SgfTree]) -> str:
    """The SGF text of a game, a tree, or several of them (a collection).

    Reading it again gives the same game: FF[4], UTF-8, one record after another. A
    game's own attributes count where its `properties` say otherwise; komi is written
    in points and handicap stones as stones set up, so repaired games stay repaired.

    Examples:
        >>> from yardstone.records.go_game import GoGame
        >>> game = GoGame(black="Ann", white="Bob", komi=6.5, result="B+R")
        >>> print(write_sgf(game), end="")
        (;GM[1]FF[4]CA[UTF-8]SZ[19]PB[Ann]PW[Bob]KM[6.5]RE[B+R])
    """
    if isinstance(what, GoGame):
        return "".join(_game(what))
    if isinstance(what, SgfTree):
        return "".join(_tree(what))
    return "".join(write_sgf(one) for one in what)


def _property(name: str, values: Sequence[str]) -> str:
    return name + "".join(f"[{escaped(value)}]" for value in values)


def _game(game: GoGame) -> Iterator[str]:
    yield "(;"
    for name, values in _root_properties(game).items():
        yield _property(name, values)
    clocks = [] if game.time_left is None else game.time_left.tolist()
    moves = zip(game.moves.tolist(), game.colours.tolist(), strict=True)
    for place, (move, colour) in enumerate(moves):
        if place % _MOVES_A_LINE == 0:
            yield "\n"
        letter = "B" if colour == BLACK else "W"
        yield f";{letter}[{sgf_point(move, game.size)}]"
        if clocks and not np.isnan(clocks[place]):
            seconds = np.format_float_positional(np.float32(clocks[place]), trim="-")
            yield f"{letter}L[{seconds}]"
    yield ")\n"


def _root_properties(game: GoGame) -> Mapping[str, Sequence[str]]:
    """What the first node of a game's record says."""
    texts = {tag: getattr(game, name) for name, tag in TEXTS.items()} | {
        "GM": "1", "FF": "4", "CA": "UTF-8", "SZ": str(game.size),
        "PB": game.black, "PW": game.white, "DT": _date(game), "KM": _komi(game),
        "HA": str(game.handicap) if game.handicap else "",
        "RE": game.result or ("" if game.winner == UNKNOWN else _RESULTS[game.winner]),
    }  # fmt: skip
    own: dict[str, Sequence[str]] = {name: (texts[name],) for name in _OWN if texts.get(name)}
    for name, stones in (("AB", game.setup_black), ("AW", game.setup_white)):
        if len(stones):
            own[name] = [sgf_point(point, game.size) for point in stones.tolist()]
    first = int(game.colours[0]) if len(game.colours) else 0
    if game.to_play != (first or BLACK):
        own["PL"] = ("B" if game.to_play == BLACK else "W",)
    others = {name: values for name, values in game.properties.items() if name not in _OWN}
    if any(
        split_rank(name, rank)[0] != name
        for name, rank in ((game.black, game.black_rank), (game.white, game.white_rank))
    ):
        others["AP"] = (WRITER,)  # so that the reader leaves the rank in the name
    return own | others


def sgf_point(move: int, size: int) -> str:
    """Return a point as SGF writes it: column and row; "" for a pass."""
    if move == PASS:
        return ""
    if not 0 <= move < size * size:
        raise UsageError(f"{move} is not a point of a board of {size} lines")
    return _LETTERS[move % size] + _LETTERS[move // size]


def _date(game: GoGame) -> str:
    written = " ".join(game.properties.get("DT", ("",))[:1])
    moment = parse_go_date(written)
    if moment == game.date or (np.isnat(moment) and np.isnat(game.date)):
        return written
    if np.isnat(game.date):
        return ""
    return str(game.date).replace("T", " ").removesuffix(" 00:00:00")


def _komi(game: GoGame) -> str:
    if game.komi is None:
        return ""
    text = f"{game.komi:g}"
    if parse_komi(text) != (game.komi, None):
        raise UsageError(f"a komi of {text} cannot be written")
    return text


def _tree(tree: SgfTree) -> Iterator[str]:
    """The text of a tree; a parenthesis opens at the root and at each variation."""
    if not len(tree):
        raise UsageError("a tree without nodes cannot be written")
    todo: list[int | None] = [0]  # None closes a parenthesis
    opens = {0}
    while todo:
        node = todo.pop()
        if node is None:
            yield ")"
            continue
        if node in opens:
            opens.discard(node)
            yield "("
            todo.append(None)
        yield ";"
        for name, values in tree.properties(node).items():
            # A reader takes "(;GM[" for another game, even within one that is not closed.
            inner = node > 0 and name in ("GM", "FF")
            yield f"{name} {_property('', values)}" if inner else _property(name, values)
        children = tree.children(node)
        if len(children) > 1:
            opens.update(children)
        todo += children[::-1]
    yield "\n"


#: Longer lines are no games.
_LONGEST_LINE = 1 << 20
_RESULT_OF = {1.0: "B+", 0.0: "W+", 0.5: "0"}
#: Numbers that a game has as well, the properties that hold them, and what they may be.
_NUMBERS = {"komi": ("KM", -361, 361), "handicap": ("HA", 0, 361), "size": ("SZ", 2, 19)}


class MoveListReader:
    r"""Reads games from lists of moves; iterating gives one after another.

    Args:
        *paths: Files of any ending, folders, patterns, or zip and tar archives, all of whose files
            are read. Each line is an identifier and, behind a tab, a comma or blanks, the moves in
            SGF.
        results: Who played and who won: a pool whose ``first`` is Black, with a column named `key`.
            Its columns komi, handicap, size, rules, black_rank, white_rank, black_team, white_team,
            event and place are used where it has them. Games it does not know are skipped.
        key: The column of `results` that identifies games.

    Attributes:
        skipped: Lines that were left out.

    Examples:
        >>> import pathlib, tempfile, yardstone
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "moves").write_text("7\t;B[pd];W[dd]\n8\t;B[qd]\n")
        >>> pool = yardstone.Pool.from_names(["Ann"], ["Bob"], [1], columns={"id": ["7"]})
        >>> reader = MoveListReader(folder / "moves", results=pool, key="id")
        >>> [(game.black, game.moves.tolist()) for game in reader], reader.skipped.reasons
        ([('Ann', [72, 60])], Counter({'not in the table of results': 1}))
    """

    def __init__(
        self, *paths: StrPath | Source, results: Pool | None = None, key: str = "game_id"
    ) -> None:
        if not paths:
            raise UsageError("no files given")
        self.skipped = SkipReport()
        self._sources = find_sources(paths, [""], self.skipped)
        self._results = results
        self._rows_of: dict[str, int] = {}
        if results is not None:
            if key not in results.columns:
                known = ", ".join(results.columns) or "none"
                raise UsageError(f"the results have no column {key!r}, only {known}")
            values = results.columns[key].tolist()
            self._rows_of = {_identifier(value): row for row, value in enumerate(values)}

    def __iter__(self) -> Iterator[GoGame]:
        builder, rows = GameBuilder(self.skipped.repaired), Rows(main_only=True)
        for source, _ in in_turn(self._sources):
            try:
                yield from self._games(source, builder, rows)
            except InputError as error:
                self.skipped.add(Skipped(source.name, 0, error.message))

    def _games(self, source: Source, builder: GameBuilder, rows: Rows) -> Iterator[GoGame]:
        with source.open() as stream:
            for number, line in enumerate(_lines(stream), start=1):
                identifier, moves = _split(line)
                if not line.strip() or (number == 1 and not moves):  # names of columns
                    continue
                try:
                    if not moves:
                        raise Unusable("no moves in this line")
                    if len(line) > _LONGEST_LINE:
                        raise Unusable(f"a line longer than {_LONGEST_LINE} bytes")
                    properties = self._properties(identifier)
                    rows.scan(moves, 0, final=True)
                    record = SgfRecord(source.name, number, 1, moves, rows)
                    yield builder.line(record, properties, rows.table)
                except Unusable as trouble:
                    self.skipped.add(
                        Skipped(source.name, number, trouble.reason), kind=trouble.kind
                    )
            if stream.damage is not None:
                self.skipped.add(Skipped(source.name, 0, stream.damage))

    def _properties(self, identifier: str) -> MappingProxyType[str, tuple[str, ...]]:
        """What the table of results says of a game, as SGF has it."""
        texts = {"GN": identifier}
        pool = self._results
        if pool is not None:
            row = self._rows_of.get(identifier)
            if row is None:
                raise Unusable(
                    f"game {identifier[:40]!r} is not in the table of results",
                    "not in the table of results",
                )
            texts["PB"] = pool.players[pool.first[row]]
            texts["PW"] = pool.players[pool.second[row]]
            texts["RE"] = _RESULT_OF[float(pool.score[row])]
            if pool.time is not None and not np.isnat(pool.time[row]):
                texts["DT"] = str(pool.time[row]).replace("T", " ")
            for name, tag in (TEXTS | {name: tag for name, (tag, *_) in _NUMBERS.items()}).items():
                text = _identifier(pool.columns[name][row]) if name in pool.columns else ""
                if text not in ("", "nan"):
                    texts[tag] = text
        return MappingProxyType({name: (text,) for name, text in texts.items()})


def _identifier(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def _split(line: bytes) -> tuple[str, bytes]:
    """The identifier of a line, and its moves."""
    place = next((k for k, c in enumerate(line[:256]) if c in b";("), -1)
    if place < 0:
        return "", b""
    return clean(decode(line[:place])).strip("\"', "), line[place:]


def _lines(stream: ByteStream) -> Iterator[bytes]:
    """Lines without their ends; what is too long comes cut, but longer than allowed."""
    left = b""
    for piece in stream.pieces():
        lines = (left + piece).split(b"\n")
        left = lines.pop()
        yield from lines
        if len(left) > _LONGEST_LINE:
            left = left[: _LONGEST_LINE + 1]
    if left:
        yield left


#: The column that holds a result as the record has it, such as B+3.5.
_WRITTEN_RESULT = "written_result"
#: Columns of a pool that SGF keeps.
POOL_COLUMNS = frozenset((*TEXTS, *_NUMBERS, _WRITTEN_RESULT))


def sgf_of_rows(
    rows: Iterable[dict[str, Any]], times: NDArray[np.datetime64] | None
) -> Iterator[str]:
    """The SGF text of each game of a pool, given by its columns."""
    for number, game in enumerate(rows):
        score = game["score"]
        winner = BLACK if score == 1 else WHITE if score == 0 else DRAWN
        known: dict[str, Any] = {
            name: str(game[name]) for name in TEXTS if game.get(name) is not None
        }
        result = str(game.get(_WRITTEN_RESULT) or "")
        if parse_winner(result) == winner:
            known["result"] = result
        known |= _sgf_numbers(game)
        date = np.datetime64("NaT", "s") if times is None else times[number]
        yield write_sgf(
            GoGame(black=game["first"], white=game["second"], winner=winner, date=date, **known)
        )


def _sgf_numbers(game: dict[str, Any]) -> dict[str, Any]:
    """Komi, handicap and size; tables may hold them as texts."""
    numbers: dict[str, Any] = {}
    for name, (_, low, high) in _NUMBERS.items():
        try:
            value = float(game.get(name) or "nan")
        except ValueError:
            continue
        if name == "komi" and parse_komi(f"{value:g}") == (value, None):
            numbers[name] = value
        elif value.is_integer() and low <= value <= high:
            numbers[name] = int(value)
    return numbers
