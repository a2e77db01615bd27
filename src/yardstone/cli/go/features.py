"""`yardstone go features`: features of the moves of many games, into a store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yardstone.cli.go.options import (
    Device,
    GamePaths,
    Komi,
    Net,
    NetworkDevice,
    Precision,
    PrecisionName,
    Quiet,
    Runtime,
    RuntimeName,
    chosen_rules,
)
from yardstone.cli.options import WorkOptions
from yardstone.errors import UsageError

if TYPE_CHECKING:
    from yardstone.go.feature_store import FeatureStore

__all__ = ["features"]

_WHOLE_TRUNK_SIZE = 19


def features(
    paths: GamePaths,
    store: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="STORE", help="Folder of the store; created if need be."
        ),
    ],
    *,
    net: Net = None,
    kinds: Annotated[
        str,
        typer.Option(
            "--features",
            metavar="KINDS",
            help="What to keep besides the head features: pick, after, candidates, mean, trunk, "
            "or only head.",
        ),
    ] = "head,pick",
    rules: Annotated[
        str,
        typer.Option(
            "--rules",
            metavar="RULES",
            help="Rules to tell the network for all games; record: those of each game.",
        ),
    ] = "tromp-taylor",
    komi: Komi = None,
    size: Annotated[
        int | None,
        typer.Option(
            "--size", metavar="LINES", min=2, max=19, help="Use only boards of this size."
        ),
    ] = None,
    runtime: Runtime = RuntimeName.auto,
    precision: Precision = PrecisionName.fp32,
    device: Device = NetworkDevice.auto,
    symmetries: Annotated[
        int,
        typer.Option(
            "--symmetries",
            metavar="NUMBER",
            min=1,
            max=8,
            help="Show the network each position in so many ways, turned, and average; takes "
            "that many times as long.",
        ),
    ] = 1,
    work: WorkOptions,
    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            metavar="GAMES",
            min=1,
            help="Games per batch: a stopped run repeats at most one.",
        ),
    ] = 16,
    quiet: Quiet = False,
) -> None:
    """Extract the features of every move of many games.

    The same command goes on where it was stopped or killed, and gives the same bytes
    in the end. Games with illegal moves are left out and listed in skipped.csv.

    Examples
    --------
    yardstone go features professional.sgf -o store --features head,pick
    """
    from yardstone.cli.progress import stage_bars
    from yardstone.errors import InputError
    from yardstone.go.features import ExtractionSettings

    if "-" in paths:
        raise UsageError("the games are read twice: name files, not standard input")
    trunk = tuple(kind.strip() for kind in kinds.split(",") if kind.strip() not in ("head", ""))
    if "trunk" in trunk and size is None:
        size = _WHOLE_TRUNK_SIZE
    shown_rules = chosen_rules(rules)
    settings = ExtractionSettings(
        net=net,
        engine=runtime.value,
        precision=precision.value,
        trunk=trunk,
        rules=None if shown_rules is None else str(shown_rules),
        komi=komi,
        size=size,
        batch=batch,
        device=device.value,
        symmetries=symmetries,
    )
    if store.exists() and not store.is_dir():
        raise InputError("this is a file", file=str(store), hint="name a folder")
    from yardstone.go.features import extract_features
    from yardstone.records.sgf import SgfReader

    features_store = extract_features(
        lambda: SgfReader(*paths),
        store,
        settings,
        workers=work.workers,
        progress=stage_bars(quiet=quiet),
    )
    if not quiet:
        _report(features_store)


def _report(store: FeatureStore) -> None:
    from yardstone.go.rules import KNOWLEDGE
    from yardstone.reports.words import plural

    about = store.settings
    kinds = ", ".join(store.kinds)
    print(
        f"{plural(len(store), 'game')}, {plural(about['moves'], 'move')}: {kinds} "
        f"({about['channels']} channels of {about['network']}) in {store.path}"
    )
    if known := KNOWLEDGE.get(about["sha256"]):
        print(f"yardstone: {known.network} knows {known}: asked under no others", file=sys.stderr)
    if about["skipped"]:
        skipped = plural(about["skipped"], "record was", "records were")
        print(f"yardstone: {skipped} skipped: see {store.path / 'skipped.csv'}", file=sys.stderr)
