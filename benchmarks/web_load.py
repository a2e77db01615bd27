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
from collections import defaultdict
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.measure import machine
from benchmarks.web_visitors import Load, Outcome
from tests.web.processes import Served
from tests.web.serving import small_results
from yardstone.memory import memory_of

#: Seconds between two requests for the page.
ASK = 0.02


def page_times(addresses: list[str], stop: Any, found: Any) -> None:
    """Put the seconds that pages take, asked for in turn again and again, into a queue at the end.

    With them goes how many were not answered well. A process of its own does this, so that it
    waits for nobody but the server.
    """
    times: list[float] = []
    refused = 0
    for address in cycle(addresses):
        if stop.wait(ASK):
            break
        place = urlsplit(address)
        begun = time.perf_counter()
        try:
            line = HTTPConnection(place.hostname or "", place.port, timeout=60.0)
            with closing(line):
                line.request("GET", place.path, headers=BROWSER)
                answer = line.getresponse()
                answer.read()
                well = answer.status == 200
        except (OSError, HTTPException):
            well = False
        if well:
            times.append(time.perf_counter() - begun)
        refused += not well
    found.put((sorted(times), refused))


class Asking:
    """Someone who asks for pages until the end."""

    def __init__(self, *addresses: str) -> None:
        fresh = multiprocessing.get_context("spawn")
        self._stop, self._found = fresh.Event(), fresh.Queue()
        arguments = (list(addresses), self._stop, self._found)
        self._process = fresh.Process(target=page_times, args=arguments, daemon=True)
        self._process.start()

    def end(self) -> tuple[list[float], int]:
        """The times, sorted, and how many answers were refusals or broke off."""
        self._stop.set()
        result: tuple[list[float], int] = self._found.get(timeout=120.0)
        self._process.join()
        return result


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
    options = [part for pair in limits.items() for part in ("--set", f"{pair[0]}={pair[1]}")]
    os.environ["YARDSTONE_SERVE_NICENESS"] = "10"
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "served"
        with Served(data, "--workers", str(arguments.workers), *options) as served:
            asking = Asking(served.url + "/")
            time.sleep(8.0)
            quiet, _ = asking.end()
            waited = waits(served)
            load = Load([served.url], arguments.visitors, arguments.each)
            stop, most = threading.Event(), defaultdict[str, int](int)
            watching = threading.Thread(target=watch, args=(served, stop, most))
            watching.start()
            asking = Asking(served.url + "/")
            time.sleep(2.0)
            load.start()
            begun = time.perf_counter()
            if not arguments.spare:
                time.sleep(3.0)
                for kind in ("worker", "server"):
                    served.kill(kind)
            outcome = load.outcome()
            took = time.perf_counter() - begun
            stop.set()
            times, _ = asking.end()
            watching.join()
            ended = counted(served)
            log = (data.parent / "served.log").read_text()
            report(arguments, load.games, outcome, took, ended)
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


def report(
    arguments: argparse.Namespace, games: int, outcome: Outcome, took: float, ended: int
) -> None:
    sent = arguments.visitors * arguments.each
    killed = "nothing killed" if arguments.spare else "a worker and the server killed"
    print(
        f"{machine()}; {arguments.visitors} visitors, {sent} lists of {games:,} games, "
        f"{arguments.workers} workers, {killed}"
    )
    print(f"all done after {took:.1f} s, {sent / took:.1f} jobs a second")
    print(
        f"sent {len(outcome.jobs)}, results {dict(outcome.ended)}, wrong {outcome.wrong or 'none'}"
    )
    print(f"ended by the server's count, with those alone: {ended}")
    print(f"tried again: {dict(outcome.again) or 'nothing'}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
