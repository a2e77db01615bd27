"""Each dependency has a reason, and each version is pinned."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.docs.blocks import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
LAB: dict[str, Any] = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text())["project"]
#: An extra may take others: `yardstone[go,plot]`.
REQUIREMENTS = [
    each
    for some in (PROJECT["dependencies"], *EXTRAS.values(), LAB["dependencies"])
    for each in some
    if not each.startswith("yardstone[")
]
PAGE = (ROOT / "docs" / "reference" / "dependencies.md").read_text()
FOLDER = ROOT / "requirements"
PINNED = sorted(FOLDER.glob("*.txt"))


def canonical(requirement: str) -> str:
    """The name of a requirement, as package indexes compare it."""
    name = re.split(r"[\s<>=!~\[;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(path: Path) -> list[str]:
    """The packages of a file of requirements, each with its hashes."""
    return re.split(r"\n(?=[a-z0-9])", path.read_text().strip())[1:]


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_a_dependency_has_its_line_with_a_reason(requirement: str) -> None:
    name = canonical(requirement)
    assert re.search(rf"^\| {name} \| [^|]{{20,}} \|$", PAGE, re.MULTILINE), (
        f"docs/reference/dependencies.md has no line '| {name} | why |'"
    )


def test_nothing_is_listed_that_is_not_needed() -> None:
    listed = set(re.findall(r"^\| ([a-z][a-z0-9-]*) \|", PAGE, re.MULTILINE)) - {"package"}
    assert listed == {canonical(requirement) for requirement in REQUIREMENTS}


@pytest.mark.parametrize("path", PINNED, ids=lambda path: path.stem)
def test_each_version_is_pinned_with_the_hashes_of_its_files(path: Path) -> None:
    packages = pinned(path)
    assert len(packages) > 5
    for package in packages:
        first, *hashes = package.split(" \\\n")
        assert re.fullmatch(r"[a-z0-9-]+==[A-Za-z0-9.+]+( ; [^\\]+)?", first), first
        assert hashes, first
        assert all(re.fullmatch(r" +--hash=sha256:[0-9a-f]{64}", each) for each in hashes), first


def test_every_dependency_is_pinned() -> None:
    names = {canonical(package) for package in pinned(FOLDER / "tools.txt")}
    # The build of PyTorch is for the machine to choose; the Makefile has its version.
    assert {canonical(requirement) for requirement in REQUIREMENTS} - names == {"torch"}
    assert "TORCH ?= torch==" in (ROOT / "Makefile").read_text()


def test_what_is_pinned_twice_has_the_same_version() -> None:
    versions = {package.split()[0] for path in PINNED for package in pinned(path)}
    assert len(versions) == len({canonical(version) for version in versions})


def test_an_extra_takes_extras_that_are_there() -> None:
    for each in (each for extra in EXTRAS.values() for each in extra):
        if each.startswith("yardstone["):
            assert set(each.removeprefix("yardstone[").removesuffix("]").split(",")) <= set(EXTRAS)


def test_the_extra_for_people_has_all_that_the_package_asks_for() -> None:
    """`MissingExtraError` names extras; all but those of experts come with `all`."""
    assert set(EXTRAS) - {"all", "dev", "docs"} == {
        "cluster", "go", "openvino", "plot", "postgres", "tune", "web",
    }  # fmt: skip
    assert EXTRAS["all"] == ["yardstone[go,plot,tune,web]"]


def test_no_extra_is_empty() -> None:
    assert all(EXTRAS.values())
