"""FIDE's report file of a tournament."""

from __future__ import annotations

import re

from yardstone.records.formats.format import Sign, tournament_format

_CODE = re.compile(rb"(?:012|022|042|001|###)[ \r\n]")

FORMAT = tournament_format("trf", "FIDE's report file", (".trf", ".trfx"), Sign(3, _CODE.match))
