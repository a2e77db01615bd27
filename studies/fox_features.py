"""The features of the Fox games, for `studies.rank_from_moves`: ``python -m studies.fox_features``.

One store of all games of Kuboki and others in the shared data, as the rank model needs
it; which game is for training follows from the index, not from the store. Hours, and the
same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from studies.order import FOX, NETWORK, ROOT, require, shared_folder

SETTINGS = ("--komi", "6.5", "--precision", "bf16", "--features", "pick,after,candidates,mean")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=shared_folder(), help="where the data are")
    parser.add_argument("--store", type=Path, default=ROOT / FOX, help="the folder that is made")
    options = parser.parse_args()
    require("fox_features", options.shared)
    games = options.shared / "data" / "go" / "fox_ranked" / "games.zip"
    options.store.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "yardstone", "go", "features", str(games)]
    command += ["-o", str(options.store), "--net", str(options.shared / NETWORK), *SETTINGS]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()
