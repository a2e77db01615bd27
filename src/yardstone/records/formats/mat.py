"""Jellyfish's ``.mat``, the format of matches of backgammon."""

from __future__ import annotations

import re

from yardstone.records.formats.format import FileFormat, Sign, reader

_MATCH = re.compile(
    rb"^[ \t]*(?:\d{1,5}[ \t]*point[ \t]+match\b"
    rb"|(?:unlimited|money)[ \t]+(?:match|session|game)[ \t\r]*$"
    rb"|;[ \t]*\[[ \t]*(?:Site|Player 1|EventDate)\b)",
    re.IGNORECASE | re.MULTILINE,
)


FORMAT = FileFormat(
    "mat",
    (".mat",),
    (Sign(6, _MATCH.search),),
    reader("records.mat", "read_mat"),
    moves=True,
    web=lambda *_: "mat",
)
