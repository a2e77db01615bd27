"""What the guide says of the server: its examples for the shell, its options and its limits."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from tests.needed import missing
from tests.web.serving import ROOT, Server, serving
from yardstone.examples import copy_examples
from yardstone.web.api import JobState
from yardstone.web.kinds import KINDS
from yardstone.web.settings import Limits, Settings, load_settings

GUIDE = (ROOT / "docs" / "how-to" / "serve.md").read_text()
BASE = "http://127.0.0.1:8000"
SHELL = re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server with a worker that takes whatever comes."""
    with serving(tmp_path) as result:
        stop = threading.Event()

        def work() -> None:
            while not stop.wait(0.1):
                result.worker.work()

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            yield result
        finally:
            stop.set()
            thread.join(60.0)


def test_the_examples_for_curl(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    copy_examples(folder)
    assert len(SHELL) >= 5
    script = "set -eu\n" + "\n".join(SHELL).replace(BASE, server.url)
    script = script.replace("curl -s", "curl --fail-with-body -s")
    if shutil.which("curl") is None:
        missing("curl is not installed", "apt-get install curl")
    result = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert '"status":"needs_player"' in result.stdout
    assert '"status":"cancelled"' in result.stdout
    assert "event: end" in result.stdout
    accepted = json.loads((folder / "job.json").read_text())
    shown = re.search(r"```json\n(\{\"id\".*?)```", GUIDE, re.DOTALL)
    assert shown is not None
    assert json.loads(shown[1]).keys() == accepted.keys()
    assert json.loads((folder / "ratings.json").read_text())["games"] == 112
    rows = list(csv.DictReader((folder / "ratings.csv").read_text().splitlines()))
    assert len(rows) == 8
    assert len(json.loads((folder / "batch.json").read_text())["jobs"]) == 2


def test_the_example_of_a_file_of_settings(tmp_path: Path) -> None:
    text = re.search(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    assert text is not None
    file = tmp_path / "serve.toml"
    file.write_text(text[1])
    result = load_settings(file, environment={})
    assert result.workers == tomllib.loads(text[1])["workers"]
    assert result.limits.kinds["go_games"] == 50


def test_every_setting_is_explained() -> None:
    for each in fields(Settings):
        ways = (f"`--{each.name.replace('_', '-')}`", f"`--set {each.name}=", f"`{each.name}`")
        assert each.name == "limits" or any(way in GUIDE for way in ways), each.name
    listed = re.search(r"yardstone serve --limits\n(.*?)```", GUIDE, re.DOTALL)
    assert listed is not None
    assert re.findall(r"^(\w+) = ", listed[1], re.MULTILINE) == list(Limits().as_plain())

    for name in JobState.model_fields:
        assert f"`{name}`" in GUIDE, name
    for name in ("kind", *(field.name for kind in KINDS.values() for field in kind.fields)):
        assert f"`{name}`" in GUIDE, name


def test_what_is_deployed_runs_with_known_settings_and_without_rights() -> None:
    names = ("Dockerfile", "machines.yaml", "yardstone.service", "yardstone-worker.service")
    for file in names:
        text = (ROOT / "deploy" / file).read_text()
        named = {name.lower() for name in re.findall(r"YARDSTONE_SERVE_([A-Z_]+)[=:]", text)}
        assert named
        assert named <= {each.name for each in fields(Settings)}
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    users = re.findall(r"^USER (\S+)$", text, re.MULTILINE)
    assert users == ["10001:10001"]
    for file in ("yardstone.service", "yardstone-worker.service"):
        unit = (ROOT / "deploy" / file).read_text()
        for closed in ("DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict"):
            assert closed in unit
