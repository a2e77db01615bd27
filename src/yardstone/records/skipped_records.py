"""When so much cannot be read that going on would mislead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from yardstone.errors import InputError
from yardstone.records.decoding import clean

if TYPE_CHECKING:
    from yardstone.pool import SkipReport
    from yardstone.records.sources import Source

__all__ = [
    "MOST_UNREAD",
    "UNKNOWN_RESULT",
    "check_group",
    "check_unread",
    "listed_values",
    "skipped_line",
    "too_much",
    "warn_skipped",
]

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

    Examples
    --------
    >>> too_much({"1-O": 1}, 1, 1000), too_much({"W/O": 20}, 20, 1000), too_much({}, 60, 1000)
    (False, True, True)
    >>> too_much({}, 1, 2), too_much({"?!": 1}, 1, 2)
    (False, True)
    """
    whole = any(n > _ODD_CELLS and n > _ODD_SHARE * records for n in values.values())
    share = unread > MOST_UNREAD * records and (unread > 1 or bool(values))
    return whole or share


def check_unread(
    report: SkipReport, games: int, *, file: str, skip_unread: bool, named: str = ""
) -> None:
    """Refuse to go on if too much was left out without being understood.

    Parameters
    ----------
    report : SkipReport
        What was left out.
    games : int
        Records that were used.
    file : str
        For the message.
    skip_unread : bool
        The caller knows, and goes on without them.
    named : str
        What the message calls the place of the results, such as a column.

    Raises
    ------
    InputError
        It lists the values that are not understood, and how often each occurs.
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
    raise InputError(
        f"{report.unread:,} of {records:,} records cannot be read: " + "; ".join(parts),
        file=file,
        hint="--skip-unread (skip_unread=True in Python) leaves them out"
        + (
            "; --results 'H=win,D=draw,A=loss' (results in Python) says what the values mean"
            if named
            else ""
        ),
    )


def check_group(
    sources: Sequence[Source], report: SkipReport, games: int, *, skip_unread: bool
) -> None:
    """The same for all files of one format together."""
    file = sources[0].name if len(sources) == 1 else f"{len(sources):,} files"
    check_unread(report, games, file=file, skip_unread=skip_unread)


def listed_values(values: Counter[str], most: int = _SHOWN) -> str:
    r"""The commonest values with their counts, short enough for a line.

    Examples
    --------
    >>> listed_values(Counter({"H": 20, "A\x1b": 10}))
    "'H' (20), 'A' (10)"
    """
    listed = [
        f"{clean(text[:_LONGEST]) + ('…' if len(text) > _LONGEST else '')!r} ({number:,})"
        for text, number in values.most_common(most)
    ]
    rest = len(values) - len(listed)
    return ", ".join(listed) + (f" and {rest:,} other{'s' if rest > 1 else ''}" if rest else "")


def warn_skipped(report: SkipReport, *, above: int = 3) -> None:
    """Warn the caller of a reader, so many frames above, of what was left out, and why."""
    if not len(report):
        return
    import warnings

    from yardstone.errors import SkippedWarning

    warnings.warn(SkippedWarning(skipped_line(report)), stacklevel=above)


def skipped_line(report: SkipReport) -> str:
    """How many records were left out, and why, in a line."""
    reasons = ", ".join(f"{n:,} {kind}" for kind, n in report.reasons.most_common(_SHOWN))
    rest = len(report.reasons) - _SHOWN
    more = f" and {rest:,} other reasons" if rest > 0 else ""
    number = len(report)
    return f"{number:,} {'record was' if number == 1 else 'records were'} skipped: {reasons}{more}"
