"""The house keeps its order: its counts fall, one meaning a name, signatures one can read."""

from __future__ import annotations

from pathlib import Path

from tools import house
from tools.house import ROOT, circles, classes, imports, long_signatures, modules

#: A package in which each kind of import makes a circle, and one that is none.
BUILT = {
    "yardstone/__init__.py": "",
    "yardstone/pool.py": "def read():\n    import_module('yardstone.records.pgn')\n",
    "yardstone/records/__init__.py": "from yardstone.records.sgf import parse\n",
    "yardstone/records/pgn.py": "def scan():\n    from yardstone.pool import Pool\n",
    "yardstone/records/sgf.py": (
        "from yardstone import records\n"
        "from . import pgn\n"
        "if TYPE_CHECKING:\n    from yardstone.winprob.laws import Law\n"
    ),
    "yardstone/winprob/laws.py": "from yardstone.records.pgn import scan\n",
}


def test_imports_in_functions_and_by_name_make_circles(tmp_path: Path) -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str]()}
    assert circles(graph) == [["a", "b", "c"]]
    for name, text in BUILT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    built = modules(tmp_path)
    found = {name: imports(name, path, built) for name, path in built.items()}
    assert found["yardstone.records.sgf"].running == {"yardstone.records", "yardstone.records.pgn"}
    assert found["yardstone.records.sgf"].typing == {"yardstone.winprob.laws"}
    # A facade and the module that imports it are none; those for types make none of modules.
    assert house.module_circles(built, found) == [["yardstone.pool", "yardstone.records.pgn"]]
    packages = ["yardstone.pool", "yardstone.records", "yardstone.winprob"]
    assert house.package_circles(found) == [packages]


def test_a_count_that_rises_is_named_and_held(tmp_path: Path) -> None:
    table = {"go lines": (100, 50), "go modules": (7, 5), "docs words": (900, 900)}
    counts = {"go lines": 90, "go modules": 9, "docs words": 900}
    assert house.rises(counts, table) == ["go modules: 9, 2 more than the 7 held"]
    for raised, held in ((False, 7), (True, 9)):
        after = {**table, "go lines": (90, 50), "go modules": (held, 5)}
        assert house.lowered(counts, table, raised=raised) == after
    (path := tmp_path / "house.toml").write_text("# Why.\n")
    house.write_table(path, after)
    assert house.read_table(path) == after
    assert path.read_text().startswith('# Why.\n"go lines" = [90, 50]\n')


def test_a_class_name_means_one_thing_and_signatures_are_short() -> None:
    there = modules(ROOT / "src")
    assert classes(there) == {}
    assert long_signatures(there) == []
