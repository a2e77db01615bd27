"""Simulated tournaments and their last round: chances of the players, and charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from yardstone.grades import format_grade
from yardstone.reports.chart import Axis, Bars, Chart, Panel, Points
from yardstone.reports.document import Column, Document, Lines, Picture, Section, Table, reader
from yardstone.reports.words import (
    NORMAL_95,
    chance_columns,
    chance_text,
    known_values,
    per_cent,
    picked,
    within,
)
from yardstone.tournament.forecast import MEASURES, Simulation, TournamentForecast
from yardstone.tournament.model import Tournament

if TYPE_CHECKING:
    from yardstone.tournament.last_round import LastRoundNeeds, OwnResult, PlaceChances


#: The table people see, lines below it, a picture, the records, and what makes the JSON.
_Parts = tuple[Table, Sequence[str], Picture, Table, Callable[[], Any]]


def simulation_document(simulation: Simulation, *, top: int = 0) -> Document:
    """Chances and places of the players, or of several variants their measures."""
    made = _variants(simulation) if simulation.varied else _chances(simulation, top)
    shown, lines, picture, records, plain = made
    name = simulation.plan.tournament.name
    title = f"{name}, simulated" if name not in ("", "simulated") else "Simulated tournaments"
    sections = [Section("", [block]) for block in (shown, Lines(lines), picture)]
    return Document(title, _lead(simulation), sections, records, plain, picture.draw)


def _chances(simulation: Simulation, top: int) -> _Parts:
    forecast = simulation.forecasts[0][1]
    order = np.lexsort([forecast.mean_place, -forecast.first]).tolist()
    columns = _columns(forecast, grades=simulation.grades, win=simulation.scenario.model.name)
    half = NORMAL_95 * 0.5 / np.sqrt(forecast.tournaments)
    measures = [
        *_measure_lines(forecast, grades=simulation.grades),
        f"± is a 95 % interval; a share in per cent is known to within {100 * half:.1f} at worst.",
    ]
    shown = Table(columns, order, noun="player", limit=top or None)
    records = Table(columns, range(len(order)), noun="player")

    def plain() -> dict[str, Any]:
        return {"win": simulation.scenario.model.name, **_plain_forecast(forecast)}

    picture = Picture(partial(forecast_chart, forecast), "Probability of each place.")
    return shown, measures, picture, records, plain


def _columns(forecast: TournamentForecast, *, grades: bool, win: str = "") -> list[Column]:
    reach = forecast.place_range(0.9)
    mean, third = forecast.mean_place, forecast.at_least(3)
    strength = forecast.strength.tolist()

    def graded(row: int) -> str:
        return format_grade(round(strength[row], 1)) if grades else f"{strength[row]:.0f}"

    def places(row: int) -> str:
        return f"{reach[row, 0]}–{reach[row, 1]}"

    return [
        Column("player", forecast.names.__getitem__, "Player"),
        Column("strength", strength.__getitem__, "Strength", "number", show=graded, gives_way=2),
        Column("first", lambda row: float(forecast.first[row]), "First %", "number", scale=100.0),
        Column("top3", lambda row: float(third[row]), "Top 3 %", "number", scale=100.0),
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
    exact = "The entry list is taken as exact (--deviation 0), so the strongest win too often here."
    if simulation.scenario.tournament is None and not deviation:
        return "The players are made up, so their strengths are known exactly."
    if plan.known.exact:
        return exact
    entered = np.asarray(plan.deviation, np.float64)
    low, high = float(entered.min()), float(entered.max())
    unit, digits = _unit(grades=simulation.grades)
    size = f"{low:.{digits}f}" + (f" to {high:.{digits}f}" if high - low > 0.005 else "")
    text = f"True strengths are drawn about the entry list, with a deviation of {size} {unit}"
    text += "" if deviation is not None else " (as in real tournaments; --deviation changes it)"
    return text + (", and corrected by the rounds that are over." if plan.done else ".")


def _measure_lines(forecast: TournamentForecast, *, grades: bool) -> list[str]:
    unit, digits = _unit(grades=grades)

    def words(measure: str, digits: int, scale: float = 1.0) -> str:
        return within(*forecast.measure(measure), digits, scale)

    return [
        f"The strongest player wins {words('strongest wins', 1, 100.0)} % of the tournaments; "
        f"the winner is {words('winner behind', digits)} {unit} weaker than the strongest.",
        f"Order by true strength against the places: {words('order', 3)} "
        "(Kendall's rank correlation: 1 is perfect).",
        f"Opponents are {words('game gap', digits)} {unit} apart; "
        f"{words('even games', 1, 100.0)} % of the games are between equal scores.",
        f"On average {words('tied for first', 2)} players share the first "
        f"place by {', '.join(forecast.criteria)}.",
    ]


def _unit(*, grades: bool) -> tuple[str, int]:
    """The unit of strengths, and how many decimals they have."""
    return ("grades", 2) if grades else ("points", 0)


def _plain_forecast(forecast: TournamentForecast) -> dict[str, Any]:
    columns = [c for c in _columns(forecast, grades=True) if c.name not in ("", "top3", "win")]

    def player(row: int) -> dict[str, Any]:
        return {
            **Column.record(columns[:2], row),
            "deviation": float(forecast.deviation[row]),
            **Column.record(columns[2:], row),
            "places": forecast.places[row].tolist(),
        }

    return {
        "format": 1,
        **picked(forecast, "tournaments", "criteria"),
        "measures": {of: picked(forecast.measure(of), "mean=0", "error=1") for of in MEASURES},
        "players": [player(row) for row in range(len(forecast.names))],
    }


def _variants(simulation: Simulation) -> _Parts:
    """One line per variant of the tournament."""
    name, forecasts = simulation.varied, simulation.forecasts
    unit, digits = _unit(grades=simulation.grades)

    def measure(heading: str, which: str, digits: int, scale: float, gives_way: int) -> Column:
        def words(row: tuple[str, TournamentForecast]) -> str:
            return within(*row[1].measure(which), digits, scale)

        def mean(row: tuple[str, TournamentForecast]) -> float:
            return row[1].measure(which)[0]

        return Column("", mean, heading, "number", show=words, gives_way=gives_way)

    columns = [
        Column("", "0", name),
        measure("Strongest wins %", "strongest wins", 1, 100.0, 0),
        measure(f"Winner behind, {unit}", "winner behind", digits, 1.0, 4),
        measure("Order", "order", 3, 1.0, 0),
        measure(f"Game gap, {unit}", "game gap", digits, 1.0, 2),
        measure("Even games %", "even games", 1, 100.0, 3),
        measure("Tied first", "tied for first", 2, 1.0, 1),
    ]
    shown = Table(columns, forecasts, noun="variant")
    rows = [
        (label, forecast.tournaments, which, *forecast.measure(which))
        for label, forecast in forecasts
        for which in MEASURES
    ]
    counted = Column.files("tournaments=1", kind="integer")
    variant, which = Column.files("variant=0", "measure=2", kind="text")
    records = Table([variant, *counted, which, *Column.files("mean=3", "error=4")], rows)
    meanings = [f"{key.capitalize()}: {meaning}." for key, meaning in MEASURES.items()]
    picture = Picture(partial(variants_chart, forecasts, name=name), "With intervals of 95 %.")

    def plain() -> dict[str, Any]:
        variants = [{"variant": label, **_plain_forecast(each)} for label, each in forecasts]
        return {"format": 1, "win": simulation.scenario.model.name, "variants": variants}

    lines = [*meanings, "± is a 95 % interval."]
    return shown, lines, picture, records, plain


_RESULTS = {1.0: "win", 0.5: "draw", 0.0: "loss", None: "any"}


def last_round_document(
    tournament: Tournament,
    needs: LastRoundNeeds,
    chances: PlaceChances | None = None,
    *,
    no_chances: str = "",
) -> Document:
    """Places by the player's own result, their chances, and the games of others that matter.

    `no_chances` says why there are none.
    """
    name = tournament.players[needs.player].full_name
    how = "bounds by the main score only: ties may go either way"
    columns: list[Column] = [
        Column("result", lambda row: _RESULTS[row[0].points], "Own result"),
        Column("best", "0.best", "Best place", "integer", gives_way=2),
        Column("worst", "0.worst", "Worst place", "integer", gives_way=1),
    ]
    if needs.exact:
        how = f"all {needs.combinations:,} combinations of the open results tried"
        columns += [
            Column("", lambda row: _verdict(row[0], needs.place), f"Place {needs.place} or better"),
            Column("combinations", "0.combinations", kind="integer"),
            Column(f"place_{needs.place}", lambda r: r[0].reaching(needs.place), kind="integer"),
        ]
    rows: list[Any] = [(own, None) for own in needs.results]
    if chances is not None:
        rows = list(zip(needs.results, chances.results, strict=True))
        own = "" if needs.own_game is None else "Chance of result"
        columns += [
            *chance_columns("chance", "1.0", own),
            *chance_columns(f"chance_place_{needs.place}", "1.1", f"Chance of place {needs.place}"),
            Column("win", lambda _: chances.model),
        ]
    table = Table(columns, rows, noun="result")

    def side(field: str, heading: str) -> list[Column]:
        """A player of a game, and the share of combinations if that one wins."""
        player, share = reader(f"game.{field}"), reader(f"{field}_wins")
        return [
            Column("", lambda game: tournament.players[player(game)].full_name, heading),
            Column("", share, "share", "number", show=lambda game: f"{100 * share(game):.0f} %"),
        ]

    columns = [*side("first", "If this player wins"), *side("second", "and if this one")]
    games = f"Games that matter for place {needs.place}, with the share of combinations"
    sections = [
        Section("", [table]),
        Section("", [Lines(list(_chance_lines(name, needs, chances, no_chances)))]),
        Section(games, [Table(columns, needs.influences, noun="game")]),
    ]
    lead = f"{name}, round {needs.round} of {tournament.name} ({how})"
    plain = partial(_plain, tournament, needs, chances)
    return Document(f"What {name} needs", [lead], sections, table, plain)


def _chance_lines(
    name: str, needs: LastRoundNeeds, chances: PlaceChances | None, reason: str
) -> Iterator[str]:
    if chances is None:
        yield from [f"No chances: {reason}."] if reason else ()
        return
    better = f"place {needs.place}" + ("" if needs.place == 1 else " or better")
    yield (
        f"{name} has a chance of {chance_text(chances.overall)} of {better}, by the model "
        f"{chances.model} ({chances.about}), the entry list and the rounds so far."
    )
    if needs.draws and any(
        own.points == 0.5 and result.probability == 0.0
        for own, (result, _) in zip(needs.results, chances.results, strict=True)
    ):
        yield "The model knows no draws: they are taken not to happen."
    if chances.no_interval:
        yield f"No interval: {chances.no_interval}."
    else:
        yield f"In brackets {per_cent(chances.level)} intervals for the error of the model."


def _verdict(own: OwnResult, place: int) -> str:
    if own.worst <= place:
        return "certain"
    if own.best > place:
        return "impossible"
    return f"in {own.reaching(place):,} of {own.combinations:,} combinations"


def _plain(
    tournament: Tournament, needs: LastRoundNeeds, chances: PlaceChances | None
) -> dict[str, Any]:
    names = [player.full_name for player in tournament.players]
    shown = None
    if chances is not None:
        outcomes = [map(known_values, both) for both in chances.results]
        shown = {
            **picked(chances, "win=model", "level"),
            "place": known_values(chances.overall),
            "outcomes": [dict(zip(("result", "place"), each, strict=True)) for each in outcomes],
        }
    return {
        "player": names[needs.player],
        **picked(needs, "round", "exact"),
        "combinations": needs.combinations if needs.exact else None,
        "place": needs.place,
        "chances": shown,
        "outcomes": [
            {
                "result": _RESULTS[own.points],
                **picked(own, "best", "worst"),
                "places": {str(at): n for at, n in sorted(own.places.items())},
            }
            for own in needs.results
        ],
        "games": [
            {"first": names[each.game.first], "second": names[each.game.second]}
            | picked(each, "first_wins", "second_wins")
            for each in needs.influences
        ],
    }


def forecast_chart(forecast: TournamentForecast, *, top: int = 32) -> Chart:
    """Chance of each place, as a map: the likeliest winners on top."""
    order = np.lexsort([forecast.mean_place, -forecast.first])[: top or None]
    last = int(np.flatnonzero(forecast.places[order].sum(axis=0) > 0.0).max()) + 1
    last = min(last, max(2 * len(order), 12))
    share = forecast.places[order, :last]
    row, place = (index.ravel() for index in np.indices(share.shape))
    highest = max(float(share.max()), 1e-12)
    names = [forecast.names[k] for k in order]
    titles = [
        f"{names[k]}, place {p + 1}: {100 * chance:.1f} %"
        for k, p, chance in zip(row, place, share.ravel(), strict=True)
    ]
    edges = place + 0.5, place + 1.5, row - 0.5, row + 0.5
    titles = titles if len(titles) <= 1024 else []
    cells = Bars(*edges, opacity=(share / highest).ravel(), gap=1.0, titles=titles)
    means = Points(forecast.mean_place[order], np.arange(len(order)), "c2", "mean place")
    x, y = Axis("place", 0.5, last + 0.5, whole=True), Axis(scale="category", names=names)
    words, high = "Probability of each place for each player", 20.0 * max(len(order), 3)
    shading = ("c1", "share of tournaments: 0", f"{100 * highest:.0f} %")
    return Chart([Panel(x, y, [cells, means])], words=words, height=high, shading=shading)


def variants_chart(forecasts: Sequence[tuple[str, TournamentForecast]], *, name: str) -> Chart:
    """Two measures by variant: how often the strongest wins, and the order."""
    panels = []
    for measure, scale, label in (
        ("strongest wins", 100.0, "strongest player wins, per cent"),
        ("order", 1.0, "rank correlation with true strength"),
    ):
        values = np.array([forecast.measure(measure) for _, forecast in forecasts]) * scale
        reach = NORMAL_95 * values[:, 1]
        interval = values[:, 0] - reach, values[:, 0] + reach
        points = Points(np.arange(len(forecasts)), values[:, 0], along=interval)
        x = Axis(name, scale="category", names=[label for label, _ in forecasts])
        panels.append(Panel(x, Axis(label, grid=True), [points]))
    words = f"How often the strongest wins, and the order, by {name}"
    return Chart(panels, words=words, columns=2, height=220.0)
