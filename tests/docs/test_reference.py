"""The reference describes every public class and function, and nothing else."""

from __future__ import annotations

import inspect
import re
from contextlib import suppress
from importlib import import_module
from typing import Any

import yardstone
from tests.docs import reference
from tests.docs.blocks import documents

LINK = re.compile(r"\{(?:py:)?(?:class|func|meth|mod|exc|data|attr)\}`(?:[^`<]*<)?~?([\w.]+)>?`")


def test_every_subpackage_has_its_page_as_it_is() -> None:
    by_hand = reference.BY_HAND.read_text("utf-8")
    texts = {path: path.read_text("utf-8") for path in reference.PAGES.glob("*.md")}
    del texts[reference.BY_HAND]
    assert reference.pages() == texts, "python -m tests.docs.reference writes the pages"
    described = {
        id(each) for text in (by_hand, *texts.values()) for each in reference.documented(text)
    }
    for module in reference.public_modules():
        assert inspect.getdoc(module), module
        for name, each in reference.public_objects(module).items():
            assert id(each) in described, f"{module.__name__}.{name}"
            # The builder leaves out what has no docstring, without a word.
            assert inspect.getdoc(each), f"{module.__name__}.{name}"


def test_every_name_of_the_package_is_described_under_its_short_name() -> None:
    names = reference.entries(reference.BY_HAND.read_text("utf-8"))
    assert len(names) == len(set(names))
    public = {f"yardstone.{name}" for name in yardstone.__all__ if name != "__version__"}
    assert {name for name in names if name.count(".") == 1} == public
    for name in names:
        module, _, last = name.rpartition(".")
        assert last in reference.public_names(import_module(module)), name


def test_links_to_the_reference_lead_somewhere() -> None:
    """The builder prints a link that leads nowhere as plain text, without a word."""
    named = {name for page in documents() for name in LINK.findall(page.read_text("utf-8"))}
    assert named
    assert [name for name in sorted(named) if not _exists(name)] == []


def _exists(name: str) -> bool:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        with suppress(ModuleNotFoundError):
            result: Any = import_module(".".join(parts[:length]))
            for part in parts[length:]:
                result = getattr(result, part, None)
            return result is not None
    return False
