"""Simulated tournaments: chances of the players, and how well places follow strengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.grades import format_grade
from yardstone.reports.charts.tournament import forecast_chart, variants_chart
from yardstone.reports.document import Block, Column, Document, Lines, Picture, Section, Table
from yardstone.reports.tournament.intervals import NORMAL_95, share_column, within
from yardstone.reports.words import known
from yardstone.tournament.forecast import MEASURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yardstone.tournament.forecast import Simulation, TournamentForecast

__all__ = ["simulation_document"]

_PLACE_LEVEL = 0.9


def simulation_document(simulation: Simulation, *, top: int = 0) -> Document:
    """Chances and places of the players, or of several variants their measures."""
    if simulation.varied:
        return _variants_document(simulation)
    forecast = simulation.forecasts[0][1]
    order = np.lexsort([forecast.mean_place, -forecast.first]).tolist()
    columns = _columns(forecast, grades=simulation.grades, win=simulation.scenario.model.name)
    half = NORMAL_95 * 0.5 / np.sqrt(forecast.tournaments)
    measures = [
        *_measure_lines(forecast, grades=simulation.grades),
        f"± is a 95 % interval; a share in per cent is known to within {100 * half:.1f} at worst.",
    ]
    return Document(
        _title(simulation),
        _lead(simulation),
        [
            Section("", [Table(columns, order, noun="player", limit=top or None)]),
            Section("", [Lines(measures)]),
            Section("", [Picture(lambda: forecast_chart(forecast), "Probability of each place.")]),
        ],
        records=Table(columns, range(len(order)), noun="player"),
        plain=lambda: {"win": simulation.scenario.model.name, **_plain_forecast(forecast)},
        drawing=lambda: forecast_chart(forecast),
    )


def _title(simulation: Simulation) -> str:
    name = simulation.plan.tournament.name
    return f"{name}, simulated" if name not in ("", "simulated") else "Simulated tournaments"


def _columns(forecast: TournamentForecast, *, grades: bool, win: str = "") -> list[Column]:
    """Of rows that are numbers of players."""
    reach = forecast.place_range(_PLACE_LEVEL)
    mean, third = forecast.mean_place, forecast.at_least(3)

    def strength(row: int) -> float:
        return float(forecast.strength[row])

    def strength_text(row: int) -> str:
        return format_grade(round(strength(row), 1)) if grades else f"{strength(row):.0f}"

    def places(row: int) -> str:
        return f"{reach[row, 0]}–{reach[row, 1]}"

    return [
        Column("player", lambda row: forecast.names[row], "Player"),
        Column("strength", strength, "Strength", "number", show=strength_text, gives_way=2),
        share_column("first", lambda row: float(forecast.first[row]), "First %"),
        share_column("top3", lambda row: float(third[row]), "Top 3 %"),
        Column("mean_place", lambda row: float(mean[row]), "Mean place", "number", gives_way=3),
        Column("win", lambda _: win),
        Column("place_low", lambda row: int(reach[row, 0]), kind="integer"),
        Column("place_high", lambda row: int(reach[row, 1]), kind="integer"),
        Column("", lambda row: int(reach[row, 0]), "90 % of places", "integer", show=places),
        Column("wins", lambda row: float(forecast.wins[row]), "Wins", "number", ".2f", gives_way=1),
    ]


def _lead(simulation: Simulation) -> list[str]:
    """What was played, and how sure the strengths are."""
    plan = simulation.plan
    whole = plan.tournament
    system = "McMahon" if whole.system == "mcmahon" else whole.system
    what = f"{len(whole.players)} players, {whole.rounds} rounds, {system}"
    if whole.system == "mcmahon":
        highest = max((p.rank for p in whole.players if p.rank is not None), default=0)
        what += f", bar {format_grade(min(whole.scoring.bar, highest))}"
    if whole.handicap.ceiling:
        what += f", up to {whole.handicap.ceiling} stones"
    name = f"{whole.name}: " if whole.name and whole.name != "simulated" else ""
    after = f", from round {plan.done + 1} on" if plan.done else ""
    each = "each of these, such as " if simulation.varied else ""
    return [
        f"{name}{simulation.tournaments:,} tournaments of {each}{what}{after}; "
        f"model of winning: {simulation.scenario.model.name} ({simulation.scenario.model.about}).",
        _certainty(simulation),
    ]


def _certainty(simulation: Simulation) -> str:
    plan, deviation = simulation.plan, simulation.scenario.deviation
    if simulation.scenario.tournament is None and not deviation:
        return "The players are made up, so their strengths are known exactly."
    if plan.known.exact:
        return (
            "The entry list is taken as exact (--deviation 0), so the strongest win too often here."
        )
    entered = np.atleast_1d(np.asarray(plan.deviation, np.float64))
    low, high = float(entered.min()), float(entered.max())
    digits, unit = (2, "grades") if simulation.grades else (0, "points")
    size = f"{low:.{digits}f}"
    if high - low > 0.005:
        size += f" to {high:.{digits}f}"
    text = f"True strengths are drawn about the entry list, with a deviation of {size} {unit}"
    text += "" if deviation is not None else " (as in real tournaments; --deviation changes it)"
    return text + (", and corrected by the rounds that are over." if plan.done else ".")


def _measure_lines(forecast: TournamentForecast, *, grades: bool) -> list[str]:
    unit = "grades" if grades else "points"
    digits = 2 if grades else 0
    gap = within(*forecast.measure("game gap"), digits)
    behind = within(*forecast.measure("winner behind"), digits)
    return [
        f"The strongest player wins {within(*forecast.measure('strongest wins'), 1, 100.0)} % "
        f"of the tournaments; the winner is {behind} {unit} weaker than the strongest.",
        f"Order by true strength against the places: {within(*forecast.measure('order'), 3)} "
        "(Kendall's rank correlation: 1 is perfect).",
        f"Opponents are {gap} {unit} apart; "
        f"{within(*forecast.measure('even games'), 1, 100.0)} % of the games are between equal "
        "scores.",
        f"On average {within(*forecast.measure('tied for first'), 2)} players share the first "
        f"place by {', '.join(forecast.criteria)}.",
    ]


def _plain_forecast(forecast: TournamentForecast) -> dict[str, Any]:
    columns = [c for c in _columns(forecast, grades=True) if c.name not in ("", "top3", "win")]

    def player(row: int) -> dict[str, Any]:
        figures = {column.name: column.value(row) for column in columns}
        head = {"player": figures.pop("player"), "strength": figures.pop("strength")}
        deviation = float(forecast.deviation[row])
        return {**head, "deviation": deviation, **figures, "places": forecast.places[row].tolist()}

    return {
        "format": 1,
        "tournaments": forecast.tournaments,
        "criteria": list(forecast.criteria),
        "measures": {
            name: {"mean": mean, "error": known(error)}
            for name in MEASURES
            for mean, error in [forecast.measure(name)]
        },
        "players": [player(row) for row in range(len(forecast.names))],
    }


def _variants_document(simulation: Simulation) -> Document:
    """One line a variant of the tournament."""
    name, forecasts = simulation.varied, simulation.forecasts
    unit, digits = ("grades", 2) if simulation.grades else ("points", 0)

    def measure(
        heading: str, which: str, digits: int, scale: float = 1.0, *, gives_way: int = 0
    ) -> Column:
        def text(forecast: TournamentForecast) -> str:
            return within(*forecast.measure(which), digits, scale)

        return Column(
            "",
            lambda row: row[1].measure(which)[0],
            heading,
            "number",
            show=lambda row: text(row[1]),
            gives_way=gives_way,
        )

    shown = Table(
        [
            Column("", lambda row: row[0], name),
            measure("Strongest wins %", "strongest wins", 1, 100.0),
            measure(f"Winner behind, {unit}", "winner behind", digits, gives_way=4),
            measure("Order", "order", 3),
            measure(f"Game gap, {unit}", "game gap", digits, gives_way=2),
            measure("Even games %", "even games", 1, 100.0, gives_way=3),
            measure("Tied first", "tied for first", 2, gives_way=1),
        ],
        forecasts,
        noun="variant",
    )
    records = Table(
        [
            Column("variant", lambda row: row[0]),
            Column("tournaments", lambda row: row[1].tournaments, kind="integer"),
            Column("measure", lambda row: row[2]),
            Column("mean", lambda row: row[1].measure(row[2])[0], kind="number"),
            Column("error", lambda row: row[1].measure(row[2])[1], kind="number"),
        ],
        [(label, forecast, which) for label, forecast in forecasts for which in MEASURES],
    )
    meanings = [f"{key.capitalize()}: {meaning}." for key, meaning in MEASURES.items()]
    picture = Picture(lambda: variants_chart(forecasts, name=name), "With intervals of 95 %.")
    blocks: Sequence[Sequence[Block]] = (
        [shown],
        [Lines([*meanings, "± is a 95 % interval."])],
        [picture],
    )
    return Document(
        _title(simulation),
        _lead(simulation),
        [Section("", each) for each in blocks],
        records=records,
        plain=lambda: {
            "format": 1,
            "win": simulation.scenario.model.name,
            "variants": [{"variant": label, **_plain_forecast(each)} for label, each in forecasts],
        },
        drawing=lambda: variants_chart(forecasts, name=name),
    )
