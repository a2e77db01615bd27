"""The games that a network learns to imitate, from files: records, ranks and soft values."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import NoGamesError
from yardstone.lab.imitation.games import (
    ImitationGames,
    LearntSide,
    collect_games,
)
from yardstone.lab.imitation.settings import band_of
from yardstone.lab.neubauer.rank.labels import RankLabel, read_rank_labels
from yardstone.pool import SkipReport
from yardstone.records.sgf import SgfReader
from yardstone.strength.rank.ranks import GROUP_EDGES

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

    StrPath = str | os.PathLike[str]

__all__ = ["RankTable", "read_imitation_games"]


@dataclass(frozen=True, slots=True)
class RankTable:
    """Whose moves of which games count, and their bands.

    Attributes
    ----------
    sides : dict of str to tuple of LearntSide
        By the last parts of the game's path.
    depths : tuple of int
        How many parts the paths of the table have.
    """

    sides: dict[str, tuple[LearntSide, ...]]
    depths: tuple[int, ...]

    @classmethod
    def of(cls, labels: Sequence[RankLabel]) -> RankTable:
        """From the rows of a table of ranks."""
        bands: dict[str, dict[int, int]] = {}
        depths = set()
        for label in labels:
            edges = GROUP_EDGES[label.scale]
            place = np.searchsorted(edges, label.rank, side="right") - 1
            group = int(np.clip(place, 0, len(edges) - 2))
            parts = PurePath(label.file).parts
            depths.add(len(parts))
            key = "/".join(parts)
            bands.setdefault(key, {})[label.colour] = band_of(label.scale, group)
        sides = {
            key: tuple(LearntSide(colour, band) for colour, band in own.items())
            for key, own in bands.items()
        }
        return cls(sides, tuple(sorted(depths)))

    def find(self, file: str) -> tuple[LearntSide, ...]:
        """The sides of a game that stand in the table."""
        parts = PurePath(file).parts
        for depth in self.depths:
            if own := self.sides.get("/".join(parts[-depth:])):
                return own
        return ()


def read_imitation_games(
    paths: Sequence[StrPath],
    ranks: StrPath | None = None,
    skipped: SkipReport | None = None,
) -> ImitationGames:
    """Read the games that a network is to learn from.

    Parameters
    ----------
    paths : sequence of path
        SGF files, folders, patterns and archives.
    ranks : path, optional
        A table of ranks (`yardstone.lab.neubauer.rank.labels`). Of a game that stands in it
        only the sides named there are learnt from; of others both, of an unknown rank.
    skipped : SkipReport, optional
        Takes what cannot be read.

    Raises
    ------
    InputError
        A file cannot be read.
    NoGamesError
        There is nothing to learn from, or no game has a rank in the table.
    """
    report = SkipReport() if skipped is None else skipped
    reader = SgfReader(*paths)
    games: list[GoGame] = list(reader)
    report.merge(reader.skipped)
    sides = None
    if ranks is not None:
        table = RankTable.of(read_rank_labels(ranks, report))
        both = (LearntSide(1), LearntSide(2))
        ranked = {game.file: table.find(game.file) for game in games}
        if games and not any(ranked.values()):
            raise NoGamesError(
                "no game has a rank in the table",
                file=os.fspath(ranks),
                hint="its files must be those of the games, or the ends of their paths",
            )
        sides = {file: own or both for file, own in ranked.items()}
    return collect_games(games, sides, report)
