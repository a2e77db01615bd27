"""Strength from moves among 9 dans: ``python -m lab.studies.strength_tygem [SHARED [STORE...]]``.

SHARED (else YARDSTONE_SHARED, else ``shared`` beside the project) is the folder with
``data/go/tygem_moves``, ``data/go/tygem_2005_2011.tsv.gz`` and ``nets``. Runs the
thesis' whole experiment (Neubauer 2024, chapters 4 and 5) on the nine months of even
games between 9 dans whose moves are known, twice: with rating labels as published, and
with labels that have not seen the results of the test and exhibition games. What comes
out is kept in ``build/strength-tygem``; the same command goes on where it was stopped.
STOREs of features that are there already save taking them (80 minutes on two cores).
Prints the tables of ``docs/studies/strength.md``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lab.studies.order import NETWORK, ROOT, require, shared_folder

#: How the description of an experiment on these games begins.
_GAMES = """\
name = "TYGEM, November 2005 to July 2006"
folder = "{folder}"

[games]
moves = ["{data}/tygem_moves/*.zip"]
results = "{data}/tygem_2005_2011.tsv.gz"
key = "game_id"
result = "result"
clock = "clock"

[features]
net = "{network}"
precision = "bf16"
komi = 6.5
since = {since}
newcomers = true
{stores}
"""
#: The rest of it; {} is what differs between the two runs.
DESCRIPTION = """
[ratings]
tune = 60
withhold = {withhold}

[sets]
training = 3400
validation = 600
test = 2000
exhibition = -1
least_games = 1
since = 2006-05-12
seed = 0

[models]
window = 500
threads = 2
rank = true
pooled = ["head", "pick", "mean"]
basic = {{ preset = "small", epochs = 40, steps = 60, patience = 8, standardise = true }}
full = {{ preset = "small", epochs = 40, steps = 60, patience = 8, standardise = true }}

[table]
hidden = [0, 1, 2, 3, 4]
replicates = 1000
"""
#: Stages that both runs have in common.
COMMON = ("games", "winners", "features", "sets", "moves", "tuned")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path, nargs="?", default=shared_folder())
    parser.add_argument("stores", type=Path, nargs="*", metavar="STORE", help="of features")
    options = parser.parse_args()
    require("strength_tygem", options.shared)
    shared: Path = options.shared.resolve()
    home = ROOT / "build" / "strength-tygem"
    home.mkdir(parents=True, exist_ok=True)
    for name, withhold in (("published", "false"), ("withheld", "true")):
        description = home / f"{name}.toml"
        games = games_description(shared, options.stores, folder=name, since="2006-05-10")
        description.write_text(games + DESCRIPTION.format(withhold=withhold), "utf-8")
        if name == "withheld":
            reuse(home / "published", home / name)
        print(f"Labels: {name}", flush=True)
        program = [sys.executable, "-m", "yardstone", "strength"]
        subprocess.run([*program, "run", str(description)], check=True)
    described = ["describe", str(home / "published.toml"), "--classes", "1500,1700"]
    subprocess.run([*program, *described, "-o", str(home / "pictures")], check=True)


def games_description(shared: Path, stores: Sequence[Path], *, folder: str, since: str) -> str:
    """The games of an experiment, and the features of those from a day on."""
    named = [str(path.resolve()) for path in stores]
    return _GAMES.format(
        folder=folder,
        data=shared.resolve() / "data" / "go",
        network=shared.resolve() / NETWORK,
        since=since,
        stores=f"stores = {named}" if named else "",
    )


def reuse(done: Path, other: Path) -> None:
    """Give a run the stages that another has done in the same way."""
    other.mkdir(exist_ok=True)
    for stage in COMMON:
        if (done / stage).is_dir() and not (other / stage).exists():
            shutil.copytree(done / stage, other / stage)


if __name__ == "__main__":
    main()
