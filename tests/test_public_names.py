"""What `import yardstone` offers, and the example files that come with it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import yardstone
from yardstone import errors
from yardstone.errors import InputError
from yardstone.examples import copy_examples, example, example_files
from yardstone.ratings import systems


def test_every_public_name_is_there_and_no_other() -> None:
    for name in yardstone.__all__:
        assert getattr(yardstone, name) is not None
        assert name in dir(yardstone)
    for entry in systems.SYSTEMS.values():
        assert getattr(yardstone, str(entry.home).partition(":")[2]) is entry.system_class()
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = yardstone.no_such_name


def test_the_names_shown_to_type_checkers_are_the_public_ones() -> None:
    tree = ast.parse(Path(yardstone.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    aliases = [a for node in block.body if isinstance(node, ast.ImportFrom) for a in node.names]
    # Shown is what is imported as itself, by a star, or stands in the list that is added.
    assert [alias.name for alias in aliases].count("*") == 2
    (added,) = (node.value for node in tree.body if isinstance(node, ast.AugAssign))
    shown = {*ast.literal_eval(added), *systems.__all__, *errors.__all__}
    shown |= {alias.name for alias in aliases if alias.asname == alias.name}
    assert shown == set(yardstone.__all__)


def test_examples_by_name_and_their_copies(tmp_path: Path) -> None:
    about = example("league.csv").with_name("README.md").read_text("utf-8")
    assert [name for name in example_files() if f"`{name}`" not in about] == []
    with pytest.raises(InputError, match=r"no example is called 'no\.csv' .*league\.csv"):
        example("no.csv")
    folder, own = tmp_path / "new" / "folder", tmp_path / "open.xml"
    for _ in range(2):  # the second time they are there already
        paths = copy_examples(folder)
        assert sorted(paths) == sorted(folder.iterdir())
        assert all(path.read_bytes() == example(path.name).read_bytes() for path in paths)
    own.write_text("mine", "utf-8")
    with pytest.raises(InputError, match=r"open\.xml.*not overwritten"):
        copy_examples(tmp_path)
    assert set(tmp_path.iterdir()) == {own, folder.parent}
    assert own.read_text("utf-8") == "mine"
    with pytest.raises(InputError, match="cannot be"):
        copy_examples(own / "folder")
