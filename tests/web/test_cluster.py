"""Machines that share a database are lost, and it is too: no job is lost or done twice."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest


def test_nothing_is_lost_or_done_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two servers and three workers, each on a line of its own to the database: each fault once."""
    from benchmarks import web_cluster
    from benchmarks.web_trouble import Trouble

    for name, seconds in (("LOOK", 0.3), ("CALM", 0.3), ("PAUSE", 0.3)):
        monkeypatch.setattr(web_cluster, name, seconds)
    monkeypatch.setattr(web_cluster, "Trouble", partial(Trouble, seconds=1.0))
    _, wrong = web_cluster.together(tmp_path, visitors=4, seconds=0.0, faults=True, seed=1)
    assert wrong == []
