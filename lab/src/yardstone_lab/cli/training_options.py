"""Options that training and searching share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from yardstone.cli.declare import ADVANCED

__all__ = [
    "Anew",
    "Device",
    "ExperimentFile",
    "Folder",
    "Model",
    "Preset",
    "PresetName",
    "Settings",
    "Threads",
]


#: Settings with a name.
PresetName = Literal["published", "start", "small"]


ExperimentFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Description of an experiment that has been run.", show_default=False
    ),
]
Model = Annotated[
    Literal["full", "basic"],
    typer.Option("--model", help="full: from the trunk at the moves; basic: from six outputs."),
]
Preset = Annotated[
    PresetName | None,
    typer.Option(
        "--preset",
        help="Settings in place of the experiment's: published is Table 5.1 of the thesis.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting. Repeatable."),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        metavar="FOLDER",
        help="Folder for all results. [default: in that of the experiment]",
        show_default=False,
    ),
]
Device = Annotated[
    Literal["auto", "cpu", "cuda"],
    typer.Option("--device", help="Device to train on; auto: a GPU if there is one."),
    ADVANCED,
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="NUMBER", min=1, help="Threads of each training."),
    ADVANCED,
]
Anew = Annotated[bool, typer.Option("--anew", help="Start afresh, whatever the folder holds.")]
