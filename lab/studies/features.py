"""Stores of features of moves for other studies: ``python -m lab.studies.features``.

Of the Fox games of Kuboki and others (`lab.studies.rank_from_moves`,
`lab.studies.strength_intervals`; which game is for training follows from the index, not from
the store), and of two sets of games of OGS (`lab.studies.ogs_shift`). Hours for the first; the
same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from lab.studies.order import FEATURES, NETWORK, ROOT, require, shared_folder

#: The stores and the games that they are made of, in the shared data.
GAMES = {
    "ogs_league": "data/go/ogs_league.zip",
    "ogs_weak": "data/go/ogs_weak/games.zip",
    "fox_games": "data/go/fox_ranked/games.zip",
}
SETTINGS = ("--komi", "6.5", "--features", "pick,after,candidates,mean")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=shared_folder(), help="where the data are")
    parser.add_argument("--only", choices=GAMES, help="make this store alone")
    parser.add_argument(
        "--precision", default="bf16", help="fp32 is twice as fast where bf16 is emulated"
    )
    parser.add_argument(
        "--symmetries", type=int, default=1, help="average so many ways to lay the board"
    )
    options = parser.parse_args()
    require("features", options.shared)
    folder = ROOT / (FEATURES + f"-{options.symmetries}" * (options.symmetries > 1))
    folder.mkdir(parents=True, exist_ok=True)
    for name, games in GAMES.items():
        if options.only in (None, name):
            command = [sys.executable, "-m", "yardstone", "go", "features"]
            command += [str(options.shared / games), "-o", str(folder / name)]
            command += ["--net", str(options.shared / NETWORK), *SETTINGS]
            command += ["--runtime", "openvino", "--precision", options.precision]
            command += ["--symmetries", str(options.symmetries)]
            if status := subprocess.run(command, check=False).returncode:
                sys.exit(status)


if __name__ == "__main__":
    main()
