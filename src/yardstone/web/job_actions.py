"""What visitors do with their jobs: choose, try again, stop, delete."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy import delete as sql_delete

from yardstone.web.database import Lock
from yardstone.web.jobs import Job
from yardstone.web.notices import QUEUED
from yardstone.web.problems import RequestProblem, missing
from yardstone.web.store import OF_NOBODY, JobStore
from yardstone.web.tables import jobs, uploads

__all__ = ["cancel_job", "choose_player", "delete_job", "retry_job"]


def choose_player(store: JobStore, job: str, player: str) -> None:
    """Say which player is meant, and let the job go on."""
    state = store.get(job, result=False)
    if state.status != "needs_player":
        raise RequestProblem(409, "not_asked", "No player is asked for.", "Look at its status.")
    offered = {each["name"]: each for each in state.players or ()}
    if player not in offered:
        raise RequestProblem(
            422, "unknown_player", "This is not one of the names.", "Choose one of them."
        )
    colour = offered[player].get("colour")
    chosen = {"player": player} if colour is None else {"colour": colour}
    options = json.dumps({**state.options, **chosen})
    _queue_again(store, state, {"options": options, "keep": None})


def retry_job(store: JobStore, job: str) -> None:
    """Begin a job anew that failed for no fault of its files."""
    state = store.get(job, result=False)
    if state.status != "failed":
        raise RequestProblem(409, "not_failed", "Only a failed job can be tried again.")
    if not state.can_retry:
        raise _files_gone()
    begun = {"attempts": 0, "done": 0, "total": 0, "stage": "waiting"}
    _queue_again(store, state, {**begun, "error": None, "finished": None, "keep": None})


def _files_gone() -> RequestProblem:
    return RequestProblem(409, "files_gone", "Its files were deleted.", "Send the files again.")


def _queue_again(store: JobStore, job: Job, values: dict[str, Any]) -> None:
    """Have a job wait again, if its status is still the same and its files are there."""

    def work(connection: Connection) -> None:
        store.database.lock(connection, Lock.ROOM)  # nobody deletes the files meanwhile
        kept = connection.execute(select(uploads.c.id).where(uploads.c.id == job.upload))
        if kept.scalar() is None:
            raise _files_gone()
        queued = {**values, "status": "queued"}
        # It waits already if this was done before and the answer was lost.
        own = (jobs.c.id == job.id) & jobs.c.status.in_((job.status, "queued"))
        if not connection.execute(update(jobs).where(own).values(queued)).rowcount:
            raise RequestProblem(409, "changed", "Its status has changed.", "Look at it again.")
        store.database.notify(connection, QUEUED)
        store.tell_change(connection, job.id, job.batch)

    store.database.write(work)


def cancel_job(store: JobStore, job: str) -> None:
    """Stop a job; nothing happens to one that has ended."""
    state = store.get(job, result=False)

    def work(connection: Connection) -> None:
        going = jobs.c.status.in_(("queued", "running", "needs_player"))
        ended = {**OF_NOBODY, "status": "cancelled", "finished": store.moment(), "keep": None}
        connection.execute(update(jobs).where(jobs.c.id == job, going).values(ended))
        store.tell_change(connection, job, state.batch)

    store.database.write(work)


def delete_job(store: JobStore, address: str) -> None:
    """Delete a job, or all jobs of a batch, with their results."""
    own = (jobs.c.id == address) | (jobs.c.batch == address)

    def work(connection: Connection) -> bool:
        gone = connection.execute(sql_delete(jobs).where(own)).rowcount
        store.tell_change(connection, address, None)
        return gone > 0

    if not store.database.write(work):
        store.check_expired(address)
        raise missing()
    store.database.forget()
