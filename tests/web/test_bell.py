"""The bell that wakes workers: quick where it rings, harmless where it does not."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from tests.web.serving import serving, small_results
from yardstone.web.supervisor import Bell


def seconds(bell: Bell, most: float) -> float:
    begun = time.monotonic()
    bell.wait(most)
    return time.monotonic() - begun


def test_each_ring_wakes_once() -> None:
    bell = Bell.new()
    bell.ring(2)
    assert seconds(bell, 30.0) < 10.0
    assert seconds(bell, 30.0) < 10.0
    assert seconds(bell, 0.05) >= 0.04
    bell.close()


def test_a_ring_wakes_who_sleeps_already() -> None:
    bell = Bell.new()
    ringer = threading.Timer(0.05, bell.ring)
    ringer.start()
    assert seconds(bell, 30.0) < 10.0
    ringer.join()
    bell.close()


def test_a_bell_that_nobody_hears_does_not_stop_the_ringer() -> None:
    bell = Bell.new()
    for _ in range(40):
        bell.ring(10_000)
    assert seconds(bell, 30.0) < 10.0
    bell.close()


def test_without_a_bell_one_waits() -> None:
    bell = Bell()
    bell.ring()
    assert seconds(bell, 0.05) >= 0.04
    bell.close()


def test_a_job_that_comes_rings(tmp_path: Path) -> None:
    bell = Bell.new()
    with serving(tmp_path, bell=bell) as server:
        address = server.accepted([("r.csv", small_results())])
        assert seconds(bell, 30.0) < 10.0
        assert seconds(bell, 0.05) >= 0.04, "one ring a job"
        assert server.worker.work()
        assert not server.worker.work()
        assert server.job(address)["status"] == "done"
    bell.close()
