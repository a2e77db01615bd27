from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.calls import Command, write_files

if TYPE_CHECKING:
    from tests.strength.estimate_cases import Case


@pytest.fixture(scope="session")
def _files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    write_files(folder)
    return folder


@pytest.fixture
def run(
    _files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Runs commands in a folder that has the small files."""
    shutil.copytree(_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, capsys)


@pytest.fixture(scope="session")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A small random network, and the model of strength for it."""
    from tests.strength.estimate_cases import make_case

    return make_case(tmp_path_factory.mktemp("case"))


@pytest.fixture(scope="session")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.go.games import small_network

    return small_network(tmp_path_factory.mktemp("net"))


@pytest.fixture(scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def kept_evaluations(_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a network says is kept for all tests, as it is by default for all commands."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(_cache))
    monkeypatch.setenv("YARDSTONE_CACHE", "100MB")


@pytest.fixture(autouse=True)
def _few_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals over time are put to the test on few games; tests/evaluation has enough."""
    place = "yardstone.evaluation.interval_scale._SEQUENTIAL"
    monkeypatch.setattr(place, (1, 20_000, 2))
    monkeypatch.setattr(place.replace("SEQUENTIAL", "WHOLE"), (1, 400, 2))
