"""The models of Neubauer 2024 beside the rank model: ``python -m lab.studies.set_models``.

Trains the full and the basic model (Set Transformers: the trunk at the moves and what the
rank model looks at; the six outputs) and the stochastic one (the points that moves lose) on
the Fox games of Kuboki and others, parts ``testing`` and ``candidating`` without anybody of
``testing_by_player``,
and on the OGS games of people against programs, of which the person's side counts. The stores
of features are made beforehand with ``yardstone go features`` (g170-b6c96, bf16,
``--features pick,after,candidates,mean``; ``--komi 6.5`` for Fox): ``fox_*`` in one folder,
and one of the OGS games.

The networks of the folds are kept in ``--folder``, so that a run that was stopped goes on;
the models and ``out_of_fold_*.npz`` are left there. The tables go to
``docs/studies/set-models-tables.md``.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.ogs_ranks import People, accuracy_lines, band_lines, judged
from lab.studies.rank.facts import Facts
from lab.studies.rank.set_figures import fox_accuracy
from lab.studies.rank.stages import note
from yardstone.errors import NoGamesError, YardstoneError
from yardstone.files import replaced, write_text
from yardstone.go.feature_store import FeatureStore, read_about
from yardstone.go.points import BLACK, WHITE
from yardstone.strength.model import StrengthModel
from yardstone.strength.set_scorer import INPUTS
from yardstone_lab.neubauer.rank.scales import RatedSides
from yardstone_lab.neubauer.scored_model import (
    SETTINGS,
    ScoredModel,
    pool_of,
    train_set_model,
    train_stochastic_model,
)
from yardstone_lab.neubauer.sides import SetSides, StoreSides, read_sides

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
TABLES = ROOT / "docs" / "studies" / "set-models-tables.md"
STOCHASTIC = "stochastic"
MODELS = (*INPUTS, STOCHASTIC)
#: Games of a draw.
GAMES = (1, 5, 10, 20)
#: What the server's number of 1 kyu is.
FIRST_KYU = 29.0
#: What a provisional rank counts.
PROVISIONAL = 0.3


def fox_sides(store: FeatureStore, facts: Facts) -> StoreSides | None:
    """The sides of training games whose player is in no game held back."""
    group, players, held = facts.of(store)
    known = np.isin(players, list(facts.held_back))
    game, side = np.nonzero(~known & ~held[:, None])
    if not len(game):
        return None
    return StoreSides(
        store,
        game=game,
        colour=side + BLACK,
        group=group[game],
        rank=np.full(len(game), np.nan),
        sure=np.ones(len(game)),
        player=players[game, side],
        opponent=players[game, 1 - side],
    )


def ogs_sides(store: FeatureStore, shared: Path) -> StoreSides:
    """The people's sides of their games against programs."""
    with gzip.open(shared / "data" / "go" / "ogs_weak" / "index.csv.gz", "rt") as file:
        index = {row["file"]: row for row in csv.DictReader(file)}
    rows = [index["/".join(Path(name).parts[-2:])] for name in store.games["file"]]
    names = [("white", "black") if row["bot"] == "B" else ("black", "white") for row in rows]
    return StoreSides(
        store,
        game=np.arange(len(rows)),
        colour=np.array([BLACK if own == "black" else WHITE for own, _ in names]),
        group=np.full(len(rows), -1),
        rank=np.array(
            [
                float(row[f"{own}_rank_num"]) - FIRST_KYU
                for row, (own, _) in zip(rows, names, strict=True)
            ]
        ),
        sure=np.array([PROVISIONAL if row["provisional"] == "1" else 1.0 for row in rows]),
        player=np.array([row[own] for row, (own, _) in zip(rows, names, strict=True)]),
        opponent=np.array([row[other] for row, (_, other) in zip(rows, names, strict=True)]),
    )


def parts_of(options: argparse.Namespace) -> list[StoreSides]:
    """All sides that are learnt from, by store."""
    facts = Facts(options.shared)
    made = sorted(options.stores.glob("fox_*"))
    paths = [path for path in made if read_about(path).get("complete")]
    if not paths:
        raise NoGamesError("there are no stores fox_*", file=str(options.stores))
    result = [fox_sides(FeatureStore.open(path), facts) for path in paths]
    parts = [part for part in result if part is not None]
    parts.append(ogs_sides(FeatureStore.open(options.ogs), options.shared))
    return parts


def figures(trained: ScoredModel, sides: SetSides, draws: int) -> dict[str, float]:
    """What the card says of the groups of Fox."""
    return {
        str(games): round(fox_accuracy(trained, sides, games, draws=draws).exact, 4)
        for games in GAMES
    }


def rows_of(name: str, trained: ScoredModel, sides: SetSides, draws: int) -> Iterator[str]:
    """The lines of the tables of one model."""
    ogs = np.flatnonzero(~sides.fox)
    yield from (f"**The {name} model**", "")
    yield f"{len(sides) - len(ogs):,} sides of Fox games, {len(ogs):,} of OGS games:"
    yield f"`python -m lab.studies.set_models --models {name} --draws {draws}`, seed 0."
    yield from ("", "| Fox games | right group | right or next | mean distance |")
    yield "|---:|---:|---:|---:|"
    for games in GAMES:
        result = fox_accuracy(trained, sides, games, draws=draws)
        yield f"| {games} | {result.exact:.1%} | {result.near:.1%} | {result.error:.2f} |"
    assert trained.ogs is not None
    rated = RatedSides(sides.rank[ogs], sides.sure[ogs])
    people = People(pool_of(sides, ogs), rated, np.zeros(len(ogs), np.bool_))
    estimates = judged(trained.ogs, people, rated.sure >= 1.0)
    yield from ("", "On OGS, people with a settled rank, everybody counting alike:", "")
    yield from accuracy_lines(estimates)
    yield ""
    yield from band_lines(estimates)
    yield ""


def keep(path: Path, trained: ScoredModel, sides: SetSides) -> None:
    """Keep what is said of each side by a network that has not seen its player."""
    names = ("counts", "group", "rank", "sure", "game", "colour", "player", "opponent")
    with replaced(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            allow_pickle=False,
            fox=trained.fox.scores,
            ogs=np.empty(0) if trained.ogs is None else trained.ogs.scores,
            fold=trained.fold,
            **{name: getattr(sides, name) for name in names},
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stores", type=Path, default=ROOT / "build" / "features")
    parser.add_argument("--ogs", type=Path, default=ROOT / "build" / "features" / "ogs_weak")
    parser.add_argument("--shared", type=Path, default=SHARED, help="where the data are")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "set-models")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--draws", type=int, default=500, help="for each group")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    for name in options.models:
        parts = parts_of(options)
        sides = read_sides(parts, "basic" if name == STOCHASTIC else name)
        note(f"{name}: {sides.fox.sum()} sides of Fox, {(~sides.fox).sum()} of OGS")
        about = {
            "name": f"{name}-g170-b6c96",
            "network": "g170-b6c96-s175395328-d26788732",
            "sha256": "f5d32604e3675c480c7c8f6aa579a1ea857135628a0afccc8fa56330fbacd38d",
            "data": "Fox games of rank groups 3-5k to 9d, 2013 to 2019, from "
            "kyotakuboki/go-chess-strength-estimation, parts testing and candidating, and "
            "OGS games of people against programs, June 2020, from bale-go/katrain-bots",
            "sides": {"fox": int(sides.fox.sum()), "ogs": int((~sides.fox).sum())},
            "seed": 0 if name == STOCHASTIC else SETTINGS[name].seed,
            "command": "python -m lab.studies.set_models",
        }
        if name == STOCHASTIC:
            trained = train_stochastic_model(parts, sides, card=about)
        else:
            trained = train_set_model(
                sides,
                folder=options.folder / name,
                card=about,
                threads=options.threads,
                report=lambda number: note(f"network {number} is done"),
            )
        keep(options.folder / f"out_of_fold_{name}.npz", trained, sides)
        card = {**trained.model.card, "fox_groups": figures(trained, sides, options.draws)}
        model = StrengthModel(trained.model.scorer, list(trained.model.scales.values()), card)
        model.save(options.folder / f"{name}.npz")
        text = "\n".join(rows_of(name, trained, sides, options.draws))
        note(text)
        write_text(options.folder / f"{name}.md", text + "\n")
    made = [path for name in MODELS if (path := options.folder / f"{name}.md").exists()]
    write_text(TABLES, "\n".join(path.read_text("utf-8") for path in made))


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
