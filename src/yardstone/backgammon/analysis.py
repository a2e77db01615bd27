"""Matches analysed from files to players: error rates, ratings, luck and blunders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from yardstone.backgammon.file_analysis import (
    AnalysisFile,
    AnalysisSettings,
    FileAnalysis,
    MatchFile,
    analyse_files,
)
from yardstone.backgammon.formulas import PUBLISHED, SITE_OFFSET, Formula
from yardstone.backgammon.gnubg import find_gnubg, gnubg_version
from yardstone.backgammon.matches import (
    AnalysedMatch,
    Blunder,
    PlayerSummary,
    matches_of,
    summarise,
    worst_blunders,
)
from yardstone.errors import InputError, NoGamesError


@dataclass(frozen=True, slots=True)
class RatingRule:
    """How errors become ratings."""

    formula: Formula = PUBLISHED
    offset: float = SITE_OFFSET  #: Rating of perfect play on the site.
    level: float = 0.9  #: Of all intervals, 0 to 1.


@dataclass(frozen=True, slots=True)
class ListedPlayers:
    """Which players are listed."""

    names: Sequence[str] = ()  #: These, in this order; all others without it.
    main_name: Mapping[str, str] | None = None  #: The main name of each other name of a player.
    minimum_matches: int = 1  #: Of a player who is not named.
    most: int | None = None  #: Players who are not named; all without it.


@dataclass(frozen=True)
class MatchAnalysis:
    """What the errors in matches say about their players; frozen."""

    files: Sequence[FileAnalysis]
    matches: Sequence[AnalysedMatch]
    players: Sequence[PlayerSummary]  #: Those who are listed, in order.
    unlisted: int  #: Players left out for too few matches.
    blunders: Sequence[Blunder]  #: The worst first.
    rule: RatingRule
    settings: AnalysisSettings
    gnubg: str  #: Version of GNU Backgammon.

    @property
    def unusable(self) -> list[FileAnalysis]:
        """The files that gave no match, with the reasons."""
        return [file for file in self.files if file.status != "analysed"]


def analyse_matches(
    files: Iterable[MatchFile],
    settings: AnalysisSettings | None = None,
    rule: RatingRule | None = None,
    choice: ListedPlayers | None = None,
    *,
    blunders: int = 10,
    ledger: AnalysisFile | None = None,
    program: Path | None = None,
    timeout: float | None = None,
) -> MatchAnalysis:
    """Analyse files of matches, and say what the errors tell about each player.

    Args:
        files: Such as what `yardstone.backgammon.file_analysis.match_files` gives.
        settings: Depth and format.
        rule: From errors to ratings.
        choice: Which players are listed; the most matches first.
        blunders: How many of the worst are kept.
        ledger, program, timeout: As for `yardstone.backgammon.file_analysis.analyse_files`.

    Raises:
        NoGamesError: No file holds a match; says why the first was refused.
        InputError: A player who is named is in no match, or GNU Backgammon is not there.
    """
    settings, rule = settings or AnalysisSettings(), rule or RatingRule()
    choice = choice or ListedPlayers()
    program = find_gnubg(program)
    analyses = analyse_files(files, settings, ledger=ledger, program=program, timeout=timeout)
    matches = matches_of(analyses, choice.main_name)
    if not matches:
        refused = next((file for file in analyses if file.reason), None)
        raise NoGamesError(
            f"no match could be analysed{'' if refused is None else f': {refused.reason}'}",
            file=None if refused is None else refused.file,
            hint="give whole matches, such as .mat files",
        )
    players = summarise(matches, formula=rule.formula, offset=rule.offset, level=rule.level)
    names = None
    listed = [p for p in players if len(p.matches) >= choice.minimum_matches][: choice.most]
    if choice.names:
        by_name = {player.name: player for player in players}
        names = list(dict.fromkeys((choice.main_name or {}).get(n, n) for n in choice.names))
        if absent := [name for name in names if name not in by_name]:
            raise InputError(f"no match of {absent[0]!r}", hint="check spelling and capitals")
        listed = [by_name[name] for name in names]
    return MatchAnalysis(
        analyses,
        matches,
        listed,
        0 if names else len(players) - len(listed),
        worst_blunders(matches, blunders, names),
        rule,
        settings,
        gnubg_version(program),
    )
