"""Options that several commands share, each worded once; bundles have the others."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Confidence"]

Confidence = Annotated[
    str, typer.Option(metavar="LEVEL", help="Confidence level of all intervals, in per cent.")
]
