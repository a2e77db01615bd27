"""The reference has an entry for every public name, and every entry is a public name."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

import yardstone
from tests.docs.blocks import ROOT
from yardstone import go, parallel

ENTRY = re.compile(r"^\.\. auto(?:class|function|exception):: yardstone\.([\w.]+)$", re.MULTILINE)
LISTED = ENTRY.findall((ROOT / "docs" / "reference.md").read_text())
#: Names of modules within the package, such as `go.board.Board`.
DEEPER = [name for name in LISTED if "." in name]


def test_every_public_name_is_in_the_reference() -> None:
    public = {name for name in yardstone.__all__ if name != "__version__"}
    assert len(LISTED) == len(set(LISTED))
    assert {name for name in LISTED if "." not in name} == public
    assert {f"parallel.{name}" for name in parallel.__all__} <= set(LISTED)
    named = {name.rpartition(".")[2] for name in DEEPER if name.startswith("go.")}
    assert set(go.__all__) <= named


@pytest.mark.parametrize("name", DEEPER)
def test_an_entry_is_a_public_name_of_its_module(name: str) -> None:
    module, _, last = name.rpartition(".")
    assert last in import_module(f"yardstone.{module}").__all__
