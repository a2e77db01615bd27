"""`yardstone demo`: the demos run, and the example files are copied."""

from __future__ import annotations

from pathlib import Path
from shlex import split

import pytest

from yardstone.cli.demo import DEMOS
from yardstone.cli.main import main
from yardstone.examples import example_files


def test_without_a_name_the_demos_are_listed_and_rate_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    shown = ("$ yardstone rate league.csv\n112 games of 8 players", "Try next")
    assert all(each in out for each in (*shown, *(f"yardstone demo {name}" for name in DEMOS)))


@pytest.mark.parametrize("name", list(DEMOS))
def test_a_demo_shows_what_the_commands_print(
    name: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    monkeypatch.setenv("YARDSTONE_GNUBG", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    assert main(["demo", name]) == 0
    out = capsys.readouterr().out
    assert not list(tmp_path.iterdir())
    assert main(["demo", "--copy", "."]) == 0
    capsys.readouterr()
    for line in DEMOS[name].commands:
        assert main(split(line)) == 0
        assert capsys.readouterr().out in out
    needs = {"go": "Network yardstone-b6c64, model small", "backgammon": "apt-get install gnubg"}
    assert needs.get(name, "Try next") in out


def test_without_what_runs_a_network(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("yardstone.cli.demo.find_spec", lambda _: None)
    assert main(["demo", "go"]) == 0
    out = capsys.readouterr().out
    assert "pip install 'yardstone[go]'" in out
    assert "$ yardstone strength" not in out


def test_the_files_are_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "files"
    assert main(["demo", "--copy", str(folder)]) == 0
    assert {path.name for path in folder.iterdir()} == set(example_files())
    (folder / "league.csv").write_text("mine", "utf-8")
    assert main(["demo", "--copy", str(folder)]) == 1
    assert "not overwritten" in capsys.readouterr().err


@pytest.mark.parametrize("given", [["chess"], ["rate", "--copy", "."]])
def test_wrong_usage(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", *given]) == 2
    assert "error" in capsys.readouterr().err
