"""Who will finish where, simulated in a process of its own, once for each state of the file."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context
from typing import TYPE_CHECKING

from yardstone.errors import YardstoneError

if TYPE_CHECKING:
    from yardstone.tournament.model import Tournament
    from yardstone.web.desk.watched_file import Snapshot

__all__ = ["Chances"]

#: Simulated tournaments: a share is then known to within 3 per cent at worst.
_TOURNAMENTS = 1000
_NICENESS = 10


def chances_page(tournament: Tournament) -> str:
    """The report on the chances of all players as a part of a page.

    Raises
    ------
    YardstoneError
        The tournament cannot be simulated, or is over.
    """
    from yardstone.reports.faces.page import document_fragment
    from yardstone.reports.tournament.simulation import simulation_document
    from yardstone.tournament.forecast import Scenario, simulate_scenarios

    made = simulate_scenarios(Scenario(tournament=tournament), _TOURNAMENTS, workers=1)
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
        try:
            return self._processes().submit(chances_page, tournament)
        except BrokenProcessPool:
            self._pool = None
            return self._processes().submit(chances_page, tournament)

    def _processes(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                1, mp_context=get_context("spawn"), initializer=os.nice, initargs=(_NICENESS,)
            )
        return self._pool
