"""What `import yardstone` offers, and how fast."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import yardstone
from yardstone import errors
from yardstone.ratings import systems


@pytest.mark.parametrize("name", yardstone.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(yardstone, name) is not None
    assert name in dir(yardstone)


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


def test_every_system_is_offered_by_its_class() -> None:
    for entry in systems.SYSTEMS.values():
        assert getattr(yardstone, str(entry.home).partition(":")[2]) is entry.system_class()


def test_every_error_is_public() -> None:
    assert set(errors.__all__) <= set(yardstone.__all__)


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = yardstone.no_such_name


def test_importing_takes_no_time() -> None:
    script = "import yardstone, sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"numpy", "numba", "duckdb", "typer"}.isdisjoint(ran.stdout.split())
