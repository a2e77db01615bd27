"""`yardstone history`: ratings over time, kept, gone on with and corrected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from yardstone.cli import declare
from yardstone.cli.declare import ADVANCED, Confidence, advanced, flag, option, target
from yardstone.cli.games import ManyGames, MovesOptions, RatedGamesPaths, SystemOptions, moment
from yardstone.cli.go import NetworkOptions
from yardstone.cli.output import Document, Output
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.evaluation.history import GamePlace


def _game(text: str, option: str) -> GamePlace:
    if text.strip().isdecimal():
        return int(text)
    parts = [part.strip() for part in text.split("|")]
    if len(parts) not in (2, 3):
        raise UsageError(f"{option} {text!r}: write a number, or FIRST | SECOND | DATE")
    day = moment(parts[2], option).astype("datetime64[D]") if len(parts) == 3 else None
    return parts[0], parts[1], day


def _accounts(text: str, option: str) -> tuple[str, str]:
    kept, other = declare.name_and_value(text, option, "KEPT=OTHER")
    if not other.strip():
        raise UsageError(f"{option} {text!r}: write it as KEPT=OTHER")
    return kept, other.strip()


def history(
    paths: RatedGamesPaths = None,
    *,
    player: list[str] | None = option("Show the rating curve of this player. Repeatable."),
    rating: SystemOptions,
    moves: MovesOptions,
    network: Annotated[NetworkOptions, ADVANCED],
    save: Path | None = target("Save all games and ratings, to continue from later."),
    annul: list[Any] | None = advanced(
        "Annul a game: its number, or 'FIRST | SECOND | DATE'. Repeatable.",
        read=_game,
        metavar="GAME",
    ),
    merge: list[Any] | None = advanced(
        "Merge two accounts of one player, as KEPT. Repeatable.",
        read=_accounts,
        metavar="KEPT=OTHER",
    ),
    report: bool = flag("Also list provisional players, idle players and improbable results."),
    settled: int = advanced(
        "Players with fewer games are provisional.", default=10, metavar="GAMES", min=0
    ),
    idle: float = advanced(
        "Players are idle after this long without a game.", default=365.0, metavar="DAYS"
    ),
    improbable: float = advanced(
        "Results of at most this probability are improbable.", default=0.01, metavar="CHANCE"
    ),
    confidence: Confidence = 95,
    top: int = option("Show this many players; 0 shows all.", default=20, min=0),
    games: ManyGames,
    out: Output,
) -> Document:
    """Rate games in order, and show ratings over time.

    Kept ratings go on with new games without replaying the old ones. A game taken
    back, or two accounts made one, replay only the games that this can reach. In
    CSV and Parquet there is a row for each game of the players chosen, or for each
    listed player if none is chosen; a chart then shows the ten highest.

    With --moves the system is fusion: Glicko-2 in which what the moves of a player's
    earlier games show to a network says where the player starts. The page then shows
    what results say, what moves say, and both together.

    More games than fit in memory are put in order on disk and rated from there. What
    --save keeps is then the ratings without the games, so that later ones can be
    added, and none annulled.

    Examples:
        yardstone history league.csv -o ratings.svg
        yardstone history league.csv --player 'Fizbo 2' --player 'Jonny 8.1' -o ratings.svg
        yardstone history league.csv --where "round < '20'" --save league.ratings
        yardstone history league.csv --where "round >= '20'" --state league.ratings
        yardstone history --state league.ratings --annul 5 --report
        yardstone history --moves records.zip -o ratings.html
    """
    from yardstone.evaluation.history import rating_history
    from yardstone.reports.history import history_document

    given, notes = rating.read(paths, games, moves, network)
    ratings = rating_history(
        **given,
        annul=annul or (),
        merge=merge or (),
        save=save,
        players=player or (),
        confidence=confidence,
        intervals=out.wanted,
        top=top,
        settled=settled,
        report=report,
        idle_days=idle,
        improbable=improbable,
    )
    return history_document(replace(ratings, notes=[*ratings.notes, *notes]))
