"""`yardstone history`: ratings over time, kept, gone on with and corrected."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from yardstone.cli.options import (
    Columns,
    Confidence,
    Dates,
    First,
    Form,
    Page,
    Parameters,
    Query,
    RatedPaths,
    Results,
    SkipUnread,
    Strict,
    System,
)
from yardstone.cli.output import Format
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.evaluation.ledger import Ledger
    from yardstone.evaluation.rated_games import RatedGames
    from yardstone.pool import Pool
    from yardstone.reports.history.report import History

__all__ = ["history", "rated_games", "takes_levels"]


def history(
    paths: RatedPaths = None,
    player: Annotated[
        list[str] | None, typer.Option(help="Show the rating curve of this player. Repeatable.")
    ] = None,
    system: System = None,
    parameter: Parameters = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Go on from what --save wrote."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep all games and ratings, to go on from later."),
    ] = None,
    annul: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GAME",
            help="Take back a game: its number, or 'FIRST | SECOND | DATE'. Repeatable.",
        ),
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEPT=OTHER", help="Two accounts are one player, called KEPT. Repeatable."
        ),
    ] = None,
    report: Annotated[
        bool,
        typer.Option(
            "--report", help="Name provisional and idle players and improbable results as well."
        ),
    ] = False,
    settled: Annotated[
        int, typer.Option(metavar="GAMES", help="A player with fewer games is provisional.", min=0)
    ] = 10,
    idle: Annotated[
        float, typer.Option(metavar="DAYS", help="A player is idle after so long without a game.")
    ] = 365.0,
    improbable: Annotated[
        float,
        typer.Option(metavar="CHANCE", help="A result of at most this chance is improbable."),
    ] = 0.01,
    columns: Columns = None,
    first: First = None,
    results: Results = None,
    dates: Dates = None,
    query: Query = None,
    strict: Strict = False,
    skip_unread: SkipUnread = False,
    confidence: Confidence = "95",
    top: Annotated[
        int, typer.Option(metavar="NUMBER", help="Players in the list; 0 shows all.", min=0)
    ] = 20,
    form: Form = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the report to this file."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the curves: .svg, .png or .pdf.")
    ] = None,
    html: Page = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No report on standard output, no progress.")
    ] = False,
) -> None:
    """Rate games as they come, and show ratings over time.

    Kept ratings go on with new games without replaying the old ones. A game taken
    back, or two accounts made one, replay only the games that this can reach. In
    CSV and Parquet there is a row for each game of the players chosen.

    Examples
    --------
    yardstone history games.pgn --player 'Ann' --player 'Bob' --plot ratings.svg
    yardstone history games.csv --system glicko2 --save club.ratings
    yardstone history may.csv --state club.ratings --save club.ratings
    yardstone history --state club.ratings --merge 'Ann=ann_2' --report
    """
    from yardstone.cli import values
    from yardstone.cli.output import chosen_format
    from yardstone.cli.reading import Source, read_games
    from yardstone.cli.systems import check_outputs, emit

    level = values.confidence(confidence)
    shape = chosen_format(form, output)
    check_outputs(shape, output, html, save, plot=plot, quiet=quiet)
    if plot is not None and not player:
        raise UsageError("--plot: choose whose ratings to draw with --player")
    if shape in (Format.csv, Format.parquet) and not player:
        raise UsageError(f"{shape.value}: choose whose games to list with --player")
    pool = None
    if paths or query is not None:
        wanted = values.columns(columns or [])
        source = Source(
            paths or [],
            query,
            wanted,
            first,
            results,
            strict,
            skip_unread,
            dates=dates,
            levels=takes_levels(system, state),
        )
        pool = read_games(source, quiet=quiet)
    elif state is None:
        raise UsageError("name a file of results, - for standard input, or a --state")
    rated, notes = rated_games(pool, state, system, parameter or [])
    corrections: list[str] = []
    if annul or merge or save is not None:
        ledger = _kept(rated)
        ledger, corrections = _corrected(ledger, annul or [], merge or [])
        rated = ledger
    shown = _report(
        rated,
        player or [],
        level,
        top,
        settled,
        [*notes, *corrections],
        {"settled_games": settled, "idle_days": idle, "improbable": improbable} if report else None,
        shown=not quiet or any((output, plot, html)),
    )
    if save is not None:
        from yardstone.evaluation.ledger_file import save_ledger
        from yardstone.files import replaced

        with replaced(save) as temporary:
            save_ledger(ledger, temporary)
    views = _views(shown, f"Ratings by {rated.name}")
    if html is not None:
        emit(views, Format.html, html)
    if plot is not None:
        from yardstone.reports.charts.history import history_chart

        history_chart(shown).save(plot)
    if output is not None or not quiet:
        emit(views, shape, output)


def takes_levels(system: str | None, state: Path | None) -> bool:
    """Whether the grades of newcomers matter to the system."""
    from yardstone.evaluation.ledger_file import load_ledger
    from yardstone.ratings.systems import find_system

    if state is not None:
        return find_system(load_ledger(state).name).levels
    return system is not None and find_system(system).levels


def rated_games(
    pool: Pool | None, state: Path | None, system: str | None, parameters: Sequence[str]
) -> tuple[RatedGames, list[str]]:
    """The games of a state with new ones, or games alone, rated; and what to say about it."""
    from yardstone.cli.systems import settings
    from yardstone.evaluation.ledger import Ledger
    from yardstone.evaluation.ledger_file import load_ledger
    from yardstone.evaluation.rated_games import whole_history
    from yardstone.evaluation.run import judged_games

    notes: list[str] = []
    if pool is not None:
        pool, notes = judged_games(pool)
    if state is not None:
        if system is not None or parameters:
            raise UsageError("--state has its system: leave out --system and --set")
        ledger = load_ledger(state)
        if pool is not None:
            ledger = ledger.add(pool)
            added = "1 game was" if len(pool) == 1 else f"{len(pool):,} games were"
            notes.append(f"{added} added. {_replayed(ledger)}")
        return ledger, notes
    if pool is None:
        raise UsageError("name a file of results, - for standard input, or a --state")
    name = system or "glicko2"
    chosen = settings(parameters, [name])[name]
    if name == "whr":
        notes.append("whr looks back: each rating is what all games say, later ones included.")
        return whole_history(pool, **chosen), notes
    ledger = Ledger.begin(name, pool, **chosen)
    return ledger, [*notes, *ledger.system.remarks(pool)]


def _kept(rated: RatedGames) -> Ledger:
    """The ledger, where there is one: what can be saved and corrected."""
    from yardstone.evaluation.ledger import Ledger

    if not isinstance(rated, Ledger):
        raise UsageError(
            f"{rated.name} rates all games at once: leave out --save, --annul and --merge"
        )
    return rated


def _corrected(
    ledger: Ledger, annulled: Sequence[str], merged: Sequence[str]
) -> tuple[Ledger, list[str]]:
    """Take games back and merge accounts, in this order."""
    notes = []
    if annulled:
        from yardstone.reports.history.report import game_text

        gone = _chosen_games(ledger, annulled)
        names = "; ".join(game_text(ledger, int(game)) for game in gone.nonzero()[0])
        ledger = ledger.annul(gone)
        notes.append(f"Annulled: {names}. {_replayed(ledger)}")
    for text in merged:
        kept, equals, other = text.rpartition("=")
        if not equals or not kept.strip() or not other.strip():
            raise UsageError(f"--merge {text!r}: write it as KEPT=OTHER")
        ledger = ledger.merge(kept.strip(), other.strip())
        notes.append(f"{other.strip()} is {kept.strip()} now. {_replayed(ledger)}")
    return ledger, notes


def _replayed(ledger: Ledger) -> str:
    number = ledger.replayed
    return "1 game was replayed." if number == 1 else f"{number:,} games were replayed."


def _chosen_games(ledger: Ledger, texts: Sequence[str]) -> NDArray[Any]:
    import numpy as np

    chosen = np.zeros(len(ledger.pool), np.bool_)
    for text in texts:
        if text.strip().isdecimal():
            number = int(text)
            if not 1 <= number <= len(chosen):
                raise InputError(f"--annul: there is no game {number}, only 1 to {len(chosen)}")
            chosen[number - 1] = True
        else:
            chosen[_named_game(ledger, text)] = True
    return chosen


def _named_game(ledger: Ledger, text: str) -> int:
    import numpy as np

    from yardstone.cli.systems import moment

    parts = [part.strip() for part in text.split("|")]
    if len(parts) not in (2, 3):
        raise UsageError(f"--annul {text!r}: write a number, or FIRST | SECOND | DATE")
    pool = ledger.pool
    first, second = (ledger.ratings.index(name) for name in parts[:2])
    first, second = (pool.players.index(name) for name in parts[:2])
    found = (pool.first == first) & (pool.second == second)
    if len(parts) == 3:
        if pool.time is None:
            raise UsageError("--annul: the games have no dates")
        day = moment(parts[2], "--annul").astype("datetime64[D]")
        found &= pool.time.astype("datetime64[D]") == day
    games = np.flatnonzero(found)
    if len(games) == 1:
        return int(games[0])
    if not len(games):
        raise InputError(f"--annul: no game is {text!r}")
    numbers = ", ".join(str(game + 1) for game in games[:10])
    raise InputError(f"--annul: {len(games)} games are {text!r}", mend=f"give a number: {numbers}")


def _report(
    rated: RatedGames,
    players: Sequence[str],
    confidence: float,
    top: int,
    settled: int,
    notes: Sequence[str],
    examined: dict[str, Any] | None,
    *,
    shown: bool,
) -> History:
    from yardstone.evaluation.curves import rating_curves
    from yardstone.evaluation.findings import examine
    from yardstone.evaluation.interval_scale import interval_scale
    from yardstone.reports.history.report import History

    return History(
        rated=rated,
        curves=rating_curves(rated.pool, rated.replay, players),
        confidence=confidence,
        top=top,
        settled=settled,
        findings=None if examined is None else examine(rated.pool, rated.replay, **examined),
        notes=notes,
        scale=interval_scale(rated, confidence=confidence) if shown else None,
    )


def _views(shown: History, title: str) -> Any:
    from yardstone.cli.systems import Views
    from yardstone.reports.history.report import CSV_COLUMNS, csv_history, plain_history
    from yardstone.reports.json_out import as_json

    def text() -> str:
        from yardstone.reports.history.text import text_history

        return text_history(shown)

    def html() -> str:
        import yardstone
        from yardstone.reports.history.html import html_history

        return html_history(shown, title=title, version=yardstone.__version__)

    return Views(
        text=text,
        csv=lambda: csv_history(shown),
        json=lambda: as_json(plain_history(shown)),
        html=html,
        columns=CSV_COLUMNS,
    )
