"""Jellyfish's ``.mat``, the format of matches of backgammon."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yardstone.records.formats.format import FileFormat, Sign
from yardstone.records.options import Options

if TYPE_CHECKING:
    from yardstone.pool import Pool
    from yardstone.records.sources import Source

_MATCH = re.compile(
    rb"^[ \t]*(?:\d{1,5}[ \t]*point[ \t]+match\b"
    rb"|(?:unlimited|money)[ \t]+(?:match|session|game)[ \t\r]*$"
    rb"|;[ \t]*\[[ \t]*(?:Site|Player 1|EventDate)\b)",
    re.IGNORECASE | re.MULTILINE,
)


def _read(sources: Sequence[Source], options: Options) -> Pool:
    from yardstone.records.mat import read_mat

    return read_mat(sources, options)


FORMAT = FileFormat(
    "mat", (".mat",), (Sign(6, _MATCH.search),), _read, moves=True, web=lambda *_: "mat"
)
