"""Visitors who send lists of results, all different, and see to it that each comes back right."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import requests

__all__ = ["Load", "Outcome", "Sent", "taken"]

#: Seconds that an answer may take, between two tries, and for which a visitor tries.
_ANSWER, _PAUSE, _PATIENCE = 60.0, 0.5, 600.0
Visitor = dict[str, str]
_ENDED = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Sent:
    """A list that was taken.

    Attributes:
        name: The player who occurs in this list only.
        job, path: The job, and its address on any server.
        owner: The key to change it.
    """

    name: str
    job: str
    path: str
    owner: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the lists of a load.

    Attributes:
        jobs: All that were taken, by their names.
        ended, again: Jobs by the status in which they ended; requests that were tried again, by the
            reason.
        wrong: Lists whose result is missing or is not theirs.
        different: Names of those whose results are not the same bytes from all servers.
    """

    jobs: dict[str, Sent]
    ended: Counter[str]
    again: Counter[str]
    wrong: list[str]
    different: list[str]


class Load:
    """Visitors of servers that share their jobs, and what they saw.

    Each request goes to a server drawn by lot. One that got no answer is sent again.

    Args:
        urls: The servers.
        visitors, each: How many visitors there are, and lists of each.
        games, players: Of a list.
        look: Seconds between two looks of a visitor.
        in_turn: Each visitor sends the next list when the result of the last one is there, and goes
            on after `each` until `enough` is called; else all lists are sent at once.
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
        in_turn: bool = False,
    ) -> None:
        self.urls = list(urls)
        self.visitors = visitors
        self.each = each
        self.games = games
        self.players = players
        self.look = look
        self.in_turn = in_turn
        self._lists = {
            (number, place): self._list(number, place)
            for number in range(visitors if not in_turn else 0)
            for place in range(each)
        }
        self._jobs: dict[str, Sent] = {}
        self._ended: Counter[str] = Counter()
        self._wrong: list[str] = []
        self._again: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._start = threading.Barrier(visitors + 1)
        self._enough = threading.Event()
        self._threads = [
            threading.Thread(target=self._visit, args=(number,), daemon=True)
            for number in range(visitors)
        ]

    def start(self) -> None:
        """Let all visitors begin at the same moment."""
        for thread in self._threads:
            thread.start()
        self._start.wait()

    def enough(self) -> None:
        """Let no visitor send more than they have to."""
        self._enough.set()

    def _visit(self, number: int) -> None:
        """Send all lists of one visitor, and wait for the results."""
        self._start.wait()
        draw = random.Random(number)
        visitor = {"X-Forwarded-For": f"192.0.2.{number % 256}"}
        try:
            waiting: list[Sent] = []
            for place in count():
                if place >= self.each and (self._enough.is_set() or not self.in_turn):
                    break
                waiting.append(self._send(draw, visitor, number, place))
                if self.in_turn:
                    self._await(draw, visitor, waiting)
            self._await(draw, visitor, waiting)
        except Exception as error:
            with self._lock:
                self._wrong.append(f"visitor {number}: {error!r}")

    def _send(self, draw: random.Random, visitor: Visitor, number: int, place: int) -> Sent:
        name = _name(number, place)
        # Sent again after a connection broke, it is the same job.
        headers = {**visitor, "Idempotency-Key": name}
        text = self._lists.get((number, place)) or self._list(number, place)
        files = {"files": (f"{name}.csv", text)}
        made = self._asked(draw, "POST", "/api/ratings", headers=headers, files=files).json()
        sent = Sent(name, made["id"], made["url"], made["owner"])
        with self._lock:
            self._jobs[name] = sent
        return sent

    def _await(self, draw: random.Random, visitor: Visitor, waiting: list[Sent]) -> None:
        """Wait until all of these have ended; then there are none."""
        while waiting:
            time.sleep(self.look)
            for sent in list(waiting):
                job = self._asked(draw, "GET", sent.path, headers=visitor).json()
                if job["status"] in _ENDED:
                    waiting.remove(sent)
                    self._check(sent.name, job)

    def _list(self, number: int, place: int) -> bytes:
        name, seed = _name(number, place), 1000 * number + place
        return _results(name, seed, self.games, self.players)

    def _check(self, name: str, job: dict[str, Any]) -> None:
        result = job["result"] or {"games": 0, "ratings": []}
        own = any(row["player"] == name for row in result["ratings"])
        with self._lock:
            self._ended[job["status"]] += 1
            if job["attempts"] > 1:
                self._again["begun anew"] += 1
            if not own or result["games"] != self.games:
                self._wrong.append(f"{name}: {job['status']}, {job['error']}")

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
                self._again[what] += 1
            time.sleep(pause)
        raise AssertionError(f"no answer: {path}")

    # In the end

    def outcome(self) -> Outcome:
        """Wait until all have their results, and compare those of the servers."""
        for thread in self._threads:
            thread.join()
        different = [
            sent.name
            for sent in self._jobs.values()
            if len({taken(url, f"{sent.path}/result.json") for url in self.urls}) != 1
        ]
        return Outcome(self._jobs, self._ended, self._again, self._wrong, different)


def taken(url: str, path: str) -> bytes:
    """What a server gives at a path."""
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
