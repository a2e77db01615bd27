"""A table of ranks: who had which rank in which game of a store of features.

A row is a side of a game: ``file`` (as the store has it, or the end of that path), ``colour``,
``rank`` (``12k``, ``3d``, or a number such that n dan is n to n + 1 and 1 kyu 0 to 1), ``scale``
(``fox``, of which the rank groups are learnt, or another one, of which the ranks are), and, if
they are known better than the records say, ``player`` and ``sure`` (0 to 1: less where the rank
is provisional).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import InputError, NoGamesError
from yardstone.go.points import BLACK, WHITE
from yardstone.grades import parse_grade
from yardstone.pool import Skipped, SkipReport
from yardstone.strength.calibration import csv_rows
from yardstone.strength.site_scales import EDGES, GROUP_EDGES
from yardstone.winprob.scales import fox_of_grade
from yardstone_lab.neubauer.set_model.sides import StoreSides

if TYPE_CHECKING:
    from yardstone.go.feature_store import FeatureStore

__all__ = ["LabelIndex", "RankLabel", "labelled_sides", "read_rank_labels"]

_FOX = "fox"
_HINT = "the first line names the columns: file,colour,rank,scale"
_COLOURS = {"black": BLACK, "white": WHITE, "b": BLACK, "w": WHITE}
#: Ranks further out than this are none.
_WEAKEST, _STRONGEST = -40.0, 12.0


@dataclass(frozen=True, slots=True)
class RankLabel:
    """The rank of one side of a game.

    Attributes
    ----------
    file : str
    colour : int
        1 Black, 2 White.
    rank : float
        n dan is n to n + 1, 1 kyu 0 to 1; a rank by its name is the middle of its stretch.
    scale : str
    player : str
        Empty where the record knows.
    sure : float
        0 to 1.
    """

    file: str
    colour: int
    rank: float
    scale: str
    player: str = ""
    sure: float = 1.0


def read_rank_labels(
    path: str | os.PathLike[str], skipped: SkipReport | None = None
) -> list[RankLabel]:
    """Read a table of ranks.

    Parameters
    ----------
    path : path
        CSV, with commas, semicolons or tabs.
    skipped : SkipReport, optional
        Takes the rows that cannot be used.

    Raises
    ------
    InputError
        The file cannot be read, or lacks a column.
    NoGamesError
        There is no rank in it.
    """
    report = SkipReport() if skipped is None else skipped
    labels = []
    for line, row in csv_rows(path, ("file", "colour", "rank", "scale"), _HINT, report):
        try:
            labels.append(_label(row))
        except ValueError as error:
            report.add(Skipped(os.fspath(path), line, str(error)))
    if not labels:
        raise NoGamesError("there is no rank in it", file=os.fspath(path), hint=_HINT)
    return labels


def _label(row: dict[str, str]) -> RankLabel:
    """One row; ValueError with the reason if it cannot be used."""
    colour = _COLOURS.get(row["colour"].lower())
    if colour is None:
        raise ValueError("the colour is neither black nor white")
    if not row["file"] or row["scale"] not in GROUP_EDGES:
        raise ValueError(f"there is no file, or the scale is none of {', '.join(GROUP_EDGES)}")
    sure = row.get("sure") or "1"
    try:
        share = float(sure)
    except ValueError:
        share = -1.0
    if not 0.0 < share <= 1.0:
        raise ValueError("sure is not above 0 and at most 1")
    return RankLabel(
        row["file"], colour, _rank(row["rank"]), row["scale"], row.get("player", ""), share
    )


def _rank(text: str) -> float:
    try:
        rank = float(text)
    except ValueError:
        try:
            rank = float(fox_of_grade(parse_grade(text)))
        except InputError:
            raise ValueError("the rank is neither a rank nor a number") from None
    if not _WEAKEST <= rank <= _STRONGEST:
        raise ValueError("there is no such rank")
    return rank


class LabelIndex:
    """Finds the label of a side of a game by the game's file, or by the end of that path."""

    def __init__(self, labels: Sequence[RankLabel]) -> None:
        self._depths = {len(PurePath(each.file).parts) for each in labels}
        self._by_key = {("/".join(PurePath(each.file).parts), each.colour): each for each in labels}

    def find(self, file: str, colour: int) -> RankLabel | None:
        """The label; None if there is none."""
        parts = PurePath(file).parts
        keys = (("/".join(parts[-depth:]), colour) for depth in self._depths)
        return next((self._by_key[key] for key in keys if key in self._by_key), None)


def labelled_sides(stores: Sequence[FeatureStore], labels: Sequence[RankLabel]) -> list[StoreSides]:
    """The sides of the games of some stores that have a label; stores without any are left out.

    Raises
    ------
    NoGamesError
        No game of the stores has a label.
    """
    ranks = LabelIndex(labels)
    parts = []
    for store in stores:
        rows = [
            (game, colour, label)
            for game, file in enumerate(store.games["file"])
            for colour in (BLACK, WHITE)
            if (label := ranks.find(file, colour)) is not None and _has_moves(store, game, colour)
        ]
        if not rows:
            continue
        names = np.column_stack([store.games["black"], store.games["white"]])
        game, colour = (np.array([row[k] for row in rows], np.int64) for k in (0, 1))
        own = [row[2] for row in rows]
        fox = np.array([each.scale == _FOX for each in own])
        rank = np.array([each.rank for each in own])
        group = np.clip(np.searchsorted(EDGES, rank, side="right") - 1, 0, len(EDGES) - 2)
        player = [
            each.player or str(names[g, c - 1])
            for each, g, c in zip(own, game, colour, strict=True)
        ]
        parts.append(
            StoreSides(
                store,
                game=game,
                colour=colour,
                group=np.where(fox, group, -1).astype(np.int64),
                rank=np.where(fox, np.nan, rank),
                sure=np.array([each.sure for each in own]),
                player=np.array(player, str),
                opponent=names[game, WHITE - colour].astype(str),
            )
        )
    if not parts:
        raise NoGamesError("no game of the stores has a rank in the table")
    return parts


def _has_moves(store: FeatureStore, game: int, colour: int) -> bool:
    rows = store.rows(game, colour)
    return bool(rows.stop > rows.start)
