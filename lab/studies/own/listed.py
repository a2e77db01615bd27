"""The listed players of Fox, from whom neither network nor model has learnt."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from lab.studies.own.games import HALVED
from lab.studies.rank.facts import HELD_BACK
from yardstone.files import replaced
from yardstone.strength.site_scales import RANKS

if TYPE_CHECKING:
    from lab.studies.rank.facts import Facts

#: Games of each listed player that are looked at, at least.
MOST = 10


def write_listed(shared: Path, facts: Facts, archive: Path) -> None:
    """Some records of each listed player, as an archive of their own."""
    number: Counter[tuple[int, str]] = Counter()
    wanted = set(facts.listed)
    with (
        zipfile.ZipFile(shared / HALVED["fox"]) as games,
        replaced(archive) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as kept,
    ):
        for name in sorted(games.namelist()):
            facts_of = facts.row(f"games.zip/{name}") if name.endswith(".sgf") else None
            if facts_of is None or facts_of["part"] != HELD_BACK:
                continue
            group = RANKS.index(facts_of["group"])
            keys = {(group, facts_of[colour]) for colour in ("black", "white")} & wanted
            if any(number[key] < MOST for key in keys):
                number.update(keys)
                kept.writestr(name, games.read(name))
