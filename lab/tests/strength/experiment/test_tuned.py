"""Glicko-2 with parameters for the games of an experiment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.evaluation.games import played
from yardstone.errors import NoGamesError
from yardstone_lab.neubauer.experiment.models import tuned_glicko
from yardstone_lab.neubauer.experiment.sets import Sets


def marked(games: int, first: int) -> Sets:
    """The first exhibition game at once, those of the other sets later."""
    mark = np.full(games, "", "<U1")
    mark[3] = "X"
    mark[first::3] = "T"
    mark[first + 1 :: 7] = "E"
    return Sets(mark)


def test_games_after_the_sets_have_no_say_where_those_before_are_asked() -> None:
    pool = played(600, 8, 1, spread=300.0)
    sets = marked(600, 300)
    late = np.arange(600) >= 300
    other = replace(pool, score=np.where(late, 1.0 - pool.score, pool.score))
    one, two = (tuned_glicko(each, sets, 6, before=True) for each in (pool, other))
    assert one == two
    # Else they have: what is told of them turned round is fitted as well.
    assert tuned_glicko(pool, sets, 6) != tuned_glicko(other, sets, 6)


def test_there_must_be_games_before() -> None:
    pool = played(60, 4, 1)
    with pytest.raises(NoGamesError, match="before the sets"):
        tuned_glicko(pool, marked(60, 0), 3, before=True)
