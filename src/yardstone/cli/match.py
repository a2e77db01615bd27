"""`yardstone match`: what the result of one match says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from yardstone.cli.declare import Confidence, advanced, argument, flag, option
from yardstone.cli.games import GameOptions, News, Watching
from yardstone.cli.output import TableOutput
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.ratings.sprt import MatchJudgement
    from yardstone.records.sources import Source


def match(
    arguments: list[str] | None = argument(
        "Files of the games of a match; or wins, draws and losses; or five counts of pairs of "
        "games by the points scored in both: 0, 1/2, 1, 3/2 and 2.",
        default=None,
        metavar="GAMES",
    ),
    *,
    players: tuple[str, str] | None = option(
        "The two players, where the files have more; all is seen by the first.",
        metavar="FIRST SECOND",
    ),
    pairs: bool = flag("Insist on pairs of games."),
    pair_by: str | None = advanced(
        "Tags or columns in which the two games of a pair agree, such as event,round. [default: "
        "rounds, starting positions or the order, as far as they tell]",
        metavar="COLUMNS",
    ),
    elo0: float = option("Sequential test: hypothesis H0.", default=0.0, metavar="ELO"),
    elo1: float = option("Sequential test: hypothesis H1.", default=5.0, metavar="ELO"),
    alpha: float = advanced(
        "Probability of accepting H1 when H0 is true.", default=0.05, metavar="SHARE"
    ),
    beta: float = advanced(
        "Probability of accepting H0 when H1 is true.", default=0.05, metavar="SHARE"
    ),
    model: Literal["logistic", "normalized"] = advanced(
        "Points of H0 and H1: Elo or normalized Elo.", default="logistic"
    ),
    confidence: Confidence = 95,
    half_width: float = advanced(
        "Show how many games it takes until the interval is ± this many Elo.",
        default=5.0,
        metavar="ELO",
    ),
    reading: GameOptions,
    watching: Watching,
    out: TableOutput,
) -> int:
    """Judge a match of two players: Elo, superiority, when to stop.

    Pairs of games (the same opening once with each side) tell more than single
    games: the variance is then taken over pairs. In files they are found by round.

    Examples:
        yardstone match match.pgn
        yardstone match match.pgn --where "Result <> '1/2-1/2'"
        yardstone match games.pgn --watch --elo0 0 --elo1 5
        yardstone match 859 1329 772
        yardstone match 13 37 50 25 3 --elo1 4 --model normalized
    """
    from yardstone.ratings.match import Match
    from yardstone.ratings.sprt import Sprt, judge_games, judge_match
    from yardstone.reports.match import match_document, match_line

    test = Sprt(elo0, elo1, alpha, beta, model)
    words = arguments or []
    is_counts = not words or any(_is_number(word) and not Path(word).exists() for word in words)
    if reading.query is None and is_counts:
        for option, used in (("--players", players), ("--pair-by", pair_by)):
            if used is not None:
                raise UsageError(f"{option} needs a file of games")
        if watching.watch:
            raise UsageError("--watch needs a file of games")
        if unread := [word for word in words if not _is_number(word)]:
            raise UsageError(f"{unread[0]!r} is not a number of games")
        counts = Match.from_counts([float(word) for word in words], pairs_only=pairs)
        judgement = judge_match(counts, test=test, confidence=confidence, half_width=half_width)
        out.emit(match_document(judgement))
        return 0
    by = None if pair_by is None else [p.strip() for p in pair_by.split(",") if p.strip()]

    def judge(
        paths: Sequence[str | Source], *, report: bool = True, pairs_only: bool = pairs
    ) -> MatchJudgement:
        return judge_games(
            reading.read(paths, tags=by or (), every=by is None, times=False, report=report),
            *(players or ()),
            by=by,
            pairs_only=pairs_only,
            test=test,
            confidence=confidence,
            half_width=half_width,
        )

    if not watching.watch:
        out.emit(match_document(judge(words)))
        return 0
    news = News()

    def look(sources: Sequence[Source], last: bool) -> bool:
        judgement = judge(sources, report=last, pairs_only=pairs and last)
        if judgement.skipped is not None and not last:
            news.tell(judgement.skipped)
        decided = judgement.state.decision != "continue" and (judgement.match.paired or not pairs)
        out.emit_passing(match_document(judgement), match_line(judgement), last=decided or last)
        return decided

    return watching.follow(words, look, query=reading.query)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()
