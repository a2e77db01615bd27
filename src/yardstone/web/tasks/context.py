"""What a task is given, and how it tells of its progress."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.pool import SkipReport
from yardstone.web.settings import Settings
from yardstone.web.unpack import Unpacked

if TYPE_CHECKING:
    from yardstone.go.nets.network import Network

__all__ = ["NeedsPlayer", "Task", "as_result"]


class NeedsPlayer(Exception):
    """The files do not tell whose strength is asked for.

    Attributes
    ----------
    players : list of dict
        ``name`` and ``games``, the most games first.
    """

    def __init__(self, players: Sequence[dict[str, Any]]) -> None:
        super().__init__("whose strength?")
        self.players = list(players)


@dataclass(slots=True)
class Task:
    """The work of one job.

    Attributes
    ----------
    kind : str
        Kind of job.
    options : dict
        What was asked for.
    files : list of Unpacked
    folder : Path
        For files that are needed meanwhile.
    settings : Settings
    network : callable
        Gives KataGo's network, which stays loaded between jobs.
    tell : callable
        Takes a stage, what is done and all; raises if the job is to stop.
    skipped : SkipReport
        What could not be used.
    threads : int
        Processors to use.
    """

    kind: str
    options: dict[str, Any]
    files: list[Unpacked]
    folder: Path
    settings: Settings
    network: Callable[[], Network]
    tell: Callable[[str, int, int], None]
    skipped: SkipReport = field(default_factory=SkipReport)
    threads: int = 1


def as_result(value: dict[str, Any]) -> str:
    """A result as JSON text; numbers that JSON lacks are an error."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
