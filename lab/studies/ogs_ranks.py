"""A scale for OGS, 34 kyu to 9 dan: ``python -m lab.studies.ogs_ranks --stores FOLDER``.

The folder holds stores of features, made by ``yardstone go features --komi 6.5 --precision
bf16 --features pick,after,candidates,mean``: ``ogs_weak`` of the games of ``data/go/ogs_weak``
(bale-go/katrain-bots, June 2020: people against programs, of whom the people's moves count),
``ogs_league`` of ``data/go/ogs_league.zip`` (psygo/go-brasil-ranking, 2021 and 2022) and
``fox_*`` of ``data/go/fox_ranked`` (see ``lab.studies.rank_from_moves``), of which those of
training games are used.

The shipped rank model is given a scale for OGS (`yardstone_lab.neubauer.rank.scales`). All
that is said of people comes from folds that they are in none of. With ``--ship`` the model
takes the place of the shipped one. The tables go to ``docs/studies/ogs-ranks-tables.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.ogs_shift import rank_number
from lab.studies.rank.facts import Facts
from yardstone.errors import YardstoneError
from yardstone.go.feature_store import FeatureStore
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import plain_name
from yardstone.strength.rank_scorer import MoveScorer
from yardstone.strength.site_scales import RANKS
from yardstone_lab.neubauer.rank.intervals import Unseen, draw_unseen
from yardstone_lab.neubauer.rank.pool import RankPool, pool_store
from yardstone_lab.neubauer.rank.scales import (
    RatedSettings,
    RatedSides,
    TrainedScale,
    as_statistics,
    pooled_scores,
    with_rated_scale,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "docs" / "studies" / "ogs-ranks-tables.md"
SHIPPED = ROOT / "src" / "yardstone" / "strength" / "data" / "rank.npz"
SCALE = "ogs"
#: A rank of the index is 30 where 1 dan begins; here it is 1 there.
_FIRST_DAN = 29.0
#: How much a provisional rank counts in training.
_PROVISIONAL = 0.3
_GAMES = (1, 2, 3, 5)
_DRAWS, _SAMPLES = 5, 1000
_LEVEL = 0.9
BANDS = (("21k and weaker", -19.0), ("11-20k", -9.0), ("6-10k", -4.0), ("1-5k", 1.0), ("dan", 99.0))


@dataclass(frozen=True, eq=False)
class People:
    """The people who played against programs, a row a side of a game."""

    pool: RankPool
    rated: RatedSides
    handicap: NDArray[np.bool_]


def read_people(store: FeatureStore, index: Path, model: StrengthModel) -> People:
    """The people's sides of all games."""
    assert isinstance(model.scorer, MoveScorer)
    with gzip.open(index, "rt", encoding="utf-8") as file:
        rows = {row["file"]: row for row in csv.DictReader(file)}
    number = len(store)
    sides = np.zeros((number, 2), bool)
    names = np.full((number, 2), "", object)
    rank, sure = np.zeros((number, 2)), np.zeros((number, 2))
    handicap = np.zeros(number, bool)
    for game, path in enumerate(store.games["file"]):
        row = rows["/".join(Path(path).parts[-2:])]
        place, side = (1, "white") if row["bot"] == "B" else (0, "black")
        sides[game, place] = row[f"{side}_rank_num"] != ""
        names[game, place] = row[side]
        rank[game, place] = float(row[f"{side}_rank_num"] or 0.0) - _FIRST_DAN
        sure[game, place] = _PROVISIONAL if row["provisional"] == "1" else 1.0
        handicap[game] = row["handicap"] not in ("0", "")
    pool = pool_store(
        store, np.zeros(number, np.int64), model.scorer.lift, sides=sides, players=names.astype(str)
    )
    some = pool.counts.sum(axis=1) > 0
    pool = pool.select(some)
    at = (pool.game, pool.colour - 1)
    return People(pool, RatedSides(rank[at], sure[at]), handicap[pool.game])


@dataclass(frozen=True, eq=False)
class Judged:
    """Estimates of people whom their model has not seen."""

    person: Ints
    games: Ints
    rank: Array
    mean: Array
    held: NDArray[np.bool_]
    width: Array

    def select(self, rows: NDArray[np.bool_]) -> Judged:
        """Some of them."""
        return Judged(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def judged(trained: TrainedScale, people: People, rows: NDArray[np.bool_]) -> Judged:
    """Estimates of the people of some rows, with intervals fitted to those of other folds."""
    pool, rank = people.pool, people.rated.rank
    _, person = np.unique(pool.player, return_inverse=True)
    mean_rank = (np.bincount(person, rank) / np.bincount(person))[person]
    statistics = trained.statistics(pool.counts)
    random = np.random.default_rng(1)
    edges = trained.scales[0].edges
    known = trained.unseen["whole"]
    parts = []
    for fold, scale in enumerate(trained.scales):
        own = np.flatnonzero((trained.fold == fold) & rows)
        if not len(own):
            continue
        drawn = draw_unseen(
            scale,
            statistics[own],
            np.zeros(len(own), np.int64),
            person[own].astype(np.int64),
            np.full(len(own), fold),
            strengths=mean_rank[own],
            games=_GAMES,
            draws=_DRAWS,
            random=random,
        )
        table = known.select(known.fold != fold).table(edges, trained.near)
        parts.append(_held(drawn, scale.moments(drawn.density)[0], table, edges))
    return Judged(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in Judged.__dataclass_fields__
        )
    )


def _held(drawn: Unseen, mean: Array, table: object, edges: Array) -> Judged:
    ends = [
        table.interval(density, int(moves), _LEVEL)  # type: ignore[attr-defined]
        for density, moves in zip(drawn.density, drawn.moves, strict=True)
    ]
    low = np.array([edges[0] if each[0] is None else each[0] for each in ends])
    high = np.array([edges[-1] if each[1] is None else each[1] for each in ends])
    rank = drawn.strengths[:, 0]
    held = ((low <= rank) | (low == edges[0])) & ((rank <= high) | (high == edges[-1]))
    return Judged(drawn.player, drawn.games, rank, mean, held, high - low)


class Figures:
    """Figures of estimates, everybody counting alike, with intervals from drawing people anew."""

    def __init__(self, judged: Judged) -> None:
        self.found = judged
        _, self._person = np.unique(judged.person, return_inverse=True)
        self.people = int(self._person.max(initial=-1)) + 1
        self._one = 1.0 / np.bincount(self._person)[self._person]
        draws = np.random.default_rng(0).integers(0, self.people, (_SAMPLES, self.people))
        self._times = np.array([np.bincount(row, minlength=self.people) for row in draws])

    def _interval(self, figure: object) -> tuple[float, float, float]:
        whole = figure(self._one)  # type: ignore[operator]
        drawn = [
            figure(self._one * times[self._person])  # type: ignore[operator]
            for times in self._times
        ]
        return (whole, *np.quantile(drawn, [0.025, 0.975]).tolist())

    def median(self) -> str:
        """Median of the errors' sizes."""
        error = np.abs(self.found.mean - self.found.rank)
        order = np.argsort(error)

        def figure(weight: Array) -> float:
            total = np.cumsum(weight[order])
            return float(error[order][np.searchsorted(total, 0.5 * total[-1])])

        return _words(self._interval(figure), 2)

    def rms(self) -> str:
        """Root of the mean squared error."""
        error = (self.found.mean - self.found.rank) ** 2
        return _words(
            self._interval(lambda weight: float(np.sqrt(np.average(error, weights=weight)))), 2
        )

    def bias(self) -> str:
        """Mean error."""
        error = self.found.mean - self.found.rank
        return _words(self._interval(lambda weight: float(np.average(error, weights=weight))), 1)

    def share(self) -> str:
        """Share of the intervals that hold, in per cent."""
        held = 100.0 * self.found.held
        return _words(self._interval(lambda weight: float(np.average(held, weights=weight))), 0)

    def correlation(self) -> str:
        """Of estimate and rank."""

        def figure(weight: Array) -> float:
            both = np.cov(self.found.mean, self.found.rank, aweights=np.maximum(weight, 1e-12))
            return float(both[0, 1] / np.sqrt(both[0, 0] * both[1, 1]))

        return _words(self._interval(figure), 2)


def _words(interval: tuple[float, float, float], digits: int) -> str:
    whole, low, high = interval
    return f"{whole:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def accuracy_lines(judged: Judged) -> Iterator[str]:
    """By number of games, and by band."""
    yield (
        "| games | people | median error | root mean square | correlation | 90 % intervals that "
        "hold, % |"
    )
    yield "|--:|--:|--:|--:|--:|--:|"
    for games in _GAMES:
        each = Figures(judged.select(judged.games == games))
        yield (
            f"| {games} | {each.people} | {each.median()} | {each.rms()} | {each.correlation()} "
            f"| {each.share()} |"
        )


def band_lines(judged: Judged) -> Iterator[str]:
    """By band of the true rank."""
    yield "| games | rank | people | mean error | median error | 90 % intervals that hold, % |"
    yield "|--:|---|--:|--:|--:|--:|"
    band = np.searchsorted([end for _, end in BANDS], judged.rank, side="right")
    for games in (1, 3):
        for number, (name, _) in enumerate(BANDS):
            rows = (judged.games == games) & (band == number)
            if np.any(rows):
                each = Figures(judged.select(rows))
                yield (
                    f"| {games} | {name} | {each.people} | {each.bias()} | {each.median()} "
                    f"| {each.share()} |"
                )


def league_lines(store: FeatureStore, model: StrengthModel) -> Iterator[str]:
    """What the scale says of the players of a league, against each other."""
    games = store.games
    usable = (games["handicap"] < 2) & (games["size"] == 19)
    assert isinstance(model.scorer, MoveScorer)
    pool = pool_store(store, np.where(usable, 0, -1), model.scorer.lift)
    names, ranks = [], []
    for game, colour in zip(pool.game, pool.colour, strict=True):
        side = "black" if colour == 1 else "white"
        names.append(plain_name(games[side][game]))
        number = rank_number(games[f"{side}_rank"][game])
        ranks.append(np.nan if number is None else number)
    rank, name = np.array(ranks), np.array(names)
    scale = model.scale(SCALE)
    statistics = score_statistics(model, pool)
    rows = []
    for person in np.unique(name[~np.isnan(rank)]):
        own = (name == person) & ~np.isnan(rank)
        mean = scale.moments(scale.density(statistics[own].sum(axis=0)))[0]
        rows.append((float(rank[own].mean()), float(mean)))
    table = np.array(rows)
    yield "| rank at OGS, 2021 and 2022 | people | estimate less rank, mean | deviation |"
    yield "|---|--:|--:|--:|"
    band = np.searchsorted([end for _, end in BANDS], table[:, 0], side="right")
    away = table[:, 1] - table[:, 0]
    for number, (title, _) in enumerate(BANDS):
        here = away[band == number]
        if len(here):
            deviation = f"{here.std(ddof=1):.1f}" if len(here) > 1 else "-"
            yield f"| {title} | {len(here)} | {here.mean():+.1f} | {deviation} |"
    strong = away[table[:, 0] >= -14.0]
    error = strong.std(ddof=1) / np.sqrt(len(strong))
    yield ""
    yield (
        f"15 kyu and stronger: {strong.mean():+.1f} ± {error:.1f} ranks (one standard error), "
        f"people spread by {strong.std(ddof=1):.1f} about it, {len(strong)} people."
    )


def score_statistics(model: StrengthModel, pool: RankPool) -> Array:
    """Rows as `StrengthModel.game_statistics` gives them, from the sums of a pool."""
    assert isinstance(model.scorer, MoveScorer)
    return as_statistics(pool.counts, pooled_scores(model.scorer, pool))


def relation_lines(
    pools: list[RankPool], model: StrengthModel, alone: StrengthModel
) -> Iterator[str]:
    """What the scale of OGS says of the rank groups of Fox, and what its own score alone does."""
    group = np.concatenate([pool.group for pool in pools])
    player = np.concatenate([pool.player for pool in pools])
    means = []
    for each in (model, alone):
        scale = each.scale(SCALE)
        statistics = np.concatenate([score_statistics(each, pool) for pool in pools])
        means.append(scale.moments(scale.density(statistics))[0])
    yield (
        "| rank at Fox | sides | people | estimate on the scale of OGS from one game, mean | by "
        "the score of OGS alone |"
    )
    yield "|---|--:|--:|--:|--:|"
    for number, name in enumerate(RANKS):
        rows = np.flatnonzero(group == number)
        if not len(rows):
            continue
        _, person = np.unique(player[rows], return_inverse=True)
        none = np.zeros(len(rows))
        both = [
            Figures(
                Judged(
                    person.astype(np.int64), none.astype(np.int64), none, mean[rows], none > 0, none
                )
            )
            for mean in means
        ]
        cells = " | ".join(each.bias() for each in both)
        yield f"| {name} | {len(rows)} | {both[0].people} | {cells} |"


def handicap_lines(trained: TrainedScale, people: People) -> Iterator[str]:
    """Handicap games beside even ones, each by itself."""
    pool = people.pool
    statistics = trained.statistics(pool.counts)
    mean = np.empty(len(pool))
    for fold, scale in enumerate(trained.scales):
        rows = trained.fold == fold
        mean[rows] = scale.moments(scale.density(statistics[rows]))[0]
    _, person = np.unique(pool.player, return_inverse=True)
    yield "| games | sides | people | mean error | median error |"
    yield "|---|--:|--:|--:|--:|"
    for name, rows in (("even", ~people.handicap), ("with handicap", people.handicap)):
        chosen = rows & (people.rated.sure >= 1.0)
        none = np.zeros(int(chosen.sum()))
        each = Figures(
            Judged(
                person[chosen].astype(np.int64), none.astype(np.int64), people.rated.rank[chosen],
                mean[chosen], none > 0, none,
            )
        )  # fmt: skip
        yield f"| {name} | {chosen.sum()} | {each.people} | {each.bias()} | {each.median()} |"


def without_scale(model: StrengthModel) -> StrengthModel:
    """The model before it was given the scale."""
    if SCALE not in model.scales:
        return model
    scorer = model.scorer
    assert isinstance(scorer, MoveScorer)
    kept = slice(0, int(model.scale(SCALE).spread.columns[-1]))
    card = {**model.card}
    for name in ("intervals", "farthest", "rated"):
        card[name] = {k: v for k, v in (card.get(name) or {}).items() if k != SCALE}
    return StrengthModel(
        MoveScorer(
            scorer.lift,
            scorer.linear[..., kept],
            scorer.lifted[..., kept],
            scorer.centre[..., kept],
        ),
        [scale for name, scale in model.scales.items() if name != SCALE],
        card,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stores", type=Path, default=ROOT / "build" / "features")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--model", type=Path, default=SHIPPED, help="the rank model to begin from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ship", action="store_true", help="replace the model that is shipped")
    options = parser.parse_args()
    model = without_scale(StrengthModel.load(options.model))
    store = FeatureStore.open(options.stores / "ogs_weak")
    index = options.shared / "data" / "go" / "ogs_weak" / "index.csv.gz"
    people = read_people(store, index, model)
    settings = RatedSettings(seed=options.seed)
    about = {
        "data": "OGS games of June 2020 of people, 34 kyu to 9 dan, against programs, from "
        "bale-go/katrain-bots; ranks when the games began",
        "people": len(np.unique(people.pool.player)),
        "games": len(people.pool),
    }
    trained = with_rated_scale(model, people.pool, people.rated, SCALE, settings, about)
    alone = with_rated_scale(model, people.pool, people.rated, SCALE, replace(settings, others=0))
    sure = people.rated.sure >= 1.0
    result = judged(trained, people, sure)
    lines = [
        f"People with a settled rank, none of them seen in training ({settings.folds} folds by "
        "person); errors in ranks, everybody counting alike, 95 % intervals from drawing people "
        "anew:",
        "",
        *accuracy_lines(result),
        "",
        "By their rank:",
        "",
        *band_lines(result),
        "",
        "All people, those with a provisional rank too:",
        "",
        *accuracy_lines(judged(trained, people, np.ones(len(sure), bool))),
        "",
        "People with a settled rank, by the score of OGS alone:",
        "",
        *accuracy_lines(judged(alone, people, sure)),
        "",
        "Games with handicap stones, each game by itself:",
        "",
        *handicap_lines(trained, people),
        "",
        "Players of a league, against each other, by the whole model:",
        "",
        *league_lines(FeatureStore.open(options.stores / "ogs_league"), trained.model),
    ]
    facts = Facts(options.shared)
    pools = []
    for path in sorted(options.stores.glob("fox_*")):
        if not (path / "games.csv").exists():
            continue
        each = FeatureStore.open(path)
        group, players, held = facts.of(each)
        if held.all():
            continue
        known = np.isin(players, list(facts.held_back))
        assert isinstance(model.scorer, MoveScorer)
        chosen = np.where(held, -1, group)
        lift = model.scorer.lift
        pools.append(pool_store(each, chosen, lift, sides=~known, players=players))
    if pools:
        lines += [
            "",
            "Players of Fox, against each other, by the whole model:",
            "",
            *relation_lines(pools, trained.model, alone.model),
        ]
    made = ", ".join(f"{name} {version(name)}" for name in ("yardstone", "numpy", "scipy"))
    lines += [
        "",
        f"`python -m lab.studies.ogs_ranks --seed {options.seed}`, {made}, Python "
        f"{platform.python_version()}; stores of {store.settings['network']}, "
        f"{store.settings['precision']}, komi {store.settings['komi']}.",
    ]
    TABLES.write_text("\n".join(lines) + "\n", "utf-8")
    print(TABLES.read_text("utf-8"))
    if options.ship:
        trained.model.save(SHIPPED)


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
