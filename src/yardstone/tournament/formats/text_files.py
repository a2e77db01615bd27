"""Text files of lines and of XML: their encoding, their ends, dates, and elements in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from yardstone.errors import InputError
from yardstone.pool import Skipped, SkipReport
from yardstone.records.dates import date_span
from yardstone.records.decoding import decode
from yardstone.tournament.model import Bye, ByeKind, Game, Result, Tournament

_MAX_LINE_BYTES = 64 << 20
_MAX_LINES = 200_000
_BLANKS = re.compile(r"(?<=[./-])\s++|(?<!\s)\s++(?=[./-])")


@dataclass(frozen=True, slots=True)
class TextDocument:
    """The lines of a file, as they stand, and how they are encoded."""

    format: str  #: Of what kind the file is
    lines: tuple[str, ...]  #: Without their ends
    encoding: str = "utf-8"  #: `encoding`, `newline`: as in the file.
    newline: str = "\n"
    mark: bool = False  #: Whether it begins with a byte order mark
    last_newline: bool = True  #: Whether the last line ends
    #: Number by which the file calls each player, by the place in the tournament
    number: Mapping[int, int] = field(default_factory=dict)

    def to_bytes(self, lines: Sequence[str]) -> bytes:
        """Other lines as a file like this one; in UTF-8 if its encoding lacks a letter."""
        text = self.newline.join(lines) + (self.newline if self.last_newline else "")
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError:
            data = text.encode()
        return b"\xef\xbb\xbf" + data if self.mark else data


def split_lines(data: bytes, file: str, format: str) -> TextDocument:
    """The lines of a text file in UTF-8 or, failing that, Windows-1252 or Latin-1."""
    if len(data) > _MAX_LINE_BYTES:
        raise InputError(f"more than {_MAX_LINE_BYTES >> 20} MiB", file=file)
    mark = data.startswith(b"\xef\xbb\xbf")
    body = data.removeprefix(b"\xef\xbb\xbf")
    text = decode(body)
    known = (each for each in ("utf-8", "cp1252", "latin-1") if text.encode(each, "ignore") == body)
    encoding = next(known, "utf-8")  # if lines are in several, all will be in this one
    newline = "\r\n" if "\r\n" in text else "\r" if "\n" not in text and "\r" in text else "\n"
    lines = text.split(newline)
    last = bool(lines) and lines[-1] == ""
    lines = lines[:-1] if last else lines
    if len(lines) > _MAX_LINES:
        raise InputError(f"more than {_MAX_LINES:,} lines", file=file)
    return TextDocument(format, tuple(lines), encoding, newline, mark, last)


def parse_date(text: str) -> date | None:
    """A day as such files write it: 2020/05/29, 29. 5. 2020, May 29, 2020, 20/05/29; else None."""
    first, last = date_span(_BLANKS.sub("", text).rstrip(" ."), "ymd")
    same = not np.isnat(first) and first.astype("datetime64[D]") == last.astype("datetime64[D]")
    return first.astype("datetime64[D]").item() if same else None


MAX_BYTES = 32 << 20
_MAX_DEPTH = 64
MAX_ELEMENTS = 200_000
_MAX_ATTRIBUTES = 200
_ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")


@dataclass(slots=True)
class Element:
    """One element: `text` stands before its first child, `tail` after its end.

    Comments and processing instructions are elements called ``!`` and ``?...`` with their text.
    """

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    text: str = ""
    tail: str = ""
    line: int = 0

    def find(self, name: str) -> Element | None:
        """The first child of that name."""
        return next((child for child in self.children if child.name == name), None)

    def all(self, name: str) -> Iterator[Element]:
        """All elements of that name below this one, in their order."""
        for child in self.children:
            if child.name == name:
                yield child
            yield from child.all(name)

    def copy(self) -> Element:
        """A deep copy."""
        children = [child.copy() for child in self.children]
        return Element(self.name, dict(self.attributes), children, self.text, self.tail, self.line)


@dataclass(slots=True)
class XmlFile:
    """A whole file: what stands before and after its root, and how it is encoded."""

    root: Element  #: The outermost element
    #: `head`, `foot`: all text before and after it: declaration, document type, comments, blanks.
    head: str = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
    foot: str = "\n"
    encoding: str = "utf-8"  #: That of the file
    newline: str = "\n"  #: End of its lines
    mark: bool = False  #: Whether it begins with a byte order mark

    def copy(self) -> XmlFile:
        """A deep copy."""
        return replace(self, root=self.root.copy())


class _Refused(Exception):
    """The parser met something that is not read."""


def _refuse(why: str, *_: object) -> NoReturn:
    raise _Refused(why)


def _refuse_doctype(*declared: object) -> None:
    if declared[-1]:
        raise _Refused("a document type defined inside the file is not read")


class _TreeBuilder:
    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.ordered_attributes = True
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._data
        self.parser.CommentHandler = lambda text: self._other("!", text)
        self.parser.ProcessingInstructionHandler = lambda to, text: self._other("?" + to, text)
        self.parser.StartDoctypeDeclHandler = _refuse_doctype
        self.parser.EntityDeclHandler = partial(_refuse, "entities are not read")
        other_file = "a reference to another file is not read"
        self.parser.ExternalEntityRefHandler = partial(_refuse, other_file)
        self.stack: list[Element] = []
        self.root: Element | None = None
        self.elements = 0
        self.begin = self.end = -1

    def _start(self, name: str, attributes: list[str]) -> None:
        self.elements += 1
        if len(self.stack) >= _MAX_DEPTH:
            raise _Refused(f"elements lie more than {_MAX_DEPTH} deep")
        if self.elements > MAX_ELEMENTS:
            raise _Refused(f"more than {MAX_ELEMENTS:,} elements")
        if len(attributes) > 2 * _MAX_ATTRIBUTES:
            raise _Refused(f"an element with more than {_MAX_ATTRIBUTES} attributes")
        pairs = dict(zip(attributes[::2], attributes[1::2], strict=True))
        element = Element(name, pairs, line=self.parser.CurrentLineNumber)
        if self.stack:
            self.stack[-1].children.append(element)
        else:
            self.root = element
            self.begin = self.parser.CurrentByteIndex
        self.stack.append(element)

    def _end(self, _name: str) -> None:
        self.stack.pop()
        if not self.stack:
            self.end = self.parser.CurrentByteIndex

    def _data(self, text: str) -> None:
        if self.stack and self.stack[-1].children:
            self.stack[-1].children[-1].tail += text
        elif self.stack:
            self.stack[-1].text += text

    def _other(self, name: str, text: str) -> None:
        if self.stack:
            line = self.parser.CurrentLineNumber
            self.stack[-1].children.append(Element(name, text=text, line=line))


def parse_xml(data: bytes, file: str, *, root: str) -> XmlFile:
    """Parse a whole file, or raise InputError; its root must be called `root`."""
    if len(data) > MAX_BYTES:
        raise InputError(f"more than {MAX_BYTES >> 20} MiB", file=file)
    builder = _TreeBuilder()
    try:
        builder.parser.Parse(data, True)
    except _Refused as error:
        line = builder.parser.CurrentLineNumber
        raise InputError(str(error), file=file, line=line, hint="take it out") from None
    except expat.ExpatError as error:
        raise InputError(
            f"no well-formed XML: {expat.ErrorString(error.code)}", file=file, line=error.lineno
        ) from None
    except (LookupError, ValueError) as error:
        raise InputError(f"cannot be decoded: {error}", file=file) from None
    top = builder.root
    if top is None or top.name != root:
        name = "nothing" if top is None else f"<{top.name}>"
        raise InputError(
            f"holds {name}, not <{root}>",
            file=file,
            line=1 if top is None else top.line,
            hint="give a tournament file",
        )
    return _document(data, builder, top)


def _document(data: bytes, builder: _TreeBuilder, root: Element) -> XmlFile:
    named = _ENCODING.match(data.removeprefix(b"\xef\xbb\xbf"))
    encoding = "utf-8" if named is None else named[1].decode("ascii")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
        text = data.decode(encoding)
        head = text[: text.index("<" + root.name)]
        foot = text[text.rindex(">", 0, len(text.rstrip())) + 1 :] if text.rstrip() else ""
    else:
        head = data[: builder.begin].decode(encoding, "replace")
        close = builder.end  # that of "<Tournament/>" stands behind it
        if data.startswith(b"</", close):
            close = data.index(b">", close) + 1
        foot = data[close:].decode(encoding, "replace")
    newline = "\r\n" if b"\r\n" in data else "\r" if b"\n" not in data and b"\r" in data else "\n"
    mark = head.startswith("\ufeff")
    head, foot = (part.replace(newline, "\n") for part in (head.removeprefix("\ufeff"), foot))
    return XmlFile(root, head, foot, encoding, newline, mark)


_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ATTRIBUTE = str.maketrans(
    {
        "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;",
        "\t": "&#9;", "\n": "&#10;", "\r": "&#13;",
    }
)  # fmt: skip


def write_xml(document: XmlFile) -> bytes:
    """The file as bytes; what was read and not changed comes out as it was."""
    parts: list[str] = []
    _write(document.root, parts, outermost=True)
    text = document.head + "".join(parts) + document.foot
    text = text.replace("\n", document.newline) if document.newline != "\n" else text
    mark = "\ufeff" if document.mark and document.encoding.lower() != "utf-16" else ""
    return (mark + text).encode(document.encoding, "xmlcharrefreplace")


def _write(element: Element, parts: list[str], *, outermost: bool = False) -> None:
    if element.name == "!":
        parts.append(f"<!--{element.text}-->")
    elif element.name.startswith("?"):
        parts.append(f"<{element.name} {element.text}?>" if element.text else f"<{element.name}?>")
    else:
        parts.append(f"<{element.name}")
        for name, value in element.attributes.items():
            parts.append(f' {name}="{value.translate(_ATTRIBUTE)}"')
        if element.children or element.text:
            parts.append(">")
            parts.append(element.text.translate(_TEXT))
            for child in element.children:
                _write(child, parts)
            parts.append(f"</{element.name}>")
        else:
            parts.append("/>")
    if not outermost:
        parts.append(element.tail.translate(_TEXT))


def check_half_results(tournament: Tournament, format: str) -> None:
    """Refuse half a point against none: written as another result, it would change the scores."""
    for game in tournament.games:
        if game.result in (Result.first_half, Result.second_half):
            first, second = map(tournament.name_of, game.players)
            raise tournament.error(
                f"round {game.round}, {first} – {second}: {format} has no result of half a "
                "point against none",
                hint="enter it as a draw or as a loss of both",
            )


def skip_or_raise(skipped: SkipReport | None, error: InputError, kind: str) -> None:
    """Note a record that cannot be used, or raise what is wrong with it."""
    if skipped is None:
        raise error
    skipped.add(Skipped(error.file or "", error.line or 0, error.message), kind=kind)


@dataclass(slots=True)
class Half:
    """What a player's line says of one round."""

    round: int
    line: int
    who: int  #: The number of the opponent; 0 for none
    result: str  #: As the line has it
    first: bool | None  #: Whether the player moves first; None if unknown
    handicap: int = 0
    forfeit: bool = False
    used: bool = False

    def error(self, file: str, problem: str, hint: str | None = None) -> InputError:
        """What is wrong with it."""
        return InputError(f"round {self.round}: {problem}", file=file, line=self.line, hint=hint)


def join_halves(
    rows: Sequence[Sequence[Half]],
    numbers: Sequence[int],
    outcome: Callable[[Half, Half], tuple[Result | None, bool, bool]],
    bye: Callable[[Half], ByeKind | None],
    file: str,
    skipped: SkipReport | None,
) -> tuple[list[Game], list[Bye]]:
    """Put both halves of each game together.

    `rows` are the rounds of each player, whom the file calls by `numbers`. `outcome` tells of the
    halves of first and second player the result (None: they contradict each other), whether it was
    a forfeit, and whether it is rated; `bye` what a round without an opponent is.
    """
    place_of = {number: place for place, number in enumerate(numbers)}

    def joined(place: int, half: Half) -> Game:
        half.used = True
        other = place_of.get(half.who)
        if other is None:
            raise half.error(file, f"there is no player {half.who}")
        if other == place:
            raise half.error(file, "a player meets himself")
        back = next(iter(rows[other][half.round - 1 : half.round]), None)
        if back is None or back.who != numbers[place]:
            own, line = numbers[place], rows[other][0].line if rows[other] else 0
            problem = f"player {own} names {half.who}, who does not name {own}"
            raise half.error(file, problem, f"compare line {line}" if line else None)
        back.used = True
        if half.first is not None and half.first == back.first:
            raise half.error(file, "both players have the same colour")
        second = not half.first if half.first is not None else back.first is True
        halves = (back, half) if second else (half, back)
        result, forfeit, rated = outcome(*halves)
        if result is None:
            letters = " and ".join(each.result for each in halves)
            raise halves[0].error(file, f"results {letters} contradict each other")
        return Game(
            round=half.round,
            first=other if second else place,
            second=place if second else other,
            result=result,
            forfeit=forfeit,
            rated=rated,
            handicap=max(half.handicap, back.handicap),
            known_colour=half.first is not None or back.first is not None,
            line=half.line,
        )

    games: list[Game] = []
    byes: list[Bye] = []
    for place, half in ((place, half) for place, row in enumerate(rows) for half in row):
        if half.used:
            continue
        try:
            if half.who:
                games.append(joined(place, half))
            elif (kind := bye(half)) is not None:
                byes.append(Bye(half.round, place, kind))
        except InputError as error:
            skip_or_raise(skipped, error, "result")
    return games, byes
