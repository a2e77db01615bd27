"""The commands `yardstone backgammon play` and `study`."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeVar

import typer

from yardstone.cli.backgammon import Gnubg
from yardstone.cli.declare import (
    ADVANCED,
    Confidence,
    Engine,
    advanced,
    argument,
    bundle,
    check_folder,
    flag,
    option,
)
from yardstone.cli.output import TableOutput
from yardstone.errors import NoGamesError, UsageError
from yardstone_lab.vandendoel.choices import Averaging, CloseRule, FitMethod, LeftOut, StudyModel

if TYPE_CHECKING:
    from yardstone_lab.vandendoel.fit import Playing, StudyFit
    from yardstone_lab.vandendoel.play import MatchSetting, NoisyPlayer
    from yardstone_lab.vandendoel.tables import StudyTable

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
    "appendix",
    "depth",
    "part1",
    "part2",
    "play",
    "strong",
    "compare",
    "fit",
    "table",
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
    confidence: Annotated[Confidence, ADVANCED] = 90
    engine: Engine = None

    def playing(
        self, matches: int, timeout: float, noise: Noise | None = None, *, export: bool = False
    ) -> Playing:
        """The same, as the laboratory takes it."""
        from yardstone_lab.vandendoel.fit import Playing

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
        from yardstone_lab.reports.backgammon import study_drawings

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
    from yardstone_lab.reports.backgammon import study_document
    from yardstone_lab.vandendoel.fit import play_study

    check_folder(work.results)
    result = play_study(settings, work.results, playing, rule=work.rule, fits=figures is not None)
    failed = result.played.failed
    for line in failed:
        print(f"yardstone: failed: {line}", file=sys.stderr)
    if result.cells is not None:
        output.emit(study_document(result, work.confidence))
        if figures is not None:
            figures.save(result.fits, work.confidence)
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


def play(
    work: MatchOptions,
    *,
    length: int = option("Points to win.", default=5, min=1, max=64),
    first: str = option(
        "Noise of the first player: of moves and cube decisions alike, or MOVES,CUBE.",
        default="0",
        metavar="NOISE",
    ),
    second: str = option("Noise of the second player.", default="0.04", metavar="NOISE"),
    first_plies: str = advanced(
        "Search depth of the first, or MOVES,CUBE.", default="0", metavar="PLIES"
    ),
    second_plies: str = advanced("Search depth of the second.", default="0", metavar="PLIES"),
    analyse: list[int] | None = option(
        "Analyse at this depth. Repeatable. [default: 0]", metavar="PLIES"
    ),
    matches: Matches = 100,
    timeout: Timeout = 600.0,
    keep_moves: bool = flag("Also keep the moves of each match, as .mat text.", advanced=True),
    noise: Noise,
    output: TableOutput,
) -> None:
    """Play and analyse matches between GNU Backgammon players.

    What the results file has already is not played again.

    Examples:
        yardstone backgammon play results.jsonl --length 5 --second 0.04 --matches 100
        yardstone backgammon play results.jsonl --second 0.02,0.4 --analyse 0 --analyse 2
    """
    from yardstone_lab.vandendoel.play import MatchSetting

    setting = MatchSetting(
        length,
        player(first, first_plies, "--first"),
        player(second, second_plies, "--second"),
        tuple(analyse or (0,)),
        noise.deterministic,
    )
    playing = work.playing(matches, timeout, noise, export=keep_moves)
    play_and_report([setting], work, playing, output)


def part1(
    work: MatchOptions,
    *,
    lengths: str = option("Match lengths.", default="1,3,5,7,11,23", metavar="N,N,..."),
    pairings: str = option(
        "Noise of the two players.",
        default="0:0.005,0:0.015,0:0.02,0:0.04,0:0.06,0.04:0.06",
        metavar="A:B,...",
    ),
    matches: Matches = 1000,
    timeout: Timeout = 600.0,
    noise: Noise,
    output: TableOutput,
    figures: FigureFolder,
) -> None:
    """Repeat Part I: rating difference and error rate per decision.

    Examples:
        yardstone backgammon study part1 results.jsonl --lengths 3,5 --matches 200 --plot figures
    """
    from yardstone_lab.vandendoel.play import part_one

    settings = part_one(
        numbers(lengths, "--lengths", int),
        pairs(pairings, "--pairings"),
        deterministic=noise.deterministic,
    )
    playing = work.playing(matches, timeout, noise)
    play_and_report(settings, work, playing, output, figures)


def part2(
    work: MatchOptions,
    *,
    lengths: str = option("Match lengths.", default="3,5,7,11,23", metavar="N,N,..."),
    move_noise: str = option(
        "Noise of the second player's moves.", default="0,0.02,0.04,0.06", metavar="A,B,..."
    ),
    cube_noise: str = option(
        "Noise of the second player's cube decisions.",
        default="0.05,0.1,0.4,0.8",
        metavar="A,B,...",
    ),
    matches: Matches = 500,
    timeout: Timeout = 600.0,
    noise: Noise,
    output: TableOutput,
    figures: FigureFolder,
) -> None:
    """Repeat Part II: chequer and cube errors apart.

    Examples:
        yardstone backgammon study part2 results.jsonl --lengths 5 --matches 75
    """
    from yardstone_lab.vandendoel.play import part_two

    settings = part_two(
        numbers(lengths, "--lengths", int),
        numbers(move_noise, "--move-noise", float),
        numbers(cube_noise, "--cube-noise", float),
        deterministic=noise.deterministic,
    )
    playing = work.playing(matches, timeout, noise)
    play_and_report(settings, work, playing, output, figures)


def depth(
    work: MatchOptions,
    *,
    matches: Matches = 40,
    timeout: Timeout = 3600.0,
    output: TableOutput,
) -> None:
    """Pit expert against advanced player, analysed at 0 and 2 plies.

    Examples:
        yardstone backgammon study depth results.jsonl
    """
    from yardstone_lab.vandendoel.play import depth_check

    play_and_report(depth_check(), work, work.playing(matches, timeout), output)


def strong(
    work: MatchOptions,
    *,
    matches: Matches = 100,
    timeout: Timeout = 3600.0,
    output: TableOutput,
) -> None:
    """Pit world class (2 plies) against expert (0 plies) at 3 points.

    Examples:
        yardstone backgammon study strong results.jsonl --matches 30
    """
    from yardstone_lab.vandendoel.play import strong_check

    play_and_report(strong_check(), work, work.playing(matches, timeout), output)


def appendix(
    work: MatchOptions,
    *,
    only: list[str] | None = option(
        "Only this one, such as expExp-expBeg:5. Repeatable.", metavar="NAME"
    ),
    matches: Matches = 1000,
    timeout: Timeout = 3600.0,
    output: TableOutput,
) -> None:
    """Repeat Appendix II: strong with chequers, weak with the cube.

    Examples:
        yardstone backgammon study appendix results.jsonl --only expExp-expBeg:5 --matches 200
    """
    from yardstone_lab.vandendoel.play import measurements

    every = measurements()
    unknown = [name for name in only or () if name not in every]
    if unknown:
        raise UsageError(f"--only {unknown[0]}: there are {', '.join(every)}")
    chosen = [every[name] for name in only or every]
    play_and_report(chosen, work, work.playing(matches, timeout), output)


#: A table is packed so that equal matches make equal files.
_ENDING = ".gz"


Table = Annotated[
    Path | None,
    argument(
        "A table of matches, or results of `play` and `study`. [default: the project's own]",
        metavar="TABLE",
    ),
]


def table(
    results: list[Path] = argument(
        "Results of `play` and `study`, or tables of them to be joined.", metavar="RESULTS"
    ),
    output: Path | None = option("Write here; packed if it ends in .gz.", "--output", "-o"),
) -> None:
    """Make a table of matches from results files, for fits.

    Other tables can be joined.

    Examples:
        yardstone backgammon study table results.jsonl -o matches.csv.gz
        yardstone backgammon study table matches.csv.gz more.jsonl -o all.csv.gz
    """
    from yardstone.files import replaced, write_text
    from yardstone_lab.vandendoel.tables import joined, table_text

    check_folder(output)
    text = table_text(joined([_matches(path) for path in results]))
    if output is None:
        print(text, end="")
    elif output.suffix.lower() != _ENDING:
        write_text(output, text)
    else:
        with replaced(output) as temporary:
            temporary.write_bytes(gzip.compress(text.encode(), mtime=0))


def fit(
    matches: Table = None,
    *,
    model: Literal["decision", "bilinear", "both"] = option(
        "a(N) DEPD from Part I, a2(N) DEPM + b(N) DEPC from Part II, or both.", default="both"
    ),
    method: FitMethod = option(
        "As published, weighted, or on the mean results (chance).", default=FitMethod.chance
    ),
    rule: Rule = CloseRule.new,
    averaging: Averaging = advanced(
        "Error rates: mean over the matches, or over all decisions.", default=Averaging.matches
    ),
    draws: int = advanced(
        "Draw the matches anew so often for errors.", default=200, min=0, max=100_000
    ),
    seed: Seed = 1,
    confidence: Annotated[Confidence, ADVANCED] = 90,
    output: TableOutput,
    figures: FigureFolder,
) -> None:
    """Fit the formulas to a table of matches; needs no GNU Backgammon.

    Examples:
        yardstone backgammon study fit
        yardstone backgammon study fit matches.csv.gz --rule 2003 --method published
    """
    from yardstone_lab.reports.backgammon import fits_document
    from yardstone_lab.vandendoel.fit import fit_models

    if model == "both" and (one := {"csv", "parquet"}.intersection(output.formats)):
        raise UsageError(f"{min(one)} is for one model: add --model decision or --model bilinear")
    models = tuple(StudyModel) if model == "both" else (StudyModel(model),)
    fits = fit_models(_matches(matches), models, method, rule, averaging, draws=draws, seed=seed)
    if not fits:
        part = {"decision": "Part I", "bilinear": "Part II"}
        raise NoGamesError(f"the table has no matches of {part.get(model, 'Part I or Part II')}")
    figures.save(fits, confidence)
    output.emit(fits_document(fits, confidence))


def compare(
    matches: Table = None,
    *,
    left_out: LeftOut = advanced(
        "A part of the matches of each setting, or a length.",
        "--leave-out",
        default=LeftOut.matches,
    ),
    parts: int = option("Deal the matches into so many parts.", default=10, min=2, max=1000),
    rule: Rule = CloseRule.new,
    seed: Seed = 1,
    output: TableOutput,
) -> None:
    """Score old and refitted formulas on matches held out.

    Examples:
        yardstone backgammon study compare
        yardstone backgammon study compare matches.csv.gz --leave-out lengths
    """
    from yardstone_lab.reports.backgammon import comparison_document
    from yardstone_lab.vandendoel.comparison import compare_formulas

    comparison = compare_formulas(_matches(matches), rule, left_out, folds=parts, seed=seed)
    output.emit(comparison_document(comparison))


def _matches(path: Path | None) -> StudyTable:
    from yardstone_lab.vandendoel.tables import from_results, own_table, read_table

    if path is None:
        return own_table()
    return from_results([path]) if path.suffix.lower() == ".jsonl" else read_table(path)
