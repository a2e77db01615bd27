"""Every example in the documentation does what the documentation says."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from tests.docs import blocks, tables
from yardstone import parallel

#: A fence, with the line above it if that is a comment.
ANY_FENCE = re.compile(
    r"^(?:<!-- not run: (?P<reason>.+) -->\n)?```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
#: What has no commands: text that is shown, files of other programs, directives of the pages.
SHOWN = re.compile(r"text|toml|json|nginx|\{[\w-]+\}.*")


#: Blocks that run one after the other: those of a page that need no more, and each that does.
GROUPS: dict[str, list[blocks.Block]] = {}
for each in itertools.chain.from_iterable(map(blocks.blocks, blocks.documents())):
    own = str(each) if each.needs else str(each.document.relative_to(blocks.ROOT))
    GROUPS.setdefault(own, []).append(each)


@pytest.fixture(scope="session")
def evaluations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a network said of positions, to the last bit: several pages show one game."""
    return tmp_path_factory.mktemp("evaluations")


@pytest.mark.parametrize("group", GROUPS)
def test_examples(
    group: str, tmp_path: Path, evaluations: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    needs = GROUPS[group][0].needs
    workplace = blocks.Workplace.prepare(tmp_path, needs)
    if blocks.NETWORKS & set(needs):
        monkeypatch.setenv("YARDSTONE_CACHE", "500MB")
        (kept := workplace.cache / "yardstone").mkdir(parents=True, exist_ok=True)
        (kept / "evaluations").symlink_to(evaluations)
    with parallel.context(workers=1):  # to start processes takes longer than these examples
        wrong = blocks.problems(workplace, GROUPS[group])
    assert not wrong, "\n\n".join(wrong) + "\n(python -m tests.docs.update renews them)"


def test_no_command_is_left_out_in_silence() -> None:
    for document in blocks.documents():
        text = document.read_text("utf-8")
        for match in ANY_FENCE.finditer(text):
            where = f"{document}:{text.count(chr(10), 0, match.start()) + 1}"
            kind = match["kind"]
            if kind in ("console", "python") or match["reason"]:
                continue
            if kind == "sh":  # those of serve.md are run by tests/web/test_guide.py
                for line in match["body"].splitlines() if document.name != "serve.md" else ():
                    assert not tables.wrong_with(line.partition("#")[0]), f"{where}: {line}"
                continue
            assert SHOWN.fullmatch(kind), f"{where}: a fence of kind {kind!r}"
            command = re.search(r"^\$ |^(?:python -m|yardstone|pip) ", match["body"], re.MULTILINE)
            assert command is None, f"{where}: a command in a fence that no test runs"
    for named in tables.commands((blocks.ROOT / "README.md").read_text("utf-8")):
        assert not tables.wrong_with(named)


def test_the_gallery_shows_pictures_of_its_commands() -> None:
    docs = blocks.ROOT / "docs"
    drawn = {picture for block in blocks.blocks(docs / "gallery.md") for picture in block.pictures}
    assert drawn == set((docs / "gallery").glob("*.svg"))


def test_agreement() -> None:
    for expected, printed, same in (
        ("a\nb\n", "a  \nb\n\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nd\n", True),
        ("a\n...\nd\n", "a\nb\nc\n", False),
        ("took ... s\n", "took 0.3 s\n", True),
        ("took ... s\n", "took 0.3\ns\n", False),
        ("", "a\n", False),
        ("a\n", "", False),
        ("1.5 (x)\n", "1x5 (x)\n", False),
    ):
        assert blocks.agrees(expected, printed) is same, (expected, printed)


def test_numbers_that_processors_round_differently() -> None:
    for one, other, *same in (  # usually, by GNU Backgammon, in pictures
        ("a,34.00506615201212,3", "a,34.00506615201211,3", True, True, True),
        ("a,34.005066152,3", "a,34.005066153,3", False, True, True),
        ("EPC 35.2 PR", "EPC 37.0 PR", False, False, False),
        ("+508 of 12", "+509 of 12", False, True, True),
        ("+508 of 12", "+508 of 14", False, False, False),
        ("Ann 35.2", "Bob 35.2", False, False, False),
        ("35.2", "35.2 35.2", False, False, False),
    ):
        found = [blocks.close(one, other, each) for each in (False, True)]
        assert [*found, blocks.same_picture(one, other)] == same, (one, other)
