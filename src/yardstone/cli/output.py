"""Where results go: terminal, pipe or file; and progress, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from yardstone.choices import one_of, plural
from yardstone.cli.declare import bundle, flag, option
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.pool import SkipReport
    from yardstone.reports.document import Document, Table


#: How a result is written.
Format = Literal["text", "csv", "json", "parquet", "html"]


#: Clears a terminal and begins at its top.
_CLEAR = "\x1b[H\x1b[2J"
_PICTURES = (".svg", ".png", ".pdf")
_ENDINGS: dict[str, Format] = {
    ".txt": "text",
    ".text": "text",
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".html": "html",
    ".htm": "html",
}


@bundle
class TableOutput:
    """Options of a command that writes a report: its formats and where they go."""

    PANEL: ClassVar[str] = "Output"
    FILE: ClassVar[str] = "-o"  #: The option that names the file of the report

    form: Format | None = option(
        "Format of the report. [default: by the file's ending]", "--format"
    )
    output: Path | None = option("Write the report to this file.", "--output", "-o")
    html: Path | None = option("Write a self-contained web page.")
    quiet: bool = flag(
        "Show no progress; print no report unless --format is given.", "-q", advanced=True
    )

    @property
    def format(self) -> Format:
        """The format asked for, or else the one of the file's ending; text without an ending."""
        if self.form is not None:
            return self.form
        if self.output is None or not self.output.suffix:
            return "text"
        check_ending("-o", self.output, _ENDINGS, hint=", or say what to write with --format")
        return _ENDINGS[self.output.suffix.lower()]

    @property
    def wanted(self) -> bool:
        """Whether anybody is to see the report."""
        return self._prints or self.output is not None or self.html is not None

    @property
    def _prints(self) -> bool:
        return not self.quiet or self.form is not None

    def check(self, *others: Path | None) -> None:
        """Refuse what cannot be written before any work is done.

        `others` are files that the command writes beside the report.
        """
        for path in (self.output, self.html, *others):
            check_folder(path)
        check_ending("--html", self.html, (".html", ".htm"))
        if self.format == "parquet" and self.output is None and self._prints:
            raise UsageError(f"Parquet is not text: name a file with {self.FILE}")
        if self.form is not None and self.output is not None and self.output.suffix:
            implied = _ENDINGS.get(self.output.suffix.lower())
            if implied not in (None, self.form):
                raise UsageError(
                    f"-o {self.output}: the ending says {implied}, and {self.form} is to be "
                    f"written: say --format {implied}, or give it another ending"
                )

    def progress(self, label: str) -> Callable[[int, int], None] | None:
        """A function of (done, all) that draws; None where nobody looks."""
        return progress_bar(label, quiet=self.quiet)

    @property
    def passing(self) -> Literal["screen", "lines", "files"]:
        """How a report is shown that is to change again: on a screen, as a line, or in files."""
        if self.output is not None or not self._prints or self.format != "text":
            return "files"
        return "screen" if sys.stdout.isatty() else "lines"

    def emit(self, document: Document, *, rows: int | None = None) -> None:
        """Write the report everywhere it was asked for.

        `rows` limits tables without a limit of their own, on a terminal only.
        """
        self.emit_files(document)
        if self.output is None and self._prints:
            _print(document, self.format, rows)

    def emit_files(self, document: Document) -> None:
        """Write the report to the files it was asked for in."""
        if self.html is not None:
            _write(document, "html", self.html)
        if self.output is not None:
            _write(document, self.format, self.output)

    def emit_passing(
        self, document: Document, line: str, *, rows: int | None = None, last: bool = False
    ) -> None:
        """Show a report that is to change again, unless it is the last; `line` says it in short."""
        if self.passing == "screen":
            sys.stdout.write(_CLEAR)
        if last or self.passing == "screen":
            self.emit(document, rows=rows)
            sys.stdout.flush()
            return
        self.emit_files(document)
        if self.passing == "lines":
            from time import strftime

            print(f"{strftime('%H:%M:%S')}  {line}", flush=True)


@bundle
class Output(TableOutput):
    """The same, for a report that has a picture."""

    plot: Path | None = option("Draw a chart: a file ending in .svg, .png or .pdf.")

    @property
    def wanted(self) -> bool:
        """Whether anybody is to see the report or its picture."""
        return super().wanted or self.plot is not None

    def check(self, *others: Path | None) -> None:
        """Refuse what cannot be written before any work is done."""
        super().check(self.plot, *others)
        check_ending("--plot", self.plot, _PICTURES)

    def emit_files(self, document: Document) -> None:
        """Write the report to the files it was asked for in, the picture as well."""
        if self.plot is not None:
            if document.drawing is None:
                raise UsageError("--plot: this report has no picture")
            document.drawing().save(self.plot)
        super().emit_files(document)


def write_out(data: bytes, path: Path | None) -> None:
    """Write bytes to a file, or to standard output."""
    from yardstone.files import write_bytes

    if path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_bytes(path, data)


def write_table(table: Table, path: Path) -> None:
    """Write a table beside a report, as Parquet or CSV by the file's ending."""
    from yardstone.reports.document import Document

    _write(Document("", records=table), _ENDINGS[path.suffix.lower()], path)


def _print(document: Document, form: Format, rows: int | None) -> None:
    if form == "text" and sys.stdout.isatty():
        from rich.console import Console

        from yardstone.reports.text import print_document

        print_document(document, Console(highlight=False), limit=rows)
        return
    sys.stdout.writelines(_pieces(document, form))


def _write(document: Document, form: Format, path: Path) -> None:
    from yardstone.files import replaced

    with replaced(path) as temporary:
        if form == "parquet":
            from yardstone.reports.files import write_parquet

            write_parquet(document, temporary)
            return
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(_pieces(document, form))


def _pieces(document: Document, form: Format) -> Iterable[str]:
    """The report as text; what can be long comes piece by piece."""
    if form in ("csv", "json"):
        from yardstone.reports.files import csv_pieces, json_pieces, records_of

        return json_pieces(document) if form == "json" else csv_pieces(records_of(document))
    if form == "html":
        import yardstone
        from yardstone.reports.page import document_page

        return [document_page(document, version=yardstone.__version__)]
    from yardstone.reports.text import text_pieces

    return text_pieces(document)


def check_ending(
    option: str, path: Path | None, endings: Collection[str], *, hint: str = ""
) -> None:
    """Refuse a file whose ending is not one of those its option writes."""
    if path is not None and path.suffix.lower() not in endings:
        known = one_of(endings).replace("'", "")
        raise UsageError(f"{option} {path}: the file must end in {known}{hint}")


def check_folder(path: Path | None) -> None:
    """Refuse what is no place for a file before any work is done."""
    if path is not None and not path.parent.is_dir():
        raise InputError("there is no such folder", file=str(path.parent))
    if path is not None and path.is_dir():
        raise InputError("this is a folder", file=str(path), hint="name a file")


def progress_bar(label: str, *, quiet: bool) -> Callable[[int, int], None] | None:
    """A function of (done, all) that draws on standard error; None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        return None
    last = -1

    def show(done: int, whole: int) -> None:
        nonlocal last
        percent = 100 * done // whole if whole else 100
        if percent != last:
            last = percent
            end = "\r\x1b[K" if done >= whole else ""
            sys.stderr.write(f"\r\x1b[K{label} {percent:3d} %{end}")
            sys.stderr.flush()

    return show


def stage_bars(*, quiet: bool) -> Callable[[str, int, int], None] | None:
    """A function of (stage, done, all) that draws one stage after the other, as above."""
    bar_of = cache(partial(progress_bar, quiet=quiet))

    def show(stage: str, done: int, whole: int) -> None:
        if whole and (bar := bar_of(stage)) is not None:
            bar(done, whole)

    return None if bar_of("") is None else show


#: So many records that were left out are shown with their places.
_PLACES = 5


def report_skipped(skipped: SkipReport, *, quiet: bool = False) -> None:
    """Say on standard error what was left out, and where the first of it stands."""
    if quiet:
        return
    from yardstone.records.where import left_out_line

    line = left_out_line(skipped)
    lines = [f"yardstone: {line}"] if line else []
    lines += [f"  {each}" if line else f"yardstone: {each}" for each in skipped.doubts]
    if len(skipped):
        from yardstone.records.options import skipped_line

        lines.append(f"yardstone: {skipped_line(skipped)}")
        lines += [f"  {record}" for record in skipped.details[:_PLACES]]
        if len(skipped) > _PLACES:
            lines.append(f"  … and {plural(len(skipped) - _PLACES, 'other')}")
    if lines:
        print("\n".join(lines), file=sys.stderr)
