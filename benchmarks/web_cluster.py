"""Two hundred visitors of two servers and three workers that share a PostgreSQL.

``python -m benchmarks.web_cluster`` runs the same visitors three times, each time for
``--seconds``: against one server with its own file and three workers, against the two servers
and three workers with PostgreSQL, and against these while processes are killed, machines lost,
the database restarted and killed, and the lines to it cut, one after the other. A visitor sends a
list of results, all different, waits for its result, and sends the next. The database notes by
triggers what becomes of each job. Printed are jobs lost and done twice, and how long pages took
(the start page and the page of a result, asked for at both servers); all on one machine, with
PostgreSQL, which waits for the disk as it is set up to.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import queue
import random
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.measure import machine
from benchmarks.web_audit import Audit, account
from benchmarks.web_load import Asking, line, share
from benchmarks.web_machines import Cluster, cluster
from benchmarks.web_trouble import Trouble
from benchmarks.web_visitors import Load, Outcome
from tests.web.line import Line
from tests.web.postgres import Postgres
from tests.web.processes import Served
from tests.web.serving import small_results

#: Seconds between two looks of a visitor (the page without a script looks as often), before
#: the first fault, and between two.
LOOK, CALM, PAUSE = 3.0, 5.0, 3.0
LIMITS = {"requests_minute": 60_000, "posts_minute": 6000, "attempts": 100}
OPTIONS = [part for name, most in LIMITS.items() for part in ("--set", f"{name}={most}")]


class Visitors:
    """A load in a process of its own, until its outcome is asked for."""

    def __init__(self, urls: Sequence[str], visitors: int) -> None:
        fresh = multiprocessing.get_context("spawn")
        self._found, self._enough = fresh.Queue(), fresh.Event()
        arguments = (list(urls), visitors, LOOK, self._enough, self._found)
        self._process = fresh.Process(target=visit, args=arguments, daemon=True)
        self._process.start()

    def outcome(self) -> Outcome:
        """What became of the lists, once all visitors have their results."""
        self._enough.set()
        while True:
            ended = not self._process.is_alive()
            try:
                result: Outcome = self._found.get(timeout=1.0)
            except queue.Empty:
                if ended:
                    raise RuntimeError("the visitors broke off") from None
            else:
                self._process.join()
                return result


def visit(urls: list[str], visitors: int, look: float, enough: Any, found: Any) -> None:
    load = Load(urls, visitors, each=1, look=look, in_turn=True)

    def end() -> None:
        enough.wait()
        load.enough()

    threading.Thread(target=end, daemon=True).start()
    load.start()
    found.put(load.outcome())


def pages(urls: Sequence[str], path: str) -> list[str]:
    return [url + place for url in urls for place in ("/", path)]


def alone(folder: Path, visitors: int, seconds: float) -> list[float]:
    """One server, its file, and three workers of its own."""
    with Served(folder / "alone", "--workers", "3", *OPTIONS) as served:
        address = served.send([("r.csv", small_results())])
        served.done(address)
        asking = Asking(*pages([served.url], f"/r/{address}"))
        time.sleep(CALM)
        quiet, _ = asking.end()
        load = Visitors([served.url], visitors)
        asking = Asking(*pages([served.url], f"/r/{address}"))
        time.sleep(seconds)
        outcome = load.outcome()
        times, refused = asking.end()
    print(f"one server, a file: {len(outcome.jobs)} jobs, {dict(outcome.ended)}")
    print(line("  pages without load", quiet))
    print(line("  pages", times), f"refused {refused}")
    return times


def together(
    folder: Path, visitors: int, seconds: float, *, faults: bool, seed: int
) -> tuple[list[float], list[str]]:
    """Two servers and three workers with PostgreSQL: how long pages took, and what went wrong."""
    with ExitStack() as stack:
        postgres = Postgres(durable=True)
        stack.callback(postgres.remove)
        url = stack.enter_context(postgres.database())
        lines = [stack.enter_context(Line(postgres.port)) for _ in range(5)] if faults else []
        addresses = [each.address(url) for each in lines] or [url]
        machines = stack.enter_context(cluster(folder, addresses, *OPTIONS))
        machines.well()
        audit = Audit(url)
        before = machines.servers[0].send([("r.csv", small_results())])
        machines.servers[0].done(before)
        audit.forget()
        load = Visitors(machines.urls, visitors)
        asking = Asking(*pages(machines.urls, f"/r/{before}"))
        trouble = Trouble(machines, postgres, lines, seed)
        if faults:
            cause(trouble, time.monotonic() + seconds)
            machines.well()
        else:
            time.sleep(seconds)
        outcome = load.outcome()
        times, refused = asking.end()
        wrong = report(machines, outcome, audit, trouble)
        print(line("  pages", times), f"refused {refused}")
        return times, wrong


def cause(trouble: Trouble, end: float) -> None:
    """Bring about all faults in turn until the end, and each at least once."""
    time.sleep(CALM)
    while True:
        trouble.once_each(PAUSE)
        if time.monotonic() > end:
            return


def report(machines: Cluster, outcome: Outcome, audit: Audit, trouble: Trouble) -> list[str]:
    """Print what became of the jobs; what is wrong with it."""
    result = account(outcome, audit)
    print(f"two servers, three workers, PostgreSQL: {result.sent} jobs, {dict(outcome.ended)}")
    print(f"  lost {result.lost}, done twice {result.doubled}; begun {result.begun} times")
    print(f"  faults {trouble.count.total()}: {dict(trouble.count) or 'none'}")
    print(f"  tried again by visitors: {dict(outcome.again) or 'nothing'}")
    wrong = [*outcome.wrong, *outcome.different, *machines.complaints()]
    if result.lost or result.doubled:
        wrong.append(f"{result.lost} lost, {result.doubled} done twice")
    for words in wrong:
        print(f"  WRONG: {words[:500]}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--visitors", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1000))
    parser.add_argument("--only-faults", action="store_true", help="measure nothing else")
    arguments = parser.parse_args()
    os.environ["YARDSTONE_SERVE_NICENESS"] = "10"
    print(f"{machine()}; {arguments.visitors} visitors, seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result, wrong = [], []
        if not arguments.only_faults:
            result.append(alone(folder, arguments.visitors, arguments.seconds))
        for faults in (False, True)[arguments.only_faults :]:
            place = folder / f"faults {faults}"
            place.mkdir()
            times, found = together(
                place, arguments.visitors, arguments.seconds, faults=faults, seed=arguments.seed
            )
            result.append(times)
            wrong += found
    if len(result) == 3:
        first, second, third = (share(times, 0.95) for times in result)
        print(
            f"95 % end of the pages: two servers {second / first:.2f} times that of one with a "
            f"file; with faults {third / second:.2f} times that without"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
