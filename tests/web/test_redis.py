"""Workers told of jobs through a real Redis."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.needed import program
from tests.web.serving import serving, settings_for, small_results
from yardstone.errors import InputError
from yardstone.web.queue import WorkQueue
from yardstone.web.store import JobStore


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of our own."""
    server = program("redis-server", package="redis-server")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    process = subprocess.Popen(
        [server, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""],
        stdout=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 30.0
        while time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(30.0)


def test_a_job_goes_through_redis(tmp_path: Path, redis: str) -> None:
    with serving(tmp_path, redis=redis) as server:
        address = server.accepted([("r.csv", small_results())])
        done = threading.Event()

        def work() -> None:
            server.worker.work()
            done.set()

        queue = WorkQueue(server.settings, work)
        try:
            assert queue.waiting() == 1
            assert not (server.settings.data / "queue.sqlite").exists()
            task = queue.huey.dequeue()
            assert task is not None
            queue.huey.execute(task)
            assert done.is_set()
            assert queue.waiting() == 0
        finally:
            queue.close()
        assert server.job(address)["status"] == "done"


def test_a_redis_that_forgot_everything_is_told_again(tmp_path: Path, redis: str) -> None:
    with serving(tmp_path, redis=redis) as server:
        server.accepted([("r.csv", small_results())])
        server.accepted([("r.csv", small_results())])
        queue = WorkQueue(server.settings)
        queue.huey.storage.flush_queue()
        assert queue.top_up(server.worker.store) == 2
        assert queue.top_up(server.worker.store) == 0
        assert queue.waiting() == 2
        queue.huey.storage.flush_queue()
        queue.close()


def test_messages_are_plain_text(tmp_path: Path, redis: str) -> None:
    """Whoever can write to Redis must not make a worker run code."""
    settings = settings_for(tmp_path, redis=redis)
    queue = WorkQueue(settings)
    queue.tell()
    (message,) = queue.huey.storage.enqueued_items()
    assert message.startswith(b'["')
    assert b"yardstone.web.queue.work" in message
    queue.huey.storage.flush_queue()
    queue.huey.storage.enqueue(b"cos\nsystem\n(S'touch evil'\ntR.")
    with pytest.raises(ValueError, match="Expecting value"):
        queue.huey.dequeue()
    queue.close()


def test_a_redis_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Redis does not answer"):
        WorkQueue(settings_for(tmp_path, redis="redis://127.0.0.1:1/0"))
    with pytest.raises(InputError, match="Redis does not answer"):
        WorkQueue(settings_for(tmp_path, redis="not an address"))


def test_sqlite_messages_are_plain_text_too(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    store = JobStore(settings)
    queue = WorkQueue(settings)
    queue.tell(2)
    (first, _) = queue.huey.storage.enqueued_items()
    assert bytes(first).startswith(b'["')
    queue.close()
    store.close()
