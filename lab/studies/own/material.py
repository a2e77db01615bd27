"""What is said of the network rests on: stores of features, and choices, kept in a folder."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from lab.studies.order import NETWORK
from lab.studies.own.choices import Choices, read_choices
from lab.studies.own.games import ogs_people, ranked_fox, write_apart
from lab.studies.own.listed import write_listed
from lab.studies.own_network import NAME
from lab.studies.rank.facts import Facts
from yardstone.errors import InputError
from yardstone.go.feature_store import FeatureStore
from yardstone.strength.model import StrengthModel
from yardstone_lab.imitation.games import ImitationSettings
from yardstone_lab.imitation.training import load_training
from yardstone_lab.neubauer.rank.training import RankSettings

#: The network beside which ours is judged, and the store of the listed players of Fox.
OTHER = "g170-b6c96"
LISTED = "listed"
_FEATURES = "pick,after,candidates,mean"


class Material:
    """Stores and choices; what is not there is made."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.shared: Path = options.shared
        self.folder: Path = options.folder
        self.networks = {OTHER: self.shared / NETWORK, NAME: self.folder / f"{NAME}.bin.gz"}
        self.facts = Facts(self.shared)
        self.fox = ranked_fox(self.shared, self.facts)
        self.ogs = ogs_people(self.shared)
        self.settings = RankSettings(**{**StrengthModel.load("rank").card["settings"], "seed": 0})
        self._choices: dict[str, Choices] = {}

    def store(self, source: str, network: str) -> FeatureStore:
        """Features of the games of people kept apart, or of those that Fox's benchmark lists."""
        place = self.folder / f"{source}-{network}"
        try:
            return FeatureStore.open(place)
        except InputError:
            archive = self.folder / f"{source}.zip"
            if source == LISTED:
                write_listed(self.shared, self.facts, archive)
            else:
                write_apart(self.shared, getattr(self, source), archive)
            command = [sys.executable, "-m", "yardstone", "go", "features", str(archive)]
            command += ["-o", str(place), "--net", str(self.networks[network]), "--komi", "6.5"]
            command += ["--features", _FEATURES, "--runtime", "openvino", "--precision", "bf16"]
            subprocess.run(command, check=True)
        return FeatureStore.open(place)

    def choices(self, source: str) -> Choices:
        """What our network says of the moves of people kept apart."""
        if source not in self._choices:
            trained = load_training(self.folder, ImitationSettings())
            games = getattr(self, source).judging()
            path = self.folder / f"choices-{source}.npz"
            self._choices[source] = read_choices(trained, games, path)
        return self._choices[source]
