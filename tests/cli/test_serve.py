"""`yardstone serve`, as far as it does not begin to serve."""

from __future__ import annotations

import socket
import sys

import pytest

from tests.cli.calls import Command


def test_limits_are_listed_with_what_is_set(run: Command) -> None:
    lines = run("serve --limits --set files=7 --set 'ratio = 3.5'").out.splitlines()
    assert {"files = 7", "ratio = 3.5", "file_bytes = 16_777_216"} <= set(lines)


def test_a_port_that_is_taken(run: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "nothing can listen" in run(f"serve --port {port}", status=1).err


def test_without_what_it_needs(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "pip install 'yardstone[web]'" in run("serve", status=1).err
