"""What the rank model says of programs: ``python -m lab.studies.programs``.

Neubauer 2024, section 6.2, asks what becomes of a model of people that meets programs. The
games are those of ``data/go/fox_sgf.zip`` (featurecat/go-dataset), in which accounts of
programs are named: up to so many even games of each, drawn by lot, and as many of
professionals and of amateurs of 9 dan, one game of each player. Features are taken with the
network at hand and kept in ``--folder``. The table goes to ``docs/studies/programs-tables.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.order import NETWORK, ROOT, require, shared_folder
from yardstone.errors import YardstoneError
from yardstone.go.features import ExtractionSettings, extract_features
from yardstone.records.sgf import read_games
from yardstone.strength.evidence import KINDS, PHASES, Evidence, evidence_of_store
from yardstone.strength.model import StrengthModel
from yardstone.strength.strengths import Rater

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.go.feature_store import FeatureStore
    from yardstone.records.go_game import GoGame

    Array = NDArray[np.float64]

TABLES = ROOT / "docs" / "studies" / "programs-tables.md"
GAMES = "data/go/fox_sgf.zip"
INDEX = "data/go/fox_index.csv.gz"
#: Accounts of programs, as far as their names or their makers say so.
PROGRAMS = {
    "leelazero8": "Leela Zero",
    "LeelaZero": "Leela Zero",
    "LeelaZeroX": "Leela Zero",
    "leelamst": "Leela Master",
    "leelazero7": "Leela Zero",
    "Leela指导E": "Leela",
    "ELFOpenGo": "ELF OpenGo",
    "星阵围棋": "Golaxy",
    "金毛测试": "Golaxy, in test",
    "�?艺指导A": "Fine Art",
    "�?艺指导B": "Fine Art",
    "�?艺指导C": "Fine Art",
    "DeepZenNo": "Deep Zen",
    "zerobot": "unknown",
}
PROFESSIONALS, AMATEURS = "professionals", "amateurs of 9 dan"
#: A game with fewer moves says too little.
_FEWEST = 60
_SAMPLES = 500


@dataclass(frozen=True)
class Sides:
    """Which sides of which games are of one player, or of a kind of player."""

    name: str
    about: str
    sides: list[tuple[str, int]]


def chosen_sides(index: Path, most: int, seed: int) -> list[Sides]:
    """Sides by the file of the game and the colour, drawn by lot."""
    random = np.random.default_rng(seed)
    with gzip.open(index, "rt", encoding="utf-8") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["handicap"] in ("0", "") and int(row["moves"] or 0) >= _FEWEST
        ]
    by_name: dict[str, list[tuple[str, int]]] = {}
    people: dict[str, dict[str, list[tuple[str, int]]]] = {PROFESSIONALS: {}, AMATEURS: {}}
    for row in rows:
        path = f"{row['set']}/{row['file']}"
        for colour, side, rank in ((1, "black", "br"), (2, "white", "wr")):
            name = row[side]
            by_name.setdefault(name, []).append((path, colour))
            if name in PROGRAMS:
                continue
            if row[rank].endswith("p"):
                people[PROFESSIONALS].setdefault(name, []).append((path, colour))
            elif row[rank] == "9d":
                people[AMATEURS].setdefault(name, []).append((path, colour))
    result = [
        Sides(name, about, _drawn(by_name[name], most, random))
        for name, about in PROGRAMS.items()
        if name in by_name
    ]
    for kind, named in people.items():
        names = sorted(named)
        picked = random.choice(len(names), min(most, len(names)), replace=False)
        sides = [
            named[names[k]][int(random.integers(0, len(named[names[k]])))] for k in picked.tolist()
        ]
        result.append(Sides(kind, "one game of each", sides))
    return result


def _drawn(
    sides: list[tuple[str, int]], most: int, random: np.random.Generator
) -> list[tuple[str, int]]:
    order = random.permutation(len(sides))[:most]
    return [sides[k] for k in np.sort(order).tolist()]


def features(games: Path, wanted: set[str], folder: Path, network: Path) -> FeatureStore:
    """The features of some games of the archive; taken once."""

    def chosen() -> list[GoGame]:
        return [game for game in read_games(games) if _key(game.file) in wanted]

    settings = ExtractionSettings(net=str(network), trunk=KINDS, komi=6.5)
    return extract_features(chosen, folder, settings)


def _key(file: str) -> str:
    return "/".join(Path(file).parts[-2:])


def beyond(model: StrengthModel, evidence: Evidence) -> tuple[float, float, float]:
    """Ranks above the middle of 9 dan along the main score, and an interval of 95 % by game."""
    spread = model.scale("fox").spread
    each = model.game_statistics(evidence)
    eight, nine = spread.usual[-2:, :, 0]

    def place(rows: Array) -> float:
        counts, score = rows[:, :PHASES].sum(axis=0), rows[:, PHASES + 1].sum()
        return float((score - counts @ nine) / (counts @ (nine - eight)))

    random = np.random.default_rng(0)
    drawn = [place(each[random.integers(0, len(each), len(each))]) for _ in range(_SAMPLES)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return place(each), float(low), float(high)


def lines(found: list[Sides], store: FeatureStore, model: StrengthModel) -> Iterator[str]:
    """The table."""
    yield (
        "| account | program | games | 9 dan, % | unlikely | above the middle of 9 dan, ranks "
        "| OGS scale | policy of the moves, % | points lost a move |"
    )
    yield "|---|---|--:|--:|---|--:|--:|--:|--:|"
    places = {_key(file): game for game, file in enumerate(store.games["file"])}
    for each in found:
        sides = [(places[file], colour) for file, colour in each.sides if file in places]
        if not sides:
            continue
        evidence = evidence_of_store(store, sides)
        rated = Rater(model, 0.9, "fox")
        whole, shares = rated.whole(evidence)
        rank = model.scale("ogs").moments(
            model.scale("ogs").density(model.game_statistics(evidence).sum(axis=0))
        )[0]
        value, low, high = beyond(model, evidence)
        policy = 100.0 * float(np.nanmean(evidence.policy))
        lost = float(np.nanmean(np.maximum(evidence.points_lost, 0.0)))
        yield (
            f"| {each.name} | {each.about} | {len(sides)} | {100.0 * shares[-1]:.0f} "
            f"| {'yes' if whole.unlikely else 'no'} | {value:+.1f} ({low:+.1f} to {high:+.1f}) "
            f"| {float(rank):+.1f} | {policy:.0f} | {lost:.2f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=shared_folder())
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "programs")
    parser.add_argument("--games", type=int, default=20, help="of each account, at most")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    require("programs", options.shared)
    result = chosen_sides(options.shared / INDEX, options.games, options.seed)
    wanted = {file for each in result for file, _ in each.sides}
    store = features(
        options.shared / GAMES, wanted, options.folder / "features", options.shared / NETWORK
    )
    model = StrengthModel.load()
    text = [
        *lines(result, store, model),
        "",
        f"`python -m lab.studies.programs --games {options.games} --seed {options.seed}`, "
        f"yardstone {version('yardstone')}, model {model.card['name']}, "
        f"Python {platform.python_version()}.",
    ]
    TABLES.write_text("\n".join(text) + "\n", "utf-8")
    print(TABLES.read_text("utf-8"))


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
