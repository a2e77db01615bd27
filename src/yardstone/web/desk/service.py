"""The state of a desk: the file of the tournament, its helpers, what takes long."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from starlette.requests import Request

from yardstone.errors import InputError, YardstoneError
from yardstone.files import followed
from yardstone.parallel import context
from yardstone.tournament.event.entries import RatingRegister, read_register
from yardstone.tournament.event.file import (
    JournalStep,
    change_file,
    journal_of,
    read_journal,
    undo_step,
)
from yardstone.tournament.event.settings import EventChange
from yardstone.tournament.files import MAX_BYTES, format_of_bytes
from yardstone.tournament.model import Result, Tournament
from yardstone.web.desk.sessions import Sessions, log_of
from yardstone.web.middleware import Checkup, Places, visitor_mark
from yardstone.web.problems import RequestProblem, refusal

if TYPE_CHECKING:
    from yardstone.web.desk.app import DeskSettings

#: The format of the file: the only one that holds tables, byes and absences.
_FORMAT = "opengotha"
#: Seconds between two looks at a file that is asked for again and again.
_FRESH = 0.2


class RoundCount(NamedTuple):
    """Where a tournament stands.

    Rounds that are `planned`; the last one that is `paired`, 0 before the first, and its `open`
    results; the `next` round to pair, 0 when all are paired.
    """

    planned: int
    paired: int
    open: int
    next: int


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The tournament at a moment.

    `mark` differs whenever the file, or whether it can be read, differs. `trouble` says why the
    file cannot be read now; the tournament is then an older one.
    """

    tournament: Tournament
    mark: str
    trouble: str = ""
    pages: dict[str, bytes] = field(default_factory=dict, init=False)  #: Made so far, by addresses

    @cached_property
    def rounds(self) -> RoundCount:
        """Where it stands."""
        now = self.tournament
        paired = max((game.round for game in now.games), default=0)
        missing = [g for g in now.round_games(paired) if g.result is Result.unknown]
        following = now.next_round if now.next_round <= now.rounds else 0
        return RoundCount(now.rounds, paired, len(missing), following)


class WatchedFile:
    """A tournament's file, for many threads; raises InputError if it cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._looked = -1.0
        self._state: object = None
        self._steps: tuple[object, Sequence[JournalStep]] = (None, ())
        self.last = self._read()

    def snapshot(self, *, fresh: bool = False) -> Snapshot:
        """The tournament as it is now; `fresh` if no moment may have passed since the look."""
        with self._lock:
            now = time.monotonic()
            if not fresh and now - self._looked < _FRESH:
                return self.last
            self._looked = now
            state = _state(self.path)
            if state != self._state or self.last.trouble:
                try:
                    self.last = self._read()
                    self._state = state
                except InputError as error:
                    trouble = error.message
                    mark = hashlib.sha256(f"{self.last.mark}{trouble}".encode()).hexdigest()[:16]
                    if trouble != self.last.trouble:
                        self.last = replace(self.last, mark=mark, trouble=trouble)
            return self.last

    def change(self, step: Callable[[Tournament], EventChange], *, by: str = "") -> EventChange:
        """Take a step in the file, and say in the journal who took it.

        Raises YardstoneError if it is refused, or the file cannot be read or written.
        """
        sign = f"{by}: " if by else ""

        def signed(tournament: Tournament) -> EventChange:
            change = step(tournament)
            return replace(change, lines=tuple(sign + line for line in change.lines))

        change = change_file(self.path, signed)
        self.snapshot(fresh=True)
        return replace(change, lines=tuple(line.removeprefix(sign) for line in change.lines))

    def undo(self, number: int) -> EventChange:
        """Take back the last step; raises InputError if it is another one by now."""
        change = undo_step(self.path, number=number)
        self.snapshot(fresh=True)
        return change

    def steps(self) -> Sequence[JournalStep]:
        """What was changed, the last step first; raises InputError if nobody can read it."""
        state = _state(journal_of(self.path))
        with self._lock:
            if self._steps[0] != state or state is None:
                self._steps = (state, tuple(reversed(read_journal(self.path))))
            return self._steps[1]

    def _read(self) -> Snapshot:
        name = str(self.path)
        try:
            with self.path.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=name) from None
        form = format_of_bytes(data, name)
        if form.name != _FORMAT:
            raise InputError(
                f"the desk keeps its tournament in OpenGotha's XML, and this is {form.about}",
                file=name,
                hint="tournament convert makes one of it",
            )
        tournament = form.read(data, name)
        return Snapshot(tournament, hashlib.sha256(data).hexdigest()[:16])


def _state(path: Path) -> object:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


#: Simulated tournaments: a share is then known to within 3 per cent at worst.
_TOURNAMENTS = 1000
_NICENESS = 10


def _chances_page(tournament: Tournament) -> str:
    """The report on the chances of all players as a part of a page, made in another process."""
    from yardstone.reports.page import document_fragment
    from yardstone.reports.simulation import simulation_document
    from yardstone.tournament.forecast import Scenario, simulate_scenarios

    with context(workers=1):
        made = simulate_scenarios(Scenario(tournament=tournament), _TOURNAMENTS)
    return document_fragment(simulation_document(made))


class Chances:
    """The chances of the last state that somebody asked about."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._mark = ""
        self._work: Future[str] | None = None

    def ask(self, snapshot: Snapshot) -> tuple[str, str, bool]:
        """The report, why there is none, and whether it is still being made.

        Work that began for an older state is finished first, so that there is never more
        than one process, however often the tournament changes.
        """
        with self._lock:
            if self._work is None or (self._work.done() and self._mark != snapshot.mark):
                self._mark = snapshot.mark
                self._work = self._begun(replace(snapshot.tournament, document=None))
            work = self._work
        if not work.done():
            return "", "", True
        try:
            return work.result(), "", False
        except YardstoneError as error:
            return "", str(error), False
        except Exception:  # the process was killed: the next question starts another
            with self._lock:
                self._pool, self._work = None, None
            return "", "The simulation broke off. Load the page again.", False

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)

    def _begun(self, tournament: Tournament) -> Future[str]:
        """The work, in a new process if the last one was killed."""
        with suppress(BrokenProcessPool):
            if self._pool is not None:
                return self._pool.submit(_chances_page, tournament)
        self._pool = ProcessPoolExecutor(
            1, mp_context=get_context("spawn"), initializer=os.nice, initargs=(_NICENESS,)
        )
        return self._pool.submit(_chances_page, tournament)


#: Names of this machine; without a password no other is answered, whatever a browser was told
#: about the addresses of other names.
LOCAL_NAMES = ("127.0.0.1", "localhost")
#: Where a server listens on all addresses of the machine.
EVERY_HOST = ("0.0.0.0", "::")


def own_address() -> str:
    """The address of this machine in the network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


class Desk:
    """What the pages of a desk ask; once it `is_closing`, pages that watch are sent away."""

    def __init__(self, settings: DeskSettings) -> None:
        self.file = WatchedFile(settings.file)
        title = settings.title or self.file.last.tournament.name or "Tournament"
        self.settings = replace(settings, title=title)
        log = log_of(followed(settings.file))
        self.sessions = Sessions(settings.password, str(settings.file.resolve()), log)
        self.streams = Places()
        self.chances = Chances()
        #: Two threads for those who sign in: however many guess, the others stay for helpers.
        self.signing = ThreadPoolExecutor(2, "sign-in")
        self._reading, self._register = threading.Lock(), cache(read_register)
        self.is_closing: Callable[[], bool] = lambda: False
        self._secret = secrets.token_bytes(32)

    def checkup(self) -> Checkup:
        """Whether the file can be read."""
        trouble = self.file.snapshot().trouble
        return Checkup({}, [refusal("no_file/read", trouble=trouble)] if trouble else [])

    def client(self, request: Request) -> str:
        """A mark of who asks: a helper by the session, since a hall may have one address."""
        sessions = self.sessions
        if sessions.guarded and (helper := sessions.helper(request)) is not None:
            return helper.mark
        path, _, token = request.url.path.rpartition("/")
        if path == f"{self.settings.root_path}/join":
            with suppress(RequestProblem):
                return sessions.link(token).mark
        return visitor_mark(request, self._secret)

    def address(self, known: str) -> str:
        """The address of the desk as others reach it, from that of which a helper knows it."""
        place = urlsplit(known)
        if place.hostname in LOCAL_NAMES and self.settings.host in EVERY_HOST:
            port = f":{place.port}" if place.port else ""
            return place._replace(netloc=own_address() + port).geturl()
        return known

    def snapshot(self, round_number: int | None = None, player: int | None = None) -> Snapshot:
        """The tournament as it is now; refuses the address of a round or player it has not."""
        now = self.file.snapshot()
        rounds, players = now.tournament.rounds, len(now.tournament.players)
        for number, most in ((round_number, rounds), (player, players)):
            if number is not None and not 1 <= number <= most:
                raise refusal("not_found")
        return now

    def register(self) -> RatingRegister | None:
        """The federation's list, read when it is first asked for; None where there is none."""
        with self._reading:
            file = self.settings.register
            return None if file is None else self._register(file)
