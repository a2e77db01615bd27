"""What the guide says of the server: its examples for the shell, its options and its limits."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from dataclasses import fields
from pathlib import Path

from tests.needed import missing
from tests.web.serving import ROOT
from tests.web.sites import serving
from yardstone.examples import copy_examples
from yardstone.web.settings import Settings, load_settings

GUIDE = (ROOT / "docs" / "how-to" / "serve.md").read_text()
BASE = "http://127.0.0.1:8000"
SHELL = re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def shown(pattern: str) -> str:
    """What a block of the guide holds."""
    found = re.search(pattern, GUIDE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_examples_for_curl(tmp_path: Path) -> None:
    file, folder, stop = tmp_path / "serve.toml", tmp_path / "examples", threading.Event()
    file.write_text(shown(r"```toml\n(.*?)```"))
    assert load_settings(file, environment={}).limits.kinds["go_games"] == 50
    copy_examples(folder)
    if shutil.which("curl") is None:
        missing("curl is not installed", "apt-get install curl")
    with serving(tmp_path) as server:

        def work() -> None:
            while not stop.wait(0.1):
                server.worker.work()

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        script = "set -eu\n" + "\n".join(SHELL).replace(BASE, server.url)
        script = script.replace("curl -s", "curl --fail-with-body -s")
        command = ["bash", "-c", script]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        stop.set()
        thread.join(60.0)
    assert result.returncode == 0, result.stdout + result.stderr
    for words in ('"status":"needs_player"', '"status":"cancelled"', "event: end"):
        assert words in result.stdout
    accepted = json.loads((folder / "job.json").read_text())
    assert json.loads(shown(r"```json\n(\{\"id\".*?)```")).keys() == accepted.keys()
    assert json.loads((folder / "ratings.json").read_text())["games"] == 112


def test_what_is_deployed_runs_with_known_settings_and_without_rights() -> None:
    for file in ("Dockerfile", "machines.yaml", "yardstone-server.service",
                 "yardstone-worker.service"):  # fmt: skip
        text = (ROOT / "deploy" / file).read_text()
        named = {name.lower() for name in re.findall(r"YARDSTONE_SERVE_([A-Z_]+)[=:]", text)}
        assert set() < named <= {each.name for each in fields(Settings)}
        if file == "Dockerfile":
            assert re.findall(r"^USER (\S+)$", text, re.MULTILINE) == ["10001:10001"]
    common = (ROOT / "deploy" / "yardstone-.service.d" / "hardened.conf").read_text()
    for closed in ("DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "TasksMax="):
        assert closed in common
