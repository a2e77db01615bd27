"""Each dependency has a reason, and each version is pinned."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.docs.blocks import ROOT


def project(path: str) -> dict[str, list[str]]:
    table = tomllib.loads((ROOT / path).read_text())["project"]
    return {"": table["dependencies"], **table.get("optional-dependencies", {})}


def canonical(requirement: str) -> str:
    name = re.split(r"[\s<>=!~\[;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture
def needed() -> set[str]:
    # An extra may take others: `yardstone[go,plot]`.
    groups = (*project("pyproject.toml").values(), project("lab/pyproject.toml")[""])
    every = [each for some in groups for each in some]
    return {canonical(each) for each in every if not each.startswith("yardstone[")}


def test_each_dependency_has_its_line_with_a_reason(needed: set[str]) -> None:
    page = (ROOT / "docs" / "reference" / "dependencies.md").read_text()
    rows = dict(re.findall(r"^\| ([a-z][a-z0-9-]*) \| ([^|]+) \|$", page, re.MULTILINE))
    del rows["package"]
    assert rows.keys() == needed
    assert [name for name, why in rows.items() if len(why) < 20] == []


def test_each_version_is_pinned_with_the_hashes_of_its_files(needed: set[str]) -> None:
    versions: dict[str, set[str]] = {}
    pinned: dict[str, set[str]] = {}
    line = re.compile(r"[a-z0-9-]+==[A-Za-z0-9.+]+( ; [^\\]+)?( \\\n +--hash=sha256:[0-9a-f]{64})+")
    for path in (ROOT / "requirements").glob("*.txt"):
        packages = re.split(r"\n(?=[a-z0-9])", path.read_text().strip())[1:]
        assert len(packages) > 5, path
        for package in packages:
            assert line.fullmatch(package), package
            versions.setdefault(canonical(package), set()).add(package.split()[0])
            pinned.setdefault(path.stem, set()).add(canonical(package))
    # The build of PyTorch is for the machine to choose; the Makefile has its version.
    assert needed - pinned["tools"] == {"torch"}
    assert "TORCH ?= torch==" in (ROOT / "Makefile").read_text()
    assert [each for each in versions.values() if len(each) > 1] == []
    # `MissingExtraError` names extras; all but those of experts come with `all`.
    extras = project("pyproject.toml")
    assert set(extras) == {"", *"all cluster dev docs go openvino plot postgres tune web".split()}
    assert extras["all"] == ["yardstone[go,plot,tune,web]"]
