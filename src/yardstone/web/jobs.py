"""One job as the table has it, and as JSON shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

__all__ = ["STATUSES", "Job", "moment"]

STATUSES = ("queued", "running", "needs_player", "done", "failed", "cancelled")
_JSON = ("options", "files", "players", "skipped", "error")


@dataclass(frozen=True, slots=True)
class Job:
    """A job; moments are seconds since 1970 by the clock of the database, `read` when it was read.

    `result` is JSON text, left out where it is not asked for; `keep` is the moment
    until which the uploads of a failed job, or of one that waits for a player, stay;
    `owner` is the hash of the owner's key (`yardstone.web.owners`), which older jobs lack.
    """

    id: str
    batch: str | None
    kind: str
    status: str
    client: str
    upload: str
    options: dict[str, Any]
    files: list[dict[str, Any]]
    created: float
    started: float | None
    finished: float | None
    expires: float
    attempts: int
    worker: str | None
    lease: float | None
    deadline: float | None
    stage: str
    done: int
    total: int
    players: list[dict[str, Any]] | None
    skipped: list[dict[str, Any]] | None
    skipped_total: int
    error: dict[str, Any] | None
    keep: float | None
    read: float
    owner: str | None = None
    result: str | None = None

    @classmethod
    def of_row(cls, row: Any) -> Job:
        """The job in a row of the table, as SQLAlchemy gives it."""
        values = dict(row._mapping)
        for name in _JSON:
            values[name] = None if values[name] is None else json.loads(values[name])
        return cls(**values)

    @property
    def can_retry(self) -> bool:
        """Whether it failed for no fault of its files, and these are still there."""
        return self.status == "failed" and self.keep is not None and self.keep > self.read

    def as_dict(self, *, prefix: str = "", ahead: int | None = None) -> dict[str, Any]:
        """What ``GET /api/jobs/ID`` tells; `prefix` goes before addresses."""
        fraction = self.done / self.total if self.total else 0.0
        return {
            "id": self.id,
            "url": f"{prefix}/api/jobs/{self.id}",
            "page": f"{prefix}/r/{self.id}",
            "kind": self.kind,
            "status": self.status,
            "created": moment(self.created),
            "started": moment(self.started),
            "finished": moment(self.finished),
            "expires": moment(self.expires),
            "ahead": ahead,
            "progress": {
                "stage": self.stage,
                "done": self.done,
                "total": self.total,
                "fraction": 1.0 if self.status == "done" else min(fraction, 1.0),
            },
            "files": self.files,
            "options": self.options,
            "players": self.players if self.status == "needs_player" else None,
            "skipped": self.skipped or [],
            "skipped_total": self.skipped_total,
            "error": self.error,
            "can_retry": self.can_retry,
            "attempts": self.attempts,
            "batch": self.batch,
            "result": None if self.result is None else json.loads(self.result),
        }


def moment(seconds: float | None) -> str | None:
    """Seconds since 1970 as text, in UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
