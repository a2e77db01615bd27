"""Files beside the code say the same as the code: versions, commands, what an image copies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
VERSIONS = {
    name.rpartition(" ")[2]
    for name in PROJECT["classifiers"]
    if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", name)
}


def load(name: str | Path) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_the_citation_is_of_this_version_and_names_the_five_documents() -> None:
    citation = load("CITATION.cff")
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert citation["repository-code"] == PROJECT["urls"]["Source"]
    authors = [each["authors"][0]["family-names"] for each in citation["references"]]
    assert authors == ["Ballicora", "Kaniuk", "Pratesi", "Neubauer", "van den Doel"]


def test_the_versions_of_python_that_are_named_are_those_that_are_tried() -> None:
    tried = set()
    for path in WORKFLOWS:
        text = path.read_text()
        tried |= set(re.findall(r'"(3\.\d+)"', text))
    assert tried == VERSIONS
    assert PROJECT["requires-python"] == f">={min(VERSIONS, key=lambda v: int(v[2:]))}"
    assert load(".readthedocs.yaml")["build"]["tools"]["python"] in VERSIONS


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_commands_that_are_there(path: Path) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    commands = [word for step in steps if "run" in step for word in step["run"].split()]
    assert commands
    for word, following in zip(commands, [*commands[1:], ""], strict=True):
        if word.startswith(".ci/"):
            assert (ROOT / word).stat().st_mode & 0o111, word
        elif word == "make":
            assert following in targets


def test_every_hook_is_a_tool_of_make_lint() -> None:
    lint = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    (local,) = load(".pre-commit-config.yaml")["repos"]
    for hook in local["hooks"]:
        program = Path(hook["entry"].split()[0])
        assert program.parent == Path(".venv/bin")
        assert f"$(BIN)/{program.name}" in lint


def test_the_image_gets_all_that_it_copies_and_nothing_else() -> None:
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {
        name
        for line in re.findall(r"^COPY (?!--)(.+) \S+$", dockerfile, re.MULTILINE)
        for name in line.split()
    }
    assert {line[1:] for line in lines if line.startswith("!")} == copied
    assert all((ROOT / name).exists() for name in copied)
    assert "--require-hashes --no-deps -r requirements/server.txt" in " ".join(
        dockerfile.replace("\\\n", "").split()
    )


def test_every_action_of_a_workflow_is_named_by_its_commit() -> None:
    used = [
        step["uses"]
        for path in WORKFLOWS
        for job in load(path)["jobs"].values()
        for step in job["steps"]
        if "uses" in step
    ]
    assert len(used) > 5
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []


def test_the_compose_file_is_as_closed_as_the_image() -> None:
    compose = load("deploy/compose.yaml")
    (server,) = compose["services"].values()
    assert server["build"]["dockerfile"] == "deploy/Dockerfile"
    (port,) = server["ports"]
    assert port.startswith("127.0.0.1:")
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    assert f"EXPOSE {port.rpartition(':')[2]}" in dockerfile
    assert "VOLUME /data" in dockerfile
    assert server["volumes"] == ["data:/data"]
    assert set(compose["volumes"]) == {"data"}
    assert (server["read_only"], server["cap_drop"]) == (True, ["ALL"])


def test_the_machines_of_the_compose_file_share_the_database_alone() -> None:
    compose = load("deploy/machines.yaml")
    services = dict(compose["services"])
    database = services.pop("database")
    assert "ports" not in database, "visitors do not reach it"
    assert len(services) == 3
    for service in services.values():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert "volumes" not in service
        assert service["environment"]["YARDSTONE_SERVE_DATABASE"].startswith("/run/secrets/")
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    for secret in compose["secrets"].values():
        folder = secret["file"].partition("/")[0]
        assert f"deploy/{folder}/" in ignored


def test_the_files_and_modules_that_the_page_on_the_house_names_are_there() -> None:
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    files = [f"/{path.relative_to(ROOT)}" for path in ROOT.glob("[slt]*/**/*.py")]
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)\b", page))
    assert len(named) > 30
    assert {name for name in named if not any(f.endswith(f"/{name}") for f in files)} == set()
    picture = page.partition("```text\n")[2].partition("```")[0]
    top = {path.stem for path in (ROOT / "src" / "yardstone").glob("[a-z]*")} - {"py"}
    assert top - set(re.findall(r"\w+", picture)) == set()
