"""Fifty visitors at once: no job lost or done twice, and the page answers meanwhile.

``python -m benchmarks.web_load`` starts `yardstone serve` in a folder of its own. Each
visitor sends lists of results, all different, at the same moment, while others ask for the
page again and again; in the middle a worker and the server are killed outright (not with
``--spare``). Then every result must be there, each with the games of its own list, and as
many jobs must have ended as were sent. Printed are the times of the page against those of
the same page without any load, and the most memory that each process took.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import sqlite3
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

from benchmarks.measure import machine
from tests.web.processes import Served
from tests.web.serving import small_results
from yardstone.web.memory import memory_of

#: Games of a list, and their players.
GAMES, PLAYERS = 4000, 40
#: Seconds between two looks of a visitor, and between two requests for the page.
LOOK, ASK = 1.0, 0.02
RETRIES = 100


class Load:
    """Visitors of a server, and what they saw."""

    def __init__(self, served: Served, visitors: int, each: int) -> None:
        self.served = served
        self.visitors = visitors
        self.each = each
        self.start = threading.Barrier(visitors + 1)
        self.lists = {
            f"player {number}-{place}": results(f"player {number}-{place}", number * 1000 + place)
            for number in range(visitors)
            for place in range(each)
        }
        self.jobs: dict[str, str] = {}
        self.results: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.again: Counter[str] = Counter()
        self.lock = threading.Lock()

    def visit(self, number: int) -> None:
        """Send all lists of one visitor, and wait for the results."""
        headers = {"X-Forwarded-For": f"192.0.2.{number}"}
        names = [f"player {number}-{place}" for place in range(self.each)]
        self.start.wait()
        mine: dict[str, str] = {}
        for name in names:
            send = partial(
                requests.post,
                self.served.url + "/api/ratings",
                files={"files": (f"{name}.csv", self.lists[name])},
                # Sent again after a connection broke, it is the same job.
                headers={**headers, "Idempotency-Key": name},
                timeout=60.0,
            )
            mine[self._asked(send)["id"]] = name
        with self.lock:
            self.jobs.update(mine)
        while mine:
            time.sleep(LOOK)
            for address, name in list(mine.items()):
                url = f"{self.served.url}/api/jobs/{address}"
                job = self._asked(partial(requests.get, url, headers=headers, timeout=60.0))
                if job["status"] in ("queued", "running"):
                    continue
                del mine[address]
                self._check(name, job)

    def _check(self, name: str, job: dict[str, Any]) -> None:
        result = job["result"] or {"games": 0, "ratings": []}
        own = any(row["player"] == name for row in result["ratings"])
        with self.lock:
            self.results[job["status"]] += 1
            if job["attempts"] > 1:
                self.again["begun anew"] += 1
            if not own or result["games"] != GAMES:
                self.wrong.append(f"{name}: {job['status']}, {job['error']}")

    def _asked(self, ask: Callable[[], requests.Response]) -> dict[str, Any]:
        """Ask until there is an answer: a server that is killed answers the next time."""
        for _ in range(RETRIES):
            with suppress(requests.RequestException):
                answer = ask()
                if answer.status_code < 300:
                    found: dict[str, Any] = answer.json()
                    return found
                with self.lock:
                    self.again[f"status {answer.status_code}"] += 1
                time.sleep(float(answer.headers.get("Retry-After", 0.5)))
                continue
            with self.lock:
                self.again["broken connections"] += 1
            time.sleep(0.5)
        raise RuntimeError("the server does not answer")


def results(name: str, seed: int) -> bytes:
    """A list of games in which a player of this name occurs."""
    draw = random.Random(seed)
    players = [name, *(f"other {number}" for number in range(PLAYERS - 1))]
    rows = ["white,black,score"]
    for game in range(GAMES):
        first, second = draw.sample(players, 2) if game else (players[0], players[1])
        rows.append(f"{first},{second},{draw.choice(('1', '0', '0.5'))}")
    return "\n".join(rows).encode() + b"\n"


def page_times(url: str, stop: Any, found: Any) -> None:
    """Put the seconds that the page takes, asked for again and again, into a queue at the end.

    A process of its own does this, so that it waits for nobody but the server.
    """
    place = urlsplit(url)
    times = []
    while not stop.wait(ASK):
        begun = time.perf_counter()
        with suppress(OSError, HTTPException):
            line = HTTPConnection(place.hostname or "", place.port, timeout=60.0)
            with closing(line):
                line.request("GET", "/", headers=BROWSER)
                answer = line.getresponse()
                answer.read()
                if answer.status == 200:
                    times.append(time.perf_counter() - begun)
    found.put(sorted(times))


class Asking:
    """Someone who asks for the page until the end."""

    def __init__(self, url: str) -> None:
        fresh = multiprocessing.get_context("spawn")
        self._stop, self._found = fresh.Event(), fresh.Queue()
        self._process = fresh.Process(target=page_times, args=(url, self._stop, self._found))
        self._process.start()

    def end(self) -> list[float]:
        """The times, sorted."""
        self._stop.set()
        times: list[float] = self._found.get(timeout=120.0)
        self._process.join()
        return times


BROWSER = {"Accept": "text/html", "X-Forwarded-For": "198.51.100.1"}


def share(times: list[float], part: float) -> float:
    return times[min(int(part * len(times)), len(times) - 1)] if times else float("nan")


def line(what: str, times: list[float]) -> str:
    parts = ", ".join(f"{100 * p:g} % {1000 * share(times, p):6.1f}" for p in (0.5, 0.95, 0.99))
    return f"{what:<28} {parts} ms ({len(times):,})"


def waits(served: Served, jobs: int = 30) -> list[float]:
    """Seconds that jobs which come one by one wait for a worker with nothing to do, sorted."""
    addresses = []
    for number in range(jobs):
        addresses.append(served.send([("r.csv", small_results(f"Ann {number}"))]))
        served.done(addresses[-1])
        time.sleep(0.4 * random.random())
    with closing(sqlite3.connect(served.data / "jobs.sqlite")) as table:
        rows = table.execute("SELECT id, started - created FROM jobs").fetchall()
    return sorted(seconds for address, seconds in rows if address in addresses)


def watch(served: Served, stop: threading.Event, most: dict[str, int]) -> None:
    """Note the most memory of each kind of process."""
    while not stop.wait(0.2):
        for kind in ("server", "worker"):
            with suppress(OSError):
                for number in served.children(kind):
                    most[kind] = max(most[kind], memory_of(number))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--each", type=int, default=4, help="lists of each visitor")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--spare", action="store_true", help="kill no process")
    arguments = parser.parse_args()
    limits = {"requests_minute": 60_000, "posts_minute": 6000}
    options = [part for pair in limits.items() for part in ("--limit", f"{pair[0]}={pair[1]}")]
    os.environ["YARDSTONE_SERVE_NICENESS"] = "10"
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "served"
        with Served(data, "--workers", str(arguments.workers), *options) as served:
            asking = Asking(served.url)
            time.sleep(8.0)
            quiet = asking.end()
            waited = waits(served)
            load = Load(served, arguments.visitors, arguments.each)
            threads = [
                threading.Thread(target=load.visit, args=(number,), daemon=True)
                for number in range(arguments.visitors)
            ]
            stop, most = threading.Event(), defaultdict[str, int](int)
            watching = threading.Thread(target=watch, args=(served, stop, most))
            for thread in (*threads, watching):
                thread.start()
            asking = Asking(served.url)
            time.sleep(2.0)
            load.start.wait()
            begun = time.perf_counter()
            if not arguments.spare:
                time.sleep(3.0)
                for kind in ("worker", "server"):
                    served.kill(kind)
            for thread in threads:
                thread.join()
            took = time.perf_counter() - begun
            stop.set()
            times = asking.end()
            watching.join()
            ended = counted(served)
            log = (data.parent / "served.log").read_text()
            report(arguments, load, took, ended)
            print(line("a job alone, until it begins", waited))
            print(line("the page without load", quiet))
            print(line("the page under load", times))
            print(f"ratio of the 95 % ends: {share(times, 0.95) / share(quiet, 0.95):.1f}")
            print("most memory: " + ", ".join(f"{k} {v / 1e6:.0f} MB" for k, v in most.items()))
            print(f"processes started: {log.count('started')}")


def counted(served: Served) -> int:
    """How many jobs ended, by the server's own count."""
    name = 'yardstone_jobs_ended_total{kind="results",status="done"}'
    text = served.get("/metrics").text
    return int(next(row for row in text.splitlines() if row.startswith(name)).split()[-1])


def report(arguments: argparse.Namespace, load: Load, took: float, ended: int) -> None:
    sent = arguments.visitors * arguments.each
    killed = "nothing killed" if arguments.spare else "a worker and the server killed"
    print(
        f"{machine()}; {arguments.visitors} visitors, {sent} lists of {GAMES:,} games, "
        f"{arguments.workers} workers, {killed}"
    )
    print(f"all done after {took:.1f} s, {sent / took:.1f} jobs a second")
    print(f"sent {len(load.jobs)}, results {dict(load.results)}, wrong {load.wrong or 'none'}")
    print(f"ended by the server's count, with those alone: {ended}")
    print(f"tried again: {dict(load.again) or 'nothing'}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
