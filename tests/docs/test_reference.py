"""The reference has an entry for every public name, and for nothing else."""

from __future__ import annotations

import re

import yardstone
from tests.docs.blocks import ROOT
from yardstone import parallel

ENTRY = re.compile(r"^\.\. auto(?:class|function|exception):: yardstone\.([\w.]+)$", re.MULTILINE)


def test_every_public_name_is_in_the_reference() -> None:
    listed = ENTRY.findall((ROOT / "docs" / "reference.md").read_text())
    public = {name for name in yardstone.__all__ if name != "__version__"}
    public |= {f"parallel.{name}" for name in parallel.__all__}
    assert len(listed) == len(set(listed))
    assert set(listed) == public
