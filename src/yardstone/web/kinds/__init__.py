"""The kinds of job: to add one, write its file and name it here."""

from __future__ import annotations

from yardstone.web.kinds import backgammon, go, results
from yardstone.web.kinds.kind import ChoiceField, Kind, NeedsPlayer, Query, Task, View

__all__ = ["ANY_KIND", "KINDS", "Kind", "NeedsPlayer", "Query", "Task", "View"]

KINDS: dict[str, Kind] = {module.KIND.name: module.KIND for module in (go, results, backgammon)}
#: The field of a form of any kind: what to make of its files.
ANY_KIND = ChoiceField(
    name="kind",
    values=("auto", *KINDS),
    about="What to make of the files; by default they tell.",
)
