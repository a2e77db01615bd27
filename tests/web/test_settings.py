"""Settings from the command line, the environment and a file, in this order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.web.made_results import calibration
from yardstone.errors import InputError, UsageError
from yardstone.strength.model import default_model
from yardstone.web.settings import Settings, load_settings


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
    with pytest.raises(InputError, match="there is no such file"):
        load_settings(tmp_path / "none.toml", environment={})


@pytest.mark.parametrize(
    "given",
    [
        {"port": 65_536},
        {"port": -1},
        {"workers": -1},
        {"workers": 1.5},
        {"niceness": -1},
        *({name: 0.0} for name in ("keep_days", "keep_choice_hours", "keep_retry_hours", "lease")),
        {"importer": "ogs,fox"},
        {"title": " "},
        {"title": "x" * 81},
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


def test_limits_that_cannot_be() -> None:
    for name, text in (
        ("files", "0"),
        ("files", "many"),
        ("file", "1"),
        ("files", "1000000000000001"),
    ):
        with pytest.raises(UsageError):
            load_settings(texts={name: text}, environment={})
    most = load_settings(texts={"files": "1000000000000000", "go_games": "7"}, environment={})
    assert (most.limits.files, most.limits.kinds["go_games"]) == (10**15, 7)
    ends = {"port": 65_535, "niceness": 19, "workers": 0, "title": "x" * 80, "root_path": "/a/b"}
    made = load_settings(options=ends, texts={"seconds": "7"}, environment={})
    assert Settings.of_plain(json.loads(json.dumps(made.as_plain()))) == made


def test_a_model_that_cannot_be_used_is_refused_at_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks through a network that is not here; the small one can be used."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    with pytest.raises(InputError, match="needs the network"):
        load_settings(None, {"model": "joint"})
    assert load_settings(None, {"model": "small"}).model == "small"


def test_a_calibration_is_checked_when_the_server_starts(tmp_path: Path) -> None:
    file = tmp_path / "club.json"
    calibration("some other model").save(file)
    with pytest.raises(InputError, match="is for the model"):
        load_settings(options={"calibration": str(file)}, environment={})
    file.write_text("{}")
    with pytest.raises(InputError, match="not a calibration"):
        load_settings(options={"calibration": str(file)}, environment={})
    calibration(str(default_model().card["name"])).save(file)
    made = load_settings(environment={"YARDSTONE_SERVE_CALIBRATION": str(file)})
    assert made.calibration == str(file)
