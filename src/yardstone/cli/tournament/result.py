"""`yardstone tournament result` and `undo`: results, one or a sheet, and the way back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.tournament.steps import EventFile, finish, say, step
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.tournament.event.changes import EventChange
    from yardstone.tournament.model import Tournament

__all__ = ["result", "undo"]


def result(
    file: EventFile,
    *,
    sheet: Annotated[
        Path | None,
        typer.Argument(
            metavar="[SHEET]",
            help="CSV file of results: columns round, table, score; or both players and score: "
            "black, white in Go, white, black in chess.",
            show_default=False,
        ),
    ] = None,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=1,
            metavar="NUMBER",
            help="Round. [default: the last with boards]",
            show_default=False,
        ),
    ] = None,
    table: Annotated[
        int | None, typer.Option(min=0, metavar="NUMBER", help="Table.", show_default=False)
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="The two players in place of the table; the score is A's, then B's.",
            show_default=False,
        ),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            metavar="SCORE",
            help="1-0, 0-1, 0.5-0.5, 0-0 if both lose, with F for a forfeit (1-0F); ? if open.",
            show_default=False,
        ),
    ] = None,
    winner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The winner, in place of all that.", show_default=False),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace another result.")] = False,
) -> None:
    """Enter a result, or a sheet of them.

    The score is that of the first-named player first: the one who stands first on the
    board list, who is Black in Go. The same result again changes nothing; another one is
    refused without `--replace`.

    Examples
    --------
    yardstone tournament result open.xml --round 5 --table 3 --score 1-0
    yardstone tournament result open.xml --players 'Garcia Ana,Dahl Ingrid' --score 0-1
    yardstone tournament result open.xml --winner Adler
    """
    if sheet is not None:
        if table is not None or players is not None or score is not None or winner is not None:
            raise UsageError("a sheet has tables and scores of its own")
        _sheet(file, sheet, round_number, replace=replace)
        return
    if winner is not None:
        if table is not None or players is not None or score is not None:
            raise UsageError("--winner goes without --table, --players and --score")
        step(file, lambda t: _won(t, winner, round_number, replace=replace))
        return
    if score is None or (table is None) == (players is None):
        raise UsageError("say which game and how it ended: --table 3 --score 1-0")
    step(file, lambda t: _scored(t, round_number, table, players, score, replace=replace))


def _scored(
    tournament: Tournament,
    round_number: int | None,
    table: int | None,
    players: str | None,
    score: str,
    *,
    replace: bool,
) -> EventChange:
    from yardstone.cli.tournament.pair import two_players
    from yardstone.tournament.event.results import GameResult, parse_score, set_result

    value, forfeit = parse_score(score)
    given = GameResult(
        result=value,
        forfeit=forfeit,
        round=_round(tournament, round_number),
        table=table,
        players=None if players is None else two_players(tournament, players, "--players"),
    )
    return set_result(tournament, given, replace_other=replace)


def _won(
    tournament: Tournament, winner: str, round_number: int | None, *, replace: bool
) -> EventChange:
    from yardstone.tournament.event.results import GameResult, set_result
    from yardstone.tournament.model import Result

    player, number = tournament.find(winner), _round(tournament, round_number)
    game = tournament.game_of.get((number, player))
    if game is None:
        who = tournament.players[player].full_name
        raise InputError(f"{who} has no game in round {number}", file=tournament.file or None)
    given = GameResult(
        result=Result.first_wins, round=number, players=(player, game.opponent(player))
    )
    return set_result(tournament, given, replace_other=replace)


def _round(tournament: Tournament, round_number: int | None) -> int:
    return max(tournament.last_round, 1) if round_number is None else round_number


def _sheet(file: Path, sheet: Path, round_number: int | None, *, replace: bool) -> None:
    from yardstone.pool import SkipReport
    from yardstone.tournament.event.file import change_file
    from yardstone.tournament.event.result_sheet import read_result_sheet
    from yardstone.tournament.event.results import set_results

    skipped: list[SkipReport] = []

    def taken(tournament: Tournament) -> EventChange:
        number = _round(tournament, round_number)
        results, report = read_result_sheet(sheet, tournament, round_number=number)
        skipped[:] = [report]
        return set_results(tournament, results, replace_other=replace, source=str(sheet))

    finish(file, change_file(file, taken), *skipped)


def undo(file: EventFile) -> None:
    """Take back the last change of a tournament's file.

    Changes are kept in a file beside it, such as open.xml.undo. If another program wrote
    the file since, only what the change did is taken back.

    Examples
    --------
    yardstone tournament undo open.xml
    """
    from yardstone.tournament.event.file import undo_step

    say(file, undo_step(file))
