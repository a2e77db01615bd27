"""How much room there is for more jobs and files."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, case, func, select

from yardstone.web.problems import RequestProblem
from yardstone.web.settings import Limits
from yardstone.web.tables import jobs, uploads

__all__ = ["check_room", "room_taken"]


def room_taken(client: str) -> Select[int, int, int]:
    """How many jobs wait or run, how many of them are a client's, and bytes of uploads."""
    own = case((jobs.c.client == client, 1), else_=0)
    used = select(func.coalesce(func.sum(uploads.c.bytes), 0)).scalar_subquery()
    return select(
        func.count().label("whole"),
        func.coalesce(func.sum(own), 0).label("own"),
        used.label("used"),
    ).where(jobs.c.status.in_(("queued", "running")))


def check_room(limits: Limits, taken: Any, more: int) -> None:
    """Refuse more jobs than fit the queue, or more uploads than fit the disk.

    Parameters
    ----------
    limits : Limits
    taken : row
        What `room_taken` gives.
    more : int
        Jobs that are to be added.
    """
    if taken.own + more > limits.queue_client:
        raise RequestProblem(
            429,
            "queue_client",
            f"You have {taken.own} jobs waiting; at most {limits.queue_client} may wait.",
            "Wait until they are done.",
            retry_after=30,
        )
    if taken.whole + more > limits.queue:
        raise RequestProblem(
            429, "queue", "Too many jobs are waiting.", "Try again later.", retry_after=60
        )
    if taken.used + limits.request_bytes > limits.disk_bytes:
        raise RequestProblem(
            429, "disk", "There is no room for more files.", "Try again later.", retry_after=60
        )
