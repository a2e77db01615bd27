"""What a caller asks of the records to be read, and what is said of those left out.

`Options` holds for every format. In PGN, SGF, ``.mat`` and tournaments the format says who
moves first and who won: only further columns can be chosen, and each must stand in one game at
least. When so much cannot be read that going on would mislead, `check_group` says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypedDict

from yardstone.choices import no_such
from yardstone.errors import InputError, NoGamesError, UsageError
from yardstone.records.decoding import clean

if TYPE_CHECKING:
    from yardstone.pool import Pool, SkipReport
    from yardstone.records.dates import DateOrder
    from yardstone.records.results import Side
    from yardstone.records.sources import Source
    from yardstone.records.where import Where


class ColumnNames(TypedDict, total=False):
    """Which columns of a table hold what, and what its values mean.

    `first` and `second` are columns of the players, of whom `first` moves first (White in chess,
    Black in Go), `score` the column of the result, seen by `first` (1, 0.5, 0; 1-0; win; H, D, A),
    `time` that of the date, or of date and time. `results` says what values of the result mean
    for `first`: ``{"H": 1, "D": 0.5, "A": 0}``; `columns` names further columns, or other roles;
    `side` is the colour that moves first, where names of columns and results do not say. All else
    is as in `yardstone.read`.
    """

    first: str
    second: str
    score: str
    time: str
    results: Mapping[str, object] | str
    columns: Mapping[str, str]
    side: Side
    where: str
    dates: DateOrder
    strict: bool
    skip_unread: bool


@dataclass(frozen=True, slots=True)
class Options:
    """What a reader is asked for; see `yardstone.read`.

    With more than `memory` bytes of tables their readers go on in a temporary folder.
    """

    columns: Mapping[str, str] | Iterable[str] | None = None
    first: Side | None = None
    times: bool = False
    dates: DateOrder | None = None
    levels: bool = False
    strict: bool = False
    skip_unread: bool = False
    results: Mapping[str, object] | str | None = None
    where: Where | None = None
    memory: int | None = None

    @property
    def everything(self) -> bool:
        """Whether all columns are wanted that there are."""
        return self.columns == "all"

    @property
    def further(self) -> dict[str, str]:
        """The columns that are named, with what they are made of; a name alone means itself."""
        if self.columns is None or self.everything:
            return {}
        if isinstance(self.columns, Mapping):
            return dict(self.columns)
        return {name: name for name in self.columns}

    def asked(self, *but: str) -> dict[str, str]:
        """The columns that the condition on games needs; without names that are `but` these."""
        if self.where is None:
            return {}
        others = {name.casefold() for name in but}
        return {
            column: name
            for column, name in self.where.columns.items()
            if name.casefold() not in others
        }

    @property
    def timed(self) -> bool:
        """Whether times are wanted, or their column is named."""
        return self.times or (isinstance(self.columns, Mapping) and "time" in self.columns)


#: What every reader is: from sources and options to a pool.
Reader = Callable[[Sequence["Source"], Options], "Pool"]


#: Of a file in which a tag was not found, so much is searched for those there are.
_LOOK = 1 << 20
_PGN_TAG = re.compile(rb'^[\s;]*\[\s*(\w+)\s+"', re.MULTILINE)
_SGF_TAG = re.compile(rb"([A-Z]{2})\s*\[")


@dataclass(frozen=True)
class Fixed:
    """Where a format has players, results and times.

    `first`, `second`, `score` and `time` are names by which a caller may mean what is done anyway;
    the first of them is the one messages give.
    """

    name: str  #: what messages call it
    first: tuple[str, ...]
    second: tuple[str, ...]
    score: tuple[str, ...]
    time: tuple[str, ...]
    side: str = ""  #: colour that moves first; empty if there are no colours
    pattern: re.Pattern[bytes] = _PGN_TAG  #: finds the names of tags


PGN = Fixed(
    "PGN files", ("White",), ("Black",), ("Result",), ("Date", "UTCDate", "UTCTime"), "white"
)
SGF = Fixed(
    "SGF files",
    ("PB", "black"),
    ("PW", "white"),
    ("RE", "result"),
    ("DT", "date"),
    "black",
    _SGF_TAG,
)
MATCHES = Fixed(
    "files of matches", ("Player 1",), ("Player 2",), ("the score",), ("EventDate", "Date")
)
TOURNAMENT = Fixed(
    "files of tournaments", ("first",), ("second",), ("score", "result"), ("time", "date")
)


def further_columns(options: Options, fixed: Fixed) -> dict[str, str]:
    """The columns to make beside players, results and times, by name.

    Raises UsageError if the caller wants players, results or who moves first to be other than the
    format has them.
    """
    if options.first is not None and fixed.side and options.first != fixed.side:
        raise UsageError(
            f"in {fixed.name} {fixed.side.capitalize()} moves first: leave out first = "
            f"{options.first!r} (--first)"
        )
    names = options.further
    if not isinstance(options.columns, Mapping):
        return names
    for role in ("first", "second", "score", "time"):
        if role not in names:
            continue
        name = names.pop(role)
        usual: tuple[str, ...] = getattr(fixed, role)
        if name.casefold() not in {each.casefold() for each in usual}:
            raise UsageError(
                f"in {fixed.name} the players are {fixed.first[0]} (first) and {fixed.second[0]}, "
                f"and the result is {fixed.score[0]}: leave out {role}={name} (--columns)"
            )
    return names


def require_columns(
    pool: Pool, names: Mapping[str, str], sources: Sequence[Source], fixed: Fixed,
    others: Collection[str] = (),
) -> None:  # fmt: skip
    """Raise InputError for a column that says nothing of any game, with those that do.

    `names` are of columns, with what they were made of; `sources` are searched for the tags there
    are, beside the `others` that can be asked for.
    """
    if not len(pool):
        return
    for name, tag in names.items():
        if tag.casefold() in {each.casefold() for each in others}:
            continue
        column = pool.columns[name]
        if column.dtype.kind in "iufb" or bool((column != "").any()):
            continue
        there = [*_tags(sources, fixed), *others]
        file = sources[0].name if len(sources) == 1 else None
        raise InputError(f"in no game: {no_such('tag', tag, there)}", file=file)


def _tags(sources: Iterable[Source], fixed: Fixed) -> list[str]:
    """The tags in the first files, as far as they can be read again."""
    tags: dict[bytes, None] = {}
    for source in islice((each for each in sources if each.path is not None), 20):
        with source.open() as stream:
            tags |= dict.fromkeys(fixed.pattern.findall(stream.peek(_LOOK)))
    return [tag.decode() for tag in tags]


#: More than this share of unread records is an error.
MOST_UNREAD = 0.05
#: The kind under which records with a result that is not understood are counted.
UNKNOWN_RESULT = "unknown result"
#: A value of the result that is not understood is one odd cell, or a few, up to these.
_ODD_CELLS = 2
_ODD_SHARE = 0.001
_SHOWN = 8
_LONGEST = 40


def too_much(values: Mapping[str, int], unread: int, records: int) -> bool:
    """Whether a whole value of the result is not understood, or too many records.

    A value that occurs in more than two records, and in more than one of a thousand,
    is no slip of the pen. A single record that is damaged never spoils the others.

    Examples:
        >>> too_much({"1-O": 1}, 1, 1000), too_much({"W/O": 20}, 20, 1000), too_much({}, 60, 1000)
        (False, True, True)
        >>> too_much({}, 1, 2), too_much({"?!": 1}, 1, 2)
        (False, True)
    """
    whole = any(n > _ODD_CELLS and n > _ODD_SHARE * records for n in values.values())
    share = unread > MOST_UNREAD * records and (unread > 1 or bool(values))
    return whole or share


def check_unread(
    report: SkipReport, games: int, *, file: str, skip_unread: bool | None, named: str = ""
) -> None:
    """Raise InputError, with the values not understood, if too much was left out for that reason.

    It names the line of the first such record, if all are of one file.

    `games` were used; `named` is what the message calls the place of the results, such as a column.
    With `skip_unread` the caller knows, and goes on without them; None where nobody can say so.
    """
    records = games + report.total
    if skip_unread or not too_much(report.values, report.unread, records):
        return
    parts = []
    if report.values:
        where = f" of {named!r}" if named else ""
        parts.append(f"the values {listed_values(report.values)}{where} are not understood")
    others = report.reasons - report.known
    if report.values:
        del others[UNKNOWN_RESULT]
    if others:
        parts.append(", ".join(f"{n:,} × {kind}" for kind, n in others.most_common(_SHOWN)))
    first = next((each for each in report.details if each.reason not in report.known), None)
    hint = (
        None
        if skip_unread is None
        else "--skip-unread (skip_unread=True in Python) leaves them out"
    )
    if named:
        hint = (
            f"{hint}; --results 'H=win,D=draw,A=loss' (results in Python) says what the values mean"
        )
    raise InputError(
        f"{report.unread:,} of {records:,} records cannot be read: " + "; ".join(parts),
        file=file,
        line=first.line or None if first is not None and first.file == file else None,
        hint=hint,
    )


def check_group(
    sources: Sequence[Source], report: SkipReport, games: int, *, skip_unread: bool
) -> None:
    """The same for all files of one format together."""
    file = sources[0].name if len(sources) == 1 else f"{len(sources):,} files"
    check_unread(report, games, file=file, skip_unread=skip_unread)


def listed_values(values: Counter[str], most: int = _SHOWN) -> str:
    r"""The commonest values with their counts, short enough for a line.

    Examples:
        >>> listed_values(Counter({"H": 20, "A\x1b": 10}))
        "'H' (20), 'A' (10)"
    """
    listed = [
        f"{clean(text[:_LONGEST]) + ('…' if len(text) > _LONGEST else '')!r} ({number:,})"
        for text, number in values.most_common(most)
    ]
    rest = len(values) - len(listed)
    return ", ".join(listed) + (f" and {rest:,} other{'s' if rest > 1 else ''}" if rest else "")


def require_wanted(report: SkipReport, games: int) -> None:
    """Raise NoGamesError where a condition left out every game; `games` are those left."""
    if report.considered and report.unwanted == report.considered and not games:
        raise NoGamesError(
            f"--where leaves no game of {report.considered:,}",
            hint="; ".join(report.doubts) or "look at the values that there are",
        )


def left_out_line(report: SkipReport) -> str:
    """How many games the condition left out, in a line; empty without a condition.

    Examples:
        >>> from yardstone.pool import SkipReport
        >>> report = SkipReport()
        >>> report.considered, report.unwanted = 27612, 1204
        >>> left_out_line(report)
        '1,204 of 27,612 games left out by --where'
    """
    if not report.considered:
        return ""
    return f"{report.unwanted:,} of {report.considered:,} games left out by --where"


def warn_skipped(report: SkipReport) -> None:
    """Warn the caller of a reader of what was left out, and why."""
    if not len(report):
        return
    import warnings

    from yardstone.errors import SkippedWarning

    warnings.warn(SkippedWarning(skipped_line(report)), stacklevel=3)


def skipped_line(report: SkipReport) -> str:
    """How many records were left out, and why, in a line."""
    reasons = ", ".join(f"{n:,} {kind}" for kind, n in report.reasons.most_common(_SHOWN))
    rest = len(report.reasons) - _SHOWN
    more = f" and {rest:,} other reasons" if rest > 0 else ""
    number = len(report)
    return f"{number:,} {'record was' if number == 1 else 'records were'} skipped: {reasons}{more}"
