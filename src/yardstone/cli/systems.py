"""What the commands share that replay rating systems over games."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from yardstone.cli.games import Games
    from yardstone.cli.output import Format
    from yardstone.evaluation.ledger import Ledger
    from yardstone.pool import Pool

__all__ = [
    "Views",
    "check_outputs",
    "emit",
    "moment",
    "rated_pool",
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


def rated_pool(
    paths: Sequence[str] | None,
    games: Games,
    system: str | None,
    state: Path | None,
    *,
    quiet: bool = False,
) -> tuple[Pool | None, Ledger | None]:
    """New games, if any, and what they go on from, if anything."""
    from yardstone.evaluation.history import takes_levels
    from yardstone.evaluation.ledger_file import load_ledger

    ledger = None if state is None else load_ledger(state)
    if not paths and games.query is None:
        return None, ledger
    return games.read(paths, levels=takes_levels(system, ledger), quiet=quiet), ledger


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
