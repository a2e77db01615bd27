"""The examples in the documentation: found, run, and compared with what is printed.

Fenced blocks are run: ``console`` (a line ``$ command``, then what it prints) and ``python`` (a
session with ``>>>`` or plain code). A line ``...`` of what is expected stands for any lines, in a
line for anything. The blocks of a document run one after the other in one folder with the example
files, and share their names of Python.

A console block after a line ``<!-- needs: network -->`` runs by itself, where there is what it
names: ``network`` (of the rank model), ``included network`` where no other is kept, ``gnubg``, or a
shared file, ``shared/go/ogs_league.zip as league.zip``. A block that no test can run says so:
``<!-- not run: it installs packages -->``. Pictures that the page shows are compared, too.
"""

from __future__ import annotations

import doctest
import io
import itertools
import os
import re
import shlex
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from yardstone.cli.main import main
from yardstone.errors import SkippedWarning
from yardstone.examples import copy_examples

ROOT = Path(__file__).resolve().parent.parent.parent
FENCE = re.compile(
    r"^(?P<indent> *)(?:<!-- needs: (?P<needs>[^\n]*) -->\n(?P=indent))?"
    r"```(?P<kind>console|python)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
IMAGE = re.compile(r"!\[[^\]]*\]\(([\w./-]+\.svg)\)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
INCLUDED = "included network"
NETWORKS = {"network", INCLUDED}
NETWORK = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
DOCTEST_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
#: What makes a line one for a shell: several commands, or files in place of its streams.
SHELL = re.compile(r"[();<>|&]+|.*[$`*?].*", re.DOTALL)


@dataclass(frozen=True)
class Block:
    document: Path
    line: int
    kind: str
    body: str
    needs: tuple[str, ...] = ()
    pictures: tuple[Path, ...] = ()

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"


@dataclass
class Workplace:
    folder: Path
    needs: tuple[str, ...] = ()
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__documentation__"})

    @property
    def cache(self) -> Path:
        return self.folder / ".cache"

    @classmethod
    def prepare(cls, folder: Path, needs: tuple[str, ...] = ()) -> Workplace:
        copy_examples(folder)
        for need in needs:
            # Only these want pytest, so that a page can be tried without.
            from tests.backgammon.gnubg_here import real_gnubg
            from tests.shared import shared_path

            if need == "gnubg":
                real_gnubg()
            elif need == "network":
                kept = folder / ".cache" / "yardstone" / "nets"
                kept.mkdir(parents=True)
                (kept / Path(NETWORK).name).symlink_to(shared_path(NETWORK))
            elif need != INCLUDED:
                name, _, local = need.removeprefix("shared/").partition(" as ")
                (folder / (local or Path(name).name)).symlink_to(shared_path(name))
        return cls(folder, needs)

    def run(self, command: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "COLUMNS": "88", "NO_COLOR": "1"}
        if NETWORKS & set(self.needs):
            from matplotlib import font_manager, get_cachedir

            assert font_manager.fontManager is not None  # made, and not made again
            environment["MPLCONFIGDIR"] = get_cachedir()
            environment["XDG_CACHE_HOME"] = str(self.cache)
            environment.pop("YARDSTONE_NET", None)
        lexer = shlex.shlex(command.replace("\\\n", ""), posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        words = list(lexer)
        if words[0] == "yardstone" and not any(SHELL.fullmatch(word) for word in words):
            with chdir(self.folder):
                printed = yardstone(words[1:], environment)[1]
        else:
            pipe, nothing, joined = subprocess.PIPE, subprocess.DEVNULL, subprocess.STDOUT
            printed = subprocess.run(
                ["bash", "-c", command], cwd=self.folder, env=environment,
                stdin=nothing, stdout=pipe, stderr=joined, encoding="utf-8", check=False,
            ).stdout  # fmt: skip
        # Said only by the first to run large work on a machine.
        return re.sub(r"^yardstone: compiling .*\n", "", printed, flags=re.MULTILINE)


def yardstone(words: list[str], environment: Mapping[str, str] = os.environ) -> tuple[int, str]:
    """The exit status of a command in this process, and what it prints, messages first."""
    out, messages = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2))
    with (
        Path(os.devnull).open(encoding="utf-8") as nothing,
        warnings.catch_warnings(),
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch("sys.stdin", nothing),
        redirect_stdout(out),
        redirect_stderr(messages),
    ):
        warnings.simplefilter("default")
        status = main(words)
    printed = b""
    for stream in (messages, out):
        stream.flush()
        printed += stream.buffer.getvalue()
    return status, printed.decode()


def documents() -> list[Path]:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    return sorted(page for page in pages if "_build" not in page.parts)


def blocks(document: Path) -> Iterator[Block]:
    text = document.read_text(encoding="utf-8")
    matches = list(FENCE.finditer(text))
    for match, after in itertools.zip_longest(matches, matches[1:]):
        body = re.sub(f"^{match['indent']}", "", match["body"], flags=re.MULTILINE)
        line = text.count("\n", 0, match.start()) + 1
        needs = tuple(match["needs"].split(", ")) if match["needs"] else ()
        links = IMAGE.findall(text, match.end(), after.start() if after else len(text))
        shown = [document.parent / link for link in links]
        pictures = tuple(path for path in shown if f" {path.name}\n" in body)
        yield Block(document, line, match["kind"], body, needs, pictures)


def commands(block: Block) -> list[tuple[str, str]]:
    assert block.body.startswith("$ "), f"{block}: a console block begins with '$ '"
    return re.findall(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", block.body, re.MULTILINE)


def agrees(expected: str, printed: str) -> bool:
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += "[^\n]*".join(map(re.escape, line.rstrip().split("..."))) + r" *\n"
    return re.fullmatch(pattern, printed.rstrip() + "\n" if printed.strip() else "") is not None


def alike(one: str, other: str, near: Callable[[str, str], bool]) -> bool:
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=False)
    same = NUMBER.split(one) == NUMBER.split(other)
    return same and all(a == b or near(a, b) for a, b in pairs)


def close(expected: str, printed: str, gnubg: bool) -> bool:
    """Whether texts differ only in digits that processors round differently.

    By GNU Backgammon, of single precision, also a unit in the last digit, or 3 % of an equity.
    """

    def near(one: str, other: str) -> bool:
        unit = 10.0 ** -len(one.partition(".")[2])
        allowed = max(1.01 * unit, 0.03 * abs(float(one))) if gnubg else 1e-12 * abs(float(one))
        return abs(float(one) - float(other)) <= allowed

    one, other = (re.sub(" +$", "", each.rstrip(), flags=re.M) for each in (expected, printed))
    return alike(one, other, near)


def same_picture(one: str, other: str) -> bool:
    return alike(one, other, lambda a, b: abs(float(a) - float(b)) <= 1.5)


def changed(picture: Path, workplace: Workplace) -> str:
    made = (workplace.folder / picture.name).read_text("utf-8")
    kept = picture.read_text("utf-8") if picture.exists() else ""
    return "" if same_picture(kept, made) else made


def problems(workplace: Workplace, some: Iterable[Block]) -> list[str]:
    result = []
    for block in some:
        for typed, expected, printed in run(block, workplace):
            if printed != expected:
                told = f"--- in the document:\n{expected}--- printed:\n{printed}"
                result.append(f"{block}\n{typed}{told}")
        drawn = [picture for picture in block.pictures if changed(picture, workplace)]
        result += [f"{picture} is not what {block} draws" for picture in drawn]
    return result


def run(block: Block, workplace: Workplace) -> Iterator[tuple[str, str, str]]:
    """Yield what is typed and what the page shows, then that again or what else is printed."""
    if block.kind == "console":
        for command, expected in commands(block):
            printed = workplace.run(command)
            same = agrees(expected, printed) or close(expected, printed, "gnubg" in block.needs)
            whole = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
            yield f"$ {command}", expected, expected if same else whole
        return
    with warnings.catch_warnings():
        # A reader of the documentation sees this warning; it ends no example.
        warnings.simplefilter("ignore", SkippedWarning)
        if ">>>" not in block.body:
            exec(compile(block.body, str(block), "exec", dont_inherit=True), workplace.names)
            yield block.body, "", ""
            return
        for part in doctest.DocTestParser().parse(block.body):
            if isinstance(part, str):
                yield part, "", ""
            else:
                printed = _session(part, str(block), workplace.names)
                same = doctest.OutputChecker().check_output(part.want, printed, DOCTEST_OPTIONS)
                typed = ">>> " + "... ".join(part.source.splitlines(keepends=True))
                shown = printed.replace("\n\n", "\n<BLANKLINE>\n")
                yield typed, part.want, part.want if same else shown


def _session(part: doctest.Example, where: str, names: dict[str, Any]) -> str:
    with redirect_stdout(io.StringIO()) as printed:
        try:
            exec(compile(part.source, where, "single", dont_inherit=True), names)
        except Exception as error:
            if part.exc_msg is None:
                raise
            said = traceback.format_exception_only(error)[-1]
            printed.write(part.want.removesuffix(part.exc_msg) + said)
    return printed.getvalue()
