"""Error rates and ratings from matches of backgammon, by GNU Backgammon."""

from __future__ import annotations

from pathlib import Path

from yardstone.errors import InputError
from yardstone.web.problems import Problem
from yardstone.web.tasks.context import Task, as_result

__all__ = ["perform"]

_BLUNDERS = 20


def perform(task: Task) -> str:
    """Analyse the matches; see `yardstone.web.tasks.perform`."""
    from yardstone.backgammon.analysis import RatingRule, analyse_matches
    from yardstone.backgammon.formulas import OFFSETS
    from yardstone.backgammon.gnubg import find_gnubg
    from yardstone.backgammon.match_files import MatchFile
    from yardstone.reports.backgammon.analysis import backgammon_plain

    limits = task.settings.limits
    if len(task.files) > limits.matches:
        raise Problem(
            413,
            "too_many_games",
            f"There are {len(task.files):,} matches; {limits.matches:,} are allowed.",
            "Send fewer of them.",
        )
    try:
        program = find_gnubg(Path(task.settings.gnubg) if task.settings.gnubg else None)
    except InputError:
        raise Problem(
            503, "no_gnubg", "This server lacks GNU Backgammon.", "Tell those who run it."
        ) from None
    task.tell("analysing", 0, len(task.files))
    analysis = analyse_matches(
        [MatchFile(file.label, file.path) for file in task.files],
        rule=RatingRule(offset=OFFSETS[task.options["offset"]], level=task.options["level"]),
        blunders=_BLUNDERS,
        program=program,
        workers=task.threads,
        timeout=float(limits.seconds),
        progress=lambda done, total: task.tell("analysing", done, total),
    )
    task.tell("rating", 0, 1)
    return as_result(backgammon_plain(analysis))
