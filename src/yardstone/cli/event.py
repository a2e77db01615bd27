"""The commands that run a tournament step by step: each changes its file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace as with_other
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from yardstone.choices import words
from yardstone.cli.declare import advanced, argument, bundle, flag, given, option, round_option
from yardstone.cli.pair import two_players
from yardstone.cli.tournament import PlayerArgument, grade
from yardstone.errors import InputError, UsageError
from yardstone.pool import Skipped, SkipReport
from yardstone.tournament import event
from yardstone.tournament.event.settings import (
    SETTINGS,
    USUAL_TIME,
    EventWishes,
    Wish,
    change_wishes,
    read_wishes,
)
from yardstone.tournament.files import read_tournament
from yardstone.tournament.model import Result, System, Tournament
from yardstone.tournament.rules import TimeControl, TimeSystem

if TYPE_CHECKING:
    from yardstone.tournament.event.entries import RatingRegister

EventFile = Annotated[
    Path,
    argument("Tournament: OpenGotha XML, changed in place.", metavar="FILE", writes="beside"),
]
RoundOption = Annotated[int | None, round_option("Round.")]


def step(path: Path, taken: Callable[[Tournament], event.EventChange]) -> None:
    """Take a step in a file, and say what was done and what comes next."""
    finish(path, event.change_file(path, taken))


def finish(path: Path, change: event.EventChange, *others: SkipReport) -> None:
    """Say what a step did, what comes next, and what was left out; which is an error."""
    following = _next_command(path, change.tournament)
    print("\n".join([*change.lines, *([f"Next: {following}"] if following else [])]))
    reports = (*others, change.skipped)
    if left_out := [record for report in reports for record in report.details]:
        lines = [f"  {record}" for record in sorted(left_out, key=lambda each: each.line)]
        print("\n".join(lines), file=sys.stderr)
        total = sum(map(len, reports))
        raise InputError(f"{total} {'row was' if total == 1 else 'rows were'} left out")


def _next_command(path: Path, tournament: Tournament) -> str:
    """The command that most likely comes next; nothing once all is done."""
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


def _dates(text: str, option: str) -> tuple[date, date]:
    try:
        days = [date.fromisoformat(part.strip()) for part in text.replace("/", ",").split(",")]
    except ValueError:
        days = []
    if not 1 <= len(days) <= 2:
        raise UsageError(f"{option} {text!r}: write them as 2026-05-16,2026-05-17")
    return days[0], days[-1]


@bundle
class _SettingOptions:
    """What a tournament is called and counts, by the names of the library."""

    PANEL: ClassVar[str] = "Settings"

    rounds: int | None = option("Rounds, up to 20.")
    name: str | None = option("Name of the tournament.")
    place: str | None = option("Where it is.")
    director: str | None = advanced("Who runs it.")
    dates: Any = option(
        "First and last day, such as 2026-05-16,2026-05-17.", read=_dates, metavar="FROM[,TO]"
    )
    bar: Any = option(
        "McMahon bar: all from this grade on begin with the same score.",
        read=grade,
        metavar="GRADE",
    )
    floor: Any = option(
        "McMahon floor: all up to this grade begin with the same score.",
        read=grade,
        metavar="GRADE",
    )
    handicap: int | None = option("Most stones of a handicap; 0 for none.", metavar="STONES")
    correction: int | None = advanced(
        "Stones by which a handicap is smaller than the difference.",
        "--handicap-less",
        metavar="STONES",
    )
    criteria: str | None = option(
        "Criteria of the standings in order, such as mms,sos,sosos.",
        metavar="NAMES",
    )
    komi: float | None = option("Komi.", metavar="POINTS")
    size: int | None = advanced("9, 13 or 19.", "--board", metavar="SIZE")
    minutes: int | None = advanced("Basic time.", "--time", min=0, max=600, metavar="MINUTES")
    byo_yomi: int | None = advanced("Then byo-yomi of so long.", min=0, max=900, metavar="SECONDS")
    fischer: int | None = advanced("Or so much more a move.", min=0, max=600, metavar="SECONDS")

    def values(self, time: TimeControl) -> dict[str, Any]:
        """The settings that are given; of the time, what is not given is as in `time`."""
        values = given(self)
        if self.dates is not None:
            values["begin"], values["end"] = self.dates
        values["time"] = self._time(time)
        return {name: values[name] for name in SETTINGS if values.get(name) is not None}

    def _time(self, time: TimeControl) -> TimeControl | None:
        if self.byo_yomi is not None and self.fischer is not None:
            raise UsageError("--byo-yomi and --fischer exclude each other")
        made = time if self.minutes is None else with_other(time, basic=60 * self.minutes)
        if self.byo_yomi is not None:
            kind = TimeSystem.byo_yomi if self.byo_yomi else TimeSystem.sudden_death
            return with_other(made, system=kind, period=self.byo_yomi)
        if self.fischer is not None:
            return with_other(made, system=TimeSystem.fischer, increment=self.fischer)
        return None if self.minutes is None else made


def new(
    file: Annotated[Path, argument("New file, ending in .xml.", metavar="FILE", writes="beside")],
    settings: _SettingOptions,
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
    from yardstone.reports.standings import summary_lines

    if file.suffix.lower() != ".xml":
        raise UsageError(f"{file}: a file of OpenGotha ends in .xml")
    values = {"name": file.stem, **settings.values(USUAL_TIME)}
    tournament = event.new_tournament(**values, system=system)
    change = event.create_file(file, tournament)
    if tournament.system is System.round_robin:
        change_wishes(file, lambda _: EventWishes(system=tournament.system))
    lines = (f"{file} is made.", *summary_lines(tournament))
    finish(file, with_other(change, lines=lines))


def set_(file: EventFile, settings: _SettingOptions) -> None:
    """Change the settings of a tournament; those that are not named stay.

    Examples:
        yardstone tournament set open.xml --bar 3d --criteria mms,sos,sosos
    """
    step(file, lambda t: event.change_settings(t, **settings.values(t.time)))


@bundle
class _PlayerOptions:
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
    player: _PlayerOptions,
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
    first_round: int | None = round_option("First round in which they play."),
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
    from yardstone.tournament.event.entries import read_player_table, read_register

    if (table is None) == (name is None):
        raise UsageError("name a file of players, or one player with --name")
    known = None if register is None else read_register(register)
    notes: list[str] = []
    skipped = SkipReport()
    if table is not None:
        if player != _PlayerOptions():
            raise UsageError("--grade, --rating, --club, --country: for one player with --name")
        read = read_player_table(table)
        entries, skipped = list(read.entries), read.skipped
        if read.unused:
            notes.append(f"Columns not used: {', '.join(read.unused)}.")
    else:
        entries = [event.EventEntry(name=name or "", **given(player))]
    if known is not None:
        entries = list(_completed(entries, known, str(table or register), skipped, notes))
    source = "" if table is None else str(table)
    done = event.change_file(
        file, lambda t: event.enter_players(t, entries, first_round=first_round, source=source)
    )
    if name is not None and len(done.skipped):
        raise InputError(done.skipped.details[0].reason, file=str(file))
    finish(file, with_other(done, lines=(*done.lines, *notes)), skipped)


def _completed(
    entries: Iterable[event.EventEntry],
    known: RatingRegister,
    file: str,
    skipped: SkipReport,
    notes: list[str],
) -> Iterator[event.EventEntry]:
    """The entries with what the list knows, but for those where it cannot tell who is meant."""
    for entry in entries:
        missing = f"not in the list of the {known.federation}"
        try:
            made = known.completed(entry)
            if made is not None:
                yield made
            elif entry.grade or entry.rating is not None:
                notes.append(f"{missing[:1].upper()}{missing[1:]}: {entry.name}.")
                yield entry
            else:
                if not entry.line:
                    known.find(entry.name)
                reason = f"{entry.name}: {missing}, and no grade"
                skipped.add(Skipped(file, entry.line, reason), kind="not in the list")
        except InputError as error:
            if not entry.line:
                raise
            skipped.add(Skipped(file, entry.line, error.advice), kind="ambiguous")


def change(
    file: EventFile,
    options: _PlayerOptions,
    *,
    player: PlayerArgument,
    name: str | None = option("New name."),
) -> None:
    """Change what is said of a player: name, grade, rating, club, country.

    Examples:
        yardstone tournament change open.xml Moreau --grade 7k --club Nice
    """
    values = given(options) | ({} if name is None else {"name": name})
    if not values:
        raise UsageError("say what to change: --name, --grade, --rating, --club or --country")
    step(file, lambda t: event.change_player(t, t.find(player), **values))


def team(
    file: EventFile,
    *,
    name: str | None = option("Name of the team."),
    players: str | None = option("Its players, the first board first.", metavar="A,B,…"),
    round_number: int | None = round_option("Round from which they play."),
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
    lineup = players is not None or round_number is not None or boards is not None
    if name is None:
        if lineup or remove:
            raise UsageError("say which team: --name")
        lines = []
        for each in (tournament := read_tournament(file)).teams:
            last = ""
            for number, rows in enumerate(each.lineups, 1):
                told = ", ".join(tournament.name_of(r) if r >= 0 else "nobody" for r in rows)
                since = f" from round {number} on" if number > 1 else ""
                if told not in ("", last):
                    last = told
                    lines.append(f"{each.name}{since}: {told}")
        print("\n".join(lines or ["No teams."]))
    elif remove:
        if lineup:
            raise UsageError("--remove goes with --name alone")
        step(file, lambda t: event.remove_team(t, name))
    elif players is None:
        raise UsageError("say who plays: --players 'A,B,C', the first board first")
    else:
        names = words(players)
        step(
            file,
            lambda t: event.set_team(t, name, [*map(t.find, names)], round_number, boards=boards),
        )


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
    from yardstone.tournament.event.rounds import PLAYER_STEPS

    if only + back + delete > 1 or (delete and round_number is not None):
        raise UsageError("--only, --back and --delete exclude each other; --delete has no round")
    act = "remove" if delete else "rejoin" if back else "absent" if only else "withdraw"
    step(file, lambda t: PLAYER_STEPS[act](t, t.find(player), round_number))


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
    if remove and replace:
        raise UsageError("--remove and --replace exclude each other")
    act = event.take_bye_back if remove else partial(event.give_bye, replace_other=replace)
    step(file, lambda t: act(t, t.find(player), round_number))


def _rounds(text: str, option: str) -> tuple[int, int]:
    """The first and the last round, 0 for all further ones."""
    first, dash, last = (part.strip() for part in text.partition("-"))
    if not first.isdecimal() or not (last.isdecimal() if dash and last else True):
        raise UsageError(f"{option} {text!r}: write it as 1-3, or 2")
    bounds = int(first), int(last) if last else 0 if dash else int(first)
    if bounds[0] < 1 or 0 < bounds[1] < bounds[0]:
        raise UsageError(f"{option} {text!r}: the first round comes first")
    return bounds


def _country(text: str, option: str) -> str:
    code = text.strip().upper()
    if len(code) != 2 or not code.isalpha():
        raise UsageError(f"{option} {text!r}: two letters, such as DE")
    return code


def wish(
    file: EventFile,
    *,
    never: list[str] | None = option("These players never meet. Repeatable.", metavar="A,B"),
    not_in_club: bool = flag("No game within a club."),
    not_in_country: bool = flag("No game within a country."),
    local: Any = option(
        "Players of this country meet the others, as far as numbers allow.",
        read=_country,
        metavar="CODE",
    ),
    rounds: Any = option(
        "Rounds for which the new wishes hold. [default: all]", read=_rounds, metavar="FROM[-TO]"
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
    tournament = read_tournament(file)
    first, last = rounds or (1, 0)
    made = partial(Wish, first=first, last=last)
    new = []
    for text in never or []:
        pair = two_players(tournament, text, "--never")
        new.append(made(kind="never", players=tuple(map(tournament.name_of, pair))))
    new += [made(kind="club")] * not_in_club + [made(kind="country")] * not_in_country
    if local is not None:
        new.append(made(kind="local", country=local))
    if rounds is not None and not new:
        raise UsageError("--rounds goes with a new wish")
    if drop is not None and new:
        raise UsageError("--drop goes alone")

    def changed(kept: EventWishes) -> EventWishes:
        if drop is not None and drop > len(kept.wishes):
            raise UsageError(f"there is no wish {drop}, but {len(kept.wishes)}")
        wishes = [each for number, each in enumerate(kept.wishes, 1) if number != drop]
        wishes += [each for each in new if each not in wishes]
        return with_other(kept, wishes=tuple(wishes))

    unasked = not new and drop is None
    wishes = read_wishes(file) if unasked else change_wishes(file, changed)
    lines = [f"{number}  {each.sentence()}" for number, each in enumerate(wishes.wishes, 1)]
    if wishes.system is not None:
        lines.append(f"Paired as a {str(wishes.system).replace('-', ' ')}.")
    print("\n".join(lines or ["No wishes."]))


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
    from yardstone.tournament.event.rounds import read_result_sheet

    said = table is not None or players is not None or score is not None
    if sheet is not None and (said or winner is not None):
        raise UsageError("a sheet has tables and scores of its own")
    if winner is not None and said:
        raise UsageError("--winner goes without --table, --players and --score")
    if sheet is None and winner is None and (score is None or (table is None) == (players is None)):
        raise UsageError("say which game and how it ended: --table 3 --score 1-0")
    skipped: list[SkipReport] = []

    def taken(tournament: Tournament) -> event.EventChange:
        number = max(tournament.last_round, 1) if round_number is None else round_number
        if sheet is not None:
            results, report = read_result_sheet(sheet, tournament, round_number=number)
            skipped[:] = [report]
            return event.set_results(tournament, results, replace_other=replace, source=str(sheet))
        pair: tuple[int, int] | None = None
        if winner is not None:
            player = tournament.find(winner)
            game = tournament.game_of.get((number, player))
            if game is None:
                who = tournament.name_of(player)
                raise tournament.error(f"{who} has no game in round {number}")
            value, forfeit, pair = Result.first_wins, False, (player, game.opponent(player))
        else:
            value, forfeit = event.parse_score(score or "")
            if players is not None:
                pair = two_players(tournament, players, "--players")
        given = event.GameResult(
            result=value, forfeit=forfeit, round=number, table=table, players=pair
        )
        return event.set_result(tournament, given, replace_other=replace)

    finish(file, event.change_file(file, taken), *skipped)


def undo(file: EventFile) -> None:
    """Take back the last change of a tournament's file.

    Changes are kept in a file beside it, such as open.xml.undo. If another program wrote
    the file since, only what the change did is taken back.

    Examples:
        yardstone tournament undo open.xml
    """
    finish(file, event.undo_step(file))
