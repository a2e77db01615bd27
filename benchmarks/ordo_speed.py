"""Speed and memory against Ordo, both measured in turn in the same run.

Ordo is built by ``make all`` in a checkout of github.com/michiguel/Ordo; name
the program with ``--ordo PATH`` or in the environment variable ``ORDO``. Without
it only Yardstone is measured. Run from the project's folder:
``python -m benchmarks.ordo_speed --ordo PATH``.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks import games
from benchmarks.measure import YARDSTONE, Cost, in_turn, machine, run

#: Two-sided 95 % of the normal distribution: how many deviations Ordo's ERROR is.
NORMAL_95 = 1.959964
#: Simulations of a list with errors as it is usually made.
USUAL_SIMULATIONS = 1000


@dataclass(frozen=True)
class Line:
    """A line of the table: both figures, their ratio, and what it should be."""

    what: str
    ours: str
    theirs: str
    ratio: str
    target: str


def main() -> None:
    arguments = parse_arguments()
    million, hundred_thousand = games.write(games.MILLION), games.write(games.HUNDRED_THOUSAND)
    tiny = games.write(games.TINY)
    programs: dict[str, list[str | Path]] = {"yardstone": [YARDSTONE, "ordo"]}
    if arguments.ordo is not None:
        programs["ordo"] = [arguments.ordo]

    def both(path: Path, *switches: str, rounds: int = arguments.rounds) -> dict[str, Cost]:
        out = games.FOLDER / "list.txt"
        commands: dict[str, Sequence[str | Path]] = {
            name: [*program, "-q", "-W", "-D", *switches, "-p", path, "-o", out]
            for name, program in programs.items()
        }
        return in_turn(commands, rounds)

    for more in ((), ("-s2",)):  # compiles the loops, if need be
        run([YARDSTONE, "ordo", "-q", "-W", "-D", *more, "-p", tiny])
    start = both(tiny)
    whole = both(million)
    middle = both(hundred_thousand)
    lines = [
        times("1,000,000 games, whole command", whole, None, "4"),
        times("100,000 games, start-up apart", middle, start, "2"),
        memory("peak memory a game, start-up apart", whole, start),
        *errors(arguments, programs, hundred_thousand, middle, start),
    ]
    text = "\n".join(
        [
            *table(lines),
            "",
            f"`python -m benchmarks.ordo_speed{' --ordo ORDO' if arguments.ordo else ''} "
            f"--rounds {arguments.rounds} --simulations {arguments.simulations}`. "
            f"Seconds of the processor, medians of {arguments.rounds} runs in turn. "
            + "Start-up: "
            + ", ".join(f"{name} {cost.cpu:.2f} s" for name, cost in start.items())
            + f". {date.today():%Y-%m-%d}, {machine()}.",
            *(compare_errors(arguments, hundred_thousand) if arguments.ordo is not None else []),
        ]
    )
    print(text)
    if arguments.write is not None:
        arguments.write.write_text(f"{text}\n", encoding="utf-8")


def find_program(name: str) -> Path:
    """Where a program is, by its path or by its name alone."""
    result = shutil.which(name)
    if result is None:
        raise argparse.ArgumentTypeError(f"there is no program {name}")
    return Path(result).resolve()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ordo", type=find_program, default=os.environ.get("ORDO") or None)
    parser.add_argument("--rounds", type=int, default=5, help="runs of each command (default 5)")
    parser.add_argument(
        "--simulations",
        type=int,
        default=100,
        help="simulations that Ordo makes; its time is scaled to 1000 (default 100)",
    )
    parser.add_argument("--write", type=Path, help="also write the table to this file")
    return parser.parse_args()


def above(cost: Cost, start: Cost | None) -> float:
    """Seconds of the processor, without the start-up."""
    return cost.cpu - (0.0 if start is None else start.cpu)


def seconds(value: float) -> str:
    """A time as the table shows it."""
    return f"{value:,.0f} s" if value >= 1000 else f"{value:.3g} s"


def times(what: str, costs: dict[str, Cost], start: dict[str, Cost] | None, target: str) -> Line:
    """A line of seconds of both programs."""
    measured = {
        name: above(cost, None if start is None else start[name]) for name, cost in costs.items()
    }
    ours, theirs = measured["yardstone"], measured.get("ordo")
    if theirs is None:
        return Line(what, seconds(ours), "", "", f">= {target}")
    return Line(what, seconds(ours), seconds(theirs), f"{theirs / ours:.1f}", f">= {target}")


def memory(what: str, costs: dict[str, Cost], start: dict[str, Cost]) -> Line:
    """A line of bytes a game."""
    each = {
        name: (cost.peak - start[name].peak) / games.MILLION.games for name, cost in costs.items()
    }
    theirs = f"{each['ordo']:.0f} bytes" if "ordo" in each else ""
    return Line(what, f"{each['yardstone']:.0f} bytes", theirs, "", "<= 130 bytes")


def errors(
    arguments: argparse.Namespace,
    programs: dict[str, list[str | Path]],
    path: Path,
    without: dict[str, Cost],
    start: dict[str, Cost],
) -> list[Line]:
    """Lines on the time that errors take: from the equations, and by simulation."""
    out, table = games.FOLDER / "list.txt", games.FOLDER / "errors.csv"
    common: list[str | Path] = ["-q", "-W", "-D", "-p", path, "-o", out]
    analytic = in_turn(
        {"yardstone": [*programs["yardstone"], *common, "-e", table]}, arguments.rounds
    )["yardstone"]
    number = arguments.simulations
    simulated = {
        name: run([*program, *common, f"-s{number}", "-c", games.FOLDER / f"{name}.csv"])
        for name, program in programs.items()
    }
    scale = USUAL_SIMULATIONS / number
    # Reading and the first fit are paid once, each simulation again.
    thousand = {
        name: (simulated[name].cpu - without[name].cpu) * scale + above(without[name], start[name])
        for name in programs
    }
    ours = above(analytic, start["yardstone"])
    scaled = f" (scaled from -s{number})" if scale != 1.0 else ""
    by_simulation = thousand["yardstone"]
    theirs = thousand.get("ordo")
    peer = seconds(theirs) if theirs else ""
    return [
        Line(
            f"errors: ours exact, Ordo's -s1000{scaled}",
            seconds(ours),
            peer,
            f"{theirs / ours:.0f}" if theirs else "",
            ">= 100",
        ),
        Line(
            f"errors by simulation, both -s1000{scaled}",
            seconds(by_simulation),
            peer,
            f"{theirs / by_simulation:.1f}" if theirs else "",
            ">= 10",
        ),
    ]


def compare_errors(arguments: argparse.Namespace, path: Path) -> list[str]:
    """Say how our exact errors agree with those of Ordo's simulation."""
    import yardstone

    system = yardstone.BradleyTerry(first_advantage="auto", draw_rate="auto", method="score")
    ratings = system.fit(yardstone.read(path))
    exact = dict(zip(ratings.players, ratings.deviation * NORMAL_95, strict=True))
    with (games.FOLDER / "ordo.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, skipinitialspace=True))
    ratio = np.array([float(row["ERROR"]) / exact[row["PLAYER"]] for row in rows])
    noise = 1.0 / np.sqrt(2.0 * arguments.simulations)
    return [
        "",
        f"Errors of {len(ratio)} players, Ordo's -s{arguments.simulations} over our exact ones: "
        f"mean {ratio.mean():.3f}, spread {ratio.std():.3f} "
        f"(the noise of so few simulations alone: {noise:.3f}).",
    ]


def table(lines: Sequence[Line]) -> list[str]:
    """The table in Markdown, aligned."""
    rows: list[tuple[str, ...]] = [("", "yardstone", "Ordo", "ratio", "target")]
    rows += [(line.what, line.ours, line.theirs, line.ratio, line.target) for line in lines]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    rows.insert(1, ("-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])))
    return [
        f"| {row[0].ljust(widths[0])} | "
        + " | ".join(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        + " |"
        for row in rows
    ]


if __name__ == "__main__":
    main()
