"""Machines that share a database are lost, and it is too: no job is lost or done twice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.web.audit import Audit, account
from tests.web.cluster import cluster
from tests.web.line import Line
from tests.web.load import Load
from tests.web.postgres import Postgres
from tests.web.processes import until
from tests.web.trouble import Trouble

LIMITS = ("attempts=100", "requests_minute=60000", "posts_minute=6000", "queue_client=100")
OPTIONS = [part for limit in LIMITS for part in ("--set", limit)]


@pytest.fixture
def database() -> Iterator[Postgres]:
    """One that may be killed."""
    server = Postgres(durable=True)
    yield server
    server.remove()


def test_nothing_is_lost_or_done_twice(tmp_path: Path, database: Postgres) -> None:
    """Two servers and three workers, each on a line of its own to the database."""
    with ExitStack() as stack:
        url = stack.enter_context(database.database())
        lines = [stack.enter_context(Line(database.port)) for _ in range(5)]
        addresses = [line.address(url) for line in lines]
        machines = stack.enter_context(cluster(tmp_path, addresses, *OPTIONS))
        machines.well()
        audit = Audit(url)
        load = Load(
            machines.urls, visitors=6, each=2, games=4000, players=500, look=0.3, in_turn=True
        )
        load.start()
        trouble = Trouble(machines, database, lines, seed=1, seconds=1.5)
        trouble.once_each(pause=0.7)
        load.enough()
        outcome = load.outcome()
        assert outcome.wrong == []
        assert outcome.different == []
        result = account(outcome, audit)
        assert (result.lost, result.doubled) == (0, 0)
        assert result.sent > 12
        assert trouble.count.total() == len(trouble.faults)
        machines.well()
        assert machines.complaints() == []
        data = [machine.data for machine in machines.machines]
        for folder in _parts(data, "uploads/*"):
            os.utime(folder, (0, 0))  # as if the time that an upload may take were over
        until(lambda: not _files(data), "nothing is left in any folder")


def _files(folders: list[Path]) -> list[Path]:
    return [path for path in _parts(folders, "**/*") if path.is_file()]


def _parts(folders: list[Path], pattern: str) -> list[Path]:
    return [path for folder in folders for path in folder.glob(pattern)]
