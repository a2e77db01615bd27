"""What the commands share that replay rating systems over games."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.cli.options import DateOrder, Side
from yardstone.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from yardstone.cli.output import Format
    from yardstone.pool import Pool

__all__ = [
    "Views",
    "check_outputs",
    "emit",
    "moment",
    "read_games",
    "report_skipped",
    "settings",
]


@dataclass(frozen=True)
class Views:
    """How a result is shown in each format; each is made only when it is wanted.

    Attributes
    ----------
    text, csv, json, html : callables that give a text
    columns : mapping of str to str
        Columns of the CSV with their types in SQL, for Parquet.
    """

    text: Callable[[], str]
    csv: Callable[[], str]
    json: Callable[[], str]
    html: Callable[[], str]
    columns: Mapping[str, str]


def read_games(
    paths: Sequence[str],
    *,
    query: str | None = None,
    columns: Mapping[str, str] | None = None,
    first: Side = Side.white,
    strict: bool = False,
    dates: DateOrder | None = None,
    levels: bool = False,
    quiet: bool = False,
) -> Pool:
    """Games with their times from files or a query, with grades if `levels` are wanted."""
    from yardstone import records
    from yardstone.cli.output import progress_bar

    if query is not None:
        if len(paths) > 1:
            raise UsageError("--query takes one database at most")
        database = paths[0] if paths else None
        return records.query(
            query,
            database,
            columns=columns,
            first=first.value,
            strict=strict,
            dates=None if dates is None else dates.value,
            times=True,
            levels=levels,
        )
    if not paths:
        raise UsageError("name a file of results, or - for standard input")
    return records.read(
        *paths,
        columns=columns,
        first="black" if first is Side.black else None,  # White is what is usual
        times=True,
        dates=None if dates is None else dates.value,
        levels=levels,
        strict=strict,
        progress=progress_bar("reading", quiet=quiet),
    )


def report_skipped(pool: Pool, *, quiet: bool) -> None:
    """Say on standard error what was left out when games were read."""
    if quiet or not len(pool.skipped):
        return
    reasons = ", ".join(
        f"{count:,} {reason}" for reason, count in pool.skipped.reasons.most_common(5)
    )
    print(f"yardstone: {len(pool.skipped):,} records were skipped: {reasons}", file=sys.stderr)


def settings(texts: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Parameters by system: SYSTEM.PARAMETER=VALUE, or PARAMETER=VALUE for all of them."""
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    for text in texts:
        place, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set {text!r}: write it as SYSTEM.PARAMETER=VALUE")
        system, dot, parameter = place.strip().rpartition(".")
        if dot and system not in found:
            raise UsageError(f"--set {text!r}: {system!r} is not among the systems")
        for name in [system] if dot else names:
            found[name][parameter] = _value(value.strip())
    return found


def _value(text: str) -> object:
    if text.lower() in ("none", ""):
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def moment(text: str, option: str) -> np.datetime64:
    """A date, or a date and a time, as ISO 8601 writes them."""
    import numpy as np

    wrong = UsageError(f"{option} {text!r}: write a date as 2024-05-31, or 2024-05-31T12:00")
    try:
        value = np.datetime64(text.strip().replace(" ", "T"))
    except ValueError:
        raise wrong from None
    if np.isnat(value):
        raise wrong
    return value


def check_outputs(
    form: Format,
    output: Path | None,
    html: Path | None = None,
    *others: Path | None,
    plot: Path | None = None,
    quiet: bool,
) -> None:
    """Refuse what cannot be written before any work is done."""
    from yardstone.cli.output import Format, check_folder, check_page, check_picture

    for path in (output, *others):
        check_folder(path)
    check_page(html)
    check_picture(plot)
    if form is Format.parquet and output is None and not quiet:
        raise UsageError("Parquet is not text: name a file with -o")


def emit(views: Views, form: Format, output: Path | None) -> None:
    """Write a result to a file, or to standard output if there is none."""
    from yardstone.cli.output import Format
    from yardstone.files import replaced, write_text

    if form is Format.parquet:
        if output is None:
            raise UsageError("Parquet is not text: name a file with -o")
        from yardstone.reports.parquet import write_parquet

        with replaced(output) as temporary:
            write_parquet(temporary, views.csv(), views.columns)
        return
    made = {
        Format.text: views.text,
        Format.csv: views.csv,
        Format.json: views.json,
        Format.html: views.html,
    }[form]
    if output is None:
        sys.stdout.write(made())
    else:
        write_text(output, made())
