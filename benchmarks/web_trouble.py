"""What befalls servers, workers, their database and the lines to it, drawn by lot."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from benchmarks.web_machines import Cluster, Machine
from tests.web.line import Line
from tests.web.postgres import FAST, IMMEDIATE, Postgres

__all__ = ["Trouble"]


class Trouble:
    """Faults, each of which ends by itself or is ended here.

    Args:
        postgres: The database.
        lines: Those to it, one for each machine.
        seed: Which decides everything that is drawn.
        seconds: How long a machine, the database or a line is away.

    Attributes:
        count: How often each fault was brought about.
    """

    def __init__(
        self,
        cluster: Cluster,
        postgres: Postgres,
        lines: Sequence[Line],
        seed: int,
        *,
        seconds: float = 2.0,
    ) -> None:
        self._cluster = cluster
        self._postgres = postgres
        self._lines = lines
        self._draw = random.Random(seed)
        self._seconds = seconds
        self.count: Counter[str] = Counter()
        self.faults: dict[str, Callable[[], None]] = {
            "worker killed": partial(self._kill, "worker"),
            "server killed": partial(self._kill, "server"),
            "machine of a worker lost": lambda: self._lose(cluster.workers),
            "machine of a server lost": lambda: self._lose(cluster.servers),
            "database restarted": lambda: postgres.restart(FAST, pause=0.5 * seconds),
            "database killed": lambda: postgres.restart(IMMEDIATE, pause=0.5 * seconds),
            "one line cut": lambda: self._break(self._one(), Line.cut),
            "all lines cut": lambda: self._break(lines, Line.cut),
            "one line silent": lambda: self._break(self._one(), Line.stall),
            "connections forgotten": lambda: self._break(lines, partial(Line.stall, forget=True)),
            "answer to a commit lost": self._lose_answers,
        }

    def once_each(self, pause: float) -> None:
        """All faults in some order, and so many seconds after each."""
        names = list(self.faults)
        self._draw.shuffle(names)
        for name in names:
            self.bring(name)
            time.sleep(pause)

    def bring(self, name: str | None = None) -> str:
        """One fault, drawn by lot if it is not named; its name."""
        name = name or self._draw.choice(list(self.faults))
        self.faults[name]()
        self.count[name] += 1
        return name

    def _one(self) -> list[Line]:
        return [self._draw.choice(self._lines)]

    def _kill(self, module: str) -> None:
        """Kill one process that its supervisor starts again."""
        machines = self._cluster.workers if module == "worker" else self._cluster.servers
        numbers = [number for machine in machines for number in machine.children(module)]
        if numbers:
            with suppress(ProcessLookupError):
                os.kill(self._draw.choice(numbers), signal.SIGKILL)

    def _lose(self, machines: list[Machine]) -> None:
        machine = self._draw.choice(machines)
        machine.off()
        time.sleep(self._seconds)
        machine.on()

    def _break(self, lines: Sequence[Line], how: Callable[[Line], None]) -> None:
        for line in lines:
            how(line)
        time.sleep(self._seconds)
        for line in lines:
            line.restore()

    def _lose_answers(self) -> None:
        """Everybody's next change is made without their learning it."""
        for line in self._lines:
            line.lose_answer(to=b"COMMIT")
