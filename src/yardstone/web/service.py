"""What the interface and the page do, each in one call."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import sqlalchemy as sa
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from yardstone.reports.files import csv_pieces, document_csv
from yardstone.web.database import Job, Lock, file_name, jobs, uploads
from yardstone.web.kinds import ANY_KIND, KINDS, Kind, Query
from yardstone.web.kinds.kind import ChoiceField, PlayersField, bad_option, only_value, readable
from yardstone.web.middleware import Places, RateLimit, visitor_mark
from yardstone.web.notices import QUEUED, Changes
from yardstone.web.problems import RequestProblem, refusal
from yardstone.web.sent_files import look
from yardstone.web.settings import Settings
from yardstone.web.store import (
    OF_NOBODY,
    PATIENCE_FOR_NEW,
    JobStore,
    check_owner,
    is_owner,
    key_mark,
    new_key,
)
from yardstone.web.supervisor import Bell
from yardstone.web.upkeep import drop_uploads
from yardstone.web.uploads import Upload, receive_form


def retry_job(store: JobStore, job: str) -> None:
    """Begin a job anew that failed for no fault of its files."""
    state = store.get(job, result=False)
    if state.status != "failed":
        raise refusal("not_failed")
    if not state.can_retry:
        raise refusal("files_gone")
    begun = {"attempts": 0, "done": 0, "total": 0, "stage": "waiting"}
    _queue_again(store, state, {**begun, "error": None, "finished": None, "keep": None})


def _queue_again(store: JobStore, job: Job, values: dict[str, Any]) -> None:
    """Have a job wait again, if its status is still the same and its files are there."""

    def work(connection: sa.Connection) -> None:
        store.database.lock(connection, Lock.ROOM)  # nobody deletes the files meanwhile
        kept = connection.execute(sa.select(uploads.c.id).where(uploads.c.id == job.upload))
        if kept.scalar() is None:
            raise refusal("files_gone")
        queued = {**values, "status": "queued"}
        # It waits already if this was done before and the answer was lost.
        own = (jobs.c.id == job.id) & jobs.c.status.in_((job.status, "queued"))
        if not connection.execute(sa.update(jobs).where(own).values(queued)).rowcount:
            raise refusal("changed")
        store.database.notify(connection, QUEUED)
        store.tell_change(connection, job.id, job.batch)

    store.database.write(work)


def cancel_job(store: JobStore, job: str) -> None:
    """Stop a job; nothing happens to one that has ended."""
    state = store.get(job, result=False)

    def work(connection: sa.Connection) -> None:
        going = jobs.c.status.in_(("queued", "running", "needs_player"))
        ended = {**OF_NOBODY, "status": "cancelled", "finished": store.moment(), "keep": None}
        connection.execute(sa.update(jobs).where(jobs.c.id == job, going).values(ended))
        store.tell_change(connection, job, state.batch)

    store.database.write(work)


def delete_job(store: JobStore, address: str) -> None:
    """Delete a job, or all jobs of a batch, with their results."""
    own = (jobs.c.id == address) | (jobs.c.batch == address)
    gone = 0

    def work(connection: sa.Connection) -> None:
        nonlocal gone  # counted by a first try, too, whose answer was lost
        gone += connection.execute(sa.delete(jobs).where(own)).rowcount
        store.tell_change(connection, address, None)

    store.database.write(work)
    if not gone:
        store.refuse_absent(address)
    store.database.forget()


#: Characters of the header ``Idempotency-Key``.
LONGEST_KEY = 100
_Fields = Mapping[str, Sequence[str]]


def kind_of(formats: Iterable[str], named: str | None = None) -> Kind:
    """The kind of job that files of these formats make; raises RequestProblem if none."""
    present = Counter(formats)
    if named is not None:
        kind = KINDS[named]
        if not present.keys() & set(kind.takes):
            raise refusal("wrong_kind", holds=kind.holds)
        return kind
    kinds = [kind for kind in KINDS.values() if present.keys() & set(kind.formats)]
    if len(kinds) > 1:
        listed = ", ".join(f"{number} {each}" for each, number in sorted(present.items()))
        raise refusal("several_kinds", listed=listed)
    return kinds[0]


def job_options(kind: Kind, fields: _Fields, *, most_players: int = 1) -> list[dict[str, Any]]:
    """What each of the jobs is asked for: one for each player that is named.

    Raises RequestProblem if a value is none of those offered, or a field is of another kind.
    """
    own = {"kind", *(each.name for each in kind.fields)}
    known = {each.name for other in KINDS.values() for each in other.fields}
    for name, values in fields.items():
        if name not in own and any(value.strip() for value in values):
            reason = f"not for {kind.name}" if name in known else "there is no such field"
            raise bad_option(name, reason)
    options = {each.name: each.read(fields.get(each.name, ())) for each in kind.fields}
    jobs = [options]
    for each in kind.fields:
        if isinstance(each, PlayersField):
            names = options[each.name] or [None]
            if len(names) > most_players:
                raise bad_option(each.name, f"name at most {most_players}")
            jobs = [{**options, each.name: name} for name in names]
    for job in jobs:
        kind.check(job)
    return jobs


def result_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a job as ``GET /api/jobs/ID`` gives it; RequestProblem 409 if none."""
    result: dict[str, Any] | None = job["result"]
    if result is None:
        name = "other_format" if job["status"] == "done" else "no_result"
        raise refusal(name, status=job["status"])
    return result


def csv_of(job: Mapping[str, Any]) -> str:
    """The table of a job's result; raises as `result_of` does."""
    result = result_of(job)
    with readable():
        kind = KINDS[job["kind"]]
        if kind.records is not None:
            return "".join(csv_pieces(kind.records(result)))
        return document_csv(kind.view(result, Query("")).document)


@dataclass(frozen=True, slots=True)
class Accepted:
    """Jobs that were made: their addresses, and the owner's key, told this once."""

    jobs: list[str]
    key: str


def service_of(request: Request) -> Service:
    """The service that a request is for."""
    service: Service = request.app.state.service
    return service


class Service:
    """The jobs of a server, as its visitors see them; the bell wakes workers of this machine.

    All methods are quick; only `receive` waits, for what a visitor sends. Addresses in
    what they give begin with the prefix that `prefix` makes.
    """

    def __init__(self, settings: Settings, store: JobStore, bell: Bell) -> None:
        self.settings = settings
        self.store = store
        self.bell = bell
        self.receiving, self.streams = Places(), Places()
        self._imports = RateLimit(settings.limits.imports_hour, "imports_hour", 3600.0)
        self.changes = Changes(store.database)

    @cached_property
    def _secret(self) -> bytes:
        """The same for all servers of a database; asked for when it is needed first."""
        return self.store.secret("client")

    def client(self, request: Request) -> str:
        """A mark of who asks."""
        return visitor_mark(request, self._secret)

    def prefix(self) -> str:
        """What addresses begin with."""
        return self.settings.public_url.rstrip("/") + self.settings.root_path

    # Taking files

    async def receive(
        self, request: Request, kind: str | None = None, *, batch: bool = False, page: bool = False
    ) -> Accepted:
        """Receive a form with files and make a job of it, or with `batch` one a player.

        With `page` it is the form of the start page. A request with the header
        ``Idempotency-Key`` that was taken before is not taken again: the same addresses
        and the same owner's key are given. Raises RequestProblem if the form or its files cannot be
        used, or too much waits already.
        """
        client = await run_in_threadpool(self.client, request)
        written = request.headers.get("idempotency-key", "")
        if len(written) > LONGEST_KEY:
            raise refusal("bad_option", most=LONGEST_KEY)
        known = f"{client}:{written}" if written else None
        # Of what a request is known by if it comes again only a hash is kept.
        key = known and hmac.new(self._secret, known.encode(), hashlib.sha256).hexdigest()
        owner = new_key(self._secret, known)
        with self.place(client):
            await run_in_threadpool(self.store.check_room, client, key)
            upload = await receive_form(request, self.settings.uploads, self.settings.limits)
            try:
                make = partial(self._made, owner=key_mark(owner), batch=batch, page=page, key=key)
                jobs = await run_in_threadpool(make, client, upload, kind)
            finally:
                await run_in_threadpool(upload.discard)
        return Accepted(jobs, owner)

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """A place among those whose requests are being received."""
        limits = self.settings.limits
        if self.receiving[client] >= limits.uploads_client:
            raise refusal("uploads_client", most=limits.uploads_client)
        if self.receiving.total() >= limits.uploads:
            raise refusal("uploads")
        with self.receiving.hold(client):
            yield

    def _made(
        self,
        client: str,
        upload: Upload,
        kind: str | None,
        *,
        owner: str,
        batch: bool,
        page: bool,
        key: str | None,
    ) -> list[str]:
        if key is not None and (known := self.store.known(key)):
            return known
        limits = self.settings.limits
        named = kind or ANY_KIND.read(upload.fields.get("kind", ()))
        user = only_value("ogs", upload.fields.get("ogs", ()))
        if user and upload.files:
            raise refusal("files_and_name")
        if user:
            if "ogs" not in self.settings.importers:
                raise refusal("no_importer")
            self._imports.check(client)
        elif not upload.files:
            raise refusal("no_files")
        files, formats, unknown, entries = [], Counter[str](), [], 0
        stored = {}
        for number, (name, size) in enumerate(upload.files):
            path = upload.folder / f"{number:04d}"
            file = {"name": name, "size": size}
            try:
                format_name, within = look(path, name, limits, entries)
            except RequestProblem as problem:
                unknown.append(problem)
                files.append({**file, "format": "unknown", "reason": problem.message})
                continue
            if format_name == "zip":
                entries += within.total()
            formats.update(kind for kind in within.elements() if kind)
            files.append({**file, "format": format_name})
            stored[number] = path.with_name(file_name(number, format_name))
        if user:
            formats["sgf"] += 1  # as what is fetched will be
        if not formats:
            raise unknown[0]
        chosen = kind_of(formats.elements(), None if named == "auto" else named)
        fields = upload.fields
        if page and not user:
            fields = {**{name: [text] for name, text in chosen.from_page.items()}, **fields}
        options = job_options(chosen, fields, most_players=limits.players if batch else 1)
        jobs = self.store.add(
            chosen.name, client, upload.id, files, options,
            stored=stored, batch=batch, key=key, owner=owner,
        )  # fmt: skip
        self.bell.ring(len(jobs))
        return jobs

    # Asking about jobs

    def job(self, address: str, *, result: bool = True) -> dict[str, Any]:
        """What ``GET /api/jobs/ID`` tells."""
        return self.shown(self.store.get(address, result=result))

    def shown(self, job: Job) -> dict[str, Any]:
        """A job as JSON has it; with the error in place of a result that cannot be read."""
        plain = job.as_dict(prefix=self.prefix(), ahead=self.store.ahead(job))
        if plain["result"] is not None:
            try:
                with readable():
                    plain["result"] = KINDS[job.kind].upgraded(plain["result"])
            except RequestProblem as problem:
                plain |= {"result": None, "error": problem.as_dict()}
        return plain

    def new(self, addresses: Sequence[str]) -> list[dict[str, Any]]:
        """Jobs that were just made, for which it is worth waiting some time."""
        get = partial(self.store.get, result=False, patience=PATIENCE_FOR_NEW)
        return [get(address).as_dict(prefix=self.prefix()) for address in addresses]

    def batch_places(self, address: str) -> dict[str, str]:
        """The addresses of a batch, for programs and for people."""
        prefix = self.prefix()
        return {"url": f"{prefix}/api/batches/{address}", "page": f"{prefix}/b/{address}"}

    def batch(self, address: str) -> dict[str, Any]:
        """What ``GET /api/batches/ID`` tells: all jobs of a batch."""
        jobs = [self.shown(job) for job in self.store.batch(address)]
        ended = sum(job["status"] in ("done", "failed", "cancelled") for job in jobs)
        return {
            "id": address,
            **self.batch_places(address),
            "status": "done" if ended == len(jobs) else "running",
            "done": ended,
            "total": len(jobs),
            "expires": jobs[0]["expires"],
            "jobs": jobs,
        }

    def owns(self, address: str, key: str, *, batch: bool = False) -> bool:
        """Whether a key is that of a job, or of a batch."""
        return is_owner(self._any(address, batch=batch), key)

    def may_steer(self, address: str, key: str) -> bool:
        """Whether a job can be stopped and answered with a key; old ones by anybody."""
        job = self._any(address)
        return job.owner is None or is_owner(job, key)

    def _any(self, address: str, *, batch: bool = False) -> Job:
        return self.store.batch(address)[0] if batch else self.store.get(address, result=False)

    def choose(self, address: str, player: str, key: str) -> None:
        """Say which player is meant."""
        job = self._any(address)
        check_owner(job, key, ownerless=True)
        if job.status != "needs_player":
            raise refusal("not_asked")
        offered = {each["name"]: each for each in job.players or ()}
        if player not in offered:
            raise refusal("unknown_player")
        colour = offered[player].get("colour")
        chosen = {"player": player} if colour is None else {"colour": colour}
        _queue_again(self.store, job, {"options": {**job.options, **chosen}, "keep": None})
        self.bell.ring()

    def cancel(self, address: str, key: str) -> None:
        """Stop a job."""
        check_owner(self._any(address), key, ownerless=True)
        cancel_job(self.store, address)
        drop_uploads(self.store)

    def retry(self, address: str, key: str) -> None:
        """Try a failed job again."""
        check_owner(self._any(address), key, ownerless=True)
        retry_job(self.store, address)
        self.bell.ring()

    def delete(self, address: str, key: str, *, batch: bool = False) -> None:
        """Delete a job, or a batch, with its results."""
        check_owner(self._any(address, batch=batch), key)
        delete_job(self.store, address)
        drop_uploads(self.store)

    def limits(self) -> dict[str, Any]:
        """What may be sent and asked for, and for how long results stay."""
        offered = {
            f"{each.name}s": list(each.values)
            for kind in KINDS.values()
            for each in kind.fields
            if isinstance(each, ChoiceField) and each.label
        }
        return {
            **self.settings.limits.as_plain(),
            "keep_days": self.settings.keep_days,
            "importers": list(self.settings.importers),
            **offered,
        }
