"""Ranks of Fox against those of OGS: ``python -m lab.studies.ogs_shift --stores FOLDER``.

The folder holds stores of features, made by ``yardstone go features --komi 6.5 --features
pick,after,candidates,mean``: ``ogs_league`` of ``data/go/ogs_league.zip``
(psygo/go-brasil-ranking, 2021 and 2022, ranks as the records name them) and ``ogs_weak`` of
games of ``data/go/ogs_weak`` (bale-go/katrain-bots, June 2020: people against bots, of whom
the people's moves count). Even games only.

People are chosen by the rank that they have, never by what the model makes of them: those
from 6 kyu to 5 dan at OGS, whom the model can place on any plausible mapping. The strength
on Fox of somebody of rank x is taken for normal about x less the shift, with a spread of its
own that has all the rest in it: the error of the rank, the years between the games and the
model's training, style. What the model says of a person enters as its likelihood, so that
neither the ends of its scale nor few moves draw the shift to the middle. Its standard error
is from people drawn with replacement. The table goes to
``docs/studies/ogs-shift-tables.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import platform
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtr

from yardstone.errors import YardstoneError
from yardstone.go.feature_store import FeatureStore
from yardstone.go.points import BLACK, WHITE
from yardstone.strength.evidence import evidence_of_store
from yardstone.strength.model import StrengthModel
from yardstone.strength.players import plain_name
from yardstone.strength.site_scales import EDGES, fox_rank
from yardstone.strength.strengths import Rater

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "studies" / "ogs-shift-tables.md"
#: Ranks at OGS from and to which people count: n dan is n to n + 1, 1 kyu 0 to 1.
WEAKEST, STRONGEST = -5.0, 6.0
#: A rank of the index of `ogs_weak` is 30 where 1 dan begins.
_FIRST_DAN = 30.0
_SAMPLES = 100
#: Ranks at OGS that a line of the table is for.
_CLASS = 3


@dataclass(frozen=True)
class Person:
    """Somebody whose rank at OGS is known, and what the model makes of the games."""

    rank: float
    statistics: Array


def rank_number(text: str) -> float | None:
    """The middle of a rank such as ``3k`` or ``2d?``: n + 0.5 for n dan, 0.5 for 1 kyu."""
    result = re.match(r"(\d+)([kd])", text.strip().lower())
    if result is None:
        return None
    number = int(result[1])
    return (number if result[2] == "d" else 1 - number) + 0.5


def league(store: FeatureStore, model: StrengthModel) -> list[Person]:
    """The players of the league."""
    games = store.games
    ranks: dict[str, list[float]] = defaultdict(list)
    sums: dict[str, list[Array]] = defaultdict(list)
    for game in range(len(store)):
        if games["handicap"][game] > 1 or games["size"][game] != 19:
            continue
        for colour, side in ((BLACK, "black"), (WHITE, "white")):
            number = rank_number(games[f"{side}_rank"][game])
            if number is not None:
                name = plain_name(games[side][game])
                ranks[name].append(number)
                evidence = evidence_of_store(store, [(game, colour)])
                sums[name].append(model.game_statistics(evidence)[0])
    return [Person(float(np.mean(ranks[name])), np.sum(sums[name], axis=0)) for name in ranks]


def people(store: FeatureStore, model: StrengthModel, index: Path) -> list[Person]:
    """The people who played against bots; provisional ranks are left out."""
    with gzip.open(index, "rt", encoding="utf-8") as file:
        rows = {row["file"]: row for row in csv.DictReader(file)}
    ranks: dict[str, list[float]] = defaultdict(list)
    sums: dict[str, list[Array]] = defaultdict(list)
    for game, path in enumerate(store.games["file"]):
        row = rows["/".join(Path(path).parts[-2:])]
        side, colour = ("white", WHITE) if row["bot"] == "B" else ("black", BLACK)
        if row["provisional"] == "0" and row[f"{side}_rank_num"] and row["handicap"] in ("0", ""):
            ranks[row[side]].append(float(row[f"{side}_rank_num"]) - _FIRST_DAN + 1.0)
            evidence = evidence_of_store(store, [(game, colour)])
            sums[row[side]].append(model.game_statistics(evidence)[0])
    return [Person(float(np.mean(ranks[name])), np.sum(sums[name], axis=0)) for name in ranks]


def fitted(rank: Array, likelihood: Array) -> tuple[float, float]:
    """The shift from Fox to OGS, and the spread of people about it, by maximum likelihood."""
    steps = np.linspace(EDGES[0], EDGES[-1], likelihood.shape[1] + 1)

    def loss(place: Array) -> float:
        shift, spread = place[0], np.exp(place[1])
        below = ndtr((steps - (rank - shift)[:, None]) / spread)
        below[:, 0], below[:, -1] = 0.0, 1.0  # who is beyond the scale looks like its end
        return float(-np.log((np.diff(below, axis=1) * likelihood).sum(axis=1) + 1e-300).sum())

    result = minimize(loss, np.array([-5.0, np.log(2.5)]), method="Nelder-Mead").x
    return float(result[0]), float(np.exp(result[1]))


def lines(name: str, people: list[Person], model: StrengthModel) -> Iterator[str]:
    """What one collection says."""
    rank = np.array([each.rank for each in people])
    statistics = np.array([each.statistics for each in people])
    density = model.scale().density(statistics)
    mean = model.posterior(statistics)[0]
    rater = Rater(model, 0.9)
    unlikely = np.array([rater.rate(row).unlikely for row in statistics])
    yield f"{name}, by the rank that they have at OGS:"
    yield ""
    yield "| rank at OGS | people | estimate (Fox), mean | deviation | look unlikely |"
    yield "|---|--:|--:|--:|--:|"
    place = np.floor(rank / _CLASS).astype(np.int64)
    for k in np.unique(place):
        rows = place == k
        ends = f"{fox_rank(_CLASS * float(k))} to {fox_rank(_CLASS * float(k) + _CLASS - 1.0)}"
        yield (
            f"| {ends} | {rows.sum()} | {mean[rows].mean():.1f} | {mean[rows].std():.1f} "
            f"| {100 * unlikely[rows].mean():.0f} % |"
        )
    yield ""
    prior = model.scale().density(np.zeros(statistics.shape[1]))
    likelihood = density / prior
    likelihood /= likelihood.max(axis=1, keepdims=True)
    random = np.random.default_rng(0)
    inside = (rank >= WEAKEST) & (rank < STRONGEST)
    for words, rows in (("all", inside), ("those who do not look unlikely", inside & ~unlikely)):
        chosen = np.flatnonzero(rows)
        shift, spread = fitted(rank[chosen], likelihood[chosen])
        drawn = [
            fitted(rank[again], likelihood[again])[0]
            for again in (random.choice(chosen, len(chosen)) for _ in range(_SAMPLES))
        ]
        yield (
            f"OGS less Fox, {fox_rank(WEAKEST)} to {fox_rank(STRONGEST - 1.0)}, {words}: "
            f"{shift:.1f} ± {np.std(drawn):.1f} ranks (one standard error), people spread by "
            f"{spread:.1f} ranks about it, {len(chosen)} people."
        )
        yield ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stores", type=Path, default=ROOT / "build" / "features")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    options = parser.parse_args()
    model = StrengthModel.load()
    index = options.shared / "data" / "go" / "ogs_weak" / "index.csv.gz"
    try:
        result = {
            "Players of a league, 2021 and 2022": league(
                FeatureStore.open(options.stores / "ogs_league"), model
            ),
            "People against bots, 2020": people(
                FeatureStore.open(options.stores / "ogs_weak"), model, index
            ),
        }
    except YardstoneError as problem:
        sys.exit(str(problem))
    written = [line for name, each in result.items() for line in lines(name, each, model)]
    written.append(
        f"`python -m lab.studies.ogs_shift`, {date.today():%Y-%m-%d}; Yardstone "
        f"{version('yardstone')}, model {model.card['name']}, numpy {version('numpy')}, "
        f"Python {platform.python_version()}."
    )
    TABLE.write_text("\n".join(written) + "\n", "utf-8")
    print(TABLE.read_text("utf-8"))


if __name__ == "__main__":
    main()
