"""The reference describes every public class and function, and nothing else."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest

import yardstone
from tests.docs import reference
from tests.docs.blocks import documents

TEXTS = {
    path: path.read_text("utf-8")
    for path in sorted(reference.PAGES.glob("*.md"))
    if path != reference.BY_HAND
}
BY_HAND = reference.entries(reference.BY_HAND.read_text("utf-8"))
MODULES = list(reference.public_modules())
LINK = re.compile(r"\{(?:py:)?(?:class|func|meth|mod|exc|data|attr)\}`(?:[^`<]*<)?~?([\w.]+)>?`")


def test_every_public_class_and_function_is_described() -> None:
    texts = [reference.BY_HAND.read_text("utf-8"), *TEXTS.values()]
    described = {id(each) for text in texts for each in reference.documented(text)}
    missing = [
        f"{module.__name__}.{name}"
        for module in MODULES
        for name, each in reference.public_objects(module).items()
        if id(each) not in described
    ]
    assert not missing, f"{missing} (python -m tests.docs.reference writes the pages)"


def test_every_subpackage_has_its_page_as_it_is() -> None:
    assert reference.pages() == TEXTS, "python -m tests.docs.reference writes the pages"


def test_every_name_of_the_package_is_described_under_its_short_name() -> None:
    assert len(BY_HAND) == len(set(BY_HAND))
    public = {f"yardstone.{name}" for name in yardstone.__all__ if name != "__version__"}
    assert {name for name in BY_HAND if name.count(".") == 1} == public


@pytest.mark.parametrize("name", BY_HAND)
def test_an_entry_is_a_public_name_of_its_module(name: str) -> None:
    module, _, last = name.rpartition(".")
    assert last in reference.public_names(import_module(module))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_what_is_public_says_what_it_is(module: object) -> None:
    """The builder leaves out what has no docstring, without a word."""
    assert inspect.ismodule(module)
    assert inspect.getdoc(module)
    for name, each in reference.public_objects(module).items():
        assert inspect.getdoc(each), name


def test_links_to_the_reference_lead_somewhere() -> None:
    """The builder prints a link that leads nowhere as plain text, without a word."""
    named = {name for page in documents() for name in LINK.findall(page.read_text("utf-8"))}
    assert named
    for name in sorted(named):
        assert _exists(name), name


def _exists(name: str) -> bool:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            result = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(result, part):
                return False
            result = getattr(result, part)
        return True
    return False
