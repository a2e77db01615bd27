"""The example files come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import yardstone
from yardstone.errors import InputError
from yardstone.examples import copy_examples, example, example_files


def test_every_example_is_described() -> None:
    about = (Path(yardstone.__file__).parent / "examples" / "README.md").read_text("utf-8")
    assert example_files()
    for name in example_files():
        assert f"`{name}`" in about


def test_an_example_by_name() -> None:
    assert yardstone.rate(str(example("league.csv"))).ratings
    with pytest.raises(InputError, match=r"no example is called 'no\.csv' .*league\.csv"):
        example("no.csv")


def test_copies(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    paths = copy_examples(folder)
    assert sorted(paths) == sorted(folder.iterdir())
    for path in paths:
        assert path.read_bytes() == example(path.name).read_bytes()
    assert copy_examples(folder) == paths  # they are there already


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    own = tmp_path / "open.xml"
    own.write_text("mine", "utf-8")
    with pytest.raises(InputError, match=r"open\.xml.*not overwritten"):
        copy_examples(tmp_path)
    assert list(tmp_path.iterdir()) == [own]
    assert own.read_text("utf-8") == "mine"


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="cannot be"):
        copy_examples(tmp_path / "file" / "folder")
