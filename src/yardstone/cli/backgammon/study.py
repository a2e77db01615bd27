"""`yardstone backgammon play` and `study`: GNU Backgammon as a laboratory."""

from __future__ import annotations

from typing import Annotated

import typer

from yardstone.cli.backgammon.study_options import (
    Deterministic,
    Form,
    Gnubg,
    Matches,
    Output,
    PlotFolder,
    Processes,
    Results,
    Rule,
    RuleName,
    Seed,
    Show,
    Timeout,
    Unrepeatable,
    Work,
    carry_out,
    numbers,
    pairs,
    player,
)
from yardstone.cli.options import Confidence
from yardstone.cli.winprob.output import TableFormat
from yardstone.errors import UsageError

__all__ = []


def play(
    results: Results,
    length: Annotated[int, typer.Option(min=1, max=64, help="Points to win.")] = 5,
    first: Annotated[
        str,
        typer.Option(
            metavar="NOISE",
            help="Noise of the first player: of moves and cube decisions alike, or MOVES,CUBE.",
        ),
    ] = "0",
    second: Annotated[
        str, typer.Option(metavar="NOISE", help="Noise of the second player.")
    ] = "0.04",
    first_plies: Annotated[
        str, typer.Option(metavar="PLIES", help="Search depth of the first, or MOVES,CUBE.")
    ] = "0",
    second_plies: Annotated[
        str, typer.Option(metavar="PLIES", help="Search depth of the second.")
    ] = "0",
    analyse: Annotated[
        list[int] | None,
        typer.Option(metavar="PLIES", help="Analyse at this depth. Repeatable. [default: 0]"),
    ] = None,
    matches: Matches = 100,
    seed: Seed = 1,
    processes: Processes = None,
    deterministic: Deterministic = False,
    unrepeatable: Unrepeatable = False,
    timeout: Timeout = 600.0,
    keep_moves: Annotated[
        bool,
        typer.Option("--keep-moves", help="Keep the moves of each match too, as .mat text."),
    ] = False,
    gnubg: Gnubg = None,
    rule: Rule = RuleName.new,
    confidence: Confidence = "90",
    form: Form = TableFormat.text,
    output: Output = None,
) -> None:
    """Play matches between GNU Backgammon's players of given noise, and analyse them.

    What the results file has already is not played again.

    Examples
    --------
    yardstone backgammon play results.jsonl --length 5 --second 0.04 --matches 100
    yardstone backgammon play results.jsonl --second 0.02,0.4 --analyse 0 --analyse 2
    """
    from yardstone.lab.vandendoel.play import Setting

    setting = Setting(
        length,
        player(first, first_plies, "--first"),
        player(second, second_plies, "--second"),
        tuple(analyse or (0,)),
        deterministic,
    )
    work = Work(results, matches, seed, processes, timeout, gnubg, unrepeatable, keep_moves)
    carry_out([setting], work, Show(rule, confidence, form, output))


def part1(
    results: Results,
    lengths: Annotated[
        str, typer.Option(metavar="N,N,...", help="Match lengths.")
    ] = "1,3,5,7,11,23",
    pairings: Annotated[
        str, typer.Option(metavar="A:B,...", help="Noise of the two players.")
    ] = "0:0.005,0:0.015,0:0.02,0:0.04,0:0.06,0.04:0.06",
    matches: Matches = 1000,
    seed: Seed = 1,
    processes: Processes = None,
    deterministic: Deterministic = False,
    unrepeatable: Unrepeatable = False,
    timeout: Timeout = 600.0,
    gnubg: Gnubg = None,
    rule: Rule = RuleName.new,
    confidence: Confidence = "90",
    form: Form = TableFormat.text,
    output: Output = None,
    plot: PlotFolder = None,
) -> None:
    """Part I: rating difference and error rate per decision of any kind.

    Examples
    --------
    yardstone backgammon study part1 results.jsonl --lengths 3,5 --matches 200 --plot figures
    """
    from yardstone.lab.vandendoel.settings import part_one

    settings = part_one(
        numbers(lengths, "--lengths", int),
        pairs(pairings, "--pairings"),
        deterministic=deterministic,
    )
    work = Work(results, matches, seed, processes, timeout, gnubg, unrepeatable)
    carry_out(settings, work, Show(rule, confidence, form, output, True, plot))


def part2(
    results: Results,
    lengths: Annotated[str, typer.Option(metavar="N,N,...", help="Match lengths.")] = "3,5,7,11,23",
    move_noise: Annotated[
        str, typer.Option(metavar="A,B,...", help="Noise of the second player's moves.")
    ] = "0,0.02,0.04,0.06",
    cube_noise: Annotated[
        str, typer.Option(metavar="A,B,...", help="Noise of the second player's cube decisions.")
    ] = "0.05,0.1,0.4,0.8",
    matches: Matches = 500,
    seed: Seed = 1,
    processes: Processes = None,
    deterministic: Deterministic = False,
    unrepeatable: Unrepeatable = False,
    timeout: Timeout = 600.0,
    gnubg: Gnubg = None,
    rule: Rule = RuleName.new,
    confidence: Confidence = "90",
    form: Form = TableFormat.text,
    output: Output = None,
    plot: PlotFolder = None,
) -> None:
    """Part II: errors of moves and of cube decisions apart.

    Examples
    --------
    yardstone backgammon study part2 results.jsonl --lengths 5 --matches 75
    """
    from yardstone.lab.vandendoel.settings import part_two

    settings = part_two(
        numbers(lengths, "--lengths", int),
        numbers(move_noise, "--move-noise", float),
        numbers(cube_noise, "--cube-noise", float),
        deterministic=deterministic,
    )
    work = Work(results, matches, seed, processes, timeout, gnubg, unrepeatable)
    carry_out(settings, work, Show(rule, confidence, form, output, True, plot))


def depth(
    results: Results,
    matches: Matches = 40,
    seed: Seed = 1,
    processes: Processes = None,
    timeout: Timeout = 3600.0,
    gnubg: Gnubg = None,
    rule: Rule = RuleName.new,
    confidence: Confidence = "90",
    form: Form = TableFormat.text,
    output: Output = None,
) -> None:
    """Expert against advanced player, analysed at 0 and at 2 plies.

    Examples
    --------
    yardstone backgammon study depth results.jsonl
    """
    from yardstone.lab.vandendoel.settings import depth_check

    work = Work(results, matches, seed, processes, timeout, gnubg)
    carry_out(depth_check(), work, Show(rule, confidence, form, output))


def strong(
    results: Results,
    matches: Matches = 100,
    seed: Seed = 1,
    processes: Processes = None,
    timeout: Timeout = 3600.0,
    gnubg: Gnubg = None,
    rule: Rule = RuleName.new,
    confidence: Confidence = "90",
    form: Form = TableFormat.text,
    output: Output = None,
) -> None:
    """World class (2 plies) against expert (0 plies) at 3 points.

    Examples
    --------
    yardstone backgammon study strong results.jsonl --matches 30
    """
    from yardstone.lab.vandendoel.settings import strong_check

    work = Work(results, matches, seed, processes, timeout, gnubg)
    carry_out(strong_check(), work, Show(rule, confidence, form, output))


def appendix(
    results: Results,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this one, such as expExp-expBeg:5. Repeatable."),
    ] = None,
    matches: Matches = 1000,
    seed: Seed = 1,
    processes: Processes = None,
    timeout: Timeout = 3600.0,
    gnubg: Gnubg = None,
    rule: Rule = RuleName.new,
    confidence: Confidence = "90",
    form: Form = TableFormat.text,
    output: Output = None,
) -> None:
    """Appendix II: players of one level with moves, another with the cube.

    Examples
    --------
    yardstone backgammon study appendix results.jsonl --only expExp-expBeg:5 --matches 200
    """
    from yardstone.lab.vandendoel.settings import measurements

    every = measurements()
    unknown = [name for name in only or () if name not in every]
    if unknown:
        raise UsageError(f"--only {unknown[0]}: there are {', '.join(every)}")
    chosen = [every[name] for name in only or every]
    work = Work(results, matches, seed, processes, timeout, gnubg)
    carry_out(chosen, work, Show(rule, confidence, form, output))
