"""Keeps one visitor from asking so much that others wait."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from yardstone.web.problems import RequestProblem
from yardstone.web.settings import Limits

__all__ = ["RateLimit"]

#: Visitors that are remembered; the others are taken for new.
_REMEMBERED = 20_000
_SAFE = ("GET", "HEAD", "OPTIONS")


class RateLimit:
    """Counts the requests of each visitor: so many a minute, some of them at once.

    A bucket of tokens for each: a request takes one, and they come back with time.

    Parameters
    ----------
    limits : Limits
    clock : callable
        Seconds.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, bool], tuple[float, float]] = OrderedDict()

    def check(self, client: str, method: str) -> None:
        """Count a request.

        Raises
        ------
        RequestProblem
            There were too many.
        """
        limits = self._limits
        self._take(client, False, limits.requests_minute)
        if method not in _SAFE:
            self._take(client, True, limits.posts_minute)

    def _take(self, client: str, changing: bool, minute: int) -> None:
        now, rate = self._clock(), minute / 60.0
        key = (client, changing)
        left, before = self._buckets.pop(key, (float(minute), now))
        left = min(left + rate * (now - before), float(minute))
        enough = left >= 1.0
        self._buckets[key] = (left - 1.0 if enough else left, now)
        if len(self._buckets) > _REMEMBERED:
            self._buckets.popitem(last=False)
        if not enough:
            raise RequestProblem(
                429,
                "too_many_requests",
                f"More than {minute} such requests in a minute.",
                "Wait a little.",
                retry_after=max(1, round((1.0 - left) / rate)),
            )
