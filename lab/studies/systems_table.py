"""Which rating system predicts best: ``python -m lab.studies.systems_table [SHARED]``.

SHARED (else YARDSTONE_SHARED, else ``shared`` beside the project) is the folder with
``data/chess/kingbase_1990_2012.tsv.gz`` and ``data/go/tygem_2005_2011.tsv.gz``. Every
system is tuned on the first 70 % of the games in order of time, with equally many
trials, and scored on the rest. With ``--peers PYTHON``, an interpreter that has riix,
elote, glicko2 and whr, public packages predict the same games in the same run;
whole-history-rating comes from the folder ``--whole-history-rating`` (its module has
the same name as that of whr).

What a system predicted is kept in ``--cache``, so a run that was stopped goes on
where it was. The table is written to ``docs/studies/systems.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import platform
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from lab.studies.order import ROOT, require, shared_folder
from yardstone.errors import YardstoneError
from yardstone.evaluation.backtest import constant_predictions, outcome_table, with_draws
from yardstone.evaluation.comparison import (
    LEARNING_SHARE,
    Evaluation,
    Prediction,
    compare,
    tune,
)
from yardstone.evaluation.splits import Subset, earlier_number, judged_games, newcomers
from yardstone.pool import Pool
from yardstone.ratings.systems import SEQUENTIAL, SYSTEMS, Knob, SystemEntry

TABLE = ROOT / "docs" / "studies" / "systems.md"
SHARE = 0.7
#: Refits of packages that rate all games at once, at these shares of the games.
CUTS = (0.35, 0.7, 0.775, 0.85, 0.925)

_START = Knob("initial_deviation", 60.0, 600.0, log=True)
_VOLATILITY = Knob("initial_volatility", 0.005, 0.3, log=True)
_TAU = Knob("tau", 0.05, 1.5, log=True)
_K = Knob("k", 2.0, 150.0, log=True)
_DRIFT = Knob("drift", 0.5, 60.0, log=True)
_GLICKO_DAYS = SystemEntry(
    "", "", "glicko:Glicko", (_START, _DRIFT),
    {"idle_days": 1.0, "min_deviation": 0.0},
)  # fmt: skip
_GLICKO2 = ("glicko2:Glicko2", (_START, _VOLATILITY, _TAU))
#: Packages, and the system of ours with the same formulas. It is tuned in their
#: place, for they are too slow to be tuned; what it finds is handed to them.
TWINS: Mapping[str, SystemEntry | None] = {
    "riix Elo": replace(SYSTEMS["elo"], knobs=(_K, Knob("scale_points", 250.0, 800.0, log=True))),
    "riix Glicko": _GLICKO_DAYS,
    "riix Glicko-2": SystemEntry("", "", *_GLICKO2, {"idle_days": 1.0}),
    "elote Elo": replace(SYSTEMS["elo"], knobs=(_K,)),
    "elote Glicko": _GLICKO_DAYS,
    "glicko2 package": SystemEntry("", "", *_GLICKO2),
    "whr package": None,
    "whole-history-rating": None,
}

#: Whole-history rating with a full fit of all players every so many days. It is not
#: tuned: it takes what was found for `whr`.
REFITTED = "whr refitted"
OURS = {*SEQUENTIAL, REFITTED}
REFIT_DAYS = {"TYGEM": 90.0, "KingBase": 730.0}


@dataclass(frozen=True)
class Data:
    """A pool in order of time, and which games are scored.

    Attributes:
        earlier (bool array): Games to learn and tune on.
        certain (bool array): Games whose day is known. The others are learned from at the end of
            the month or year they were played in, and never scored.
    """

    name: str
    pool: Pool
    earlier: np.ndarray
    certain: np.ndarray
    left_out: str

    @property
    def scored(self) -> np.ndarray:
        """Games that predictions are scored on."""
        return np.asarray(~self.earlier & self.certain)


def kingbase(folder: Path) -> Data:
    scores = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
    names: dict[str, int] = {}
    first, second, score, moments, certain = [], [], [], [], []
    dropped = 0
    with gzip.open(folder / "data/chess/kingbase_1990_2012.tsv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            moment, whole = last_moment(row["date"])
            if moment is None or row["white"] == row["black"] or row["result"] not in scores:
                dropped += 1
                continue
            first.append(names.setdefault(row["white"], len(names)))
            second.append(names.setdefault(row["black"], len(names)))
            score.append(scores[row["result"]])
            moments.append(moment)
            certain.append(whole)
    time = np.array(moments, "datetime64[s]")
    order = np.argsort(time, kind="stable")
    pool = Pool(
        tuple(names),
        np.array(first, np.int32)[order],
        np.array(second, np.int32)[order],
        np.array(score)[order],
        time[order],
    )
    known = np.array(certain)[order]
    left = (
        f"{dropped:,} games without a year, a result or a second player are left out; "
        f"{int((~known).sum()):,} of which only the year or the month is known (or the day does "
        "not exist) are learned from at its end, and not scored"
    )
    return Data("KingBase", pool, _earlier(pool), known, left)


def _earlier(pool: Pool) -> np.ndarray:
    """The games to learn and tune on."""
    return np.arange(len(pool)) < earlier_number(pool, share=SHARE)


def last_moment(text: str) -> tuple[np.datetime64 | None, bool]:
    """The last second of the day, or of the month or year if that is all that is known.

    A certain day is given as its first second, so that it comes before all that may
    have happened later in its month.
    """
    year, month, day = (part if part.isdecimal() else "" for part in text.split("-"))
    try:
        if not year:
            return None, False
        if month and day:
            try:
                return np.datetime64(f"{year}-{month}-{day}", "s"), True
            except ValueError:
                pass
        unit = f"{year}-{month}" if month else year
        return (np.datetime64(unit) + 1).astype("datetime64[s]") - 1, False
    except ValueError:
        return None, False


def tygem(folder: Path) -> Data:
    from yardstone import records

    path = folder / "data/go/tygem_2005_2011.tsv.gz"
    pool, notes = judged_games(records.read(path, first="black"))
    certain = np.ones(len(pool), np.bool_)
    return Data("TYGEM", pool, _earlier(pool), certain, " ".join(notes) or "none")


SOURCES: Mapping[str, Callable[[Path], Data]] = {"TYGEM": tygem, "KingBase": kingbase}


@dataclass(frozen=True)
class Kept:
    """What the cache holds of one system: its predictions, or why there are none."""

    expected: np.ndarray | None
    draw: np.ndarray | None
    about: dict[str, Any]


class Study:
    """One run: the data, the budgets, and the cache."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.cache: Path = options.cache

    def ours(self, data: Data, entry: SystemEntry) -> Kept:
        """One of our systems, tuned and replayed."""

        def make() -> Kept:
            tuned = tune(
                entry,
                data.pool.select(data.earlier),
                self.options.trials,
                seed=self.options.seed,
                scored=data.certain[data.earlier],
                seconds=self.options.seconds,
            )
            began = time.process_time()
            replay = tuned.system.replay(data.pool)
            about = {
                "parameters": tuned.parameters,
                "trials": tuned.trials,
                "seconds": time.process_time() - began,
            }
            return Kept(replay.expected, replay.draw, about)

        return self.kept(data, entry.name, make)

    def refitted(self, data: Data, about: Mapping[str, Any]) -> Kept:
        """Whole-history rating with refits, and the parameters found without."""

        def make() -> Kept:
            entry = SYSTEMS["whr"]
            system = entry.make(refit_days=REFIT_DAYS[data.name], **about["parameters"])
            began = time.process_time()
            replay = system.replay(data.pool)
            facts = {**about, "seconds": time.process_time() - began}
            return Kept(replay.expected, replay.draw, facts)

        return self.kept(data, REFITTED, make)

    def theirs(self, data: Data, name: str) -> Kept:
        """A package, with the parameters of its twin."""

        def make() -> Kept:
            twin = TWINS[name]
            parameters: dict[str, float] = {}
            trials = 1
            if twin is not None:
                tuned = tune(
                    twin,
                    data.pool.select(data.earlier),
                    self.options.trials,
                    seed=self.options.seed,
                    scored=data.certain[data.earlier],
                )
                parameters, trials = tuned.parameters, tuned.trials
            began = time.perf_counter()
            expected = self.ask(data, name, parameters)
            about = {
                "parameters": parameters,
                "trials": trials,
                "seconds": time.perf_counter() - began,
            }
            return Kept(expected, None, about)

        return self.kept(data, name, make)

    def ask(self, data: Data, name: str, parameters: Mapping[str, float]) -> np.ndarray:
        """Let a package predict all games, in its own interpreter."""
        pool = data.pool
        assert pool.time is not None
        environment = dict(os.environ)
        if self.options.whole_history_rating is not None:
            environment["WHOLE_HISTORY_RATING"] = str(self.options.whole_history_rating)
        with tempfile.TemporaryDirectory() as folder:
            games, output = Path(folder) / "games.npz", Path(folder) / "predictions.npz"
            cuts = [round(share * len(pool)) for share in CUTS]
            np.savez(
                games,
                first=pool.first,
                second=pool.second,
                score=pool.score,
                time=pool.time.astype(np.int64),
                cuts=cuts,
            )
            program = ROOT / "studies" / "peers" / "systems_peers.py"
            command = [self.options.peers, program, name, json.dumps(parameters), games, output]
            done = subprocess.run(
                [str(part) for part in command],
                env=environment,
                capture_output=True,
                text=True,
                timeout=self.options.limit,
                check=False,
            )
            if done.returncode:
                raise RuntimeError(done.stderr.strip().splitlines()[-1][:200])
            with np.load(output) as file:
                return np.asarray(file["expected"])

    def kept(self, data: Data, name: str, make: Callable[[], Kept]) -> Kept:
        """From the cache, or made and put there."""
        place = self.cache / data.name / name.replace(" ", "_")
        facts = place.with_suffix(".json")
        if facts.exists():
            about = json.loads(facts.read_text("utf-8"))
            if "failure" in about:
                return Kept(None, None, about)
            with np.load(place.with_suffix(".npz")) as file:
                return Kept(file["expected"], file.get("draw"), about)
        place.parent.mkdir(parents=True, exist_ok=True)
        print(f"{data.name}: {name} …", end=" ", file=sys.stderr, flush=True)
        try:
            result = make()
        except subprocess.TimeoutExpired:
            result = Kept(None, None, {"failure": f"did not finish in {self.options.limit:.0f} s"})
        except (RuntimeError, YardstoneError) as error:
            result = Kept(None, None, {"failure": str(error)})
        print(result.about, file=sys.stderr, flush=True)
        if result.expected is not None:
            arrays = {"expected": result.expected}
            if result.draw is not None:
                arrays["draw"] = result.draw
            np.savez(place.with_suffix(".npz"), allow_pickle=False, **arrays)
        facts.write_text(json.dumps(result.about), "utf-8")
        return result

    def evaluated(self, data: Data, found: Mapping[str, Kept]) -> Evaluation:
        """All predictions of the scored games, compared."""
        score = data.pool.score
        learned = data.earlier & data.certain
        predictions = [
            Prediction(name, kept.expected, kept.draw)
            for name, kept in found.items()
            if kept.expected is not None
        ]
        predictions += constant_predictions(score, float(score[learned].mean()))
        rows = np.flatnonzero(learned)
        rows = rows[round(LEARNING_SHARE * len(rows)) :]
        predictions = [
            with_draws(each, outcome_table(score[rows], each.expected[rows]))
            for each in predictions
        ]
        scored = data.scored
        cut = [
            replace(
                each,
                expected=each.expected[scored],
                draw=None if each.draw is None else each.draw[scored],
            )
            for each in predictions
        ]
        return compare(
            cut,
            score[scored],
            first=data.pool.first[scored],
            second=data.pool.second[scored],
            subsets=[Subset("newcomers", newcomers(data.pool)[scored])],
            replicates=self.options.replicates,
            seed=self.options.seed,
        )


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}".replace("-", "−")


def accuracy(result: Evaluation, name: str, value: float) -> str:
    """With its 95 % interval, over players."""
    names, resampled = result.bootstraps["representative", "accuracy"]
    if name not in names:
        return f"{100 * value:.2f} %"
    one = resampled.interval([float(each == name) for each in names])
    return f"{100 * value:.2f} ± {100 * (one.high - value):.2f} %"


def section(data: Data, found: Mapping[str, Kept], result: Evaluation) -> list[str]:
    pool = data.pool
    assert pool.time is not None
    scored = np.flatnonzero(data.scored)
    days = [str(pool.time[game])[:10] for game in (0, scored[0], scored[-1])]
    order = result.ranking
    lag = dict(zip(order.names, order.behind, strict=True))
    draws = bool((pool.score == 0.5).any())
    heads = ["system", "log-likelihood", "behind the best", "95 %", "accuracy", "Brier"]
    heads += ["win/draw/loss"] if draws else []
    heads += ["newcomers", "slope", "trials", "seconds"]
    lines = [
        f"## {data.name}",
        "",
        f"{len(pool):,} games of {int((pool.played() > 0).sum()):,} players from {days[0]} on; "
        f"{result.games:,} scored, {days[1]} to {days[2]}. Left out: {data.left_out}.",
        "",
        f"| {' | '.join(heads)} |",
        f"|---|{'---:|' * (len(heads) - 1)}",
    ]
    for each in result.systems:
        kept = found.get(each.name)
        whole = each.metrics["representative"]
        behind = lag.get(each.name)
        cells = [
            each.name if each.name not in OURS else f"**{each.name}**",
            number(whole.log_likelihood) if not whole.impossible else "−∞",
            "" if behind is None else number(behind.estimate),
            "" if behind is None else f"{number(behind.low)} to {number(behind.high)}",
            accuracy(result, each.name, whole.accuracy),
            number(whole.brier),
            *([number(whole.three_way)] if draws else []),
            number(each.value("log_likelihood", "newcomers")),
            "" if np.isnan(each.calibration.slope) else f"{each.calibration.slope:.2f}",
            "" if kept is None else str(kept.about["trials"]),
            "" if kept is None else f"{kept.about['seconds']:.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append("")
    lines += [
        f"- {name}: {kept.about['failure']}."
        for name, kept in found.items()
        if kept.expected is None
    ]
    sentence = (
        f"It cannot be said that {order.names[0]} is better than {', '.join(order.tied)}"
        if order.tied
        else f"{order.names[0]} is surely better than every other"
    )
    lines.append(f"- {sentence} (95 %, all comparisons of two together).")
    lines += [*best_of_both(order.names, result), ""]
    return lines


def best_of_both(names: tuple[str, ...], result: Evaluation) -> list[str]:
    ours = next((name for name in names if name in OURS), None)
    theirs = next((name for name in names if name in TWINS), None)
    if ours is None or theirs is None:
        return []
    lead = result.difference(ours, theirs)
    return [
        f"- The best of ours, {ours}, is ahead of the best package, {theirs}, by "
        f"{number(lead.estimate)} in log-likelihood (95 %: {number(lead.low)} to "
        f"{number(lead.high)})."
    ]


def preamble(options: argparse.Namespace, packages: str) -> list[str]:
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "optuna"))
    command = "python -m lab.studies.systems_table SHARED"
    command += f" --trials {options.trials} --seconds {options.seconds:g}"
    command += f" --replicates {options.replicates} --seed {options.seed}"
    if options.peers is not None:
        command += f" --limit {options.limit:g} --peers PYTHON"
    refits = " and ".join(f"{days:g} days ({name})" for name, days in REFIT_DAYS.items())
    cuts = ", ".join(f"{100 * cut:g}" for cut in CUTS[1:])
    made = (
        f"Made by `{command}` on {date.today()}; Python {platform.python_version()}, {libraries}."
    )
    paragraphs = [
        "Systems of Yardstone (bold) and of public packages, on the same games. Everything is "
        "explained in [](../how-to/evaluation.md): each game is predicted before it is learned "
        f"from, parameters are tuned on the first {100 * SHARE:.0f} % of the games in order of "
        "time, and the rest is scored. *Behind the best* is in log-likelihood, with a bootstrap by "
        "player; *newcomers* is the log-likelihood on games of two players with at most four "
        "earlier games each; *slope* is that of the calibration line, 1 being right; *trials* "
        "are the sets of parameters that were tried, fewer where the time was up; *seconds* are "
        "for one pass over all games, without the tuning.",
        "The packages are too slow to be tuned themselves. They get the parameters that our "
        "system with the same formulas and the same knobs found in as many trials; whr and "
        "whole-history-rating, which have one parameter, run as they come, fitted anew at "
        f"{cuts} % of the games. None of them knows an advantage of moving first, which is "
        "worth much on KingBase and next to nothing on TYGEM. A system that predicts no draws "
        "is given Davidson's law with a rate fitted on the earlier games. *whr refitted* makes "
        f"a full fit every {refits}, with the parameters found for whr, which learns game by game.",
        f"{made} Packages: {packages}." if packages else made,
    ]
    lines = ["# Which system predicts best", ""]
    for paragraph in paragraphs:
        lines += [*textwrap.wrap(paragraph, 92, break_long_words=False), ""]
    return lines


def package_versions(options: argparse.Namespace) -> str:
    if options.peers is None:
        return ""
    program = (
        "from importlib.metadata import version as v\n"
        "print(', '.join(f'{n} {v(n)}' for n in ('riix', 'elote', 'glicko2', 'whr')))"
    )
    done = subprocess.run(
        [str(options.peers), "-c", program], capture_output=True, text=True, check=True
    )
    result = done.stdout.strip()
    if options.whole_history_rating is not None:
        facts = next(options.whole_history_rating.glob("whole_history_rating-*.dist-info"))
        result += f", whole-history-rating {facts.stem.split('-')[1]}"
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "shared", type=Path, nargs="?", default=shared_folder(), help="where the data are"
    )
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=600.0, help="for tuning one system")
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", choices=list(SOURCES), nargs="*", default=list(SOURCES))
    parser.add_argument("--systems", nargs="*", default=list(SEQUENTIAL))
    parser.add_argument("--peers", type=Path, help="an interpreter that has the packages")
    parser.add_argument("--whole-history-rating", type=Path, help="where that package lies")
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds for one package")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "systems")
    options = parser.parse_args()
    require("systems_table", options.shared)
    study = Study(options)
    lines = preamble(options, package_versions(options))
    for name in options.data:
        data = SOURCES[name](options.shared)
        result = {each: study.ours(data, SYSTEMS[each]) for each in options.systems}
        if "whr" in result:
            result[REFITTED] = study.refitted(data, result["whr"].about)
        if options.peers is not None:
            result |= {each: study.theirs(data, each) for each in TWINS}
        lines += section(data, result, study.evaluated(data, result))
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text("\n".join(lines).rstrip() + "\n", "utf-8")
    print(f"The table: {TABLE}", file=sys.stderr)


if __name__ == "__main__":
    main()
