"""What a game between two rated players is expected to bring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from yardstone.reports.document import Column, Document, Lines, Section, Table
from yardstone.reports.words import known, per_cent, plural

if TYPE_CHECKING:
    from yardstone.evaluation.interval_scale import GameForecast

__all__ = ["forecast_document", "plain_forecast"]

#: Players with fewer games than this are named as little known.
FEW_GAMES = 10


def forecast_document(forecast: GameForecast) -> Document:
    """The report of a forecast."""
    players = _players(forecast)
    lead = [
        f"{forecast.first}, moving first, is expected to score {100 * forecast.expected:.1f} % "
        f"against {forecast.second} (by {forecast.system}).",
        *_chances(forecast),
    ]
    untold = all(known(player.deviation) is None for player in players)
    shown = [column for column in _PLAYERS if not (untold and column.name == "deviation")]
    table = Table(shown, players, noun="player")
    basis = [forecast.basis] if forecast.basis else []
    notes = [_uncertainty(forecast), *basis, *_little_known(players), *forecast.notes]
    return Document(
        title=f"{forecast.first} – {forecast.second}",
        lead=lead,
        sections=[Section(blocks=[table]), Section(blocks=[Lines(notes)])],
        records=Table(_RECORDS, [forecast], noun="game"),
        plain=partial(plain_forecast, forecast),
    )


@dataclass(frozen=True)
class _Player:
    name: str
    rating: float
    deviation: float
    games: int


def _players(forecast: GameForecast) -> list[_Player]:
    one, other = forecast.first_rating, forecast.second_rating
    return [
        _Player(forecast.first, one.value, one.deviation, forecast.first_games),
        _Player(forecast.second, other.value, other.deviation, forecast.second_games),
    ]


_PLAYERS = (
    Column("player", lambda player: player.name, "Player"),
    Column("rating", lambda player: player.rating, "Rating", "number"),
    Column("deviation", lambda player: known(player.deviation), "Deviation", "number"),
    Column("games", lambda player: player.games, "Games", "integer"),
)


def _of_player(place: int, side: str, column: Column) -> Column:
    name = side if column.name == "player" else f"{side}_{column.name}"

    def value(forecast: GameForecast) -> Any:
        return column.value(_players(forecast)[place])

    return Column(name, value, kind=column.kind)


def _number(name: str) -> Column:
    return Column(name, attrgetter(name), kind="number")


#: What stands in files, a row a game; JSON has the players as parts of their own.
_NUMBERS = (
    *map(
        _number,
        ("expected", "win", "draw", "loss", "reversed_expected", "low", "high", "confidence"),
    ),
    Column("integrated", lambda forecast: forecast.integrated, kind="boolean"),
    Column("margin", lambda forecast: known(forecast.margin), kind="number"),
    Column("basis", lambda forecast: forecast.basis),
)
_RECORDS = (
    Column("system", lambda forecast: forecast.system),
    *(_of_player(0, "first", column) for column in _PLAYERS),
    *(_of_player(1, "second", column) for column in _PLAYERS),
    *_NUMBERS,
)


def _chances(forecast: GameForecast) -> Iterator[str]:
    if forecast.draw:
        yield (
            f"Win {100 * forecast.win:.1f} %, draw {100 * forecast.draw:.1f} %, "
            f"loss {100 * forecast.loss:.1f} %."
        )
    if abs(forecast.reversed_expected - forecast.expected) > 0.0005:
        yield f"Moving second: {100 * forecast.reversed_expected:.1f} %."
    if isfinite(forecast.margin):
        verb = "win" if forecast.margin >= 0.0 else "lose"
        yield (
            f"In an even game {forecast.first} is expected to {verb} by "
            f"{abs(forecast.margin):.1f} points."
        )


def _uncertainty(forecast: GameForecast) -> str:
    """What the chances have in them of the uncertainty of the ratings."""
    if isfinite(forecast.low):
        return (
            "This averages over the uncertainty of the ratings; with the true ratings it would lie "
            f"between {100 * forecast.low:.0f} and {100 * forecast.high:.0f} % "
            f"({per_cent(forecast.confidence)} interval)."
        )
    if forecast.integrated:
        return (
            "This averages over the uncertainty of the ratings. "
            f"{forecast.system} has no deviations, so there is no interval."
        )
    if forecast.exact:
        return "The ratings are taken as exact (--exact), so the probabilities are too extreme."
    return (
        f"{forecast.system} gives no tested uncertainty of its ratings, so there is no interval, "
        "and the probabilities may be too extreme."
    )


def _little_known(players: list[_Player]) -> Iterator[str]:
    few = [player for player in players if player.games < FEW_GAMES]
    if few:
        listed = " and ".join(f"{player.name} has {plural(player.games, 'game')}" for player in few)
        yield f"Note: {listed}: too few to say much."


def plain_forecast(forecast: GameForecast) -> dict[str, Any]:
    """The forecast as dictionaries, numbers, strings and None."""
    one, other = ({c.name: c.value(player) for c in _PLAYERS} for player in _players(forecast))
    values = {column.name: column.value(forecast) for column in _NUMBERS}
    for name in ("low", "high"):
        values[name] = known(values[name])
    return {"format": 1, "system": forecast.system, "first": one, "second": other, **values}
