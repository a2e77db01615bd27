"""How well is a rank told from moves? ``python -m studies.rank_from_moves --stores FOLDER``.

Trains the rank model that comes with Yardstone on the Fox games of Kuboki and others
(kyotakuboki/go-chess-strength-estimation), parts ``testing`` and ``candidating``, and
scores it on the players of ``testing_by_player``, by the published protocol. The stores of
features are made beforehand with ``yardstone go features`` (g170-b6c96, bf16, komi 6.5,
``--features pick,after,candidates,mean``) from any games of that archive: which game is
training and which validation follows from the index, not from the store.

Every setting is chosen by cross-validation within the training players. The stages keep
their results in ``--folder``, so that a run that was stopped goes on: ``pool-*.npz``,
``settings.json``, ``rank_model.npz``, ``out_of_fold.npz``, ``scored-*.npz`` (for
each model anew). The tables go
to ``docs/studies/rank-from-moves-tables.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.errors import InputError, NoGamesError, YardstoneError
from yardstone.files import replaced, write_text
from yardstone.go.feature_store import FeatureStore
from yardstone.strength.estimate.intervals import Coverage, coverage
from yardstone.strength.estimate.rated import interval_table
from yardstone.strength.evidence import evidence_of_store
from yardstone.strength.rank.intervals import with_intervals
from yardstone.strength.rank.model import RANKS, RankModel
from yardstone.strength.rank.pool import RankPool, join_pools, pool_store, without_years
from yardstone.strength.rank.protocol import (
    Accuracy,
    accuracy,
    draw_games,
    draw_players,
    judged_by_fold,
)
from yardstone.strength.rank.scorer import PHASES
from yardstone.strength.rank.training import (
    OutOfFold,
    PoolTrainer,
    RankSettings,
    TrainedRank,
    make_lift,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
TABLES = ROOT / "docs" / "studies" / "rank-from-moves-tables.md"
GAMES = (1, 5, 10, 15, 20)
OF_PLAYER = (1, 5, 10, 15)
OPENING_ENDS = 2  # phases that end at move 50
MODEL = "rank_model.npz"
HELD_BACK = "testing_by_player"
#: The one year in which every group has games there.
YEAR = 2018
#: Settings tried one after the other, each from the best so far.
TRIED: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("lifted", (0.35, 0.7)),
    ("by_phase", (0.1, 0.3)),
    ("ridge", (0.01, 0.03)),
    ("width", (2, 4)),
)


class Facts:
    """What the index says of the games of a store: groups, players, and which part."""

    def __init__(self, shared: Path) -> None:
        folder = shared / "data" / "go" / "fox_ranked"
        if not folder.is_dir():
            raise InputError("there is no such folder", file=str(folder), mend="name --shared")
        with gzip.open(folder / "index.csv.gz", "rt", encoding="utf-8") as file:
            self._index = {row["file"]: row for row in csv.DictReader(file)}
        self.held_back = {
            row[colour]
            for row in self._index.values()
            for colour in ("black", "white")
            if row["part"] == HELD_BACK
        }
        with (folder / "validation_players.csv").open(encoding="utf-8") as file:
            self.listed = [
                (RANKS.index(row["group"]), row["player"]) for row in csv.DictReader(file)
            ]

    def of(self, store: FeatureStore) -> tuple[Ints, NDArray[np.str_], NDArray[np.bool_]]:
        """Group and players of each game, and whether it is held back for validation."""
        keys = ["/".join(Path(file).parts[-4:]) for file in store.games["file"]]
        if unknown := [key for key in keys if key not in self._index]:
            raise InputError(
                f"{unknown[0]} is not in the index of the Fox games",
                file=str(store.path),
                mend="keep the folders of the archive: fox_kuboki/PART/GROUP/NUMBER.sgf",
            )
        rows = [self._index[key] for key in keys]
        group = np.array([RANKS.index(row["group"]) for row in rows], np.int64)
        players = np.array([[row["black"], row["white"]] for row in rows])
        return group, players, np.array([row["part"] == HELD_BACK for row in rows])


def told(text: str) -> None:
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


class Study:
    """The stages, each kept in the folder."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.folder: Path = options.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.seed: int = options.seed
        self.draws: int = options.draws
        self.settings = RankSettings(seed=options.seed)
        self.facts = Facts(options.shared)
        self.stores = [FeatureStore.open(path) for path in sorted(options.stores.glob("fox_*"))]
        if not self.stores:
            raise NoGamesError(
                "there are no stores fox_*",
                file=str(options.stores),
                mend="make some with `yardstone go features`, and name their folder: --stores",
            )
        self.lift = make_lift(self.stores[0], self.settings)

    def generator(self) -> np.random.Generator:
        """A new one, so that no table depends on those before it."""
        return np.random.default_rng(self.seed)

    def training_pool(self) -> RankPool:
        """Sides of the training games whose player is in no game held back."""
        pools = []
        for store in self.stores:
            group, players, held = self.facts.of(store)
            if held.all():
                continue
            path = self.folder / f"pool-{store.path.name}.npz"
            if not path.exists():
                told(f"pooling {store.path.name}")
                known = np.isin(players, list(self.facts.held_back))
                pool_store(
                    store,
                    np.where(held, -1, group),
                    self.lift,
                    sides=~known,
                    players=players,
                ).save(path)
            pools.append(RankPool.load(path))
        return join_pools(pools)

    def trainer(self, pool: RankPool) -> PoolTrainer:
        """The trainer of a pool."""
        chosen = self.settings
        return PoolTrainer(
            pool, self.lift, prior_moves=chosen.prior_moves, folds=chosen.folds, seed=chosen.seed
        )

    def card(self) -> dict[str, Any]:
        """What the model says of itself, but for its figures."""
        about = self.stores[0].settings
        return {
            "name": "fox-g170-b6c96",
            "network": str(about["network"]),
            "sha256": str(about["sha256"]),
            "precision": str(about["precision"]),
            "komi": about["komi"],
            "data": "Fox games of rank groups 3-5k to 9d, 2013 to 2019, from "
            "kyotakuboki/go-chess-strength-estimation, parts testing and candidating",
        }

    def choose(self, trainer: PoolTrainer) -> RankSettings:
        """The settings of the best log-likelihood of one side, one setting at a time."""
        path = self.folder / "settings.json"
        done: dict[str, dict[str, float]] = json.loads(path.read_text()) if path.exists() else {}
        best = chosen = self.settings
        most = -np.inf
        for name, values in (("width", (self.settings.width,)), *TRIED):
            for value in values:
                tried = replace(best, **{name: type(getattr(best, name))(value)})
                key = json.dumps({"games": len(trainer.pool), **asdict(tried)})
                if key not in done:
                    trained = trainer.train(tried, {})
                    one = outside_accuracy(trained.out_of_fold, trainer.pool)
                    ten = self.group_accuracy(trained.out_of_fold, trainer.pool, 10)
                    done[key] = {"log_likelihood": one.log_likelihood, "ten_games": ten.exact}
                    write_text(path, json.dumps(done, indent=1))
                    told(f"settings {key}: {done[key]}")
                if done[key]["log_likelihood"] > most:
                    most, chosen = done[key]["log_likelihood"], tried
            best = chosen
        return best

    def group_accuracy(
        self, found: OutOfFold, pool: RankPool, games: int, *, one_colour: bool = False
    ) -> Accuracy:
        """How often the group is named, of games drawn from each fold's groups."""
        return accuracy(*self.judged(found, pool, games, one_colour=one_colour))

    def judged(
        self, found: OutOfFold, pool: RankPool, games: int, *, one_colour: bool = False
    ) -> tuple[Array, Ints]:
        """Games drawn from the groups of each fold, judged by the model that has not seen it."""
        random, statistics = self.generator(), found.statistics()

        def drawn(rows: Ints) -> tuple[Array, Ints]:
            return draw_games(
                statistics[rows],
                pool.group[rows],
                pool.game[rows],
                games=games,
                draws=self.draws // len(found.models),
                random=random,
                one_colour=one_colour,
            )

        def judge(number: int, sums: Array) -> Array:
            return found.models[number].group_probabilities(sums)

        return judged_by_fold(drawn, judge, found.fold)

    def scored(self, model: RankModel) -> dict[str, NDArray[Any]]:
        """Statistics of all sides held back, from all stores that have some."""
        parts: list[dict[str, NDArray[Any]]] = []
        begin = 0
        digest = hashlib.sha256((self.folder / MODEL).read_bytes()).hexdigest()[:12]
        for store in self.stores:
            group, players, held = self.facts.of(store)
            if not held.any():
                continue
            path = self.folder / f"scored-{store.path.name}-{digest}.npz"
            if not path.exists():
                told(f"scoring {store.path.name}")
                games = np.flatnonzero(held)
                sides = [(int(game), colour) for game in games for colour in (1, 2)]
                statistics = np.concatenate(
                    [
                        model.game_statistics(evidence_of_store(store, sides[k : k + 50]))
                        for k in range(0, len(sides), 50)
                    ]
                )
                with replaced(path) as temporary, temporary.open("wb") as file:
                    np.savez(
                        file,
                        allow_pickle=False,
                        statistics=statistics,
                        group=np.repeat(group[games], 2),
                        game=np.repeat(np.arange(len(games)), 2),
                        player=players[games].ravel(),
                    )
            with np.load(path, allow_pickle=False) as found:
                part = dict(found)
            years = store.games["date"][held].astype("datetime64[Y]").astype(np.int64) + 1970
            part["year"] = np.repeat(years, 2)
            part["game"] = part["game"] + begin
            begin = int(part["game"].max()) + 1
            parts.append(part)
        return (
            {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            if parts
            else {}
        )


def one_player(model: RankModel, sums: Array) -> Array:
    """Probabilities of the groups for games of one player."""
    return model.posterior(sums)[2]


def outside_accuracy(found: OutOfFold, pool: RankPool) -> Accuracy:
    """One side of one game, as of one player."""
    statistics = found.statistics()
    result = np.empty((len(pool), len(RANKS)))
    for number, model in enumerate(found.models):
        rows = found.fold == number
        result[rows] = one_player(model, statistics[rows])
    return accuracy(result, pool.group)


def coverage_lines(found: Sequence[Coverage]) -> Iterator[str]:
    """A table of coverage."""
    yield "| moves | estimates | held | held, all of a group's strengths alike | width in ranks |"
    yield "|---|--:|--:|--:|--:|"
    for each in found:
        yield (
            f"| {each.least:,} to {each.most:,} | {each.count:,} | {percent(each.held)} % | "
            f"{percent(each.even)} % | {each.width:.1f} |"
        )
    yield ""


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def row(name: str, found: Sequence[Accuracy | None]) -> str:
    """A line: accuracy, within one rank, mean error for each number of games."""
    cells = [
        "-" if each is None else f"{percent(each.exact)} ({percent(each.near)}, {each.error:.2f})"
        for each in found
    ]
    return f"| {name} | {' | '.join(cells)} |"


class Tables:
    """The tables of the study, a line at a time."""

    def __init__(
        self,
        study: Study,
        trained: TrainedRank,
        pool: RankPool,
        model: RankModel,
    ) -> None:
        self.study, self.trained, self.pool, self.model = study, trained, pool, model

    def lines(self, settings: RankSettings) -> Iterator[str]:
        """All of them."""
        yield from self.cross_validation(settings)
        held = self.study.scored(self.model)
        if held:
            yield from self.held_back(held)
        yield from self.made()

    def cross_validation(self, settings: RankSettings) -> Iterator[str]:
        """What folds of the training players tell, whole and with parts left out."""
        games = np.bincount(self.pool.group) / 2
        yield (
            f"Cross-validation in the training games: {settings.folds} parts without a name in "
            f"common, {int(games.min())} to {int(games.max())} games a group."
        )
        yield ""
        yield head(GAMES)
        outside = self.trained.out_of_fold
        for name, one_colour in (("both colours", False), ("one colour", True)):
            yield row(name, [self.group(outside, n, one_colour=one_colour) for n in GAMES])
        for name, pool in self.parts():
            trained = self.study.trainer(pool).train(settings, {})
            yield row(
                name,
                [self.study.group_accuracy(trained.out_of_fold, pool, n) for n in GAMES],
            )
        silent = replace(outside, scores=np.zeros_like(outside.scores))
        yield row("numbers of moves alone", [self.group(silent, n) for n in GAMES])
        yield row("length of the game alone", [length_alone(self.pool, self.trained), *[None] * 4])
        yield ""
        yield from confusion(*self.study.judged(outside, self.pool, GAMES[-1]))

    def group(self, outside: OutOfFold, games: int, *, one_colour: bool = False) -> Accuracy:
        """Games drawn from the groups of each fold."""
        return self.study.group_accuracy(outside, self.pool, games, one_colour=one_colour)

    def parts(self) -> Iterator[tuple[str, RankPool]]:
        """The pool with less in it: games, or what may be fashion."""
        yield "half of the games", self.pool.select(self.pool.game % 2 == 0)
        later = list(range(OPENING_ENDS, PHASES))
        yield "without the first 50 moves", self.pool.phases_only(later)
        yield "the first 50 moves alone", self.pool.phases_only(range(OPENING_ENDS))
        modern = self.pool.select(self.pool.year >= 2017)
        yield "games from 2017 on", modern
        yield "games from 2017 on, less what the year says", without_years(modern)

    def held_back(self, held: dict[str, NDArray[Any]]) -> Iterator[str]:
        """The validation players, scored once."""
        statistics, group = held["statistics"], held["group"]
        everything, one_year = np.ones(len(group), bool), held["year"] == YEAR
        yield f"Players never seen: {len(group) // 2:,} games of `{HELD_BACK}`."
        yield ""
        yield head(GAMES)
        for name, rows, one_colour in (
            ("both colours", everything, False),
            ("one colour", everything, True),
            (f"both colours, games of {YEAR} alone", one_year, False),
        ):
            random = self.study.generator()
            found: list[Accuracy | None] = []
            for games in GAMES:
                sums, truth = draw_games(
                    statistics[rows],
                    group[rows],
                    held["game"][rows],
                    games=games,
                    draws=self.study.draws,
                    random=random,
                    one_colour=one_colour,
                )
                found.append(
                    accuracy(self.model.group_probabilities(sums), truth) if len(truth) else None
                )
            yield row(name, found)
        random = self.study.generator()
        cells: list[Accuracy | None] = []
        counts = []
        drawn = {}
        for games in OF_PLAYER:
            sums, truth, who = draw_players(
                statistics,
                group,
                held["player"],
                games=games,
                draws=10,
                random=random,
                players=self.study.facts.listed,
            )
            drawn[games] = sums, truth
            counts.append(f"{len(np.unique(who))} with {games}")
            cells.append(accuracy(one_player(self.model, sums), truth) if len(truth) else None)
        yield row("games of one player", [*cells, *[None] * (len(GAMES) - len(OF_PLAYER))])
        yield ""
        yield f"Listed players with so many games in the stores: {', '.join(counts)}."
        yield ""
        sums = np.concatenate([each[0] for each in drawn.values()])
        truth = np.concatenate([each[1] for each in drawn.values()])
        moves = sums[:, :PHASES].sum(axis=1).astype(np.int64)
        table = interval_table(self.model)
        yield "Intervals of 90 % of these players:"
        yield ""
        yield from coverage_lines(coverage(table, self.model.density(sums), truth, moves))
        sums, truth = draw_games(
            statistics,
            group,
            held["game"],
            games=GAMES[-1],
            draws=self.study.draws,
            random=self.study.generator(),
        )
        if len(truth):
            yield from confusion(self.model.group_probabilities(sums), truth)

    def made(self) -> Iterator[str]:
        """How the tables were made."""
        command = "python -m studies.rank_from_moves " + " ".join(
            f"{name} {value}"
            for name, value in (("--seed", self.study.seed), ("--draws", self.study.draws))
        )
        stores = ", ".join(store.path.name for store in self.study.stores)
        versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
        yield (
            f"`{command}`, {date.today():%Y-%m-%d}; Yardstone {version('yardstone')}, {versions}, "
            f"Python {platform.python_version()}; stores {stores}; "
            f"settings {json.dumps(self.model.card['settings'])}."
        )


def head(games: Sequence[int]) -> str:
    """The head of a table by numbers of games."""
    names = " | ".join(f"n = {number}" for number in games)
    return f"| % right (within one rank, mean error) | {names} |\n|---|{'--:|' * len(games)}"


def length_alone(pool: RankPool, trained: TrainedRank) -> Accuracy:
    """The group from the number of moves: the nearest of the other folds' usual lengths."""
    fold = trained.out_of_fold.fold
    moves = pool.counts.sum(axis=1).astype(np.float64)
    probabilities = np.zeros((len(pool), len(RANKS)))
    for number in np.unique(fold):
        inside, outside = fold == number, fold != number
        edges = np.quantile(moves[outside], np.linspace(0.0, 1.0, 21)[1:-1])
        place = np.searchsorted(edges, moves)
        counted = np.ones((20, len(RANKS)))
        np.add.at(counted, (place[outside], pool.group[outside]), 1.0)
        counted /= counted.sum(axis=0)
        probabilities[inside] = (counted / counted.sum(axis=1, keepdims=True))[place[inside]]
    return accuracy(probabilities, pool.group)


def confusion(probabilities: Array, truth: Ints) -> Iterator[str]:
    """What was said of games of each group."""
    said = probabilities.argmax(axis=1)
    yield "20 games of a group (lines), and what was said of them, in per cent:"
    yield ""
    yield f"| | {' | '.join(RANKS)} |"
    yield "|---|" + "--:|" * len(RANKS)
    for number in np.unique(truth):
        share = 100.0 * np.bincount(said[truth == number], minlength=len(RANKS))
        share /= (truth == number).sum()
        cells = " | ".join(f"{each:.0f}" if each >= 0.5 else "" for each in share)
        yield f"| {RANKS[number]} | {cells} |"
    yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stores", type=Path, default=ROOT / "build" / "features")
    parser.add_argument("--shared", type=Path, default=SHARED, help="where the data are")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "rank-from-moves")
    parser.add_argument("--draws", type=int, default=500, help="for each group")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    study = Study(options)
    pool = study.training_pool()
    trainer = study.trainer(pool)
    settings = study.choose(trainer)
    told(f"chosen: {settings}")
    trained = trainer.train(settings, study.card())
    model = with_intervals(trained, pool, study.seed)
    model.save(study.folder / MODEL)
    # What is scored is what is kept: with the weights of the file.
    model = RankModel.load(study.folder / MODEL)
    outside = trained.out_of_fold
    np.savez_compressed(
        study.folder / "out_of_fold.npz",
        counts=outside.counts,
        scores=outside.scores,
        fold=outside.fold,
        group=pool.group,
        game=pool.game,
        player=pool.player,
        colour=pool.colour,
        year=pool.year,
    )
    for number, each in enumerate(outside.models):
        each.save(study.folder / f"fold-{number}.npz")
    del trainer
    TABLES.parent.mkdir(parents=True, exist_ok=True)
    TABLES.write_text(
        "\n".join(Tables(study, trained, pool, model).lines(settings)) + "\n", "utf-8"
    )
    print(TABLES.read_text("utf-8"))


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
