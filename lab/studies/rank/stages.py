"""The stages of the study of ranks from moves, each kept in a folder."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.studies.rank.facts import Facts
from yardstone.errors import NoGamesError
from yardstone.files import replaced, write_text
from yardstone.go.feature_store import FeatureStore
from yardstone.go.nets.network import NetworkView
from yardstone.strength.evidence import evidence_of_store
from yardstone.strength.model import StrengthModel
from yardstone.strength.site_scales import RANKS
from yardstone_lab.neubauer.rank.intervals import (
    Accuracy,
    accuracy,
    draw_games,
    judged_by_fold,
    knot_probabilities,
)
from yardstone_lab.neubauer.rank.pool import RankPool, join_pools, pool_store
from yardstone_lab.neubauer.rank.training import OutOfFold, PoolTrainer, RankSettings, make_lift

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

MODEL = "rank_model.npz"
#: Settings tried one after the other, each from the best so far.
TRIED: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("lifted", (0.35, 0.7)),
    ("by_phase", (0.1, 0.3)),
    ("ridge", (0.01, 0.03)),
    ("width", (2, 4)),
)


def note(text: str) -> None:
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
                hint="make some with `yardstone go features`, and name their folder: --stores",
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
                note(f"pooling {store.path.name}")
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
            **NetworkView.of(about).card(),
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
                    note(f"settings {key}: {done[key]}")
                if done[key]["log_likelihood"] > most:
                    most, chosen = done[key]["log_likelihood"], tried
            best = chosen
        return best

    def group_accuracy(
        self, held_out: OutOfFold, pool: RankPool, games: int, *, one_colour: bool = False
    ) -> Accuracy:
        """How often the group is named, of games drawn from each fold's groups."""
        return accuracy(*self.judged(held_out, pool, games, one_colour=one_colour))

    def judged(
        self, held_out: OutOfFold, pool: RankPool, games: int, *, one_colour: bool = False
    ) -> tuple[Array, Ints]:
        """Games drawn from the groups of each fold, judged by the model that has not seen it."""
        random, statistics = self.generator(), held_out.statistics()

        def drawn(rows: Ints) -> tuple[Array, Ints]:
            return draw_games(
                statistics[rows],
                pool.group[rows],
                pool.game[rows],
                games=games,
                draws=self.draws // len(held_out.models),
                random=random,
                one_colour=one_colour,
            )

        def judge(number: int, sums: Array) -> Array:
            return knot_probabilities(held_out.models[number].scale(), sums)

        return judged_by_fold(drawn, judge, held_out.fold)

    def scored(self, model: StrengthModel) -> dict[str, NDArray[Any]]:
        """Statistics of all sides held back, from all stores that have some."""
        parts: list[dict[str, NDArray[Any]]] = []
        begin = 0
        for store in self.stores:
            group, players, held = self.facts.of(store)
            if not held.any():
                continue
            path = scored_file(self.folder, store.path.name)
            if not path.exists():
                note(f"scoring {store.path.name}")
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
            with np.load(path, allow_pickle=False) as result:
                part = dict(result)
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


def scored_file(folder: Path, store: str) -> Path:
    """Where the folder keeps what its model says of a store's sides; ``*`` names them all."""
    digest = hashlib.sha256((folder / MODEL).read_bytes()).hexdigest()[:12]
    return folder / f"scored-{store}-{digest}.npz"


def one_player(model: StrengthModel, sums: Array) -> Array:
    """Probabilities of the groups for games of one player."""
    return model.posterior(sums)[2]


def outside_accuracy(held_out: OutOfFold, pool: RankPool) -> Accuracy:
    """One side of one game, as of one player."""
    return accuracy(outside_probabilities(held_out, pool), pool.group)


def outside_probabilities(held_out: OutOfFold, pool: RankPool) -> Array:
    """Probabilities of the groups for each side by itself, from the model of its fold."""
    statistics = held_out.statistics()
    result = np.empty((len(pool), len(RANKS)))
    for number, model in enumerate(held_out.models):
        rows = held_out.fold == number
        result[rows] = one_player(model, statistics[rows])
    return result
