"""The PostgreSQL of the tests, and the line to it."""

from __future__ import annotations

import psycopg
import pytest

from tests.web.postgres import IMMEDIATE, Postgres


def test_each_test_has_a_database_that_is_empty(postgres: Postgres) -> None:
    with postgres.database() as first, postgres.database() as second:
        with psycopg.connect(first, autocommit=True) as line:
            line.execute("CREATE TABLE own (number integer)")
        with psycopg.connect(second) as line:
            tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            assert line.execute(tables).fetchone() == (0,)


def test_what_was_committed_is_there_after_a_kill() -> None:
    server = Postgres(durable=True)
    try:
        with server.database() as url:
            line = psycopg.connect(url, autocommit=True)
            line.execute("CREATE TABLE own (number integer)")
            line.execute("INSERT INTO own VALUES (1)")
            server.restart(IMMEDIATE)
            with pytest.raises(psycopg.OperationalError):
                line.execute("SELECT 1")
            line.close()
            with psycopg.connect(url) as line:
                assert line.execute("SELECT number FROM own").fetchall() == [(1,)]
    finally:
        server.remove()
