"""H9, the results of a tournament as the European Go Database takes them."""

from __future__ import annotations

import re

from yardstone.records.formats.format import Sign, tournament_format

_TAG = re.compile(rb";[ \t]*[A-Z]{2}\[")
#: A player: place, names, grade, country, club, then scores and rounds.
_PLAYER = re.compile(
    rb"^[ \t]*+\d++[ \t]++\S++(?>.*?[ \t]\d+[kdp]\b).*[ \t]\d+[=+\-?]", re.IGNORECASE | re.MULTILINE
)

FORMAT = tournament_format(
    "h9",
    "results for the European Go Database",
    (".h9",),
    Sign(4, _TAG.match),
    Sign(11, _PLAYER.search),
)
