"""How ratings settle on a server: ``python -m lab.studies.settling [SHARED]``.

SHARED (else YARDSTONE_SHARED, else ``shared`` beside the project) is the folder with
``data/go/tygem_2005_2011.tsv.gz``. Rates its games with Glicko-2, one at a time, and
draws what Neubauer 2024 draws of OGS in figures 4.4 (deviations by games played) and
4.5 (distribution by games played) to
``docs/studies/settling_deviations.svg`` and ``settling_ratings.svg``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from lab.studies.order import ROOT, require, shared_folder
from yardstone import records
from yardstone.evaluation.splits import judged_games
from yardstone.ratings.systems import find_system
from yardstone_lab.neubauer.description import deviations_by_games, ratings_by_games
from yardstone_lab.reports.strength import deviations_chart, ratings_by_games_chart

PICTURES = ROOT / "docs" / "studies"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path, nargs="?", default=shared_folder())
    folder = parser.parse_args().shared
    require("settling", folder)
    path = folder / "data/go/tygem_2005_2011.tsv.gz"
    pool, _ = judged_games(records.read(path, first="black"))
    replay = find_system("glicko2").make().replay(pool)
    deviations = deviations_by_games(pool, replay)
    print("mean deviation after 0, 10, 20 and 50 games:", deviations.mean[[0, 10, 20, 50]].round(1))
    ratings = ratings_by_games(pool, replay, np.arange(900.0, 2201.0, 50.0))
    PICTURES.mkdir(parents=True, exist_ok=True)
    deviations_chart(deviations).save(PICTURES / "settling_deviations.svg")
    ratings_by_games_chart(ratings).save(PICTURES / "settling_ratings.svg")


if __name__ == "__main__":
    main()
