"""`yardstone strength train`: models of strength from an experiment, or from ranked games."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from yardstone.cli.declare import Seed, advanced, argument, named_values, option
from yardstone.cli.output import Output
from yardstone.errors import UsageError
from yardstone_lab.cli.training_options import (
    Anew,
    Device,
    Folder,
    Preset,
    Settings,
    Threads,
)

if TYPE_CHECKING:
    from yardstone_lab.neubauer.network.training_log import Epoch

__all__ = ["train"]


def train(
    file: Path = argument(
        "An experiment that has been run (.toml), or a table of ranks (.csv).", metavar="FILE"
    ),
    *,
    model: Literal["rank", "full", "basic", "stochastic"] | None = option(
        "full: from the trunk at the moves; basic: from what the outputs say; of a table also "
        "rank and stochastic. [default: full; rank for a table]"
    ),
    stores: list[Path] | None = option(
        "Features of the games of the table, from `go features`. Repeatable.",
        "--store",
        metavar="FOLDER",
    ),
    begin: str | None = advanced(
        "A rank model that gets the scales of the table that it has not.",
        "--from",
        metavar="NAME|FILE",
    ),
    save: Path | None = option("Save the model of a table."),
    seed: Seed = 0,
    preset: Preset = None,
    settings: Settings = None,
    folder: Folder = None,
    device: Device = "auto",
    threads: Threads = None,
    anew: Anew = False,
    output: Output,
) -> None:
    """Train a model of strength on an experiment or on ranked games.

    Of an experiment, the folder gets the network, the losses of all epochs and steps, and a
    checkpoint: the same command goes on where it was stopped or killed. Of a table with the
    columns file, colour, rank and scale any of the models of strength is made, with intervals
    that are checked on players apart.

    Examples
    --------
    yardstone strength train experiment.toml
    yardstone strength train ranks.csv --store features --save club-model.npz
    """
    if file.suffix.lower() == ".csv":
        kind = "rank" if model is None else model
        options = _Ranked(file, kind, stores or [], begin, save, seed, folder, threads or 1)
        _train_ranked_model(options, output)
        return
    if model in ("rank", "stochastic"):
        raise UsageError(f"--model {model} goes with a table of ranks (.csv)")
    if stores or begin is not None or save is not None:
        raise UsageError("--store, --from and --save go with a table of ranks (.csv)")
    network = "basic" if model == "basic" else "full"
    from yardstone_lab.neubauer.experiment.configuration import read_experiment
    from yardstone_lab.neubauer.experiment.examples import (
        MODELS,
        experiment_examples,
        experiment_settings,
    )
    from yardstone_lab.neubauer.network.training import train as do_training

    output.check()
    experiment = read_experiment(file)
    chosen = experiment_settings(experiment, network, preset, named_values(settings))
    folder = folder or experiment.folder / f"training-{network}"
    training, validation = experiment_examples(str(file), network)
    trained = do_training(
        training,
        validation,
        chosen,
        folder,
        device=device,
        threads=threads,
        progress=output.progress("training"),
        report=None if output.quiet else _say,
        resume=not anew,
        card={"features": list(MODELS[network])},
    )
    from yardstone_lab.reports.training import training_document

    title = f"Training of the {network} model"
    output.emit(
        training_document(trained.network, trained.history, folder / "network.npz", title=title)
    )


@dataclass(frozen=True)
class _Ranked:
    """What is asked of a model of ranked games."""

    file: Path
    kind: str
    stores: list[Path]
    begin: str | None
    save: Path | None
    seed: int
    folder: Path | None
    threads: int


def _train_ranked_model(asked: _Ranked, output: Output) -> None:
    """A model from a table of ranks and stores of features."""
    from yardstone.cli.output import report_skipped
    from yardstone.go.feature_store import FeatureStore
    from yardstone.pool import SkipReport
    from yardstone.strength.model import StrengthModel
    from yardstone_lab.neubauer.rank.labels import labelled_sides, read_rank_labels
    from yardstone_lab.neubauer.ranked_training import train_ranked_model
    from yardstone_lab.reports.ranked_model import ranked_model_document

    if not asked.stores or asked.save is None:
        raise UsageError("a model of a table of ranks needs --store FOLDER and --save FILE")
    output.check(asked.save)
    skipped = SkipReport()
    labels = read_rank_labels(asked.file, skipped)
    trained = train_ranked_model(
        labelled_sides([FeatureStore.open(folder) for folder in asked.stores], labels),
        asked.kind,
        base=None if asked.begin is None else StrengthModel.load(asked.begin),
        name=asked.save.stem,
        seed=asked.seed,
        folder=asked.folder or asked.save.with_suffix(".folds"),
        threads=asked.threads,
        progress=output.progress("learning"),
    )
    trained.model.save(asked.save)
    output.emit(ranked_model_document(trained, asked.save))
    report_skipped(skipped, quiet=output.quiet)


def _say(epoch: Epoch) -> None:
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    print(clear + epoch.line(), file=sys.stderr, flush=True)
