"""How well is a rank told from moves? ``python -m lab.studies.rank_from_moves --stores FOLDER``.

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
import sys
from pathlib import Path

import numpy as np

from lab.studies.rank.stages import MODEL, Study, note
from lab.studies.rank.tables import Tables
from yardstone.errors import YardstoneError
from yardstone.strength.model import StrengthModel
from yardstone_lab.neubauer.rank.intervals import with_intervals

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
TABLES = ROOT / "docs" / "studies" / "rank-from-moves-tables.md"


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
    note(f"chosen: {settings}")
    trained = trainer.train(settings, study.card())
    model = with_intervals(trained, pool, study.seed)
    model.save(study.folder / MODEL)
    # What is scored is what is kept: with the weights of the file.
    model = StrengthModel.load(study.folder / MODEL)
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
