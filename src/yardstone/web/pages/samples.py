"""Results of the examples that come with the package, to show what a visitor gets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yardstone.web.kinds import KINDS, Kind
from yardstone.web.pages.render import content

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["FOLDER", "SAMPLES", "Sample", "ShownSample", "sample_result", "start_samples"]

FOLDER = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class Sample:
    """An example whose result is shown.

    Attributes
    ----------
    files : sequence of (str, str)
        Names of files in ``examples/``, with their formats.
    about : str
        What they are, in words.
    fields : mapping of str to str
        What is asked for beside them.
    """

    files: Sequence[tuple[str, str]]
    about: str
    fields: Mapping[str, str] = field(default_factory=dict)


#: By kind of job. ``python -m tools.samples`` makes the results.
SAMPLES: Mapping[str, Sample] = {
    "go": Sample(
        [("professional.sgf", "sgf")],
        "one game between two professionals, 2017",
        {"player": "Park Junghwan", "others": "yes"},
    ),
    "results": Sample([("league.csv", "csv")], "a league of eight chess engines"),
    "backgammon": Sample([("backgammon.mat", "mat")], "a match to 3 points"),
}


@dataclass(frozen=True)
class ShownSample:
    """A sample on the start page: its kind, what it is, and a part of its result."""

    kind: Kind
    title: str
    about: str
    content: Markup


@cache
def start_samples() -> list[ShownSample]:
    """A part of each result, made by the documents that make the whole ones."""
    shown = []
    for name, sample in SAMPLES.items():
        glance = KINDS[name].glance(sample_result(name))
        shown.append(ShownSample(KINDS[name], glance.title, sample.about, content(glance)))
    return shown


@cache
def sample_result(kind: str) -> dict[str, Any]:
    """The result of a sample, as a worker makes it."""
    result: dict[str, Any] = json.loads((FOLDER / f"{kind}.json").read_text("utf-8"))
    return result
