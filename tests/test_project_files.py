"""Files beside the code say the same as the code: versions, commands, what an image copies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def load(name: str | Path) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_the_citation_is_of_this_version() -> None:
    citation = load("CITATION.cff")
    said = [citation[name] for name in ("version", "license", "repository-code")]
    assert said == [PROJECT["version"], PROJECT["license"], PROJECT["urls"]["Source"]]
    assert len(citation["references"]) == 5


def test_the_versions_of_python_that_are_named_are_those_that_are_tried() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    tried = re.findall(r'"(3\.\d+)"', "".join(path.read_text() for path in WORKFLOWS))
    assert set(tried) == set(named)
    assert PROJECT["requires-python"] == f">={min(named, key=lambda v: int(v[2:]))}"
    assert load(".readthedocs.yaml")["build"]["tools"]["python"] in named


def test_workflows_run_commands_that_are_there_and_actions_of_one_commit() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for path in WORKFLOWS:
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


def test_the_files_and_modules_that_the_page_on_the_house_names_are_there() -> None:
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    files = [f"/{path.relative_to(ROOT)}" for path in ROOT.glob("[slt]*/**/*.py")]
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)\b", page))
    assert len(named) > 30
    assert {name for name in named if not any(f.endswith(f"/{name}") for f in files)} == set()
    picture = page.partition("```text\n")[2].partition("```")[0]
    top = {path.stem for path in (ROOT / "src" / "yardstone").glob("[a-z]*")} - {"py"}
    assert top - set(re.findall(r"\w+", picture)) == set()
