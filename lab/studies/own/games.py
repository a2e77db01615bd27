"""The games that the network learns from, and the people kept apart to judge it by.

People of the ranked games of Fox and of OGS are halved by a hash of their names: the network
learns from one half alone, and whatever is said of it, or trained on what it says, is of the
other half. The people of Fox's benchmark by player are in neither.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.studies.ogs_shift import rank_number
from lab.studies.rank.facts import Facts
from yardstone.files import replaced
from yardstone.go.points import BLACK, WHITE
from yardstone.records.sgf import MoveListReader, SgfReader
from yardstone.strength.players import plain_name
from yardstone.strength.site_scales import RANKS
from yardstone_lab.imitation.games import (
    UNKNOWN_BAND,
    LearntSide,
    band_of,
    band_of_rank,
    collect_games,
)

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame
    from yardstone_lab.imitation.games import ImitationGames

    Sides = dict[str, tuple[LearntSide, ...]]

#: The archives of shared data whose people are halved, by the names of stores of features.
HALVED = {"fox": "data/go/fox_ranked/games.zip", "ogs": "data/go/ogs_weak/games.zip"}
_COLOURS = {"black": BLACK, "white": WHITE}
#: In the index of the people of OGS, 30 is where 1 dan begins.
OGS_FIRST_DAN = 29.0


def learnt(name: str) -> bool:
    """Whether the network learns from a player of Fox or OGS."""
    return hashlib.sha256(plain_name(name).encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, eq=False)
class Source:
    """Games of one kind: whose moves are learnt, and whose are there to judge by."""

    name: str
    games: tuple[GoGame, ...]
    learnt: Sides
    apart: Sides

    def judging(self) -> ImitationGames:
        """The sides of people it has not seen."""
        return collect_games(self.games, self.apart)


def ranked_fox(shared: Path, facts: Facts) -> Source:
    """Games of Kuboki and others: of each rank group, even, both players of it."""
    games = tuple(SgfReader(shared / HALVED["fox"]))
    train: Sides = {}
    apart: Sides = {}
    for game in games:
        row = facts.row(game.file)
        if facts.held_back & {row["black"], row["white"]}:
            continue
        band = band_of("fox", RANKS.index(row["group"]))
        own = {k: learnt(row[k]) for k in _COLOURS}
        both = {_COLOURS[k]: LearntSide(_COLOURS[k], band) for k in _COLOURS}
        train[game.file] = tuple(both[_COLOURS[k]] for k in _COLOURS if own[k])
        apart[game.file] = tuple(both[_COLOURS[k]] for k in _COLOURS if not own[k])
    return Source("fox", games, train, apart)


def ogs_people(shared: Path) -> Source:
    """People of OGS, 34 kyu to 9 dan, against programs."""
    folder = shared / "data/go/ogs_weak"
    with gzip.open(folder / "index.csv.gz", "rt", encoding="utf-8") as file:
        rows = {Path(row["file"]).name: row for row in csv.DictReader(file)}
    games = tuple(SgfReader(shared / HALVED["ogs"]))
    train: Sides = {}
    apart: Sides = {}
    for game in games:
        row = rows[Path(game.file).name]
        colour = "white" if row["bot"] == "B" else "black"
        if row["handicap"] not in ("0", "") or row[f"{colour}_rank_num"] == "":
            continue
        rank = float(row[f"{colour}_rank_num"]) - OGS_FIRST_DAN
        side = LearntSide(_COLOURS[colour], band_of_rank("ogs", rank))
        (train if learnt(row[colour]) else apart)[game.file] = (side,)
    return Source("ogs", games, train, apart)


def strong_fox(shared: Path, facts: Facts) -> Source:
    """Games of 9 dans and professionals at Fox."""
    games = tuple(SgfReader(shared / "data/go/fox_sgf.zip"))
    train: Sides = {}
    for game in games:
        sides = []
        if facts.held_back & {game.black, game.white}:
            continue
        for colour in (BLACK, WHITE):
            name = (game.black, game.white)[colour - 1]
            if learnt(name):
                rank = (game.black_rank, game.white_rank)[colour - 1]
                number = rank_number(rank)
                band = UNKNOWN_BAND if number is None else band_of_rank("fox", number)
                sides.append(LearntSide(colour, band))
        train[game.file] = tuple(sides)
    return Source("Fox, 9 dan", games, train, {})


def tygem(shared: Path) -> Source:
    """Games of 9 dans at Tygem, on a scale of its own: everybody's rank counts as unknown."""
    games = tuple(MoveListReader(*sorted((shared / "data/go/tygem_moves").glob("*.zip"))))
    both = (LearntSide(BLACK), LearntSide(WHITE))
    return Source("Tygem", games, {game.file: both for game in games}, {})


def write_apart(shared: Path, source: Source, archive: Path) -> None:
    """The records of the games in which somebody is kept apart, as an archive of their own."""
    wanted = {file.rpartition(".zip/")[2] for file, sides in source.apart.items() if sides}
    with (
        zipfile.ZipFile(shared / HALVED[source.name]) as games,
        replaced(archive) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as kept,
    ):
        for name in games.namelist():
            if name in wanted:
                kept.writestr(name, games.read(name))


def all_sources(shared: Path) -> list[Source]:
    """All real games of 19x19 with moves."""
    facts = Facts(shared)
    return [ranked_fox(shared, facts), ogs_people(shared), strong_fox(shared, facts), tygem(shared)]


def training_games(sources: list[Source]) -> ImitationGames:
    """What the network learns from, of all sources together."""
    games = [game for source in sources for game in source.games]
    sides = {file: own for source in sources for file, own in source.learnt.items()}
    return collect_games(games, sides)
