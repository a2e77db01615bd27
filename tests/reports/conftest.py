from __future__ import annotations

import numpy as np
import pytest

from yardstone.pool import Pool, Skipped
from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.rating_list import RatingList, summarise
from yardstone.ratings.result import JointRatings

SCRIPT = "<script>document.title='owned'</script>"


def _games(players: int, games: int) -> tuple[list[str], list[str], list[float]]:
    rng = np.random.default_rng(7)
    names = [f"Engine {number:02d}" for number in range(players)]
    first = rng.integers(0, players, games)
    second = (first + rng.integers(1, players, games)) % players
    strength = np.linspace(250, -250, players)
    expected = 1 / (1 + 10 ** (-(strength[first] - strength[second] + 30) / 400))
    draw = rng.random(games)
    score = np.where(draw < expected - 0.15, 1.0, np.where(draw < expected + 0.15, 0.5, 0.0))
    return [names[i] for i in first], [names[i] for i in second], score.tolist()


@pytest.fixture(scope="session")
def pool() -> Pool:
    """Twelve players on one scale, two of their own, and the usual trouble."""
    first, second, score = _games(12, 500)
    first += ["Lone A", "Lone B", SCRIPT, "engine 00", "Hopeless", "陳 Ö"]
    second += ["Lone B", "Lone A", "Engine 05", "Engine 03", "Engine 11", "Engine 02"]
    score += [1.0, 0.5, 1.0, 0.5, 0.0, 0.5]
    made = Pool.from_names(first, second, score)
    for line in range(8):
        made.skipped.add(Skipped("games.pgn", 10 * line, f"no <b>{line}</b>"), kind="no White tag")
    return made


@pytest.fixture(scope="session")
def ratings(pool: Pool) -> JointRatings:
    system = BradleyTerry(method="likelihood", first_advantage="auto", draw_rate="auto")
    return system.fit(pool)


@pytest.fixture(scope="session")
def report(pool: Pool, ratings: JointRatings) -> RatingList:
    return summarise(ratings, pool)


@pytest.fixture(scope="session")
def large() -> RatingList:
    """More players than a picture or a terminal shows."""
    pool = Pool.from_names(*_games(65, 1300))
    return summarise(BradleyTerry().fit(pool), pool)
