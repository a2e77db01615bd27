"""What the tests of the server share: a PostgreSQL, and databases of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.postgres import Postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL for all tests of this process; nobody restarts it."""
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """The address of an empty database of its own."""
    with postgres.database() as url:
        yield url
