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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    texts = {path: path.read_text("utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    written = {path: len(EXAMPLE.findall(text)) for path, text in texts.items()}
    rows = [(path, number) for path, number in written.items() if number]
    if "path" in metafunc.fixturenames:
        metafunc.parametrize(("path", "written"), rows, ids=[_name(path) for path, _ in rows])


def _name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def test_docstring_examples(
    path: Path, written: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _name(path)
    try:
        module = import_module(name)
    except (ImportError, MissingExtraError) as error:
        missing(f"{name} cannot be imported", str(error))
    monkeypatch.chdir(tmp_path)
    tests = [test for test in doctest.DocTestFinder().find(module, name) if test.examples]
    assert sum(len(test.examples) for test in tests) == written, "an example is not found"
    report: list[str] = []
    for test in tests:
        doctest.DocTestRunner(optionflags=DOCTEST_OPTIONS).run(test, out=report.append)
    assert not report, "".join(report)
