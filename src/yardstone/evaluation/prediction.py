"""A game between two players predicted from the games before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from yardstone.choices import checked_arguments
from yardstone.evaluation.forecast import forecast
from yardstone.evaluation.history import dated_games, rate_games
from yardstone.ratings.game_forecast import GameForecast
from yardstone.records.given import ColumnNames

if TYPE_CHECKING:
    from yardstone.evaluation.carried import KeptRatings
    from yardstone.evaluation.ledger import Ledger

__all__ = ["predict"]


@checked_arguments(ColumnNames)
def predict(
    games: Any,
    player: str,
    opponent: str,
    *,
    system: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    state: Ledger | KeptRatings | None = None,
    advantage: float | None = None,
    exact: bool = False,
    confidence: float = 0.95,
    **names: Unpack[ColumnNames],
) -> GameForecast:
    """Predict the game of two players from the games before: what `yardstone predict` does.

    Parameters
    ----------
    games : path, list of paths, frame, Pool or None
        None with a state: nothing is added to it.
    player, opponent : str
        The players; the first of them moves first.
    system, parameters, state
        As in `yardstone.evaluation.history.rate_games`.
    advantage, exact, confidence
        As in `forecast`.
    **names
        Which columns hold what, where `games` is no pool; see
        `yardstone.records.given.ColumnNames`.

    Examples
    --------
    >>> from yardstone.pool import Pool
    >>> pool = Pool.from_names("AABBCC", "BCACAB", [1, 0.5, 0, 1, 0.5, 0])
    >>> predict(pool, "A", "C", system="elo", exact=True).expected > 0.5
    True
    """
    pool = None if games is None else dated_games(games, names, system, state, parameters)
    rated, notes = rate_games(pool, system=system, parameters=parameters, state=state)
    expected = forecast(
        rated, player, opponent, advantage=advantage, exact=exact, confidence=confidence
    )
    return replace(expected, notes=notes)
