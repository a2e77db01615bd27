"""What the tests of the server share: a browser, a PostgreSQL, and databases of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.web.line import Line
    from tests.web.postgres import Postgres


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as result:
        yield result


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL for all tests of this process; nobody restarts it."""
    from tests.web.postgres import Postgres

    server = Postgres()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """The address of an empty database of its own."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def line(postgres: Postgres) -> Iterator[Line]:
    """A line to it that can be cut."""
    from tests.web.line import Line

    with Line(postgres.port) as result:
        yield result
