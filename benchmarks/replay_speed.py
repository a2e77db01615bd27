"""Speed and memory of the systems that rate over time, and of public packages beside them.

    python -m benchmarks.replay_speed
    python -m benchmarks.replay_speed --peers VENV/bin/python ... --kingbase FILE.tsv.gz

Each measurement is a process of its own, on one core; its figure is processor time,
the best of three. `--peers` names Python interpreters in which some of riix, elote,
glicko2, whr and whole-history-rating are installed (the last two share a module name,
so they need two). The packages get fewer games, as they would take hours.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

#: Games and players; days over which the games are spread.
REPLAYED = (1_000_000, 5_000, 1_000)
WEIGHED = (100_000, 500, 1_000)
#: The packages rate so many games of the first pool, and weigh so many of the second.
FOR_PEERS, FOR_SLOW_PEERS = 20_000, 5_000
ROUNDS = 3
#: Seconds that one measurement may take.
PATIENCE = 240

Games = dict[str, Any]
Job = Callable[[], object]


def make_games(path: Path, games: int, players: int, days: int) -> None:
    """Games of drifting players, drawn at random, saved as arrays."""
    generator = np.random.default_rng([20260101, games, players])
    strength = generator.normal(0.0, 1.2, players)
    rise = generator.normal(0.0, 0.5, players)
    day = np.sort(generator.integers(0, days, games))
    first = generator.integers(0, players, games)
    second = (first + generator.integers(1, players, games)) % players
    difference = strength[first] - strength[second] + (rise[first] - rise[second]) * day / days
    score = (generator.random(games) < 1.0 / (1.0 + np.exp(-difference))).astype(np.float64)
    np.savez(path, first=first, second=second, score=score, day=day, players=players)


def load_kingbase(table: Path, path: Path) -> None:
    """The tab-separated table of KingBase (date, white, black, result, ...) as arrays."""
    import gzip

    points = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    number: dict[str, int] = {}
    rows: list[tuple[int, int, float, int]] = []
    with gzip.open(table, "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            date, white, black, result = line.split("\t")[:4]
            if result not in points or white == black:
                continue
            year, month, _ = date.replace("??", "01").split("-")
            day = min(max(int(date[-2:]) if date[-2:].isdigit() else 1, 1), 28)
            when = np.datetime64(f"{year}-{max(int(month), 1):02d}-{day:02d}").astype(int)
            pair = [number.setdefault(name, len(number)) for name in (white, black)]
            rows.append((pair[0], pair[1], points[result], int(when)))
    first, second, score, days = (np.array(column) for column in zip(*rows, strict=True))
    order = np.argsort(days, kind="stable")
    np.savez(
        path,
        first=first[order],
        second=second[order],
        score=score[order],
        day=days[order],
        players=len(number),
    )


def ours(name: str) -> Callable[[Games, int], Job]:
    """A job of Yardstone on so many games (0: all)."""

    def prepare(games: Games, most: int) -> Job:
        from yardstone.pool import Pool
        from yardstone.ratings.decay import DecayingBradleyTerry
        from yardstone.ratings.egf import EGF
        from yardstone.ratings.elo import Elo
        from yardstone.ratings.glicko import Glicko, Glicko2
        from yardstone.ratings.whole_history import WholeHistory

        names = tuple(str(player) for player in range(int(games["players"])))
        when = (games["day"] * 86_400).astype("datetime64[s]")
        kept = slice(most or None)
        whole = [games[part] for part in ("first", "second", "score")]
        pool = Pool(names, whole[0][kept], whole[1][kept], whole[2][kept], when[kept])
        few = Pool(names, whole[0][:200], whole[1][:200], whole[2][:200], when[:200])
        system: Any = {
            "elo": Elo(),
            "elo-month": Elo(period="month"),
            "glicko": Glicko(),
            "glicko2": Glicko2(),
            "glicko2-month": Glicko2(period="month"),
            "egf": EGF(period="game", initial=1500.0),
            "whr": WholeHistory(first_advantage="auto", deviations="conditional"),
            "whr-joint": WholeHistory(first_advantage="auto"),
            "whr-replay": WholeHistory(first_advantage="auto"),
            "decay-replay": DecayingBradleyTerry(first_advantage="auto"),
        }[name]
        act = system.fit if name in ("whr", "whr-joint") else system.replay
        act(few)  # compiles, once
        return lambda: act(pool)

    return prepare


def riix(name: str) -> Callable[[Games, int], Job]:
    """A job of riix, one game at a time."""

    def prepare(games: Games, most: int) -> Job:
        model_of = {
            "elo": import_module("riix.models.elo").Elo,
            "glicko2": import_module("riix.models.glicko2").Glicko2,
        }[name]
        players = list(range(int(games["players"])))
        pairs = np.column_stack([games["first"], games["second"]])[:most]
        score = games["score"][:most]

        def run() -> object:
            model = model_of(players)
            model.update(pairs, score, time_step=0)
            return model

        return run

    return prepare


def elote(name: str) -> Callable[[Games, int], Job]:
    """A job of elote, one game at a time."""

    def prepare(games: Games, most: int) -> Job:
        from datetime import datetime, timedelta

        package = import_module("elote")
        rows = list(
            zip(
                *(games[part][:most].tolist() for part in ("first", "second", "score")), strict=True
            )
        )

        def run() -> object:
            kind = package.EloCompetitor if name == "elo" else package.Glicko2Competitor
            players: dict[int, Any] = {}
            now = datetime(2000, 1, 1)
            for one, other, score in rows:
                a, b = (players.setdefault(p, kind(initial_rating=1500)) for p in (one, other))
                winner, loser = (a, b) if score == 1.0 else (b, a)
                if name == "elo":
                    winner.beat(loser)
                else:
                    now += timedelta(seconds=1)
                    winner.beat(loser, match_time=now)
            return players

        return run

    return prepare


def glicko2_package(games: Games, most: int) -> Job:
    """The package glicko2, one game at a time."""
    player_of = import_module("glicko2").Player
    rows = list(
        zip(*(games[part][:most].tolist() for part in ("first", "second", "score")), strict=True)
    )

    def run() -> object:
        players: dict[int, Any] = {}
        for one, other, score in rows:
            a, b = (players.setdefault(p, player_of()) for p in (one, other))
            before = a.rating, a.rd
            a.update_player([b.rating], [b.rd], [score])
            b.update_player([before[0]], [before[1]], [1.0 - score])
        return players

    return run


def whr_rows(games: Games, most: int) -> list[tuple[str, str, str, int]]:
    parts = (games[part][:most].tolist() for part in ("first", "second", "score", "day"))
    return [
        (str(one), str(other), "B" if score == 1.0 else "W", int(day))
        for one, other, score, day in zip(*parts, strict=True)
    ]


def whr_package(games: Games, most: int) -> Job:
    """The package whr (C++), to its own convergence."""
    package = import_module("whr")
    if hasattr(package, "WHR"):
        raise ImportError("this is the other package of that name")
    base_of = package.Base
    rows = [list(row) for row in whr_rows(games, most)]

    def run() -> object:
        base = base_of(w2=14.0)
        base.create_games(rows)
        base.iterate_until_converge(verbose=False)
        return base

    return run


def whole_history_package(games: Games, most: int) -> Job:
    """The package whole-history-rating (Python), to its own convergence."""
    package = import_module("whr")
    model_of = getattr(package, "WHR", None)
    if model_of is None:
        raise ImportError("this is the other package of that name")
    rows = [" ".join(map(str, row)) for row in whr_rows(games, most)]

    def run() -> object:
        model = model_of()
        model.load_games(rows)
        model.auto_iterate()
        return model

    return run


PEERS: dict[str, tuple[Callable[[Games, int], Job], str, int]] = {
    "riix Elo": (riix("elo"), "replayed", FOR_PEERS),
    "elote Elo": (elote("elo"), "replayed", FOR_PEERS),
    "riix Glicko-2": (riix("glicko2"), "replayed", FOR_PEERS),
    "elote Glicko-2": (elote("glicko2"), "replayed", FOR_PEERS),
    "glicko2": (glicko2_package, "replayed", FOR_PEERS),
    "whr": (whr_package, "weighed", FOR_SLOW_PEERS),
    "whole-history-rating": (whole_history_package, "weighed", FOR_SLOW_PEERS),
}
OURS: dict[str, tuple[str, str]] = {
    "Elo": ("elo", "replayed"),
    "Elo, by month": ("elo-month", "replayed"),
    "Glicko": ("glicko", "replayed"),
    "Glicko-2": ("glicko2", "replayed"),
    "Glicko-2, by month": ("glicko2-month", "replayed"),
    "EGF": ("egf", "replayed"),
    "WHR, fit": ("whr", "weighed"),
    "WHR, fit, joint deviations": ("whr-joint", "weighed"),
    "WHR, replay": ("whr-replay", "weighed"),
    "Decaying Bradley-Terry, replay": ("decay-replay", "weighed"),
}
ON_KINGBASE = ("Elo", "Glicko-2", "WHR, fit", "WHR, replay", "Decaying Bradley-Terry, replay")


def measure(name: str, path: str) -> None:
    """The work of one process: time a job and print what it took."""
    import resource

    with np.load(path) as file:
        games: Games = {part: file[part] for part in file.files}
    if name in OURS:
        prepare, most = ours(OURS[name][0]), 0
    else:
        prepare, _, most = PEERS[name]
    most = most or len(games["score"])
    try:
        job = prepare(games, most)
    except ImportError:
        print("null")
        return
    taken = []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(ROUNDS):
        started = time.process_time()
        job()
        taken.append(time.process_time() - started)
        if sum(taken) > 30.0:
            break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {"games": most, "seconds": min(taken), "peak": peak / 1024, "before": before / 1024}
        )
    )


def report(label: str, python: str, name: str, path: Path) -> None:
    """Measure in a process of its own and print a row of the table."""
    one_core = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    script = str(Path(__file__).resolve())
    try:
        done = subprocess.run(
            [python, script, "--measure", name, str(path)],
            capture_output=True,
            text=True,
            env=os.environ | one_core,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"| {label} | not done in {PATIENCE} s | | | |", flush=True)
        return
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        reason = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        print(f"| {label} | failed: {reason} | | | |")
    elif lines[-1] != "null":
        result = json.loads(lines[-1])
        rate = result["games"] / result["seconds"]
        print(
            f"| {label} | {result['games']:,} | {result['seconds']:.3f} | {rate:,.0f} "
            f"| {result['peak']:.0f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--peers", nargs="*", default=[], metavar="PYTHON")
    parser.add_argument("--kingbase", type=Path, metavar="FILE")
    parser.add_argument("--measure", nargs=2, metavar=("NAME", "GAMES"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.npz" for name in ("replayed", "weighed", "kingbase")}
        make_games(paths["replayed"], *REPLAYED)
        make_games(paths["weighed"], *WEIGHED)
        print("| system | games | seconds | games a second | peak memory (MB) |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for name, (_, pool) in OURS.items():
            report(name, sys.executable, name, paths[pool])
        for name, (_, pool, _) in PEERS.items():
            for python in options.peers:
                report(name, python, name, paths[pool])
        if options.kingbase:
            load_kingbase(options.kingbase, paths["kingbase"])
            for name in ON_KINGBASE:
                report(f"{name}, KingBase", sys.executable, name, paths["kingbase"])


if __name__ == "__main__":
    main()
