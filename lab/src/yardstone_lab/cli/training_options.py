"""Options that training and searching share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from yardstone.cli.declare import advanced, argument, flag, option

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
    Path, argument("Description of an experiment that has been run.", metavar="FILE")
]
Model = Annotated[
    Literal["full", "basic"], option("full: from the trunk at the moves; basic: from six outputs.")
]
Preset = Annotated[
    PresetName | None,
    option("Settings in place of the experiment's: published is Table 5.1 of the thesis."),
]
Settings = Annotated[
    list[str] | None, option("Change a setting. Repeatable.", "--set", metavar="NAME=VALUE")
]
Folder = Annotated[
    Path | None,
    option("Folder for all results. [default: in that of the experiment]", metavar="FOLDER"),
]
Device = Annotated[
    Literal["auto", "cpu", "cuda"], advanced("Device to train on; auto: a GPU if there is one.")
]
Threads = Annotated[int | None, advanced("Threads of each training.", min=1)]
Anew = Annotated[bool, flag("Start afresh, whatever the folder holds.")]
