"""Tools say what they should; workflows, the image and the compose files are closed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from tools import house
from tools.audit import Audit
from tools.house import ROOT, modules
from tools.mutants import mutants


def test_a_class_name_means_one_thing_and_signatures_are_short() -> None:
    there = modules(ROOT / "src")
    assert (house.classes(there), house.long_signatures(there)) == ({}, [])


def test_each_fault_changes_one_thing() -> None:
    text = 'def level(x: int, y: float = 0.5):\n    check(not x)\n    return x < y + 3 or "1 < 2"\n'
    made = {each.source(text) for each in mutants("f.py", text)}
    lines = [set(each.splitlines()) - set(text.splitlines()) for each in made]
    assert sorted(line for (line,) in lines) == [
        "    check(x)",
        "    pass",
        '    return x < y + 3 and "1 < 2"',
        '    return x < y + 4 or "1 < 2"',
        '    return x < y - 3 or "1 < 2"',
        '    return x <= y + 3 or "1 < 2"',
        "def level(x: int, y: float = 0.55):",
    ]


LOOP = """
cdef double[2] room
cdef double level(const double[::1] x, double* y) noexcept nogil:
    '''Text 1 < 2.'''
    return <double>3 if x[0] < 0.5 and not y[0] else -x[1] + y[0]
"""


def test_faults_of_a_loop_leave_types_alone() -> None:
    row = LOOP.splitlines()[4]
    faults = {each.source(LOOP).splitlines()[4] for each in mutants("f.pyx", LOOP)}
    assert faults == {
        row.replace("3", "4"), row.replace("x[0] <", "x[0] <="), row.replace("0.5", "0.55"),
        row.replace("and", "or"), row.replace("not ", " "), row.replace("+", "-"),
    }  # fmt: skip


def test_an_audit_says_what_is_weak_and_what_was_not_looked_up() -> None:
    sound = {"name": "numpy", "version": "2.4.6", "vulns": []}
    flaw = {"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"], "aliases": [], "description": ""}
    weak = {"name": "jinja2", "version": "2.4.1", "vulns": [flaw]}
    audit = Audit({"dependencies": [sound, weak]})
    assert audit.lines()[0] == "jinja2 2.4.1: PYSEC-2019-217, mended in 2.10.1"
    assert (audit.status(strict=False), audit.status(strict=True)) == (1, 1)
    unseen = {"name": "rich", "skip_reason": "Dependency not found on PyPI"}
    audit = Audit({"dependencies": [sound, unseen]})
    assert audit.lines() == [
        "NOT AUDITED: 1 package could not be looked up (is there a network?): rich",
        "1 package looked up, none has a known weakness.",
    ]
    assert (audit.status(strict=False), audit.status(strict=True)) == (0, 1)


def load(name: str | Path) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_workflows_run_commands_that_are_there_and_actions_of_one_commit() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = load(path)
        assert workflow["permissions"] == {"contents": "read"}, path
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        commands = " ".join(step.get("run", "") for step in steps)
        assert commands.strip(), path
        assert set(re.findall(r"\bmake (\S+)", commands)) <= set(targets), path
        for word in re.findall(r"(?<!\S)\.ci/\S+", commands):
            assert (ROOT / word).stat().st_mode & 0o111, word
        for step in steps:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step.get("uses", "x@" + "0" * 40)), path


def test_the_image_gets_all_that_it_copies_and_nothing_else() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text().replace("\\\n", "")
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    words = re.findall(r"^COPY (?!--)(.+) \S+$", dockerfile, re.MULTILINE)
    copied = {name for each in words for name in each.split()}
    assert {line[1:] for line in lines if line.startswith("!")} == copied
    assert all((ROOT / name).exists() for name in copied)
    assert re.search(r"--require-hashes\s+--no-deps\s+-r requirements/server.txt", dockerfile)


def test_the_compose_files_are_as_closed_as_the_image() -> None:
    (server,) = load("deploy/compose.yaml")["services"].values()
    assert server["build"]["dockerfile"] == "deploy/Dockerfile"
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    assert f"EXPOSE {server['ports'][0].rpartition(':')[2]}" in dockerfile
    assert "VOLUME /data" in dockerfile
    assert server["volumes"] == ["data:/data"]
    # The machines share the database alone, which visitors do not reach.
    machines = load("deploy/machines.yaml")
    services = dict(machines["services"])
    database = services.pop("database")
    assert "ports" not in database
    assert len(services) == 3
    for service in services.values():
        assert "volumes" not in service
        assert service["environment"]["YARDSTONE_SERVE_DATABASE"].startswith("/run/secrets/")
    for service in (server, *services.values()):
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    for secret in machines["secrets"].values():
        assert f"deploy/{secret['file'].partition('/')[0]}/" in ignored
