"""`yardstone backgammon play` and `study`: GNU Backgammon as a laboratory."""

from __future__ import annotations

from yardstone.cli.declare import advanced, flag, option
from yardstone.cli.output import TableOutput
from yardstone.errors import UsageError
from yardstone_lab.cli.backgammon_options import (
    FigureFolder,
    Matches,
    MatchOptions,
    Noise,
    Timeout,
    numbers,
    pairs,
    play_and_report,
    player,
)

__all__ = ["appendix", "depth", "part1", "part2", "play", "strong"]


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

    Examples
    --------
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

    Examples
    --------
    yardstone backgammon study part1 results.jsonl --lengths 3,5 --matches 200 --plot figures
    """
    from yardstone_lab.vandendoel.settings import part_one

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

    Examples
    --------
    yardstone backgammon study part2 results.jsonl --lengths 5 --matches 75
    """
    from yardstone_lab.vandendoel.settings import part_two

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

    Examples
    --------
    yardstone backgammon study depth results.jsonl
    """
    from yardstone_lab.vandendoel.settings import depth_check

    play_and_report(depth_check(), work, work.playing(matches, timeout), output)


def strong(
    work: MatchOptions,
    *,
    matches: Matches = 100,
    timeout: Timeout = 3600.0,
    output: TableOutput,
) -> None:
    """Pit world class (2 plies) against expert (0 plies) at 3 points.

    Examples
    --------
    yardstone backgammon study strong results.jsonl --matches 30
    """
    from yardstone_lab.vandendoel.settings import strong_check

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

    Examples
    --------
    yardstone backgammon study appendix results.jsonl --only expExp-expBeg:5 --matches 200
    """
    from yardstone_lab.vandendoel.settings import measurements

    every = measurements()
    unknown = [name for name in only or () if name not in every]
    if unknown:
        raise UsageError(f"--only {unknown[0]}: there are {', '.join(every)}")
    chosen = [every[name] for name in only or every]
    play_and_report(chosen, work, work.playing(matches, timeout), output)
