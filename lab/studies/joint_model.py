"""The default model: ``python -m lab.studies.joint_model``.

On the scale of OGS the rank model and the full model err in different people: their mean says
more than either. Both are learnt from the same people, each from folds by person, and what they
say of somebody whom neither has seen is averaged. On the scale of Fox the model is the rank
model. The stores of features are those of `lab.studies.ogs_ranks` and `lab.studies.set_models`,
whose ``--folder`` keeps the networks of the folds of the full model.

The tables go to ``docs/studies/joint-model-tables.md``; ``--ship`` replaces the model that comes
with Yardstone.
"""

from __future__ import annotations

import argparse
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binomtest

from lab.studies.ogs_ranks import (
    SCALE,
    accuracy_lines,
    band_lines,
    judged,
    read_people,
    without_scale,
)
from lab.studies.order import ROOT, shared_folder
from lab.studies.rank.joined import join_scales
from lab.studies.rank.stages import note
from lab.studies.set_models import parts_of
from yardstone.errors import UsageError, YardstoneError
from yardstone.files import write_text
from yardstone.go.feature_store import FeatureStore
from yardstone.strength.model import StrengthModel
from yardstone.strength.strengths import Rater, best_basis, contradictory
from yardstone_lab.neubauer.rank.scales import RatedSettings, with_rated_scale
from yardstone_lab.neubauer.scored_model import train_set_model
from yardstone_lab.neubauer.sides import read_sides

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lab.studies.ogs_ranks import People
    from yardstone_lab.neubauer.rank.scales import TrainedScale

DATA = ROOT / "src" / "yardstone" / "strength" / "data"
#: Models that join the rank model.
MEMBERS = ("full", "basic")
_LEVEL, _TEN_KYU, _FIRST_DAN = 0.9, -9.0, 1.0
TABLES = ROOT / "docs" / "studies" / "joint-model-tables.md"


def called_dan(trained: TrainedScale, people: People, rows: NDArray[np.bool_]) -> str:
    """How many people of 10 kyu and weaker, whom no network and no scale has seen, are called dan.

    Each game by itself, everybody counting alike; with how many get no rank, as the scales
    contradict each other.
    """
    statistics = trained.statistics(people.pool.counts)
    some = np.flatnonzero(rows & (people.rated.rank <= _TEN_KYU))
    called, refused = np.zeros(len(some)), np.zeros(len(some))
    for fold, scale in enumerate(trained.scales):
        others = [each for name, each in trained.model.scales.items() if name != SCALE]
        model = StrengthModel(trained.model.scorer, [*others, scale], trained.model.card)
        raters = {name: Rater(model, _LEVEL, name) for name in model.scales}
        for place in np.flatnonzero(trained.fold[some] == fold):
            each = {name: rater.rate(statistics[some[place]]) for name, rater in raters.items()}
            basis = best_basis(model, each)
            refused[place] = contradictory(each, basis)
            called[place] = not refused[place] and each[basis].rating >= _FIRST_DAN
    _, person = np.unique(people.pool.player[some], return_inverse=True)
    games = np.bincount(person)
    dan, none = (np.bincount(person, each) / games for each in (called, refused))
    low, high = binomtest(round(dan.sum()), len(games)).proportion_ci(method="wilson")
    return (
        f"Of {len(games)} people of 10k and weaker {100 * dan.mean():.1f} % "
        f"({100 * low:.1f} to {100 * high:.1f}) are called dan from one game, and "
        f"{100 * none.mean():.1f} % get no rank, as the scales contradict each other."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stores", type=Path, default=ROOT / "build" / "features")
    parser.add_argument("--ogs", type=Path, default=ROOT / "build" / "features" / "ogs_weak")
    parser.add_argument("--shared", type=Path, default=shared_folder())
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "set-models")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ship", action="store_true", help="replace the model that is shipped")
    options = parser.parse_args()
    rank = without_scale(StrengthModel.load("rank"))
    store = FeatureStore.open(options.ogs)
    index = options.shared / "data" / "go" / "ogs_weak" / "index.csv.gz"
    people = read_people(store, index, rank)
    about = dict(StrengthModel.load("rank").card["rated"][SCALE])
    settings = RatedSettings()
    note("the rank model")
    one = with_rated_scale(rank, people.pool, people.rated, SCALE, settings, about)
    trained, together = {"rank": one}, ["rank"]
    for name in MEMBERS:
        note(f"the {name} model")
        sides = read_sides(parts_of(options), name)
        made = train_set_model(
            sides, folder=options.folder / name, card=rank.card, threads=options.threads
        )
        ogs = np.flatnonzero(~sides.fox)
        if made.ogs is None or not np.array_equal(sides.counts[ogs], people.pool.counts):
            raise UsageError("the models were not learnt from the same sides")
        trained[name] = made.ogs
        one = join_scales(one, made.ogs, people.pool, people.rated, SCALE, settings)
        together.append(name)
        trained[f"{', '.join(together[:-1])} and {together[-1]} together"] = one
    sure = people.rated.sure >= 1.0
    lines = []
    for name, each in trained.items():
        note(name)
        result = judged(each, people, sure)
        lines += [f"**{name}**", "", *accuracy_lines(result), "", *band_lines(result), ""]
    lines += [called_dan(one, people, sure), ""]
    lines.append(
        f"`python -m lab.studies.joint_model`, yardstone {version('yardstone')}, numpy "
        f"{version('numpy')}, Python {platform.python_version()}."
    )
    write_text(TABLES, "\n".join(lines) + "\n")
    print("\n".join(lines))
    if options.ship:
        one.model.card.update(name="joint-g170-b6c96", members=["rank", *MEMBERS])
        one.model.save(DATA / "joint.npz")


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
