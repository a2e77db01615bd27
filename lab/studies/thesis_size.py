"""The thesis at its own size: ``python -m lab.studies.thesis_size [SHARED [STORE...]]``.

Neubauer 2024 trains networks of 2,469,388 parameters (table 5.1) on 10,000 games of OGS. Here
those settings are trained on the even games between 9 dans of Tygem in ``data/go/tygem_moves``,
with the features of the network at hand: on 4,300 games, with the features of all games since
20 April 2006. Glicko-2 is tuned on games before the sets alone. Then comes the published search
(section 4.7.3), five iterations of 15 trainings, with fewer games and moves in each of them, after
one of 15 trainings for the number of moves.

Products in training are in bfloat16, an epoch has 50 steps and there are 40 epochs at most, in
place of 100 and 100. What comes out is kept in ``--folder``; the same command goes on where it was
stopped. STOREs of features that are there already save taking them (an hour on two cores).
Writes ``docs/studies/thesis-size-tables.md`` and the pictures beside it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from lab.studies.order import ROOT, require, shared_folder
from lab.studies.strength_tygem import games_description
from yardstone.errors import YardstoneError
from yardstone.files import write_text
from yardstone_lab.neubauer.experiment.configuration import read_experiment
from yardstone_lab.neubauer.experiment.measurement import Cell, Performance, performance
from yardstone_lab.neubauer.experiment.models import BASIC, FULL
from yardstone_lab.neubauer.experiment.questions import (
    GLICKO,
    TUNED,
    ExperimentPredictions,
)
from yardstone_lab.neubauer.experiment.run import run_experiment
from yardstone_lab.neubauer.experiment.sets import MODELS
from yardstone_lab.neubauer.network.search import SearchRun, best_run, read_runs
from yardstone_lab.neubauer.network.strength_network import StrengthNetwork
from yardstone_lab.neubauer.network.training import read_history
from yardstone_lab.reports.strength import training_chart

#: What follows the games in the description.
DESCRIPTION = """
[ratings]
tune = 60
tune_before = true
withhold = false

[sets]
training = 4300
validation = 800
test = 2000
exhibition = -1
least_games = 1
since = 2006-05-01
seed = 0

[models]
window = 500
threads = 2
rank = false
pooled = []
basic = { preset = "published", steps = 50, epochs = 40, bfloat16 = true }
full = { preset = "published", steps = 50, epochs = 40, bfloat16 = true }

[table]
hidden = [0, 1, 2, 3, 4]
replicates = 1000
"""
#: What shortens the trainings of the search.
SHORTER = ("steps=50", "epochs=6", "batch=50", "window=200", "patience=3", "bfloat16=true")
#: And those of the search before it, for the number of moves.
PRELIMINARY = ("steps=10", "epochs=6", "batch=50", "patience=3", "bfloat16=true")
SEARCHED = "Full, searched"
PAGES = ROOT / "docs" / "studies"
COMMAND = "`python -m lab.studies.thesis_size`"
EVEN = "50:50"
SETS = {"T": "training", "V": "validation", "E": "test", "X": "exhibition"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shared", type=Path, nargs="?", default=shared_folder())
    parser.add_argument("stores", type=Path, nargs="*", metavar="STORE", help="of features")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "thesis-size")
    options = parser.parse_args()
    require("thesis_size", options.shared)
    home: Path = options.folder.resolve()
    home.mkdir(parents=True, exist_ok=True)
    description = home / "thesis.toml"
    games = games_description(options.shared, options.stores, folder="run", since="2006-04-20")
    description.write_text(games + DESCRIPTION, "utf-8")
    strength("run", description)
    training(description, BASIC)
    training(description, FULL)
    windows = ("--iterations", "1", "--windows", "10,500", "--folder", home / "run" / "windows")
    search(description, "windows", PRELIMINARY, *windows)
    search(description, "search", SHORTER)
    runs = read_runs(home / "run" / "search-full")
    losses = sorted(run.loss for run in runs)
    limits = f"{losses[0] - 0.0005:.4f},{losses[len(losses) // 3]:.4f}"
    search(description, "search-best", SHORTER, "--limits", limits)
    best = Path(best_run(runs).folder)
    title = "Training of the best network of the search"
    training_chart(read_history(best), title=title).save(PAGES / "thesis-size-searched.svg")
    write_text(PAGES / "thesis-size-tables.md", "\n".join(tables(description, runs)) + "\n")


def strength(command: str, *words: str | Path) -> None:
    """Run a command of ``yardstone strength``."""
    program = [sys.executable, "-m", "yardstone", "strength", command]
    subprocess.run([*program, *map(str, words)], check=True)


def training(description: Path, model: str) -> None:
    """Draw how a model was trained (figures 5.1 and 5.5)."""
    folder = description.with_name("run") / model.lower()
    plot = PAGES / f"thesis-size-{model.lower()}.svg"
    words = ("--model", model.lower(), "--folder", folder, "-o", plot)
    strength("train", description, *words)


def search(description: Path, picture: str, settings: tuple[str, ...], *words: str | Path) -> None:
    """Search for settings of the full model, and draw it (figures 5.2 to 5.4)."""
    changes = [word for each in settings for word in ("--set", each)]
    plot = PAGES / f"thesis-size-{picture}.svg"
    strength("search", description, "--model", "full", *changes, *words, "-o", plot)


def tables(description: Path, runs: list[SearchRun]) -> Iterator[str]:
    """The lines of the page of tables."""
    best = Path(best_run(runs).folder)
    yield f"Made by {COMMAND}, seed 0."
    yield from ("", *trainings(description.with_name("run"), best), "")
    outcome = run_experiment(read_experiment(description), say=lambda _: None)
    network = StrengthNetwork.load(best / "network.npz")
    ratings = network.ratings(outcome.moves.sets(MODELS[FULL.lower()]))
    predictions = outcome.predictions.with_system(SEARCHED, network.expected(ratings), ratings)
    yield from sets(performance(predictions))
    yield from ("", *against(predictions), "")
    yield from of_search(runs)


def trainings(home: Path, best: Path) -> Iterator[str]:
    """What was trained, and how it went."""
    yield "| model | parameters | epochs | best | log-likelihood on V | accuracy | minutes |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    folders = {"Basic": home / "basic", "Full": home / "full", SEARCHED: best}
    for name, folder in folders.items():
        history = read_history(folder)
        epoch = history.best
        number = StrengthNetwork.load(folder / "network.npz").card["parameters"]
        minutes = sum(each.seconds for each in history.epochs) / 60.0
        yield (
            f"| {name} | {number:,} | {history.epochs[-1].epoch} | {epoch.epoch} | "
            f"{-epoch.validation_loss:.4f} | {epoch.accuracy:.1%} | {minutes:.0f} |"
        )


def sets(table: Performance) -> Iterator[str]:
    """Accuracy and log-likelihood of every system on every set."""
    parts = [(letter, last) for letter, last in table.parts if last < 0]
    games = [table.cell(GLICKO, *part).metrics.games for part in parts]
    heads = [f"{SETS[part[0]]}, {number:,}" for part, number in zip(parts, games, strict=True)]
    yield f"| accuracy, log-likelihood | {' | '.join(heads)} |"
    yield "|---|" + "--:|" * len(parts)
    for system in table.systems:
        cells = (table.cell(system, *part).metrics for part in parts)
        texts = (f"{each.accuracy:.1%}, {each.log_likelihood:.3f}" for each in cells)
        yield f"| {system} | {' | '.join(texts)} |"


def against(predictions: ExperimentPredictions) -> Iterator[str]:
    """Models of moves against each other and against results, on E and X and with few games."""
    parts = [(letter, last) for letter in ("E", "X") for last in (1, 2, 4, -1)]
    heads = [f"{letter}, {'all' if last < 0 else f'k = {last}'}" for letter, last in parts]
    yield f"| log-likelihood | {' | '.join(heads)} |"
    yield "|---|" + "--:|" * len(parts)
    for base, systems in {
        BASIC: (FULL, SEARCHED),
        TUNED: (BASIC, FULL, SEARCHED),
        GLICKO: (BASIC, FULL, SEARCHED),
        EVEN: (BASIC, FULL, SEARCHED),
    }.items():
        table = performance(predictions, base=base)
        for system in systems:
            cells = [table.cell(system, *part) for part in parts]
            yield f"| {system} less {base} | {' | '.join(map(ahead, cells))} |"


def ahead(cell: Cell) -> str:
    """A difference in log-likelihood, with its interval; a star where it is sure, - if below."""
    less = cell.ahead["log_likelihood"]
    mark = {1: "*", 0: "", -1: "-"}[cell.sure["log_likelihood"]]
    return f"{less.estimate:+.3f} ({less.low:+.3f} to {less.high:+.3f}){mark}"


def of_search(runs: list[SearchRun]) -> Iterator[str]:
    """The best trainings of the search."""
    yield "| run | log-likelihood on V | accuracy | η₀ | β | τ_r | τ_θ | l | d | d_q | m |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for run in sorted(runs, key=lambda run: run.loss)[:10]:
        s = run.settings
        yield (
            f"| {run.iteration}.{run.number:02d} | {-run.loss:.4f} | {run.accuracy:.1%} | "
            f"{s.learning_rate:.2e} | {s.decay:.3f} | {s.rating_loss:.3g} | "
            f"{s.regularisation:.3g} | {s.depth} | {s.width} | {s.query_width} | "
            f"{s.inducing_points} |"
        )
    failed = sum(bool(run.failure) for run in runs)
    yield ""
    yield f"{len(runs)} trainings, {failed} of which ended without numbers."


if __name__ == "__main__":
    try:
        main()
    except YardstoneError as error:
        sys.exit(str(error))
