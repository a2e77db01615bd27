"""The command `yardstone serve`, as far as it does not begin to serve."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from yardstone.cli.main import main


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_limits_are_listed_with_what_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--limits", "--set", "files=7", "--set", "ratio = 3.5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "files = 7" in lines
    assert "ratio = 3.5" in lines
    assert "file_bytes = 16_777_216" in lines


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--set", "files"], 2, "NAME=VALUE"),
        (["--set", "fils=3"], 2, "there is no limit 'fils'"),
        (["--set", "files=-3"], 2, "limit files must be a number above 0"),
        (["--port", "99999"], 2, "port must be a whole number from 0 to 65535"),
        (["--port", "x"], 2, "Invalid value for '--port'"),
        (["--only-workers", "--workers", "0"], 2, "nothing to start"),
        (["--config", "none.toml"], 1, "there is no such file"),
        (["--set", "trusted-proxies=proxy"], 2, "is not an address or network"),
        (["--data", "file/below"], 1, "cannot be used"),
    ],
)
def test_what_cannot_be_served(
    arguments: list[str],
    status: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert main(["serve", *arguments]) == status
    error = said(capsys)
    assert words in error
    assert "Traceback" not in error


def test_a_port_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port]) == 1
    assert "nothing can listen" in said(capsys)


def test_without_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 1
    assert "pip install 'yardstone[web]'" in said(capsys)
