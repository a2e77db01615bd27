"""What holds for every request: paths, sizes, floods, connections, metrics, errors, the log."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import os
import shutil
import threading
import time
from bisect import bisect_left
from collections import Counter, OrderedDict, defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import h11
import uvicorn
from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

import yardstone
from yardstone.choices import words
from yardstone.errors import YardstoneError
from yardstone.memory import memory_of
from yardstone.web.kinds import KINDS
from yardstone.web.problems import DatabaseAway, RequestProblem, described, refusal
from yardstone.web.settings import Limits, SiteSettings, log_event
from yardstone.web.store import STATUSES

if TYPE_CHECKING:
    import ssl


_SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # An address of a result is private: links to other sites must not tell it.
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Robots-Tag": "noindex, nofollow",
}
_OVER_TLS = "max-age=31536000"


@dataclass
class RequestFrame:
    """Tells the application under which path it stands, and has strict headers with every answer.

    The `path` is such as ``/strength``, and '' for none; `_SECURITY_HEADERS` are added to every
    answer, and nothing is kept by caches unless it says so.
    """

    app: ASGIApp
    path: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def strict(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_SECURITY_HEADERS)
                headers.setdefault("Cache-Control", "no-store")
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = _OVER_TLS
            await send(message)

        framed = scope
        if self.path:
            path = scope["path"]
            if path != self.path and not path.startswith(self.path + "/"):
                path = self.path + path
            framed = {**scope, "root_path": self.path, "path": path}
        await self.app(framed, receive, strict)


#: Bytes of a body that is no form with files.
SMALL = 64 << 10
#: Where forms with files are sent, which count what they receive themselves.
FORMS = {"/api/jobs", "/api/batches", "/send", *(kind.path for kind in KINDS.values())}


#: Visitors that are remembered; the others are taken for new.
_REMEMBERED = 20_000
_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass
class RateLimit:
    """Counts what each visitor does: `most` times in a `period` of seconds, some of them at once.

    A bucket of tokens for each: whoever comes takes one, and they come back with time, of which
    the `clock` gives seconds. `refused` names the refusal where there is none.
    """

    most: int
    refused: str = "too_many_requests"
    period: float = 60.0
    clock: Callable[[], float] = time.monotonic
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, client: str, price: float) -> float:
        """Take tokens of a visitor, of whom debts may stay; return how many there were."""
        now, most = self.clock(), float(self.most)
        left, before = self._buckets.pop(client, (most, now))
        left = min(left + most / self.period * (now - before), most)
        self._buckets[client] = (left - price, now)
        if len(self._buckets) > _REMEMBERED:
            self._buckets.popitem(last=False)
        return left

    def check(self, client: str, price: float = 1.0) -> None:
        """Count a visitor's coming; raises RequestProblem if there were too many."""
        left = self.take(client, 0.0)
        if left < 1.0:
            seconds = max(1, round((1.0 - left) * self.period / self.most))
            raise refusal(self.refused, most=self.most, retry_after=seconds)
        self.take(client, price)


class Places(Counter[str]):
    """How many things of each visitor go on at the same time."""

    @contextmanager
    def hold(self, client: str, number: int = 1) -> Iterator[None]:
        """Take a place, or with -1 give one back for a while."""
        self._add(client, number)
        try:
            yield
        finally:
            self._add(client, -number)

    def _add(self, client: str, number: int) -> None:
        self[client] += number
        if not self[client]:
            del self[client]

    def stream(
        self, client: str, limits: Limits, texts: AsyncIterator[str], refusal: RequestProblem
    ) -> StreamingResponse:
        """Answer with a stream of events; raises the refusal if too many are open."""
        if self[client] >= limits.streams_client or self.total() >= limits.streams:
            raise refusal

        async def held() -> AsyncIterator[str]:
            with self.hold(client):
                async for text in texts:
                    yield text

        return StreamingResponse(held(), media_type="text/event-stream")


def network_of(host: str) -> str:
    """The address of a visitor; of IPv6 the network, since a visitor has many addresses."""
    with suppress(ValueError):
        address = ip_address(host.partition("%")[0])
        if isinstance(address, IPv6Address):
            return str(address.ipv4_mapped or address.exploded[:19])
    return host


def visitor_mark(request: Request, secret: bytes) -> str:
    """A mark of 96 bits that only this server can make."""
    host = network_of(request.client.host if request.client is not None else "")
    return hmac.new(secret, host.encode(), hashlib.sha256).hexdigest()[:24]


_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
#: Upper ends of the classes of answering times, in seconds.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts answers and how long they took; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, str, int], int] = defaultdict(int)
        self._times: dict[str, list[float]] = {}

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answer of a route (its template, which names no job)."""
        with self._lock:
            self._answers[method, route, status] += 1
            times = self._times.setdefault(route, [0.0] * (len(_BUCKETS) + 2))
            times[bisect_left(_BUCKETS, seconds)] += 1.0
            times[-1] += seconds

    def text(self, state: dict[str, Any]) -> str:
        """All numbers; `state` is what `upkeep.state` gives."""
        lines: list[str] = []

        def metric(name: str, kind: str, about: str, value: float | None = None) -> None:
            lines.extend([f"# HELP yardstone_{name} {about}", f"# TYPE yardstone_{name} {kind}"])
            if value is not None:
                sample(name, value)

        def sample(name: str, value: float, **labels: str) -> None:
            inner = ",".join(f'{k}="{text.translate(_ESCAPED)}"' for k, text in labels.items())
            lines.append(f"yardstone_{name}{f'{{{inner}}}' if inner else ''} {value:.12g}")

        with self._lock:
            answers = sorted(self._answers.items())
            times = sorted((route, list(values)) for route, values in self._times.items())
        metric("jobs", "gauge", "Jobs by status.")
        for status in STATUSES:
            sample("jobs", state["jobs"].get(status, 0), status=status)
        for name, about in (
            ("oldest_queued_seconds", "Age of the oldest job that waits."),
            ("workers", "Workers that live."),
            ("uploads", "Uploads that are kept."),
            ("upload_bytes", "Bytes that they take."),
        ):
            metric(name, "gauge", about, state[name])
        counters = defaultdict(float, state["counters"])
        metric("jobs_ended_total", "counter", "Jobs that ended, by kind and how.")
        for kind, status in product(KINDS, ("done", "failed", "needs_player")):
            number = counters[f"jobs_{kind}_{status}"]
            sample("jobs_ended_total", number, kind=kind, status=status)
        metric("job_seconds_total", "counter", "Seconds of work, by kind.")
        for kind in KINDS:
            sample("job_seconds_total", counters[f"seconds_{kind}"], kind=kind)
        taken = "Requests with files that were taken."
        metric("uploads_total", "counter", taken, counters["uploads"])
        metric("upload_bytes_total", "counter", "Bytes of their files.", counters["upload_bytes"])
        metric("requests_total", "counter", "Answers, by route and status.")
        for (method, route, code), count in answers:
            sample("requests_total", count, method=method, route=route, status=str(code))
        metric("request_seconds", "histogram", "Time until an answer began.")
        for route, values in times:
            below = 0.0
            for end, number in zip((*map(str, _BUCKETS), "+Inf"), values[:-1], strict=True):
                below += number
                sample("request_seconds_bucket", below, route=route, le=end)
            sample("request_seconds_sum", values[-1], route=route)
            sample("request_seconds_count", below, route=route)
        memory = "Memory of the server's process."
        metric("process_resident_bytes", "gauge", memory, memory_of(os.getpid()))
        return "\n".join(lines) + "\n"


#: Seconds for which health is not looked at again, and that a look may take.
_FRESH, _SOON = 1.0, 3.0


class Checkup(NamedTuple):
    """What is told of a server beside its status, and what is wrong with it."""

    told: Mapping[str, Any] = {}
    problems: Sequence[RequestProblem] = ()


class Health:
    """Whether a server works, for monitors and people; looked at once a second at most.

    `look` gives what else is told, and what is wrong, if anything; where it answers too late,
    `late` names what is wrong. It has a thread of its own: those of the requests may be busy.
    """

    def __init__(self, folder: Path, limits: Limits, look: Callable[[], Checkup], late: str):
        self.folder, self.limits, self.look, self.late = folder, limits, look, late
        self._lock, self._thread = asyncio.Lock(), CapacityLimiter(1)
        self._looked, self._last = -_FRESH, Checkup()

    async def answer(self, request: Request) -> Response:
        """Answer 200, or 503 where something is wrong."""
        async with self._lock:
            if time.monotonic() - self._looked >= _FRESH:
                try:
                    async with asyncio.timeout(_SOON):
                        self._last = await to_thread.run_sync(
                            self._look, limiter=self._thread, abandon_on_cancel=True
                        )
                except TimeoutError:
                    self._last = self._last._replace(problems=[refusal(self.late)])
                self._looked = time.monotonic()
        problems = self._last.problems
        status = 503 if problems else 200
        if wants_page(request):
            lines = [f"{each.message} {each.hint}\n" for each in problems] or ["All is well.\n"]
            return PlainTextResponse("".join(lines), status)
        told = {
            "status": problems[0].code if problems else "ok",
            "version": yardstone.__version__,
            "problems": [each.as_dict() for each in problems],
        }
        return JSONResponse({**told, **self._last.told}, status)

    def _look(self) -> Checkup:
        told, problems = self.look()
        try:
            full = shutil.disk_usage(self.folder).free < self.limits.disk_free
        except OSError:
            full = True
        if full or not os.access(self.folder, os.W_OK):
            problems = [*problems, refusal("no_disk")]
        return Checkup(told, problems)


#: Seconds beyond those of the application, which answers 408 first where it can.
_GRACE = 2.0


class _Protocol(H11Protocol):
    limits: Limits
    #: Connections in all.
    most: int
    #: Those whose request has not come whole, the longest silent first: all, and by address.
    waiting: OrderedDict[_Protocol, None]
    of_address: dict[str, OrderedDict[_Protocol, None]]
    tls: ssl.SSLContext | None
    #: What comes before both sides have agreed on how to speak TLS.
    _early: bytearray | None = None
    _agreement: asyncio.Task[None]
    _timer: asyncio.TimerHandle | None = None
    _phase: Any = None
    _address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = network_of(self.client[0] if self.client else "")
        self._watch()
        if self.tls is not None and not transport.is_closing():
            self._early = bytearray()
            self._agreement = self.loop.create_task(self._agree(transport, self.tls))

    async def _agree(self, transport: asyncio.Transport, tls: ssl.SSLContext) -> None:
        """Speak TLS from now on; here, so that who never does is watched as well."""
        secured = None
        with suppress(OSError):
            secured = await self.loop.start_tls(
                transport,
                self,
                tls,
                server_side=True,
                ssl_handshake_timeout=float(self.limits.header_seconds),
                ssl_shutdown_timeout=_GRACE,
            )
        early, self._early = self._early, None
        if secured is None or self not in self.connections:  # it failed, or was dropped meanwhile
            transport.abort()
            self.connection_lost(None)
            return
        super().connection_made(secured)
        if early:
            self.data_received(bytes(early))

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_watch()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._early is not None:
            self._early += data
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        phase = self.conn.their_state
        if self.transport.is_closing() or phase not in (h11.IDLE, h11.SEND_BODY):
            self._end_watch()
            return
        if self._timer is not None and phase is h11.IDLE is self._phase:
            return  # a head must be whole in time, however slowly it comes
        if self._timer is not None:
            self._timer.cancel()
        limits, self._phase = self.limits, phase
        seconds = limits.header_seconds if phase is h11.IDLE else limits.idle_seconds + _GRACE
        self._timer = self.loop.call_later(seconds, self._give_up)
        ours = self.of_address.setdefault(self._address, OrderedDict())
        for each in (ours, self.waiting):
            each[self] = None
            each.move_to_end(self)
        full = len(self.connections) > self.most
        if full or len(ours) > limits.connections_client:
            next(iter(self.waiting if full else ours))._drop()

    def _drop(self) -> None:
        self._end_watch()
        self.connections.discard(self)  # the next one that comes does not drop another for it
        self.transport.abort()

    def _give_up(self) -> None:
        self._timer = None
        if self.flow.read_paused:  # it is we who let it wait
            self._watch()
        else:
            self.transport.abort()

    def _end_watch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.waiting.pop(self, None)
        ours = self.of_address.get(self._address, OrderedDict())
        ours.pop(self, None)
        if not ours:
            self.of_address.pop(self._address, None)


def raise_open_files() -> int:
    """Let this process open as many files as the system allows it; how many those are."""
    try:
        import resource
    except ImportError:
        return _MANY  # Windows knows no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = _MANY if hard == resource.RLIM_INFINITY else hard
    for most in (hard, min(hard, _OF_MACOS)):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            return most
    return soft


_MANY, _OF_MACOS = 1 << 20, 10_240


def configured(app: Any, settings: SiteSettings, *, farewell: int) -> uvicorn.Config:
    """Return how uvicorn runs an application for strangers, within the limits.

    A quarter of the files that may be open is for what is no connection, and for those that are
    accepted at once before any of them can be closed.
    """
    files, limits = raise_open_files(), settings.limits
    bounds = {
        "limits": limits,
        "most": min(limits.connections, files - files // 4),
        "tls": settings.tls(),
        "waiting": OrderedDict[_Protocol, None](),
        "of_address": {},
    }
    return uvicorn.Config(
        app,
        http=type("Protocol", (_Protocol,), bounds),
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # the application does that itself
        server_header=False,
        backlog=min(2048, files // 4),
        timeout_keep_alive=15,
        timeout_graceful_shutdown=farewell,
        h11_max_incomplete_event_size=16 << 10,
    )


#: Where no flood is counted: style sheets, and what proxies and monitors ask.
_UNCOUNTED = ("/static/", "/health", "/metrics")
_LOGGER = logging.getLogger("yardstone.web")


@dataclass
class RequestMonitor:
    """Lets requests in, unless a visitor makes too many, and tells how they were answered.

    `client` gives the mark of who makes a request, `refuse` the answer to one with a problem.
    Bodies of more than `most` bytes are refused, except where forms are `counted` elsewhere.
    Who waits for a body, or for the visitor to leave, takes none of the places of requests.
    """

    app: ASGIApp
    limits: Limits
    requests: RateLimit
    posts: RateLimit
    metrics: Metrics
    client: Callable[[Request], str]
    refuse: Callable[[Request, RequestProblem], Response]
    most: int = SMALL
    counted: Collection[str] = frozenset(FORMS)
    working: Places = field(default_factory=Places)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, received = time.perf_counter(), 0
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        bounded = scope["method"] != "POST" or path not in self.counted

        async def counted() -> Message:
            nonlocal received
            with self.working.hold(client, -places):
                message = await receive()
            received += len(message.get("body", b""))
            if bounded and received > self.most:
                raise HTTPException(413)
            return message

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                seconds, status = time.perf_counter() - begun, message["status"]
                route = getattr(scope.get("route"), "path", "none")
                method = scope["method"] if scope["method"] in _METHODS else "other"
                self.metrics.add(method, route, status, seconds)
                about = {"method": method, "route": route, "status": status}
                log_event(_LOGGER, "request", **about, milliseconds=round(1000.0 * seconds, 1))
            await send(message)

        request = Request(scope)
        client, places = self.client(request), 0 if path.startswith(_UNCOUNTED) else 1
        try:
            if places:
                self._admit(client, scope["method"])
        except RequestProblem as problem:
            await self.refuse(request, problem)(scope, receive, noted)
            return
        with self.working.hold(client, places):
            await self.app(scope, counted, noted)

    def _admit(self, client: str, method: str) -> None:
        self.requests.check(client)
        if method not in _SAFE:
            self.posts.check(client)
        if self.working[client] >= self.limits.requests_client:
            raise refusal("busy/client", most=self.limits.requests_client)
        if self.working.total() >= self.limits.requests:
            raise refusal("busy")


def wants_page(request: Request) -> bool:
    """Whether a person with a browser asks, not a program."""
    path = request.url.path.removeprefix(request.scope.get("root_path", ""))
    return not path.startswith("/api/") and "text/html" in request.headers.get("accept", "")


_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")


def protect(
    app: FastAPI,
    settings: SiteSettings,
    *,
    metrics: Metrics,
    client: Callable[[Request], str],
    page: Callable[[Request, RequestProblem], Response],
    hint: str,
    hosts: list[str],
    body: Mapping[str, Any],
) -> None:
    """Put before an application what every request passes, and have every error answered.

    `client` gives the mark of who makes a request, `page` what a person with a browser sees of a
    problem; `hint` says where it stands what can be asked for. `hosts` are the names that are
    answered, all if empty; `body` has the bounds of bodies, as `RequestMonitor` takes them.
    """

    def refuse(request: Request, problem: RequestProblem) -> Response:
        if wants_page(request):
            return page(request, problem)
        headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
        return JSONResponse({"error": problem.as_dict()}, problem.status, headers=headers)

    async def answer(request: Request, error: Exception) -> Response:
        return refuse(request, _problem_of(error, hint=hint))

    kinds = (YardstoneError, RequestValidationError, HTTPException, SQLAlchemyError, OSError)
    for kind in (*kinds, ClientDisconnect, Exception):
        app.add_exception_handler(kind, answer)
    limits = settings.limits
    app.add_middleware(  # the last one added comes first
        RequestMonitor,
        limits=limits,
        requests=RateLimit(limits.requests_minute),
        posts=RateLimit(limits.posts_minute),
        metrics=metrics,
        client=client,
        refuse=refuse,
        **body,
    )
    if hosts:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts)
    app.add_middleware(RequestFrame, path=settings.root_path)
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=words(settings.trusted_proxies))


_WORDS = {
    400: ("unreadable", "The request cannot be read."),
    404: ("not_found", "There is nothing at this address."),
    413: ("too_large", "The body is too long."),
    405: ("not_allowed", "That cannot be done at this address."),
}
_HINTS = {404: "Check it.", 413: "Send less."}


def _problem_of(error: Exception, *, hint: str) -> RequestProblem:
    if isinstance(error, RequestProblem):
        return error
    if isinstance(error, DatabaseAway):
        return refusal("storage/away")
    if isinstance(error, YardstoneError):
        plain = described(error)
        return RequestProblem(422, plain["code"], plain["message"], plain["hint"] or "")
    if isinstance(error, RequestValidationError):
        first: dict[str, Any] = dict(error.errors()[0])
        place = ".".join(str(each) for each in first["loc"][1:]) or "the body"
        return RequestProblem(422, "invalid", f"{place}: {first['msg']}.", hint)
    if isinstance(error, HTTPException):
        code, message = _WORDS.get(error.status_code, ("refused", "That cannot be done."))
        return RequestProblem(error.status_code, code, message, _HINTS.get(error.status_code, hint))
    if isinstance(error, ClientDisconnect):
        return refusal("broken_off")
    _LOGGER.error("an answer failed", exc_info=error)
    return refusal("storage" if isinstance(error, (SQLAlchemyError, OSError)) else "internal")
