"""A small network for all tests of Go: its file, and ready to be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.go.games import small_network
from yardstone.go.nets.network import Network, load_network


@pytest.fixture(scope="session")
def net_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_network(tmp_path_factory.mktemp("net"))


@pytest.fixture(scope="session")
def network(net_file: Path) -> Network:
    return load_network(net_file, threads=1)
