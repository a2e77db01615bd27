"""The model that looks through the network of our own: ``python -m lab.studies.own_model``.

It is a rank model (`lab.studies.rank_from_moves`) with a scale for OGS (`lab.studies.ogs_ranks`),
learnt from people of whom the network has seen nothing; a model of g170-b6c96 from the same people
is beside it. Its intervals on the scale of Fox are fitted to the listed players of Fox's
benchmark, of whom neither network nor model has seen anything, and looked at by folds of them.
Stores of features that are not there are made first. The tables go to
``docs/studies/own-model-tables.md``; with ``--ship`` network and model take the places of those
that come with Yardstone.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.studies.ogs_ranks import (
    SCALE,
    People,
    accuracy_lines,
    band_lines,
    judged,
    read_people,
)
from lab.studies.order import ROOT, shared_folder
from lab.studies.own.choices import side_key
from lab.studies.own.games import learnt
from lab.studies.own.material import LISTED, Material
from lab.studies.own.ranks import read_sides
from lab.studies.own_network import FOLDER, NAME
from lab.studies.rank import listed
from lab.studies.rank.stages import note
from lab.studies.strength_intervals import DRAWS, GAMES, crossed, draw_parts, head, held, row
from yardstone.errors import YardstoneError
from yardstone.files import write_text
from yardstone.go.nets.network import NetworkView
from yardstone.strength.model import StrengthModel
from yardstone_lab.neubauer.rank.intervals import accuracy, calibrated, with_intervals
from yardstone_lab.neubauer.rank.scales import RatedSettings, RatedSides, with_rated_scale

if TYPE_CHECKING:
    from yardstone.go.feature_store import FeatureStore
    from yardstone_lab.neubauer.rank.intervals import Unseen
    from yardstone_lab.neubauer.rank.scales import TrainedScale

TABLES = ROOT / "docs" / "studies" / "own-model-tables.md"
PACKAGE = ROOT / "src" / "yardstone"
SHIPPED_NETWORK = PACKAGE / "go" / "nets" / "data" / f"{NAME}.bin.gz"
SHIPPED_MODEL = PACKAGE / "strength" / "data" / "small.npz"
_LEVEL = 0.9


def people_kept_apart(store: FeatureStore, index: Path, model: StrengthModel) -> People:
    """The people of OGS whom the network has not learnt from."""
    people = read_people(store, index, model)
    own = np.array([not learnt(name) for name in people.pool.player]) & ~people.handicap
    rated = RatedSides(people.rated.rank[own], people.rated.sure[own])
    return People(people.pool.select(own), rated, people.handicap[own])


def model_of(material: Material, network: str) -> tuple[StrengthModel, TrainedScale, People]:
    """A rank model that looks through a network, with a scale for OGS."""
    store, settings = material.store("fox", network), material.settings
    apart = material.fox.judging()
    keys = [
        side_key(apart.games[game].file, int(colour))
        for game, colour in zip(apart.game, apart.colour, strict=True)
    ]
    sides = read_sides(store, keys, material.facts, settings)
    card: dict[str, Any] = {
        "name": f"small-{network}",
        **NetworkView.of(store.settings).card(),
        "precision": str(store.settings["precision"]),
        "komi": store.settings["komi"],
        "data": "Fox games of rank groups 3-5k to 9d, 2013 to 2019, from "
        "kyotakuboki/go-chess-strength-estimation, parts testing and candidating: the half of "
        "the people that the network has not learnt from",
    }
    trained = sides.trainer(settings).train(settings, card)
    trained = replace(trained, model=with_intervals(trained, sides.pool, settings.seed))
    index = material.shared / "data" / "go" / "ogs_weak" / "index.csv.gz"
    people = people_kept_apart(material.store("ogs", network), index, trained.model)
    about = {
        "data": "OGS games of June 2020 of people, 34 kyu to 9 dan, against programs, from "
        "bale-go/katrain-bots: the half of the people that the network has not learnt from",
        "people": len(np.unique(people.pool.player)),
        "games": len(people.pool),
    }
    rated = with_rated_scale(
        trained.model, people.pool, people.rated, SCALE, RatedSettings(), about
    )
    return rated.model, rated, people


def listed_lines(unseen: Unseen, model: StrengthModel) -> Iterator[str]:
    """How well the model tells the groups of the listed players, and how often intervals hold."""
    shares = model.scale("fox").shares(unseen.density)
    yield "| games of a player | players | group right, % | within one, % | mean error |"
    yield "|--:|--:|--:|--:|--:|"
    for games in GAMES:
        rows = unseen.games == games
        if not rows.any():
            continue
        each = accuracy(shares[rows], unseen.group[rows])
        right = shares[rows].argmax(axis=1) == unseen.group[rows]
        _, person = np.unique(unseen.player[rows], return_inverse=True)
        by_player = np.bincount(person, right) / np.bincount(person)
        error = 196.0 * by_player.std(ddof=1) / np.sqrt(len(by_player))
        yield (
            f"| {games} | {len(by_player)} | {100 * each.exact:.1f} ± {error:.1f} "
            f"| {100 * each.near:.1f} | {each.error:.2f} |"
        )
    yield ""
    yield "Intervals of 90 %, fitted to nine tenths of these players and looked at on the last one:"
    yield ""
    yield from head("games")
    intervals = crossed(unseen, (_LEVEL,))[_LEVEL]
    for games in GAMES:
        if (rows := unseen.games == games).any():
            yield row(str(games), held(unseen, intervals, _LEVEL, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=shared_folder())
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of studies.own_network")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ship", action="store_true", help="replace what comes with Yardstone")
    options = parser.parse_args()
    material = Material(options)
    lines = []
    for name in material.networks:
        note(f"the model of {name}")
        model, scale, apart = model_of(material, name)
        result = judged(scale, apart, apart.rated.sure >= 1.0)
        lines += [f"## People of OGS: {name}", "", *accuracy_lines(result), ""]
        lines += [*band_lines(result), ""]
    place = material.store(LISTED, NAME).path
    sides = listed.read_sides([place], model, material.facts)
    parts = draw_parts(sides, model, options.seed, DRAWS)
    model = calibrated(model, "fox", parts)
    lines += ["## The listed players of Fox", "", *listed_lines(parts["whole"], model), ""]
    lines.append(
        f"`python -m lab.studies.own_model --seed {options.seed}`, yardstone "
        f"{version('yardstone')}, numpy {version('numpy')}, Python {platform.python_version()}."
    )
    write_text(TABLES, "\n".join(lines) + "\n")
    print("\n".join(lines))
    if options.ship:
        SHIPPED_NETWORK.parent.mkdir(exist_ok=True)
        shutil.copyfile(material.networks[NAME], SHIPPED_NETWORK)
        model.save(SHIPPED_MODEL)


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
