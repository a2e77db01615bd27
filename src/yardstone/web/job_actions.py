"""What visitors do with their jobs: choose, try again, stop, delete."""

from __future__ import annotations

import json

from yardstone.web.problems import RequestProblem, missing
from yardstone.web.store import OF_NOBODY, JobStore

__all__ = ["cancel", "choose", "delete", "retry"]


def choose(store: JobStore, job: str, player: str) -> None:
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
    _change(store, job, "needs_player", "status = 'queued', options = ?, keep = NULL", options)


def retry(store: JobStore, job: str) -> None:
    """Begin a job anew that failed for no fault of its files."""
    state = store.get(job, result=False)
    if state.status != "failed":
        raise RequestProblem(409, "not_failed", "Only a failed job can be tried again.")
    if not state.can_retry(store.clock()):
        raise RequestProblem(409, "files_gone", "Its files were deleted.", "Send the files again.")
    _change(
        store,
        job,
        "failed",
        "status = 'queued', attempts = 0, error = NULL, finished = NULL, keep = NULL, "
        "stage = 'waiting', done = 0, total = 0",
    )


def cancel(store: JobStore, job: str) -> None:
    """Stop a job; nothing happens to one that has ended."""
    store.get(job, result=False)
    with store.database.writing() as table:
        table.execute(
            f"UPDATE jobs SET status = 'cancelled', finished = ?, keep = NULL, {OF_NOBODY} "
            "WHERE id = ? AND status IN ('queued', 'running', 'needs_player')",
            (store.clock(), job),
        )


def delete(store: JobStore, address: str) -> None:
    """Delete a job, or all jobs of a batch, with their results."""
    with store.database.writing() as table:
        changed = table.execute(
            "DELETE FROM jobs WHERE id = ? OR batch = ?", (address, address)
        ).rowcount
    if not changed:
        store.check_expired(address)
        raise missing()
    store.database.forget()


def _change(store: JobStore, job: str, status: str, what: str, *values: object) -> None:
    with store.database.writing() as table:
        changed = table.execute(
            f"UPDATE jobs SET {what} WHERE id = ? AND status = ?", (*values, job, status)
        ).rowcount
    if not changed:
        raise RequestProblem(409, "changed", "Its status has changed.", "Look at it again.")
