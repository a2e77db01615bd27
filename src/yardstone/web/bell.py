"""Wakes the workers of this machine when there is a job, so that nobody waits for a look.

The table of jobs alone says what there is to do. A byte in a pipe, which the supervisor
makes and its processes share, only says that it is worth looking now: one that is lost costs
the time until the next look, one too many costs nothing.
"""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress

__all__ = ["Bell"]

#: Seconds between two looks of who may not hear it: workers of another supervisor.
_LONGEST = 0.25


class Bell:
    """A pipe with one ring a job.

    Parameters
    ----------
    ends : pair of int, optional
        Numbers of the pipe's ends for reading and writing, which another
        process may have made; without them nobody rings.
    """

    def __init__(self, ends: tuple[int, int] | None = None) -> None:
        self.ends = ends

    @property
    def longest(self) -> float:
        """Seconds between two looks at most."""
        return _LONGEST

    @classmethod
    def new(cls) -> Bell:
        """A bell whose ends can be handed to other processes."""
        ends = os.pipe()
        for end in ends:
            os.set_blocking(end, False)
        return cls(ends)

    def ring(self, jobs: int = 1) -> None:
        """Wake as many as there are new jobs."""
        if self.ends is not None:
            with suppress(BlockingIOError, BrokenPipeError):  # it is full: nobody sleeps
                os.write(self.ends[1], b"." * jobs)

    def wait(self, seconds: float) -> None:
        """Wait for a ring, and so many seconds at most."""
        if self.ends is None:
            time.sleep(seconds)
        elif select.select([self.ends[0]], [], [], seconds)[0]:
            with suppress(BlockingIOError):  # another worker was quicker
                os.read(self.ends[0], 1)

    def close(self) -> None:
        """Close the pipe."""
        for end in self.ends or ():
            os.close(end)
        self.ends = None
