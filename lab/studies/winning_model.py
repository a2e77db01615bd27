"""The model of winning that ships: ``python -m lab.studies.winning_model GAMES.csv``.

Forms are fitted to the games of a table of tournament games with grades
(``go/tournaments/games.csv.gz`` of the shared data) with one event left out at a time, and
scored on that one, beside the published models. Writes the table and the figure of
``docs/studies/winning-model.md``; with ``--ship`` the model as well, as
``src/yardstone/winprob/data/winning_model.json``. With ``--events`` it writes only the tables of
how much events differ, and what ratings add.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lab.studies.winning.events import CONGRESS, event_lines
from lab.studies.winning.selection import fit_with_strengths
from yardstone.clusters import LEAST_EFFECTIVE_CLUSTERS, effective_number, t_quantile
from yardstone.files import write_text
from yardstone.grades import format_grade
from yardstone.reports.chart import Axis, Chart, Label, Mark, Panel, Points, Stroke
from yardstone.winprob.fit import EVENT_GAMES, FREE, fit_games, fit_winning_model
from yardstone.winprob.games import GameColumns, between_grades, read_games_csv
from yardstone.winprob.kaniuk import ALL_PARAMETERS, TABLE_1, GradeModel, Kaniuk, Link
from yardstone.winprob.model import winning_model, write_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yardstone.pool import Pool

    Array = NDArray[np.float64]
    Where = NDArray[np.bool_]

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "studies" / "winning-model-tables.md"
EVENTS = ROOT / "docs" / "studies" / "winning-model-events-tables.md"
FIGURE = ROOT / "docs" / "studies" / "winning-model-calibration.svg"
SHIPPED = ROOT / "src" / "yardstone" / "winprob" / "data" / "winning_model.json"
#: Parts of whole events, for the jackknife of the spread.
PARTS = 10
PUBLISHED = ("kaniuk", "egf", "goldis")
#: No forecast counts as surer than this.
LEAST = 1e-6


@dataclass(frozen=True)
class Form:
    """A form to be fitted: its free coefficients, link, and what an event counts as at most."""

    name: str
    free: tuple[str, ...]
    link: Link = "logistic"
    event_games: float | None = EVENT_GAMES


SHIPS = Form("a grade decides more as players get stronger (ships)", FREE)
FORMS = (
    SHIPS,
    Form("the same, a stone taken for a grade", FREE[:-1]),
    Form("the same, error function", FREE, "erf"),
    Form("the same, lapses", (*FREE, "lapse")),
    Form("the same, colour", (*FREE, "black")),
    Form("plain logistic", ("u0", "stone")),
    Form("plain logistic, lapses", ("u0", "stone", "lapse")),
    Form("Kaniuk's five", (*TABLE_1, "stone"), "erf"),
    Form("Kaniuk's five, lapses", (*TABLE_1, "stone", "lapse"), "erf"),
    Form("ships, but an event counts as 30 games at most", FREE, event_games=30.0),
    Form("ships, but an event counts as 300 games at most", FREE, event_games=300.0),
    Form("ships, but all games count alike", FREE, event_games=None),
)


def held_out(games: GameColumns, form: Form) -> Array:
    """Probability that Black wins each game, from a fit to all other events."""
    probability = np.empty(len(games))
    start = fit_games(games, free=form.free, link=form.link, event_games=form.event_games).model
    for event in np.unique(games.group):
        test = games.group == event
        fit = fit_games(
            games.select(~test),
            free=form.free,
            link=form.link,
            event_games=form.event_games,
            start=start,
        )
        left_out = games.select(test)
        probability[test] = fit.model.probability(
            left_out.first, left_out.second, handicap=left_out.handicap, komi=left_out.komi
        )
    return probability


def losses(probability: Array, won: Where) -> Array:
    """Log loss of each game."""
    p = np.clip(probability, LEAST, 1.0 - LEAST)
    return np.asarray(-np.log(np.where(won, p, 1.0 - p)))


@dataclass(frozen=True)
class Means:
    """Means over games in which an event counts as so many games at most, by jackknife."""

    weight: Array
    event: NDArray[np.int64]

    def of(
        self, values: Array, where: Where | None = None, *, widening: float = 1.0
    ) -> tuple[float, float | None]:
        """Mean and reach of its 95 % interval; None with too few events, or all values equal."""
        keep = np.ones(len(values), np.bool_) if where is None else where
        weight, number = self.weight[keep], np.unique(self.event[keep], return_inverse=True)[1]
        size = np.bincount(number, weight)
        total = np.bincount(number, weight * values[keep])
        mean = float(total.sum() / size.sum())
        worth = effective_number(number, weight)
        # A share of 0 or 1 tells the jackknife nothing.
        if worth < LEAST_EFFECTIVE_CLUSTERS or np.ptp(values[keep]) == 0.0:
            return mean, None
        without = (total.sum() - total) / (size.sum() - size)
        error = float(np.sqrt(np.sum((without - mean) ** 2)))
        return mean, t_quantile(0.975, worth - 1.0) * error * widening

    def text(
        self,
        values: Array,
        where: Where | None = None,
        *,
        digits: int = 3,
        widening: float = 1.0,
        times: float = 1.0,
        least: float | None = None,
    ) -> str:
        """The same in words."""
        mean, reach = self.of(values * times, where, widening=widening)
        if reach is None:
            return f"{mean:.{digits}f}"
        low = mean - reach if least is None else max(mean - reach, least)
        return f"{mean:.{digits}f} ({low:.{digits}f} to {mean + reach:.{digits}f})"


def classes(games: GameColumns, komi: Array, congress: Where) -> dict[str, Where]:
    """The kinds of games that are scored apart."""
    even = games.handicap == 0
    apart = np.abs(games.first - games.second)
    weaker, stronger = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
    return {
        "all": np.ones(len(games), np.bool_),
        "all but the European Congress 2011": ~congress,
        "the European Congress 2011": congress,
        "even, equal grades": even & (apart == 0),
        "even, 1 apart": even & (apart == 1),
        "even, 2 apart": even & (apart == 2),
        "even, 3 or 4 apart": even & (apart >= 3) & (apart <= 4),
        "even, 5 to 9 apart": even & (apart >= 5) & (apart <= 9),
        "even, 10 and more apart": even & (apart >= 10),
        "even, below 20 kyu": even & (weaker < -20),
        "even, 20 kyu to 11 kyu": even & (weaker >= -20) & (weaker <= -11),
        "even, 10 kyu to 1 kyu": even & (weaker >= -10) & (weaker <= -1),
        "even, both dan": even & (weaker >= 0),
        "even, above 7 dan": even & (stronger > 6),
        "even, komi 6.5": even & (komi == 6.5),
        "even, komi 7 or 7.5": even & (komi >= 7.0),
        "handicap": ~even,
        "handicap, 1 stone": games.handicap == 1,
        "handicap, 2 or 3 stones": (games.handicap >= 2) & (games.handicap <= 3),
        "handicap, 4 to 6 stones": (games.handicap >= 4) & (games.handicap <= 6),
        "handicap, 7 stones and more": games.handicap >= 7,
    }


@dataclass(frozen=True)
class Spread:
    """Standard deviation of strengths about grades, its 95 % interval, and that of a congress."""

    value: float
    low: float
    high: float
    congress: float
    without: float


def spread_of(pool: Pool) -> Spread:
    """By the likelihood of all even games, each player with a strength of his own.

    Its error is the jackknife's over ten parts of whole events.
    """
    counted = pool.select(between_grades(pool))
    event = np.asarray(counted.columns["event"])
    names, number, size = np.unique(event, return_inverse=True, return_counts=True)
    filled, part = np.zeros(PARTS), np.zeros(len(names), np.int64)
    for each in np.argsort(-size, kind="stable"):
        part[each] = int(np.argmin(filled))
        filled[part[each]] += size[each]

    def deviation(games: Pool) -> float:
        start = GradeModel(Kaniuk.from_parameters({"u1": 0.2, "K": 0.04}))
        return fit_with_strengths(games, free=("u1", "K"), start=start).deviation

    value = deviation(counted)
    without = np.array([deviation(counted.select(part[number] != k)) for k in range(PARTS)])
    error = sqrt((PARTS - 1.0) / PARTS * float(np.sum((without - value) ** 2)))
    reach = t_quantile(0.975, PARTS - 1.0) * error
    congress = event == CONGRESS
    return Spread(
        value,
        max(value - reach, 0.0),
        value + reach,
        deviation(counted.select(congress)),
        deviation(counted.select(~congress)),
    )


def lines(pool: Pool, spread: Spread) -> Iterator[str]:
    """The tables; draws the figure."""
    games = GameColumns.from_pool(pool, group="event")
    names = np.unique(pool.columns["event"])
    congress = games.group == int(np.flatnonzero(names == CONGRESS)[0])
    komi = np.where(games.handicap > 0, np.nan, games.komi)
    means = Means(games.group_weights(EVENT_GAMES), games.group)
    events = len(np.unique(games.group))
    widening = sqrt(1.0 + events / (events - 1.0))
    forecasts: dict[str, Array] = {form.name: held_out(games, form) for form in FORMS}
    for name in PUBLISHED:
        forecasts[name] = winning_model(name).probability(
            games.first, games.second, handicap=games.handicap, komi=games.komi
        )
    forecasts["coin"] = np.full(len(games), 0.5)
    loss = {name: losses(p, games.first_won) for name, p in forecasts.items()}
    ships = loss[SHIPS.name]

    yield from coefficients(pool)
    yield (
        f"Players' strengths scatter by {spread.value:.2f} grades about the declared ones (95 %: "
        f"{spread.low:.2f} to {spread.high:.2f}, jackknife over {PARTS} parts of whole events); "
        f"without the European Congress 2011 by {spread.without:.2f}, in it alone by "
        f"{spread.congress:.2f}."
    )
    yield ""
    yield f"### Forms, on events left out: {len(games):,} games of {events} events"
    yield ""
    yield "| form | free | log loss | worse than what ships by | all games alike |"
    yield "|---|---|--:|--:|--:|"
    free = {form.name: ", ".join(form.free) for form in FORMS}
    for name, values in loss.items():
        gain = "" if name == SHIPS.name else means.text(values - ships, digits=4, widening=widening)
        yield (
            f"| {name} | {free.get(name, 'published' if name != 'coin' else '')} "
            f"| {means.text(values)} | {gain} | {values.mean():.3f} |"
        )
    yield ""
    yield "### What ships beside the published models, on events left out"
    yield ""
    yield (
        "| games | number | events | log loss of what ships | kaniuk worse by | egf worse by "
        "| goldis worse by | coin worse by |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for title, where in classes(games, komi, congress).items():
        row = [title, f"{int(where.sum()):,}", f"{len(np.unique(games.group[where]))}"]
        row.append(means.text(ships, where))
        row += [
            means.text(loss[name] - ships, where, widening=widening)
            for name in (*PUBLISHED, "coin")
        ]
        yield "| " + " | ".join(row) + " |"
    yield ""
    yield "### Calibration of what ships, on events left out"
    yield ""
    yield from calibration(forecasts, games, means, congress)


def coefficients(pool: Pool) -> Iterator[str]:
    """The model that ships."""
    result = fit_winning_model(pool, name="fitted", event_games=EVENT_GAMES)
    region = result.model.region
    assert region is not None
    yield f"### The model that ships: {result.model.about}"
    yield ""
    yield "| coefficient | value | 95 % |"
    yield "|---|--:|--:|"
    for name in result.fit.names:
        value = result.fit.model.vector[ALL_PARAMETERS.index(name)]
        low, high = region.coefficient_interval(name)
        yield f"| {name} | {value:.4f} | {low:.4f} to {high:.4f} |"
    yield ""
    yield "| even games | chance of the first | 95 % | kaniuk | egf | goldis |"
    yield "|---|--:|--:|--:|--:|--:|"
    for one, two in ((-25, -24), (-18, -14), (-10, -9), (-4, -2), (0, 1), (1, 3), (5, 6), (-6, 1)):
        ends = result.model.interval(one, two)
        assert ends is not None
        others = " | ".join(
            f"{100 * float(winning_model(name).probability(one, two)):.1f} %" for name in PUBLISHED
        )
        yield (
            f"| {format_grade(one)} against {format_grade(two)} "
            f"| {100 * float(result.model.probability(one, two)):.1f} % "
            f"| {100 * float(ends[0]):.1f} to {100 * float(ends[1]):.1f} % | {others} |"
        )
    yield ""


#: Ends of the groups of forecasts, for the weaker of the two.
EDGES = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


def calibration(
    forecasts: Mapping[str, Array], games: GameColumns, means: Means, congress: Where
) -> Iterator[str]:
    """Shares won by the side that is less likely to win, by its probability."""
    yield "| probability of the weaker | games | mean | won | won, congress 2011 |"
    yield "|---|--:|--:|--:|--:|"
    panels = []
    for name in (SHIPS.name, *PUBLISHED):
        p = forecasts[name]
        weaker = np.minimum(p, 1.0 - p)
        won = np.where(p <= 0.5, games.first_won, ~games.first_won).astype(np.float64)
        rows = []
        for low, high in pairwise(EDGES):
            where = (weaker >= low) & (weaker < high) & ~congress
            there = (weaker >= low) & (weaker < high) & congress
            if not where.any():
                continue
            mean, share = means.of(weaker, where)[0], means.of(won, where)
            rows.append((mean, *share))
            if name == SHIPS.name:
                of_congress = (
                    f"{100 * won[there].mean():.0f} % of {there.sum()}" if there.any() else ""
                )
                shown = means.text(won, where, digits=1, times=100.0, least=0.0)
                yield (
                    f"| {100 * low:.0f} to {100 * high:.0f} % | {int(where.sum()):,} "
                    f"| {100 * mean:.1f} % | {shown} % "
                    f"| {of_congress} |"
                )
        panels.append(panel("fitted" if name == SHIPS.name else name, rows))
    yield ""
    chart = Chart(
        panels,
        "Calibration on events left out",
        words="Calibration of four models on events left out: share won against probability",
        note="Across: probability of the player less likely to win; up: share of games won, 95 % "
        "over events. The European Congress 2011 is not among them.",
        columns=4,
        widths=(80.0 + 227.0 * 4, 360.0),
    )
    chart.save(FIGURE)


def panel(name: str, rows: list[tuple[float, float, float | None]]) -> Panel:
    mean, share = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    reach = np.array([np.nan if row[2] is None else row[2] for row in rows])
    marks: list[Mark] = [
        Stroke([0.0, 0.5], [0.0, 0.5], "soft", width=1.0, dash=(4.0, 3.0)),
        Points(mean, share, along=(np.maximum(share - reach, 0.0), np.minimum(share + reach, 0.7))),
        Label(0.49, 0.02, "too sure above the line", "end", "soft"),
    ]
    across = Axis(low=0.0, high=0.5, ticks=[(k / 10, f"{k / 10:g}") for k in range(6)])
    up = Axis(low=0.0, high=0.7, ticks=[(k / 10, f"{k / 10:g}") for k in range(8)])
    return Panel(across, up, marks, name)


def made(option: str) -> str:
    """By what, when and with which versions."""
    return (
        f"`python -m lab.studies.winning_model GAMES {option}`, {date.today():%Y-%m-%d}; Yardstone "
        f"{version('yardstone')}, numpy {np.__version__}, Python {platform.python_version()}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", type=Path)
    parser.add_argument("--ship", action="store_true", help="write the model that ships too")
    parser.add_argument(
        "--events", action="store_true", help="only the tables of how much events differ"
    )
    given = parser.parse_args()
    pool = read_games_csv(given.games)
    if given.events:
        text = "\n".join([*event_lines(pool, given.games), "", made("--events")]) + "\n"
        write_text(EVENTS, text)
        print(text)
        return
    spread = spread_of(pool)
    if given.ship:
        result = fit_winning_model(pool, name="fitted", event_games=EVENT_GAMES)
        write_model(SHIPPED, replace(result.model, spread=round(spread.value, 2)))
    about = (
        "In brackets 95 % intervals over events, by the jackknife and Student's t; those of "
        "differences allow for what the fits have in common. No forecast counts as surer than "
        "one in a million."
    )
    text = "\n".join([*lines(pool, spread), "", f"{made('--ship')} {about}"]) + "\n"
    write_text(TABLE, text)
    print(text)


if __name__ == "__main__":
    main()
