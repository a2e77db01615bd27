"""The shipped models on real games, through the network that they were trained on."""

from __future__ import annotations

import csv
import gzip
import zipfile
from functools import cache
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from tests.shared import shared_path
from yardstone.go.evaluator import Evaluator, ask
from yardstone.go.features import GameFeatures, move_features
from yardstone.go.nets.network import Network, load_network
from yardstone.go.nets.store import INCLUDED
from yardstone.go.rules import TROMP_TAYLOR
from yardstone.pool import SkipReport
from yardstone.records.sgf import read_games
from yardstone.strength.evidence import KINDS, evidence_of_games
from yardstone.strength.model import SHIPPED, SMALL, StrengthModel
from yardstone.strength.site_scales import RANKS

NET = "nets/g170-b6c96-s175395328-d26788732.bin.gz"
GAMES = 3


@cache
def features_by(network: Network) -> list[list[GameFeatures]]:
    """What it says of some short games of the weakest, a middle and the strongest group."""
    data = shared_path("data/go/fox_ranked")
    with gzip.open(data / "index.csv.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if 90 <= int(row["moves"]) <= 130]
    result = []
    for group in (RANKS[0], RANKS[5], RANKS[-1]):
        names = [row["file"] for row in rows if row["group"] == group][:GAMES]
        with zipfile.ZipFile(data / "games.zip") as archive, TemporaryDirectory() as folder:
            games = list(read_games(*(archive.extract(name, folder) for name in names)))
        asked = ask(games, SkipReport(), network, rules=TROMP_TAYLOR, komi=6.5, trunk=True)
        evaluator = Evaluator(network, trunk=KINDS)
        result.append([move_features(answer) for answer in evaluator.answer(asked)])
    return result


def test_groups_far_apart_are_told() -> None:
    files = {name: INCLUDED if name == SMALL else shared_path(NET) for name in SHIPPED}
    networks = {file: load_network(file, threads=1) for file in set(files.values())}
    for name, file in files.items():
        check_model(name, networks[file])


def check_model(name: str, network: Network) -> None:
    model = StrengthModel.load(name)
    assert model.card["sha256"] == network.sha256
    means, deviations = [], []
    for result in features_by(network):
        both = [evidence_of_games(result, [colour] * GAMES) for colour in (1, 2)]
        sums = sum(model.game_statistics(each).sum(axis=0) for each in both)
        mean, deviation, probabilities = model.posterior(np.asarray(sums))
        assert probabilities.sum() == pytest.approx(1.0)
        means.append(float(mean))
        deviations.append(float(deviation))
    middle, doubt = model.prior()
    assert all(0.2 < each < doubt for each in deviations)
    if name == "stochastic":  # points lost in so few games say next to nothing, and it knows
        assert all(each > 0.8 * doubt for each in deviations)
        assert all(abs(each - middle) < 1.5 for each in means)
        return
    assert max(deviations) < 2.5
    assert means[0] + 1.0 < means[1] < means[2] - 1.0
