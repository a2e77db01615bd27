"""What the subcommands of `yardstone backgammon study` share: options, playing, reporting."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeVar

import typer

from yardstone.cli.backgammon import Gnubg
from yardstone.cli.declare import (
    ADVANCED,
    Confidence,
    Engine,
    advanced,
    argument,
    bundle,
    flag,
    option,
)
from yardstone.cli.output import TableOutput
from yardstone.errors import UsageError
from yardstone_lab.vandendoel.choices import CloseRule

if TYPE_CHECKING:
    from yardstone_lab.vandendoel.fit import StudyFit
    from yardstone_lab.vandendoel.play import MatchSetting, NoisyPlayer
    from yardstone_lab.vandendoel.study import Playing

__all__ = [
    "FigureFolder",
    "Matches",
    "Noise",
    "Rule",
    "Seed",
    "Timeout",
    "MatchOptions",
    "numbers",
    "pairs",
    "play_and_report",
    "player",
]

Matches = Annotated[int, option("Matches of each setting.", min=1)]
Timeout = Annotated[float, advanced("Give up a match after this time.", min=1.0, metavar="SECONDS")]
Seed = Annotated[int, advanced("Seed of dice and noise: equal seeds give equal matches.", min=0)]
Rule = Annotated[
    CloseRule,
    advanced("Definition of close cube decisions: van den Doel's (2003) or today's (2006)."),
]
Value = TypeVar("Value")


@bundle
class MatchOptions:
    """Options of a command that plays matches: where they go, and how."""

    results: Path = argument(
        "File for the matches, a line of JSON each; continued if it exists.", metavar="RESULTS"
    )
    seed: Seed = 1
    processes: int | None = advanced(
        "Matches in parallel; GNU Backgammon waits a lot. [default: 6 per core]", min=1, max=1024
    )
    gnubg: Gnubg = None
    rule: Rule = CloseRule.new
    confidence: Annotated[Confidence, ADVANCED] = "90"
    engine: Engine = None

    def playing(
        self, matches: int, timeout: float, noise: Noise | None = None, *, export: bool = False
    ) -> Playing:
        """The same, as the laboratory takes it."""
        from yardstone_lab.vandendoel.study import Playing

        frozen = noise is None or not noise.unrepeatable
        return Playing(matches, self.seed, self.processes, timeout, self.gnubg, frozen, export)


@bundle
class Noise:
    """Options about the noise of the players."""

    PANEL: ClassVar[str] = "Players"

    deterministic: bool = flag(
        "Use GNU Backgammon's default noise, to show its bias.", advanced=True
    )
    unrepeatable: bool = flag("Do without libfaketime: the noise differs each time.", advanced=True)


@bundle
class FigureFolder:
    """Where van den Doel's figures go."""

    plot: Path | None = option("Draw van den Doel's figures in this folder.", metavar="FOLDER")

    def check(self) -> None:
        """Refuse what is no place for figures before any work is done."""
        from yardstone.errors import InputError

        folder = self.plot
        if folder is not None and folder.exists() and not folder.is_dir():
            hint = "name a folder for figures"
            raise InputError("this is not a folder", file=str(folder), hint=hint)
        if folder is not None and not folder.absolute().parent.is_dir():
            raise InputError("there is no such folder", file=str(folder.parent))

    def save(self, fits: Iterable[StudyFit], level: float) -> None:
        """Draw the figures of each fit into the folder, which is made if need be."""
        from yardstone_lab.reports.backgammon_study import study_drawings

        if self.plot is None:
            return
        self.plot.mkdir(exist_ok=True)
        for fit in fits:
            for name, draw in study_drawings(fit, level).items():
                draw().save(self.plot / f"{name}.svg")


def play_and_report(
    settings: Sequence[MatchSetting],
    work: MatchOptions,
    playing: Playing,
    output: TableOutput,
    figures: FigureFolder | None = None,
) -> None:
    """Play what is missing, report on all, and leave with 1 if a match failed.

    With a place for figures the formulas are fitted too.
    """
    from yardstone.cli.declare import confidence
    from yardstone_lab.reports.backgammon_study import study_document
    from yardstone_lab.vandendoel.study import play_study

    level = confidence(work.confidence)
    output.check(work.results)
    if figures is not None:
        figures.check()
    result = play_study(
        settings,
        work.results,
        playing,
        rule=work.rule,
        fits=figures is not None,
        progress=output.progress("playing"),
    )
    failed = result.played.failed
    for line in failed:
        print(f"yardstone: failed: {line}", file=sys.stderr)
    if result.cells is not None:
        output.emit(study_document(result, level))
        if figures is not None:
            figures.save(result.fits, level)
    if failed:
        print(
            f"yardstone: {len(failed)} of {result.played.played + len(failed)} matches failed; "
            "the same command tries them again",
            file=sys.stderr,
        )
        raise typer.Exit(1)


def numbers(text: str, option: str, kind: Callable[[str], Value]) -> list[Value]:
    """Values with commas between them, each once."""
    try:
        return list(dict.fromkeys(kind(part.strip()) for part in text.split(",")))
    except ValueError:
        raise UsageError(f"{option} {text}: write numbers with commas between them") from None


def pairs(text: str, option: str) -> list[tuple[float, float]]:
    """Pairs of noise such as 0:0.04,0.04:0.06."""
    values = []
    for part in text.split(","):
        one, _, two = part.partition(":")
        try:
            values.append((float(one), float(two)))
        except ValueError:
            raise UsageError(f"{option} {part.strip()}: write it like 0:0.04") from None
    return list(dict.fromkeys(values))


def player(noise: str, plies: str, option: str) -> NoisyPlayer:
    """A player from NOISE or MOVES,CUBE, and likewise of plies."""
    from yardstone_lab.vandendoel.play import NoisyPlayer

    return NoisyPlayer(
        *_one_or_two(noise, option, float), *_one_or_two(plies, f"{option}-plies", int)
    )


def _one_or_two(text: str, option: str, kind: Callable[[str], Value]) -> tuple[Value, Value]:
    """One value for moves and cube alike, or one for each."""
    parts = text.split(",")
    try:
        values = [kind(part.strip()) for part in parts]
    except ValueError:
        values = []
    if len(values) not in (1, 2):
        raise UsageError(f"{option} {text}: write one number, or two as MOVES,CUBE")
    return values[0], values[-1]
