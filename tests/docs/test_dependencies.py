"""Each dependency has a reason, and each version is pinned."""

from __future__ import annotations

import re
import tomllib

from tests.docs.blocks import ROOT


def project(path: str) -> dict[str, list[str]]:
    """What a package needs: by itself under "", and by its extras."""
    table = tomllib.loads((ROOT / path).read_text())["project"]
    return {"": table["dependencies"], **table.get("optional-dependencies", {})}


def canonical(requirement: str) -> str:
    """The name of a requirement, as package indexes compare it."""
    name = re.split(r"[\s<>=!~\[;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


PACKAGE = project("pyproject.toml")
#: An extra may take others: `yardstone[go,plot]`.
NEEDED = {
    canonical(each)
    for some in (*PACKAGE.values(), project("lab/pyproject.toml")[""])
    for each in some
    if not each.startswith("yardstone[")
}
#: The packages of each file of requirements, each with its hashes.
PINNED = {
    path.stem: re.split(r"\n(?=[a-z0-9])", path.read_text().strip())[1:]
    for path in (ROOT / "requirements").glob("*.txt")
}


def test_each_dependency_has_its_line_with_a_reason() -> None:
    page = (ROOT / "docs" / "reference" / "dependencies.md").read_text()
    rows = dict(re.findall(r"^\| ([a-z][a-z0-9-]*) \| ([^|]+) \|$", page, re.MULTILINE))
    del rows["package"]
    assert rows.keys() == NEEDED
    assert [name for name, why in rows.items() if len(why) < 20] == []


def test_each_version_is_pinned_with_the_hashes_of_its_files() -> None:
    for name, packages in PINNED.items():
        assert len(packages) > 5, name
        for package in packages:
            first, *hashes = package.split(" \\\n")
            assert re.fullmatch(r"[a-z0-9-]+==[A-Za-z0-9.+]+( ; [^\\]+)?", first), first
            assert hashes, first
            assert all(re.fullmatch(r" +--hash=sha256:[0-9a-f]{64}", each) for each in hashes), (
                first
            )
    # The build of PyTorch is for the machine to choose; the Makefile has its version.
    assert NEEDED - set(map(canonical, PINNED["tools"])) == {"torch"}
    assert "TORCH ?= torch==" in (ROOT / "Makefile").read_text()
    # What is pinned twice has the same version.
    versions = {package.split()[0] for packages in PINNED.values() for package in packages}
    assert len(versions) == len(set(map(canonical, versions)))


def test_extras() -> None:
    """`MissingExtraError` names extras; all but those of experts come with `all`."""
    extras = {name: some for name, some in PACKAGE.items() if name}
    assert all(extras.values())
    for each in (each for some in extras.values() for each in some if "yardstone[" in each):
        assert set(each.removeprefix("yardstone[").removesuffix("]").split(",")) <= set(extras)
    assert set(extras) - {"all", "dev", "docs"} == {
        "cluster", "go", "openvino", "plot", "postgres", "tune", "web",
    }  # fmt: skip
    assert extras["all"] == ["yardstone[go,plot,tune,web]"]
