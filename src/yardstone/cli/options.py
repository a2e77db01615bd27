"""Options that several commands share, each worded once; bundles have the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from yardstone.cli.help import LAST
from yardstone.errors import UsageError

__all__ = ["Confidence", "Engine", "Memory", "Win", "WorkOptions", "named_values"]

#: What `--engine` once said of networks, and `--runtime` says now.
_RUNTIMES = ("auto", "onnxruntime", "openvino")


def _work_there(context: typer.Context, name: str | None) -> str | None:
    """Have all work of the command done by this engine, until the command ends."""
    from yardstone import parallel

    if name in _RUNTIMES:
        raise UsageError(f"--engine {name}: what runs a network is named by --runtime")
    if name is not None and not context.resilient_parsing:
        context.with_resource(parallel.engine(name))
    return name


Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="Where to work: local, ray (all machines of the Ray that runs here, or one of its "
        "own), or ray://HOST:PORT. [default: local]",
        show_default=False,
        callback=_work_there,
        rich_help_panel=LAST,
    ),
]


@dataclass(frozen=True)
class WorkOptions:
    """Options of a command that works in several processes.

    The command needs to look at `workers` only: `engine` holds for all that it calls.
    """

    PANEL: ClassVar[str] = LAST

    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="NUMBER", min=1, help="Processes to use; one per core by default."
        ),
    ] = None
    engine: Engine = None


Confidence = Annotated[
    str, typer.Option(metavar="LEVEL", help="Confidence level of all intervals, in per cent.")
]

Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Memory to work in, such as 2GB: more games than fit are read piece by piece. "
        "[default: half of what there is]",
        show_default=False,
        rich_help_panel=LAST,
    ),
]

Win = Annotated[
    str,
    typer.Option(
        "--win",
        metavar="NAME|FILE",
        help="Model of winning: fitted (real tournaments), kaniuk, egf, goldis, elo (points), or "
        "a file from yardstone winprob fit --save.",
    ),
]


def named_values(texts: list[str] | None) -> dict[str, str]:
    """What ``--set`` says."""
    values = {}
    for text in texts or ():
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"--set {text}: write NAME=VALUE")
        values[name.strip().replace("-", "_")] = value.strip()
    return values
