"""`yardstone tournament simulate`: whole tournaments played thousands of times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from yardstone.cli.output import Output
from yardstone.cli.tournament.file import Runs, Win, grade
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.tournament.forecast import Scenario

__all__ = ["simulate"]


@dataclass(frozen=True)
class TournamentOptions:
    """How the tournament is played."""

    PANEL: ClassVar[str] = "Tournament"

    rounds: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, help="Rounds. [default: the file's, or 5]"),
    ] = None
    system: Annotated[
        Literal["mcmahon", "swiss", "round-robin"] | None,
        typer.Option(help="Pairing. [default: the file's, or mcmahon]"),
    ] = None
    bar: Annotated[str | None, typer.Option(metavar="GRADE", help="McMahon bar, such as 3d.")] = (
        None
    )
    floor: Annotated[
        str | None, typer.Option(metavar="GRADE", help="McMahon floor, such as 20k.")
    ] = None
    handicap: Annotated[
        int | None,
        typer.Option(
            metavar="STONES", min=0, max=36, help="Most handicap stones; 0: even games only."
        ),
    ] = None


@dataclass(frozen=True)
class ResultOptions:
    """How games end."""

    PANEL: ClassVar[str] = "Results of games"

    win: Win = None
    advantage: Annotated[
        float, typer.Option(metavar="POINTS", help="With --win elo: advantage of moving first.")
    ] = 0.0
    draws: Annotated[
        float, typer.Option(metavar="RATE", help="With --win elo: draw rate of equal players.")
    ] = 0.0
    deviation: Annotated[
        float | None,
        typer.Option(
            metavar="AMOUNT",
            min=0.0,
            help="Standard deviation of true strengths about the entry list (grades, or points "
            "with elo); 0: it is exact. [default: of a file, as measured in real tournaments]",
        ),
    ] = None


def _whole(least: int) -> Callable[[str, str], int]:
    def value(text: str, option: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise UsageError(f"{option}: {text!r} is not a whole number") from None
        if number < least:
            raise UsageError(f"{option}: {number} is too few; at least {least}")
        return number

    return value


def _system(text: str, option: str) -> Any:
    from yardstone.tournament.model import System

    try:
        return System(text)
    except ValueError:
        raise UsageError(f"{option}: there is no {text!r}") from None


#: What can vary, and how its values are read.
_VARIED: dict[str, Callable[[str, str], Any]] = {
    "bar": grade,
    "floor": grade,
    "rounds": _whole(1),
    "handicap": _whole(0),
    "system": _system,
    "players": _whole(2),
}


def simulate(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A tournament file: its players and rules; rounds that are over stay as they are. "
            "Without it, players are drawn as European tournaments have them.",
            show_default=False,
        ),
    ] = None,
    *,
    tournaments: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Number of tournaments.")
    ] = 1000,
    players: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Number of players, without a file.")
    ] = 64,
    grades: Annotated[
        str, typer.Option(metavar="LOW:HIGH", help="Grades of the players, without a file.")
    ] = "20k:7d",
    rules: TournamentOptions,
    criteria: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Criteria of the final standings, such as mms,sos,sosos."
        ),
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Also replay the rounds that are over.")
    ] = False,
    results: ResultOptions,
    vary: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=A,B,C",
            help=f"Compare tournaments that differ in one thing: {', '.join(_VARIED)}.",
        ),
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Show this many players; 0 shows all.")
    ] = 20,
    runs: Runs,
    output: Output,
) -> None:
    """Simulate a tournament thousands of times: who finishes where.

    Strengths are the ratings of the entry list, or the grades where there is none;
    results are drawn from the model of winning, rounds paired as `tournament pair` does.

    Examples
    --------
    yardstone tournament simulate open.xml --tournaments 200 --plot places.svg
    yardstone tournament simulate --players 32 --tournaments 200 --vary bar=1d,3d,5d
    yardstone tournament simulate swiss.trf --win elo --draws 0.4 --advantage 35
    """
    from yardstone.reports.tournament.simulation import simulation_document
    from yardstone.tournament.files import read_tournament
    from yardstone.tournament.forecast import Scenario, simulate_scenarios

    output.check()
    low, colon, high = grades.partition(":")
    if not colon:
        raise UsageError("--grades: write two grades, as in 20k:7d")
    scenario = Scenario(
        tournament=None if file is None else read_tournament(file),
        players=players,
        lowest=grade(low, "--grades"),
        highest=grade(high, "--grades"),
        restart=restart,
        rounds=rules.rounds,
        system=None if rules.system is None else _system(rules.system, "--system"),
        bar=None if rules.bar is None else grade(rules.bar, "--bar"),
        floor=None if rules.floor is None else grade(rules.floor, "--floor"),
        handicap=rules.handicap,
        win=results.win,
        advantage=results.advantage,
        draw_rate=results.draws,
        deviation=results.deviation,
        seed=runs.seed,
    )
    simulation = simulate_scenarios(
        scenario,
        tournaments,
        **_variation(vary, scenario),
        criteria=criteria,
        workers=runs.workers,
        progress=output.progress,
    )
    output.emit(simulation_document(simulation, top=top))


def _variation(text: str | None, scenario: Scenario) -> dict[str, Any]:
    """What differs, and the values with their names."""
    if text is None:
        return {}
    name, _, values = text.partition("=")
    name = name.strip()
    listed = [value.strip() for value in values.split(",") if value.strip()]
    if name not in _VARIED or not listed:
        others = ", ".join([*_VARIED][1:])
        raise UsageError(f"--vary {text!r}: write it as bar=1d,3d,5d (or {others})")
    if name == "players" and scenario.tournament is not None:
        raise UsageError("--vary players: the file says who plays")
    return {
        "varied": name,
        "values": [(value, _VARIED[name](value, f"--vary {name}")) for value in listed],
    }
