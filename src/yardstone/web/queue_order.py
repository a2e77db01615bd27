"""The order in which jobs that wait are taken: clients take turns."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Select, Subquery, func, select, tuple_

from yardstone.web.tables import clients, jobs

__all__ = ["jobs_before", "next_job"]


def _line(now: ColumnElement[float]) -> Subquery:
    """The jobs that wait, each with the turn of its client in which it comes.

    The first job of a client that has none running comes in the first turn, the next in the
    second. Two workers who look at the same moment and find the first job taken so go on
    to the next client, as if one had looked after the other.
    """
    running = (
        select(jobs.c.client, func.count().label("number"))
        .where(jobs.c.status == "running")
        .group_by(jobs.c.client)
        .subquery()
    )
    place = func.row_number().over(partition_by=jobs.c.client, order_by=(jobs.c.created, jobs.c.id))
    turn = place + func.coalesce(running.c.number, 0)
    return (
        select(
            jobs.c.id,
            turn.label("turn"),
            func.coalesce(clients.c.served, 0).label("served"),
            jobs.c.created,
        )
        .outerjoin(running, running.c.client == jobs.c.client)
        .outerjoin(clients, clients.c.client == jobs.c.client)
        .where(jobs.c.status == "queued", jobs.c.expires > now)
        .subquery("line")
    )


def next_job(now: ColumnElement[float]) -> Select[str]:
    """The job to take next, locked; those that another transaction takes are passed over."""
    line = _line(now)
    return (
        select(jobs.c.id)
        .join(line, line.c.id == jobs.c.id)
        .where(jobs.c.status == "queued")
        .order_by(line.c.turn, line.c.served, line.c.created, jobs.c.id)
        .limit(1)
        .with_for_update(of=jobs, skip_locked=True)
    )


def jobs_before(job: str, now: ColumnElement[float]) -> Select[int]:
    """How many jobs come before one that waits."""
    line = _line(now)
    others = line.alias("others")
    own = tuple_(line.c.turn, line.c.served, line.c.created, line.c.id)
    other = tuple_(others.c.turn, others.c.served, others.c.created, others.c.id)
    return select(func.count()).select_from(line.join(others, other < own)).where(line.c.id == job)
