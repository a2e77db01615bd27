"""Visitors who send lists of results, all different, and see to it that each comes back right."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import requests

__all__ = ["Load", "Sent"]

#: Seconds that an answer may take, between two tries, and for which a visitor tries.
_ANSWER, _PAUSE, _PATIENCE = 60.0, 0.5, 600.0
_ENDED = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Sent:
    """A list that was taken.

    Attributes
    ----------
    name : str
        The player who occurs in this list only.
    path : str
        The address of its job, on any server.
    owner : str
        The key to change it.
    """

    name: str
    path: str
    owner: str


class Load:
    """Visitors of servers that share their jobs, and what they saw.

    Each request goes to a server drawn by lot. One that got no answer is sent again.

    Parameters
    ----------
    urls : sequence of str
        The servers.
    visitors, each : int
        How many visitors there are, and lists of each.
    games, players : int
        Of a list.
    look : float
        Seconds between two looks of a visitor.
    """

    def __init__(
        self,
        urls: Sequence[str],
        visitors: int,
        each: int,
        *,
        games: int = 4000,
        players: int = 40,
        look: float = 1.0,
    ) -> None:
        self.urls = list(urls)
        self.visitors = visitors
        self.each = each
        self.games = games
        self.look = look
        self.lists = {
            _name(number, place): _results(
                _name(number, place), 1000 * number + place, games, players
            )
            for number in range(visitors)
            for place in range(each)
        }
        self.jobs: dict[str, Sent] = {}
        self.ended: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.again: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._start = threading.Barrier(visitors + 1)
        self._threads = [
            threading.Thread(target=self._visit, args=(number,), daemon=True)
            for number in range(visitors)
        ]

    def start(self) -> None:
        """Let all visitors begin at the same moment."""
        for thread in self._threads:
            thread.start()
        self._start.wait()

    @property
    def going(self) -> bool:
        """Whether someone still waits."""
        return any(thread.is_alive() for thread in self._threads)

    def wait(self) -> None:
        """Wait until all have their results."""
        for thread in self._threads:
            thread.join()

    def _visit(self, number: int) -> None:
        """Send all lists of one visitor, and wait for the results."""
        self._start.wait()
        draw = random.Random(number)
        visitor = {
            "X-Forwarded-For": f"192.0.2.{number}" if number < 256 else f"2001:db8::{number}"
        }
        try:
            waiting = []
            for place in range(self.each):
                waiting.append(self._send(draw, visitor, _name(number, place)))
                with self._lock:
                    self.jobs[waiting[-1].name] = waiting[-1]
            while waiting:
                time.sleep(self.look)
                for sent in list(waiting):
                    job = self._asked(draw, "GET", sent.path, headers=visitor).json()
                    if job["status"] in _ENDED:
                        waiting.remove(sent)
                        self._check(sent.name, job)
        except Exception as error:
            with self._lock:
                self.wrong.append(f"visitor {number}: {error!r}")

    def _send(self, draw: random.Random, visitor: dict[str, str], name: str) -> Sent:
        # Sent again after a connection broke, it is the same job.
        headers = {**visitor, "Idempotency-Key": name}
        files = {"files": (f"{name}.csv", self.lists[name])}
        made = self._asked(draw, "POST", "/api/ratings", headers=headers, files=files).json()
        return Sent(name, made["url"], made["owner"])

    def _check(self, name: str, job: dict[str, Any]) -> None:
        result = job["result"] or {"games": 0, "ratings": []}
        own = any(row["player"] == name for row in result["ratings"])
        with self._lock:
            self.ended[job["status"]] += 1
            if job["attempts"] > 1:
                self.again["begun anew"] += 1
            if not own or result["games"] != self.games:
                self.wrong.append(f"{name}: {job['status']}, {job['error']}")

    def _asked(self, draw: random.Random, method: str, path: str, **more: Any) -> requests.Response:
        """Ask until there is an answer: a server that is killed answers the next time."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            pause = _PAUSE
            try:
                url = draw.choice(self.urls) + path
                answer = requests.request(method, url, timeout=_ANSWER, **more)
                if answer.status_code < 300:
                    return answer
                what = f"status {answer.status_code}"
                if answer.status_code not in (429, 503):
                    what += f": {answer.text[:200]}"
                pause = min(float(answer.headers.get("Retry-After", _PAUSE)), 5.0)
            except requests.RequestException:
                what = "broken connections"
            with self._lock:
                self.again[what] += 1
            time.sleep(pause)
        raise AssertionError(f"no answer: {path}")

    # In the end

    def compare(self, take: Callable[[str, str], bytes]) -> list[str]:
        """Names of the lists whose results are not the same bytes from all servers.

        Parameters
        ----------
        take : callable
            Gets the bytes at the address of a server and a path.
        """
        return [
            sent.name
            for sent in self.jobs.values()
            if len({take(url, f"{sent.path}/result.json") for url in self.urls}) != 1
        ]


def taken(url: str, path: str) -> bytes:
    """What a server gives."""
    answer = requests.get(url + path, timeout=_ANSWER)
    assert answer.status_code == 200, answer.text
    return answer.content


def _name(number: int, place: int) -> str:
    return f"player {number}-{place}"


def _results(name: str, seed: int, games: int, players: int) -> bytes:
    """A list of games in which a player of this name occurs."""
    draw = random.Random(seed)
    names = [name, *(f"other {number}" for number in range(players - 1))]
    rows = ["white,black,score"]
    for game in range(games):
        first, second = draw.sample(names, 2) if game else (names[0], names[1])
        rows.append(f"{first},{second},{draw.choice(('1', '0', '0.5'))}")
    return "\n".join(rows).encode() + b"\n"
