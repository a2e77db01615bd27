"""Settings from the command line, the environment and a file, and the options of jobs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.web.made_results import calibration
from yardstone.errors import InputError, UsageError
from yardstone.strength.model import default_model
from yardstone.web.kinds import ANY_KIND, KINDS
from yardstone.web.kinds.kind import PlayersField, level_field
from yardstone.web.problems import RequestProblem
from yardstone.web.service import job_options, kind_of
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


def test_files_that_are_no_settings(tmp_path: Path) -> None:
    file = tmp_path / "serve.toml"
    for text, message in (
        ("port = ", "not TOML"), ("prot = 1", "no setting 'prot'"), ('port = "1"', "wrong kind"),
        ("host = 1", "wrong kind"), ("port = true", "wrong kind"), ("limits = 3", "table"),
        ("[limits]\nfile = 3", "no setting 'file'"), ("\xff", "not TOML"),
    ):  # fmt: skip
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(InputError, match=message) as result:
            load_settings(file, environment={})
        assert result.value.file == str(file)
    with pytest.raises(InputError, match="there is no such file"):
        load_settings(tmp_path / "none.toml", environment={})


WRONG: list[dict[str, Any]] = [
    {"port": 65_536}, {"port": -1}, {"workers": -1}, {"workers": 1.5}, {"niceness": -1},
    {"niceness": 20}, {"keep_days": 0.0}, {"keep_choice_hours": 0.0}, {"keep_retry_hours": 0.0},
    {"lease": 0.0}, {"keep_days": float("nan")}, {"importer": "ogs,fox"}, {"title": " "},
    {"title": "x" * 81}, {"title": "a\x1b[2J"}, {"title": "a\udcff"}, {"root_path": "strength"},
    {"root_path": "/strength/"}, {"public_url": "example.org"}, {"footer": "\0.md"},
    {"trusted_proxies": "proxy.example.org"}, {"metrics_from": "300.1.1.1"}, {"device": "tpu"},
    {"importer_url": "http://[games]org"}, {"importer": "ogs", "importer_url": "localhost"},
    {"tls_key": "key.pem"},
]  # fmt: skip


def test_settings_that_cannot_be() -> None:
    most = 10**15
    for given in WRONG:
        with pytest.raises(UsageError):
            load_settings(options=given, environment={})
    for name, text in (("files", "0"), ("files", "many"), ("file", "1"), ("files", f"{most + 1}")):
        with pytest.raises(UsageError):
            load_settings(texts={name: text}, environment={})
    ends = {"port": 65_535, "niceness": 19, "workers": 0, "title": "x" * 80, "root_path": "/a/b"}
    made = load_settings(options=ends, texts={"files": f"{most}", "go_games": "7"}, environment={})
    assert (made.limits.files, made.limits.kinds["go_games"]) == (most, 7)
    assert Settings.of_plain(json.loads(json.dumps(made.as_plain()))) == made


def test_models_are_checked_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("YARDSTONE_NET", raising=False)
    with pytest.raises(InputError, match="needs the network"):  # which is not here
        load_settings(None, {"model": "joint"})
    assert load_settings(None, {"model": "small"}).model == "small"
    file = tmp_path / "club.json"
    options = {"calibration": str(file)}
    calibration("some other model").save(file)
    for message in ("is for the model", "not a calibration"):
        with pytest.raises(InputError, match=message):
            load_settings(options=options, environment={})
        file.write_text("{}")
    calibration(str(default_model().card["name"])).save(file)
    made = load_settings(environment={"YARDSTONE_SERVE_CALIBRATION": str(file)})
    assert made.calibration == str(file)


def test_kinds_and_options_are_what_is_asked_and_else_usual() -> None:
    kinds = {("sgf",): "go", ("mat", "sgf-backgammon"): "backgammon", ("csv",): "results"}
    assert {formats: kind_of(formats).name for formats in kinds} == kinds
    assert kind_of(["sgf"], "results").name == "results"
    assert [ANY_KIND.read(values) for values in ([], ["auto"], ["go"])] == ["auto", "auto", "go"]
    usual = {
        "go": {"player": None, "ogs": None, "colour": None, "scale": "best", "level": 0.9,
               "others": "no"},
        "results": {"level": 0.95, "first": "auto", "unread": "refuse", "average": 2300.0},
        "backgammon": {"level": 0.9, "offset": "fibs"},
    }  # fmt: skip
    assert {name: job_options(kind, {})[0] for name, kind in KINDS.items()} == usual


def test_fields_keep_to_their_bounds() -> None:
    level, player = level_field(0.9), PlayersField(name="player")
    texts: list[list[str]] = [[], [" 0.8 "], ["0.5"], ["0.999"]]
    assert [level.read(each) for each in texts] == [0.9, 0.8, 0.5, 0.999]
    for text in ("1", "nan", "x", "0.4999", "0.9991", "inf"):
        with pytest.raises(RequestProblem, match="level: "):
            level.read([text])
    with pytest.raises(RequestProblem, match="more than once"):
        level.read(["0.8", "0.9"])
    assert player.read(["Ann", " Ann ", "", "Bob"]) == ["Ann", "Bob"]
    with pytest.raises(RequestProblem, match="200 characters"):
        player.read(["x" * 201])
