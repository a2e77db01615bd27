"""Numbers for those who run the server, in the text format of Prometheus."""

from __future__ import annotations

import os
import threading
from bisect import bisect_left
from collections import defaultdict
from typing import Any

from yardstone.memory import memory_of
from yardstone.web.jobs import STATUSES
from yardstone.web.kinds import KINDS

__all__ = ["BUCKETS", "Metrics"]

#: Upper ends of the classes of answering times, in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts answers and how long they took; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, str, int], int] = defaultdict(int)
        self._times: dict[str, list[float]] = {}

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answer of a route (its template, which names no job)."""
        with self._lock:
            self._answers[method, route, status] += 1
            times = self._times.setdefault(route, [0.0] * (len(BUCKETS) + 2))
            times[bisect_left(BUCKETS, seconds)] += 1.0
            times[-1] += seconds

    def text(self, state: dict[str, Any]) -> str:
        """All numbers; `state` is what `upkeep.state` gives."""
        out = _Text()
        out.metric("jobs", "gauge", "Jobs by status.")
        for status in STATUSES:
            out.value("jobs", state["jobs"].get(status, 0), status=status)
        out.single("oldest_queued_seconds", "gauge", "Age of the oldest job that waits.", state)
        out.single("workers", "gauge", "Workers that live.", state)
        out.single("uploads", "gauge", "Uploads that are kept.", state)
        out.single("upload_bytes", "gauge", "Bytes that they take.", state)
        counters = state["counters"]
        out.metric("jobs_ended_total", "counter", "Jobs that ended, by kind and how.")
        for kind in KINDS:
            for status in ("done", "failed", "needs_player"):
                value = counters.get(f"jobs_{kind}_{status}", 0)
                out.value("jobs_ended_total", value, kind=kind, status=status)
        out.metric("job_seconds_total", "counter", "Seconds of work, by kind.")
        for kind in KINDS:
            out.value("job_seconds_total", counters.get(f"seconds_{kind}", 0.0), kind=kind)
        for name, about in (
            ("uploads_total", "Requests with files that were taken."),
            ("upload_bytes_total", "Bytes of their files."),
        ):
            out.metric(name, "counter", about)
            out.value(name, counters.get(name.removesuffix("_total"), 0))
        self._requests(out)
        out.metric("process_resident_bytes", "gauge", "Memory of the server's process.")
        out.value("process_resident_bytes", memory_of(os.getpid()))
        return out.whole()

    def _requests(self, out: _Text) -> None:
        with self._lock:
            answers = sorted(self._answers.items())
            times = sorted((route, list(values)) for route, values in self._times.items())
        out.metric("requests_total", "counter", "Answers, by route and status.")
        for (method, route, status), count in answers:
            out.value("requests_total", count, method=method, route=route, status=str(status))
        out.metric("request_seconds", "histogram", "Time until an answer began.")
        for route, values in times:
            below = 0.0
            for end, number in zip((*map(str, BUCKETS), "+Inf"), values[:-1], strict=True):
                below += number
                out.value("request_seconds_bucket", below, route=route, le=end)
            out.value("request_seconds_sum", values[-1], route=route)
            out.value("request_seconds_count", below, route=route)


class _Text:
    """Lines of the format."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def metric(self, name: str, kind: str, about: str) -> None:
        self._lines += [f"# HELP yardstone_{name} {about}", f"# TYPE yardstone_{name} {kind}"]

    def value(self, name: str, value: float, **labels: str) -> None:
        inner = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
        self._lines.append(f"yardstone_{name}{f'{{{inner}}}' if inner else ''} {value:.12g}")

    def single(self, name: str, kind: str, about: str, state: dict[str, Any]) -> None:
        self.metric(name, kind, about)
        self.value(name, state[name])

    def whole(self) -> str:
        return "\n".join(self._lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
