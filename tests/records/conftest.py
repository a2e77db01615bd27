from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest

from yardstone.records import table_files
from yardstone.records.tables import connect


@pytest.fixture(scope="session")
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    with closing(connect()) as connection:
        yield connection


@pytest.fixture
def one_database(_database: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables meet no new database each, which takes a quarter of reading them.

    Each still has a connection of its own, which alone sees what it makes.
    """
    monkeypatch.setattr(table_files, "connect", lambda memory=None: _database.cursor())
