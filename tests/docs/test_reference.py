"""The reference describes all that is public, examples in docstrings hold, versions are pinned."""

from __future__ import annotations

import doctest
import inspect
import pkgutil
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import yardstone
from tests.docs import reference
from tests.docs.blocks import DOCTEST_OPTIONS, ROOT, documents
from tests.needed import missing
from yardstone.errors import MissingExtraError
from yardstone.grades import parse_grade
from yardstone.winprob.kaniuk import PUBLISHED

LINK = re.compile(r"\{(?:py:)?(?:class|func|meth|mod|exc|data|attr)\}`(?:[^`<]*<)?~?([\w.]+)>?`")


def test_every_subpackage_has_its_page_as_it_is() -> None:
    texts = {path: path.read_text("utf-8") for path in reference.PAGES.glob("*.md")}
    del texts[reference.BY_HAND]
    assert reference.pages() == texts, "python -m tests.docs.reference writes the pages"
    described = {id(each) for each in reference.by_hand().values()}
    described |= {id(each) for text in texts.values() for each in reference.documented(text)}
    for module in reference.public_modules():
        assert inspect.getdoc(module), module
        for name, each in reference.public_objects(module).items():
            assert id(each) in described, f"{module.__name__}.{name}"
            # The builder leaves out what has no docstring, without a word.
            assert inspect.getdoc(each), f"{module.__name__}.{name}"


def test_every_name_of_the_package_is_described_under_its_short_name() -> None:
    names = reference.by_hand()
    public = {f"yardstone.{name}" for name in yardstone.__all__ if name != "__version__"}
    assert {name for name in names if name.count(".") == 1} == public
    for name in names:
        module, _, last = name.rpartition(".")
        assert last in reference.public_names(import_module(module)), name


def test_links_to_the_reference_lead_somewhere() -> None:
    """The builder prints a link that leads nowhere as plain text, without a word."""
    for page in documents():
        for name in LINK.findall(page.read_text("utf-8")):
            assert pkgutil.resolve_name(name) is not None, page


SOURCE = ROOT / "src"
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)


WRITTEN = {path: len(EXAMPLE.findall(path.read_text("utf-8"))) for path in SOURCE.rglob("*.py")}
ROWS = [(path, number) for path, number in sorted(WRITTEN.items()) if number]


def _name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize(("path", "written"), ROWS, ids=[_name(path) for path, _ in ROWS])
def test_docstring_examples(
    path: Path, written: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        module = import_module(_name(path))
    except (ImportError, MissingExtraError) as error:
        missing(f"{_name(path)} cannot be imported", str(error))
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(module, _name(path), optionflags=DOCTEST_OPTIONS)
    assert found == (0, written), "an example fails, or is not found"


EXTRAS, LAB = (
    {"": table["dependencies"], **table.get("optional-dependencies", {})}
    for path in ("pyproject.toml", "lab/pyproject.toml")
    for table in [tomllib.loads((ROOT / path).read_text())["project"]]
)


def canonical(requirement: str) -> str:
    name = re.split(r"[\s<>=!~\[;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


#: An extra may take others: `yardstone[go,plot]`.
EVERY = [each for some in (*EXTRAS.values(), LAB[""]) for each in some]
NEEDED = {canonical(each) for each in EVERY if not each.startswith("yardstone[")}


def test_each_version_is_pinned_with_the_hashes_of_its_files() -> None:
    versions: dict[str, set[str]] = {}
    pinned: dict[str, set[str]] = {}
    line = re.compile(r"[a-z0-9-]+==[A-Za-z0-9.+]+( ; [^\\]+)?( \\\n +--hash=sha256:[0-9a-f]{64})+")
    for path in (ROOT / "requirements").glob("*.txt"):
        packages = re.split(r"\n(?=[a-z0-9])", path.read_text().strip())[1:]
        assert packages, path
        for package in packages:
            assert line.fullmatch(package), package
            versions.setdefault(canonical(package), set()).add(package.split()[0])
            pinned.setdefault(path.stem, set()).add(canonical(package))
    # The build of PyTorch is for the machine to choose; the Makefile has its version.
    assert NEEDED - pinned["tools"] == {"torch"}
    assert [each for each in versions.values() if len(each) > 1] == []
    # `MissingExtraError` names extras; all but those of experts come with `all`.
    assert set(EXTRAS) == {"", *"all cluster dev docs go openvino plot postgres tune web".split()}
    assert EXTRAS["all"] == ["yardstone[go,plot,tune,web]"]


def test_the_figures_of_the_page() -> None:
    page = (ROOT / "docs" / "explanation" / "papers" / "kaniuk.md").read_text("utf-8")
    cells = dict(re.findall(r"^\| ([^|]+) \|(.*)\|$", page, re.MULTILINE))
    grades, model = (
        [cell.strip() for cell in cells[name].split("|")]
        for name in ("stronger player's win", "published model")
    )
    for grade, per_cent in zip(grades, model, strict=True):
        weaker = parse_grade(grade)
        won = float(PUBLISHED.probability(weaker + 1, weaker))
        assert 100 * won == pytest.approx(float(per_cent), abs=0.05001), grade
