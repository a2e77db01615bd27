"""Every example in the documentation does what the documentation says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs import blocks

WITH_EXAMPLES = [page for page in blocks.documents() if any(blocks.blocks(page))]


@pytest.mark.parametrize(
    "document", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(blocks.ROOT))
)
def test_examples(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workplace = blocks.Workplace.prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    problems = []
    for block in blocks.blocks(document):
        if block.kind == "python":
            problems.append(blocks.run_python(block, workplace))
            continue
        for command in blocks.commands(block):
            printed = workplace.run(command.command)
            if not blocks.agrees(command.expected, printed):
                problems.append(
                    f"{document}:{block.line}\n$ {command.command}"
                    f"--- in the document:\n{command.expected}--- printed:\n{printed}"
                )
    wrong = [problem for problem in problems if problem]
    assert not wrong, "\n\n".join(wrong) + "\n(python -m tests.docs.update writes them anew)"


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
