"""The commands that run a tournament step by step: each changes its file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from yardstone.cli.declare import advanced, argument, bundle, flag, option
from yardstone.cli.tournament import PlayerArgument, grade
from yardstone.errors import InputError, UsageError

if TYPE_CHECKING:
    from yardstone.pool import SkipReport
    from yardstone.tournament.event.entries import EventEntry, RatingRegister
    from yardstone.tournament.event.settings import EventChange, EventWishes, Wish
    from yardstone.tournament.model import Tournament
    from yardstone.tournament.rules import TimeControl


__all__ = [
    "EventFile",
    "RoundOption",
    "finish",
    "say",
    "step",
    "new",
    "set_",
    "change",
    "enter",
    "team",
    "bye",
    "withdraw",
    "wish",
    "result",
    "undo",
]


EventFile = Annotated[
    Path, argument("Tournament: OpenGotha XML, changed in place.", metavar="FILE")
]
RoundOption = Annotated[
    int | None, option("Round. [default: the first without boards]", "--round", min=1)
]


def step(path: Path, taken: Callable[[Tournament], EventChange]) -> None:
    """Take a step in a file, and say what was done and what comes next."""
    from yardstone.tournament.event.file import change_file

    finish(path, change_file(path, taken))


def finish(path: Path, change: EventChange, *others: SkipReport) -> None:
    """Say what a step did, what comes next, and what was left out; which is an error."""
    say(path, change)
    left_out = [record for report in (*others, change.skipped) for record in report.details]
    if left_out:
        lines = [f"  {record}" for record in sorted(left_out, key=lambda each: each.line)]
        print("\n".join(lines), file=sys.stderr)
        total = sum(len(report) for report in (*others, change.skipped))
        raise InputError(f"{total} {'row was' if total == 1 else 'rows were'} left out")


def say(path: Path, change: EventChange) -> None:
    """Print what a step did and what comes next."""
    following = next_command(path, change.tournament)
    print("\n".join([*change.lines, *([f"Next: {following}"] if following else [])]))


def next_command(path: Path, tournament: Tournament) -> str:
    """The command that most likely comes next; nothing once all is done."""
    from yardstone.tournament.model import Result

    file = shlex.quote(str(path))
    command = "yardstone tournament"
    if len(tournament.players) < 2:
        return f"{command} enter {file} players.csv"
    still_open = [game for game in tournament.games if game.result is Result.unknown]
    if still_open:
        game = min(still_open, key=lambda each: (each.round, each.table))
        return f"{command} result {file} --round {game.round} --table {game.table} --score 1-0"
    number = tournament.next_round
    if number <= tournament.rounds:
        teams = " --teams" if tournament.teams else ""
        return f"{command} pair {file}{teams} --round {number} -o {file}"
    return f"{command} prizes {file}"


@bundle
class SettingOptions:
    """What a tournament is called and counts."""

    PANEL: ClassVar[str] = "Settings"

    rounds: int | None = option("Rounds, up to 20.")
    name: str | None = option("Name of the tournament.")
    place: str | None = option("Where it is.")
    director: str | None = advanced("Who runs it.")
    dates: str | None = option(
        "First and last day, such as 2026-05-16,2026-05-17.", metavar="FROM[,TO]"
    )
    bar: str | None = option(
        "McMahon bar: all from this grade on begin with the same score.", metavar="GRADE"
    )
    floor: str | None = option(
        "McMahon floor: all up to this grade begin with the same score.", metavar="GRADE"
    )
    handicap: int | None = option("Most stones of a handicap; 0 for none.", metavar="STONES")
    less: int | None = advanced(
        "Stones by which a handicap is smaller than the difference.",
        "--handicap-less",
        metavar="STONES",
    )
    tie_breaks: str | None = option(
        "Criteria of the standings in order, such as mms,sos,sosos.",
        "--tie-breaks",
        "--criteria",
        metavar="NAMES",
    )
    komi: float | None = option("Komi.", metavar="POINTS")
    board: int | None = advanced("9, 13 or 19.", metavar="SIZE")
    minutes: int | None = advanced("Basic time.", "--time", metavar="MINUTES")
    byo_yomi: int | None = advanced("Then byo-yomi of so long.", metavar="SECONDS")
    fischer: int | None = advanced("Or so much more a move.", metavar="SECONDS")

    def values(self, time: TimeControl) -> dict[str, Any]:
        """The settings by the names of the library, None where an option is not given."""
        begin, end = _dates(self.dates)
        return {
            "name": self.name,
            "rounds": self.rounds,
            "place": self.place,
            "director": self.director,
            "begin": begin,
            "end": end,
            "bar": None if self.bar is None else grade(self.bar, "--bar"),
            "floor": None if self.floor is None else grade(self.floor, "--floor"),
            "handicap": self.handicap,
            "correction": self.less,
            "criteria": self.tie_breaks,
            "komi": self.komi,
            "size": self.board,
            "time": self._time(time),
        }

    def _time(self, time: TimeControl) -> TimeControl | None:
        from dataclasses import replace

        from yardstone.tournament.rules import TimeSystem

        if self.minutes is None and self.byo_yomi is None and self.fischer is None:
            return None
        if self.byo_yomi is not None and self.fischer is not None:
            raise UsageError("--byo-yomi and --fischer exclude each other")
        for name, value, most in (
            ("--time", self.minutes, 600),
            ("--byo-yomi", self.byo_yomi, 900),
            ("--fischer", self.fischer, 600),
        ):
            if value is not None and not 0 <= value <= most:
                raise UsageError(f"{name} {value}: from 0 to {most}")
        if self.minutes is not None:
            time = replace(time, basic=60 * self.minutes)
        if self.byo_yomi is not None:
            kind = TimeSystem.byo_yomi if self.byo_yomi else TimeSystem.sudden_death
            time = replace(time, system=kind, period=self.byo_yomi)
        if self.fischer is not None:
            time = replace(time, system=TimeSystem.fischer, increment=self.fischer)
        return time


def _dates(text: str | None) -> tuple[date | None, date | None]:
    if text is None:
        return None, None
    parts = [part.strip() for part in text.replace("/", ",").split(",")]
    try:
        days = [date.fromisoformat(part) for part in parts]
    except ValueError:
        days = []
    if not 1 <= len(days) <= 2:
        raise UsageError(f"--dates {text!r}: write them as 2026-05-16,2026-05-17")
    return days[0], days[-1]


def new(
    file: Annotated[Path, argument("New file, ending in .xml.", metavar="FILE")],
    settings: SettingOptions,
    *,
    system: Literal["mcmahon", "swiss", "round-robin"] = option(
        "How rounds are paired.", default="mcmahon"
    ),
) -> None:
    """Begin a tournament: write a file that OpenGotha opens.

    Settings that are not given are those of OpenGotha for a new tournament: five rounds,
    komi 7.5, an hour and byo-yomi of 30 seconds; in a McMahon tournament the bar at 4 dan,
    the floor at 20 kyu, and handicap below 1 dan, less one stone.

    Examples:
        yardstone tournament new cup.xml --rounds 5
        yardstone tournament new may.xml --name 'May Cup' --bar 2d --handicap 0 --dates 2026-05-16
    """
    from dataclasses import replace

    from yardstone.reports.standings import summary_lines
    from yardstone.tournament.event.file import create_file
    from yardstone.tournament.event.settings import (
        USUAL_TIME,
        EventWishes,
        new_tournament,
        write_wishes,
    )
    from yardstone.tournament.model import System

    if file.suffix.lower() != ".xml":
        raise UsageError(f"{file}: a file of OpenGotha ends in .xml")
    given = settings.values(USUAL_TIME)
    values = {name: value for name, value in given.items() if value is not None}
    tournament = new_tournament(values.pop("name", file.stem), system=system, **values)
    change = create_file(file, tournament)
    if tournament.system is System.round_robin:
        write_wishes(file, EventWishes(system=tournament.system))
    lines = (f"{file} is made.", *summary_lines(tournament))
    finish(file, replace(change, lines=lines))


def set_(file: EventFile, settings: SettingOptions) -> None:
    """Change the settings of a tournament; those that are not named stay.

    Examples:
        yardstone tournament set open.xml --bar 3d --tie-breaks mms,sos,sosos
    """
    from yardstone.tournament.event.settings import change_settings

    step(file, lambda t: change_settings(t, **settings.values(t.time)))


@bundle
class PlayerOptions:
    """What is said of a player."""

    PANEL: ClassVar[str] = "Player"

    grade: str | None = option("Grade, such as 3d or 12k.", metavar="GRADE")
    rating: float | None = option("Rating, 1 dan being 2100.")
    club: str | None = option("Club.")
    country: str | None = option("Country: two letters.", metavar="CODE")
    correction: int | None = option(
        "Added to the initial McMahon score: 1 for a group above the bar.", metavar="POINTS"
    )


def enter(
    file: EventFile,
    player: PlayerOptions,
    *,
    table: Path | None = argument(
        "CSV file of players: columns name, grade or rating, club, country.",
        default=None,
        metavar="[TABLE]",
    ),
    name: str | None = option("One player: family name first, or with a comma after it."),
    register: Path | None = option(
        "Take grade, rating, club and country from this list of the EGF, FFG or AGA.", "--list"
    ),
    first_round: int | None = option(
        "First round in which they play. [default: the first without boards]", "--round", min=1
    ),
) -> None:
    """Enter players: one by name, or all of a table, at any round.

    Whoever is in the file already in the same way stays; another grade, rating, club or
    country is refused (see `change`). Rows that cannot be used are left out and listed with
    their lines. A late entry is absent in the rounds before, and scores for them what the
    tournament gives for absence.

    Examples:
        yardstone tournament enter open.xml players.csv --round 5
        yardstone tournament enter open.xml --name 'Novak, Jana' --grade 3k --club Brno --round 5
    """
    from yardstone.pool import SkipReport
    from yardstone.tournament.event.entries import (
        EventEntry,
        enter_players,
        read_player_table,
        read_register,
    )
    from yardstone.tournament.event.file import change_file

    if (table is None) == (name is None):
        raise UsageError("name a file of players, or one player with --name")
    known = None if register is None else read_register(register)
    notes: list[str] = []
    skipped = SkipReport()
    if table is not None:
        if player != PlayerOptions():
            raise UsageError("--grade, --rating, --club, --country: for one player with --name")
        read = read_player_table(table)
        entries, skipped = list(read.entries), read.skipped
        if read.unused:
            notes.append(f"Columns not used: {', '.join(read.unused)}.")
    else:
        entries = [
            EventEntry(
                name=name or "",
                grade=player.grade or "",
                rating=player.rating,
                club=player.club or "",
                country=player.country or "",
                correction=player.correction or 0,
            )
        ]
    if known is not None:
        entries = [
            made
            for each in entries
            if (made := _completed(each, known, table or register, skipped, notes)) is not None
        ]
    source = "" if table is None else str(table)
    done = change_file(
        file, lambda t: enter_players(t, entries, first_round=first_round, source=source)
    )
    if name is not None and len(done.skipped):
        raise InputError(done.skipped.details[0].reason, file=str(file))
    finish(file, replace(done, lines=(*done.lines, *notes)), skipped)


def _completed(
    entry: EventEntry,
    known: RatingRegister,
    file: Path | None,
    skipped: SkipReport,
    notes: list[str],
) -> EventEntry | None:
    """The entry with what the list knows; None if it cannot be told who is meant."""
    from yardstone.pool import Skipped

    try:
        made = known.completed(entry)
    except InputError as error:
        reason = f"{error.message} ({error.hint})" if error.hint else error.message
        if not entry.line:
            raise
        skipped.add(Skipped(str(file), entry.line, reason), kind="ambiguous")
        return None
    if made is None:
        if not entry.grade and entry.rating is None:
            known.find(entry.name) if not entry.line else None
            reason = f"{entry.name}: not in the list of the {known.federation}, and no grade"
            skipped.add(Skipped(str(file), entry.line, reason), kind="not in the list")
            return None
        notes.append(f"Not in the list of the {known.federation}: {entry.name}.")
        return entry
    return made


def change(
    file: EventFile,
    options: PlayerOptions,
    *,
    player: PlayerArgument,
    name: str | None = option("New name."),
) -> None:
    """Change what is said of a player: name, grade, rating, club, country.

    Examples:
        yardstone tournament change open.xml Moreau --grade 7k --club Nice
    """
    from yardstone.tournament.event.entries import change_player

    values: dict[str, Any] = {
        "name": name,
        "grade": options.grade,
        "rating": options.rating,
        "club": options.club,
        "country": options.country,
        "correction": options.correction,
    }
    if all(value is None for value in values.values()):
        raise UsageError("say what to change: --name, --grade, --rating, --club or --country")
    step(file, lambda t: change_player(t, t.find(player), **values))


def team(
    file: EventFile,
    *,
    name: str | None = option("Name of the team."),
    players: str | None = option("Its players, the first board first.", metavar="A,B,…"),
    round_number: int | None = option(
        "Round from which they play. [default: the first without boards]", "--round", min=1
    ),
    boards: int | None = option(
        "Boards of a match. [default: the players of the first team]", min=1, max=100
    ),
    remove: bool = flag("Take the team out; its players stay."),
) -> None:
    """Enter a team, or another line-up of it; without options list them.

    Players are entered before, with `enter`. Line-ups hold until another one is given; more
    players than boards are reserves.

    Examples:
        yardstone tournament team teams.xml --name Otters --players 'Berg Olav,Costa Ines'
        yardstone tournament team teams.xml
    """
    from yardstone.tournament.event.settings import remove_team, set_team
    from yardstone.tournament.files import read_tournament

    if name is None:
        if players is not None or round_number is not None or boards is not None or remove:
            raise UsageError("say which team: --name")
        print("\n".join(_list_teams(read_tournament(file))))
    elif remove:
        if players is not None or round_number is not None or boards is not None:
            raise UsageError("--remove goes with --name alone")
        step(file, lambda t: remove_team(t, name))
    elif players is None:
        raise UsageError("say who plays: --players 'A,B,C', the first board first")
    else:
        words = [word.strip() for word in players.replace(";", ",").split(",") if word.strip()]
        step(
            file,
            lambda t: set_team(
                t, name, [t.find(word) for word in words], round_number, boards=boards
            ),
        )


def _list_teams(tournament: Tournament) -> list[str]:
    lines = []
    for each in tournament.teams:
        last = ""
        for number, lineup in enumerate(each.lineups, 1):
            names = [tournament.players[row].full_name if row >= 0 else "nobody" for row in lineup]
            since = f" from round {number} on" if number > 1 else ""
            if names and ", ".join(names) != last:
                last = ", ".join(names)
                lines.append(f"{each.name}{since}: {last}")
    return lines or ["No teams."]


def withdraw(
    file: EventFile,
    *,
    player: PlayerArgument,
    round_number: RoundOption = None,
    only: bool = flag("Absent in this round alone, back after it."),
    back: bool = flag("Take part again from this round on."),
    delete: bool = flag("Take out an entry that was never paired."),
) -> None:
    """Withdraw a player from a round on, or for one round.

    Rounds of absence score what the tournament gives for them. A player who has a game in
    the round loses it by a forfeit: enter that with `result`.

    Examples:
        yardstone tournament withdraw open.xml Moreau --round 5 --back
    """
    from yardstone.tournament.event.entries import remove_player
    from yardstone.tournament.event.rounds import rejoin
    from yardstone.tournament.event.rounds import withdraw as withdrawn

    if only + back + delete > 1 or (delete and round_number is not None):
        raise UsageError("--only, --back and --delete exclude each other; --delete has no round")
    if delete:
        step(file, lambda t: remove_player(t, t.find(player)))
    elif back:
        step(file, lambda t: rejoin(t, t.find(player), round_number))
    else:
        step(file, lambda t: withdrawn(t, t.find(player), round_number, only=only))


def bye(
    file: EventFile,
    *,
    player: PlayerArgument,
    round_number: RoundOption = None,
    replace: bool = flag("Take the bye from another player."),
    remove: bool = flag("Take this player's bye back."),
) -> None:
    """Give a player the bye of a round, before the others are paired.

    A round has one bye in OpenGotha's files; it scores what the tournament gives for it,
    usually a point. For a round off see `withdraw --only`.

    Examples:
        yardstone tournament bye open.xml Jensen --round 5
    """
    from yardstone.tournament.event.rounds import give_bye, take_bye_back

    if remove and replace:
        raise UsageError("--remove and --replace exclude each other")
    if remove:
        step(file, lambda t: take_bye_back(t, t.find(player), round_number))
    else:
        step(file, lambda t: give_bye(t, t.find(player), round_number, replace_other=replace))


def wish(
    file: EventFile,
    *,
    never: list[str] | None = option("These players never meet. Repeatable.", metavar="A,B"),
    not_in_club: bool = flag("No game within a club."),
    not_in_country: bool = flag("No game within a country."),
    local: str | None = option(
        "Players of this country meet the others, as far as numbers allow.", metavar="CODE"
    ),
    rounds: str | None = option(
        "Rounds for which the new wishes hold. [default: all]", metavar="FROM[-TO]"
    ),
    drop: int | None = option("Drop the wish of this number.", min=1),
) -> None:
    """Keep a wish for the pairings of several rounds.

    Without options the wishes are listed. `pair` keeps them: they are demands, and a round
    that cannot be paired with them is refused. They stand in a file beside the
    tournament's, such as open.xml.wishes, as OpenGotha has no place for them.

    Examples:
        yardstone tournament wish open.xml --never 'Adler Ruth,Fischer Jan'
        yardstone tournament wish open.xml --not-in-club --rounds 1-3
        yardstone tournament wish open.xml
    """
    from dataclasses import replace

    from yardstone.tournament.event.settings import change_wishes, read_wishes
    from yardstone.tournament.files import read_tournament

    tournament = read_tournament(file)
    first, last = _rounds(rounds)
    new: list[Wish] = []
    if never or not_in_club or not_in_country or local:
        from yardstone.cli.pair import two_players
        from yardstone.tournament.event.settings import Wish

        for text in never or []:
            pair = two_players(tournament, text, "--never")
            names = tuple(tournament.players[row].full_name for row in pair)
            new.append(Wish(kind="never", players=names, first=first, last=last))
        if not_in_club:
            new.append(Wish(kind="club", first=first, last=last))
        if not_in_country:
            new.append(Wish(kind="country", first=first, last=last))
        if local is not None:
            code = local.strip().upper()
            if len(code) != 2 or not code.isalpha():
                raise UsageError(f"--local {local!r}: two letters, such as DE")
            new.append(Wish(kind="local", country=code, first=first, last=last))
    elif rounds is not None:
        raise UsageError("--rounds goes with a new wish")
    if drop is not None and new:
        raise UsageError("--drop goes alone")

    def changed(kept: EventWishes) -> EventWishes:
        if drop is not None and drop > len(kept.wishes):
            raise UsageError(f"there is no wish {drop}, but {len(kept.wishes)}")
        wishes = [each for number, each in enumerate(kept.wishes, 1) if number != drop]
        wishes += [each for each in new if each not in wishes]
        return replace(kept, wishes=tuple(wishes))

    only_listed = not new and drop is None
    print(
        "\n".join(_list_wishes(read_wishes(file) if only_listed else change_wishes(file, changed)))
    )


def _rounds(text: str | None) -> tuple[int, int]:
    """The first and the last round, 0 for all further ones."""
    if text is None:
        return 1, 0
    first, dash, last = (part.strip() for part in text.partition("-"))
    if not first.isdecimal() or not (last.isdecimal() if dash and last else True):
        raise UsageError(f"--rounds {text!r}: write it as 1-3, or 2")
    bounds = int(first), int(last) if last else 0 if dash else int(first)
    if bounds[0] < 1 or 0 < bounds[1] < bounds[0]:
        raise UsageError(f"--rounds {text!r}: the first round comes first")
    return bounds


def _list_wishes(wishes: EventWishes) -> list[str]:
    lines = [f"{number}  {each.sentence()}" for number, each in enumerate(wishes.wishes, 1)]
    if wishes.system is not None:
        lines.append(f"Paired as a {str(wishes.system).replace('-', ' ')}.")
    return lines or ["No wishes."]


def result(
    file: EventFile,
    *,
    sheet: Path | None = argument(
        "CSV file of results: columns round, table, score; or both players and score: black, "
        "white in Go, white, black in chess.",
        default=None,
        metavar="[SHEET]",
    ),
    round_number: int | None = option("Round. [default: the last with boards]", "--round", min=1),
    table: int | None = option("Table.", min=0),
    players: str | None = option(
        "The two players in place of the table; the score is A's, then B's.", metavar="A,B"
    ),
    score: str | None = option(
        "1-0, 0-1, 0.5-0.5, 0-0 if both lose, with F for a forfeit (1-0F); ? if open.",
        metavar="SCORE",
    ),
    winner: str | None = option("The winner, in place of all that.", metavar="NAME"),
    replace: bool = flag("Replace another result."),
) -> None:
    """Enter a result, or a sheet of them.

    The score is that of the first-named player first: the one who stands first on the
    board list, who is Black in Go. The same result again changes nothing; another one is
    refused without `--replace`.

    Examples:
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
    from yardstone.cli.pair import two_players
    from yardstone.tournament.event.rounds import GameResult, parse_score, set_result

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
    from yardstone.tournament.event.rounds import GameResult, set_result
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
    from yardstone.tournament.event.file import change_file
    from yardstone.tournament.event.rounds import read_result_sheet, set_results

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

    Examples:
        yardstone tournament undo open.xml
    """
    from yardstone.tournament.event.file import undo_step

    say(file, undo_step(file))
