"""`yardstone tournament new` and `set`: a tournament, and its settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from yardstone.cli.tournament.file import grade
from yardstone.cli.tournament.steps import EventFile, finish, step
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.tournament.rules import TimeControl

__all__ = ["new", "set_"]


@dataclass(frozen=True)
class SettingOptions:
    """What a tournament is called and counts."""

    PANEL: ClassVar[str] = "Settings"

    rounds: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Rounds, up to 20.", show_default=False),
    ] = None
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Name of the tournament.", show_default=False)
    ] = None
    place: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Where it is.", show_default=False)
    ] = None
    director: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Who runs it.", show_default=False)
    ] = None
    dates: Annotated[
        str | None,
        typer.Option(
            metavar="FROM[,TO]",
            help="First and last day, such as 2026-05-16,2026-05-17.",
            show_default=False,
        ),
    ] = None
    bar: Annotated[
        str | None,
        typer.Option(
            metavar="GRADE",
            help="McMahon bar: all from this grade on begin with the same score.",
            show_default=False,
        ),
    ] = None
    floor: Annotated[
        str | None,
        typer.Option(
            metavar="GRADE",
            help="McMahon floor: all up to this grade begin with the same score.",
            show_default=False,
        ),
    ] = None
    handicap: Annotated[
        int | None,
        typer.Option(
            metavar="STONES", help="Most stones of a handicap; 0 for none.", show_default=False
        ),
    ] = None
    less: Annotated[
        int | None,
        typer.Option(
            "--handicap-less",
            metavar="STONES",
            help="Stones by which a handicap is smaller than the difference.",
            show_default=False,
        ),
    ] = None
    tie_breaks: Annotated[
        str | None,
        typer.Option(
            "--tie-breaks",
            "--criteria",
            metavar="NAMES",
            help="Criteria of the standings in order, such as mms,sos,sosos.",
            show_default=False,
        ),
    ] = None
    komi: Annotated[
        float | None, typer.Option(metavar="POINTS", help="Komi.", show_default=False)
    ] = None
    board: Annotated[
        int | None, typer.Option(metavar="SIZE", help="9, 13 or 19.", show_default=False)
    ] = None
    minutes: Annotated[
        int | None,
        typer.Option("--time", metavar="MINUTES", help="Basic time.", show_default=False),
    ] = None
    byo_yomi: Annotated[
        int | None,
        typer.Option(metavar="SECONDS", help="Then byo-yomi of so long.", show_default=False),
    ] = None
    fischer: Annotated[
        int | None,
        typer.Option(metavar="SECONDS", help="Or so much more a move.", show_default=False),
    ] = None

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
        for option, value, most in (
            ("--time", self.minutes, 600),
            ("--byo-yomi", self.byo_yomi, 900),
            ("--fischer", self.fischer, 600),
        ):
            if value is not None and not 0 <= value <= most:
                raise UsageError(f"{option} {value}: from 0 to {most}")
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
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="New file, ending in .xml.", show_default=False),
    ],
    settings: SettingOptions,
    *,
    system: Annotated[
        Literal["mcmahon", "swiss", "round-robin"], typer.Option(help="How rounds are paired.")
    ] = "mcmahon",
) -> None:
    """Begin a tournament: write a file that OpenGotha opens.

    Settings that are not given are those of OpenGotha for a new tournament: five rounds,
    komi 7.5, an hour and byo-yomi of 30 seconds; in a McMahon tournament the bar at 4 dan,
    the floor at 20 kyu, and handicap below 1 dan, less one stone.

    Examples
    --------
    yardstone tournament new cup.xml --rounds 5
    yardstone tournament new may.xml --name 'May Cup' --bar 2d --handicap 0 --dates 2026-05-16
    """
    from dataclasses import replace

    from yardstone.reports.tournament.standings import summary_lines
    from yardstone.tournament.event.creation import USUAL_TIME, new_tournament
    from yardstone.tournament.event.file import create_file
    from yardstone.tournament.event.wishes import EventWishes, write_wishes
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

    Examples
    --------
    yardstone tournament set open.xml --bar 3d --tie-breaks mms,sos,sosos
    """
    from yardstone.tournament.event.creation import change_settings

    step(file, lambda t: change_settings(t, **settings.values(t.time)))
