"""A report as it is before it has a face: headings, notes, typed tables and pictures.

Each subject makes one `Document`; the renderers show it on a
terminal and as text, CSV, Parquet, JSON, a page, and a part of a page of the web server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from yardstone.reports.drawing import Drawn

#: What people read where nothing is known.
UNKNOWN = "–"

Kind = Literal["text", "integer", "number", "boolean", "date", "time", "range"]


@dataclass(frozen=True, slots=True)
class Range:
    """A value with its interval, drawn as a bar on a page; either end may be infinite."""

    value: float
    low: float
    high: float
    text: str = ""


def reader(path: str) -> Callable[[Any], Any]:
    """Read what stands in a row at a path: attributes, keys or places; None below an unknown part.

    Examples:
        >>> reader("ends.1")({"ends": (3, 5)})
        5
    """
    first, _, rest = path.partition(".")
    place = int(first) if first.isdigit() else None

    def read(row: Any) -> Any:
        if place is not None:
            return row[place]
        return row[first] if isinstance(row, dict | MappingProxyType) else getattr(row, first)

    if not rest:
        return read
    below = reader(rest)
    return lambda row: None if (part := read(row)) is None else below(part)


def named(path: str) -> tuple[str, str]:
    """The name and the path of ``name=path``; without a name the last part of the path."""
    name, _, whole = path.rpartition("=")
    return name or whole.rpartition(".")[2], whole


@dataclass(frozen=True)
class Column:
    """A column of a table: what stands in files, and how people read it."""

    name: str  #: In CSV, Parquet and JSON; "" if the column is only shown to people.
    #: Takes a row: a value of the `kind`, None where nothing is known. A text is a path of
    #: attributes or keys, such as ``game.file``; without it the name is the path.
    value: Any = ""
    heading: str = ""  #: For people; "" if the column stands only in files.
    kind: Kind = "text"
    #: Format of `format` for people, such as ``.1f``; without it integers have commas and numbers
    #: one digit.
    form: str = ""
    scale: float = 1.0  #: People read the number so many times as large: 100 for per cent.
    unknown: str = UNKNOWN  #: What people read where nothing is known.
    #: Takes a row: what people read, in place of the formatted value.
    show: Callable[[Any], str] | None = None
    #: A narrow screen drops the columns with the smallest positive number first.
    gives_way: int = 0
    left: bool | None = None  #: Whether it begins at the left; as a rule texts do.
    #: Takes a row: the address that its cell leads to on a page, "" for none.
    link: Callable[[Any], str] | None = None
    #: Whether the first click on the heading sorts upwards; texts always do.
    ascending: bool = False
    strong: bool = False  #: Whether a terminal shows it in bold.
    #: In which the rows come, if they are sorted by it.
    order: Literal["ascending", "descending", ""] = ""
    #: Whether pages have it; a text that stands beside a picture there needs none.
    on_pages: bool = True

    def __post_init__(self) -> None:
        if not callable(self.value):
            object.__setattr__(self, "value", reader(self.value or self.name))

    @staticmethod
    def files(*paths: str, kind: Kind = "number") -> list[Column]:
        """Columns that stand only in files, each of a path, named as `named` says."""
        return [Column(*named(path), kind=kind) for path in paths]

    @staticmethod
    def record(columns: Iterable[Column], row: Any) -> dict[str, Any]:
        """Return what files have of a row, by the names of the columns."""
        return {column.name: column.stored(row) for column in columns if column.name}

    @property
    def at_left(self) -> bool:
        """Whether its cells begin at the left."""
        return self.kind in ("text", "range") if self.left is None else self.left

    def stored(self, row: Any) -> Any:
        """What files have of a row: its value, and None for no number."""
        value = self.value(row)
        return None if isinstance(value, float) and not isfinite(value) else value

    def cell(self, row: Any) -> str:
        """What people read in a row."""
        if self.show is not None:
            return self.show(row)
        value = self.value(row)
        if isinstance(value, Range):
            return value.text
        if value is None or (isinstance(value, float) and not isfinite(value)):
            return self.unknown
        if isinstance(value, bool):
            return "yes" if value else "no"
        if self.kind in ("integer", "number"):
            number = value if self.scale == 1.0 else self.scale * value
            return format(number, self.form or ("," if self.kind == "integer" else ".1f"))
        return str(value)


@dataclass(frozen=True)
class Table:
    """Rows under typed columns."""

    columns: Sequence[Column]
    rows: Sequence[Any]  #: Of anything that the columns can read.
    #: Lines that stand before the row of that number.
    breaks: Mapping[int, str] = field(default_factory=dict)
    noun: str = "row"  #: What a row is, for "… and 3 more players".
    #: Rows in texts and on terminals; all without it. Files and pages have all.
    limit: int | None = None
    remedy: str = ""  #: Which the others are, or how to see them: "--top 0 shows all".
    #: Takes a row: a table about it, which a page shows when the row is opened.
    details: Callable[[Any], Table | None] | None = None
    caption: str = ""  #: What the table holds, for those who hear the page; a page shows it above.
    search: bool = False  #: Whether a page has a field to find a row by its first text.
    group: bool = False  #: Whether it is one of several lists, of which a terminal shows the first.
    marked: Callable[[Any], bool] | None = None  #: Takes a row: whether it stands out on a page.

    @property
    def shown(self) -> list[Column]:
        """The columns that people read."""
        return [column for column in self.columns if column.heading]

    @property
    def printed(self) -> list[Column]:
        """Those of them that are not drawn."""
        return [column for column in self.shown if column.kind != "range"]

    @property
    def kept(self) -> list[Column]:
        """The columns that stand in files."""
        return [column for column in self.columns if column.name]

    def cells(self, limit: int | None = None) -> Iterator[list[str]]:
        """What people read, row by row."""
        columns = self.printed
        for row in self.rows if limit is None else self.rows[:limit]:
            yield [column.cell(row) for column in columns]

    def records(self) -> list[dict[str, Any]]:
        """What files have of all rows."""
        return [Column.record(self.columns, row) for row in self.rows]

    @staticmethod
    def of_record(values: dict[str, Any]) -> Table:
        """A single row for files, under the names of a dictionary."""
        kinds: dict[type, Kind] = {int: "integer", float: "number", bool: "boolean"}
        kept = [Column(name, kind=kinds.get(type(value), "text")) for name, value in values.items()]
        return Table(kept, [values])

    @staticmethod
    def of_cells(headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> Table:
        """A table of texts for people alone; the first `left` columns begin at the left."""
        columns = [
            Column("", itemgetter(place), heading or " ", left=place < left)
            for place, heading in enumerate(headings)
        ]
        return Table(columns, rows)


@dataclass(frozen=True)
class Lines:
    """Sentences, each a line of its own; `bullets` where they are a list.

    With `exact` blanks and line breaks are kept, as in a program's output. What is `aside`
    stands on pages only.
    """

    lines: Sequence[str]
    bullets: bool = False
    exact: bool = False
    aside: bool = False


@dataclass(frozen=True)
class Facts:
    """What is known of one thing: labels, and what is said of each; blanks indent a label.

    With a `width` texts of lines are wrapped within it.
    """

    facts: Sequence[tuple[str, str]]
    width: int | None = None


@dataclass(frozen=True)
class Picture:
    """A drawing on a page, with what it shows in words; texts leave it out.

    The drawing is made when it is wanted; `instead` stands in its place in texts.
    """

    draw: Callable[[], Drawn]
    caption: str = ""
    instead: Table | Lines | None = None


@dataclass(frozen=True)
class Answer:
    """What was asked for, in large letters, on a page; texts have it in their first lines."""

    text: str
    rest: Sequence[str] = ()


@dataclass(frozen=True)
class Step:
    """Pictures of one thing, the first as it is found."""

    title: str
    pictures: Sequence[Picture]
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Slides:
    """Pictures that a page shows one after the other, each group with a title and lines.

    Without scripts, and on paper, all of them are shown. Texts leave them out.
    """

    label: str
    steps: Sequence[Step]


@dataclass(frozen=True)
class Alternative:
    """One of several views of a result, with its address on a page; "" where it has none."""

    text: str
    rest: Sequence[str] = ()
    address: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class Choices:
    """Views of a result, of which the page shows one; texts leave them out.

    With more than `most` a page lists them only when they are asked for.
    """

    label: str
    choices: Sequence[Alternative]
    most: int = 6


Block = Table | Lines | Facts | Picture | Answer | Slides | Choices


@dataclass(frozen=True)
class Section:
    """Blocks under a title."""

    title: str = ""
    blocks: Sequence[Block] = ()
    caution: bool = False  #: Whether it says what makes the report say less.
    folded: bool = False  #: Whether a page shows only the title until it is opened.
    opened: bool = False  #: Whether a folded section begins opened.
    name: str = ""  #: Anchor on the page.


@dataclass(frozen=True)
class Document:
    """A report."""

    title: str  #: Of a page.
    lead: Sequence[str] = ()  #: What stands first: what was measured, and the verdict.
    sections: Sequence[Section] = ()
    records: Table | None = None  #: What CSV and Parquet have; without it they are refused.
    #: Makes what JSON has, of dictionaries, lists, numbers, strings and None; without it the rows
    #: of `records`. A long list in the outermost dictionary may be another sequence, which makes
    #: its items when they are looked at.
    plain: Callable[[], Any] | None = None
    drawing: Callable[[], Drawn] | None = None  #: Makes the picture of ``-o FILE.svg``.

    @property
    def answered(self) -> bool:
        """Whether an answer in large letters says on a page what texts have first."""
        return any(isinstance(each, Answer) for part in self.sections[:1] for each in part.blocks)
