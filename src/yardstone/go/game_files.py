"""Games in files, analysed and judged: from the names of files to a plain result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from yardstone.errors import InputError, UsageError
from yardstone.go.analysis import Phases, analyse_games
from yardstone.go.judgement import SURE, Agreement, judge_games
from yardstone.go.requests import require_games
from yardstone.go.totals import MISTAKE, Total, game_totals, player_totals
from yardstone.records.sgf import SgfReader

if TYPE_CHECKING:
    from yardstone.go.analysis import GameAnalysis
    from yardstone.go.judgement import Judgement
    from yardstone.go.losses import LossEffort
    from yardstone.go.nets.network import Network
    from yardstone.go.rules import Rules
    from yardstone.pool import SkipReport
    from yardstone.records.go_game import GoGame

__all__ = ["AnalysedGames", "JudgedGames", "analyse_files", "judge_files"]


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedGames:
    """Analysed games, and what they were analysed with.

    Attributes
    ----------
    games : sequence of GameAnalysis
    network : str
        Name of the network.
    phases : Phases
    mistake : float
        Points that a move must cost to be a mistake.
    skipped : SkipReport
        Games that could not be read, or not be shown to the network.
    """

    games: Sequence[GameAnalysis]
    network: str
    phases: Phases
    mistake: float
    skipped: SkipReport

    def totals(self, game: GameAnalysis) -> list[Total]:
        """Of both sides of a game."""
        return game_totals(game, mistake=self.mistake)

    def players(self) -> list[Total]:
        """Of each player over all games."""
        return player_totals(self.games, mistake=self.mistake)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedGames:
    """Judged games.

    Attributes
    ----------
    games : sequence of Judgement
        Without the moves of the games.
    agreement : Agreement
        Their counts.
    network : str
        Name of the network.
    sure : float
        How sure it must be.
    skipped : SkipReport
    """

    games: Sequence[Judgement]
    agreement: Agreement
    network: str
    sure: float
    skipped: SkipReport


def analyse_files(
    paths: Sequence[str],
    network: Network,
    *,
    numbers: Sequence[int] = (),
    variations: bool = False,
    rules: Rules | None = None,
    komi: float | None = None,
    phases: Phases | None = None,
    mistake: float = MISTAKE,
    effort: LossEffort | None = None,
    strict: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> AnalysedGames:
    """Analyse the games of some SGF files.

    Parameters
    ----------
    paths : sequence of str
        Files, folders, patterns, archives, or - for standard input.
    network : Network
    numbers : sequence of int
        Only these games, counted over all files from 1.
    variations : bool
        Take every line of play as a game of its own.
    rules, komi, phases, effort : optional
        As for `yardstone.go.analysis.analyse_games`.
    mistake : float
        Points that a move must cost to be a mistake.
    strict : bool
        Raise at the first record that cannot be used.
    progress : callable, optional
        Called with the number of positions that are done, and of all.

    Raises
    ------
    InputError
        There is no such file or game, or none can be used.
    StrictError
        With `strict`.
    """
    if not mistake > 0.0:
        raise UsageError(f"a mistake costs {mistake:g} points: it must be more than 0")
    reader = SgfReader(*paths, variations=variations, strict=strict)
    games = _numbered(reader, numbers)
    skipped, positions = reader.skipped, sum(len(game.moves) + 1 for game in games)
    ends = Phases() if phases is None else phases
    note = None if progress is None else (lambda done: progress(done, positions))
    analysed = list(
        analyse_games(
            games,
            network,
            rules=rules,
            komi=komi,
            phases=ends,
            effort=effort,
            skipped=skipped,
            progress=note,
        )
    )
    require_games(len(analysed), skipped, strict=strict)
    return AnalysedGames(analysed, network.name, ends, mistake, skipped)


def _numbered(games: Iterable[GoGame], numbers: Sequence[int]) -> list[GoGame]:
    """All games, or those of these numbers."""
    chosen = []
    count = 0
    for count, game in enumerate(games, 1):
        if not numbers or count in numbers:
            chosen.append(game)
    if missing := [number for number in numbers if number > count]:
        raise InputError(f"there is no game {missing[0]}", hint=f"there are {count}")
    return chosen


def judge_files(
    paths: Sequence[str],
    network: Network,
    *,
    sure: float = SURE,
    rules: Rules | None = None,
    komi: float | None = None,
    strict: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> JudgedGames:
    """Judge who has won each game of some SGF files; the parameters are those of `judge_games`.

    Only one game at a time is held with its moves. `progress` is called with the bytes that
    have been read, and all.
    """
    reader = SgfReader(*paths, strict=strict, progress=progress)
    skipped = reader.skipped
    agreement = Agreement()
    judgements = []
    judged = partial(judge_games, sure=sure, rules=rules, komi=komi, skipped=skipped)
    for judgement in judged(reader, network):
        agreement.add(judgement)
        judgements.append(replace(judgement, game=_without_moves(judgement.game)))
    require_games(len(judgements), skipped, strict=strict)
    return JudgedGames(judgements, agreement, network.name, sure, skipped)


def _without_moves(game: GoGame) -> GoGame:
    nothing = game.moves[:0].copy()
    return replace(
        game, moves=nothing, colours=game.colours[:0].copy(), properties={}, time_left=None
    )
