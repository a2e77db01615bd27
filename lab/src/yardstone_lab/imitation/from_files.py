"""The games that a network learns to imitate, from files: records, and a table of ranks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from yardstone.errors import NoGamesError
from yardstone.go.points import BLACK, WHITE
from yardstone.pool import SkipReport
from yardstone.records.sgf import SgfReader
from yardstone_lab.imitation.games import (
    ImitationGames,
    LearntSide,
    collect_games,
)
from yardstone_lab.imitation.settings import band_of_rank
from yardstone_lab.neubauer.rank.labels import LabelIndex, read_rank_labels

if TYPE_CHECKING:
    from yardstone.records.go_game import GoGame

    StrPath = str | os.PathLike[str]

__all__ = ["read_imitation_games"]


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
        A table of ranks (`yardstone_lab.neubauer.rank.labels`). Of a game that stands in it
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
        labels = LabelIndex(read_rank_labels(ranks, report))
        both = (LearntSide(BLACK), LearntSide(WHITE))
        ranked = {game.file: _ranked_sides(labels, game.file) for game in games}
        if games and not any(ranked.values()):
            raise NoGamesError(
                "no game has a rank in the table",
                file=os.fspath(ranks),
                hint="its files must be those of the games, or the ends of their paths",
            )
        sides = {file: own or both for file, own in ranked.items()}
    return collect_games(games, sides, report)


def _ranked_sides(labels: LabelIndex, file: str) -> tuple[LearntSide, ...]:
    """The sides of a game that have a label."""
    both = ((colour, labels.find(file, colour)) for colour in (BLACK, WHITE))
    return tuple(
        LearntSide(colour, band_of_rank(label.scale, label.rank))
        for colour, label in both
        if label is not None
    )
