"""A hall full of phones: idle connections and guesses, while helpers enter results."""

from __future__ import annotations

import io
import random
import resource
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import requests
from requests.adapters import HTTPAdapter

from tests.web.desks import DeskProcess, Helper
from tests.web.processes import Served
from yardstone.cli.main import main
from yardstone.tournament.files import read_tournament
from yardstone.tournament.model import Result

#: Idle connections, wrong passwords a minute, and the addresses that both come from.
IDLE, GUESSES, ADDRESSES = 5000, 1000, 50
#: Seconds in which 99 of 100 answers must have come, and after which a helper gives up.
GOAL, _PATIENCE = 1.0, 15.0
HELPERS, PLAYERS = 8, 64
#: Idle connections that are opened anew in a second, where the server closes them.
_AGAIN = 500
_SCORES = {Result.first_wins: "1-0", Result.second_wins: "0-1"}
_BEGUN = b"POST /sign-in HTTP/1.1\r\nHost: hall\r\nContent-Length: 9\r\n"


class _From(HTTPAdapter):
    """Connections from one address of this machine."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *args: Any, **more: Any) -> None:
        super().init_poolmanager(*args, source_address=(self._address, 0), **more)


def helper_at(url: str, address: str) -> Helper:
    helper = Helper(url)
    helper.session.mount("http://", _From(address))
    return helper


def keep_idle(url: str, number: int, told: Any) -> None:
    """Hold connections that send nothing, half a request or a whole one, and open them anew."""
    place = urlsplit(url)
    target = (place.hostname or "", place.port or 0)
    lines: list[socket.socket] = []
    while True:
        begin = time.monotonic()
        for line in list(lines):
            with suppress(BlockingIOError):
                try:
                    closed = line.recv(1 << 16) == b""
                except ConnectionError:
                    closed = True
                if closed:
                    line.close()
                    lines.remove(line)
        for _ in range(min(_AGAIN, number - len(lines))):
            line = socket.socket()
            try:
                line.settimeout(1.0)
                line.bind((f"127.0.1.{1 + random.randrange(ADDRESSES)}", 0))
                line.connect(target)
                line.sendall(
                    random.choice((b"", _BEGUN, b"GET /health HTTP/1.1\r\nHost: hall\r\n\r\n"))
                )
                line.setblocking(False)
            except OSError:
                line.close()
                break
            lines.append(line)
        told.value = len(lines)
        time.sleep(max(0.0, 1.0 - (time.monotonic() - begin)))


def keep_guessing(url: str, minute: int, told: Any) -> None:
    """Send wrong passwords from each address in turn."""

    def guess(number: int) -> None:
        helper = helper_at(url, f"127.0.1.{1 + number}")
        time.sleep(random.random() * 60 * ADDRESSES / minute)
        while True:
            begin = time.monotonic()
            with suppress(requests.RequestException):
                helper.sign_in("guesser", f"wrong {random.random()}")
            told.value += 1
            time.sleep(max(0.0, 60 * ADDRESSES / minute - (time.monotonic() - begin)))

    with ThreadPoolExecutor(ADDRESSES) as pool:
        list(pool.map(guess, range(ADDRESSES)))


@contextmanager
def attacked(url: str, attack: Callable[..., None], number: int, enough: int) -> Iterator[Any]:
    """Have another process attack; waits until it has begun, if it can."""
    spawn = get_context("spawn")
    told = spawn.Value("i", 0)
    process = spawn.Process(target=attack, args=(url, number, told), daemon=True)
    process.start()
    end = time.monotonic() + 40
    while told.value < enough and time.monotonic() < end:
        time.sleep(0.1)
    try:
        yield told
    finally:
        process.kill()
        process.join()


@dataclass
class Times:
    """How long answers took, and what went wrong."""

    sign_in: list[float] = field(default_factory=list)
    result: list[float] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)

    def take(self, kind: str, ask: Callable[[], int], right: int) -> bool:
        begin = time.monotonic()
        try:
            said = str(ask())
        except requests.RequestException as error:
            said = type(error).__name__
        getattr(self, kind).append(time.monotonic() - begin)
        if said != str(right):
            self.refused[said] = self.refused.get(said, 0) + 1
        return said == str(right)

    def row(self, load: str) -> dict[str, Any]:
        asked = len(self.sign_in) + len(self.result)
        slow = [float(np.quantile(times or [0.0], 0.99)) for times in (self.sign_in, self.result)]
        refused = sum(self.refused.values())
        return {
            "load": load, "asked": asked, "refused": refused, "how": self.refused,
            "sign-in": round(slow[0], 2), "result": round(slow[1], 2),
            "kept": refused == 0 and max(slow) < GOAL,
        }  # fmt: skip


def work(desk: DeskProcess, seconds: float) -> Times:
    """Have helpers sign in and enter results, each at tables of their own."""
    made = read_tournament(desk.file)
    games = [
        ((made.name_of(game.first), made.name_of(game.second)), game.result)
        for game in made.round_games(1)
    ]
    times, end = Times(), time.monotonic() + seconds

    def help_out(number: int) -> None:
        shown = {pair: _SCORES.get(result, "") for pair, result in games[number::HELPERS]}
        while time.monotonic() < end:
            helper = helper_at(desk.url, f"127.0.2.{1 + number}")
            times.take("sign_in", lambda: helper.sign_in(f"H{number}").status_code, 200)  # noqa: B023
            for pair in shown:
                wanted = "0-1" if shown[pair] == "1-0" else "1-0"
                fields = (1, *pair, wanted, shown[pair] or "?")
                if times.take("result", lambda: helper.result(*fields), 303):  # noqa: B023
                    shown[pair] = wanted
                time.sleep(0.1)

    with ThreadPoolExecutor(HELPERS) as pool:
        list(pool.map(help_out, range(HELPERS)))
    return times


def crowd(url: str, helpers: int) -> Times:
    """Have so many helpers sign in from one address, as those of a hall behind one router do."""
    times = Times()
    with ThreadPoolExecutor(20) as pool:
        for _ in pool.map(
            lambda number: times.take(
                "sign_in",
                lambda: helper_at(url, "127.0.3.1").sign_in(f"H{number}").status_code,
                200,
            ),
            range(helpers),
        ):
            pass
    return times


def made_event(folder: Path, players: int = PLAYERS) -> Path:
    """A tournament whose first round is paired."""
    file, table = folder / "cup.xml", folder / "players.csv"
    rows = [f"Player N{n:03},{1 + n % 20}k" for n in range(players)]
    table.write_text("\n".join(["name,grade", *rows, ""]))
    for words in (("new", "--rounds", "5"), ("enter", str(table)), ("pair", "-o", str(file), "-q")):
        with redirect_stdout(io.StringIO()):
            assert main(["tournament", words[0], str(file), *words[1:]]) == 0
    return file


def measure(folder: Path, seconds: float = 20.0, idle: int = IDLE) -> Iterator[dict[str, Any]]:
    """A row for each load: of the desk by its helpers, of `serve` by who loads its first page."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # the server's, too
    idle = min(idle, most - 500)
    with DeskProcess(made_event(folder)) as desk:
        yield work(desk, seconds).row("nothing else")
        with attacked(desk.url, keep_idle, idle, idle) as held:
            yield {**work(desk, seconds).row(f"{idle:,} idle connections"), "held": held.value}
        time.sleep(1.0)
        with attacked(desk.url, keep_guessing, GUESSES, ADDRESSES):
            yield work(desk, seconds).row(f"{GUESSES:,} wrong passwords a minute")
            with attacked(desk.url, keep_idle, idle, idle) as held:
                yield {**work(desk, seconds).row("both"), "held": held.value}
    with DeskProcess(folder / "cup.xml") as desk:
        yield crowd(desk.url, 200).row("200 helpers of one address sign in")
    with Served(folder / "served") as served:
        for load, number in (
            ("serve: nothing else", 0),
            (f"serve: {idle:,} idle connections", idle),
        ):
            with attacked(served.url, keep_idle, number, number):
                times, end = Times(), time.monotonic() + seconds / 2
                while time.monotonic() < end:
                    visitor = helper_at(served.url, "127.0.2.1")
                    times.take("result", lambda: visitor.get("/").status_code, 200)  # noqa: B023
                    time.sleep(0.05)
                yield times.row(load)
