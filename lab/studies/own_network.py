"""A network of our own, trained from nothing: ``python -m lab.studies.own_network``.

It learns what people of each rank choose from all real games of 19x19 with moves in the shared
data: half of the people of the ranked games of Fox and of OGS, and the 9 dans of Tygem and Fox
(`lab.studies.own.games`). Its teacher is g170-b6c96. Hours; the same command goes on where it was
stopped. The folder then holds the network, as KataGo writes them, and the losses of the training.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from lab.studies.order import NETWORK, ROOT, shared_folder
from lab.studies.own.games import all_sources, training_games
from yardstone.errors import YardstoneError
from yardstone.go.nets import load_network
from yardstone_lab.imitation.games import ImitationSettings
from yardstone_lab.imitation.network import write_model
from yardstone_lab.imitation.training import TrainingLosses, read_losses, train_network
from yardstone_lab.reports.imitation import imitation_chart

FOLDER = ROOT / "build" / "own-network"
NAME = "yardstone-b6c64"
PICTURE = ROOT / "docs" / "studies" / "own-network.svg"
_LINE = 500


class Lines:
    """A line of the losses now and then, with the speed."""

    def __init__(self) -> None:
        self._begin, self._first = time.monotonic(), -1

    def __call__(self, done: int, whole: int, losses: TrainingLosses) -> None:
        """Called after each step."""
        if self._first < 0:
            self._begin, self._first = time.monotonic(), done
        if done % _LINE == 0:
            speed = (done - self._first) / (time.monotonic() - self._begin)
            print(
                f"{done:,} of {whole:,} steps, {speed:.2f} a second: move {losses.move:.3f}, "
                f"top {losses.top:.3f}, policy {losses.policy:.3f}, value {losses.value:.3f}, "
                f"strength {losses.strength:.3f}, trunk {losses.trunk:.3f}",
                file=sys.stderr,
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=shared_folder())
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--steps", type=int, default=8_200)
    parser.add_argument("--minutes", type=float, help="stop after so many, to go on later")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", default="bf16", help="of the teacher; bf16 takes OpenVINO")
    options = parser.parse_args()
    games = training_games(all_sources(options.shared))
    print(f"{len(games.games):,} games, {len(games):,} sides", file=sys.stderr, flush=True)
    settings = ImitationSettings(steps=options.steps)
    network, done = train_network(
        games,
        settings,
        options.folder,
        threads=options.threads,
        minutes=options.minutes,
        teacher=load_network(options.shared / NETWORK, precision=options.precision, threads=1),
        report=Lines(),
    )
    if done == settings.steps:
        write_model(options.folder / f"{NAME}.bin.gz", network.model(NAME))
        imitation_chart(read_losses(options.folder), title=f"Training of {NAME}").save(PICTURE)


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
