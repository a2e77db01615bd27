"""Where results go: the terminal, a pipe or a file, in the format asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yardstone.ratings.rating_list import RatingList

__all__ = [
    "Format",
    "check_ending",
    "check_folder",
    "check_page",
    "check_picture",
    "check_report",
    "chosen_format",
    "emit_list",
    "progress_bar",
    "stage_bars",
    "write_matrix",
]


class Format(StrEnum):
    """How a result is written."""

    text = "text"
    csv = "csv"
    json = "json"
    parquet = "parquet"
    html = "html"


_ENDINGS = {
    ".txt": Format.text,
    ".text": Format.text,
    ".csv": Format.csv,
    ".json": Format.json,
    ".parquet": Format.parquet,
    ".pq": Format.parquet,
    ".html": Format.html,
    ".htm": Format.html,
}


def chosen_format(asked: Format | None, output: Path | None) -> Format:
    """The format asked for, or else the one of the file's ending; text without an ending.

    Raises UsageError for an ending that is none of ours.
    """
    if asked is not None:
        return asked
    if output is None or not output.suffix:
        return Format.text
    check_ending("-o", output, _ENDINGS, mend=", or say what to write with --format")
    return _ENDINGS[output.suffix.lower()]


def check_ending(
    option: str, path: Path | None, endings: Collection[str], *, mend: str = ""
) -> None:
    """Refuse a file whose ending is not one of those its option writes."""
    from yardstone.choices import one_of
    from yardstone.errors import UsageError

    if path is not None and path.suffix.lower() not in endings:
        known = one_of(endings).replace("'", "")
        raise UsageError(f"{option} {path}: the file must end in {known}{mend}")


def check_picture(path: Path | None) -> None:
    """Refuse what is no place for a picture."""
    check_folder(path)
    check_ending("--plot", path, (".svg", ".png", ".pdf"))


def check_page(path: Path | None) -> None:
    """Refuse what is no place for a web page."""
    check_folder(path)
    check_ending("--html", path, (".html", ".htm"))


def check_report(output: Path | None, form: StrEnum) -> None:
    """Refuse a file whose ending says another format than the one that is written."""
    from yardstone.errors import UsageError

    check_folder(output)
    if output is None or not output.suffix:
        return
    meant = chosen_format(None, output)
    if meant.value != form.value:
        raise UsageError(
            f"-o {output}: the ending says {meant.value}, and {form.value} is to be written: "
            f"say --format {meant.value}, or give it another ending"
        )


def check_folder(path: Path | None) -> None:
    """Refuse what is no place for a file before any work is done."""
    from yardstone.errors import InputError

    if path is not None and not path.parent.is_dir():
        raise InputError("there is no such folder", file=str(path.parent))
    if path is not None and path.is_dir():
        raise InputError("this is a folder", file=str(path), mend="name a file")


def emit_list(
    report: RatingList, form: Format, output: Path | None, *, top: int | None, title: str
) -> None:
    """Write a rating list to a file, or to standard output if there is none.

    `top` limits the players of a text list: None shows what suits the place, 0 all.
    """
    if form is Format.parquet and output is not None:
        from yardstone.reports.csv_out import COLUMNS, csv_list

        _write_parquet(csv_list(report), COLUMNS, output)
        return
    if form is Format.text and output is None and sys.stdout.isatty():
        from rich.console import Console

        from yardstone.reports.table import TERMINAL_PLAYERS, print_list

        shown = TERMINAL_PLAYERS if top is None else top or None
        print_list(report, Console(highlight=False), top=shown)
        return
    text = _rendered(report, form, top, title)
    if output is None:
        sys.stdout.write(text)
        return
    from yardstone.files import write_text

    write_text(output, text)


def _rendered(report: RatingList, form: Format, top: int | None, title: str) -> str:
    if form is Format.csv:
        from yardstone.reports.csv_out import csv_list

        return csv_list(report)
    if form is Format.json:
        from yardstone.reports.json_out import json_list

        return json_list(report)
    if form is Format.html:
        import yardstone
        from yardstone.reports.page import html_list

        return html_list(report, title=title, version=yardstone.__version__)
    from yardstone.reports.table import text_list

    return text_list(report, top=top or None)


def _write_parquet(csv_text: str, columns: dict[str, str], output: Path) -> None:
    from yardstone.files import replaced
    from yardstone.reports.parquet import write_parquet

    with replaced(output) as temporary:
        write_parquet(temporary, csv_text, columns)


def write_matrix(report: RatingList, output: Path) -> None:
    """Write the differences of every two players, as Parquet or CSV by the ending."""
    from yardstone.files import write_text
    from yardstone.reports.csv_out import MATRIX_COLUMNS, csv_matrix

    if output.suffix.lower() in (".parquet", ".pq"):
        _write_parquet(csv_matrix(report), MATRIX_COLUMNS, output)
    else:
        write_text(output, csv_matrix(report))


def progress_bar(label: str, *, quiet: bool) -> Callable[[int, int], None] | None:
    """A function of (done, all) that draws on standard error; None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        return None
    last = -1

    def show(done: int, whole: int) -> None:
        nonlocal last
        percent = 100 * done // whole if whole else 100
        if percent == last:
            return
        last = percent
        end = "\r\x1b[K" if done >= whole else ""
        sys.stderr.write(f"\r{label} {percent:3d} %{end}")
        sys.stderr.flush()

    return show


def stage_bars(*, quiet: bool) -> Callable[[str, int, int], None] | None:
    """A function of (stage, done, all) that draws one stage after the other, as above."""
    bars = {}

    def show(stage: str, done: int, whole: int) -> None:
        if stage not in bars:
            bars[stage] = progress_bar(stage, quiet=quiet)
        bar = bars[stage]
        if bar is not None and whole:
            bar(done, whole)

    return None if progress_bar("", quiet=quiet) is None else show
