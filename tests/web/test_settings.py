"""Settings from the command line, the environment and a file, in this order."""

from __future__ import annotations

from dataclasses import fields
from inspect import getsource
from pathlib import Path
from typing import Any

import pytest

from yardstone.errors import InputError, UsageError
from yardstone.web.settings import Limits, Settings, load_settings


def test_the_nearest_wins(tmp_path: Path) -> None:
    file = tmp_path / "serve.toml"
    file.write_text('port = 1\nhost = "a"\nkeep_days = 3\n[limits]\nfiles = 5\nseconds = 6\n')
    environment = {"YARDSTONE_SERVE_PORT": "2", "YARDSTONE_SERVE_SECONDS": "7"}
    result = load_settings(file, {"port": 3, "host": None}, {"files": "8"}, environment)
    assert (result.port, result.host, result.keep_days) == (3, "a", 3)
    assert (result.limits.files, result.limits.seconds) == (8, 7)
    assert load_settings(file, environment=environment).port == 2
    assert load_settings(environment={}) == Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("port = ", "not TOML"),
        ("prot = 1", "no setting 'prot'"),
        ('port = "1"', "wrong kind"),
        ("host = 1", "wrong kind"),
        ("port = true", "wrong kind"),
        ("limits = 3", "table"),
        ("[limits]\nfile = 3", "no setting 'file'"),
        ("\xff", "not TOML"),
    ],
)
def test_files_that_are_no_settings(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "serve.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=message) as result:
        load_settings(file, environment={})
    assert result.value.file == str(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        load_settings(tmp_path / "none.toml", environment={})


@pytest.mark.parametrize(
    "given",
    [
        {"port": 70_000},
        {"workers": -1},
        {"keep_days": 0.0},
        {"keep_days": float("nan")},
        {"root_path": "strength"},
        {"root_path": "/strength/"},
        {"public_url": "example.org"},
        {"trusted_proxies": "proxy.example.org"},
        {"metrics_from": "300.1.1.1"},
        {"niceness": 20},
        {"device": "tpu"},
        {"title": "a\x1b[2J"},
        {"title": "a\udcff"},
        {"footer": "\0.md"},
        {"importer_url": "http://[games]org"},
    ],
)
def test_settings_that_cannot_be(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        load_settings(options=given, environment={})


@pytest.mark.parametrize(
    "limits", [{"files": "0"}, {"files": "many"}, {"file": "1"}, {"files": "9" * 400}]
)
def test_limits_that_cannot_be(limits: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        load_settings(texts=limits, environment={})


def test_every_setting_is_described() -> None:
    """By its comment, or by that of a neighbour that names it."""
    plain = {"host", "port", "limits"}
    for kind in (Settings, Limits):
        lines = getsource(kind).splitlines()
        for each in fields(kind):
            place = next(i for i, line in enumerate(lines) if line.startswith(f"    {each.name}: "))
            described = "#:" in lines[place] or lines[place - 1].lstrip().startswith("#:")
            assert described or f"`{each.name}`" in "".join(lines) or each.name in plain, each.name


def test_a_model_that_cannot_be_used_is_refused_at_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks through a network that is not here; the small one can be used."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    with pytest.raises(InputError, match="needs the network"):
        load_settings(None, {"model": "joint"})
    assert load_settings(None, {"model": "small"}).model == "small"
