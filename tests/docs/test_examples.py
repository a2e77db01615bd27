"""Every example in the documentation does what the documentation says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.docs import blocks, tables

BLOCKS = {page: list(blocks.blocks(page)) for page in blocks.documents()}
WITH_EXAMPLES = [page for page, each in BLOCKS.items() if any(not block.needs for block in each)]
WITH_NEEDS = [block for each in BLOCKS.values() for block in each if block.needs]
#: A fence, with the line above it if that is a comment.
ANY_FENCE = re.compile(
    r"^(?:<!-- not run: (?P<reason>.+) -->\n)?```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
#: What has no commands: text that is shown, files of other programs, directives of the pages.
SHOWN = re.compile(r"text|toml|json|nginx|\{[\w-]+\}.*")


@pytest.mark.parametrize(
    "document", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(blocks.ROOT))
)
def test_examples(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workplace = blocks.Workplace.prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    check(workplace, [block for block in BLOCKS[document] if not block.needs])


@pytest.mark.parametrize(
    "block", WITH_NEEDS, ids=lambda block: f"{block.document.relative_to(blocks.ROOT)}:{block.line}"
)
def test_examples_that_need_more(block: blocks.Block, tmp_path: Path) -> None:
    check(blocks.Workplace.prepare(tmp_path, block.needs), [block])


def check(workplace: blocks.Workplace, some: Sequence[blocks.Block]) -> None:
    """Run blocks of a document, and compare."""
    wrong = blocks.problems(workplace, some)
    assert not wrong, "\n\n".join(wrong) + "\n(python -m tests.docs.update renews them)"


@pytest.mark.parametrize(
    "document", blocks.documents(), ids=lambda page: str(page.relative_to(blocks.ROOT))
)
def test_no_command_is_left_out_in_silence(document: Path) -> None:
    """What shows a command with what it prints is run, or says why not."""
    text = document.read_text("utf-8")
    for match in ANY_FENCE.finditer(text):
        where = f"{document}:{text.count(chr(10), 0, match.start()) + 1}"
        if match["kind"] in ("console", "python") or match["reason"]:
            continue
        if match["kind"] == "sh" and document.name == "serve.md":
            continue  # run by tests/web/test_guide.py
        if match["kind"] == "sh":
            for line in match["body"].splitlines():
                assert not tables.wrong_with(line.partition("#")[0]), f"{where}: {line}"
            continue
        assert SHOWN.fullmatch(match["kind"]), f"{where}: a fence of kind {match['kind']!r}"
        commands = re.search(r"^\$ |^(?:python -m|yardstone|pip) ", match["body"], re.MULTILINE)
        assert commands is None, f"{where}: a command in a fence that no test runs"


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a  \nb\n\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nd\n", True),
        ("a\n...\nd\n", "a\nb\nc\n", False),
        ("took ... s\n", "took 0.3 s\n", True),
        ("took ... s\n", "took 0.3\ns\n", False),
        ("...\n", "anything\nat all\n", True),
        ("", "", True),
        ("", "a\n", False),
        ("a\n", "", False),
        ("1.5 (x)\n", "1x5 (x)\n", False),
    ],
)
def test_agreement(expected: str, printed: str, same: bool) -> None:
    assert blocks.agrees(expected, printed) is same


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ('<circle cx="12.5" r="3"/>', True),
        ('<circle cx="13.4" r="3"/>', True),
        ('<circle cx="15" r="3"/>', False),
        ('<circle cx="12.5" r="3" fill="none"/>', False),
        ("", False),
    ],
)
def test_pictures_are_compared(other: str, same: bool) -> None:
    assert blocks.same_picture('<circle cx="12.5" r="3"/>', other) is same


def test_the_gallery_shows_pictures_of_its_commands() -> None:
    gallery = list(blocks.blocks(blocks.ROOT / "docs" / "gallery.md"))
    drawn = {picture for block in gallery for picture in block.pictures}
    assert drawn == set((blocks.ROOT / "docs" / "gallery").glob("*.svg"))


@pytest.mark.parametrize(
    ("one", "other", "gnubg", "same"),
    [
        ("a,34.00506615201212,3", "a,34.00506615201211,3", False, True),
        ("a,34.005066152,3", "a,34.005066153,3", False, False),
        ("EPC 35.2 PR", "EPC 35.1 PR", True, True),
        ("EPC 35.2 PR", "EPC 35.1 PR", False, False),
        ("EPC 35.2 PR", "EPC 37.0 PR", True, False),
        ("+508 of 12", "+509 of 12", True, True),
        ("+508 of 12", "+508 of 14", True, False),
        ("Ann 35.2", "Bob 35.2", True, False),
        ("35.2", "35.2 35.2", True, False),
    ],
)
def test_digits_that_processors_round_differently(
    one: str, other: str, gnubg: bool, same: bool
) -> None:
    assert blocks.close(one, other, gnubg=gnubg) is same
