"""The house keeps its order: no circles, one meaning a name, signatures one can read."""

from __future__ import annotations

from tools.house import ROOT, circles, classes, imports, long_signatures, modules

MODULES = modules(ROOT / "src")


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circles({name: imports(name, path, MODULES) for name, path in MODULES.items()}) == []


def test_a_circle_is_seen() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str]()}
    assert circles(graph) == [["a", "b", "c"]]


def test_a_class_name_means_one_thing() -> None:
    assert classes(MODULES) == {}


def test_no_function_has_more_positional_parameters_than_one_can_keep_in_order() -> None:
    assert long_signatures(MODULES) == []
