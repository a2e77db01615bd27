"""Where results go: terminal, pipe or file; and progress, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import strftime
from typing import TYPE_CHECKING, ClassVar, Literal

from yardstone.choices import plural
from yardstone.cli import talks
from yardstone.cli.declare import bundle, check_ending, check_folder, flag, option
from yardstone.errors import UsageError
from yardstone.reports.document import Document as Document

if TYPE_CHECKING:
    from yardstone.parallel import Progress
    from yardstone.pool import SkipReport
    from yardstone.reports.document import Table


#: How a result is written.
Format = Literal["text", "csv", "json", "parquet", "html"]


#: Clears a terminal and begins at its top.
_CLEAR = "\x1b[H\x1b[2J"
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
#: Endings of a table beside a report.
TABLES = (".csv", ".parquet", ".pq")
_PICTURES = dict.fromkeys((".svg", ".png", ".pdf"), "picture")


@bundle
class TableOutput:
    """Options of a command that writes a report: its formats and where they go.

    The command returns its report; where it goes is looked at before any work is done.
    """

    PANEL: ClassVar[str] = "Output"
    FILE: ClassVar[str] = "-o"  #: The option that names files of the report
    ENDINGS: ClassVar[Mapping[str, str]] = _ENDINGS

    form: Format | None = option(
        "Format of the report. [default: by the file's ending]", "--format"
    )
    output: list[Path] | None = option(
        "Write the report to this file, in place of the screen, or as a web page (.html) beside "
        "it. Repeatable.",
        "--output",
        "-o",
    )
    quiet: bool = flag(
        "Show no progress; print no report unless --format is given.", "-q", advanced=True
    )

    @property
    def _files(self) -> list[tuple[Path, str]]:
        """The files, pictures first, and how each is written: by its ending, or by --format."""
        files = []
        for path in self.output or ():
            implied = self.ENDINGS.get(path.suffix.lower())
            if implied is None and path.suffix and self.form is None:
                hint = ", or say what to write with --format"
                check_ending(self.FILE, path, self.ENDINGS, hint=hint)
            if implied not in (None, self.form, "html", "picture") and self.form is not None:
                raise UsageError(
                    f"{self.FILE} {path}: the ending says {implied}, and {self.form} is to be "
                    f"written: say --format {implied}, or give it another ending"
                )
            files.append((path, implied or self.form or "text"))
        return sorted(files, key=lambda file: file[1] != "picture")

    @property
    def _in_place(self) -> list[str]:
        """Formats of the files that take the place of the screen: no pictures, and no pages."""
        beside = {"html", "picture"} - {self.form}
        return [form for _, form in self._files if form not in beside]

    @property
    def formats(self) -> list[str]:
        """Formats of the report, but for pages and pictures beside it."""
        return self._in_place or [self.form or "text"]

    @property
    def prints(self) -> bool:
        """Whether the report goes to standard output."""
        return (not self.quiet or self.form is not None) and not self._in_place

    @property
    def draws(self) -> bool:
        """Whether a picture is asked for."""
        return any(form == "picture" for _, form in self._files)

    @property
    def wanted(self) -> bool:
        """Whether anybody is to see the report or its picture."""
        return self.prints or bool(self.output)

    def check(self) -> None:
        """Refuse what cannot be written before any work is done."""
        for path in self.output or ():
            check_folder(path)
        if self.prints and self.form == "parquet":
            raise UsageError(f"Parquet is not text: name a file with {self.FILE}")

    @property
    def passing(self) -> Literal["screen", "lines", "files"]:
        """How a report is shown that is to change again: on a screen, as a line, or in files."""
        if not self.prints or self.form not in (None, "text"):
            return "files"
        return "screen" if sys.stdout.isatty() else "lines"

    def emit(
        self, document: Document, *, rows: int | None = None, skipped: SkipReport | None = None
    ) -> None:
        """Write the report everywhere it was asked for, and say what was `skipped`.

        `rows` limits tables without a limit of their own, on a terminal only.
        """
        self._emit_files(document)
        if self.prints:
            _print(document, self.form or "text", rows)
        if skipped is not None:
            report_skipped(skipped)

    def _emit_files(self, document: Document) -> None:
        for path, form in self._files:
            if form != "picture":
                _write(document, form, path)
            elif document.drawing is None:
                raise UsageError(f"{self.FILE} {path}: this report has no picture")
            else:
                document.drawing().save(path)

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
        self._emit_files(document)
        if self.passing == "lines":
            print(f"{strftime('%H:%M:%S')}  {line}", flush=True)


@bundle
class Output(TableOutput):
    """The same, for a report that has a picture."""

    ENDINGS: ClassVar[Mapping[str, str]] = {**_ENDINGS, **_PICTURES}

    output: list[Path] | None = option(
        "Write the report to this file, in place of the screen; or beside it as a web page "
        "(.html), or its chart (.svg, .png, .pdf). Repeatable.",
        "--output",
        "-o",
    )


def titled(what: str, paths: Iterable[str]) -> str:
    """Return the title of a report: what it is, and of which file if it is of one."""
    names = [Path(path).name for path in paths if path != "-"]
    return f"{what}: {names[0]}" if len(names) == 1 else what


def write_out(data: bytes, path: Path | None) -> None:
    """Write bytes to a file, or to standard output."""
    from yardstone.files import write_bytes

    if path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_bytes(path, data)


def write_pieces(pieces: Iterable[str | bytes], path: Path | None, *, binary: bool = False) -> None:
    """Write pieces to a file, which takes its name when it is complete, or to standard output."""
    from yardstone.files import open_text, replaced

    if path is None:
        for piece in pieces:
            sys.stdout.write(str(piece))
        return
    with (
        replaced(path) as temporary,
        temporary.open("wb") if binary else open_text(temporary) as file,
    ):
        for piece in pieces:
            file.write(piece)  # type: ignore[arg-type]


def write_table(table: Table, path: Path) -> None:
    """Write a table beside a report, as Parquet or CSV by the file's ending."""
    _write(Document("", records=table), _ENDINGS[path.suffix.lower()], path)


def _print(document: Document, form: str, rows: int | None) -> None:
    if form == "text" and sys.stdout.isatty():
        from rich.console import Console

        from yardstone.reports.text import print_document

        print_document(document, Console(highlight=False), limit=rows)
        return
    sys.stdout.writelines(_pieces(document, form))


def _write(document: Document, form: str, path: Path) -> None:
    from yardstone.files import replaced

    with replaced(path) as temporary:
        if form == "parquet":
            from yardstone.reports.files import write_parquet

            write_parquet(document, temporary)
            return
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(_pieces(document, form))


def _pieces(document: Document, form: str) -> Iterable[str]:
    """The report as text; what can be long comes piece by piece."""
    if form in ("csv", "json"):
        from yardstone.reports.files import csv_pieces, json_pieces, records_of

        return json_pieces(document) if form == "json" else csv_pieces(records_of(document))
    if form == "html":
        from yardstone.reports.page import document_page

        return [document_page(document)]
    from yardstone.reports.text import text_pieces

    return text_pieces(document)


def progress_bars() -> Progress:
    """Return what draws progress on standard error, one stage after the other, unless quiet."""
    shown: tuple[str, int] = ("", -1)

    def show(what: str, done: int, whole: int) -> None:
        nonlocal shown
        if talks() and whole and shown != (now := (what, 100 * done // whole)):
            shown = now
            end = "\r\x1b[K" if done >= whole else ""
            sys.stderr.write(f"\r\x1b[K{what} {now[1]:3d} %{end}")
            sys.stderr.flush()

    return show


#: So many records that were left out are shown with their places.
_PLACES = 5


def report_skipped(skipped: SkipReport, *, always: bool = False) -> None:
    """Say on standard error what was left out, and where the first of it stands.

    A quiet command says so only of what must not be overlooked (`always`).
    """
    if not (always or talks()):
        return
    from yardstone.records.options import left_out_line, skipped_line

    line = left_out_line(skipped)
    lines = [f"yardstone: {line}"] if line else []
    lines += [f"  {each}" if line else f"yardstone: {each}" for each in skipped.doubts]
    if len(skipped):
        lines.append(f"yardstone: {skipped_line(skipped)}")
        lines += [f"  {record}" for record in skipped.details[:_PLACES]]
        if len(skipped) > _PLACES:
            lines.append(f"  … and {plural(len(skipped) - _PLACES, 'other')}")
    if lines:
        print("\n".join(lines), file=sys.stderr)
