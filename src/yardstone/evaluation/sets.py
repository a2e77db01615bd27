"""Training, validation, test and exhibition sets marked inside one pool.

To tear a pool apart would tear players' histories apart. So the sets are marks on
games of one pool; whoever predicts a game may use all that came before it
(Neubauer 2024, section 4.1.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from yardstone.errors import UsageError
from yardstone.evaluation.splits import NEWCOMER_GAMES, Labels, agree_with_score, newcomers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Mask = NDArray[np.bool_]

__all__ = ["Sets", "draw_sets"]


@dataclass(frozen=True, eq=False)
class Sets:
    """A letter a game: T training, V validation, E test, X exhibition; frozen.

    Attributes
    ----------
    mark : array of one-letter strings, one entry a game
        Empty for games in no set.
    """

    mark: NDArray[np.str_]

    def of(self, letter: str) -> Mask:
        """True for the games of one set."""
        if letter not in ("T", "V", "E", "X"):
            raise UsageError(f"there is no set {letter!r}: the sets are T, V, E and X")
        return np.asarray(self.mark == letter)

    def applied_to(self, pool: Pool) -> Pool:
        """The pool with the marks as its column ``set``."""
        return replace(pool, columns={**pool.columns, "set": self.mark})


def draw_sets(
    pool: Pool,
    labels: Labels,
    *,
    training: int = 10_000,
    validation: int = 5_000,
    test: int = 5_000,
    exhibition: int = 5_000,
    newcomer_games: int = NEWCOMER_GAMES,
    eligible: Mask | Mapping[str, Mask] | None = None,
    seed: int = 0,
) -> Sets:
    """Draw the four sets at random from a pool; no game is in two.

    The rules are the thesis': a training game has labels that agree with its
    score and look the full number of games ahead for both players; an exhibition
    game is between players with at most `newcomer_games` earlier games; validation
    and test games are any games, so that they stand for the pool. Exhibition games
    are drawn first, being few, and training games last: drawn before the others, they
    would leave them the games in which the higher label lost.

    Parameters
    ----------
    pool : Pool
        In order of time.
    labels : Labels
        Of that pool.
    training, validation, test, exhibition : int
        How many games to draw for each.
    eligible : bool array or mapping, optional
        Games that may be drawn: those whose moves are known, for example; or those of
        some sets by their letters, others being free.
    seed : int
        Equal seeds give equal sets.

    Raises
    ------
    UsageError
        There are not so many games; the message says how many there are.
    """
    everything = np.ones(len(pool), np.bool_)
    allowed = eligible if isinstance(eligible, Mapping) else {}
    common = everything if eligible is None or allowed is eligible else np.asarray(eligible)
    full = (labels.first_ahead >= labels.advance) & (labels.second_ahead >= labels.advance)
    generator = np.random.default_rng(seed)
    mark = np.full(len(pool), "", "U1")
    wishes = (
        ("X", exhibition, newcomers(pool, newcomer_games), "exhibition"),
        ("V", validation, everything, "validation"),
        ("E", test, everything, "test"),
        ("T", training, full & agree_with_score(labels, pool.score), "training"),
    )
    for letter, number, fit, name in wishes:
        free = allowed.get(letter, common)
        candidates = np.flatnonzero(free & fit & (mark == ""))
        if number > len(candidates):
            raise UsageError(
                f"only {len(candidates)} games can be in the {name} set, {number} were asked for"
            )
        mark[generator.choice(candidates, number, replace=False)] = letter
    return Sets(mark)
