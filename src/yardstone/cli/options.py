"""Options that several commands share, each worded once; bundles have the others."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Confidence", "Memory", "Win"]

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
