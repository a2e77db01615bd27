"""A kind of job, and the fields of its form: a field checks, describes and offers itself."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from yardstone.pool import SkipReport
from yardstone.records.decoding import clean
from yardstone.reports.document import Document, Section, Table
from yardstone.web.problems import RequestProblem, refusal

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network
    from yardstone.web.sent_files import Unpacked
    from yardstone.web.settings import Settings


_LOGGER = logging.getLogger("yardstone.web.kinds")
_LONGEST_NAME = 200
#: Levels of intervals that the page offers.
_LEVELS = (0.8, 0.9, 0.95, 0.99)


def bad_option(name: str, reason: str) -> RequestProblem:
    """A field that cannot be used."""
    return RequestProblem(422, "bad_option", f"{name}: {reason}.", "Correct it and send again.")


def only_value(name: str, values: Sequence[str]) -> str:
    """The only value of a field; '' if it was not sent or left empty."""
    filled = [text for value in values if (text := value.strip())]
    if len(filled) > 1:
        raise bad_option(name, "it was sent more than once")
    return filled[0] if filled else ""


@dataclass(frozen=True, kw_only=True)
class Field(ABC):
    """A field of the form.

    `about` is for the description of the interface, `label` and `hint` for the page, which has only
    the fields with a label. A field that is `optional` may have no value at all; batches do
    without it.
    """

    name: str
    about: str = ""
    label: str = ""
    hint: str = ""
    optional: bool = False

    @abstractmethod
    def read(self, values: Sequence[str]) -> Any:
        """The value of the option; raises `RequestProblem` if it is none of those offered."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """What OpenAPI says of it."""

    def usual(self) -> str:
        """What it is if it is left empty, in words; '' if that needs none."""
        return ""

    def offers(self) -> list[tuple[str, str]]:
        """Other values that the page offers, with their words; none if it takes any text."""
        return []


@dataclass(frozen=True, kw_only=True)
class ChoiceField(Field):
    """One of some words, the usual one first, and what the page says of them."""

    values: Sequence[str]
    words: Sequence[str] = ()

    def read(self, values: Sequence[str]) -> str | None:
        """The word; the first one, or None, if there is none."""
        value = only_value(self.name, values).lower()
        if not value:
            return None if self.optional else self.values[0]
        if value not in self.values:
            raise bad_option(self.name, f"choose {', '.join(self.values)}")
        return value

    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        schema: dict[str, Any] = {"type": "string", "enum": list(self.values)}
        return schema if self.optional else {**schema, "default": self.values[0]}

    def usual(self) -> str:
        """The words of the first value."""
        return self.words[0]

    def offers(self) -> list[tuple[str, str]]:
        """The others."""
        return list(zip(self.values, self.words, strict=True))[1:]


@dataclass(frozen=True, kw_only=True)
class NumberField(Field):
    """A number between bounds; the page offers some of them, written in a `form`."""

    low: float
    high: float
    default: float
    offered: tuple[float, ...] = ()
    form: str = "g"

    def read(self, values: Sequence[str]) -> float:
        """The number."""
        text = only_value(self.name, values)
        if not text:
            return self.default
        try:
            value = float(text)
        except ValueError:
            raise bad_option(self.name, "this is not a number") from None
        if not (isfinite(value) and self.low <= value <= self.high):
            raise bad_option(self.name, f"give {self.low:g} to {self.high:g}")
        return value

    def schema(self) -> dict[str, Any]:
        """A number with its bounds."""
        bounds = {"minimum": self.low, "maximum": self.high}
        return {"type": "number", **bounds, "default": self.default}

    def usual(self) -> str:
        """The default."""
        return self._words(self.default)

    def offers(self) -> list[tuple[str, str]]:
        """Those offered, as the page says them."""
        return [(f"{value:g}", self._words(value)) for value in self.offered]

    def _words(self, value: float) -> str:
        return format(value, self.form).replace("%", " %")


@dataclass(frozen=True, kw_only=True)
class UserField(Field):
    """The name of a user of a server of games, whose games take the place of files."""

    def read(self, values: Sequence[str]) -> str | None:
        """The name, or None."""
        name = clean(only_value(self.name, values))
        if len(name) > _LONGEST_NAME:
            raise bad_option(self.name, f"a name has at most {_LONGEST_NAME} characters")
        return name or None

    def schema(self) -> dict[str, Any]:
        """A name."""
        return {"type": "string", "maxLength": _LONGEST_NAME}


@dataclass(frozen=True, kw_only=True)
class PlayersField(Field):
    """Names of players: one, or in a batch some, each of which makes a job."""

    def read(self, values: Sequence[str]) -> list[str]:
        """The names, each once."""
        names = list(dict.fromkeys(name for each in values if (name := clean(each))))
        if any(len(name) > _LONGEST_NAME for name in names):
            raise bad_option(self.name, f"a name has at most {_LONGEST_NAME} characters")
        return names

    def schema(self) -> dict[str, Any]:
        """A name."""
        return {"type": "string", "minLength": 1, "maxLength": _LONGEST_NAME}


def level_field(default: float) -> NumberField:
    """The level of the intervals."""
    return NumberField(
        name="level",
        low=0.5,
        high=0.999,
        default=default,
        offered=_LEVELS,
        form=".0%",
        about="Level of the intervals.",
        label="Level of the intervals",
    )


Plain = Mapping[str, Any]
#: Intervals that the picture of a card has room for.
_CARD_RANGES = 12


def card_ranges(rated: Iterable[Plain], value: str) -> tuple[tuple[float, float, float], ...]:
    """What the picture of a card draws of those who have an interval around a `value`."""
    ranges = [(each["low"], each[value], each["high"]) for each in rated]
    return tuple(each for each in ranges if None not in each)[:_CARD_RANGES]


def glanced(title: str, document: Document, *headings: str, rows: int | None = None) -> Document:
    """Some columns of the first table of a document, and so many of its rows."""
    blocks = (block for section in document.sections for block in section.blocks)
    table = next(block for block in blocks if isinstance(block, Table))
    columns = [each for each in table.columns if each.heading in headings]
    table = replace(
        table, columns=columns, rows=table.rows[:rows], details=None, search=False, group=False
    )
    return Document(title, sections=[Section("", [table])])


class NeedsPlayer(Exception):
    """The files do not tell whose strength is asked for.

    `players` have ``name`` and ``games``, the most games first.
    """

    def __init__(self, players: Sequence[dict[str, Any]]) -> None:
        super().__init__("whose strength?")
        self.players = list(players)


@dataclass(slots=True)
class Task:
    """The work of one job.

    `options` are what was asked for; `network` gives KataGo's network, which stays loaded between
    jobs; `skipped` collects what could not be used.
    """

    options: dict[str, Any]
    files: list[Unpacked]
    settings: Settings
    network: Callable[[], Network]
    skipped: SkipReport

    def limit(self, name: str) -> int:
        """One of the limits of the kind."""
        return self.settings.limits.kinds[name]

    def check(self, name: str, number: int, words: str, hint: str) -> None:
        """Refuse more of something, in `words`, than one of the limits of the kind."""
        most = self.limit(name)
        if number > most:
            message = f"There are {number:,} {words}; {most:,} are allowed."
            code = "too_many_players" if words == "players" else "too_many_games"
            raise refusal(code, message=message, hint=hint)


@dataclass(frozen=True, slots=True)
class Query:
    """What the page of a result is asked for.

    `address` is that of the page, for links within it; `page` is the part of a long result, from 1,
    unless it is asked for `everyone`. What is shown may be of one `player`, of the games of one
    `colour`, on one `scale`.
    """

    address: str
    page: int = 1
    player: str | None = None
    everyone: bool = False
    colour: str | None = None
    scale: str | None = None

    def link(self, **values: str | int | None) -> str:
        """The address of another view; of this one's values only those that are named stay."""
        query = urlencode({name: value for name, value in values.items() if value is not None})
        return self.address + (f"?{query}" if query else "")


@dataclass(frozen=True, slots=True)
class View:
    """A result as a page.

    `links` are other parts of it with their addresses; one without is the part that is shown. The
    `title` is that of the window, if not that of the document; `says_skipped` tells whether the
    document says itself what was left out; `kept` is what a browser may keep of the result, to
    compare it with later ones.
    """

    document: Document
    links: Sequence[tuple[str, str]] = ()
    title: str = ""
    says_skipped: bool = False
    kept: Plain | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """What other sites show of a link to a result: no names, since it is shown to all there.

    `ranges` are low end, value and high end of what the picture draws, the strongest first;
    `ticks` are marks below them, from the first to the last of which it reaches at least.
    """

    title: str
    sentence: str
    ranges: tuple[tuple[float, float, float], ...] = ()
    ticks: tuple[tuple[float, str], ...] = ()


@contextmanager
def readable() -> Iterator[None]:
    """Refuse a stored result that is not as something made of it wants it."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        _LOGGER.warning("a stored result cannot be read", exc_info=error)
        raise refusal("other_format") from error


def adding(**usual: Any) -> Callable[[Plain], Plain]:
    """An upgrade that adds what an older result lacks."""
    return lambda stored: {**usual, **stored}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of job."""

    name: str  #: `name`, `short`: for programs, and in a word for people.
    short: str
    title: str  #: What it does, among the other kinds.
    holds: str  #: What its files hold.
    files: str  #: Its files as the drop zone names them.
    offer: Sequence[str]  #: A title and sentences: what one gets.
    #: `path`, `summary`, `about`: its address in the interface, with words for the description.
    path: str
    summary: str
    about: str
    heading: str  #: What is being done.
    counted: tuple[str, str]  #: What is counted while it is done: one, and many.
    plural: str  #: Its results, where a field is something else for them than for the other kinds.
    #: `formats`, `also`: formats that make such a job by themselves, and those that do if it is
    #: asked for.
    formats: Sequence[str]
    also: Sequence[str] = ()
    fields: Sequence[Field] = ()
    #: Values of fields of which the page asks nothing, if they are not the usual ones.
    from_page: Mapping[str, str] = field(default_factory=dict)
    #: How much of something a job may hold, by default.
    limits: Mapping[str, int] = field(default_factory=dict)
    allowance: Callable[[Plain], str]  #: Takes the limits by name: what may be sent, in words.
    warm: Sequence[str] = ()  #: Modules that the work imports, better before somebody waits for it.
    #: Takes the options; raises `RequestProblem` if they do not go together.
    check: Callable[[Plain], None] = lambda options: None
    #: Does the work: the result as plain values. Raises NeedsPlayer if the visitor must say whose
    #: strength is asked for; RequestProblem, InputError, ModelError or UsageError, with a message
    #: for the visitor, if the files give no result.
    perform: Callable[[Task], dict[str, Any]]
    view: Callable[[Plain, Query], View]  #: Takes the result and a `Query`: the page.
    card: Callable[[Plain], Card]  #: Takes the result: what other sites show of a link to it.
    glance: Callable[[Plain], Document]  #: Takes a result: a small part of it, for the start page.
    #: Takes the result: the table of its CSV; without it that of the document.
    records: Callable[[Plain], Table] | None = None
    #: What brings stored results of format 1 to 2, 2 to 3 and so on, up to that of today.
    upgrades: Sequence[Callable[[Plain], Plain]] = ()

    @property
    def format(self) -> int:
        """The number of the format of its results, stored with each; those without it have 1."""
        return len(self.upgrades) + 1

    def result(self, task: Task) -> dict[str, Any]:
        """Do the work: the result as it is stored, with its format; raises as `perform` does."""
        return {**self.perform(task), "format": self.format}

    def upgraded(self, stored: Plain) -> dict[str, Any]:
        """A stored result in the format of today; raises where that cannot be."""
        number = int(stored.get("format", 1))
        if not 1 <= number <= self.format:
            raise refusal("other_format")
        for upgrade in self.upgrades[number - 1 :]:
            stored = upgrade(stored)
        return {**stored, "format": self.format}

    @property
    def takes(self) -> tuple[str, ...]:
        """All formats that are of use."""
        return (*self.formats, *self.also)

    @property
    def players(self) -> PlayersField | None:
        """The field that makes a job for each player, if there is one."""
        return next((each for each in self.fields if isinstance(each, PlayersField)), None)
