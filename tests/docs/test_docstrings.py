"""Every example in a docstring does what the docstring says."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.docs.blocks import DOCTEST_OPTIONS, ROOT
from tests.needed import missing
from yardstone.errors import MissingExtraError

SOURCE = ROOT / "src"
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)
WITH_EXAMPLES = [
    path for path in sorted(SOURCE.rglob("*.py")) if EXAMPLE.search(path.read_text("utf-8"))
]


def module_name(path: Path) -> str:
    """The name by which a file of the package is imported."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=module_name)
def test_docstring_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = module_name(path)
    try:
        module = import_module(name)
    except (ImportError, MissingExtraError) as error:
        missing(f"{name} cannot be imported", str(error))
    monkeypatch.chdir(tmp_path)
    tests = [test for test in doctest.DocTestFinder().find(module, name) if test.examples]
    written = len(EXAMPLE.findall(path.read_text("utf-8")))
    assert sum(len(test.examples) for test in tests) == written, "an example is not found"
    report: list[str] = []
    for test in tests:
        doctest.DocTestRunner(optionflags=DOCTEST_OPTIONS).run(test, out=report.append)
    assert not report, "".join(report)
