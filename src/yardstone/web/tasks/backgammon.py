"""Error rates and ratings from matches of backgammon, by GNU Backgammon."""

from __future__ import annotations

from pathlib import Path

from yardstone.errors import InputError, NoGamesError
from yardstone.web.problems import Problem
from yardstone.web.tasks.context import Task, as_result

__all__ = ["perform"]

_BLUNDERS = 20
_PLIES = 0


def perform(task: Task) -> str:
    """Analyse the matches; see `yardstone.web.tasks.perform`."""
    from yardstone.backgammon.analyse import Analysis, analyse
    from yardstone.backgammon.formulas import OFFSETS, PUBLISHED
    from yardstone.backgammon.gnubg import find_gnubg, gnubg_version
    from yardstone.backgammon.match_files import MatchFile
    from yardstone.backgammon.matches import matches_of
    from yardstone.backgammon.summary import summarise, worst_blunders
    from yardstone.reports.backgammon.report import AnalysisReport, plain_report

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
    outcomes = analyse(
        [MatchFile(file.label, file.path) for file in task.files],
        Analysis(_PLIES, _PLIES),
        program=program,
        workers=task.threads,
        timeout=float(limits.seconds),
        progress=lambda done, total: task.tell("analysing", done, total),
    )
    task.tell("rating", 0, 1)
    matches = matches_of(outcomes, None)
    if not matches:
        raise NoGamesError(
            f"no match could be analysed: {outcomes[0].reason}",
            file=outcomes[0].file,
            mend="send whole matches, as .mat files",
        )
    level, offset = task.options["level"], OFFSETS[task.options["offset"]]
    players = summarise(matches, formula=PUBLISHED, offset=offset, level=level)
    about = {
        "gnubg": gnubg_version(program),
        "plies": _PLIES,
        "cube_plies": _PLIES,
        "formula": PUBLISHED.name,
    }
    report = AnalysisReport(
        outcomes, matches, players, 0, worst_blunders(matches, _BLUNDERS), offset, level, about
    )
    return as_result(plain_report(report))
