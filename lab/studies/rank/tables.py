"""The tables of the study of ranks from moves."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from lab.studies.rank.facts import HELD_BACK
from lab.studies.rank.stages import one_player
from yardstone.strength.evidence import PHASES
from yardstone.strength.model import StrengthModel
from yardstone.strength.site_scales import RANKS
from yardstone_lab.neubauer.rank.intervals import (
    Accuracy,
    accuracy,
    draw_games,
    draw_players,
    knot_probabilities,
)
from yardstone_lab.neubauer.rank.pool import RankPool, without_years

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lab.studies.rank.stages import Study
    from yardstone_lab.neubauer.rank.training import OutOfFold, RankSettings, TrainedRank

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

GAMES = (1, 5, 10, 15, 20)
OF_PLAYER = (1, 5, 10, 15)
OPENING_ENDS = 2  # phases that end at move 50
#: The one year in which every group has games held back.
YEAR = 2018


def percent(value: float) -> str:
    return f"{100 * value:.1f}"


def row(name: str, accuracies: Sequence[Accuracy | None]) -> str:
    """A line: accuracy, within one rank, mean error for each number of games."""
    cells = [
        "-" if each is None else f"{percent(each.exact)} ({percent(each.near)}, {each.error:.2f})"
        for each in accuracies
    ]
    return f"| {name} | {' | '.join(cells)} |"


class Tables:
    """The tables of the study, a line at a time."""

    def __init__(
        self,
        study: Study,
        trained: TrainedRank,
        pool: RankPool,
        model: StrengthModel,
    ) -> None:
        self.study, self.trained, self.pool, self.model = study, trained, pool, model

    def lines(self, settings: RankSettings) -> Iterator[str]:
        """All of them."""
        yield from self.cross_validation(settings)
        held = self.study.scored(self.model)
        if held:
            yield from self.held_back(held)
        yield from self.made()

    def cross_validation(self, settings: RankSettings) -> Iterator[str]:
        """What folds of the training players tell, whole and with parts left out."""
        games = np.bincount(self.pool.group) / 2
        yield (
            f"Cross-validation in the training games: {settings.folds} parts without a name in "
            f"common, {int(games.min())} to {int(games.max())} games a group."
        )
        yield ""
        yield head(GAMES)
        outside = self.trained.out_of_fold
        for name, one_colour in (("both colours", False), ("one colour", True)):
            yield row(name, [self.group(outside, n, one_colour=one_colour) for n in GAMES])
        for name, pool in self.parts():
            trained = self.study.trainer(pool).train(settings, {})
            yield row(
                name,
                [self.study.group_accuracy(trained.out_of_fold, pool, n) for n in GAMES],
            )
        silent = replace(outside, scores=np.zeros_like(outside.scores))
        yield row("numbers of moves alone", [self.group(silent, n) for n in GAMES])
        yield row("length of the game alone", [length_alone(self.pool, self.trained), *[None] * 4])
        yield ""
        yield from confusion(*self.study.judged(outside, self.pool, GAMES[-1]))

    def group(self, outside: OutOfFold, games: int, *, one_colour: bool = False) -> Accuracy:
        """Games drawn from the groups of each fold."""
        return self.study.group_accuracy(outside, self.pool, games, one_colour=one_colour)

    def parts(self) -> Iterator[tuple[str, RankPool]]:
        """The pool with less in it: games, or what may be fashion."""
        yield "half of the games", self.pool.select(self.pool.game % 2 == 0)
        later = list(range(OPENING_ENDS, PHASES))
        yield "without the first 50 moves", self.pool.phases_only(later)
        yield "the first 50 moves alone", self.pool.phases_only(range(OPENING_ENDS))
        modern = self.pool.select(self.pool.year >= 2017)
        yield "games from 2017 on", modern
        yield "games from 2017 on, less what the year says", without_years(modern)

    def held_back(self, held: dict[str, NDArray[Any]]) -> Iterator[str]:
        """The validation players, scored once."""
        statistics, group = held["statistics"], held["group"]
        everything, one_year = np.ones(len(group), bool), held["year"] == YEAR
        yield f"Players never seen: {len(group) // 2:,} games of `{HELD_BACK}`."
        yield ""
        yield head(GAMES)
        for name, rows, one_colour in (
            ("both colours", everything, False),
            ("one colour", everything, True),
            (f"both colours, games of {YEAR} alone", one_year, False),
        ):
            random = self.study.generator()
            result: list[Accuracy | None] = []
            for games in GAMES:
                sums, truth = draw_games(
                    statistics[rows],
                    group[rows],
                    held["game"][rows],
                    games=games,
                    draws=self.study.draws,
                    random=random,
                    one_colour=one_colour,
                )
                result.append(
                    accuracy(knot_probabilities(self.model.scale("fox"), sums), truth)
                    if len(truth)
                    else None
                )
            yield row(name, result)
        random = self.study.generator()
        cells: list[Accuracy | None] = []
        counts = []
        for games in OF_PLAYER:
            sums, truth, who = draw_players(
                statistics,
                group,
                held["player"],
                games=games,
                draws=10,
                random=random,
                players=self.study.facts.listed,
            )
            counts.append(f"{len(np.unique(who))} with {games}")
            cells.append(accuracy(one_player(self.model, sums), truth) if len(truth) else None)
        yield row("games of one player", [*cells, *[None] * (len(GAMES) - len(OF_PLAYER))])
        yield ""
        yield f"Listed players with so many games in the stores: {', '.join(counts)}."
        yield ""
        sums, truth = draw_games(
            statistics,
            group,
            held["game"],
            games=GAMES[-1],
            draws=self.study.draws,
            random=self.study.generator(),
        )
        if len(truth):
            yield from confusion(knot_probabilities(self.model.scale("fox"), sums), truth)

    def made(self) -> Iterator[str]:
        """How the tables were made."""
        command = "python -m lab.studies.rank_from_moves " + " ".join(
            f"{name} {value}"
            for name, value in (("--seed", self.study.seed), ("--draws", self.study.draws))
        )
        stores = ", ".join(store.path.name for store in self.study.stores)
        versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
        yield (
            f"`{command}`, {date.today():%Y-%m-%d}; Yardstone {version('yardstone')}, {versions}, "
            f"Python {platform.python_version()}; stores {stores}; "
            f"settings {json.dumps(self.model.card['settings'])}."
        )


def head(games: Sequence[int]) -> str:
    """The head of a table by numbers of games."""
    names = " | ".join(f"n = {number}" for number in games)
    return f"| % right (within one rank, mean error) | {names} |\n|---|{'--:|' * len(games)}"


def length_alone(pool: RankPool, trained: TrainedRank) -> Accuracy:
    """The group from the number of moves: the nearest of the other folds' usual lengths."""
    fold = trained.out_of_fold.fold
    moves = pool.counts.sum(axis=1).astype(np.float64)
    probabilities = np.zeros((len(pool), len(RANKS)))
    for number in np.unique(fold):
        inside, outside = fold == number, fold != number
        edges = np.quantile(moves[outside], np.linspace(0.0, 1.0, 21)[1:-1])
        place = np.searchsorted(edges, moves)
        counted = np.ones((20, len(RANKS)))
        np.add.at(counted, (place[outside], pool.group[outside]), 1.0)
        counted /= counted.sum(axis=0)
        probabilities[inside] = (counted / counted.sum(axis=1, keepdims=True))[place[inside]]
    return accuracy(probabilities, pool.group)


def confusion(probabilities: Array, truth: Ints) -> Iterator[str]:
    """What was said of games of each group."""
    guess = probabilities.argmax(axis=1)
    yield "20 games of a group (lines), and what was said of them, in per cent:"
    yield ""
    yield f"| | {' | '.join(RANKS)} |"
    yield "|---|" + "--:|" * len(RANKS)
    for number in np.unique(truth):
        share = 100.0 * np.bincount(guess[truth == number], minlength=len(RANKS))
        share /= (truth == number).sum()
        cells = " | ".join(f"{each:.0f}" if each >= 0.5 else "" for each in share)
        yield f"| {RANKS[number]} | {cells} |"
    yield ""
