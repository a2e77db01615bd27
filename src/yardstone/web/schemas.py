"""The shapes of what the interface takes and gives, as OpenAPI describes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from yardstone.web.kinds import KINDS

__all__ = [
    "AcceptedBatch",
    "AcceptedJob",
    "BatchState",
    "Choice",
    "Health",
    "JobAddress",
    "JobState",
    "Refusal",
]

Status = Literal["queued", "running", "needs_player", "done", "failed", "cancelled"]
KindName = Annotated[str, Field(json_schema_extra={"enum": list(KINDS)})]

_OWNER_KEY = "The owner's key, told this once: what changes or deletes needs it."
_OWNER_PAGE = "The page with that key, for a browser of the owner."


class ProblemShape(BaseModel):
    """What is wrong, and what to do."""

    code: str = Field(description="A word for programs.")
    message: str
    hint: str | None = Field(None, description="What to do about it.")
    file: str | None = Field(None, description="The file it stands in, as it was called.")
    line: int | None = None


class Refusal(BaseModel):
    """A request that was refused."""

    error: ProblemShape


class JobAddress(BaseModel):
    """Where a job is."""

    id: str
    status: Status
    kind: KindName
    url: str = Field(description="Where its progress and its result are.")
    page: str = Field(description="The same for people; this address can be shared.")
    expires: str


class AcceptedJob(JobAddress):
    """A job that was made."""

    owner: str = Field(description=_OWNER_KEY)
    owner_page: str = Field(description=_OWNER_PAGE)


class AcceptedBatch(BaseModel):
    """Jobs that were made together."""

    id: str
    url: str
    page: str
    owner: str = Field(description=_OWNER_KEY)
    owner_page: str = Field(description=_OWNER_PAGE)
    jobs: list[JobAddress]


class Progress(BaseModel):
    """How far a job is."""

    stage: Literal["waiting", "fetching", "reading", "analysing", "searching", "rating", "finished"]
    done: int
    total: int
    fraction: float = Field(ge=0.0, le=1.0)


class SentFile(BaseModel):
    """A file that was sent."""

    name: str
    size: int
    format: str
    reason: str | None = Field(None, description="Why it is not used at all.")


class PlayerChoice(BaseModel):
    """A player who can be chosen."""

    name: str
    games: int


class SkippedRecord(BaseModel):
    """A record that could not be used."""

    file: str
    line: int | None
    reason: str


class JobState(BaseModel):
    """A job, with its result once it is done."""

    id: str
    url: str
    page: str
    kind: KindName
    status: Status
    created: str
    started: str | None
    finished: str | None
    expires: str
    ahead: int | None = Field(description="Jobs that come before it.")
    progress: Progress
    files: list[SentFile]
    options: dict[str, Any]
    players: list[PlayerChoice] | None
    skipped: list[SkippedRecord]
    skipped_total: int
    error: ProblemShape | None
    can_retry: bool
    attempts: int
    batch: str | None
    result: dict[str, Any] | None


class BatchState(BaseModel):
    """The jobs of a batch, with the results so far."""

    id: str
    url: str
    page: str
    status: Literal["running", "done"]
    done: int
    total: int
    expires: str
    jobs: list[JobState]


class Choice(BaseModel):
    """The player whose strength is asked for."""

    player: str = Field(min_length=1, max_length=200, description="One of `players` of the job.")


class Health(BaseModel):
    """Whether the server can do its work."""

    status: Literal["ok", "no_workers", "no_database"]
    version: str
    workers: int
    queued: int
    running: int
