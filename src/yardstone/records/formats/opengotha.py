"""OpenGotha's files of tournaments."""

from __future__ import annotations

import re

from yardstone.records.formats.format import Sign, tournament_format

_XML = re.compile(rb"(?:<\?xml|<!--|<!DOCTYPE\s+Tournament|<Tournament)\b")

FORMAT = tournament_format("opengotha", "OpenGotha", (".xml",), Sign(2, _XML.match))
