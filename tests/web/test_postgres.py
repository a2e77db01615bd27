"""The PostgreSQL of the tests, and the line to it."""

from __future__ import annotations

import threading
from contextlib import closing, suppress
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


def test_a_line_is_cut_and_restored(postgres: Postgres) -> None:
    with postgres.database() as url, Line(postgres.port) as line:
        through = line.address(url)
        with closing(psycopg.connect(through, autocommit=True)) as first:
            line.cut()
            with pytest.raises(psycopg.OperationalError):
                first.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(through, connect_timeout=5)
        line.restore()
        with closing(psycopg.connect(through)) as second:
            assert second.execute("SELECT 1").fetchone() == (1,)


def test_what_a_stalled_line_was_sent_arrives_later_or_never(postgres: Postgres) -> None:
    with (
        postgres.database() as url,
        Line(postgres.port) as line,
        closing(psycopg.connect(line.address(url), autocommit=True)) as own,
    ):
        own.execute("CREATE TABLE own (number integer)")
        line.stall()
        sent = threading.Thread(target=own.execute, args=("INSERT INTO own VALUES (1)",))
        sent.start()
        sent.join(0.3)
        assert sent.is_alive(), "no answer"
        assert postgres.execute("SELECT * FROM own", urlsplit(url).path[1:]) == []
        line.restore()
        sent.join(30.0)
        assert own.execute("SELECT * FROM own").fetchall() == [(1,)], "it came through"
        line.stall(forget=True)
        line.restore()
        sent = threading.Thread(target=_asked_in_vain, args=(own,))
        sent.start()
        sent.join(0.3)
        assert sent.is_alive(), "nothing ever comes back"
        line.cut()
        sent.join(30.0)
        assert not sent.is_alive()


def test_an_answer_is_lost_and_what_was_asked_is_done(postgres: Postgres) -> None:
    with postgres.database() as url, Line(postgres.port) as line:
        through = line.address(url)
        with closing(psycopg.connect(through, autocommit=True)) as own:
            own.execute("CREATE TABLE own (number integer)")
            line.lose_answer(to=b"INSERT")
            with pytest.raises(psycopg.OperationalError):
                own.execute("INSERT INTO own VALUES (2)")
        assert line.losses == 1
        with closing(psycopg.connect(through)) as other:
            assert other.execute("SELECT number FROM own").fetchall() == [(2,)], "it was done"


def _asked_in_vain(line: psycopg.Connection) -> None:
    with suppress(psycopg.OperationalError):
        line.execute("SELECT 1")
