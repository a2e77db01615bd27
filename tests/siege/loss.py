"""Nothing lost, nothing twice: processes are killed and refused while others store results."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
import sqlalchemy

from tests.siege.hall import helper_at, made_event
from tests.web.desks import DeskProcess
from tests.web.postgres import IMMEDIATE, Postgres
from tests.web.processes import Served, until
from tests.web.serving import small_results
from yardstone.tournament.event.file import read_journal
from yardstone.tournament.files import read_tournament

#: Seconds after which a helper asks again.
_PATIENCE = 10.0
#: Seconds after which a job whose worker and supervisor are both killed is begun anew.
_LEASE = 10.0
HELPERS, PLAYERS = 6, 48
_CHECK = {"1-0": "first_wins", "0-1": "second_wins"}

Row = dict[str, Any]


@dataclass
class Blows:
    """What is done to the processes, at random and one after another."""

    ways: Mapping[str, Callable[[], object]]
    pause: float  #: Seconds between two, at most.
    done: Counter[str] = field(default_factory=Counter)
    errors: list[Exception] = field(default_factory=list)

    @contextmanager
    def falling(self) -> Iterator[None]:
        """Let them fall while the block runs."""
        over = threading.Event()

        def strike() -> None:
            struck = False  # the first falls at once, however soon all is done
            while not (struck and over.wait(random.uniform(0.2, self.pause))):
                struck = True
                way = random.choice(sorted(self.ways))
                try:
                    self.ways[way]()
                except Exception as error:
                    self.errors.append(error)
                    return
                self.done[way] += 1

        thread = threading.Thread(target=strike)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
        if self.errors:
            raise self.errors[0]

    def row(self, what: str, taken: int, lost: int, twice: int) -> Row:
        blows = ", ".join(f"{number} × {way}" for way, number in sorted(self.done.items()))
        kept = not lost and not twice and taken > 0
        return {"what": what, "blows": blows, "acknowledged": taken, "lost": lost, "twice": twice,
                "kept": kept}  # fmt: skip


def no_room(process: subprocess.Popen[str]) -> None:
    """Let no file of a process grow, for a while, as on a full disk."""
    with suppress(ProcessLookupError):
        before = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, before[1]))
        time.sleep(0.5)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, before)


def insist(ask: Callable[[], int], right: int, enough: Callable[[], bool]) -> bool:
    """Ask until it is answered as it should be, or it is over."""
    while not enough():
        with suppress(requests.RequestException):
            if ask() == right:
                return True
        time.sleep(0.2)
    return False


def at_the_desk(folder: Path, seconds: float, players: int = PLAYERS, rounds: int = 5) -> Row:
    """Helpers enter the results of round after round, and enter again what was not answered."""
    with DeskProcess(made_event(folder, players)) as desk:
        taken: dict[tuple[int, str, str], str] = {}
        end = time.monotonic() + seconds

        def kill() -> None:
            desk.end(signal.SIGKILL)
            desk.start()

        helpers = [helper_at(desk.url, f"127.0.2.{1 + number}") for number in range(HELPERS)]

        def asking(number: int, ask: Callable[[], int]) -> Callable[[], int]:
            def signed() -> int:
                if not helpers[number].key:
                    helpers[number].sign_in(f"H{number}")
                if (status := ask()) in (401, 403):
                    helpers[number].key = ""
                return status

            return signed

        def enter(number: int, games: list[tuple[int, str, str]]) -> None:
            for game in games:
                result = random.choice(("1-0", "0-1"))
                ask = asking(number, lambda: helpers[number].result(*game, result))  # noqa: B023
                if insist(ask, 303, lambda: time.monotonic() > end):
                    taken[game] = result

        def paired(number: int) -> bool:
            return bool(read_tournament(desk.file).round_games(number))

        def pair(number: int) -> int:
            helpers[0].pair(number)
            return 303

        blows = Blows({"kill -9": kill, "disk full": lambda: no_room(desk.process)}, seconds / 30)
        with blows.falling(), ThreadPoolExecutor(HELPERS) as pool:
            for number in range(1, rounds + 1):
                made = read_tournament(desk.file)
                games = [
                    (number, made.name_of(game.first), made.name_of(game.second))
                    for game in made.round_games(number)
                ]
                list(pool.map(enter, range(HELPERS), (games[n::HELPERS] for n in range(HELPERS))))
                while number < rounds and time.monotonic() < end and not paired(number + 1):
                    with suppress(requests.RequestException, AssertionError, IndexError):
                        asking(0, lambda: pair(number + 1))()  # noqa: B023
                if time.monotonic() > end:
                    break
    made = read_tournament(desk.file)
    stands = Counter(
        (game.round, made.name_of(game.first), made.name_of(game.second), game.result.name)
        for game in made.games
    )
    lost = sum((*game, _CHECK[result]) not in stands for game, result in taken.items())
    twice = sum(number - 1 for number in stands.values())
    steps = [step.what for step in read_journal(desk.file)]
    for number, *names in taken:
        at = f"Round {number}, "
        told = [each for each in steps if at in each and all(map(each.count, names))]
        twice += max(0, len(told) - 1)
    return blows.row("the desk", len(taken), lost, twice)


class _Restarted(Served):
    """A server whose supervisor may be killed, and is started again."""

    def __init__(self, data: Path, *options: str) -> None:
        self.options = ("--workers", "1", "--set", "attempts=100", *options)
        super().__init__(data, *self.options, lease=_LEASE)

    def kill_all(self) -> None:
        self.end(signal.SIGKILL)
        self.process, self.errors = self.start(
            self.data, "--port", "0", *self.options, lease=_LEASE
        )
        self.url = self.told()


def at_the_server(folder: Path, seconds: float, postgres: Postgres | None = None) -> Row:
    """Visitors send files until they are taken; each is done in the end, once."""
    with ExitStack() as stack:
        url = stack.enter_context(postgres.database()) if postgres is not None else ""
        options = ("--database", url) if url else ()
        served = stack.enter_context(_Restarted(folder / "served", *options))
        end, taken, sent = time.monotonic() + seconds, dict[str, str](), set[str]()

        def visit(number: int) -> None:
            for job in range(10_000):
                name, data = f"{number}-{job}", small_results(f"A{number}", f"B{job}")
                sent.add(name)

                def ask() -> int:
                    answer = requests.post(
                        f"{served.url}/api/jobs", files=[("files", (f"{name}.csv", data))],  # noqa: B023
                        headers={"Idempotency-Key": name}, timeout=_PATIENCE,  # noqa: B023
                    )  # fmt: skip
                    if answer.status_code == 202:
                        taken[name] = str(answer.json()["id"])  # noqa: B023
                    return answer.status_code

                if not insist(ask, 202, lambda: time.monotonic() > end):
                    return
                time.sleep(0.5)

        def kill(module: str) -> None:
            for number in served.children(module)[:1]:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)

        ways: dict[str, Callable[[], object]] = {
            "kill -9 worker": lambda: kill("worker"),
            "kill -9 server": lambda: kill("server"),
            "kill -9 supervisor": served.kill_all,
        }
        if postgres is not None:
            ways["PostgreSQL gone"] = lambda: postgres.restart(IMMEDIATE, pause=0.5)
        blows = Blows(ways, 4.0)
        with blows.falling(), ThreadPoolExecutor(3) as pool:
            list(pool.map(visit, range(3)))
        waiting = set(taken.values())
        patience = time.monotonic() + 10 * seconds
        lost = 0
        while waiting and time.monotonic() < patience:
            states = {job: until(lambda: served.job(job), "an answer") for job in waiting}  # noqa: B023
            waiting = {
                job for job, told in states.items() if told["status"] in ("queued", "running")
            }
            lost += sum(
                told["status"] not in ("queued", "running", "done")
                or (told["status"] == "done" and told["result"]["games"] != 4)
                for told in states.values()
            )
            time.sleep(0.5)
        engine = sqlalchemy.create_engine(
            url.replace("://", "+psycopg://") or f"sqlite:///{folder}/served/jobs.sqlite"
        )
        with engine.connect() as base:
            jobs = int(base.scalar(sqlalchemy.text("SELECT count(*) FROM jobs")))
        engine.dispose()
        what = "`serve` with PostgreSQL" if url else "`serve` with SQLite"
        twice = max(0, jobs - len(sent)) + len(taken) - len({*taken.values()})
        return blows.row(what, len(taken), lost + len(waiting), twice)
