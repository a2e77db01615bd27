"""Many matches at once: what is missing in a results file is played and appended to it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone import parallel
from yardstone.backgammon.gnubg import TIMEOUT, find_clock, find_gnubg, gnubg_version, same_gnubg
from yardstone.errors import InputError, WorkerError
from yardstone_lab.vandendoel.play import MatchJob, MatchSetting, play_match
from yardstone_lab.vandendoel.results_file import ResultsFile

if TYPE_CHECKING:
    from yardstone.parallel import Progress

__all__ = ["PlayedMatches", "default_processes", "in_rounds", "play_jobs"]

#: GNU Backgammon sleeps most of the time, so several processes share a core.
PROCESSES_A_CORE = 6
#: Matches of each setting that are played before the next setting's turn.
ROUND = 25


@dataclass(frozen=True, slots=True)
class PlayedMatches:
    """What a run did.

    Attributes
    ----------
    played, kept : int
        Matches played now, and those the file already had.
    failed : tuple of str
        The matches that failed, and why.
    """

    played: int
    kept: int
    failed: tuple[str, ...]


def default_processes() -> int:
    """Processes of GNU Backgammon that keep the cores of this machine busy."""
    return PROCESSES_A_CORE * parallel.available_cores()


def in_rounds(
    settings: Sequence[MatchSetting], matches: int, seed: int, *, first: int = 0, size: int = ROUND
) -> list[MatchJob]:
    """The jobs of all settings, a few matches of each in turn, so that all fill evenly."""
    return [
        MatchJob(setting, number, seed)
        for start in range(first, matches, size)
        for setting in settings
        for number in range(start, min(start + size, matches))
    ]


def play_jobs(
    jobs: Iterable[MatchJob],
    path: Path,
    *,
    program: Path | None = None,
    processes: int | None = None,
    frozen: bool = True,
    timeout: float = TIMEOUT,
    export: bool = False,
    progress: Progress | None = None,
) -> PlayedMatches:
    """Play the matches that a results file lacks; append each as it comes.

    A match that fails costs itself only: it becomes a line with ``failed``, and
    is tried again the next time. Ctrl-C, or a kill, leaves a file that the same call
    takes up again.

    Parameters
    ----------
    jobs : iterable of MatchJob
    path : Path
        The results file; made if it is not there.
    program : Path, optional
        GNU Backgammon.
    processes : int, optional
        How many run at a time; `default_processes` by default.
    frozen : bool
        Matches that can be repeated; needs libfaketime.
    timeout : float
        Seconds until a match is given up.
    export : bool
        Keep each match as text too.
    progress : callable, optional
        Called as ``progress(done, all)`` for the matches that are played now.

    Raises
    ------
    InputError
        GNU Backgammon or libfaketime is missing, or the file is no results file.
    """
    version = gnubg_version(find_gnubg(program))
    if frozen and find_clock() is None:
        raise InputError(
            "libfaketime is not installed, without which a match cannot be repeated",
            hint="apt-get install faketime, or ask for matches that cannot be repeated",
        )
    stop = parallel.StopEvent()
    with ResultsFile(path) as results:
        ordered = list(dict.fromkeys(jobs))
        todo = [job for job in ordered if job not in results.done]
        play = partial(
            _played,
            version=version,
            program=program,
            frozen=frozen,
            timeout=timeout,
            export=export,
            stop=stop,
        )

        def keep(job: MatchJob, record: dict[str, Any]) -> str | None:
            results.append(record)
            failure = record.get("failed")
            return None if failure is None else f"{job.setting}, match {job.number}: {failure}"

        try:
            reports: list[Any] = parallel.map(
                play,
                todo,
                workers=processes,
                cores=1 / PROCESSES_A_CORE,
                threads=True,
                receive=keep,
                resource="gnubg",
                progress=progress,
            )
        except BaseException:
            stop.set()
            raise
    failed = tuple(line for line in reports if line is not None)
    return PlayedMatches(len(todo) - len(failed), len(ordered) - len(todo), failed)


def _played(
    job: MatchJob,
    *,
    version: str,
    program: Path | None,
    frozen: bool,
    timeout: float,
    export: bool,
    stop: threading.Event,
) -> dict[str, Any]:
    """The line of a results file about a match that was played, or failed, on this machine."""
    there = same_gnubg(version, program)
    try:
        record = play_match(
            job, program=there, frozen=frozen, timeout=timeout, export=export, stop=stop
        )
    except WorkerError as error:
        about = {"number": job.number, "seed": job.seed, "failed": str(error)}
        return {**job.setting.as_record(), **about}
    return {**record, "program": version, "processor": processor()}


def processor() -> str:
    """Name of this machine's processor.

    The fourth digit of GNU Backgammon's statistics depends on it: most likely through
    the approximate reciprocal of its networks, which makers round in their own ways.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return os.uname().machine if hasattr(os, "uname") else "unknown"
