"""A study from its settings to the cells and the fits: played where matches are missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from yardstone.backgammon.gnubg import TIMEOUT, find_gnubg
from yardstone.errors import NoGamesError
from yardstone_lab.vandendoel.cells import Cells, make_cells
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, FitMethod, StudyModel
from yardstone_lab.vandendoel.fit import DRAWS, StudyFit, fit_study
from yardstone_lab.vandendoel.matches import PlayedMatches, in_rounds, play_jobs
from yardstone_lab.vandendoel.play import MatchSetting
from yardstone_lab.vandendoel.table import StudyTable, from_results

__all__ = ["Playing", "StudyResult", "fit_models", "play_study"]


@dataclass(frozen=True, slots=True)
class Playing:
    """How matches of a study are played.

    Attributes
    ----------
    matches : int
        Of each setting.
    seed : int
        Of dice and noise.
    processes : int, optional
        Of GNU Backgammon at a time.
    timeout : float
        Seconds until a match is given up.
    program : Path, optional
        GNU Backgammon.
    frozen : bool
        Matches that can be repeated; needs libfaketime.
    export : bool
        Keep the moves of each match.
    """

    matches: int = 100
    seed: int = 1
    processes: int | None = None
    timeout: float = TIMEOUT
    program: Path | None = None
    frozen: bool = True
    export: bool = False


@dataclass(frozen=True)
class StudyResult:
    """What the matches of some settings show.

    Attributes
    ----------
    played : PlayedMatches
    rule : CloseRule
    cells : Cells, optional
        None if there is no match.
    fits : list of StudyFit
        Of the models whose cells are there, if they were asked for.
    """

    played: PlayedMatches
    rule: CloseRule
    cells: Cells | None
    fits: list[StudyFit]


def play_study(
    settings: Sequence[MatchSetting],
    path: Path,
    playing: Playing,
    *,
    rule: CloseRule = CloseRule.new,
    fits: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> StudyResult:
    """Play the matches that a results file lacks, and average all of these settings.

    Parameters
    ----------
    settings : sequence of MatchSetting
    path : Path
        The results file.
    playing : Playing
    rule : CloseRule
        Which cube decisions count as close.
    fits : bool
        Fit the formulas too.
    progress : callable, optional
        Called with the number of matches done and of all.
    """
    played = play_jobs(
        in_rounds(settings, playing.matches, playing.seed),
        path,
        program=find_gnubg(playing.program),
        processes=playing.processes,
        frozen=playing.frozen,
        timeout=playing.timeout,
        export=playing.export,
        progress=progress,
    )
    if not played.played + played.kept:
        return StudyResult(played, rule, None, [])
    table = _only(from_results([path]), settings)
    cells = make_cells(table, rule)
    return StudyResult(played, rule, cells, fit_models(table, rule=rule) if fits else [])


def _only(table: StudyTable, settings: Sequence[MatchSetting]) -> StudyTable:
    """The matches of these settings, at every depth they were analysed at."""
    kept = {replace(setting, analyses=(p,)) for setting in settings for p in setting.analyses}
    return table.take(np.array([each in kept for each in table.settings])[table.setting])


def fit_models(
    table: StudyTable,
    models: Iterable[StudyModel] = tuple(StudyModel),
    method: FitMethod = FitMethod.chance,
    rule: CloseRule = CloseRule.new,
    averaging: Averaging = Averaging.matches,
    *,
    draws: int = DRAWS,
    seed: int = 1,
) -> list[StudyFit]:
    """Fits of the models that the table has matches of; see `fit_study`."""
    fits = []
    for model in models:
        try:
            fits.append(fit_study(table, model, method, rule, averaging, draws=draws, seed=seed))
        except NoGamesError:
            continue
    return fits
