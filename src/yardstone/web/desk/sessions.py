"""Who works at a desk: the log of what everybody did, and the sessions and links it tells of."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request

from yardstone.errors import InputError, UsageError
from yardstone.files import changing
from yardstone.web.middleware import RateLimit, network_of
from yardstone.web.problems import refusal

_LOGGER = logging.getLogger("yardstone.web")
#: Letters and digits that nobody takes for another one, read aloud or from a wall.
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def readable_secret(*sizes: int) -> str:
    """Return letters at random in groups of these sizes, about 5 bits each: ``k7fw-m3qd-9x``."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(size)) for size in sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A line of the log: what somebody did at a desk."""

    time: str = ""  #: When, in UTC, to the second
    name: str = ""  #: Of the helper, empty if none was given
    address: str = ""  #: Where the helper's browser is
    step: str = ""  #: A word for programs, such as ``results``
    what: str = ""  #: A sentence
    session: str = ""  #: Mark of the session of who did it
    #: `about`, `whose`, `until`: mark of the session or link that a step begins or ends, the name
    #: of its helper, and when a link expires.
    about: str = ""
    whose: str = ""
    until: str = ""


_FIELDS = {each.name for each in fields(LogEntry)}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


class DeskLog:
    """The log of a desk: a file of lines of JSON that only grows, for many threads and processes.

    `heed` takes each entry as it is read, whoever wrote it, and None where the file begins anew.
    """

    def __init__(self, path: Path, heed: Callable[[LogEntry | None], None]) -> None:
        self.path = path
        self._heed = heed
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._state = (0, 0)  # which file, and how far it has been read
        self._entries: list[LogEntry] = []
        self._late: list[LogEntry] = []

    def entries(self) -> list[LogEntry]:
        """All, the oldest first, also those that could not be written yet."""
        self.refresh()
        return [*self._entries, *self._late]

    def refresh(self) -> None:
        """Read what was written since; a line that broke off counts for nothing."""
        with self._reading:
            try:
                status = self.path.stat()
            except OSError:
                status = None
            file, size = (status.st_ino, status.st_size) if status else (0, 0)
            known, at = self._state
            if (file, size) == self._state:
                return
            if file != known or size < at:
                self._entries, at = [], 0
                self._heed(None)
            data = b""
            if size:
                with self.path.open("rb") as stream:
                    stream.seek(at)
                    data = stream.read(size - at)
            whole = data[: data.rfind(b"\n") + 1]
            self._state = file, at + len(whole)
            for line in whole.splitlines():
                if (entry := _entry_of(line)) is not None:
                    self._entries.append(entry)
                    self._heed(entry)

    def add(self, entry: LogEntry) -> None:
        """Write an entry; raises RequestProblem if that fails."""
        with self._writing:
            if not self._write([*self._late, entry]):
                raise refusal("storage")
            self._late.clear()

    def note(self, entry: LogEntry) -> None:
        """Write what is done already: where that fails, it is written with the next."""
        with self._writing:
            self._late.append(entry)
            if self._write(self._late):
                self._late.clear()

    def _write(self, entries: Sequence[LogEntry]) -> bool:
        plain = ({name: text for name, text in asdict(each).items() if text} for each in entries)
        data = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in plain).encode()
        try:
            with changing(self.path):
                _append(self.path, data)
        except (InputError, OSError) as error:
            _LOGGER.error("desk_log", extra={"values": {"problem": str(error)}})
            return False
        self.refresh()
        return True


def _append(path: Path, data: bytes) -> None:
    """Write behind the last line, whole or not at all; addresses are for the desk's user alone."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "r+b", buffering=0) as stream:
        size = stream.seek(0, os.SEEK_END)
        if size:
            stream.seek(size - 1)
            data = data if stream.read(1) == b"\n" else b"\n" + data  # a line broke off
        try:
            while data:
                data = data[stream.write(data) :]
            os.fsync(stream.fileno())
        except OSError:
            stream.truncate(size)
            raise


def _entry_of(line: bytes) -> LogEntry | None:
    try:
        plain = json.loads(line)
        entry = LogEntry(**{name: str(plain[name]) for name in _FIELDS & plain.keys()})
        _seconds(entry.time)
        if entry.until:
            _seconds(entry.until)
    except (ValueError, AttributeError, RecursionError):
        return None
    return entry


def log_of(path: Path) -> Path:
    """The log of the desk of a tournament's file."""
    return path.with_name(path.name + ".log")


COOKIE = "yardstone_desk"
#: Seconds for which a helper stays signed in.
LASTING = 5 * 86_400
#: Hours for which a link may be open.
LINK_HOURS = (1, 12, 72)
#: Wrong passwords that one visitor may send at once, and seconds until as many may come again.
_GUESSES, _GUESSES_SECONDS = 30, 180.0
#: Wrong passwords a minute, of all, from which on one costs more: as much again for each further
#: `_STEP`, until it costs all that a visitor has.
_ALL_GUESSES, _STEP = 60, 10
_LONGEST_NAME = 40


class Helper(NamedTuple):
    """Somebody who may change the tournament: the name given, perhaps empty, and the cookie.

    Who came by a link may enter results; `full` are all others. `mark` is that of the session,
    '' where the desk has no password.
    """

    name: str
    token: str
    full: bool = True
    mark: str = ""
    address: str = ""


@dataclass(slots=True)
class HelperSession:
    """A helper's browser: `since` and `seen` are seconds since 1970."""

    mark: str
    name: str
    address: str
    since: float
    seen: float
    full: bool


@dataclass(frozen=True, slots=True)
class Link:
    """A link with which somebody becomes a helper, once: `by` made it, `until` ends it."""

    mark: str
    name: str
    by: str
    until: float


class Sessions:
    """Signs helpers in, and knows them again, as the log of the desk tells.

    Without a `password` everybody is a helper. `place` says what the desk is of, so that two desks
    with one password have different keys; `log` is the file of the log, and `clock` gives seconds
    since 1970. Cookies and links are kept as hashes that only this password makes: a new one ends
    all.
    """

    def __init__(
        self, password: str, place: str, log: Path, clock: Callable[[], float] = time.time
    ) -> None:
        self.guarded = bool(password)
        self._clock = clock
        self._password = password
        self._secret = (
            hashlib.scrypt(password.encode(), salt=place.encode(), n=1 << 14, r=8, p=1)
            if password
            else secrets.token_bytes(32)
        )
        #: What marks of this password begin with, and no others.
        self._key = self._sign("mark", "")[:8]
        self._lock = threading.Lock()
        self._guesses = RateLimit(_GUESSES, "too_many_guesses", _GUESSES_SECONDS)
        self._all_guesses = RateLimit(_ALL_GUESSES)
        self._sessions: dict[str, HelperSession] = {}
        self._links: dict[str, Link] = {}
        self.log = DeskLog(log, self._heed)
        self.log.refresh()

    def _heed(self, entry: LogEntry | None) -> None:
        """Follow the log."""
        if entry is None:
            self._sessions, self._links = {}, {}
            return
        at = _seconds(entry.time)
        if entry.session in self._sessions:
            self._sessions[entry.session].seen = at
        match entry.step:
            case "link" if entry.about.startswith(self._key):
                self._links[entry.about] = Link(
                    entry.about, entry.whose, entry.name, _seconds(entry.until)
                )
            case "sign-in" | "join" if entry.session.startswith(self._key):
                full = entry.step == "sign-in"
                if full or entry.about in self._links:  # a link counts for the first
                    self._links.pop(entry.about, None)
                    self._sessions[entry.session] = HelperSession(
                        entry.session, entry.name, entry.address, at, at, full
                    )
            case "withdraw":
                self._links.pop(entry.about, None)
            case "sign-out" | "end":
                self._sessions.pop(entry.about, None)
            case "end-all":
                self._sessions = {}

    def entry(self, helper: Helper, step: str, what: str, **more: str) -> LogEntry:
        """What a helper does, for the log."""
        return LogEntry(
            time=_moment(self._clock()),
            name=helper.name,
            address=helper.address,
            step=step,
            what=what,
            session=helper.mark,
            **more,
        )

    def sign_in(self, password: str, name: str, client: str, address: str = "") -> Helper:
        """A helper who knows the password; raises RequestProblem otherwise.

        Only wrong passwords count, and only against the visitor who sends them: where all together
        send many, each costs its visitor more, but not where helpers are at the same address, and
        the right one passes from anywhere else.
        """
        given, right = (self._sign("password", text) for text in (password.strip(), self._password))
        with self._lock:
            self._guesses.check(client, 0.0)
            if not hmac.compare_digest(given, right):
                self._guesses.take(client, self._price(address))
                raise refusal("wrong_password")
        helper = self.new_helper(name, address=address)
        self.log.add(self.entry(helper, "sign-in", "Signed in with the password."))
        return helper

    def _price(self, address: str) -> float:
        """Count a wrong password among those of all; what it costs who sent it."""
        left = self._all_guesses.take("everybody", 1.0)
        price = 1.0 + max(-left, 0.0) / _STEP
        if price >= _GUESSES:
            self._all_guesses.take("everybody", -1.0)
            price = float(_GUESSES)
        network = network_of(address)
        here = any(network_of(each.address) == network for each in self.sessions())
        return 1.0 if here and address else price

    def new_helper(self, name: str = "", *, full: bool = True, address: str = "") -> Helper:
        """A helper with a new cookie, whom the log does not know yet."""
        token = secrets.token_hex(16)
        return Helper(_short(name), token, full, self._mark("cookie", token), address)

    def helper(self, request: Request) -> Helper | None:
        """Who asks, if it is a helper."""
        token = request.cookies.get(COOKIE, "")
        address = request.client.host if request.client is not None else ""
        if not token:
            return None
        if not self.guarded:
            return Helper("", token, address=address)
        self.log.refresh()
        session = self._sessions.get(self._mark("cookie", token))
        if session is None or not self._lasts(session):
            return None
        session.seen = self._clock()
        return Helper(session.name, token, session.full, session.mark, address)

    def _lasts(self, session: HelperSession) -> bool:
        return 0 <= self._clock() - session.since <= LASTING

    def sessions(self) -> list[HelperSession]:
        """Those that last, the last seen first."""
        self.log.refresh()
        lasting = [each for each in [*self._sessions.values()] if self._lasts(each)]
        return sorted(lasting, key=lambda each: -each.seen)

    def sign_out(self, helper: Helper) -> None:
        """End a helper's own session."""
        self.log.add(self.entry(helper, "sign-out", "Signed out.", about=helper.mark))

    def end(self, helper: Helper, mark: str) -> None:
        """End the session of this mark; raises RequestProblem if there is none."""
        ended = next((each for each in self.sessions() if each.mark == mark), None)
        if ended is None:
            raise refusal("gone/session")
        what = f"Ended the session of {ended.name or 'a helper'} at {ended.address}."
        self.log.add(self.entry(helper, "end", what, about=mark, whose=ended.name))

    def end_all(self, helper: Helper) -> None:
        """End all sessions, that of the helper as well."""
        self.log.add(self.entry(helper, "end-all", "Ended all sessions."))

    def links(self) -> list[Link]:
        """Those that are open, the next to expire first."""
        self.log.refresh()
        now = self._clock()
        links = [each for each in [*self._links.values()] if now <= each.until]
        return sorted(links, key=lambda each: each.until)

    def make_link(self, helper: Helper, name: str, hours: int) -> str:
        """The token of a new link, which is told this once; raises UsageError without a name."""
        whose = _short(name)
        if not whose:
            raise UsageError("a link needs the name of the helper")
        if hours not in LINK_HOURS:
            raise refusal("bad_form/desk")
        token = readable_secret(4, 4, 4, 4)
        mark = self._mark("link", token)
        what, until = f"Made a link for {whose}.", _moment(self._clock() + 3600 * hours)
        entry = self.entry(helper, "link", what, about=mark, whose=whose, until=until)
        self.log.add(entry)
        return token

    def link(self, token: str) -> Link:
        """The open link of a token; raises RequestProblem if there is none."""
        mark = self._mark("link", token.strip().lower())
        for link in self.links():
            if link.mark == mark:
                return link
        raise refusal("link_gone")

    def withdraw(self, helper: Helper, mark: str) -> None:
        """Close an open link; raises RequestProblem if there is none of this mark."""
        link = next((each for each in self.links() if each.mark == mark), None)
        if link is None:
            raise refusal("link_gone")
        what = f"Withdrew the link for {link.name}."
        self.log.add(self.entry(helper, "withdraw", what, about=mark, whose=link.name))

    def join(self, token: str, address: str) -> Helper:
        """The helper whom a link signs in, once; raises RequestProblem if there is none."""
        link = self.link(token)
        helper = self.new_helper(link.name, full=False, address=address)
        what = f"Signed in with the link that {link.by or 'a helper'} made."
        self.log.add(self.entry(helper, "join", what, about=link.mark))
        if helper.mark not in self._sessions:  # somebody else was first
            raise refusal("link_gone")
        return helper

    def form_key(self, helper: Helper) -> str:
        """What every form of this helper must carry."""
        return self._sign("form", helper.token)

    def check_form(self, request: Request, helper: Helper, key: str) -> None:
        """Refuse a form that did not come from a page of this desk since it started."""
        check_site(request)
        if not hmac.compare_digest(key.encode(), self.form_key(helper).encode()):
            raise refusal("old_page")

    def _mark(self, purpose: str, token: str) -> str:
        return self._key + self._sign(purpose, token)[:24]

    def _sign(self, purpose: str, text: str) -> str:
        whole = f"{purpose}:{text}".encode()
        return hmac.new(self._secret, whole, hashlib.sha256).hexdigest()


def check_site(request: Request) -> None:
    """Refuse a form of another site."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise refusal("old_page")


def _short(name: str) -> str:
    return " ".join(name.split())[:_LONGEST_NAME]
