"""Whole commands, start-up included, beside their peers in the same run: one table.

    make bench BENCH="--ordo PATH --bbp PATH --peers PYTHON --write"

Ordo is built by `make` from github.com/michiguel/Ordo, bbpPairings by `make` from
github.com/BieremaBoyzProgramming/bbpPairings. PYTHON is an interpreter with some of the
packages duckdb, riix, arena-rank and whole-history-rating. What is absent leaves its cells
empty; without gnubg there is no row of backgammon. Each pair of commands runs in turn,
A B A B; the figures are medians. Every row says how far both outputs agree.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks import games
from benchmarks.measure import YARDSTONE, Cost, in_turn, machine, markdown, run

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "studies" / "speed.md"
EXAMPLES = HERE.parent / "src" / "yardstone" / "examples"

#: Whole-history rating of few games, as its peer takes long; a tournament to pair.
FEW = games.Size(players=50, games=2_000, plies=0, tags=0)
ENTRANTS = 200
#: Two-sided 95 % of the normal distribution: how many deviations Ordo's ERROR is.
NORMAL_95 = 1.959964
#: Ratings that differ by less are equal.
SAME = 1e-6
#: Tenths of the games that `evaluate` learns from.
LEARNED = 6
#: What a first run takes at most above the second one, in processor seconds.
FIRST_RUN = 0.3

STARTED = (
    "--help",
    "rate league.csv",
    "rate tcec.pgn.gz",
    "rate league.csv -o {out}/list.svg -o {out}/list.html",
    "ordo -q -p match.pgn -o {out}/list.txt",
    "match 30 20 10",
    "history league.csv",
    "predict 'Jonny 8.1' 'Fizbo 2' league.csv",
    "evaluate league.csv",
    "convert league.csv -o {out}/league.json",
    "convert professional.sgf -o {out}/games.csv",
    "tournament standings open.xml",
    "tournament ratings open.xml",
    "tournament pair swiss.trf",
    "winprob 2d 4d",
    "handicap 5k 2d",
)

#: Run by gnubg itself: all matches in one session, and the loss of the moves of each side.
GNUBG = """
import gnubg, json
for line in {settings!r}:
    gnubg.command(line)
lost = []
for path in {paths!r}:
    gnubg.command('import mat "' + path + '"')
    gnubg.command("analyse match")
    sides = gnubg.match(analysis=0, boards=0, statistics=1)
    lost.append([sides["stats"][side]["moves"]["error-skill"] for side in "XO"])
open({out!r}, "w").write(json.dumps(lost))
"""

#: Where gnubg is looked for: Debian keeps games apart.
FOLDERS = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games"])
#: What a peer writes.
THEIRS = "theirs.csv"

#: Prints which of some packages there are.
PACKAGES = """
import importlib.metadata as kept, json, sys
there = {found.metadata["Name"].lower().replace("_", "-"): found.version
         for found in kept.distributions()}
print(json.dumps({name: there[name] for name in sys.argv[1:] if name in there}))
"""

COLUMNS = ("command and input", "peer", "ours, s", "peer, s", "peer / ours", "ours, MB",
           "peer, MB", "outputs")  # fmt: skip
START_COLUMNS = ("command", "first run, s", "second run, s", "MB", "")
PAGE_TEXT = """\
Made by `python -m benchmarks.speed`. {machine}; {day}; {versions}. Seconds of processor
(user and system, all threads) and peak memory of
whole commands, start-up and reading included: medians of runs of both in turn ({rounds}).

{peers}

Start-up: each command in a new process on one of the included examples, in a fresh home without
caches (first run) and again (second run); the first may take {limit} s more at most.

{start}
"""

Words = Sequence[str | Path]
Check = Callable[[Path, Path], str]


@dataclass(frozen=True)
class Row:
    """What is measured: our command, the peer's, and how their outputs compare.

    `theirs` is None for an absent peer. OURS and THEIRS in the words stand for the files
    that the two commands write.
    """

    what: str
    peer: str
    ours: Words
    theirs: Words | None
    check: Check


def same_bytes(ours: Path, theirs: Path) -> str:
    """Whether two files are the same."""
    return "the same bytes" if ours.read_bytes() == theirs.read_bytes() else "DIFFERENT"


def alike(ours_column: str, theirs_column: str, key: str = "player") -> Check:
    """A check of the numbers of two tables: how many, their correlation, how far apart."""

    def check(ours: Path, theirs: Path) -> str:
        mine = read_column(ours, key, ours_column)
        peer = read_column(theirs, "player", theirs_column)
        names = [name for name in mine if name in peer]
        one, other = (np.array([table[name] for name in names]) for table in (mine, peer))
        if len(names) > 2:
            far = float(np.abs(one - one.mean() - other + other.mean()).max())
            agree = "equal" if far < SAME else f"r = {np.corrcoef(one, other)[0, 1]:.5f}"
            return f"{len(names):,} of {len(peer):,} {key}s, {agree}"
        far = float(np.abs(one - other).max())
        return f"{', '.join(names)}: within {far:.4f}"

    return check


def read_column(path: Path, key: str, column: str) -> dict[str, float]:
    """A column of numbers by the names in another; the first row of each name."""
    values: dict[str, float] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, skipinitialspace=True):
            if row[column]:
                values.setdefault(row[key], float(row[column]))
    return values


def same_boards(ours: Path, theirs: Path) -> str:
    """Whether two programs paired the same players, with the same colours."""
    with ours.open(newline="", encoding="utf-8") as file:
        mine = {
            tuple(int(re.findall(r"\d+", row[side] or "0")[-1]) for side in ("first", "second"))
            for row in csv.DictReader(file)
        }
    lines = theirs.read_text().split("\n")[1:]
    peer = {tuple(map(int, line.split())) for line in lines if line.strip()}
    same = len(mine & peer)
    return f"{same} of {len(peer)} boards the same" if same < len(peer) else "the same boards"


def same_losses(ours: Path, theirs: Path) -> str:
    """Whether both found the same losses of the moves of each player."""
    with ours.open(newline="", encoding="utf-8") as file:
        mine = sorted(
            float(row[f"chequer_{side}"]) for row in csv.DictReader(file) for side in (1, 2)
        )
    peer = sorted(loss for match in json.loads(theirs.read_text()) for loss in match)
    if len(mine) != len(peer):
        return f"{len(mine)} and {len(peer)} players"
    return f"losses within {max(abs(a - b) for a, b in zip(mine, peer, strict=True)):.0e}"


def similar_errors(key: str, column: str, factor: float = 1.0) -> Check:
    """A check of error margins; so few simulations leave a wide spread."""

    def check(ours: Path, theirs: Path) -> str:
        mine, peer = read_column(ours, key, column), read_column(theirs, "PLAYER", "ERROR")
        ratio = np.array([peer[name] / mine[name] for name in mine if name in peer]) / factor
        spread = f"spread {ratio.std():.3f}"
        return f"errors of {len(ratio)} players: Ordo's over ours {ratio.mean():.3f}, {spread}"

    return check


def ordo_rows(arguments: argparse.Namespace) -> list[Row]:
    """Lists in Ordo's form, and their errors."""
    simulated = f"-s{arguments.simulations}"
    csv_only = ["-o", "/dev/null", "-c"]

    def common(size: games.Size) -> list[str | Path]:
        return ["-q", "-W", "-D", "-p", games.write(size)]

    def row(what: str, size: games.Size, ours: Words, theirs: Words, check: Check) -> Row:
        peer: Words | None = None
        if arguments.ordo:
            peer = [arguments.ordo, *common(size), *theirs]
        return Row(f"{what}, {size.games:,} games in PGN", "Ordo", [YARDSTONE, *ours], peer, check)

    middle = games.HUNDRED_THOUSAND
    peer = [*csv_only, "THEIRS", simulated]
    both: Words = ["ordo", *common(middle), *csv_only, "OURS", simulated]
    exact: Words = ["rate", games.write(middle), "--quiet", "-o", "OURS"]
    return [
        *(
            row("`ordo`", size, ["ordo", *common(size), "-o", "OURS"], ["-o", "THEIRS"], same_bytes)
            for size in (games.TINY, middle, games.MILLION)
        ),
        row(f"`ordo {simulated}`", middle, both, peer, similar_errors("PLAYER", "ERROR")),
        row(f"`rate`, exact errors (Ordo: {simulated})", middle, exact, peer,
            similar_errors("player", "deviation", NORMAL_95)),
    ]  # fmt: skip


def table_rows(arguments: argparse.Namespace, folder: Path) -> list[Row]:
    """Games in tables, beside packages of Python."""
    import duckdb

    million, middle, few = map(games.write_table, (games.MILLION, games.HUNDRED_THOUSAND, FEW))
    parquet = folder / "games.parquet"
    duckdb.sql(f"COPY (SELECT * FROM read_csv('{million}')) TO '{parquet}'")
    learned = games.HUNDRED_THOUSAND.games * LEARNED // 10
    until = date(2023, 1, 1) + timedelta(games.DAYS * LEARNED // 10)

    def row(what: str, package: str, ours: Words, job: Words, check: Check) -> Row:
        theirs = None
        if package in arguments.packages:
            theirs = [arguments.peers, HERE / "peers.py", *job, "THEIRS"]
        command, *words = ours
        return Row(what, package, [YARDSTONE, command, *words, "-o", "OURS"], theirs, check)

    counted, rated = alike("games", "games"), alike("rating", "rating")
    return [
        row("`rate`, 1,000,000 games in CSV; the peer only counts them", "duckdb",
            ["rate", million, "--quiet"], ["counts", million], counted),
        row("`rate`, 1,000,000 games in Parquet; the peer only counts them", "duckdb",
            ["rate", parquet, "--quiet"], ["counts", parquet], counted),
        row("`rate`, 100,000 games in CSV, 500 players (Bradley-Terry)", "arena-rank",
            ["rate", middle, "--quiet"], ["bradley_terry", middle], rated),
        *(
            row(f"`history --system {system}`, 100,000 games in CSV", "riix",
                ["history", middle, "--system", system, "--top", "0"],
                ["history", system, middle], rated)
            for system in ("elo", "glicko2")
        ),
        row("`evaluate --systems elo,glicko2`, 100,000 games in CSV", "riix",
            ["evaluate", middle, "--systems", "elo,glicko2", "--train-until", str(until)],
            ["evaluate", str(learned), middle], alike("log_likelihood", "rating", "system")),
        row(f"`history --system whr`, {FEW.games:,} games in CSV", "whole-history-rating",
            ["history", few, "--system", "whr", "--top", "0"], ["whole_history", few], rated),
    ]  # fmt: skip


def tournament_rows(arguments: argparse.Namespace, folder: Path) -> list[Row]:
    """A round of FIDE's Dutch system."""
    from yardstone.tournament.files import to_bytes
    from yardstone.tournament.simulation import RandomPlan, random_tournament

    path = folder / "open.trf"
    played = random_tournament(RandomPlan(players=ENTRANTS, rounds=8, withdrawals=0.0))
    path.write_bytes(to_bytes(played, path).replace(b"142 8", b"142 9"))
    ours: Words = [YARDSTONE, "tournament", "pair", path, "--boards", "OURS"]
    theirs = [arguments.bbp, "--dutch", path, "-p", "THEIRS"] if arguments.bbp else None
    return [
        Row(f"`tournament pair`, round 9 of {ENTRANTS} players", "bbpPairings", ours, theirs,
            same_boards)
    ]  # fmt: skip


def backgammon_rows(arguments: argparse.Namespace, folder: Path) -> list[Row]:
    """Matches, each analysed at 0 plies."""
    from yardstone.backgammon._gnubg import evaluation

    if not arguments.gnubg:
        return []
    matches = sorted(arguments.matches.glob("*.mat"))[: arguments.analysed]
    settings = [
        "set threads 1",
        *(f"set {what} off" for what in ("display", "automatic game", "confirm new")),
        "set confirm save off",
        *evaluation("set analysis chequerplay", 0),
        *evaluation("set analysis cubedecision", 0),
        "set analysis luckanalysis plies 0",
    ]
    script = folder / "analyse.py"
    paths = [str(path.resolve()) for path in matches]
    script.write_text(GNUBG.format(settings=settings, paths=paths, out=str(folder / THEIRS)))
    ours: Words = [YARDSTONE, "backgammon", "analyse", *matches, "--table", "OURS"]
    theirs: Words = [arguments.gnubg, "-t", "-q", "-r", "-p", script]
    what = f"`backgammon analyse`, {len(matches)} matches at 0 plies"
    return [Row(what, "gnubg", ours, theirs, same_losses)]


def measure_row(row: Row, folder: Path, rounds: int) -> list[str]:
    """Run both commands in turn and compare what they wrote: the cells of a line."""
    out = {"OURS": folder / "ours.csv", "THEIRS": folder / THEIRS}
    for path in out.values():
        path.unlink(missing_ok=True)

    def filled(words: Words) -> Words:
        return [out.get(str(word), word) for word in words]

    if row.theirs is None:
        cost = in_turn({"ours": filled(row.ours)}, rounds)["ours"]
        return [row.what, row.peer, *figures(cost), "", "", "absent", "not compared"]
    commands = {"ours": filled(row.ours), "theirs": filled(row.theirs)}
    ours, theirs = in_turn(commands, rounds).values()
    (ours_s, ours_mb), (theirs_s, theirs_mb) = figures(ours), figures(theirs)
    ratio = f"{theirs.cpu / ours.cpu:.2g}"
    agree = row.check(out["OURS"], out["THEIRS"])
    return [row.what, row.peer, ours_s, theirs_s, ratio, ours_mb, theirs_mb, agree]


def figures(cost: Cost) -> tuple[str, str]:
    """Seconds of processor and megabytes at the peak, as the table shows them."""
    return f"{cost.cpu:.2f}", f"{cost.peak / 1e6:,.0f}"


def start_up(rounds: int) -> list[list[str]]:
    """Each command twice in a fresh home: processor seconds of both runs, and memory."""
    lines = []
    for command in STARTED:
        costs: list[dict[str, Cost]] = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as home:
                words = [word.replace("{out}", home) for word in shlex.split(command)]
                paths = [EXAMPLES / word if (EXAMPLES / word).is_file() else word for word in words]
                fresh = {"HOME": home, "XDG_CACHE_HOME": home, "YARDSTONE_CACHE": f"{home}/kept"}
                costs.append({each: run([YARDSTONE, *paths], fresh) for each in ("1st", "2nd")})
        first, second = (median(cost[each].cpu for cost in costs) for each in ("1st", "2nd"))
        peak = max(cost["1st"].peak for cost in costs) / 1e6
        mark = "" if first - second <= FIRST_RUN else "over"
        shown = command.replace("{out}/", "")
        lines.append([f"`{shown}`", f"{first:.2f}", f"{second:.2f}", f"{peak:,.0f}", mark])
    return lines


def find_packages(python: str | None) -> dict[str, str]:
    """The packages of peers that an interpreter has, with their versions."""
    if python is None:
        return {}
    found = subprocess.run(
        [python, "-c", PACKAGES, "duckdb", "riix", "arena-rank", "whole-history-rating"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(json.loads(found.stdout))


def versions(arguments: argparse.Namespace) -> str:
    """What was measured, in a line."""
    import yardstone

    named = [f"yardstone {yardstone.__version__}"]
    for program, switch in ((arguments.ordo, "--version"), (arguments.gnubg, "--version"),
                            (arguments.bbp, "-r")):  # fmt: skip
        if program:
            asked = subprocess.run([program, switch], capture_output=True, text=True)
            lines = [line for line in asked.stdout.splitlines() if line.strip()]
            named.append(
                re.sub(r" *\([^)]*\) *(- v)?", " ", lines[0]).strip() if lines else str(program)
            )
    named += [f"{package} {version}" for package, version in arguments.packages.items()]
    return ", ".join(named)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ordo", type=shutil.which, default=shutil.which("ordo"))
    parser.add_argument("--bbp", type=shutil.which, default=shutil.which("bbpPairings"))
    parser.add_argument("--gnubg", type=shutil.which, default=shutil.which("gnubg", path=FOLDERS))
    parser.add_argument("--peers", metavar="PYTHON", help="an interpreter with the packages")
    parser.add_argument("--matches", type=Path, default=EXAMPLES, help="folder of .mat files")
    parser.add_argument("--analysed", type=int, default=8, help="matches to analyse (default 8)")
    parser.add_argument("--simulations", type=int, default=10, help="of errors (default 10)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each command (default 3)")
    parser.add_argument("--only", default="", help="only rows with this word, no start-up")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} of the docs")
    arguments = parser.parse_args()
    arguments.packages = find_packages(arguments.peers)
    return arguments


def main() -> None:
    arguments = parse_arguments()
    rounds = arguments.rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            *ordo_rows(arguments),
            *table_rows(arguments, folder),
            *tournament_rows(arguments, folder),
            *backgammon_rows(arguments, folder),
        ]
        lines = []
        for row in rows:
            if arguments.only in f"{row.what} {row.peer}":
                lines.append(measure_row(row, folder, rounds))
                print(" | ".join(lines[-1]), file=sys.stderr, flush=True)
    text = PAGE_TEXT.format(
        machine=machine(), day=date.today(), versions=versions(arguments), rounds=rounds,
        peers=markdown(COLUMNS, lines, names=2), limit=FIRST_RUN,
        start=markdown(START_COLUMNS, [] if arguments.only else start_up(rounds), names=1),
    )  # fmt: skip
    print(text)
    if arguments.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
