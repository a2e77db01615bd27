"""The kinds of job: to add one, write its file and name it here."""

from __future__ import annotations

from yardstone.web.kinds import backgammon, go, results
from yardstone.web.kinds.kind import Kind, NeedsPlayer, Query, Task, View

__all__ = ["KINDS", "Kind", "NeedsPlayer", "Query", "Task", "View"]

KINDS: dict[str, Kind] = {module.KIND.name: module.KIND for module in (go, results, backgammon)}
