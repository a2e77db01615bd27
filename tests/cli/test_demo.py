"""`yardstone demo`: the demos run, and the example files are copied."""

from __future__ import annotations

from shlex import split

import pytest

from tests.cli.calls import Command
from yardstone.cli.demo import DEMOS
from yardstone.cli.main import main
from yardstone.examples import example_files


@pytest.mark.parametrize("name", ["", *DEMOS])
def test_a_demo_shows_what_the_commands_print(
    name: str, run: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(run.folder / "cache"))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    monkeypatch.setenv("YARDSTONE_GNUBG", "/nowhere/gnubg")
    before = run.names()
    out = run(f"demo {name}").out
    assert run.names() - {"cache"} == before
    run("demo --copy .")
    for line in DEMOS[name or "rate"].commands:
        assert main(split(line)) == 0
        assert f"$ yardstone {line}\n{capsys.readouterr().out}" in out
    needs = {"go": "Network yardstone-b6c64, model small", "backgammon": "apt-get install gnubg"}
    assert needs.get(name, "Try next") in out
    assert name or all(f"yardstone demo {each}" in out for each in DEMOS)


def test_without_what_runs_a_network_and_copies(
    monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.setattr("yardstone.cli.demo.find_spec", lambda _: None)
    out = run("demo go").out
    assert ("pip install 'yardstone[go]'" in out, "$ yardstone strength" in out) == (True, False)
    run("demo --copy files")
    assert {path.name for path in (run.folder / "files").iterdir()} == set(example_files())
    run.write("files/league.csv", "mine")
    assert "not overwritten" in run("demo --copy files", status=1).err
    assert run.read("files/league.csv") == "mine"
