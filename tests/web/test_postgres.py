"""The PostgreSQL of the tests, and the line to it."""

from __future__ import annotations

import threading
from contextlib import suppress
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.web.line import Line
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


def test_a_line_is_cut_stalled_and_restored(postgres: Postgres) -> None:
    with postgres.database() as url, Line(postgres.port) as line:
        through = line.address(url)
        first = psycopg.connect(through, autocommit=True)
        first.execute("CREATE TABLE own (number integer)")
        line.cut()
        with pytest.raises(psycopg.OperationalError):
            first.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(through, connect_timeout=5)
        line.restore()
        second = psycopg.connect(through, autocommit=True)
        line.stall()
        sent = threading.Thread(target=second.execute, args=("INSERT INTO own VALUES (1)",))
        sent.start()
        sent.join(0.3)
        assert sent.is_alive(), "no answer"
        assert postgres.execute("SELECT * FROM own", urlsplit(url).path[1:]) == []
        line.restore()
        sent.join(30.0)
        assert second.execute("SELECT * FROM own").fetchall() == [(1,)], "it came through"
        line.lose_answer(to=b"INSERT")
        with pytest.raises(psycopg.OperationalError):
            second.execute("INSERT INTO own VALUES (2)")
        assert line.losses == 1
        with psycopg.connect(through) as third:
            assert third.execute("SELECT count(*) FROM own").fetchone() == (2,), "it was done"
            line.stall(forget=True)
            line.restore()
            sent = threading.Thread(target=_asked_in_vain, args=(third,))
            sent.start()
            sent.join(0.3)
            assert sent.is_alive(), "nothing ever comes back"
            line.cut()
            sent.join(30.0)
        for each in (first, second):
            each.close()


def _asked_in_vain(line: psycopg.Connection) -> None:
    with suppress(psycopg.OperationalError):
        line.execute("SELECT 1")
