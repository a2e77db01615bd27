"""Each dependency has a reason, and each version is pinned."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from tests.docs.blocks import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
#: An extra may take others: `yardstone[go,plot]`.
REQUIREMENTS = [
    each
    for some in (PROJECT["dependencies"], *EXTRAS.values())
    for each in some
    if not each.startswith("yardstone[")
]
PAGE = (ROOT / "docs" / "reference" / "dependencies.md").read_text()
PINNED = (ROOT / "constraints.txt").read_text()


def canonical(requirement: str) -> str:
    """The name of a requirement, as package indexes compare it."""
    name = re.split(r"[\s<>=!~\[;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_a_dependency_has_its_line_with_a_reason(requirement: str) -> None:
    name = canonical(requirement)
    assert re.search(rf"^\| {name} \| [^|]{{20,}} \|$", PAGE, re.MULTILINE), (
        f"docs/reference/dependencies.md has no line '| {name} | why |'"
    )


def test_nothing_is_listed_that_is_not_needed() -> None:
    listed = set(re.findall(r"^\| ([a-z][a-z0-9-]*) \|", PAGE, re.MULTILINE)) - {"package"}
    assert listed == {canonical(requirement) for requirement in REQUIREMENTS}


def test_every_dependency_is_pinned() -> None:
    pinned = {canonical(line) for line in PINNED.splitlines() if not line.startswith("#")}
    assert {canonical(requirement) for requirement in REQUIREMENTS} <= pinned
    assert all(
        re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9._+]+", line) for line in PINNED.splitlines()
    )


def test_an_extra_takes_extras_that_are_there() -> None:
    for each in (each for extra in EXTRAS.values() for each in extra):
        if each.startswith("yardstone["):
            assert set(each.removeprefix("yardstone[").removesuffix("]").split(",")) <= set(EXTRAS)


def test_the_extra_for_people_has_all_that_the_package_asks_for() -> None:
    """`MissingExtraError` names extras; all but those of experts come with `all`."""
    assert set(EXTRAS) - {"all", "dev", "docs"} == {
        "cluster", "go", "openvino", "plot", "postgres", "train", "tune", "web",
    }  # fmt: skip
    assert EXTRAS["all"] == ["yardstone[go,plot,tune,web]"]


def test_no_extra_is_empty() -> None:
    assert all(EXTRAS.values())
