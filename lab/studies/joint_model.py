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

import numpy as np

from lab.studies.ogs_ranks import (
    SCALE,
    accuracy_lines,
    band_lines,
    judged,
    read_people,
    widen,
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
from yardstone_lab.neubauer.rank.rated import RatedSettings, with_rated_scale
from yardstone_lab.neubauer.set_model.model import train_set_model
from yardstone_lab.neubauer.set_model.sides import read_sides

DATA = ROOT / "src" / "yardstone" / "strength" / "data"
#: Models that join the rank model.
MEMBERS = ("full", "basic")
TABLES = ROOT / "docs" / "studies" / "joint-model-tables.md"


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
    lines.append(
        f"`python -m lab.studies.joint_model`, yardstone {version('yardstone')}, numpy "
        f"{version('numpy')}, Python {platform.python_version()}."
    )
    write_text(TABLES, "\n".join(lines) + "\n")
    print("\n".join(lines))
    if options.ship:
        one.model.card.update(name="joint-g170-b6c96", members=["rank", *MEMBERS])
        widen(one.model, -16.0, 0.4)
        one.model.save(DATA / "joint.npz")


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
