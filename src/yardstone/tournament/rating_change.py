"""What a tournament does to its players' ratings, before anybody publishes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from yardstone.errors import NoGamesError, UsageError
from yardstone.pool import Pool
from yardstone.ratings.egf import CLASS_WEIGHTS, EGF, EGFOld
from yardstone.records.decoding import whole_number
from yardstone.tournament.fide import table_score
from yardstone.tournament.files import tournament_pool
from yardstone.tournament.model import Player, Tournament

#: FIDE counts a larger difference as this.
_LARGEST_DIFFERENCE = 400
_STRONG, _STRONG_K, _USUAL_K, _YOUNG_K = 2400, 10, 20, 40
_YOUNG_AGE, _YOUNG_LIMIT = 18, 2300


@dataclass(frozen=True, slots=True)
class RatingChange:
    """One player's rating before and after."""

    player: int  #: Number of the player
    #: `before`, `after`: ratings; None for a player who has none. In Go one without a rating enters
    #: with that of the grade.
    before: float | None
    after: float | None
    games: int  #: Games that count
    score: float  #: `score`, `expected`: points in them, and what the ratings promised.
    expected: float
    factor: float  #: Weight of the tournament (Go) or K (chess)

    @property
    def change(self) -> float:
        """Points won or lost; 0 without a rating."""
        return 0.0 if self.before is None or self.after is None else self.after - self.before


def rating_changes(
    tournament: Tournament,
    *,
    system: str | None = None,
    weight: str | float | None = None,
    k: float | None = None,
) -> list[RatingChange]:
    """The change of every player who played a game that counts, by the file's ratings.

    Args:
        tournament: With ratings or grades.
        system ({"egf", "egf-old", "fide"}): By default that of the discipline.
        weight: Class A to D, or the weight itself, for the EGF's; by default from the time limits.
        k: K of all players for FIDE's; by default 10 from 2400 on, 40 below 2300 up to the year of
            the 18th birthday, else 20 (a player with fewer than 30 games has 40, which no file
            tells).

    Raises:
        NoGamesError: No game counts.
        InputError: The EGF's weight does not follow from the file.
        UsageError: There is no such system or weight.
    """
    name = system or ("fide" if tournament.discipline == "chess" else "egf")
    if name not in SYSTEMS:
        raise UsageError(f"no system of ratings is called {name!r} ({', '.join(SYSTEMS)})")
    changes = SYSTEMS[name](tournament, weight, k)
    if not changes:
        raise NoGamesError("no game counts for ratings", file=tournament.file or None)
    return changes


def _rated_games(tournament: Tournament) -> Tournament:
    games = tuple(game for game in tournament.games if game.played and game.rated)
    return replace(tournament, games=games, document=None)


def _egf(
    make: Callable[[], EGF], tournament: Tournament, weight: str | float | None, _k: float | None
) -> list[RatingChange]:
    games = _rated_games(tournament)
    pool = tournament_pool(games)
    if not len(pool):
        return []
    weights = {}
    if weight is not None:
        try:
            chosen = CLASS_WEIGHTS.get(str(weight).upper()) or float(weight)
        except ValueError:
            message = f"{weight!r} is neither a class from A to D nor a weight"
            raise UsageError(message) from None
        weights = {"class": np.full(len(pool), chosen)}
    pool = replace(pool, columns={**pool.columns, **weights, **_entry_ratings(pool)})
    if "class" not in pool.columns:
        raise tournament.error(
            "it does not say how much time players had, which gives the tournament's class",
            hint="say the class, A to D, or the weight (the command's --class)",
        )
    replay = make().replay(pool)
    counted = sorted(games.games, key=lambda game: game.round)
    numbers = [g.players for g in counted if g.result.score is not None]
    sides = np.column_stack([pool.first, pool.second]).tolist()
    place = {number: at for ids, both in zip(sides, numbers, strict=True)
             for at, number in zip(ids, both, strict=True)}  # fmt: skip
    changes = []
    factor = float(pool.columns["class"][0])
    for number, at in sorted(place.items()):
        first, second = pool.first == at, pool.second == at
        before = float([*replay.first_rating[first], *replay.second_rating[second]][0])
        score = float(pool.score[first].sum() + (1.0 - pool.score[second]).sum())
        expected = float(replay.expected[first].sum() + (1.0 - replay.expected[second]).sum())
        after = float(replay.ratings.rating[at])
        count = int(first.sum() + second.sum())
        changes.append(RatingChange(number, before, after, count, score, expected, factor))
    return changes


def _entry_ratings(pool: Pool) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Ratings with which players enter: their own, else that of the grade."""
    from yardstone.ratings.egf import grade_rating

    ratings = {}
    for side in ("first", "second"):
        rating = pool.columns[f"{side}_rating"].astype(np.float64)
        if f"{side}_grade" in pool.columns:
            by_grade = grade_rating(pool.columns[f"{side}_grade"])
            rating = np.where(np.isnan(rating), by_grade, rating)
        ratings[f"{side}_grade"] = rating
    return ratings


def _fide(
    tournament: Tournament, _weight: str | float | None, k: float | None
) -> list[RatingChange]:
    counts: dict[int, list[float]] = {}
    for game in _rated_games(tournament).games:
        for own, other in (game.players, (game.second, game.first)):
            mine, theirs = tournament.players[own].rating, tournament.players[other].rating
            if theirs is None or game.result.score is None:
                continue
            entry = counts.setdefault(own, [0, 0.0, 0.0])
            entry[0] += 1
            entry[1] += game.points(own)
            if mine is not None:
                difference = max(min(theirs - mine, _LARGEST_DIFFERENCE), -_LARGEST_DIFFERENCE)
                entry[2] += table_score(0.0, difference)
    changes = []
    year = None if tournament.begin is None else tournament.begin.year
    for own, (games, score, expected) in sorted(counts.items()):
        player = tournament.players[own]
        factor = _k_of(player, year) if k is None else k
        before = player.rating
        after = None if before is None else before + factor * (score - expected)
        if before is None:
            expected = float("nan")
        changes.append(RatingChange(own, before, after, int(games), score, expected, factor))
    return changes


def _k_of(player: Player, year: int | None) -> float:
    if player.rating is not None and player.rating >= _STRONG:
        return _STRONG_K
    born = whole_number(player.birth[:4])
    young = year is not None and born is not None and 0 <= year - born <= _YOUNG_AGE
    if young and player.rating is not None and player.rating < _YOUNG_LIMIT:
        return _YOUNG_K
    return _USUAL_K


#: How ratings change, by name.
SYSTEMS: Mapping[
    str, Callable[[Tournament, str | float | None, float | None], list[RatingChange]]
] = MappingProxyType({"egf": partial(_egf, EGF), "egf-old": partial(_egf, EGFOld), "fide": _fide})
