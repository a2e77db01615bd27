"""A kind of job: what it takes, asks and does, and how its result is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from yardstone.pool import SkipReport
from yardstone.web.kinds.fields import Field, PlayersField

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network
    from yardstone.reports.document import Document, Table
    from yardstone.web.settings import Settings
    from yardstone.web.unpack import Unpacked

__all__ = ["CARD_RANGES", "Card", "Kind", "NeedsPlayer", "Plain", "Query", "Task", "View"]

Plain = Mapping[str, Any]
#: Intervals that the picture of a card has room for.
CARD_RANGES = 12


class NeedsPlayer(Exception):
    """The files do not tell whose strength is asked for.

    Attributes
    ----------
    players : list of dict
        ``name`` and ``games``, the most games first.
    """

    def __init__(self, players: Sequence[dict[str, Any]]) -> None:
        super().__init__("whose strength?")
        self.players = list(players)


@dataclass(slots=True)
class Task:
    """The work of one job.

    Attributes
    ----------
    options : dict
        What was asked for.
    files : list of Unpacked
    folder : Path
        For files that are needed meanwhile.
    settings : Settings
    network : callable
        Gives KataGo's network, which stays loaded between jobs.
    tell : callable
        Takes a stage, what is done and all; raises if the job is to stop.
    skipped : SkipReport
        What could not be used.
    threads : int
        Processors to use.
    """

    options: dict[str, Any]
    files: list[Unpacked]
    folder: Path
    settings: Settings
    network: Callable[[], Network]
    tell: Callable[[str, int, int], None]
    skipped: SkipReport = field(default_factory=SkipReport)
    threads: int = 1

    def limit(self, name: str) -> int:
        """One of the limits of the kind."""
        return self.settings.limits.kinds[name]


@dataclass(frozen=True, slots=True)
class Query:
    """What the page of a result is asked for.

    Attributes
    ----------
    address : str
        Of the page, for links within it.
    page : int
        Part of a long result, from 1.
    player : str or None
        Whose part of it.
    everyone : bool
        All of it, however long.
    colour : str or None
        Which of the player's games.
    scale : str or None
        On which scale.
    """

    address: str
    page: int = 1
    player: str | None = None
    everyone: bool = False
    colour: str | None = None
    scale: str | None = None

    def link(self, *, part: str = "", **values: str | int | None) -> str:
        """The address of another view; of this one's values only those that are named stay."""
        query = urlencode({name: value for name, value in values.items() if value is not None})
        return self.address + (f"?{query}" if query else "") + part


@dataclass(frozen=True, slots=True)
class View:
    """A result as a page.

    Attributes
    ----------
    document : Document
    links : sequence of (str, str)
        Other parts of it with their addresses; without one it is the part that is shown.
    title : str
        Of the window, if not that of the document.
    says_skipped : bool
        Whether the document says itself what was left out.
    kept : mapping, optional
        What a browser may keep of the result, to compare it with later ones.
    """

    document: Document
    links: Sequence[tuple[str, str]] = ()
    title: str = ""
    says_skipped: bool = False
    kept: Plain | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """What other sites show of a link to a result: no names, since it is shown to all there.

    Attributes
    ----------
    title, sentence : str
    ranges : tuple of (float, float, float)
        Low end, value and high end of what the picture draws, the strongest first.
    ticks : tuple of (float, str)
        Marks below them; the picture reaches from the first to the last at least.
    """

    title: str
    sentence: str
    ranges: tuple[tuple[float, float, float], ...] = ()
    ticks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of job.

    Attributes
    ----------
    name, short : str
        For programs, and in a word for people.
    title : str
        What it does, among the other kinds.
    holds : str
        What its files hold.
    files : str
        Its files as the drop zone names them.
    offer : sequence of str
        A title and sentences: what one gets.
    path, summary, about : str
        Its address in the interface, with words for the description.
    heading : str
        What is being done.
    counted : pair of str
        What is counted while it is done: one, and many.
    plural : str
        Its results, where a field is something else for them than for the other kinds.
    formats, also : sequence of str
        Formats that make such a job by themselves, and those that do if it is asked for.
    fields : sequence of Field
    from_page : mapping of str to str
        Values of fields of which the page asks nothing, if they are not the usual ones.
    limits : mapping of str to int
        How much of something a job may hold, by default.
    allowance : callable
        Takes the limits by name: what may be sent, in words.
    warm : sequence of str
        Modules that the work imports, better before somebody waits for it.
    check : callable
        Takes the options; raises `RequestProblem` if they do not go together.
    perform : callable
        Does the work: the result as plain values. Raises NeedsPlayer if the visitor must say
        whose strength is asked for; RequestProblem, InputError, ModelError or UsageError, with a
        message for the visitor, if the files give no result.
    view : callable
        Takes the result and a `Query`: the page.
    card : callable
        Takes the result: what other sites show of a link to it.
    glance : callable
        Takes a result: a small part of it, for the start page.
    records : callable, optional
        Takes the result: the table of its CSV; without it that of the document.
    """

    name: str
    short: str
    title: str
    holds: str
    files: str
    offer: Sequence[str]
    path: str
    summary: str
    about: str
    heading: str
    counted: tuple[str, str]
    plural: str
    formats: Sequence[str]
    also: Sequence[str] = ()
    fields: Sequence[Field] = ()
    from_page: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    allowance: Callable[[Plain], str]
    warm: Sequence[str] = ()
    check: Callable[[Plain], None] = lambda options: None
    perform: Callable[[Task], dict[str, Any]]
    view: Callable[[Plain, Query], View]
    card: Callable[[Plain], Card]
    glance: Callable[[Plain], Document]
    records: Callable[[Plain], Table] | None = None

    @property
    def takes(self) -> tuple[str, ...]:
        """All formats that are of use."""
        return (*self.formats, *self.also)

    @property
    def players(self) -> PlayersField | None:
        """The field that makes a job for each player, if there is one."""
        return next((each for each in self.fields if isinstance(each, PlayersField)), None)
