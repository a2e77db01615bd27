"""Newcomers who start from their moves: ``python -m lab.studies.fusion_newcomers``.

Three parts, whose tables go to ``docs/studies/fusion-newcomers-tables.md``:

- *What moves are worth in rating points*: people of the Online Go Server whose Glicko-2
  rating is known (``data/go/ogs_weak``, June 2020, against bots; even games). From here come the
  numbers that the system `Fusion` has if nothing is fitted (`SHIPPED`).
- *OGS*: the same games as a history from nothing. What bots play says nothing of them, for
  they may play down: only people's moves count.
- *Tygem*: people who are first seen between December 2005 and June 2006, drawn by lot, with
  the moves of their first games; all results of the server. All are 9 dan.

All is done for strengths on each scale of the shipped model. It learnt that of OGS from the
ratings of the same people, so here each of them is judged by a scale learnt from the others.
Predictions are judged on the games from a day on; what is fitted is
fitted to games before it, and at Tygem to people first seen before it. OGS needs the store
``ogs_weak`` of `features`. Tygem needs the network, for hours (what is done is kept), or with
``--tygem-store`` a store that ``yardstone go features --komi 6.5`` made of the records that
``--records`` writes.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import platform
import random
import sys
import zipfile
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from lab.studies.ogs_ranks import SCALE, read_people, without_scale
from lab.studies.order import OGS, ROOT, require, shared_folder
from yardstone.evaluation.metrics import game_metrics
from yardstone.evaluation.splits import earlier_games
from yardstone.evaluation.uncertainty import bootstrap
from yardstone.go.feature_store import FeatureStore
from yardstone.pool import Pool
from yardstone.ratings.glicko import Glicko2
from yardstone.ratings.joint import Prior
from yardstone.strength.fusion import MOVE_COLUMNS, SHIPPED, Fusion, MovesPrior, sides_before
from yardstone.strength.fusion_moves import GameMoves, read_moves, with_moves
from yardstone.strength.fusion_priors import centred_fusion, fit_fusion
from yardstone.strength.model import StrengthModel
from yardstone_lab.neubauer.rank.scales import RatedSettings, with_rated_scale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.ratings.sequential import Sequential

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]

TABLES = ROOT / "docs" / "studies" / "fusion-newcomers-tables.md"
RECORDS = ROOT / "build" / "fusion-newcomers" / "records.zip"
#: People of Tygem, and of how many of their first games the moves are looked at.
PEOPLE, FIRST = 450, 4
SEEN_FROM, SEEN_UNTIL = "2005-12-01", "2006-07-01"
TYGEM_SPLIT = np.datetime64("2006-04-01")
TYGEM_END = "2006-09-01"
#: Of the shipped model.
SCALES = ("ogs", "fox")
#: Games of a newcomer that are predicted, by the number of games before.
CLASSES = ((1, 1), (2, 4), (5, 9), (10, 19))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=shared_folder())
    parser.add_argument("--ogs-store", type=Path, default=ROOT / OGS[1])
    parser.add_argument("--tygem-store", type=Path, help="in place of the network")
    parser.add_argument("--records", action="store_true", help="write the records, nothing else")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    options = parser.parse_args()
    if options.records:
        Tygem.read(options.shared).write_records(options.shared)
        return
    if options.tygem_store is None and options.ogs_store == ROOT / OGS[1]:
        require("fusion_newcomers", options.shared)
    model = StrengthModel.load("rank")
    seed = options.seed
    source = options.tygem_store
    tygem = Tygem.read(options.shared)
    if source is None:
        tygem.write_records(options.shared)
        source = RECORDS
    lines = []
    for scale in SCALES:
        shown = read_moves([str(options.ogs_store)], model, scale=scale)
        if scale == SCALE:
            shown = by_folds(shown, model, options)
        ogs = ogs_games(options.shared, shown)
        moves = read_moves([str(source)], model, scale=scale, precision="bf16")
        lines += [f"### Strengths on the scale {scale}", "", *worth(ogs), ""]
        lines += [*ogs_table(ogs, scale, seed), "", *tygem_table(tygem, moves, seed), ""]
    lines.append(made_by(seed, model))
    TABLES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(TABLES.read_text(encoding="utf-8"))


def by_folds(moves: GameMoves, model: StrengthModel, options: argparse.Namespace) -> GameMoves:
    """The strengths of people by scales that were learnt without them, as in `ogs_ranks`."""
    index = options.shared / "data/go/ogs_weak/index.csv.gz"
    before = without_scale(model)
    people = read_people(FeatureStore.open(options.ogs_store), index, before)
    settings = RatedSettings()
    trained = with_rated_scale(before, people.pool, people.rated, SCALE, settings)
    statistics = trained.statistics(people.pool.counts)
    strength = moves.strength.copy()
    for fold, scale in enumerate(trained.scales):
        rows = trained.fold == fold
        result = scale.moments(scale.density(statistics[rows]))[0]
        strength[people.pool.game[rows], people.pool.colour[rows] - 1] = result
    return replace(moves, strength=strength)


@dataclass(frozen=True, eq=False)
class OgsGames:
    """Even games of people against bots, in order; the people's moves, ratings and deviations."""

    pool: Pool
    people: NDArray[np.int32]
    rating: Array
    deviation: Array


def ogs_games(shared: Path, moves: GameMoves) -> OgsGames:
    """The games with the moves of people alone."""
    with gzip.open(shared / "data/go/ogs_weak/index.csv.gz", "rt", encoding="utf-8") as file:
        index = {Path(row["file"]).stem: row for row in csv.DictReader(file)}
    rows = [(index[labels[-1]], place) for place, labels in enumerate(moves.labels)]
    rows = [(row, place) for row, place in rows if int(row["handicap"] or 0) < 2]
    rows.sort(key=lambda each: (each[0]["date"], Path(each[0]["file"]).stem))
    place = np.array([place for _, place in rows])
    side = np.array([0 if row["bot"] == "W" else 1 for row, _ in rows])
    sides = ("black", "white")
    shown = np.stack([moves.number[place], moves.strength[place]], axis=-1)
    shown[np.arange(len(rows)), 1 - side] = (0.0, np.nan)
    pool = Pool.from_names(
        [row["black"] for row, _ in rows],
        [row["white"] for row, _ in rows],
        [float(row["result"].startswith("B")) for row, _ in rows],
        time=np.array([row["date"] for row, _ in rows], "datetime64[s]"),
        columns=dict(zip(MOVE_COLUMNS, shown.reshape(-1, 4).T, strict=True)),
    )

    def known(what: str) -> Array:
        each = zip(rows, side.tolist(), strict=True)
        return np.array([float(row[f"{sides[own]}_{what}"] or "nan") for (row, _), own in each])

    people = np.where(side == 0, pool.first, pool.second)
    return OgsGames(pool, people, known("rating"), known("dev"))


def worth(ogs: OgsGames) -> list[str]:
    """How people's ratings follow from what their moves show: `Fusion`'s own parameters."""
    number = np.nan_to_num(
        np.where(ogs.people == ogs.pool.first, *(ogs.pool.columns[n] for n in MOVE_COLUMNS[::2]))
    )
    strength = np.nan_to_num(
        np.where(ogs.people == ogs.pool.first, *(ogs.pool.columns[n] for n in MOVE_COLUMNS[1::2]))
    )
    rows: list[tuple[float, float, float, float, float]] = []
    for person in np.unique(ogs.people):
        own = np.flatnonzero((ogs.people == person) & np.isfinite(ogs.rating))
        for games in sorted({1, len(own)}) if len(own) else ():
            some = own[:games]
            moves = number[some].sum()
            if moves:
                mean = float(number[some] @ strength[some] / moves)
                share = 1.0 / len({1, len(own)})
                last = some[-1]
                rows.append((mean, moves, ogs.rating[last], ogs.deviation[last], share))
    x, n, rating, deviation, weight = np.array(rows).T
    base = Prior(float(np.average(rating, weights=weight)), float(rating.std()))
    centre = float(np.average(x, weights=weight))

    def made(unknowns: Array) -> MovesPrior:
        slope, half, left, level = unknowns
        return MovesPrior(centre, 100 * level, np.exp(slope), np.exp(half), np.exp(left), base)

    def against(unknowns: Array) -> float:
        mean, spread = made(unknowns).prior(x, n)
        variance = spread**2 + deviation**2
        return float(weight @ (np.square(rating - mean) / variance + np.log(variance)))

    start = np.array([4.0, 4.0, 5.0, base.mean / 100])
    bounds = [(0.0, 7.0), (0.0, 7.0), (2.0, 6.5), (0.0, 40.0)]
    best = minimize(against, start, method="Nelder-Mead", bounds=bounds, options={"maxiter": 4000})
    prior = made(best.x)
    noise = (prior.deviation**-2 - base.deviation**-2) ** -0.5
    slope = prior.slope * (1.0 + (noise / base.deviation) ** 2)
    at_1500 = centre + (1500.0 - prior.level) / slope
    return [
        f"**What moves are worth**: {len(np.unique(ogs.people))} people of OGS, "
        f"{len(ogs.pool):,} even games. As a measurement of the rating, each rank of the model is "
        f"{slope:.0f} points, ± {noise:.0f} however many moves, and a strength of {at_1500:.1f} "
        f"is 1500; half is known after {prior.half:.0f} moves. (Ratings spread by ± "
        f"{base.deviation:.0f}; a player of strength x is expected at {prior.level:.0f} + "
        f"{prior.slope:.0f} (x - {centre:.1f}) ± {prior.deviation:.0f}.)"
    ]


def ogs_table(ogs: OgsGames, scale: str, seed: int) -> list[str]:
    """Later games of people with few earlier ones."""
    split = ogs.pool.time[len(ogs.pool) // 2] if ogs.pool.time is not None else None
    if split is None:
        raise ValueError("no dates")
    time = np.asarray(ogs.pool.time)
    cut = int(np.searchsorted(time, split))
    before = np.where(ogs.people == ogs.pool.first, *earlier_games(ogs.pool))
    counted = (np.arange(len(ogs.pool)) >= cut) & (before >= 1) & (before <= 19)
    systems = systems_for(ogs.pool, np.arange(cut), np.arange(len(ogs.pool)) < cut, scale)
    what = (
        f"**OGS** from nothing, {cut:,} games before {str(split)[:10]} for what is fitted, and "
        "the games of people from then on"
    )
    return table(what, ogs.pool, systems, counted, before, seed)


@dataclass(frozen=True, eq=False)
class Tygem:
    """All results of the server until a day, and people drawn by lot."""

    pool: Pool
    people: frozenset[str]

    @classmethod
    def read(cls, shared: Path) -> Tygem:
        """Read the table, and draw."""
        path = shared / "data/go/tygem_2005_2011.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        rows.sort(key=lambda row: row["time"])
        games: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            games[row["white"]].append(row["time"])
            if row["black"] != row["white"]:
                games[row["black"]].append(row["time"])
        people = sorted(
            name
            for name, times in games.items()
            if SEEN_FROM <= times[0] < SEEN_UNTIL and len(times) >= 6
        )
        random.Random(0).shuffle(people)
        used = [
            row
            for row in rows
            if row["time"] < TYGEM_END
            and row["black"] != row["white"]
            and row["result"][1:2] == "+"
        ]
        pool = Pool.from_names(
            [row["black"] for row in used],
            [row["white"] for row in used],
            [float(row["result"].startswith("B")) for row in used],
            time=np.array([row["time"].replace(" ", "T") for row in used], "datetime64[s]"),
            columns={
                "game_id": np.array([row["game_id"] for row in used], np.dtypes.StringDType()),
                "result": np.array([row["result"] for row in used], np.dtypes.StringDType()),
            },
        )
        return cls(pool, frozenset(people[:PEOPLE]))

    def chosen(self) -> Mask:
        """The people drawn, by their number."""
        return np.array([name in self.people for name in self.pool.players])

    def write_records(self, shared: Path) -> None:
        """Their first games as SGF, each called by the number of the game."""
        chosen = self.chosen()
        before = np.column_stack(earlier_games(self.pool))
        sides = np.column_stack([self.pool.first, self.pool.second])
        wanted = np.flatnonzero(((before < FIRST) & chosen[sides]).any(axis=1))
        number = {str(self.pool.columns["game_id"][game]): int(game) for game in wanted}
        RECORDS.parent.mkdir(parents=True, exist_ok=True)
        texts: dict[int, str] = {}
        for archive in sorted((shared / "data/go/tygem_moves").glob("*.zip")):
            with zipfile.ZipFile(archive) as months:
                for name in months.namelist():
                    for line in months.read(name).decode("utf-8").splitlines():
                        label, _, moves = line.partition("\t")
                        if label in number:
                            texts[number[label]] = self._sgf(number[label], moves)
        with zipfile.ZipFile(RECORDS, "w", zipfile.ZIP_DEFLATED) as out:
            for game in sorted(texts):
                out.writestr(f"{self.pool.columns['game_id'][game]}.sgf", texts[game])
        print(f"{len(texts):,} records in {RECORDS}", file=sys.stderr)

    def _sgf(self, game: int, moves: str) -> str:
        pool = self.pool
        black, white = (
            pool.players[side[game]].replace("\\", "\\\\").replace("]", "\\]")
            for side in (pool.first, pool.second)
        )
        day = str(np.asarray(pool.time)[game])[:10]
        label, result = (str(pool.columns[name][game]) for name in ("game_id", "result"))
        head = f"GM[1]FF[4]SZ[19]KM[6.5]GN[{label}]PB[{black}]PW[{white}]DT[{day}]RE[{result}]"
        return f"(;{head}{moves})"


def tygem_table(tygem: Tygem, moves: GameMoves, seed: int) -> list[str]:
    """Games of the people drawn who were first seen after the day."""
    pool, matched = with_moves(tygem.pool, moves, column="game_id")
    print(matched.sentence, file=sys.stderr)
    time = np.asarray(pool.time)
    chosen = tygem.chosen()
    sides = np.column_stack([pool.first, pool.second])
    before = np.column_stack(earlier_games(pool))
    first_seen = np.full(len(pool.players), np.datetime64("2100-01-01", "s"))
    np.minimum.at(first_seen, sides.ravel(), np.repeat(time, 2))
    late = chosen & (first_seen >= TYGEM_SPLIT)
    earlier = time < TYGEM_SPLIT
    own = np.where(late[pool.first], before[:, 0], np.where(late[pool.second], before[:, 1], 99))
    counted = late[sides].any(axis=1) & (own >= 1) & (own <= 19)
    newcomers = earlier & (((before <= 19) & chosen[sides]).any(axis=1))
    systems = systems_for(pool, np.flatnonzero(earlier), newcomers, moves.scale)
    known = int((sides_before(pool)[1][counted] > 0).any(axis=1).sum())
    what = (
        f"**Tygem**: {len(moves):,} games with moves, {len(pool):,} results; fitted to games "
        f"before {TYGEM_SPLIT}, judged on those of {int(late.sum())} people first seen from then "
        f"on (in {known:,} of the judged games something is known of a player's moves)"
    )
    return table(what, pool, systems, counted, own, seed)


def systems_for(
    pool: Pool, earlier: NDArray[np.int64], fit: Mask, scale: str
) -> dict[str, Sequential]:
    """Systems as they stand, and fitted to some of the earlier games."""
    past = pool.select(earlier)
    judged = fit[earlier]

    def made(unknowns: Array) -> Glicko2:
        deviation, volatility = np.exp(unknowns)
        return Glicko2(initial_deviation=float(deviation), initial_volatility=float(volatility))

    def against(unknowns: Array) -> float:
        expected = made(unknowns).replay(past).expected[judged]
        return -float(game_metrics(past.score[judged], expected)["log_likelihood"].mean())

    options = {"xatol": 0.03, "fatol": 1e-6, "maxiter": 60}
    bounds = np.log([(20.0, 1000.0), (1e-3, 0.5)])
    tuned = made(
        minimize(
            against, np.log([200.0, 0.04]), method="Nelder-Mead", bounds=bounds, options=options
        ).x
    )
    same: dict[str, Any] = {
        "initial_deviation": tuned.initial_deviation,
        "initial_volatility": tuned.initial_volatility,
    }
    shipped: dict[str, Any] = dict(SHIPPED[scale])
    fitted, games = fit_fusion(past, Fusion(**same))
    print(f"fitted to {games} games: {fitted}", file=sys.stderr)
    return {
        "Glicko-2": Glicko2(),
        "Fusion as shipped": centred_fusion(past, Fusion(**shipped)),
        f"Glicko-2, tuned (± {tuned.initial_deviation:.0f})": tuned,
        "Fusion as shipped, Glicko-2's part tuned": centred_fusion(past, Fusion(**shipped, **same)),
        "Fusion, fitted": fitted,
    }


def table(
    what: str, pool: Pool, systems: dict[str, Sequential], counted: Mask, before: Any, seed: int
) -> list[str]:
    """Log-likelihoods of the counted games, and what the fitted fusion has more than each."""
    games = np.flatnonzero(counted)
    expected = {name: system.replay(pool).expected[games] for name, system in systems.items()}
    likely = {
        name: game_metrics(pool.score[games], each)["log_likelihood"]
        for name, each in expected.items()
    }
    players = len(np.union1d(pool.first[games], pool.second[games]))
    lines = [f"{what}: {len(games):,} games of {players:,} players.", ""]
    names = list(systems)
    plain, shipped, tuned, shipped_tuned, fitted = names
    lines += [
        "| earlier games | games | " + " | ".join(names) + " | shipped less Glicko-2 | "
        "shipped less Glicko-2, both tuned | fitted less tuned Glicko-2 |",
        "|--:|--:|" + "--:|" * (len(names) + 3),
    ]
    classes = [(f"{low}" if low == high else f"{low}–{high}", low, high) for low, high in CLASSES]
    for label, low, high in [("1–19", 1, 19), *classes]:
        here = (before[games] >= low) & (before[games] <= high)
        if not here.any():
            continue
        values = [f"{likely[name][here].mean():.4f}" for name in names]
        less = partial(_less, pool, games[here], seed)
        values.append(less(likely[shipped][here], likely[plain][here]))
        values.append(less(likely[shipped_tuned][here], likely[tuned][here]))
        values.append(less(likely[fitted][here], likely[tuned][here]))
        lines.append(f"| {label} | {int(here.sum()):,} | {' | '.join(values)} |")
    system = systems[fitted]
    if isinstance(system, Fusion):
        lines += [
            "",
            f"Fitted: a strength of {system.strength:.2f} is {system.level:.0f} points and each "
            f"rank {system.slope:.0f}, ± {system.noise:.0f} however many moves; half is known "
            f"after {system.half_moves:.0f}.",
        ]
    return lines


def _less(pool: Pool, games: NDArray[np.int64], seed: int, one: Array, other: Array) -> str:
    result = bootstrap(np.array([one, other]), pool.first[games], pool.second[games], seed=seed)
    between = result.interval([1.0, -1.0])
    return f"{between.estimate:+.4f} ({between.low:+.4f} to {between.high:+.4f})"


def made_by(seed: int, model: StrengthModel) -> str:
    """How the tables came about."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    return (
        f"`python -m lab.studies.fusion_newcomers --seed {seed}`, {date.today()}; model "
        f"{model.card['name']} on {model.card['network']}; Yardstone {version('yardstone')}, "
        f"{versions}, Python {platform.python_version()}. Log-likelihoods; intervals are of 95 %, "
        "by bootstrap over players."
    )


if __name__ == "__main__":
    main()
