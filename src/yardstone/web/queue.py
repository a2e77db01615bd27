"""Huey tells workers that there is work: on SQLite, or on Redis by one setting.

A message says only that there is something to do; the table of jobs says what. So a
message that is lost costs a little time until `top_up` sends another, a message too
many costs nothing, and the order is the table's. Messages are JSON: whoever can write
to the queue cannot make a worker run code, as pickled messages would.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from huey import RedisHuey, SqliteHuey
from huey.registry import Message
from huey.serializer import Serializer

from yardstone.errors import InputError, MissingExtraError
from yardstone.web.settings import Settings
from yardstone.web.store import JobStore

__all__ = ["WorkQueue"]

_NAME = "yardstone"
_TASK = "work"


class _JsonSerializer(Serializer):  # type: ignore[misc]
    """Messages as JSON lists of their plain fields."""

    def _serialize(self, data: Any) -> bytes:
        return json.dumps([data.id, data.name]).encode()

    def _deserialize(self, data: Any) -> Message:
        number, name = json.loads(bytes(data))
        return Message(str(number), str(name), args=(), kwargs={}, retries=0, retry_delay=0)


class WorkQueue:
    """The queue of a server.

    Parameters
    ----------
    settings : Settings
    work : callable, optional
        What a worker does for a message.

    Raises
    ------
    InputError
        Redis does not answer.
    MissingExtraError
        The package redis is not installed.
    """

    def __init__(self, settings: Settings, work: Callable[[], None] | None = None) -> None:
        common = {"results": False, "serializer": _JsonSerializer()}
        if settings.redis:
            self.huey = _redis(settings.redis, common)
        else:
            self.huey = SqliteHuey(_NAME, filename=str(settings.data / "queue.sqlite"), **common)

        def run() -> None:  # of this module in every process: its name stands in messages
            if work is not None:
                work()

        self._task = self.huey.task(name=_TASK)(run)

    def tell(self, jobs: int = 1) -> None:
        """Tell workers of so many new jobs."""
        for _ in range(jobs):
            self._task()

    def waiting(self) -> int:
        """Messages that no worker has taken."""
        return int(self.huey.pending_count())

    def top_up(self, store: JobStore) -> int:
        """Send messages for jobs that have none; how many were sent."""
        rows = store.database.connection().execute(
            "SELECT count(*) FROM jobs WHERE status = 'queued'"
        )
        lacking = int(rows.fetchone()[0]) - self.waiting()
        self.tell(max(lacking, 0))
        return max(lacking, 0)

    def close(self) -> None:
        """Close the connection."""
        self.huey.storage.close()


def _redis(url: str, common: dict[str, Any]) -> RedisHuey:
    try:
        from redis.exceptions import RedisError
    except ImportError:
        raise MissingExtraError("redis", "redis") from None
    try:
        found = RedisHuey(_NAME, url=url, **common)
        found.storage.conn.ping()
    except (RedisError, ValueError) as error:
        raise InputError(f"Redis does not answer: {error}", mend="check --redis") from None
    return found
